//! What a browser says of the page that calls. A page of any site may call this machine behind a person's back; only those
//! that were named may be answered.

use hyper::http::Uri;

use super::auth::Host;
use refdesk_text::{Code, Error};

/// Scheme, host and port; pages without any say `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Of a page that has none, such as a file.
    Null,
    /// Of a page that was loaded from somewhere.
    Of {
        /// In small letters.
        scheme: String,
        /// In small letters.
        host: String,
        /// Also where it is the scheme's own; `None` where the scheme has none.
        port: Option<u16>,
    },
}

impl Origin {
    /// As `Origin:` says it.
    pub fn parse(text: &str) -> Option<Self> {
        if text == "null" {
            return Some(Self::Null);
        }
        let uri: Uri = text.parse().ok()?;
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let host = Host::parse(uri.authority()?.as_str())?;
        let is_bare = uri.path_and_query().is_none_or(|rest| rest.as_str() == "/");
        let port = host.port.or(match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            _ => None,
        });
        is_bare.then_some(Self::Of { scheme, host: host.name, port })
    }

    /// As `--allow-origin` says it.
    pub fn allowed(text: &str) -> Result<Self, Error> {
        Self::parse(text).ok_or_else(|| {
            let message = format!("{text} is no origin of a web page");
            Error::new(Code::Usage, message, "write it as https://example.org or http://localhost:3000")
        })
    }

    /// The origin of what this host serves itself.
    pub fn of(host: &Host) -> Self {
        Self::Of { scheme: "http".to_owned(), host: host.name.clone(), port: Some(host.port.unwrap_or(80)) }
    }
}

#[cfg(test)]
mod tests {
    use super::Origin;

    #[test]
    fn the_same_page_is_the_same_origin() {
        for (one, other) in [
            ("http://a", "http://A:80"),
            ("https://a", "HTTPS://a:443/"),
            ("http://[::1]:3", "http://[0:0::1]:3"),
            ("null", "null"),
        ] {
            assert_eq!(Origin::parse(one).unwrap(), Origin::parse(other).unwrap());
        }
    }

    #[test]
    fn another_page_is_another_origin() {
        let all = ["http://a", "https://a", "http://a:81", "http://a.b", "http://b", "null", "vscode://a"];
        for (at, one) in all.iter().enumerate() {
            for other in &all[at + 1..] {
                assert_ne!(Origin::parse(one).unwrap(), Origin::parse(other).unwrap(), "{one} {other}");
            }
        }
    }

    #[test]
    fn what_is_no_origin_is_told() {
        for wrong in
            ["", "a", "*", "http://", "http://a/b", "http://a?b", "http://x@a", "http://a:x", "http://a http://b"]
        {
            assert!(Origin::allowed(wrong).is_err(), "{wrong}");
        }
    }
}
