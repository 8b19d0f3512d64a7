//! The file system for enrichment, implemented by the caller: this crate reads no files itself.

use std::path::{Path, PathBuf};

use refdesk_core::catalog::{Catalog, Source};
use refdesk_core::selection::Selection;
use refdesk_templates::{Template, TemplateIndex};

/// Looks up and reads the files of sources.
pub trait SourceFiles: Sync {
    /// A path for display: relative if inside the workspace, otherwise absolute; forward slashes (BEHAVIOUR §2).
    fn display_path(&self, path: &Path) -> String;

    /// The text files of a directory source (§3), absolute, in path order; empty for any other source.
    fn files(&self, source: &Source) -> Vec<PathBuf>;

    /// Estimated tokens of a source's text; `None` if it is missing or not local.
    fn tokens(&self, source: &Source) -> Option<u64>;

    /// A value that changes with the content of a local source: for a file, its bytes or their hash; for a directory,
    /// its sorted paths, sizes and times (§5, "Once"). Empty if there is nothing to read.
    fn stamp(&self, source: &Source) -> String;

    /// The files at or below a path that a directory source declares, absolute, in path order, without hidden ones;
    /// empty if the path or a link on it leads out of the source's folder.
    fn declared(&self, source: &Source, path: &str) -> Vec<PathBuf>;

    /// An absolute path with its links resolved; `None` if it does not exist.
    fn resolved(&self, _path: &Path) -> Option<PathBuf> {
        None
    }

    /// The template index of this selection. Building it reads files, so it is built on demand.
    fn templates(&self, catalog: &Catalog, selection: &Selection) -> TemplateIndex;

    /// The templates in a text, in order, with their names for the index, as far as the limits for one text allow.
    fn templates_in(&self, text: &str) -> Vec<Template>;
}
