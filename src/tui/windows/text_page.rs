//! A window that shows one text, with or without a row for its keys: its area, its rows, and its drawing.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{FRAME_WIDTH, Titles, WindowRows, centred, draw_frame, draw_scrolled, text_and_keys, visible_lines};
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;

/// The least and the greatest width of a window with one choice per line, with its border.
const CHOICES: (u16, u16) = (76, 110);

/// The width of a window in which each of these choices has its own line. They are whole if the screen is wide enough.
pub(super) fn choice_columns(state: &State, choices: impl Iterator<Item = String>) -> u16 {
    let (least, most) = CHOICES;
    let widest = choices.map(|choice| cells::width(&choice) + usize::from(FRAME_WIDTH)).max().unwrap_or(0);
    u16::try_from(widest).unwrap_or(most).clamp(least, most).min(state.layout().body.width)
}

pub(super) struct TextPage<'a> {
    pub title: &'static str,
    pub note: String,
    pub role: ThemeRole,
    /// Width of the window, with its border.
    pub columns: u16,
    pub text: Cow<'a, WrappedText>,
    /// Minimum height of the window, with its border.
    pub least_rows: usize,
    pub has_keys: bool,
}

impl<'a> TextPage<'a> {
    pub fn new(title: &'static str, role: ThemeRole, columns: u16, text: Cow<'a, WrappedText>) -> Self {
        Self { title, note: String::new(), role, columns, text, least_rows: 0, has_keys: true }
    }

    pub fn outer(&self, state: &State) -> Rect {
        let around = if self.has_keys { 4 } else { 2 };
        centred(state.layout().body, self.columns, (self.text.len() + around).max(self.least_rows))
    }

    pub fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: self.place(state), len: self.text.len(), is_list: false }
    }

    pub fn keys(&self, state: &State) -> Option<Rect> {
        self.has_keys.then(|| text_and_keys(state, layout::inner(self.outer(state))).1)
    }

    pub fn draw(self, state: &State, top: usize, buffer: &mut Buffer) {
        let (outer, place) = (self.outer(state), self.place(state));
        let position = visible_lines(top, self.text.len(), place);
        draw_frame(state, Titles { title: self.title, note: self.note, place: position }, self.role, outer, buffer);
        draw_scrolled(state, &self.text, top, self.role, place, buffer);
    }

    /// The line of the text at this position.
    pub fn line_at(&self, state: &State, at: Position) -> Option<usize> {
        state.window?.cursor.row_at(self.place(state), self.text.len(), at)
    }

    /// The place of the text.
    pub fn place(&self, state: &State) -> Rect {
        let inner = layout::inner(self.outer(state));
        if self.has_keys { text_and_keys(state, inner).0 } else { inner }
    }
}
