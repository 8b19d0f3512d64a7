//! The filter line above a list, with the number of matching rows or the problem with the filter.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::state::Skin;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::{cells, prompt};

/// The minimum width of the filter's text.
const FILTER: usize = 12;

#[derive(Debug)]
pub struct FilterLine<'a> {
    pub filter: &'a TextField,
    pub typing: bool,
    pub fault: Option<&'a str>,
    /// The number of matching rows, and of all rows.
    pub kept: (usize, usize),
    pub role: ThemeRole,
}

impl FilterLine<'_> {
    /// The columns for the matching rows or the problem, with a blank after it, in a line of this width.
    pub fn note_columns(width: u16) -> usize {
        usize::from(width).saturating_sub(4 + FILTER)
    }

    pub fn draw(&self, skin: &Skin, place: Rect, frame: &mut Frame<'_>) {
        let theme = &skin.theme;
        let (note, role) = match self.fault {
            Some(fault) => (format!("{fault} "), ThemeRole::Warning),
            None => (format!("{} of {} ", cells::grouped(self.kept.0), cells::grouped(self.kept.1)), ThemeRole::Infra),
        };
        let note = cells::clip(&note, Self::note_columns(place.width), skin.glyphs.ellipsis);
        let columns = u16::try_from(cells::width(&note)).unwrap_or(0);
        let buffer = frame.buffer_mut();
        buffer.set_stringn(place.x + 1, place.y, "/", 1, theme.style(self.role));
        let text = Rect { x: place.x + 3, width: place.width.saturating_sub(4 + columns), ..place };
        if text.width == 0 {
            return;
        }
        buffer.set_stringn(text.right(), place.y, &note, usize::from(columns), theme.style(role));
        let style = theme.style(ThemeRole::Strong);
        if self.typing {
            let at = prompt::draw(self.filter.text(), self.filter.cursor(), &[], style, text, buffer);
            frame.set_cursor_position(at);
        } else {
            prompt::draw_start(self.filter.text(), skin.glyphs.ellipsis, style, text, buffer);
        }
    }
}
