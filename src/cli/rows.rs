//! Mentions in answers, and aligned columns for people.

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use refdesk_core::catalog::SourceId;
use refdesk_core::mention::Mention;
use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::grouped;

/// A mention as JSON.
pub fn mention(desk: &Desk, mention: &Mention) -> Value {
    json!({
        "from": mention.from,
        "to": mention.to,
        "via": mention.via,
        "file": desk.around().display(&mention.file),
        "line": mention.line,
    })
}

/// The position of a mention, for people: `by id, docs/a.md:3`.
pub fn where_mentioned(desk: &Desk, mention: &Mention) -> String {
    format!("by {}, {}:{}", mention.via.word(), desk.around().display(&mention.file), mention.line)
}

/// Ids for people: `a, b`.
pub fn join(ids: &[SourceId]) -> String {
    ids.iter().map(|id| one_line(id.as_str()).into_owned()).collect::<Vec<_>>().join(", ")
}

/// The most ids that are named in a sentence; programs get all.
const NAMED: usize = 10;

/// The first of many ids for people, each in quotation marks: `'a', 'b' and 3 more`.
pub fn first_of(ids: &[String]) -> String {
    let named: Vec<String> = ids.iter().take(NAMED).map(|id| format!("'{}'", one_line(id))).collect();
    let more = ids.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {} more", grouped(more)) } else { String::new() };
    format!("{}{more}", named.join(", "))
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
