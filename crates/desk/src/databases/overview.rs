//! An overview of the workspace's databases from its files: configuration, plan, manifest and pages. Never connects to
//! a database.

mod reader;

use std::collections::HashMap;
use std::path::PathBuf;

use refdesk_database::config::Granularity;
use refdesk_database::documenter::{Manifest, Progress, ProgressStatus};
use refdesk_database::schema::page::is_page_path;
use refdesk_database::schema::table_doc::TableDoc;
use refdesk_database::snapshot::{TableKind, TableName};
use refdesk_text::report::Diagnostic;

use super::DatabaseAccess;
use super::documentation::PROGRESS;
use crate::Desk;

/// The configured databases, with what the files say about them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatabaseOverview {
    /// The file that configures them, relative to the workspace; `None` if there is none.
    pub file: Option<&'static str>,
    /// The pages folder, relative to the workspace.
    pub docs_path: String,
    /// In the order of the configuration.
    pub databases: Vec<DatabaseSummary>,
    /// Problems of the configuration, the plan and the manifest.
    pub problems: Vec<Diagnostic>,
    /// Whether the last run was interrupted.
    pub is_unfinished: bool,
}

/// A database, with its tables by domain.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseSummary {
    /// Its name.
    pub name: String,
    /// `sqlite`, `postgres`, `snowflake`; empty if its entry has errors.
    pub kind: &'static str,
    /// The line of its entry.
    pub line: usize,
    /// Whether it can be read.
    pub state: DatabaseState,
    /// The path of its page, if it has one.
    pub page: Option<String>,
    /// Its domains, sorted by name.
    pub domains: Vec<DomainSummary>,
}

/// Whether a database can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseState {
    /// It can be, according to the configuration.
    Ready,
    /// It is switched off.
    Off,
    /// It needs the user's trust.
    Untrusted,
    /// Its entry has errors.
    Wrong,
    /// It may not be read, or could not be when the plan was made; the reason.
    Unreadable(String),
}

/// A domain.
#[derive(Debug, Clone, PartialEq)]
pub struct DomainSummary {
    /// Its name.
    pub name: String,
    /// The path of its page, if it has one.
    pub page: Option<String>,
    /// Its tables, sorted by name.
    pub tables: Vec<TableSummary>,
}

/// A table of the plan or the manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSummary {
    /// Its schema and name.
    pub name: TableName,
    /// Table or view.
    pub kind: TableKind,
    /// The catalog source that contains its page.
    pub source: String,
    /// The path of its human-readable page, if it has one.
    pub page: Option<String>,
    /// Its state and that of its page.
    pub marks: TableMarks,
    /// The most rows read from it, according to the plan.
    pub rows: u64,
    /// What the pages would say about each column's values, according to the plan.
    pub planned_values: Vec<(String, String)>,
}

/// The state of a table and its page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableMarks {
    /// The table changed after its page was written, according to the plan.
    pub is_stale: bool,
    /// A person edited its page.
    pub is_edited: bool,
    /// Its page could not be written.
    pub is_failed: bool,
    /// The plan skips it.
    pub is_skipped: bool,
    /// The number of columns whose values stay private.
    pub sensitive: usize,
}

/// A page of a database.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DatabasePage {
    /// Its path, relative to the workspace.
    pub path: String,
    /// The text; `None` if it cannot be read.
    pub text: Option<String>,
    /// The JSON page, if this is the page of a table.
    pub doc: Option<Box<TableDoc>>,
}

/// Reads the overview. It does not borrow the desk, so reading cannot block it.
#[derive(Debug)]
pub struct OverviewReader {
    workspace: PathBuf,
    overview: DatabaseOverview,
    granularity: HashMap<String, Granularity>,
    progress: Option<Progress>,
}

impl DatabaseOverview {
    /// The problem with the manifest, without which no page is known.
    pub fn manifest_problem(&self) -> Option<&Diagnostic> {
        let path = Manifest::path(&self.docs_path);
        self.problems.iter().find(|problem| problem.file.as_ref().is_some_and(|file| **file == *path))
    }
}

impl Desk {
    /// A reader for the overview of the databases.
    pub fn overview_reader(&self) -> OverviewReader {
        let loaded = self.loaded_databases();
        let config = &loaded.config;
        let summary = |name: &String, kind, line, state| DatabaseSummary {
            name: name.clone(),
            kind,
            line,
            state,
            page: None,
            domains: Vec::new(),
        };
        let mut databases: Vec<DatabaseSummary> = Vec::new();
        for database in &config.databases {
            let state = match self.database_access(database) {
                _ if !database.enabled => DatabaseState::Off,
                DatabaseAccess::Allowed(_) => DatabaseState::Ready,
                DatabaseAccess::Untrusted => DatabaseState::Untrusted,
                DatabaseAccess::Refused(error) => DatabaseState::Unreadable(error.message),
            };
            databases.push(summary(&database.name, database.connection.word(), database.line, state));
        }
        databases.extend(config.wrong.iter().map(|name| summary(name, "", 1, DatabaseState::Wrong)));
        let progress: Option<Progress> = self.database_state(PROGRESS);
        OverviewReader {
            workspace: self.workspace().to_path_buf(),
            granularity: config.databases.iter().map(|it| (it.name.clone(), it.granularity)).collect(),
            overview: DatabaseOverview {
                file: loaded.file,
                docs_path: config.docs_path.clone(),
                databases,
                problems: loaded.problems.clone(),
                is_unfinished: progress.as_ref().is_some_and(|it| it.status == ProgressStatus::InProgress),
            },
            progress,
        }
    }

    /// A human-readable page of a database, with its JSON page. The path comes with the repository, so the file is read
    /// only if it is at the path of a page.
    pub(crate) fn database_page(&self, database: &str, path: &str) -> DatabasePage {
        let docs_path = &self.databases().0.docs_path;
        if !is_page_path(path, docs_path, database) {
            return DatabasePage { path: path.to_owned(), ..DatabasePage::default() };
        }
        let pages = self.documented_pages();
        let doc = match pages.table_of(database, path) {
            Some(table) => pages.doc(table),
            // A run in progress has not listed it yet.
            None => path.strip_suffix(".md").and_then(|stem| pages.doc_at(&format!("{stem}.json"))),
        };
        DatabasePage {
            path: path.to_owned(),
            text: pages.prose(path, None).map(|(text, _)| text),
            doc: doc.map(Box::new),
        }
    }
}
