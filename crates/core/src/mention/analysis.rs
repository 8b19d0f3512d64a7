//! Computations over the whole mention graph: connections, cycles, shortest paths, and how much a pick of each source
//! would pull in. Pure, and fast enough for tens of thousands of sources.

mod adjacency;
mod components;
#[cfg(test)]
mod laws;
mod layers;
mod walk;
mod weight;

pub use adjacency::{Adjacency, MentionEdge};
use components::cycles;
pub use layers::layers;
pub use walk::{Direction, levels, shortest_path};
pub use weight::ClosureWeight;
use weight::{SourceWeight, weights};

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::MentionGraph;
use crate::catalog::{Catalog, Mode, Source, SourceId};
use crate::selection::{ExpansionRules, MAX_TRANSITIVE_DEPTH};

/// A source that at least this many others mention is a hub.
pub const MENTIONS_OF_A_HUB: usize = 3;
/// At most one in this many sources is a hub.
const ONE_IN: usize = 10;
/// The most hubs of a small catalog.
const MIN_HUBS: usize = 10;

/// The mention graph of a whole catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GraphAnalysis {
    /// The catalog that positions refer to.
    pub catalog: Arc<Catalog>,
    /// The graph that was analysed.
    pub graph: Arc<MentionGraph>,
    /// Which sources mention which others.
    pub adjacency: Adjacency,
    /// Groups of sources that mention each other, directly or through others; largest first.
    pub cycles: Vec<Vec<usize>>,
    /// For each source, what picking only it would pull in.
    pub weights: Vec<ClosureWeight>,
}

impl GraphAnalysis {
    /// Analyses this graph. `tokens` are the known prices; `exclusions` are the ids that nothing may pull in. Sources
    /// of mode auto do not count, because the instructions contain them anyway.
    pub fn of(
        catalog: Arc<Catalog>,
        graph: Arc<MentionGraph>,
        tokens: &HashMap<SourceId, u64>,
        exclusions: &[String],
        rules: ExpansionRules,
    ) -> Self {
        let adjacency = Adjacency::of(&catalog, &graph);
        let cycles = cycles(&adjacency);
        let mut sources: Vec<SourceWeight> = catalog
            .sources()
            .iter()
            .map(|source| SourceWeight {
                tokens: tokens.get(source.id.as_str()).copied().unwrap_or(0),
                counts: source.mode != Mode::Auto,
                excluded: false,
            })
            .collect();
        for at in exclusions.iter().filter_map(|id| catalog.position(id)) {
            sources.get_mut(at).into_iter().for_each(|source| source.excluded = true);
        }
        let depth = if rules.transitive { MAX_TRANSITIVE_DEPTH } else { 0 };
        let weights = weights(&adjacency, &sources, depth);
        Self { catalog, graph, adjacency, cycles, weights }
    }

    /// The sources that many others mention, most mentioned first: at most a tenth of the catalog, or ten.
    pub fn hubs(&self) -> Vec<usize> {
        let by = |at: usize| self.adjacency.mentioning(at).len();
        let mut hubs: Vec<usize> = (0..self.adjacency.len()).filter(|at| by(*at) >= MENTIONS_OF_A_HUB).collect();
        hubs.sort_by_key(|at| (Reverse(by(*at)), *at));
        hubs.truncate((self.adjacency.len() / ONE_IN).max(MIN_HUBS));
        hubs
    }

    /// The sources without mentions in either direction.
    pub fn orphans(&self) -> impl Iterator<Item = usize> + '_ {
        let is_alone =
            |at: &usize| self.adjacency.mentioning(*at).is_empty() && self.adjacency.mentioned(*at).is_empty();
        (0..self.adjacency.len()).filter(is_alone)
    }

    /// The cost of picking each source together with everything it pulls in, highest first. Unknown prices count as 0.
    pub fn by_cost(&self, tokens: &HashMap<SourceId, u64>) -> Vec<(u64, usize)> {
        let sources = self.catalog.sources().iter().zip(&self.weights).enumerate();
        let cost = |source: &Source, weight: &ClosureWeight| {
            tokens.get(&source.id).copied().unwrap_or(0).saturating_add(weight.tokens)
        };
        let mut costs: Vec<(u64, usize)> = sources.map(|(at, (source, weight))| (cost(source, weight), at)).collect();
        costs.sort_by_key(|(cost, at)| (Reverse(*cost), *at));
        costs
    }
}
