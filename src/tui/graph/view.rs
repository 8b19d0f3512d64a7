//! The layout of the graph: tabs at the top, then the rows of one tab, then a rule and the source under the
//! cursor. Mouse handling uses the same areas.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{GraphTab, details, level_view, list_view};
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::pane_view::draw_lines;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::row::Active;
use crate::tui::widgets::tabs::{self, Tabs};
use crate::tui::widgets::{cells, frame};

/// The minimum height for showing details.
const WITH_DETAILS: u16 = 9;
const DETAILS: u16 = 7;

#[derive(Debug, Clone, Copy, Default)]
pub struct GraphLayout {
    pub tabs: Rect,
    /// Headings, the filter, or the centre with the headings of the levels.
    pub head: Rect,
    pub list: Rect,
    pub rule: Rect,
    pub detail: Rect,
}

pub fn places(state: &State) -> GraphLayout {
    let inner = layout::inner(state.layout().body);
    let detail = if inner.height >= WITH_DETAILS { DETAILS.min(inner.height / 3) } else { 0 };
    let head = match state.graph.tab {
        GraphTab::Neighbours => 2,
        GraphTab::Map | GraphTab::Hubs | GraphTab::Orphans => 1,
        _ => 0,
    };
    let rule = u16::from(detail > 0);
    let list = inner.height.saturating_sub(1 + head + rule + detail);
    let [tabs, head, list, rule, detail] = layout::stacked(inner, [1, head, list, rule, detail]);
    GraphLayout { tabs, head, list, rule, detail }
}

/// The number of visible rows in a list or level.
pub fn page(state: &State) -> usize {
    usize::from(places(state).list.height).max(1)
}

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let tab = state.graph.tab;
    let places = places(state);
    let (role, theme) = (ThemeRole::Catalog, &state.skin.theme);
    let active = if state.window.is_none() { Active::Yes } else { Active::No };
    let border = PaneBorder { title: "Graph", note: note(state), place: position(state, tab), role, active };
    border.draw(&state.skin, state.layout().body, frame.buffer_mut());
    tabs(state).draw(theme, frame.buffer_mut());
    if state.graph.analysis.is_none() {
        let sentence = "following the mentions of all documents";
        crate::tui::pane_view::draw_empty(state, sentence, places.list, frame.buffer_mut());
        return;
    }
    let is_filtered = state.graph.is_filtered();
    let typing = state.is_filtering(FilteredList::Graph);
    if typing || is_filtered {
        let all = state.graph.count(tab).unwrap_or(0);
        let line =
            FilterLine { filter: &state.graph.filter, typing, fault: None, kept: (state.graph.rows.len(), all), role };
        line.draw(&state.skin, places.head, frame);
    }
    let buffer = frame.buffer_mut();
    match tab {
        GraphTab::Neighbours => level_view::draw(state, &places, buffer),
        _ => list_view::draw(state, tab, &places, is_filtered || state.typing.is_some(), buffer),
    }
    frame::rule(&state.skin, places.rule, details::caption(state), theme.style(ThemeRole::Infra), buffer);
    let lines = details::lines(state, places.detail.width.saturating_sub(2), usize::from(places.detail.height));
    draw_lines(&lines, places.detail, buffer);
}

fn note(state: &State) -> String {
    match &state.graph.marked {
        Some(marked) => format!("path from @{}", cells::clean(marked.as_str())),
        None => String::new(),
    }
}

fn position(state: &State, tab: GraphTab) -> String {
    match tab {
        GraphTab::Neighbours => String::new(),
        // The cursor is never on a heading.
        _ => {
            let (rows, at) = (&state.graph.rows, state.graph.cursor.at);
            let headings = |until: usize| rows.iter().take(until).filter(|row| row.is_heading()).count();
            frame::position(at - headings(at), rows.len() - headings(rows.len()))
        }
    }
}

fn tabs(state: &State) -> Tabs<GraphTab> {
    let (line, current) = (places(state).tabs, state.graph.tab);
    let title = |tab: GraphTab, counted: bool| {
        let count = state.graph.count(tab).filter(|_| counted);
        count.map_or(tab.word().to_owned(), |count| format!("{} {}", tab.word(), cells::grouped(count)))
    };
    let all = |counted| GraphTab::ALL.map(|tab| (tab, title(tab, counted)));
    let room = usize::from(line.width);
    let fitting = [true, false].map(all).into_iter().find(|titles| tabs::columns(titles) <= room);
    // Without room for all tabs, only the current one is labelled.
    let alone = || {
        let nth = GraphTab::ALL.iter().position(|tab| *tab == current).unwrap_or_default() + 1;
        vec![(current, format!("{}, {nth} of {}", title(current, true), GraphTab::ALL.len()))]
    };
    let shown = fitting.map_or_else(alone, Vec::from);
    Tabs::new(shown, current, line)
}

pub fn tab_at(state: &State, at: Position) -> Option<GraphTab> {
    tabs(state).at(at)
}

pub fn row_at(state: &State, at: Position) -> Option<(isize, usize)> {
    let places = places(state);
    if state.graph.tab == GraphTab::Neighbours {
        return level_view::row_at(state, &places, at);
    }
    Some((0, state.graph.cursor.row_at(places.list, state.graph.rows.len(), at)?))
}
