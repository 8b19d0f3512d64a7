//! Opens the view of agents, moves the cursor, and asks the engine again whenever the journal grows.

use std::sync::Arc;

use ratatui::layout::Position;

use refdesk_core::catalog::SourceId;
use refdesk_desk::AgentActivity;
use refdesk_desk::engine::Request;

use super::{AgentsPage, AgentsPlace, AgentsTarget, AgentsView, SessionOrder, view};
use crate::common::known_sources;
use crate::tui::action::Action;
use crate::tui::feed::{self, query};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::update;
use crate::tui::views::{self, View};
use crate::tui::widgets::motion::{Cursor, Motion};
use crate::tui::windows::{Handled, ReceiptWindow};

/// Performs the view's own actions; actions that open something else leave the view.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
    let page = state.agents.page;
    match action {
        Action::Back if page == AgentsPage::Sessions => views::leave(state),
        Action::Back => show(state, AgentsPage::Sessions),
        Action::Move(motion) => step(state, motion),
        Action::NextTab | Action::PreviousTab => match page {
            AgentsPage::Sessions => {}
            AgentsPage::Lines => show(state, AgentsPage::Known),
            AgentsPage::Known => show(state, AgentsPage::Lines),
        },
        Action::Follow => match state.agents_target() {
            Ok(AgentsTarget::Session) => show(state, AgentsPage::Lines),
            Ok(AgentsTarget::Receipt(number)) => ReceiptWindow::open(state, number, effects),
            Ok(AgentsTarget::Source(id)) => feed::update::to_source(state, &SourceId::from(id)),
            Err(_) => {}
        },
        Action::Sort => sort(state, state.agents.order.after(1)),
        Action::SortTokens => sort(state, SessionOrder::Tokens),
        Action::ThisSession => {
            if let Some(session) = state.agents.session().map(|session| session.session.clone()) {
                feed::update::open(state);
                let line = query::with(state.feed.filter.text(), query::SESSION, Some(&session));
                state.feed.set_filter(&line);
            }
        }
        _ => return Handled::Ignored,
    }
    Handled::Consumed
}

/// Shows this page from the top.
fn show(state: &mut State, page: AgentsPage) {
    state.agents.page = page;
    state.agents.row = Cursor::default();
    rebuild(state);
}

/// Sorts the sessions. The cursor stays on its session.
fn sort(state: &mut State, order: SessionOrder) {
    let place = state.agents.place();
    state.agents.order = order;
    if let Some(activity) = state.agents.activity.take() {
        state.agents.activity = Some(sorted(activity, order));
        go(state, place);
    }
    state.note(order.sentence());
}

fn sorted(mut activity: Arc<AgentActivity>, order: SessionOrder) -> Arc<AgentActivity> {
    order.sort(&mut Arc::make_mut(&mut activity).sessions);
    activity
}

/// Recomputes the sources known to the session under the cursor, if that page is shown.
fn rebuild(state: &mut State) {
    let session = state.agents.session().filter(|_| state.agents.page == AgentsPage::Known);
    state.agents.known = session.map(|session| known_sources::rows(&state.snapshot, session)).unwrap_or_default();
}

/// After a snapshot: the selection may have changed. If the workspace was reread, perhaps because the user asked for
/// it, so is the list of agents.
pub fn snapshot_changed(state: &mut State, is_read_anew: bool) {
    rebuild(state);
    if is_read_anew {
        look_again(state);
    }
}

/// Called when the journal grew, or an agent connected or disconnected.
pub fn look_again(state: &mut State) {
    state.agents.is_due = state.view == View::Agents;
}

/// Handles the engine's answer. The cursors stay on their session and their line; a cursor on the newest line
/// follows new ones.
pub fn answered(state: &mut State, activity: Arc<AgentActivity>) {
    state.agents.is_asked = false;
    if state.view != View::Agents {
        return;
    }
    let is_awaited = state.agents.stay.is_some();
    let mut place = state.agents.place();
    if !is_awaited && state.agents.row.at == 0 {
        place.line = None;
    }
    // The engine already sorts newest first.
    state.agents.activity = Some(match state.agents.order {
        SessionOrder::Newest => activity,
        order => sorted(activity, order),
    });
    go(state, place);
}

pub fn open_at(state: &mut State, place: AgentsPlace) {
    state.show(View::Agents);
    if state.agents.activity.is_some() {
        return go(state, place);
    }
    state.agents.page = place.page;
    state.agents.stay = Some(place);
    look_again(state);
}

fn go(state: &mut State, place: AgentsPlace) {
    let agents = &mut state.agents;
    agents.stay = None;
    agents.page = place.page;
    if let Some((desk, name)) = &place.session {
        match agents.sessions().iter().position(|session| session.desk == *desk && session.session == *name) {
            Some(at) => agents.cursor.at = at,
            // The session has dropped out of the list.
            None => agents.page = AgentsPage::Sessions,
        }
    }
    rebuild(state);
    let agents = &mut state.agents;
    let line = place.line.zip(agents.session());
    let line = line.and_then(|(number, session)| session.lines.iter().position(|line| line.number == number));
    let source = place.source.and_then(|id| agents.known.iter().position(|row| row.id.as_str() == id));
    agents.row.at = line.or(source).unwrap_or(agents.row.at);
}

/// Runs after every input: asks the engine if the journal has grown, one question at a time, and clamps the cursors.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    if state.view != View::Agents {
        return;
    }
    let agents = &mut state.agents;
    if agents.is_due && !agents.is_asked {
        (agents.is_due, agents.is_asked) = (false, true);
        effects.push(Effect::Ask(Request::Agents));
    }
    let (len, page) = (state.agents.len(), view::page(state));
    cursor(&mut state.agents).clamp(len, page);
}

fn cursor(agents: &mut AgentsView) -> &mut Cursor {
    match agents.page {
        AgentsPage::Sessions => &mut agents.cursor,
        AgentsPage::Lines | AgentsPage::Known => &mut agents.row,
    }
}

fn step(state: &mut State, motion: Motion) {
    let (len, page) = (state.agents.len(), view::page(state));
    cursor(&mut state.agents).step(motion, len, page);
}

/// A click moves the cursor to a row; a click on the row under the cursor acts like `Enter`.
pub fn click(state: &mut State, at: Position, effects: &mut Vec<Effect>) {
    if let Some(page) = view::page_at(state, at) {
        return show(state, page);
    }
    let Some(row) = view::row_at(state, at) else { return };
    let before = std::mem::replace(&mut cursor(&mut state.agents).at, row);
    if before == row {
        update::act(state, Action::Follow, effects);
    }
}

pub fn wheel(state: &mut State, motion: Motion, rows: usize) {
    let (len, page) = (state.agents.len(), view::page(state));
    cursor(&mut state.agents).scroll(motion, rows, len, page);
}
