//! The catalog pane: every source with its mark, type, mode and tags. The details of one source and its
//! document, which can be read, searched and followed along its links, are below or beside the list.

pub mod columns;
mod details;
mod document;
pub mod document_highlighting;
pub mod document_part;
pub mod filtered_rows;
pub mod link_walk;
mod links;
mod list;
pub mod match_navigation;
pub mod outlines;
pub mod places;
mod reader;
pub mod reading;
pub mod search;
pub mod sideways;

use ratatui::Frame;
use ratatui::layout::Rect;

use std::sync::Arc;

use crate::tui::catalog::search::TextSearch;
use crate::tui::filter::{FilterResult, Haystack, Order};
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::Lookup;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::{MIN_NOTE, PaneBorder};
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::row::Active;
use refdesk_desk::Document;

#[derive(Debug, Clone, Default)]
pub struct CatalogPane {
    /// The row under the cursor, as an index into `rows`.
    pub cursor: Cursor,
    pub filter: TextField,
    /// Catalog positions of the rows that match the filter, in display order.
    pub rows: Vec<usize>,
    /// The parsed filter and its rows. A longer filter searches only these.
    pub filtered: FilterResult,
    /// Built when the first filter is typed.
    pub haystack: Option<Arc<Haystack>>,
    pub order: Order,
    /// All positions in the sort order; `None` in the catalog's own order.
    pub sequence: Option<Vec<usize>>,
    /// The source that was under the cursor when it left the catalog, for example because another branch was
    /// checked out.
    pub left: Option<LeftSource>,
    pub scroll: Scroll,
    /// The document of the source under the cursor, without its text.
    pub document: Lookup<Document>,
    pub reading: reading::ReadingState,
    pub search: TextSearch,
    /// The section shown in the details until the cursor moves to another source.
    pub section: Option<reading::OpenSection>,
}

/// A source that disappeared from under the cursor of a list. If it comes back before the cursor moves, the
/// cursor returns to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftSource {
    id: String,
    /// The source under the cursor since then, if any.
    since: Option<String>,
}

impl LeftSource {
    /// Moves a cursor to the row of the source it was on, or of one that came back. `at` returns the source of a row.
    pub fn follow(
        left: Option<Self>,
        stay: Option<&str>,
        cursor: &mut Cursor,
        row_of: impl Fn(&str) -> Option<usize>,
        at: impl Fn(usize) -> Option<String>,
    ) -> Option<Self> {
        let left = left.filter(|left| left.since.as_deref() == stay).map(|left| left.id);
        let back = left.as_deref().and_then(&row_of);
        let row = back.or_else(|| stay.and_then(&row_of));
        cursor.at = row.unwrap_or(cursor.at);
        let left = left.or_else(|| stay.filter(|_| row.is_none()).map(str::to_owned)).filter(|_| back.is_none());
        left.map(|id| Self { id, since: at(cursor.at) })
    }
}

pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let Some(parts) = state.parts(Pane::Catalog) else { return };
    border(state).draw(&state.skin, outer, frame.buffer_mut());
    list::draw(state, &parts, frame);
    if state.layout().reader.is_none() {
        reader::draw(state, &parts, frame);
    }
}

/// Draws the document in its own frame, titled with its source because the cursor can already be on another one.
pub fn draw_reader(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let shown = &state.catalog.reading.shown;
    let id = shown.as_ref().map(|shown| cells::clean(&shown.source)).unwrap_or_default();
    let Some(parts) = state.parts(Pane::Catalog) else { return };
    let captions = reader::captions_of(state, &parts);
    // The id is shortened before its text's shortest position is left out.
    let [.., least] = captions.each_ref().map(|caption| cells::width(caption));
    let (room, ellipsis) = (frame::title_room(outer), state.skin.glyphs.ellipsis);
    let kept = if least > 0 { least.max(MIN_NOTE) + 2 } else { 0 };
    let id = cells::clip_middle(&id, room.saturating_sub(kept), ellipsis);
    let note = reader::fitting(captions, room.saturating_sub(cells::width(&id) + 2));
    let active = if state.reads() { pane_view::active(state, Pane::Catalog) } else { Active::No };
    let border = PaneBorder { title: &id, note, place: String::new(), role: ThemeRole::Catalog, active };
    border.draw(&state.skin, outer, frame.buffer_mut());
    // The search is typed on the border.
    let rule = Rect { x: outer.x + 1, width: outer.width.saturating_sub(2), height: 1, ..outer };
    reader::draw_text(state, &parts, rule, frame);
}

fn border(state: &State) -> PaneBorder<'static> {
    let (totals, pane) = (&state.counts, &state.catalog);
    let dot = state.skin.glyphs.dot;
    let mut note = if state.is_open() { cells::counted(totals.sources, "source") } else { String::new() };
    if totals.missing > 0 {
        note = format!("{note} {dot} {} missing", cells::grouped(totals.missing));
    }
    if pane.order != Order::Catalog {
        note = format!("by {} {dot} {note}", pane.order.word());
    }
    let has_reader = state.layout().reader.is_some();
    let active =
        if has_reader { pane_view::list_active(state, Pane::Catalog) } else { pane_view::active(state, Pane::Catalog) };
    PaneBorder {
        title: "1 Catalog",
        note,
        place: frame::position(pane.cursor.at, pane.rows.len()),
        role: ThemeRole::Catalog,
        active,
    }
}
