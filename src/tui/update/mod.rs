//! What an input does to the state, and what it asks of the world: pure, one function in, one list of effects out. Each
//! kind of input has its file; this one only hands out the work and puts cursors back in their windows afterwards.

mod choose;
mod desk;
mod filtering;
mod go;
mod hinting;
mod reading;
mod typing;

use crate::engine::Command;

use super::action::{Action, Context, bound};
use super::disabled::disabled;
use super::input::{Effect, Input};
use super::key::Key;
use super::pane::Pane;
use super::state::{Message, Overlay, State, Tone};

/// Changes the state as the input says.
pub fn update(state: &mut State, input: Input) -> Vec<Effect> {
    let mut effects = Vec::new();
    match input {
        Input::Act(action) => act(state, action, &mut effects),
        Input::Type(c) => {
            state.message = None;
            typing::insert(state, c.encode_utf8(&mut [0; 4]), &mut effects);
        }
        Input::Unbound(key) => say(state, Tone::Refusal, unbound(state, key)),
        Input::Paste(text) => typing::paste(state, &text, &mut effects),
        Input::Resize(size) => state.size = size,
        Input::Snapshot(snapshot) => desk::snapshot(state, *snapshot, &mut effects),
        Input::Answer(event) => desk::answer(state, event),
        Input::Busy => say(state, Tone::Refusal, "the desk is busy and did not take this: try again".to_owned()),
    }
    settle(state);
    desk::ask_for_preview(state, &mut effects);
    reading::follow(state, &mut effects);
    effects
}

fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    state.message = None;
    if let Some(why) = disabled(state, action) {
        say(state, Tone::Refusal, why);
        return;
    }
    match action {
        Action::Quit => effects.push(Effect::Quit),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Redraw => effects.push(Effect::Redraw),
        Action::Help | Action::Problems | Action::Zoom | Action::Inside | Action::Back => go::open(state, action),
        Action::Focus(pane) => state.focus_on(pane),
        Action::NextPane => state.focus_on(state.focus.next()),
        Action::PreviousPane => state.focus_on(state.focus.previous()),
        Action::Move(motion) => go::step(state, motion),
        Action::Reload => choose::reload(state, effects),
        Action::Toggle | Action::Keep | Action::Exclude => choose::choose(state, action, effects),
        Action::Filter | Action::Prompt | Action::Accept | Action::Cancel => typing::open(state, action),
        Action::Edit(edit) => typing::edit(state, edit, effects),
        Action::Sort => filtering::sort(state),
        Action::Search => reading::open(state),
        Action::NextHit | Action::PreviousHit => reading::step(state, action),
        Action::Undo => effects.push(Effect::Send(Command::Undo)),
        Action::Redo => effects.push(Effect::Send(Command::Redo)),
        Action::Palette
        | Action::Confirm
        | Action::Border(_)
        | Action::Theme
        | Action::Mouse
        | Action::Clear
        | Action::Open
        | Action::Define
        | Action::CopyId
        | Action::CopyPath
        | Action::Feed
        | Action::FilterFeed
        | Action::Follow
        | Action::Values
        | Action::SetValue
        | Action::ResetValue => {}
    }
}

fn say(state: &mut State, tone: Tone, text: String) {
    state.message = Some(Message { text, tone });
}

/// Where else this key counts, or where to look.
fn unbound(state: &State, key: Key) -> String {
    if state.overlay.is_some() {
        return format!("{key} does nothing in this window: Esc closes it");
    }
    let entry = Pane::ALL.iter().find_map(|pane| bound(key, &[Context::Pane(*pane)]));
    match entry {
        Some(entry) => {
            let panes: Vec<String> = entry.contexts.iter().map(|context| context.title().to_lowercase()).collect();
            format!("{key} ({}) counts in {} only", entry.name, panes.join(", "))
        }
        None => format!("{key} does nothing here: ? shows the keys"),
    }
}

/// Puts every cursor back into its list and its window, whatever changed: the list, the terminal, the layout.
fn settle(state: &mut State) {
    for pane in Pane::ALL {
        let (len, page) = (state.len(pane), page(state, pane));
        state.cursor_mut(pane).settle(len, page);
    }
    if let Some(Overlay::Problems(mut cursor)) = state.overlay {
        cursor.settle(state.snapshot.diagnostics.len(), go::overlay_page(state));
        state.overlay = Some(Overlay::Problems(cursor));
    }
}

/// How many rows of this pane's list are visible.
fn page(state: &State, pane: Pane) -> usize {
    state.parts(pane).map_or(1, |parts| usize::from(parts.list.height))
}
