//! A window with a list and, below a rule, the details of the row under the cursor: its area, its rows, and
//! its drawing.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Titles, WindowRows, centred, draw_frame, draw_text, list_and_details, wide};
use crate::tui::layout;
use crate::tui::pane_view::DrawnList;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::frame;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::{Active, ListRow};

pub(super) struct ListPage {
    /// Maximum width of the window, with its border.
    pub columns: u16,
    /// Minimum height of the window, with its border.
    pub least_rows: usize,
    /// Rows of the details, with the rule above them.
    pub details: u16,
    pub len: usize,
}

/// The texts on the border and the rule.
pub(super) struct ListTitles {
    pub title: &'static str,
    pub note: String,
    pub role: ThemeRole,
    pub caption: &'static str,
}

impl ListPage {
    pub fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, self.columns), (self.len + 2 + usize::from(self.details)).max(self.least_rows))
    }

    pub fn rows(&self, state: &State) -> WindowRows {
        WindowRows { place: self.parts(state).0, len: self.len, is_list: true }
    }

    /// The areas of the list, the rule and the details.
    pub fn parts(&self, state: &State) -> (Rect, Rect, Rect) {
        list_and_details(layout::inner(self.outer(state)), self.len, self.details)
    }

    /// Draws the window. `row` builds a row of the given width.
    pub fn draw<'a>(
        &self,
        state: &State,
        cursor: Cursor,
        titles: ListTitles,
        row: impl Fn(usize, u16) -> Option<ListRow<'a>>,
        details: &WrappedText,
        frame: &mut Frame<'_>,
    ) {
        let ListTitles { title, note, role, caption } = titles;
        let ((place, rule, detail), buffer) = (self.parts(state), frame.buffer_mut());
        let titles = Titles { title, note, place: frame::position(cursor.at, self.len) };
        draw_frame(state, titles, role, self.outer(state), buffer);
        let list = DrawnList { place, len: self.len, cursor, active: Active::Yes, role };
        list.draw(&state.skin, buffer, |at| row(at, place.width));
        frame::rule(&state.skin, rule, caption, state.skin.theme.style(ThemeRole::Infra), buffer);
        draw_text(state, details, 0, detail, buffer);
    }
}
