//! Jinja2 as far as a template's reader needs it: does it parse, and what does it ask for. Rendering is minijinja's work
//! (`render::jinja`); reading is ours, because a tree of variables needs the places where names stand, and because a
//! bounded reader keeps texts that would exhaust an engine's stack away from it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::Environment;

use super::ParseError;
use super::shape::{Shape, Step};

mod ask;
mod expr;
mod grammar;
mod lexer;
mod scope;
mod walk;

pub use lexer::{end_of_raw, end_of_string};

/// Names that every template has without being given them.
pub const GLOBALS: [&str; 8] = ["range", "dict", "namespace", "joiner", "cycler", "lipsum", "self", "super"];

/// Tags that BEHAVIOUR §6 refuses: one template at a time, and no code of its own.
pub const REFUSED: [&str; 7] = ["include", "import", "from", "extends", "block", "macro", "call"];

static ENGINE: LazyLock<Environment<'static>> = LazyLock::new(Environment::empty);

/// What a template asks for.
///
/// # Errors
///
/// The template does not parse, uses a refused tag, or passes a limit; with the line.
pub fn uses(text: &str) -> Result<Shape, ParseError> {
    let shape = walk::walk(&lexer::tags(text)?)?;
    match ENGINE.template_from_str(text) {
        Ok(_) => Ok(shape),
        Err(error) => Err(from_engine(&error)),
    }
}

/// Where Jinja2 refuses what the engine lets pass; told once a template, whatever the values are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checks {
    /// Names that are nowhere defaulted, tested for being defined, or guarded by such a test, with their first line, which
    /// they are sorted by.
    demanded: Vec<(String, usize)>,
    /// Paths that loops outside every other block go through, with the loop's line.
    loops: Vec<(Vec<Step>, usize)>,
}

/// Reads a template for its renderer, which has an engine of its own to compile it.
///
/// # Errors
///
/// The template does not parse, as far as the engine is not needed to tell, uses a refused tag, or passes a limit; with the
/// line.
pub fn checks(text: &str) -> Result<Checks, ParseError> {
    walk::checks(&lexer::tags(text)?)
}

impl Checks {
    /// The first of these names that must be there, and its line. The engine lets a comparison with a missing value pass.
    pub fn first_demanded(&self, missing: &BTreeSet<String>) -> Option<(&str, usize)> {
        let is_missing = |name: &str| missing.contains(name) && !GLOBALS.contains(&name);
        self.demanded.iter().find(|(name, _)| is_missing(name)).map(|(name, line)| (name.as_str(), *line))
    }

    /// A loop outside every other block that goes through a `null` of these values, as Jinja2 refuses to: what it is
    /// called and its line. The engine takes it for an empty list.
    pub fn loop_over_null(&self, values: &serde_json::Value) -> Option<(String, usize)> {
        self.loops.iter().find_map(|(path, line)| {
            let (mut value, mut name) = (values, String::new());
            for step in path {
                let Step::Field(field) = step else { return None };
                value = value.get(field)?;
                name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
            }
            value.is_null().then_some((name, *line))
        })
    }
}

/// A syntax error as the engine says it.
pub fn from_engine(error: &minijinja::Error) -> ParseError {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    match error.line() {
        Some(line) => ParseError::at(line, format!("{detail} at line {line}")),
        None => ParseError { message: detail, line: None },
    }
}
