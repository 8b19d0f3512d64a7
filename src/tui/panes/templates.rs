//! The templates pane: what the selection can generate, the variables of the one under the cursor as a tree, and that one
//! rendered with sample values.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::template::{Template, Variable, VariableKind};
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::state::{Preview, State};
use crate::tui::theme::Role;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::{self, Border};
use crate::tui::widgets::row::{Row, Under};

/// Draws the pane with its border at `outer`.
pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Templates, layout::inner(outer));
    let pane = &state.templates;
    let len = state.len(Pane::Templates);
    let buffer = frame.buffer_mut();
    Border {
        title: "4 Templates",
        note: if len == 0 { String::new() } else { cells::counted(len, "template") },
        place: frame::position(pane.cursor.at, len),
        role: Role::Templates,
        active: super::active(state, Pane::Templates),
    }
    .draw(&state.skin, outer, buffer);
    if len == 0 {
        let sentence = "No templates: none of the sources selected brings any.";
        super::draw_empty(state, sentence, layout::inner(outer), buffer);
        return;
    }
    let active = super::list_active(state, Pane::Templates);
    let window = pane.cursor.window(len, usize::from(parts.list.height));
    let top = window.start;
    for (nth, at) in window.enumerate() {
        let Some(template) = state.snapshot.templates.templates.get(at) else { continue };
        let under = Under::of(at, pane.cursor.at, active);
        row(state, template, parts.list.width).draw(under, Role::Templates, super::nth_row(parts.list, nth), buffer);
    }
    frame::rule(&state.skin, parts.rule, "", super::caption(state, Pane::Templates), buffer);
    frame::scrollbar(&state.skin, parts.list, len, top, state.skin.theme.style(Role::Templates), buffer);
    draw_variables(state, parts.aside, buffer);
    draw_preview(state, parts.detail, buffer);
}

fn row<'a>(state: &'a State, template: &Template, width: u16) -> Row<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(Role::Infra);
    let mut row = Row::new(&state.skin, width);
    let (mark, style) = match template.problem {
        Some(_) => (state.skin.glyphs.problem, theme.style(Role::Error)),
        None => (" ", grey),
    };
    // A name says more than where it comes from, which has what names and syntax leave.
    let name = state.totals.widest_template.clamp(8, row.room().saturating_sub(2 + 12).max(8));
    row.cell(mark, 1, style).cell(&cells::clean(&template.name), name, theme.style(Role::Text)).cell(
        template.syntax.word(),
        10,
        theme.style(Role::Templates),
    );
    let from = match &template.source {
        Some(source) => cells::clean(source.as_str()).into_owned(),
        None => "the workspace".to_owned(),
    };
    let origin = match template.origin {
        crate::template::Origin::Standalone => "file",
        crate::template::Origin::Embedded => "block",
    };
    row.text(&format!("{origin} of {from}"), grey);
    row
}

fn draw_variables(state: &State, place: Rect, buffer: &mut ratatui::buffer::Buffer) {
    let Some(template) = state.template().filter(|_| !place.is_empty()) else { return };
    let columns = usize::from(place.width).saturating_sub(2);
    let count = template.variables.len();
    let caption = if count == 0 { "no variables".to_owned() } else { cells::counted(count, "variable") };
    frame::rule(&state.skin, above(place), &caption, state.skin.theme.style(Role::Infra), buffer);
    let mut lines = Vec::new();
    let height = usize::from(place.height);
    variable_lines(state, &template.variables, 0, columns, height, &mut lines);
    let all = counted(&template.variables);
    if all > height {
        lines.truncate(height.saturating_sub(1));
        let more = format!("{} {} more", state.skin.glyphs.ellipsis, cells::grouped((all - lines.len()) as u64));
        lines.push(Line::from(Span::styled(more, state.skin.theme.style(Role::Infra))));
    }
    super::draw_lines(&lines, place, buffer);
}

/// How many lines these variables take, with their fields.
fn counted(variables: &[Variable]) -> usize {
    variables.iter().map(|variable| 1 + counted(&variable.fields)).sum()
}

/// The row of a part's caption.
fn above(place: Rect) -> Rect {
    Rect { y: place.y.saturating_sub(1), height: place.height.min(1), ..place }
}

/// `  items  list`, an optional one with `?`, fields below and further in. At most about `most` lines are made.
fn variable_lines(
    state: &State,
    variables: &[Variable],
    level: usize,
    columns: usize,
    most: usize,
    lines: &mut Vec<Line<'static>>,
) {
    let theme = &state.skin.theme;
    for variable in variables {
        if lines.len() >= most {
            return;
        }
        let kind = match variable.kind {
            VariableKind::Scalar => "",
            VariableKind::Flag => "flag",
            VariableKind::List => "list",
            VariableKind::Object => "object",
        };
        let optional = if variable.optional { "?" } else { "" };
        let name = format!("{}{}{optional}", "  ".repeat(level), cells::clean(&variable.name));
        let room = columns.saturating_sub(kind.len() + usize::from(!kind.is_empty()));
        let name = cells::clip(&name, room, state.skin.glyphs.ellipsis).into_owned();
        let kind = if kind.is_empty() { String::new() } else { format!(" {kind}") };
        lines.push(Line::from(vec![
            Span::styled(name, theme.style(Role::Text)),
            Span::styled(kind, theme.style(Role::Templates)),
        ]));
        variable_lines(state, &variable.fields, level + 1, columns, most, lines);
    }
}

/// The answer for the template under the cursor, if it is there already.
fn preview(state: &State) -> Option<&Preview> {
    let name = &state.template()?.name;
    state.templates.preview.as_ref().filter(|preview| preview.template == *name)
}

/// How many lines there are to scroll: what the rendering warns of, then what it made.
pub fn preview_len(state: &State) -> usize {
    let made = |preview: &Preview| preview.outcome.as_ref().map_or(1, Vec::len);
    preview(state).map_or(0, |preview| preview.warnings.len() + made(preview))
}

fn draw_preview(state: &State, place: Rect, buffer: &mut ratatui::buffer::Buffer) {
    let theme = &state.skin.theme;
    let columns = usize::from(place.width).saturating_sub(2);
    let len = preview_len(state);
    let window = state.templates.scroll.window(len, usize::from(place.height));
    let room = usize::from(place.width).saturating_sub(6);
    let named = |name: &str| super::scrolled(name, &window, len);
    let whole = named("preview with sample values");
    let caption = if cells::width(&whole) <= room { whole } else { named("preview") };
    let warnings = preview(state).map(|preview| preview.warnings.as_slice()).unwrap_or_default();
    let lines = match preview(state).map(|preview| &preview.outcome) {
        None => vec![Line::from(Span::styled("rendering", theme.style(Role::Infra)))],
        Some(Ok(text)) => {
            let cut = |line: &str| cells::clip(&cells::clean(line), columns, state.skin.glyphs.ellipsis).into_owned();
            let within = |at: usize| at.saturating_sub(warnings.len());
            let warned = warnings.get(window.start.min(warnings.len())..window.end.min(warnings.len()));
            let warned = warned.unwrap_or_default().iter().map(|line| format!("{} {line}", state.skin.glyphs.problem));
            let made = text.get(within(window.start)..within(window.end)).unwrap_or_default();
            let warned = warned.map(|line| Line::from(Span::styled(cut(&line), theme.style(Role::Warning))));
            warned.chain(made.iter().map(|line| Line::from(Span::styled(cut(line), theme.style(Role::Text))))).collect()
        }
        Some(Err(error)) => {
            let at = error.line.map_or(String::new(), |line| format!("line {line}: "));
            let told = cells::wrap(&cells::clean(&format!("{at}{}", error.message)), columns).into_iter();
            told.map(|line| Line::from(Span::styled(line, theme.style(Role::Error)))).collect()
        }
    };
    super::draw_lines(&lines, place, buffer);
    frame::rule(&state.skin, above(place), &caption, super::caption(state, Pane::Templates), buffer);
    if len > usize::from(place.height) {
        frame::scrollbar(&state.skin, place, len, window.start, theme.style(Role::Templates), buffer);
    }
}
