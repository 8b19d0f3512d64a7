//! Going somewhere: another pane, row, part or window. Nothing here asks anything of the desk.

use crate::tui::action::Action;
use crate::tui::layout;
use crate::tui::motion::{Cursor, Motion, Scroll};
use crate::tui::overlays;
use crate::tui::palette;
use crate::tui::pane::Pane;
use crate::tui::panes;
use crate::tui::state::{Overlay, PanePart, State};

pub(super) fn open(state: &mut State, action: Action) {
    match action {
        Action::Help => state.overlay = Some(Overlay::Help(Scroll::default())),
        Action::Problems => state.overlay = Some(Overlay::Problems(Cursor::default())),
        Action::Clear => state.overlay = Some(Overlay::Clear),
        Action::Zoom => state.zoomed = state.zoomed.toggled(),
        Action::Inside => state.part = PanePart::Detail,
        Action::Back => back(state),
        _ => {}
    }
}

/// The nearest thing that can be left: a window, the details, a filter.
fn back(state: &mut State) {
    if super::writing::is_open(state) {
        return super::writing::close(state);
    }
    if state.overlay.take().is_some() {
        return;
    }
    if state.is_searched() {
        super::reading::end(state);
    } else if state.part != PanePart::List {
        state.part = PanePart::List;
    } else if state.at_request() {
        super::answering::leave(state);
    } else if state.focus == Pane::Hints {
        state.feed.filter.clear();
        state.feed.refilter();
    } else if state.focus == Pane::Templates {
        super::templating::clear(state);
    } else if state.is_filtered() {
        super::filtering::clear(state);
    }
}

pub(super) fn step(state: &mut State, motion: Motion) {
    match state.overlay {
        Some(Overlay::Help(mut scroll)) => {
            scroll.step(motion, overlays::help::len(state), overlay_page(state));
            state.overlay = Some(Overlay::Help(scroll));
        }
        Some(Overlay::Problems(mut cursor)) => {
            cursor.step(motion, state.snapshot.diagnostics.len(), overlay_page(state));
            state.overlay = Some(Overlay::Problems(cursor));
        }
        Some(Overlay::Palette(cursor)) => super::palette::step(state, cursor, motion),
        Some(Overlay::Write(mut scroll)) => {
            scroll.step(motion, overlays::write::len(state), overlay_page(state));
            state.overlay = Some(Overlay::Write(scroll));
        }
        Some(Overlay::Receipt(mut scroll)) => {
            scroll.step(motion, state.opened.page.len(), overlay_page(state));
            state.overlay = Some(Overlay::Receipt(scroll));
        }
        Some(Overlay::Trust(mut scroll)) => {
            scroll.step(motion, overlays::trust::page(state).len(), overlay_page(state));
            state.overlay = Some(Overlay::Trust(scroll));
        }
        Some(Overlay::Approval(mut scroll)) => {
            scroll.step(motion, state.requests.page.len(), overlay_page(state));
            state.overlay = Some(Overlay::Approval(scroll));
        }
        Some(Overlay::Profiles(_) | Overlay::Switch(_)) => super::profiles::step(state, motion),
        Some(Overlay::Clear | Overlay::Broken) => {}
        None if state.part == PanePart::Detail => scroll(state, state.focus, motion),
        None if state.part == PanePart::Values => super::valuing::step(state, motion),
        None => row(state, motion),
    }
}

fn row(state: &mut State, motion: Motion) {
    let pane = state.focus;
    if pane == Pane::Hints && state.shows_given() {
        return super::given::scroll(state, motion);
    }
    let (len, page) = (state.len(pane), super::page(state, pane));
    let cursor = state.cursor_mut(pane);
    let before = cursor.at;
    cursor.step(motion, len, page);
    if cursor.at != before {
        reset_scroll(state, pane);
    }
}

/// Moves the rows of this pane under its cursor, as the wheel does.
pub(super) fn roll(state: &mut State, pane: Pane, motion: Motion, rows: usize) {
    if pane == Pane::Hints && state.shows_given() {
        return (0..rows).for_each(|_| super::given::scroll(state, motion));
    }
    let (len, page) = (state.len(pane), super::page(state, pane));
    let cursor = state.cursor_mut(pane);
    let before = cursor.at;
    cursor.roll(motion, rows, len, page);
    if cursor.at != before {
        reset_scroll(state, pane);
    }
}

/// The same in the open window.
pub(super) fn roll_overlay(state: &mut State, motion: Motion, rows: usize) {
    let page = overlay_page(state);
    match state.overlay {
        Some(Overlay::Problems(mut cursor)) => {
            cursor.roll(motion, rows, state.snapshot.diagnostics.len(), page);
            state.overlay = Some(Overlay::Problems(cursor));
        }
        Some(Overlay::Palette(mut cursor)) => {
            cursor.roll(motion, rows, palette::rows(state).len(), page);
            state.overlay = Some(Overlay::Palette(cursor));
        }
        Some(Overlay::Profiles(mut cursor)) => {
            cursor.roll(motion, rows, state.profiles.len(), page);
            state.overlay = Some(Overlay::Profiles(cursor));
        }
        Some(
            Overlay::Help(_)
            | Overlay::Write(_)
            | Overlay::Receipt(_)
            | Overlay::Approval(_)
            | Overlay::Switch(_)
            | Overlay::Trust(_),
        ) => (0..rows).for_each(|_| step(state, motion)),
        Some(Overlay::Clear | Overlay::Broken) | None => {}
    }
}

/// Details begin at their top for every row.
pub(super) fn reset_scroll(state: &mut State, pane: Pane) {
    match pane {
        Pane::Catalog => state.catalog.scroll = Scroll::default(),
        Pane::Selection if state.shown_request().is_some() => state.requests.scroll = Scroll::default(),
        Pane::Selection => state.selection.scroll = Scroll::default(),
        Pane::Templates => {
            state.templates.scroll = Scroll::default();
            state.templates.across = 0;
        }
        Pane::Hints => {}
    }
}

/// Moves in the details of this pane.
pub(super) fn scroll(state: &mut State, pane: Pane, motion: Motion) {
    let Some(detail) = state.parts(pane).map(|parts| parts.detail) else { return };
    let page = usize::from(detail.height);
    match pane {
        Pane::Catalog => super::reading::scroll(state, motion),
        Pane::Selection if state.shown_request().is_some() => {
            let len = panes::request::detail(state, detail.width).len();
            state.requests.scroll.step(motion, len, page);
        }
        Pane::Selection => {
            let len = panes::selection::detail(state, detail.width, usize::MAX).len();
            state.selection.scroll.step(motion, len, page);
        }
        Pane::Templates => {
            let (len, page) = (panes::preview::len(state), panes::preview::page(state));
            state.templates.scroll.step(motion, len, page);
        }
        Pane::Hints => super::feed::step(state, motion),
    }
}

pub(super) fn overlay_page(state: &State) -> usize {
    let rows = match state.overlay {
        Some(Overlay::Help(_)) => overlays::help::text(state).height,
        Some(Overlay::Problems(_)) => overlays::problems::places(state).0.height,
        Some(Overlay::Palette(_)) => overlays::palette::places(state).1.height,
        Some(Overlay::Write(_)) => overlays::write::places(state).difference.height,
        Some(Overlay::Trust(_)) => overlays::trust::text(state).height,
        Some(Overlay::Approval(_)) => overlays::approval::places(state).difference.height,
        Some(Overlay::Receipt(_)) => layout::inner(overlays::receipt::outer(state)).height,
        Some(Overlay::Profiles(_)) => overlays::profiles::places(state).0.height,
        Some(Overlay::Switch(_)) => overlays::switch::places(state).0.height,
        Some(Overlay::Clear | Overlay::Broken) | None => 0,
    };
    usize::from(rows)
}
