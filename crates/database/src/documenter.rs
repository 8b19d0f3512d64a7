//! Decides which pages a documentation run writes: new and changed ones, except those that a person edited. It neither
//! reads nor writes files; their contents are passed in.

mod catalog;
mod manifest;
mod progress;
mod tags;

use std::collections::BTreeMap;

use refdesk_files::name::sha256_hex;

pub use catalog::{CatalogEntry, catalog_entries};
pub use manifest::{Manifest, ManifestEntry, ManifestFile, ManifestStatus, SourceCounts};
pub use progress::{Progress, ProgressStatus, RunStats, UnitProgress};

use crate::schema::page::{Page, is_generated};

/// What to do with a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageAction {
    /// It is up to date.
    Keep,
    /// It is written.
    Write,
    /// A person edited it, so it is kept.
    Edited,
    /// It is out of date, but not part of this run.
    LeftOut,
}

/// Hashes of pages that refdesk wrote, by path.
#[derive(Debug, Clone, Default)]
pub struct GeneratedPages {
    hashes: BTreeMap<String, Vec<String>>,
}

impl GeneratedPages {
    /// The pages of the manifest, and those that an interrupted run was writing.
    pub fn of(manifest: Option<&Manifest>, progress: Option<&Progress>) -> Self {
        let files = manifest.iter().flat_map(|manifest| &manifest.indexable_files);
        let interrupted = progress.iter().flat_map(|progress| progress.written.iter().chain(&progress.replaced));
        let mut hashes: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, hash) in files.map(|file| (&file.path, &file.content_hash)).chain(interrupted) {
            hashes.entry(path.clone()).or_default().push(hash.clone());
        }
        Self { hashes }
    }

    /// Whether refdesk wrote exactly these bytes to this path. The manifest may come from a repository, so the page
    /// itself must confirm it.
    pub fn has(&self, path: &str, bytes: &[u8]) -> bool {
        self.has_hash(path, bytes) && is_generated(path, bytes)
    }

    /// Whether refdesk recorded this content for this path.
    pub fn has_hash(&self, path: &str, bytes: &[u8]) -> bool {
        let hash = sha256_hex(bytes);
        self.hashes.get(path).is_some_and(|hashes| hashes.contains(&hash))
    }
}

/// What to do with a page, given the current content of its path.
pub fn action(page: &Page, found: Option<&[u8]>, own: &GeneratedPages, overwrite_edited: bool) -> PageAction {
    match found {
        Some(found) if found == page.text.as_bytes() => PageAction::Keep,
        // After a system crash, a page may be empty.
        Some([]) => PageAction::Write,
        Some(found) if !overwrite_edited && !own.has(&page.path, found) => PageAction::Edited,
        _ => PageAction::Write,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::page::PageKind;

    #[test]
    fn manual_edits_are_kept() {
        let page = Page {
            path: "docs/a.md".into(),
            text: "new".into(),
            kind: PageKind::Table,
            database: "a".into(),
            table: None,
            domain: None,
            is_shortened: false,
        };
        let old = "---\ngenerated: refdesk\n---\n\nold";
        let hashes = vec![sha256_hex(old.as_bytes()), sha256_hex(b"of a person")];
        let own = GeneratedPages { hashes: BTreeMap::from([("docs/a.md".to_owned(), hashes)]) };
        for (found, overwrite, expected) in [
            (None, false, PageAction::Write),
            (Some("new"), false, PageAction::Keep),
            (Some(""), false, PageAction::Write),
            (Some(old), false, PageAction::Write),
            (Some("of a person"), false, PageAction::Edited),
            (Some("mine"), false, PageAction::Edited),
            (Some("mine"), true, PageAction::Write),
        ] {
            assert_eq!(action(&page, found.map(str::as_bytes), &own, overwrite), expected, "{found:?}");
        }
        let elsewhere = Page { path: "docs/b.md".into(), ..page };
        assert_eq!(action(&elsewhere, Some(old.as_bytes()), &own, false), PageAction::Edited, "not ours at that path");
    }
}
