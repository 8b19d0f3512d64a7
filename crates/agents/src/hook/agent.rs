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
