//! The windows about profiles: the list, the difference to one of them, the switch. The difference is asked for again when
//! the desk is another: what is confirmed is what was shown.

use std::path::PathBuf;

use ratatui::layout::Position;

use crate::engine::{Command, OfProfiles, Profiles};
use crate::tui::input::Effect;
use crate::tui::motion::{Cursor, Motion, Scroll};
use crate::tui::overlays;
use crate::tui::state::{Overlay, State};

use super::go::overlay_page;

/// Opens the list, anew each time: files may have changed.
pub(super) fn open(state: &mut State, effects: &mut Vec<Effect>) {
    let generation = state.profiles.generation + 1;
    state.profiles.generation = generation;
    state.profiles.listed = None;
    state.overlay = Some(Overlay::Profiles(Cursor::default()));
    effects.push(Effect::Send(Command::Profiles(Profiles::List { generation })));
}

/// HintsView the difference to the profile in this file; it is asked for when there is a desk to compare with.
pub(in crate::tui) fn propose(state: &mut State, file: PathBuf) {
    state.profiles.file = Some(file);
    state.profiles.switch = None;
    state.profiles.asked_at = None;
    state.profiles.is_current = false;
    state.overlay = Some(Overlay::Switch(Scroll::default()));
}

/// From the list to the difference, from there to the switch.
pub(super) fn confirm(state: &mut State, effects: &mut Vec<Effect>) {
    match state.overlay {
        Some(Overlay::Profiles(cursor)) => {
            let listed = state.profiles.listed.as_ref().and_then(|listed| listed.get(cursor.at));
            if let Some(file) = listed.map(|profiled| profiled.file.clone()) {
                propose(state, file);
            }
        }
        Some(Overlay::Switch(_)) => {
            state.overlay = None;
            if let Some(file) = state.profiles.file.take() {
                effects.push(Effect::Send(Command::Profiles(Profiles::Switch(file))));
            }
        }
        _ => {}
    }
}

/// Why there is nothing to confirm.
pub(in crate::tui) fn why_not(state: &State) -> Option<String> {
    match (state.overlay, &state.profiles.switch) {
        (Some(Overlay::Profiles(_)), _) if state.profiles.listed.is_none() => {
            Some("the profiles are still being read".to_owned())
        }
        (Some(Overlay::Profiles(_)), _) if state.profiles.len() == 0 => Some("there are no profiles".to_owned()),
        (Some(Overlay::Switch(_)), _) if !state.profiles.is_current => {
            Some("what would change is still being looked up".to_owned())
        }
        (Some(Overlay::Switch(_)), Some(Err(why))) => Some(why.clone()),
        (Some(Overlay::Switch(_)), Some(Ok(switch))) if switch.is_none() => {
            Some("the desk picks just that already".to_owned())
        }
        _ => None,
    }
}

/// Takes the answer to the newest question.
pub(super) fn answer(state: &mut State, answer: OfProfiles) {
    match answer {
        OfProfiles::Listed { generation, profiles, problems } if generation == state.profiles.generation => {
            state.profiles.listed = Some(profiles);
            state.profiles.problems = problems;
        }
        OfProfiles::Compared { generation, switch } if generation == state.profiles.generation => {
            state.profiles.switch = Some(switch);
            state.profiles.is_current = true;
        }
        OfProfiles::Listed { .. } | OfProfiles::Compared { .. } => {}
    }
}

pub(super) fn step(state: &mut State, motion: Motion) {
    let page = overlay_page(state);
    match state.overlay {
        Some(Overlay::Profiles(mut cursor)) => {
            cursor.step(motion, state.profiles.len(), page);
            state.overlay = Some(Overlay::Profiles(cursor));
        }
        Some(Overlay::Switch(mut scroll)) => {
            scroll.step(motion, overlays::switch::len(state), page);
            state.overlay = Some(Overlay::Switch(scroll));
        }
        _ => {}
    }
}

/// A click on a row goes there.
pub(super) fn click(state: &mut State, mut cursor: Cursor, at: Position) {
    let (list, ..) = overlays::profiles::places(state);
    let row =
        cursor.window(state.profiles.len(), usize::from(list.height)).start + usize::from(at.y.saturating_sub(list.y));
    if list.contains(at) && row < state.profiles.len() {
        cursor.at = row;
        state.overlay = Some(Overlay::Profiles(cursor));
    }
}

/// After every input: keeps within what there is, and asks for the difference to the desk as it is now.
pub(super) fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    let page = overlay_page(state);
    match state.overlay {
        Some(Overlay::Profiles(mut cursor)) => {
            cursor.settle(state.profiles.len(), page);
            state.overlay = Some(Overlay::Profiles(cursor));
        }
        Some(Overlay::Switch(mut scroll)) => {
            scroll.top = scroll.top.min(overlays::switch::len(state).saturating_sub(page));
            state.overlay = Some(Overlay::Switch(scroll));
            let at = state.snapshot.generation;
            if let Some(file) = state.profiles.file.clone().filter(|_| at > 0 && state.profiles.asked_at != Some(at)) {
                state.profiles.asked_at = Some(at);
                state.profiles.is_current = false;
                state.profiles.generation += 1;
                let generation = state.profiles.generation;
                effects.push(Effect::Send(Command::Profiles(Profiles::Compare { generation, file })));
            }
        }
        _ => {}
    }
}
