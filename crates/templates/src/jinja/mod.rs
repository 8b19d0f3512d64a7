//! Jinja2 before it is rendered: whether a template parses, what it asks for, and what the engine (`render::jinja`) has to
//! read so that it answers as Jinja2 does. The tokens and the tree are minijinja's own; its parser sees only templates
//! whose nesting was bounded.

use minijinja::machinery::ast::Stmt;
use minijinja::machinery::{Token, parse};
use minijinja::syntax::SyntaxConfig;

use super::ParseError;
use super::usage::VariableUses;

mod asked;
mod blocks;
mod bounds;
mod edits;
mod operators;
mod scope;
mod statements;
mod strings;
mod tokens;

pub use edits::as_written;
pub use operators::asks_about_a_value;
pub use strings::{end_of_raw, end_of_string};

/// Names that every template has without being given them.
pub const GLOBALS: [&str; 8] = ["range", "dict", "namespace", "joiner", "cycler", "lipsum", "self", "super"];

/// Tags that BEHAVIOUR §6 refuses: one template at a time, and no code of its own.
pub const REFUSED: [&str; 7] = ["include", "import", "from", "extends", "block", "macro", "call"];

/// What a template asks for.
///
/// # Errors
///
/// The template does not parse, uses a refused tag, or passes a limit; with the line.
pub fn uses(text: &str) -> Result<VariableUses, ParseError> {
    parsed(&tokens::prepare(text)?, statements::shape)
}

/// The template as the engine reads it.
///
/// # Errors
///
/// The template does not parse, or passes a limit.
pub fn for_engine(text: &str) -> Result<String, ParseError> {
    let prepared = tokens::prepare(text)?;
    let edits = parsed(&prepared, |statements| operators::edits(&prepared, statements))?;
    Ok(edits::apply(&prepared, edits))
}

fn parsed<T>(prepared: &str, read: impl FnOnce(&[Stmt<'_>]) -> T) -> Result<T, ParseError> {
    match parse(prepared, "", SyntaxConfig::default()) {
        Ok(Stmt::Template(template)) => Ok(read(&template.children)),
        Ok(statement) => Ok(read(&[statement])),
        Err(error) => Err(from_engine(&error)),
    }
}

/// Whether there is something to fill in or to go through: a variable that is printed, or a block. Comments, raw blocks and
/// literals are none.
pub fn asks(text: &str) -> bool {
    let mut asks = false;
    let read = tokens::tags(text, |tag| {
        asks |= if tag.is_statement {
            let first = tag.tokens.first().map(|(token, _)| token);
            matches!(first, Some(Token::Ident("for" | "if" | "with" | "filter" | "autoescape")))
        } else {
            names_a_variable(tag.tokens.iter().map(|(token, _)| token))
        };
        Ok(())
    });
    read.is_ok() && asks
}

/// A name that is no word of the language, and that stands neither behind `|` nor behind a dot.
fn names_a_variable<'e>(mut tokens: impl Iterator<Item = &'e Token<'e>>) -> bool {
    const WORDS: [&str; 13] =
        ["and", "else", "false", "False", "if", "in", "is", "none", "None", "not", "or", "true", "True"];
    let mut before = None;
    tokens.any(|token| {
        let follows = matches!(before.replace(token), Some(Token::Pipe | Token::Dot | Token::Ident("is")));
        matches!(token, Token::Ident(name) if !follows && !WORDS.contains(name) && !GLOBALS.contains(name))
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
