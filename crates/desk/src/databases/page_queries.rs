//! Answers queries from the JSON pages, so that no database needs to be contacted.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, PoisonError};

use refdesk_core::catalog::Source;
use refdesk_database::config::DatabaseConfig;
use refdesk_database::documenter::{Manifest, PageAction, Progress, ProgressStatus};
use refdesk_database::schema::check::{CheckInput, Coverage, Finding, check};
use refdesk_database::schema::diff::{Difference, DifferenceKind, PageFileState, TableSide, diff};
use refdesk_database::schema::joins::infer;
use refdesk_database::schema::page::folder_of_page;
use refdesk_database::snapshot::TableName;
use refdesk_files::stamp;
use refdesk_text::escape::one_line;
use refdesk_text::report::Diagnostic;
use refdesk_text::report::listed::ListedProblems;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};

use super::documentation::{DocumentOptions, Documentation, PROGRESS, Values};
use super::documented_pages::{DamagedPage, DocumentedPages, TablePage};
use super::page_comparison::{DocumentedPage, FOUND_BYTES};
use super::plans::Planned;
use crate::Desk;

/// How a database differs from its pages.
#[derive(Debug, Clone)]
pub struct DatabaseDifference {
    /// The database.
    pub database: String,
    /// Differences in tables, columns, keys and comments.
    pub differences: Vec<Difference>,
}

/// The result of checking a database against the rules.
#[derive(Debug, Clone)]
pub struct DatabaseCheck {
    /// The database.
    pub database: String,
    /// In the order of the tables.
    pub findings: Vec<Finding>,
    /// By domain, how many descriptions are better than those made by rule.
    pub domains: BTreeMap<String, Coverage>,
    /// The same by table.
    pub tables: BTreeMap<String, Coverage>,
    /// Tables that changed after their pages were written.
    pub stale: Vec<String>,
}

/// Databases that could not be read, and why.
pub type FailedDatabases = Vec<(String, Error)>;

/// The failures as errors that name their database.
pub fn database_failures(failed: &[(String, Error)]) -> Vec<Error> {
    let named = |(name, error): &(String, Error)| match error.code {
        Code::Untrusted => error.clone(),
        _ => Error::new(error.code, format!("'{name}': {}", error.message), error.fix.clone()),
    };
    failed.iter().map(named).collect()
}

impl DatabaseCheck {
    /// The coverage of the whole database.
    pub fn coverage(&self) -> Coverage {
        self.domains.values().fold(Coverage::default(), |sum, it| Coverage {
            described: sum.described + it.described,
            all: sum.all + it.all,
        })
    }
}

impl Desk {
    /// The database pages listed in the manifest; none if it cannot be read.
    pub(crate) fn documented_pages(&self) -> Arc<DocumentedPages> {
        let docs_path = &self.databases().0.docs_path;
        let stamp = stamp(&self.workspace().join(Manifest::path(docs_path))).ok();
        let mut known = self.documented.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((before, pages)) = known.as_ref().filter(|(before, _)| *before == stamp)
            && before.is_none_or(|stamp| stamp.has_settled((self.options.clock)()))
        {
            return pages.clone();
        }
        let (files, problem) = match self.manifest(docs_path) {
            Ok(manifest) => (manifest.map(|manifest| manifest.indexable_files).unwrap_or_default(), None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let mut pages = DocumentedPages::of(self.workspace(), docs_path, &files);
        pages.problem = problem;
        let pages = Arc::new(pages);
        *known = Some((stamp, pages.clone()));
        pages
    }

    /// Whether there are pages of databases in the catalog, even if their manifest cannot be read. A profile may leave
    /// them out.
    pub(crate) fn has_documented_tables(&self) -> bool {
        let pages = self.documented_pages();
        if pages.problem.is_some() {
            let mut places = self.catalog.sources().iter().filter_map(|source| source.place());
            return !self.is_narrowed() || places.any(|place| place.resolved.starts_with(&pages.folder));
        }
        let has_source = || self.documented_for(None).has_source();
        !pages.is_empty() && (!self.is_narrowed() || has_source())
    }

    /// The problem with the manifest, without which no page of a database is used.
    pub fn manifest_problem(&self) -> Option<Diagnostic> {
        self.documented_pages().problem.as_deref().cloned()
    }

    /// The manifest or the JSON pages that cannot be used, and the problems with pages that a run has not finished or
    /// that are in no source.
    pub fn page_problems(&self) -> Vec<Diagnostic> {
        let damaged = self.documented_pages().damaged((self.options.clock)());
        let mut listed = ListedProblems::default();
        listed.extend(self.manifest_problem().into_iter().chain(self.unfinished_pages()));
        listed.extend(damaged.iter().map(DamagedPage::diagnostic).chain(self.pages_without_source()));
        listed.into_vec()
    }

    /// The problem with pages that a run has not completed.
    fn unfinished_pages(&self) -> Option<Diagnostic> {
        let config = self.databases().0;
        let (docs_path, folder) = (&config.docs_path, &self.documented_pages().folder);
        let is_entry = |source: &Source| {
            let is_below = |database: &DatabaseConfig| {
                source.place().is_some_and(|place| place.resolved.starts_with(folder.join(&database.name)))
            };
            source.id.as_str().starts_with("db-") && config.databases.iter().any(is_below)
        };
        // The manifest is written last. In a copy of the repository, nothing else says that a run was interrupted.
        let is_unlisted =
            || matches!(self.manifest(docs_path), Ok(None)) && self.catalog.sources().iter().any(&is_entry);
        let progress: Option<Progress> = self.database_state(PROGRESS);
        let is_interrupted = progress.is_some_and(|progress| progress.status == ProgressStatus::InProgress);
        if config.databases.is_empty() || !(is_interrupted || is_unlisted()) {
            return None;
        }
        let message = format!("the database pages in {docs_path} are not complete yet");
        let fix = "document the databases; pages already written are kept";
        Some(Diagnostic::warning(Code::NotDocumented, message).fix(fix))
    }

    /// The problem with pages that are in no source of the catalog.
    pub(crate) fn pages_without_source(&self) -> Option<Diagnostic> {
        // The sources may be among those that are left out or cannot be read.
        if self.is_narrowed() || self.hiding_problem().is_some() {
            return None;
        }
        let pages = self.documented_pages();
        let sources = self.catalog.sources().iter();
        let places: HashSet<&Path> = sources.filter_map(|source| Some(&*source.place()?.resolved)).collect();
        let has_source = |page: &&TablePage| pages.real(&page.path).ancestors().any(|path| places.contains(path));
        let mut without = pages.tables.iter().filter(|page| !has_source(page));
        let (first, more) = (without.next()?, without.count());
        let name = one_line(&format!("{}.{}", first.database, first.full_name())).into_owned();
        let tables = match more {
            0 => name,
            more => format!("{name} and {}", counted(more, "other table")),
        };
        let message = format!("the pages of {tables} are in no source, so agents are told nothing about them");
        let fix = "document the databases again; if another source has the id of theirs, give it another one";
        Some(Diagnostic::warning(Code::NotDocumented, message).fix(fix))
    }

    /// The text of a page of this database. The path comes with the repository, so no link is followed.
    ///
    /// # Errors
    /// The page is missing, empty, or cannot be read.
    pub fn page_text(&self, database: &str, path: &str) -> Result<String, Error> {
        let unusable =
            |what: &str| Error::new(Code::Damaged, format!("{path} {what}"), Fix::RewritePages(database.to_owned()));
        let found = self
            .bytes_below(path, FOUND_BYTES)
            .map_err(|error| Error::new(Code::Unreadable, format!("{path} cannot be read: {error}"), "move it away"))?;
        let (bytes, _) = found.ok_or_else(|| unusable("is missing"))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if text.trim().is_empty() { Err(unusable("is empty")) } else { Ok(text) }
    }

    /// Compares databases with their pages. Reads the databases and writes nothing.
    ///
    /// # Errors
    /// No database is configured, a name is unknown, or reading was stopped.
    pub fn database_differences(&self, names: &[String]) -> Result<(Vec<DatabaseDifference>, Documentation), Error> {
        let options = DocumentOptions { names: names.to_vec(), ..DocumentOptions::default() };
        let run = self.documentation(&options)?;
        let pages = self.documented_pages();
        let edited: BTreeSet<&String> = run.edited.iter().chain(&run.left_over).collect();
        let file = |path: &String, is_read: bool| match edited.contains(path) {
            true => PageFileState::Edited,
            false if is_read || self.page_hash(path).is_some() => PageFileState::Written,
            false => PageFileState::Missing,
        };
        let mut found = Vec::new();
        for database in &run.databases {
            let own = pages
                .tables
                .iter()
                .filter(|page| page.database == *database && !run.beyond.contains(Path::new(&page.path)));
            let side = |page: &TablePage| {
                let (metadata_hash, doc) = (pages.metadata_hash(page), pages.doc(page));
                let page_file = file(&page.path, metadata_hash.is_some());
                let data = file(&page.data, doc.is_some());
                TableSide { name: page.full_name(), metadata_hash, doc, page: page_file, data }
            };
            let before: Vec<TableSide> = own.map(side).collect();
            // Without the manifest, every table would count as new.
            let differences = match run.missing_manifest() {
                Some(_) => Vec::new(),
                None => diff(&before, &run.tables_now(database)),
            };
            found.push(DatabaseDifference { database: database.clone(), differences });
        }
        Ok((found, run))
    }

    /// The tables of a database that changed after their pages were written.
    pub fn stale_tables(&self, planned: &Planned, database: &str) -> Vec<String> {
        self.documented_pages().stale(database, &planned.hashes(database))
    }

    /// Checks databases against the rules. Reads the databases and writes nothing.
    ///
    /// # Errors
    /// No database is configured, a name is unknown, or reading was stopped.
    pub fn check_databases(&self, names: &[String]) -> Result<(Vec<DatabaseCheck>, FailedDatabases), Error> {
        let read = self.read_databases(&self.databases_of_run(names)?)?;
        let planned = self.plan_databases(&read)?;
        let mut found = Vec::new();
        for database in &read {
            let Some((snapshot, described)) =
                database.snapshot().zip(self.describe(database, &planned, Values::Unread))
            else {
                continue;
            };
            let joins = infer(snapshot, &database.notes);
            let input = CheckInput {
                config: &database.config,
                snapshot,
                notes: &database.notes,
                joins: &joins,
                domains: &described.domains,
            };
            let mut domains: BTreeMap<String, Coverage> = BTreeMap::new();
            let mut tables: BTreeMap<String, Coverage> = BTreeMap::new();
            for (table, doc) in &described.tables {
                let name: TableName = table.table_name();
                let Some(domain) = described.domains.get(&name) else { continue };
                domains.entry(domain.clone()).or_default().add(doc);
                tables.entry(name.full()).or_default().add(doc);
            }
            let findings = check(&input);
            let stale = self.stale_tables(&planned, &database.config.name);
            found.push(DatabaseCheck { database: database.config.name.clone(), findings, domains, tables, stale });
        }
        let failed = read.iter().filter_map(super::documentation::failure).chain(self.wrong_databases(names));
        Ok((found, failed.collect()))
    }
}

impl Documentation {
    /// The databases that were read.
    pub fn read_databases(&self) -> impl Iterator<Item = &str> {
        self.databases.iter().map(String::as_str)
    }

    /// The current state of a database's tables that get pages.
    fn tables_now(&self, database: &str) -> Vec<TableSide> {
        let hashes = self.planned.hashes(database);
        let own = self.pages.iter().filter(|it| it.page.database == database && it.page.path.ends_with(".json"));
        own.filter_map(|it| {
            let name = it.page.table.as_ref()?.full();
            let metadata_hash = hashes.get(&name).cloned();
            let doc = serde_json::from_str(&it.page.text).ok();
            Some(TableSide { name, metadata_hash, doc, ..TableSide::default() })
        })
        .collect()
    }

    /// For a database, the number of pages, of existing pages to rewrite, and of missing pages.
    pub fn page_counts(&self, database: &str) -> (usize, usize, usize) {
        let own = || self.pages.iter().filter(|it| it.page.database == database);
        let written = own().filter(|it| it.action == PageAction::Write);
        let (outdated, missing): (Vec<_>, Vec<_>) = written.partition(|it| it.is_there);
        (own().count(), outdated.len(), missing.len())
    }

    /// The existing pages to rewrite.
    pub fn outdated_pages(&self) -> impl Iterator<Item = &str> {
        let written = self.pages.iter().filter(|it| it.action == PageAction::Write && it.is_there);
        written.map(|it| it.page.path.as_str())
    }

    /// The path of the manifest, if it is missing although there are pages.
    pub fn missing_manifest(&self) -> Option<String> {
        let is_missing = self.manifest.is_none() && self.pages.iter().any(|it| it.is_there);
        is_missing.then(|| Manifest::path(&self.docs_path))
    }

    /// The missing pages, except those of tables listed in the differences and the pages that list these tables.
    pub fn missing_pages(&self, differences: &[DatabaseDifference]) -> Vec<&str> {
        let is_reported = |of: &str, table: &TableName| {
            let own = differences.iter().filter(|it| it.database == of).flat_map(|it| &it.differences);
            let full = table.full();
            own.into_iter().any(|it| {
                it.table == full && matches!(it.kind, DifferenceKind::TableAdded | DifferenceKind::PageMissing)
            })
        };
        let missing: Vec<&DocumentedPage> =
            self.pages.iter().filter(|it| it.action == PageAction::Write && !it.is_there).collect();
        let of_table =
            |it: &&DocumentedPage| it.page.table.as_ref().is_some_and(|table| is_reported(&it.page.database, table));
        let (reported, others): (Vec<_>, Vec<_>) = missing.into_iter().partition(of_table);
        let lists_reported = |it: &&DocumentedPage| {
            let folder = Path::new(&it.page.path).parent().filter(|_| it.page.table.is_none());
            folder.is_some_and(|folder| reported.iter().any(|it| Path::new(&it.page.path).starts_with(folder)))
        };
        others.into_iter().filter(|it| !lists_reported(it)).map(|it| it.page.path.as_str()).collect()
    }

    /// The number of tables of a database whose pages the last run could not write.
    pub fn failed_tables(&self, database: &str) -> usize {
        let failed = self.interrupted.iter().flat_map(Progress::failed_tables);
        failed.filter(|(of, _)| *of == database).count()
    }

    /// How many of these paths are pages of a database.
    pub fn below(&self, database: &str, paths: &[String]) -> usize {
        paths.iter().filter(|path| folder_of_page(path, database).is_some()).count()
    }

    /// The edited files of a database: pages and catalog entries.
    pub fn edited_of<'d>(&'d self, database: &'d str) -> impl Iterator<Item = &'d str> {
        let (prefix, entries) = (format!("{}/{database}/", self.docs_path), self.entries_of(database));
        let is_own = move |path: &&str| path.starts_with(&prefix) || entries.contains(path);
        self.edited.iter().map(String::as_str).filter(is_own)
    }

    /// For a database, the number of missing catalog entries and of those to rewrite.
    pub fn source_counts(&self, database: &str) -> (usize, usize) {
        let own = self.entries_of(database);
        let missing = self.missing_entries().into_iter().filter(|path| own.contains(path)).count();
        (missing, self.entries_outdated.iter().filter(|path| own.contains(path.as_str())).count())
    }

    /// The files of a database's catalog entries.
    fn entries_of(&self, database: &str) -> BTreeSet<&str> {
        let prefix = format!("{}/{database}/", self.docs_path);
        let own = self.catalog.iter().filter(|(entry, ..)| entry.path.starts_with(&prefix));
        own.map(|(_, file, _)| file.as_str()).collect()
    }
}
