//! Gemini CLI, following `docs/hooks/reference.md` of `google-gemini/gemini-cli`: SessionStart, BeforeAgent, AfterTool.
//! It sends no SessionStart after compressing a conversation, but sends PreCompress before it: by itself before every
//! request to the model, mostly without compressing anything (google-gemini/gemini-cli#18083).

use serde_json::Value;

use super::document::HookDocument;
use super::{HookEvent, in_hook_specific_output, response};

/// With fewer bytes of prompts and tool results, a conversation is not compressed: Gemini CLI does so at a fifth to a
/// half of a million tokens, and four bytes are about one. The rest is what the model writes and the agent adds.
const MIN_COMPRESSED: u64 = 256 * 1024;

pub(super) fn parse_event(document: &HookDocument) -> Result<HookEvent, String> {
    Ok(match document.event()? {
        // Sources are startup, resume, clear, and future values.
        "SessionStart" => {
            HookEvent::Start { loses_context: document.text("source")? == Some("clear"), is_subagent: false }
        }
        "BeforeAgent" => HookEvent::Prompt(own_part(document.required("prompt")?).to_owned()),
        "AfterTool" => {
            let response = document.get("tool_response");
            // The other members repeat the text for display.
            document.tool(response::text(response.get("llmContent").unwrap_or(response)))?
        }
        "PreCompress" => {
            let is_certain = document.text("trigger")? == Some("manual");
            HookEvent::LosesContext { min_received: if is_certain { 0 } else { MIN_COMPRESSED } }
        }
        other => HookEvent::Other(other.to_owned()),
    })
}

/// The user's own part of a prompt. In headless mode, Gemini CLI prepends what session-start hooks added, with angle
/// brackets escaped.
fn own_part(mut prompt: &str) -> &str {
    while let Some((_, behind)) = prompt.strip_prefix("<hook_context>").and_then(|it| it.split_once("</hook_context>"))
    {
        prompt = behind.trim_start_matches('\n');
    }
    prompt
}

pub(crate) fn answer(event: &HookEvent, added: &str) -> Value {
    in_hook_specific_output(event, "BeforeAgent", "AfterTool", added)
}
