//! The tags of Mustache and Handlebars: where each begins and ends, and its line. Delimiters can change within a
//! template, a `{{{` that is not closed on its line is text, and lines with only one tag are removed. Both languages
//! share this code; [`super::mustache`] and [`super::handlebars`] interpret the tags.

use std::ops::Range;

use super::cached_search::CachedSearch;
use super::limits::WARNINGS;
use crate::error::{error_at, template_error};
use refdesk_text::Error;
use refdesk_text::lines::LineCounter;

/// The kind of a tag, given by the character after the opening delimiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sigil {
    /// `{{x}}`
    Plain,
    /// `{{{x}}}` or `{{&x}}`
    Unescaped,
    /// `{{#x}}`
    Section,
    /// `{{^x}}`
    Inverted,
    /// `{{/x}}`
    Close,
    /// `{{>x}}`
    Partial,
    /// `{{!x}}`
    Comment,
    /// `{{=x y=}}`
    Delimiters,
}

/// A piece of text or one tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text to print unchanged: a byte range of the template.
    Text(Range<usize>),
    Tag {
        sigil: Sigil,
        /// The content, trimmed.
        content: &'a str,
        /// Line of its opening delimiter, from 1.
        line: usize,
        /// The white space before it if it is alone on its line, else `None`.
        standalone: Option<&'a str>,
    },
}

/// The language whose tags are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Delimiters can be changed.
    Mustache,
    /// `~` trims, and `{{!-- --}}` may contain braces.
    Handlebars,
}

/// Pieces in order, and warnings (line, message) about tags treated as text.
pub(crate) type ScannedPieces<'a> = (Vec<Piece<'a>>, Vec<(usize, String)>);

/// Splits `text` into text and tags.
///
/// # Errors
///
/// A tag that is never closed, an empty tag, or invalid delimiters; with the line.
pub(crate) fn pieces(text: &str, dialect: Dialect) -> Result<ScannedPieces<'_>, Error> {
    let mut scanner = Scanner {
        text,
        at: 0,
        lines: LineCounter::new(text),
        open: "{{",
        close: "}}",
        dialect,
        closing: CachedSearch::default(),
        closing_four: CachedSearch::default(),
        line_end: CachedSearch::default(),
    };
    let (mut pieces, mut warnings) = (Vec::new(), Vec::new());
    let mut literal = 0;
    while let Some(found) = scanner.rest().find(scanner.open) {
        let start = scanner.at + found;
        if dialect == Dialect::Handlebars && is_escaped(text, start) {
            scanner.at = start + scanner.open.len();
            continue;
        }
        let line = scanner.lines.line_of(start);
        let (sigil, inside) = match scanner.head(start) {
            TagStart::Text(end, warning) => {
                if warnings.len() < WARNINGS {
                    warnings.push((line, warning.to_owned()));
                }
                push_text(&mut pieces, literal..end);
                literal = end;
                scanner.at = end;
                continue;
            }
            TagStart::Tag(sigil, inside) => (sigil, inside),
        };
        let terminator = scanner.terminator(sigil, start, inside);
        let Some(length) = text.get(inside..).and_then(|rest| rest.find(terminator.as_str())) else {
            return Err(template_error(line, format!("the tag opened at line {line} is never closed")));
        };
        let end = inside + length + terminator.len();
        let content = trimmed(text.get(inside..inside + length).unwrap_or_default(), dialect);
        if content.is_empty()
            && sigil != Sigil::Comment
            && !(dialect == Dialect::Handlebars && sigil == Sigil::Inverted)
        {
            return Err(error_at(line, "empty tag"));
        }
        let mut standalone = None;
        let (mut text_end, mut next) = (start, end);
        if !matches!(sigil, Sigil::Plain | Sigil::Unescaped)
            && let Some((from, to)) = alone(text, start, end)
        {
            standalone = text.get(from..start);
            (text_end, next) = (from, to);
        }
        push_text(&mut pieces, literal..text_end.max(literal));
        if sigil == Sigil::Delimiters {
            (scanner.open, scanner.close) = delimiters(content).ok_or_else(|| {
                template_error(line, format!("delimiters at line {line} must be two words without '='"))
            })?;
        }
        pieces.push(Piece::Tag { sigil, content, line, standalone });
        literal = next;
        scanner.at = next;
    }
    push_text(&mut pieces, literal..text.len());
    Ok((pieces, warnings))
}

/// Whether a single backslash before a tag makes it text, as `\{{x}}`; two are a backslash before a tag.
fn is_escaped(text: &str, start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    before.ends_with('\\') && !before.ends_with("\\\\")
}

fn push_text(pieces: &mut Vec<Piece<'_>>, range: Range<usize>) {
    match pieces.last_mut() {
        _ if range.is_empty() => {}
        Some(Piece::Text(before)) if before.end == range.start => before.end = range.end,
        _ => pieces.push(Piece::Text(range)),
    }
}

fn trimmed(content: &str, dialect: Dialect) -> &str {
    match dialect {
        Dialect::Mustache => content.trim(),
        // `{{~{x}~}}` has braces within the delimiters.
        Dialect::Handlebars => content.trim_matches(|c: char| c.is_whitespace() || matches!(c, '~' | '{' | '}')),
    }
}

enum TagStart {
    /// Braces that are text up to this byte, with a warning that says so.
    Text(usize, &'static str),
    /// A tag with its kind and the byte where its content begins.
    Tag(Sigil, usize),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    lines: LineCounter<'a>,
    open: &'a str,
    close: &'a str,
    dialect: Dialect,
    closing: CachedSearch,
    closing_four: CachedSearch,
    line_end: CachedSearch,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The kind of tag that opens at byte `start`.
    fn head(&mut self, start: usize) -> TagStart {
        let mut inside = start + self.open.len();
        let after = self.text.get(inside..).unwrap_or_default();
        if self.open == "{{" && after.starts_with('{') {
            let line_end = self.line_end.find(self.text, inside, "\n");
            if self.dialect == Dialect::Mustache && after.starts_with("{{") {
                let end = self.closing_four.find(self.text, inside, "}}}}");
                return if end < line_end {
                    TagStart::Text(end + 4, "'{{{{' up to the next '}}}}' is treated as text")
                } else {
                    TagStart::Text(start + 1, "a '{' before '{{{' is treated as text")
                };
            }
            let end = self.closing.find(self.text, inside, "}}");
            let closes = end < line_end && self.text.get(end..).is_some_and(|rest| rest.starts_with("}}}"));
            let warning = "a '{' before '{{' without a '}}}' on its line is treated as text";
            return if closes {
                TagStart::Tag(Sigil::Unescaped, inside + 1)
            } else {
                TagStart::Text(start + 1, warning)
            };
        }
        let mut word = after;
        if self.dialect == Dialect::Handlebars {
            word = after.trim_start_matches('~');
        }
        word = word.trim_start();
        let sigil = match word.chars().next() {
            Some('#') => Sigil::Section,
            Some('^') => Sigil::Inverted,
            Some('/') => Sigil::Close,
            Some('>') => Sigil::Partial,
            Some('!') => Sigil::Comment,
            Some('&') => Sigil::Unescaped,
            Some('=') if self.dialect == Dialect::Mustache => Sigil::Delimiters,
            _ => Sigil::Plain,
        };
        if sigil != Sigil::Plain {
            inside = self.text.len() - word.len() + 1;
        }
        TagStart::Tag(sigil, inside)
    }

    /// The text that closes a tag of this kind.
    fn terminator(&self, sigil: Sigil, start: usize, inside: usize) -> String {
        let opened = self.text.get(start..inside).unwrap_or_default();
        match sigil {
            Sigil::Unescaped if opened == "{{{" => "}}}".to_owned(),
            Sigil::Delimiters => format!("={}", self.close),
            Sigil::Comment if self.dialect == Dialect::Handlebars => {
                let Some(rest) = self.text.get(inside..).and_then(|rest| rest.strip_prefix("--")) else {
                    return self.close.to_owned();
                };
                let before = |at| rest.get(..at).unwrap_or_default();
                let is_end = |(at, _): &(usize, &str)| before(*at).trim_end_matches('~').ends_with("--");
                let end = rest.match_indices(self.close).find(is_end);
                let trims = end.is_some_and(|(at, _)| before(at).ends_with('~'));
                if trims { "--~}}" } else { "--}}" }.to_owned()
            }
            _ => self.close.to_owned(),
        }
    }
}

/// The start of a tag's line and the start of the next line, if the tag is alone on its line apart from white space.
pub(crate) fn alone(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let before = text.get(..start)?;
    let above = before.trim_end_matches([' ', '\t']);
    if !above.is_empty() && !above.ends_with('\n') {
        return None;
    }
    let from = above.len();
    let after = text.get(end..)?;
    let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
    let rest = after.get(blank..)?;
    let line_break = match rest.as_bytes() {
        [] => 0,
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => return None,
    };
    Some((from, end + blank + line_break))
}

fn delimiters(content: &str) -> Option<(&str, &str)> {
    let mut words = content.split_whitespace();
    let (open, close) = (words.next()?, words.next()?);
    (words.next().is_none() && !open.contains('=') && !close.contains('=')).then_some((open, close))
}
