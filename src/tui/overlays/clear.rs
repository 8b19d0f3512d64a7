//! The question before every pick is taken back: what would leave, in figures.

use std::collections::HashSet;

use ratatui::Frame;
use ratatui::layout::Rect;

use crate::catalog::SourceId;
use crate::selection::{Member, Role};
use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::row::Active;

use super::{centred, clear};

/// The window: the question, a blank line, the keys.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let columns = 64.min(body.width);
    let lines = cells::wrap(&question(state), usize::from(columns.saturating_sub(4))).len();
    centred(body, columns, u16::try_from(lines + 4).unwrap_or(u16::MAX))
}

/// The line of the keys.
pub fn keys(state: &State) -> Rect {
    let inner = layout::inner(outer(state));
    Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner }
}

/// `Take back 3 picks? 7 pulled in leave with them, ~12,400 tokens`
fn question(state: &State) -> String {
    let picked = state.totals.picked;
    let dormant = state.snapshot.selection.dormant().len();
    let (pulled_in, tokens) = leaving(state);
    let mut parts = Vec::new();
    if pulled_in > 0 {
        let leave = if pulled_in == 1 { "leaves" } else { "leave" };
        let them = if picked + dormant == 1 { "it" } else { "them" };
        parts.push(format!("{} pulled in {leave} with {them}", cells::grouped(pulled_in as u64)));
    }
    if tokens > 0 {
        parts.push(format!("{} tokens", cells::tokens(tokens)));
    }
    if dormant > 0 {
        let are = if dormant == 1 { "is" } else { "are" };
        parts.push(format!("{} of the picks {are} gone from the catalog", cells::grouped(dormant as u64)));
    }
    let picks = cells::counted(picked + dormant, "pick");
    format!("Take back {picks}? {}", parts.join(", ")).trim_end().to_owned()
}

/// How many pulled in leave, and the estimated tokens of all that leaves: roots of mode auto stay, and what they reach.
fn leaving(state: &State) -> (usize, u64) {
    let members = state.snapshot.selection.members();
    let auto = members.iter().filter(|member| member.role == Role::AutoRoot);
    let mut staying: HashSet<&SourceId> = auto.map(|member| &member.id).collect();
    loop {
        let reached = |member: &&Member| {
            let pulled_in = member.role == Role::Transitive && !staying.contains(&member.id);
            pulled_in && member.parents.iter().any(|parent| staying.contains(parent))
        };
        let more: Vec<&SourceId> = members.iter().filter(reached).map(|member| &member.id).collect();
        if more.is_empty() {
            break;
        }
        staying.extend(more);
    }
    let leaving = || members.iter().filter(|member| !staying.contains(&member.id));
    let pulled_in = leaving().filter(|member| member.role == Role::Transitive).count();
    (pulled_in, leaving().filter_map(|member| state.snapshot.tokens.get(member.id.as_str())).sum())
}

/// Draws the window.
pub fn draw(state: &State, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let inner = layout::inner(outer);
    let theme = &state.skin.theme;
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    PaneBorder {
        title: "Clear",
        note: String::new(),
        place: String::new(),
        role: ThemeRole::Warning,
        active: Active::Yes,
    }
    .draw(&state.skin, outer, buffer);
    let columns = usize::from(inner.width.saturating_sub(2));
    for (line, y) in cells::wrap(&question(state), columns).iter().zip(inner.y..inner.bottom()) {
        buffer.set_stringn(inner.x + 1, y, line, columns, theme.style(ThemeRole::Text));
    }
    status::draw_labels(state, &status::labels(state, &[KeyContext::Question], keys(state)), buffer);
}
