//! The lists that can be filtered: which list the filter key applies to, the text field of each, and what
//! happens when its text changes. Each feature's folder decides how its list is filtered.

use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{State, Typing};
use crate::tui::views::View;
use crate::tui::widgets::field::TextField;
use crate::tui::{catalog, databases, feed, graph, requests, selection, templates};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilteredList {
    Catalog,
    Selection,
    Feed,
    Templates,
    /// The sources offered by a request.
    Request,
    Graph,
    /// The tables of the view of databases.
    Tables,
}

impl State {
    /// Whether the user is typing this list's filter.
    pub fn is_filtering(&self, list: FilteredList) -> bool {
        self.typing == Some(Typing::Filter(list))
    }

    pub fn is_typing_filter(&self) -> bool {
        matches!(self.typing, Some(Typing::Filter(_)))
    }

    /// The list in this pane that can be filtered.
    pub fn filtered_list_of(&self, pane: Pane) -> FilteredList {
        match pane {
            Pane::Catalog => FilteredList::Catalog,
            Pane::Selection if self.shown_request().is_some() => FilteredList::Request,
            Pane::Selection => FilteredList::Selection,
            Pane::Hints => FilteredList::Feed,
            Pane::Templates => FilteredList::Templates,
        }
    }

    /// The list that the filter key applies to.
    pub fn filtered_list(&self) -> Option<FilteredList> {
        match (self.view, self.focus) {
            (View::Graph, _) => Some(FilteredList::Graph),
            (View::Databases, _) => Some(FilteredList::Tables),
            (View::Agents, _) => None,
            (View::Panes, Pane::Hints) if !self.in_feed() => None,
            (View::Panes, pane) => Some(self.filtered_list_of(pane)),
        }
    }
}

/// Opens the filter line of the current list.
pub fn open(state: &mut State) {
    let Some(list) = state.filtered_list() else { return };
    match list {
        FilteredList::Catalog | FilteredList::Selection | FilteredList::Templates => state.focus_on(state.focus),
        FilteredList::Feed => feed::update::open(state),
        FilteredList::Request | FilteredList::Graph | FilteredList::Tables => {}
    }
    remember_row(state, list);
    if matches!(list, FilteredList::Catalog | FilteredList::Selection | FilteredList::Graph) {
        catalog::filtered_rows::prepare(state);
    }
    state.typing = Some(Typing::Filter(list));
}

/// Remembers the row under the cursor before the first letter of a filter is typed.
pub fn remember_row(state: &mut State, list: FilteredList) {
    if field(state, list).text().is_empty() {
        let row = match list {
            FilteredList::Catalog => state.subject(Pane::Catalog),
            FilteredList::Selection => state.selected(),
            FilteredList::Templates => state.template().map(|template| template.name.as_str()),
            FilteredList::Feed | FilteredList::Request | FilteredList::Graph | FilteredList::Tables => None,
        };
        state.before_filter = row.map(|row| (list, row.to_owned()));
    }
}

/// The row to move the cursor to after the filter changed, if it is visible: the row whose name was typed in
/// full; without a filter, `stay`, or the remembered row if the filter had matched nothing.
pub fn row_to_show<'a>(
    state: &'a State,
    list: FilteredList,
    filter: &'a TextField,
    stay: Option<&'a str>,
) -> Option<&'a str> {
    let typed = filter.text().trim();
    let before = || state.before_filter.as_ref().filter(|(of, _)| *of == list).map(|(_, row)| row.as_str());
    if typed.is_empty() { stay.or_else(before) } else { Some(typed) }
}

pub fn field(state: &mut State, list: FilteredList) -> &mut TextField {
    match list {
        FilteredList::Catalog => &mut state.catalog.filter,
        FilteredList::Selection => &mut state.selection.filter,
        FilteredList::Feed => &mut state.feed.filter,
        FilteredList::Templates => &mut state.templates.filter,
        FilteredList::Request => &mut state.requests.filter,
        FilteredList::Graph => &mut state.graph.filter,
        FilteredList::Tables => &mut state.databases.filter,
    }
}

/// Applies the filter's text to its list.
pub fn apply(state: &mut State, list: FilteredList, effects: &mut Vec<Effect>) {
    match list {
        FilteredList::Catalog => catalog::filtered_rows::filter(state),
        FilteredList::Selection => selection::filtered_rows::filter(state),
        FilteredList::Feed => state.feed.refilter(),
        FilteredList::Templates => templates::filtered_templates::filter(state),
        FilteredList::Request => requests::update::filter(state),
        FilteredList::Graph => graph::update::filter(state),
        FilteredList::Tables => databases::update::filter(state, effects),
    }
}

/// Clears the filter.
pub fn clear(state: &mut State, list: FilteredList) {
    field(state, list).clear();
    match list {
        // The cursor of the graph stays on its source.
        FilteredList::Graph => graph::update::rebuild(state),
        // An empty filter needs no request to the engine.
        _ => apply(state, list, &mut Vec::new()),
    }
}
