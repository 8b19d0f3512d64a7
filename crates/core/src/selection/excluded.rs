//! The files of excluded sources.

use std::path::Path;

use super::Selection;
use crate::catalog::{Catalog, Source};

/// The files that belong to excluded sources: all innermost sources that contain such a file are excluded.
#[derive(Debug, Clone, Default)]
pub struct ExcludedFiles<'a> {
    /// The excluded sources with a path, and their resolved paths.
    excluded: Vec<(&'a str, &'a Path)>,
    /// The resolved paths of the other sources in them.
    others: Vec<&'a Path>,
}

impl Selection {
    /// The files that belong to excluded sources.
    pub fn excluded_files<'c>(&self, catalog: &'c Catalog) -> ExcludedFiles<'c> {
        ExcludedFiles::of(&self.excluded, catalog)
    }
}

impl<'a> ExcludedFiles<'a> {
    /// The files of excluded sources with these ids.
    pub fn of(excluded: &[String], catalog: &'a Catalog) -> Self {
        let path = |source: &'a Source| Some((source.id.as_str(), source.place()?.resolved.as_ref()));
        let excluded: Vec<(&str, &Path)> = excluded.iter().filter_map(|id| path(catalog.get(id)?)).collect();
        let is_inside = |(id, path): &(&str, &Path)| {
            excluded.iter().all(|(excluded, _)| excluded != id)
                && excluded.iter().any(|(_, outer)| path.starts_with(outer))
        };
        let others = catalog.sources().iter().filter_map(path).filter(is_inside).map(|(_, path)| path).collect();
        Self { excluded, others }
    }

    /// The resolved paths of the excluded sources.
    pub fn paths(&self) -> impl Iterator<Item = &'a Path> {
        self.excluded.iter().map(|(_, path)| *path)
    }

    /// Whether the file at this resolved path is one of them.
    pub fn contains(&self, file: &Path) -> bool {
        // Of paths that contain the same file, the innermost is the longest.
        let length = |path: &&Path| file.starts_with(path).then_some(path.as_os_str().len());
        self.paths().filter_map(|path| length(&path)).max() > self.others.iter().filter_map(length).max()
    }

    /// Whether this source, which is not excluded itself, must not lead to the file at this resolved path.
    pub fn hides(&self, source: &str, file: &Path) -> bool {
        self.excluded.iter().all(|(excluded, _)| *excluded != source) && self.contains(file)
    }
}
