//! The last messages of the bottom line, the newest first: what was done, what followed, how to undo it, and errors.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Titles, Window, WindowKind, WindowRows, centred, draw_frame, draw_text, list_and_details, paragraphs, text_columns,
    wide,
};
use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::messages::KEPT;
use crate::tui::pane_view::DrawnList;
use crate::tui::state::{MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::row::{Active, ListRow};
use crate::tui::widgets::{cells, frame};

pub struct MessagesView;

/// Rows of the details, with the rule above them.
const DETAILS: u16 = 5;

impl Window for MessagesView {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Window, KeyContext::List, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, 120), (state.messages.last.len() + 2 + usize::from(DETAILS)).max(12))
    }

    fn rows(&self, state: &State) -> WindowRows {
        let (place, ..) = list_and_details(layout::inner(self.outer(state)), state.messages.last.len(), DETAILS);
        WindowRows { place, len: state.messages.last.len(), is_list: true }
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let outer = self.outer(state);
        let (list, rule, detail) = list_and_details(layout::inner(outer), state.messages.last.len(), DETAILS);
        let (theme, buffer, all) = (&state.skin.theme, frame.buffer_mut(), &state.messages.last);
        let role = ThemeRole::Hints;
        let note = if all.len() < KEPT { String::new() } else { format!("the last {KEPT}") };
        draw_frame(
            state,
            Titles { title: "Messages", note, place: frame::position(cursor.at, all.len()) },
            role,
            outer,
            buffer,
        );
        let drawn = DrawnList { place: list, len: all.len(), cursor, active: Active::Yes, role };
        drawn.draw(&state.skin, buffer, |at| {
            let message = all.get(at)?;
            let (word, colour) = kind(message.tone);
            let mut row = ListRow::new(&state.skin, list.width);
            row.cell(word, 8, theme.style(colour));
            row.text(&cells::sentence(&message.text), theme.style(ThemeRole::Text));
            Some(row)
        });
        frame::rule(&state.skin, rule, "the whole message", theme.style(ThemeRole::Infra), buffer);
        let text = all.get(cursor.at).map_or("No messages yet.".into(), |message| cells::sentence(&message.text));
        let text = paragraphs([(&*text, ThemeRole::Text)], text_columns(outer.width));
        draw_text(state, &text, 0, detail, buffer);
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

/// Opens the window: its errors are read.
pub fn open(state: &mut State) {
    state.messages.read();
    state.open(WindowKind::Messages);
}
