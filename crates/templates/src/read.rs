//! Reads one template: its text, language and variables, and why it does not parse. Everything that names or renders
//! templates builds on this.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use serde_json::Value;

use super::error::{in_file, template_error};
use super::limits::{CHECKED_BYTES, SPLIT, TEMPLATE_BYTES, is_too_large, too_large};
use super::render::{partials, unsupported};
use super::syntax::{Ambiguity, detect};
use super::usage::VariableUses;
use super::{Stripped, Syntax, Variable, handlebars, jinja, mustache, strip};
use refdesk_files::nofollow::open_in;
use refdesk_files::{Stamp, open_regular, read_stamped};
use refdesk_text::lines::breaks;
use refdesk_text::{Code, Error};

/// Result of analysing a template's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Its language, detected or overridden.
    pub syntax: Syntax,
    /// Another language it might be in; `None` if the language is overridden.
    pub ambiguous: Option<Ambiguity>,
    /// Its variables without those of its partials, sorted by name; empty if it does not parse.
    pub variables: Vec<Variable>,
    /// Whether it is Mustache and uses partials.
    pub uses_partials: bool,
    /// Why it does not parse, or cannot be rendered whatever the values.
    pub problem: Option<Error>,
    /// Jinja2 filters, tests and functions that do not exist: rendering fails when it reaches one. In Mustache, paths of
    /// Handlebars to outer values: nothing is printed.
    pub unknown: Vec<Error>,
}

/// Analyses the text of a template's file; `settled` is the language that an override sets.
pub fn analyse(text: &str, settled: Option<Syntax>) -> Analysis {
    if text.len() > TEMPLATE_BYTES {
        return too_large_to_analyse(settled);
    }
    let (syntax, ambiguous) = settled.map_or_else(|| detect(text), |syntax| (syntax, None));
    let stripped = strip(text);
    let is_checked = text.len() <= CHECKED_BYTES;
    match uses(&stripped, syntax) {
        Ok(_) if is_checked && let Some(problem) = unrenderable(&stripped, syntax) => {
            Analysis { ambiguous, ..broken(syntax, problem) }
        }
        Ok(_)
            if syntax == Syntax::Mustache
                && settled.is_none()
                && let Some(tag) = mustache::go_tag(&stripped.text) =>
        {
            broken(syntax, in_file(tag, &stripped))
        }
        Ok(uses) => {
            let variables = uses.variables();
            let uses_partials = syntax == Syntax::Mustache && partials::is_used_in(text);
            let unknown = unknown_names(&stripped, syntax);
            let reached = if syntax == Syntax::Jinja2 { jinja::always_unknown(&stripped.text) } else { None };
            let problem = reached.map(|error| in_file(error, &stripped));
            Analysis { syntax, ambiguous, variables, uses_partials, problem, unknown }
        }
        Err(problem) => Analysis { ambiguous, ..broken(syntax, problem) },
    }
}

/// The variables of a template, sorted by name.
///
/// # Errors
///
/// It does not parse or exceeds a limit; the line is that of the file.
pub fn variables(text: &str, syntax: Syntax) -> Result<Vec<Variable>, Error> {
    uses(&strip(text), syntax).map(VariableUses::variables)
}

/// Sets every missing value that a template only tests, so that strict rendering does not fail, to `false` or to an
/// object of such values. Returns the top-level names and what they were set to; empty if the template does not parse.
pub fn give_flags(text: &str, syntax: Syntax, values: &mut Value) -> Vec<(String, Value)> {
    uses(&strip(text), syntax).map(|uses| uses.give_flags(values)).unwrap_or_default()
}

/// Whether a template uses the object that holds all values as a whole, such as in `{{.}}` outside sections; `false` if it
/// does not parse.
pub fn uses_root(text: &str, syntax: Syntax, partials: &BTreeMap<String, String>) -> bool {
    let uses = match syntax {
        Syntax::Mustache => partials::uses(text, partials),
        Syntax::Jinja2 | Syntax::Handlebars => uses(&strip(text), syntax),
    };
    uses.is_ok_and(|uses| uses.uses_root())
}

fn uses(stripped: &Stripped<'_>, syntax: Syntax) -> Result<VariableUses, Error> {
    let uses = match syntax {
        Syntax::Jinja2 => jinja::uses(&stripped.text),
        Syntax::Mustache => mustache::parse(&stripped.text).map(|parsed| mustache::uses(&parsed.nodes)),
        Syntax::Handlebars => handlebars::uses(&stripped.text),
    };
    uses.map_err(|error| in_file(error, stripped))
}

/// Why a template that parses cannot be rendered: Handlebars has more features than are supported here. A template
/// larger than [`CHECKED_BYTES`] is checked only when it is rendered, in a process with a time limit, because the parser
/// takes quadratic time and a listing must not wait for it.
fn unrenderable(stripped: &Stripped<'_>, syntax: Syntax) -> Option<Error> {
    let problem = if syntax == Syntax::Handlebars { unsupported(&stripped.text) } else { None };
    problem.map(|error| in_file(error, stripped))
}

fn unknown_names(stripped: &Stripped<'_>, syntax: Syntax) -> Vec<Error> {
    let unknown = match syntax {
        Syntax::Jinja2 => jinja::unknown_names(&stripped.text),
        Syntax::Mustache => mustache::parent_paths(&stripped.text),
        Syntax::Handlebars => Vec::new(),
    };
    unknown.into_iter().map(|error| in_file(error, stripped)).collect()
}

/// Why a file is not read as a template: a predicate whose subject is the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadError {
    what: String,
    is_too_large: bool,
    /// The line with the first byte that is not UTF-8, from 1.
    pub line: Option<usize>,
}

impl ReadError {
    fn new(what: String) -> Self {
        Self { what, is_too_large: false, line: None }
    }

    /// What to do about the file at this displayed path.
    pub fn fix(&self, file: &str) -> String {
        match self.line {
            _ if self.is_too_large => SPLIT.to_owned(),
            Some(line) => format!("correct {file}:{line}"),
            None => format!("correct {file}"),
        }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// The text of a template file named by the user.
///
/// # Errors
///
/// It cannot be read, is too large, or is not UTF-8 (with the line).
pub fn read(path: &Path) -> Result<String, ReadError> {
    text_if_small(stamped(open_regular(path))?.1)
}

/// The text of a template file below a folder whose links are resolved.
///
/// # Errors
///
/// See [`read`]; also if the file or the folder has become a link that leads out of the folder.
pub(super) fn read_below(root: &Path, within: &str) -> Result<String, ReadError> {
    text_if_small(bytes_below(root, within)?.1)
}

/// The stamp and the bytes of a template file below a folder whose links are resolved; no bytes if it is too large.
pub(super) fn bytes_below(root: &Path, within: &str) -> Result<(Stamp, Option<Vec<u8>>), ReadError> {
    stamped(open_in(root, &root.join(within)))
}

fn stamped(opened: io::Result<(File, Metadata)>) -> Result<(Stamp, Option<Vec<u8>>), ReadError> {
    let read = opened.and_then(|file| read_stamped(file, TEMPLATE_BYTES as u64));
    read.map_err(|error| ReadError::new(format!("cannot be read: {error}")))
}

fn text_if_small(bytes: Option<Vec<u8>>) -> Result<String, ReadError> {
    text_of(bytes.ok_or_else(|| ReadError { is_too_large: true, ..ReadError::new(is_too_large()) })?)
}

/// Decodes the bytes as text.
pub(super) fn text_of(bytes: Vec<u8>) -> Result<String, ReadError> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = breaks(valid) + 1;
        ReadError { line: Some(line), ..ReadError::new(format!("is not UTF-8: line {line} has invalid bytes")) }
    })
}

/// The analysis of a template that is too large to read.
pub(super) fn too_large_to_analyse(settled: Option<Syntax>) -> Analysis {
    let problem = Error { code: Code::TooLarge, ..template_error(None, too_large()) };
    broken(settled.unwrap_or(Syntax::Jinja2), problem)
}

fn broken(syntax: Syntax, problem: Error) -> Analysis {
    let (variables, unknown) = (Vec::new(), Vec::new());
    Analysis { syntax, ambiguous: None, variables, uses_partials: false, problem: Some(problem), unknown }
}
