//! Places and draws windows: their size, the rows for texts, lists and keys, their frame, and their texts.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear as Blank, Widget};

use crate::tui::layout::{split_rows, stacked};
use crate::tui::pane_view::scrolled;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::motion::Scroll;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::Active;

/// An area of this size in the middle of `body`, limited to its size.
pub(super) fn centred(body: Rect, columns: u16, rows: usize) -> Rect {
    let width = columns.min(body.width);
    let height = u16::try_from(rows).unwrap_or(u16::MAX).min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}

/// Most of the body's width, up to `most`.
pub(super) fn wide(body: Rect, most: u16) -> u16 {
    body.width.saturating_sub(4).clamp(body.width.min(60), most)
}

/// Width of a window's border and the padding inside it.
pub(super) const FRAME_WIDTH: u16 = 4;

/// The width of the text in a window of this width.
pub(super) fn text_columns(outer: u16) -> usize {
    usize::from(outer.saturating_sub(FRAME_WIDTH))
}

/// The rows of a text, and the row of the keys below it, separated by a blank line if it fits. In a low
/// terminal the text takes all rows, and only the bottom line shows the keys.
pub(super) fn text_and_keys(state: &State, inner: Rect) -> (Rect, Rect) {
    let (keys, below) = match inner.height {
        _ if state.layout().body.height < MIN_HEIGHT_WITH_KEYS => (0, 0),
        0..=SHORT => (1, 1),
        _ => (1, 2),
    };
    let keys = Rect { y: inner.bottom().saturating_sub(1), height: keys.min(inner.height), ..inner };
    (Rect { height: inner.height.saturating_sub(below), ..inner }, keys)
}

/// At or below this height of the window, the blank line is left out.
const SHORT: u16 = 6;
/// At or below this height of the body, windows show no keys.
const MIN_HEIGHT_WITH_KEYS: u16 = 12;

/// A list of this many rows, a rule, and the details with up to `below` rows: half of the height, plus what
/// the list does not need.
pub(super) fn list_and_details(inner: Rect, rows: usize, below: u16) -> (Rect, Rect, Rect) {
    let spare = inner.height.saturating_sub(u16::try_from(rows).unwrap_or(u16::MAX).max(1));
    let below = below.min(spare.max(inner.height / 2));
    stacked(inner, [inner.height - below, 1, u16::MAX]).into()
}

/// The areas of a window that shows a diff.
#[derive(Debug, Clone, Copy)]
pub(super) struct DifferenceLayout {
    pub field: Rect,
    pub summary: Rect,
    pub rule: Rect,
    pub difference: Rect,
    pub keys: Rect,
}

/// The maximum rows of a summary in this area: half of them, and in a low window what the diff can spare.
pub(super) fn summary_rows(inner: Rect, field: u16) -> u16 {
    let spare = inner.height.saturating_sub(field + 1 + MIN_DIFFERENCE).min(MIN_SUMMARY);
    (inner.height.saturating_sub(4) / 2).max(spare)
}

/// Rows for the effect, the file, and who asks.
const MIN_SUMMARY: u16 = 3;
/// Minimum rows of a diff.
const MIN_DIFFERENCE: u16 = 1;

/// Lays out a diff window. The keys have a row unless the terminal is low, where only the bottom line shows them.
pub(super) fn difference_layout(state: &State, inner: Rect, field: u16, summary: usize) -> DifferenceLayout {
    let summary = u16::try_from(summary).unwrap_or(u16::MAX).min(summary_rows(inner, field));
    let keys = u16::from(state.layout().body.height >= MIN_HEIGHT_WITH_KEYS);
    let [field, summary, rule, rest] = stacked(inner, [field, summary, 1, u16::MAX]);
    let (difference, _) = split_rows(rest, rest.height.saturating_sub(keys));
    let (_, keys) = split_rows(inner, inner.height.saturating_sub(keys));
    DifferenceLayout { field, summary, rule, difference, keys }
}

#[derive(Debug, Default)]
pub(super) struct Titles {
    pub title: &'static str,
    pub note: String,
    pub place: String,
}

pub(super) fn draw_frame(state: &State, titles: Titles, role: ThemeRole, outer: Rect, buffer: &mut Buffer) {
    // A wide character cut by the edge would spill into the window, so clear its left half too.
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

pub(super) fn paragraphs<T>(texts: impl IntoIterator<Item = (T, ThemeRole)>, columns: usize) -> WrappedText
where
    T: AsRef<str>,
{
    let lines = texts.into_iter().map(|(text, role)| PageLine::new(cells::clean(text.as_ref()), role));
    WrappedText::new(lines.collect(), columns)
}

/// `1-20 of 84`, or empty if all lines are visible.
pub(super) fn visible_lines(top: usize, len: usize, place: Rect) -> String {
    scrolled("", &Scroll { top }.window(len, usize::from(place.height)), len).trim_start_matches(", ").to_owned()
}
