//! What reaches the screen, as plain values: keys by what they mean where the person is, answers of the engine, and the
//! terminal's size. And what the screen asks of the world in return.

use ratatui::layout::Size;

use crate::desk::Spot;
use crate::engine::{Command, Event, Snapshot};

use super::action::{self, Action, Context};
use super::key::Key;
use super::pane::Pane;
use super::state::{Overlay, Part, State, Typing};

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
    /// Open this place in the editor.
    Edit(Spot),
    /// Put this on the clipboard.
    Copy(String),
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
        (Some(Overlay::Palette(_)), _) => vec![Context::Palette, Context::Field, Context::Always],
        (Some(Overlay::Clear), _) => vec![Context::Question, Context::Always],
        (Some(Overlay::Help(_) | Overlay::Problems(_)), _) => vec![Context::Overlay, Context::List, Context::Always],
        (None, Some(typing)) => vec![field(typing), Context::Field, Context::Always],
        (None, None) => below(state),
    }
}

/// Where keys go when no window and no text field is open.
pub fn below(state: &State) -> Vec<Context> {
    let part = match (state.part, state.focus) {
        (Part::Detail, Pane::Catalog) => Some(Context::Details),
        (Part::Detail, Pane::Hints) => Some(Context::Feed),
        (Part::Values, Pane::Templates) => Some(Context::Values),
        _ => None,
    };
    let pane = [Context::Pane(state.focus), Context::List, Context::Global, Context::Always];
    part.into_iter().chain(pane).collect()
}

fn field(typing: Typing) -> Context {
    match typing {
        Typing::Filter => Context::Filter,
        Typing::Prompt => Context::Prompt,
        Typing::Search => Context::Search,
        Typing::FeedFilter => Context::FeedFilter,
        Typing::Value => Context::Value,
        Typing::Palette => Context::Palette,
    }
}
