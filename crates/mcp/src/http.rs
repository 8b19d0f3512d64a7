//! Serves the desk to many agents over streamable HTTP, at one path of one address. This module authorizes requests,
//! limits how many run at once, and shuts the server down; requests are answered as on standard input and output.

mod address;
mod auth;
mod body;
mod handler;
mod limits;
mod origin;
mod registry;
mod serve;
mod sessions;

use refdesk_text::{Code, Error};
use std::net::SocketAddr;

pub(crate) use body::RequestSlot;
pub use limits::Limits;
pub use serve::serve;

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// The environment variable that contains the token, for messages.
pub const TOKEN: &str = "REFDESK_MCP_TOKEN";

/// Minimum length of a token, in characters.
const MIN_TOKEN: usize = 16;

/// Where to listen, and which requests to accept.
#[derive(Clone)]
pub struct Http {
    /// The address to listen on.
    pub address: SocketAddr,
    /// Host names that clients may use in addition to those of the address.
    hosts: Vec<auth::Host>,
    /// Origins of web pages that may send requests, in addition to the server's own.
    origins: Vec<origin::Origin>,
    /// The token that every request must have.
    token: Option<String>,
}

impl Http {
    /// Parses the command line's arguments and the environment's token.
    ///
    /// # Errors
    /// An argument is invalid, or the address can be reached from other machines and there is no token.
    pub fn new(address: &str, hosts: &[String], origins: &[String], token: Option<String>) -> Result<Self, Error> {
        let address = address::parse(address)?;
        if let Some(token) = &token
            && (token.len() < MIN_TOKEN || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            let hint = "make one: openssl rand -hex 32";
            let message =
                format!("{TOKEN} is not a valid token: it needs at least {MIN_TOKEN} visible ASCII characters");
            return Err(Error::new(Code::Usage, message, hint));
        }
        if token.is_none() && !address.ip().to_canonical().is_loopback() {
            let message = format!("{address} can be reached from other machines, so a token is required");
            let hint = format!("listen on 127.0.0.1:{}, or set {TOKEN} to a secret", address.port());
            return Err(Error::new(Code::Usage, message, hint));
        }
        let hosts = hosts.iter().map(|host| auth::Host::allowed(host)).collect::<Result<_, _>>()?;
        let origins = origins.iter().map(|origin| origin::Origin::allowed(origin)).collect::<Result<_, _>>()?;
        Ok(Self { address, hosts, origins, token })
    }
}

/// Omits the token.
impl std::fmt::Debug for Http {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { address, hosts, origins, token } = self;
        let token = token.as_ref().map(|_| "…");
        let mut shown = out.debug_struct("Http");
        shown.field("address", address).field("hosts", hosts).field("origins", origins).field("token", &token).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "0123456789abcdef";

    fn new(address: &str, token: Option<&str>) -> Result<Http, Error> {
        Http::new(address, &[], &[], token.map(str::to_owned))
    }

    #[test]
    fn other_addresses_than_the_loopback_require_a_token() {
        for loopback in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "localhost:1", ":1", "1"] {
            assert!(new(loopback, None).is_ok(), "{loopback}");
            assert!(new(loopback, Some(LONG)).is_ok(), "{loopback}");
        }
        for public_address in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "[::ffff:10.0.0.1]:1"] {
            let refused = new(public_address, None).unwrap_err();
            assert!(refused.fix.to_string().contains(TOKEN), "{refused}");
            assert!(new(public_address, Some(LONG)).is_ok(), "{public_address}");
        }
    }

    #[test]
    fn short_tokens_and_those_with_invalid_characters_are_refused() {
        for token in ["", "short", "0123456789abcde", "0123456789abcdef ", "0123456789abcdé…", "0123456789\nabcdef"]
        {
            assert!(new("127.0.0.1:1", Some(token)).is_err(), "{token:?}");
        }
    }

    #[test]
    fn debug_output_leaves_out_the_token() {
        assert!(!format!("{:?}", new("1", Some(LONG))).contains(LONG));
    }
}
