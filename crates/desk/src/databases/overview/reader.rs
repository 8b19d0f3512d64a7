//! Reads the tables of the databases from the plan and the pages.

use std::collections::{BTreeMap, HashMap, HashSet};

use refdesk_database::config::Granularity;
use refdesk_database::documenter::{GeneratedPages, ManifestFile, Progress};
use refdesk_database::schema::diff::is_stale;
use refdesk_database::schema::page::{PAGE_BYTES, PageKind, metadata_hash};
use refdesk_database::schema::plan::{Plan, PlannedTable, says_sensitive};
use refdesk_database::schema::source_ids::SourceIds;
use refdesk_database::schema::table_doc::ColumnDoc;
use refdesk_database::snapshot::{TableKind, TableName};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use super::{DatabaseOverview, DatabaseState, DomainSummary, OverviewReader, TableMarks, TableSummary};
use crate::databases::documentation::stored_manifest;
use crate::databases::documented_pages::{DamagedPage, DocumentedPages, TablePage};
use crate::databases::files::bytes_below;
use crate::databases::plans::stored_plan;

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
        let mut tables =
            TableReader { reader: &self, plan: plan.as_ref(), ids, pages: &pages, own, damaged: Vec::new() };
        for database in &mut databases {
            database.page = pages.overviews.get(&database.name).cloned();
            database.domains = tables.domains(&database.name);
            let planned = plan.iter().flat_map(|plan| &plan.databases).find(|it| it.name == database.name);
            let error = planned.and_then(|planned| planned.connection_error.clone()).filter(|error| !error.is_empty());
            if let (DatabaseState::Ready, Some(error)) = (&database.state, error) {
                database.state = DatabaseState::Unreadable(error);
            }
        }
        let damaged = tables.damaged;
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
}

/// What the tables are read from.
struct TableReader<'a> {
    reader: &'a OverviewReader,
    plan: Option<&'a Plan>,
    ids: SourceIds,
    pages: &'a DocumentedPages,
    own: GeneratedPages,
    /// The pages that could not be read.
    damaged: Vec<DamagedPage>,
}

impl TableReader<'_> {
    /// The tables of a database by domain: those of the plan, and those that have only a page.
    fn domains(&mut self, database: &str) -> Vec<DomainSummary> {
        let (plan, pages) = (self.plan, self.pages);
        let mut found: BTreeMap<String, BTreeMap<TableName, TableSummary>> = BTreeMap::new();
        let mut planned: HashMap<TableName, &PlannedTable> = HashMap::new();
        for table in plan.iter().flat_map(|plan| plan.units(database)).flat_map(|unit| &unit.tables) {
            let name = table.name();
            let source = self.source(database, &table.domain, &name);
            found.entry(table.domain.clone()).or_default().insert(name.clone(), of_plan(&name, table, source));
            planned.insert(name, table);
        }
        let mut domain_pages: HashMap<&str, &str> = HashMap::new();
        for domain in pages.domains.iter().filter(|domain| domain.database == database) {
            if domain.hash.is_some() {
                domain_pages.insert(&domain.domain, &domain.path);
            }
            for table in domain.tables.iter().filter_map(|at| pages.tables.get(*at)) {
                let name = TableName { schema: table.schema.clone(), name: table.table.clone() };
                let planned = planned.get(&name).copied();
                let domain = planned.map_or(&domain.domain, |planned| &planned.domain);
                let tables = found.entry(domain.clone()).or_default();
                let summary = tables
                    .entry(name.clone())
                    .or_insert_with(|| unplanned(&name, self.source(database, domain, &name)));
                self.add_page(summary, table, planned);
            }
        }
        let failed: HashSet<(&str, &str)> = self.reader.progress.iter().flat_map(Progress::failed_tables).collect();
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

    /// Adds what the pages of a table say about it.
    fn add_page(&mut self, summary: &mut TableSummary, table: &TablePage, planned: Option<&PlannedTable>) {
        for path in [Some(&table.data), table.hash.as_ref().map(|_| &table.path)].into_iter().flatten() {
            let read = bytes_below(&self.reader.workspace, path, PAGE_BYTES as u64 * 4);
            let Some((bytes, _)) = read.ok().flatten() else { continue };
            // An empty page is left over from a crash, not edited.
            summary.marks.is_edited |= !bytes.is_empty() && !self.own.has(path, &bytes);
            if path.ends_with(".md") {
                let now = planned.map(|planned| planned.metadata_hash.as_str());
                summary.marks.is_stale = is_stale(metadata_hash(&bytes).as_deref(), now);
                summary.page = Some(path.clone());
            }
        }
        // The number of private columns when the page was written.
        match self.pages.read_doc(table) {
            Ok(doc) => {
                let is_sensitive = |column: &&ColumnDoc| column.sensitive.is_some();
                summary.marks.sensitive = doc.columns.iter().filter(is_sensitive).count();
            }
            Err(page) => self.damaged.push(page),
        }
    }

    fn source(&self, database: &str, domain: &str, table: &TableName) -> String {
        match self.reader.granularity.get(database) {
            Some(Granularity::Table) => self.ids.table(database, table),
            _ => self.ids.domain(database, domain),
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

/// A table that has a page but is not in the plan.
fn unplanned(name: &TableName, source: String) -> TableSummary {
    TableSummary {
        source,
        name: name.clone(),
        kind: TableKind::Table,
        page: None,
        marks: TableMarks::default(),
        rows: 0,
        planned_values: Vec::new(),
    }
}

fn problem(error: Error) -> Diagnostic {
    let code: Code = error.code;
    Diagnostic::error(code, error.message).fix(error.fix)
}
