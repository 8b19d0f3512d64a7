//! `documentation-manifest.json`: every page with its hash, to distinguish pages that a person edited from those that
//! refdesk wrote.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::schema::page::PageKind;
use crate::schema::table_doc::{DescriptionSource, TableDoc};

/// The name of the file in the folder of the pages.
const FILE_NAME: &str = "documentation-manifest.json";

/// The pages of the last run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Of the format.
    pub schema_version: String,
    /// When the run ended.
    pub completed_at: String,
    /// The plan it followed.
    pub plan_hash: String,
    /// Whether everything was documented.
    pub status: ManifestStatus,
    /// The databases that were documented.
    pub databases: Vec<String>,
    /// Their work units.
    pub work_units: Vec<String>,
    /// The number of files.
    pub total_files: usize,
    /// Every page.
    pub indexable_files: Vec<ManifestFile>,
    /// Where descriptions come from.
    #[serde(default)]
    pub sources: SourceCounts,
    /// Pages that a person edited and that were therefore kept.
    #[serde(default)]
    pub edited: Vec<String>,
    /// Entries of the catalog that refdesk wrote.
    #[serde(default)]
    pub catalog: Vec<ManifestEntry>,
}

/// How far a run got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ManifestStatus {
    /// Everything is documented.
    Complete,
    /// Something is missing.
    Partial,
}

/// A page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Relative to the workspace.
    pub path: String,
    /// What it is about.
    #[serde(rename = "type")]
    pub kind: PageKind,
    /// Its database.
    pub database: String,
    /// Its schema.
    pub schema: Option<String>,
    /// Its table.
    pub table: Option<String>,
    /// Its domain.
    pub domain: Option<String>,
    /// SHA-256 of its bytes.
    pub content_hash: String,
    /// Its bytes.
    pub size_bytes: usize,
    /// When it was written.
    pub modified_at: String,
}

/// An entry of the catalog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The id of the source.
    pub id: String,
    /// The file, relative to the workspace.
    pub path: String,
    /// SHA-256 of its bytes.
    pub content_hash: String,
}

/// How many descriptions come from each origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceCounts {
    /// Notes.
    pub note: usize,
    /// Comments of the database.
    pub comment: usize,
    /// A language model.
    pub model: usize,
    /// Rules.
    pub fallback: usize,
}

impl SourceCounts {
    /// Counts the descriptions of a table and its columns.
    pub fn add(&mut self, doc: &TableDoc) {
        for source in doc.columns.iter().map(|column| column.source).chain([doc.source]) {
            *match source {
                DescriptionSource::Note => &mut self.note,
                DescriptionSource::Comment => &mut self.comment,
                DescriptionSource::Model => &mut self.model,
                DescriptionSource::Fallback => &mut self.fallback,
            } += 1;
        }
    }
}

impl Manifest {
    /// Its path in the folder of the pages.
    pub fn path(docs_path: &str) -> String {
        format!("{docs_path}/{FILE_NAME}")
    }

    /// The manifest as JSON for its file.
    pub fn text(&self) -> String {
        // It has only texts, numbers and lists, which always serialize.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{}\n", refdesk_text::escape::json(&text))
    }

    /// Adds what only the other manifest contains.
    pub fn take_over(&mut self, other: Self) {
        let paths: HashSet<&str> = self.indexable_files.iter().map(|file| file.path.as_str()).collect();
        let files = other.indexable_files.into_iter().filter(|file| !paths.contains(file.path.as_str()));
        let files: Vec<ManifestFile> = files.collect();
        let ids: HashSet<&str> = self.catalog.iter().map(|entry| entry.id.as_str()).collect();
        let entries = other.catalog.into_iter().filter(|entry| !ids.contains(entry.id.as_str()));
        let entries: Vec<ManifestEntry> = entries.collect();
        self.indexable_files.extend(files);
        self.catalog.extend(entries);
        for (all, more) in [(&mut self.edited, other.edited), (&mut self.databases, other.databases)] {
            all.extend(more);
            all.sort();
            all.dedup();
        }
    }

    /// Whether it equals another manifest apart from the time.
    pub fn is_same(&self, other: &Self) -> bool {
        let timeless = |manifest: &Self| Self { completed_at: String::new(), ..manifest.clone() };
        timeless(self) == timeless(other)
    }
}
