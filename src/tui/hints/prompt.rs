//! The prompt as typed with its matches marked, or an invitation if it is empty.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use crate::tui::action::{Action, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::pane_view::{indented, nth_row};
use crate::tui::state::{State, Typing};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::prompt;
use crate::tui::widgets::prompt::StyledRange;

/// Draws the prompt. Returns the terminal's cursor position while it is typed.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) -> Option<Position> {
    let place = indented(place);
    if place.is_empty() {
        return None;
    }
    let theme = &state.skin.theme;
    let field = &state.hints.prompt;
    let typing = state.typing == Some(Typing::Prompt);
    if field.is_empty() && !typing {
        let key = state.key_in(KeyContext::Pane(Pane::Hints), Action::Prompt);
        let invitation = format!("Press {key} to type a prompt.");
        for (nth, line) in cells::wrap(&invitation, usize::from(place.width)).iter().enumerate() {
            let row = nth_row(place, nth);
            if !row.is_empty() {
                let style = theme.style(ThemeRole::Infra).add_modifier(Modifier::ITALIC);
                buffer.set_stringn(row.x, row.y, line, usize::from(row.width), style);
            }
        }
        return None;
    }
    let at = prompt::draw(field.text(), field.cursor(), &marks(state), theme.style(ThemeRole::Text), place, buffer);
    typing.then_some(at)
}

/// The mentioned names come before the tags, so that they win where both overlap.
fn marks(state: &State) -> Vec<StyledRange> {
    let theme = &state.skin.theme;
    let findings = &state.hints.findings;
    let named = findings.expansions.iter().map(|found| (found.range.clone(), theme.style(ThemeRole::Expansion)));
    let tagged = findings.hints.iter().flat_map(|hint| &hint.ranges);
    named.chain(tagged.map(|range| (range.clone(), theme.style(ThemeRole::Match)))).collect()
}
