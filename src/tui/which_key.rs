//! The line of a chord: the keys pressed so far and those that can follow, with what they do, in as many rows as they need.
//! It stays until a key ends the chord; no timer runs.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use crate::tui::action::Continuation;
use crate::tui::disabled::disabled;
use crate::tui::input::contexts;
use crate::tui::key::KeySequence;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;

/// A key and its name, or what follows it, with their columns.
struct WhichKeyItem {
    key: String,
    name: String,
    is_possible: bool,
}

const GAP: usize = 3;

/// Draws upwards over the panes from the bottom line on.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let columns = usize::from(place.width).saturating_sub(2);
    let rows = rows(state, columns);
    let height = u16::try_from(rows.len()).unwrap_or(u16::MAX).clamp(1, place.y.saturating_add(1));
    let over = Rect { y: place.y.saturating_add(1) - height, height, ..place }.intersection(buffer.area);
    Clear.render(over, buffer);
    if let Some(background) = state.skin.theme.background() {
        buffer.set_style(over, background);
    }
    let theme = &state.skin.theme;
    for (row, y) in rows.iter().zip(over.y..over.bottom()) {
        let mut x = over.x.saturating_add(1);
        for item in row {
            let (strong, plain) = if item.is_possible {
                (ThemeRole::Strong, ThemeRole::Text)
            } else {
                (ThemeRole::Infra, ThemeRole::Infra)
            };
            for (text, role, gap) in [(&item.key, strong, 1), (&item.name, plain, GAP as u16)] {
                let room = usize::from(over.right().saturating_sub(x));
                let text = cells::clip(text, room, state.skin.glyphs.ellipsis);
                x = buffer.set_stringn(x, y, text, room, theme.style(role)).0.saturating_add(gap);
            }
        }
    }
}

/// The items in rows of at most this many columns.
fn rows(state: &State, columns: usize) -> Vec<Vec<WhichKeyItem>> {
    let pressed = KeySequence::new(&state.chord).to_string();
    let first = WhichKeyItem { key: pressed, name: state.skin.glyphs.ellipsis.to_owned(), is_possible: true };
    let all = state.keymap.continuations(&state.chord, &contexts(state));
    let last = WhichKeyItem { key: "Esc".to_owned(), name: "cancel".to_owned(), is_possible: true };
    let escapes = all.iter().any(|it| it.key.to_string() == last.key);
    let items = all.iter().map(|it| item(state, it)).chain((!escapes).then_some(last));
    let mut rows: Vec<Vec<WhichKeyItem>> = Vec::new();
    let mut taken = 0;
    for item in std::iter::once(first).chain(items) {
        let width = cells::width(&item.key) + 1 + cells::width(&item.name) + GAP;
        match rows.last_mut().filter(|_| taken + width <= columns + GAP) {
            Some(row) => row.push(item),
            None => {
                rows.push(vec![item]);
                taken = 0;
            }
        }
        taken += width;
    }
    rows
}

fn item(state: &State, next: &Continuation) -> WhichKeyItem {
    let (name, is_possible) = match next.binding {
        Some(binding) => (binding.name.to_owned(), disabled(state, binding.action).is_none()),
        None => (format!("{} {}", state.skin.glyphs.ellipsis, cells::counted(next.actions, "action")), true),
    };
    WhichKeyItem { key: next.key.to_string(), name, is_possible }
}
