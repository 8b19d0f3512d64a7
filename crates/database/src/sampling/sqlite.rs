//! Samples the tables of an SQLite file: one statement per table reads the first rows, with a time limit.

use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use rusqlite::ErrorCode;
use rusqlite::types::ValueRef;

use super::profile::{Cell, profile_of_rows};
use super::{CHARACTERS, KEYS, Sampled, is_share_found};
use crate::connector::AccessibleDatabase;
use crate::connector::sqlite::{SqliteFile, error_words, kind_of_failure};
use crate::names::quoted;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::sensitive::{SensitiveRule, by_name_and_type, is_lifted};
use crate::snapshot::{Snapshot, Table};
use crate::statistics::SAMPLED_ROWS;
use crate::statistics::{TableProfile, may_sample};

/// Profiles samples of all tables, and drops inferred joins whose values are not found among the keys.
pub(crate) fn sample(
    database: &AccessibleDatabase<'_>,
    shown: &str,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
) -> Sampled {
    let read = |file: &SqliteFile| sample_all(database, file, shown, snapshot, joins);
    // Reading the schema already reported errors in the file.
    SqliteFile::with(&database.file, shown, &database.around.is_stopped, read).ok().flatten().unwrap_or_default()
}

fn sample_all(
    database: &AccessibleDatabase<'_>,
    file: &SqliteFile,
    shown: &str,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
) -> Sampled {
    let mut sampled = Sampled::default();
    for table in snapshot.tables.iter().filter(|table| may_sample(table) && !table.columns.is_empty()) {
        if database.around.is_stopped() {
            return sampled;
        }
        file.allow(database.config.settings.sample_time);
        match sample_table(database, file, table) {
            Ok(profile) => {
                sampled.profiles.insert(table.table_name(), profile);
            }
            Err(_) if database.around.is_stopped() => return sampled,
            Err(error) => {
                // While reading rows, SQLite's message may quote a value.
                let reason = match error {
                    rusqlite::Error::SqliteFailure(failure, _) if failure.code != ErrorCode::TooBig => {
                        kind_of_failure(&failure).to_owned()
                    }
                    other => error_words(&other),
                };
                let message = format!("{} cannot be sampled: {reason}", table.full_name());
                sampled.problems.push(Diagnostic::warning(Code::TableUnreadable, message).in_file(shown));
            }
        }
    }
    for (name, of_table) in &mut joins.of {
        let Some(table) = snapshot.table(name).filter(|table| may_sample(table)) else { continue };
        of_table.retain(|join| {
            file.allow(database.config.settings.sample_time);
            join.is_noted
                || database.around.is_stopped()
                || is_generated(snapshot, join, table)
                || are_found(file, table, join).unwrap_or(true)
        });
    }
    joins.of.retain(|_, of_table| !of_table.is_empty());
    sampled
}

/// Whether the join uses a generated column.
fn is_generated(snapshot: &Snapshot, join: &InferredJoin, table: &Table) -> bool {
    let any = |table: &Table, names: &[String]| {
        table.columns.iter().any(|column| column.generated.is_some() && names.contains(&column.name))
    };
    any(table, &join.columns) || snapshot.table(&join.target).is_some_and(|target| any(target, &join.target_columns))
}

fn sample_table(database: &AccessibleDatabase<'_>, file: &SqliteFile, table: &Table) -> rusqlite::Result<TableProfile> {
    let rules: Vec<Option<SensitiveRule>> =
        table.columns.iter().map(|column| by_name_and_type(database.config, table, column)).collect();
    // Leave out generated columns, which an expression from the file computes on reading.
    let columns = || table.columns.iter().zip(&rules).filter(|(column, _)| column.generated.is_none());
    let selected: Vec<String> = columns()
        .map(|(column, rule)| {
            // A statement cannot contain a name with a NUL.
            let Some(name) = quoted(&column.name) else { return "NULL".to_owned() };
            match rule {
                Some(_) => format!("{name} IS NULL"),
                None => format!("CASE typeof({name}) WHEN 'text' THEN substr({name}, 1, {CHARACTERS}) WHEN 'blob' THEN x'' ELSE {name} END"),
            }
        })
        .collect();
    let Some(from) = quoted(&table.name).filter(|_| !selected.is_empty()) else { return Ok(TableProfile::default()) };
    let sql = format!("SELECT {} FROM main.{from} LIMIT {SAMPLED_ROWS}", selected.join(", "));
    let mut statement = file.connection().prepare(&sql)?;
    let mut rows = statement.query(())?;
    let mut cells: Vec<Vec<Cell>> = columns().map(|_| Vec::new()).collect();
    while let Some(row) = rows.next()? {
        for (at, (column, (_, rule))) in cells.iter_mut().zip(columns()).enumerate() {
            column.push(cell(row.get_ref(at)?, rule.is_some()));
        }
    }
    let mut found = TableProfile::default();
    for ((column, rule), cells) in columns().zip(cells) {
        let is_lifted = is_lifted(database.config, table, column);
        found.insert(column.name.clone(), profile_of_rows(&cells, rule.clone(), is_lifted));
    }
    Ok(found)
}

fn cell(value: ValueRef<'_>, is_sensitive: bool) -> Cell {
    match value {
        // Whether the value is null.
        ValueRef::Integer(1) if is_sensitive => Cell::Null,
        ValueRef::Integer(_) if is_sensitive => Cell::Unread,
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Number(number as f64, number.to_string()),
        ValueRef::Real(number) => Cell::Number(number, number.to_string()),
        ValueRef::Text(bytes) => Cell::Text(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Blob(_) => Cell::Unread,
    }
}

/// Whether enough of a join's values are keys of the other table. The statement returns only counts, no values.
fn are_found(file: &SqliteFile, table: &Table, join: &InferredJoin) -> Option<bool> {
    let (column, target_column) = (join.columns.first()?, join.target_columns.first()?);
    let names = [&table.name, column, &join.target.name, target_column].map(|name| quoted(name));
    let [Some(from), Some(column), Some(to), Some(key)] = names else { return None };
    let sql = format!(
        "SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM main.{to} AS t WHERE t.{key} = s.v)), 0) \
         FROM (SELECT DISTINCT {column} AS v FROM main.{from} WHERE {column} IS NOT NULL LIMIT {KEYS}) AS s"
    );
    let (all, found): (i64, i64) = file.connection().query_row(&sql, (), |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    Some(is_share_found(all, found))
}
