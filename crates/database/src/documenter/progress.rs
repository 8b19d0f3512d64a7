//! `documenter-progress.json`: the progress of a run, so that a killed run can be continued.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::schema::plan::RunError;

/// How far a run got.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Of the format.
    pub schema_version: String,
    /// When the run began.
    pub started_at: String,
    /// When it ended; `None` while it runs, and after it was killed.
    pub completed_at: Option<String>,
    /// Its outcome so far.
    pub status: ProgressStatus,
    /// The plan.
    pub plan_file: String,
    /// Its hash.
    pub plan_hash: String,
    /// By the id of the unit.
    pub work_units: BTreeMap<String, UnitProgress>,
    /// Totals.
    pub stats: RunStats,
    /// When this was written.
    pub last_checkpoint: String,
    /// What failed.
    #[serde(default)]
    pub errors: Vec<RunError>,
    /// Hashes of the pages about to be written, by path. They are recorded first, so that a page of a killed run is not
    /// mistaken for one that a person edited.
    #[serde(default)]
    pub written: BTreeMap<String, String>,
    /// Hashes of pages from earlier interrupted runs that this run had not replaced when it started.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replaced: BTreeMap<String, String>,
}

/// The outcome of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgressStatus {
    /// It runs, or was killed.
    #[default]
    InProgress,
    /// It is done.
    Completed,
    /// Something failed.
    Failed,
}

/// How far a unit got.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct UnitProgress {
    /// Its outcome so far.
    pub status: ProgressStatus,
    /// Its tables.
    pub tables_total: usize,
    /// Those with pages.
    pub tables_completed: usize,
    /// Those that failed.
    pub tables_failed: usize,
    /// Those that a person chose to skip.
    pub tables_skipped: usize,
    /// The current one.
    pub current_table: Option<String>,
    /// What failed.
    #[serde(default)]
    pub errors: Vec<RunError>,
    /// The pages that were written.
    #[serde(default)]
    pub output_files: Vec<String>,
}

/// Totals of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStats {
    /// Tables of the plan.
    pub total_tables: usize,
    /// Those with pages.
    pub completed_tables: usize,
    /// Those that failed.
    pub failed_tables: usize,
    /// Those without a page on purpose.
    pub skipped_tables: usize,
    /// Tokens of a language model.
    pub llm_tokens_used: u64,
    /// Time of a language model.
    pub llm_time_ms: u64,
    /// Time of the database.
    pub db_query_time_ms: u64,
}

impl Progress {
    /// The tables whose pages could not be written: database and `schema.table`.
    pub fn failed_tables(&self) -> HashSet<(&str, &str)> {
        self.errors
            .iter()
            .filter_map(|error| Some((error.context.get("database")?.as_str()?, error.context.get("table")?.as_str()?)))
            .collect()
    }
}
