//! The profiles: what each would select, and switching to one after its comparison was printed.

use std::path::PathBuf;
use std::sync::Arc;

use refdesk_core::selection::Selection;
use refdesk_desk::engine::Request;
use refdesk_desk::{ProfileDetails, ProfileSwitch};
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::grouped;

use crate::common::{NO_PROFILES, source_words};

use super::choice::change;
use super::lists::{NumberedRow, Target, list};
use super::state::{InputOutcome, Pending, PlainState, Question};
use super::words::{counted, sentence, stopped, tokens};

#[derive(Debug, Clone, PartialEq)]
pub struct ComparedProfile {
    file: PathBuf,
    switch: Box<ProfileSwitch>,
    selection: Arc<Selection>,
}

pub fn ask(state: &mut PlainState, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Profiles);
    turn.ask(Request::ListProfiles);
}

pub fn listed(state: &mut PlainState, profiles: &[ProfileDetails], problems: &[Diagnostic], turn: &mut InputOutcome) {
    problems.iter().for_each(|problem| turn.print(sentence(&problem.message)));
    match profiles.len() {
        0 => turn.print(NO_PROFILES),
        some => turn.print(format!("{}. Type a number to compare one with your picks.", counted(some, "profile"))),
    }
    let row = |profile: &ProfileDetails| NumberedRow::new(Target::Profile(profile.file.clone()), words(profile));
    list(state, profiles.iter().map(row).collect(), turn);
}

/// `reviewer, 3 picked, 9 pulled in, 1 auto, about 4,120 tokens, 2 templates, missing a and b. Reviews changes.`
fn words(profile: &ProfileDetails) -> String {
    let ProfileDetails { name, picks, transitive, auto, templates, missing, .. } = profile;
    if let Some(problem) = profile.problems.iter().find(|problem| problem.is_error()) {
        return format!("{name}, cannot be used: {}", sentence(&problem.message));
    }
    let missing = if missing.is_empty() { String::new() } else { format!(", missing {}", missing.join(", ")) };
    let about =
        if profile.description.is_empty() { String::new() } else { format!(" {}", stopped(&profile.description)) };
    format!(
        "{name}, {} picked, {} pulled in, {} auto, {}{}, {}{missing}.{about}",
        picks.len(),
        transitive.len(),
        auto.len(),
        tokens(profile.tokens),
        source_words::waiting(profile.waiting),
        counted(templates.len(), "template"),
    )
}

/// Asks what switching to this profile would change.
pub fn compare(state: &mut PlainState, file: PathBuf, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Comparison(file.clone()));
    turn.ask(Request::CompareProfile(file));
}

/// Prints the comparison, and asks.
pub fn compared(
    state: &mut PlainState,
    file: PathBuf,
    switch: Result<Box<ProfileSwitch>, String>,
    turn: &mut InputOutcome,
) {
    let switch = match switch {
        Ok(switch) => switch,
        Err(why) => return turn.print(sentence(&why)),
    };
    if switch.is_none() {
        return turn.print(match (switch.excluded.is_empty(), switch.missing.is_empty()) {
            (true, true) => format!("{} picks what you have already picked.", switch.name),
            _ => format!("{} picks nothing new: its other sources are excluded here or missing.", switch.name),
        });
    }
    turn.print(format!("Switching to {} would change:", switch.name));
    let unpicked: Vec<String> = switch.unpicked.iter().map(|id| source_words::still_there(&switch, id)).collect();
    let pulled_in: Vec<String> = switch.pulled_in.iter().map(ToString::to_string).collect();
    let released: Vec<String> = switch.released.iter().map(ToString::to_string).collect();
    for (what, ids) in [
        ("Picks", &switch.picked),
        ("Unpicks", &unpicked),
        ("Pulls in", &pulled_in),
        ("Releases", &released),
        ("Missing, not picked", &switch.missing),
        ("Excluded here, not picked", &switch.excluded),
    ] {
        if !ids.is_empty() {
            turn.print(format!("{what}: {}.", ids.join(", ")));
        }
    }
    switch.stays.iter().for_each(|what| turn.print(sentence(what)));
    let (before, after) = (tokens(switch.tokens_before), grouped(switch.tokens_after));
    let waiting = source_words::waiting(switch.waiting);
    turn.print(format!("An agent gets {before} now, and about {after} afterwards{waiting}."));
    for (what, files) in [("Writes", &switch.writes), ("Removes, unless changed by hand", &switch.removes)] {
        if !files.is_empty() {
            turn.print(format!("{what}: {}.", files.join(", ")));
        }
    }
    turn.print("Type yes to switch, or no to keep your picks.");
    let selection = state.snapshot.selection.clone();
    state.question = Some(Question::Profile(ComparedProfile { file, switch, selection }));
}

/// Switches, if the selection is still the one that was compared.
pub fn switch(state: &mut PlainState, profile: ComparedProfile, turn: &mut InputOutcome) {
    if state.snapshot.selection != profile.selection {
        turn.print("The selection has changed in the meantime.");
        return compare(state, profile.file, turn);
    }
    let ComparedProfile { file, switch: shown, .. } = profile;
    let done = format!("Switched to {}.", shown.name);
    change(state, Request::SwitchProfile { file, shown }, done, Vec::new(), turn);
}
