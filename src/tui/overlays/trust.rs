//! What the configuration of this workspace would do beyond it, and whether to trust it: a sentence each, with the place that
//! says so.

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::panes::{indented, nth_row};
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::Active;

use super::{centred, clear};

fn columns(state: &State) -> u16 {
    let body = state.layout().body;
    body.width.saturating_sub(4).clamp(body.width.min(60), 100)
}

/// All of it.
pub fn page(state: &State) -> WrappedText {
    let head = "What came with this workspace would do this beyond it. Until you trust it, it is not done. Trust counts for \
                exactly this, on this machine, for you; any change asks again.";
    let mut lines = vec![PageLine::new(head, ThemeRole::Text), PageLine::default()];
    for deed in state.snapshot.untrusted.iter() {
        let place = deed.line.map_or_else(|| deed.file.clone(), |line| format!("{}:{line}", deed.file));
        let line = PageLine::new(format!("{} ", state.skin.glyphs.problem), ThemeRole::Warning);
        let line = line.then(&cells::clean(&deed.what), ThemeRole::Strong);
        lines.push(line.then(&format!("  {}", cells::clean(&place)), ThemeRole::Infra).hanging(2));
    }
    WrappedText::new(lines, usize::from(columns(state).saturating_sub(4)))
}

/// The window: the sentences, a blank line, the keys.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let rows = u16::try_from(page(state).len()).unwrap_or(u16::MAX).saturating_add(4);
    centred(body, columns(state), rows.min(body.height))
}

/// The place of the sentences.
pub fn text(state: &State) -> Rect {
    let inner = layout::inner(outer(state));
    indented(Rect { height: inner.height.saturating_sub(2), ..inner })
}

/// The line of the keys.
pub fn keys(state: &State) -> Rect {
    let inner = layout::inner(outer(state));
    Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner }
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let (outer, text, page) = (outer(state), text(state), page(state));
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let window = scroll.window(page.len(), usize::from(text.height));
    let place = if window.len() < page.len() && !window.is_empty() {
        format!("{}-{} of {}", window.start + 1, window.end, page.len())
    } else {
        String::new()
    };
    let note = cells::counted(state.snapshot.untrusted.len(), "deed");
    PaneBorder { title: "Trust", note, place, role: ThemeRole::Warning, active: Active::Yes }.draw(
        &state.skin,
        outer,
        buffer,
    );
    let top = window.start;
    for (nth, at) in window.enumerate() {
        page.draw(at, &[], &state.skin.theme, nth_row(text, nth), buffer);
    }
    let list = Rect { height: text.height, ..layout::inner(outer) };
    frame::scrollbar(&state.skin, list, page.len(), top, state.skin.theme.style(ThemeRole::Warning), buffer);
    status::draw_labels(state, &status::labels(state, &[KeyContext::Trust], keys(state)), buffer);
}
