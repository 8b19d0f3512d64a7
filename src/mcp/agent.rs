//! Who asks, for the journal and for everybody at the desk, and for which session. What a client says of itself is text from
//! outside.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::desk::Agent;
use crate::session::OVER_MCP;
use crate::text::escape::is_hidden;

/// Characters of a client's name that are kept.
const NAME: usize = 64;

/// The header that names a session over HTTP.
const SESSION_ID: &str = "mcp-session-id";

/// What is known of one connection, whatever its requests say.
#[derive(Debug, Default)]
pub struct Connection {
    /// The session that was asked for when the server was started.
    given: Option<String>,
    /// Made with the first request that needs it.
    own: OnceLock<String>,
}

impl Connection {
    /// One whose session is this, or one of its own.
    pub fn new(given: Option<&str>) -> Self {
        Self { given: given.map(str::to_owned), own: OnceLock::new() }
    }

    /// Who asks.
    pub fn agent(&self, context: &RequestContext<RoleServer>) -> Agent {
        let name = client_name(context.client_info().map(|client| client.name).as_deref());
        let who = format!("{name}{OVER_MCP}");
        let session = match &self.given {
            Some(given) => given.clone(),
            None => over_http(context).unwrap_or_else(|| self.own.get_or_init(|| own_session(&name)).clone()),
        };
        Agent { who, session }
    }
}

/// A client's name on one line, short, without what cannot be seen.
pub fn client_name(said: Option<&str>) -> String {
    let kept = said.unwrap_or_default().chars().map(|c| if is_hidden(c) || c.is_whitespace() { ' ' } else { c });
    let kept: String = kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
    let kept: String = kept.chars().take(NAME).collect();
    if kept.is_empty() { "an agent".to_owned() } else { kept }
}

fn over_http(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<hyper::http::request::Parts>()?;
    let id = parts.headers.get(SESSION_ID)?.to_str().ok()?;
    (!id.is_empty()).then(|| id.to_owned())
}

/// `claude-code-0a1b2c3d`: safe as a file's name, and no other's.
fn own_session(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(48).collect();
    let plain = plain.trim_start_matches('.');
    // The keys of every state are drawn anew.
    let drawn = RandomState::new().hash_one(std::process::id());
    format!("{plain}-{:08x}", drawn & 0xffff_ffff)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::name::safe;

    #[test]
    fn a_name_is_one_short_line_that_can_be_seen() {
        for (said, expected) in [
            (Some("claude-code"), "claude-code".to_owned()),
            (Some("  My\u{1b}[31m\nAgent\u{202e} "), "My [31m Agent".to_owned()),
            (Some(""), "an agent".to_owned()),
            (Some("\u{200b}\n"), "an agent".to_owned()),
            (None, "an agent".to_owned()),
            (Some(&"é".repeat(100)), "é".repeat(64)),
        ] {
            assert_eq!(client_name(said), expected, "{said:?}");
        }
    }

    #[test]
    fn a_session_is_a_safe_name_and_no_other_connections() {
        for name in ["claude-code", "..", "a b/c", "é", &"x".repeat(64)] {
            let (one, two) = (own_session(name), own_session(name));
            assert_eq!(safe(&one), one, "{name}");
            assert_ne!(one, two);
        }
    }
}
