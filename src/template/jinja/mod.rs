//! Jinja2 as far as a template's reader needs it: does it parse, and what does it ask for. Rendering is minijinja's work
//! (`render::jinja`); reading is ours, because a tree of variables needs the places where names stand, and because a
//! bounded reader keeps texts that would exhaust an engine's stack away from it.

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

/// Where a name that must be there stands first, for names that are nowhere defaulted, tested for being defined, or
/// guarded by such a test. The engine lets a comparison with a missing value pass; whoever renders asks here.
pub fn demanded(text: &str) -> Vec<(String, usize)> {
    lexer::tags(text).and_then(|tags| walk::demanded(&tags)).unwrap_or_default()
}

/// A loop outside every other block that goes through a `null` of these values, as Jinja2 refuses to: what it is called
/// and its line. The engine takes it for an empty list.
pub fn loop_over_null(text: &str, values: &serde_json::Value) -> Option<(String, usize)> {
    let loops = lexer::tags(text).and_then(|tags| walk::loops(&tags)).unwrap_or_default();
    loops.into_iter().find_map(|(path, line)| {
        let (mut value, mut name) = (values, String::new());
        for step in &path {
            let Step::Field(field) = step else { return None };
            value = value.get(field)?;
            name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
        }
        value.is_null().then_some((name, line))
    })
}

/// A syntax error as the engine says it.
pub fn from_engine(error: &minijinja::Error) -> ParseError {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    match error.line() {
        Some(line) => ParseError::at(line, format!("{detail} at line {line}")),
        None => ParseError { message: detail, line: None },
    }
}
