//! Tuples without parentheses, and unpacking. Jinja2 prints `{{ a, b }}`, unpacks strings in `{% set a, b = "xy" %}` and
//! in loops, and evaluates the second value of `{% with a = 1, b = a %}` without the first name in scope; the engine does
//! none of this.

use minijinja::machinery::{Span, Token};

use super::edits::SourceEdit;
use super::tokens::offset;

type Placed<'t> = (Token<'t>, Span);

/// The edits around those within the tag: those before and those after them. `word` is the tag's first word, empty for
/// `{{ … }}`.
pub(super) fn around(text: &str, word: Option<&str>, tokens: &[Placed<'_>]) -> [Vec<SourceEdit>; 2] {
    match word {
        Some("") if parts(tokens, is_comma).len() > 1 => enclosed(")", tokens),
        Some("set") => match target_and_value(tokens) {
            Some((target, value)) if is_several(target) => enclosed(UNPACK, value),
            _ => Default::default(),
        },
        Some("with") => with(text, tokens).unwrap_or_default(),
        _ => Default::default(),
    }
}

/// The edits around a value: one before and one after it.
fn enclosed(close: &'static str, tokens: &[Placed<'_>]) -> [Vec<SourceEdit>; 2] {
    match (tokens.first(), tokens.last()) {
        (Some((_, first)), Some((_, last))) => [
            vec![SourceEdit::insert(offset(first.start_offset), "(")],
            vec![SourceEdit::insert(offset(last.end_offset), close)],
        ],
        _ => Default::default(),
    }
}

/// The end of a value that is assigned to several names.
const UNPACK: &str = ")|__unpack__";

/// Whether a target is several names, with or without parentheses.
pub(super) fn is_several(target: &[Placed<'_>]) -> bool {
    target.iter().any(|(token, _)| is_comma(token))
}

/// `a = 1, b = 2` becomes `(a, b) = (1, 2)`, so the engine evaluates both values before it binds a name.
fn with(text: &str, tokens: &[Placed<'_>]) -> Option<[Vec<SourceEdit>; 2]> {
    let assigned = parts(tokens, is_comma);
    let (_, first) = tokens.first()?;
    let (_, last) = tokens.last()?;
    let (mut targets, mut edits, mut after) = (Vec::new(), Vec::new(), Vec::new());
    for part in &assigned {
        let (target, value) = target_and_value(part)?;
        if is_several(target) {
            let [opened, closed] = enclosed(UNPACK, value);
            edits.extend(opened);
            after.extend(closed);
        }
        if assigned.len() < 2 {
            return Some([edits, after]);
        }
        let ((_, from), (_, to)) = (target.first()?, target.last()?);
        targets.push(text.get(offset(from.start_offset)..offset(to.end_offset))?);
        // Keep the white space between the tokens, so that no line break is lost.
        edits.extend(part.iter().take(target.len() + 1).map(|(_, span)| SourceEdit::replace(*span, "")));
    }
    // A target over several lines keeps its position but is put on one line.
    let targets = targets.join(", ").replace(['\r', '\n'], " ");
    edits.insert(0, SourceEdit::insert(offset(first.start_offset), format!("({targets}) = (")));
    after.push(SourceEdit::insert(offset(last.end_offset), ")"));
    Some([edits, after])
}

/// The tokens before and after the `=` outside brackets.
fn target_and_value<'p, 't>(tokens: &'p [Placed<'t>]) -> Option<(&'p [Placed<'t>], &'p [Placed<'t>])> {
    let target = *parts(tokens, |token| matches!(token, Token::Assign)).first()?;
    let value = tokens.get(target.len() + 1..)?;
    (!target.is_empty() && !value.is_empty()).then_some((target, value))
}

/// The tokens between separators outside brackets.
pub(super) fn parts<'p, 't>(tokens: &'p [Placed<'t>], separates: impl Fn(&Token<'t>) -> bool) -> Vec<&'p [Placed<'t>]> {
    let mut depth = 0_usize;
    let is_between = |(token, _): &Placed<'t>| {
        match token {
            Token::ParenOpen | Token::BracketOpen | Token::BraceOpen => depth += 1,
            Token::ParenClose | Token::BracketClose | Token::BraceClose => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && separates(token)
    };
    tokens.split(is_between).collect()
}

fn is_comma(token: &Token<'_>) -> bool {
    matches!(token, Token::Comma)
}
