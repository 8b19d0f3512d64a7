//! Shows, marks, answers, declines or puts aside a request in place of the selection. A request that arrives
//! while the selection is focused waits, so that no key meant for the selection answers it.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::answers::outcome;
use crate::tui::action::Action;
use crate::tui::filtering::{self, FilteredList};
use crate::tui::input::Effect;
use crate::tui::messages;
use crate::tui::pane::Pane;
use crate::tui::places;
use crate::tui::requests::{choice_view, view};
use crate::tui::state::{EndedRequest, Message, MessageKind, PanePart, RequestNews, RequestPlacement, State};
use crate::tui::views::View;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::windows::WindowKind;
use refdesk_core::catalog::SourceId;
use refdesk_desk::channel::{Approval, Request};
use refdesk_desk::engine::{self, ClosedRequest, Reply, RequestEnd, WaitingRequest};

/// After a snapshot; `before` holds the previous requests.
pub fn follow(state: &mut State, before: &Arc<[WaitingRequest]>) {
    let waiting = state.snapshot.requests.clone();
    if Arc::ptr_eq(&waiting, before) {
        return;
    }
    let is_there = |id: &str| waiting.iter().any(|waiting| waiting.request.request_id == id);
    let is_new = |it: &&WaitingRequest| !before.iter().any(|before| before.request.request_id == it.request.request_id);
    if let Some(new) = waiting.iter().find(is_new) {
        arrived(state, new);
    }
    if state.requests.line.news.take_if(|(id, _)| !is_there(id)).is_some()
        && let Some(tone) = line_tone(state)
    {
        update_line(state, tone);
    }
    let current = state.requests.current.clone();
    state.requests.marks.retain(|id, _| is_there(id) || Some(id) == current.as_ref());
    let sent = state.requests.sent.clone();
    if state.requests.sent.as_deref().is_some_and(|id| !is_there(id)) {
        state.requests.sent = None;
    }
    if current.as_deref().is_some_and(is_there) || state.requests.ended.is_some() {
        return;
    }
    let previous = before.iter().find(|waiting| Some(&waiting.request.request_id) == current.as_ref());
    let how = current.as_ref().and_then(|id| state.requests.over.remove(id));
    state.requests.over.clear();
    let is_own = matches!(how, Some(RequestEnd::Here(_))) || (how.is_none() && sent.is_some() && sent == current);
    leave_field(state);
    state.close(WindowKind::Approval);
    match previous.filter(|_| was_request_focused(state)) {
        Some(waiting) if !is_own => state.requests.ended = Some(EndedRequest { waiting: waiting.clone(), how }),
        _ => next(state),
    }
}

/// Whether the request that ended was focused.
fn was_request_focused(state: &State) -> bool {
    state.focus == Pane::Selection
        && state.requests.place == RequestPlacement::Shown
        && state.requests.current.is_some()
}

/// Shows the oldest request. If none was shown before, the next key in the selection pane moves to its rows.
fn next(state: &mut State) {
    if state.requests.current.is_some() && state.requests.place == RequestPlacement::Next {
        // A refusal refers to the request that ended.
        state.message.take_if(|message| message.tone == MessageKind::Refusal);
    }
    let next = state.snapshot.requests.first().map(|waiting| waiting.request.request_id.clone());
    if state.requests.current.is_none() {
        let busy = state.focus == Pane::Selection;
        state.requests.place = if busy { RequestPlacement::Aside } else { RequestPlacement::Shown };
    } else if state.requests.place != RequestPlacement::Aside {
        state.requests.place = RequestPlacement::Next;
    }
    show_request(state, next);
}

/// Closes the ended request if it is shown. Returns whether it was.
pub fn close(state: &mut State) -> bool {
    let is_next = state.ended_request().is_some();
    if is_next {
        state.message = None;
        close_ended_request(state);
    }
    is_next
}

fn close_ended_request(state: &mut State) {
    if let Some(gone) = state.requests.ended.take() {
        state.requests.marks.remove(&gone.waiting.request.request_id);
        next(state);
    }
}

/// Runs after every input: a user who left the pane and came back has seen the request. Once no request is
/// shown, the focus returns to where it was before.
pub fn follow_focus(state: &mut State, effects: &mut Vec<Effect>) {
    if state.focus != Pane::Selection {
        close_ended_request(state);
        state.requests.opened_from = None;
        if state.requests.place == RequestPlacement::Next {
            state.requests.place = RequestPlacement::Shown;
        }
    }
    if state.shown_request().is_none()
        && let Some(place) = state.requests.opened_from.take()
        && state.window.is_none()
        && state.view == View::Panes
    {
        places::go_to(state, place, effects);
    }
}

/// Announces a request and the key that opens it, also in place of what was done.
fn arrived(state: &mut State, new: &WaitingRequest) {
    let (key, who) = (state.key(Action::Requests), view::who(&new.request));
    let text = format!("{key} opens the request: {who}{}", view::asks_for(&new.request));
    let is_done = state.message.as_ref().is_some_and(|message| message.tone == MessageKind::Done);
    if state.is_request_focused() || !(take_line(state) || is_done) {
        return state.messages.noted(text);
    }
    state.requests.line.news = Some((new.request.request_id.clone(), text));
    let tone = line_tone(state).unwrap_or(MessageKind::Note);
    update_line(state, tone);
    // The consequence of an answer in the same snapshot may replace it.
    messages::follow(state);
}

/// Whether the bottom line is free for news about requests, or already shows some.
fn take_line(state: &mut State) -> bool {
    if line_tone(state).is_some() {
        return true;
    }
    state.requests.line = RequestNews::default();
    state.message.as_ref().is_none_or(|message| message.tone == MessageKind::Note)
}

/// The tone of the bottom line, if it is about requests.
fn line_tone(state: &State) -> Option<MessageKind> {
    let message = state.message.as_ref()?;
    (state.requests.line.shown_text.as_ref() == Some(&message.text)).then_some(message.tone)
}

/// Reports how a request ended and which one arrived.
fn update_line(state: &mut State, tone: MessageKind) {
    let RequestNews { result, news, .. } = &state.requests.line;
    let parts: Vec<&str> = result.iter().chain(news.iter().map(|(_, text)| text)).map(String::as_str).collect();
    let text = parts.join(&format!(" {} ", state.skin.glyphs.dot));
    if text.is_empty() {
        state.message = None;
    } else {
        state.message = Some(Message { text: text.clone(), tone });
    }
    state.requests.line.shown_text = Some(text);
}

fn leave_field(state: &mut State) {
    if state.is_filtering(FilteredList::Request) {
        state.typing = None;
    }
}

/// Shows this request from the top.
fn show_request(state: &mut State, id: Option<String>) {
    let requests = &mut state.requests;
    requests.current = id;
    requests.filter.clear();
    (requests.cursor, requests.scroll) = (Cursor::default(), Scroll::default());
    if state.focus == Pane::Selection {
        state.part = PanePart::List;
    }
    filter(state);
}

pub fn filter(state: &mut State) {
    let stay = state.requests.rows.get(state.requests.cursor.at).copied();
    let words: Vec<String> =
        state.requests.filter.text().to_lowercase().split_whitespace().map(str::to_owned).collect();
    let rows: Vec<usize> = match state.request() {
        None => Vec::new(),
        Some(waiting) => {
            let offered = waiting.request.sources.iter().enumerate();
            offered.filter(|(_, offered)| choice_view::fits(offered, &words)).map(|(at, _)| at).collect()
        }
    };
    let at = stay.and_then(|stay| rows.binary_search(&stay).ok()).unwrap_or(0);
    state.requests.cursor = Cursor { at, ..state.requests.cursor };
    state.requests.rows = rows;
}

pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::Requests => {
            close_ended_request(state);
            state.requests.place = RequestPlacement::Shown;
            if state.focus != Pane::Selection {
                state.requests.opened_from = Some(places::here(state));
            }
            state.focus_on(Pane::Selection);
        }
        Action::Mark => mark(state),
        Action::MarkAll => mark_all(state),
        Action::NextRequest if state.is_before_request() => state.requests.place = RequestPlacement::Shown,
        Action::NextRequest => step(state, 1),
        Action::PreviousRequest => step(state, state.snapshot.requests.len().saturating_sub(1)),
        Action::Answer => answer(state, effects),
        Action::Decline => reply(state, Reply::No, effects),
        Action::Approve => reply(state, Reply::Yes, effects),
        _ => {}
    }
}

fn mark(state: &mut State) {
    let Some(id) = state.subject(Pane::Selection).map(str::to_owned) else { return };
    let Some(current) = state.requests.current.clone() else { return };
    let marks = state.requests.marks.entry(current).or_default();
    if !marks.remove(&id) {
        marks.insert(id);
    }
    state.requests.marked += 1;
}

/// Marks all visible rows, or unmarks them if all are marked.
fn mark_all(state: &mut State) {
    let Some(waiting) = state.request() else { return };
    let offered = |row: &usize| waiting.request.sources.get(*row).map(|offered| offered.id.clone());
    let shown: BTreeSet<String> = state.requests.rows.iter().filter_map(offered).collect();
    let current = waiting.request.request_id.clone();
    let marks = state.requests.marks.entry(current).or_default();
    if shown.is_subset(marks) {
        marks.retain(|id| !shown.contains(id));
    } else {
        marks.extend(shown);
    }
    state.requests.marked += 1;
}

/// Shows the waiting request `by` positions further, wrapping around.
fn step(state: &mut State, by: usize) {
    let waiting = &state.snapshot.requests;
    state.requests.place = RequestPlacement::Shown;
    let at = (state.nth_request() + by) % waiting.len().max(1);
    let id = waiting.get(at).map(|waiting| waiting.request.request_id.clone());
    show_request(state, id);
}

/// The marked sources in the order in which they were offered.
pub fn chosen(request: &Request, marks: Option<&BTreeSet<String>>) -> Vec<String> {
    let mut left = marks.cloned().unwrap_or_default();
    let ids = request.sources.iter().map(|offered| &offered.id);
    ids.filter(|id| left.remove(*id)).cloned().collect()
}

fn answer(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(waiting) = state.request() else { return };
    if waiting.request.approval.is_some() {
        state.open(WindowKind::Approval);
        return;
    }
    let chosen = chosen(&waiting.request, state.marks());
    reply(state, Reply::Chosen(chosen), effects);
}

fn reply(state: &mut State, reply: Reply, effects: &mut Vec<Effect>) {
    let Some(request) = state.request().map(|waiting| waiting.request.clone()) else { return };
    let is_shown = |(shown, _): &(Arc<Request>, usize)| Arc::ptr_eq(shown, &request);
    // Only the write that was shown to its end is approved, not one that took its place a moment ago.
    let has_changed = std::mem::take(&mut state.requests.has_changed);
    if reply == Reply::Yes && (has_changed || !state.requests.wrapped_for.as_ref().is_some_and(is_shown)) {
        let text = "This write has changed since it was shown: read it again".to_owned();
        state.message = Some(Message { text, tone: MessageKind::Refusal });
        return;
    }
    state.close(WindowKind::Approval);
    state.requests.sent = Some(request.request_id.clone());
    effects.push(Effect::Ask(engine::Request::Reply { request, reply }));
}

/// The queue was full and did not accept the answer.
pub fn busy(state: &mut State) {
    state.requests.sent = None;
}

/// Clears the filter, or else puts the request aside.
pub fn leave(state: &mut State) {
    if state.requests.filter.is_empty() {
        state.requests.place = RequestPlacement::Aside;
    } else {
        filtering::clear(state, FilteredList::Request);
    }
}

/// Asks what the row under the cursor and all marks would add.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let (Some(waiting), None) = (state.shown_request(), state.typing) else { return };
    if waiting.request.other_desk(&state.snapshot.desk).is_some() {
        state.requests.preview.ask(None);
        return;
    }
    let row = state.subject(Pane::Selection).map(SourceId::from);
    let marked = format!("{}\n{}\n", waiting.request.request_id, state.requests.marked);
    let about = format!("{marked}{row:?}");
    let marks = state.marks().into_iter().flatten();
    let all: Vec<SourceId> = marks.map(|id| SourceId::from(id.as_str())).collect();
    let asked_before = state.requests.preview.about.as_ref();
    let is_same = asked_before.is_some_and(|(before, _)| before.starts_with(&marked));
    let before = state.requests.preview.answer.take().filter(|_| is_same);
    let is_new = state.requests.preview.ask(Some((&about, state.snapshot.generation)));
    // While only the row changes, keep the old answer to avoid flicker. With other marks it would be wrong.
    state.requests.preview.answer = before;
    if is_new {
        effects.push(Effect::Ask(engine::Request::PreviewPicks { one: row, all }));
    }
}

/// Reports how a request ended.
pub fn over(state: &mut State, over: &ClosedRequest) {
    let id = &over.request.request_id;
    match &mut state.requests.ended {
        Some(gone) if gone.waiting.request.request_id == *id => gone.how = Some(over.ended.clone()),
        _ => {
            if state.snapshot.requests.iter().any(|waiting| waiting.request.request_id == *id) {
                state.requests.over.insert(id.clone(), over.ended.clone());
            }
        }
    }
    let asker = &over.request.asker.who;
    let who = if asker.is_empty() { "the agent" } else { asker };
    let what = match &over.request.approval {
        Some(approval) => format!("the write of {}", approval.shown_path()),
        None => "the choice".to_owned(),
    };
    // No text begins with a name, which would be capitalized.
    let (tone, text) = match &over.ended {
        RequestEnd::Here(Reply::Yes) => {
            (MessageKind::Done, format!("approved: {who} may write {} as shown", path(over)))
        }
        RequestEnd::Here(Reply::No) if over.request.approval.is_some() => {
            (MessageKind::Done, format!("declined: {who} will not write {}", path(over)))
        }
        RequestEnd::Here(Reply::No) => (MessageKind::Note, format!("answered {who}: picked none of them")),
        RequestEnd::Here(Reply::Chosen(ids)) => {
            (MessageKind::Note, format!("answered {who}: {}", cells::counted(ids.len(), "source")))
        }
        RequestEnd::Elsewhere(answer) => {
            let outcome = outcome(&over.request, answer);
            let text = match &answer.by {
                Some(by) => format!("{what} for {who} was answered by {by}{outcome}"),
                None => format!("{what} for {who} was answered elsewhere{outcome}"),
            };
            (MessageKind::Explanation, text)
        }
        RequestEnd::TimedOut => (MessageKind::Refusal, format!("{what} for {who} timed out without an answer")),
        RequestEnd::RequesterExited => (MessageKind::Explanation, format!("{what} is no longer needed: {who} is gone")),
        RequestEnd::Withdrawn => {
            (MessageKind::Explanation, format!("{what} for {who} was answered elsewhere or withdrawn"))
        }
    };
    if take_line(state) {
        state.requests.line.result = Some(text);
        // The next request may already have been announced.
        state.requests.line.news.take_if(|(of, _)| of == id);
        update_line(state, tone);
    }
}

fn path(over: &ClosedRequest) -> String {
    over.request.approval.as_ref().map_or_else(String::new, Approval::shown_path)
}
