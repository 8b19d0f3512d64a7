//! Joins that many tables of a database have, such as the one with the user who created a row. They say nothing about
//! what a table is for, so they decide no domain, and lists have them last.

/// The number of tables that must have a join by the same columns.
const TABLES: usize = 10;

/// More than one in this many tables must have it.
const ONE_IN: usize = 4;

/// Whether a join is shared: `having` of all `tables` refer by the same columns to the same table.
pub fn is_shared(having: usize, tables: usize) -> bool {
    having >= TABLES && having * ONE_IN > tables
}
