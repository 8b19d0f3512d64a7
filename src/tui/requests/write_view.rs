//! The write that a request asks to approve: its effect and what to check first, and part of the diff or all of it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::view::short;
use crate::tui::action::{Action, KeyContext};
use crate::tui::layout::split_rows;
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::channel::{Approval, ApprovalEffect};
use refdesk_desk::engine::WaitingRequest;
use refdesk_text::shorten::{without_long_blanks, without_middle};

/// The maximum number of warnings above the diff.
const WARNINGS: usize = 3;

/// The most characters of a warning, which may name a path and keeps its end.
const WARNING: usize = 240;

/// The file to write in one row that keeps the end of its path, and what to check first.
pub fn brief(state: &State, approval: &Approval, columns: usize) -> Vec<PageLine> {
    let path = approval.shown_path();
    let taken = effect(state, approval, "").width();
    let path =
        cells::clip_start(&cells::clean(&path), columns.saturating_sub(taken), state.skin.glyphs.ellipsis).into_owned();
    std::iter::once(effect(state, approval, &path)).chain(warnings(state, approval)).collect()
}

/// The file to write, with its whole path, and what to check first.
pub fn effect_and_warnings(state: &State, approval: &Approval) -> Vec<PageLine> {
    let mut line = effect(state, approval, &cells::clean(&approval.shown_path()));
    if let Some(template) = &approval.template {
        line = line.then(&format!(" {} from {}", state.skin.glyphs.dot, short(template)), ThemeRole::Infra);
    }
    std::iter::once(line).chain(warnings(state, approval)).collect()
}

/// `OVERWRITES src/Order.java · +3 −1`
fn effect(state: &State, approval: &Approval, path: &str) -> PageLine {
    let (what, role) = match approval.effect() {
        ApprovalEffect::New => ("new file ", ThemeRole::Text),
        ApprovalEffect::Other => ("OVERWRITES ", ThemeRole::Warning),
        ApprovalEffect::Same => ("keeps ", ThemeRole::Text),
        ApprovalEffect::Unknown => ("writes ", ThemeRole::Warning),
    };
    let line = PageLine::new(what, role).then(path, ThemeRole::Strong);
    match approval.summary.as_str() {
        _ if approval.effect() == ApprovalEffect::Same => {
            line.then(&format!(" {} it already has exactly this text", state.skin.glyphs.dot), ThemeRole::Text)
        }
        "" => line,
        summary => line.then(&format!(" {} {}", state.skin.glyphs.dot, short(summary)), ThemeRole::Text),
    }
}

fn warnings(state: &State, approval: &Approval) -> Vec<PageLine> {
    let mut lines = Vec::new();
    let sign = state.skin.glyphs.problem;
    let warned = approval.warnings.iter().take(WARNINGS);
    lines.extend(warned.map(|it| {
        let it = without_middle(without_long_blanks(it.clone()), WARNING);
        PageLine::new(format!("{sign} {}", cells::clean(&it)), ThemeRole::Warning).hanging(2)
    }));
    if let Some(more @ 1..) = approval.warnings.len().checked_sub(WARNINGS) {
        lines.push(PageLine::new(format!("{sign} and {more} more warnings"), ThemeRole::Warning));
    }
    lines
}

/// The number of lines of the text to write, and how many are visible; `None` if no write is shown.
pub fn rows(state: &State) -> Option<(usize, usize)> {
    let approval = state.shown_request()?.request.approval.as_ref()?;
    let (_, text) = split_rows(state.parts(Pane::Selection)?.list, 1);
    Some((lines(&approval.diff).count(), usize::from(text.height)))
}

/// Draws part of the text to write, truncated at the border; Enter shows all of it.
pub fn draw(state: &State, approval: &Approval, place: Rect, frame: &mut Frame<'_>) {
    let buffer = frame.buffer_mut();
    let (rule, rest) = split_rows(place, 1);
    let len = lines(&approval.diff).count();
    let window = state.requests.scroll.window(len, usize::from(rest.height));
    let shown = match window.start {
        0 => "first lines".to_owned(),
        top => format!("lines {}-{} of {}", cells::grouped(top + 1), cells::grouped(window.end), cells::grouped(len)),
    };
    let answer = |action| state.key_in(KeyContext::Approval, action);
    let [open, yes, no] = [state.key(Action::Answer), answer(Action::Approve), answer(Action::Decline)];
    let caption = format!("{shown}: {open} shows all, then {yes} or {no}");
    frame::rule(&state.skin, rule, &caption, pane_view::caption(state, Pane::Selection), buffer);
    let columns = usize::from(rest.width.saturating_sub(2));
    let lines = lines(&approval.diff).skip(window.start).take(window.len());
    let drawn: Vec<Line<'static>> = lines
        .map(|(line, role)| {
            let line = beginning_of_line(line, columns);
            let line = cells::clip(&line, columns, state.skin.glyphs.ellipsis).into_owned();
            Line::from(Span::styled(line, state.skin.theme.style(role)))
        })
        .collect();
    pane_view::draw_lines(&drawn, rest, buffer);
}

fn beginning_of_line(line: &str, columns: usize) -> String {
    let begun: String = line.chars().take(columns.saturating_mul(2).saturating_add(8)).collect();
    cells::clean(&begun).into_owned()
}

/// The lines of a unified diff with their colours.
fn lines(diff: &str) -> impl Iterator<Item = (&str, ThemeRole)> {
    let mut in_hunk = false;
    diff.lines().map(move |line| {
        in_hunk |= line.starts_with("@@");
        let role = match line.as_bytes().first() {
            _ if !in_hunk => ThemeRole::Strong,
            Some(b'@' | b'\\') => ThemeRole::Infra,
            Some(b'+') => ThemeRole::Added,
            Some(b'-') => ThemeRole::Removed,
            _ => ThemeRole::Text,
        };
        (line, role)
    })
}

/// A line of a diff. A row does not end with blanks, so those in a path of its head are shown as their number.
fn shown(line: &str, role: ThemeRole) -> String {
    match role {
        ThemeRole::Strong => cells::clean(&without_long_blanks(line.to_owned())).into_owned(),
        _ => cells::clean(line).into_owned(),
    }
}

/// The whole diff, wrapped: text far to the right is written too, so it must be visible.
pub fn difference(waiting: &WaitingRequest, columns: usize) -> WrappedText {
    let Some(approval) = &waiting.request.approval else { return WrappedText::default() };
    let mut rows: Vec<PageLine> =
        lines(&approval.diff).map(|(line, role)| PageLine::new(shown(line, role), role).hanging(1)).collect();
    if rows.is_empty() {
        rows.push(PageLine::new("No difference to show.", ThemeRole::Infra));
    }
    WrappedText::new(rows, columns)
}
