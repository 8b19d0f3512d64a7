//! Claude Code, after its hooks reference (code.claude.com/docs/en/hooks): SessionStart, UserPromptSubmit, PostToolUse.

use serde_json::Value;

use super::document::Document;
use super::{Event, in_hook_specific_output, response};

pub fn hear(document: &Document) -> Result<Event, String> {
    Ok(match document.event()? {
        // startup, resume, clear, compact, fork, and what may come. A fork has an id of its own and was told nothing.
        "SessionStart" => Event::Start { forgets: matches!(document.text("source")?, Some("clear" | "compact")) },
        "UserPromptSubmit" => Event::Prompt(document.needed("prompt")?.to_owned()),
        "PostToolUse" => document.tool(response::text(document.get("tool_response")))?,
        other => Event::Other(other.to_owned()),
    })
}

pub fn answer(event: &Event, added: &str) -> Value {
    let name = match event {
        Event::Start { .. } => Some("SessionStart"),
        Event::Prompt(_) => Some("UserPromptSubmit"),
        Event::Tool { .. } => Some("PostToolUse"),
        Event::Forgets | Event::Other(_) => None,
    };
    in_hook_specific_output(name, added)
}
