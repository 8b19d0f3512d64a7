//! The window of a write that a yes is asked for: who asks, what would become of which file, what to look at first, all of
//! the difference, and the keys that answer.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::panes::request::{self, ApprovalEffect};
use crate::tui::panes::{indented, nth_row};
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::Active;

use super::{centred, clear};

/// Where the parts of the window are.
#[derive(Debug, Clone, Copy)]
pub struct ApprovalLayout {
    told: Rect,
    rule: Rect,
    /// The difference.
    pub difference: Rect,
    /// What keys do.
    pub keys: Rect,
}

/// The window: as large as there is room for, since a difference is as wide as its lines.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    centred(body, body.width.saturating_sub(4).clamp(body.width.min(60), 132), body.height.saturating_sub(2).max(10))
}

fn told(state: &State, columns: usize) -> WrappedText {
    state.request().map(|waiting| request::head(state, waiting, columns)).unwrap_or_default()
}

/// The parts of it.
pub fn places(state: &State) -> ApprovalLayout {
    let inner = layout::inner(outer(state));
    let row = |y: u16, height: u16| {
        let y = y.min(inner.bottom());
        Rect { y, height: height.min(inner.bottom() - y), ..inner }
    };
    let wanted = told(state, usize::from(indented(inner).width)).len();
    let told = row(inner.y, u16::try_from(wanted).unwrap_or(u16::MAX).min(inner.height.saturating_sub(4) / 2));
    let rule = row(told.bottom(), 1);
    let keys = row(inner.bottom().saturating_sub(1), 1);
    let difference = row(rule.bottom(), keys.y.saturating_sub(rule.bottom()));
    ApprovalLayout { told, rule, difference, keys }
}

/// What a yes does, in a word of its own for each.
pub fn verb(state: &State) -> &'static str {
    match state.request().and_then(|waiting| waiting.request.approval.as_ref()).map(request::makes) {
        Some(ApprovalEffect::New) => "yes, write the new file",
        Some(ApprovalEffect::Other) => "yes, OVERWRITE the file",
        Some(ApprovalEffect::Unknown) | None => "yes, write it",
    }
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let places = places(state);
    let theme = &state.skin.theme;
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let page = &state.requests.page;
    let window = scroll.window(page.len(), usize::from(places.difference.height));
    let queue = state.snapshot.requests.len();
    let note = if queue > 1 { format!("{} of {queue} requests", state.nth_request() + 1) } else { String::new() };
    PaneBorder {
        title: "May this be written?",
        note,
        place: String::new(),
        role: ThemeRole::Warning,
        active: Active::Yes,
    }
    .draw(&state.skin, outer, buffer);
    let inside = indented(places.told);
    let told = told(state, usize::from(inside.width));
    for nth in 0..told.len().min(usize::from(inside.height)) {
        told.draw(nth, &[], theme, nth_row(inside, nth), buffer);
    }
    let caption = if window.len() < page.len() && !window.is_empty() {
        let [from, to, of] = [window.start + 1, window.end, page.len()].map(|count| cells::grouped(count as u64));
        format!("difference, {from}-{to} of {of}")
    } else {
        "difference".to_owned()
    };
    frame::rule(&state.skin, places.rule, &caption, theme.style(ThemeRole::Infra), buffer);
    let (inside, top) = (indented(places.difference), window.start);
    for (nth, at) in window.enumerate() {
        page.draw(at, &[], theme, nth_row(inside, nth), buffer);
    }
    frame::scrollbar(&state.skin, places.difference, page.len(), top, theme.style(ThemeRole::Warning), buffer);
    status::draw_labels(state, &status::labels(state, &[KeyContext::Approval], places.keys), buffer);
    if verb(state).contains("OVERWRITE") {
        buffer.set_style(places.keys, ratatui::style::Style::new().add_modifier(Modifier::BOLD));
    }
}
