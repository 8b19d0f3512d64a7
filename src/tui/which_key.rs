//! The line of a chord: the keys pressed so far and those that can follow, with their actions, in as many
//! rows as needed. It stays until a key ends the chord, without a timer.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::{Clear, Widget};

use crate::tui::action::Continuation;
use crate::tui::disabled::disabled;
use crate::tui::input::contexts;
use crate::tui::key::{Key, KeySequence};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;

/// A key and its action or number of continuations, with its area.
struct WhichKeyItem {
    /// The key that continues the chord; `None` for the keys pressed so far.
    key: Option<Key>,
    shown: String,
    name: String,
    is_possible: bool,
    place: Rect,
}

const GAP: usize = 3;

/// Draws upwards over the panes, starting at the bottom line.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let (over, items) = placed(state, place);
    let over = over.intersection(buffer.area);
    Clear.render(over, buffer);
    if let Some(background) = state.skin.theme.background() {
        buffer.set_style(over, background);
    }
    let theme = &state.skin.theme;
    for item in items.iter().filter(|item| over.contains(item.place.as_position())) {
        let (strong, plain) =
            if item.is_possible { (ThemeRole::Strong, ThemeRole::Text) } else { (ThemeRole::Infra, ThemeRole::Infra) };
        let mut x = item.place.x;
        for (text, role) in [(&item.shown, strong), (&item.name, plain)] {
            let room = usize::from(over.right().saturating_sub(x));
            let text = cells::clip(text, room, state.skin.glyphs.ellipsis);
            x = buffer.set_stringn(x, item.place.y, text, room, theme.style(role)).0.saturating_add(1);
        }
    }
}

/// The key at this position that continues or cancels the chord.
pub fn key_at(state: &State, at: Position) -> Option<Key> {
    let (_, items) = placed(state, state.layout().bottom);
    items.into_iter().find(|item| item.place.contains(at))?.key
}

/// The area of the items above the bottom line, and the items with their areas.
fn placed(state: &State, bottom: Rect) -> (Rect, Vec<WhichKeyItem>) {
    let columns = usize::from(bottom.width).saturating_sub(2);
    let cells = |count: usize| u16::try_from(count).unwrap_or(u16::MAX);
    let mut items = items(state);
    let (mut rows, mut taken) = (1, 0);
    for item in &mut items {
        let width = cells::width(&item.shown) + 1 + cells::width(&item.name);
        if taken > 0 && taken + width > columns {
            rows += 1;
            taken = 0;
        }
        let x = bottom.x.saturating_add(1).saturating_add(cells(taken));
        item.place = Rect { x, y: rows - 1, width: cells(width), height: 1 };
        taken += width + GAP;
    }
    let height = rows.min(bottom.y.saturating_add(1));
    let over = Rect { y: bottom.y.saturating_add(1) - height, height, ..bottom };
    items.iter_mut().for_each(|item| item.place.y = item.place.y.saturating_add(over.y));
    (over, items)
}

/// The keys pressed so far, those that can follow, and the one that cancels.
fn items(state: &State) -> Vec<WhichKeyItem> {
    let fixed = |key, shown: String, name: &str| WhichKeyItem {
        key,
        shown,
        name: name.to_owned(),
        is_possible: true,
        place: Rect::ZERO,
    };
    let pressed = KeySequence::new(&state.chord).to_string();
    let all = state.keymap.continuations(&state.chord, &contexts(state));
    let escape = Key { code: KeyCode::Esc, ..Key::char(' ') };
    let escapes = all.iter().any(|it| it.key == escape);
    let first = fixed(None, pressed, state.skin.glyphs.ellipsis);
    let last = (!escapes).then(|| fixed(Some(escape), escape.to_string(), "cancel"));
    std::iter::once(first).chain(all.iter().map(|it| item(state, it))).chain(last).collect()
}

fn item(state: &State, next: &Continuation) -> WhichKeyItem {
    let (name, is_possible) = match next.binding {
        Some(binding) => (binding.name.to_owned(), disabled(state, binding.action).is_none()),
        None => (format!("{} {}", state.skin.glyphs.ellipsis, cells::counted(next.actions, "action")), true),
    };
    WhichKeyItem { key: Some(next.key), shown: next.key.to_string(), name, is_possible, place: Rect::ZERO }
}
