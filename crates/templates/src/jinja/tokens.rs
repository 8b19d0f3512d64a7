//! Processes a template's tokens before the engine's parser gets them: checks blocks, bounds expressions, and rewrites
//! what Jinja2 accepts but the engine's parser rejects or treats differently (a `+` sign, the list of a loop, slices,
//! tuples, escapes in strings).

use minijinja::machinery::{Span, Token, tokenize};
use minijinja::syntax::SyntaxConfig;

use super::blocks::{self, Blocks, ScopeChange};
use super::bounds::Height;
use super::edits::{SourceEdit, apply};
use super::unpacked::{self, is_several, parts};
use super::{from_engine, strings};
use crate::error::{error_at, template_error};
use refdesk_text::Error;
use refdesk_text::lines::LineCounter;

/// `{{ … }}` or `{% … %}`: its tokens without the delimiters.
pub(crate) struct JinjaTag<'t> {
    /// Whether it is `{% … %}`.
    pub is_statement: bool,
    /// The byte of its opening delimiter.
    start: usize,
    pub tokens: Vec<(Token<'t>, Span)>,
}

/// Calls `take` for each tag of a template.
///
/// # Errors
///
/// A tag, comment, string or raw block is not closed, a character begins no token, or `take` fails; with the line.
pub(crate) fn tags<'t>(text: &'t str, mut take: impl FnMut(JinjaTag<'t>) -> Result<(), Error>) -> Result<(), Error> {
    let (mut open, mut end): (Option<JinjaTag<'t>>, usize) = (None, 0);
    for token in tokenize(text, false, SyntaxConfig::default()) {
        let (token, span) = token.map_err(|error| unread(&error, text, end))?;
        end = offset(span.end_offset);
        match token {
            Token::TemplateData(_) => {}
            Token::VariableStart | Token::BlockStart => {
                let is_statement = matches!(token, Token::BlockStart);
                open = Some(JinjaTag { is_statement, start: offset(span.start_offset), tokens: Vec::new() });
            }
            Token::VariableEnd | Token::BlockEnd => open.take().map_or(Ok(()), &mut take)?,
            token => {
                if let Some(tag) = &mut open {
                    tag.tokens.push((token, span));
                }
            }
        }
    }
    open.map_or(Ok(()), |tag| Err(never_closed("tag", text, tag.start)))
}

/// The engine's byte offset as a `usize`.
pub(super) fn offset(bytes: u32) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The line of a byte, from 1.
pub(super) fn line_at(text: &str, at: usize) -> usize {
    LineCounter::new(text).line_of(at)
}

fn never_closed(what: &str, text: &str, at: usize) -> Error {
    let line = line_at(text, at);
    template_error(line, format!("the {what} opened at line {line} is never closed"))
}

/// The error for a tokenizer error. The engine reports the line where it stopped, which for something unclosed is the
/// last line, so this searches for the real start after `end`, the end of the last token.
fn unread(error: &minijinja::Error, text: &str, end: usize) -> Error {
    let rest = text.get(end..).unwrap_or_default();
    let after = |found: Option<usize>| end + found.unwrap_or_default();
    match error.detail() {
        Some("unexpected end of comment") => never_closed("comment", text, after(unclosed_comment(rest))),
        Some("unexpected end of raw block") => never_closed("raw block", text, after(rest.find("{%"))),
        Some("unexpected end of string") => never_closed("string", text, after(rest.find(['"', '\'']))),
        Some("unexpected character") => {
            let at = after(rest.find(|c: char| !c.is_whitespace()));
            let line = line_at(text, at);
            let found = text.get(at..).and_then(|rest| rest.chars().next()).unwrap_or_default();
            error_at(line, format!("unexpected character '{}'", found.escape_debug()))
        }
        _ => from_engine(error),
    }
}

/// The start of the first unclosed comment. Closed comments may precede it, because they are not tokens.
fn unclosed_comment(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += text.get(at..)?.find("{#")?;
        match text.get(at + 2..)?.find("#}") {
            Some(length) => at += length + 4,
            None => return Some(at),
        }
    }
}

/// A token for error messages.
pub(crate) fn describe(token: &Token<'_>) -> String {
    match token {
        Token::Ident(word) => format!("'{word}'"),
        token => token.to_string().replace('`', "'"),
    }
}

/// Rewrites a template for the engine's parser.
///
/// # Errors
///
/// See [`tags`]; also if blocks do not balance, a tag is refused, or a limit is exceeded; with the line.
pub(crate) fn prepare(text: &str) -> Result<String, Error> {
    let (mut lines, mut blocks, mut edits) = (LineCounter::new(text), Blocks::default(), Vec::new());
    tags(text, |tag| {
        let line = lines.line_of(tag.start);
        let mut tokens = tag.tokens.as_slice();
        let mut word = None;
        if tag.is_statement
            && let Some(((Token::Ident(first), _), rest)) = tokens.split_first()
        {
            word = Some(*first);
            tokens = rest;
        }
        let [before, after] = unpacked::around(text, if tag.is_statement { word } else { Some("") }, tokens);
        edits.extend(before);
        let has_value = expressions(text, tokens, &mut edits)?;
        edits.extend(after);
        // The edits of the loop enclose the other edits in it.
        if word == Some("for") {
            edits.extend(list_of_loop(tokens).into_iter().flatten());
        }
        let Some(word) = word else { return Ok(()) };
        blocks::must_be_complete(word, tokens, line)?;
        let (first, last) = (tag.tokens.first().map(|(_, span)| *span), tag.tokens.last().map(|(_, span)| *span));
        // Insert within the tag, so that its `-` still trims white space before or after it.
        edits.extend(match blocks.tag(word, !has_value, line)? {
            ScopeChange::None => None,
            ScopeChange::Opens => last.map(|last| SourceEdit::insert(offset(last.end_offset), " %}{% with")),
            ScopeChange::Closes => first.map(|first| SourceEdit::insert(offset(first.start_offset), "endwith %}{% ")),
        });
        Ok(())
    })?;
    blocks.end()?;
    Ok(apply(text, edits))
}

/// Bounds the expressions of a tag, and rewrites signs, slices and escapes. Returns whether there is a `=` outside brackets.
fn expressions(text: &str, tokens: &[(Token<'_>, Span)], edits: &mut Vec<SourceEdit>) -> Result<bool, Error> {
    let (mut height, mut has_value) = (Height::new(text), false);
    // The open brackets; for a subscript, also the number of colons so far.
    let mut brackets: Vec<(&(Token<'_>, Span), Option<usize>)> = Vec::new();
    for placed in tokens {
        let (token, span) = placed;
        let at = offset(span.start_offset);
        let is_left_out = height.expects_operand;
        height.count(token, at)?;
        match token {
            Token::String(_) => edits.extend(strings::escapes(text, at, offset(span.end_offset))),
            Token::Plus if is_left_out => edits.push(SourceEdit::replace(*span, "--")),
            Token::Assign if brackets.is_empty() => has_value = true,
            Token::ParenOpen | Token::BraceOpen => brackets.push((placed, None)),
            Token::BracketOpen => brackets.push((placed, (!is_left_out).then_some(0))),
            Token::Colon => {
                if let Some(((_, open), Some(colons))) = brackets.last_mut() {
                    *colons += 1;
                    match *colons {
                        1 => edits.push(SourceEdit::replace(*open, ".__slice__(")),
                        2 => {}
                        _ => return Err(unexpected(token, text, at)),
                    }
                    edits.push(SourceEdit::replace(*span, if is_left_out { "\tNone,\t" } else { ",\t" }));
                }
            }
            Token::ParenClose | Token::BracketClose | Token::BraceClose => {
                let colons = match brackets.pop() {
                    Some(((open, _), colons)) if closes(open, token) => colons,
                    _ => return Err(unexpected(token, text, at)),
                };
                if colons.is_some_and(|colons| colons > 0) {
                    edits.push(SourceEdit::replace(*span, if is_left_out { "\tNone\t)" } else { "\t)" }));
                }
            }
            _ => {}
        }
    }
    Ok(has_value)
}

fn unexpected(token: &Token<'_>, text: &str, at: usize) -> Error {
    let line = line_at(text, at);
    error_at(line, format!("unexpected {}", describe(token)))
}

fn closes(open: &Token<'_>, close: &Token<'_>) -> bool {
    matches!(
        (open, close),
        (Token::ParenOpen, Token::ParenClose)
            | (Token::BracketOpen, Token::BracketClose)
            | (Token::BraceOpen, Token::BraceClose)
    )
}

/// Adds parentheses around the value of a loop, which may be a tuple without any, and the filter that checks it.
fn list_of_loop(tokens: &[(Token<'_>, Span)]) -> Option<[SourceEdit; 2]> {
    let (target, list) =
        tokens.split_at_checked(tokens.iter().position(|(token, _)| matches!(token, Token::Ident("in")))?)?;
    let list = *parts(list.get(1..)?, |token| matches!(token, Token::Ident("if" | "recursive"))).first()?;
    let ((_, first), (_, last)) = (list.first()?, list.last()?);
    Some([
        SourceEdit::insert(offset(first.start_offset), "("),
        SourceEdit::insert(
            offset(last.end_offset),
            if is_several(target) { ")|__unpack_each__" } else { ")|__each__" },
        ),
    ])
}
