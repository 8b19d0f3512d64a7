//! What may be known of the values of a table. A column that is sensitive by its name or type is never read: only whether a row has
//! a value there. Of the others a sample is looked at in memory, and what leaves this module are counts, shares and shapes; a
//! detector that finds an address, a card number or a secret makes its column sensitive, too.

pub(crate) mod detect;
#[cfg(feature = "postgres")]
mod postgres;
mod profile;
mod sqlite;

use std::collections::BTreeMap;

use refdesk_text::report::Diagnostic;

use crate::config::Sampling;
use crate::connector::Reachable;
use crate::schema::joins::InferredJoins;
use crate::schema::sensitive::SensitiveRule;
use crate::schema::snapshot::{Snapshot, Table, TableKind, TableName};
use crate::schema::table_doc::ColumnStatistics;

/// Keys of which is asked whether they are found in another table, and the share that must be.
const KEYS: usize = 200;
const FOUND_PERCENT: i64 = 90;

/// Characters of a text that are looked at.
const CHARACTERS: usize = 256;

/// What was read of the values of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableProfile {
    /// By the name of the column.
    pub columns: BTreeMap<String, ColumnProfile>,
}

/// What was read of the values of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnProfile {
    /// Why nothing more is told.
    pub sensitive: Option<SensitiveRule>,
    /// What is told.
    pub statistics: ColumnStatistics,
    /// All of its values, if they are few and frequent enough; they are told only where the configuration publishes them.
    pub values: Option<Vec<String>>,
}

/// What was read of the values of a database.
#[derive(Debug, Default)]
pub struct Sampled {
    /// By table.
    pub profiles: BTreeMap<TableName, TableProfile>,
    /// What could not be read.
    pub problems: Vec<Diagnostic>,
}

/// Whether a table may be sampled at all: not one of another server, nor one that shows each reader other rows.
pub fn may_sample(table: &Table) -> bool {
    let is_local = matches!(table.kind, TableKind::Table | TableKind::PartitionedTable | TableKind::MaterializedView);
    is_local && !table.row_security && !table.is_unreadable
}

fn is_share_found(all: i64, found: i64) -> bool {
    all == 0 || found * 100 >= all * FOUND_PERCENT
}

/// Reads samples of all tables, as far as the configuration allows, and drops inferred joins whose values are not found in the table
/// that they would refer to.
pub fn sample(database: &Reachable<'_>, snapshot: &Snapshot, joins: &mut InferredJoins) -> Sampled {
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
