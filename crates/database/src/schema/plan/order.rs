//! How important a table is, and in which order tables are documented.

use std::collections::HashMap;

use super::PlannedTable;
use crate::names::words::split;
use crate::schema::domains::SYSTEM;
use crate::snapshot::{Table, TableName};

/// The minimum number of incoming keys for the first priority.
const MANY: usize = 3;

/// Words in the names of copies, logs and other unimportant tables.
const UNIMPORTANT: &[&str] = &[
    "backup",
    "backups",
    "bak",
    "bkp",
    "old",
    "tmp",
    "temp",
    "temporary",
    "log",
    "logs",
    "history",
    "hist",
    "audit",
    "archive",
    "archived",
    "migration",
    "migrations",
    "schema",
    "flyway",
    "liquibase",
    "alembic",
    "changelog",
    "databasechangelog",
    "copy",
    "test",
];

/// The number of keys of other tables that refer to each table.
pub(crate) fn incoming(tables: &[Table]) -> HashMap<TableName, usize> {
    let mut counts = HashMap::new();
    for table in tables {
        for key in table.foreign_keys.iter().filter(|key| key.target != table.table_name()) {
            *counts.entry(key.target.clone()).or_default() += 1;
        }
    }
    counts
}

/// The minimum number of incoming keys for the first priority: that of the top tenth, and at least three.
pub(crate) fn threshold(tables: &[Table], incoming: &HashMap<TableName, usize>) -> usize {
    let mut counts: Vec<usize> =
        tables.iter().map(|table| incoming.get(&table.table_name()).copied().unwrap_or(0)).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let tenth = counts.len().div_ceil(10);
    counts.get(tenth.saturating_sub(1)).copied().unwrap_or(0).max(MANY)
}

/// 1 for tables that many others refer to, 3 for copies, logs and tables without a domain, else 2.
pub(super) fn priority(table: &Table, domain: &str, incoming: usize, threshold: usize) -> u8 {
    if incoming >= threshold {
        return 1;
    }
    let is_unimportant = split(&table.name).iter().any(|word| UNIMPORTANT.contains(&word.as_str()));
    if is_unimportant || domain == SYSTEM { 3 } else { 2 }
}

/// The order in which tables are documented: by priority, then by the number of incoming keys, then by name.
pub(super) fn computed_order(tables: &[PlannedTable]) -> Vec<String> {
    let mut ordered: Vec<&PlannedTable> = tables.iter().collect();
    ordered
        .sort_by_key(|table| (table.priority, std::cmp::Reverse(table.incoming_fk_count), &table.fully_qualified_name));
    ordered.into_iter().map(|table| table.fully_qualified_name.clone()).collect()
}
