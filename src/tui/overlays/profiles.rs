//! The profiles of the workspace, a line each with what it would load and cost, and the one under the cursor in full.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::catalog::SourceId;
use crate::desk::Profiled;
use crate::report::Diagnostic;
use crate::tui::layout;
use crate::tui::motion::Cursor;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::{Active, ListRow, RowCursor};

use super::{centred, clear};

/// Rows of the details, with the rule above them.
const DETAIL: u16 = 8;

/// The window.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let rows = u16::try_from(state.profiles.len() + 2).unwrap_or(u16::MAX).saturating_add(DETAIL).max(14);
    centred(body, body.width.saturating_sub(4).clamp(body.width.min(60), 120), rows)
}

/// The list, the rule below it and the details.
pub fn places(state: &State) -> (Rect, Rect, Rect) {
    let inner = layout::inner(outer(state));
    let below = DETAIL.min(inner.height / 2);
    let list = Rect { height: inner.height - below, ..inner };
    let rule = Rect { y: list.bottom(), height: below.min(1), ..inner };
    let detail = Rect { y: rule.bottom(), height: below - rule.height, ..inner };
    (list, rule, detail)
}

/// Draws the window.
pub fn draw(state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let (list, rule, detail) = places(state);
    let theme = &state.skin.theme;
    let role = ThemeRole::Selection;
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let all = state.profiles.listed.as_deref().unwrap_or_default();
    let note = if state.profiles.listed.is_some() { cells::counted(all.len(), "profile") } else { String::new() };
    let place = frame::position(cursor.at, all.len());
    PaneBorder { title: "Profiles", note, place, role, active: Active::Yes }.draw(&state.skin, outer, buffer);
    let window = cursor.window(all.len(), usize::from(list.height));
    let top = window.start;
    let widest = all.iter().map(|it| cells::width(&cells::clean(&it.name))).max().unwrap_or(0);
    for (nth, it) in all.get(window).unwrap_or_default().iter().enumerate() {
        let place = Rect { y: list.y + u16::try_from(nth).unwrap_or(0), height: 1, ..list };
        row(state, it, widest, list.width).draw(RowCursor::of(top + nth, cursor.at, Active::Yes), role, place, buffer);
    }
    frame::rule(&state.skin, rule, "what it would load", theme.style(ThemeRole::Infra), buffer);
    frame::scrollbar(&state.skin, list, all.len(), top, theme.style(role), buffer);
    let columns = usize::from(detail.width).saturating_sub(2);
    let lines = match all.get(cursor.at) {
        Some(it) => told(state, it, columns),
        None => nothing(state, columns),
    };
    for (line, y) in lines.iter().zip(detail.y..detail.bottom()) {
        buffer.set_line(detail.x + 1, y, line, detail.width.saturating_sub(2));
    }
}

fn nothing(state: &State, columns: usize) -> Vec<Line<'static>> {
    let text = match (&state.profiles.listed, state.profiles.problems.first()) {
        (None, _) => "The profiles are being read.".to_owned(),
        (Some(_), Some(problem)) => problem.message.clone(),
        (Some(_), None) => "There are no profiles: each is a JSON file in .jaato/profiles/.".to_owned(),
    };
    cells::wrap(&cells::clean(&text), columns).into_iter().map(Line::from).collect()
}

fn row<'a>(state: &'a State, it: &Profiled, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let is_broken = it.problems.iter().any(Diagnostic::is_error);
    let name = if is_broken { ThemeRole::Error } else { ThemeRole::Text };
    let tokens = format!("{:>8}", cells::tokens(it.tokens));
    let loads = format!("{:>3} picked, {:>2} pulled in", it.picks.len() + it.from_auto.len(), it.transitive.len());
    row.id(&cells::clean(&it.name), widest.min(row.room() / 2), theme.style(name));
    row.cell(&loads, 25, theme.style(ThemeRole::Selection));
    row.cell(&tokens, 9, theme.style(ThemeRole::Text));
    if is_broken {
        row.text("cannot be used as it stands", theme.style(ThemeRole::Error));
    } else if !it.missing.is_empty() {
        row.text(&format!("{} missing", it.missing.len()), theme.style(ThemeRole::Warning));
    } else {
        row.text(&cells::counted(it.templates.len(), "template"), theme.style(ThemeRole::Templates));
    }
    row
}

fn told(state: &State, it: &Profiled, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let mut lines = Vec::new();
    let mut tell = |text: String, role| {
        for line in cells::wrap(&cells::clean(&text), columns) {
            lines.push(Line::from(Span::styled(line, theme.style(role))));
        }
    };
    let at = |ids: Vec<&str>| ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(" ");
    if let Some(problem) = it.problems.iter().find(|problem| problem.is_error()) {
        tell(problem.message.clone(), ThemeRole::Error);
    }
    if !it.missing.is_empty() {
        tell(format!("Missing {}", at(it.missing.iter().map(String::as_str).collect())), ThemeRole::Warning);
    }
    if !it.description.is_empty() {
        tell(it.description.clone(), ThemeRole::Strong);
    }
    if !it.picks.is_empty() {
        tell(format!("Picks {}", at(it.picks.iter().map(SourceId::as_str).collect())), ThemeRole::Text);
    }
    if !it.transitive.is_empty() {
        tell(format!("Pulls in {}", at(it.transitive.iter().map(SourceId::as_str).collect())), ThemeRole::Transitive);
    }
    if !it.exclude_tools.is_empty() {
        tell(format!("Hides {} from its agent", it.exclude_tools.join(", ")), ThemeRole::Infra);
    }
    tell(it.shown.clone(), ThemeRole::Catalog);
    lines
}
