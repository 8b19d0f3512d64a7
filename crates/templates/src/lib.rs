//! What can be generated: the templates that a selection brings, their names, syntax and variables (BEHAVIOUR §6).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use refdesk_core::catalog::SourceId;
use refdesk_files::Stamp;

mod cache;
mod cached_search;
mod check_values;
mod discover;
mod embedded;
mod generated;
mod handlebars;
mod index;
mod jinja;
pub mod limits;
mod listing;
mod many;
mod mustache;
mod name;
mod output_line;
mod overrides;
mod read;
pub mod render;
mod standalone;
mod syntax;
mod tags;
mod usage;
mod variables;
mod words;

#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod tree_tests;

pub use cache::Cache;
pub use check_values::{Fit, NamedValue, fit};
pub use embedded::documents::is_markdown;
pub use embedded::{Extracted, Rejected, extract};
pub(crate) use generated::{Stripped, strip};
pub(crate) use handlebars::check as check_handlebars;
pub use index::{IndexInput, index, of_files, of_text};
pub(crate) use jinja::{
    as_written as jinja_as_written, asks_about_a_value, for_engine as jinja_for_engine, from_engine,
};
pub use listing::listing;
pub use many::Many;
pub use name::NameError;
pub use output_line::output_line;
pub use overrides::FILE as OVERRIDES;
pub use read::{Analysis, ParseError, analyse, read, variables};
pub use syntax::Ambiguity;
pub use variables::{names, sample, schema, skeleton};

/// The language a template is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Syntax {
    /// Jinja2.
    Jinja2,
    /// Mustache.
    Mustache,
    /// Handlebars.
    Handlebars,
}

impl Syntax {
    /// `jinja2`, `mustache` or `handlebars`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Jinja2 => "jinja2",
            Self::Mustache => "mustache",
            Self::Handlebars => "handlebars",
        }
    }

    /// The language of this name, in any case; `jinja` counts too.
    pub fn from_word(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "jinja2" | "jinja" => Some(Self::Jinja2),
            "mustache" => Some(Self::Mustache),
            "handlebars" => Some(Self::Handlebars),
            _ => None,
        }
    }
}

/// What a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// Printed.
    Scalar,
    /// Only tested.
    Flag,
    /// Iterated; the fields are those of its items.
    List,
    /// Looked into.
    Object,
}

/// A name that a template asks for, and what it asks of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// What it holds.
    pub kind: VariableKind,
    /// Defaulted, or only tested.
    pub optional: bool,
    /// Fields of the object, or of the list's items, sorted by name.
    pub fields: Vec<Variable>,
}

/// Where a template comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateOrigin {
    /// A file of its own.
    Standalone,
    /// A code block of a document.
    Embedded,
}

/// Where the files of embedded templates are written, in a workspace.
pub const FOLDER: &str = ".jaato/templates";

/// A template that was taken from a text of a tool and lies in [`FOLDER`] as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The file's name.
    pub name: String,
    /// SHA-256 of its text.
    pub hash: String,
}

/// What a template is that stands in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateBlock {
    /// Its text.
    pub text: Arc<str>,
    /// SHA-256 of the text.
    pub hash: String,
    /// The document, absolute; for the content of an inline source the file that defines it.
    pub document: Arc<Path>,
    /// The line where its text begins, from 1: of the document, for an inline source of its content.
    pub line: usize,
}

/// One template of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Unique in the index.
    pub name: String,
    /// File or code block.
    pub origin: TemplateOrigin,
    /// The language, detected or settled by an override.
    pub syntax: Syntax,
    /// What it asks for, sorted by name; empty where it does not parse.
    pub variables: Vec<Variable>,
    /// Why it does not parse, if it does not.
    pub problem: Option<String>,
    /// The file, absolute. Of an embedded one it is where it is written to, whether or not it was.
    pub path: PathBuf,
    /// The source that brought it; `None` for the workspace's own `.templates/`.
    pub source: Option<SourceId>,
    /// The path within the source, forward slashes; of an embedded one its file's name.
    pub within: String,
    /// The folder that `within` is a path of, without links: the file is read below it. Empty for an embedded one.
    pub root: Arc<Path>,
    /// Size and time of the file: an index differs when a text does, also where names and variables stay. Nothing for an
    /// embedded one, which has its text.
    pub stamp: Stamp,
    /// What and where it is, for an embedded one.
    pub block: Option<TemplateBlock>,
}

impl Template {
    /// Its text as it stands in its file or block.
    ///
    /// # Errors
    ///
    /// As [`read`]; the file became a link that leads out of its folder, or the folder became one.
    pub fn text(&self) -> Result<String, String> {
        match &self.block {
            Some(block) => Ok(block.text.to_string()),
            None => read::read_below(&self.root, &self.within),
        }
    }

    /// Where line `line` of it stands, for an editor: in its file, or in its document.
    pub fn place(&self, line: usize) -> (&Path, usize) {
        match &self.block {
            Some(block) => (&block.document, block.line + line.saturating_sub(1)),
            None => (&self.path, line),
        }
    }
}

/// Every template that the selection brings, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateIndex {
    /// Sorted by name.
    pub templates: Vec<Template>,
}
