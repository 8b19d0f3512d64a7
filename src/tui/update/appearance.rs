//! Moves borders and dividers, and switches the mouse.

use ratatui::layout::Position;

use crate::tui::action::{Action, BorderMove};
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::layout::dividers;
use crate::tui::layout::{Arrangement, Preset, ScreenLayout, Splits};
use crate::tui::pane::Pane;
use crate::tui::places;
use crate::tui::state::{Dragged, Mouse, PanePart, State};
use refdesk_core::config::screen::DividerShares;

/// Zooms the focused pane, or restores the arrangement.
pub fn zoom(state: &mut State) {
    state.arrangement_before = None;
    state.arrangement = match state.arrangement {
        Arrangement::Zoomed => state.before_zoom,
        before @ (Arrangement::Focused | Arrangement::Overview) => {
            state.before_zoom = before;
            Arrangement::Zoomed
        }
    };
}

pub fn arrange(state: &mut State, preset: Preset) {
    let before = state.arrangement_before.unwrap_or(state.arrangement);
    let from = state.zoomed_from.take().unwrap_or_else(|| (places::here(state), before));
    match preset {
        Preset::Overview => {}
        Preset::Reading => {
            state.focus_on(Pane::Catalog);
            state.part = PanePart::Detail;
        }
        Preset::Hints => state.focus_on(Pane::Hints),
        Preset::Templates => state.focus_on(Pane::Templates),
        Preset::Feed => feed::update::open(state),
    }
    state.arrangement = match preset {
        Preset::Overview => Arrangement::Overview,
        // Beside the list, if both fit.
        Preset::Reading if state.size.width >= layout::WIDE => Arrangement::Focused,
        _ => Arrangement::Zoomed,
    };
    let is_alone = matches!(preset, Preset::Hints | Preset::Templates | Preset::Feed);
    state.arrangement_before = (is_alone && before != state.arrangement).then_some(before);
    state.zoomed_from = is_alone.then_some(from);
}

/// Returns to the place and arrangement before the zoom, if any.
pub fn restore(state: &mut State, effects: &mut Vec<Effect>) {
    if let Some((place, arrangement)) = state.zoomed_from.take() {
        (state.arrangement, state.arrangement_before) = (arrangement, None);
        places::restore(state, place, effects);
    }
}

pub fn step(state: &mut State, border: BorderMove) {
    let layout = state.layout();
    state.splits = state.splits.moved(border, layout.body.as_size(), layout.cells());
}

/// The border at this position, if it can be moved. Both adjacent border cells count.
pub fn at(layout: &ScreenLayout, place: Position) -> Option<Dragged> {
    let before = |at: u16, border: u16| border.checked_sub(at).filter(|cells| *cells <= 1);
    let columns = layout.border().and_then(|right| before(place.x, right));
    let lower = layout.panes.iter().flatten().map(|pane| pane.y).filter(|y| *y > layout.body.y).min();
    let rows = lower.and_then(|lower| before(place.y, lower));
    let is_border = layout.body.contains(place) && (columns.is_some() || rows.is_some());
    is_border.then_some(Dragged::Border { columns, rows })
}

/// Moves the dragged border or divider to the mouse.
pub fn drag(state: &mut State, to: Position) {
    let layout = state.layout();
    match state.dragged {
        Some(Dragged::Border { columns, rows }) => drag_border(state, &layout, (columns, rows), to),
        Some(Dragged::Divider(pane, rule)) => {
            if let Some(outer) = layout.panes.get(pane.index()).copied().flatten() {
                dividers::put(&mut state.rules, pane, rule, layout::inner(outer), to);
            }
        }
        None => {}
    }
}

fn drag_border(state: &mut State, layout: &ScreenLayout, (columns, rows): (Option<u16>, Option<u16>), to: Position) {
    let body = layout.body;
    if let Some(before) = columns {
        let wide = to.x.saturating_add(before).saturating_sub(body.x);
        state.splits = state.splits.with_left(wide, body.as_size());
    }
    if let Some(before) = rows {
        let rows = to.y.saturating_add(before).saturating_sub(body.y);
        state.splits = state.splits.with_upper(rows, body.as_size());
    }
}

pub fn reset(state: &mut State) {
    state.splits = Splits::default();
    state.rules = DividerShares::default();
}

pub fn toggle_mouse(state: &mut State, effects: &mut Vec<Effect>) {
    let key = state.key(Action::Mouse);
    let (mouse, text) = match state.mouse {
        Mouse::Ours => {
            (Mouse::Terminals, format!("the terminal handles the mouse now, to select text: {key} takes it back"))
        }
        Mouse::Terminals => {
            (Mouse::Ours, format!("refdesk handles the mouse again: {key} leaves it to the terminal, to select text"))
        }
    };
    state.mouse = mouse;
    state.dragged = None;
    state.note(text);
    effects.push(Effect::Mouse(mouse));
}
