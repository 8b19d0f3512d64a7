//! Cursor, following its hooks page (cursor.com/docs/hooks): only sessionStart and postToolUse accept context.
//! beforeSubmitPrompt can only allow or block a prompt, so prompts are ignored: text that cannot be delivered must not
//! be recorded as delivered.

use serde_json::{Value, json};

use super::document::HookDocument;
use super::{HookEvent, response};

pub(super) fn parse_event(document: &HookDocument) -> Result<HookEvent, String> {
    Ok(match document.event()? {
        "sessionStart" => HookEvent::Start { loses_context: false, is_subagent: false },
        "postToolUse" => document.tool(response::text_of_json(document.get("tool_output")))?,
        "preCompact" => HookEvent::LosesContext { min_received: 0 },
        other => HookEvent::Other(other.to_owned()),
    })
}

pub(crate) fn answer(event: &HookEvent, added: &str) -> Value {
    match event {
        HookEvent::Start { .. } | HookEvent::Tool { .. } => json!({"additional_context": added}),
        HookEvent::Prompt(_) | HookEvent::LosesContext { .. } | HookEvent::Other(_) => super::nothing(),
    }
}
