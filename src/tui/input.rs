//! What reaches the screen, as plain values: keys by what they mean where the person is, answers of the engine, and the
//! terminal's size. And what the screen asks of the world in return.

use ratatui::layout::Size;

use crate::engine::{Command, Event, Snapshot};

use super::action::{self, Action, Context};
use super::key::Key;
use super::state::{State, Typing};

/// Something that happened.
#[derive(Debug, Clone)]
pub enum Input {
    /// A key that means an action.
    Act(Action),
    /// A key that means nothing here.
    Unbound(Key),
    /// A character typed into a text field.
    Type(char),
    /// A text pasted.
    Paste(String),
    /// The terminal has another size.
    Resize(Size),
    /// The desk changed.
    Snapshot(Box<Snapshot>),
    /// The engine said something.
    Answer(Event),
    /// A command that the engine's full queue did not take.
    Busy,
}

/// Something to be done outside the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the engine.
    Send(Command),
    /// Leave.
    Quit,
    /// Stop until resumed.
    Suspend,
    /// Forget what the terminal shows and draw all of it.
    Redraw,
}

/// What this key means now; `None` if nothing.
pub fn of_key(state: &State, key: Key) -> Option<Input> {
    if let Some(entry) = action::bound(key, &contexts(state)) {
        return Some(Input::Act(entry.action));
    }
    match state.typing {
        Some(_) => key.typed().map(Input::Type),
        None => Some(Input::Unbound(key)),
    }
}

/// Where keys go now, the nearest context first.
pub fn contexts(state: &State) -> Vec<Context> {
    match (state.overlay, state.typing) {
        (Some(_), _) => vec![Context::Overlay, Context::List, Context::Always],
        (None, Some(Typing::Filter)) => vec![Context::Filter, Context::Field, Context::Always],
        (None, Some(Typing::Prompt)) => vec![Context::Prompt, Context::Field, Context::Always],
        (None, None) => vec![Context::Pane(state.focus), Context::List, Context::Global, Context::Always],
    }
}
