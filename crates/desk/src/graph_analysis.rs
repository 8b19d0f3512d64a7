//! Analyses the whole mention graph. With many sources that takes a while, so it needs nothing of the desk once it began.

use super::Desk;
use refdesk_core::mention::analysis::GraphAnalysis;

impl Desk {
    /// Analyses the mentions read so far when it is called, on whatever thread.
    pub(crate) fn graph_analysis(&self) -> impl FnOnce() -> GraphAnalysis + Send + 'static {
        let (catalog, graph, tokens) = (self.catalog.clone(), self.graph.clone(), self.tokens.clone());
        let (exclusions, rules) = (self.choice.exclusions.clone(), self.rules());
        move || GraphAnalysis::of(catalog, graph, &tokens, &exclusions, rules)
    }
}
