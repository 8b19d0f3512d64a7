//! Gemini CLI, after `docs/hooks/reference.md` of `google-gemini/gemini-cli`: SessionStart, BeforeAgent, AfterTool. It does
//! not begin anew after it summarised a conversation, but says ahead that it will: PreCompress.

use serde_json::Value;

use super::document::Document;
use super::{Event, in_hook_specific_output, response};

pub fn hear(document: &Document) -> Result<Event, String> {
    Ok(match document.event()? {
        // startup, resume, clear, and what may come.
        "SessionStart" => Event::Start { forgets: document.text("source")? == Some("clear") },
        "BeforeAgent" => Event::Prompt(document.needed("prompt")?.to_owned()),
        "AfterTool" => {
            let answered = document.get("tool_response");
            // Beside it stands the same for people.
            document.tool(response::text(answered.get("llmContent").unwrap_or(answered)))?
        }
        "PreCompress" => Event::Forgets,
        other => Event::Other(other.to_owned()),
    })
}

pub fn answer(event: &Event, added: &str) -> Value {
    let name = match event {
        Event::Start { .. } => Some("SessionStart"),
        Event::Prompt(_) => Some("BeforeAgent"),
        Event::Tool { .. } => Some("AfterTool"),
        Event::Forgets | Event::Other(_) => None,
    };
    in_hook_specific_output(name, added)
}
