//! Templates: those that a selection provides, their names, syntax and variables (BEHAVIOUR §6).

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use refdesk_core::catalog::SourceId;
use refdesk_files::Stamp;
use refdesk_text::Error;

mod cache;
mod cached_search;
mod check_values;
mod discover;
mod embedded;
mod error;
mod generated;
mod handlebars;
mod index;
mod jinja;
pub mod limits;
mod listing;
mod mustache;
mod name;
mod output_line;
mod overrides;
mod read;
pub mod render;
mod selection_templates;
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
pub use check_values::{MisreadText, NamedValue, ValueCheck, check_values};
pub use embedded::documents::is_markdown;
pub use embedded::{Extracted, Rejected, extract};
pub(crate) use generated::{Stripped, strip};
pub use index::{IndexInput, index, of_files, of_text};
pub use listing::listing;
pub use output_line::output_line;
pub use overrides::FILE as OVERRIDES;
pub use read::{Analysis, ReadError, analyse, give_flags, read, uses_root, variables};
pub use selection_templates::SelectionTemplates;
pub use syntax::Ambiguity;
pub use variables::{holds_sample, names, sample, schema, skeleton};

refdesk_text::worded_enum! {
    /// The language a template is written in.
    pub enum Syntax {
        /// Jinja2.
        Jinja2 = "jinja2",
        /// Mustache.
        Mustache = "mustache",
        /// Handlebars.
        Handlebars = "handlebars",
    }
}

impl Syntax {
    /// The language with this name, in any case; `jinja` is accepted too.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        if name == "jinja" { Some(Self::Jinja2) } else { Self::from_word(&name) }
    }
}

/// How a template uses a variable.
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

/// What is known of the value of a scalar, or of each item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueType {
    /// A text, a number or a truth value.
    #[default]
    Plain,
    /// A number, because the template computes with it.
    Number,
    /// A list that is unpacked into this many names.
    Unpacked(usize),
    /// Any value, because the template only passes it on.
    Any,
}

/// What a template does with a text that is given for a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextForNumber {
    /// It takes a text, too, or asks for the type.
    #[default]
    Fits,
    /// It compares the text or repeats it, which is a mistake if the text is a number.
    MayFit,
    /// It fails.
    Fails,
}

/// A variable of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Variable {
    /// The name.
    pub name: String,
    /// How the template uses it.
    pub kind: VariableKind,
    /// What is known of its value; the tree in JSON has only the kind.
    #[serde(skip)]
    pub value_type: ValueType,
    /// What the template does with a text that is given for it, or for an item of it, where it takes a number.
    #[serde(skip)]
    pub text_for_number: TextForNumber,
    /// Whether the template loops over it, and does nothing else for which a text would do.
    #[serde(skip)]
    pub is_looped_over: bool,
    /// Whether the template also uses the object, or the items of the list, in another way than by the names of fields.
    #[serde(skip)]
    pub is_whole: bool,
    /// Whether it has a default or is only tested.
    pub optional: bool,
    /// Fields of the object, or of the list's items, sorted by name.
    pub fields: Vec<Variable>,
}

/// The kind of place a template comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TemplateOrigin {
    /// A separate file.
    Standalone,
    /// A code block of a document.
    Embedded,
}

/// The workspace folder for the files of embedded templates.
pub const FOLDER: &str = ".jaato/templates";

/// A template extracted from a tool result and stored in [`FOLDER`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedTemplate {
    /// The file's name.
    pub name: String,
    /// SHA-256 of its text.
    pub hash: String,
}

/// Additional data of an embedded template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateBlock {
    /// Its text.
    pub text: Arc<str>,
    /// SHA-256 of the text.
    pub hash: String,
    /// The document, absolute; for inline content, the file that defines it.
    pub document: Arc<Path>,
    /// The line where its text begins, from 1, in the document or in the inline content.
    pub line: usize,
}

/// One template of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Unique in the index.
    pub name: String,
    /// File or code block.
    pub origin: TemplateOrigin,
    /// The language, detected or set by an override.
    pub syntax: Syntax,
    /// Its variables, sorted by name; empty if it does not parse.
    pub variables: Vec<Variable>,
    /// Whether it is Mustache and uses partials, whose variables are among its own.
    pub uses_partials: bool,
    /// Why it does not parse, or cannot be rendered whatever the values.
    pub problem: Option<String>,
    /// The file, absolute. For an embedded template, the file it would be written to.
    pub path: PathBuf,
    /// Its source; `None` for the workspace's own `.templates/`.
    pub source: Option<SourceId>,
    /// The path within the source, forward slashes; for an embedded template, the file name.
    pub within: String,
    /// The folder that `within` is relative to, with links resolved: the file is read below it. Empty for an embedded
    /// template.
    pub root: Arc<Path>,
    /// Size and time of the file, so that the index changes with a text even if names and variables stay the same.
    /// Unset for an embedded template, whose text is in `block`.
    pub stamp: Stamp,
    /// Text and position of an embedded template.
    pub block: Option<TemplateBlock>,
    /// Whether it was extracted from a tool result: anybody may have written even its name, so that nothing names it
    /// but the enrichment of that result and what a person asks for.
    pub is_taken: bool,
}

impl Template {
    /// What to do about its text at `place`; if an override sets another language than the text shows, about that too.
    pub fn correction(&self, place: &str) -> String {
        if self.stamp.size > limits::TEMPLATE_BYTES as u64 {
            return limits::SPLIT.to_owned();
        }
        let text = self.text().unwrap_or_default();
        let is_overridden = syntax::detect(&text).0 != self.syntax;
        if self.syntax == Syntax::Mustache && mustache::go_tag(&strip(&text).text).is_some() {
            format!(r#"if it is Mustache, set its language in {OVERRIDES}: {{"{}": "mustache"}}"#, self.name)
        } else if is_overridden {
            format!("check the language of '{}' in {OVERRIDES}, or correct {place}", self.name)
        } else {
            format!("correct {place}")
        }
    }

    /// The text of its file or block.
    ///
    /// # Errors
    ///
    /// See [`read`]; also if the file or its folder has become a link that leads out of the folder.
    pub fn text(&self) -> Result<String, ReadError> {
        match &self.block {
            Some(block) => Ok(block.text.to_string()),
            None => read::read_below(&self.root, &self.within),
        }
    }

    /// For an editor: the file or document that contains line `line` of the template, and the line number there.
    pub fn place(&self, line: usize) -> (&Path, usize) {
        match &self.block {
            Some(block) => (&block.document, block.line + line.saturating_sub(1)),
            None => (&self.path, line),
        }
    }
}

/// A file of the selection that cannot be read, and so is not a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableTemplate {
    /// Its source; `None` for the workspace's own `.templates/`.
    pub source: Option<SourceId>,
    /// The path within the source, forward slashes.
    pub within: String,
    /// Why it cannot be read, with the displayed file, and what to do.
    pub problem: Error,
}

/// Every template that can be rendered by its name: those of the selection, and those extracted from tool results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateIndex {
    /// Sorted by name.
    pub templates: Vec<Template>,
    /// The files of the selection that cannot be read, to be named when one of them is requested.
    pub unreadable: Vec<UnreadableTemplate>,
}

impl TemplateIndex {
    /// The templates that the selection provides; only they may be told to an agent, or be partials of others.
    pub fn of_selection(&self) -> impl Iterator<Item = &Template> + Clone {
        self.templates.iter().filter(|template| !template.is_taken)
    }
}
