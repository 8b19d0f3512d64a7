//! Claude Code, following its hooks reference (code.claude.com/docs/en/hooks): SessionStart, SubagentStart,
//! UserPromptSubmit, PostToolUse. Codex (developers.openai.com/codex/hooks, and the schemas in `openai/codex`,
//! `codex-rs/hooks/schema/generated`) has the same events, answers and names; its schemas allow no additional members.

use serde_json::Value;

use super::document::HookDocument;
use super::{HookEvent, in_hook_specific_output, response};

pub(crate) fn parse_event(document: &HookDocument) -> Result<HookEvent, String> {
    Ok(match document.event()? {
        // Sources are startup, resume, clear, compact, fork, and future values. A fork has a new session id and starts
        // without memory.
        "SessionStart" => {
            let loses_context = matches!(document.text("source")?, Some("clear" | "compact"));
            HookEvent::Start { loses_context, is_subagent: false }
        }
        // A subagent does not see what its parent was given, and has no SessionStart.
        "SubagentStart" => HookEvent::Start { loses_context: false, is_subagent: true },
        "UserPromptSubmit" => HookEvent::Prompt(document.required("prompt")?.to_owned()),
        "PostToolUse" => {
            let response = document.get("tool_response");
            // Claude Code gives the structured content of a server's tool, if there is one, as JSON in a string.
            let is_of_server = document.text("tool_name")?.is_some_and(|name| name.starts_with("mcp__"));
            document.tool(if is_of_server { response::text_of_json(response) } else { response::text(response) })?
        }
        other => HookEvent::Other(other.to_owned()),
    })
}

pub(crate) fn answer(event: &HookEvent, added: &str) -> Value {
    in_hook_specific_output(event, "UserPromptSubmit", "PostToolUse", added)
}
