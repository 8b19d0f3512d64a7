//! Translates between the hooks of agents and refdesk: parses hook documents and formats answers. One file per agent
//! (Codex shares that of Claude Code), with shared code beside them. No function here reads files or has side effects,
//! and every input gets an answer (BEHAVIOUR §5, §9).

mod agent;
mod claude_code;
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

/// Claude Code shows only a preview of a longer text, and Codex of a text over 2,500 tokens.
const CHARACTERS: usize = 9_999;
const TOKENS: usize = 2_499;

/// A parsed hook document.
#[derive(Debug, Clone, PartialEq)]
pub struct HookInput {
    /// The session that reads the answer; `None` if the agent does not report it. A subagent has a session id different
    /// from its parent's, since it does not see what its parent was given.
    pub session: Option<String>,
    /// The agent's working folders, as written.
    pub folders: Vec<PathBuf>,
    /// The event.
    pub event: HookEvent,
}

/// An event of an agent.
#[derive(Debug, Clone, PartialEq)]
pub enum HookEvent {
    /// A conversation starts or resumes.
    Start {
        /// Whether the conversation has lost the context it was given before.
        loses_context: bool,
        /// Whether it is that of a subagent.
        is_subagent: bool,
    },
    /// The user sent a prompt.
    Prompt(String),
    /// A tool returned a result.
    Tool {
        /// The name of the tool.
        name: Option<String>,
        /// Its arguments.
        input: Value,
        /// The text of the result that the agent reads.
        text: String,
    },
    /// The conversation loses the context it was given; nothing can be added at this event.
    LosesContext {
        /// The bytes of prompts and tool results that it must have received since it last did; with fewer, the agent
        /// reports a loss that does not happen.
        min_received: u64,
    },
    /// Any other event, by name; the answer is empty.
    Other(String),
}

/// A malformed hook document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidHook {
    /// What is wrong with it; never quotes the prompt or the result.
    pub reason: String,
    /// The agent's working folders that could be read.
    pub folders: Vec<PathBuf>,
    /// The session that would have read the answer, if it could be read.
    pub session: Option<String>,
}

/// Parses a hook document of this agent.
///
/// # Errors
/// The document is not a JSON object, or lacks a member the event requires.
pub fn parse(agent: HookAgent, bytes: &[u8]) -> Result<HookInput, InvalidHook> {
    let document = HookDocument::parse(bytes)?;
    let event = match agent {
        HookAgent::ClaudeCode | HookAgent::Codex => claude_code::parse_event(&document),
        HookAgent::GeminiCli => gemini_cli::parse_event(&document),
        HookAgent::Cursor => cursor::parse_event(&document),
    };
    let (session, folders) = (document.session(), document.folders());
    match event {
        Ok(event) => Ok(HookInput { session, folders, event }),
        Err(reason) => Err(InvalidHook { reason, folders, session }),
    }
}

/// Formats the answer to this event for this agent, with `added` as the text to add.
pub fn answer(agent: HookAgent, event: &HookEvent, added: &str) -> Value {
    if added.is_empty() {
        return nothing();
    }
    match agent {
        HookAgent::ClaudeCode | HookAgent::Codex => claude_code::answer(event, added),
        HookAgent::GeminiCli => gemini_cli::answer(event, added),
        HookAgent::Cursor => cursor::answer(event, added),
    }
}

/// The empty answer, which every agent accepts.
pub fn nothing() -> Value {
    json!({})
}

/// How much text the agent reads after this event.
pub fn budget(agent: HookAgent, event: &HookEvent) -> Budget {
    // The wrapper is present only if there is text.
    let wrapper = answer(agent, event, " ").to_string().len();
    let tokens = (agent == HookAgent::Codex).then_some(TOKENS);
    Budget { chars: Some(CHARACTERS.saturating_sub(wrapper)), tokens }
}

/// The answer format of Claude Code, Gemini CLI and Codex, which ignore a text at the top level. `prompt` and `tool` are
/// the agent's names of these events.
fn in_hook_specific_output(event: &HookEvent, prompt: &str, tool: &str, added: &str) -> Value {
    let name = match event {
        HookEvent::Start { is_subagent: true, .. } => "SubagentStart",
        HookEvent::Start { .. } => "SessionStart",
        HookEvent::Prompt(_) => prompt,
        HookEvent::Tool { .. } => tool,
        HookEvent::LosesContext { .. } | HookEvent::Other(_) => return nothing(),
    };
    json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": added}})
}
