//! The journal entries of a request: the request and its outcome. They contain no secrets, and nothing about a channel
//! except its answer.

use super::{ChannelAnswer, NoAnswer, Request};
use crate::session::{JournalEvent, Receipt};
use refdesk_text::Error;
use refdesk_text::escape::{code_span, one_line};
use refdesk_text::names::first_of;
use refdesk_text::shorten::shortened;

/// The most ids named that were not offered, and the most characters of them.
const NAMED: usize = 5;
const CHARACTERS: usize = 200;

/// The entry for a request.
pub fn request_receipt(request: &Request) -> Receipt {
    let mut reason = match &request.approval {
        Some(approval) => format!("to approve a write of {}", approval.shown_path()),
        None if request.sources.len() == 1 => "whether to use 1 source".to_owned(),
        None => format!("to choose from {} sources", request.sources.len()),
    };
    if !request.context.is_empty() {
        // Shown in one row, so its lines are joined.
        let context = request.context.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
        reason.push_str(&format!(": {}", one_line(&context.join(" "))));
    }
    receipt(request, JournalEvent::Asked, reason)
}

/// The entry for its outcome.
pub fn answer_receipt(request: &Request, came: &Result<ChannelAnswer, NoAnswer>) -> Receipt {
    let reason = match came {
        Ok(answered) => {
            let what = match (&request.approval, answered.approved) {
                (Some(approval), true) => format!("yes to {}", approval.shown_path()),
                (Some(approval), false) => format!("no to {}", approval.shown_path()),
                (None, _) if answered.selected.is_empty() && answered.unknown.is_empty() => "none".to_owned(),
                (None, _) if answered.selected.is_empty() => format!("none of {}", request.sources.len()),
                (None, _) => format!("{} of {}", answered.selected.len(), request.sources.len()),
            };
            let unknown = match answered.unknown.as_slice() {
                [] => String::new(),
                unknown => format!("; not offered: {}", one_line(&shortened(first_of(unknown, NAMED), CHARACTERS))),
            };
            format!("{} answered: {what}{unknown}", person(answered))
        }
        Err(NoAnswer::TimedOut) => match &request.approval {
            Some(approval) => format!("no approval of the write of {} in time", approval.shown_path()),
            None if request.sources.len() == 1 => "no answer in time about 1 source".to_owned(),
            None => format!("no answer in time about {} sources", request.sources.len()),
        },
        Err(NoAnswer::Cancelled) => "cancelled before there was an answer".to_owned(),
        Err(NoAnswer::Failed(Error { message, .. })) => format!("no valid answer: {message}"),
    };
    let about = came.as_ref().map(|answered| answered.selected.clone()).unwrap_or_default();
    let by = came.as_ref().ok().and_then(|answered| answered.by.clone());
    Receipt { about, by, ..receipt(request, JournalEvent::Answered, reason) }
}

/// How to refer to who answered; some channels report only the place.
pub fn person(answer: &ChannelAnswer) -> String {
    match answer.by.as_deref() {
        None if answer.is_from_program => "a program".to_owned(),
        Some(by) if answer.is_from_program => format!("a program ({})", code_span(by)),
        None => "a person".to_owned(),
        Some(place) if place.ends_with("screen") || place.ends_with("terminal") => format!("a person at {place}"),
        Some(by) => by.to_owned(),
    }
}

fn receipt(request: &Request, what: JournalEvent, reason: String) -> Receipt {
    let path = request.approval.as_ref().map(|approval| approval.path.clone());
    Receipt { path, reason, request: Some(request.request_id.clone()), ..Receipt::new(what) }
}

#[cfg(test)]
mod tests {
    use super::super::raise::tests::{asking, asking_for_approval};
    use super::*;
    use refdesk_text::Code;

    #[test]
    fn each_outcome_has_a_description() {
        let (choice, yes) = (asking("r", &["a", "b"]), asking_for_approval("r"));
        assert_eq!(request_receipt(&choice).reason, "to choose from 2 sources: why");
        let lines = Request { context: "to plan\r\n\n  the move\u{1b}\n".to_owned(), ..asking("r", &["a", "b"]) };
        assert_eq!(request_receipt(&lines).reason, "to choose from 2 sources: to plan the move\\x1b");
        assert_eq!(request_receipt(&yes).reason, "to approve a write of src/a.rs: why");
        let by = Some("a screen".to_owned());
        let some = ChannelAnswer { selected: vec!["a".to_owned()], by, ..ChannelAnswer::default() };
        let unknown = vec!["x".to_owned(), "y".to_owned()];
        let wrong = ChannelAnswer { unknown, ..ChannelAnswer::default() };
        let failed = NoAnswer::failed(Code::Webhook, "the webhook said no", "");
        for (request, came, reason) in [
            (&choice, Ok(some.clone()), "a person at a screen answered: 1 of 2"),
            (&choice, Ok(ChannelAnswer::default()), "a person answered: none"),
            (&choice, Ok(wrong.clone()), "a person answered: none of 2; not offered: x, y"),
            (
                &choice,
                Ok(ChannelAnswer { selected: vec!["a".to_owned()], ..wrong }),
                "a person answered: 1 of 2; not offered: x, y",
            ),
            (
                &yes,
                Ok(ChannelAnswer { approved: true, ..ChannelAnswer::default() }),
                "a person answered: yes to src/a.rs",
            ),
            (&yes, Ok(ChannelAnswer::default()), "a person answered: no to src/a.rs"),
            (&choice, Err(NoAnswer::TimedOut), "no answer in time about 2 sources"),
            (&yes, Err(NoAnswer::TimedOut), "no approval of the write of src/a.rs in time"),
            (&choice, Err(NoAnswer::Cancelled), "cancelled before there was an answer"),
            (&choice, Err(failed), "no valid answer: the webhook said no"),
        ] {
            assert_eq!(answer_receipt(request, &came).reason, reason);
        }
        let receipt = answer_receipt(&choice, &Ok(some));
        assert_eq!(receipt.about, ["a"]);
        assert_eq!((receipt.request.as_deref(), receipt.by.as_deref()), (Some("r"), Some("a screen")));
    }
}
