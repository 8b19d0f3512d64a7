//! Moves borders and dividers, and switches theme and mouse.

use ratatui::layout::{Position, Rect};

use crate::tui::action::BorderMove;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::layout::dividers;
use crate::tui::layout::{ScreenLayout, Splits};
use crate::tui::state::{Dragged, Mouse, State};
use refdesk_core::config::screen::DividerShares;

pub fn step(state: &mut State, border: BorderMove) {
    state.splits = state.splits.moved(border, state.layout().body.as_size());
}

/// The border at this position, if it can be moved. Both border cells of adjacent panes count.
pub fn at(layout: &ScreenLayout, place: Position) -> Option<Dragged> {
    let [Some(_), Some(right), Some(lower), Some(_)] = layout.panes else { return None };
    let before = |at: u16, border: u16| border.checked_sub(at).filter(|cells| *cells <= 1);
    let (columns, rows) = (before(place.x, right.x), before(place.y, lower.y));
    let is_border = layout.body.contains(place) && (columns.is_some() || rows.is_some());
    is_border.then_some(Dragged::Border { columns, rows })
}

/// Moves the dragged border or divider to the mouse.
pub fn drag(state: &mut State, to: Position) {
    let layout = state.layout();
    match state.dragged {
        Some(Dragged::Border { columns, rows }) => drag_border(state, layout.body, (columns, rows), to),
        Some(Dragged::Divider(pane, rule)) => {
            if let Some(outer) = layout.panes.get(pane.index()).copied().flatten() {
                dividers::put(&mut state.rules, pane, rule, layout::inner(outer), to);
            }
        }
        None => {}
    }
}

fn drag_border(state: &mut State, body: Rect, (columns, rows): (Option<u16>, Option<u16>), to: Position) {
    if let Some(before) = columns {
        let columns = to.x.saturating_add(before).saturating_sub(body.x);
        state.splits = state.splits.with_left(columns, body.as_size());
    }
    if let Some(before) = rows {
        let rows = to.y.saturating_add(before).saturating_sub(body.y);
        state.splits = state.splits.with_upper(rows, body.as_size());
    }
}

/// Resets every border and divider.
pub fn reset(state: &mut State) {
    state.splits = Splits::default();
    state.rules = DividerShares::default();
}

pub fn next_theme(state: &mut State) {
    state.skin.theme = state.skin.theme.next();
    let name = state.skin.theme.name();
    state.remembered.theme = Some(name.to_owned());
    state.note(format!("theme: {name}"));
}

pub fn toggle_mouse(state: &mut State, effects: &mut Vec<Effect>) {
    let (mouse, text) = match state.mouse {
        Mouse::Ours => (Mouse::Terminals, "the terminal handles the mouse now, to select text: M takes it back"),
        Mouse::Terminals => {
            (Mouse::Ours, "refdesk handles the mouse again: M leaves it to the terminal, to select text")
        }
    };
    state.mouse = mouse;
    state.dragged = None;
    state.note(text.to_owned());
    effects.push(Effect::Mouse(mouse));
}
