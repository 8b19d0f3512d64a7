//! Arguments of `connect` and `disconnect`.

use clap::Args;

#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// The agents: claude-code, gemini-cli, codex, cursor, vscode, opencode or goose [default: those found here]
    #[arg(value_name = "AGENT")]
    pub agents: Vec<String>,
    /// Add only hooks: hints then name the files to read
    #[arg(long, conflicts_with = "mcp_only")]
    pub hooks_only: bool,
    /// Add only the MCP server: the agent can ask, but gets no hints
    #[arg(long)]
    pub mcp_only: bool,
    /// Which settings to change, and how
    #[command(flatten)]
    pub settings: SettingsArgs,
}

#[derive(Debug, Args)]
pub struct DisconnectArgs {
    /// The agents: claude-code, gemini-cli, codex, cursor, vscode, opencode or goose [default: those connected here]
    #[arg(value_name = "AGENT")]
    pub agents: Vec<String>,
    /// Which settings to change, and how
    #[command(flatten)]
    pub settings: SettingsArgs,
}

/// Which settings files are changed, and how.
#[derive(Debug, Clone, Copy, Args)]
pub struct SettingsArgs {
    /// Use the settings files of this workspace, which everyone working in it shares [default]
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// Use your own settings files, which apply to every workspace
    #[arg(long)]
    pub user: bool,
    /// Show the diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
}
