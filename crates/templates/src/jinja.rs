//! Jinja2 before rendering: whether a template parses, its variables, and its translation, which makes the engine
//! (`render::jinja`) behave like Jinja2. Uses minijinja's tokenizer and parser; the parser gets only templates with
//! bounded nesting.

use minijinja::machinery::ast::Stmt;
use minijinja::machinery::{Span, Token, parse};
use minijinja::syntax::SyntaxConfig;

use super::usage::VariableUses;
use crate::error::error_at;
use refdesk_text::Error;

mod blocks;
mod bounds;
mod edits;
mod expressions;
mod operators;
mod placeholders;
mod scope;
mod statements;
mod strings;
mod tokens;
mod unknown_names;
mod unpacked;

pub(crate) use edits::as_written;
pub(crate) use operators::is_value_test;
pub(crate) use strings::{end_of_raw, end_of_string};
pub(crate) use unknown_names::{NameKind, always_unknown, unknown_name, unknown_names};

/// The functions available in every template, with their names in the engine. They are renamed because a name that is
/// not called is a variable, which the engine would also look up among its functions.
pub(crate) const FUNCTIONS: [(&str, &str); 6] = [
    ("range", "__range__"),
    ("dict", "__dict__"),
    ("namespace", "__namespace__"),
    ("joiner", "__joiner__"),
    ("cycler", "__cycler__"),
    ("lipsum", "__lipsum__"),
];

/// Those of them that are refused, with what to do instead.
pub(crate) const REFUSED_FUNCTIONS: [(&str, &str); 2] =
    [("cycler", "use loop.cycle in a loop"), ("lipsum", "a template cannot generate text")];

/// Words in an expression that are not names.
const KEYWORDS: [&str; 13] =
    ["and", "else", "false", "False", "if", "in", "is", "none", "None", "not", "or", "true", "True"];

/// Python's methods that modify their list or dict.
pub(crate) const MUTATING_METHODS: [&str; 11] =
    ["append", "extend", "insert", "pop", "popitem", "remove", "sort", "reverse", "clear", "update", "setdefault"];

/// Names that cannot be variables.
pub(crate) const RESERVED: [&str; 2] = ["self", "super"];

/// Tags that BEHAVIOUR §6 refuses: a template cannot use other templates or define code.
const REFUSED: [&str; 7] = ["include", "import", "from", "extends", "block", "macro", "call"];

/// The variables of a template.
///
/// # Errors
///
/// The template does not parse, uses a refused tag, or exceeds a limit; with the line.
pub(crate) fn uses(text: &str) -> Result<VariableUses, Error> {
    parsed(&tokens::prepare(text)?, statements::shape)
}

/// Translates a template for the engine; `has_typed` if some of its values were typed, which it reads as numbers where it
/// needs some.
///
/// # Errors
///
/// The template does not parse, or exceeds a limit.
pub(crate) fn for_engine(text: &str, has_typed: bool) -> Result<String, Error> {
    let prepared = tokens::prepare(text)?;
    let edits = parsed(&prepared, |statements| operators::edits(&prepared, statements, has_typed))?;
    Ok(edits::apply(&prepared, edits))
}

fn parsed<T>(prepared: &str, read: impl FnOnce(&[Stmt<'_>]) -> T) -> Result<T, Error> {
    match parse(prepared, "", SyntaxConfig::default()) {
        Ok(Stmt::Template(template)) => Ok(read(&template.children)),
        Ok(statement) => Ok(read(&[statement])),
        Err(error) => Err(from_engine(&error)),
    }
}

/// Whether the template has a printed variable or a block. Comments, raw blocks and literals do not count.
pub(crate) fn has_placeholders(text: &str) -> bool {
    let mut found = false;
    let read = tokens::tags(text, |tag| {
        found |= if tag.is_statement {
            let first = tag.tokens.first().map(|(token, _)| token);
            matches!(first, Some(Token::Ident("for" | "if" | "with" | "filter" | "autoescape")))
        } else {
            names_a_variable(&tag.tokens)
        };
        Ok(())
    });
    read.is_ok() && found
}

/// Whether any name is not a keyword, a called function or the name of an argument and does not follow `|` or a dot.
fn names_a_variable(tokens: &[(Token<'_>, Span)]) -> bool {
    let mut before = None;
    tokens.iter().enumerate().any(|(at, (token, _))| {
        let follows = matches!(before.replace(token), Some(Token::Pipe | Token::Dot | Token::Ident("is")));
        let Token::Ident(name) = token else { return false };
        let names_no_value = matches!(tokens.get(at + 1), Some((Token::ParenOpen | Token::Assign, _)));
        !follows && !names_no_value && !KEYWORDS.contains(name) && !RESERVED.contains(name)
    })
}

/// The error for the engine's syntax error.
pub(crate) fn from_engine(error: &minijinja::Error) -> Error {
    let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    error_at(error.line(), detail)
}
