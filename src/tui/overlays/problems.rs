//! What is wrong with the workspace: every diagnostic in a line, errors first, and the one under the cursor in full, with
//! its place and how to mend it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::report::Diagnostic;
use crate::tui::layout;
use crate::tui::motion::Cursor;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, PaneBorder};
use crate::tui::widgets::row::{Active, ListRow, RowCursor};

use super::{centred, clear};

/// The window.
pub fn outer(state: &State) -> Rect {
    let body = state.layout().body;
    let rows = u16::try_from(state.snapshot.diagnostics.len() + 9).unwrap_or(u16::MAX).max(12);
    centred(body, body.width.saturating_sub(4).clamp(body.width.min(60), 140), rows)
}

/// The list, the rule below it and the details.
pub fn places(state: &State) -> (Rect, Rect, Rect) {
    let inner = layout::inner(outer(state));
    let below = 6.min(inner.height / 2);
    let list = Rect { height: inner.height - below, ..inner };
    let rule = Rect { y: list.bottom(), height: below.min(1), ..inner };
    let detail = Rect { y: rule.bottom(), height: below - rule.height, ..inner };
    (list, rule, detail)
}

/// Draws the window.
pub fn draw(state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
    let outer = outer(state);
    let (list, rule, detail) = places(state);
    let buffer = frame.buffer_mut();
    clear(outer, buffer);
    let all = &state.snapshot.diagnostics;
    let totals = &state.totals;
    let note = format!(
        "{} {} {}",
        cells::counted(totals.errors, "error"),
        state.skin.glyphs.dot,
        cells::counted(totals.warnings, "warning")
    );
    let role = if totals.errors > 0 { ThemeRole::Error } else { ThemeRole::Warning };
    PaneBorder { title: "Problems", note, place: frame::position(cursor.at, all.len()), role, active: Active::Yes }
        .draw(&state.skin, outer, buffer);
    let window = cursor.window(all.len(), usize::from(list.height));
    let top = window.start;
    let widest =
        all.get(window.clone()).unwrap_or_default().iter().map(|it| cells::width(&about(it))).max().unwrap_or(0);
    for (nth, at) in window.enumerate() {
        let Some(diagnostic) = all.get(at) else { continue };
        let place = Rect { y: list.y + u16::try_from(nth).unwrap_or(0), height: 1, ..list };
        row(state, diagnostic, widest, list.width).draw(RowCursor::of(at, cursor.at, Active::Yes), role, place, buffer);
    }
    frame::rule(&state.skin, rule, "what to do", state.skin.theme.style(ThemeRole::Infra), buffer);
    frame::scrollbar(&state.skin, list, all.len(), top, state.skin.theme.style(role), buffer);
    let lines = match all.get(cursor.at) {
        Some(diagnostic) => told(state, diagnostic, usize::from(detail.width).saturating_sub(2)),
        None => vec![Line::from("Nothing is wrong with this workspace.")],
    };
    for (nth, line) in lines.iter().take(usize::from(detail.height)).enumerate() {
        let y = detail.y + u16::try_from(nth).unwrap_or(0);
        buffer.set_line(detail.x + 1, y, line, detail.width.saturating_sub(2));
    }
}

/// Messages often begin alike, with a path; what they are about tells them apart.
fn about(diagnostic: &Diagnostic) -> String {
    match &diagnostic.source_id {
        Some(id) => format!("@{}", cells::clean(id)),
        None => place(diagnostic),
    }
}

fn row<'a>(state: &'a State, diagnostic: &Diagnostic, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let (word, role) =
        if diagnostic.is_error() { ("error", ThemeRole::Error) } else { ("warning", ThemeRole::Warning) };
    row.cell(word, 7, theme.style(role));
    let room = widest.min(row.room() * 2 / 5);
    row.cell(diagnostic.code, 16.min(row.room() / 4), theme.style(ThemeRole::Infra));
    row.id(&about(diagnostic), room, theme.style(ThemeRole::Catalog));
    row.text(&cells::clean(&diagnostic.message), theme.style(ThemeRole::Text));
    row
}

/// `references.json:12:7`
fn place(diagnostic: &Diagnostic) -> String {
    let mut place = cells::clean(diagnostic.file.as_deref().unwrap_or_default()).into_owned();
    for number in [diagnostic.line, diagnostic.column].into_iter().flatten() {
        place.push_str(&format!(":{number}"));
    }
    place
}

fn told(state: &State, diagnostic: &Diagnostic, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let mut lines = Vec::new();
    let mut tell = |text: &str, role| {
        for line in cells::wrap(&cells::clean(text), columns) {
            lines.push(Line::from(Span::styled(line, theme.style(role))));
        }
    };
    tell(&diagnostic.message, ThemeRole::Strong);
    tell(&diagnostic.hint, ThemeRole::Text);
    tell(&place(diagnostic), ThemeRole::Catalog);
    let about = diagnostic.source_id.as_ref().map_or(String::new(), |id| format!(" about @{id}"));
    tell(&format!("{}{about}", diagnostic.code), ThemeRole::Infra);
    lines
}
