//! What may be written behind `refdesk`, with the help of each. The texts here are the manual.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::enrich::Budget;

/// What does your coding agent know, why, and what does it cost?
///
/// Without a command the full screen opens. `refdesk --demo` opens it on a knowledge base that comes with the program.
#[derive(Debug, Parser)]
#[command(
    name = "refdesk",
    version,
    subcommand_value_name = "COMMAND",
    after_help = "Exit codes: 0 done, 1 the request could not be met, 2 usage, 3 timed out."
)]
pub struct Arguments {
    /// The workspace [default: the nearest folder upward that holds .jaato/, else the current one]
    #[arg(long, value_name = "DIR", global = true, help_heading = "Options of every command")]
    pub workspace: Option<PathBuf>,
    /// The configuration file [default: references.json of the workspace, and others]
    #[arg(long, value_name = "FILE", global = true, help_heading = "Options of every command")]
    pub config: Option<PathBuf>,
    /// The desk to work at
    #[arg(
        long,
        value_name = "NAME",
        default_value = "default",
        global = true,
        help_heading = "Options of every command"
    )]
    pub desk: String,
    /// The reader that is remembered as told
    ///
    /// [default: default]
    #[arg(long, value_name = "NAME", global = true, help_heading = "Options of every command")]
    pub session: Option<String>,
    /// Start from this profile in place of what is picked: a name below .jaato/profiles/, or a file
    #[arg(long, value_name = "NAME|FILE", global = true, help_heading = "Options of every command")]
    pub profile: Option<String>,
    /// Text for people or one JSON document for programs
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text, global = true, help_heading = "Options of every command")]
    pub format: Format,
    /// Use the knowledge base that comes with the program, in a temporary folder
    #[arg(long, global = true, help_heading = "Options of every command", conflicts_with_all = ["workspace", "config"])]
    pub demo: bool,
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
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
    /// Take picks back, and release what nothing else brings
    #[command(after_help = "Example: refdesk unselect retry-pattern")]
    Unselect(Ids),
    /// Bar sources from being pulled in
    #[command(after_help = "Example: refdesk exclude legacy-guide")]
    Exclude(Ids),
    /// Lift exclusions
    #[command(after_help = "Example: refdesk include legacy-guide")]
    Include(Ids),
    /// Take every pick back
    #[command(after_help = "Example: refdesk clear --all")]
    Clear(ClearArgs),
    /// Show what some sources would pull in; changes nothing
    #[command(after_help = "Example: refdesk resolve retry-pattern --format json")]
    Resolve(Ids),
    /// The verbs under the name that agents' users know
    #[command(after_help = "Example: refdesk references select retry-pattern")]
    References(ReferencesArgs),
    /// Explain why a source is selected, with file and line
    #[command(after_help = "Example: refdesk why error-handling")]
    Why(WhyArgs),
    /// Print who mentions whom, over the whole catalog
    #[command(after_help = "Example: refdesk graph --dot | dot -Tsvg > graph.svg")]
    Graph(GraphArgs),
    /// Print what an agent is told at the start
    #[command(after_help = "Example: refdesk instructions > CONTEXT.md")]
    Instructions,
    /// Report everything that is wrong with catalog and documents
    #[command(after_help = "Example: refdesk check --fix\n\nExits 1 when anything found is an error.")]
    Check(CheckArgs),
    /// Add a source to the catalog
    #[command(after_help = "Example: refdesk add docs/retry.md --tag resilience --tag retry")]
    Add(AddArgs),
    /// List the templates that the selection brings, show what they say and ask for, extract and validate them
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Templates(TemplatesArgs),
    /// Render a template, to standard output or into a file
    #[command(after_help = "Example: refdesk render Entity.java.tpl --var Entity=Customer --var 'fields:=[\"id\"]'")]
    Render(RenderArgs),
    /// Append to a text what the desk has to say about it; the text comes from standard input
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk enrich --kind prompt")]
    Enrich(EnrichArgs),
    /// Show what would be appended to a text, why, and what it costs; changes nothing
    #[command(after_help = "Example: echo 'add a circuit breaker' | refdesk simulate")]
    Simulate(SimulateArgs),
    /// Explain why a source is not hinted at
    #[command(name = "why-not", after_help = "Example: refdesk why-not retry-pattern --prompt 'retry the payment'")]
    WhyNot(WhyNotArgs),
    /// Hold the desk against a file of expectations
    #[command(after_help = "Example: refdesk assert expectations.toml\n\nExits 1 when an expectation is not met.")]
    Assert(AssertArgs),
    /// Print what was said to whom, read, chosen and written, a JSON line each
    #[command(after_help = "Example: refdesk journal --since 2h --session default")]
    Journal(JournalArgs),
    /// Print the exact bytes that a line of the journal is about
    #[command(after_help = "Example: refdesk replay 42")]
    Replay(ReplayArgs),
    /// Print what happens at the desk, a JSON line each, until it is interrupted
    #[command(after_help = "Example: refdesk watch | jq .text")]
    Watch,
    /// Answer a hook of an agent: one document on standard input, one on standard output
    #[command(
        after_help = "Example: refdesk connect claude-code\n\nAlways exits 0; what goes wrong is in log and journal."
    )]
    Hook(HookArgs),
    /// Let an agent call the desk: writes its settings file after its difference was approved
    ///
    /// Adds hooks for the start of a session, for every prompt and for the results of tools that bring text. Everything else in
    /// the file stays as it stands; `disconnect` takes away what was added. The README shows the entries of each agent.
    #[command(
        after_help = "Example: refdesk connect claude-code --project --dry-run\n\nWithout a terminal and without --yes nothing is written and the exit code is 1."
    )]
    Connect(ConnectArgs),
    /// Take away what `connect` wrote, and nothing else
    ///
    /// An untouched file is given back byte for byte; one that was changed since loses only what is refdesk's.
    #[command(
        after_help = "Example: refdesk disconnect claude-code --project\n\nWithout a terminal and without --yes nothing is written and the exit code is 1."
    )]
    Disconnect(ConnectArgs),
    /// Serve the desk to an agent through the Model Context Protocol, on standard input and output or over HTTP
    #[command(after_help = "Example: refdesk mcp --http 127.0.0.1:7777")]
    Mcp(McpArgs),
    /// Ask a person which sources are wanted, and pick those
    #[command(
        after_help = "Example: refdesk ask --context 'which standard applies here?' --tag java\n\nExits 3 when nobody answers in time."
    )]
    Ask(AskArgs),
    /// List the profiles: what each would load, what it lacks, and what it costs
    #[command(after_help = "Example: refdesk profiles --format json")]
    Profiles,
    /// Trust what the configuration of this workspace would do beyond it, after showing it
    #[command(
        after_help = "Example: refdesk trust list\n\nOnly a person at a terminal says yes: without one nothing is trusted and the exit code is 1."
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

    /// Whether it has nothing to do with what the catalog says now.
    pub fn is_about_the_past(&self) -> bool {
        matches!(self, Self::Journal(_) | Self::Replay(_) | Self::Connect(_) | Self::Disconnect(_))
    }

    /// Whether what is to be mended in single entries of the catalog is beside its point.
    pub fn is_beside_entries(&self) -> bool {
        matches!(self, Self::Trust(_) | Self::Ask(_) | Self::Profiles)
    }

    /// Whether what it read of documents is written down for the next: not where nothing may be written.
    pub fn keeps_mentions(&self) -> bool {
        match self {
            Self::Enrich(args) => !args.dry_run,
            Self::Hook(_) => true,
            _ => self.chooses(),
        }
    }

    /// What other processes and the journal call it.
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

/// Which sources are listed.
#[derive(Debug, Args, Default)]
pub struct ListArgs {
    /// Only sources with this tag; several: any of them
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

/// Which modes are listed.
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

/// What is picked.
#[derive(Debug, Args)]
pub struct SelectArgs {
    /// Ids of sources
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Every source with this tag
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// Some sources.
#[derive(Debug, Args)]
pub struct Ids {
    /// Ids of sources
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

/// What is cleared.
#[derive(Debug, Args)]
pub struct ClearArgs {
    /// Lift every exclusion too
    #[arg(long)]
    pub all: bool,
}

/// The user command of agents.
#[derive(Debug, Args)]
pub struct ReferencesArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub command: Option<ReferencesCommand>,
}

/// The verbs of `references`.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = true)]
pub enum ReferencesCommand {
    /// List the sources
    List(ListArgs),
    /// Pick sources
    Select(SelectArgs),
    /// Take picks back
    Unselect(Ids),
    /// Read the workspace again and say what there is
    Reload,
    /// Say what can be done
    Help,
}

/// What is explained.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Id of a source
    pub id: String,
}

/// How the graph is printed.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// In the language of Graphviz
    #[arg(long, conflicts_with = "mermaid")]
    pub dot: bool,
    /// In the language of Mermaid
    #[arg(long)]
    pub mermaid: bool,
}

/// What is checked.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// A workspace folder or a configuration file [default: this workspace]
    pub path: Option<PathBuf>,
    /// Rewrite paths of another machine
    #[arg(long)]
    pub fix: bool,
}

/// What is added.
#[derive(Debug, Args)]
pub struct AddArgs {
    /// A file, a folder or an http(s) address
    #[arg(value_name = "PATH|URL")]
    pub place: String,
    /// Its id [default: made from the name of the file]
    #[arg(long)]
    pub id: Option<String>,
    /// Its name for people [default: the name of the file]
    #[arg(long)]
    pub name: Option<String>,
    /// A topic word; may be given several times
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// When it reaches an agent
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

/// What is asked of the templates.
#[derive(Debug, Args)]
pub struct TemplatesArgs {
    /// What to do [default: list]
    #[command(subcommand)]
    pub command: Option<TemplatesCommand>,
}

/// The verbs of `templates`.
#[derive(Debug, Subcommand)]
pub enum TemplatesCommand {
    /// List the templates that the selection brings
    #[command(after_help = "Example: refdesk templates list --pattern '*.java.tpl'")]
    List {
        /// Only names that match, with * and ?
        #[arg(long, value_name = "GLOB")]
        pattern: Option<String>,
    },
    /// Print a template as it stands
    #[command(after_help = "Example: refdesk templates show Entity.java.tpl")]
    Show {
        /// Name of a template
        name: String,
    },
    /// Print what a template asks for: its variables as a tree, as a JSON schema, and as values to fill in
    #[command(after_help = "Example: refdesk templates variables Entity.java.tpl")]
    Variables {
        /// Name of a template
        name: String,
    },
    /// Write templates that stand in documents as files, into .jaato/templates/
    ///
    /// Without FILE: those of the selection, and .jaato/templates/index.json; what nothing brings any more is removed. With
    /// FILE: those of these documents, whether or not anything brings them; they stay until you remove them. A file that was
    /// made or changed by hand is never touched.
    #[command(after_help = "Example: refdesk templates extract docs/patterns.md")]
    Extract {
        /// Markdown files, relative to the current folder
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// Say what is wrong with templates
    ///
    /// Without FILE: all that the selection brings. With FILE: this template, or the code blocks of this markdown file. Exits
    /// 1 when one is broken.
    #[command(after_help = "Example: refdesk templates validate templates/Entity.java.tpl")]
    Validate {
        /// A template's file or a markdown file, relative to the current folder
        #[arg(value_name = "FILE")]
        file: Option<PathBuf>,
    },
}

/// What is rendered with what, and where it goes.
#[derive(Debug, Args)]
pub struct RenderArgs {
    /// Name of a template
    #[arg(required_unless_present_any = ["inline", "file", "batch"], conflicts_with_all = ["inline", "file"])]
    pub name: Option<String>,
    /// The template itself
    #[arg(long, value_name = "TEXT", conflicts_with = "file")]
    pub inline: Option<String>,
    /// A template file, relative to the current folder
    #[arg(long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The template's language [default: told from its text]
    #[arg(long, value_enum)]
    pub syntax: Option<SyntaxName>,
    /// Values as a JSON object, or @FILE to read them from
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
    /// Write the text to this file, relative to the current folder
    #[arg(long, value_name = "PATH", group = "target")]
    pub output: Option<String>,
    /// Render and write many, all or none: [{"name"|"inline"|"file", "vars", "output"}], or @FILE to read that from; a
    /// row without output goes where its template asks to be written
    #[arg(long, value_name = "JSON|@FILE", group = "target")]
    #[arg(conflicts_with_all = ["name", "inline", "file", "syntax", "vars", "var", "partials"])]
    pub batch: Option<String>,
    /// Replace an existing file
    #[arg(long, requires = "target")]
    pub overwrite: bool,
    /// Let a file lie outside the workspace
    #[arg(long, requires = "target")]
    pub allow_outside: bool,
    /// Show the difference and write nothing
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

/// How much may be appended to a text.
#[derive(Debug, Clone, Copy, Args)]
pub struct BudgetArgs {
    /// Append at most so many characters, counted in UTF-16
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,
    /// Append at most so many tokens, estimated
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,
}

impl From<BudgetArgs> for Budget {
    fn from(args: BudgetArgs) -> Self {
        Self { chars: args.max_chars, tokens: args.max_tokens }
    }
}

/// What a text on standard input is.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// What kind of text it is
    #[arg(long, value_enum, default_value_t = KindName::Prompt)]
    pub kind: KindName,
    /// The tool that answered (tool results)
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// What the tool was asked, as a JSON object (tool results)
    #[arg(long, value_name = "JSON")]
    pub args: Option<String>,
}

/// What is enriched.
#[derive(Debug, Args)]
pub struct EnrichArgs {
    /// What the text is
    #[command(flatten)]
    pub text: TextArgs,
    /// Say it all, whatever was said before, and remember nothing
    #[arg(long)]
    pub repeat: bool,
    /// Remember nothing of it as said
    #[arg(long)]
    pub dry_run: bool,
    /// How much may be appended
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// What the conversation went through before: the session forgets what it was told
    #[arg(long, value_enum)]
    pub event: Option<Forgetting>,
}

/// What makes a conversation lose what it was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Forgetting {
    /// It was summarised.
    Compact,
    /// It was begun anew.
    Clear,
}

/// What is looked at.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// What the text is
    #[command(flatten)]
    pub text: TextArgs,
    /// Whatever the session was told
    #[arg(long)]
    pub repeat: bool,
    /// How much may be appended
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// What is explained.
#[derive(Debug, Args)]
pub struct WhyNotArgs {
    /// Id of a source
    pub id: String,
    /// The prompt
    #[arg(long, value_name = "TEXT")]
    pub prompt: String,
    /// How much may be appended
    #[command(flatten)]
    pub budget: BudgetArgs,
}

/// What is held against the desk.
#[derive(Debug, Args)]
pub struct AssertArgs {
    /// A TOML file of expectations, relative to the current folder
    pub file: PathBuf,
}

/// Which lines of the journal.
#[derive(Debug, Args)]
pub struct JournalArgs {
    /// Only lines since then: 90s, 15m, 2h, 3d, a date or a time (2026-11-22, 2026-11-22T09:30)
    #[arg(long, value_name = "T")]
    pub since: Option<String>,
    /// How often hints were followed, by tag and by source
    #[arg(long)]
    pub precision: bool,
}

/// Which line of the journal.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Its number
    pub n: u64,
}

/// Whose hook is answered.
#[derive(Debug, Args)]
pub struct HookArgs {
    /// claude-code, gemini-cli, codex or cursor
    pub agent: String,
    /// Say it all, whatever was said before, and remember nothing
    #[arg(long)]
    pub repeat: bool,
}

/// Which agent, and where its settings are.
#[derive(Debug, Args)]
pub struct ConnectArgs {
    /// claude-code, gemini-cli, codex or cursor
    pub agent: String,
    /// The settings of this workspace, for everybody who works in it [default]
    #[arg(long, conflicts_with = "user")]
    pub project: bool,
    /// The settings of this user, for every workspace
    #[arg(long)]
    pub user: bool,
    /// Show the difference and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Write without asking
    #[arg(long)]
    pub yes: bool,
}

/// How the desk is served.
#[derive(Debug, Args)]
pub struct McpArgs {
    /// Serve many agents over HTTP at this address, in place of one on standard input and output
    ///
    /// Anything but the loopback wants a bearer token in the environment variable REFDESK_MCP_TOKEN.
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// A host that clients may call the server by, beside those of the address; may be given several times
    #[arg(long = "allow-host", value_name = "HOST[:PORT]", requires = "http")]
    pub allow_hosts: Vec<String>,
    /// An origin that web pages may call from; may be given several times
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "http")]
    pub allow_origins: Vec<String>,
}

/// What a person is asked.
#[derive(Debug, Args)]
pub struct AskArgs {
    /// Why, for whoever answers
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub context: String,
    /// Offer only sources with this tag; several: any of them
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
}

/// What is trusted.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// What to do [default: show what is not trusted yet, and ask]
    #[command(subcommand)]
    pub command: Option<TrustCommand>,
}

/// The verbs of `trust`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Subcommand)]
pub enum TrustCommand {
    /// List what is trusted and what is not
    List,
    /// Trust nothing of this workspace any more
    Revoke,
}

/// The kinds of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum KindName {
    /// What a person asks.
    Prompt,
    /// What a tool answered.
    ToolResult,
    /// What an agent is told at the start.
    SystemInstructions,
}
