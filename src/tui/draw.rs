//! Draws the state. Pure: the same state gives the same cells. Positions come from `layout`, content from the features.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Color;

use crate::tui::layout;
use crate::tui::layout::SMALLEST;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::views::View;
use crate::tui::widgets::cells;
use crate::tui::{agents, catalog, databases, graph, hints, selection, templates};
use crate::tui::{dock, status, tour, windows};

pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    // After a resize, the frame has the new size before the state receives the event.
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
    match state.view {
        View::Panes => draw_panes(state, &layout, frame),
        View::Graph => graph::view::draw(state, frame),
        View::Agents => agents::view::draw(state, frame),
        View::Databases => databases::view::draw(state, frame),
    }
    dock::draw(state, frame.buffer_mut());
    windows::draw(state, frame);
    status::draw_error(state, layout.bottom, frame.buffer_mut());
    status::draw_bottom(state, layout.bottom, frame.buffer_mut());
    tour::draw(state, frame.buffer_mut());
    fill_background(state, frame.buffer_mut());
}

fn draw_panes(state: &State, layout: &layout::ScreenLayout, frame: &mut Frame<'_>) {
    for (pane, place) in Pane::ALL.into_iter().zip(layout.panes) {
        if let Some(place) = place {
            draw_pane(state, pane, place, frame);
        }
    }
    if let Some(place) = layout.reader {
        catalog::draw_reader(state, place, frame);
    }
}

/// Fills cells that have no background colour with the theme's, if it has one.
fn fill_background(state: &State, buffer: &mut Buffer) {
    let Some(background) = state.skin.theme.background() else { return };
    for cell in &mut buffer.content {
        if let (Color::Reset, Some(bg)) = (cell.bg, background.bg) {
            cell.bg = bg;
        }
        if let (Color::Reset, Some(fg)) = (cell.fg, background.fg) {
            cell.fg = fg;
        }
    }
}

fn draw_pane(state: &State, pane: Pane, place: Rect, frame: &mut Frame<'_>) {
    match pane {
        Pane::Catalog => catalog::draw(state, place, frame),
        Pane::Selection => selection::draw(state, place, frame),
        Pane::Hints => hints::draw(state, place, frame),
        Pane::Templates => templates::list::draw(state, place, frame),
    }
}

fn too_small(state: &State, frame: &mut Frame<'_>) {
    let area = frame.area();
    let times = state.skin.glyphs.times;
    let sentence = format!(
        "refdesk needs at least {}{times}{}; this terminal is {}{times}{}",
        SMALLEST.width, SMALLEST.height, area.width, area.height
    );
    let style = state.skin.theme.style(ThemeRole::Text);
    for (line, y) in cells::wrap(&sentence, usize::from(area.width)).iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), style);
    }
}
