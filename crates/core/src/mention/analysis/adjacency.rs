//! The mention graph by positions in a catalog, in both directions: the basis of every computation over the whole
//! graph. All mentions of one source in the text of another form one edge.

use super::super::Mention;
use super::super::graph::{MentionGraph, Positions};
use crate::catalog::Catalog;
use refdesk_text::number::{narrow, wide};

/// Which sources mention which others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Adjacency {
    edges: Vec<MentionEdge>,
    /// The end of each source's range in `edges`; the first range begins at 0.
    edge_ends: Vec<u32>,
    mentioning: Vec<u32>,
    /// The same for `mentioning`.
    mentioning_ends: Vec<u32>,
}

/// All mentions of one source in the text of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MentionEdge {
    /// The position of the mentioned source in the catalog.
    pub to: u32,
    /// The number of mentions.
    pub count: u32,
    /// The number of the first one among all mentions in the text.
    first: u32,
}

impl Adjacency {
    /// Builds the edges between sources of this catalog. A source's mentions of itself are left out.
    pub fn of(catalog: &Catalog, graph: &MentionGraph) -> Self {
        let mut positions = Positions::new(catalog);
        let mut made = Self::default();
        let mut found: Vec<(u32, u32)> = Vec::new();
        for (at, source) in catalog.sources().iter().enumerate() {
            found.clear();
            positions.each_with_number(graph, source.id.as_str(), |nth, to| {
                if to != at {
                    found.push((narrow(to), narrow(nth)));
                }
            });
            found.sort_unstable();
            made.edges.extend(found.chunk_by(|one, other| one.0 == other.0).filter_map(|same| {
                let (to, first) = *same.first()?;
                Some(MentionEdge { to, count: narrow(same.len()), first })
            }));
            made.edge_ends.push(narrow(made.edges.len()));
        }
        made.reverse();
        made
    }

    fn reverse(&mut self) {
        let mut ends = vec![0; self.len()];
        for edge in &self.edges {
            ends.get_mut(wide(edge.to)).into_iter().for_each(|count: &mut u32| *count += 1);
        }
        let mut sum = 0;
        for end in &mut ends {
            (sum, *end) = (sum + *end, sum);
        }
        // While the ranges are being filled, each end is the end of the part filled so far.
        self.mentioning = vec![0; self.edges.len()];
        for from in 0..self.len() {
            let range = range(&self.edge_ends, from);
            for edge in self.edges.get(range).unwrap_or_default() {
                let Some(end) = ends.get_mut(wide(edge.to)) else { continue };
                self.mentioning.get_mut(wide(*end)).into_iter().for_each(|place| *place = narrow(from));
                *end += 1;
            }
        }
        self.mentioning_ends = ends;
    }

    /// The number of sources.
    pub fn len(&self) -> usize {
        self.edge_ends.len()
    }

    /// Whether there are no sources.
    pub fn is_empty(&self) -> bool {
        self.edge_ends.is_empty()
    }

    /// The sources that the source at this position mentions, in catalog order.
    pub fn mentioned(&self, at: usize) -> &[MentionEdge] {
        self.edges.get(range(&self.edge_ends, at)).unwrap_or_default()
    }

    /// The positions of the sources that mention the source at this position, in catalog order.
    pub fn mentioning(&self, at: usize) -> &[u32] {
        self.mentioning.get(range(&self.mentioning_ends, at)).unwrap_or_default()
    }

    /// The mentions of `to` in the text of `from`, if any.
    pub fn edge(&self, from: usize, to: usize) -> Option<&MentionEdge> {
        let edges = self.mentioned(from);
        edges.binary_search_by_key(&to, |edge| wide(edge.to)).ok().and_then(|at| edges.get(at))
    }

    /// The first mention of `to` in the text of `from`. Requires the catalog and graph that this was built from.
    pub fn first_mention(&self, catalog: &Catalog, graph: &MentionGraph, from: usize, to: usize) -> Option<Mention> {
        let edge = self.edge(from, to)?;
        let source = catalog.sources().get(from)?;
        let mention = graph.nth(source.id.as_str(), wide(edge.first))?;
        (catalog.position(mention.to.as_str()) == Some(to)).then_some(mention)
    }
}

fn range(ends: &[u32], at: usize) -> std::ops::Range<usize> {
    let start = at.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    wide(start)..ends.get(at).map_or(wide(start), |end| wide(*end))
}
