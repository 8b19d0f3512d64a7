//! The preview in one of three views: the rendered text, its diff against the file, or, if rendering fails,
//! the template with the error below its line. The last rendered text stays visible, dimmed.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::tui::fix;
use crate::tui::highlight::Spans;
use crate::tui::layout::split_rows;
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::{PreviewMode, RenderedText, State};
use crate::tui::templates::list::above;
use crate::tui::templates::values::{FormRow, RowValue};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::code;
use crate::tui::widgets::{cells, frame};
use crate::tui::windows::write::{WriteEffect, effect};
use refdesk_desk::RenderFailure;
use refdesk_files::output::{Diff, Proposal};

/// The maximum rows of an error above a text.
const ERROR: usize = 4;

pub fn len(state: &State) -> usize {
    let Some(preview) = state.preview() else { return 0 };
    match (state.view(), &preview.rendered, &preview.failed) {
        (PreviewMode::Text, Some(made), _) => made.warnings.len() + made.text.lines.len(),
        (PreviewMode::Difference, Some(made), _) => match &made.proposal {
            Some(Ok(proposal)) => proposal.diff.lines.len(),
            _ => 0,
        },
        (PreviewMode::Template, _, Some(failed)) => {
            let columns = usize::from(text(state).width).saturating_sub(2);
            failed.template.lines().count() + message(failed, columns).len()
        }
        _ => 0,
    }
}

/// The area of its lines.
pub fn text(state: &State) -> Rect {
    state.parts(Pane::Templates).map_or(Rect::default(), |parts| places(state, parts.detail).1)
}

/// The number of visible lines.
pub fn page(state: &State) -> usize {
    usize::from(text(state).height).max(1)
}

/// Whether a visible line continues to the right.
pub fn is_clipped(state: &State) -> bool {
    let place = text(state);
    let (from, page) = (state.templates.scroll.top, usize::from(place.height));
    let end = state.templates.across + usize::from(place.width.saturating_sub(2));
    let Some(made) = state.preview().and_then(|preview| preview.rendered.as_ref()) else { return false };
    let wider = |line: &str, more: usize| cells::width(line) + more > end;
    match (state.view(), &made.proposal) {
        (PreviewMode::Text, _) => {
            let from = from.saturating_sub(made.warnings.len());
            made.text.lines.iter().skip(from).take(page).any(|line| wider(line, 0))
        }
        (PreviewMode::Difference, Some(Ok(proposal))) => {
            proposal.diff.lines.iter().skip(from).take(page).any(|line| wider(&cells::clean(&line.shown()), 1))
        }
        _ => false,
    }
}

/// The first line to show so that the error is visible in a page of `page` lines; 0 without an error.
pub fn top_of_error(failed: &RenderFailure, page: usize) -> usize {
    failed.error.line.map_or(0, |line| (line + 1).saturating_sub(page / 2))
}

/// The area of an error above the text, and the area of the text.
fn places(state: &State, place: Rect) -> (Rect, Rect) {
    let columns = usize::from(place.width).saturating_sub(2);
    let rows = u16::try_from(error(state, columns).len()).unwrap_or(0).min(place.height / 2);
    split_rows(place, rows)
}

/// The error shown above an outdated text.
fn error(state: &State, columns: usize) -> Vec<String> {
    let failed = state.preview().and_then(|preview| preview.failed.as_ref());
    let Some(failed) = failed.filter(|_| state.view() == PreviewMode::Text) else { return Vec::new() };
    let text = format!("{} {}", state.skin.glyphs.problem, cells::clean(&error_text(failed)));
    let mut lines = cells::wrap(&text, columns);
    lines.truncate(ERROR);
    lines
}

fn error_text(failed: &RenderFailure) -> String {
    match failed.error.line {
        // Most messages include their line.
        Some(line) if !failed.error.message.contains(&format!("line {line}")) => {
            format!("line {line}: {}", failed.error.message)
        }
        _ => failed.error.message.clone(),
    }
}

/// Draws the preview at `place`, and its caption in the row above.
pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let (top, text) = places(state, place);
    let columns = usize::from(place.width).saturating_sub(2);
    let len = len(state);
    let window = state.templates.scroll.window(len, usize::from(text.height));
    let errors = error(state, columns).into_iter();
    let errors: Vec<_> = errors.map(|line| Line::styled(line, state.skin.theme.style(ThemeRole::Error))).collect();
    pane_view::draw_lines(&errors, top, buffer);
    let preview = state.preview();
    match (state.view(), preview) {
        (_, None) => draw_sentence(state, "rendering", ThemeRole::Infra, text, buffer),
        (PreviewMode::Template, Some(preview)) => {
            if let Some(failed) = &preview.failed {
                let lines = failure(state, failed, columns);
                pane_view::draw_lines(lines.get(window.clone()).unwrap_or_default(), text, buffer);
            }
        }
        (PreviewMode::Text, Some(preview)) => {
            if let Some(made) = &preview.rendered {
                draw_text(state, made, preview.failed.is_some(), window.clone(), text, buffer);
            }
        }
        (PreviewMode::Difference, Some(preview)) => {
            match preview.rendered.as_ref().and_then(|made| made.proposal.as_ref()) {
                Some(Ok(proposal)) if len == 0 => {
                    let note = proposal.diff.note.clone();
                    let sentence =
                        note.unwrap_or_else(|| format!("{} already holds this text.", path(state, proposal)));
                    draw_sentence(state, &sentence, ThemeRole::Text, text, buffer);
                }
                Some(Ok(proposal)) => {
                    let at = ViewOffset { top: window.start, across: state.templates.across };
                    draw_difference(state, &proposal.diff, at, pane_view::indented(text), buffer);
                }
                Some(Err(refused)) => {
                    draw_sentence(state, &fix::sentence(state, refused), ThemeRole::Error, text, buffer);
                }
                None => {}
            }
        }
    }
    let room = usize::from(place.width).saturating_sub(6);
    let named = |name: &str| pane_view::scrolled(name, &window, len);
    let captions = captions(state);
    let whole = captions.iter().flat_map(|caption| [named(caption), caption.clone()]);
    let whole = whole.into_iter().find(|caption| cells::width(caption) <= room);
    let caption = whole.unwrap_or_else(|| named("preview"));
    frame::rule(&state.skin, above(place), &caption, pane_view::caption(state, Pane::Templates), buffer);
    if len > usize::from(text.height) {
        let style = state.skin.theme.style(ThemeRole::Templates);
        frame::scrollbar(&state.skin, text, len, window.start, style, buffer);
    }
}

/// The captions, longest first.
fn captions(state: &State) -> Vec<String> {
    let preview = state.preview();
    let failed = preview.is_some_and(|preview| preview.failed.is_some());
    let proposal = preview.and_then(|preview| preview.rendered.as_ref()?.proposal.as_ref());
    let samples = samples(state).count();
    let counted = (samples > 0).then(|| cells::counted(samples, "sample value"));
    match (state.view(), proposal) {
        (PreviewMode::Template, _) => {
            let whole = counted.map(|counted| format!("does not render with {counted}"));
            whole.into_iter().chain(["does not render".to_owned(), "error".to_owned()]).collect()
        }
        (PreviewMode::Text, _) if failed => {
            vec!["does not render: this is the last text that did".to_owned(), "does not render".to_owned()]
        }
        (PreviewMode::Difference, Some(Ok(proposal))) => {
            let shown = path(state, proposal);
            let sum = summary(state, proposal);
            let what = effect_word(state, proposal);
            vec![format!("{what} {shown}, {sum}"), format!("{what} {shown}"), shown, format!("{what}, {sum}")]
        }
        (PreviewMode::Difference, _) => vec!["cannot be written there".to_owned(), "difference".to_owned()],
        (PreviewMode::Text, _) => {
            let counted = counted.map(|counted| format!("preview, {counted}"));
            counted.into_iter().chain(["preview".to_owned()]).collect()
        }
    }
}

/// The form's rows that contain sample values.
pub fn samples(state: &State) -> impl Iterator<Item = &FormRow> {
    state.templates.form.iter().filter(|row| row.is_sample())
}

/// The values that must be typed before a write: those without a default and invalid ones; if every value has
/// a default, all of them.
pub fn missing(state: &State) -> Vec<(usize, &FormRow)> {
    let samples = || state.templates.form.iter().enumerate().filter(|(_, row)| row.is_sample());
    let is_required = |row: &FormRow| !row.optional || matches!(row.holds, RowValue::InvalidText(_));
    let required: Vec<_> = samples().filter(|(_, row)| is_required(row)).collect();
    if required.is_empty() { samples().collect() } else { required }
}

/// Whether the text or its path shows a sample value.
fn shows_samples(state: &State) -> bool {
    state.preview().and_then(|preview| preview.rendered.as_ref()).is_some_and(|rendered| rendered.holds_samples)
}

/// Whether the text or its path depends on a sample value, so that it must not be written.
pub fn holds_samples(state: &State) -> bool {
    let is_rendered = state.preview().is_some_and(|preview| preview.rendered.is_some());
    is_rendered && samples(state).any(|row| shows_samples(state) || row.is_unmarked_sample())
}

/// The effect of a write on the file, as one word.
pub fn effect_word(state: &State, proposal: &Proposal) -> &'static str {
    match effect(state, proposal) {
        WriteEffect::New => "new file",
        WriteEffect::Same => "unchanged",
        WriteEffect::Other => "overwrites",
    }
}

/// `+3 −1`
pub fn summary(state: &State, proposal: &Proposal) -> String {
    state.skin.glyphs.own(&proposal.diff.summary()).into_owned()
}

/// The path of the file, which may hold samples.
pub fn path(state: &State, proposal: &Proposal) -> String {
    state.skin.glyphs.own(&cells::clean(&proposal.shown)).into_owned()
}

fn draw_sentence(state: &State, sentence: &str, role: ThemeRole, place: Rect, buffer: &mut Buffer) {
    let columns = usize::from(place.width).saturating_sub(2);
    pane_view::draw_lines(&pane_view::wrapped(state, sentence, role, columns), place, buffer);
}

fn draw_text(
    state: &State,
    made: &RenderedText,
    is_old: bool,
    window: std::ops::Range<usize>,
    place: Rect,
    buffer: &mut Buffer,
) {
    let theme = &state.skin.theme;
    let place = pane_view::indented(place);
    let warned = made.warnings.len();
    for (nth, at) in window.enumerate() {
        let row = pane_view::nth_row(place, nth);
        if let Some(warning) = made.warnings.get(at) {
            let line = format!("{} {warning}", state.skin.glyphs.problem);
            let style = theme.style(if is_old { ThemeRole::Infra } else { ThemeRole::Warning });
            code::draw(&line, |_| style, 0, &state.skin, row, buffer);
            continue;
        }
        let Some(line) = made.text.lines.get(at - warned) else { continue };
        let colours = made.text.colours.get(at - warned).filter(|_| !is_old);
        let plain = theme.style(if is_old { ThemeRole::Infra } else { ThemeRole::Text });
        let style = |at: usize| colours.and_then(|spans| role_at(spans, at)).map_or(plain, |role| theme.style(role));
        let shown = if made.holds_samples { state.skin.glyphs.own(line) } else { Cow::Borrowed(line.as_str()) };
        // Replacement characters may have a different length, so map positions back to the original text,
        // which the colours refer to.
        let origins: Vec<(usize, usize)> = match &shown {
            Cow::Borrowed(_) => Vec::new(),
            Cow::Owned(shown) => shown.char_indices().zip(line.char_indices()).map(|(it, of)| (it.0, of.0)).collect(),
        };
        let origin = |at: usize| origins.binary_search_by_key(&at, |it| it.0).ok().and_then(|nth| origins.get(nth));
        let style = |at: usize| style(origin(at).map_or(at, |it| it.1));
        code::draw(&shown, style, state.templates.across, &state.skin, row, buffer);
    }
}

fn role_at(spans: &Spans, at: usize) -> Option<ThemeRole> {
    let behind = spans.partition_point(|span| span.end as usize <= at);
    spans.get(behind).filter(|span| span.start as usize <= at).map(|span| span.role)
}

#[derive(Debug, Clone, Copy)]
pub struct ViewOffset {
    /// The first line.
    pub top: usize,
    /// The first column.
    pub across: usize,
}

/// Draws the lines of a diff with their marks.
pub fn draw_difference(state: &State, diff: &Diff, from: ViewOffset, place: Rect, buffer: &mut Buffer) {
    let theme = &state.skin.theme;
    for (nth, line) in diff.lines.iter().skip(from.top).take(usize::from(place.height)).enumerate() {
        let shown = line.shown();
        let text = format!("{}{}", line.mark.sign(), cells::clean(&shown));
        let text = if shows_samples(state) { state.skin.glyphs.own(&text) } else { Cow::Borrowed(text.as_str()) };
        let style = theme.style(line.mark.into());
        code::draw(&text, |_| style, from.across, &state.skin, pane_view::nth_row(place, nth), buffer);
    }
}

/// Wraps the error for display between the template's lines.
fn message(failed: &RenderFailure, columns: usize) -> Vec<String> {
    let indent = " ".repeat(failed.template.lines().count().to_string().len() + 2);
    let lines = cells::wrap(&cells::clean(&error_text(failed)), columns.saturating_sub(indent.len()));
    lines.into_iter().map(|line| format!("{indent}{line}")).collect()
}

/// The numbered lines of the template with the error below its line, or at the top if it has no line.
fn failure(state: &State, failed: &RenderFailure, columns: usize) -> Vec<Line<'static>> {
    let theme = &state.skin.theme;
    let mut lines: Vec<Line<'static>> = Vec::new();
    let count = failed.template.lines().count();
    let digits = count.to_string().len();
    for (nth, line) in failed.template.lines().enumerate() {
        let at_fault = failed.error.line == Some(nth + 1);
        let style: Style = if at_fault { theme.style(ThemeRole::Strong) } else { theme.style(ThemeRole::Infra) };
        let text = format!("{:>digits$}  {}", nth + 1, cells::clean(line));
        let text = cells::clip(&text, columns, state.skin.glyphs.ellipsis).into_owned();
        lines.push(Line::styled(text, style));
    }
    let message = message(failed, columns).into_iter();
    let place = failed.error.line.unwrap_or(0).min(lines.len());
    lines.splice(place..place, message.map(|line| Line::styled(line, theme.style(ThemeRole::Error))));
    lines
}
