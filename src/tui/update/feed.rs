//! The feed: what happened comes in, a person moves in it, filters it and goes from a notice to its source.

use crate::catalog::SourceId;
use crate::engine::{Notice, Topic};
use crate::tui::about::{self, Way};
use crate::tui::action::Action;
use crate::tui::feed::Reader;
use crate::tui::input::Effect;
use crate::tui::motion::Motion;
use crate::tui::pane::Pane;
use crate::tui::state::{Part, State, Tone, Typing};

/// Takes in what happened. The newest notice is said in the bottom line; a refusal stays there until it was read.
pub(super) fn tell(state: &mut State, notice: Notice) {
    let is_free = state.message.as_ref().is_none_or(|message| message.tone == Tone::Note);
    // What is wrong now matters more than a key that did nothing.
    if is_free || notice.topic == Topic::Problem {
        super::say(state, Tone::Note, notice.text.clone());
    }
    let reader = if state.in_feed() { Reader::Here } else { Reader::Elsewhere };
    state.feed.add(notice, reader);
}

/// To the feed, or to its filter line.
pub(super) fn open(state: &mut State, action: Action) {
    state.focus_on(Pane::Hints);
    state.part = Part::Detail;
    if action == Action::FilterFeed {
        state.typing = Some(Typing::FeedFilter);
    }
}

pub(super) fn step(state: &mut State, motion: Motion) {
    let (len, page) = (state.feed.rows.len(), page(state));
    state.feed.cursor.step(motion, len, page);
}

/// To the source of the row under the cursor, in the catalog; a filter that hides it is lifted. Without one to its file.
pub(super) fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    match about::way(state) {
        Ok(Way::Source(id)) => to_source(state, &id),
        Ok(Way::File(spot)) => effects.push(Effect::Edit(spot)),
        Err(_) => {}
    }
}

fn to_source(state: &mut State, id: &SourceId) {
    let Some(position) = state.snapshot.catalog.position(id.as_str()) else { return };
    state.overlay = None;
    state.focus_on(Pane::Catalog);
    if !state.catalog.rows.contains(&position) {
        super::filtering::clear(state);
        super::say(state, Tone::Note, "the filter of the catalog is lifted: it hid this source".to_owned());
    }
    if let Some(at) = state.catalog.rows.iter().position(|row| *row == position) {
        state.catalog.cursor.at = at;
        super::go::reset_scroll(state, Pane::Catalog);
    }
}

/// Puts the cursor back into the list and its window; who reads the feed has seen what is new.
pub(super) fn settle(state: &mut State) {
    let (len, page) = (state.feed.rows.len(), page(state));
    state.feed.cursor.settle(len, page);
    if state.in_feed() {
        state.feed.new = 0;
    }
}

fn page(state: &State) -> usize {
    state.parts(Pane::Hints).map_or(1, |parts| usize::from(parts.detail.height))
}
