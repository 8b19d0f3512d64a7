//! Prepares a documentation run: reads databases and pages, and decides what to write. Writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_database::documenter::{
    CatalogEntry, GeneratedPages, Manifest, ManifestEntry, ManifestFile, PageAction, Progress, ProgressStatus,
    SourceCounts, catalog_entries,
};
use refdesk_database::names::globs::NamePattern;
use refdesk_database::sampling::{Sampled, from_page, sample};
use refdesk_database::schema::joins::infer;
use refdesk_database::schema::page::{PAGE_BYTES, Page, PageKind, PagesInput, pages};
use refdesk_database::schema::source_ids::SourceIds;
use refdesk_database::schema::table_doc::{DocInput, TableDoc};
use refdesk_database::snapshot::{Snapshot, Table, TableName};
use refdesk_files::{Durability, EntryKind, FileMode, Folder, Lock, is_link_refused, link_on_path};
use refdesk_text::escape::one_line;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use super::documented_pages::{TablePage, json_problem};
use super::files::text_below;
use super::moved_pages::KnownManifest;
use super::page_comparison::DocumentedPage;
use super::plans::Planned;
use super::schema_reading::{ReadDatabase, ReadState};
use crate::Desk;
use crate::session::advice;

/// The file in which a run records its progress.
pub(super) const PROGRESS: &str = "documenter-progress.json";

/// The maximum size of a manifest in bytes.
const MANIFEST_BYTES: u64 = 64 * 1024 * 1024;

/// What to document.
#[derive(Debug, Clone, Default)]
pub struct DocumentOptions {
    /// The databases; empty means all in use.
    pub names: Vec<String>,
    /// Document only the tables that match.
    pub only: Option<NamePattern>,
    /// Discard the progress of an interrupted run.
    pub fresh: bool,
    /// Replace pages that a person edited.
    pub overwrite_edited: bool,
}

/// A prepared run.
#[derive(Debug, Default)]
pub struct Documentation {
    /// The plan it follows.
    pub planned: Planned,
    /// The pages in the order in which they are written.
    pub pages: Vec<DocumentedPage>,
    /// Paths of pages to remove because their tables or domains no longer exist.
    pub removed: Vec<String>,
    /// Edited files to remove anyway, with the hash of each.
    pub removed_edited: BTreeMap<String, String>,
    /// Manifests in earlier pages folders, with the hash of each, to remove once the current one is written.
    pub(super) earlier_manifests: BTreeMap<String, String>,
    /// The missing files of catalog entries.
    pub(super) entries_missing: BTreeSet<String>,
    /// The files of catalog entries that refdesk wrote and whose content would now differ.
    pub entries_outdated: Vec<String>,
    /// Edited catalog entries to replace anyway, with the hash of each.
    pub entries_replaced: BTreeMap<String, String>,
    /// Catalog entries to remove because their domains no longer exist.
    pub entries_removed: Vec<ManifestEntry>,
    /// Files to leave alone, because a person edited them or because something else is at their path.
    pub edited: Vec<String>,
    /// Edited files about tables or domains that no longer exist; they stay until a person removes them.
    pub left_over: Vec<String>,
    /// Databases that have pages but are no longer configured.
    pub databases_gone: BTreeSet<String>,
    /// The catalog's sources, with the path and text of each file.
    pub catalog: Vec<(CatalogEntry, String, String)>,
    /// The ids of all sources the pages could become, even of those not written now.
    pub(super) wanted_sources: BTreeSet<String>,
    /// The databases that could not be read.
    pub failed: Vec<(String, Error)>,
    /// Problems that do not prevent a page from being written.
    pub problems: Vec<Diagnostic>,
    /// The pages folder.
    pub docs_path: String,
    pub(super) manifest: Option<Manifest>,
    /// The progress of the last run, if it was interrupted.
    pub(super) interrupted: Option<Progress>,
    pub(super) own: GeneratedPages,
    /// Where the descriptions come from.
    pub sources: SourceCounts,
    pub(super) databases: BTreeSet<String>,
    /// Pages of earlier runs about tables that are beyond the limit now: they stay as they are.
    pub(super) beyond: BTreeSet<PathBuf>,
    pub(super) milliseconds: u64,
    /// Held until the run ends.
    pub(super) lock: Option<Lock>,
}

impl Documentation {
    /// The number of pages to write.
    pub fn to_write(&self) -> usize {
        self.pages.iter().filter(|it| it.action == PageAction::Write).count()
    }

    /// Whether the pages are up to date.
    pub fn is_up_to_date(&self) -> bool {
        self.to_write() == 0 && self.files_removed().next().is_none() && self.sources_to_write() == 0
    }

    /// The number of sources whose catalog entries are to be written.
    pub fn sources_to_write(&self) -> usize {
        self.entries_missing.len() + self.entries_outdated.len() + self.entries_replaced.len()
    }

    /// The sources whose catalog entries would be written.
    pub fn changed_entries(&self) -> impl Iterator<Item = &CatalogEntry> {
        let changed = self.catalog.iter().filter(|(_, file, _)| {
            self.entries_missing.contains(file)
                || self.entries_outdated.contains(file)
                || self.entries_replaced.contains_key(file)
        });
        changed.map(|(entry, ..)| entry)
    }

    /// The files of missing catalog entries whose pages exist.
    pub fn missing_entries(&self) -> Vec<&str> {
        let places = self.source_places(|it| it.is_there);
        let is_missing = |path: &&String| self.entries_missing.contains(path.as_str());
        let with_pages = self.catalog.iter().filter(|(entry, ..)| places.contains(Path::new(&entry.path)));
        with_pages.map(|(_, file, _)| file).filter(is_missing).map(String::as_str).collect()
    }

    /// The paths of these pages, and the folders of their domains: a source is one or the other.
    pub(super) fn source_places(&self, exists: impl Fn(&DocumentedPage) -> bool) -> BTreeSet<&Path> {
        let existing = self.pages.iter().filter(|it| exists(it)).map(|it| Path::new(&it.page.path));
        existing.flat_map(|path| path.ancestors().take(3)).collect()
    }

    /// Whether an edited file is a catalog entry rather than a page.
    pub fn is_entry(&self, path: &str) -> bool {
        self.catalog.iter().any(|(_, file, _)| file == path)
    }

    /// The number of missing or outdated pages that this run does not write.
    pub fn left_out(&self) -> usize {
        self.pages.iter().filter(|it| it.action == PageAction::LeftOut).count()
    }

    /// Leaves out pages and sources that would link to pages that are missing and not written.
    fn leave_out_incomplete(&mut self) {
        let missing = self.pages.iter().filter(|it| it.action == PageAction::LeftOut && !it.is_there);
        // The domain's folder contains its tables' folder.
        let folders = missing.filter_map(|it| Path::new(&it.page.path).parent()?.parent().map(Path::to_owned));
        let folders: BTreeSet<PathBuf> = folders.collect();
        for it in self.pages.iter_mut().filter(|it| it.page.table.is_none() && it.action == PageAction::Write) {
            let place = Path::new(&it.page.path).parent();
            if place.is_some_and(|place| folders.iter().any(|folder| folder.starts_with(place))) {
                it.action = PageAction::LeftOut;
            }
        }
        self.catalog.retain(|(entry, ..)| !folders.iter().any(|folder| Path::new(&entry.path).starts_with(folder)));
    }

    /// An error if no table matches the pattern of the run.
    fn unmatched(&self, options: &DocumentOptions) -> Option<Error> {
        let only = options.only.as_ref()?;
        let names: Vec<&TableName> = self.pages.iter().filter_map(|it| it.page.table.as_ref()).collect();
        if names.is_empty() || names.iter().any(|table| only.matches_table(&table.schema, &table.name)) {
            return None;
        }
        let full: Vec<String> = names.iter().map(|table| table.full()).collect();
        let all = names.iter().map(|table| table.name.as_str()).chain(full.iter().map(String::as_str));
        let nearest = did_you_mean(&only.text, all);
        let example = full.first().map(|name| one_line(name)).unwrap_or_default();
        let fix = nearest.unwrap_or_else(|| format!("the pattern is compared with schema.table, as in {example}"));
        Some(Error::new(Code::BadGlob, format!("'{}' matches no table", one_line(&only.text)), fix))
    }

    /// The files to remove: pages, catalog entries, then manifests in earlier pages folders.
    pub fn files_removed(&self) -> impl Iterator<Item = &str> {
        let entries = self.entries_removed.iter().map(|entry| &entry.path);
        self.removed.iter().chain(entries).chain(self.earlier_manifests.keys()).map(String::as_str)
    }
}

/// The tables of a database with their descriptions.
pub(super) struct Described<'r> {
    pub tables: Vec<(&'r Table, TableDoc)>,
    /// The domain of each table that gets a page.
    pub domains: BTreeMap<TableName, String>,
    /// What could not be sampled.
    pub problems: Vec<Diagnostic>,
    /// Why the connection was lost while reading values.
    pub lost: Option<Error>,
}

/// Whether values are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    /// Read, as far as the configuration allows.
    Sampled,
    /// Not read: names, keys and comments are enough.
    Unread,
}

impl Desk {
    /// Prepares a run. No other run can start until the result is dropped.
    ///
    /// # Errors
    /// Another run is in progress, no database is configured, a name is unknown, no table matches, or reading was
    /// stopped.
    pub fn prepare_documentation(&mut self, options: &DocumentOptions) -> Result<Documentation, Error> {
        let lock = self.lock_databases()?;
        // Finish or undo what a killed run left half done before comparing anything with it.
        self.finish_interrupted()?;
        let mut documentation = self.documentation(options)?;
        documentation.lock = Some(lock);
        Ok(documentation)
    }

    /// Like [`Self::prepare_documentation`], but only for a preview.
    ///
    /// # Errors
    /// No database is configured, a name is unknown, no table matches, or reading was stopped.
    pub fn documentation(&self, options: &DocumentOptions) -> Result<Documentation, Error> {
        let read = self.read_databases(&self.databases_of_run(&options.names)?)?;
        let planned = self.plan_databases(&read)?;
        let docs_path = self.databases().0.docs_path.clone();
        let mut problems = planned.problems.clone();
        problems.extend(read.iter().flat_map(|database| database.problems.clone()));
        let KnownManifest { manifest, earlier } = self.known_manifest(&docs_path).unwrap_or_else(|problem| {
            problems.push(*problem);
            KnownManifest::default()
        });
        let progress: Option<Progress> = self.database_state(PROGRESS);
        let own = GeneratedPages::of(manifest.as_ref(), progress.as_ref());
        let mut documentation = Documentation {
            earlier_manifests: earlier,
            failed: read.iter().filter_map(failure).chain(self.wrong_databases(&options.names)).collect(),
            problems,
            milliseconds: read.iter().map(|database| database.milliseconds).sum(),
            planned,
            manifest,
            interrupted: progress.filter(|progress| progress.status != ProgressStatus::Completed),
            own,
            docs_path,
            ..Documentation::default()
        };
        for database in &read {
            self.add_pages(&mut documentation, database, options);
            self.unless_stopped()?;
        }
        if let Some(error) = documentation.unmatched(options) {
            return Err(error);
        }
        documentation.leave_out_incomplete();
        self.find_obsolete(&mut documentation, options);
        self.compare_entries(&mut documentation, options);
        Ok(documentation)
    }

    fn add_pages(&self, run: &mut Documentation, database: &ReadDatabase, options: &DocumentOptions) {
        let name = &database.config.name;
        if let Some(link) = self.linked_folder(&run.planned, name) {
            run.failed.push((name.clone(), link));
            return;
        }
        let Some(described) = self.describe(database, &run.planned, Values::Sampled) else { return };
        if let Some(error) = described.lost {
            run.failed.push((name.clone(), error));
            return;
        }
        run.problems.extend(described.problems.iter().cloned());
        run.databases.insert(name.clone());
        add_over_limit(run, database);
        let Described { tables, domains, .. } = &described;
        let ids = SourceIds::of(&run.planned.plan);
        let input = PagesInput { config: &database.config, docs_path: &run.docs_path, tables, domains, ids: &ids };
        let mut all = pages(&input);
        for page in all.iter().filter(|page| page.is_shortened) {
            let message = format!(
                "the page would be larger than {} KiB, so descriptions or lists in it are cut",
                PAGE_BYTES / 1024
            );
            run.problems.push(Diagnostic::warning(Code::TooLarge, message).in_file(page.path.clone()));
        }
        self.add_catalog(run, database, &described, &all, &ids);
        let order = order_of(run, name);
        // Tables in the order of the plan, followed by the pages that list them.
        all.sort_by_cached_key(|page| match &page.table {
            Some(table) => (0, order.get(&table.full()).copied().unwrap_or(usize::MAX)),
            None => (1, usize::MAX),
        });
        let locked = database.snapshot().into_iter().flat_map(|snapshot| &snapshot.tables);
        let locked: BTreeSet<TableName> = locked.filter(|table| table.is_locked).map(Table::table_name).collect();
        self.compare_pages(run, all, &locked, options);
        let left_out = run.pages.iter().filter(|it| it.action == PageAction::LeftOut && it.page.database == *name);
        let left_out: BTreeSet<&TableName> = left_out.filter_map(|it| it.page.table.as_ref()).collect();
        let mut sources = run.sources;
        for (table, doc) in tables {
            let name = table.table_name();
            if domains.contains_key(&name) && !left_out.contains(&name) {
                sources.add(doc);
            }
        }
        run.sources = sources;
    }

    /// The error for a link on the path to a database's pages folder: pages would be written elsewhere, and not be
    /// found here.
    fn linked_folder(&self, planned: &Planned, database: &str) -> Option<Error> {
        let root = Folder::root(self.workspace()).ok()?;
        planned.plan.units(database).find_map(|unit| {
            let folder = Path::new(&unit.output_directory).join("tables");
            let is_link = root.below(&folder).is_err_and(|error| is_link_refused(&error));
            if is_link { link_on_path(self.workspace(), &folder, EntryKind::Folder) } else { None }
        })
    }

    /// Describes the tables of a database; `None` if it could not be read.
    pub(super) fn describe<'r>(
        &self,
        database: &'r ReadDatabase,
        planned: &Planned,
        values: Values,
    ) -> Option<Described<'r>> {
        let ReadState::Read(allowed, snapshot) = &database.state else { return None };
        let mut joins = infer(snapshot, &database.notes);
        let mut sampled = match values {
            Values::Sampled => {
                let reachable = self.reachable(&database.config, allowed);
                sample(&reachable, snapshot, &mut joins)
            }
            Values::Unread => Sampled::default(),
        };
        self.keep_known(database, snapshot, &mut sampled);
        let mut notes = database.notes.clone();
        let mut domains = BTreeMap::new();
        for table in planned.plan.units(&database.config.name).flat_map(|unit| &unit.tables).filter(|table| !table.skip)
        {
            let name = table.name();
            if let Some((noted, note)) = snapshot.table(&name).zip(table.note.as_deref()) {
                notes.describe(noted, note);
            }
            domains.insert(name, table.domain.clone());
        }
        let input =
            DocInput { config: &database.config, snapshot, notes: &notes, joins: &joins, profiles: &sampled.profiles };
        let tables = snapshot.tables.iter().zip(input.docs()).collect();
        Some(Described { tables, domains, problems: sampled.problems, lost: sampled.lost })
    }

    /// For tables that cannot be sampled now, reuses what their pages contain if the definition has not changed.
    fn keep_known(&self, database: &ReadDatabase, snapshot: &Snapshot, sampled: &mut Sampled) {
        if sampled.unread(snapshot).next().is_none() {
            return;
        }
        let pages = self.documented_pages();
        let own = pages.tables.iter().filter(|page| page.database == database.config.name);
        let by_name: BTreeMap<(&str, &str), &TablePage> =
            own.map(|page| ((page.schema.as_str(), page.table.as_str()), page)).collect();
        let page_of = |table: &Table| {
            let page = *by_name.get(&(table.schema.as_str(), table.name.as_str()))?;
            let is_same = pages.metadata_hash(page).is_some_and(|hash| hash == table.metadata_hash());
            if is_same { pages.doc(page) } else { None }
        };
        let unread = sampled.unread(snapshot);
        let found =
            unread.filter_map(|table| Some((table.table_name(), from_page(&database.config, table, &page_of(table)?))));
        let found: Vec<_> = found.collect();
        sampled.profiles.extend(found);
    }

    fn add_catalog(
        &self,
        run: &mut Documentation,
        database: &ReadDatabase,
        described: &Described<'_>,
        pages: &[Page],
        ids: &SourceIds,
    ) {
        let of_table: BTreeMap<&TableName, &str> = pages
            .iter()
            .filter(|page| page.kind == PageKind::Table && page.path.ends_with(".md"))
            .filter_map(|page| Some((page.table.as_ref()?, page.path.as_str())))
            .collect();
        let rows: Vec<_> = described
            .tables
            .iter()
            .filter_map(|(table, doc)| {
                let name = table.table_name();
                let (domain, path) = (described.domains.get(&name)?, of_table.get(&name)?);
                Some((name, doc, domain.as_str(), *path))
            })
            .collect();
        let entries = catalog_entries(&database.config, &run.docs_path, &rows, ids);
        run.wanted_sources.extend(entries.iter().map(|entry| entry.id.clone()));
        let folder = self.references_folder();
        if let Some(problem) = self.no_entries(&folder) {
            if !run.problems.contains(&problem) {
                run.problems.push(problem);
            }
            return;
        }
        for entry in entries {
            let file = folder.join(format!("{}.json", entry.id));
            let elsewhere = self.catalog().get(&entry.id).filter(|source| *source.origin.file != *file);
            if let Some(other) = elsewhere {
                let message = format!(
                    "the catalog already has '{}', in {}",
                    entry.id,
                    self.workspace_context().display(&other.origin.file)
                );
                let fix = "give that source another id, so that the pages of this domain or table become a source";
                run.problems.push(Diagnostic::warning(Code::IdTaken, message).about(entry.id.clone()).fix(fix));
                continue;
            }
            let text = entry.text(&self.portable(&folder, &self.workspace().join(&entry.path)));
            run.catalog.push((entry, self.workspace_context().display(&file), text));
        }
    }

    /// Why the pages cannot become sources.
    fn no_entries(&self, folder: &Path) -> Option<Diagnostic> {
        let warning =
            |code: Code, why: String| Diagnostic::warning(code, format!("{why}, so the pages do not become sources"));
        if !self.settings().auto_discover {
            let problem = warning(Code::NotDiscovered, "files in the references folder are not read".to_owned());
            return Some(problem.fix("set 'auto_discover_references' to true"));
        }
        let Ok(below) = folder.strip_prefix(self.workspace()) else {
            let problem = warning(Code::Outside, format!("{} is outside the workspace", folder.display()));
            return Some(problem.fix("set 'references_dir' to a folder in the workspace"));
        };
        let link = link_on_path(self.workspace(), below, EntryKind::Folder)?;
        Some(warning(link.code, link.message).fix(link.fix))
    }

    /// The manifest of the last run; `None` if there is none.
    ///
    /// # Errors
    /// The manifest cannot be read.
    pub fn manifest(&self, docs_path: &str) -> Result<Option<Manifest>, Box<Diagnostic>> {
        stored_manifest(self.workspace(), docs_path)
    }

    fn lock_databases(&self) -> Result<Lock, Error> {
        let failed = |error: io::Error| {
            Error::new(Code::NotStored, format!("the progress of the run cannot be recorded: {error}"), advice(&error))
        };
        // Also makes git ignore the folder.
        self.own_folder()?;
        let folder = self.database_state_folder().map_err(failed)?;
        match folder.lock("lock", Duration::ZERO) {
            Ok(lock) => {
                let holder = format!("process {} since {}\n", std::process::id(), self.timestamp());
                // Removes what a killed run left; if that fails, the next run tries again.
                let _ = folder.sweep_dead();
                // Only for the error message of another run.
                let _ = folder.write("holder", holder.as_bytes(), FileMode::Private, Durability::Recreatable);
                Ok(lock)
            }
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let holder =
                    folder.read("holder", 200).ok().map(|(bytes, _)| String::from_utf8_lossy(&bytes).trim().to_owned());
                let holder =
                    holder.filter(|holder| !holder.is_empty()).map_or_else(String::new, |it| format!(": {it}"));
                let message = format!("another run is documenting databases here{holder}");
                Err(Error::new(Code::DatabaseBusy, message, "wait for it to end"))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// The manifest of the last run in a workspace; `None` if there is none.
pub(super) fn stored_manifest(workspace: &Path, docs_path: &str) -> Result<Option<Manifest>, Box<Diagnostic>> {
    let path = Manifest::path(docs_path);
    let Some(text) = text_below(workspace, &path, MANIFEST_BYTES)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| {
        let problem = json_problem(text.as_bytes(), &error, "list pages");
        let message = format!("the manifest is damaged, so no database page is used: {problem}");
        let fix = "restore it, for example from git, or document the databases again";
        Box::new(Diagnostic::warning(Code::Damaged, message).in_file(path).fix(fix))
    })
}

pub(super) fn failure(database: &ReadDatabase) -> Option<(String, Error)> {
    let name = &database.config.name;
    let error = match &database.state {
        ReadState::Read(..) => return None,
        ReadState::Failed(error) => error.clone(),
        ReadState::Untrusted => {
            let message = format!("the database '{name}' waits for trust");
            Error::new(Code::Untrusted, message, refdesk_text::Fix::Trust)
        }
    };
    Some((name.clone(), error))
}

/// Records the pages of tables that exist but exceed the limit, and those of their domains.
fn add_over_limit(run: &mut Documentation, database: &ReadDatabase) {
    let beyond: BTreeSet<&TableName> = database.snapshot().into_iter().flat_map(|it| &it.beyond).collect();
    let files = || run.manifest.iter().flat_map(|manifest| &manifest.indexable_files);
    let own = || files().filter(|file| file.database == database.config.name);
    let is_over_limit = |file: &&ManifestFile| match (&file.schema, &file.table) {
        (Some(schema), Some(name)) => beyond.contains(&TableName { schema: schema.clone(), name: name.clone() }),
        _ => false,
    };
    let tables: Vec<&ManifestFile> = own().filter(is_over_limit).collect();
    let domains: BTreeSet<&String> = tables.iter().filter_map(|file| file.domain.as_ref()).collect();
    let of_domains =
        own().filter(|file| file.table.is_none() && file.domain.as_ref().is_some_and(|it| domains.contains(it)));
    let paths: Vec<PathBuf> = tables.iter().copied().chain(of_domains).map(|file| PathBuf::from(&file.path)).collect();
    run.beyond.extend(paths);
}

/// The position of each table in the plan.
fn order_of(run: &Documentation, database: &str) -> BTreeMap<String, usize> {
    let names = run.planned.plan.units(database).flat_map(|unit| &unit.priority_order);
    names.enumerate().map(|(at, name)| (name.clone(), at)).collect()
}
