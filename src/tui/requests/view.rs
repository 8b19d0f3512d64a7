//! A request in place of the selection: who asks and why, the offered sources with their marks and what they
//! would add, or the write to approve with part of its diff.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::common::answers::outcome;
use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words;
use crate::tui::action::{Action, KeyContext};
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::layout::{PaneLayout, PaneNeeds};
use crate::tui::pane::Pane;
use crate::tui::pane_view::{self, DrawnList};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::ListRow;
use refdesk_desk::SelectionChange;
use refdesk_desk::channel::{Approval, ApprovalEffect, OfferedReference, Request};
use refdesk_desk::engine::{RequestEnd, WaitingRequest};
use refdesk_text::names::first_and_count;

/// Rows of the reason shown above a list; the details show all of it.
pub const CONTEXT: usize = 2;

/// Rows that the details of an offered source need below the list, including their rule.
const DETAIL_ROWS: usize = 6;

/// The maximum number of warnings above the diff.
const WARNINGS: usize = 3;

/// Whether an offered source contains every word; words are in lower case.
pub fn fits(offered: &OfferedReference, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let OfferedReference { id, name, description, kind, tags } = offered;
    let hay = [id, name, description, kind].into_iter().chain(tags).map(String::as_str).collect::<Vec<_>>();
    let hay = hay.join("\n").to_lowercase();
    words.iter().all(|word| hay.contains(word.as_str()))
}

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
    let above = Rect { height: rows, ..inner };
    let below = Rect { y: inner.y + rows, height: inner.height - rows, ..inner };
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
fn short(name: &str) -> String {
    let name: String = name.chars().take(64).collect();
    cells::clean(&name).into_owned()
}

/// The start of an external text of arbitrary length.
fn beginning(text: &str, columns: usize) -> String {
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
            lines.extend(write(state, approval));
        }
        // For a choice, the reason is the question.
        None => {
            lines.extend(reason);
            lines.extend([asks(state, waiting), sum(state, waiting)]);
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
    let mut lines: Vec<PageLine> = request.approval.iter().flat_map(|it| write_in(state, it, columns)).collect();
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
        lines.push(sum(state, waiting));
    }
    WrappedText::new(lines, columns)
}

/// The file to write in one row that keeps the end of its path, and what to check first.
fn write_in(state: &State, approval: &Approval, columns: usize) -> Vec<PageLine> {
    let path = beginning(&approval.path, 100);
    let taken = effect(state, approval, "").width();
    let path = cells::clip_start(&path, columns.saturating_sub(taken), state.skin.glyphs.ellipsis);
    std::iter::once(effect(state, approval, &path)).chain(warnings(state, approval)).collect()
}

/// The file to write, and what to check first.
pub fn write(state: &State, approval: &Approval) -> Vec<PageLine> {
    let mut line = effect(state, approval, &beginning(&approval.path, 100));
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
        ApprovalEffect::Unknown => ("writes ", ThemeRole::Warning),
    };
    let line = PageLine::new(what, role).then(path, ThemeRole::Strong);
    match approval.summary.as_str() {
        "" => line,
        summary => line.then(&format!(" {} {}", state.skin.glyphs.dot, short(summary)), ThemeRole::Text),
    }
}

fn warnings(state: &State, approval: &Approval) -> Vec<PageLine> {
    let mut lines = Vec::new();
    let sign = state.skin.glyphs.problem;
    let warned = approval.warnings.iter().take(WARNINGS);
    lines
        .extend(warned.map(|it| PageLine::new(format!("{sign} {}", beginning(it, 60)), ThemeRole::Warning).hanging(2)));
    if let Some(more @ 1..) = approval.warnings.len().checked_sub(WARNINGS) {
        lines.push(PageLine::new(format!("{sign} and {more} more warnings"), ThemeRole::Warning));
    }
    lines
}

/// `2 of 12 marked · they add 7 sources, ~12,400 tokens`
fn sum(state: &State, waiting: &WaitingRequest) -> PageLine {
    if state.requests.ended.is_some() {
        return PageLine::new("no answer is needed any more", ThemeRole::Infra);
    }
    if state.requests.sent.as_ref() == Some(&waiting.request.request_id) {
        return PageLine::new("your answer is being sent", ThemeRole::Infra);
    }
    let marked = state.marks().map_or(0, std::collections::BTreeSet::len);
    if marked == 0 && waiting.request.other_desk(&state.snapshot.desk).is_some() {
        return PageLine::new("none marked", ThemeRole::Infra);
    }
    if marked == 0 {
        let text = format!("none marked {} tokens of each source alone", state.skin.glyphs.dot);
        return PageLine::new(text, ThemeRole::Infra);
    }
    let offered = cells::grouped(waiting.request.sources.len());
    let line = PageLine::new(format!("{} of {offered} marked", cells::grouped(marked)), ThemeRole::Selection);
    let Some(brings) = &state.requests.preview.answer else { return line };
    let all = &brings.all;
    let waiting = source_words::waiting(source_words::count_waiting(&state.snapshot, &all.enters));
    let adds = if marked == 1 { "it adds" } else { "they add" };
    let addition = match all.enters.len() {
        0 => format!("{adds} nothing new"),
        count => format!("{adds} {}, {}{waiting}", cells::counted(count, "source"), cost(all)),
    };
    line.then(&format!(" {} {addition}", state.skin.glyphs.dot), ThemeRole::Hints)
}

fn cost(follows: &SelectionChange) -> String {
    let cost = change_cost::added(follows.cost, TokenFormat::Tokens);
    cost + &change_cost::with_instructions(follows.cost, TokenFormat::Tokens)
}

pub fn draw(state: &State, waiting: &WaitingRequest, outer: Rect, frame: &mut Frame<'_>) {
    let inner = layout::inner(outer);
    let parts = state.parts_within(Pane::Selection, inner);
    let (cursor, len) = (state.requests.cursor, state.len(Pane::Selection));
    let queue = state.snapshot.request_count();
    let note = if state.requests.ended.is_some() {
        "ended".to_owned()
    } else if queue > 1 {
        format!("{} of {}", cells::grouped(state.nth_request() + 1), cells::grouped(queue))
    } else {
        String::new()
    };
    let place = frame::position(cursor.at, len);
    let active = pane_view::active(state, Pane::Selection);
    PaneBorder { title: "2 Request", note, place, role: ThemeRole::Selection, active }.draw(
        &state.skin,
        outer,
        frame.buffer_mut(),
    );
    draw_head(state, waiting, parts.head, frame);
    match &waiting.request.approval {
        Some(approval) => draw_write(state, approval, parts.list, frame),
        None => draw_choice(state, waiting, &parts, frame),
    }
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
fn is_reason_above(state: &State, waiting: &WaitingRequest, place: Rect) -> bool {
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
    let inside = pane_view::indented(place);
    let columns = usize::from(inside.width);
    let (above, below) = head_rows(state, place);
    let page = head_in(state, waiting, columns, above);
    for nth in 0..page.len().min(usize::from(above)) {
        page.draw(nth, &[], &state.skin.theme, pane_view::nth_row(inside, nth), frame.buffer_mut());
    }
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

fn draw_choice(state: &State, waiting: &WaitingRequest, parts: &PaneLayout, frame: &mut Frame<'_>) {
    let buffer = frame.buffer_mut();
    let (len, cursor) = (state.requests.rows.len(), state.requests.cursor);
    let (active, role) = (pane_view::list_active(state, Pane::Selection), ThemeRole::Selection);
    let list = DrawnList { place: parts.list, len, cursor, active, role };
    let offered = |at: usize| waiting.request.sources.get(*state.requests.rows.get(at)?);
    let shown = || list.window().filter_map(offered);
    let widest = shown().map(|offered| cells::width(&short_id(&offered.id))).max().unwrap_or(0);
    let is_ours = waiting.request.other_desk(&state.snapshot.desk).is_none();
    // If none is selected, names use that column.
    let is_any_there = is_ours && shown().any(|offered| state.snapshot.selection.contains(&offered.id));
    let word = if is_any_there { SELECTED.len() } else { 0 };
    let tokens = if is_ours { state.counts.widest_tokens.max(8) } else { 0 };
    list.draw(&state.skin, buffer, |at| Some(row(state, offered(at)?, [widest, word, tokens], parts.list.width)));
    if len == 0 {
        let sentence = if waiting.request.sources.is_empty() {
            "This request offers no sources.".to_owned()
        } else {
            format!("No offered source matches this filter. {} shows all again.", state.key(Action::Back))
        };
        pane_view::draw_empty(state, &sentence, parts.list, buffer);
    }
    let height = usize::from(parts.detail.height);
    let lines = detail(state, parts);
    let window = state.requests.scroll.window(lines.len(), height);
    let caption = pane_view::scrolled("details", &window, lines.len());
    frame::rule(&state.skin, parts.rule, &caption, pane_view::caption(state, Pane::Selection), buffer);
    pane_view::draw_lines(lines.get(window).unwrap_or_default(), parts.detail, buffer);
}

fn short_id(id: &str) -> String {
    let id: String = id.chars().take(120).collect();
    cells::clean(&id).into_owned()
}

/// Shown on offered sources that are already selected.
const SELECTED: &str = "selected";

fn row<'a>(
    state: &'a State,
    offered: &OfferedReference,
    [widest, word_columns, columns]: [usize; 3],
    width: u16,
) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let grey = theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, width);
    let is_marked = state.marks().is_some_and(|marks| marks.contains(&offered.id));
    let (mark, role) = if is_marked { ("[x]", ThemeRole::Selection) } else { ("[ ]", ThemeRole::Infra) };
    row.text(mark, theme.style(role)).gap();
    let snapshot = &state.snapshot;
    let is_there = snapshot.selection.contains(&offered.id);
    let word = if is_there { SELECTED } else { "" };
    let waits = source_state::waits(snapshot, &offered.id);
    let tokens = source_state::price(snapshot, &offered.id);
    let right = if row.room() >= 40 && word_columns > 0 { word_columns + 1 + columns + 1 } else { columns + 1 };
    let left = row.room().saturating_sub(right);
    let widest = widest.min(left);
    let names = if left.saturating_sub(widest) > 12 { left - widest - 1 } else { 0 };
    let id_style = if is_marked { theme.style(ThemeRole::Strong) } else { theme.style(ThemeRole::Text) };
    let id = short_id(&offered.id);
    row.id(&id, if names > 0 { widest } else { left.saturating_sub(1) }, id_style);
    if names > 0 {
        row.cell(&short(&offered.name), names - 1, grey);
    }
    if right > columns + 1 {
        row.cell(word, word_columns, grey);
    }
    if columns > 0 {
        row.text(&format!("{tokens:>columns$}"), if waits { theme.style(ThemeRole::Hints) } else { grey });
    }
    row
}

/// The source under the cursor, what it would add, and the whole reason if it does not fit above.
pub fn detail(state: &State, parts: &PaneLayout) -> Vec<Line<'static>> {
    let (columns, head) = (usize::from(parts.detail.width).saturating_sub(2), parts.head);
    let Some(waiting) = state.shown_request() else { return Vec::new() };
    let wrapped = |text: &str, role| pane_view::wrapped(state, text, role, columns);
    let row = state.requests.rows.get(state.requests.cursor.at);
    let mut lines = Vec::new();
    if let Some(offered) = row.and_then(|row| waiting.request.sources.get(*row)) {
        lines.push(pane_view::id_and_name(state, &short_id(&offered.id), &short(&offered.name), columns));
        let brings = match waiting.request.other_desk(&state.snapshot.desk) {
            Some(desk) => format!("For desk {}: what it adds there is not known here.", short(desk)),
            None => brings(state, &offered.id),
        };
        lines.extend(wrapped(&brings, ThemeRole::Hints));
        lines.extend(pane_view::wrapped_lines(state, offered.description.trim(), ThemeRole::Text, columns));
        let tags: Vec<String> = offered.tags.iter().map(|tag| format!("#{tag}")).collect();
        lines.extend(wrapped(
            &[offered.kind.as_str()].into_iter().chain(tags.iter().map(String::as_str)).collect::<Vec<_>>().join(" "),
            ThemeRole::Infra,
        ));
    }
    if waiting.request.has_reason() && !is_reason_above(state, waiting, head) {
        let asked = format!("Asked: {}", waiting.request.context.trim());
        lines.extend(pane_view::wrapped_lines(state, &asked, ThemeRole::Hints, columns));
    }
    lines
}

/// Describes what picking this source would add.
fn brings(state: &State, id: &str) -> String {
    let snapshot = &state.snapshot;
    if snapshot.catalog.get(id).is_none() {
        return "Not in the catalog of this workspace.".to_owned();
    }
    if snapshot.selection.is_picked(id) {
        return "Already picked: it adds nothing new.".to_owned();
    }
    let Some(brings) = &state.requests.preview.answer else { return String::new() };
    // The answer may still be about the previous row.
    if !brings.one.enters.iter().any(|enters| enters.as_str() == id) {
        return format!("Now: {}.", source_state::words(snapshot, id));
    }
    let others: Vec<String> =
        brings.one.enters.iter().filter(|other| other.as_str() != id).map(|other| format!("@{other}")).collect();
    let cost = cost(&brings.one);
    match others.len() {
        0 => format!("Adds only itself: {cost}."),
        1..=4 => format!("Adds itself and {}: {cost}.", others.join(", ")),
        more => format!("Adds itself and {} others ({}): {cost}.", cells::grouped(more), first_and_count(&others, 4)),
    }
}

/// The rule above the text to write, and the area of the text.
fn write_places(place: Rect) -> (Rect, Rect) {
    let rule = Rect { height: place.height.min(1), ..place };
    (rule, Rect { y: rule.bottom(), height: place.height - rule.height, ..place })
}

/// The number of lines of the text to write, and how many are visible; `None` if no write is shown.
pub fn write_rows(state: &State) -> Option<(usize, usize)> {
    let approval = state.shown_request()?.request.approval.as_ref()?;
    let (_, text) = write_places(state.parts(Pane::Selection)?.list);
    Some((lines(&approval.diff).count(), usize::from(text.height)))
}

/// Draws part of the text to write, truncated at the border; Enter shows all of it.
fn draw_write(state: &State, approval: &Approval, place: Rect, frame: &mut Frame<'_>) {
    let buffer = frame.buffer_mut();
    let (rule, rest) = write_places(place);
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

/// The whole diff, wrapped: text far to the right is written too, so it must be visible.
pub fn difference(waiting: &WaitingRequest, columns: usize) -> WrappedText {
    let Some(approval) = &waiting.request.approval else { return WrappedText::default() };
    let mut rows: Vec<PageLine> =
        lines(&approval.diff).map(|(line, role)| PageLine::new(cells::clean(line), role).hanging(1)).collect();
    if rows.is_empty() {
        rows.push(PageLine::new("No difference to show.", ThemeRole::Infra));
    }
    WrappedText::new(rows, columns)
}
