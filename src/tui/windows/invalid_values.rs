//! Shown after the editor returned invalid JSON: says where the error is, and asks whether to edit again.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Titles, Window, centred, draw_frame, draw_text, paragraphs, text_and_keys, text_columns};
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::templates::json;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;

pub struct InvalidValues;

const COLUMNS: u16 = 68;

impl Window for InvalidValues {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Question, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        centred(state.layout().body, COLUMNS, text(state).len() + 4)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(text_and_keys(state, layout::inner(self.outer(state))).1)
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => {
                json::open(state, effects);
                Handled::Consumed
            }
            _ => Handled::Ignored,
        }
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let (outer, buffer) = (self.outer(state), frame.buffer_mut());
        let titles = Titles { title: "Values", ..Titles::default() };
        draw_frame(state, titles, ThemeRole::Warning, outer, buffer);
        draw_text(state, &text(state), 0, text_and_keys(state, layout::inner(outer)).0, buffer);
    }
}

fn text(state: &State) -> WrappedText {
    let error = state.templates.draft.as_ref().and_then(|draft| draft.error.as_deref()).unwrap_or_default();
    let said = format!("The values are not valid JSON: {error}");
    let edit = state.key(Action::EditValues);
    let question =
        format!("Edit them again? Your text is kept until it is valid or you type other values; {edit} opens it too.");
    let columns = COLUMNS.min(state.layout().body.width);
    paragraphs([(said.as_str(), ThemeRole::Error), (question.as_str(), ThemeRole::Text)], text_columns(columns))
}
