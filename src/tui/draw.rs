//! The state as a frame. Pure: the same state gives the same cells, and nothing is asked of anybody. Which place is whose
//! comes from `layout`, what stands in it from `panes`, `overlays` and `status`.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Color;

use super::layout::{self, SMALLEST};
use super::pane::Pane;
use super::state::{Overlay, State};
use super::theme::ThemeRole;
use super::widgets::cells;
use super::{overlays, panes, status};

/// Draws everything.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    // Between a resize and its message the frame is newer than the state.
    if (Size { width: area.width, height: area.height }) != state.size {
        let mut state = state.clone();
        state.size = Size { width: area.width, height: area.height };
        return draw(&state, frame);
    }
    if !layout::fits(state.size) {
        return too_small(state, frame);
    }
    let layout = state.layout();
    status::draw_top(state, layout.status, frame.buffer_mut());
    if let Some(tabs) = layout.tabs {
        status::draw_tabs(state, tabs, frame.buffer_mut());
    }
    for (pane, place) in Pane::ALL.into_iter().zip(layout.panes) {
        if let Some(place) = place {
            draw_pane(state, pane, place, frame);
        }
    }
    match state.overlay {
        Some(Overlay::Help(scroll)) => overlays::help::draw(state, scroll, frame),
        Some(Overlay::Problems(cursor)) => overlays::problems::draw(state, cursor, frame),
        Some(Overlay::Palette(cursor)) => overlays::palette::draw(state, cursor, frame),
        Some(Overlay::Clear) => overlays::clear::draw(state, frame),
        Some(Overlay::Write(scroll)) => overlays::write::draw(state, scroll, frame),
        Some(Overlay::Broken) => overlays::broken::draw(state, frame),
        Some(Overlay::Receipt(scroll)) => overlays::receipt::draw(state, scroll, frame),
        Some(Overlay::Trust(scroll)) => overlays::trust::draw(state, scroll, frame),
        Some(Overlay::Approval(scroll)) => overlays::approval::draw(state, scroll, frame),
        Some(Overlay::Profiles(cursor)) => overlays::profiles::draw(state, cursor, frame),
        Some(Overlay::Switch(scroll)) => overlays::switch::draw(state, scroll, frame),
        None => {}
    }
    status::draw_bottom(state, layout.bottom, frame.buffer_mut());
    lay_ground(state, frame.buffer_mut());
}

/// A theme with a ground of its own has it wherever nothing else was coloured.
fn lay_ground(state: &State, buffer: &mut Buffer) {
    let Some(ground) = state.skin.theme.ground() else { return };
    for cell in &mut buffer.content {
        if let (Color::Reset, Some(bg)) = (cell.bg, ground.bg) {
            cell.bg = bg;
        }
        if let (Color::Reset, Some(fg)) = (cell.fg, ground.fg) {
            cell.fg = fg;
        }
    }
}

fn draw_pane(state: &State, pane: Pane, place: Rect, frame: &mut Frame<'_>) {
    match pane {
        Pane::Catalog => panes::catalog::draw(state, place, frame),
        Pane::Selection => panes::selection::draw(state, place, frame),
        Pane::Hints => panes::hints::draw(state, place, frame),
        Pane::Templates => panes::templates::draw(state, place, frame),
    }
}

fn too_small(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let sentence = format!(
        "refdesk needs at least {}×{}; this terminal is {}×{}",
        SMALLEST.width, SMALLEST.height, area.width, area.height
    );
    let style = state.skin.theme.style(ThemeRole::Text);
    for (line, y) in cells::wrap(&sentence, usize::from(area.width)).iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
    }
}
