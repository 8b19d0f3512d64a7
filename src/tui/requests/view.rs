//! A request in place of the selection: its border, and who asks for what and why. `choice_view` and `write_view` draw
//! what is below.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{choice_view, write_view};
use crate::common::answers::outcome;
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::layout::{PaneLayout, PaneNeeds};
use crate::tui::pane::Pane;
use crate::tui::pane_view;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::channel::Request;
use refdesk_desk::engine::{RequestEnd, WaitingRequest};

/// Rows of the reason shown above a list; the details show all of it.
pub const CONTEXT: usize = 2;

/// Rows that the details of an offered source need below the list, including their rule.
const DETAIL_ROWS: usize = 6;

/// The layout of the pane for this inner area: a full-width head, then the list and its details.
pub fn parts(state: &State, waiting: &WaitingRequest, inner: Rect) -> PaneLayout {
    let columns = usize::from(inner.width.saturating_sub(2));
    let filters = state.is_filtering(FilteredList::Request) || !state.requests.filter.is_empty();
    let usual = head(state, waiting, columns, CONTEXT).len() + usize::from(filters);
    let listed = state.requests.rows.len().max(1) + DETAIL_ROWS;
    let free = match waiting.request.approval {
        None => usize::from(inner.height).saturating_sub(usual + listed),
        Some(_) => 0,
    };
    let wanted = head(state, waiting, columns, CONTEXT + free).len() + usize::from(filters);
    let most = if free > 0 { wanted } else { usize::from(inner.height * 2 / 5).max(1) };
    let rows = u16::try_from(wanted.min(most)).unwrap_or(u16::MAX).min(inner.height);
    let (above, below) = layout::split_rows(inner, rows);
    if waiting.request.approval.is_some() {
        return PaneLayout { head: above, list: below, ..PaneLayout::default() };
    }
    PaneLayout {
        head: above,
        ..layout::parts(
            Pane::Selection,
            below,
            PaneNeeds { rows: state.requests.rows.len(), ..PaneNeeds::default() },
            Default::default(),
        )
    }
}

/// `claude over mcp wants you to choose from 12 sources · session s1 · until 12:03:41`
fn asks(state: &State, waiting: &WaitingRequest) -> PageLine {
    let request = &waiting.request;
    let dot = state.skin.glyphs.dot;
    let mut line = PageLine::new(short(who(request)), ThemeRole::Strong).then(&asks_for(request), ThemeRole::Text);
    if !request.asker.session.is_empty() {
        line = line.then(&format!(" {dot} session {}", short(&request.asker.session)), ThemeRole::Infra);
    }
    if let Some(desk) = request.other_desk(&state.snapshot.desk) {
        line = line.then(&format!(" {dot} at desk {}", short(desk)), ThemeRole::Warning);
    }
    match &waiting.until {
        _ if state.requests.ended.is_some() => line,
        Some(until) => line.then(&format!(" {dot} until {until}"), ThemeRole::Warning),
        None => line,
    }
}

pub fn who(request: &Request) -> &str {
    if request.asker.who.is_empty() { "an agent" } else { &request.asker.who }
}

/// ` wants you to choose from 12 sources`
pub fn asks_for(request: &Request) -> String {
    match &request.approval {
        Some(_) => " wants to write a file".to_owned(),
        None => format!(" wants you to choose from {}", cells::counted(request.sources.len(), "source")),
    }
}

/// A name from outside, shortened.
pub fn short(name: &str) -> String {
    let name: String = name.chars().take(64).collect();
    cells::clean(&name).into_owned()
}

/// The start of an external text of arbitrary length.
pub fn beginning(text: &str, columns: usize) -> String {
    let begun: String = text.trim().chars().take(columns.saturating_mul(4)).collect();
    let more = begun.len() < text.trim().len();
    format!("{}{}", cells::clean(&begun), if more { " " } else { "" })
}

pub fn ended(request: &Request, how: Option<&RequestEnd>) -> String {
    match how {
        Some(RequestEnd::TimedOut) => "This request timed out without an answer.".to_owned(),
        Some(RequestEnd::RequesterExited) => "The asker has exited, so no answer is needed.".to_owned(),
        Some(RequestEnd::Elsewhere(answer)) => {
            let by = answer.by.as_deref().map_or_else(|| "elsewhere".to_owned(), |by| format!("by {}", short(by)));
            format!("This request was answered {by}{}.", cells::clean(&outcome(request, answer)))
        }
        Some(RequestEnd::Here(_)) => "This request is answered.".to_owned(),
        Some(RequestEnd::Withdrawn) | None => "This request was answered elsewhere or withdrawn.".to_owned(),
    }
}

/// The lines above the list, with at most this many rows of the reason.
pub fn head(state: &State, waiting: &WaitingRequest, columns: usize, reason: usize) -> WrappedText {
    let request = &waiting.request;
    let ended =
        state.requests.ended.as_ref().map(|gone| PageLine::new(ended(request, gone.how.as_ref()), ThemeRole::Warning));
    let reason = if request.has_reason() { reason_lines(state, request, columns, reason) } else { Vec::new() };
    let mut lines: Vec<PageLine> = ended.into_iter().collect();
    match &request.approval {
        Some(approval) => {
            lines.push(asks(state, waiting));
            lines.extend(reason);
            lines.extend(write_view::effect_and_warnings(state, approval));
        }
        // For a choice, the reason is the question.
        None => {
            lines.extend(reason);
            lines.extend([asks(state, waiting), choice_view::sum(state, waiting)]);
        }
    }
    WrappedText::new(lines, columns)
}

/// The reason in at most this many rows, with an ellipsis if it is cut.
fn reason_lines(state: &State, request: &Request, columns: usize, rows: usize) -> Vec<PageLine> {
    let begun = beginning(&request.context, columns.saturating_mul(rows));
    let is_whole = begun.trim_end() == begun;
    let mut lines = cells::wrap(&begun, columns);
    if lines.len() > rows || !is_whole {
        lines.truncate(rows);
        if let Some(last) = lines.last_mut() {
            // Padding makes it too long, so that it ends with the ellipsis.
            let cut = format!("{last}{}", " ".repeat(columns));
            *last = cells::clip(&cut, columns, state.skin.glyphs.ellipsis).into_owned();
        }
    }
    lines.into_iter().map(|line| PageLine::new(line, ThemeRole::Hints)).collect()
}

/// The head in few rows: the file to write, the deadline, then the reason; for a choice, the question first.
pub fn brief_head(state: &State, waiting: &WaitingRequest, columns: usize, rows: usize) -> WrappedText {
    let (request, skin) = (&waiting.request, &state.skin);
    let until = waiting.until.as_ref().map(|until| format!(" {} until {until}", skin.glyphs.dot)).unwrap_or_default();
    let asker = format!("{}{}", short(who(request)), asks_for(request));
    let asker = cells::clip(&asker, columns.saturating_sub(cells::width(&until)), skin.glyphs.ellipsis);
    let mut lines: Vec<PageLine> =
        request.approval.iter().flat_map(|it| write_view::brief(state, it, columns)).collect();
    lines.insert(lines.len().min(1), PageLine::new(asker, ThemeRole::Strong).then(&until, ThemeRole::Warning));
    if request.has_reason() {
        let begun = beginning(&request.context, columns);
        // The last row of a choice shows what is marked.
        let taken = lines.len() + usize::from(request.approval.is_none());
        let room = columns * rows.saturating_sub(taken).max(1);
        let line = PageLine::new(cells::clip(&begun, room, skin.glyphs.ellipsis), ThemeRole::Hints);
        lines.insert(if request.approval.is_none() { 0 } else { lines.len() }, line);
    }
    if request.approval.is_none() {
        lines.push(choice_view::sum(state, waiting));
    }
    WrappedText::new(lines, columns)
}

pub fn draw(state: &State, waiting: &WaitingRequest, outer: Rect, frame: &mut Frame<'_>) {
    let inner = layout::inner(outer);
    let parts = state.parts_within(Pane::Selection, inner);
    let (cursor, len) = (state.requests.cursor, state.len(Pane::Selection));
    let note = note(state, waiting, parts.head);
    let place = frame::position(cursor.at, len);
    let active = pane_view::active(state, Pane::Selection);
    PaneBorder { title: "2 Request", note, place, role: ThemeRole::Selection, active }.draw(
        &state.skin,
        outer,
        frame.buffer_mut(),
    );
    draw_head(state, waiting, parts.head, frame);
    match &waiting.request.approval {
        Some(approval) => write_view::draw(state, approval, parts.list, frame),
        None => choice_view::draw(state, waiting, &parts, frame),
    }
}

/// `2 of 3 · 1 marked, ~349`: the place in the queue, and what is marked if the head has no room for it.
fn note(state: &State, waiting: &WaitingRequest, head: Rect) -> String {
    if state.requests.ended.is_some() {
        return "ended".to_owned();
    }
    let queue = state.snapshot.request_count();
    let nth = (queue > 1).then(|| format!("{} of {}", cells::grouped(state.nth_request() + 1), cells::grouped(queue)));
    let (above, _) = head_rows(state, head);
    let columns = usize::from(pane_view::indented(head).width);
    let is_cut =
        waiting.request.approval.is_none() && head_in(state, waiting, columns, above).len() > usize::from(above);
    let marked = is_cut.then(|| choice_view::brief_sum(state));
    let parts: Vec<String> = nth.into_iter().chain(marked).collect();
    parts.join(&format!(" {} ", state.skin.glyphs.dot))
}

/// The rows of the head, and of the filter below it.
fn head_rows(state: &State, place: Rect) -> (u16, u16) {
    let filters = state.is_filtering(FilteredList::Request) || !state.requests.filter.is_empty();
    (place.height.saturating_sub(u16::from(filters)), u16::from(filters).min(place.height))
}

/// The lines above the list for this height.
fn head_in(state: &State, waiting: &WaitingRequest, columns: usize, above: u16) -> WrappedText {
    let reason = usize::from(above).saturating_sub(head(state, waiting, columns, 0).len()).max(CONTEXT);
    let page = head(state, waiting, columns, reason);
    if page.len() > usize::from(above) && state.requests.ended.is_none() {
        return brief_head(state, waiting, columns, usize::from(above));
    }
    page
}

/// Whether the whole reason is shown above the list as it was written. It is joined into one paragraph there.
pub fn is_reason_above(state: &State, waiting: &WaitingRequest, place: Rect) -> bool {
    if waiting.request.context.trim().contains('\n') {
        return false;
    }
    let (above, _) = head_rows(state, place);
    let page = head_in(state, waiting, usize::from(pane_view::indented(place).width), above);
    let rows = (0..page.len().min(usize::from(above))).map(|nth| page.row(nth));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = words(&rows.collect::<Vec<_>>().join(" "));
    shown.contains(&words(&cells::clean(&waiting.request.context)))
}

fn draw_head(state: &State, waiting: &WaitingRequest, place: Rect, frame: &mut Frame<'_>) {
    let columns = usize::from(pane_view::indented(place).width);
    let (above, below) = head_rows(state, place);
    let page = head_in(state, waiting, columns, above);
    pane_view::draw_text(state, &page, 0, Rect { height: above, ..place }, frame.buffer_mut());
    if below > 0 {
        let line = FilterLine {
            filter: &state.requests.filter,
            typing: state.is_filtering(FilteredList::Request) && state.window.is_none(),
            fault: None,
            kept: (state.requests.rows.len(), waiting.request.sources.len()),
            role: ThemeRole::Selection,
        };
        line.draw(&state.skin, Rect { y: place.y + above, height: 1, ..place }, frame);
    }
}
