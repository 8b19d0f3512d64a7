//! The template under the cursor rendered: with the values typed and samples for the rest, or, where it does not render,
//! its own text with the error below the line where it stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::templates::above;
use crate::desk::Unrendered;
use crate::tui::pane::Pane;
use crate::tui::state::{Preview, State};
use crate::tui::theme::Role;
use crate::tui::widgets::{cells, frame};

/// The answer for the template under the cursor, if it is there already.
fn preview(state: &State) -> Option<&Preview> {
    let name = &state.template()?.name;
    state.templates.preview.as_ref().filter(|preview| preview.template == *name)
}

/// How many lines there are to scroll: what the rendering warns of, then what it made.
pub fn len(state: &State) -> usize {
    preview(state).map_or(0, |preview| match &preview.outcome {
        Ok(made) => preview.warnings.len() + made.len(),
        Err(failed) => failed.template.lines().count() + 1,
    })
}

/// The first line to show so that the error is seen, with `page` lines shown; 0 where there is none.
pub fn top_of_error(failed: &Unrendered, page: usize) -> usize {
    failed.error.line.map_or(0, |line| (line + 1).saturating_sub(page / 2))
}

/// Draws it at `place`, its caption in the row above.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let columns = usize::from(place.width).saturating_sub(2);
    let len = len(state);
    let window = state.templates.scroll.window(len, usize::from(place.height));
    let room = usize::from(place.width).saturating_sub(6);
    let typed = state.typed().is_some_and(|typed| !typed.is_empty());
    let named = |name: &str| super::scrolled(name, &window, len);
    let whole = match preview(state).map(|preview| &preview.outcome) {
        Some(Err(_)) => named("does not render"),
        _ if typed => named("preview with your values"),
        _ => named("preview with sample values"),
    };
    let caption = if cells::width(&whole) <= room { whole } else { named("preview") };
    let lines: Vec<Line<'_>> = match preview(state) {
        None => vec![Line::from(Span::styled("rendering", state.skin.theme.style(Role::Infra)))],
        Some(preview) => match &preview.outcome {
            Ok(made) => {
                let warned = preview
                    .warnings
                    .iter()
                    .map(|line| (format!("{} {line}", state.skin.glyphs.problem), Role::Warning));
                let made = made.iter().map(|line| (line.clone(), Role::Text));
                let shown = warned.chain(made).skip(window.start).take(window.len());
                shown.map(|(line, role)| told(state, &line, columns, role)).collect()
            }
            Err(failed) => failure(state, failed, columns).into_iter().skip(window.start).take(window.len()).collect(),
        },
    };
    super::draw_lines(&lines, place, buffer);
    frame::rule(&state.skin, above(place), &caption, super::caption(state, Pane::Templates), buffer);
    if len > usize::from(place.height) {
        let style = state.skin.theme.style(Role::Templates);
        frame::scrollbar(&state.skin, place, len, window.start, style, buffer);
    }
}

/// The template's lines with their numbers, and the error below its own; on top where it has none.
fn failure(state: &State, failed: &Unrendered, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let mut lines: Vec<Line<'static>> = Vec::new();
    let count = failed.template.lines().count();
    let digits = count.to_string().len();
    for (nth, line) in failed.template.lines().enumerate() {
        let at_fault = failed.error.line == Some(nth + 1);
        let style: Style = if at_fault { theme.style(Role::Strong) } else { theme.style(Role::Infra) };
        let text = format!("{:>digits$}  {}", nth + 1, cells::clean(line));
        let text = cells::clip(&text, columns, state.skin.glyphs.ellipsis).into_owned();
        lines.push(Line::from(Span::styled(text, style)));
    }
    let message = match failed.error.line {
        Some(line) => format!("line {line}: {}", failed.error.message),
        None => failed.error.message.clone(),
    };
    let indent = " ".repeat(digits + 2);
    let told: Vec<Line<'static>> = cells::wrap(&cells::clean(&message), columns.saturating_sub(indent.len()))
        .into_iter()
        .map(|line| Line::from(Span::styled(format!("{indent}{line}"), theme.style(Role::Error))))
        .collect();
    let place = failed.error.line.unwrap_or(0).min(lines.len());
    lines.splice(place..place, told);
    lines
}

fn told(state: &State, line: &str, columns: usize, role: Role) -> Line<'static> {
    let text = cells::clip(&cells::clean(line), columns, state.skin.glyphs.ellipsis).into_owned();
    Line::from(Span::styled(text, state.skin.theme.style(role)))
}
