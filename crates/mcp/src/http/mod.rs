//! The desk for many agents over streamable HTTP, at one path of one address. Here lie who may call, how much at once, and how it
//! ends; what is asked and answered is the server's own, the same as on standard input and output.

mod address;
mod auth;
mod body;
mod handler;
pub mod limits;
mod origin;
mod registry;
mod serve;
mod sessions;

use refdesk_text::{Code, Error};
use std::net::SocketAddr;

pub use limits::Limits;
pub use serve::serve;

/// The one path at which the protocol is spoken.
pub const PATH: &str = "/mcp";

/// The environment variable of the token, for messages.
pub const TOKEN: &str = "REFDESK_MCP_TOKEN";

/// Characters of the shortest token.
const SHORTEST: usize = 16;

/// Where to listen, and who may call.
#[derive(Clone)]
pub struct Http {
    /// Where to listen.
    pub address: SocketAddr,
    /// What clients may call the server by, beside the names of its address.
    hosts: Vec<auth::Host>,
    /// The origins that web pages may call from, beside the server's own.
    origins: Vec<origin::Origin>,
    /// What every call has to bring.
    token: Option<String>,
}

impl Http {
    /// By the arguments and the environment.
    ///
    /// # Errors
    /// What makes no sense, and an address beyond this machine without a token.
    pub fn new(address: &str, hosts: &[String], origins: &[String], token: Option<String>) -> Result<Self, Error> {
        let address = address::parse(address)?;
        if let Some(token) = &token
            && (token.len() < SHORTEST || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            let hint = "make one: openssl rand -hex 32";
            let message = format!("{TOKEN} is no token: it takes at least {SHORTEST} visible ASCII characters");
            return Err(Error::new(Code::Usage, message, hint));
        }
        if token.is_none() && !address.ip().to_canonical().is_loopback() {
            let message = format!("{address} can be reached from other machines, and there is no token");
            let hint = format!("listen at 127.0.0.1:{}, or set {TOKEN} to a secret of your own", address.port());
            return Err(Error::new(Code::Usage, message, hint));
        }
        let hosts = hosts.iter().map(|host| auth::Host::allowed(host)).collect::<Result<_, _>>()?;
        let origins = origins.iter().map(|origin| origin::Origin::allowed(origin)).collect::<Result<_, _>>()?;
        Ok(Self { address, hosts, origins, token })
    }
}

/// The token stays out of whatever is printed for looking into the program.
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
    fn beyond_the_loopback_a_token_is_wanted() {
        for loopback in ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1", "localhost:1", ":1", "1"] {
            assert!(new(loopback, None).is_ok(), "{loopback}");
            assert!(new(loopback, Some(LONG)).is_ok(), "{loopback}");
        }
        for beyond in ["0.0.0.0:1", "[::]:1", "192.168.0.1:1", "[::ffff:10.0.0.1]:1"] {
            let refused = new(beyond, None).unwrap_err();
            assert!(refused.fix.to_string().contains(TOKEN), "{refused}");
            assert!(new(beyond, Some(LONG)).is_ok(), "{beyond}");
        }
    }

    #[test]
    fn a_token_can_be_sent_and_not_be_guessed() {
        for token in ["", "short", "0123456789abcde", "0123456789abcdef ", "0123456789abcdé…", "0123456789\nabcdef"]
        {
            assert!(new("127.0.0.1:1", Some(token)).is_err(), "{token:?}");
        }
    }

    #[test]
    fn nobody_sees_the_token() {
        assert!(!format!("{:?}", new("1", Some(LONG))).contains(LONG));
    }
}
