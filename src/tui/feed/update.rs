//! Adds notices to the feed, moves and filters it, and opens what its rows point to.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use crate::common::notices::for_people;
use crate::tui::action::Action;
use crate::tui::agents;
use crate::tui::feed::target;
use crate::tui::feed::target::RowTarget;
use crate::tui::feed::{FeedFocus, query};
use crate::tui::filtering::{self, FilteredList};
use crate::tui::hints::enriched_update;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::places;
use crate::tui::state::{MessageKind, PanePart, State};
use crate::tui::update::{appearance, navigation};
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::ReceiptWindow;
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Actor, Age, Notice, Receipts, Topic};
use refdesk_desk::session::JournalEvent;

/// Adds a notice, and shows it in the bottom line unless an error is shown there.
pub fn add(state: &mut State, notice: Notice) {
    let is_free = state.message.as_ref().is_none_or(|message| message.tone == MessageKind::Note);
    if notice.topic == Topic::Problem {
        let reason = if notice.reason.is_empty() { String::new() } else { format!("; {}", notice.reason) };
        let key = state.key(Action::Problems);
        state.messages.arrived(format!("{}{reason}. {key} shows it.", notice.text));
    } else if is_free && !has_own_message(&notice) {
        state.note(notice.text.clone());
    }
    let reader = if state.in_feed() { FeedFocus::InFeed } else { FeedFocus::Elsewhere };
    let others = other_process(&notice);
    state.feed.add(notice, reader);
    if let (Some(who), true) = (others, is_free) {
        show_others_change(state, &who);
    }
}

/// Whether the answer to a request made here already reports this notice: a file that was written.
fn has_own_message(notice: &Notice) -> bool {
    notice.who == Actor::You && notice.topic == Topic::File
}

/// The process that changed the selection, if it was not this screen.
fn other_process(notice: &Notice) -> Option<Arc<str>> {
    match &notice.who {
        Actor::Other(who) if notice.topic == Topic::Selection => Some(who.clone()),
        _ => None,
    }
}

/// Shows in the bottom line what another process picked or excluded, and the consequences. The journal reports the
/// former, the selection the latter. They arrive in either order, mixed with rows about templates and files.
fn show_others_change(state: &mut State, who: &Arc<str>) {
    let mut theirs = state.feed.notices.iter().filter(|notice| other_process(notice).as_ref() == Some(who)).peekable();
    let Some(newest) = theirs.peek().and_then(|notice| notice.at.parse::<Timestamp>().ok()) else { return };
    let is_recent =
        |notice: &&Notice| notice.at.parse::<Timestamp>().is_ok_and(|at| newest.duration_since(at).abs() < ONE_CHANGE);
    let (chosen, followed): (Vec<&Notice>, Vec<&Notice>) =
        theirs.filter(is_recent).take(ROWS_PER_CHANGE).partition(|notice| notice.receipt.is_some());
    // The row has the session. The tokens come before a list that may be cut.
    let chosen = chosen.iter().rev().map(|notice| notice.text.clone());
    let followed = followed.iter().rev().map(|notice| match (notice.reason.as_str(), notice.text.split_once(": ")) {
        ("", _) => notice.text.clone(),
        (reason, Some((what, ids))) => format!("{what}, {reason}: {ids}"),
        (reason, None) => format!("{}, {reason}", notice.text),
    });
    // A name at the beginning would be capitalized.
    state.note(format!("by {who}: {}", chosen.chain(followed).collect::<Vec<_>>().join(". ")));
}

/// The maximum time between rows of one change.
const ONE_CHANGE: SignedDuration = SignedDuration::from_secs(1);

/// The maximum number of rows of one change: two from the journal, and one each for sources pulled in and released.
const ROWS_PER_CHANGE: usize = 4;

/// Adds journal lines. The bottom line shows only selections by other processes and failed hooks, which
/// nothing else reports; showing every line would flood it.
pub fn receipts(state: &mut State, receipts: Receipts, effects: &mut Vec<Effect>) {
    let Receipts { lines, age, gap } = receipts;
    let unwritten = lines.iter().rev().find(|(_, line)| line.receipt.what == JournalEvent::Unwritten);
    let unwritten = unwritten.map(|(notice, _)| notice.text.clone()).filter(|_| age == Age::Now);
    let notices: Vec<Notice> = gap.into_iter().chain(lines.into_iter().map(|(notice, _)| for_people(notice))).collect();
    if age == Age::Past {
        return state.feed.add_past(notices);
    }
    agents::update::look_again(state);
    if notices.iter().any(|notice| matches!(notice.topic, Topic::Enriched | Topic::Forgot)) {
        enriched_update::receipts_arrived(state, effects);
    }
    if let (Some(failed), None) = (notices.iter().rev().find(|it| it.topic == Topic::Failed), &state.message) {
        state.fail(failed.text.clone());
    }
    // This replaces the last message, which may say that the write was approved.
    if let Some(text) = unwritten {
        state.fail(text);
    }
    let reader = if state.in_feed() { FeedFocus::InFeed } else { FeedFocus::Elsewhere };
    let since_key = state.feed.since_key;
    let others = notices.iter().rev().find_map(other_process);
    state.feed.add_all(notices, reader);
    if let (Some(who), true) = (others, state.message.as_ref().is_none_or(|message| message.tone == MessageKind::Note))
    {
        show_others_change(state, &who);
    }
    // The bottom line counts only notices from this screen's lifetime.
    state.feed.since_key = since_key;
}

/// Filters by the next kind of row; after the last kind, shows all rows.
pub fn next_kind(state: &mut State) {
    let line = state.feed.filter.text();
    let is_there = |topic: &Topic| state.feed.notices.iter().any(|notice| notice.topic == *topic);
    let mut kinds = Topic::ALL.into_iter().filter(is_there).map(Topic::word);
    let next = match query::of(line, query::KIND) {
        None => kinds.next(),
        Some(now) => kinds.skip_while(|kind| *kind != now).nth(1),
    };
    let line = query::with(line, query::KIND, next);
    state.feed.set_filter(&line);
}

/// Filters by the session under the cursor, or shows all sessions again.
pub fn this_session(state: &mut State) {
    let line = state.feed.filter.text();
    let session = match query::of(line, query::SESSION) {
        None => state.feed.current().and_then(|notice| notice.session.clone()),
        Some(_) => None,
    };
    let line = query::with(line, query::SESSION, session.as_deref());
    state.feed.set_filter(&line);
}

pub fn open(state: &mut State) {
    let from = match state.in_feed() {
        true => state.zoomed_from.take(),
        false => Some((places::here(state), state.arrangement_before.unwrap_or(state.arrangement))),
    };
    state.focus_on(Pane::Hints);
    state.part = PanePart::Detail;
    state.zoomed_from = from;
}

/// Clears the filter, or leaves the feed: for the list beside it, otherwise for the pane where its key was pressed.
pub fn back(state: &mut State, effects: &mut Vec<Effect>) {
    if !state.feed.filter.is_empty() {
        return filtering::clear(state, FilteredList::Feed);
    }
    let is_alone = state.is_feed_alone();
    state.part = PanePart::List;
    if is_alone {
        appearance::restore(state, effects);
    }
}

pub fn step(state: &mut State, motion: Motion) {
    let (len, page) = (state.feed.rows.len(), page(state));
    state.feed.cursor.step(motion, len, page);
}

/// Opens the target of the row under the cursor.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    match target::of_row(state) {
        Ok(RowTarget::Source(id)) => to_source(state, &id),
        Ok(RowTarget::File(spot)) => effects.push(Effect::Edit(spot)),
        Ok(RowTarget::Receipt(number)) => ReceiptWindow::open(state, number, effects),
        Err(_) => {}
    }
}

pub fn to_source(state: &mut State, id: &SourceId) {
    let Some(position) = state.snapshot.catalog.position(id.as_str()) else { return };
    state.window = None;
    places::leave(state);
    state.focus_on(Pane::Catalog);
    if !state.catalog.rows.contains(&position) {
        filtering::clear(state, FilteredList::Catalog);
        state.note("cleared the catalog filter: it hid this source");
    }
    if let Some(at) = state.catalog.rows.iter().position(|row| *row == position) {
        state.catalog.cursor.at = at;
        navigation::reset_scroll(state, Pane::Catalog);
    }
}

pub fn to_notice(state: &mut State, position: usize) {
    open(state);
    if !state.feed.rows.contains(&position) {
        filtering::clear(state, FilteredList::Feed);
        state.note("cleared the filter of the feed: it hid this row");
    }
    if let Some(at) = state.feed.rows.iter().position(|row| *row == position) {
        state.feed.cursor.at = at;
    }
}

/// Clamps the cursor. A focused feed has no new notices.
pub fn clamp_cursor(state: &mut State) {
    let (len, page) = (state.feed.rows.len(), page(state));
    state.feed.cursor.clamp(len, page);
    if state.in_feed() {
        state.feed.new = 0;
    }
}

fn page(state: &State) -> usize {
    state.parts(Pane::Hints).map_or(1, |parts| usize::from(parts.detail.height))
}
