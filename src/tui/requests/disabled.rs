//! Why an action on a request is disabled.

use crate::tui::action::Action;
use crate::tui::pane::Pane;
use crate::tui::state::{RequestPlacement, State};
use crate::tui::windows::WindowKind;

pub fn disabled(state: &State, action: Action) -> Option<String> {
    why_not(state, action).map(str::to_owned)
}

fn why_not(state: &State, action: Action) -> Option<&'static str> {
    if state.requests.ended.is_some() {
        let why = if action == Action::Requests { "there are no requests" } else { "this request has ended" };
        let is_next = action == Action::Requests && !state.snapshot.requests.is_empty();
        return (!is_next).then_some(why);
    }
    let Some(waiting) = state.request() else { return Some("there are no requests") };
    if action == Action::Requests {
        return state.in_request().then_some("you are at the request already");
    }
    if state.shown_request().is_none() {
        return Some("the request is put aside: A brings it back");
    }
    if state.requests.place == RequestPlacement::Next {
        let turns = matches!(action, Action::NextRequest | Action::PreviousRequest);
        return (!turns).then_some("this is the next request: A turns to it");
    }
    let request = &waiting.request;
    let is_sent = state.requests.sent.as_ref() == Some(&request.request_id);
    let is_approval = request.approval.is_some();
    let is_marked = state.marks().is_some_and(|marks| !marks.is_empty());
    match action {
        Action::Answer | Action::Approve | Action::Decline if is_sent => Some("your answer is being sent"),
        Action::Mark | Action::MarkAll | Action::FilterRequest if is_approval => {
            Some("this request offers no sources: Enter shows what would be written")
        }
        Action::Mark if state.subject(Pane::Selection).is_none() => Some("there is no source under the cursor"),
        Action::MarkAll if state.requests.rows.is_empty() => Some("there are no sources to mark"),
        Action::Answer if !is_approval && !is_marked => Some("nothing is marked: Space marks a source, n chooses none"),
        Action::Approve if !is_approval => Some("this is not a write: Enter answers with the marked sources"),
        Action::Approve if state.open_window() != Some(WindowKind::Approval) => {
            Some("look at what would be written first: Enter shows it")
        }
        Action::NextRequest | Action::PreviousRequest if state.snapshot.requests.len() < 2 => {
            Some("there is no other request")
        }
        _ => None,
    }
}
