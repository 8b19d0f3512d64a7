//! Who names whom: every place in a source's text that names another source, by id or by path (BEHAVIOUR §3).

mod documents;
mod ids;
mod kept;
mod library;
mod links;
mod memory;
mod scan;
mod target;

pub use documents::{LIMITS, files, tokens};
pub use ids::IdMatcher;
pub use library::{Library, Scanned};
pub use links::Format;
pub use scan::{Named, scan};

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use crate::catalog::SourceId;

/// How a mention names its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Via {
    /// By its id, as a whole word.
    Id,
    /// By a relative or absolute path.
    Path,
}

impl Via {
    /// `id` or `path`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Path => "path",
        }
    }
}

/// One place in a source's text that names another source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Mention {
    /// Whose text it is.
    pub from: SourceId,
    /// Who is named.
    pub to: SourceId,
    /// By id or by path.
    pub via: Via,
    /// The file that holds it, absolute; for an inline source the file that defines it.
    pub file: Arc<Path>,
    /// Line within the file, from 1; for an inline source within its content.
    pub line: usize,
}

/// Every mention found so far, grouped by the source whose text holds it, in order of file and line.
///
/// A source that was not scanned is absent; one that was scanned and names nobody is there with no mentions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MentionGraph {
    /// Shared, so that a graph that differs in one source is cheap to make from another.
    by_source: HashMap<SourceId, Arc<[Mention]>>,
}

impl MentionGraph {
    /// An empty graph with room for so many sources.
    pub fn with_capacity(sources: usize) -> Self {
        Self { by_source: HashMap::with_capacity(sources) }
    }

    /// Notes what the text of `from` mentions, in place of what was noted before.
    pub fn insert(&mut self, from: SourceId, mentions: Vec<Mention>) {
        self.by_source.insert(from, mentions.into());
    }

    /// The same; what another graph says too is shared with it.
    pub fn insert_like(&mut self, from: SourceId, mentions: Vec<Mention>, other: &Self) {
        match other.by_source.get_key_value(&from) {
            Some((from, same)) if **same == *mentions => self.by_source.insert(from.clone(), same.clone()),
            _ => self.by_source.insert(from, mentions.into()),
        };
    }

    /// How many sources were scanned.
    pub fn len(&self) -> usize {
        self.by_source.len()
    }

    /// Whether none was scanned.
    pub fn is_empty(&self) -> bool {
        self.by_source.is_empty()
    }

    /// Whether the text of this source was scanned.
    pub fn is_scanned(&self, id: &str) -> bool {
        self.by_source.contains_key(id)
    }

    /// What the text of this source mentions; empty where it was not scanned.
    pub fn from(&self, id: &str) -> &[Mention] {
        self.by_source.get(id).map_or(&[], |mentions| mentions)
    }
}
