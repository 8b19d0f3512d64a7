//! What may be known of the values of a table.

use crate::schema::snapshot::{Table, TableKind};

/// Whether a table may be sampled at all: not one of another server, nor one that shows each reader other rows.
pub fn may_sample(table: &Table) -> bool {
    let is_local = matches!(table.kind, TableKind::Table | TableKind::PartitionedTable | TableKind::MaterializedView);
    is_local && !table.row_security && !table.is_unreadable
}
