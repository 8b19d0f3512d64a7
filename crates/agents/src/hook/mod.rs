//! The desk in an agent's own terms: what a hook document says, and the document that the agent wants to hear. One file an
//! agent, what they share beside them; nothing here reads a file or does anything, and whatever comes in has an answer
//! (BEHAVIOUR §5, §9).

mod agent;
mod claude_code;
mod codex;
mod cursor;
mod document;
mod gemini_cli;
mod response;
#[cfg(test)]
mod tests;

pub use agent::HookAgent;

use std::path::PathBuf;

use serde_json::{Value, json};

use document::HookDocument;
use refdesk_enrich::Budget;

/// Claude Code shows a preview of what has more characters than this, and Codex of what has more than 2,500 tokens.
const CHARACTERS: usize = 9_999;
const TOKENS: usize = 2_499;

/// What an agent says.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    /// Who reads the answer; `None` where the agent does not tell. An agent within an agent is a reader of its own: what
    /// the one was told does not stand before the other.
    pub session: Option<String>,
    /// Where the agent works, as it was written.
    pub cwd: Option<PathBuf>,
    /// What happened.
    pub event: HookEvent,
}

/// What happened at an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum HookEvent {
    /// A conversation begins, or goes on.
    Start {
        /// It does so without what it was told before.
        forgets: bool,
    },
    /// A person asks something.
    Prompt(String),
    /// A tool answered.
    Tool {
        /// Its name.
        name: Option<String>,
        /// What it was asked.
        input: Value,
        /// What the agent reads of its answer.
        text: String,
    },
    /// The conversation loses what it was told, and nothing can be added here.
    Forgets,
    /// One that nothing is said to: its name.
    Other(String),
}

/// What an agent said and nobody can understand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unheard {
    /// What is wrong with it. Nothing of a prompt or an answer stands in it.
    pub reason: String,
    /// Where the agent works, as far as that could be read.
    pub cwd: Option<PathBuf>,
    /// Who would have read the answer, as far as that could be read.
    pub session: Option<String>,
}

/// What a document of this agent says.
///
/// # Errors
/// Where it is no JSON object, or lacks what the event is about.
pub fn hear(agent: HookAgent, bytes: &[u8]) -> Result<HookInput, Unheard> {
    let document = HookDocument::parse(bytes)?;
    let heard = match agent {
        HookAgent::ClaudeCode => claude_code::hear(&document),
        HookAgent::GeminiCli => gemini_cli::hear(&document),
        HookAgent::Codex => codex::hear(&document),
        HookAgent::Cursor => cursor::hear(&document),
    };
    let (session, cwd) = (document.session(), document.cwd());
    match heard {
        Ok(event) => Ok(HookInput { session, cwd, event }),
        Err(reason) => Err(Unheard { reason, cwd, session }),
    }
}

/// What this agent wants to hear after that event, with this to add to what it knows.
pub fn answer(agent: HookAgent, event: &HookEvent, added: &str) -> Value {
    if added.is_empty() {
        return nothing();
    }
    match agent {
        HookAgent::ClaudeCode => claude_code::answer(event, added),
        HookAgent::GeminiCli => gemini_cli::answer(event, added),
        HookAgent::Codex => codex::answer(event, added),
        HookAgent::Cursor => cursor::answer(event, added),
    }
}

/// What every agent takes for silence.
pub fn nothing() -> Value {
    json!({})
}

/// How much may be added after that event so that the agent reads all of it.
pub fn budget(agent: HookAgent, event: &HookEvent) -> Budget {
    // Something must be added for the wrapper to be there.
    let wrapper = answer(agent, event, " ").to_string().len();
    let tokens = (agent == HookAgent::Codex).then_some(TOKENS);
    Budget { chars: Some(CHARACTERS.saturating_sub(wrapper)), tokens }
}

/// An answer as Claude Code, Gemini CLI and Codex want it. At the top level it would be passed over.
fn in_hook_specific_output(event: Option<&str>, added: &str) -> Value {
    match event {
        Some(event) => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": added}}),
        None => nothing(),
    }
}
