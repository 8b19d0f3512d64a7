//! Profiles columns by the server's own statistics. The frequent values of a column that is not sensitive by name or
//! type are examined like rows, so that detectors find the same as in the table.

use std::collections::BTreeMap;

use refdesk_postgres::{ReadingSession, Refusal};

use super::super::profile::{Cell, FREE_TEXT, SET, profile};
use super::{cell, is_number, value};
use crate::config::DatabaseConfig;
use crate::schema::sensitive_columns::SensitiveColumns;
use crate::sensitive::{SensitiveRule, is_lifted};
use crate::snapshot::{Column, Table, TableKind, TableName};
use crate::statistics::SAMPLED_ROWS;
use crate::statistics::{ColumnProfile, TableProfile, to_two_digits};

/// Tables per statement.
pub(crate) const TABLES: usize = 2_000;

/// The view omits columns that the role may not read. The bounds are sorted, and those at one end may all be of one
/// kind, so the sample is taken evenly across them.
const STATISTICS: &str = "
SELECT w.at, s.null_frac::float8, s.avg_width, s.n_distinct::float8, v.common[1:25], f.frequencies[1:25], e.bounds
FROM unnest($1::text[], $2::text[], $3::text[], $4::bool[], $5::bool[]) WITH ORDINALITY
     AS w (schema, name, attribute, is_parent, is_open, at)
JOIN pg_catalog.pg_stats s ON s.schemaname = w.schema AND s.tablename = w.name AND s.attname = w.attribute
     AND s.inherited = w.is_parent
CROSS JOIN LATERAL (SELECT CASE WHEN w.is_open THEN s.most_common_vals::text::text[] END AS common) v
CROSS JOIN LATERAL (SELECT CASE WHEN w.is_open THEN s.most_common_freqs::float8[] END AS frequencies) f
CROSS JOIN LATERAL (SELECT CASE WHEN w.is_open THEN s.histogram_bounds::text::text[] END AS bounds) h
CROSS JOIN LATERAL (SELECT array_agg(h.bounds[places.place] ORDER BY places.place) AS bounds
                    FROM (SELECT DISTINCT 1 + (cardinality(h.bounds) - 1) * step / 25 AS place
                          FROM generate_series(0, 25) step WHERE cardinality(h.bounds) > 0) places) e";

/// The server's statistics of a column.
struct ServerStatistics {
    null_share: f64,
    width: u64,
    /// The number of distinct values, or the negated share of the rows; 0 if unknown.
    distinct: f64,
    /// Frequent values with their shares.
    common: Vec<(String, f64)>,
    /// Other values, sorted.
    bounds: Vec<String>,
}

/// The profiles from the server's statistics.
#[derive(Default)]
pub(crate) struct KnownTables {
    /// Tables without statistics are missing.
    pub profiles: BTreeMap<TableName, TableProfile>,
    /// Text columns of which the server stores no values, so that only rows show what they contain.
    pub unseen: BTreeMap<TableName, Vec<String>>,
}

/// Profiles these tables from the server's statistics.
pub(crate) fn read(
    config: &DatabaseConfig,
    session: &ReadingSession,
    tables: &[&Table],
    sensitive: &SensitiveColumns<'_>,
) -> Result<KnownTables, Refusal> {
    let mut wanted: Vec<(&Table, &Column, Option<SensitiveRule>)> = Vec::new();
    for table in tables {
        let columns = table.columns.iter().zip(sensitive.of(table));
        wanted.extend(columns.map(|(column, rule)| (*table, column, rule.clone())));
    }
    let schemas: Vec<&str> = wanted.iter().map(|(table, ..)| table.schema.as_str()).collect();
    let names: Vec<&str> = wanted.iter().map(|(table, ..)| table.name.as_str()).collect();
    let columns: Vec<&str> = wanted.iter().map(|(_, column, _)| column.name.as_str()).collect();
    let parents: Vec<bool> = wanted.iter().map(|(table, ..)| table.kind == TableKind::PartitionedTable).collect();
    let open: Vec<bool> = wanted.iter().map(|(_, _, rule)| rule.is_none()).collect();
    let mut found = KnownTables::default();
    for row in session.rows(STATISTICS, &[&schemas, &names, &columns, &parents, &open])? {
        let at = usize::try_from(value::<i64>(&row, 0)? - 1).unwrap_or(usize::MAX);
        let Some((table, column, rule)) = wanted.get(at) else { continue };
        let common: Vec<String> = value::<Option<_>>(&row, 4)?.unwrap_or_default();
        let shares: Vec<f64> = value::<Option<_>>(&row, 5)?.unwrap_or_default();
        let known = ServerStatistics {
            null_share: value(&row, 1)?,
            width: u64::try_from(value::<i32>(&row, 2)?).unwrap_or(0),
            distinct: value(&row, 3)?,
            common: common.into_iter().zip(shares).collect(),
            bounds: value::<Option<_>>(&row, 6)?.unwrap_or_default(),
        };
        if rule.is_none() && known.is_unseen(column) {
            found.unseen.entry(table.table_name()).or_default().push(column.name.clone());
        }
        let of_table = found.profiles.entry(table.table_name()).or_default();
        let profile = known.profile(config, table, column, rule.clone());
        of_table.insert(column.name.clone(), profile);
    }
    Ok(found)
}

fn printed(column: &Column) -> &str {
    column.base_type.as_ref().unwrap_or(&column.data_type)
}

fn is_text(column: &Column) -> bool {
    ["text", "character", "bpchar", "citext"].iter().any(|name| printed(column).starts_with(name))
}

impl ServerStatistics {
    /// Whether the server stores none of the column's texts. It skips very long ones, and reports the size of a pointer
    /// as their width.
    fn is_unseen(&self, column: &Column) -> bool {
        is_text(column) && self.null_share < 1.0 && self.common.is_empty() && self.bounds.is_empty()
    }

    fn profile(
        self,
        config: &DatabaseConfig,
        table: &Table,
        column: &Column,
        rule: Option<SensitiveRule>,
    ) -> ColumnProfile {
        let (is_number, is_text) = (is_number(printed(column)), is_text(column));
        let is_lifted = is_lifted(config, table, column);
        // The server stores no values of very wide texts.
        let is_wide = is_text && (self.width > FREE_TEXT as u64 || self.is_unseen(column)) && !is_lifted;
        let rule = rule.or(is_wide.then_some(SensitiveRule::FreeText));
        let rows = table.row_estimate.unwrap_or(SAMPLED_ROWS);
        let mut found = profile(&self.cells(rows.min(SAMPLED_ROWS), is_number), rule, is_lifted);
        let statistics = &mut found.statistics;
        let percent = self.null_share.clamp(0.0, 1.0) * 100.0;
        if found.sensitive.is_some() {
            statistics.null_percent = Some((percent / 5.0).round() as u8 * 5);
            return found;
        }
        let distinct = match self.distinct {
            // The server stores no ranges and no wide values, and takes all of them for different.
            share if share < 0.0 && self.common.is_empty() && self.bounds.is_empty() => None,
            share if share < 0.0 => table.row_estimate.map(|rows| (-share * rows as f64).round() as u64),
            number if number > 0.0 => Some(number as u64),
            _ => None,
        };
        let is_small = self.distinct > 0.0 && self.distinct <= SET as f64;
        statistics.null_percent = Some(percent.round() as u8);
        statistics.distinct = distinct.map(to_two_digits);
        statistics.average_width = is_text.then_some(self.width);
        statistics.few_values = is_small && rows > SET as u64 * 5;
        // The set is complete only if the frequent values are the only ones.
        if !is_small || self.common.len() as f64 != self.distinct {
            found.values = None;
        }
        found
    }

    /// Simulated rows with these values, in proportion to their frequency.
    fn cells(&self, rows: u64, is_number: bool) -> Vec<Cell> {
        let share = |share: f64| (share.clamp(0.0, 1.0) * rows as f64).round() as usize;
        let mut cells = vec![Cell::Null; share(self.null_share)];
        for (value, frequency) in &self.common {
            let times = share(*frequency).max(1);
            cells.extend(std::iter::repeat_n(cell(value.clone(), is_number), times));
        }
        cells.extend(self.bounds.iter().map(|value| cell(value.clone(), is_number)));
        let rest = usize::try_from(rows).unwrap_or(0).saturating_sub(cells.len());
        cells.extend(std::iter::repeat_n(Cell::Unread, rest));
        cells
    }
}
