//! The origin of a web page, as sent by browsers. A page of any site can send requests to this machine without the user
//! noticing; only pages of allowed origins get an answer.

use hyper::http::Uri;

use super::auth::Host;
use refdesk_text::{Code, Error};

/// Scheme, host and port, or `null`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Origin {
    /// `null`: the page has no origin, for example because it is a file.
    Null,
    /// The origin of a page loaded from a server.
    Of {
        /// In lower case.
        scheme: String,
        /// In lower case.
        host: String,
        /// The port, or the scheme's default; `None` if the scheme has none.
        port: Option<u16>,
    },
}

impl Origin {
    /// Parses the value of an `Origin` header.
    pub(super) fn parse(text: &str) -> Option<Self> {
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

    /// Parses an argument of `--allow-origin`.
    pub(super) fn allowed(text: &str) -> Result<Self, Error> {
        Self::parse(text).ok_or_else(|| {
            let message = format!("{text} is not an origin of a web page");
            Error::new(Code::Usage, message, "write it as https://example.org or http://localhost:3000")
        })
    }

    /// The origin of pages served by this host.
    pub(super) fn of(host: &Host) -> Self {
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
    fn invalid_origins_are_refused() {
        for wrong in
            ["", "a", "*", "http://", "http://a/b", "http://a?b", "http://x@a", "http://a:x", "http://a http://b"]
        {
            assert!(Origin::allowed(wrong).is_err(), "{wrong}");
        }
    }
}
