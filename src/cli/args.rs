//! The command line: every command and option with its help text. The manual page is generated from these texts.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use refdesk_enrich::Budget;

/// What does your coding agent know, why, and what does it cost?
///
/// Run without a command to open the full screen. `refdesk --demo` opens it on a built-in sample knowledge base.
#[derive(Debug, Parser)]
#[command(
    name = "refdesk",
    version,
    subcommand_value_name = "COMMAND",
    after_help = "Exit codes: 0 done, 1 the request could not be met, 2 usage, 3 timed out."
)]
pub struct Cli {
    /// The workspace folder [default: the nearest parent folder that contains .jaato/, else the current folder]
    #[arg(long, value_name = "DIR", global = true, help_heading = "Options of every command")]
    pub workspace: Option<PathBuf>,
    /// The configuration file [default: references.json in the workspace, then the user's own]
    #[arg(long, value_name = "FILE", global = true, help_heading = "Options of every command")]
    pub config: Option<PathBuf>,
    /// The desk to use: a selection of its own within the workspace
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        global = true,
        help_heading = "Options of every command"
    )]
    pub desk: String,
    /// The session, which remembers what it was already told
    ///
    /// [default: default]
    #[arg(long, value_name = "NAME", global = true, help_heading = "Options of every command")]
    pub session: Option<String>,
    /// Use the picks of this profile instead of the stored ones: a name in .jaato/profiles/, or a file
    #[arg(long, value_name = "NAME|FILE", global = true, help_heading = "Options of every command")]
    pub profile: Option<String>,
    /// Print text for people, or one JSON document for programs
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text, global = true, help_heading = "Options of every command")]
    pub format: OutputFormat,
    /// Use the built-in sample knowledge base, in a temporary folder
    #[arg(long, global = true, help_heading = "Options of every command", conflicts_with_all = ["workspace", "config"])]
    pub demo: bool,
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

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the sources of the catalog
    #[command(after_help = "Example: refdesk list --tag java --unselected")]
    List(ListArgs),
    /// Pick sources by id or tag, and pull in what they mention
    #[command(after_help = "Example: refdesk select retry-pattern --tag resilience")]
    Select(SelectArgs),
    /// Remove picks, and release the sources that only they pulled in
    #[command(after_help = "Example: refdesk unselect retry-pattern")]
    Unselect(Ids),
    /// Exclude sources, so that nothing pulls them in
    #[command(after_help = "Example: refdesk exclude legacy-guide")]
    Exclude(Ids),
    /// Remove exclusions
    #[command(after_help = "Example: refdesk include legacy-guide")]
    Include(Ids),
    /// Remove every pick
    #[command(after_help = "Example: refdesk clear --all")]
    Clear(ClearArgs),
    /// Show what some sources would pull in, without picking them
    #[command(after_help = "Example: refdesk resolve retry-pattern --format json")]
    Resolve(Ids),
    /// Aliases of the selection commands
    #[command(after_help = "Example: refdesk references select retry-pattern")]
    References(ReferencesArgs),
    /// Explain why a source is selected, with file and line
    #[command(after_help = "Example: refdesk why error-handling")]
    Why(WhyArgs),
    /// Print which sources mention each other
    #[command(after_help = "Example: refdesk graph --dot | dot -Tsvg > graph.svg")]
    Graph(GraphArgs),
    /// Print the instructions an agent gets when it starts
    #[command(after_help = "Example: refdesk instructions > CONTEXT.md")]
    Instructions,
    /// Report problems in the catalog and its documents
    #[command(after_help = "Example: refdesk check --fix\n\nExits with 1 if any problem is an error.")]
    Check(CheckArgs),
    /// Add a source to the catalog
    #[command(after_help = "Example: refdesk add docs/retry.md --tag resilience --tag retry")]
    Add(AddArgs),
    /// List, show, extract and validate the templates of the selection
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Templates(TemplatesArgs),
    /// Render a template to standard output or to a file
    #[command(after_help = "Example: refdesk render Entity.java.tpl --var Entity=Customer --var 'fields:=[\"id\"]'")]
    Render(RenderArgs),
    /// Add hints, expansions and notices to a text from standard input
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk enrich --kind prompt")]
    Enrich(EnrichArgs),
    /// Show what `enrich` would add to a text, why, and what it costs
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk simulate")]
    Simulate(SimulateArgs),
    /// Explain why a prompt does not bring up a source
    #[command(name = "why-not", after_help = "Example: refdesk why-not retry-pattern --prompt 'retry the payment'")]
    WhyNot(WhyNotArgs),
    /// Check a file of expected hints against the catalog
    #[command(after_help = "Example: refdesk assert expectations.toml\n\nExits with 1 if an expectation is not met.")]
    Assert(AssertArgs),
    /// Print what agents were told and read, and what was picked and written, as JSON lines
    #[command(after_help = "Example: refdesk journal --since 2h --session default")]
    Journal(JournalArgs),
    /// Print the exact bytes that a journal entry recorded
    #[command(after_help = "Example: refdesk replay 42")]
    Replay(ReplayArgs),
    /// Print events as JSON lines until interrupted
    #[command(after_help = "Example: refdesk watch | jq .text")]
    Watch,
    /// Answer an agent's hook: one JSON document on standard input, one on standard output
    #[command(
        after_help = "Example: refdesk connect claude-code\n\nAlways exits with 0. Errors are in the log and the journal."
    )]
    Hook(HookArgs),
    /// Connect an agent: add refdesk's hooks to its settings file, after showing the diff
    ///
    /// Adds hooks for the start of a session, for each prompt, and for the results of tools that return text. The rest of the
    /// file stays unchanged; `disconnect` removes what was added. The README shows the entries for each agent.
    #[command(
        after_help = "Example: refdesk connect claude-code --project --dry-run\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 1."
    )]
    Connect(ConnectArgs),
    /// Disconnect an agent: remove what `connect` added, and nothing else
    ///
    /// A file that was not edited since is restored byte for byte; from an edited one only refdesk's entries are removed.
    #[command(
        after_help = "Example: refdesk disconnect claude-code --project\n\nWithout a terminal, nothing is written unless --yes is given, and the exit code is 1."
    )]
    Disconnect(ConnectArgs),
    /// Serve agents over the Model Context Protocol, on standard input and output or over HTTP
    #[command(after_help = "Example: refdesk mcp --http 127.0.0.1:7777")]
    Mcp(McpArgs),
    /// Ask a person to choose sources, and pick those
    #[command(
        after_help = "Example: refdesk ask --context 'which standard applies here?' --tag java\n\nExits with 3 if there is no answer in time."
    )]
    Ask(AskArgs),
    /// List the profiles: what each loads, what is missing, and what it costs
    #[command(after_help = "Example: refdesk profiles --format json")]
    Profiles,
    /// Review and approve what this workspace's settings want to do outside it
    #[command(
        after_help = "Example: refdesk trust list\n\nOnly a person at a terminal can approve: without one, nothing is trusted and the exit code is 1."
    )]
    Trust(TrustArgs),
}

impl Command {
    /// Whether it changes what is picked and excluded.
    pub fn chooses(&self) -> bool {
        match self {
            Self::Select(_) | Self::Unselect(_) | Self::Exclude(_) | Self::Include(_) | Self::Clear(_) => true,
            Self::Ask(_) => true,
            Self::References(args) => {
                matches!(args.command, Some(ReferencesCommand::Select(_) | ReferencesCommand::Unselect(_)))
            }
            _ => false,
        }
    }

    /// Whether the command does not depend on the current catalog, so that problems in it are not printed.
    pub fn ignores_the_catalog(&self) -> bool {
        matches!(self, Self::Journal(_) | Self::Replay(_) | Self::Connect(_) | Self::Disconnect(_))
    }

    /// Whether problems in single catalog entries are not printed with this command.
    pub fn ignores_entries(&self) -> bool {
        matches!(self, Self::Trust(_) | Self::Ask(_) | Self::Profiles)
    }

    /// Whether the command may store what it read of documents in the cache.
    pub fn keeps_mentions(&self) -> bool {
        match self {
            Self::Enrich(args) => !args.dry_run,
            Self::Hook(_) => true,
            _ => self.chooses(),
        }
    }

    /// How the journal and other processes name this command.
    pub fn changes_as(&self) -> &'static str {
        match self {
            Self::Select(_) => "refdesk select",
            Self::Unselect(_) => "refdesk unselect",
            Self::Exclude(_) => "refdesk exclude",
            Self::Include(_) => "refdesk include",
            Self::Clear(_) => "refdesk clear",
            Self::References(_) => "refdesk references",
            Self::List(_) => "refdesk list",
            Self::Resolve(_) => "refdesk resolve",
            Self::Why(_) => "refdesk why",
            Self::WhyNot(_) => "refdesk why-not",
            Self::Graph(_) => "refdesk graph",
            Self::Instructions => "refdesk instructions",
            Self::Check(_) => "refdesk check",
            Self::Add(_) => "refdesk add",
            Self::Templates(_) => "refdesk templates",
            Self::Render(_) => "refdesk render",
            Self::Enrich(_) => "refdesk enrich",
            Self::Simulate(_) => "refdesk simulate",
            Self::Assert(_) => "refdesk assert",
            Self::Journal(_) => "refdesk journal",
            Self::Replay(_) => "refdesk replay",
            Self::Watch => "refdesk watch",
            Self::Hook(_) => "refdesk hook",
            Self::Connect(_) => "refdesk connect",
            Self::Disconnect(_) => "refdesk disconnect",
            Self::Mcp(_) => "refdesk mcp",
            Self::Ask(_) => "refdesk ask",
            Self::Profiles => "refdesk profiles",
            Self::Trust(_) => "refdesk trust",
        }
    }
}

/// Filters of `list`.
#[derive(Debug, Args, Default)]
pub struct ListArgs {
    /// Only sources with this tag; repeat it for sources with any of several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// Only sources of this mode
    #[arg(long, value_enum, default_value_t = ModeFilter::All)]
    pub mode: ModeFilter,
    /// Only selected sources
    #[arg(long, conflicts_with = "unselected")]
    pub selected: bool,
    /// Only sources that are not selected
    #[arg(long)]
    pub unselected: bool,
}

/// The mode filter of `list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum ModeFilter {
    /// Both.
    #[default]
    All,
    /// Always in the instructions.
    Auto,
    /// Picked or pulled in.
    Selectable,
}

/// The sources to pick.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// Ids of sources
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Every source with this tag
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// Ids of sources.
#[derive(Debug, Args)]
pub struct Ids {
    /// Ids of sources
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

/// Options of `clear`.
#[derive(Debug, Args)]
pub struct ClearArgs {
    /// Remove every exclusion too
    #[arg(long)]
    pub all: bool,
}

/// Arguments of `references`.
#[derive(Debug, Args)]
pub struct ReferencesArgs {
    /// The subcommand [default: list]
    #[command(subcommand)]
    pub command: Option<ReferencesCommand>,
}

/// The subcommands of `references`.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum ReferencesCommand {
    /// List the sources
    List(ListArgs),
    /// Pick sources
    Select(SelectArgs),
    /// Remove picks
    Unselect(Ids),
    /// Read the workspace again and report what it contains
    Reload,
    /// Print this help
    Help,
}

/// Arguments of `why`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Id of a source
    pub id: String,
}

/// Output languages of `graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// Print Graphviz DOT
    #[arg(long, conflicts_with = "mermaid")]
    pub dot: bool,
    /// Print Mermaid
    #[arg(long)]
    pub mermaid: bool,
}

/// Arguments of `check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A workspace folder or a configuration file [default: this workspace]
    pub path: Option<PathBuf>,
    /// Rewrite absolute paths that belong to another machine
    #[arg(long)]
    pub fix: bool,
}

/// Arguments of `add`.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// A file, a folder or an http(s) URL
    #[arg(value_name = "PATH|URL")]
    pub place: String,
    /// The id of the source [default: derived from the file name]
    #[arg(long)]
    pub id: Option<String>,
    /// The name of the source [default: the file name]
    #[arg(long)]
    pub name: Option<String>,
    /// A tag; repeat it for several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// When agents get the source
    #[arg(long, value_enum, default_value_t = NewMode::Selectable)]
    pub mode: NewMode,
}

/// The mode of a new source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NewMode {
    /// Always in the instructions.
    Auto,
    /// Picked or pulled in.
    Selectable,
}

/// Arguments of `templates`.
#[derive(Debug, Args)]
pub struct TemplatesArgs {
    /// The subcommand [default: list]
    #[command(subcommand)]
    pub command: Option<TemplatesCommand>,
}

/// The subcommands of `templates`.
#[derive(Debug, Subcommand)]
pub enum TemplatesCommand {
    /// List the templates of the selection
    #[command(after_help = "Example: refdesk templates list --pattern '*.java.tpl'")]
    List {
        /// Only names that match this pattern of * and ?
        #[arg(long, value_name = "GLOB")]
        pattern: Option<String>,
    },
    /// Print the text of a template
    #[command(after_help = "Example: refdesk templates show Entity.java.tpl")]
    Show {
        /// The name of a template
        name: String,
    },
    /// Print the variables of a template as a tree, as a JSON schema, and as a skeleton to fill in
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Variables {
        /// The name of a template
        name: String,
    },
    /// Write templates embedded in documents to files in .jaato/templates/
    ///
    /// Without FILE: the templates of the selection, and .jaato/templates/index.json; files that no selected source brings
    /// any more are removed. With FILE: the templates of these documents, selected or not; they stay until you remove them.
    /// Files that were created or edited by hand are never touched.
    #[command(after_help = "Example: refdesk templates extract docs/patterns.md")]
    Extract {
        /// Markdown files, relative to the current folder
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Report problems in templates
    ///
    /// Without FILE: all templates of the selection. With FILE: this template, or the code blocks of this Markdown file. Exits
    /// with 1 if one is broken.
    #[command(after_help = "Example: refdesk templates validate templates/Entity.java.tpl")]
    Validate {
        /// A template's file or a markdown file, relative to the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

/// Arguments of `render`.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// The name of a template
    #[arg(required_unless_present_any = ["inline", "file", "batch"], conflicts_with_all = ["inline", "file"])]
    pub name: Option<String>,
    /// The text of the template
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub inline: Option<String>,
    /// A template file, relative to the current folder
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The template language [default: detected from the text]
    #[arg(long, value_enum)]
    pub syntax: Option<SyntaxName>,
    /// Values as a JSON object, or @FILE to read them from a file
    #[arg(long, value_name = "JSON|@FILE")]
    pub vars: Option<String>,
    /// One value: name=text or name:=JSON
    #[arg(long = "var", value_name = "K=TEXT|K:=JSON")]
    pub var: Vec<String>,
    /// A Mustache partial: NAME=TEXT
    #[arg(long = "partial", value_name = "NAME=TEXT")]
    pub partials: Vec<String>,
    /// Escape values for HTML (Mustache)
    #[arg(long)]
    pub html: bool,
    /// Write to this file, relative to the current folder
    #[arg(long, value_name = "PATH", group = "target")]
    pub output: Option<String>,
    /// Render and write several files, all or none: [{"name"|"inline"|"file", "vars", "output"}], or @FILE. A row without
    /// "output" uses the path that its template gives
    #[arg(long, value_name = "JSON|@FILE", group = "target")]
    #[arg(conflicts_with_all = ["name", "inline", "file", "syntax", "vars", "var", "partials"])]
    pub batch: Option<String>,
    /// Replace an existing file
    #[arg(long, requires = "target")]
    pub overwrite: bool,
    /// Allow writing outside the workspace
    #[arg(long, requires = "target")]
    pub allow_outside: bool,
    /// Show the diff and write nothing
    #[arg(long, requires = "target")]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long, requires = "target")]
    pub yes: bool,
}

/// The template languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SyntaxName {
    /// Jinja2.
    Jinja2,
    /// Mustache.
    Mustache,
    /// Handlebars.
    Handlebars,
}

/// The budget for what is added to a text.
#[derive(Debug, Clone, Copy, Args)]
pub struct BudgetArgs {
    /// Add at most this many characters (UTF-16 code units)
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,
    /// Add at most this many tokens (estimated)
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

impl From<BudgetArgs> for Budget {
    fn from(args: BudgetArgs) -> Self {
        Self { chars: args.max_chars, tokens: args.max_tokens }
    }
}

/// What the text on standard input is.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// The kind of text
    #[arg(long, value_enum, default_value_t = KindName::Prompt)]
    pub kind: KindName,
    /// The tool that returned the text (for tool results)
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The tool's arguments as a JSON object (for tool results)
    #[arg(long, value_name = "JSON")]
    pub args: Option<String>,
}

/// Arguments of `enrich`.
#[derive(Debug, Args)]
pub struct EnrichArgs {
    /// What the text is
    #[command(flatten)]
    pub text: TextArgs,
    /// Add everything, even what this session was already told, and remember nothing
    #[arg(long)]
    pub repeat: bool,
    /// Do not remember this as told
    #[arg(long)]
    pub dry_run: bool,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// The conversation was compacted or cleared before: the session forgets what it was told
    #[arg(long, value_enum)]
    pub event: Option<Forgetting>,
}

/// What makes a conversation lose its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Forgetting {
    /// It was summarised.
    Compact,
    /// It was started again.
    Clear,
}

/// Arguments of `simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// What the text is
    #[command(flatten)]
    pub text: TextArgs,
    /// Ignore what the session was already told
    #[arg(long)]
    pub repeat: bool,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// Arguments of `why-not`.
#[derive(Debug, Args)]
pub struct WhyNotArgs {
    /// Id of a source
    pub id: String,
    /// The prompt
    #[arg(long, value_name = "TEXT")]
    pub prompt: String,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// Arguments of `assert`.
#[derive(Debug, Args)]
pub struct AssertArgs {
    /// A TOML file of expectations, relative to the current folder
    pub file: PathBuf,
}

/// Filters of `journal`.
#[derive(Debug, Args)]
pub struct JournalArgs {
    /// Only entries since a duration ago (90s, 15m, 2h, 3d), a date or a time (2026-11-22, 2026-11-22T09:30)
    #[arg(long, value_name = "T")]
    pub since: Option<String>,
    /// Print how often hints were followed, by tag and by source
    #[arg(long)]
    pub precision: bool,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// The number of a journal entry
    pub n: u64,
}

/// Arguments of `hook`.
#[derive(Debug, Args)]
pub struct HookArgs {
    /// The agent: claude-code, gemini-cli, codex or cursor
    pub agent: String,
    /// Add everything, even what this session was already told, and remember nothing
    #[arg(long)]
    pub repeat: bool,
}

/// Arguments of `connect` and `disconnect`.
#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// The agent: claude-code, gemini-cli, codex or cursor
    pub agent: String,
    /// Use the settings file of this workspace, which everyone working in it shares [default]
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// Use your own settings file, which applies to every workspace
    #[arg(long)]
    pub user: bool,
    /// Show the diff and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `mcp`.
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

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// Why you ask, shown to the person who answers
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub context: String,
    /// Offer only sources with this tag; repeat it for sources with any of several
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// Arguments of `trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The subcommand [default: show what is not trusted yet, and ask]
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

/// The subcommands of `trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum TrustCommand {
    /// List what is trusted and what is not
    List,
    /// Revoke all trust in this workspace
    Revoke,
}

/// The kinds of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KindName {
    /// A person's prompt.
    Prompt,
    /// A tool's result.
    ToolResult,
    /// The instructions an agent starts with.
    SystemInstructions,
}
