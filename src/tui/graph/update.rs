//! Opens the graph, moves the cursor, and asks the engine for a new analysis whenever its inputs change.

use std::sync::Arc;

use ratatui::layout::Position;

use refdesk_core::catalog::SourceId;
use refdesk_core::mention::Mention;
use refdesk_core::mention::analysis::GraphAnalysis;
use refdesk_desk::FileLine;
use refdesk_desk::engine::Request;

use super::level::{self, Level};
use super::{AnalysedValues, GraphPlace, GraphTab, export, rows, view};
use crate::tui::action::Action;
use crate::tui::feed::target;
use crate::tui::filtering::{self, FilteredList};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::update;
use crate::tui::views::{self, View};
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::{Cursor, Motion};
use crate::tui::windows::Handled;

/// The maximum length of `before`.
const REMEMBERED: usize = 100;

/// Performs the graph's own actions; actions that open something else leave the graph.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
    match action {
        Action::Back if state.graph.is_filtered() => filtering::clear(state, FilteredList::Graph),
        Action::Back => views::leave(state),
        Action::Move(motion) => step(state, motion, 1),
        Action::NextTab => show(state, state.graph.tab.after(1)),
        Action::PreviousTab => show(state, state.graph.tab.after(GraphTab::ALL.len() - 1)),
        Action::NextLevel => to_level(state, 1),
        Action::PreviousLevel => to_level(state, -1),
        Action::Centre => {
            if let Some(id) = state.in_graph().map(SourceId::from) {
                centre_on(state, id);
            }
        }
        Action::PreviousCentre => {
            if let Some(id) = state.graph.before.pop() {
                state.graph.centre = Some(id);
                show(state, GraphTab::Neighbours);
            }
        }
        Action::MarkStart => {
            if let Some(id) = state.in_graph().map(SourceId::from) {
                let path = state.key(Action::PathBetween);
                state.note(format!("marked @{id}: {path} on another source shows the path between them"));
                state.graph.marked = Some(id);
            }
        }
        Action::PathBetween => {
            state.graph.target = state.in_graph().map(SourceId::from);
            show(state, GraphTab::Path);
        }
        Action::OpenWhere => {
            if let Ok(spot) = spot(state) {
                effects.push(Effect::Edit(spot));
            }
        }
        Action::CopyExport => {
            let command = export::command(state);
            let shown = cells::clean(&command);
            state.note(format!("copied {shown}: run it in a shell (--dot and --mermaid print other formats)"));
            effects.push(Effect::Copy(command));
        }
        _ => return Handled::Ignored,
    }
    Handled::Consumed
}

/// After an edit of the filter: moves the cursor to the first row.
pub fn filter(state: &mut State) {
    state.graph.cursor = Cursor::default();
    state.graph.rows = Vec::new();
    rebuild(state);
}

/// Opens the graph at this source, or at the map.
pub fn opened(state: &mut State, subject: Option<SourceId>) {
    let known = subject.filter(|id| state.snapshot.catalog.get(id.as_str()).is_some());
    state.graph.tab = if known.is_some() { GraphTab::Neighbours } else { GraphTab::Map };
    state.graph.centre = known;
}

pub fn open_at(state: &mut State, place: GraphPlace) {
    state.show(View::Graph);
    let graph = &mut state.graph;
    graph.centre = place.centre;
    graph.target = place.path.1;
    graph.marked = place.path.0.or(graph.marked.take());
    let has_no_centre = graph.centre.is_none() && place.tab == GraphTab::Neighbours;
    show(state, if has_no_centre { GraphTab::Map } else { place.tab });
    state.graph.stay = place.subject;
    rebuild(state);
}

fn centre_on(state: &mut State, id: SourceId) {
    if state.graph.centre.as_ref() != Some(&id) {
        state.graph.before.extend(state.graph.centre.replace(id));
        let more = state.graph.before.len().saturating_sub(REMEMBERED);
        state.graph.before.drain(..more);
    }
    show(state, GraphTab::Neighbours);
}

/// Shows this tab from the top.
fn show(state: &mut State, tab: GraphTab) {
    state.graph.tab = tab;
    state.graph.cursor = Cursor::default();
    state.graph.level = 0;
    state.graph.levels = Vec::new();
    state.graph.rows = Vec::new();
    rebuild(state);
}

/// Recomputes the rows; cursors stay on their sources.
pub fn rebuild(state: &mut State) {
    let tab = state.graph.tab;
    if state.graph.analysis.is_none() {
        return;
    }
    let awaited = state.graph.stay.take();
    let stay = awaited.as_ref().and_then(|id| state.graph.at(id)).or(state.graph.position());
    let is_found = if tab == GraphTab::Neighbours {
        state.graph.rows = Vec::new();
        rebuild_levels(state, stay, awaited.is_some())
    } else {
        let rows = rows::of(state, tab);
        let row = rows.iter().position(|row| row.position().is_some() && row.position() == stay);
        state.graph.cursor.at = row.unwrap_or(state.graph.cursor.at);
        state.graph.rows = rows;
        skip_heading(state, Motion::Down);
        row.is_some()
    };
    // While documents are being read, the source may get a row later.
    if !is_found && state.snapshot.loading.is_some() {
        state.graph.stay = awaited;
    }
}

/// Returns whether a level contains the source that the cursor was to move to.
fn rebuild_levels(state: &mut State, stay: Option<usize>, is_awaited: bool) -> bool {
    let graph = &mut state.graph;
    let (Some(analysis), Some(centre)) = (&graph.analysis, &graph.centre) else { return false };
    let Some(centre) = analysis.catalog.position(centre.as_str()) else {
        graph.levels = Vec::new();
        graph.level = 0;
        return false;
    };
    let old = std::mem::replace(&mut graph.levels, level::around(analysis, centre));
    for level in &mut graph.levels {
        let before = old.iter().find(|old| old.distance == level.distance);
        let stay = before.and_then(Level::current).and_then(|at| level.sources.binary_search(&at).ok());
        level.cursor = before.map(|before| before.cursor).unwrap_or_default();
        level.cursor.at = stay.unwrap_or(level.cursor.at);
    }
    if !graph.levels.iter().any(|level| level.distance == graph.level && !level.sources.is_empty()) {
        graph.level = 0;
    }
    // On first display, move to the level that contains the source.
    let row = |level: &Level| level.sources.binary_search(&stay?).ok();
    let is_first = is_awaited || old.is_empty();
    let found = graph.levels.iter_mut().filter(|_| is_first).find_map(|level| Some((row(level)?, level)));
    let Some((row, level)) = found else { return false };
    level.cursor.at = row;
    graph.level = level.distance;
    true
}

/// Moves to the next nonempty level on this side, passing the centre.
fn to_level(state: &mut State, by: isize) {
    let graph = &mut state.graph;
    graph.stay = None;
    if graph.tab != GraphTab::Neighbours {
        return;
    }
    let next = graph.level + by;
    let has_sources = |distance: isize| {
        distance == 0 || graph.levels.iter().any(|level| level.distance == distance && !level.sources.is_empty())
    };
    if has_sources(next) {
        graph.level = next;
    }
}

pub fn step(state: &mut State, motion: Motion, times: usize) {
    state.graph.stay = None;
    for _ in 0..times {
        if state.graph.tab == GraphTab::Neighbours {
            step_in_level(state, motion);
            continue;
        }
        let (len, page) = (state.graph.rows.len(), view::page(state));
        state.graph.cursor.step(motion, len, page);
        skip_heading(state, motion);
    }
}

/// From the centre, down moves to what it mentions, or if nothing, to what mentions it.
fn step_in_level(state: &mut State, motion: Motion) {
    let page = view::page(state);
    let graph = &mut state.graph;
    if graph.level == 0 {
        let has_sources = |side: isize| {
            graph.levels.iter().any(|level| level.distance == side && !level.sources.is_empty()).then_some(side)
        };
        if matches!(motion, Motion::Down | Motion::HalfDown | Motion::PageDown | Motion::Bottom) {
            graph.level = has_sources(1).or_else(|| has_sources(-1)).unwrap_or(0);
        }
        return;
    }
    let (at, level) = (graph.level, graph.levels.iter_mut().find(|level| level.distance == graph.level));
    let Some(level) = level else { return };
    // Up from the first row moves to the centre.
    if level.cursor.at == 0 && motion == Motion::Up && at.abs() == 1 {
        graph.level = 0;
        return;
    }
    level.cursor.step(motion, level.sources.len(), page);
}

/// Skips a heading: downwards, or upwards if there is a row above it.
fn skip_heading(state: &mut State, motion: Motion) {
    let (len, page) = (state.graph.rows.len(), view::page(state));
    let graph = &mut state.graph;
    let is_heading = |at: usize| graph.rows.get(at).is_some_and(rows::GraphRow::is_heading);
    let up = matches!(motion, Motion::Up | Motion::HalfUp | Motion::PageUp);
    let mut at = graph.cursor.at;
    while is_heading(at) {
        match at.checked_sub(1).filter(|_| up && (0..at).any(|before| !is_heading(before))) {
            Some(before) => at = before,
            None if (at + 1..len).any(|after| !is_heading(after)) => at += 1,
            None => break,
        }
        if !up && at + 1 >= len {
            break;
        }
    }
    graph.cursor.at = at;
    graph.cursor.clamp(len, page);
    // Keep the heading above the first row visible.
    if graph.cursor.top > 0 && graph.cursor.top == graph.cursor.at && is_heading(graph.cursor.top - 1) && page > 1 {
        graph.cursor.top -= 1;
    }
}

/// Runs after every input: requests an analysis if the current one may be outdated, and clamps the cursors.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    if state.view != View::Graph {
        return;
    }
    let snapshot = &state.snapshot;
    let is_current = state.graph.asked.as_ref().is_some_and(|asked| {
        Arc::ptr_eq(&asked.catalog, &snapshot.catalog)
            && Arc::ptr_eq(&asked.graph, &snapshot.graph)
            && Arc::ptr_eq(&asked.tokens, &snapshot.tokens)
            && asked.selection.excluded() == snapshot.selection.excluded()
    });
    if !is_current {
        state.graph.asked = Some(AnalysedValues {
            catalog: snapshot.catalog.clone(),
            graph: snapshot.graph.clone(),
            tokens: snapshot.tokens.clone(),
            selection: snapshot.selection.clone(),
        });
        effects.push(Effect::Ask(Request::AnalyseGraph));
    }
    let page = view::page(state);
    for level in &mut state.graph.levels {
        level.cursor.clamp(level.sources.len(), page);
    }
    let len = state.graph.rows.len();
    state.graph.cursor.clamp(len, page);
}

/// After a snapshot: the filter may depend on source states, and problems are rows.
pub fn snapshot_changed(state: &mut State) {
    if state.view != View::Graph {
        return;
    }
    let catalog = &state.snapshot.catalog;
    if state.graph.analysis.as_ref().is_some_and(|it| !Arc::ptr_eq(&it.catalog, catalog)) {
        // Positions refer to the old catalog, so remember the source by id.
        state.graph.stay = state.graph.stay.take().or_else(|| state.in_graph().map(SourceId::from));
        state.graph.levels = Vec::new();
        state.graph.rows = Vec::new();
        state.graph.analysis = None;
    }
    count(state);
    rebuild(state);
}

/// Counts the rows of all tabs, once per change.
fn count(state: &mut State) {
    state.graph.counts = GraphTab::ALL.map(|tab| rows::count(state, tab));
    let by_cost = state.graph.analysis.as_ref().map(|analysis| analysis.by_cost(&state.snapshot.tokens));
    state.graph.heaviest = by_cost.as_deref().and_then(<[_]>::first).map_or(0, |(cost, _)| *cost);
}

/// Handles the engine's answer. An answer about another catalog is outdated, and a newer one will follow.
pub fn analysed(state: &mut State, analysis: Arc<GraphAnalysis>) {
    if state.view != View::Graph || analysis.catalog != state.snapshot.catalog {
        return;
    }
    state.graph.analysis = Some(analysis);
    count(state);
    rebuild(state);
}

/// The first mention that explains the row under the cursor.
pub fn mention(state: &State) -> Option<Mention> {
    let (analysis, (from, to)) = (state.graph.analysis.as_ref()?, level::pairs(&state.graph).next()?);
    analysis.adjacency.first_mention(&analysis.catalog, &analysis.graph, from, to)
}

/// The file and line that the row under the cursor refers to.
pub fn spot(state: &State) -> Result<FileLine, String> {
    if let Some(problem) = state.broken_link() {
        return state.snapshot.spot(problem).ok_or_else(|| "this problem is not in a single file".to_owned());
    }
    let mention = mention(state).ok_or_else(|| "this row is not a single mention".to_owned())?;
    target::in_file(state, &mention)
        .ok_or_else(|| format!("the mention is in the inline text of @{}, not in a file", mention.from))
}

/// A click moves the cursor to a row; a click on the row under the cursor makes its source the centre.
pub fn click(state: &mut State, at: Position, effects: &mut Vec<Effect>) {
    if let Some(tab) = view::tab_at(state, at) {
        return show(state, tab);
    }
    let Some((level, row)) = view::row_at(state, at) else { return };
    let before = (state.graph.level, state.graph.position());
    state.graph.stay = None;
    if state.graph.tab == GraphTab::Neighbours {
        state.graph.level = level;
        let level = state.graph.levels.iter_mut().find(|it| it.distance == level);
        level.into_iter().for_each(|level| level.cursor.at = row);
    } else {
        state.graph.cursor.at = row;
        skip_heading(state, Motion::Down);
    }
    if (state.graph.level, state.graph.position()) == before {
        update::act(state, Action::Centre, effects);
    }
}

pub fn wheel(state: &mut State, motion: Motion, rows: usize) {
    let page = view::page(state);
    let graph = &mut state.graph;
    if graph.tab == GraphTab::Neighbours {
        let level = graph.levels.iter_mut().find(|level| level.distance == graph.level);
        level.into_iter().for_each(|level| level.cursor.scroll(motion, rows, level.sources.len(), page));
        return;
    }
    let len = graph.rows.len();
    graph.cursor.scroll(motion, rows, len, page);
    skip_heading(state, motion);
}
