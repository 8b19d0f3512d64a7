//! Borders with titles, counts, position and scrollbar, and the rules within a pane. All grey, except those
//! of the focused pane.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Widget};

use crate::tui::state::Skin;
use crate::tui::theme::ThemeRole;

use crate::tui::widgets::cells;
use crate::tui::widgets::row::Active;

/// A note is left out where it has no room for this width.
pub const MIN_NOTE: usize = 4;

/// The texts on a pane's border.
#[derive(Debug, Clone)]
pub struct PaneBorder<'a> {
    pub title: &'a str,
    /// Shown at the top right if it fits; must be clean.
    pub note: String,
    pub place: String,
    pub role: ThemeRole,
    pub active: Active,
}

impl PaneBorder<'_> {
    pub fn draw(&self, skin: &Skin, outer: Rect, buffer: &mut Buffer) {
        let outer = outer.intersection(buffer.area);
        let (set, line) = match self.active {
            Active::Yes => (skin.glyphs.focused, skin.theme.style(self.role)),
            Active::No => (skin.glyphs.plain, skin.theme.style(ThemeRole::Infra)),
        };
        Block::bordered().border_set(set).border_style(line).render(outer, buffer);
        let mut title = skin.theme.style(self.role);
        if self.active == Active::Yes {
            title = title.add_modifier(Modifier::BOLD);
        }
        let room = title_room(outer) + 2;
        let name = match self.title {
            "" => String::new(),
            title => format!(" {} ", cells::clip(title, room.saturating_sub(2), skin.glyphs.ellipsis)),
        };
        write(buffer, outer.x + 1, outer.y, &name, title, outer);
        let left = room.saturating_sub(cells::width(&name));
        if !self.note.is_empty() && left >= MIN_NOTE + 2 {
            let note = whole_figures(&self.note, left.saturating_sub(2), skin);
            written_right(skin, buffer, outer, outer.y, &note);
        }
        if !self.place.is_empty() && outer.height > 1 {
            written_right(skin, buffer, outer, outer.bottom() - 1, &self.place);
        }
    }
}

/// A note in this width, without its last field if the cut is in a figure: it would look like another figure.
fn whole_figures<'a>(note: &'a str, room: usize, skin: &Skin) -> Cow<'a, str> {
    let shown = cells::clip(note, room, skin.glyphs.ellipsis);
    let Cow::Owned(cut) = &shown else { return shown };
    let cut = cut.strip_suffix(skin.glyphs.ellipsis).unwrap_or(cut);
    if cut.ends_with(char::is_alphabetic) {
        return shown;
    }
    // With the blank at which it was cut.
    let head = note.get(..=cut.len()).unwrap_or(cut);
    let end = head.rfind(&format!(" {} ", skin.glyphs.dot)).max(head.rfind(", "));
    end.and_then(|end| note.get(..end)).map_or(shown, Cow::Borrowed)
}

/// The width of a title on the border of this area; a note beside it needs two columns more than its text.
pub fn title_room(outer: Rect) -> usize {
    usize::from(outer.width).saturating_sub(6)
}

/// The width of a caption on this rule.
pub fn rule_room(place: Rect) -> usize {
    usize::from(place.width).saturating_sub(6)
}

fn written_right(skin: &Skin, buffer: &mut Buffer, outer: Rect, y: u16, text: &str) {
    let text = format!(" {text} ");
    let columns = u16::try_from(cells::width(&text)).unwrap_or(u16::MAX);
    if columns + 2 <= outer.width {
        write(buffer, outer.right() - 1 - columns, y, &text, skin.theme.style(ThemeRole::Infra), outer);
    }
}

fn write(buffer: &mut Buffer, x: u16, y: u16, text: &str, style: Style, within: Rect) {
    let room = within.right().saturating_sub(x).saturating_sub(1);
    if within.contains((x, y).into()) {
        cells::put(buffer, (x, y), text, usize::from(room), Style::reset().patch(style));
    }
}

/// Draws a rule with a caption within a pane, joined to its border where they touch.
pub fn rule(skin: &Skin, place: Rect, caption: &str, style: Style, buffer: &mut Buffer) {
    let place = place.intersection(buffer.area);
    if place.is_empty() {
        return;
    }
    let line = skin.theme.style(ThemeRole::Infra);
    if place.width == 1 && place.height > 1 {
        for y in place.y..place.bottom() {
            buffer.set_stringn(place.x, y, skin.glyphs.column, 1, line);
        }
        return;
    }
    let rule = skin.glyphs.rule.repeat(usize::from(place.width));
    buffer.set_stringn(place.x, place.y, rule, usize::from(place.width), line);
    let room = rule_room(place);
    if !caption.is_empty() && room > 0 {
        let caption = format!(" {} ", cells::clip(caption, room, skin.glyphs.ellipsis));
        buffer.set_stringn(place.x + 1, place.y, caption, room + 2, Style::reset().patch(style));
    }
}

/// Draws a scrollbar thumb on the right border of a list that does not fit. `top` is the first visible of `len` rows.
pub fn scrollbar(skin: &Skin, list: Rect, len: usize, top: usize, style: Style, buffer: &mut Buffer) {
    let page = usize::from(list.height);
    let x = list.right();
    if page == 0 || len <= page || x >= buffer.area.right() {
        return;
    }
    let size = (page * page / len).max(1);
    let start = (top * (page - size)).div_ceil((len - page).max(1)).min(page - size);
    for y in start..start + size {
        let y = list.y.saturating_add(u16::try_from(y).unwrap_or(u16::MAX));
        if y < buffer.area.bottom() {
            buffer.set_stringn(x, y, skin.glyphs.thumb, 1, style);
        }
    }
}

/// `3/25` for the row under the cursor; empty for an empty list.
pub fn position(at: usize, len: usize) -> String {
    if len == 0 { String::new() } else { format!("{}/{}", cells::grouped(at + 1), cells::grouped(len)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;

    #[test]
    fn a_note_loses_whole_figures() {
        let skin = fixture::state(1, 1).skin;
        let note = "1 block · 1,174 bytes, ~293 tokens";
        for (room, shown) in [
            (34, note),
            (33, "1 block · 1,174 bytes, ~293 toke…"),
            (28, "1 block · 1,174 bytes"),
            (26, "1 block · 1,174 bytes"),
            (23, "1 block · 1,174 bytes"),
            (20, "1 block · 1,174 byt…"),
            (14, "1 block"),
            (10, "1 block"),
            (6, "1 blo…"),
            (2, "1…"),
        ] {
            assert_eq!(whole_figures(note, room, &skin), shown, "{room}");
        }
    }
}
