//! The problems of the workspace with their fixes, and ways to start.

use refdesk_text::report::{Diagnostic, total};

use super::fix;
use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, PlainState};
use super::words::{counted, sentence, stopped};

pub fn show(state: &mut PlainState, turn: &mut InputOutcome) {
    let all = state.snapshot.diagnostics.clone();
    let errors = total(all.iter().filter(|problem| problem.is_error()));
    if all.is_empty() {
        turn.print("There are no problems in this workspace.");
    } else {
        turn.print(format!("{} and {}.", counted(errors, "error"), counted(total(all.iter()) - errors, "warning")));
    }
    list(state, all.iter().map(row).collect(), turn);
}

pub fn row(problem: &Diagnostic) -> NumberedRow {
    NumberedRow::new(Target::Problem(Box::new(problem.clone())), words(problem))
}

/// `error, docs/a.md:3: a.md does not exist.`
fn words(problem: &Diagnostic) -> String {
    let kind = if problem.is_error() { "error" } else { "warning" };
    let subject = problem.source_id.clone().unwrap_or_else(|| problem.place());
    let subject = if subject.is_empty() { subject } else { format!(", {subject}") };
    format!("{kind}{subject}: {}", stopped(&problem.message))
}

pub fn show_one(problem: &Diagnostic, turn: &mut InputOutcome) {
    turn.print(sentence(&problem.message));
    let fix = problem.fix.worded(&fix::words);
    if !fix.trim().is_empty() {
        turn.print(format!("Fix: {}", stopped(&fix)));
    }
    let place = problem.place();
    if !place.is_empty() {
        turn.print(format!("Place: {place}."));
    }
    let about = problem.source_id.as_ref().map(|id| format!(" It is about {id}.")).unwrap_or_default();
    turn.print(format!("Code: {}.{about}", problem.code));
}

/// Explains how to start. These are separate commands, because they ask questions of their own.
pub fn welcome(state: &PlainState, turn: &mut InputOutcome) {
    match &state.snapshot.home {
        Some(place) => {
            turn.print(in_home(place));
            turn.print("To connect the agents of this machine for all projects, run refdesk connect --user.");
        }
        None => {
            turn.print("To make a catalog of what this repository has, run refdesk init.");
            turn.print("To add one file, folder or address, run refdesk add and its path.");
            turn.print("To connect the agents of this machine, run refdesk connect.");
        }
    }
    turn.print("To try refdesk on a sample knowledge base, run refdesk --plain --demo.");
}

/// Where to go from the home folder, of which no catalog is made.
pub fn in_home(place: &str) -> String {
    format!("This is {place}: change to the folder of a project first.")
}
