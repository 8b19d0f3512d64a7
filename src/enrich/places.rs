//! What enrichment asks the file system, by way of its caller: this room reads no file.

use std::path::{Path, PathBuf};

use crate::catalog::Source;

/// Paths and files as the desk knows them.
pub trait Places {
    /// A path as it is printed: relative to the workspace inside it, absolute outside, forward slashes (BEHAVIOUR §2).
    fn display_path(&self, path: &Path) -> String;

    /// The text files of a directory source (§3), absolute, in path order; empty for any other source.
    fn files(&self, source: &Source) -> Vec<PathBuf>;

    /// What changes when the content of a local source changes: of a file its bytes or their hash, of a directory its
    /// sorted paths, sizes and times (§5, "Once"). Empty where there is nothing to read.
    fn stamp(&self, source: &Source) -> String;
}
