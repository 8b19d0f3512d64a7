//! The details of the row under the cursor, below the list: an excerpt of a section, or the full text of a row that is
//! cut.

use ratatui::buffer::Buffer;

use super::columns::WidestTexts;
use super::list::KEYS;
use super::rows::{JumpRow, JumpTarget};
use super::{JumpLayout, current, excerpt};
use crate::common::jump::JumpKind;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::{cells, frame};
use crate::tui::windows::{draw_text, paragraphs, text_columns};

/// Maximum height of the details, with the rule above them.
const DETAILS: u16 = 9;

/// Height of the details with their rule: an excerpt of a section, or the full text of a truncated row.
pub fn height(state: &State, columns: usize) -> u16 {
    match current(state) {
        Some(row) if row.is_section() => DETAILS,
        Some(row) if !is_whole(state, row, columns) => {
            u16::try_from(whole(row, columns).len() + 1).unwrap_or(DETAILS).min(DETAILS)
        }
        Some(_) | None => 0,
    }
}

/// Whether the row is shown in full, regardless of the other rows.
fn is_whole(state: &State, row: &JumpRow, columns: usize) -> bool {
    let is_mixed = JumpKind::of(state.jump.line.text()).0.is_none();
    let keys = if matches!(row.to, JumpTarget::Action(_)) { KEYS + 1 } else { 0 };
    let room = columns.saturating_sub(keys + if is_mixed { 9 + 2 } else { 2 });
    let text = row.why_not.as_ref().unwrap_or(&row.about);
    let width = |text: &str| cells::width(&cells::clean(text));
    let names = WidestTexts::of(&state.jump.rows, state).names(room);
    let is_said = row.why_not.is_none() || row.about.is_empty();
    is_said && width(&row.name) <= names && width(text) < room.saturating_sub(names)
}

/// Draws the text of a section with the words marked; for any other row, the full name and description.
pub fn draw(state: &State, found: &JumpRow, places: &JumpLayout, buffer: &mut Buffer) {
    let style = state.skin.theme.style(ThemeRole::Infra);
    let columns = text_columns(places.text.width + 2);
    let (caption, text) = match &found.to {
        JumpTarget::Section(hit) => {
            let place = hit.place().unwrap_or_else(|| hit.name.clone());
            let lists: Vec<&str> = hit.because.iter().map(|rank| rank.list.word()).collect();
            let caption = format!("{place} {} found by {}", state.skin.glyphs.dot, lists.join(" and "));
            (caption, excerpt::page(hit, columns, &state.skin.glyphs))
        }
        _ => (found.kind.word().to_owned(), whole(found, columns)),
    };
    frame::rule(&state.skin, places.rule, &cells::clean(&caption), style, buffer);
    draw_text(state, &text, 0, places.text, buffer);
}

/// Name and description, and why it is disabled.
fn whole(found: &JumpRow, columns: usize) -> WrappedText {
    let why_not = found.why_not.as_deref().map(|why| (why, ThemeRole::Warning));
    let lines = [(found.name.as_str(), ThemeRole::Strong), (found.about.as_str(), ThemeRole::Text)];
    paragraphs(lines.into_iter().chain(why_not), columns)
}
