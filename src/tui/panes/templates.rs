//! The templates pane: what the selection can generate, and beside it the variables of the one under the cursor and that
//! one rendered, which `variables` and `preview` draw.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{preview, variables};
use crate::template::Template;
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::theme::Role;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, Border};
use crate::tui::widgets::row::{Row, Under};

/// Draws the pane with its border at `outer`.
pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Templates, layout::inner(outer));
    let pane = &state.templates;
    let len = state.len(Pane::Templates);
    let buffer = frame.buffer_mut();
    Border {
        title: "4 Templates",
        note: if len == 0 { String::new() } else { cells::counted(len, "template") },
        place: frame::position(pane.cursor.at, len),
        role: Role::Templates,
        active: super::active(state, Pane::Templates),
    }
    .draw(&state.skin, outer, buffer);
    if len == 0 {
        let sentence = "No templates: none of the sources selected brings any.";
        super::draw_empty(state, sentence, layout::inner(outer), buffer);
        return;
    }
    let active = super::list_active(state, Pane::Templates);
    let window = pane.cursor.window(len, usize::from(parts.list.height));
    let top = window.start;
    for (nth, at) in window.enumerate() {
        let Some(template) = state.snapshot.templates.templates.get(at) else { continue };
        let under = Under::of(at, pane.cursor.at, active);
        row(state, template, parts.list.width).draw(under, Role::Templates, super::nth_row(parts.list, nth), buffer);
    }
    frame::rule(&state.skin, parts.rule, "", super::caption(state, Pane::Templates), buffer);
    frame::scrollbar(&state.skin, parts.list, len, top, state.skin.theme.style(Role::Templates), buffer);
    preview::draw(state, parts.detail, frame.buffer_mut());
    variables::draw(state, parts.aside, frame);
}

/// The row of a part's caption.
pub(super) fn above(place: Rect) -> Rect {
    Rect { y: place.y.saturating_sub(1), height: place.height.min(1), ..place }
}

fn row<'a>(state: &'a State, template: &Template, width: u16) -> Row<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(Role::Infra);
    let mut row = Row::new(&state.skin, width);
    let (mark, style) = match template.problem {
        Some(_) => (state.skin.glyphs.problem, theme.style(Role::Error)),
        None => (" ", grey),
    };
    // A name says more than where it comes from, which has what names and syntax leave.
    let name = state.totals.widest_template.clamp(8, row.room().saturating_sub(2 + 12).max(8));
    row.cell(mark, 1, style).cell(&cells::clean(&template.name), name, theme.style(Role::Text)).cell(
        template.syntax.word(),
        10,
        theme.style(Role::Templates),
    );
    let from = match &template.source {
        Some(source) => cells::clean(source.as_str()).into_owned(),
        None => "the workspace".to_owned(),
    };
    let origin = match template.origin {
        crate::template::Origin::Standalone => "file",
        crate::template::Origin::Embedded => "block",
    };
    row.text(&format!("{origin} of {from}"), grey);
    row
}
