//! Parses the address to listen on. Names are not resolved: a name's address may change before the server listens, and
//! only an address shows whether other machines can reach it.

use refdesk_text::{Code, Error};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Accepts `127.0.0.1:7777` and `[::1]:7777`; `localhost:7777`, `:7777` and `7777` mean the loopback address.
pub(crate) fn parse(text: &str) -> Result<SocketAddr, Error> {
    let loopback = |port: &str| port.parse().ok().map(|port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    let address = match text.rsplit_once(':') {
        None => loopback(text),
        Some((host, port)) if host.is_empty() || host.eq_ignore_ascii_case("localhost") => loopback(port),
        Some(_) => text.parse().ok(),
    };
    address.ok_or_else(|| {
        let message = format!("{text} is not an address with a port");
        Error::new(Code::Usage, message, "write it as 127.0.0.1:7777 or [::1]:7777; use port 0 for any free port")
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn addresses() {
        for (written, expected) in [
            ("127.0.0.1:7777", "127.0.0.1:7777"),
            ("[::1]:0", "[::1]:0"),
            ("localhost:7777", "127.0.0.1:7777"),
            ("LocalHost:1", "127.0.0.1:1"),
            (":7777", "127.0.0.1:7777"),
            ("7777", "127.0.0.1:7777"),
            ("0.0.0.0:80", "0.0.0.0:80"),
        ] {
            assert_eq!(parse(written).unwrap().to_string(), expected, "{written}");
        }
        for wrong in ["", ":", "127.0.0.1", "::1", "localhost", "example.org:80", "1:2:3", "127.0.0.1:65536", "x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
