//! What enrichment asks the file system, by way of its caller: this room reads no file.

use std::path::{Path, PathBuf};

use refdesk_core::catalog::Source;
use refdesk_templates::{Template, TemplateIndex};

/// Paths and files as the desk knows them.
pub trait SourceFiles {
    /// A path as it is printed: relative to the workspace inside it, absolute outside, forward slashes (BEHAVIOUR §2).
    fn display_path(&self, path: &Path) -> String;

    /// The text files of a directory source (§3), absolute, in path order; empty for any other source.
    fn files(&self, source: &Source) -> Vec<PathBuf>;

    /// What changes when the content of a local source changes: of a file its bytes or their hash, of a directory its
    /// sorted paths, sizes and times (§5, "Once"). Empty where there is nothing to read.
    fn stamp(&self, source: &Source) -> String;

    /// The files at or below a path that a directory source declares of its inside, absolute, in path order, hidden ones
    /// left out; none where it leads out of the source's folder, be it by a link.
    fn declared(&self, source: &Source, path: &str) -> Vec<PathBuf>;

    /// The template index; it is built when it is asked for, which reads files.
    fn templates(&self) -> TemplateIndex;

    /// The templates that stand in a text, in order, under the names that the index gives them once they are kept. What is
    /// more or larger than is taken from one text is left out.
    fn templates_in(&self, text: &str) -> Vec<Template>;
}
