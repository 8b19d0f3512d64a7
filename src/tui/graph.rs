//! The mention graph, which replaces the panes: the neighbourhood of a source level by level, the whole
//! catalog with the cost of each pick, hubs, cycles, orphans, broken links, and the paths between two
//! sources. The engine computes everything that needs the whole graph; this module only turns it into rows.

mod details;
pub mod disabled;
pub mod export;
mod level;
mod level_view;
mod list_view;
mod rows;
pub mod update;
pub mod view;

use std::sync::Arc;

use refdesk_core::catalog::{Catalog, Source, SourceId};
use refdesk_core::mention::MentionGraph;
use refdesk_core::mention::analysis::{ClosureWeight, GraphAnalysis};
use refdesk_core::selection::Selection;
use refdesk_text::report::Diagnostic;

use crate::tui::state::State;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use level::Level;
pub use rows::GraphRow;

refdesk_text::worded_enum! {
    #[derive(Default)]
    pub enum GraphTab {
        /// One source with what it mentions and what mentions it.
        #[default]
        Neighbours = "Neighbours",
        /// Every source with what a pick of it would add, the most expensive first.
        Map = "Map",
        /// The most mentioned sources.
        Hubs = "Hubs",
        /// Sources that mention each other in a circle.
        Cycles = "Cycles",
        /// Sources without mentions in either direction.
        Orphans = "Orphans",
        BrokenLinks = "Broken links",
        /// The paths between the marked source and another.
        Path = "Path",
    }
}

impl GraphTab {
    pub fn has_filter(self) -> bool {
        matches!(self, Self::Map | Self::Hubs | Self::Orphans)
    }

    fn index(self) -> usize {
        Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0)
    }
}

/// The inputs of an analysis, to detect that it is outdated.
#[derive(Debug, Clone)]
struct AnalysedValues {
    catalog: Arc<Catalog>,
    graph: Arc<MentionGraph>,
    tokens: Arc<std::collections::HashMap<SourceId, u64>>,
    selection: Arc<Selection>,
}

/// A place in the graph to return to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphPlace {
    pub tab: GraphTab,
    pub centre: Option<SourceId>,
    /// Start and end of the path.
    path: (Option<SourceId>, Option<SourceId>),
    /// The source under the cursor.
    subject: Option<SourceId>,
}

impl GraphPlace {
    /// The ids it consists of, in the order of [`Self::from_parts`].
    pub fn parts(self) -> [Option<String>; 4] {
        let (start, end) = self.path;
        [self.centre, self.subject, start, end].map(|id| id.map(|id| id.as_str().to_owned()))
    }

    pub fn from_parts(tab: GraphTab, parts: [Option<String>; 4]) -> Self {
        let [centre, subject, start, end] = parts.map(|id| id.map(SourceId::from));
        Self { tab, centre, path: (start, end), subject }
    }
}

#[derive(Debug, Clone, Default)]
pub struct GraphView {
    pub tab: GraphTab,
    /// The engine's latest answer; dropped when the user leaves the graph, because it is large.
    pub analysis: Option<Arc<GraphAnalysis>>,
    asked: Option<AnalysedValues>,
    /// The source at the centre of the neighbourhood.
    pub centre: Option<SourceId>,
    /// The earlier centres, most recent last.
    before: Vec<SourceId>,
    /// The start of the path.
    pub marked: Option<SourceId>,
    /// The end of the path.
    target: Option<SourceId>,
    /// What mentions the centre and what it mentions, grouped by distance, from left to right.
    levels: Vec<Level>,
    /// The distance of the level under the cursor; 0 is the centre.
    level: isize,
    /// The rows of the current tab, unless it is `Neighbours`.
    pub rows: Vec<GraphRow>,
    /// The cost of picking the most expensive source.
    heaviest: u64,
    /// The unfiltered number of rows of each tab, unless it depends on the cursor.
    counts: [Option<usize>; GraphTab::ALL.len()],
    /// Where to put the cursor once the analysis arrives.
    stay: Option<SourceId>,
    pub cursor: Cursor,
    pub filter: TextField,
}

impl GraphView {
    /// Whether the filter hides any rows.
    pub fn is_filtered(&self) -> bool {
        self.tab.has_filter() && !self.filter.is_empty()
    }

    /// Leaves the graph; only the mark is kept.
    pub fn close(&mut self) {
        *self = Self { marked: self.marked.take(), ..Self::default() };
    }

    pub fn place(&self) -> GraphPlace {
        let under_cursor = self.position().and_then(|at| self.id(at));
        GraphPlace {
            tab: self.tab,
            centre: self.centre.clone(),
            path: (self.marked.clone(), self.target.clone()),
            subject: self.stay.as_ref().or(under_cursor).cloned(),
        }
    }

    /// The unfiltered number of rows of this tab.
    fn count(&self, tab: GraphTab) -> Option<usize> {
        self.counts.get(tab.index()).copied().flatten()
    }

    /// The position of the source under the cursor.
    pub fn position(&self) -> Option<usize> {
        match self.tab {
            GraphTab::Neighbours if self.level == 0 => self.at(self.centre.as_ref()?),
            GraphTab::Neighbours => self.levels.iter().find(|level| level.distance == self.level)?.current(),
            _ => self.rows.get(self.cursor.at)?.position(),
        }
    }

    /// The position of this source in the analysed catalog.
    fn at(&self, id: &SourceId) -> Option<usize> {
        self.analysis.as_ref()?.catalog.position(id.as_str())
    }

    fn source(&self, at: usize) -> Option<&Source> {
        self.analysis.as_ref()?.catalog.sources().get(at)
    }

    fn id(&self, at: usize) -> Option<&SourceId> {
        self.source(at).map(|source| &source.id)
    }

    fn weight(&self, at: usize) -> ClosureWeight {
        self.analysis.as_ref().and_then(|analysis| analysis.weights.get(at)).copied().unwrap_or_default()
    }
}

impl State {
    /// The source under the cursor of the graph.
    pub fn in_graph(&self) -> Option<&str> {
        let row = self.graph.rows.get(self.graph.cursor.at).filter(|_| self.graph.tab != GraphTab::Neighbours);
        if let Some(GraphRow::Problem(nth)) = row {
            return self.snapshot.diagnostics.get(*nth)?.source_id.as_deref();
        }
        self.graph.id(self.graph.position()?).map(SourceId::as_str)
    }

    pub fn in_broken_links(&self) -> bool {
        self.graph.tab == GraphTab::BrokenLinks
    }

    /// The broken link under the cursor of the graph.
    fn broken_link(&self) -> Option<&Diagnostic> {
        match self.graph.rows.get(self.graph.cursor.at)? {
            GraphRow::Problem(nth) if self.in_broken_links() => self.snapshot.diagnostics.get(*nth),
            _ => None,
        }
    }
}
