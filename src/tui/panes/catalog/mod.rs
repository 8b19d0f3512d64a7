//! The catalog pane: every source with its mark, type, mode and tags; below or beside, the details of one and the
//! beginning of its document, to be read and searched.

mod details;
mod document;
mod list;
mod reading;

pub use document::page;
pub use reading::{DetailText, place, view};

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::filter::Order;
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};

/// Draws the pane with its border at `outer`.
pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Catalog, layout::inner(outer));
    border(state).draw(&state.skin, outer, frame.buffer_mut());
    list::draw(state, &parts, frame);
    reading::draw(state, &parts, frame);
}

fn border(state: &State) -> PaneBorder {
    let (totals, pane) = (&state.totals, &state.catalog);
    let dot = state.skin.glyphs.dot;
    let mut note = if state.is_open() { cells::counted(totals.sources, "source") } else { String::new() };
    if totals.missing > 0 {
        note = format!("{note} {dot} {} missing", cells::grouped(totals.missing as u64));
    }
    if pane.order != Order::Catalog {
        note = format!("by {} {dot} {note}", pane.order.word());
    }
    PaneBorder {
        title: "1 Catalog",
        note,
        place: frame::position(pane.cursor.at, pane.rows.len()),
        role: ThemeRole::Catalog,
        active: super::active(state, Pane::Catalog),
    }
}
