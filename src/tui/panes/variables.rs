//! The variables of the template under the cursor as a tree, each with the value typed for it; the one being typed is a
//! text field in its row.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::templates::above;
use crate::template::VariableKind;
use crate::tui::pane::Pane;
use crate::tui::state::{Part, State, Typing};
use crate::tui::theme::Role;
use crate::tui::values::{self, Given, Row as Variable};
use crate::tui::widgets::row::{Active, Row, Under};
use crate::tui::widgets::{cells, frame, prompt};

/// Draws the tree at `place`, its caption in the row above.
pub fn draw(state: &State, place: Rect, frame: &mut Frame<'_>) {
    if place.is_empty() || state.template().is_none() {
        return;
    }
    let rows = state.variables();
    let buffer = frame.buffer_mut();
    let room = usize::from(place.width).saturating_sub(6);
    frame::rule(&state.skin, above(place), &caption(state, &rows, room), style(state), buffer);
    let active = if is_active(state) { super::active(state, Pane::Templates) } else { Active::No };
    let window = state.templates.variable.window(rows.len(), usize::from(place.height));
    // Values need their room only where one types them; else the words for kinds do.
    let width = usize::from(place.width);
    let widest = widest(&rows).min(if is_active(state) { width / 2 } else { width.saturating_sub(10) });
    let mut field = None;
    for (nth, at) in window.clone().enumerate() {
        let Some(variable) = rows.get(at) else { continue };
        let under = if is_active(state) { Under::of(at, state.templates.variable.at, active) } else { Under::Nothing };
        let line = super::nth_row(place, nth);
        let typing = state.typing == Some(Typing::Value) && at == state.templates.variable.at;
        row(state, variable, widest, place.width, typing).draw(under, Role::Templates, line, buffer);
        if typing {
            field = Some(line);
        }
    }
    frame::scrollbar(&state.skin, inset(place), rows.len(), window.start, style(state), buffer);
    if let Some(line) = field {
        draw_field(state, line, widest, frame);
    }
}

/// The scrollbar stands in the last column here: to the right of it is the preview.
fn inset(place: Rect) -> Rect {
    Rect { width: place.width.saturating_sub(1), ..place }
}

fn is_active(state: &State) -> bool {
    state.focus == Pane::Templates && state.part == Part::Values
}

fn style(state: &State) -> ratatui::style::Style {
    if is_active(state) { super::caption_of(state, Pane::Templates) } else { state.skin.theme.style(Role::Infra) }
}

fn caption(state: &State, rows: &[Variable], room: usize) -> String {
    let is_typed = |row: &&Variable| state.typed().is_some_and(|typed| typed.get(&row.way).is_some());
    let typed = rows.iter().filter(is_typed).count();
    let row = rows.get(state.templates.variable.at);
    match (rows.len(), row) {
        _ if state.typing == Some(Typing::Value) => match values::json(state.templates.value.text()) {
            Some(Err(error)) => format!("not JSON yet: {error}"),
            Some(Ok(_)) => "value, as JSON".to_owned(),
            None if row.is_some_and(|row| row.kind == VariableKind::List) => "items, with commas".to_owned(),
            None => "value, := for JSON".to_owned(),
        },
        (0, _) => "no variables".to_owned(),
        (count, row) => {
            let mut counted = cells::counted(count, "variable");
            if typed > 0 {
                counted = format!("{counted}, {typed} typed");
            }
            match row.filter(|_| is_active(state)) {
                Some(row) => with_keys(&counted, what_to_press(state, rows, row), is_typed(&row), room),
                None => counted,
            }
        }
    }
}

/// What gives the row a value: whoever comes here wants to type, and keys are commands still.
fn what_to_press(state: &State, rows: &[Variable], row: &Variable) -> &'static str {
    match row.kind {
        _ if !row.is_leaf(rows, state.templates.variable.at) => "values stand below",
        VariableKind::Flag => "Space turns it over",
        VariableKind::Scalar | VariableKind::List | VariableKind::Object => "Enter types",
    }
}

/// As much as there is room for.
fn with_keys(counted: &str, press: &str, is_typed: bool, room: usize) -> String {
    let keys = if is_typed { format!("{press}, x takes back") } else { press.to_owned() };
    let leaves = format!("{keys}, Esc leaves");
    let fits = |text: &String| cells::width(text) <= room;
    [format!("{counted}: {leaves}"), leaves].into_iter().find(fits).unwrap_or(keys)
}

fn widest(rows: &[Variable]) -> usize {
    rows.iter().map(|row| row.level * 2 + cells::width(&cells::clean(&row.name)) + 1).max().unwrap_or(0)
}

/// `  items  list`, an optional one with `?`; a typed value in place of the kind.
fn row<'a>(state: &'a State, variable: &Variable, widest: usize, width: u16, typing: bool) -> Row<'a> {
    let theme = &state.skin.theme;
    let mut row = Row::new(&state.skin, width);
    let optional = if variable.optional { "?" } else { "" };
    let name = format!("{}{}{optional}", "  ".repeat(variable.level), cells::clean(&variable.name));
    row.cell(&name, widest, theme.style(Role::Text));
    let given = state.typed().and_then(|typed| typed.get(&variable.way));
    let kind = match variable.kind {
        VariableKind::Scalar => "",
        VariableKind::Flag => "flag",
        VariableKind::List => "list",
        VariableKind::Object => "object",
    };
    match given {
        _ if typing => {}
        Some(Given::Text(text)) => drop(row.text(&cells::clean(text), theme.style(Role::Strong))),
        Some(Given::Flag(true)) => drop(row.text("yes", theme.style(Role::Strong))),
        Some(Given::Flag(false)) => drop(row.text("no", theme.style(Role::Strong))),
        None => drop(row.text(kind, theme.style(Role::Templates))),
    }
    row
}

fn draw_field(state: &State, line: Rect, widest: usize, frame: &mut Frame<'_>) {
    let used = u16::try_from(widest + 2).unwrap_or(u16::MAX);
    let place = Rect { x: line.x.saturating_add(used), width: line.width.saturating_sub(used + 1), ..line };
    if place.width < 2 {
        return;
    }
    let (field, style) = (&state.templates.value, state.skin.theme.style(Role::Strong));
    blank(Rect { width: place.width + 1, ..place }, frame.buffer_mut());
    let at = prompt::draw(field.text(), field.cursor(), &[], style, place, frame.buffer_mut());
    frame.set_cursor_position(at);
}

fn blank(place: Rect, buffer: &mut Buffer) {
    let blanks = " ".repeat(usize::from(place.width));
    buffer.set_stringn(place.x, place.y, blanks, usize::from(place.width), ratatui::style::Style::reset());
}
