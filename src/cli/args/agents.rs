//! Arguments of the commands that serve agents and the people who watch them.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub struct JournalArgs {
    /// Only entries since a duration ago (90s, 15m, 2h, 3d), a date or a time (2026-11-22, 2026-11-22T09:30)
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub since: Option<String>,
    /// Print how often hints were followed, by tag and by source
    #[arg(long)]
    pub precision: bool,
}

#[derive(Debug, Args)]
pub struct HookArgs {
    /// The agent: claude-code, gemini-cli, codex or cursor
    pub agent: String,
    /// Add everything, even what this session was already sent, and remember nothing
    #[arg(long)]
    pub repeat: bool,
    /// The agent has refdesk's MCP server, so hints name its tools [default: yes if one runs here]
    #[arg(long, conflicts_with = "no_mcp")]
    pub mcp: bool,
    /// The agent has no MCP server of refdesk, so hints name the files to read
    #[arg(long)]
    pub no_mcp: bool,
}

#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve any number of agents over HTTP at this address, instead of one on standard input and output
    ///
    /// Addresses other than the loopback need a bearer token in the environment variable REFDESK_MCP_TOKEN.
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// Another host name that clients may use for the server; repeat it for several
    #[arg(long = "allow-host", value_name = "HOST[:PORT]", requires = "http")]
    pub allow_hosts: Vec<String>,
    /// An origin whose web pages may call the server; repeat it for several
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    pub allow_origins: Vec<String>,
}

#[derive(Debug, Args)]
pub struct AskArgs {
    /// The reason for asking, shown to the person who answers
    #[arg(long, value_name = "TEXT", default_value = "", allow_hyphen_values = true)]
    pub context: String,
    /// Offer only sources with this tag; repeat it for sources with any of several
    #[arg(short = 't', long = "tag", value_name = "TAG", allow_hyphen_values = true)]
    pub tags: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum TrustCommand {
    /// List what is trusted and what is not
    List,
    /// Revoke all trust in this workspace
    Revoke,
}
