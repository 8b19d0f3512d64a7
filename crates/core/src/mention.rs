//! Mentions: every position in a source's text that names another source, by id or by path (BEHAVIOUR §3).

pub mod analysis;
mod cache;
mod cache_file;
mod documents;
mod existing;
mod file_problems;
mod generated;
mod graph;
mod ids;
mod library;
mod links;
mod resolved;
mod scan;
mod target;

pub use documents::{LIMITS, files, folder_tokens, gives_nothing_to_read, tokens, without_pages_for_programs};
pub(crate) use graph::Positions;
pub use graph::{MentionGraph, Mentions};
pub use ids::IdMatcher;
pub use library::{Library, Scanned};
pub use links::LinkSyntax;
pub use scan::{ScannedMentions, scan};
pub use target::path_of;

use std::path::Path;
use std::sync::Arc;

use crate::catalog::SourceId;

refdesk_text::worded_enum! {
    /// How a mention names its target.
    #[derive(PartialOrd, Ord)]
    pub enum MentionKind {
        /// By its id, as a whole word.
        Id = "id",
        /// By a relative or absolute path.
        Path = "path",
    }
}

/// One position in a source's text that names another source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention {
    /// The source that contains the mention.
    pub from: SourceId,
    /// The source that is mentioned.
    pub to: SourceId,
    /// By id or by path.
    pub via: MentionKind,
    /// The absolute path of the file that contains it; for an inline source, of the file that defines it.
    pub file: Arc<Path>,
    /// The line in the file, from 1; for an inline source, in its content.
    pub line: usize,
}
