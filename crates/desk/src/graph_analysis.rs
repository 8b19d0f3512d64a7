//! Analyses the whole mention graph. With many sources this takes a while, so the analysis does not borrow the desk.

use super::Desk;
use refdesk_core::mention::analysis::GraphAnalysis;

impl Desk {
    /// Returns a function that analyses the mentions read so far and can run on any thread.
    pub(crate) fn graph_analysis(&self) -> impl FnOnce() -> GraphAnalysis + Send + 'static {
        let (catalog, graph, tokens) = (self.catalog.clone(), self.graph.clone(), self.tokens.clone());
        let (exclusions, rules) = (self.choice.exclusions.clone(), self.rules());
        move || GraphAnalysis::of(catalog, graph, &tokens, &exclusions, rules)
    }
}
