//! Jinja2 as far as a template's reader needs it: does it parse, and what does it ask for. Rendering is minijinja's work
//! (`render::jinja`); reading is ours, because a tree of variables needs the places where names stand, and because a
//! bounded reader keeps texts that would exhaust an engine's stack away from it.

use std::sync::LazyLock;

use minijinja::Environment;

use lexer::{Tag, TagKind, Token};

use super::ParseError;
use super::shape::Shape;

mod ask;
mod expr;
mod grammar;
mod lexer;
mod mend;
mod scope;
mod walk;

pub use grammar::asks_about_a_value;
pub use lexer::{end_of_raw, end_of_string};
pub use mend::shown;

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
    let (shape, mended) = read(text)?;
    match ENGINE.template_from_str(&mended) {
        Ok(_) => Ok(shape),
        Err(error) => Err(from_engine(&error)),
    }
}

/// The template as the engine reads it.
///
/// # Errors
///
/// As the reading for the tree of variables, but for what only the engine refuses.
pub fn mend(text: &str) -> Result<String, ParseError> {
    read(text).map(|(_, mended)| mended)
}

fn read(text: &str) -> Result<(Shape, String), ParseError> {
    let (shape, edits) = walk::walk(&lexer::tags(text)?)?;
    Ok((shape, mend::mended(text, edits)))
}

/// Whether there is something to fill in or to go through: a variable that is printed, or a block. Comments, raw blocks and
/// literals are none.
pub fn asks(text: &str) -> bool {
    let Ok(tags) = lexer::tags(text) else { return false };
    tags.iter().any(|tag| match tag.kind {
        TagKind::Output => names_a_variable(tag),
        TagKind::Statement => {
            let first = tag.tokens.first().map(|placed| placed.token);
            matches!(first, Some(Token::Name("for" | "if" | "with" | "filter" | "autoescape")))
        }
    })
}

/// A name that is no word of the language, and that stands neither behind `|` nor behind a dot.
fn names_a_variable(tag: &Tag<'_>) -> bool {
    const WORDS: [&str; 13] =
        ["and", "else", "false", "False", "if", "in", "is", "none", "None", "not", "or", "true", "True"];
    let mut before = None;
    tag.tokens.iter().map(|placed| placed.token).any(|token| {
        let behind = before.replace(token);
        let follows = matches!(behind, Some(Token::Op("|" | ".") | Token::Name("is")));
        matches!(token, Token::Name(name) if !follows && !WORDS.contains(&name) && !GLOBALS.contains(&name))
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
