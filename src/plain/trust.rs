//! Settings of the repository that need the user's approval, printed before they are trusted.

use std::sync::Arc;

use refdesk_desk::PrivilegedAction;
use refdesk_desk::engine::Request;

use super::state::{InputOutcome, InputOwner, Pending, PlainState, Question};
use super::words::{counted, sentence};
use crate::common::trust_question;

pub fn show(state: &mut PlainState, turn: &mut InputOutcome) {
    let untrusted = state.snapshot.untrusted.clone();
    if state.input_owner == InputOwner::Script {
        return turn.print("Only a person at a terminal can trust settings.");
    }
    if untrusted.is_empty() {
        return turn.print("No setting of this repository needs your trust.");
    }
    let want = if untrusted.len() == 1 { "wants" } else { "want" };
    turn.print(format!("{} of this repository {want} to do the following.", counted(untrusted.len(), "setting")));
    for (nth, action) in untrusted.iter().enumerate() {
        let place = action.line.map_or_else(|| action.file.clone(), |line| format!("{}:{line}", action.file));
        turn.print(format!("{}: {} Set in {place}.", nth + 1, sentence(&action.what)));
    }
    turn.print(
        "None of this takes effect until you trust it. Your trust covers exactly this, on this machine, for you.",
    );
    let them = if untrusted.len() == 1 { "it" } else { "them" };
    turn.print(format!("Type yes to trust {}, or no to leave {them}.", trust_question::settings(&untrusted)));
    state.question = Some(Question::Trust(untrusted));
}

/// Trusts what was printed, if exactly that still needs approval.
pub fn trust(state: &mut PlainState, printed: Arc<[PrivilegedAction]>, turn: &mut InputOutcome) {
    if state.snapshot.untrusted != printed {
        return turn
            .print("These settings have changed in the meantime. Nothing was trusted. Type trust to list them again.");
    }
    state.pending = Some(Pending::Simple("Trusted."));
    turn.ask(Request::Trust(printed));
}
