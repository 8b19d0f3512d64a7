//! What a PostgreSQL server knows of values: its own statistics where it has them and the role may see them, else the first rows of
//! a table, with one statement a table. The time of each is limited at the server.

mod statistics;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::BTreeSet;

use refdesk_postgres::{ReadingSession, Refusal, RefusalKind, Row};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

use super::profile::{Cell, profile};
use super::{CHARACTERS, KEYS, Sampled, TableProfile, is_share_found, may_sample};
use crate::config::ServerConnection;
use crate::connector::postgres::{outside_runtime, place};
use crate::connector::{Reachable, quoted};
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::schema::plan::SAMPLED_ROWS;
use crate::schema::sensitive::{SensitiveRule, by_name_and_type, is_lifted};
use crate::schema::snapshot::{Snapshot, Table, TableKind, TableName};

/// Partitioned tables of which a part is on another server, or shows each reader other rows.
const FOREIGN_PARTS: &str = "
WITH RECURSIVE parts AS (
    SELECT c.oid AS root, i.inhrelid AS oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_inherits i ON i.inhparent = c.oid
    WHERE c.relkind = 'p' AND NOT c.relispartition
    UNION ALL SELECT p.root, i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
)
SELECT DISTINCT n.nspname::text, r.relname::text
FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid AND (c.relkind = 'f' OR c.relrowsecurity)
JOIN pg_catalog.pg_class r ON r.oid = p.root JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace";

/// Types whose values are numbers.
const NUMBERS: [&str; 7] = ["smallint", "integer", "bigint", "numeric", "real", "double precision", "oid"];

/// Reads what is known of the values of all tables, and drops joins whose keys are not found.
pub fn sample(
    database: &Reachable<'_>,
    server: &ServerConnection,
    snapshot: &Snapshot,
    joins: &mut InferredJoins,
) -> Sampled {
    let mut sampled = Sampled::default();
    // Reading the schema has told what is wrong with the address.
    let Ok(address) = place::address(server, &database.around) else { return sampled };
    let work = || -> Result<(), Refusal> {
        let session = ReadingSession::open(&address, &database.around.is_stopped)?;
        session.limit_statements(database.config.settings.sample_time)?;
        let mut sampler = Sampler { database, session: &session, elsewhere: BTreeSet::new(), sampled: &mut sampled };
        sampler.find_elsewhere()?;
        let tables: Vec<&Table> = snapshot.tables.iter().filter(|table| sampler.may_sample(table)).collect();
        sampler.tables(&tables)?;
        sampler.joins(snapshot, joins)?;
        session.end();
        Ok(())
    };
    let ended = outside_runtime(work)
        .unwrap_or_else(|| Err(Refusal { kind: RefusalKind::Other, words: "the client stopped".to_owned() }));
    if let Err(refusal) = ended {
        let message = format!("the values of '{}' could not be sampled to the end: {refusal}", database.config.name);
        sampled.problems.push(Diagnostic::warning(Code::TableUnreadable, message));
    }
    sampled
}

struct Sampler<'a> {
    database: &'a Reachable<'a>,
    session: &'a ReadingSession,
    /// Tables whose rows are not all here.
    elsewhere: BTreeSet<TableName>,
    sampled: &'a mut Sampled,
}

impl Sampler<'_> {
    fn may_sample(&self, table: &Table) -> bool {
        may_sample(table) && !table.columns.is_empty() && !self.elsewhere.contains(&table.table_name())
    }

    fn find_elsewhere(&mut self) -> Result<(), Refusal> {
        for row in self.session.rows(FOREIGN_PARTS, &[])? {
            self.elsewhere.insert(TableName { schema: value(&row, 0)?, name: value(&row, 1)? });
        }
        Ok(())
    }

    fn tables(&mut self, tables: &[&Table]) -> Result<(), Refusal> {
        for chunk in tables.chunks(statistics::TABLES) {
            let known = match statistics::read(self.database.config, self.session, chunk) {
                Err(refusal) => self.go_on_after(refusal)?.unwrap_or_default(),
                Ok(known) => known,
            };
            for table in chunk {
                if let Some(found) = known.get(&table.table_name()) {
                    self.sampled.profiles.insert(table.table_name(), found.clone());
                    continue;
                }
                match self.rows_of(table) {
                    Ok(found) => {
                        self.sampled.profiles.insert(table.table_name(), found);
                    }
                    Err(refusal) => {
                        let message = format!("{} cannot be sampled: {refusal}", table.full_name());
                        self.go_on_after::<()>(refusal)?;
                        self.sampled.problems.push(Diagnostic::warning(Code::TableUnreadable, message));
                    }
                }
            }
        }
        Ok(())
    }

    /// Nothing, so that the next statement can be asked; an error if the connection is lost.
    fn go_on_after<T>(&self, refusal: Refusal) -> Result<Option<T>, Refusal> {
        match refusal.kind {
            RefusalKind::Unreachable | RefusalKind::Busy | RefusalKind::Stopped => Err(refusal),
            _ => self.session.undo_failure().map(|()| None),
        }
    }

    fn rows_of(&self, table: &Table) -> Result<TableProfile, Refusal> {
        let config = self.database.config;
        let rules: Vec<Option<SensitiveRule>> =
            table.columns.iter().map(|column| by_name_and_type(config, table, column)).collect();
        let selected = table.columns.iter().zip(&rules).map(|(column, rule)| {
            // A name with a NUL cannot be asked for.
            let Ok(name) = quoted(&column.name) else { return "NULL::text".to_owned() };
            match rule {
                Some(_) => format!("{name} IS NULL"),
                // `concat` prints a value as its type does; a cast could run a function of the database.
                None => format!(
                    "CASE WHEN {name} IS NULL THEN NULL ELSE pg_catalog.left(pg_catalog.concat({name}), {CHARACTERS}) END"
                ),
            }
        });
        let selected = selected.collect::<Vec<_>>().join(", ");
        let Some(from) = from(table) else { return Ok(TableProfile::default()) };
        let rows = self.session.rows(&format!("SELECT {selected} FROM {from} LIMIT {SAMPLED_ROWS}"), &[])?;
        let mut found = TableProfile::default();
        for (at, (column, rule)) in table.columns.iter().zip(rules).enumerate() {
            let is_number = is_number(column.base_type.as_ref().unwrap_or(&column.data_type));
            let cells: Vec<Cell> = rows
                .iter()
                .map(|row| match rule {
                    Some(_) if value::<bool>(row, at)? => Ok(Cell::Null),
                    Some(_) => Ok(Cell::Unread),
                    None => Ok(value::<Option<String>>(row, at)?.map_or(Cell::Null, |text| cell(text, is_number))),
                })
                .collect::<Result<_, Refusal>>()?;
            found.columns.insert(column.name.clone(), profile(&cells, rule, is_lifted(config, table, column)));
        }
        Ok(found)
    }

    fn joins(&mut self, snapshot: &Snapshot, joins: &mut InferredJoins) -> Result<(), Refusal> {
        for (name, of_table) in &mut joins.of {
            let Some(table) = snapshot.table(name).filter(|table| self.may_sample(table)) else { continue };
            let mut kept = Vec::with_capacity(of_table.len());
            for join in of_table.drain(..) {
                let target = snapshot.table(&join.target).filter(|target| self.may_sample(target));
                let is_found = match target.filter(|_| !join.is_noted) {
                    Some(target) => match self.are_found(table, target, &join) {
                        Ok(is_found) => is_found,
                        Err(refusal) => self.go_on_after(refusal)?,
                    },
                    None => None,
                };
                if is_found.unwrap_or(true) {
                    kept.push(join);
                }
            }
            *of_table = kept;
        }
        joins.of.retain(|_, of_table| !of_table.is_empty());
        Ok(())
    }

    /// Whether enough of the values of a join are keys of the table that it would lead to; only a share is asked for.
    fn are_found(&self, table: &Table, target: &Table, join: &InferredJoin) -> Result<Option<bool>, Refusal> {
        let (Some(column), Some(key)) = (join.columns.first(), join.target_columns.first()) else { return Ok(None) };
        let (Ok(column), Ok(key)) = (quoted(column), quoted(key)) else { return Ok(None) };
        let (Some(from), Some(to)) = (from(table), from(target)) else { return Ok(None) };
        let statement = format!(
            "SELECT count(*), count(*) FILTER (WHERE EXISTS (SELECT FROM {to} AS t WHERE t.{key} = s.v))
             FROM (SELECT DISTINCT v FROM (SELECT {column} AS v FROM {from} WHERE {column} IS NOT NULL
                   LIMIT {SAMPLED_ROWS}) AS r LIMIT {KEYS}) AS s"
        );
        let rows = self.session.rows(&statement, &[])?;
        let Some(row) = rows.first() else { return Ok(None) };
        Ok(Some(is_share_found(value(row, 0)?, value(row, 1)?)))
    }
}

/// The table as a statement names it: without tables that inherit from it, which may be elsewhere.
fn from(table: &Table) -> Option<String> {
    let (schema, name) = (quoted(&table.schema).ok()?, quoted(&table.name).ok()?);
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
    let words = || "a value is not as its type says".to_owned();
    row.try_get(at).map_err(|_| Refusal { kind: RefusalKind::Other, words: words() })
}
