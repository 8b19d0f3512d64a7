//! Moving the borders of the grid, by keys and by the mouse; and what else changes how the screen looks: zoom and theme.

use ratatui::layout::Position;

use crate::tui::action::Border;
use crate::tui::input::Effect;
use crate::tui::layout::Layout;
use crate::tui::state::{Grip, Mouse, State, Tone};

pub(super) fn step(state: &mut State, border: Border) {
    state.splits = state.splits.moved(border, state.layout().body.as_size());
}

/// The border at this place, if one can be moved there. Where two panes meet either side of the border is the border.
pub(super) fn at(layout: &Layout, place: Position) -> Option<Grip> {
    let [Some(_), Some(right), Some(lower), Some(_)] = layout.panes else { return None };
    let before = |at: u16, border: u16| border.checked_sub(at).filter(|cells| *cells <= 1);
    let grip = Grip { columns: before(place.x, right.x), rows: before(place.y, lower.y) };
    (layout.body.contains(place) && (grip.columns.is_some() || grip.rows.is_some())).then_some(grip)
}

/// The held border goes to the mouse.
pub(super) fn drag(state: &mut State, to: Position) {
    let Some(grip) = state.grip else { return };
    let body = state.layout().body;
    if let Some(before) = grip.columns {
        let columns = to.x.saturating_add(before).saturating_sub(body.x);
        state.splits = state.splits.with_left(columns, body.as_size());
    }
    if let Some(before) = grip.rows {
        let rows = to.y.saturating_add(before).saturating_sub(body.y);
        state.splits = state.splits.with_upper(rows, body.as_size());
    }
}

pub(super) fn next_theme(state: &mut State) {
    state.skin.theme = state.skin.theme.next();
    let name = state.skin.theme.name();
    state.remembered.theme = Some(name.to_owned());
    super::say(state, Tone::Note, format!("theme: {name}"));
}

pub(super) fn toggle_mouse(state: &mut State, effects: &mut Vec<Effect>) {
    let (mouse, text) = match state.mouse {
        Mouse::Ours => (Mouse::Terminals, "the mouse marks text now, as without refdesk: M takes it back"),
        Mouse::Terminals => (Mouse::Ours, "the mouse is refdesk's again: M gives it to the terminal, to mark text"),
    };
    state.mouse = mouse;
    state.grip = None;
    super::say(state, Tone::Note, text.to_owned());
    effects.push(Effect::Mouse(mouse));
}
