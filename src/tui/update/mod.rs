//! What an input does to the state, and what it asks of the world: pure, one function in, one list of effects out. Each
//! kind of input has its file; this one only hands out the work and puts cursors back in their windows afterwards.

pub(in crate::tui) mod answering;
mod borders;
mod choose;
mod desk;
mod document;
pub(in crate::tui) mod elsewhere;
mod feed;
mod filtering;
mod given;
mod go;
mod hinting;
mod mouse;
mod palette;
pub(in crate::tui) mod previewing;
pub(in crate::tui) mod profiles;
mod reading;
mod templating;
mod trusting;
mod typing;
pub(in crate::tui) mod valuing;
pub(in crate::tui) mod writing;

use crate::engine::{Command, Event};

use super::action::{Action, KeyContext, bound};
use super::disabled::disabled;
use super::input::{Effect, Input};
use super::key::Key;
use super::pane::Pane;
use super::panes;
use super::state::{Message, Overlay, State, Tone};

/// Changes the state as the input says.
pub fn update(state: &mut State, input: Input) -> Vec<Effect> {
    let mut effects = Vec::new();
    let is_key = match &input {
        Input::Act(action) => !matches!(action, Action::Quit | Action::Suspend | Action::Redraw),
        Input::Type(_) | Input::Unbound(_) | Input::Paste(_) | Input::Click(_) => true,
        _ => false,
    };
    if is_key && answering::close(state) {
        return effects;
    }
    if matches!(input, Input::Act(_) | Input::Type(_) | Input::Unbound(_) | Input::Paste(_)) {
        state.feed.since_key = 0;
        state.opening = None;
    }
    match input {
        Input::Act(action) => act(state, action, &mut effects),
        Input::Type(text) => {
            state.message = None;
            if palette::is_open(state) {
                palette::insert(state, &text);
            } else if writing::is_open(state) {
                writing::insert(state, &text);
            } else {
                typing::insert(state, &text, &mut effects);
            }
        }
        Input::Unbound(key) => say(state, Tone::Refusal, unbound(state, key)),
        Input::Paste(text) if palette::is_open(state) => palette::paste(state, &text),
        Input::Paste(text) if writing::is_open(state) => writing::insert(state, text.trim()),
        Input::Paste(text) => typing::paste(state, &text, &mut effects),
        Input::Click(at) => mouse::click(state, at, &mut effects),
        Input::Drag(at) => borders::drag(state, at),
        Input::Release => state.grip = None,
        Input::Wheel(turn, at) => mouse::wheel(state, turn, at),
        Input::Resize(size) => state.size = size,
        Input::Snapshot(snapshot) => desk::snapshot(state, *snapshot, &mut effects),
        Input::Answer(Event::Located(spot)) => elsewhere::located(state, spot, &mut effects),
        Input::Answer(event) => desk::answer(state, event, &mut effects),
        Input::Highlighted { generation, from, colours } => previewing::painted(state, generation, from, colours),
        Input::Edited(text) => document::edited(state, text),
        Input::Busy => {
            writing::busy(state);
            answering::busy(state);
            say(state, Tone::Refusal, "the desk is busy and did not take this: try again".to_owned());
        }
    }
    answering::follow_focus(state);
    valuing::follow(state);
    settle(state);
    previewing::ask(state, &mut effects);
    desk::ask_for_outlook(state, &mut effects);
    answering::ask(state, &mut effects);
    reading::follow(state, &mut effects);
    given::follow(state);
    answering::settle(state);
    profiles::follow(state, &mut effects);
    trusting::settle(state);
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
        Action::Back if given::is_next_to_leave(state) => given::leave(state, effects),
        Action::Help | Action::Problems | Action::Zoom | Action::Inside | Action::Back | Action::Clear => {
            go::open(state, action);
        }
        Action::Palette => palette::open(state),
        Action::Trust => trusting::open(state),
        Action::TrustThis => trusting::confirm(state, effects),
        Action::Requests
        | Action::Answer
        | Action::Decline
        | Action::Approve
        | Action::Mark
        | Action::MarkAll
        | Action::NextRequest
        | Action::PreviousRequest
        | Action::FilterRequest => answering::act(state, action, effects),
        Action::Profiles => profiles::open(state, effects),
        Action::Confirm => confirm(state, effects),
        Action::Border(border) => borders::step(state, border),
        Action::Usual => borders::usual(state),
        Action::Theme => borders::next_theme(state),
        Action::Mouse => borders::toggle_mouse(state, effects),
        Action::Focus(pane) => state.focus_on(pane),
        Action::NextPane => state.focus_on(state.focus.next()),
        Action::PreviousPane => state.focus_on(state.focus.previous()),
        Action::Move(motion) => go::step(state, motion),
        Action::Reload => choose::reload(state, effects),
        Action::Toggle | Action::Keep | Action::Exclude => choose::choose(state, action, effects),
        Action::Filter | Action::Prompt | Action::Accept | Action::Cancel => typing::open(state, action),
        Action::Edit(edit) if palette::is_open(state) => palette::edit(state, edit),
        Action::Edit(edit) if writing::is_open(state) => writing::edit(state, edit),
        Action::Edit(edit) => typing::edit(state, edit, effects),
        Action::Open | Action::Define | Action::CopyId | Action::CopyPath => elsewhere::act(state, action, effects),
        Action::Undo => effects.push(Effect::Send(Command::Undo)),
        Action::Redo => effects.push(Effect::Send(Command::Redo)),
        Action::Enriched => given::turn(state, effects),
        Action::ClearPrompt => hinting::clear(state, effects),
        Action::Feed | Action::FilterFeed => feed::open(state, action),
        Action::NextKind => feed::next_kind(state),
        Action::ThisSession => feed::this_session(state),
        Action::Follow => feed::follow(state, effects),
        Action::OpenPlace | Action::CopyPlace | Action::OpenMention => elsewhere::place(state, action, effects),
        Action::Sort => filtering::sort(state),
        Action::Search => reading::open(state),
        Action::NextHit | Action::PreviousHit => reading::step(state, action),
        Action::Values
        | Action::SetValue
        | Action::ResetValue
        | Action::AddItem
        | Action::NextField
        | Action::PreviousField => valuing::act(state, action),
        Action::EditValues => document::open(state, effects),
        Action::View | Action::Leftwards | Action::Rightwards => previewing::look(state, action),
        Action::Write => writing::open(state),
        Action::FilterTemplates => templating::open(state),
    }
}

/// Does what the open window proposes.
fn confirm(state: &mut State, effects: &mut Vec<Effect>) {
    match state.overlay {
        Some(Overlay::Palette(_)) => palette::confirm(state, effects),
        Some(Overlay::Clear) => {
            state.overlay = None;
            effects.push(Effect::Send(Command::Clear));
        }
        Some(Overlay::Write(_)) => writing::confirm(state, effects),
        Some(Overlay::Broken) => document::open(state, effects),
        Some(
            Overlay::Help(_) | Overlay::Problems(_) | Overlay::Receipt(_) | Overlay::Approval(_) | Overlay::Trust(_),
        )
        | None => {}
        Some(Overlay::Profiles(_) | Overlay::Switch(_)) => profiles::confirm(state, effects),
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
    if state.is_before_request() {
        return format!("{key} does nothing until you turn to this request: A");
    }
    let is_write = state.shown_request().is_some_and(|waiting| waiting.request.approval.is_some());
    if state.in_request() && is_write && bound(key, &[KeyContext::Approval]).is_some() {
        return "Enter first shows all that would be written: y and n answer there".to_owned();
    }
    let entry = Pane::ALL.iter().find_map(|pane| bound(key, &[KeyContext::Pane(*pane)]));
    match entry {
        Some(entry) => format!("{key} ({}) works in {} only", entry.name, entry.places()),
        None => format!("{key} does nothing here: ? shows the keys"),
    }
}

/// Puts every cursor back into its list and its window, whatever changed: the list, the terminal, the layout.
fn settle(state: &mut State) {
    for pane in Pane::ALL {
        let (len, page) = (state.len(pane), page(state, pane));
        state.cursor_mut(pane).settle(len, page);
    }
    let (len, page) = (state.templates.form.len(), state.parts(Pane::Templates).map_or(1, |parts| parts.aside.height));
    state.templates.variable.settle(len, usize::from(page));
    let (len, page) = (panes::preview::len(state), panes::preview::page(state));
    state.templates.scroll.top = state.templates.scroll.top.min(len.saturating_sub(page));
    feed::settle(state);
    if let Some(Overlay::Write(mut scroll)) = state.overlay {
        scroll.top = scroll.top.min(super::overlays::write::len(state).saturating_sub(go::overlay_page(state)));
        state.overlay = Some(Overlay::Write(scroll));
    }
    if let Some(Overlay::Problems(mut cursor)) = state.overlay {
        cursor.settle(state.snapshot.diagnostics.len(), go::overlay_page(state));
        state.overlay = Some(Overlay::Problems(cursor));
    }
    if let Some(Overlay::Palette(mut cursor)) = state.overlay {
        cursor.settle(super::palette::rows(state).len(), go::overlay_page(state));
        state.overlay = Some(Overlay::Palette(cursor));
    }
}

/// How many rows of this pane's list are visible.
fn page(state: &State, pane: Pane) -> usize {
    state.parts(pane).map_or(1, |parts| usize::from(parts.list.height))
}
