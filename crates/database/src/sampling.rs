//! What may be known of the values of a table.

use std::collections::BTreeMap;

use crate::schema::sensitive::SensitiveRule;
use crate::schema::snapshot::{Table, TableKind};
use crate::schema::table_doc::ColumnStatistics;

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

/// Whether a table may be sampled at all: not one of another server, nor one that shows each reader other rows.
pub fn may_sample(table: &Table) -> bool {
    let is_local = matches!(table.kind, TableKind::Table | TableKind::PartitionedTable | TableKind::MaterializedView);
    is_local && !table.row_security && !table.is_unreadable
}
