//! The sources of a workspace: found, merged and put in catalog order (BEHAVIOUR §2).
//!
//! Building a catalog reads configuration files and checks what exists at each path; it never reads a document. A
//! problem with one entry becomes a diagnostic and does not affect the other entries.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

mod entry;
mod id_rule;
mod load;
mod place;
mod plain;
mod profile;
mod references_folder;
mod source;
mod tags;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod wanted;

pub use entry::tags_of;
pub use id_rule::{ID_BYTES, id_fault};
pub use load::{CatalogOptions, PlainSources, load, load_config};
pub use place::{ReservedFolders, other_candidates};
pub use profile::{NarrowedCatalog, missing, narrowed};
pub use references_folder::{NOT_A_SOURCE, references_folder};
pub use source::{
    DirectoryContents, LocalPath, Mode, PathState, ShortText, Source, SourceDefinition, SourceId, SourceKind,
};
pub use wanted::EntryFilter;

use refdesk_text::escape::{one_line, visible};
use tags::SelectableTags;

/// All sources of a workspace after merging, in catalog order. Catalogs share the sources that a reload left unchanged.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    sources: Vec<Arc<Source>>,
    /// Derived from `sources`, like `selectable_tags`.
    by_id: HashMap<SourceId, usize>,
    selectable_tags: OnceLock<SelectableTags>,
}

impl PartialEq for Catalog {
    fn eq(&self, other: &Self) -> bool {
        self.sources == other.sources
    }
}

impl Eq for Catalog {}

impl Catalog {
    /// Builds a catalog of these sources, in this order; the first of several with the same id wins.
    pub fn new(sources: Vec<Source>) -> Self {
        Self::of(sources.into_iter().map(Arc::new).collect())
    }

    /// Like [`Catalog::new`], for sources that may be shared with another catalog.
    pub fn of(sources: Vec<Arc<Source>>) -> Self {
        Self::merged(sources).0
    }

    /// Like [`Catalog::of`]; also returns the sources whose id was already used by an earlier one.
    fn merged(mut sources: Vec<Arc<Source>>) -> (Self, Vec<Arc<Source>>) {
        let mut by_id = HashMap::with_capacity(sources.len());
        let mut losers = Vec::new();
        sources.retain(|source| {
            let place = by_id.len();
            match by_id.entry(source.id.clone()) {
                Entry::Vacant(vacant) => {
                    vacant.insert(place);
                    true
                }
                Entry::Occupied(_) => {
                    losers.push(source.clone());
                    false
                }
            }
        });
        sources.shrink_to_fit();
        (Self { sources, by_id, selectable_tags: OnceLock::new() }, losers)
    }

    /// Replaces the sources at these positions; a replacement with a different id is ignored.
    #[must_use]
    pub fn with(self, changed: Vec<(usize, Arc<Source>)>) -> Self {
        let Self { mut sources, by_id, .. } = self;
        for (at, source) in changed {
            if let Some(place) = sources.get_mut(at).filter(|place| place.id == source.id) {
                *place = source;
            }
        }
        Self { sources, by_id, selectable_tags: OnceLock::new() }
    }

    /// The sources in catalog order.
    pub fn sources(&self) -> Sources<'_> {
        Sources(&self.sources)
    }

    /// The catalog's own value if it equals this source, so that both share it; otherwise the source itself.
    pub fn share(&self, source: Source) -> Arc<Source> {
        let same = self.position(source.id.as_str()).and_then(|at| self.sources.get(at));
        same.filter(|same| ***same == source).cloned().unwrap_or_else(|| Arc::new(source))
    }

    /// The source with this id.
    pub fn get(&self, id: &str) -> Option<&Source> {
        self.sources().get(self.position(id)?)
    }

    /// Looks up an id as written: `id`, `@id` if no source has that exact id, or as displayed, with hidden characters
    /// escaped.
    pub fn find(&self, id: &str) -> Option<&Source> {
        self.get(id).or_else(|| self.get(id.strip_prefix('@')?)).or_else(|| self.shown_as(id))
    }

    fn shown_as(&self, id: &str) -> Option<&Source> {
        // An escaped id contains a backslash.
        let shown = id.contains('\\').then(|| id.strip_prefix('@').unwrap_or(id))?;
        let is_it = |source: &&Source| one_line(source.id.as_str()) == shown || visible(source.id.as_str()) == shown;
        self.sources().iter().find(is_it)
    }

    /// The id of the source that [`Self::find`] finds, or the given text if there is none.
    pub fn canonical_id<'i>(&'i self, id: &'i str) -> &'i str {
        self.find(id).map_or(id, |source| source.id.as_str())
    }

    /// The source at this position, from 0, as a shared value.
    pub fn shared(&self, at: usize) -> Option<Arc<Source>> {
        self.sources.get(at).cloned()
    }

    /// The position of the source with this id in catalog order, from 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The number of sources.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether the catalog is empty.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}

/// The sources of a catalog, in its order.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'c>(&'c [Arc<Source>]);

impl<'c> Sources<'c> {
    /// Iterates in catalog order.
    pub fn iter(self) -> <Self as IntoIterator>::IntoIter {
        self.into_iter()
    }

    /// The source at this position, from 0.
    pub fn get(self, at: usize) -> Option<&'c Source> {
        self.0.get(at).map(|source| &**source)
    }

    /// The number of sources.
    pub fn len(self) -> usize {
        self.0.len()
    }

    /// Whether the catalog is empty.
    pub fn is_empty(self) -> bool {
        self.0.is_empty()
    }
}

impl<'c> IntoIterator for Sources<'c> {
    type Item = &'c Source;
    type IntoIter = std::iter::Map<std::slice::Iter<'c, Arc<Source>>, fn(&'c Arc<Source>) -> &'c Source>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter().map(|source| &**source)
    }
}

#[cfg(any(test, feature = "testing"))]
#[allow(clippy::indexing_slicing, reason = "for tests only")]
impl std::ops::Index<usize> for Sources<'_> {
    type Output = Source;

    fn index(&self, at: usize) -> &Source {
        &self.0[at]
    }
}
