//! Saves and restores the screen's state in this workspace. A restored cursor waits until its row exists,
//! because documents and templates are read after the catalog; the first key cancels the wait.

use std::collections::BTreeMap;

use crate::tui::catalog::filtered_rows;
use crate::tui::catalog::places::{ReadableDocument, ReadingPlace};
use crate::tui::catalog::reading::toggle_front_matter;
use crate::tui::filter::Order;
use crate::tui::hints::rows;
use crate::tui::layout::Arrangement;
use crate::tui::pane::Pane;
use crate::tui::selection;
use crate::tui::state::{HintsView, PanePart, State};
use crate::tui::templates;
use crate::tui::templates::values;
use crate::tui::views::ViewPlace;
use crate::tui::widgets::motion::Cursor;
use refdesk_core::config::screen_session::{SavedCursor, SavedPlace, SavedView, ScreenSession};
use refdesk_desk::engine::Audience;

/// The names of the filter lines.
const CATALOG: &str = "catalog";
const SELECTION: &str = "selection";
const TEMPLATES: &str = "templates";
const FEED: &str = "feed";
const GRAPH: &str = "graph";

const HINTS_VIEWS: [HintsView; 3] =
    [HintsView::Matches, HintsView::Enriched(Audience::NewSession), HintsView::Enriched(Audience::ThisSession)];

/// The state that could not be restored yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PendingCursors {
    cursors: BTreeMap<String, SavedCursor>,
    /// Whether to focus the document once its source is available.
    is_inside: bool,
    /// The view to show once the catalog is loaded.
    view: Option<SavedView>,
}

/// Restores the saved state.
pub fn begin(state: &mut State, left: ScreenSession) {
    state.arrangement = left.arrangement.as_deref().and_then(Arrangement::from_word).unwrap_or_default();
    state.arrangement_before = left.arrangement_before.as_deref().and_then(Arrangement::from_word);
    state.focus = left.pane.as_deref().and_then(Pane::from_word).unwrap_or_default();
    state.catalog.order = left.sort.as_deref().and_then(Order::from_word).unwrap_or_default();
    state.selection.order = left.selection_sort.as_deref().and_then(Order::from_word).unwrap_or_default();
    if left.is_inside && state.focus == Pane::Hints {
        state.part = PanePart::Detail;
    }
    let line = |name: &str| left.filters.get(name).map(String::as_str).unwrap_or_default();
    state.catalog.filter.insert(line(CATALOG));
    state.selection.filter.insert(line(SELECTION));
    state.templates.filter.insert(line(TEMPLATES));
    state.feed.set_filter(line(FEED));
    state.graph.filter.insert(line(GRAPH));
    state.hints.prompt.insert(&left.prompt);
    let view = HINTS_VIEWS.into_iter().find(|view| saved_audience(*view) == left.enriched);
    state.hints.view = view.unwrap_or_default();
    state.named_filters = left.named_filters;
    state.token_limit = left.token_limit;
    state.templates.typed = values::all_typed(left.values);
    state.templates.revision += 1;
    if left.shows_front_matter {
        toggle_front_matter(state);
    }
    for SavedPlace { source, file, line, below } in left.reading.into_iter().rev() {
        state.catalog.reading.places.keep(ReadableDocument { source, file }, ReadingPlace { line, below });
    }
    state.pending = PendingCursors {
        cursors: left.cursors,
        is_inside: left.is_inside && state.focus == Pane::Catalog,
        view: left.view,
    };
}

/// After a snapshot, or after the answer to a prompt: moves the cursors to rows that now exist.
pub fn follow(state: &mut State) {
    if state.is_open()
        && let Some(saved) = state.pending.view.take()
        && let Some(place) = ViewPlace::from_saved(saved)
    {
        place.open(state);
    }
    for pane in Pane::ALL {
        let Some(saved) = state.pending.cursors.get(pane.word()) else { continue };
        if let Some(at) = row_of(state, pane, &saved.on) {
            let top = saved.top;
            state.pending.cursors.remove(pane.word());
            *state.cursor_mut(pane) = Cursor { at, top };
            if pane == Pane::Catalog && std::mem::take(&mut state.pending.is_inside) {
                state.part = PanePart::Detail;
            }
        }
    }
}

fn row_of(state: &State, pane: Pane, on: &str) -> Option<usize> {
    match pane {
        Pane::Catalog => filtered_rows::row_of(state, on),
        Pane::Selection if state.shown_request().is_some() => None,
        Pane::Selection => selection::update::row_of(state, on),
        Pane::Templates => templates::filtered_templates::row_of(state, on),
        // Before all documents were read, the rows are still to change.
        Pane::Hints if state.hints.is_early || !state.hints.is_answered => None,
        Pane::Hints => rows::rows(&state.hints.findings).position(|row| row.id().as_str() == on),
    }
}

fn saved_audience(view: HintsView) -> Option<String> {
    match view {
        HintsView::Matches => None,
        HintsView::Enriched(Audience::NewSession) => Some("new session".to_owned()),
        HintsView::Enriched(Audience::ThisSession) => Some("this session".to_owned()),
    }
}

fn saved_order(order: Order) -> Option<String> {
    (order != Order::Catalog).then(|| order.word().to_owned())
}

impl State {
    /// The state to save.
    pub fn session(&self) -> ScreenSession {
        let filters = [
            (CATALOG, &self.catalog.filter),
            (SELECTION, &self.selection.filter),
            (TEMPLATES, &self.templates.filter),
            (FEED, &self.feed.filter),
            (GRAPH, &self.graph.filter),
        ];
        let filters = filters.into_iter().filter(|(_, line)| !line.is_empty());
        let reading = &self.catalog.reading;
        let here = reading.here();
        let before = reading.places.all().filter(|(known, _)| here.as_ref().is_none_or(|(shown, _)| shown != known));
        let here = here.iter().filter(|(_, place)| *place != ReadingPlace::default());
        let saved = |(ReadableDocument { source, file }, ReadingPlace { line, below }): &(_, _)| SavedPlace {
            source: source.clone(),
            file: file.clone().filter(|file| file.to_str().is_some()),
            line: *line,
            below: *below,
        };
        ScreenSession {
            workspace: String::new(),
            pane: (self.focus != Pane::default()).then(|| self.focus.word().to_owned()),
            view: self.pending.view.clone().or_else(|| ViewPlace::here(self).map(ViewPlace::saved)),
            is_inside: self.reads() || self.in_feed() || self.pending.is_inside,
            arrangement: (self.arrangement != Arrangement::default()).then(|| self.arrangement.word().to_owned()),
            arrangement_before: self.arrangement_before.map(|before| before.word().to_owned()),
            sort: saved_order(self.catalog.order),
            selection_sort: saved_order(self.selection.order),
            cursors: Pane::ALL.into_iter().filter_map(|pane| self.saved_cursor(pane)).collect(),
            filters: filters.map(|(name, line)| (name.to_owned(), line.text().to_owned())).collect(),
            named_filters: self.named_filters.clone(),
            token_limit: self.token_limit,
            prompt: self.hints.prompt.text().to_owned(),
            enriched: saved_audience(self.hints.view),
            values: values::all_saved(&self.templates.typed),
            shows_front_matter: reading.shows_front_matter(),
            reading: here.chain(before).map(saved).collect(),
        }
    }

    fn saved_cursor(&self, pane: Pane) -> Option<(String, SavedCursor)> {
        let (on, cursor) = match pane {
            Pane::Catalog => (self.subject(pane).map(str::to_owned), self.catalog.cursor),
            Pane::Selection => (self.selected().map(str::to_owned), self.selection.cursor),
            Pane::Templates => (self.template().map(|template| template.name.clone()), self.templates.cursor),
            Pane::Hints => {
                let row = rows::rows(&self.hints.findings).nth(self.hints.cursor.at);
                (row.map(|row| row.id().as_str().to_owned()), self.hints.cursor)
            }
        };
        let name = pane.word().to_owned();
        match self.pending.cursors.get(&name) {
            Some(pending) => Some((name, pending.clone())),
            None if cursor.at == 0 && !(pane == Pane::Catalog && self.reads()) => None,
            None => Some((name, SavedCursor { on: on?, top: cursor.top })),
        }
    }
}
