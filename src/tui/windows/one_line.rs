//! A window with one line to type, below a sentence that says what.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Titles, centred, draw_frame, draw_text, paragraphs, text_columns};
use crate::tui::layout;
use crate::tui::pane_view::indented;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::prompt;

const COLUMNS: u16 = 72;

pub(super) fn outer(state: &State) -> Rect {
    centred(state.layout().body, COLUMNS, 6)
}

pub(super) fn keys(state: &State) -> Rect {
    let inner = layout::inner(outer(state));
    Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner }
}

pub(super) fn draw(state: &State, title: &'static str, about: &str, field: &TextField, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let inner = layout::inner(outer);
    draw_frame(state, Titles { title, ..Titles::default() }, ThemeRole::Catalog, outer, frame.buffer_mut());
    let text = paragraphs([(about, ThemeRole::Infra)], text_columns(outer.width));
    draw_text(state, &text, 0, inner, frame.buffer_mut());
    let line = indented(Rect { y: inner.y + 1, height: inner.height.min(1), ..inner });
    if line.width > 4 && inner.height > 1 {
        let style = state.skin.theme.style(ThemeRole::Strong);
        let at = prompt::draw(field.text(), field.cursor(), &[], style, line, frame.buffer_mut());
        frame.set_cursor_position(at);
    }
}
