//! The list of servers in TOML: a table each. Ours is added at the end of the file, where a table is always valid.

use serde_json::Value;
use toml::Table;
use toml::de::DeTable;

use super::super::insert::Insert;
use super::super::text::{error_at, newline};
use super::lines::{Line, lines, without};
use super::{Additions, SERVER, bare};
use refdesk_text::{Code, Error};

/// The value of the text; `None` if it is blank.
pub(crate) fn value(text: &str) -> Result<Option<Value>, Error> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let at = error.span().map_or(0, |span| span.start);
        error_at(text, at, Code::Unparsable, error.message())
    })?;
    Ok(serde_json::to_value(table).ok())
}

/// The first byte of the innermost existing key on this path.
pub(crate) fn place(text: &str, keys: &[&str]) -> usize {
    let Ok(root) = DeTable::parse(text) else { return 0 };
    let (mut place, mut table) = (0, Some(root.get_ref()));
    for key in keys {
        let Some((name, value)) = table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key)) else {
            break;
        };
        place = name.span().start;
        table = value.get_ref().as_table();
    }
    place
}

pub(crate) fn add(text: &str, keys: &[&str], entry: &Value) -> Additions {
    let newline = newline(text);
    let before = match text {
        "" => String::new(),
        text if text.ends_with('\n') => newline.to_owned(),
        _ => newline.repeat(2),
    };
    let members = entry.as_object().into_iter().flatten();
    let settings: String = members.map(|(key, value)| format!("{key} = {}{newline}", printed(value))).collect();
    let text_added = format!("{before}[{}.{SERVER}]{newline}{settings}", keys.join("."));
    Additions { inserts: vec![Insert { at: text.len(), text: text_added }], made: Vec::new() }
}

/// The text without our entry's tables. An entry written in another form stays; the caller checks the result.
pub(super) fn cut_entry(text: &str, keys: &[&'static str]) -> String {
    let ours: Vec<&str> = keys.iter().copied().chain([SERVER]).collect();
    let rest = |text: &str| value(text).ok().map(|value| bare(value, keys));
    let mut left = text.to_owned();
    // Each round removes one table: our entry or a table in it. A line that looks like its header may be in a string,
    // so a cut counts only if it changes nothing else.
    while let Some(next) =
        cuts(&left, &ours).into_iter().find(|next| rest(next).is_some_and(|it| Some(it) == rest(&left)))
    {
        left = next;
    }
    left
}

/// The text without one table, for each line that may be the header of one of ours, last first.
fn cuts(text: &str, ours: &[&str]) -> Vec<String> {
    let lines = lines(text);
    let is_ours =
        |at: &usize| lines.get(*at).and_then(|line| header(line.text)).is_some_and(|path| path.starts_with(ours));
    (0..lines.len()).rev().filter(is_ours).filter_map(|head| without_table(text, &lines, head)).collect()
}

fn without_table(text: &str, lines: &[Line<'_>], head: usize) -> Option<String> {
    let is_header = |at: &usize| lines.get(*at).is_some_and(|line| header(line.text).is_some());
    let end = (head + 1..lines.len()).find(is_header).unwrap_or(lines.len());
    // Comments after the last setting belong to what follows.
    let last = (head..end).rev().find(|at| lines.get(*at).is_some_and(Line::has_settings))?;
    let is_blank = |at: usize| lines.get(at).is_none_or(Line::is_blank);
    // If a blank line follows the table, also remove the one before it.
    let first = head.checked_sub(1).filter(|before| is_blank(*before) && is_blank(last + 1)).unwrap_or(head);
    Some(without(text, lines.get(first)?, lines.get(last)?))
}

/// The names in a table header.
fn header(line: &str) -> Option<Vec<&str>> {
    let inside = line.trim_start().strip_prefix('[')?.split(']').next()?;
    Some(inside.split('.').map(|name| name.trim().trim_matches(['"', '\''])).collect())
}

/// A value on one line.
fn printed(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(printed).collect::<Vec<_>>().join(", ")),
        // JSON, except for one character that TOML requires to be escaped.
        other => other.to_string().replace('\u{7f}', "\\u007f"),
    }
}
