//! Why our entry in an agent's settings does not run as `connect` writes it.

use super::client::switched_off;
use refdesk_text::names::joined;
use serde_json::Value;

/// The most keys listed in a message.
const NAMED: usize = 4;

/// The most characters of a key shown.
const SHOWN: usize = 40;

/// What is wrong with an entry, and how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryProblem {
    /// The problem, in one sentence.
    pub message: String,
    /// How to fix it.
    pub fix: &'static str,
}

impl EntryProblem {
    /// The problem of a server's entry with these foreign keys.
    pub(super) fn of_server(name: &str, entry: &Value, foreign: &[String]) -> Option<Self> {
        if let Some(how) = switched_off(entry) {
            return Some(Self {
                message: format!("'{name}' is switched off: {how}"),
                fix: "switch it on, or remove it",
            });
        }
        let keys = keys_in_words(foreign)?;
        let message = format!(
            "'{name}' has {keys}, which connect does not write, so the agent would not run the server as it \
             is tried out here"
        );
        let fix = if foreign.len() == 1 { "remove that key" } else { "remove those keys" };
        Some(Self { message, fix })
    }
}

/// The keys as text; `None` if there are none.
pub(super) fn keys_in_words(keys: &[String]) -> Option<String> {
    let shown = |key: &String| format!("`{}`", key.chars().take(SHOWN).collect::<String>());
    let named: Vec<String> = keys.iter().map(shown).collect();
    (!named.is_empty()).then(|| joined(&named, NAMED))
}
