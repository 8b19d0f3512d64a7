//! How windows are placed and drawn: their size, the rows for their texts, lists and keys, their frame, and texts in it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear as Blank, Widget};

use crate::tui::pane_view::{indented, nth_row, scrolled};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::motion::Scroll;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::Active;

/// A place of this size in the middle of `body`, as far as there is room.
pub(super) fn centred(body: Rect, columns: u16, rows: usize) -> Rect {
    let width = columns.min(body.width);
    let height = u16::try_from(rows).unwrap_or(u16::MAX).min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}

/// Most of the body's columns, up to `most`.
pub(super) fn wide(body: Rect, most: u16) -> u16 {
    body.width.saturating_sub(4).clamp(body.width.min(60), most)
}

/// The text columns of a window with this many columns.
pub(super) fn text_columns(outer: u16) -> usize {
    usize::from(outer.saturating_sub(4))
}

/// The rows for a text and, below a blank line if there is room, the row for the keys. In a low terminal the text needs all of
/// them, and only the bottom line has the keys.
pub(super) fn text_and_keys(state: &State, inner: Rect) -> (Rect, Rect) {
    let (keys, below) = match inner.height {
        _ if state.layout().body.height < LOW => (0, 0),
        0..=SHORT => (1, 1),
        _ => (1, 2),
    };
    let keys = Rect { y: inner.bottom().saturating_sub(1), height: keys.min(inner.height), ..inner };
    (Rect { height: inner.height.saturating_sub(below), ..inner }, keys)
}

/// Rows within a window so low that no blank line is wanted.
const SHORT: u16 = 6;
/// Rows of the body of a terminal so low that a window shows no keys.
const LOW: u16 = 12;

/// A list of this many rows, the rule below it, and the details with up to `below` rows: half of all, and those that the list
/// does not need.
pub(super) fn list_and_details(inner: Rect, rows: usize, below: u16) -> (Rect, Rect, Rect) {
    let spare = inner.height.saturating_sub(u16::try_from(rows).unwrap_or(u16::MAX).max(1));
    let below = below.min(spare.max(inner.height / 2));
    let list = Rect { height: inner.height - below, ..inner };
    let rule = Rect { y: list.bottom(), height: below.min(1), ..inner };
    (list, rule, Rect { y: rule.bottom(), height: below - rule.height, ..inner })
}

/// The parts of a window that shows a difference.
#[derive(Debug, Clone, Copy)]
pub(super) struct DifferenceLayout {
    pub field: Rect,
    pub summary: Rect,
    pub rule: Rect,
    pub difference: Rect,
    pub keys: Rect,
}

/// The most rows of a summary in a window with this inside: half of them, and in a low one what the difference can spare.
pub(super) fn summary_rows(inner: Rect, field: u16) -> u16 {
    let spare = inner.height.saturating_sub(field + 1 + MIN_DIFFERENCE).min(MIN_SUMMARY);
    (inner.height.saturating_sub(4) / 2).max(spare)
}

/// Rows for what is done to which file, and who asks.
const MIN_SUMMARY: u16 = 3;
/// The least rows of a difference.
const MIN_DIFFERENCE: u16 = 1;

/// The window's keys have a row unless the terminal is low: then only the bottom line has them.
pub(super) fn difference_layout(state: &State, inner: Rect, field: u16, summary: usize) -> DifferenceLayout {
    let row = |y: u16, height: u16| {
        let y = y.min(inner.bottom());
        Rect { y, height: height.min(inner.bottom() - y), ..inner }
    };
    let summary = u16::try_from(summary).unwrap_or(u16::MAX).min(summary_rows(inner, field));
    let field = row(inner.y, field);
    let summary = row(field.bottom(), summary);
    let rule = row(summary.bottom(), 1);
    let has_keys = u16::from(state.layout().body.height >= LOW);
    let keys = row(inner.bottom().saturating_sub(has_keys), has_keys);
    let difference = row(rule.bottom(), keys.y.saturating_sub(rule.bottom()));
    DifferenceLayout { field, summary, rule, difference, keys }
}

#[derive(Debug, Default)]
pub(super) struct Titles {
    pub title: &'static str,
    pub note: String,
    pub place: String,
}

pub(super) fn draw_frame(state: &State, titles: Titles, role: ThemeRole, outer: Rect, buffer: &mut Buffer) {
    // A wide character cut by the edge would spill into the window, so its left half goes too.
    let left = Rect { x: outer.x.saturating_sub(1), width: 1, ..outer };
    for position in left.intersection(buffer.area).positions() {
        if position.x < outer.x && cells::width(buffer.cell(position).map_or("", |cell| cell.symbol())) > 1 {
            Blank.render(Rect { x: position.x, y: position.y, width: 1, height: 1 }, buffer);
        }
    }
    Blank.render(outer.intersection(buffer.area), buffer);
    let Titles { title, note, place } = titles;
    PaneBorder { title, note, place, role, active: Active::Yes }.draw(&state.skin, outer, buffer);
}

pub(super) fn paragraphs<'a>(texts: impl IntoIterator<Item = (&'a str, ThemeRole)>, columns: usize) -> WrappedText {
    WrappedText::new(texts.into_iter().map(|(text, role)| PageLine::new(cells::clean(text), role)).collect(), columns)
}

/// Draws the rows of a text from `top` on.
pub(super) fn draw_text(state: &State, text: &WrappedText, top: usize, place: Rect, buffer: &mut Buffer) {
    let (window, inside) = (Scroll { top }.window(text.len(), usize::from(place.height)), indented(place));
    for (nth, at) in window.enumerate() {
        text.draw(at, &[], &state.skin.theme, nth_row(inside, nth), buffer);
    }
}

/// Draws a text that can be scrolled, with its scrollbar.
pub(super) fn draw_scrolled(
    state: &State,
    text: &WrappedText,
    top: usize,
    role: ThemeRole,
    place: Rect,
    buffer: &mut Buffer,
) {
    draw_text(state, text, top, place, buffer);
    frame::scrollbar(&state.skin, place, text.len(), top, state.skin.theme.style(role), buffer);
}

/// `1-20 of 84`, or nothing if all lines are visible.
pub(super) fn visible_lines(top: usize, len: usize, place: Rect) -> String {
    scrolled("", &Scroll { top }.window(len, usize::from(place.height)), len).trim_start_matches(", ").to_owned()
}
