//! The recent messages of the bottom line, newest first: what was done, its consequences, how to undo it, and errors.

use ratatui::Frame;

use super::{ListPage, ListTitles, Titles, Window, WindowKind, draw_frame, paragraphs, text_columns};
use crate::tui::layout;
use crate::tui::messages::{KeptMessage, MAX_MESSAGES};
use crate::tui::pane_view;
use crate::tui::state::{MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::ListRow;

pub struct MessagesView;

impl Window for MessagesView {
    fn list(&self, state: &State) -> Option<ListPage> {
        Some(ListPage { columns: 120, least_rows: 12, details: 5, len: state.messages.last.len() })
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let Some(list) = self.list(state) else { return };
        let (theme, all) = (&state.skin.theme, &state.messages.last);
        if all.is_empty() {
            let (outer, buffer) = (list.outer(state), frame.buffer_mut());
            let titles = Titles { title: "Messages", note: String::new(), place: String::new() };
            draw_frame(state, titles, ThemeRole::Hints, outer, buffer);
            let none = "No messages yet: what you do and what follows is listed here.";
            return pane_view::draw_empty(state, none, layout::inner(outer), buffer);
        }
        let note = if all.len() < MAX_MESSAGES { String::new() } else { format!("the last {MAX_MESSAGES}") };
        let titles = ListTitles { title: "Messages", note, role: ThemeRole::Hints, caption: "the whole message" };
        let row = |at: usize, width| {
            let KeptMessage { time, message } = all.get(at)?;
            let (word, colour) = kind(message.tone);
            let mut row = ListRow::new(&state.skin, width);
            if !time.is_empty() {
                row.cell(time, cells::width(time), theme.style(ThemeRole::Infra));
            }
            row.cell(word, 8, theme.style(colour));
            row.text(&cells::sentence(&message.text), theme.style(ThemeRole::Text));
            Some(row)
        };
        let whole = |text: &str, role| paragraphs([(text, role)], text_columns(list.outer(state).width));
        let text = all.get(cursor.at).map(|kept| whole(&cells::sentence(&kept.message.text), ThemeRole::Text));
        list.draw(state, cursor, titles, row, &text.unwrap_or_default(), frame);
    }
}

fn kind(tone: MessageKind) -> (&'static str, ThemeRole) {
    match tone {
        MessageKind::Note | MessageKind::Explanation | MessageKind::Unbound => ("note", ThemeRole::Infra),
        MessageKind::Done => ("done", ThemeRole::Selection),
        MessageKind::Refusal => ("not done", ThemeRole::Warning),
        MessageKind::Error | MessageKind::Problem => ("error", ThemeRole::Error),
    }
}

/// Opens the window and marks its errors as read.
pub fn open(state: &mut State) {
    state.messages.read();
    state.open(WindowKind::Messages);
}
