//! The documents an agent writes to its hooks, with the members its documentation promises.

use serde_json::{Value, json};

use super::super::hook::HookAgent;

/// The session id of a test run.
const SESSION: &str = "refdesk-canary";

pub(crate) fn start(agent: HookAgent, workspace: &str) -> Value {
    match agent {
        HookAgent::ClaudeCode | HookAgent::Codex | HookAgent::GeminiCli => json!({
            "session_id": SESSION, "transcript_path": "", "cwd": workspace, "hook_event_name": "SessionStart",
            "source": "startup",
        }),
        HookAgent::Cursor => json!({
            "conversation_id": SESSION, "session_id": SESSION, "hook_event_name": "sessionStart",
            "workspace_roots": [workspace], "cwd": workspace, "is_background_agent": false,
        }),
    }
}

/// The document for a prompt. Cursor's hooks cannot add to a prompt, so a tool returns this text instead.
pub(crate) fn prompt(agent: HookAgent, workspace: &str, text: &str) -> Value {
    let of = |event: &str| {
        json!({
            "session_id": SESSION, "transcript_path": "", "cwd": workspace, "hook_event_name": event, "prompt": text,
        })
    };
    match agent {
        HookAgent::ClaudeCode | HookAgent::Codex => of("UserPromptSubmit"),
        HookAgent::GeminiCli => of("BeforeAgent"),
        HookAgent::Cursor => json!({
            "conversation_id": SESSION, "hook_event_name": "postToolUse", "workspace_roots": [workspace],
            "tool_name": "Shell", "tool_input": {"command": "cat"},
            "tool_output": json!({"exitCode": 0, "stdout": text}).to_string(), "cwd": workspace,
        }),
    }
}

/// The text in an answer that the agent would read.
pub(crate) fn added(answer: &Value) -> Option<String> {
    let nested = answer.get("hookSpecificOutput").and_then(|nested| nested.get("additionalContext"));
    let added = nested.or_else(|| answer.get("additional_context"));
    match added {
        Some(added) => added.as_str().map(str::to_owned),
        None => answer.is_object().then(String::new),
    }
}
