//! An overview of the workspace's databases from its files: configuration, plan, manifest and pages. Never connects to
//! a database.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

use refdesk_database::config::Granularity;
use refdesk_database::documenter::{GeneratedPages, ManifestFile, Progress, ProgressStatus};
use refdesk_database::schema::diff::is_stale;
use refdesk_database::schema::page::{PAGE_BYTES, PageKind, is_page_path, metadata_hash};
use refdesk_database::schema::plan::{Plan, PlannedTable, says_sensitive};
use refdesk_database::schema::source_ids::SourceIds;
use refdesk_database::schema::table_doc::{ColumnDoc, TableDoc};
use refdesk_database::snapshot::{TableKind, TableName};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use super::DatabaseAccess;
use super::documentation::{PROGRESS, stored_manifest};
use super::documented_pages::{DamagedPage, DocumentedPages};
use super::files::bytes_below;
use super::plans::stored_plan;
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

impl Desk {
    /// A reader for the overview of the databases.
    pub fn overview_reader(&self) -> OverviewReader {
        let loaded = self.loaded_databases();
        let config = &loaded.config;
        let mut databases: Vec<DatabaseSummary> = Vec::new();
        for database in &config.databases {
            let state = match self.database_access(database) {
                _ if !database.enabled => DatabaseState::Off,
                DatabaseAccess::Allowed(_) => DatabaseState::Ready,
                DatabaseAccess::Untrusted => DatabaseState::Untrusted,
                DatabaseAccess::Refused(error) => DatabaseState::Unreadable(error.message),
            };
            databases.push(DatabaseSummary {
                name: database.name.clone(),
                kind: database.connection.word(),
                line: database.line,
                state,
                page: None,
                domains: Vec::new(),
            });
        }
        databases.extend(config.wrong.iter().map(|name| DatabaseSummary {
            name: name.clone(),
            kind: "",
            line: 1,
            state: DatabaseState::Wrong,
            page: None,
            domains: Vec::new(),
        }));
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

/// The tables of databases by domain, while they are collected.
type TablesByDomain = BTreeMap<String, BTreeMap<TableName, TableSummary>>;

impl OverviewReader {
    /// Reads the plan, the manifest and the pages.
    pub fn read(mut self) -> DatabaseOverview {
        let plan = stored_plan(&self.workspace).unwrap_or_else(|error| {
            self.overview.problems.push(problem(error));
            None
        });
        let manifest = stored_manifest(&self.workspace, &self.overview.docs_path).unwrap_or_else(|problem| {
            self.overview.problems.push(*problem);
            None
        });
        let own = GeneratedPages::of(manifest.as_ref(), self.progress.as_ref());
        let mut files = manifest.map(|manifest| manifest.indexable_files).unwrap_or_default();
        self.add_unlisted(&mut files, plan.as_ref());
        let pages = DocumentedPages::of(&self.workspace, &self.overview.docs_path, &files);
        let mut databases = std::mem::take(&mut self.overview.databases);
        let ids = plan.as_ref().map(SourceIds::of).unwrap_or_default();
        let mut damaged = Vec::new();
        for database in &mut databases {
            database.page = pages.overviews.get(&database.name).cloned();
            database.domains = self.domains(&database.name, plan.as_ref(), &ids, &pages, &own, &mut damaged);
            let planned = plan.iter().flat_map(|plan| &plan.databases).find(|it| it.name == database.name);
            let error = planned.and_then(|planned| planned.connection_error.clone()).filter(|error| !error.is_empty());
            if let (DatabaseState::Ready, Some(error)) = (&database.state, error) {
                database.state = DatabaseState::Unreadable(error);
            }
        }
        self.overview.problems.extend(damaged.iter().map(DamagedPage::diagnostic));
        DatabaseOverview { databases, ..self.overview }
    }

    /// Adds pages that a run wrote but has not listed yet: the manifest is written last.
    fn add_unlisted(&self, files: &mut Vec<ManifestFile>, plan: Option<&Plan>) {
        let (Some(progress), Some(plan), true) = (&self.progress, plan, self.overview.is_unfinished) else { return };
        let listed: HashSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let names: HashMap<(&str, &str), &PlannedTable> = plan
            .work_units
            .iter()
            .flat_map(|unit| {
                unit.tables.iter().map(|it| ((unit.database.as_str(), it.fully_qualified_name.as_str()), it))
            })
            .collect();
        let pages = DocumentedPages::of(&self.workspace, &self.overview.docs_path, &[]);
        let unlisted = progress.replaced.iter().chain(&progress.written).filter(|(path, _)| !listed.contains(*path));
        let found = unlisted.filter(|(path, _)| path.ends_with(".json")).filter_map(|(path, hash)| {
            let below = path.strip_prefix(&self.overview.docs_path)?.strip_prefix('/')?;
            let (database, domain) =
                below.split_once('/').and_then(|(name, rest)| Some((name, rest.split_once('/')?.0)))?;
            let doc = pages.doc_at(path)?;
            let table = names.get(&(database, doc.fully_qualified_name.as_str()))?;
            let file = |path: &str, hash: &str| ManifestFile {
                path: path.to_owned(),
                kind: PageKind::Table,
                database: database.to_owned(),
                schema: Some(table.schema_name.clone()),
                table: Some(table.table_name.clone()),
                domain: Some(domain.to_owned()),
                content_hash: hash.to_owned(),
                size_bytes: 0,
                modified_at: String::new(),
            };
            let of_people = format!("{}.md", path.strip_suffix(".json")?);
            let hash_of_people = progress.written.get(&of_people).or_else(|| progress.replaced.get(&of_people))?;
            Some([file(path, hash), file(&of_people, hash_of_people)])
        });
        files.extend(found.flatten());
    }

    fn domains(
        &self,
        database: &str,
        plan: Option<&Plan>,
        ids: &SourceIds,
        pages: &DocumentedPages,
        own: &GeneratedPages,
        damaged: &mut Vec<DamagedPage>,
    ) -> Vec<DomainSummary> {
        let failed: HashSet<(&str, &str)> = self.progress.iter().flat_map(Progress::failed_tables).collect();
        let mut found: TablesByDomain = BTreeMap::new();
        let mut hashes: HashMap<&TableName, &str> = HashMap::new();
        let mut names: Vec<(TableName, &PlannedTable)> = Vec::new();
        for table in plan.iter().flat_map(|plan| plan.units(database)).flat_map(|unit| &unit.tables) {
            names.push((TableName { schema: table.schema_name.clone(), name: table.table_name.clone() }, table));
        }
        for (name, table) in &names {
            hashes.insert(name, &table.metadata_hash);
            let source = self.source(ids, database, &table.domain, name);
            found.entry(table.domain.clone()).or_default().insert(name.clone(), of_plan(name, table, source));
        }
        let domain_of: HashMap<&TableName, &str> = names.iter().map(|(name, it)| (name, it.domain.as_str())).collect();
        let mut domain_pages: HashMap<&str, &str> = HashMap::new();
        for domain in pages.domains.iter().filter(|domain| domain.database == database) {
            if domain.hash.is_some() {
                domain_pages.insert(&domain.domain, &domain.path);
            }
            for table in domain.tables.iter().filter_map(|at| pages.tables.get(*at)) {
                let name = TableName { schema: table.schema.clone(), name: table.table.clone() };
                let domain = domain_of.get(&name).copied().unwrap_or(&domain.domain);
                let tables = found.entry(domain.to_owned()).or_default();
                let summary = tables.entry(name.clone()).or_insert_with(|| TableSummary {
                    source: self.source(ids, database, domain, &name),
                    name: name.clone(),
                    kind: TableKind::Table,
                    page: None,
                    marks: TableMarks::default(),
                    rows: 0,
                    planned_values: Vec::new(),
                });
                for path in [Some(&table.data), table.hash.as_ref().map(|_| &table.path)].into_iter().flatten() {
                    let Some((bytes, _)) = bytes_below(&self.workspace, path, PAGE_BYTES as u64 * 4).ok().flatten()
                    else {
                        continue;
                    };
                    // An empty page is left over from a crash, not edited.
                    summary.marks.is_edited |= !bytes.is_empty() && !own.has(path, &bytes);
                    if path.ends_with(".md") {
                        let now = hashes.get(&name).copied();
                        summary.marks.is_stale = is_stale(metadata_hash(&bytes).as_deref(), now);
                        summary.page = Some(path.clone());
                    }
                }
                // The number of private columns when the page was written.
                match pages.read_doc(table) {
                    Ok(doc) => {
                        let is_sensitive = |column: &&ColumnDoc| column.sensitive.is_some();
                        summary.marks.sensitive = doc.columns.iter().filter(is_sensitive).count();
                    }
                    Err(page) => damaged.push(page),
                }
            }
        }
        for (name, table) in found.values_mut().flatten() {
            table.marks.is_failed = failed.contains(&(database, name.full().as_str()));
        }
        let of_domain = |(name, tables): (String, BTreeMap<TableName, TableSummary>)| DomainSummary {
            page: domain_pages.get(name.as_str()).map(|path| (*path).to_owned()),
            tables: tables.into_values().collect(),
            name,
        };
        found.into_iter().map(of_domain).collect()
    }

    fn source(&self, ids: &SourceIds, database: &str, domain: &str, table: &TableName) -> String {
        match self.granularity.get(database) {
            Some(Granularity::Table) => ids.table(database, table),
            _ => ids.domain(database, domain),
        }
    }
}

fn of_plan(name: &TableName, table: &PlannedTable, source: String) -> TableSummary {
    let planned_values: Vec<(String, String)> = table
        .reads
        .columns
        .iter()
        .map(|(column, value)| (column.clone(), value.as_str().unwrap_or_default().to_owned()))
        .collect();
    let sensitive = planned_values.iter().filter(|(_, value)| says_sensitive(value)).count();
    TableSummary {
        name: name.clone(),
        kind: table.kind,
        source,
        page: None,
        marks: TableMarks { is_skipped: table.skip, sensitive, ..TableMarks::default() },
        rows: table.reads.rows,
        planned_values,
    }
}

fn problem(error: Error) -> Diagnostic {
    let code: Code = error.code;
    Diagnostic::error(code, error.message).fix(error.fix)
}
