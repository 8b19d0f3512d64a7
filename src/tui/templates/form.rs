//! The form of a template: its variables as a tree of rows with typed values or dimmed samples. The row being
//! edited contains a text field.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::tui::action::{Action, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::templates::list::above;
use crate::tui::templates::values;
use crate::tui::templates::values::{FormRow, RowValue};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame, prompt};

/// Shown for an optional value that has not been typed.
const LEFT_OUT: &str = "left out";

/// Width of a flag's box.
const BOX: u16 = 3;

/// Minimum width for typing a value.
const MIN_VALUE: usize = 16;

/// Draws the form at `place`, and its caption in the row above.
pub fn draw(state: &State, place: Rect, frame: &mut Frame<'_>) {
    if place.is_empty() || state.template().is_none() {
        return;
    }
    let rows = &state.templates.form;
    let buffer = frame.buffer_mut();
    let room = usize::from(place.width).saturating_sub(6);
    let style = pane_view::caption_style(state, Pane::Templates, is_active(state));
    frame::rule(&state.skin, above(place), &caption(state, rows, room), style, buffer);
    let active = if is_active(state) { pane_view::active(state, Pane::Templates) } else { Active::No };
    let window = state.templates.variable.window(rows.len(), usize::from(place.height));
    let names = names(rows, place);
    let mut field = None;
    for (nth, at) in window.clone().enumerate() {
        let Some(variable) = rows.get(at) else { continue };
        let under = if is_active(state) {
            RowCursor::of(at, state.templates.variable.at, active)
        } else {
            RowCursor::Elsewhere
        };
        let line = pane_view::nth_row(place, nth);
        let here = state.typing == Some(Typing::Value) && at == state.templates.variable.at;
        let typing = here && !matches!(variable.holds, RowValue::Flag(_));
        row(state, variable, names, place.width, typing).draw(under, ThemeRole::Templates, line, buffer);
        if here {
            field = Some((line, typing));
        }
    }
    frame::scrollbar(&state.skin, place, rows.len(), window.start, style, buffer);
    match field {
        Some((line, true)) => draw_field(state, line, names, frame),
        // The terminal's cursor shows that the box is focused.
        Some((line, false)) => frame.set_cursor_position(Position { x: value_column(line, names) + 1, y: line.y }),
        None => {}
    }
}

/// The number of visible rows.
pub fn page(state: &State) -> usize {
    state.parts(Pane::Templates).map_or(1, |parts| usize::from(parts.aside.height))
}

fn names(rows: &[FormRow], place: Rect) -> usize {
    widest(rows).min(usize::from(place.width) * 3 / 5)
}

/// The width of the whole form. Typed values do not count, because the preview must not move as they grow.
pub fn columns(rows: &[FormRow]) -> u16 {
    let sample = |row: &FormRow| match &row.holds {
        RowValue::Text(sample) if !row.typed => cells::width(&cells::clean(sample)),
        _ => 0,
    };
    let values = rows.iter().map(sample).max().unwrap_or(0).max(MIN_VALUE);
    u16::try_from(1 + widest(rows) + 1 + values + 1).unwrap_or(u16::MAX)
}

fn value_column(line: Rect, names: usize) -> u16 {
    line.x.saturating_add(u16::try_from(names + 2).unwrap_or(u16::MAX))
}

/// Whether a flag's box is at this position of a form at `place`.
pub fn is_box(state: &State, place: Rect, at: Position) -> bool {
    let form = &state.templates.form;
    let row = state.templates.variable.row_at(place, form.len(), at).and_then(|row| form.get(row));
    let is_flag = row.is_some_and(|row| matches!(row.holds, RowValue::Flag(_)));
    let column = value_column(place, names(form, place));
    is_flag && (column..column.saturating_add(BOX)).contains(&at.x)
}

fn is_active(state: &State) -> bool {
    state.focus == Pane::Templates && state.part == PanePart::Values
}

fn caption(state: &State, rows: &[FormRow], room: usize) -> String {
    let row = rows.get(state.templates.variable.at);
    if state.typing == Some(Typing::Value) {
        return match (values::json(state.templates.value.text()), row.map(|row| &row.holds)) {
            (_, Some(RowValue::Flag(_))) => "Space toggles it".to_owned(),
            (Some(Err(error)), _) => format!("not JSON yet: {error}"),
            (_, Some(RowValue::InvalidText(_))) => "not a value for a list or an object".to_owned(),
            (Some(Ok(_)), _) => "a value as JSON".to_owned(),
            (None, _) => "a value, or := and JSON".to_owned(),
        };
    }
    let leaves = || rows.iter().filter(|row| row.is_leaf());
    let typed = leaves().filter(|row| row.typed).count();
    let unused = rows.iter().filter(|row| matches!(row.holds, RowValue::Unused(_))).count();
    if rows.is_empty() {
        return "no variables".to_owned();
    }
    // Each shorter caption drops the most predictable part.
    let mut parts = vec![cells::counted(leaves().count(), "value")];
    parts.extend((typed > 0).then(|| format!("{typed} typed")));
    parts.extend((unused > 0).then(|| format!("{unused} not used")));
    let fits = |text: &String| cells::width(text) <= room;
    let mut counted = (0..parts.len()).map(|from| parts.iter().skip(from).cloned().collect::<Vec<_>>().join(", "));
    let counted = counted.find(fits).or_else(|| parts.last().cloned()).unwrap_or_default();
    match row.filter(|_| is_active(state)) {
        Some(row) => with_keys(state, &counted, &key_hint(state, row), room),
        None => counted,
    }
}

/// The key that sets the row's value.
fn key_hint(state: &State, row: &FormRow) -> String {
    let [set, add, reset] =
        [Action::SetValue, Action::AddItem, Action::ResetValue].map(|action| state.key_in(KeyContext::Values, action));
    match row.holds {
        RowValue::Flag(_) => format!("{set} toggles it"),
        RowValue::Items(_) => format!("{add} adds an item"),
        RowValue::Fields if row.item().is_some() => format!("{add} adds one, {reset} removes it"),
        RowValue::Unused(_) => format!("{reset} removes it"),
        RowValue::Fields | RowValue::Text(_) | RowValue::InvalidText(_) => format!("{set} types"),
    }
}

/// The longest variant that fits.
fn with_keys(state: &State, counted: &str, press: &str, room: usize) -> String {
    let leaves = format!("{press}, {} leaves", state.key_in(KeyContext::Values, Action::Back));
    let fits = |text: &String| cells::width(text) <= room;
    let captions = [format!("{counted}: {leaves}"), format!("{counted}: {press}"), leaves];
    captions.into_iter().find(fits).unwrap_or_else(|| press.to_owned())
}

fn widest(rows: &[FormRow]) -> usize {
    rows.iter().map(|row| cells::width(&name(row))).max().unwrap_or(0)
}

/// `  name?`: indented by depth, with a sign if optional.
fn name(row: &FormRow) -> String {
    let optional = if row.optional && !matches!(row.holds, RowValue::Unused(_)) { "?" } else { "" };
    format!("{}{}{optional}", "  ".repeat(row.level), cells::clean(&row.name))
}

fn row<'a>(state: &'a State, variable: &FormRow, names: usize, width: u16, typing: bool) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, width);
    let is_item = variable.item().is_some();
    let used = !matches!(variable.holds, RowValue::Unused(_));
    row.cell(&name(variable), names, if is_item || !used { grey } else { theme.style(ThemeRole::Text) });
    // Typed values must stand out from samples.
    let value = if variable.typed { theme.style(ThemeRole::Strong) } else { grey };
    let kind = theme.style(ThemeRole::Templates);
    match &variable.holds {
        RowValue::Text(_) if typing => {}
        RowValue::Text(_) if is_left_out(variable) => drop(row.text(LEFT_OUT, grey)),
        RowValue::Text(text) if text.is_empty() => drop(row.text("empty", grey)),
        RowValue::Text(text) if variable.typed => drop(row.text(&shown(state, text), value)),
        RowValue::Text(text) => drop(row.text(&state.skin.glyphs.own(&shown(state, text)), value)),
        RowValue::Flag(true) => drop(row.text("[x] yes", value)),
        RowValue::Flag(false) => drop(row.text("[ ] no", value)),
        RowValue::Items(None) => drop(row.text("sample list", kind)),
        RowValue::Items(Some(0)) => drop(row.text("no items", kind)),
        RowValue::Items(Some(items)) => drop(row.text(&cells::counted(*items, "item"), kind)),
        RowValue::Fields if is_item => {}
        RowValue::Fields => drop(row.text("object", kind)),
        RowValue::Unused(text) => {
            row.text("not used  ", theme.style(ThemeRole::Warning)).text(&shown(state, text), grey);
        }
        RowValue::InvalidText(_) if typing => {}
        RowValue::InvalidText(text) => {
            row.text("does not fit  ", theme.style(ThemeRole::Error)).text(&shown(state, text), grey);
        }
    }
    row
}

/// Whether the value is left out until typed, so that the template's default applies.
fn is_left_out(row: &FormRow) -> bool {
    !row.typed && matches!(&row.holds, RowValue::Text(sample) if sample.is_empty())
}

/// Longer than any row, so the rest of a long pasted value is cut off. Line breaks are shown as in the field.
fn shown(state: &State, text: &str) -> String {
    let end = text.char_indices().map(|(at, _)| at).nth(400).unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default().replace('\n', state.skin.glyphs.line_break);
    cells::clean(&text).into_owned()
}

fn draw_field(state: &State, line: Rect, names: usize, frame: &mut Frame<'_>) {
    let used = u16::try_from(names + 2).unwrap_or(u16::MAX);
    let place = Rect { x: line.x.saturating_add(used), width: line.width.saturating_sub(used + 1), ..line };
    if place.width < 2 {
        return;
    }
    let field = &state.templates.value;
    let style = prompt::style(field, state.skin.theme.style(ThemeRole::Strong));
    blank(Rect { width: place.width + 1, ..place }, frame.buffer_mut());
    // A line break takes no row here, but it is part of the value.
    let (before, after) = field.text().split_at_checked(field.cursor()).unwrap_or((field.text(), ""));
    let before = before.replace('\n', state.skin.glyphs.line_break);
    let text = format!("{before}{}", after.replace('\n', state.skin.glyphs.line_break));
    let at = prompt::draw(&text, before.len(), &[], style, place, frame.buffer_mut());
    if field.is_empty() {
        sample(state, place, frame.buffer_mut());
    }
    frame.set_cursor_position(at);
}

/// Shown until something is typed.
fn sample(state: &State, place: Rect, buffer: &mut Buffer) {
    let Some(row) = state.templates.form.get(state.templates.variable.at).filter(|row| !row.typed) else { return };
    if let RowValue::Text(text) = &row.holds {
        let text = if is_left_out(row) { LEFT_OUT.into() } else { state.skin.glyphs.own(text) };
        let text = cells::clip(&text, usize::from(place.width), state.skin.glyphs.ellipsis);
        buffer.set_stringn(place.x, place.y, text, usize::from(place.width), state.skin.theme.style(ThemeRole::Infra));
    }
}

fn blank(place: Rect, buffer: &mut Buffer) {
    let blanks = " ".repeat(usize::from(place.width));
    buffer.set_stringn(place.x, place.y, blanks, usize::from(place.width), Style::reset());
}
