//! Claude Code, following its hooks reference (code.claude.com/docs/en/hooks): SessionStart, UserPromptSubmit,
//! PostToolUse. Codex (developers.openai.com/codex/hooks, and the schemas in `openai/codex`,
//! `codex-rs/hooks/schema/generated`) has the same events, answers and names; its schemas allow no additional members.

use serde_json::Value;

use super::document::HookDocument;
use super::{HookEvent, in_hook_specific_output, response};

pub(crate) fn parse_event(document: &HookDocument) -> Result<HookEvent, String> {
    Ok(match document.event()? {
        // Sources are startup, resume, clear, compact, fork, and future values. A fork has a new session id and starts
        // without memory.
        "SessionStart" => {
            HookEvent::Start { loses_context: matches!(document.text("source")?, Some("clear" | "compact")) }
        }
        "UserPromptSubmit" => HookEvent::Prompt(document.required("prompt")?.to_owned()),
        "PostToolUse" => document.tool(response::text(document.get("tool_response")))?,
        other => HookEvent::Other(other.to_owned()),
    })
}

pub(crate) fn answer(event: &HookEvent, added: &str) -> Value {
    in_hook_specific_output(event, "UserPromptSubmit", "PostToolUse", added)
}
