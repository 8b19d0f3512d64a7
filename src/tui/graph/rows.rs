//! The rows of the lists, recomputed only when their inputs change.

use refdesk_core::mention::analysis::{GraphAnalysis, shortest_path};
use refdesk_text::Code;

use super::{GraphTab, GraphView};
use crate::tui::filter::{Haystack, Query, apply};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::widgets::cells;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GraphRow {
    /// A heading for the rows below it.
    Heading(String),
    /// A source, by its position.
    Source(usize),
    /// A source and the number of its mentions.
    Hub(usize, usize),
    /// A step of a path, and the previous source, which mentions it.
    Step(usize, Option<usize>),
    /// A broken link, as an index into the problems.
    Problem(usize),
}

impl GraphRow {
    /// The catalog position of the row's source.
    pub fn position(&self) -> Option<usize> {
        match self {
            Self::Source(at) | Self::Hub(at, _) | Self::Step(at, _) => Some(*at),
            Self::Heading(_) | Self::Problem(_) => None,
        }
    }

    pub fn is_heading(&self) -> bool {
        matches!(self, Self::Heading(_))
    }
}

/// Its own price, if known.
pub fn own(state: &State, at: usize) -> Option<u64> {
    state.snapshot.tokens.get(state.graph.id(at)?).copied()
}

/// The source's own price if known, or a note that it needs approval.
pub fn price(state: &State, at: usize) -> String {
    let waits = || state.graph.id(at).is_some_and(|id| source_state::waits(&state.snapshot, id.as_str()));
    let unknown = || if waits() { source_state::UNTRUSTED } else { "" };
    own(state, at).map_or_else(|| unknown().to_owned(), cells::tokens)
}

/// The unfiltered number of rows of this tab; `None` if it depends on the cursor.
pub fn count(state: &State, tab: GraphTab) -> Option<usize> {
    let analysis = state.graph.analysis.as_ref()?;
    match tab {
        GraphTab::Neighbours | GraphTab::Path => None,
        GraphTab::Map => Some(analysis.catalog.len()),
        GraphTab::Hubs => Some(analysis.hubs().len()),
        GraphTab::Cycles => Some(analysis.cycles.len()),
        GraphTab::Orphans => Some(analysis.orphans().count()),
        GraphTab::BrokenLinks => Some(broken(state).count()),
    }
}

fn broken(state: &State) -> impl Iterator<Item = usize> + '_ {
    let all = state.snapshot.diagnostics.iter().enumerate();
    all.filter(|(_, problem)| problem.code == Code::BrokenLink).map(|(nth, _)| nth)
}

pub fn of(state: &State, tab: GraphTab) -> Vec<GraphRow> {
    let GraphView { analysis: Some(analysis), .. } = &state.graph else { return Vec::new() };
    match tab {
        GraphTab::Neighbours => Vec::new(),
        GraphTab::Map => {
            let by_cost = analysis.by_cost(&state.snapshot.tokens).into_iter();
            filtered(state, by_cost.map(|(_, at)| GraphRow::Source(at)).collect())
        }
        GraphTab::Hubs => {
            let adjacency = &analysis.adjacency;
            let mentions = |at: usize| -> usize {
                let from = adjacency.mentioning(at).iter();
                from.filter_map(|from| adjacency.edge(*from as usize, at)).map(|edge| edge.count as usize).sum()
            };
            filtered(state, analysis.hubs().into_iter().map(|at| GraphRow::Hub(at, mentions(at))).collect())
        }
        GraphTab::Cycles => analysis.cycles.iter().flat_map(|cycle| in_cycle(state, cycle)).collect(),
        GraphTab::Orphans => filtered(state, analysis.orphans().map(GraphRow::Source).collect()),
        GraphTab::BrokenLinks => broken(state).map(GraphRow::Problem).collect(),
        GraphTab::Path => paths(state, analysis),
    }
}

fn in_cycle(state: &State, cycle: &[usize]) -> Vec<GraphRow> {
    let tokens = cycle.iter().filter_map(|at| own(state, *at)).fold(0, u64::saturating_add);
    let heading = format!(
        "{} mention each other, directly or through others: {} tokens",
        cells::counted(cycle.len(), "source"),
        cells::tokens(tokens)
    );
    let sources = cycle.iter().map(|at| GraphRow::Source(*at));
    std::iter::once(GraphRow::Heading(heading)).chain(sources).collect()
}

fn paths(state: &State, analysis: &GraphAnalysis) -> Vec<GraphRow> {
    let ends = (state.graph.marked.as_ref(), state.graph.target.as_ref());
    let (Some(marked), Some(target)) = ends else { return Vec::new() };
    let (Some(from), Some(to)) = (state.graph.at(marked), state.graph.at(target)) else { return Vec::new() };
    let mut rows = Vec::new();
    for (from, to, ids) in [(from, to, (marked, target)), (to, from, (target, marked))] {
        let path = shortest_path(&analysis.adjacency, from, to);
        let length = match &path {
            Some(path) => cells::counted(path.len().saturating_sub(1), "step"),
            None => "not connected".to_owned(),
        };
        rows.push(GraphRow::Heading(format!("From @{} to @{}: {length}", ids.0, ids.1)));
        let path = path.unwrap_or_default();
        let before = std::iter::once(None).chain(path.iter().copied().map(Some));
        rows.extend(path.iter().zip(before).map(|(at, before)| GraphRow::Step(*at, before)));
    }
    rows
}

/// The rows whose sources match the filter, in the same order.
fn filtered(state: &State, rows: Vec<GraphRow>) -> Vec<GraphRow> {
    let query = Query::parse(state.graph.filter.text());
    if query.is_empty() {
        return rows;
    }
    let catalog = &state.snapshot.catalog;
    let haystack = state.catalog.haystack.clone().unwrap_or_else(|| std::sync::Arc::new(Haystack::of(catalog)));
    let mut is_kept = vec![false; catalog.len()];
    for at in apply(&state.snapshot, &haystack, query, None).rows {
        is_kept.get_mut(at).into_iter().for_each(|kept| *kept = true);
    }
    let matches = |row: &GraphRow| row.position().and_then(|at| is_kept.get(at)).copied().unwrap_or(false);
    rows.into_iter().filter(matches).collect()
}
