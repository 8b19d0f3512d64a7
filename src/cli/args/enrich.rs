//! Arguments of the commands that add to a text, or explain what they would add.

use std::fmt::Display;
use std::num::{IntErrorKind, ParseIntError};
use std::str::FromStr;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use refdesk_desk::DOCUMENT_KINDS;
use refdesk_enrich::Budget;

/// The budget for what is added to a text.
#[derive(Debug, Clone, Copy, Args)]
pub struct BudgetArgs {
    /// Add at most this many characters (UTF-16 code units)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count::<usize>)]
    pub max_chars: Option<usize>,
    /// Add at most this many tokens (estimated)
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count::<usize>)]
    pub max_tokens: Option<usize>,
}

/// Parses a count, such as a number of characters or tokens.
pub fn count<N: FromStr<Err = ParseIntError>>(text: &str) -> Result<N, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => "it is too large".to_owned(),
        _ => "it must be a whole number, 0 or more".to_owned(),
    })
}

/// Parses a whole number from `least` to `most`, inclusive.
pub fn between<N>(least: N, most: N) -> impl Fn(&str) -> Result<N, String> + Clone + Send + Sync + 'static
where
    N: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text: &str| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("it must be a whole number from {least} to {most}"))
    }
}

impl From<BudgetArgs> for Budget {
    fn from(args: BudgetArgs) -> Self {
        Self { chars: args.max_chars, tokens: args.max_tokens }
    }
}

/// A text, and what it is.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// The text [default: standard input]
    #[arg(value_name = "TEXT")]
    pub words: Vec<String>,
    /// The kind of text [default: prompt; with --tool or --args: tool_result]
    #[arg(long, value_enum)]
    pub kind: Option<KindName>,
    /// The tool that returned the text (for tool results)
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The tool's arguments as a JSON object (for tool results)
    #[arg(long, value_name = "JSON")]
    pub args: Option<String>,
}

#[derive(Debug, Args)]
pub struct EnrichArgs {
    /// The text and its kind
    #[command(flatten)]
    pub text: TextArgs,
    /// Add everything, even what this session was already sent, and remember nothing
    #[arg(long)]
    pub repeat: bool,
    /// Do not remember this as sent
    #[arg(long)]
    pub dry_run: bool,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// First forget what this session was sent, because its conversation was compacted or cleared
    #[arg(long, value_enum)]
    pub event: Option<Forgetting>,
}

/// What makes a conversation lose its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Forgetting {
    /// After a compaction: the conversation was summarised.
    Compact,
    /// After /clear: the conversation was started again.
    Clear,
}

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The text and its kind
    #[command(flatten)]
    pub text: TextArgs,
    /// Ignore what the session was already sent
    #[arg(long)]
    pub repeat: bool,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
}

#[derive(Debug, Args)]
pub struct WhyNotArgs {
    /// Id of a source
    pub id: String,
    /// The prompt
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: String,
    /// The budget
    #[command(flatten)]
    pub budget: BudgetArgs,
}

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

#[derive(Debug, Default, Args)]
pub struct IndexArgs {
    /// Build a new index, which replaces the old one when it is complete
    #[arg(long)]
    pub fresh: bool,
    /// Compute no vectors: faster, but new text is found only by its words
    #[arg(long)]
    pub words_only: bool,
    /// Keep running, and update the index on every change
    #[arg(long)]
    pub watch: bool,
    /// Print nothing and run at the lowest priority
    #[arg(long, hide = true, conflicts_with = "watch")]
    pub background: bool,
    /// Exit when standard input is closed
    #[arg(long, hide = true, requires = "background")]
    pub until_eof: bool,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    /// What to search for: words, a question, or phrases in quotation marks: '"stack trace"'
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,
    /// Only documents of this kind; repeat it for several
    #[arg(long = "kind", value_name = "KIND", value_parser = PossibleValuesParser::new(DOCUMENT_KINDS))]
    pub kinds: Vec<String>,
    /// Only this source; repeat it for several
    #[arg(long = "source", value_name = "ID", allow_hyphen_values = true)]
    pub sources: Vec<String>,
    /// Only sources with this tag; repeat it for sources with any of several
    #[arg(short = 't', long = "tag", value_name = "TAG", allow_hyphen_values = true)]
    pub tags: Vec<String>,
    /// Only results about this documented database
    #[arg(long, value_name = "NAME")]
    pub database: Option<String>,
    /// Only results about this domain of a documented database
    #[arg(long, value_name = "NAME")]
    pub domain: Option<String>,
    /// Only selected sources
    #[arg(long)]
    pub selected: bool,
    /// Print at most this many hits
    #[arg(long, value_name = "N", default_value_t = 10, allow_negative_numbers = true, value_parser = between(1u8, 100))]
    pub limit: u8,
    /// Print at most this many tokens (estimated): first heading and place of each hit, then excerpts while they fit
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = count::<u64>)]
    pub max_tokens: Option<u64>,
    /// Explain why each hit was found
    #[arg(long)]
    pub explain: bool,
}
