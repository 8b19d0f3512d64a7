//! One line to type: the path or address of a source to add. `refdesk add` does the rest, since it may have questions.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Window, WindowKind, one_line};
use crate::tui::action::{Action, KeyContext};
use crate::tui::input::{Effect, LentCommand};
use crate::tui::state::State;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;

pub struct AddSource;

impl Window for AddSource {
    fn contexts(&self) -> &'static [KeyContext] {
        &[KeyContext::AddSource, KeyContext::Field, KeyContext::Always]
    }

    fn outer(&self, state: &State) -> Rect {
        one_line::outer(state)
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(one_line::keys(state))
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.new_source)
    }

    fn disabled(&self, state: &State) -> Option<String> {
        state.new_source.text().trim().is_empty().then(|| "type a path or an address".to_owned())
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm => {}
            Action::Back if state.snapshot.catalog.is_empty() => {
                state.open(WindowKind::Welcome);
                return Handled::Consumed;
            }
            _ => return Handled::Ignored,
        }
        state.window = None;
        effects.push(Effect::Lend(LentCommand::Add(state.new_source.text().trim().to_owned())));
        Handled::Consumed
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let about = "A path, from the root of the workspace, or an address:";
        one_line::draw(state, "Add a file", about, &state.new_source, frame);
    }
}

pub fn open(state: &mut State) {
    state.new_source = TextField::default();
    state.typing = None;
    state.open(WindowKind::AddSource);
}
