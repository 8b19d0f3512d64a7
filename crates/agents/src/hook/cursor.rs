//! Cursor, after its hooks page (cursor.com/docs/hooks): sessionStart and postToolUse take context. beforeSubmitPrompt can
//! only let a prompt pass or not, so a prompt is none of ours: who cannot be told must not count as told.

use serde_json::{Value, json};

use super::document::Document;
use super::{Event, response};

pub fn hear(document: &Document) -> Result<Event, String> {
    Ok(match document.event()? {
        "sessionStart" => Event::Start { forgets: false },
        "postToolUse" => document.tool(response::unpacked(document.get("tool_output")))?,
        "preCompact" => Event::Forgets,
        other => Event::Other(other.to_owned()),
    })
}

pub fn answer(event: &Event, added: &str) -> Value {
    match event {
        Event::Start { .. } | Event::Tool { .. } => json!({"additional_context": added}),
        Event::Prompt(_) | Event::Forgets | Event::Other(_) => super::nothing(),
    }
}
