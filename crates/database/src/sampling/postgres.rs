//! Profiles values of a PostgreSQL server: from the server's own statistics if the role may see any, otherwise from rows
//! of each table, with one statement per table and several in flight. The rows come from everywhere in the table, because
//! the first ones are the oldest. The server limits the time of each statement.

mod statistics;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use refdesk_postgres::{Address, ReadingSession, Refusal, RefusalKind, Row};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use super::profile::{Cell, profile_of_rows};
use super::{CHARACTERS, JoinComparison, KEYS, Sampled, is_share_found};
use crate::config::{DatabaseConfig, ServerConnection};
use crate::connector::AccessibleDatabase;
use crate::connector::postgres::{WAITS, explained, outside_runtime, with_retries};
use crate::names::quoted;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::schema::sensitive_columns::SensitiveColumns;
use crate::sensitive::{SensitiveRule, is_lifted};
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

/// The sizes of tables, in blocks: with all its partitions for a partitioned one. Tables that are not stored as the
/// server does it by itself are missing, since they may not support samples.
const SIZES: &str = "
WITH RECURSIVE wanted AS (
    SELECT w.at, c.oid FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS w (schema, name, at)
    JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
), parts AS (
    SELECT at, oid FROM wanted
    UNION ALL SELECT p.at, i.inhrelid FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid AND c.relkind = 'p'
    JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
)
SELECT p.at, (sum(pg_catalog.pg_relation_size(p.oid)) / pg_catalog.current_setting('block_size')::int8)::int8
FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid LEFT JOIN pg_catalog.pg_am a ON a.oid = c.relam
GROUP BY p.at HAVING bool_and(c.relkind = 'p' OR a.amname = 'heap')";

/// How many blocks of a table to read rows from; they have at least 1,000 rows.
const BLOCKS: i64 = 250;

/// With fewer rows than this in them, blocks say little of a table.
const FEW: usize = 50;

/// The order in which the first rows come from everywhere in a table. A cast could call a function of the database.
const SCATTERED: &str = "pg_catalog.hashtext(pg_catalog.concat(ctid)), ctid";

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
    sampler.joins(snapshot, joins)?;
    let sensitive = SensitiveColumns::new(database.config, snapshot, joins, &BTreeMap::new());
    let tables: Vec<&Table> = snapshot.tables.iter().filter(|table| sampler.may_sample(table)).collect();
    sampler.tables(&tables, &sensitive)?;
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

    /// How to read rows of these tables.
    fn places(&self, tables: &[&Table]) -> Result<Vec<Places>, Refusal> {
        let mut found = Vec::new();
        for chunk in tables.chunks(statistics::TABLES) {
            let schemas: Vec<&str> = chunk.iter().map(|table| table.schema.as_str()).collect();
            let names: Vec<&str> = chunk.iter().map(|table| table.name.as_str()).collect();
            let mut places = vec![Places::First; chunk.len()];
            match self.session.rows(SIZES, &[&schemas, &names]) {
                Err(refusal) => self.skip_refused(refusal)?,
                Ok(rows) => {
                    for row in rows {
                        let at = usize::try_from(value::<i64>(&row, 0)? - 1).unwrap_or(usize::MAX);
                        if let Some(of_table) = places.get_mut(at) {
                            *of_table = value::<Option<i64>>(&row, 1)?.map_or(Places::First, Places::of_size);
                        }
                    }
                }
            }
            found.append(&mut places);
        }
        Ok(found)
    }

    fn tables(&mut self, tables: &[&Table], sensitive: &SensitiveColumns<'_>) -> Result<(), Refusal> {
        for chunk in tables.chunks(statistics::TABLES) {
            let statistics::KnownTables { profiles: mut known, unseen } =
                match statistics::read(self.database.config, self.session, chunk, sensitive) {
                    Err(refusal) => {
                        self.skip_refused(refusal)?;
                        statistics::KnownTables::default()
                    }
                    Ok(known) => known,
                };
            let unknown: Vec<&Table> =
                chunk.iter().copied().filter(|table| !known.contains_key(&table.table_name())).collect();
            self.sampled.profiles.append(&mut known);
            self.read_rows(&unknown, sensitive, |sampled, table, profile| {
                sampled.profiles.insert(table.table_name(), profile);
            })?;
            let unseen_tables: Vec<&Table> =
                chunk.iter().copied().filter(|table| unseen.contains_key(&table.table_name())).collect();
            self.read_rows(&unseen_tables, sensitive, |sampled, table, mut profile| {
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

    /// Reads rows of these tables, and passes on their profiles.
    fn read_rows(
        &mut self,
        tables: &[&Table],
        sensitive: &SensitiveColumns<'_>,
        mut took: impl FnMut(&mut Sampled, &Table, TableProfile),
    ) -> Result<(), Refusal> {
        let config = self.database.config;
        let places = self.places(tables)?.into_iter();
        let samples =
            tables.iter().zip(places).map(|(table, places)| RowSample { table, places, rules: sensitive.of(table) });
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
        let tables: Vec<&Table> = joins.of.keys().filter_map(sampled).collect();
        for (table, places) in tables.iter().zip(self.places(&tables)?) {
            let name = table.table_name();
            let of_table = joins.of.get(&name).into_iter().flatten().enumerate();
            for (at, join) in of_table.filter(|(_, join)| !join.is_noted) {
                let Some(target) = sampled(&join.target) else { continue };
                let statement = share_found(table, places, target, join);
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

/// Where rows of a table are read.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Places {
    /// At its beginning: its size is not known.
    First,
    /// In the whole table, which is small.
    Everywhere,
    /// In this share of its blocks, in percent.
    Blocks(f64),
}

impl Places {
    fn of_size(blocks: i64) -> Self {
        if blocks <= BLOCKS { Self::Everywhere } else { Self::Blocks(100.0 * BLOCKS as f64 / blocks as f64) }
    }

    /// What follows the table in a `FROM` clause.
    fn sampled(self) -> String {
        match self {
            Self::First | Self::Everywhere => String::new(),
            Self::Blocks(percent) => format!(" TABLESAMPLE SYSTEM ({percent}) REPEATABLE (1)"),
        }
    }

    /// A query for these columns of at most so many rows for which a condition holds. If the blocks have nearly none, as after
    /// most rows were deleted, the first ones are read.
    fn query(self, columns: &str, from: &str, condition: &str, limit: u64) -> String {
        let sampled = self.sampled();
        let ordered = if self == Self::First { String::new() } else { format!(" ORDER BY {SCATTERED}") };
        let scattered = |condition: &str| {
            format!("(SELECT {columns} FROM {from}{sampled} WHERE {condition}{ordered} LIMIT {limit})")
        };
        if !matches!(self, Self::Blocks(_)) {
            return scattered(condition);
        }
        let few = format!(
            "(SELECT count(*) FROM (SELECT FROM {from}{sampled} WHERE {condition} LIMIT {FEW}) AS few) < {FEW}"
        );
        let first = format!("(SELECT {columns} FROM {from} WHERE {condition} AND {few} LIMIT {limit})");
        format!("({} UNION ALL {first})", scattered(&format!("{condition} AND NOT {few}")))
    }
}

/// A table of which rows are read.
struct RowSample<'t> {
    table: &'t Table,
    places: Places,
    /// For each column, why it is sensitive without its values.
    rules: &'t [Option<SensitiveRule>],
}

impl RowSample<'_> {
    /// The statement that reads the rows; `None` if the table's name cannot be quoted.
    fn statement(&self) -> Option<String> {
        let selected = self.table.columns.iter().zip(self.rules).map(|(column, rule)| {
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
        let rows = self.places.query("*", &from(self.table)?, "TRUE", SAMPLED_ROWS);
        // Outside, so that only the rows that are left are put into words.
        Some(format!("SELECT {selected} FROM {rows} AS r"))
    }

    fn profile(&self, config: &DatabaseConfig, rows: &[Row]) -> Result<TableProfile, Refusal> {
        let mut found = TableProfile::default();
        let are_all = !matches!(self.places, Places::Blocks(_));
        for (at, (column, rule)) in self.table.columns.iter().zip(self.rules).enumerate() {
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
            found.insert(column.name.clone(), profile_of_rows(&cells, are_all, rule.clone(), is_lifted));
        }
        Ok(found)
    }
}

/// A statement that counts a join's values, and those found among the target's keys. It returns no values.
fn share_found(table: &Table, places: Places, target: &Table, join: &InferredJoin) -> Option<String> {
    let JoinComparison { values, are_there, equal } = JoinComparison::of(join)?;
    let rows = places.query(&values, &from(table)?, &are_there, KEYS as u64);
    let to = from(target)?;
    Some(format!(
        "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM {to} AS t WHERE {equal}))
         FROM (SELECT DISTINCT * FROM {rows} AS r) AS s"
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
