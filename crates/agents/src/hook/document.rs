//! A hook document: the object an agent writes to standard input, and the members all agents share. Missing members are
//! ignored; members of the wrong type are errors.

use std::borrow::Cow;
use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{HookEvent, InvalidHook};
use refdesk_text::surrogates::replace_unpaired_surrogates;

/// The longest valid event name.
const LONGEST_NAME: usize = 200;

pub(super) struct HookDocument {
    members: Map<String, Value>,
}

impl HookDocument {
    /// Parses a document. Replaces invalid UTF-8 and unpaired surrogate escapes, which an agent produces when it
    /// truncates a text between the halves of a pair.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, InvalidHook> {
        let invalid = |reason: String| InvalidHook { reason, folders: Vec::new(), session: None };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = String::from_utf8_lossy(bytes);
        if text.trim().is_empty() {
            return Err(invalid("standard input has no hook document".to_owned()));
        }
        let parsed = serde_json::from_str(&text).or_else(|error| match replace_unpaired_surrogates(&text) {
            Cow::Owned(repaired) => serde_json::from_str(&repaired),
            Cow::Borrowed(_) => Err(error),
        });
        match parsed {
            Ok(Value::Object(members)) => Ok(Self { members }),
            Ok(other) => Err(invalid(format!("the document is {}, not an object", kind(&other)))),
            Err(error) => Err(invalid(format!("the document is not JSON: {error}"))),
        }
    }

    /// The member's value; null if it is missing.
    pub(super) fn get(&self, name: &str) -> &Value {
        self.members.get(name).unwrap_or(&Value::Null)
    }

    pub(super) fn text(&self, name: &str) -> Result<Option<&str>, String> {
        match self.get(name) {
            Value::Null => Ok(None),
            Value::String(text) => Ok(Some(text)),
            other => Err(format!("'{name}' is {}, not a string", kind(other))),
        }
    }

    pub(super) fn required(&self, name: &str) -> Result<&str, String> {
        self.text(name)?.ok_or_else(|| format!("'{name}' is missing"))
    }

    /// The name of the event, after checking the types of the members common to all events.
    pub(super) fn event(&self) -> Result<&str, String> {
        for name in ["session_id", "agent_id", "conversation_id", "cwd"] {
            self.text(name)?;
        }
        let name = self.required("hook_event_name")?;
        if name.len() > LONGEST_NAME { Err("'hook_event_name' is too long for a name".to_owned()) } else { Ok(name) }
    }

    /// The session that reads the answer.
    pub(super) fn session(&self) -> Option<String> {
        let text = |name| self.text(name).ok().flatten().filter(|text| !text.is_empty());
        let session = text("session_id").or_else(|| text("conversation_id"))?;
        Some(match text("agent_id") {
            Some(within) => format!("{session}.{within}"),
            None => session.to_owned(),
        })
    }

    /// The agent's working folders: those of its workspace if given, else its current one.
    pub(super) fn folders(&self) -> Vec<PathBuf> {
        let roots = self.get("workspace_roots").as_array().filter(|roots| !roots.is_empty());
        let folders = roots.map_or(std::slice::from_ref(self.get("cwd")), Vec::as_slice).iter();
        folders.filter_map(Value::as_str).filter(|path| !path.is_empty()).map(PathBuf::from).collect()
    }

    /// A tool event whose result has this text.
    pub(super) fn tool(&self, text: String) -> Result<HookEvent, String> {
        let server = self.get("mcp_context").get("server_name").and_then(Value::as_str);
        let name = self.text("tool_name")?.map(|name| match server {
            // Gemini CLI may write only the name that the server gives the tool.
            Some(server) if !name.starts_with("mcp_") => format!("mcp_{server}_{name}"),
            _ => name.to_owned(),
        });
        Ok(HookEvent::Tool { name, input: self.get("tool_input").clone(), text })
    }
}

/// The type of a value, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
