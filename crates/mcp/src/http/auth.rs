//! Authorizes requests by their `Host`, `Origin` and token before reading the body, so that unauthorized requests cost
//! little. Checking the host prevents DNS rebinding; checking the origin keeps out other web sites.

use std::net::{IpAddr, SocketAddr};

use hyper::http::request::Parts;
use hyper::http::uri::Authority;
use hyper::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use sha2::{Digest, Sha256};

use super::Http;
use super::origin::Origin;
use refdesk_text::{Code, Error};

/// A host name or address, with or without a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Host {
    /// A name in lower case, or an address without brackets.
    pub name: String,
    pub port: Option<u16>,
}

impl Host {
    /// Parses the value of a `Host` header.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let authority: Authority = text.parse().ok().filter(|_| !text.contains('@'))?;
        // The library accepts a port that is not a number, and an empty host.
        let port = authority.port_u16();
        let written = authority.as_str().strip_prefix(authority.host())?;
        if authority.host().is_empty() || (port.is_none() && !written.is_empty()) {
            return None;
        }
        let name = authority.host().trim_start_matches('[').trim_end_matches(']');
        let name = name.parse::<IpAddr>().map_or_else(|_| name.to_ascii_lowercase(), |address| address.to_string());
        Some(Self { name, port })
    }

    /// Parses an argument of `--allow-host`.
    pub(super) fn allowed(text: &str) -> Result<Self, Error> {
        Self::parse(text).ok_or_else(|| {
            let message = format!("{text} is not a host");
            Error::new(Code::Usage, message, "write it as desk.example.org, or with a port: desk.example.org:7777")
        })
    }
}

/// Why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AuthFailure {
    pub status: StatusCode,
    /// The reason, and how to allow the request.
    pub message: String,
}

/// Checks whether a request is allowed.
#[derive(Debug)]
pub(super) struct Guard {
    /// The names of the server's address.
    own: Vec<Host>,
    /// Allowed by `--allow-host`; an entry without a port allows any.
    hosts: Vec<Host>,
    origins: Vec<Origin>,
    /// A digest, so that the time of a comparison reveals nothing about the token.
    token: Option<[u8; 32]>,
}

impl Guard {
    /// The guard of a server that listens on `address`.
    pub(super) fn new(http: &Http, address: SocketAddr) -> Self {
        let mut names = ["127.0.0.1", "::1", "localhost"].map(str::to_owned).to_vec();
        names.extend((!address.ip().is_unspecified()).then(|| address.ip().to_string()));
        let own = names.into_iter().map(|name| Host { name, port: Some(address.port()) }).collect();
        let token = http.token.as_ref().map(|token| Sha256::digest(token).into());
        Self { own, hosts: http.hosts.clone(), origins: http.origins.clone(), token }
    }

    /// Checks a request; returns the origin that may read the answer, if a web page sent it.
    pub(super) fn check(&self, head: &Parts) -> Result<Option<HeaderValue>, AuthFailure> {
        self.check_host(head)?;
        let origin = self.check_origin(&head.headers)?;
        // A preflight request has no token.
        if !(origin.is_some() && is_preflight(head)) {
            self.check_token(&head.headers)?;
        }
        Ok(origin)
    }

    fn check_host(&self, head: &Parts) -> Result<(), AuthFailure> {
        let mut hosts: Vec<Option<&str>> =
            head.headers.get_all(header::HOST).iter().map(|host| host.to_str().ok()).collect();
        if hosts.len() != 1 {
            return Err(denied(StatusCode::BAD_REQUEST, "a request must have exactly one Host"));
        }
        hosts.extend(head.uri.authority().map(|authority| Some(authority.as_str())));
        if hosts.into_iter().all(|host| host.and_then(Host::parse).is_some_and(|host| self.is_host(&host))) {
            return Ok(());
        }
        Err(denied(
            StatusCode::FORBIDDEN,
            "this Host is not allowed; allow it with: refdesk mcp --http ADDR --allow-host HOST",
        ))
    }

    fn is_host(&self, host: &Host) -> bool {
        let is_own = |own: &Host| own.name == host.name && own.port == Some(host.port.unwrap_or(80));
        let is_allowed =
            |allowed: &Host| allowed.name == host.name && (allowed.port.is_none() || allowed.port == host.port);
        self.own.iter().any(is_own) || self.hosts.iter().any(is_allowed)
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<Option<HeaderValue>, AuthFailure> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(first) = origins.next() else { return Ok(None) };
        let origin = first.to_str().ok().and_then(Origin::parse).filter(|_| origins.next().is_none());
        let is_allowed =
            |origin: &Origin| self.origins.contains(origin) || self.own.iter().any(|own| Origin::of(own) == *origin);
        if origin.is_some_and(|origin| is_allowed(&origin)) {
            return Ok(Some(first.clone()));
        }
        let message = "this Origin is not allowed; allow it with: refdesk mcp --http ADDR --allow-origin ORIGIN";
        Err(denied(StatusCode::FORBIDDEN, message))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), AuthFailure> {
        let Some(expected) = &self.token else { return Ok(()) };
        let given = headers.get(header::AUTHORIZATION).and_then(|value| bearer(value.as_bytes()));
        if given.is_some_and(|given| is_same(&Sha256::digest(given).into(), expected)) {
            return Ok(());
        }
        let message = format!("a token is required: send Authorization: Bearer with the value of {}", super::TOKEN);
        Err(denied(StatusCode::UNAUTHORIZED, &message))
    }
}

/// Whether a browser is asking if a page may send a request.
pub(super) fn is_preflight(head: &Parts) -> bool {
    head.method == Method::OPTIONS && head.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

fn is_same(one: &[u8; 32], other: &[u8; 32]) -> bool {
    one.iter().zip(other).fold(0, |differs, (one, other)| differs | (one ^ other)) == 0
}

fn denied(status: StatusCode, message: &str) -> AuthFailure {
    AuthFailure { status, message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn guard(address: &str, hosts: &[&str], origins: &[&str], token: bool) -> Guard {
        let owned = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
        let http = Http::new(address, &owned(hosts), &owned(origins), token.then(|| TOKEN.to_owned())).unwrap();
        Guard::new(&http, http.address)
    }

    fn check(guard: &Guard, method: &str, uri: &str, headers: &[(&str, &str)]) -> u16 {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        guard.check(&head).map_or_else(|denied| denied.status.as_u16(), |_| 200)
    }

    #[test]
    fn hosts() {
        let guard = guard("127.0.0.1:7777", &["desk.example.org", "other.example.org:81"], &[], false);
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
            assert_eq!(check(&guard, "POST", "/mcp", &[("host", host)]), status, "{host}");
        }
        assert_eq!(check(&guard, "POST", "/mcp", &[]), 400);
        assert_eq!(check(&guard, "POST", "/mcp", &[("host", "localhost:7777"), ("host", "localhost:7777")]), 400);
        assert_eq!(check(&guard, "POST", "http://evil.example/mcp", &[("host", "localhost:7777")]), 403);
        assert_eq!(check(&guard, "POST", "http://localhost:7777/mcp", &[("host", "localhost:7777")]), 200);
    }

    #[test]
    fn a_wildcard_address_accepts_the_loopback_and_allowed_hosts_only() {
        let guard = guard("0.0.0.0:80", &[], &[], true);
        let token = ("authorization", "Bearer 0123456789abcdef");
        for (host, status) in [("127.0.0.1", 200), ("localhost:80", 200), ("0.0.0.0:80", 403), ("10.0.0.1", 403)] {
            assert_eq!(check(&guard, "POST", "/mcp", &[("host", host), token]), status, "{host}");
        }
    }

    #[test]
    fn origins() {
        let guard = guard("127.0.0.1:7777", &["desk.example.org"], &["https://app.example.org"], false);
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
                check(&guard, "POST", "/mcp", &[("host", "localhost:7777"), ("origin", origin)]),
                status,
                "{origin}"
            );
        }
        let twice =
            [("host", "localhost:7777"), ("origin", "http://localhost:7777"), ("origin", "http://localhost:7777")];
        assert_eq!(check(&guard, "POST", "/mcp", &twice), 403);
    }

    #[test]
    fn tokens() {
        let guard = guard("127.0.0.1:7777", &[], &["https://app.example.org"], true);
        for (given, status) in [
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
            let headers = [("host", "localhost:7777"), ("authorization", given)];
            assert_eq!(check(&guard, "POST", "/mcp", &headers), status, "{given:?}");
        }
        let host = ("host", "localhost:7777");
        let preflight = ("access-control-request-method", "POST");
        let [page, evil] = [("origin", "https://app.example.org"), ("origin", "https://evil.example")];
        assert_eq!(check(&guard, "POST", "/mcp", &[host]), 401);
        assert_eq!(check(&guard, "OPTIONS", "/mcp", &[host, page, preflight]), 200, "a preflight has no token");
        assert_eq!(check(&guard, "OPTIONS", "/mcp", &[host, evil, preflight]), 403);
        assert_eq!(check(&guard, "OPTIONS", "/mcp", &[host, preflight]), 401, "not from a browser");
        assert_eq!(check(&guard, "POST", "/mcp", &[host, page]), 401);
    }
}
