//! Pages that earlier runs wrote into another folder, before the configuration named the current one. The catalog
//! entries still point there, and the manifest there still lists what refdesk wrote. Both are used, so that no file
//! counts as edited by a person or is left behind.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_core::catalog::Source;
use refdesk_database::config::is_pages_folder;
use refdesk_database::documenter::Manifest;
use refdesk_database::schema::page::{folder_of_page, is_page_path};
use refdesk_files::path::{clean, lossy};
use refdesk_text::report::Diagnostic;

use super::documentation::stored_manifest;
use crate::Desk;

/// The manifest of the last run, merged with those in earlier folders.
#[derive(Debug, Default)]
pub(super) struct KnownManifest {
    pub manifest: Option<Manifest>,
    /// The manifests in earlier folders, with their hashes, to remove once the current one is written.
    pub earlier: BTreeMap<String, String>,
}

impl Desk {
    /// The merged manifests of earlier runs.
    ///
    /// # Errors
    /// The manifest in the current folder cannot be read.
    pub(super) fn known_manifest(&self, docs_path: &str) -> Result<KnownManifest, Box<Diagnostic>> {
        let mut known = KnownManifest { manifest: self.manifest(docs_path)?, ..KnownManifest::default() };
        for folder in self.earlier_folders(docs_path) {
            let Ok(Some(manifest)) = stored_manifest(self.workspace(), &folder) else { continue };
            // A copied manifest, or one of a nested workspace, lists no page in this folder.
            if !manifest.indexable_files.iter().any(|file| is_page_path(&file.path, &folder, &file.database)) {
                continue;
            }
            let path = Manifest::path(&folder);
            known.earlier.extend(self.page_hash(&path).map(|hash| (path, hash)));
            match &mut known.manifest {
                Some(all) => all.take_over(manifest),
                none => *none = Some(manifest),
            }
        }
        Ok(known)
    }

    /// The folders that catalog entries point to, other than the current pages folder.
    fn earlier_folders(&self, docs_path: &str) -> BTreeSet<String> {
        let references = self.references_folder();
        let folder_of = |source: &Source| {
            let rest = source.id.as_str().strip_prefix("db-")?;
            let file = references.join(format!("{}.json", source.id.as_str()));
            let written = source.place().filter(|_| *source.origin.file == *file)?.written.as_str();
            let place = clean(&references.join(written));
            let place = lossy(place.strip_prefix(self.workspace()).ok()?);
            let page = if place.ends_with(".md") { place } else { format!("{place}/README.md") };
            // The database may no longer be configured, and its name may contain hyphens.
            let mut names = rest.match_indices('-').filter_map(|(end, _)| rest.get(..end));
            names.find_map(|name| folder_of_page(&page, name).map(str::to_owned))
        };
        let folders = self.catalog().sources().iter().filter_map(folder_of);
        folders.filter(|folder| folder != docs_path && is_pages_folder(folder)).collect()
    }
}
