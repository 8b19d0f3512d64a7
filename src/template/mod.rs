//! What can be generated: the templates that a selection brings, their names, syntax and variables (BEHAVIOUR §6).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::catalog::SourceId;
use crate::disk::Stamp;

mod discover;
mod generated;
mod handlebars;
mod index;
mod jinja;
pub mod limits;
pub mod mustache;
mod name;
mod output_line;
mod overrides;
mod read;
mod seek;
mod shape;
mod syntax;
mod tags;
mod variables;

#[cfg(test)]
mod index_tests;
#[cfg(test)]
mod tree_tests;

pub use generated::{Stripped, strip};
pub use index::index;
pub use jinja::{GLOBALS, demanded as demanded_in_jinja, from_engine, loop_over_null, uses as check_jinja};
pub use name::NameError;
pub use output_line::output_line;
pub use overrides::FILE as OVERRIDES;
pub use read::{Analysis, ParseError, analyse, read, variables};
pub use syntax::{Ambiguity, Detected, detect};
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
pub enum Origin {
    /// A file of its own.
    Standalone,
    /// A code block of a document.
    Embedded,
}

/// One template of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Unique in the index.
    pub name: String,
    /// File or code block.
    pub origin: Origin,
    /// The language, detected or settled by an override.
    pub syntax: Syntax,
    /// What it asks for, sorted by name; empty where it does not parse.
    pub variables: Vec<Variable>,
    /// Why it does not parse, if it does not.
    pub problem: Option<String>,
    /// The file, absolute.
    pub path: PathBuf,
    /// The source that brought it; `None` for the workspace's own `.templates/`.
    pub source: Option<SourceId>,
    /// `<path within the source>`, forward slashes.
    pub within: String,
    /// Size and time of the file: an index differs when a text does, also where names and variables stay.
    pub stamp: Stamp,
}

/// Every template that the selection brings, sorted by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateIndex {
    /// Sorted by name.
    pub templates: Vec<Template>,
}
