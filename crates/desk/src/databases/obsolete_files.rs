//! Files about tables, domains and databases that were dropped, renamed or are no longer configured. Unchanged files
//! are removed. Edited files stay, and are reported until they are removed by a person or on request.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use refdesk_database::config::is_name;
use refdesk_database::documenter::{Manifest, ManifestEntry, Progress, ProgressStatus};
use refdesk_database::schema::page::{folder_of_page, is_generated};
use refdesk_files::name::sha256_hex;
use refdesk_files::path::{clean, has_below};
use refdesk_text::report::Diagnostic;

use super::documentation::{DocumentOptions, Documentation, PROGRESS};
use crate::Desk;

/// What is at the path of such a file.
enum FoundFile {
    Nothing,
    /// Exactly what refdesk wrote.
    Own,
    Edited,
}

impl Desk {
    /// Finds files of earlier runs about tables, domains and databases that no longer exist.
    pub(super) fn find_obsolete(&self, run: &mut Documentation, options: &DocumentOptions) {
        run.databases_gone = self.databases_gone(run, options);
        let wanted: BTreeSet<&str> = run.pages.iter().map(|it| it.page.path.as_str()).collect();
        let noted = run
            .manifest
            .iter()
            .flat_map(|manifest| manifest.indexable_files.iter().map(|file| &file.path).chain(manifest.edited.iter()));
        let written =
            run.interrupted.iter().flat_map(|progress| progress.written.keys().chain(progress.replaced.keys()));
        // The manifest came with the repository: it must not cause other files to be removed.
        let is_page = |path: &str| self.is_page_of_run(run, path) && !run.beyond.contains(Path::new(path));
        let gone: BTreeSet<&str> =
            noted.chain(written).map(String::as_str).filter(|path| !wanted.contains(path) && is_page(path)).collect();
        let (mut removed, mut left_over, mut removed_edited) = (Vec::new(), Vec::new(), BTreeMap::new());
        for path in gone {
            match self.page_found(run, path) {
                FoundFile::Nothing => {}
                FoundFile::Own => removed.push(path.to_owned()),
                FoundFile::Edited if options.overwrite_edited && self.may_replace(run, path) => {
                    removed.push(path.to_owned());
                    removed_edited.extend(self.page_hash(path).map(|hash| (path.to_owned(), hash)));
                }
                FoundFile::Edited => left_over.push(path.to_owned()),
            }
        }
        let mut entries_removed = Vec::new();
        for entry in run.manifest.iter().flat_map(|manifest| &manifest.catalog) {
            if run.wanted_sources.contains(&entry.id) || !self.is_of_run(run, entry) || self.is_over_limit(run, entry) {
                continue;
            }
            match self.entry_found(run, entry) {
                FoundFile::Nothing => {}
                FoundFile::Own => entries_removed.push(entry.clone()),
                FoundFile::Edited if options.overwrite_edited => {
                    entries_removed.push(entry.clone());
                    removed_edited.extend(self.page_hash(&entry.path).map(|hash| (entry.path.clone(), hash)));
                }
                FoundFile::Edited => left_over.push(entry.path.clone()),
            }
        }
        run.removed = removed;
        run.removed_edited = removed_edited;
        run.left_over = left_over;
        run.entries_removed = entries_removed;
    }

    /// The databases that have pages of earlier runs but are no longer configured; empty if the configuration has
    /// errors, or if the run is limited to certain databases.
    fn databases_gone(&self, run: &Documentation, options: &DocumentOptions) -> BTreeSet<String> {
        if !options.names.is_empty() {
            return BTreeSet::new();
        }
        let written = run.interrupted.iter().flat_map(|progress| progress.written.keys()).map(String::as_str);
        self.not_configured(&run.docs_path, run.manifest.as_ref(), written)
    }

    /// The databases that have pages but are no longer configured.
    pub fn databases_not_configured(&self) -> BTreeSet<String> {
        let docs_path = &self.databases().0.docs_path;
        let manifest = self.known_manifest(docs_path).ok().and_then(|known| known.manifest);
        let progress: Option<Progress> = self.database_state(PROGRESS);
        let interrupted = progress.filter(|progress| progress.status != ProgressStatus::Completed);
        let written = interrupted.iter().flat_map(|progress| progress.written.keys()).map(String::as_str);
        self.not_configured(docs_path, manifest.as_ref(), written)
    }

    fn not_configured<'p>(
        &self,
        docs_path: &str,
        manifest: Option<&'p Manifest>,
        written: impl Iterator<Item = &'p str>,
    ) -> BTreeSet<String> {
        let (config, problems) = self.databases();
        if !config.wrong.is_empty() || problems.iter().any(Diagnostic::is_error) {
            return BTreeSet::new();
        }
        let edited = manifest.iter().flat_map(|manifest| &manifest.edited).map(String::as_str);
        let of_paths = written.chain(edited).filter_map(|path| database_of(path, docs_path));
        let names = manifest.iter().flat_map(|manifest| &manifest.databases).map(String::as_str).chain(of_paths);
        let configured: BTreeSet<&str> = config.databases.iter().map(|database| database.name.as_str()).collect();
        names.filter(|name| is_name(name) && !configured.contains(name)).map(str::to_owned).collect()
    }

    pub(super) fn is_page_of_run(&self, run: &Documentation, path: &str) -> bool {
        run.databases.iter().chain(&run.databases_gone).any(|name| folder_of_page(path, name).is_some())
    }

    /// Whether an edited file about something that no longer exists may be removed on request. Outside the pages folder
    /// the manifest is not enough, since it comes with the repository: the file itself must say that refdesk wrote it.
    fn may_replace(&self, run: &Documentation, path: &str) -> bool {
        let is_generated = || self.page_bytes(path).is_some_and(|bytes| is_generated(path, &bytes));
        database_of(path, &run.docs_path).is_some() || is_generated()
    }

    /// Whether the file at the path of a page is neither what refdesk wrote nor the edited one to be removed.
    pub(super) fn is_edited(&self, run: &Documentation, path: &str) -> bool {
        let is_to_go = || run.removed_edited.get(path).is_some_and(|hash| self.page_hash(path).as_ref() == Some(hash));
        matches!(self.page_found(run, path), FoundFile::Edited) && !is_to_go()
    }

    pub(super) fn page_hash(&self, path: &str) -> Option<String> {
        self.page_bytes(path).map(|bytes| sha256_hex(&bytes))
    }

    fn page_found(&self, run: &Documentation, path: &str) -> FoundFile {
        match self.page_bytes(path) {
            None => FoundFile::Nothing,
            Some(bytes) if run.own.has(path, &bytes) => FoundFile::Own,
            Some(_) => FoundFile::Edited,
        }
    }

    /// Whether a manifest entry concerns a database of this run and has the path refdesk gives it.
    pub(super) fn is_of_run(&self, run: &Documentation, entry: &ManifestEntry) -> bool {
        let own_path = self.workspace_context().display(&self.references_folder().join(format!("{}.json", entry.id)));
        let Some(id) = entry.id.strip_prefix("db-").filter(|_| entry.path == own_path) else { return false };
        let may_own = |name: &str| id.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
        let is_of_run = |name: &str| run.databases.contains(name) || run.databases_gone.contains(name);
        // `db-shop-eu-sales` may belong to `shop` or to `shop-eu`. The file says which; the id alone does not.
        if let Some(owner) = self.owner(run, entry) {
            return may_own(&owner) && is_of_run(&owner);
        }
        let config = self.databases().0;
        let names = config.databases.iter().map(|database| &database.name);
        let names = names.chain(&config.wrong).chain(&run.databases_gone).filter(|name| may_own(name));
        let mut names = names.map(|name| is_of_run(name)).peekable();
        names.peek().is_some() && names.all(|is_of_run| is_of_run)
    }

    /// The database whose pages an entry's file points to; `None` if there is no such file, or it points elsewhere.
    fn owner(&self, run: &Documentation, entry: &ManifestEntry) -> Option<String> {
        let bytes = self.page_bytes(&entry.path)?;
        let place = self.place_of_entry(&serde_json::from_slice(&bytes).ok()?)?;
        let below = self.pages_folders(run).find_map(|folder| place.strip_prefix(folder).ok().map(Path::to_owned))?;
        Some(below.components().next()?.as_os_str().to_str()?.to_owned())
    }

    fn entry_found(&self, run: &Documentation, entry: &ManifestEntry) -> FoundFile {
        match self.page_bytes(&entry.path) {
            None => FoundFile::Nothing,
            Some(bytes) if sha256_hex(&bytes) == entry.content_hash && self.is_entry(run, &entry.id, &bytes) => {
                FoundFile::Own
            }
            Some(_) => FoundFile::Edited,
        }
    }

    /// Whether a file contains what refdesk writes into an entry: the id, and a path among the pages.
    pub(super) fn is_entry(&self, run: &Documentation, id: &str, bytes: &[u8]) -> bool {
        let Ok(found) = serde_json::from_slice::<serde_json::Value>(bytes) else { return false };
        let is_id = found.get("id").and_then(serde_json::Value::as_str) == Some(id);
        let place = self.place_of_entry(&found);
        is_id && place.is_some_and(|place| self.pages_folders(run).any(|folder| place.starts_with(folder)))
    }

    /// Whether an entry points to pages of tables that exceed the limit.
    pub(super) fn is_over_limit(&self, run: &Documentation, entry: &ManifestEntry) -> bool {
        let found = || serde_json::from_slice(&self.page_bytes(&entry.path)?).ok();
        let place = if run.beyond.is_empty() { None } else { found().and_then(|found| self.place_of_entry(&found)) };
        let place = place.and_then(|place| place.strip_prefix(self.workspace()).ok().map(Path::to_owned));
        place.is_some_and(|place| has_below(&run.beyond, &place))
    }

    /// The path an entry's file points to.
    fn place_of_entry(&self, entry: &serde_json::Value) -> Option<PathBuf> {
        let path = entry.get("path").and_then(serde_json::Value::as_str)?;
        Some(clean(&self.references_folder().join(path)))
    }

    /// The pages folders: those of earlier runs, then the current one.
    fn pages_folders<'r>(&'r self, run: &'r Documentation) -> impl Iterator<Item = PathBuf> + 'r {
        let earlier = run.earlier_manifests.keys().filter_map(|path| Path::new(path).parent());
        earlier.chain([Path::new(&run.docs_path)]).map(|folder| clean(&self.workspace().join(folder)))
    }
}

/// The database whose folder contains a page.
fn database_of<'p>(path: &'p str, docs_path: &str) -> Option<&'p str> {
    path.strip_prefix(docs_path)?.strip_prefix('/')?.split_once('/').map(|(name, _)| name)
}
