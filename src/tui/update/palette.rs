//! The palette's keys: what is typed narrows the list, Enter closes the window and does what the row says where the person
//! was before.

use crate::tui::field::{FieldLimit, TextEdit};
use crate::tui::input::Effect;
use crate::tui::motion::{Cursor, Motion};
use crate::tui::palette;
use crate::tui::state::{Overlay, State, Tone};

pub(super) fn open(state: &mut State) {
    state.palette.clear();
    state.overlay = Some(Overlay::Palette(Cursor::default()));
}

pub(super) fn is_open(state: &State) -> bool {
    matches!(state.overlay, Some(Overlay::Palette(_)))
}

/// The line has one line: line breaks of a paste become blanks.
pub(super) fn paste(state: &mut State, text: &str) {
    state.message = None;
    insert(state, text.replace(['\r', '\n'], " ").trim());
}

pub(super) fn insert(state: &mut State, text: &str) {
    let fits = state.palette.fitting(text, FieldLimit::Line);
    if state.palette.insert(fits).is_some() {
        to_the_first(state);
    }
    if fits.len() < text.len() {
        super::say(state, Tone::Refusal, FieldLimit::Line.full().to_owned());
    }
}

pub(super) fn edit(state: &mut State, edit: TextEdit) {
    if state.palette.edit(edit).is_some() {
        to_the_first(state);
    }
}

fn to_the_first(state: &mut State) {
    state.overlay = Some(Overlay::Palette(Cursor::default()));
}

pub(super) fn step(state: &mut State, mut cursor: Cursor, motion: Motion) {
    cursor.step(motion, palette::rows(state).len(), super::go::overlay_page(state));
    state.overlay = Some(Overlay::Palette(cursor));
}

pub(super) fn confirm(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(row) = palette::chosen(state) else { return };
    state.overlay = None;
    super::act(state, row.entry.action, effects);
}
