//! Writes the manifest last, so that it never lists a page that does not exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use refdesk_database::documenter::{Manifest, ManifestEntry, ManifestFile, ManifestStatus, PageAction};
use refdesk_database::schema::page::{Page, folder_of_page};
use refdesk_database::schema::plan::SCHEMA_VERSION;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::PriorContent;

use super::{DocumentationRun, REASON};
use crate::databases::page_comparison::DocumentedPage;

impl<'p> DocumentationRun<'_, 'p> {
    /// Writes the manifest; returns whether that succeeded.
    pub(super) fn write_manifest(&mut self, catalog: Vec<ManifestEntry>, now: &str) -> bool {
        let prepared = self.prepared;
        let left = self.not_removed();
        let files = self.manifest_files(&left, now);
        let edited = self.edited_files(&left);
        let plan = &prepared.planned.plan;
        let databases: BTreeSet<String> = files.iter().map(|file| file.database.clone()).collect();
        let is_partial = !prepared.failed.is_empty() || !self.report.failed.is_empty() || prepared.left_out() > 0;
        let units = plan.work_units.iter().filter(|it| databases.contains(&it.database));
        let manifest = Manifest {
            schema_version: SCHEMA_VERSION.to_owned(),
            completed_at: now.to_owned(),
            plan_hash: plan.hash(),
            status: if is_partial { ManifestStatus::Partial } else { ManifestStatus::Complete },
            work_units: units.map(|it| it.id.clone()).collect(),
            databases: databases.into_iter().collect(),
            total_files: files.len(),
            indexable_files: files,
            sources: prepared.sources,
            edited,
            catalog,
        };
        if prepared.manifest.is_none() && manifest.indexable_files.is_empty() && manifest.catalog.is_empty() {
            return true;
        }
        let is_noted = prepared.manifest.as_ref().is_some_and(|old| old.is_same(&manifest));
        if is_noted && prepared.earlier_manifests.is_empty() {
            return true;
        }
        let path = Manifest::path(&prepared.docs_path);
        let stored = self.desk.propose_below(&path, &manifest.text()).and_then(|proposal| {
            if proposal.is_unchanged() {
                return Ok(());
            }
            self.desk.write(self.session, &[proposal], REASON).map(drop).map_err(|unwritten| unwritten.refused)
        });
        let is_stored = stored.is_ok();
        self.report.failed.extend(stored.err());
        is_stored
    }

    /// The paths that were to be removed and still exist.
    fn not_removed(&self) -> BTreeSet<&'p str> {
        let removed: BTreeSet<&str> = self.report.removed.iter().map(String::as_str).collect();
        self.prepared.removed.iter().map(String::as_str).filter(|path| !removed.contains(path)).collect()
    }

    /// The pages of this run, and those of the last manifest that it did not settle, sorted by path.
    fn manifest_files(&self, left: &BTreeSet<&str>, now: &str) -> Vec<ManifestFile> {
        let prepared = self.prepared;
        let old: BTreeMap<&str, &ManifestFile> = prepared
            .manifest
            .iter()
            .flat_map(|it| &it.indexable_files)
            .map(|file| (file.path.as_str(), file))
            .collect();
        let written: BTreeSet<&str> = self.report.written.iter().map(String::as_str).collect();
        let mut files: Vec<ManifestFile> = prepared
            .pages
            .iter()
            .filter_map(|it| {
                let path = it.page.path.as_str();
                file_of(it, written.contains(path), old.get(path).copied(), now)
            })
            .collect();
        let is_settled = |name: &String| prepared.databases.contains(name) || prepared.databases_gone.contains(name);
        let listed: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
        let is_over_limit = |path: &String| prepared.beyond.contains(Path::new(path)) && !listed.contains(path);
        let is_other = |file: &&ManifestFile| {
            !is_settled(&file.database) || left.contains(file.path.as_str()) || is_over_limit(&file.path)
        };
        files.extend(old.values().copied().filter(is_other).cloned());
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    }

    /// The paths of edited pages, sorted.
    fn edited_files(&self, left: &BTreeSet<&str>) -> Vec<String> {
        let prepared = self.prepared;
        // An edited file that could not be removed is still listed as edited.
        let left = prepared.removed_edited.keys().filter(|path| left.contains(path.as_str()));
        let own = self.report.edited.iter().chain(&prepared.left_over).chain(left);
        let mut edited: Vec<String> = own.chain(self.edited_of_others()).cloned().collect();
        edited.sort();
        edited.dedup();
        edited
    }

    /// Removes the manifests in earlier pages folders, now that the current one includes them.
    pub(super) fn remove_earlier_manifests(&mut self) {
        for (path, hash) in &self.prepared.earlier_manifests {
            if self.desk.page_hash(path).as_ref() != Some(hash) {
                continue;
            }
            match self.remove(path, 1, "the pages are in another folder now") {
                Ok(()) => self.report.removed.push(path.clone()),
                Err(error) => self.report.failed.push(error),
            }
        }
    }

    /// Existing paths that the last run recorded as edited, of databases that are not part of this run.
    fn edited_of_others(&self) -> impl Iterator<Item = &String> {
        let (desk, prepared) = (&*self.desk, self.prepared);
        let config = desk.databases().0;
        let is_known = |path: &str| {
            let of_name = |name: &String| folder_of_page(path, name).is_some();
            let is_page = config.databases.iter().map(|it| &it.name).chain(&config.wrong).any(of_name);
            is_page && !desk.is_page_of_run(prepared, path)
        };
        let is_entry_of_others = |path: &str| {
            let entries = prepared.manifest.iter().flat_map(|it| &it.catalog);
            entries.into_iter().any(|entry| entry.path == path && !desk.is_of_run(prepared, entry))
        };
        prepared
            .manifest
            .iter()
            .flat_map(|it| &it.edited)
            .filter(move |path| (is_known(path) || is_entry_of_others(path)) && desk.page_hash(path).is_some())
    }
}

/// The manifest entry of a page; `None` if the page does not exist. An edited page keeps the hash of what refdesk
/// wrote, so that it still counts as edited, also if a run that would overwrite it leaves it out.
fn file_of(it: &DocumentedPage, is_written: bool, known: Option<&ManifestFile>, now: &str) -> Option<ManifestFile> {
    let new_hash = sha256_hex(it.page.text.as_bytes());
    if is_written {
        return Some(described(&it.page, new_hash, it.page.text.len(), now));
    }
    let PriorContent::File { size, hash } = &it.before else { return None };
    let size = usize::try_from(*size).unwrap_or(usize::MAX);
    let is_edited = it.action == PageAction::Edited || it.action == PageAction::LeftOut && !it.is_own;
    match known {
        Some(known) if is_edited || known.content_hash == *hash => Some(known.clone()),
        _ if is_edited => Some(described(&it.page, new_hash, it.page.text.len(), now)),
        _ => Some(described(&it.page, hash.clone(), size, now)),
    }
}

fn described(page: &Page, content_hash: String, size_bytes: usize, now: &str) -> ManifestFile {
    ManifestFile {
        path: page.path.clone(),
        kind: page.kind,
        database: page.database.clone(),
        schema: page.table.as_ref().map(|table| table.schema.clone()),
        table: page.table.as_ref().map(|table| table.name.clone()),
        domain: page.domain.clone(),
        content_hash,
        size_bytes,
        modified_at: now.to_owned(),
    }
}
