//! Samples the tables of an SQLite file. The rows of a large table are looked up at equal distances between its first and
//! its last row id: the first rows alone are the oldest ones. A time limit ends the reading of a table.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use rusqlite::ErrorCode;
use rusqlite::types::ValueRef;

use super::profile::{Cell, profile_of_rows};
use super::{CHARACTERS, JoinComparison, KEYS, Sampled, is_share_found};
use crate::connector::AccessibleDatabase;
use crate::connector::sqlite::{SqliteFile, error_words, kind_of_failure};
use crate::names::quoted;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::schema::sensitive_columns::SensitiveColumns;
use crate::sensitive::{SensitiveRule, is_lifted};
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
    drop_contradicted(database, file, snapshot, joins);
    let sensitive = SensitiveColumns::new(database.config, snapshot, joins, &BTreeMap::new());
    for table in snapshot.tables.iter().filter(|table| may_sample(table) && !table.columns.is_empty()) {
        if database.around.is_stopped() {
            return sampled;
        }
        file.allow(database.config.settings.sample_time);
        match sample_table(database, file, table, sensitive.of(table)) {
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
    sampled
}

/// Drops inferred joins whose values are not found among the keys.
fn drop_contradicted(
    database: &AccessibleDatabase<'_>,
    file: &SqliteFile,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
) {
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
}

/// Whether the join uses a generated column.
fn is_generated(snapshot: &Snapshot, join: &InferredJoin, table: &Table) -> bool {
    let any = |table: &Table, names: &[String]| {
        table.columns.iter().any(|column| column.generated.is_some() && names.contains(&column.name))
    };
    any(table, &join.columns) || snapshot.table(&join.target).is_some_and(|target| any(target, &join.target_columns))
}

fn sample_table(
    database: &AccessibleDatabase<'_>,
    file: &SqliteFile,
    table: &Table,
    rules: &[Option<SensitiveRule>],
) -> rusqlite::Result<TableProfile> {
    // Leave out generated columns, which an expression from the file computes on reading.
    let columns = || table.columns.iter().zip(rules).filter(|(column, _)| column.generated.is_none());
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
    let places = places(file, table)?.map(|places| format!(" WHERE {places}")).unwrap_or_default();
    let sql = format!("SELECT {} FROM main.{from}{places} LIMIT {SAMPLED_ROWS}", selected.join(", "));
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
        found.insert(column.name.clone(), profile_of_rows(&cells, true, rule.clone(), is_lifted));
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
    let (from, to) = (quoted(&table.name)?, quoted(&join.target.name)?);
    let JoinComparison { values, are_there, equal } = JoinComparison::of(join)?;
    let share = |values: &str| -> Option<(i64, i64)> {
        let sql = format!(
            "SELECT count(*), coalesce(sum(EXISTS (SELECT 1 FROM main.{to} AS t WHERE {equal})), 0) \
             FROM (SELECT DISTINCT * FROM ({values})) AS s"
        );
        file.connection().query_row(&sql, (), |row| Ok((row.get(0)?, row.get(1)?))).ok()
    };
    let of_column = format!("SELECT {values} FROM main.{from} WHERE {are_there}");
    if let Some(id) = row_id(table)
        && let Some(places) = places(file, table).ok().flatten()
    {
        // The remainders put the rows in an order in which the first ones come from everywhere.
        let order = format!("{id} % 65537 * 40503 % 65537, {id}");
        let (all, found) = share(&format!("{of_column} AND {places} ORDER BY {order} LIMIT {KEYS}"))?;
        if all > 0 {
            return Some(is_share_found(all, found));
        }
    }
    let (all, found) = share(&format!("SELECT DISTINCT * FROM ({of_column}) LIMIT {KEYS}"))?;
    Some(is_share_found(all, found))
}

/// How many places of a large table to look up, and how many rows to read from each on: a place costs a read from the
/// disk, the rows after it hardly anything.
const PLACES: i64 = 100;
const ROWS_OF_PLACE: i64 = SAMPLED_ROWS as i64 / PLACES;

/// The name by which a statement can use a table's row id; `None` if columns have all its names.
fn row_id(table: &Table) -> Option<&'static str> {
    let is_free = |name: &&str| !table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    ["rowid", "_rowid_", "oid"].into_iter().find(is_free)
}

/// The condition of a statement that reads rows from everywhere in a table; `None` if the table has no row ids.
fn places(file: &SqliteFile, table: &Table) -> rusqlite::Result<Option<String>> {
    let (Some(id), Some(from)) = (row_id(table), quoted(&table.name)) else { return Ok(None) };
    let ids = |rest: &str| format!("SELECT {id} FROM main.{from} {rest}");
    // A table `WITHOUT ROWID` fails here.
    let Ok(mut next) = file.connection().prepare(&ids(&format!("WHERE {id} >= ?1 ORDER BY {id} LIMIT ?2"))) else {
        return Ok(None);
    };
    let mut read = |from: i64, count: i64| -> rusqlite::Result<Vec<i64>> {
        next.query_map((from, count), |row| row.get(0))?.collect()
    };
    let first = read(i64::MIN, SAMPLED_ROWS as i64)?;
    let all = || Ok(Some("TRUE".to_owned()));
    let Some(low) = first.first().copied().filter(|_| first.len() >= SAMPLED_ROWS as usize) else { return all() };
    let last = ids(&format!("ORDER BY {id} DESC LIMIT 1"));
    let high: i64 = file.connection().query_row(&last, (), |row| row.get(0))?;
    let distance = (i128::from(high) - i128::from(low)) / i128::from(PLACES);
    let mut found: Vec<i64> = Vec::new();
    for place in 0..PLACES {
        let at = i64::try_from(i128::from(low) + distance * i128::from(place)).unwrap_or(high);
        // A place in a gap would be read twice.
        let after = found.last().map_or(i64::MIN, |last| last.saturating_add(1));
        found.extend(read(at.max(after), ROWS_OF_PLACE)?);
    }
    // Most places may lie in one gap.
    let known: BTreeSet<i64> = found.iter().copied().collect();
    let rest = first.into_iter().filter(|id| !known.contains(id));
    found.extend(rest.take((SAMPLED_ROWS as usize).saturating_sub(known.len())));
    let found: Vec<String> = found.iter().map(i64::to_string).collect();
    Ok(Some(format!("{id} IN ({})", found.join(", "))))
}
