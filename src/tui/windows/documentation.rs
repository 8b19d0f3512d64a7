//! What documenting databases would write: the plan, the pages with their diffs, the sources. Exactly what is
//! shown is written.

use std::borrow::Cow;

use super::{Handled, TextPage, Window, paragraphs, text_columns, wide};
use crate::tui::action::Action;
use crate::tui::databases::{RunState, run};
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::WrappedText;

pub struct DocumentationWindow;

/// Maximum width.
const COLUMNS: u16 = 130;

impl Window for DocumentationWindow {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let text = match &state.databases.run {
            RunState::Prepared { text, .. } => Cow::Borrowed(text),
            _ => Cow::Owned(sentence(state)),
        };
        let columns = wide(state.layout().body, COLUMNS);
        let page = TextPage::new("Document the database", ThemeRole::Transitive, columns, text);
        Some(TextPage { least_rows: 7, ..page })
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match &state.databases.run {
            RunState::Preparing => Some("the databases are still being read".to_owned()),
            RunState::Prepared { run, .. } if run.preview.is_up_to_date => Some("there is nothing to write".to_owned()),
            RunState::Prepared { .. } => None,
            RunState::Idle | RunState::Failed(_) | RunState::Writing { .. } => {
                Some("nothing has been prepared".to_owned())
            }
        }
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => run::write(state, effects),
            Action::Back => {
                state.window = None;
                run::pause(state, effects);
            }
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    /// Wraps the text again if the width has changed.
    fn after_input(&self, state: &mut State, _: &mut Vec<Effect>) {
        let wanted = text_columns(wide(state.layout().body, COLUMNS));
        let lines = match &state.databases.run {
            RunState::Prepared { run, columns, .. } if *columns != wanted => run::text(state, &run.preview),
            _ => return,
        };
        if let RunState::Prepared { text, columns, .. } = &mut state.databases.run {
            (*text, *columns) = (WrappedText::new(lines, wanted), wanted);
        }
    }
}

/// Shown while there is no preview.
fn sentence(state: &State) -> WrappedText {
    let columns = text_columns(wide(state.layout().body, COLUMNS));
    let (text, role) = match &state.databases.run {
        RunState::Failed(error) => (fix::sentence(state, error), ThemeRole::Error),
        RunState::Preparing => ("Reading the schema and the existing pages.".to_owned(), ThemeRole::Infra),
        RunState::Idle | RunState::Prepared { .. } | RunState::Writing { .. } => (String::new(), ThemeRole::Infra),
    };
    paragraphs([(text, role)], columns)
}
