//! The entries of an agent's hooks.

use serde_json::{Map, Value, json};

use super::SettingsPlaces;

/// Timeout after which the agent gives up on a hook. A hook takes milliseconds, so only an overloaded machine reaches
/// it.
const SECONDS: u64 = 10;

/// The hooks of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hooks {
    /// The settings files, which are JSON.
    pub places: SettingsPlaces,
    pub(super) form: HookForm,
    /// The events refdesk answers, each with the pattern of tools whose results it needs: only tools that bring new
    /// text into the conversation. Tools that only list paths (`Glob`) are left out, since tags do not match inside
    /// paths; so are edits, which repeat the agent's own words.
    pub(super) events: &'static [(&'static str, Option<&'static str>)],
}

/// The format of a hook entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HookForm {
    /// A matcher and a list of commands, with a timeout in seconds.
    Group,
    /// Like `Group`, with a name for the command and the timeout in milliseconds.
    NamedGroup,
    /// The command beside its matcher; the file has a version.
    Flat,
}

impl Hooks {
    pub(super) fn entries(&self, command: &str) -> Vec<(&'static str, Value)> {
        self.events.iter().map(|(event, matcher)| (*event, self.entry(command, *matcher))).collect()
    }

    pub(super) fn version(&self) -> Option<(&'static str, Value)> {
        (self.form == HookForm::Flat).then(|| ("version", json!(1)))
    }

    fn entry(&self, command: &str, matcher: Option<&str>) -> Value {
        let handler = match self.form {
            HookForm::Group => json!({"type": "command", "command": command, "timeout": SECONDS}),
            HookForm::NamedGroup => {
                json!({"name": "refdesk", "type": "command", "command": command, "timeout": SECONDS * 1000})
            }
            HookForm::Flat => json!({"command": command, "timeout": SECONDS}),
        };
        let mut entry = Map::new();
        if let Some(matcher) = matcher {
            entry.insert("matcher".into(), json!(matcher));
        }
        match (self.form, handler) {
            (HookForm::Flat, Value::Object(handler)) => entry.extend(handler),
            (_, handler) => {
                entry.insert("hooks".into(), json!([handler]));
            }
        }
        Value::Object(entry)
    }
}
