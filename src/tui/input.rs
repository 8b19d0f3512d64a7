//! The inputs of the screen as plain values (resolved keys, answers, sizes), and the effects that it requests.

use crossterm::event::{KeyCode, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Size};

use refdesk_desk::FileLine;
use refdesk_desk::engine::{Event, Request, Response, Snapshot};

use crate::tui::action::{Action, KeyContext, Pressed};
use crate::tui::highlight::{CodePiece, HighlightSubject, Spans};
use crate::tui::key::{Key, KeySequence};
use crate::tui::pane::Pane;
use crate::tui::state::{Mouse, PanePart, State, Typing};
use crate::tui::theme::Background;
use crate::tui::widgets::motion::Motion;
use crate::tui::windows;

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "each is made once, handed on once, and never kept")]
pub enum Input {
    Act(Action),
    /// Keys that start a chord; empty if it was cancelled.
    Chord(Vec<Key>),
    /// Keys without a binding in this context.
    Unbound(KeySequence),
    /// Text typed into a field: one character, or several that arrived together.
    Type(String),
    Paste(String),
    /// The primary mouse button was pressed here.
    Click(Position),
    /// The mouse moved here with the button held.
    Drag(Position),
    Release,
    /// The wheel was turned up or down over this position.
    Wheel(Motion, Position),
    Resize(Size),
    /// The terminal reports whether its background is light or dark.
    Background(Background),
    Snapshot(Box<Snapshot>),
    Event(Event),
    /// The engine's answer to a request, and the question's number, if it was a question.
    Answer {
        question: Option<u64>,
        response: Response,
    },
    /// The highlighting of some lines of a text, counted across all its pieces.
    Highlighted {
        subject: HighlightSubject,
        generation: u64,
        /// The first of the lines.
        from: usize,
        colours: Vec<Spans>,
    },
    /// The edited values; `None` if the editor failed.
    Edited(Option<String>),
    /// The engine's queue is full and did not accept a change.
    Busy,
    /// The cursor of the catalog is at rest, so its document may be loaded.
    Rest,
}

/// An action outside the screen's state.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the engine; answered by [`Input::Answer`].
    Ask(Request),
    Quit,
    /// Stop until resumed.
    Suspend,
    Redraw,
    /// Ask the terminal whether its background is light or dark; answered by [`Input::Background`].
    AskBackground,
    /// Turn mouse reporting on, or leave the mouse to the terminal.
    Mouse(Mouse),
    Edit(FileLine),
    /// Hand the terminal to this refdesk command.
    RunInForeground(ForegroundCommand),
    /// Open this text in the editor, at this line; answered by [`Input::Edited`].
    EditText {
        text: String,
        /// From 1.
        line: usize,
    },
    /// Highlight this text; answered by [`Input::Highlighted`].
    Highlight {
        subject: HighlightSubject,
        generation: u64,
        pieces: Vec<CodePiece>,
    },
    Copy(String),
}

/// A command that takes over the terminal, because it asks questions or has its own screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ForegroundCommand {
    /// The demo with its tour.
    Demo,
    /// Connects the agents of this machine.
    Connect,
    /// Adds this path or URL.
    Add(String),
}

/// The input for this key in the current context; `None` if it is not bound.
pub fn of_key(state: &State, key: Key) -> Option<Input> {
    let contexts = contexts(state);
    let pressed = [state.chord.as_slice(), &[key]].concat();
    match state.keymap.pressed(&pressed, &contexts) {
        Pressed::Bound(entry) => return Some(Input::Act(entry.action)),
        Pressed::Begins => return Some(Input::Chord(pressed)),
        Pressed::Nothing if state.chord.is_empty() => {}
        Pressed::Nothing if key.code == KeyCode::Esc => return Some(Input::Chord(Vec::new())),
        Pressed::Nothing => {
            // A key that is always bound, such as quit, also works in the middle of a chord.
            let always = state.keymap.bound(&[key], &[KeyContext::Always]);
            return Some(always.map_or_else(|| Input::Unbound(KeySequence::new(&pressed)), |it| Input::Act(it.action)));
        }
    }
    if contexts.iter().any(|context| context.is_typed()) {
        return key.typed().map(|c| Input::Type(c.to_string()));
    }
    Some(Input::Unbound(KeySequence::new(&pressed)))
}

/// The input for this mouse event; `None` if it has no effect.
pub fn of_mouse(event: MouseEvent) -> Option<Input> {
    let at = Position { x: event.column, y: event.row };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => Some(Input::Click(at)),
        MouseEventKind::Drag(MouseButton::Left) => Some(Input::Drag(at)),
        MouseEventKind::Up(MouseButton::Left) => Some(Input::Release),
        MouseEventKind::ScrollUp => Some(Input::Wheel(Motion::Up, at)),
        MouseEventKind::ScrollDown => Some(Input::Wheel(Motion::Down, at)),
        _ => None,
    }
}

/// The contexts that receive keys now, nearest first.
pub fn contexts(state: &State) -> Vec<KeyContext> {
    if let Some(contexts) = windows::contexts(state) {
        return contexts;
    }
    match state.typing {
        Some(typing) => vec![field(typing), KeyContext::Field, KeyContext::Always],
        // Text and the key that ends it are told apart; `update` ignores the others.
        None if state.lost_field.is_some() => vec![KeyContext::Value, KeyContext::Field, KeyContext::Always],
        // Any other key closes the request, as `update` decides.
        None if state.ended_request().is_some() => vec![KeyContext::Always],
        None => below(state),
    }
}

/// The context that receives keys while no window and no text field is open.
pub fn below(state: &State) -> Vec<KeyContext> {
    if let Some(view) = state.view.key_context() {
        return vec![view, KeyContext::List, KeyContext::Global, KeyContext::Always];
    }
    let part = match (state.part, state.focus) {
        (PanePart::Detail, Pane::Catalog) => Some(KeyContext::Details),
        (PanePart::Detail, Pane::Hints) => Some(KeyContext::Feed),
        (PanePart::Values, Pane::Templates) => Some(KeyContext::Values),
        _ => None,
    };
    let pane = match state.is_request_focused() {
        true if state.in_request() => KeyContext::Request,
        true => KeyContext::NextRequest,
        false => KeyContext::Pane(state.focus),
    };
    let pane = [pane, KeyContext::List, KeyContext::Global, KeyContext::Always];
    part.into_iter().chain(pane).collect()
}

fn field(typing: Typing) -> KeyContext {
    match typing {
        Typing::Filter(_) => KeyContext::Filter,
        Typing::Prompt => KeyContext::Prompt,
        Typing::Search => KeyContext::Search,
        Typing::Value => KeyContext::Value,
    }
}
