//! Profiles values of a PostgreSQL server: from the server's own statistics if the role may see any, otherwise from the
//! first rows of each table, with one statement per table and several in flight. The server limits the time of each.

mod statistics;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::time::Duration;

use refdesk_postgres::{Address, ReadingSession, Refusal, RefusalKind, Row};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use super::profile::{Cell, profile_of_rows};
use super::{CHARACTERS, KEYS, Sampled, is_share_found};
use crate::config::{DatabaseConfig, ServerConnection};
use crate::connector::AccessibleDatabase;
use crate::connector::postgres::{WAITS, explained, outside_runtime, with_retries};
use crate::names::quoted;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::sensitive::{SensitiveRule, by_name_and_type, is_lifted};
use crate::snapshot::{Snapshot, Table, TableKind, TableName};
use crate::statistics::SAMPLED_ROWS;
use crate::statistics::{TableProfile, may_sample};

/// Partitioned tables that have a partition on another server or with row security.
const FOREIGN_PARTS: &str = "
WITH RECURSIVE parts AS (
    SELECT c.oid AS root, i.inhrelid AS oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_inherits i ON i.inhparent = c.oid
    WHERE c.relkind = 'p' AND NOT c.relispartition
    UNION ALL SELECT p.root, i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
)
SELECT DISTINCT n.nspname::text, r.relname::text
FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid AND (c.relkind = 'f' OR c.relrowsecurity)
JOIN pg_catalog.pg_class r ON r.oid = p.root JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace";

/// How many statements to run before releasing their locks. A transaction holds a lock on each table and index that it
/// read, and a server has room for only a few thousand in total.
const STATEMENTS_PER_SAVEPOINT: usize = 200;

/// Types whose values are numbers.
const NUMBERS: [&str; 7] = ["smallint", "integer", "bigint", "numeric", "real", "double precision", "oid"];

/// Profiles the values of all tables, and drops inferred joins whose values are not found among the keys.
pub(crate) fn sample(
    database: &AccessibleDatabase<'_>,
    server: &ServerConnection,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
) -> Sampled {
    read(database, server, snapshot, joins, &WAITS)
}

fn read(
    database: &AccessibleDatabase<'_>,
    server: &ServerConnection,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
    waits: &[Duration],
) -> Sampled {
    let mut sampled = Sampled::default();
    let address = match database.address.of(server, &database.around) {
        Ok(address) => address,
        Err(error) => return Sampled { lost: Some(error), ..sampled },
    };
    let from_the_start = || {
        sampled = Sampled::default();
        attempt(database, address, snapshot, joins, &mut sampled)
    };
    let ended = outside_runtime(|| with_retries(&database.around, waits, from_the_start))
        .unwrap_or_else(|| Err(Refusal::new(RefusalKind::Other, "the client stopped")));
    match ended {
        Ok(()) => {}
        Err(refusal) if is_lost(&refusal) => sampled.lost = Some(explained(&refusal)),
        Err(refusal) => {
            let message = format!("sampling the values of '{}' ended early: {refusal}", database.config.name);
            sampled.problems.push(Diagnostic::warning(Code::TableUnreadable, message));
        }
    }
    sampled
}

fn attempt(
    database: &AccessibleDatabase<'_>,
    address: &Address,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
    sampled: &mut Sampled,
) -> Result<(), Refusal> {
    let session = ReadingSession::open(address, &database.around.is_stopped)?;
    session.limit_statements(database.config.settings.sample_time)?;
    let elsewhere = elsewhere(&session)?;
    let mut sampler = Sampler { database, session: &session, elsewhere, sampled };
    let tables: Vec<&Table> = snapshot.tables.iter().filter(|table| sampler.may_sample(table)).collect();
    sampler.tables(&tables)?;
    sampler.joins(snapshot, joins)?;
    session.end();
    Ok(())
}

/// Whether the connection cannot be used any more.
fn is_lost(refusal: &Refusal) -> bool {
    matches!(
        refusal.kind,
        RefusalKind::Unreachable
            | RefusalKind::Busy
            | RefusalKind::Foreign
            | RefusalKind::TooLarge
            | RefusalKind::Stopped
    )
}

/// The partitioned tables with rows on other servers or with row security.
fn elsewhere(session: &ReadingSession) -> Result<BTreeSet<TableName>, Refusal> {
    let rows = session.rows(FOREIGN_PARTS, &[])?;
    rows.iter().map(|row| Ok(TableName { schema: value(row, 0)?, name: value(row, 1)? })).collect()
}

struct Sampler<'a> {
    database: &'a AccessibleDatabase<'a>,
    session: &'a ReadingSession,
    /// Tables with rows on other servers.
    elsewhere: BTreeSet<TableName>,
    sampled: &'a mut Sampled,
}

impl Sampler<'_> {
    fn may_sample(&self, table: &Table) -> bool {
        may_sample(table)
            && !table.is_locked
            && !table.columns.is_empty()
            && !self.elsewhere.contains(&table.table_name())
    }

    fn tables(&mut self, tables: &[&Table]) -> Result<(), Refusal> {
        for chunk in tables.chunks(statistics::TABLES) {
            let statistics::KnownTables { profiles: mut known, unseen } =
                match statistics::read(self.database.config, self.session, chunk) {
                    Err(refusal) => {
                        self.skip_refused(refusal)?;
                        statistics::KnownTables::default()
                    }
                    Ok(known) => known,
                };
            let unknown: Vec<&Table> =
                chunk.iter().copied().filter(|table| !known.contains_key(&table.table_name())).collect();
            self.sampled.profiles.append(&mut known);
            self.read_rows(&unknown, |sampled, table, profile| {
                sampled.profiles.insert(table.table_name(), profile);
            })?;
            let unseen_tables: Vec<&Table> =
                chunk.iter().copied().filter(|table| unseen.contains_key(&table.table_name())).collect();
            self.read_rows(&unseen_tables, |sampled, table, mut profile| {
                let name = table.table_name();
                let (Some(columns), Some(known)) = (unseen.get(&name), sampled.profiles.get_mut(&name)) else { return };
                for column in columns {
                    if let Some(read) = profile.remove(column) {
                        known.insert(column.clone(), read);
                    }
                }
            })?;
        }
        Ok(())
    }

    /// Reads the first rows of these tables, and passes on their profiles.
    fn read_rows(
        &mut self,
        tables: &[&Table],
        mut took: impl FnMut(&mut Sampled, &Table, TableProfile),
    ) -> Result<(), Refusal> {
        let config = self.database.config;
        let samples = tables.iter().map(|table| RowSample::new(config, table));
        let asked: Vec<(String, RowSample<'_>)> = samples.filter_map(|it| Some((it.statement()?, it))).collect();
        let mut found = Vec::new();
        self.ask_each(&asked, |sample, rows| {
            found.push((sample.table, rows.and_then(|rows| sample.profile(config, &rows))));
        })?;
        for (table, profile) in found {
            match profile {
                Ok(profile) => took(self.sampled, table, profile),
                Err(refusal) => {
                    let message = format!("{} cannot be sampled: {refusal}", table.full_name());
                    self.sampled.problems.push(Diagnostic::warning(Code::TableUnreadable, message));
                }
            }
        }
        Ok(())
    }

    /// Runs these statements, and passes on the result of each with its subject. A refused statement does not stop the
    /// following ones.
    fn ask_each<'a, T>(
        &self,
        asked: &'a [(String, T)],
        mut answered: impl FnMut(&'a T, Result<Vec<Row>, Refusal>),
    ) -> Result<(), Refusal> {
        for some in asked.chunks(STATEMENTS_PER_SAVEPOINT) {
            let mut unasked = some;
            while !unasked.is_empty() {
                let mut rest = unasked.iter();
                let mut refused = None;
                self.session.rows_of_each(unasked.iter().map(|(statement, _)| statement.as_str()), |rows| {
                    let Some((_, about)) = rest.next() else { return };
                    match rows {
                        Ok(rows) => answered(about, Ok(rows)),
                        Err(refusal) => refused = Some((about, refusal)),
                    }
                });
                unasked = rest.as_slice();
                if let Some((about, refusal)) = refused {
                    self.skip_refused(refusal.clone())?;
                    answered(about, Err(refusal));
                }
            }
            self.session.rollback_to_savepoint()?;
        }
        Ok(())
    }

    /// Rolls back, so that the next statement can be sent; fails if the connection is lost.
    fn skip_refused(&self, refusal: Refusal) -> Result<(), Refusal> {
        if is_lost(&refusal) {
            return Err(refusal);
        }
        self.session.rollback_to_savepoint()
    }

    fn joins(&self, snapshot: &Snapshot, joins: &mut InferredJoins) -> Result<(), Refusal> {
        let sampled = |name| snapshot.table(name).filter(|table| self.may_sample(table));
        let mut asked: Vec<(String, (TableName, usize))> = Vec::new();
        for (name, of_table) in &joins.of {
            for (at, join) in of_table.iter().enumerate().filter(|(_, join)| !join.is_noted) {
                let (Some(table), Some(target)) = (sampled(name), sampled(&join.target)) else { continue };
                let statement = share_found(table, target, join);
                asked.extend(statement.map(|statement| (statement, (name.clone(), at))));
            }
        }
        let mut denied: BTreeSet<(&TableName, usize)> = BTreeSet::new();
        let ended = self.ask_each(&asked, |(name, at), rows| {
            if rows.and_then(|rows| has_too_few_matches(&rows)).unwrap_or(false) {
                denied.insert((name, *at));
            }
        });
        for (name, of_table) in &mut joins.of {
            let mut places = 0..;
            of_table.retain(|_| !places.next().is_some_and(|at| denied.contains(&(name, at))));
        }
        joins.of.retain(|_, of_table| !of_table.is_empty());
        ended
    }
}

/// A table whose first rows are read.
struct RowSample<'t> {
    table: &'t Table,
    /// For each column, why it is sensitive by name or type.
    rules: Vec<Option<SensitiveRule>>,
}

impl<'t> RowSample<'t> {
    fn new(config: &DatabaseConfig, table: &'t Table) -> Self {
        Self { table, rules: table.columns.iter().map(|column| by_name_and_type(config, table, column)).collect() }
    }

    /// The statement that reads the rows; `None` if the table's name cannot be quoted.
    fn statement(&self) -> Option<String> {
        let selected = self.table.columns.iter().zip(&self.rules).map(|(column, rule)| {
            // A statement cannot contain a name with a NUL.
            let Some(name) = quoted(&column.name) else { return "NULL::text".to_owned() };
            match rule {
                Some(_) => format!("{name} IS NULL"),
                // `concat` uses the type's output function; a cast could call a function of the database.
                None => format!(
                    "CASE WHEN {name} IS NULL THEN NULL ELSE pg_catalog.left(pg_catalog.concat({name}), {CHARACTERS}) END"
                ),
            }
        });
        let selected = selected.collect::<Vec<_>>().join(", ");
        Some(format!("SELECT {selected} FROM {} LIMIT {SAMPLED_ROWS}", from(self.table)?))
    }

    fn profile(&self, config: &DatabaseConfig, rows: &[Row]) -> Result<TableProfile, Refusal> {
        let mut found = TableProfile::default();
        for (at, (column, rule)) in self.table.columns.iter().zip(&self.rules).enumerate() {
            let is_number = is_number(column.base_type.as_ref().unwrap_or(&column.data_type));
            let cells: Vec<Cell> = rows
                .iter()
                .map(|row| match rule {
                    Some(_) if value::<bool>(row, at)? => Ok(Cell::Null),
                    Some(_) => Ok(Cell::Unread),
                    None => Ok(value::<Option<String>>(row, at)?.map_or(Cell::Null, |text| cell(text, is_number))),
                })
                .collect::<Result<_, Refusal>>()?;
            let is_lifted = is_lifted(config, self.table, column);
            found.insert(column.name.clone(), profile_of_rows(&cells, rule.clone(), is_lifted));
        }
        Ok(found)
    }
}

/// A statement that counts a join's values, and those found among the target's keys. It returns no values.
fn share_found(table: &Table, target: &Table, join: &InferredJoin) -> Option<String> {
    let (column, key) = (quoted(join.columns.first()?)?, quoted(join.target_columns.first()?)?);
    let (from, to) = (from(table)?, from(target)?);
    Some(format!(
        "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM {to} AS t WHERE t.{key} = s.v))
         FROM (SELECT DISTINCT v FROM (SELECT {column} AS v FROM {from} WHERE {column} IS NOT NULL
               LIMIT {SAMPLED_ROWS}) AS r LIMIT {KEYS}) AS s"
    ))
}

/// Whether too few of a join's values are keys of the target.
fn has_too_few_matches(rows: &[Row]) -> Result<bool, Refusal> {
    let Some(row) = rows.first() else { return Ok(false) };
    Ok(!is_share_found(value(row, 0)?, value(row, 1)?))
}

/// The table in a `FROM` clause: without inheriting tables, which may be on another server.
fn from(table: &Table) -> Option<String> {
    let (schema, name) = (quoted(&table.schema)?, quoted(&table.name)?);
    let only = if table.kind == TableKind::Table { "ONLY " } else { "" };
    Some(format!("{only}{schema}.{name}"))
}

fn is_number(printed: &str) -> bool {
    let name = printed.split('(').next().unwrap_or_default();
    NUMBERS.contains(&name)
}

fn cell(text: String, is_number: bool) -> Cell {
    match text.parse::<f64>() {
        Ok(number) if is_number => Cell::Number(number, text),
        _ => Cell::Text(text),
    }
}

fn value<'r, T: refdesk_postgres::FromSql<'r>>(row: &'r Row, at: usize) -> Result<T, Refusal> {
    row.try_get(at).map_err(|_| Refusal::new(RefusalKind::Other, "a value does not match its type"))
}
