//! How sources and mentions look in answers: the same members everywhere, and aligned columns for people.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::catalog::{Kind, Source, SourceId};
use crate::desk::Desk;
use crate::mention::Mention;
use crate::selection::Role;
use crate::text::escape::one_line;

/// A source as `list` shows it.
pub fn listed(desk: &Desk, source: &Source, tokens: Option<u64>) -> Value {
    let selection = desk.selection();
    let id = source.id.as_str();
    let member = selection.member(id);
    let place = place_of(desk, source);
    let (url, server, tool) = addresses(source);
    json!({
        "id": id,
        "name": source.name,
        "description": source.description,
        "type": source.kind.word(),
        "mode": source.mode.word(),
        "tags": source.tags,
        "selected": member.is_some(),
        "picked": selection.is_picked(id),
        "excluded": selection.is_excluded(id),
        "transitive": member.is_some_and(|member| member.role == Role::Transitive),
        "resolved_path": place,
        "is_directory": source.place().map(|_| source.is_directory()),
        "exists": source.place().map(|_| !source.is_missing()),
        "url": url,
        "server": server,
        "tool": tool,
        "has_content": matches!(source.kind, Kind::Inline { .. }),
        "tokens": tokens,
    })
}

/// A source as `select` answers it.
pub fn selected(desk: &Desk, source: &Source) -> Value {
    let member = desk.selection().member(source.id.as_str());
    let transitive = member.is_some_and(|member| member.role == Role::Transitive);
    let (url, server, tool) = addresses(source);
    let (args, content) = match &source.kind {
        Kind::Mcp { args, .. } => ((**args).clone(), None),
        Kind::Inline { content } => (Value::Null, Some(content.to_string())),
        _ => (Value::Null, None),
    };
    json!({
        "id": source.id,
        "name": source.name,
        "description": source.description,
        "type": source.kind.word(),
        "tags": source.tags,
        "resolved_path": place_of(desk, source),
        "is_directory": source.place().map(|_| source.is_directory()),
        "transitive": transitive,
        "transitive_from": member.map(|member| member.parents.clone()).unwrap_or_default(),
        "url": url,
        "server": server,
        "tool": tool,
        "args": args,
        "content": content,
        "fetch_hint": source.fetch_hint,
    })
}

/// A mention.
pub fn mention(desk: &Desk, mention: &Mention) -> Value {
    json!({
        "from": mention.from,
        "to": mention.to,
        "via": mention.via,
        "file": desk.around().display(&mention.file),
        "line": mention.line,
    })
}

/// Where a mention stands, for people: `by id, docs/a.md:3`.
pub fn where_mentioned(desk: &Desk, mention: &Mention) -> String {
    format!("by {}, {}:{}", mention.via.word(), desk.around().display(&mention.file), mention.line)
}

fn place_of(desk: &Desk, source: &Source) -> Option<String> {
    source.place().map(|place| desk.around().display(&place.path))
}

fn addresses(source: &Source) -> (Option<&str>, Option<&str>, Option<&str>) {
    match &source.kind {
        Kind::Url { url } => (Some(url), None, None),
        Kind::Mcp { server, tool, .. } => (None, Some(server), Some(tool)),
        _ => (None, None, None),
    }
}

/// Ids for people: `a, b`.
pub fn join(ids: &[SourceId]) -> String {
    ids.iter().map(|id| one_line(id.as_str()).into_owned()).collect::<Vec<_>>().join(", ")
}

/// Columns are aligned up to this width: one id of ten thousand characters must not move all others out of sight.
const WIDEST: usize = 60;

/// Rows as aligned columns; the last one is not padded. Cells are made safe to print.
pub fn table(rows: &[Vec<String>]) -> String {
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|cell| one_line(cell).into_owned()).collect()).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0).min(WIDEST)).collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// `1 warning`, `2 warnings`.
pub fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
