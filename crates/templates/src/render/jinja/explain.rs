//! Converts the engine's errors to refdesk's: what was undefined, on which line, and the most similar given name.

use minijinja::ErrorKind;
use serde_json::{Map, Value};

use super::super::limits::out_of_fuel;
use crate::error::{at_line, error_at, template_error, undefined_at, undefined_error};
use crate::jinja::{NameKind, as_written, unknown_name};
use refdesk_text::Error;
use refdesk_text::lines::breaks;
use refdesk_text::nearest::nearest;

/// Converts the error for `text` with these values.
pub(crate) fn explain(error: &minijinja::Error, text: &str, given: &Map<String, Value>) -> Error {
    let cause = innermost(error);
    let line = line_of(cause, text).or_else(|| line_of(error, text));
    let (kind, detail) = (cause.kind(), cause.detail().unwrap_or_default());
    match (kind, undefined_name(detail)) {
        (ErrorKind::OutOfFuel, _) => template_error(line, out_of_fuel()),
        (_, Some(name)) => undefined(&as_written(name), line, given),
        (ErrorKind::UndefinedError, None) => {
            let place = if cause.range().is_some_and(|range| !range.is_empty()) { cause } else { error };
            undefined_somewhere(place, text, line, given)
        }
        (ErrorKind::UnknownFunction, None) => unknown_name(NameKind::Function, name_in(detail, ""), line),
        (ErrorKind::UnknownFilter, None) if !detail.is_empty() => {
            unknown_name(NameKind::Filter, name_in(detail, "filter "), line)
        }
        (ErrorKind::UnknownTest, None) if !detail.is_empty() => {
            unknown_name(NameKind::Test, name_in(detail, "test "), line)
        }
        _ if detail.ends_with("cannot be looped over") => {
            let before = cause.range().and_then(|range| text.get(..range.start)).unwrap_or_default();
            let before = before.trim_end_matches([')', '|', ' ']);
            let from = before.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).map_or(0, |at| at + 1);
            let list = before.get(from..).unwrap_or_default();
            error_at(line, format!("'{list}' {detail}"))
        }
        _ => {
            let what = if detail.is_empty() { kind.to_string() } else { detail.to_owned() };
            error_at(line, in_plain_words(what))
        }
    }
}

/// The name in the engine's "filter name is unknown", without the prefix.
fn name_in<'d>(detail: &'d str, before: &str) -> &'d str {
    let name = detail.strip_prefix(before).unwrap_or(detail);
    name.strip_suffix(" is unknown").unwrap_or(name)
}

/// Adds what the engine's message lacks: the value of a limit, or what may be undefined.
fn in_plain_words(what: String) -> String {
    let known = [
        // For an undefined variable or field, the engine's message contains the name; this one has none.
        (
            "cannot convert undefined to i64",
            "a value is undefined: the first item of an empty list, an item without the attribute, or an inline 'if' \
             without 'else'",
        ),
        (
            "value is not iterable",
            "the value cannot be unpacked: it has no items, or is a text for names in inner parentheses",
        ),
        ("range has too many elements", "the range exceeds the limit of 100000 items"),
        ("repeated string is too large", "the repeated string exceeds the limit of 100000000 bytes"),
        ("repeated sequence is too large", "the repeated list exceeds the limit of 100000000 items"),
        ("recursion limit exceeded", "the loop calls itself deeper than the limit of 500"),
    ];
    match known.iter().find(|(said, _)| what == *said) {
        Some((_, plain)) => (*plain).to_owned(),
        None if what.starts_with("unable to calculate ") && !what.contains(" ** -") => {
            format!("{what}, which exceeds the limit of 128 bits")
        }
        None => what,
    }
}

pub(crate) fn undefined(name: &str, line: Option<usize>, given: &Map<String, Value>) -> Error {
    undefined_at(name, line, near(name, given).filter(|near| near != name).as_deref())
}

/// The given name most similar to a dotted one: its last part is compared with the fields of the value that its other
/// parts lead to. If it begins with a local of the template, such as a loop item, it is compared with the fields of all
/// given items.
fn near(name: &str, given: &Map<String, Value>) -> Option<String> {
    if name.contains('[') {
        return None;
    }
    if let Some((own, field)) = name.rsplit_once('.')
        && !given.contains_key(own.split('.').next().unwrap_or(own))
    {
        return nearest(field, fields_of_items(given)).map(|near| format!("{own}.{near}"));
    }
    let (mut fields, mut before) = (given, String::new());
    for part in name.split('.') {
        match fields.get(part) {
            Some(Value::Object(inner)) => {
                fields = inner;
                before.push_str(part);
                before.push('.');
            }
            Some(_) => return None,
            None => return nearest(part, fields.keys().map(String::as_str)).map(|near| format!("{before}{near}")),
        }
    }
    None
}

/// The most values searched for field names.
const MAX_VISITED: usize = 10_000;

fn fields_of_items(given: &Map<String, Value>) -> Vec<&str> {
    let (mut names, mut open, mut looked) = (Vec::new(), given.values().collect::<Vec<_>>(), 0);
    while let Some(value) = open.pop() {
        looked += 1;
        if looked > MAX_VISITED {
            break;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().take(MAX_VISITED)),
            Value::Object(fields) => {
                names.extend(fields.keys().map(String::as_str));
                open.extend(fields.values());
            }
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    names
}

/// The deepest error in the chain that the engine raised.
fn innermost(error: &minijinja::Error) -> &minijinja::Error {
    let mut cause = error;
    while let Some(source) =
        std::error::Error::source(cause).and_then(|source| source.downcast_ref::<minijinja::Error>())
    {
        cause = source;
    }
    cause
}

fn line_of(error: &minijinja::Error, text: &str) -> Option<usize> {
    // The range is also correct beyond line 65,535, where the engine's own line numbers end.
    let from_range = error.range().and_then(|range| text.get(..range.start));
    from_range.map(|before| breaks(before) + 1).or_else(|| error.line())
}

/// The name in the engine's "`name` is undefined".
fn undefined_name(detail: &str) -> Option<&str> {
    let before = detail.split_once("` is undefined")?.0;
    let name = before.rsplit_once('`')?.1;
    (!name.is_empty() && !name.contains("(...)")).then_some(name)
}

/// The message for errors in which the engine does not name the undefined value: it contains the first name of the
/// expression if that was not given, else the expression itself.
fn undefined_somewhere(error: &minijinja::Error, text: &str, line: Option<usize>, given: &Map<String, Value>) -> Error {
    let before = error.range().and_then(|range| text.get(..range.start)).unwrap_or_default();
    let is_filter = before.trim_end().ends_with('|');
    let range = error.range().map(|range| {
        // The engine's range of a call begins at its parenthesis; a slice and an item are translated to one.
        let is_call =
            text.get(range.start..).is_some_and(|rest| rest.starts_with('(') || rest.starts_with(".__item__("));
        let callee = |c: char| is_call && (c.is_alphanumeric() || matches!(c, '_' | '.'));
        let start = before.strip_suffix(".__slice__").unwrap_or_else(|| before.trim_end_matches(callee));
        start.len()..range.end
    });
    let expr = range.and_then(|range| text.get(range)).unwrap_or_default().trim();
    // The engine's range of an operator begins at the token before it.
    let expr = expr.strip_prefix("{{").unwrap_or(expr).trim_start_matches(['-', '+', ' ']);
    let end = expr.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'))).unwrap_or(expr.len());
    let name = expr.get(..end).unwrap_or_default();
    if is_filter {
        let message = match name {
            "first" | "last" | "min" | "max" => format!("'{name}' of an empty list is undefined"),
            "attr" => "the value before '|attr' has no such attribute".to_owned(),
            "__eq__" | "__ne__" => format!("a value beside '{}' is undefined", as_written(&format!("|{name}("))),
            _ => format!("the value before '|{name}' is undefined"),
        };
        return undefined_error(line, at_line(message, line));
    }
    let is_called = expr.get(end..).is_some_and(|rest| rest.starts_with('('));
    if name != "not"
        && !is_called
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && !leads_somewhere(name, given)
    {
        return undefined(name, line, given);
    }
    undefined_error(line, at_line(format!("undefined value in '{}'", as_written(expr)), line))
}

fn leads_somewhere(name: &str, given: &Map<String, Value>) -> bool {
    let mut parts = name.split('.');
    let first = parts.next().and_then(|part| given.get(part));
    parts.try_fold(first, |value, part| value.map(|value| value.get(part))).flatten().is_some()
}
