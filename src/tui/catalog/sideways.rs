//! Horizontal scrolling of code that is wider than its pane. All code in the document scrolls together.

use std::ops::Range;

use crate::tui::action::Action;
use crate::tui::catalog::reading::{self, view};
use crate::tui::state::State;
use crate::tui::templates::preview_update::SCROLL_STEP;

/// The number of columns by which the widest visible code exceeds the pane.
fn overhang(state: &State) -> usize {
    let (Some((view, page)), Some(columns)) = (view(state), reading::columns(state)) else { return 0 };
    let rows = state.catalog.scroll.window(view.len(), page).filter_map(|row| row.checked_sub(view.details.len()));
    rows.map(|row| view.document.overhang(row, columns)).max().unwrap_or(0)
}

pub fn step(state: &mut State, action: Action) {
    state.catalog.reading.across = after(action, state.catalog.reading.across, overhang(state));
}

/// The horizontal scroll offset after this action.
pub fn after(action: Action, across: usize, widest: usize) -> usize {
    match action {
        Action::Leftwards => across.saturating_sub(SCROLL_STEP),
        _ => (across + SCROLL_STEP).min(widest),
    }
}

/// Scrolls back to the left edge if no visible code is wide enough.
pub fn follow(state: &mut State) {
    if state.catalog.reading.across > 0 {
        state.catalog.reading.across = state.catalog.reading.across.min(overhang(state));
    }
}

/// Scrolls horizontally to show this part of a line, if it is code.
pub fn reveal(state: &mut State, line: usize, part: &Range<usize>) {
    let Some(columns) = reading::columns(state) else { return };
    let reading = &mut state.catalog.reading;
    reading.across = reading.loaded.scroll_for(line, part, reading.across, columns);
}

/// Why the code cannot be scrolled further in this direction.
pub fn disabled(state: &State, action: Action) -> Option<String> {
    why_not(action, state.catalog.reading.across, overhang(state))
}

/// Why code at this scroll offset cannot be scrolled further.
pub fn why_not(action: Action, across: usize, widest: usize) -> Option<String> {
    match action {
        Action::Leftwards => (across == 0).then(|| "this is the start of the lines".to_owned()),
        _ => (across >= widest).then(|| "no line of code in view extends further to the right".to_owned()),
    }
}
