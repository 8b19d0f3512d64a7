//! What may be learned about a table's values. Values of a column that is sensitive by name, by type, or because it shares
//! its values with such a column, are never read, only whether they are null. A sample of the other values is examined in
//! memory, and only counts, shares and shapes leave this module. A detector that finds an address, a card number or a
//! secret makes its column sensitive too.

mod from_page;
#[cfg(feature = "postgres")]
mod postgres;
mod profile;
mod sqlite;

use std::collections::BTreeMap;

pub use from_page::from_page;

use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

use crate::config::Sampling;
use crate::connector::AccessibleDatabase;
use crate::names::quoted;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::snapshot::{Snapshot, Table, TableName};
use crate::statistics::{TableProfile, may_sample};

/// How many keys are looked up in another table, and the share that must be found.
const KEYS: usize = 200;
const FOUND_PERCENT: i64 = 90;

/// The number of characters of a text that are examined.
const CHARACTERS: usize = 256;

/// What was read about the values of a database.
#[derive(Debug, Default)]
pub struct Sampled {
    /// By table.
    pub profiles: BTreeMap<TableName, TableProfile>,
    /// What could not be read.
    pub problems: Vec<Diagnostic>,
    /// Why the connection was lost before the end. Pages made from this incomplete result would contain less than they
    /// could.
    pub lost: Option<Error>,
}

impl Sampled {
    /// The tables whose values may be read, but could not be.
    pub fn unread<'s>(&'s self, snapshot: &'s Snapshot) -> impl Iterator<Item = &'s Table> {
        let has_failed = !self.problems.is_empty();
        let is_unread = |table: &&Table| !self.profiles.contains_key(&table.table_name());
        snapshot.tables.iter().filter(move |table| has_failed && may_sample(table) && is_unread(table))
    }
}

/// The parts of a statement that looks up a join's values among the target's keys: the values to select, the condition
/// that they exist, and that a row `t` of the target has those of `s`.
struct JoinComparison {
    values: String,
    are_there: String,
    equal: String,
}

impl JoinComparison {
    /// `None` if a name cannot be quoted.
    fn of(join: &InferredJoin) -> Option<Self> {
        let (mut values, mut are_there, mut equal) = (Vec::new(), Vec::new(), Vec::new());
        for (at, (column, key)) in join.columns.iter().zip(&join.target_columns).enumerate() {
            let (column, key) = (quoted(column)?, quoted(key)?);
            values.push(format!("{column} AS v{at}"));
            are_there.push(format!("{column} IS NOT NULL"));
            equal.push(format!("t.{key} = s.v{at}"));
        }
        Some(Self { values: values.join(", "), are_there: are_there.join(" AND "), equal: equal.join(" AND ") })
    }
}

fn is_share_found(all: i64, found: i64) -> bool {
    all == 0 || found * 100 >= all * FOUND_PERCENT
}

/// Reads samples of all tables, as far as the configuration allows, and drops inferred joins whose values are not found
/// in the other table.
pub fn sample(database: &AccessibleDatabase<'_>, snapshot: &Snapshot, joins: &mut InferredJoins) -> Sampled {
    use crate::config::Connection;
    if database.config.sampling == Sampling::None || !database.config.connection.shows_rows() {
        return Sampled::default();
    }
    match &database.config.connection {
        Connection::Sqlite { file } => sqlite::sample(database, file, snapshot, joins),
        #[cfg(feature = "postgres")]
        Connection::Postgres(server) => postgres::sample(database, server, snapshot, joins),
        _ => Sampled::default(),
    }
}

#[cfg(test)]
mod tests;
