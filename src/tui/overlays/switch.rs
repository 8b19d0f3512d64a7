//! What switching to a profile would change, before anything does: picked, unpicked, pulled in, released, the price before
//! and after, what is missing, and what stays with the profile.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::desk::Switch;
use crate::tui::action::KeyContext;
use crate::tui::layout;
use crate::tui::motion::Scroll;
use crate::tui::state::State;
use crate::tui::status;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::Active;

use super::{centred, clear};

/// The window.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let columns = body.width.saturating_sub(4).clamp(body.width.min(60), 100);
    let lines = lines(state, usize::from(columns.saturating_sub(4))).len();
    centred(body, columns, u16::try_from(lines + 4).unwrap_or(u16::MAX).max(8))
}

/// The text, and the line of the keys.
pub fn places(state: &State) -> (Rect, Rect) {
    let inner = layout::inner(outer(state));
    let keys = Rect { y: inner.bottom().saturating_sub(1), height: inner.height.min(1), ..inner };
    (Rect { height: inner.height.saturating_sub(2), ..inner }, keys)
}

/// How many lines there are to scroll.
pub fn len(state: &State) -> usize {
    lines(state, usize::from(places(state).0.width.saturating_sub(2))).len()
}

/// Draws the window.
pub fn draw(state: &State, scroll: Scroll, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let (text, keys) = places(state);
    let theme = &state.skin.theme;
    let role = ThemeRole::Selection;
    let lines = lines(state, usize::from(text.width.saturating_sub(2)));
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let note = match &state.profiles.switch {
        Some(Ok(switch)) => cells::clean(&switch.name).into_owned(),
        _ => String::new(),
    };
    PaneBorder { title: "Switch to profile", note, place: String::new(), role, active: Active::Yes }.draw(
        &state.skin,
        outer,
        buffer,
    );
    for (line, y) in lines.iter().skip(scroll.top).zip(text.y..text.bottom()) {
        buffer.set_line(text.x + 1, y, line, text.width.saturating_sub(2));
    }
    frame::scrollbar(&state.skin, text, lines.len(), scroll.top, theme.style(role), buffer);
    status::draw_labels(state, &status::labels(state, &[KeyContext::Switch], keys), buffer);
}

fn lines(state: &State, columns: usize) -> Vec<Line<'static>> {
    let plain = |text: &str, role: ThemeRole| {
        let style = state.skin.theme.style(role);
        let wrapped = cells::wrap(&cells::clean(text), columns).into_iter();
        wrapped.map(|line| Line::from(Span::styled(line, style))).collect()
    };
    match &state.profiles.switch {
        None => plain("What would change is being looked up.", ThemeRole::Infra),
        Some(Err(why)) => plain(why, ThemeRole::Error),
        Some(Ok(switch)) => told(state, switch, columns),
    }
}

fn told(state: &State, switch: &Switch, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let mut lines = Vec::new();
    let mut tell = |text: &str, role| {
        for line in cells::wrap(&cells::clean(text), columns) {
            lines.push(Line::from(Span::styled(line, theme.style(role))));
        }
    };
    if switch.is_none() {
        tell("The desk picks just that already.", ThemeRole::Text);
    }
    let pulled_in: Vec<String> = switch.pulled_in.iter().map(ToString::to_string).collect();
    let released: Vec<String> = switch.released.iter().map(ToString::to_string).collect();
    for (what, ids, role) in [
        ("Picks", &switch.picked, ThemeRole::Selection),
        ("Takes back", &switch.unpicked, ThemeRole::Text),
        ("Pulls in", &pulled_in, ThemeRole::Transitive),
        ("Releases", &released, ThemeRole::Text),
        ("Missing, not picked:", &switch.missing, ThemeRole::Warning),
        ("Excluded here, not picked:", &switch.excluded, ThemeRole::Warning),
    ] {
        if !ids.is_empty() {
            let ids: Vec<String> = ids.iter().map(|id| format!("@{id}")).collect();
            tell(&format!("{what} {}", ids.join(" ")), role);
        }
    }
    let (before, after) = (cells::tokens(switch.tokens_before), cells::tokens(switch.tokens_after));
    tell(&format!("{before} tokens before, {after} after"), ThemeRole::Strong);
    for sentence in &switch.stays {
        tell(&format!("Stays with it: {sentence}"), ThemeRole::Infra);
    }
    lines
}
