//! Writes the catalog entries of domains and tables with pages, and removes those that are obsolete.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use refdesk_database::documenter::ManifestEntry;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::PriorContent;

use super::DocumentationRun;
use crate::Desk;
use crate::databases::documentation::{DocumentOptions, Documentation};
use crate::databases::page_comparison::FOUND_BYTES;

impl Desk {
    /// Compares the catalog entries with the files at their paths: which to write, replace and leave alone.
    pub(in crate::databases) fn compare_entries(&self, run: &mut Documentation, options: &DocumentOptions) {
        let (mut missing, mut outdated, mut edited) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        for (entry, path, text) in &run.catalog {
            match self.bytes_below(path, FOUND_BYTES) {
                Ok(None) => drop(missing.insert(path.clone())),
                Ok(Some((bytes, _))) if bytes == text.as_bytes() => {}
                Ok(Some((bytes, _))) if self.is_own_entry(run, &entry.id, path, &bytes) => outdated.push(path.clone()),
                Ok(Some((bytes, _))) => drop(edited.insert(path.clone(), sha256_hex(&bytes))),
                // Whatever is there is left alone, like a file that a person edited.
                Err(_) => run.edited.push(path.clone()),
            }
        }
        (run.entries_missing, run.entries_outdated) = (missing, outdated);
        if options.overwrite_edited {
            run.entries_replaced = edited;
        } else {
            run.edited.extend(edited.into_keys());
        }
    }

    /// Whether the bytes at an entry's path are what refdesk wrote.
    fn is_own_entry(&self, run: &Documentation, id: &str, path: &str, bytes: &[u8]) -> bool {
        let hash = sha256_hex(bytes);
        let is_noted = |known: &ManifestEntry| known.id == id && known.path == path && known.content_hash == hash;
        run.manifest.iter().flat_map(|it| &it.catalog).any(is_noted)
            || (run.own.has_hash(path, bytes) && self.is_entry(run, id, bytes))
    }
}

impl DocumentationRun<'_, '_> {
    /// Writes the catalog entries and removes obsolete ones; edited ones stay. Returns the entries that refdesk wrote.
    pub(super) fn write_catalog_entries(&mut self) -> Vec<ManifestEntry> {
        let prepared = self.prepared;
        let before: BTreeMap<&str, &ManifestEntry> =
            prepared.manifest.iter().flat_map(|it| &it.catalog).map(|entry| (entry.id.as_str(), entry)).collect();
        let written: BTreeSet<&str> = self.report.written.iter().map(String::as_str).collect();
        let places = prepared.source_places(|it| it.is_there || written.contains(it.page.path.as_str()));
        let mut entries = Vec::new();
        for (entry, path, text) in &prepared.catalog {
            let hash = sha256_hex(text.as_bytes());
            let known = before.get(entry.id.as_str()).filter(|known| known.path == *path);
            let noted = |content_hash: String| ManifestEntry { id: entry.id.clone(), path: path.clone(), content_hash };
            let found = match self.desk.page_bytes(path) {
                None => PriorContent::Nothing,
                Some(bytes) if bytes == text.as_bytes() => {
                    entries.push(noted(hash));
                    continue;
                }
                Some(bytes) => {
                    let before = PriorContent::File { size: bytes.len() as u64, hash: sha256_hex(&bytes) };
                    // An entry edited again since the comparison stays.
                    let is_replaced = prepared.entries_replaced.get(path) == Some(&sha256_hex(&bytes));
                    if !is_replaced && !self.desk.is_own_entry(prepared, &entry.id, path, &bytes) {
                        // The comparison already lists most of them.
                        if !self.report.edited.contains(path) {
                            self.report.edited.push(path.clone());
                        }
                        entries.extend(known.map(|known| noted(known.content_hash.clone())));
                        continue;
                    }
                    before
                }
            };
            // A source whose pages could not be written would be missing.
            if !places.contains(Path::new(&entry.path)) {
                entries.extend(known.map(|known| noted(known.content_hash.clone())));
                continue;
            }
            match self.writes.write(path, text, &found) {
                Ok(written) => {
                    self.unnoted.push((written.shown, text.len()));
                    self.report.sources.push(entry.id.clone());
                    entries.push(noted(hash));
                }
                Err(error) => self.report.failed.push(error),
            }
        }
        let kept: BTreeSet<&str> = prepared.catalog.iter().map(|(entry, ..)| entry.id.as_str()).collect();
        let gone = before.iter().filter(|(id, _)| !kept.contains(*id)).map(|(_, old)| *old);
        let mut stays = |old: &ManifestEntry| {
            prepared.wanted_sources.contains(&old.id)
                || !self.desk.is_of_run(prepared, old)
                || self.desk.is_over_limit(prepared, old)
                || !self.forget_entry(old)
        };
        entries.extend(gone.filter(|old| stays(old)).cloned());
        entries.sort_by(|a, b| a.id.cmp(&b.id));
        entries
    }

    /// Removes an obsolete entry unless it has changed since that was decided; returns whether it was removed.
    fn forget_entry(&mut self, old: &ManifestEntry) -> bool {
        let Some(bytes) = self.desk.page_bytes(&old.path) else { return true };
        let hash = sha256_hex(&bytes);
        let is_as_it_was =
            hash == old.content_hash || self.prepared.removed_edited.get(&old.path).is_some_and(|it| *it == hash);
        if !self.prepared.entries_removed.contains(old) || !is_as_it_was {
            return false;
        }
        match self.remove(&old.path, 0, "its domain is gone") {
            Ok(()) => {
                self.report.sources_removed.push(old.id.clone());
                true
            }
            Err(error) => {
                self.report.failed.push(error);
                false
            }
        }
    }
}
