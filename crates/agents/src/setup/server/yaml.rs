//! The list of servers in YAML: a mapping, by name. Ours becomes its first entry, or the mapping is added at the end of
//! the file.

use serde_json::{Map, Value};

use super::super::insert::Insert;
use super::super::text::{located, newline};
use super::lines::{Line, lines, without};
use super::{Additions, SERVER};
use refdesk_text::yaml::{RepeatedKeys, YamlProblem, read as read_yaml};
use refdesk_text::{Code, Error};

/// The most values in a file.
const VALUES: usize = 100_000;

/// One level of indentation in a file that shows none.
const STEP: usize = 2;

/// The value of the text; `None` if it is blank.
pub(crate) fn value(text: &str) -> Result<Option<Value>, Error> {
    if !lines(text).iter().any(Line::has_settings) {
        return Ok(None);
    }
    let read = read_yaml(text, VALUES, RepeatedKeys::Refused).map(Some);
    read.map_err(|YamlProblem { line, column, message, .. }| located(line, column, Code::Unparsable, &message))
}

pub(crate) fn add(text: &str, keys: &[&str], entry: &Value) -> Result<Additions, Error> {
    let name = keys.first().copied().unwrap_or_default();
    let newline = newline(text);
    let lines = lines(text);
    let Some(at) = head(&lines, name) else {
        let before = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
        let block = block(entry, STEP, STEP).into_iter().map(|line| format!("{line}{newline}")).collect::<String>();
        let text_added = format!("{before}{name}:{newline}{block}");
        let made = if lines.iter().any(Line::has_settings) { vec![] } else { vec![String::new()] };
        let made = made.into_iter().chain([name.to_owned()]).collect();
        return Ok(Additions { inserts: vec![Insert { at: text.len(), text: text_added }], made });
    };
    let Some(line) = lines.get(at) else { return Ok(Additions { inserts: Vec::new(), made: Vec::new() }) };
    let after = rest(line.text, name);
    if let Some(brace) = after.filter(|rest| rest.starts_with('{')).and_then(|_| line.text.find('{')) {
        let at = line.start + brace + 1;
        let is_last = text.get(at..).is_some_and(|rest| rest.trim_start().starts_with('}'));
        let entry = Value::Object(Map::from_iter([(SERVER.to_owned(), entry.clone())])).to_string();
        let inner = entry.get(1..entry.len().saturating_sub(1)).unwrap_or_default();
        let text = if is_last { inner.to_owned() } else { format!("{inner}, ") };
        return Ok(Additions { inserts: vec![Insert { at, text }], made: Vec::new() });
    }
    let indent = child_indent(&lines, at).unwrap_or(STEP);
    let inner = lines.iter().skip(at + 1).find(|line| line.has_settings() && line.indent() > indent);
    let step = inner.map_or(STEP, |line| line.indent() - indent);
    let block = block(entry, indent, step).into_iter().map(|line| format!("{newline}{line}")).collect::<String>();
    Ok(Additions { inserts: vec![Insert { at: line.end, text: block }], made: Vec::new() })
}

/// The text without our entry, and without the mapping if this empties it and it may be removed.
pub(super) fn cut_entry(text: &str, keys: &[&str], may_remove: &dyn Fn(&str) -> bool) -> String {
    let name = keys.first().copied().unwrap_or_default();
    cut_lines(text, name, may_remove).unwrap_or_else(|| text.to_owned())
}

fn cut_lines(text: &str, name: &str, may_remove: &dyn Fn(&str) -> bool) -> Option<String> {
    let lines = lines(text);
    let at = head(&lines, name)?;
    let indent = child_indent(&lines, at)?;
    let end = (at + 1..lines.len()).find(|at| is_at_most(&lines, *at, 0)).unwrap_or(lines.len());
    let is_ours = |at: &usize| {
        lines.get(*at).is_some_and(|line| line.indent() == indent && rest(line.text.trim_start(), SERVER).is_some())
    };
    let first = (at + 1..end).find(is_ours)?;
    let stop = (first + 1..end).find(|at| is_at_most(&lines, *at, indent)).unwrap_or(end);
    // Comments after the last setting belong to what follows.
    let last = (first..stop).rev().find(|at| lines.get(*at).is_some_and(Line::has_settings))?;
    let others = (at + 1..first).chain(last + 1..end).any(|at| lines.get(at).is_some_and(|line| !line.is_blank()));
    let is_bare = lines.get(at).and_then(|line| rest(line.text, name)).is_some_and(str::is_empty)
        && lines.get(at).is_some_and(|line| !line.text.contains('#'));
    let first = if !others && is_bare && may_remove(name) { at } else { first };
    Some(without(text, lines.get(first)?, lines.get(last)?))
}

/// The first byte of our entry's key, or of the top-level key.
pub(crate) fn place(text: &str, keys: &[&str]) -> usize {
    let name = keys.first().copied().unwrap_or_default();
    let lines = lines(text);
    let Some(at) = head(&lines, name) else { return 0 };
    let is_ours = |line: &&Line<'_>| rest(line.text.trim_start(), SERVER).is_some();
    let inside = lines.iter().skip(at + 1).take_while(|line| !line.has_settings() || line.indent() > 0);
    let entry = inside.into_iter().find(is_ours).map(|line| line.start + line.indent());
    entry.or_else(|| lines.get(at).map(|line| line.start)).unwrap_or_default()
}

/// The line of a top-level key.
fn head(lines: &[Line<'_>], name: &str) -> Option<usize> {
    lines.iter().position(|line| rest(line.text, name).is_some())
}

/// What follows a key and its colon on a line, without a comment.
fn rest<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let unquoted = || line.strip_prefix(name);
    let quoted =
        || ['"', '\''].iter().find_map(|quote| line.strip_prefix(*quote)?.strip_prefix(name)?.strip_prefix(*quote));
    let rest = unquoted().or_else(quoted)?.trim_start().strip_prefix(':')?;
    if !rest.is_empty() && !rest.starts_with([' ', '\t']) {
        return None;
    }
    let rest = rest.trim();
    Some(if rest.starts_with('#') { "" } else { rest })
}

/// The indentation of the entries below a top-level key.
fn child_indent(lines: &[Line<'_>], head: usize) -> Option<usize> {
    lines.iter().skip(head + 1).find(|line| line.has_settings()).map(Line::indent).filter(|indent| *indent > 0)
}

/// Whether a line has settings indented by at most this much.
fn is_at_most(lines: &[Line<'_>], at: usize, indent: usize) -> bool {
    lines.get(at).is_some_and(|line| line.has_settings() && line.indent() <= indent)
}

fn block(entry: &Value, indent: usize, step: usize) -> Vec<String> {
    let members = entry.as_object().into_iter().flatten();
    let inner = members.map(|(key, value)| format!("{}{key}: {}", " ".repeat(indent + step), printed(value)));
    std::iter::once(format!("{}{SERVER}:", " ".repeat(indent))).chain(inner).collect()
}

/// A value on one line: JSON, except that plain words need no quotes.
fn printed(value: &Value) -> String {
    match value {
        Value::String(text) if ["stdio", SERVER].contains(&text.as_str()) => text.clone(),
        other => other.to_string(),
    }
}
