//! Applies an input to the state and returns effects. Pure: dispatches to the features, then clamps the cursors.

pub mod appearance;
mod engine;
pub mod external;
pub mod mouse;
pub mod navigation;
pub mod typing;

use refdesk_desk::engine::{PickReach, Request};

use super::action::{Action, KeyContext};
use super::disabled::disabled;
use super::filter::Order;
use super::highlight::HighlightSubject;
use super::input::{self, Effect, Input};
use super::key::KeySequence;
use super::pane::Pane;
use super::session::PendingCursors;
use super::state::{Message, MessageKind, State};
use super::templates::{self, form_update, json, preview, preview_update};
use super::windows::jump::JumpKind;
use super::windows::{self, Handled, WindowKind, profiles, write};
use super::{
    agents, availability, catalog, consequence, databases, feed, graph, hints, layout, messages, places, requests,
    selection, theme_choice, tour, views, which_key,
};

/// Shown until everything was read again.
const RELOADING: &str = "reading the workspace again";

pub fn update(state: &mut State, input: Input) -> Vec<Effect> {
    let mut effects = Vec::new();
    let input = during_chord(state, input);
    let is_key = match &input {
        Input::Act(action) => !matches!(action, Action::Quit | Action::Suspend | Action::Redraw),
        Input::Type(_) | Input::Unbound(_) | Input::Chord(_) | Input::Paste(_) | Input::Click(_) => true,
        _ => false,
    };
    // The effect of a key would be invisible. Chords are allowed because they may end in one that quits.
    if is_key && !matches!(input, Input::Chord(_)) && !layout::fits(state.size) {
        state.chord.clear();
        return effects;
    }
    if is_key {
        state.pending = PendingCursors::default();
        state.awaits_window = false;
    }
    if is_key && requests::update::close(state) {
        return effects;
    }
    if is_key || matches!(input, Input::Act(_) | Input::Chord(_)) {
        state.chord.clear();
    }
    if is_key && !matches!(input, Input::Chord(_)) && typing::ignore(state, &input) {
        return effects;
    }
    let rests = matches!(input, Input::Rest);
    if is_for_row(&input) && catalog::reading::has_left_document(state) {
        catalog::reading::follow(state, &mut effects);
    }
    if matches!(input, Input::Act(_) | Input::Type(_) | Input::Unbound(_) | Input::Paste(_) | Input::Chord(_)) {
        state.feed.since_key = 0;
        state.clicked = None;
        state.opening = None;
        state.message = None;
    }
    match input {
        Input::Act(action) => act(state, action, &mut effects),
        Input::Type(text) => {
            if windows::insert(state, &text) == Handled::Ignored {
                typing::insert(state, &text, &mut effects);
            }
        }
        Input::Paste(text) => {
            if windows::insert(state, text.trim()) == Handled::Ignored {
                typing::paste(state, &text, &mut effects);
            }
        }
        Input::Chord(keys) => state.chord = keys,
        Input::Unbound(keys) => {
            state.message = Some(Message { text: unbound(state, &keys), tone: MessageKind::Unbound });
        }
        Input::Click(at) => mouse::click(state, at, &mut effects),
        Input::Drag(at) => appearance::drag(state, at),
        Input::Release => state.dragged = None,
        Input::Wheel(motion, at) => mouse::wheel(state, motion, at),
        Input::Background(background) => theme_choice::background(state, background),
        Input::Resize(size) => state.size = size,
        Input::Snapshot(snapshot) => engine::snapshot(state, *snapshot, &mut effects),
        Input::Event(event) => engine::event(state, event, &mut effects),
        Input::Answer { question, response } => {
            if state.questions.is_wanted(question) {
                engine::answer(state, response, &mut effects);
            }
        }
        Input::Highlighted { subject: HighlightSubject::Preview, generation, from, colours } => {
            preview_update::highlighted(state, generation, from, colours);
        }
        Input::Highlighted { subject: HighlightSubject::Document, generation, from, colours } => {
            catalog::document_highlighting::highlighted(state, generation, from, &colours);
        }
        Input::Edited(text) => json::edited(state, text),
        Input::Busy => {
            write::busy(state);
            requests::update::busy(state);
            state.refuse("refdesk is busy and did not take this: try again");
        }
        Input::Rest => {}
    }
    requests::update::follow_focus(state, &mut effects);
    form_update::follow(state);
    clamp_cursors(state);
    graph::update::follow(state, &mut effects);
    agents::update::follow(state, &mut effects);
    databases::update::follow(state, &mut effects);
    preview_update::ask(state, &mut effects);
    requests::update::ask(state, &mut effects);
    if rests || !catalog::reading::has_left_document(state) {
        selection::update::ask_for_preview(state, &mut effects);
        catalog::reading::follow(state, &mut effects);
    }
    hints::enriched_update::follow(state);
    windows::after_input(state, &mut effects);
    tour::follow(state);
    follow_chord(state);
    theme_choice::end_preview(state);
    messages::follow(state);
    for effect in &effects {
        if let Effect::Ask(request) = effect {
            state.questions.note(request);
            state.awaits_window |=
                matches!(request, Request::PreviewBulk(_) | Request::PickWithin { reach: PickReach::AllIfFew, .. });
            consequence::expect(state, request);
        }
    }
    effects
}

/// During a chord, a click on one of the keys shown counts as that key, and any other click cancels the chord.
fn during_chord(state: &State, given: Input) -> Input {
    let Input::Click(at) = given else { return given };
    if state.chord.is_empty() {
        return given;
    }
    let key = which_key::key_at(state, at).and_then(|key| input::of_key(state, key));
    key.unwrap_or_else(|| Input::Chord(Vec::new()))
}

/// Whether this acts on the row under the cursor or its document, rather than only moving.
fn is_for_row(input: &Input) -> bool {
    match input {
        Input::Act(action) => !matches!(action, Action::Move(_) | Action::Edit(_)),
        Input::Click(_) => true,
        _ => false,
    }
}

pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    state.message = None;
    if action == Action::Back && state.window.is_none() && state.messages.has_unread() {
        return state.messages.read();
    }
    if let Some(why) = disabled(state, action) {
        if action != Action::Confirm || !windows::shows_why(state) {
            state.message = Some(Message { text: why, tone: MessageKind::Explanation });
        }
        return;
    }
    if windows::update(state, action, effects) == Handled::Consumed
        || views::act(state, action, effects) == Handled::Consumed
    {
        return;
    }
    match action {
        Action::Quit => effects.push(Effect::Quit),
        Action::Suspend => effects.push(Effect::Suspend),
        Action::Redraw => effects.push(Effect::Redraw),
        Action::LeaveTour => state.tour = None,
        Action::Help => windows::open_help(state),
        Action::Problems => state.open(WindowKind::Problems),
        Action::Messages => windows::messages::open(state),
        Action::Clear => state.open(WindowKind::Clear),
        Action::Budget => windows::budget::open(state, effects),
        Action::Trust => state.open(WindowKind::Trust),
        Action::Welcome => state.open(WindowKind::Welcome),
        Action::Profiles => profiles::open(state, effects),
        Action::Jump => windows::jump::open(state, None),
        Action::Filters => windows::jump::open(state, Some(JumpKind::Filter)),
        Action::SaveFilter => windows::save_filter::open(state),
        Action::Palette => windows::jump::open(state, Some(JumpKind::Action)),
        Action::Sections => windows::jump::open(state, Some(JumpKind::Heading)),
        Action::Write => write::open(state),
        Action::Back => navigation::back(state, effects),
        Action::Zoom => appearance::zoom(state),
        Action::Preset(preset) => appearance::arrange(state, preset),
        Action::Inside => state.part = super::state::PanePart::Detail,
        Action::Focus(Pane::Selection) => selection::update::go(state),
        Action::Focus(pane) => state.focus_on(pane),
        Action::NextPane => state.focus_on(state.focus.after(1)),
        Action::PreviousPane => state.focus_on(state.focus.after(Pane::ALL.len() - 1)),
        Action::Move(motion) => navigation::step(state, motion),
        Action::Border(border) => appearance::step(state, border),
        Action::ResetBorders => appearance::reset(state),
        Action::Theme => windows::themes::open(state),
        Action::Mouse => appearance::toggle_mouse(state, effects),
        Action::Toggle | Action::Keep | Action::Exclude => selection::update::choose(state, action, effects),
        Action::AllShown => {
            state.is_recounting = false;
            windows::all_shown::ask(state, effects);
        }
        Action::Undo => effects.push(Effect::Ask(Request::Undo)),
        Action::Redo => effects.push(Effect::Ask(Request::Redo)),
        Action::Reload => {
            state.note(RELOADING);
            effects.push(Effect::Ask(Request::Reload));
        }
        Action::Filter | Action::Prompt | Action::Accept | Action::Cancel => typing::open(state, action),
        Action::Edit(edit) => typing::edit(state, edit, effects),
        Action::Open | Action::Define | Action::CopyId | Action::CopyPath => external::act(state, action, effects),
        Action::OpenPlace | Action::CopyPlace | Action::OpenMention => external::place(state, action, effects),
        Action::Enriched => hints::enriched_update::next_view(state, effects),
        Action::ClearPrompt => hints::update::clear(state, effects),
        Action::Feed => feed::update::open(state),
        Action::NextKind => feed::update::next_kind(state),
        Action::ThisSession => feed::update::this_session(state),
        Action::Follow => feed::update::follow(state, effects),
        Action::Sort if state.focus == Pane::Selection => {
            selection::filtered_rows::sort(state, state.selection.order.next());
        }
        Action::SortTokens if state.focus == Pane::Selection => selection::filtered_rows::sort(state, Order::Tokens),
        Action::Sort => catalog::filtered_rows::sort(state, state.catalog.order.next()),
        Action::SortTokens => catalog::filtered_rows::sort(state, Order::Tokens),
        Action::Search => catalog::match_navigation::open(state),
        Action::NextHit | Action::PreviousHit => catalog::match_navigation::step(state, action),
        Action::Read => catalog::reading::read(state, effects),
        Action::NextLink | Action::PreviousLink => catalog::link_walk::step(state, action),
        Action::FollowLink => catalog::link_walk::follow_link(state, effects),
        Action::GoBack | Action::GoForward => places::go(state, action, effects),
        Action::FrontMatter => catalog::reading::toggle_front_matter(state),
        Action::Requests
        | Action::Answer
        | Action::Decline
        | Action::Approve
        | Action::Mark
        | Action::MarkAll
        | Action::NextRequest
        | Action::PreviousRequest => requests::update::act(state, action, effects),
        Action::Values
        | Action::SetValue
        | Action::ResetValue
        | Action::AddItem
        | Action::NextField
        | Action::PreviousField => form_update::act(state, action),
        Action::EditValues => json::open(state, effects),
        Action::Leftwards | Action::Rightwards if state.reads() => catalog::sideways::step(state, action),
        Action::View | Action::Leftwards | Action::Rightwards => preview_update::change_view(state, action),
        // Only windows, the graph and the views of agents and databases handle the others.
        _ => {}
    }
}

impl State {
    /// Shows in the bottom line what happened.
    pub fn note(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: MessageKind::Note });
    }

    /// Closes the open field, because what it was for no longer exists.
    pub fn lose_field(&mut self, why: String) {
        self.typing = None;
        self.lost_field = Some(why);
    }

    /// Shows an error until it is read.
    pub fn fail(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: MessageKind::Error });
    }

    /// Shows in the bottom line what was refused, and why.
    pub fn refuse(&mut self, text: impl Into<String>) {
        self.message = Some(Message { text: text.into(), tone: MessageKind::Refusal });
    }
}

/// Explains in which contexts these keys work.
fn unbound(state: &State, keys: &KeySequence) -> String {
    if let Some(window) = windows::contexts(state) {
        let close = state.keymap.named(Action::Back, &window);
        // In a question, the user may have pressed a key that confirms elsewhere.
        let answers = if window.contains(&KeyContext::Question) {
            format!("{} says yes, {close} no", state.keymap.named(Action::Confirm, &window))
        } else {
            format!("{close} closes it")
        };
        return format!("{keys} does nothing in this window: {answers}");
    }
    if state.is_before_request() {
        return format!("{keys} does nothing until you go to this request: {}", state.key(Action::Requests));
    }
    let elsewhere = |context| state.keymap.bound(keys.keys(), &[context]);
    if state.in_request() && state.shows_write() && elsewhere(KeyContext::Approval).is_some() {
        let (open, yes) = (state.key(Action::Answer), state.key_in(KeyContext::Approval, Action::Approve));
        return format!("{keys} does nothing here: {open} shows the whole write, and {yes} approves it there");
    }
    let parts = [KeyContext::Feed, KeyContext::Details, KeyContext::Values];
    match Pane::ALL.map(KeyContext::Pane).into_iter().chain(parts).find_map(elsewhere) {
        Some(binding) => match state.keymap.key_to(binding.action, &input::contexts(state)) {
            Some(key) => {
                // An action may have another name here.
                let here = state.keymap.bound(key.keys(), &input::contexts(state)).unwrap_or(binding);
                format!("{keys} does nothing here: {} is {key}", here.name)
            }
            None => format!("{keys} ({}) is available {}", binding.name, availability::of(state, binding)),
        },
        None => {
            let ways = [(Action::Help, ':', "shows the keys"), (Action::Palette, ';', "lists every action")];
            let key = |action| state.keymap.key_to(action, &input::contexts(state));
            let way = ways.into_iter().find_map(|(action, mark, does)| Some(format!("{mark} {} {does}", key(action)?)));
            format!("{keys} does nothing here{}", way.unwrap_or_default())
        }
    }
}

/// Cancels a chord that no key can continue here.
fn follow_chord(state: &mut State) {
    if !state.chord.is_empty() && state.keymap.continuations(&state.chord, &input::contexts(state)).is_empty() {
        state.chord.clear();
    }
}

/// Clamps every cursor and scroll position after any change of a list, the terminal or the layout.
fn clamp_cursors(state: &mut State) {
    for pane in Pane::ALL {
        let (len, page) = (state.len(pane), navigation::page(state, pane));
        state.cursor_mut(pane).clamp(len, page);
    }
    let (len, page) = (state.templates.form.len(), templates::form::page(state));
    state.templates.variable.clamp(len, page);
    let (len, page) = (preview::len(state), preview::page(state));
    state.templates.scroll.top = state.templates.scroll.top.min(len.saturating_sub(page));
    feed::update::clamp_cursor(state);
}
