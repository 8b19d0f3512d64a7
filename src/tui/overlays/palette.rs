//! The palette: a line to type in, and below it the actions with their keys, the letters looked for marked, those that
//! cannot be done here dimmed and with why not.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Span;

use crate::tui::action::ACTIONS;
use crate::tui::layout;
use crate::tui::motion::Cursor;
use crate::tui::palette::{self, PaletteRow};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, prompt};

use super::{centred, clear};

const KEYS: usize = 12;

/// The window; as large as for all actions, so that it stays where it is while one types.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let rows = u16::try_from(palette::most(state) + 3).unwrap_or(u16::MAX);
    centred(body, 96, rows.min(body.height.saturating_sub(4).clamp(10, 24)))
}

/// The line to type in, and the list.
pub fn places(state: &State) -> (Rect, Rect) {
    let inner = layout::inner(outer(state));
    let field = Rect { height: inner.height.min(1), ..inner };
    (field, Rect { y: field.bottom(), height: inner.height - field.height, ..inner })
}

/// Draws the window.
pub fn draw(state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let (field, list) = places(state);
    let rows = palette::rows(state);
    let theme = &state.skin.theme;
    let role = ThemeRole::Catalog;
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let note = format!("{} of {}", rows.len(), palette::most(state));
    let place = frame::position(cursor.at, rows.len());
    PaneBorder { title: "Palette", note, place, role, active: Active::Yes }.draw(&state.skin, outer, buffer);
    let widest = ACTIONS.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let window = cursor.window(rows.len(), usize::from(list.height));
    let top = window.start;
    for (nth, found) in rows.get(window).unwrap_or_default().iter().enumerate() {
        let place = Rect { y: list.y + u16::try_from(nth).unwrap_or(0), height: 1, ..list };
        row(state, found, widest, list.width).draw(
            RowCursor::of(top + nth, cursor.at, Active::Yes),
            role,
            place,
            buffer,
        );
    }
    if rows.is_empty() && !list.is_empty() {
        let sentence = "No action has these letters in its name or description.";
        buffer.set_stringn(list.x + 1, list.y, sentence, usize::from(list.width) - 1, theme.style(ThemeRole::Infra));
    }
    frame::scrollbar(&state.skin, list, rows.len(), top, theme.style(role), buffer);
    if field.width > 4 {
        buffer.set_stringn(field.x + 1, field.y, ":", 1, theme.style(role));
        let place = Rect { x: field.x + 3, width: field.width - 4, ..field };
        let typed = &state.palette;
        let at = prompt::draw(typed.text(), typed.cursor(), &[], theme.style(ThemeRole::Strong), place, buffer);
        frame.set_cursor_position(at);
    }
}

fn row<'a>(state: &'a State, found: &PaletteRow, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, width);
    let possible = found.why_not.is_none();
    let (name, text) =
        if possible { (theme.style(ThemeRole::Text), theme.style(ThemeRole::Infra)) } else { (grey, grey) };
    let columns = widest.min(row.room() / 2);
    marked(&mut row, state, found.entry.name, columns, &found.in_name, name);
    row.gap();
    let keys = found.entry.keys.join(" ");
    row.cell(&keys, KEYS, if possible { theme.style(ThemeRole::Catalog) } else { grey });
    match &found.why_not {
        Some(why) => {
            row.text(&cells::clean(why), text);
        }
        None => {
            let room = row.room();
            marked(&mut row, state, found.entry.description, room, &found.in_description, text);
        }
    }
    row
}

/// A text in exactly so many columns, with the characters at `hits` marked.
fn marked(row: &mut ListRow<'_>, state: &State, text: &str, columns: usize, hits: &[u32], style: Style) {
    let text = cells::pad(text, columns, state.skin.glyphs.ellipsis);
    let mark = state.skin.theme.style(ThemeRole::Match);
    let mut pieces: Vec<Span<'_>> = Vec::new();
    let is_hit = |at: usize| u32::try_from(at).is_ok_and(|at| hits.contains(&at));
    for (at, c) in text.chars().enumerate() {
        let style = if is_hit(at) { style.patch(mark) } else { style };
        match pieces.last_mut() {
            Some(piece) if piece.style == style => piece.content.to_mut().push(c),
            _ => pieces.push(Span::styled(c.to_string(), style)),
        }
    }
    for piece in pieces {
        row.text(&piece.content, piece.style);
    }
}
