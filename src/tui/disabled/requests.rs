//! When a request cannot be answered so, and why.

use crate::tui::action::Action;
use crate::tui::pane::Pane;
use crate::tui::state::{Overlay, RequestPlacement, State};

/// Why this action on a request cannot be done now; `None` if it can.
pub(super) fn requests(state: &State, action: Action) -> Option<String> {
    if state.requests.ended.is_some() {
        let why = if action == Action::Requests { "nobody asks for anything" } else { "this request has ended" };
        let is_next = action == Action::Requests && !state.snapshot.requests.is_empty();
        return (!is_next).then(|| why.to_owned());
    }
    let Some(waiting) = state.request() else { return Some("nobody asks for anything".to_owned()) };
    if action == Action::Requests {
        return state.in_request().then(|| "you are at the request already".to_owned());
    }
    if state.shown_request().is_none() {
        return Some("the request is put aside: A brings it back".to_owned());
    }
    if state.requests.place == RequestPlacement::Next {
        let turns = matches!(action, Action::NextRequest | Action::PreviousRequest);
        return (!turns).then(|| "this is the next request: A turns to it".to_owned());
    }
    let request = &waiting.request;
    if matches!(action, Action::Answer | Action::Approve | Action::Decline)
        && state.requests.sent.as_ref() == Some(&request.request_id)
    {
        return Some("it is being answered".to_owned());
    }
    let is_approval = request.approval.is_some();
    match action {
        Action::Mark | Action::MarkAll | Action::FilterRequest if is_approval => {
            Some("there is nothing to choose from: Enter shows what would be written".to_owned())
        }
        Action::Mark if state.subject(Pane::Selection).is_none() => {
            Some("there is no source under the cursor".to_owned())
        }
        Action::MarkAll if state.requests.rows.is_empty() => Some("there is no source to mark".to_owned()),
        Action::Answer if !is_approval && state.marks().is_none_or(std::collections::BTreeSet::is_empty) => {
            Some("nothing is marked: Space marks a source, n chooses none".to_owned())
        }
        Action::Approve if !is_approval => Some("this is no write: Enter answers with what is marked".to_owned()),
        Action::Approve if !matches!(state.overlay, Some(Overlay::Approval(_))) => {
            Some("look at what would be written first: Enter shows it".to_owned())
        }
        Action::NextRequest | Action::PreviousRequest if state.snapshot.requests.len() < 2 => {
            Some("no other request waits".to_owned())
        }
        _ => None,
    }
}
