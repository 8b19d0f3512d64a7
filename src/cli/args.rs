//! The command line: every command and option with its help text. The manual page is generated from these texts.

mod agents;
mod catalog;
mod connect;
mod db;
mod enrich;
mod files;
mod templates;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use super::workspace::WorkspaceNeed;

pub use self::agents::{AskArgs, HookArgs, JournalArgs, McpArgs, TrustCommand};
pub use self::catalog::{
    AddArgs, CheckArgs, GraphArgs, Ids, InitArgs, ListArgs, ModeFilter, NewMode, ReferencesCommand, RemoveArgs,
    SelectArgs, WhyArgs,
};
pub use self::connect::{ConnectArgs, DisconnectArgs, SettingsArgs};
pub use self::db::{
    DbCheckArgs, DbCommand, DbDocumentArgs, DbDomainArgs, DbJoinsArgs, DbNames, DbPathArgs, DbPipelineArgs, DbPlanArgs,
    DbUsageArgs,
};
pub use self::enrich::{EnrichArgs, Forgetting, IndexArgs, KindName, SearchArgs, SimulateArgs, TextArgs, WhyNotArgs};
pub use self::files::{ConfigCommand, ConfigFile, ShellName};
pub use self::templates::{RenderArgs, SyntaxName, TemplatesCommand};

/// What does your coding agent know, why, and what does it cost?
///
/// Run without a command to open the full screen. `refdesk --demo` opens it on a built-in sample knowledge base.
#[derive(Debug, Parser)]
#[command(
    name = "refdesk",
    version,
    subcommand_value_name = "COMMAND",
    after_help = "Exit codes: 0 done, 1 the request could not be met, 2 usage, 3 timed out, 130 ended by Ctrl-C. Commands that run until Ctrl-C, such as watch, exit with 0."
)]
pub struct Cli {
    /// The workspace folder [default: the nearest folder upward with .jaato/ or references.json, else the git repository]
    #[arg(long, value_name = "DIR", global = true, help_heading = "Global options")]
    pub workspace: Option<PathBuf>,
    /// The configuration file [default: references.json in the workspace, then the user's own]
    #[arg(long, value_name = "FILE", global = true, help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// The desk to use: a separate selection within the workspace
    #[arg(long, value_name = "NAME", default_value = "default", global = true, help_heading = "Global options")]
    pub desk: String,
    /// The session, which remembers what it was already sent
    ///
    /// [default: default]
    #[arg(long, value_name = "NAME", global = true, help_heading = "Global options")]
    pub session: Option<String>,
    /// Use the picks of this profile instead of the stored ones: a name in .jaato/profiles/, or a file
    #[arg(long, value_name = "NAME|FILE", global = true, help_heading = "Global options")]
    pub profile: Option<String>,
    /// Print text for people, or one JSON document for programs
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text, global = true, help_heading = "Global options")]
    pub format: OutputFormat,
    /// The same as --format json
    #[arg(long, global = true, help_heading = "Global options", conflicts_with = "format")]
    pub json: bool,
    /// Use colours: on a terminal, always or never [default: auto]
    #[arg(long, value_name = "WHEN", value_enum, global = true, help_heading = "Global options")]
    pub color: Option<ColorChoice>,
    /// Use the built-in sample knowledge base, in a temporary folder: each run starts with a fresh copy and discards it
    #[arg(long, global = true, help_heading = "Global options", conflicts_with_all = ["workspace", "config"])]
    pub demo: bool,
    /// Learn the full screen in ten steps, on the sample knowledge base
    #[arg(long, conflicts_with_all = ["workspace", "config"])]
    pub tour: bool,
    /// Draw the full screen with ASCII characters only
    #[arg(long)]
    pub ascii: bool,
    /// Plain lines instead of the full screen: numbered lists and questions, for screen readers and scripts
    #[arg(long, conflicts_with = "tour")]
    pub plain: bool,
    /// Wait for Enter before exiting, so that the full screen does not cover the output
    #[arg(long, hide = true)]
    pub pause: bool,
    /// The name of the command to run
    #[arg(skip)]
    pub called: Option<String>,
    /// Whether the format is given on the command line
    #[arg(skip)]
    pub is_format_given: bool,
    /// The command to run
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people.
    Text,
    /// For programs.
    Json,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// If the output is a terminal and NO_COLOR is not set, or CLICOLOR_FORCE is.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the sources of the catalog
    #[command(after_help = "Marks: ● picked, ◐ pulled in, ◆ auto, ○ available, ✕ missing, ⊘ excluded.\n\
                            Example: refdesk list --tag java --unselected")]
    List(ListArgs),
    /// Pick sources by id or tag, and pull in what they mention
    #[command(alias = "pick", after_help = "Example: refdesk select retry-pattern --tag resilience")]
    Select(SelectArgs),
    /// Remove picks, and release the sources that only they pulled in
    #[command(alias = "unpick", after_help = "Example: refdesk unselect retry-pattern")]
    Unselect(Ids),
    /// Exclude sources, so that nothing pulls them in
    #[command(after_help = "Example: refdesk exclude legacy-guide")]
    Exclude(Ids),
    /// Remove exclusions
    #[command(after_help = "Example: refdesk include legacy-guide")]
    Include(Ids),
    /// Remove every pick
    #[command(after_help = "Example: refdesk clear --all")]
    Clear {
        /// Remove every exclusion too
        #[arg(long)]
        all: bool,
    },
    /// Show what some sources would pull in, without picking them
    #[command(after_help = "Example: refdesk resolve retry-pattern --format json")]
    Resolve(Ids),
    /// Aliases of the selection commands
    #[command(after_help = "Example: refdesk references select retry-pattern")]
    References {
        /// The subcommand [default: list]
        #[command(subcommand)]
        command: Option<ReferencesCommand>,
    },
    /// Explain why a source is selected, with file and line
    #[command(after_help = "Example: refdesk why error-handling")]
    Why(WhyArgs),
    /// Print which sources mention each other
    #[command(after_help = "Example: refdesk graph --svg > graph.svg")]
    Graph(GraphArgs),
    /// Print the instructions an agent gets when it starts
    #[command(after_help = "Example: refdesk instructions > CONTEXT.md")]
    Instructions,
    /// Report problems in the catalog and its documents
    #[command(after_help = "Example: refdesk check --fix\n\nExits with 1 if any problem is an error.")]
    Check(CheckArgs),
    /// Make a catalog of the documents, decisions, skills and rules
    ///
    /// Looks for READMEs, documentation, decision records, AGENTS.md and CLAUDE.md, skills, Cursor rules and the links of
    /// llms.txt, and shows them as a list to tick. Run it again after a while: it shows only what is new, moved or gone.
    #[command(
        after_help = "Example: refdesk init docs\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 1."
    )]
    Init(InitArgs),
    /// Add sources to the catalog
    #[command(after_help = "Example: refdesk add docs/retry.md --tag resilience --tag retry")]
    Add(AddArgs),
    /// Show everything about a source, and why it is selected
    #[command(after_help = "Example: refdesk show retry-pattern")]
    Show(WhyArgs),
    /// Edit a source's entry in your editor, and check it afterwards
    #[command(after_help = "Example: refdesk edit retry-pattern")]
    Edit(WhyArgs),
    /// Add and remove tags of sources
    ///
    /// Options come before the ids; after `--`, wherever it is, every word that begins with - is a tag to remove.
    #[command(after_help = "Example: refdesk tag retry-pattern timeouts +resilience -draft")]
    Tag {
        /// Ids of sources, tags to add (+TAG), and tags to remove (-TAG)
        #[arg(value_name = "ID|+TAG|-TAG", required = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
    /// Remove sources from the catalog, after showing the difference
    ///
    /// A file that defines one source is removed; from references.json only the entry is.
    #[command(
        after_help = "Example: refdesk remove legacy-guide\n\nWithout a terminal, nothing is removed unless --yes is given, and the exit code is 1."
    )]
    Remove(RemoveArgs),
    /// List, show, extract and validate the templates of the selection
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Templates {
        /// The subcommand [default: list]
        #[command(subcommand)]
        command: Option<TemplatesCommand>,
    },
    /// Render a template to standard output or to a file
    #[command(after_help = "Example: refdesk render Entity.java.tpl --var Entity=Customer --var 'fields:=[\"id\"]'")]
    Render(RenderArgs),
    /// Add hints, expansions and notices to a text
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk enrich --kind prompt")]
    Enrich(EnrichArgs),
    /// Build the search index, or bring it up to date
    ///
    /// The index holds the sections of the documents, their words and their meaning. With it, a prompt also finds
    /// the sources on its subject, not only those whose tags it names.
    #[command(after_help = "Example: refdesk index")]
    Index(IndexArgs),
    /// Search the documents by words and by meaning
    ///
    /// Finds sections, the best first. Text in quotation marks is searched for as a phrase; protect the marks from
    /// the shell: '"stack trace"'. Needs the search index, which `refdesk index` builds.
    #[command(
        after_help = "Example: refdesk search how do I retry a payment\n         refdesk search '\"stack trace\"'"
    )]
    Search(SearchArgs),
    /// Document the workspace's databases as sources
    ///
    /// Reads the schemas of the databases that .jaato/databases.yaml names, plans, and writes a page for each table and each
    /// domain. Databases are never changed, and no language model is called.
    #[command(after_help = "Example: refdesk db plan")]
    Db {
        /// The subcommand
        #[command(subcommand)]
        command: DbCommand,
    },
    /// Check that agents get what they should, and report what is wrong
    ///
    /// Runs the hook and the server of each connected agent as the agent would, and checks the catalog, trust, the search
    /// index, watching and the terminal: a line each, marked ok, note or wrong, with the command that fixes it. The report
    /// contains no secrets.
    #[command(
        after_help = "Example: refdesk doctor --format json\n\nChanges nothing. Exits with 1 if anything is wrong."
    )]
    Doctor,
    /// Print the workspace, and each folder and file in use, and why
    #[command(after_help = "Example: refdesk where --format json")]
    Where,
    /// Show what `enrich` would add to a text, why, and what it costs
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk simulate")]
    Simulate(SimulateArgs),
    /// Explain why a prompt does not bring up a source
    #[command(name = "why-not", after_help = "Example: refdesk why-not retry-pattern --prompt 'retry the payment'")]
    WhyNot(WhyNotArgs),
    /// Check a file of expected hints against the catalog
    #[command(after_help = "Example: refdesk assert expectations.toml\n\nExits with 1 if an expectation is not met.")]
    Assert {
        /// A TOML file of expectations, relative to the current folder
        file: PathBuf,
    },
    /// Print what agents were sent and read, and what was picked
    ///
    /// Also what was written. A table at a terminal or with --format text, else JSON lines.
    #[command(after_help = "Example: refdesk journal --since 2h --session default")]
    Journal(JournalArgs),
    /// Print the exact bytes that a journal entry recorded
    #[command(after_help = "Example: refdesk replay 42")]
    Replay {
        /// The number of a journal entry
        #[arg(value_parser = enrich::count::<u64>)]
        n: u64,
    },
    /// Print events until interrupted
    ///
    /// As text at a terminal or with --format text, else as JSON lines.
    #[command(after_help = "Example: refdesk watch | jq .text")]
    Watch,
    /// Answer an agent's hook: one JSON document in, one out
    #[command(
        after_help = "Example: refdesk hook claude-code < event.json\n\nSet up by `refdesk connect`. Always exits with 0. Errors are in the log and the journal."
    )]
    Hook(HookArgs),
    /// Connect agents with hooks and MCP, and try out the connection
    ///
    /// Adds hooks for the start of a session, for each prompt, and for the results of tools that return text, and the server
    /// whose tools the hints name. The rest of each file stays unchanged; `disconnect` removes what was added. Then the hook
    /// and the server are run as the agent would run them, and the hint that they delivered is shown.
    #[command(
        after_help = "Example: refdesk connect claude-code --dry-run\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 1."
    )]
    Connect(ConnectArgs),
    /// Disconnect agents: remove what `connect` added, and nothing else
    ///
    /// A file that was not edited since is restored byte for byte; from an edited one only refdesk's entries are removed.
    #[command(
        after_help = "Example: refdesk disconnect claude-code --project\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 1."
    )]
    Disconnect(DisconnectArgs),
    /// Serve agents over the Model Context Protocol
    ///
    /// On standard input and output, or over HTTP.
    #[command(after_help = "Example: refdesk mcp --http 127.0.0.1:7777")]
    Mcp(McpArgs),
    /// Ask a person to choose sources, and pick those
    #[command(
        after_help = "Example: refdesk ask --context 'which standard applies here?' --tag java\n\nExits with 3 if there is no answer in time."
    )]
    Ask(AskArgs),
    /// List the profiles: what each loads, lacks and costs
    #[command(after_help = "Example: refdesk profiles --format json")]
    Profiles,
    /// Show or check your own preferences and keys
    #[command(after_help = "Example: refdesk config check")]
    Config {
        /// The subcommand [default: show]
        #[command(subcommand)]
        command: Option<ConfigCommand>,
    },
    /// Print a shell completion script
    #[command(after_help = "Example: refdesk completions bash >> ~/.bashrc")]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: ShellName,
    },
    /// Print the manual page, or write one page for each command
    #[command(after_help = "Example: refdesk man ~/.local/share/man/man1")]
    Man {
        /// Print the page of this command, or write all pages to this folder [default: print the main page]
        #[arg(value_name = "COMMAND|DIR", num_args = ..=3)]
        words: Vec<OsString>,
    },
    /// Review and trust settings that reach outside the workspace
    #[command(
        after_help = "Example: refdesk trust list\n\nOnly a person can trust them, at a terminal or on the screen. Without a terminal, nothing is trusted and the exit code is 1."
    )]
    Trust {
        /// The subcommand [default: show what is not trusted yet, and ask]
        #[command(subcommand)]
        command: Option<TrustCommand>,
    },
}

impl Command {
    /// Whether the command changes picks or exclusions.
    pub fn chooses(&self) -> bool {
        match self {
            Self::Select(_) | Self::Unselect(_) | Self::Exclude(_) | Self::Include(_) | Self::Clear { .. } => true,
            Self::Ask(_) => true,
            Self::References { command } => {
                matches!(command, Some(ReferencesCommand::Select(_) | ReferencesCommand::Unselect(_)))
            }
            _ => false,
        }
    }

    /// Whether the command returns less without a search index.
    pub fn asks_the_index(&self) -> bool {
        matches!(self, Self::Search(_) | Self::Enrich(_) | Self::Simulate(_) | Self::WhyNot(_))
    }

    /// What the command needs from the workspace.
    pub fn workspace_need(&self) -> WorkspaceNeed {
        match self {
            Self::Enrich(_) | Self::Instructions | Self::Render(_) | Self::Hook(_) | Self::Mcp(_) | Self::Watch => {
                WorkspaceNeed::Nothing
            }
            Self::Config { .. } | Self::Completions { .. } | Self::Man { .. } => WorkspaceNeed::Nothing,
            Self::Where | Self::Doctor | Self::Init(_) | Self::Connect(_) | Self::Disconnect(_) => {
                WorkspaceNeed::Nothing
            }
            Self::References { command: Some(ReferencesCommand::Help) } => WorkspaceNeed::Nothing,
            Self::Add(_) => WorkspaceNeed::NewWorkspace,
            Self::Index(_) | Self::Ask(_) | Self::Db { .. } => WorkspaceNeed::Files,
            Self::Templates { command: Some(TemplatesCommand::Extract { .. }) } => WorkspaceNeed::Files,
            _ if self.chooses() => WorkspaceNeed::Choice,
            _ => WorkspaceNeed::Catalog,
        }
    }

    /// Whether to hide problems of the catalog, because the command does not depend on it.
    pub fn ignores_the_catalog(&self) -> bool {
        matches!(self, Self::Journal(_) | Self::Replay { .. } | Self::Connect(_) | Self::Disconnect(_) | Self::Where)
    }

    /// Whether to hide problems of single catalog entries. `edit` prints those of its file itself.
    pub fn ignores_entries(&self) -> bool {
        matches!(self, Self::Trust { .. } | Self::Ask(_) | Self::Profiles | Self::Db { .. } | Self::Edit(_))
    }

    /// Whether the command may cache the mentions it reads from documents.
    pub fn keeps_mentions(&self) -> bool {
        match self {
            Self::Enrich(args) => !args.dry_run,
            Self::Hook(_) => true,
            _ => self.chooses(),
        }
    }
}
