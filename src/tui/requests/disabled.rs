//! Why an action on a request is disabled.

use crate::tui::action::{Action, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::state::{RequestPlacement, State};
use crate::tui::widgets::motion::Motion;
use crate::tui::windows::{self, WindowKind};

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let owned = |why: &str| Some(why.to_owned());
    if state.requests.ended.is_some() {
        let why = if action == Action::Requests { "there are no requests" } else { "this request has ended" };
        let is_next = action == Action::Requests && !state.snapshot.requests.is_empty();
        return (!is_next).then(|| why.to_owned());
    }
    let Some(waiting) = state.request() else { return owned("there are no requests") };
    if action == Action::Requests {
        return state.in_request().then(|| "you are already at the request".to_owned());
    }
    if state.shown_request().is_none() {
        return Some(format!("the request is set aside: {} brings it back", state.key(Action::Requests)));
    }
    if state.requests.place == RequestPlacement::Next {
        let turns = matches!(action, Action::NextRequest | Action::PreviousRequest);
        return (!turns).then(|| format!("this is the next request: {} goes to it", state.key(Action::Requests)));
    }
    let request = &waiting.request;
    let is_sent = state.requests.sent.as_ref() == Some(&request.request_id);
    let is_approval = request.approval.is_some();
    let is_marked = state.marks().is_some_and(|marks| !marks.is_empty());
    match action {
        Action::Answer | Action::Approve | Action::Decline if is_sent => owned("your answer is being sent"),
        Action::Mark | Action::MarkAll | Action::Filter if is_approval => {
            let key = state.key(Action::Answer);
            Some(format!("this request offers no sources: {key} shows what would be written"))
        }
        Action::Mark if state.subject(Pane::Selection).is_none() => owned("there is no source under the cursor"),
        Action::MarkAll if state.requests.rows.is_empty() => owned("there are no sources to mark"),
        Action::Answer if !is_approval && !is_marked => {
            let [mark, none] = [Action::Mark, Action::Decline].map(|action| state.key(action));
            Some(format!("nothing is marked: {mark} marks a source, {none} chooses none"))
        }
        Action::Approve if !is_approval => {
            let key = state.key(Action::Answer);
            Some(format!("this is not a write: {key} answers with the marked sources"))
        }
        Action::Approve if state.open_window() != Some(WindowKind::Approval) => {
            Some(format!("review what would be written first: {} shows it", state.key(Action::Answer)))
        }
        Action::Approve if windows::has_more_below(state) => {
            let key = state.key_in(KeyContext::List, Action::Move(Motion::PageDown));
            Some(format!("{key} shows the rest first: you would approve that, too"))
        }
        Action::NextRequest | Action::PreviousRequest if state.snapshot.requests.len() < 2 => {
            owned("there is no other request")
        }
        _ => None,
    }
}
