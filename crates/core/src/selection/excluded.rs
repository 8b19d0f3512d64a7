//! The files of excluded sources.

use std::collections::HashSet;
use std::path::Path;

use super::Selection;
use crate::catalog::{Catalog, Source};

/// The files that belong to excluded sources: all innermost sources that contain such a file are excluded.
#[derive(Debug, Clone, Default)]
pub struct ExcludedFiles<'a> {
    /// The ids of the excluded sources with a path.
    ids: HashSet<&'a str>,
    /// Their resolved paths.
    excluded: HashSet<&'a Path>,
    /// The resolved paths of the other sources in them.
    others: HashSet<&'a Path>,
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
        let (ids, excluded): (HashSet<&str>, HashSet<&Path>) =
            excluded.iter().filter_map(|id| path(catalog.get(id)?)).unzip();
        let is_inside =
            |(id, path): &(&str, &Path)| !ids.contains(id) && path.ancestors().any(|outer| excluded.contains(outer));
        let others = match excluded.is_empty() {
            true => HashSet::new(),
            false => catalog.sources().iter().filter_map(path).filter(is_inside).map(|(_, path)| path).collect(),
        };
        Self { ids, excluded, others }
    }

    /// The resolved paths of the excluded sources.
    pub fn paths(&self) -> impl Iterator<Item = &'a Path> {
        self.excluded.iter().copied()
    }

    /// Whether the file at this resolved path is one of them.
    pub fn contains(&self, file: &Path) -> bool {
        let is_other = |path: &Path| self.others.contains(path);
        let innermost = file.ancestors().find(|path| is_other(path) || self.excluded.contains(path));
        innermost.is_some_and(|path| !is_other(path))
    }

    /// Whether this source, which is not excluded itself, must not lead to the file at this resolved path.
    pub fn hides(&self, source: &str, file: &Path) -> bool {
        !self.ids.contains(source) && self.contains(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::PathState;
    use crate::catalog::testing::local;

    /// Of the sources that contain a file, the innermost decides; of two with one path, the one that is not excluded.
    #[test]
    fn the_innermost_source_decides() {
        let sources = [("all", "/w"), ("a", "/w/a"), ("b", "/w/a/b"), ("same", "/w/a/b"), ("c", "/w/a/b/c.md")];
        let sources = sources.map(|(id, path)| local(id, Path::new(path), PathState::Directory));
        let catalog = Catalog::new(sources.to_vec());
        for (ids, file, expected) in [
            (&[][..], "/w/a/x.md", false),
            (&["a"], "/w/x.md", false),
            (&["a"], "/w/a/x.md", true),
            (&["a"], "/w/ab/x.md", false),
            (&["a"], "/w/a/b/x.md", false),
            (&["a", "b"], "/w/a/b/x.md", false),
            (&["a", "b", "same"], "/w/a/b/x.md", true),
            (&["all", "same"], "/w/a/b/x.md", false),
            (&["all", "a", "b", "same"], "/w/a/b/c.md", false),
            (&["c"], "/w/a/b/c.md", true),
            (&["none"], "/w/x.md", false),
        ] {
            let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
            let excluded = ExcludedFiles::of(&ids, &catalog);
            assert_eq!(excluded.contains(Path::new(file)), expected, "{ids:?}: {file}");
            assert_eq!(excluded.hides("all", Path::new(file)), expected && !ids.contains(&"all".to_owned()), "{ids:?}");
        }
    }
}
