//! What can be known: the sources of a workspace, found, merged and put in catalog order (BEHAVIOUR §2).
//!
//! Building a catalog reads configuration files and asks the file system what stands at each path; it never reads a
//! document. What is wrong with an entry becomes a diagnostic and never takes the good ones down.

use std::collections::HashMap;

mod entry;
mod load;
mod place;
mod source;
#[cfg(test)]
pub mod testing;

pub use load::{NOT_A_SOURCE, load, references_folder};
pub use place::other_places;
pub use source::{Contents, Kind, Mode, Origin, Place, Source, SourceId, Standing};

/// All sources of a workspace after merging, in catalog order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    sources: Vec<Source>,
    by_id: HashMap<SourceId, usize>,
}

impl Catalog {
    /// A catalog of these sources, in this order; of several with one id the first counts.
    pub fn new(sources: Vec<Source>) -> Self {
        let mut kept: Vec<Source> = Vec::with_capacity(sources.len());
        let mut by_id = HashMap::with_capacity(sources.len());
        for source in sources {
            if !by_id.contains_key(&source.id) {
                by_id.insert(source.id.clone(), kept.len());
                kept.push(source);
            }
        }
        Self { sources: kept, by_id }
    }

    /// The sources in catalog order.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The source of this id.
    pub fn get(&self, id: &str) -> Option<&Source> {
        self.position(id).and_then(|at| self.sources.get(at))
    }

    /// Where in catalog order the source of this id stands, from 0.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// How many sources there are.
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }
}
