//! Asks before a saved filter is replaced or removed, because neither can be undone.

use std::borrow::Cow;

use super::jump::{self, JumpKind};
use super::{Handled, TextPage, Window, paragraphs, save_filter, text_columns};
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::WrappedText;

pub struct SavedFilter;

const COLUMNS: u16 = 64;

/// The pending question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FilterQuestion {
    #[default]
    Nothing,
    /// Save the catalog's filter under this name, which another filter already has.
    Replace(String),
    Remove(String),
}

impl Window for SavedFilter {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        Some(TextPage::new("Saved filter", ThemeRole::Warning, COLUMNS, Cow::Owned(text(state))))
    }

    fn update(&self, state: &mut State, action: Action, _: &mut Vec<Effect>) -> Handled {
        if !matches!(action, Action::Confirm | Action::Back) {
            return Handled::Ignored;
        }
        let is_wanted = action == Action::Confirm;
        match std::mem::take(&mut state.filter_question) {
            FilterQuestion::Replace(name) if is_wanted => save_filter::save(state, &name),
            FilterQuestion::Replace(_) => save_filter::open(state),
            FilterQuestion::Remove(name) => {
                if is_wanted && let Some(line) = state.named_filters.remove(&name) {
                    state.note(format!("removed the filter {name}: {line}"));
                }
                match state.named_filters.is_empty() {
                    true => state.window = None,
                    false => jump::open(state, Some(JumpKind::Filter)),
                }
            }
            FilterQuestion::Nothing => state.window = None,
        }
        Handled::Consumed
    }
}

pub fn ask(state: &mut State, question: FilterQuestion) {
    state.filter_question = question;
    state.open(super::WindowKind::SavedFilter);
}

fn text(state: &State) -> WrappedText {
    let line = |name: &String| state.named_filters.get(name).map_or("", String::as_str);
    let question = match &state.filter_question {
        FilterQuestion::Nothing => String::new(),
        FilterQuestion::Replace(name) => {
            format!(
                "Replace the saved filter {name}? It is {} now, and would be {}.",
                line(name),
                state.catalog.filter.text()
            )
        }
        FilterQuestion::Remove(name) => format!("Remove the saved filter {name}? It is {}.", line(name)),
    };
    let columns = text_columns(COLUMNS.min(state.layout().body.width));
    paragraphs([(cells::clean(&question), ThemeRole::Text)], columns)
}
