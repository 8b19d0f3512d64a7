//! Jinja2 as far as a template's reader needs it: does it parse, and what does it ask for. Rendering is minijinja's work
//! (`render::jinja`); reading is ours, because a tree of variables needs the places where names stand, and because a
//! bounded reader keeps texts that would exhaust an engine's stack away from it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::Environment;

use lexer::{Tag, TagKind, Token};

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

/// Whether there is something to fill in or to go through: a variable that is printed, or a block. Comments, raw blocks and
/// literals are none.
pub fn asks(text: &str) -> bool {
    let Ok(tags) = lexer::tags(text) else { return false };
    tags.iter().any(|tag| match tag.kind {
        TagKind::Output => names_a_variable(tag),
        TagKind::Statement => {
            matches!(tag.tokens.first(), Some((Token::Name("for" | "if" | "with" | "filter" | "autoescape"), _)))
        }
    })
}

/// A name that is no word of the language, and that stands neither behind `|` nor behind a dot.
fn names_a_variable(tag: &Tag<'_>) -> bool {
    const WORDS: [&str; 13] =
        ["and", "else", "false", "False", "if", "in", "is", "none", "None", "not", "or", "true", "True"];
    let mut before = None;
    tag.tokens.iter().any(|(token, _)| {
        let behind = before.replace(*token);
        let follows = matches!(behind, Some(Token::Op("|" | ".") | Token::Name("is")));
        matches!(token, Token::Name(name) if !follows && !WORDS.contains(name) && !GLOBALS.contains(name))
    })
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
/// As [`uses`], except for what only the engine finds.
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
