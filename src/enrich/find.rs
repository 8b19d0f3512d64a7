//! What a text names and touches: `@id`s and tags (BEHAVIOUR §5, blocks 1 and 2), and who of them is spoken of. The
//! desk's own blocks in the text are passed over.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::OnceLock;

use super::at::{At, AtIndex};
use super::tags::{TagIndex, Tagged};
use super::{Expansion, Findings, Hint, own};
use crate::catalog::{Catalog, Mode, SourceId};
use crate::selection::Selection;

/// Finds ids and tags of one catalog in texts. Built once a catalog; its automata are built at first use and kept, so
/// that a text without `@` never pays for the ids.
pub struct Matcher {
    ids: Vec<SourceId>,
    tags: Vec<Vec<String>>,
    at: OnceLock<AtIndex>,
    tagged: OnceLock<TagIndex>,
}

impl Matcher {
    /// A matcher for this catalog. It is to be asked with the same catalog only: it knows sources by their place in it.
    pub fn new(catalog: &Catalog) -> Self {
        let hinted = |source: &crate::catalog::Source| source.mode == Mode::Selectable;
        Self {
            ids: catalog.sources().iter().map(|source| source.id.clone()).collect(),
            tags: catalog.sources().iter().map(|it| if hinted(it) { it.tags.clone() } else { Vec::new() }).collect(),
            at: OnceLock::new(),
            tagged: OnceLock::new(),
        }
    }

    /// Builds the automata now, for whoever would rather wait here than at the first text.
    pub fn warm(&self) {
        self.at();
        self.tagged();
    }

    /// Kind of the tag automaton, number of its patterns and its size in bytes: for figures.
    pub fn size(&self) -> (&'static str, usize, usize) {
        self.tagged().size()
    }

    /// What `text` names and touches outside the desk's own blocks. Named are sources that are not excluded, of any
    /// mode, selected and missing ones too. Hinted at are `selectable` ones, neither selected nor excluded nor named;
    /// none with `exclude_hints` (`selectReferences` is in `exclude_tools`).
    pub fn find(&self, text: &str, catalog: &Catalog, selection: &Selection, exclude_hints: bool) -> Findings {
        self.find_within(text, &own::outside(text), catalog, selection, exclude_hints)
    }

    /// [`Matcher::find`] in these parts of a text, each as if nothing stood around it.
    pub(crate) fn find_within(
        &self,
        text: &str,
        parts: &[Range<usize>],
        catalog: &Catalog,
        selection: &Selection,
        exclude_hints: bool,
    ) -> Findings {
        let excluded: HashSet<&str> = selection.excluded().iter().map(String::as_str).collect();
        let expansions = self.expansions(text, parts, &excluded);
        if exclude_hints {
            return Findings { expansions, hints: Vec::new() };
        }
        let named: HashSet<&str> = expansions.iter().map(|it| it.id.as_str()).collect();
        let wanted = |source: usize| {
            catalog.sources().get(source).is_some_and(|source| {
                let id = source.id.as_str();
                source.mode == Mode::Selectable
                    && !selection.contains(id)
                    && !excluded.contains(id)
                    && !named.contains(id)
            })
        };
        let tagged = self.tagged();
        let mut found = tagged.start();
        for part in parts {
            tagged.scan(text, part.clone(), &mut found);
        }
        let hints = tagged.by_source(found, catalog, wanted).into_iter().filter_map(|it| hint(it, catalog)).collect();
        Findings { expansions, hints }
    }

    fn expansions(&self, text: &str, parts: &[Range<usize>], excluded: &HashSet<&str>) -> Vec<Expansion> {
        let mut seen = HashSet::new();
        let mut expansions = Vec::new();
        for part in parts {
            let Some(inside) = text.get(part.clone()).filter(|inside| inside.contains('@')) else { continue };
            for At { source, range } in self.at().find(inside) {
                let Some(id) = self.ids.get(source).filter(|id| !excluded.contains(id.as_str())) else { continue };
                if seen.insert(source) {
                    let range = range.start + part.start..range.end + part.start;
                    expansions.push(Expansion { id: id.clone(), range });
                }
            }
        }
        expansions
    }

    fn at(&self) -> &AtIndex {
        self.at.get_or_init(|| AtIndex::new(self.ids.clone()))
    }

    fn tagged(&self) -> &TagIndex {
        self.tagged.get_or_init(|| TagIndex::new(self.tags.iter().map(Vec::as_slice).enumerate()))
    }
}

fn hint(tagged: Tagged, catalog: &Catalog) -> Option<Hint> {
    let source = catalog.sources().get(tagged.source)?;
    let tags = tagged.tags.iter().filter_map(|at| source.tags.get(*at)).map(|tag| tag.trim().to_owned()).collect();
    Some(Hint { id: source.id.clone(), tags, ranges: tagged.ranges })
}
