//! Edits that translate a template, so that the engine behaves like Jinja2: operators, comparisons and loops use our
//! filters (`render::jinja::operators`), slices use a method (`render::jinja::slices`). No edit adds or removes a line
//! break, so line numbers stay the same.

use std::borrow::Cow;

use minijinja::machinery::Span;

use super::FUNCTIONS;
use super::tokens::offset;

/// A byte range of a template and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceEdit {
    from: usize,
    to: usize,
    text: Cow<'static, str>,
}

impl SourceEdit {
    /// Inserts `text` before this byte.
    pub(crate) fn insert(at: usize, text: impl Into<Cow<'static, str>>) -> Self {
        Self { from: at, to: at, text: text.into() }
    }

    /// Replaces a token with `text`.
    pub(crate) fn replace(span: Span, text: impl Into<Cow<'static, str>>) -> Self {
        Self { from: offset(span.start_offset), to: offset(span.end_offset), text: text.into() }
    }

    /// Replaces `length` bytes with `text`.
    pub(super) fn replace_bytes(from: usize, length: usize, text: impl Into<Cow<'static, str>>) -> Self {
        Self { from, to: from + length, text: text.into() }
    }
}

/// Applies the edits to a template. Edits at the same byte apply in list order.
pub(crate) fn apply(template: &str, mut edits: Vec<SourceEdit>) -> String {
    edits.sort_by_key(|edit| edit.from);
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let (mut out, mut at) = (String::with_capacity(template.len() + added), 0);
    for edit in edits {
        out.push_str(template.get(at..edit.from).unwrap_or_default());
        out.push_str(&edit.text);
        at = at.max(edit.to);
    }
    out.push_str(template.get(at..).unwrap_or_default());
    out
}

/// Translates a piece of the engine's text back to what the template contains.
pub(crate) fn as_written(piece: &str) -> String {
    let functions = FUNCTIONS.iter().map(|(written, ours)| (ours, written));
    let replaced = REPLACED.iter().map(|(ours, written)| (ours, written)).chain(functions);
    replaced.fold(piece.to_owned(), |piece, (ours, written)| piece.replace(ours, written))
}

const REPLACED: [(&str, &str); 39] = [
    ("|__chain__(\t\t'", ""),
    (",\t\t'", ""),
    ("'\t\t,", ""),
    (".__slice__(", "["),
    (".__item__(", "["),
    ("\tNone", ""),
    (",\t", ":"),
    ("\t)", "]"),
    ("|__changing__)", ""),
    ("|__given__", ""),
    (")|__each__", ")"),
    (")|__unpack__", ")"),
    (")|__unpack_each__", ")"),
    ("|__not_in__(", "not in"),
    ("|__in__(", "in"),
    ("|__eq__(", "=="),
    ("|__ne__(", "!="),
    ("|__lt__(", "<"),
    ("|__le__(", "<="),
    ("|__gt__(", ">"),
    ("|__ge__(", ">="),
    ("|__add__(", "+"),
    ("|__sub__(", "-"),
    ("|__cat__(", "~"),
    ("|__mul__(", "*"),
    ("|__truediv__(", "/"),
    ("|__floordiv__(", "//"),
    ("|__mod__(", "%"),
    ("|__pow__(", "**"),
    ("|__part_add__(", "+"),
    ("|__part_sub__(", "-"),
    ("|__part_mul__(", "*"),
    ("|__part_truediv__(", "/"),
    ("|__part_floordiv__(", "//"),
    ("|__part_mod__(", "%"),
    ("|__part_pow__(", "**"),
    ("(\t\t", ""),
    ("|__number__)", ""),
    ("|__truth__)", ""),
];
