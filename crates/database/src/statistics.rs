//! What may be learned about a table's values, and for which tables.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::sensitive::SensitiveRule;
use crate::snapshot::{Table, TableKind};

/// Most rows that are read from a table.
pub(crate) const SAMPLED_ROWS: u64 = 1_000;

/// What was read about the values of a table, by the name of the column.
pub type TableProfile = BTreeMap<String, ColumnProfile>;

/// What was read about the values of a column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ColumnProfile {
    /// Why nothing more is published.
    pub sensitive: Option<SensitiveRule>,
    /// What is published.
    pub statistics: ColumnStatistics,
    /// All of its values, if they are few and frequent enough; shown only if the configuration publishes them.
    pub values: Option<Vec<String>>,
}

impl ColumnProfile {
    /// What of it may be published for a sensitive column.
    pub(crate) fn of_sensitive(&self) -> Self {
        let null_percent = self.statistics.null_percent.map(|percent| (percent.min(100) + 2) / 5 * 5);
        Self {
            sensitive: self.sensitive.clone(),
            statistics: ColumnStatistics { null_percent, ..ColumnStatistics::default() },
            values: None,
        }
    }
}

/// What is known about the values of a column.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnStatistics {
    /// The share of nulls; for a sensitive column rounded to 5 %.
    pub null_percent: Option<u8>,
    /// Distinct values among the rows that were read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<u64>,
    /// Average characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_width: Option<u64>,
    /// The first and the last year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub years: Option<(i32, i32)>,
    /// The smallest and the largest power of ten of the positive numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub magnitude: Option<(i16, i16)>,
    /// The same for the negative numbers, without their sign.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negative_magnitude: Option<(i16, i16)>,
    /// Whether there are zeros among other numbers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_zero: bool,
    /// Shapes that at least ten rows have: letters as `a` or `A`, digits as `9`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shapes: Vec<String>,
    /// Whether it has few values, which are not shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub few_values: bool,
    /// The number of rows read, if they may not be the whole table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampled_rows: Option<u64>,
}

/// Whether a table may be sampled at all: not one of another server, nor one that shows each role different rows. Nor a
/// view, materialized or not: its columns may come from sensitive ones under other names.
pub(crate) fn may_sample(table: &Table) -> bool {
    let is_table = matches!(table.kind, TableKind::Table | TableKind::PartitionedTable);
    is_table && !table.row_security && !table.is_unreadable
}

/// A count rounded to two digits, so that a page does not change with every row.
pub(crate) fn to_two_digits(count: u64) -> u64 {
    let mut unit = 1;
    while count / unit >= 100 {
        unit *= 10;
    }
    count.saturating_add(unit / 2) / unit * unit
}
