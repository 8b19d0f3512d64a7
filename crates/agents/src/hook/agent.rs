//! The agents whose hooks refdesk answers.

refdesk_text::worded_enum! {
    /// An agent.
    pub enum HookAgent {
        /// Claude Code.
        ClaudeCode = "claude-code",
        /// Gemini CLI.
        GeminiCli = "gemini-cli",
        /// Codex.
        Codex = "codex",
        /// Cursor.
        Cursor = "cursor",
    }
}

impl HookAgent {
    /// Whether it may report a lost context that is not lost, so that what it receives has to be counted.
    pub fn needs_count(self) -> bool {
        self == Self::GeminiCli
    }

    /// Whether its hooks can add to a prompt; otherwise they add only to the results of tools.
    pub fn adds_to_prompts(self) -> bool {
        self != Self::Cursor
    }
}
