//! The agents whose hooks refdesk answers.

/// An agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HookAgent {
    /// Claude Code.
    ClaudeCode,
    /// Gemini CLI.
    GeminiCli,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
}

impl HookAgent {
    /// Every agent.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::GeminiCli, Self::Codex, Self::Cursor];

    /// The name used in `refdesk hook` and `refdesk connect`.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::GeminiCli => "gemini-cli",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
        }
    }

    /// The agent with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|agent| agent.word() == word)
    }
}
