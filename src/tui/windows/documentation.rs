//! What documenting databases would write: the plan, the pages with their differences, the sources. What is written is exactly
//! what is shown.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{
    Handled, Titles, Window, WindowRows, centred, draw_frame, draw_scrolled, draw_text, paragraphs, text_and_keys,
    text_columns, visible_lines, wide,
};
use crate::tui::action::{Action, KeyContext};
use crate::tui::databases::{RunState, run};
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;

pub struct DocumentationWindow;

/// The most columns.
const COLUMNS: u16 = 130;

impl Window for DocumentationWindow {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::Documentation, KeyContext::List, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        let body = state.layout().body;
        centred(body, wide(body, COLUMNS), len(state).max(3) + 4)
    }

    fn rows(&self, state: &State) -> WindowRows {
        let place = text_and_keys(state, layout::inner(self.outer(state))).0;
        WindowRows { place, len: len(state), is_list: false }
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(text_and_keys(state, layout::inner(self.outer(state))).1)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match &state.databases.run {
            RunState::Preparing => Some("the databases are still being read".to_owned()),
            RunState::Prepared { run, .. } if run.preview.is_up_to_date => Some("there is nothing to write".to_owned()),
            RunState::Prepared { .. } => None,
            RunState::Idle | RunState::Failed(_) | RunState::Writing { .. } => Some("nothing is prepared".to_owned()),
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

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let (outer, buffer) = (self.outer(state), frame.buffer_mut());
        let place = text_and_keys(state, layout::inner(outer)).0;
        let position = visible_lines(cursor.top, len(state), place);
        let titles = Titles { title: "Document the database", note: String::new(), place: position };
        draw_frame(state, titles, ThemeRole::Transitive, outer, buffer);
        match &state.databases.run {
            RunState::Prepared { text, .. } => {
                draw_scrolled(state, text, cursor.top, ThemeRole::Transitive, place, buffer);
            }
            _ => draw_text(state, &sentence(state), 0, place, buffer),
        }
    }
}

fn len(state: &State) -> usize {
    match &state.databases.run {
        RunState::Prepared { text, .. } => text.len(),
        _ => sentence(state).len(),
    }
}

/// Shown while there is no preview.
fn sentence(state: &State) -> WrappedText {
    let columns = text_columns(wide(state.layout().body, COLUMNS));
    let (text, role) = match &state.databases.run {
        RunState::Failed(error) => (fix::sentence(state, error), ThemeRole::Error),
        RunState::Preparing => ("Reading the schema, and what is there of its pages.".to_owned(), ThemeRole::Infra),
        RunState::Idle | RunState::Prepared { .. } | RunState::Writing { .. } => (String::new(), ThemeRole::Infra),
    };
    paragraphs([(text.as_str(), role)], columns)
}
