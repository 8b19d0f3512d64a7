//! A window with one line to type in, below a sentence that explains it.

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

/// The area of the window, with room for what there is to say about the line.
pub(super) fn outer(state: &State, note: Option<&(String, ThemeRole)>) -> Rect {
    let body = state.layout().body;
    let columns = text_columns(centred(body, COLUMNS, 6).width);
    centred(body, COLUMNS, 6 + paragraphs(note.cloned(), columns).len())
}

pub(super) fn keys(outer: Rect) -> Rect {
    let inner = layout::inner(outer);
    Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner }
}

pub(super) fn draw(
    state: &State,
    (title, about): (&'static str, &str),
    field: &TextField,
    note: Option<&(String, ThemeRole)>,
    frame: &mut Frame<'_>,
) {
    let outer = outer(state, note);
    let inner = layout::inner(outer);
    draw_frame(state, Titles { title, ..Titles::default() }, ThemeRole::Catalog, outer, frame.buffer_mut());
    let columns = text_columns(outer.width);
    draw_text(state, &paragraphs([(about, ThemeRole::Infra)], columns), 0, inner, frame.buffer_mut());
    let below = Rect { y: inner.y + 2, height: inner.height.saturating_sub(3), ..inner };
    draw_text(state, &paragraphs(note.cloned(), columns), 0, below, frame.buffer_mut());
    let line = indented(Rect { y: inner.y + 1, height: inner.height.min(1), ..inner });
    if line.width > 4 && inner.height > 1 {
        let style = state.skin.theme.style(ThemeRole::Strong);
        let at = prompt::draw(field.text(), field.cursor(), &[], style, line, frame.buffer_mut());
        frame.set_cursor_position(at);
    }
}
