//! Who may call: by the host the client meant, the page it calls from, and the token it brings. Looked at before anything is
//! read of a body, so that a stranger costs nothing. The host keeps out sites that let their name lead here (DNS
//! rebinding), the origin keeps out every other site.

use std::net::{IpAddr, SocketAddr};

use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use sha2::{Digest, Sha256};

use super::Http;
use super::origin::Origin;
use refdesk_text::{Code, Error};

/// What a server is called by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// A name in small letters or an address, without brackets.
    pub name: String,
    pub port: Option<u16>,
}

impl Host {
    /// As `Host:` says it.
    pub fn parse(text: &str) -> Option<Self> {
        let authority: Authority = text.parse().ok().filter(|_| !text.contains('@'))?;
        // What is no number after the colon is no port, and what nobody can call is no host.
        let port = authority.port_u16();
        let written = authority.as_str().strip_prefix(authority.host())?;
        if authority.host().is_empty() || (port.is_none() && !written.is_empty()) {
            return None;
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let name = name.parse::<IpAddr>().map_or_else(|_| name.to_ascii_lowercase(), |address| address.to_string());
        Some(Self { name, port })
    }

    /// As `--allow-host` says it.
    pub fn allowed(text: &str) -> Result<Self, Error> {
        Self::parse(text).ok_or_else(|| {
            let message = format!("{text} is no host");
            Error::new(Code::Usage, message, "write it as desk.example.org, or with a port: desk.example.org:7777")
        })
    }
}

/// Why somebody may not call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    pub status: StatusCode,
    /// What to do about it.
    pub message: String,
}

/// Who may call a server that listens.
#[derive(Debug)]
pub struct Gate {
    /// The names of its address.
    own: Vec<Host>,
    /// Those it was told of; without a port it is any.
    hosts: Vec<Host>,
    origins: Vec<Origin>,
    /// The token itself is kept nowhere: two digests tell nothing by how long it takes to compare them.
    token: Option<[u8; 32]>,
}

impl Gate {
    /// Of a server that listens here.
    pub fn new(http: &Http, address: SocketAddr) -> Self {
        let mut names = ["127.0.0.1", "::1", "localhost"].map(str::to_owned).to_vec();
        names.extend((!address.ip().is_unspecified()).then(|| address.ip().to_string()));
        let own = names.into_iter().map(|name| Host { name, port: Some(address.port()) }).collect();
        let token = http.token.as_ref().map(|token| Sha256::digest(token).into());
        Self { own, hosts: http.hosts.clone(), origins: http.origins.clone(), token }
    }

    /// The origin that may read the answer, if a page calls.
    pub fn check(&self, head: &Parts) -> Result<Option<HeaderValue>, Denied> {
        self.check_host(head)?;
        let origin = self.check_origin(&head.headers)?;
        // A browser asks for leave without the token it will bring then.
        if !(origin.is_some() && is_preflight(head)) {
            self.check_token(&head.headers)?;
        }
        Ok(origin)
    }

    fn check_host(&self, head: &Parts) -> Result<(), Denied> {
        let mut named: Vec<Option<&str>> =
            head.headers.get_all(header::HOST).iter().map(|host| host.to_str().ok()).collect();
        if named.len() != 1 {
            return Err(denied(StatusCode::BAD_REQUEST, "a request names one Host"));
        }
        named.extend(head.uri.authority().map(|authority| Some(authority.as_str())));
        if named.into_iter().all(|named| named.and_then(Host::parse).is_some_and(|host| self.is_host(&host))) {
            return Ok(());
        }
        Err(denied(
            StatusCode::FORBIDDEN,
            "this Host is not allowed: refdesk mcp --http ADDR --allow-host HOST allows it",
        ))
    }

    fn is_host(&self, host: &Host) -> bool {
        let is_own = |own: &Host| own.name == host.name && own.port == Some(host.port.unwrap_or(80));
        let is_told = |told: &Host| told.name == host.name && (told.port.is_none() || told.port == host.port);
        self.own.iter().any(is_own) || self.hosts.iter().any(is_told)
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, Denied> {
        let mut named = headers.get_all(header::ORIGIN).iter();
        let Some(first) = named.next() else { return Ok(None) };
        let origin = first.to_str().ok().and_then(Origin::parse).filter(|_| named.next().is_none());
        let is_allowed =
            |origin: &Origin| self.origins.contains(origin) || self.own.iter().any(|own| Origin::of(own) == *origin);
        if origin.is_some_and(|origin| is_allowed(&origin)) {
            return Ok(Some(first.clone()));
        }
        let message = "this Origin is not allowed: refdesk mcp --http ADDR --allow-origin ORIGIN allows it";
        Err(denied(StatusCode::FORBIDDEN, message))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Denied> {
        let Some(wanted) = &self.token else { return Ok(()) };
        let brought = headers.get(header::AUTHORIZATION).and_then(|brought| bearer(brought.as_bytes()));
        let is_it = brought.is_some_and(|brought| is_same(&Sha256::digest(brought).into(), wanted));
        if is_it {
            return Ok(());
        }
        let message = format!("a token is wanted: Authorization: Bearer, with what {} holds", super::TOKEN);
        Err(denied(StatusCode::UNAUTHORIZED, &message))
    }
}

/// Whether a browser asks what a page may do.
pub fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

fn is_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

fn denied(status: StatusCode, message: &str) -> Denied {
    Denied { status, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn gate(address: &str, hosts: &[&str], origins: &[&str], token: bool) -> Gate {
        let owned = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let http = Http::new(address, &owned(hosts), &owned(origins), token.then(|| TOKEN.to_owned())).unwrap();
        Gate::new(&http, http.address)
    }

    fn check(gate: &Gate, method: &str, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        gate.check(&head).map_or_else(|denied| denied.status.as_u16(), |_| 200)
    }

    #[test]
    fn hosts() {
        let gate = gate("127.0.0.1:7777", &["desk.example.org", "other.example.org:81"], &[], false);
        for (host, status) in [
            ("127.0.0.1:7777", 200),
            ("localhost:7777", 200),
            ("LOCALHOST:7777", 200),
            ("[::1]:7777", 200),
            ("[0:0:0:0:0:0:0:1]:7777", 200),
            ("desk.example.org", 200),
            ("desk.example.org:443", 200),
            ("other.example.org:81", 200),
            ("other.example.org", 403),
            ("localhost", 403),
            ("localhost:7778", 403),
            ("localhost:", 403),
            ("localhost:x", 403),
            ("localhost.:7777", 403),
            ("localhost.evil.example:7777", 403),
            ("evil.example:7777", 403),
            ("127.0.0.1.evil.example:7777", 403),
            ("evil.example@127.0.0.1:7777", 403),
            ("", 403),
        ] {
            assert_eq!(check(&gate, "POST", "/mcp", &[("host", host)]), status, "{host}");
        }
        assert_eq!(check(&gate, "POST", "/mcp", &[]), 400);
        assert_eq!(check(&gate, "POST", "/mcp", &[("host", "localhost:7777"), ("host", "localhost:7777")]), 400);
        assert_eq!(check(&gate, "POST", "http://evil.example/mcp", &[("host", "localhost:7777")]), 403);
        assert_eq!(check(&gate, "POST", "http://localhost:7777/mcp", &[("host", "localhost:7777")]), 200);
    }

    #[test]
    fn a_wildcard_address_is_called_by_the_loopback_or_by_what_was_told() {
        let gate = gate("0.0.0.0:80", &[], &[], true);
        let token = ("authorization", "Bearer 0123456789abcdef");
        for (host, status) in [("127.0.0.1", 200), ("localhost:80", 200), ("0.0.0.0:80", 403), ("10.0.0.1", 403)] {
            assert_eq!(check(&gate, "POST", "/mcp", &[("host", host), token]), status, "{host}");
        }
    }

    #[test]
    fn origins() {
        let gate = gate("127.0.0.1:7777", &["desk.example.org"], &["https://app.example.org"], false);
        for (origin, status) in [
            ("https://app.example.org", 200),
            ("https://app.example.org:443", 200),
            ("http://localhost:7777", 200),
            ("http://127.0.0.1:7777", 200),
            ("http://app.example.org", 403),
            ("https://app.example.org.evil.example", 403),
            ("http://localhost:3000", 403),
            ("http://desk.example.org", 403),
            ("http://evil.example", 403),
            ("null", 403),
            ("", 403),
            ("https://app.example.org https://evil.example", 403),
        ] {
            assert_eq!(
                check(&gate, "POST", "/mcp", &[("host", "localhost:7777"), ("origin", origin)]),
                status,
                "{origin}"
            );
        }
        let twice =
            [("host", "localhost:7777"), ("origin", "http://localhost:7777"), ("origin", "http://localhost:7777")];
        assert_eq!(check(&gate, "POST", "/mcp", &twice), 403);
    }

    #[test]
    fn tokens() {
        let gate = gate("127.0.0.1:7777", &[], &["https://app.example.org"], true);
        for (brought, status) in [
            ("Bearer 0123456789abcdef", 200),
            ("bearer 0123456789abcdef", 200),
            ("Bearer  0123456789abcdef ", 200),
            ("Bearer 0123456789abcdeg", 401),
            ("Bearer 0123456789abcde", 401),
            ("Bearer 0123456789abcdef0", 401),
            ("Bearer ", 401),
            ("Bearer", 401),
            ("Basic 0123456789abcdef", 401),
            ("0123456789abcdef", 401),
            ("", 401),
        ] {
            let headers = [("host", "localhost:7777"), ("authorization", brought)];
            assert_eq!(check(&gate, "POST", "/mcp", &headers), status, "{brought:?}");
        }
        let host = ("host", "localhost:7777");
        let asks = ("access-control-request-method", "POST");
        let [page, evil] = [("origin", "https://app.example.org"), ("origin", "https://evil.example")];
        assert_eq!(check(&gate, "POST", "/mcp", &[host]), 401);
        assert_eq!(check(&gate, "OPTIONS", "/mcp", &[host, page, asks]), 200, "a browser asks without a token");
        assert_eq!(check(&gate, "OPTIONS", "/mcp", &[host, evil, asks]), 403);
        assert_eq!(check(&gate, "OPTIONS", "/mcp", &[host, asks]), 401, "no page, no browser");
        assert_eq!(check(&gate, "POST", "/mcp", &[host, page]), 401);
    }
}
