//! Checks where a webhook may post. `https` may use public addresses, and any address of a host in `allow_hosts`. Plain
//! `http` may use only private addresses of hosts in `allow_hosts`: on the way to a public address, others could read
//! the request and the token.

use ureq::http::Uri;

use super::super::NoAnswer;
use super::super::answer::shown;
use refdesk_core::config::ChannelSettings;
use refdesk_text::Code;

/// Which addresses of the host are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostScope {
    Public,
    Private,
    All,
}

/// The destination of a webhook.
#[derive(Debug, Clone)]
pub(super) struct Target {
    /// The whole URL, whose path or query may contain a secret.
    endpoint: SecretUri,
    /// Scheme, host and port, for messages.
    pub shown: String,
    /// The host, for messages.
    pub host: String,
    pub reach: HostScope,
}

/// A value that must not be printed.
#[derive(Clone)]
struct SecretUri(Uri);

impl std::fmt::Debug for SecretUri {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("…")
    }
}

impl Target {
    /// The target from the configuration.
    ///
    /// # Errors
    /// Why the target is not allowed.
    pub(crate) fn new(settings: &ChannelSettings) -> Result<Self, NoAnswer> {
        let wrong = |message: String, hint: &str| NoAnswer::failed(Code::WrongEndpoint, message, hint);
        let Some(written) = &settings.endpoint else {
            return Err(wrong("the webhook has no 'endpoint'".to_owned(), "give the URL that requests are posted to"));
        };
        let usual = "write it as https://host/path";
        let uri: Uri = written
            .trim()
            .parse()
            .map_err(|error| wrong(format!("the webhook's 'endpoint' is not a URL: {error}"), usual))?;
        let (scheme, authority) = match (uri.scheme_str(), uri.authority()) {
            (Some(scheme @ ("http" | "https")), Some(authority)) => (scheme, authority),
            _ => return Err(wrong("the webhook's 'endpoint' is not an http or https URL".to_owned(), usual)),
        };
        if authority.as_str().contains('@') {
            let hint = "set channel.auth_token_env to the variable with a bearer token";
            return Err(wrong("the webhook's 'endpoint' contains a user or password".to_owned(), hint));
        }
        let host = plain(authority.host());
        let port = authority.port_u16();
        let is_allowed = settings.allow_hosts.iter().any(|allowed| matches_host(allowed, &host, port));
        let reach = match (scheme, is_allowed) {
            ("https", false) => HostScope::Public,
            ("https", true) => HostScope::All,
            (_, true) => HostScope::Private,
            (_, false) => {
                let message = format!("the webhook at '{}' is plain http", shown(&host));
                let hint = "use https; plain http is for private addresses of hosts in channel.allow_hosts";
                return Err(wrong(message, hint));
            }
        };
        let named = format!("{scheme}://{}", shown(authority.as_str()));
        Ok(Self { shown: named, host: shown(&host), reach, endpoint: SecretUri(uri) })
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.endpoint.0
    }
}

/// Normalizes a host for comparison: lower case, without the brackets of an address and without a trailing dot.
fn plain(host: &str) -> String {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_lowercase()
}

/// Whether this `allow_hosts` entry (a host, or a host and port) matches the host.
fn matches_host(allowed: &str, host: &str, port: Option<u16>) -> bool {
    let allowed = allowed.trim();
    plain(allowed) == host
        || allowed.rsplit_once(':').is_some_and(|(name, number)| {
            plain(name) == host && number.parse().is_ok_and(|number: u16| Some(number) == port)
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_text::Error;

    fn target(endpoint: &str, allowed: &[&str]) -> Result<Target, NoAnswer> {
        Target::new(&ChannelSettings {
            endpoint: Some(endpoint.to_owned()),
            allow_hosts: allowed.iter().map(ToString::to_string).collect(),
            ..ChannelSettings::default()
        })
    }

    #[test]
    fn allowed_targets() {
        for (endpoint, allowed, expected) in [
            ("https://example.com/hook?k=1", &[][..], Ok(HostScope::Public)),
            ("https://Example.com.", &["example.com"], Ok(HostScope::All)),
            ("https://example.com:8443/", &["example.com:8443"], Ok(HostScope::All)),
            ("https://example.com/", &["example.com:8443"], Ok(HostScope::Public)),
            ("https://a.example.com/", &["example.com"], Ok(HostScope::Public)),
            ("https://127.0.0.1/", &[], Ok(HostScope::Public)),
            ("http://127.0.0.1:80/", &["127.0.0.1"], Ok(HostScope::Private)),
            ("http://[::1]:80/", &["[::1]"], Ok(HostScope::Private)),
            ("http://[::1]:80/", &["::1"], Ok(HostScope::Private)),
            ("http://[::1]:80/", &["[::1]:80"], Ok(HostScope::Private)),
            ("http://127.0.0.1:80/", &["127.0.0.1:81"], Err("plain http")),
            ("http://example.com/", &[], Err("plain http")),
            ("https://user:secret@example.com/", &[], Err("user or password")),
            ("ftp://example.com/", &[], Err("not an http or https")),
            ("/path", &[], Err("not an http or https")),
            ("example.com", &[], Err("not an http or https")),
            ("https://", &[], Err("not a URL")),
            ("https://exa mple.com/", &[], Err("not a URL")),
            ("", &[], Err("not a URL")),
        ] {
            match (target(endpoint, allowed), expected) {
                (Ok(target), Ok(reach)) => assert_eq!(target.reach, reach, "{endpoint}"),
                (Err(NoAnswer::Failed(Error { message, .. })), Err(part)) => {
                    assert!(message.contains(part) && !message.contains("secret"), "{endpoint}: {message}");
                }
                (got, expected) => panic!("{endpoint}: {got:?}, not {expected:?}"),
            }
        }
    }

    #[test]
    fn neither_path_nor_query_is_printed() {
        let shown = format!("{:?}", target("https://example.com/hidden?hidden=1", &[]).unwrap());
        assert!(shown.contains("https://example.com") && !shown.contains("hidden"), "{shown}");
    }
}
