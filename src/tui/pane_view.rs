//! Code shared by the views of the panes: focus, captions, rows, empty states.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::tui::action::Action;
use crate::tui::filter::FilterResult;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, Skin, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame};

/// The screen column of a row's mark, relative to its list.
pub fn mark_column(state: &State, pane: Pane, row: usize) -> Option<u16> {
    match pane {
        Pane::Catalog | Pane::Hints => Some(1),
        Pane::Selection if state.shown_request().is_some() => Some(1),
        Pane::Selection => crate::tui::selection::mark_column(state, row),
        Pane::Templates => None,
    }
}

/// Whether this pane receives keys.
pub fn active(state: &State, pane: Pane) -> Active {
    if state.focus == pane && state.window.is_none() { Active::Yes } else { Active::No }
}

/// Whether this pane's list receives keys.
pub fn list_active(state: &State, pane: Pane) -> Active {
    if state.part == PanePart::List { active(state, pane) } else { Active::No }
}

/// The style of the caption above a pane's details: in the pane's colour while they receive keys.
pub fn caption(state: &State, pane: Pane) -> Style {
    caption_style(state, pane, state.part == PanePart::Detail && active(state, pane) == Active::Yes)
}

/// The style of the caption of a part of this pane: in the pane's colour while it receives keys.
pub fn caption_style(state: &State, pane: Pane, is_active: bool) -> Style {
    let theme = &state.skin.theme;
    if is_active { theme.style(pane.role()).add_modifier(Modifier::BOLD) } else { theme.style(ThemeRole::Infra) }
}

/// A caption with the visible range, if not everything is visible.
pub fn scrolled(caption: &str, shown: &Range<usize>, len: usize) -> String {
    if shown.len() >= len || shown.is_empty() {
        return caption.to_owned();
    }
    let [from, to, of] = [shown.start + 1, shown.end, len].map(cells::grouped);
    format!("{caption}, {from}-{to} of {of}")
}

/// The area of row `nth` of a list, counted from its first visible row.
pub fn nth_row(list: Rect, nth: usize) -> Rect {
    let down = u16::try_from(nth).unwrap_or(u16::MAX);
    Rect { y: list.y.saturating_add(down), height: 1, ..list }.intersection(list)
}

/// A drawn list, with its cursor and a scrollbar on its right border.
pub struct DrawnList {
    pub place: Rect,
    pub len: usize,
    pub cursor: Cursor,
    pub active: Active,
    pub role: ThemeRole,
}

impl DrawnList {
    /// The range of visible rows.
    pub fn window(&self) -> Range<usize> {
        self.cursor.window(self.len, usize::from(self.place.height))
    }

    pub fn draw<'a>(&self, skin: &Skin, buffer: &mut Buffer, mut row: impl FnMut(usize) -> Option<ListRow<'a>>) {
        let window = self.window();
        let top = window.start;
        for (nth, at) in window.enumerate() {
            if let Some(mut row) = row(at) {
                let under = RowCursor::of(at, self.cursor.at, self.active);
                row.draw(under, self.role, nth_row(self.place, nth), buffer);
            }
        }
        frame::scrollbar(skin, self.place, self.len, top, skin.theme.style(self.role), buffer);
    }
}

/// Wraps a text for this width.
pub fn wrapped(state: &State, text: &str, role: ThemeRole, columns: usize) -> Vec<Line<'static>> {
    let style = state.skin.theme.style(role);
    cells::wrap(&cells::clean(text), columns).into_iter().map(|line| Line::styled(line, style)).collect()
}

/// Wraps a text of several lines for this width. Line breaks and indents are kept; consecutive empty lines become one.
pub fn wrapped_lines(state: &State, text: &str, role: ThemeRole, columns: usize) -> Vec<Line<'static>> {
    let style = state.skin.theme.style(role);
    let mut rows: Vec<Line<'static>> = Vec::new();
    let mut is_after_empty = true;
    for line in text.lines() {
        let line = cells::clean(line);
        // A deep indent must leave room for words.
        let indent = (line.len() - line.trim_start_matches(' ').len()).min(columns / 3);
        let wrapped = cells::wrap(&line, columns.saturating_sub(indent));
        if wrapped.is_empty() && !is_after_empty {
            rows.push(Line::default());
        }
        is_after_empty = wrapped.is_empty();
        rows.extend(wrapped.iter().map(|row| Line::styled(format!("{}{row}", " ".repeat(indent)), style)));
    }
    rows
}

/// The first line of the details: `@id  name`. The name gets the width that the id leaves.
pub fn id_and_name(state: &State, id: &str, name: &str, columns: usize) -> Line<'static> {
    let (theme, ellipsis) = (&state.skin.theme, state.skin.glyphs.ellipsis);
    let id = cells::clip_middle(&format!("@{}", cells::clean(id)), columns, ellipsis).into_owned();
    let room = columns.saturating_sub(cells::width(&id) + 2);
    let name = format!("  {}", cells::clip(&cells::clean(name), room, ellipsis));
    Line::from(vec![
        Span::styled(id, theme.style(ThemeRole::Strong)),
        Span::styled(name, theme.style(ThemeRole::Infra)),
    ])
}

/// Draws lines of details starting at `top`, indented by one column.
pub fn draw_lines(lines: &[Line<'_>], place: Rect, buffer: &mut Buffer) {
    let place = indented(place).intersection(buffer.area);
    for (nth, line) in lines.iter().take(usize::from(place.height)).enumerate() {
        let row = nth_row(place, nth);
        buffer.set_line(row.x, row.y, line, row.width);
    }
}

/// Draws the rows of a text starting at `top`, indented by one column.
pub fn draw_text(state: &State, text: &WrappedText, top: usize, place: Rect, buffer: &mut Buffer) {
    let (window, inside) = (Scroll { top }.window(text.len(), usize::from(place.height)), indented(place));
    for (nth, at) in window.enumerate() {
        text.draw(at, &[], &state.skin.theme, nth_row(inside, nth), buffer);
    }
}

/// Draws a text that can be scrolled, with its scrollbar.
pub fn draw_scrolled(state: &State, text: &WrappedText, top: usize, role: ThemeRole, place: Rect, buffer: &mut Buffer) {
    draw_text(state, text, top, place, buffer);
    frame::scrollbar(&state.skin, place, text.len(), top, state.skin.theme.style(role), buffer);
}

/// Details are indented by one column, to align with the text of the rows rather than with their cursor.
pub fn indented(place: Rect) -> Rect {
    Rect { x: place.x.saturating_add(1), width: place.width.saturating_sub(2), ..place }
}

/// Why a filter matches nothing: the term without any match, or `else_why` if every term matches something.
pub fn no_match(state: &State, filtered: &FilterResult, what: &str, else_why: &str) -> String {
    let back = state.key(Action::Back);
    let Some(term) = &filtered.unmatched_clause else { return format!("{else_why} {back} shows all again.") };
    let advice = filtered.advice.as_ref().map(|advice| format!(" {advice}")).unwrap_or_default();
    format!("No {what} matches '{}'.{advice} {back} shows all again.", cells::clean(term))
}

/// Centres a few sentences in an empty area.
pub fn draw_empty(state: &State, sentence: &str, place: Rect, buffer: &mut Buffer) {
    let place = place.intersection(buffer.area);
    let lines = cells::wrap(sentence, usize::from(place.width.saturating_sub(4)).clamp(1, 60));
    let down = (usize::from(place.height).saturating_sub(lines.len())) / 2;
    for (nth, line) in lines.iter().enumerate().take(usize::from(place.height)) {
        let row = nth_row(place, down + nth);
        let columns = u16::try_from(cells::width(line)).unwrap_or(u16::MAX);
        let x = row.x + row.width.saturating_sub(columns) / 2;
        buffer.set_stringn(x, row.y, line, usize::from(row.width), state.skin.theme.style(ThemeRole::Infra));
    }
}

/// `path` for display: relative to the workspace if it is inside.
pub fn printed(state: &State, path: &std::path::Path) -> String {
    let within = path.strip_prefix(&*state.snapshot.workspace).unwrap_or(path);
    cells::clean(&within.to_string_lossy()).into_owned()
}
