//! A settings file as text: JSON with comments and trailing commas, since some agents accept them, and its layout. The
//! functions here expect a text without its byte order mark.

use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use refdesk_text::report::Position;
use refdesk_text::{Code, Error};

/// The value of the text; `None` if it is blank.
pub(super) fn parse(text: &str) -> Result<Option<Value<'_>>, Error> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
    parsed.map(|parsed| parsed.value).map_err(|error| {
        let (line, column) = (error.line_display(), error.column_display());
        located(line, column, Code::Unparsable, &error.kind().to_string())
    })
}

pub(super) fn error_at(text: &str, at: usize, code: Code, message: &str) -> Error {
    let Position { line, column } = Position::of(text, at);
    located(line, column, code, message)
}

/// An error whose message begins with line and column, so that the caller can put the file name before them.
pub(super) fn located(line: usize, column: usize, code: Code, message: &str) -> Error {
    Error::new(code, format!("{line}:{column}: {message}"), "correct that line; the file was not changed")
}

/// An object or a list, as byte ranges of its inside and its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Container {
    /// The byte after the opening bracket.
    pub start: usize,
    /// The byte of the closing bracket.
    pub end: usize,
    /// The start and end byte of each member.
    pub members: Vec<(usize, usize)>,
}

impl Container {
    /// The members of an object span their keys and values.
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        let members = object.properties.iter().map(|member| (member.range.start, member.range.end)).collect();
        Self { start: object.range.start + 1, end: object.range.end - 1, members }
    }

    pub(crate) fn of_list(list: &Array<'_>) -> Self {
        use jsonc_parser::common::Ranged;
        let members = list.elements.iter().map(|element| (element.range().start, element.range().end)).collect();
        Self { start: list.range.start + 1, end: list.range.end - 1, members }
    }

    pub(crate) fn inside<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// A range of the text; empty if out of bounds.
pub(super) fn part(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

/// The leading spaces and tabs of the line that contains this byte.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let before = text.get(..at).unwrap_or(text);
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let rest = text.get(line..).unwrap_or_default();
    let width = rest.find(|c| !matches!(c, ' ' | '\t')).unwrap_or(rest.len());
    rest.get(..width).unwrap_or_default()
}

/// Whether only white space precedes this byte on its line, and it is not the first line.
pub(super) fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or(text).trim_end_matches([' ', '\t']);
    before.ends_with('\n')
}

/// The comma in a range that has only white space, comments and at most one comma.
pub(super) fn comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut at = from;
    while at < to {
        let rest = part(text, at, to);
        at += if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(',') {
            return Some(at);
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
    }
    None
}

/// The line break used in a text.
pub(super) fn newline(text: &str) -> &'static str {
    if text.find('\n').is_some_and(|at| text.get(..at).is_some_and(|before| before.ends_with('\r'))) {
        "\r\n"
    } else {
        "\n"
    }
}

/// The layout of a text, for additions to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    pub newline: &'static str,
    /// One level of indentation.
    pub step: String,
    /// Whether a space follows colons and commas on the same line.
    pub is_spaced: bool,
    pub is_one_line: bool,
}

impl Layout {
    /// The layout of this text, whose value is an object with these members.
    pub(crate) fn of(text: &str, root: &Container) -> Self {
        let top = root.members.first().filter(|(start, _)| begins_line(text, *start));
        let step = top.map(|(start, _)| indent_at(text, *start)).filter(|step| !step.is_empty());
        let anywhere = || text.lines().map(|line| indent_at(line, 0)).find(|indent| !indent.is_empty());
        let step = step.or_else(anywhere).unwrap_or("  ").to_owned();
        let is_one_line = !root.members.is_empty() && !text.trim().contains('\n');
        let newline = newline(text);
        Self { newline, step, is_spaced: text.contains(": ") || !is_one_line, is_one_line }
    }
}
