//! Moves within a pane: between rows, in the details, and back out of them.

use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::templates::{form_update, preview};
use crate::tui::update::appearance;
use crate::tui::widgets::motion::{Motion, Scroll};
use crate::tui::{catalog, feed, filtering, hints, requests, selection};

/// Leaves the innermost level: the details, another view of the pane, or a filter.
pub fn back(state: &mut State, effects: &mut Vec<Effect>) {
    if state.is_searched() {
        catalog::match_navigation::end(state);
    } else if state.in_feed() {
        feed::update::back(state, effects);
    } else if state.reads() {
        catalog::reading::back(state);
    } else if state.part != PanePart::List {
        state.part = PanePart::List;
    } else if state.is_request_focused() {
        requests::update::leave(state);
    } else {
        match state.focus {
            Pane::Hints if state.shows_enriched() => hints::enriched_update::leave(state, effects),
            pane if state.is_filtered() => filtering::clear(state, state.filtered_list_of(pane)),
            Pane::Hints | Pane::Templates => appearance::restore(state, effects),
            Pane::Catalog | Pane::Selection => {}
        }
    }
}

pub fn step(state: &mut State, motion: Motion) {
    let pane = state.focus;
    match state.part {
        PanePart::Detail => scroll(state, pane, motion),
        PanePart::Values => form_update::step(state, motion),
        PanePart::List if pane == Pane::Hints && state.shows_enriched() => {
            hints::enriched_update::scroll(state, motion);
        }
        // A write has no rows, so keys scroll its text.
        PanePart::List if shows_write(state, pane) => scroll(state, pane, motion),
        PanePart::List => {
            let (len, page) = (state.len(pane), page(state, pane));
            let cursor = state.cursor_mut(pane);
            let before = cursor.at;
            cursor.step(motion, len, page);
            if cursor.at != before {
                reset_scroll(state, pane);
            }
        }
    }
}

/// Scrolls the rows of this pane, moving the cursor only as needed.
pub fn scroll_rows(state: &mut State, pane: Pane, motion: Motion, rows: usize) {
    if shows_write(state, pane) {
        return (0..rows).for_each(|_| scroll(state, pane, motion));
    }
    if pane == Pane::Hints && state.shows_enriched() {
        return (0..rows).for_each(|_| hints::enriched_update::scroll(state, motion));
    }
    let (len, page) = (state.len(pane), page(state, pane));
    let cursor = state.cursor_mut(pane);
    let before = cursor.at;
    cursor.scroll(motion, rows, len, page);
    if cursor.at != before {
        reset_scroll(state, pane);
    }
}

/// Whether this pane shows a write to approve.
fn shows_write(state: &State, pane: Pane) -> bool {
    pane == Pane::Selection && state.shows_write()
}

/// The number of visible rows of this pane's list.
pub fn page(state: &State, pane: Pane) -> usize {
    state.parts(pane).map_or(1, |parts| usize::from(parts.list.height).max(1))
}

/// Scrolls the details of a new row to the top.
pub fn reset_scroll(state: &mut State, pane: Pane) {
    match pane {
        Pane::Selection if state.shown_request().is_some() => state.requests.scroll = Scroll::default(),
        Pane::Selection => state.selection.scroll = Scroll::default(),
        Pane::Templates => {
            state.templates.scroll = Scroll::default();
            state.templates.across = 0;
        }
        // The details of a source keep their position.
        Pane::Catalog | Pane::Hints => {}
    }
}

/// Scrolls the details of this pane.
pub fn scroll(state: &mut State, pane: Pane, motion: Motion) {
    let Some(parts) = state.parts(pane) else { return };
    let detail = parts.detail;
    let page = usize::from(detail.height);
    match pane {
        Pane::Catalog => catalog::reading::scroll(state, motion),
        Pane::Selection if let Some((len, page)) = requests::write_view::rows(state) => {
            state.requests.scroll.step(motion, len, page);
        }
        Pane::Selection if state.shown_request().is_some() => {
            let len = requests::choice_view::detail(state, &parts).len();
            state.requests.scroll.step(motion, len, page);
        }
        Pane::Selection => {
            let len = selection::detail(state, detail.as_size(), usize::MAX).len();
            state.selection.scroll.step(motion, len, page);
        }
        Pane::Templates => {
            let (len, page) = (preview::len(state), preview::page(state));
            state.templates.scroll.step(motion, len, page);
        }
        Pane::Hints => feed::update::step(state, motion),
    }
}
