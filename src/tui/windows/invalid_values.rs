//! Shown after the editor returned invalid JSON: the location of the error, and whether to edit again.

use std::borrow::Cow;

use super::{Handled, TextPage, Window, paragraphs, text_columns};
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::templates::json;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::WrappedText;

pub struct InvalidValues;

const COLUMNS: u16 = 68;

impl Window for InvalidValues {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        Some(TextPage::new("Values", ThemeRole::Warning, COLUMNS, Cow::Owned(text(state))))
    }

    fn confirm(&self, state: &mut State, effects: &mut Vec<Effect>) -> Handled {
        json::open(state, effects);
        Handled::Consumed
    }
}

fn text(state: &State) -> WrappedText {
    let error = state.templates.draft.as_ref().and_then(|draft| draft.error.as_deref()).unwrap_or_default();
    let message = format!("The values are not valid JSON: {error}");
    let edit = state.key(Action::EditValues);
    let question =
        format!("Edit them again? Your text is kept until it is valid or you type other values; {edit} opens it too.");
    let columns = COLUMNS.min(state.layout().body.width);
    paragraphs([(message, ThemeRole::Error), (question, ThemeRole::Text)], text_columns(columns))
}
