//! The plan: what would be documented, in which order, and what would be read to do so. A person reviews it and may
//! change domains, priorities, skipped tables, notes and order; everything else is computed.

mod edits;
mod make;
mod order;
mod totals;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::source_ids::unit_ids;
use crate::snapshot::{TableKind, TableName};
use edits::content_hash;

pub use edits::PlanEdits;
pub use make::{PlanInput, ReadOutcome, make, says_sensitive, stale};

/// Where the plan is.
pub const FILE: &str = ".jaato/databases/documentation-plan.json";

/// Most bytes of the file.
pub const FILE_BYTES: u64 = 64 * 1024 * 1024;

/// The version of its format.
pub const SCHEMA_VERSION: &str = "1.0";

/// What would be documented.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Of the format.
    pub schema_version: String,
    /// When it was made.
    pub generated_at: String,
    /// A hash of the configuration, to detect changes.
    pub config_hash: String,
    /// By the number of tables.
    pub complexity: Complexity,
    /// In the order of the configuration.
    pub databases: Vec<PlannedDatabase>,
    /// One for each domain of a database.
    pub work_units: Vec<WorkUnit>,
    /// Totals.
    pub summary: PlanSummary,
    /// What failed.
    #[serde(default)]
    pub errors: Vec<RunError>,
}

/// How large it is: up to 20 tables, up to 200, more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Complexity {
    /// Up to 20 tables.
    #[default]
    Simple,
    /// Up to 200.
    Moderate,
    /// More.
    Complex,
}

/// A database of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedDatabase {
    /// Its name.
    pub name: String,
    /// `sqlite`, `postgres`, `snowflake`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `reachable`, `unreachable`, `untrusted`.
    pub status: String,
    /// Why it could not be reached.
    pub connection_error: Option<String>,
    /// Its tables.
    pub table_count: usize,
    pub(crate) schema_count: usize,
    /// Without a model next to none.
    pub(crate) estimated_time_minutes: f64,
    /// The tables of each domain.
    pub domains: BTreeMap<String, Vec<String>>,
    /// A hash of the schema, to detect changes.
    pub schema_hash: Option<String>,
    /// The version of the server.
    pub server_version: Option<String>,
}

/// The tables of one domain of one database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkUnit {
    /// `DATABASE-DOMAIN`, with a hash if another unit has that id.
    pub id: String,
    /// The database.
    pub database: String,
    /// The domain.
    pub domain: String,
    /// Its tables, by name.
    pub tables: Vec<PlannedTable>,
    /// Without a model next to none.
    pub(crate) estimated_time_minutes: f64,
    /// What it would cost.
    pub(crate) estimate: Estimate,
    /// Where its pages go.
    pub output_directory: String,
    /// The tables in the order in which they are documented.
    pub priority_order: Vec<String>,
    /// Earlier units to whose tables these refer.
    pub(crate) depends_on: Vec<String>,
    /// A hash that detects changes to anything but domain, priority, skip, note and order.
    pub(crate) content_hash: String,
}

/// A table of the plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedTable {
    /// `schema.table`.
    pub fully_qualified_name: String,
    /// The schema.
    pub schema_name: String,
    /// The name.
    pub table_name: String,
    /// What it is.
    pub kind: TableKind,
    /// Its domain; a person may change it.
    pub domain: String,
    /// 1, 2 or 3; a person may change it.
    pub priority: u8,
    /// Its columns.
    pub column_count: usize,
    /// Estimated rows, if the database knows.
    pub row_count_approx: Option<u64>,
    /// Keys of other tables that refer to it.
    pub(crate) incoming_fk_count: usize,
    /// Its own keys.
    pub(crate) outgoing_fk_count: usize,
    /// A hash of the definition, to detect changes.
    pub metadata_hash: String,
    /// What the database says about it.
    pub(crate) existing_comment: Option<String>,
    /// What would be read from it, and what its page would say about each column.
    pub reads: TableReads,
    /// Whether it gets no page; a person may change it.
    #[serde(default)]
    pub skip: bool,
    /// For the people who read the plan.
    #[serde(default)]
    pub note: Option<String>,
    /// Domain and priority as they were computed, to tell what a person changed.
    pub(crate) planned: Computed,
}

impl PlannedTable {
    /// Schema and name.
    pub fn name(&self) -> TableName {
        TableName { schema: self.schema_name.clone(), name: self.table_name.clone() }
    }
}

/// The computed values, to detect a person's changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Computed {
    pub(crate) domain: String,
    pub(crate) priority: u8,
}

/// What would be read from a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableReads {
    /// Most rows that are read; 0 for none.
    pub rows: u64,
    /// What its page would say about each column, in the order of the table.
    pub columns: Map<String, Value>,
}

/// What documenting would cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Requests to a model.
    pub(crate) calls: u64,
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    /// The price; `None` if it is not known.
    pub(crate) cost: Option<f64>,
    pub(crate) currency: Option<String>,
    pub(crate) assumes: String,
}

impl Estimate {
    /// The estimate without a model.
    fn without_model() -> Self {
        Self { cost: Some(0.0), assumes: "no language model is asked".to_owned(), ..Self::default() }
    }
}

/// Totals of a plan.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanSummary {
    /// Databases of the configuration.
    pub(crate) total_databases: usize,
    /// Those that could be read.
    pub(crate) reachable_databases: usize,
    /// Their tables.
    pub(crate) total_tables: usize,
    pub(crate) total_work_units: usize,
    pub(crate) domain_count: usize,
    /// Without a model next to none.
    pub(crate) total_estimated_minutes: f64,
    pub(crate) recommended_parallelism: usize,
    pub(crate) estimate: Estimate,
}

/// An error of a run, as written to files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunError {
    /// `PLAN_…`, `DOC_…`, `IDX_…` or `RET_…`.
    pub code: String,
    /// What happened.
    pub message: String,
    /// How bad it is.
    pub severity: RunSeverity,
    /// When.
    pub timestamp: String,
    /// The database or the table.
    pub context: Value,
    /// Whether trying again may help.
    pub recoverable: bool,
}

/// How bad a [`RunError`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunSeverity {
    /// Everything works.
    Warning,
    /// Something is missing.
    Error,
    /// Nothing works.
    Fatal,
}

impl Plan {
    /// The plan as JSON for its file.
    pub fn text(&self) -> String {
        // Texts, numbers and lists always serialize.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{}\n", refdesk_text::escape::json(&text))
    }

    /// The hash of everything but the time.
    pub fn hash(&self) -> String {
        let timeless = Self { generated_at: String::new(), errors: Vec::new(), ..self.clone() };
        refdesk_files::name::sha256_hex(&serde_json::to_vec(&timeless).unwrap_or_default())
    }

    /// Gives each unit a unique id, the same as in the stored plan where possible.
    pub fn assign_ids(&mut self, stored: Option<&Self>) {
        let ids = unit_ids(&self.work_units, stored);
        let now: BTreeMap<(String, String), String> = self
            .work_units
            .iter()
            .zip(&ids)
            .map(|(unit, id)| ((unit.database.clone(), unit.id.clone()), id.clone()))
            .collect();
        for (unit, id) in self.work_units.iter_mut().zip(ids) {
            let of = |known: &String| now.get(&(unit.database.clone(), known.clone())).unwrap_or(known).clone();
            let depends_on: Vec<String> = unit.depends_on.iter().map(of).collect();
            if (&unit.id, &unit.depends_on) != (&id, &depends_on) {
                let is_unedited = content_hash(unit) == unit.content_hash;
                (unit.id, unit.depends_on) = (id, depends_on);
                if is_unedited {
                    unit.content_hash = content_hash(unit);
                }
            }
        }
    }

    /// The id of the unit of a domain.
    pub fn unit_id(&self, database: &str, domain: &str) -> Option<&str> {
        let mut units = self.work_units.iter().filter(|unit| unit.database == database);
        units.find(|unit| unit.domain == domain).map(|unit| unit.id.as_str())
    }

    /// The units of a database.
    pub fn units<'p>(&'p self, database: &'p str) -> impl Iterator<Item = &'p WorkUnit> {
        self.work_units.iter().filter(move |unit| unit.database == database)
    }
}

#[cfg(test)]
mod tests;
