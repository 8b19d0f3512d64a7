//! Leaves out tables and columns with unrealistically long names. An SQLite file may have names of a million
//! characters, which would be in every page, answer and index. They cannot be shortened, because agents would write SQL
//! with wrong names.

use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::shorten::shortened;
use refdesk_text::tokens::{counted, grouped};

use super::SchemaReading;
use crate::snapshot::{Key, NAME, Table, TableName};

/// Whether a name is longer than any real one: PostgreSQL allows 63 bytes, Snowflake 255 characters.
pub(super) fn is_too_long(name: &str) -> bool {
    name.len() > NAME && name.chars().nth(NAME).is_some()
}

fn has_long_name(table: &TableName) -> bool {
    is_too_long(&table.schema) || is_too_long(&table.name)
}

/// Removes tables and columns with such names, the keys and indexes that use them, and such names of constraints.
pub(super) fn leave_out(reading: &mut SchemaReading, database: &str) {
    let before = reading.snapshot.tables.len();
    reading.snapshot.schemas.retain(|schema| !is_too_long(&schema.name));
    reading.snapshot.tables.retain(|table| !has_long_name(&table.table_name()));
    reading.left_out.retain(|name| !has_long_name(name));
    reading.snapshot.beyond.retain(|name| !has_long_name(name));
    let tables = before - reading.snapshot.tables.len();
    let columns: usize = reading.snapshot.tables.iter_mut().map(leave_out_columns).sum();
    if tables + columns == 0 {
        return;
    }
    let counts = [(tables, "table"), (columns, "column")].into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, noun)| counted(count, noun)).collect();
    let (have, are) = if tables + columns == 1 { ("has a name", "is") } else { ("have names", "are") };
    let (counts, most) = (counts.join(" and "), grouped(NAME));
    let message = format!("{counts} of '{database}' {have} of more than {most} characters and {are} left out");
    reading.problems.push(Diagnostic::warning(Code::TooLarge, message));
}

/// Removes columns with such names, and returns how many.
fn leave_out_columns(table: &mut Table) -> usize {
    let are_short = |names: &[String]| !names.iter().any(|name| is_too_long(name));
    let short = |name: Option<String>| name.filter(|name| !is_too_long(name));
    let before = table.columns.len();
    table.columns.retain(|column| !is_too_long(&column.name));
    let unnamed = |key: Key| Key { name: short(key.name), ..key };
    let named_short = |key: &Key| are_short(&key.columns);
    table.primary_key = table.primary_key.take().filter(named_short).map(unnamed);
    table.unique = std::mem::take(&mut table.unique).into_iter().filter(named_short).map(unnamed).collect();
    for constraint in table.checks.iter_mut().chain(&mut table.exclusions) {
        constraint.name = short(constraint.name.take());
    }
    table
        .foreign_keys
        .retain(|key| !has_long_name(&key.target) && are_short(&key.columns) && are_short(&key.target_columns));
    for key in &mut table.foreign_keys {
        key.name = short(key.name.take());
    }
    table.indexes.retain(|index| !is_too_long(&index.name) && are_short(&index.columns));
    table.constraint_comments.retain(|name, _| !is_too_long(name));
    table.partitioned_by = table.partitioned_by.take().map(cut);
    table.reads_from.retain(|name| !has_long_name(name));
    for column in &mut table.columns {
        // Types are only shown, not used in statements.
        column.data_type = cut(std::mem::take(&mut column.data_type));
        column.base_type = column.base_type.take().map(cut);
        column.collation = column.collation.take().map(cut);
    }
    before - table.columns.len()
}

fn cut(text: String) -> String {
    if is_too_long(&text) { shortened(text, NAME) } else { text }
}
