//! The question after the editor gave back values that are no JSON: what is wrong where, and whether to mend it.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::row::Active;

use super::{centred, clear};

/// The window: what is wrong, the question, a blank line, the keys.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let columns = 68.min(body.width);
    let lines = lines(state, usize::from(columns.saturating_sub(4))).len();
    centred(body, columns, u16::try_from(lines + 4).unwrap_or(u16::MAX))
}

/// The line of the keys.
pub fn keys(state: &State) -> Rect {
    let inner = layout::inner(outer(state));
    Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner }
}

fn lines(state: &State, columns: usize) -> Vec<(String, ThemeRole)> {
    let broken = state.templates.draft.as_ref().and_then(|draft| draft.broken.as_deref()).unwrap_or_default();
    let wrapped = |text: &str, role| cells::wrap(text, columns).into_iter().map(move |line| (line, role)).collect();
    let mut lines: Vec<(String, ThemeRole)> =
        wrapped(&format!("The values are no JSON: {}", cells::clean(broken)), ThemeRole::Error);
    let question = "Edit them again? Your text is kept until it is right or values are typed: E opens it too.";
    lines.extend::<Vec<_>>(wrapped(question, ThemeRole::Text));
    lines
}

/// Draws the window.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let inner = layout::inner(outer);
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    PaneBorder {
        title: "Values",
        note: String::new(),
        place: String::new(),
        role: ThemeRole::Warning,
        active: Active::Yes,
    }
    .draw(&state.skin, outer, buffer);
    let columns = usize::from(inner.width.saturating_sub(2));
    for ((line, role), y) in lines(state, columns).iter().zip(inner.y..inner.bottom()) {
        buffer.set_stringn(inner.x + 1, y, line, columns, state.skin.theme.style(*role));
    }
    status::draw_labels(state, &status::labels(state, &[KeyContext::Question], keys(state)), buffer);
}
