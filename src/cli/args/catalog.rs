//! Arguments of the commands on the catalog and the selection.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args, Default)]
pub struct ListArgs {
    /// Only sources with this tag; repeat it for sources with any of several
    #[arg(short = 't', long = "tag", value_name = "TAG", allow_hyphen_values = true)]
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
    #[arg(short = 't', long = "tag", value_name = "TAG", allow_hyphen_values = true)]
    pub tags: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Ids {
    /// Ids of sources
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
}

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

#[derive(Debug, Args)]
pub struct RemoveArgs {
    /// Ids of sources
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    /// Remove without asking
    #[arg(long)]
    pub yes: bool,
}

/// Arguments of `why`, `show` and `edit`.
#[derive(Debug, Args)]
pub struct WhyArgs {
    /// Id of a source
    pub id: String,
}

/// Output languages of `graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// Print Graphviz DOT
    #[arg(long, conflicts_with_all = ["mermaid", "svg"])]
    pub dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with = "svg")]
    pub mermaid: bool,
    /// Print a picture as SVG
    #[arg(long)]
    pub svg: bool,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The folder of another workspace, or a configuration file [default: this workspace]
    pub path: Option<PathBuf>,
    /// Rewrite absolute paths that belong to another machine
    #[arg(long)]
    pub fix: bool,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Folders of the workspace to look in [default: all of it]
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// Write every source that is ticked, without asking
    #[arg(long)]
    pub yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Also list what is not ticked
    #[arg(long)]
    pub all: bool,
    /// Write all sources into references.json instead of a file for each
    #[arg(long)]
    pub one_file: bool,
}

#[derive(Debug, Args)]
pub struct AddArgs {
    /// Files, folders, patterns such as 'docs/**/*.md', or http(s) URLs
    #[arg(value_name = "PATH|URL", required = true)]
    pub places: Vec<String>,
    /// The id of the source [default: derived from the file name]
    #[arg(long, allow_hyphen_values = true)]
    pub id: Option<String>,
    /// The name of the source [default: the title of the document, else the file name]
    #[arg(long, allow_hyphen_values = true)]
    pub name: Option<String>,
    /// One sentence about the source [default: the document's own, else its first paragraph]
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub description: Option<String>,
    /// A tag; repeat it for several [default: what the document is about]
    #[arg(long = "tag", short = 't', value_name = "TAG", allow_hyphen_values = true)]
    pub tags: Vec<String>,
    /// When agents get the source
    #[arg(long, value_enum, default_value_t = NewMode::Selectable)]
    pub mode: NewMode,
    /// Add each document of a folder as a separate source
    #[arg(long)]
    pub each: bool,
}

/// The mode of a new source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum NewMode {
    /// Always in the instructions.
    Auto,
    /// Picked or pulled in.
    Selectable,
}
