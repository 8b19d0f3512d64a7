//! The agent and session of each request. A client's name is untrusted text.

use std::hash::{BuildHasher, RandomState};
use std::sync::OnceLock;

use rmcp::RoleServer;
use rmcp::service::RequestContext;

use refdesk_desk::Session;
use refdesk_desk::channel::presence::Presence;
use refdesk_desk::session::OVER_MCP;
use refdesk_text::escape::is_hidden;

/// The most characters kept of a client's name.
const NAME: usize = 64;

/// The session of a connection.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    /// The session given when the server was started.
    given: Option<String>,
    /// Created by `initialize`, or by the first request on a pipe without it.
    own: OnceLock<String>,
    /// Marks the agent as connected for the lifetime of the connection; `None` if that failed.
    present: OnceLock<Option<Presence>>,
}

impl Connection {
    pub(crate) fn new(given: Option<&str>) -> Self {
        Self { given: given.map(str::to_owned), ..Self::default() }
    }

    /// The session of the agent that sent `initialize`; all further requests on this connection share it.
    pub(crate) fn begin(&self, context: &RequestContext<RoleServer>) -> Session {
        self.of(&name_of(context), true)
    }

    /// The session of the agent that sent a request.
    pub(crate) fn session(&self, context: &RequestContext<RoleServer>) -> Session {
        self.of(&name_of(context), lasts(context))
    }

    /// Marks the agent as connected, once, with its session.
    pub(crate) fn mark_as_connected(&self, mark: impl FnOnce(&str) -> Option<Presence>) {
        let session = self.given.as_ref().or_else(|| self.own.get()).map_or("", String::as_str);
        self.present.get_or_init(|| mark(session));
    }

    fn of(&self, name: &str, lasts: bool) -> Session {
        let own = || match self.own.get() {
            None if !lasts => shared_session(name),
            _ => self.own.get_or_init(|| own_session(name)).clone(),
        };
        Session { who: format!("{name}{OVER_MCP}"), id: self.given.clone().unwrap_or_else(own) }
    }
}

/// Whether the connection of a request without `initialize` outlasts this request. An HTTP request is a connection of
/// its own: a session named in its headers is not verified and could be another client's.
pub(crate) fn lasts(context: &RequestContext<RoleServer>) -> bool {
    context.extensions.get::<hyper::http::request::Parts>().is_none()
}

fn name_of(context: &RequestContext<RoleServer>) -> String {
    client_name(context.client_info().map(|client| client.name).as_deref())
}

/// A client's name: short, on one line, without invisible characters.
fn client_name(name: Option<&str>) -> String {
    let kept = name.unwrap_or_default().chars().map(|c| if is_hidden(c) || c.is_whitespace() { ' ' } else { c });
    let kept = refdesk_text::lines::single_spaced(&kept.collect::<String>());
    let kept: String = kept.chars().take(NAME).collect();
    if kept.is_empty() { "an agent".to_owned() } else { kept }
}

/// A new session id: `claude-code-0a1b2c3d`, unique and safe as a file name.
fn own_session(name: &str) -> String {
    // Every `RandomState` has random keys.
    let random = RandomState::new().hash_one(std::process::id());
    format!("{}-{:08x}", plain(name), random & 0xffff_ffff)
}

/// `claude-code-http`: shared by all clients of this name without a session. Never equal to a random one.
fn shared_session(name: &str) -> String {
    format!("{}-http", plain(name))
}

fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '-' }).take(48).collect();
    plain.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::name::safe;

    #[test]
    fn a_name_is_one_short_line_of_visible_characters() {
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
    fn a_session_has_a_safe_and_unique_name() {
        for name in ["claude-code", "..", "a b/c", "é", &"x".repeat(64)] {
            let (one, two) = (own_session(name), own_session(name));
            assert_eq!(safe(&one), one, "{name}");
            assert_ne!(one, two);
            assert_eq!(safe(&shared_session(name)), shared_session(name));
        }
    }

    #[test]
    fn a_connection_keeps_its_first_session() {
        for (given, begins, lasts, expected) in [
            (Some("mine"), true, true, "mine"),
            (Some("mine"), false, false, "mine"),
            (None, false, false, "a-http"),
            (None, true, false, "own"),
            (None, true, true, "own"),
            (None, false, true, "own"),
        ] {
            let connection = Connection::new(given);
            let begun = begins.then(|| connection.of("a", true).id);
            let session = connection.of("a", lasts).id;
            if expected == "own" {
                assert!(session.starts_with("a-") && session != "a-http", "{session}");
                assert_eq!(connection.of("a", lasts).id, session);
            } else {
                assert_eq!(session, expected);
            }
            assert!(begun.is_none_or(|begun| begun == session));
        }
    }
}
