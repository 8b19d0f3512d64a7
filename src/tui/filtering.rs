//! The lists that can be filtered: which one the key is for, the text field of each, and what follows a change of its text.
//! How a list is filtered is decided in its own folder.

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
    /// The sources that a request offers.
    Request,
    Graph,
    /// The tables of the view of databases.
    Tables,
}

impl State {
    /// Whether the filter of this list is being typed.
    pub fn is_filtering(&self, list: FilteredList) -> bool {
        self.typing == Some(Typing::Filter(list))
    }

    /// The list that is filtered in this pane.
    pub fn filtered_list_of(&self, pane: Pane) -> FilteredList {
        match pane {
            Pane::Catalog => FilteredList::Catalog,
            Pane::Selection if self.shown_request().is_some() => FilteredList::Request,
            Pane::Selection => FilteredList::Selection,
            Pane::Hints => FilteredList::Feed,
            Pane::Templates => FilteredList::Templates,
        }
    }

    /// The list that the key is for.
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

/// Goes to the filter line of the list here.
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

/// Before the first letter of a filter.
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

/// The row that the cursor goes to after a change of the filter, if it is still shown: the one typed in full; without a
/// filter the row `stay`, or, if the filter matched nothing, the row from before.
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

/// Shows the rows that match the text of the filter.
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

/// Shows all rows again.
pub fn clear(state: &mut State, list: FilteredList) {
    field(state, list).clear();
    match list {
        // Its cursor stays on its source.
        FilteredList::Graph => graph::update::rebuild(state),
        // Without words there is nothing to ask the engine.
        _ => apply(state, list, &mut Vec::new()),
    }
}
