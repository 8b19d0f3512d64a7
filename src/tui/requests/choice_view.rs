//! The choice that a request asks for: the offered sources with their marks, the details of the one under the cursor,
//! and what the marked sources would add.

use ratatui::Frame;
use ratatui::text::Line;

use super::view::{is_reason_above, short};
use crate::common::change_cost::{self, TokenFormat};
use crate::common::source_words;
use crate::tui::action::Action;
use crate::tui::counts::width_without_outliers;
use crate::tui::layout::PaneLayout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{self, DrawnList};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame;
use crate::tui::widgets::page::PageLine;
use crate::tui::widgets::row::ListRow;
use refdesk_desk::SelectionChange;
use refdesk_desk::channel::OfferedReference;
use refdesk_desk::engine::WaitingRequest;
use refdesk_text::names::first_and_count;

/// Whether an offered source contains every word; words are in lower case.
pub fn fits(offered: &OfferedReference, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let OfferedReference { id, name, description, kind, tags, .. } = offered;
    let hay = [id, name, description, kind].into_iter().chain(tags).map(String::as_str).collect::<Vec<_>>();
    let hay = hay.join("\n").to_lowercase();
    words.iter().all(|word| hay.contains(word.as_str()))
}

/// `2 of 12 marked · they add 7 sources, ~12,400 tokens`
pub fn sum(state: &State, waiting: &WaitingRequest) -> PageLine {
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
    let trusted = source_words::would_trust(all, source_state::ids);
    line.then(&format!(" {} {addition}{trusted}", state.skin.glyphs.dot), ThemeRole::Hints)
}

/// `1 marked, ~349`, where that has no room.
pub fn brief_sum(state: &State) -> String {
    let marked = state.marks().map_or(0, std::collections::BTreeSet::len);
    if marked == 0 {
        return "none marked".to_owned();
    }
    let adds = state.requests.preview.answer.as_ref();
    let cost = adds.map(|adds| format!(", {}", change_cost::added(adds.all.cost, TokenFormat::Figure)));
    format!("{} marked{}", cells::grouped(marked), cost.unwrap_or_default())
}

fn cost(follows: &SelectionChange) -> String {
    let cost = change_cost::added(follows.cost, TokenFormat::Tokens);
    cost + &change_cost::with_instructions(follows.cost, TokenFormat::Tokens)
}

pub fn draw(state: &State, waiting: &WaitingRequest, parts: &PaneLayout, frame: &mut Frame<'_>) {
    let buffer = frame.buffer_mut();
    let (len, cursor) = (state.requests.rows.len(), state.requests.cursor);
    let (active, role) = (pane_view::list_active(state, Pane::Selection), ThemeRole::Selection);
    let list = DrawnList { place: parts.list, len, cursor, active, role };
    let offered = |at: usize| waiting.request.sources.get(*state.requests.rows.get(at)?);
    let shown = || list.window().filter_map(offered);
    // The same for all rows, so that names do not come and go while one scrolls.
    let mut widths: Vec<usize> = waiting.request.sources.iter().map(|offered| id_width(&offered.id)).collect();
    let widest = width_without_outliers(&mut widths);
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
    // An unusually long id also uses the columns of its name.
    let has_name = left.saturating_sub(widest) > 12 && id_width(&offered.id) <= widest;
    let names = if has_name { left - widest - 1 } else { 0 };
    let id_style = if is_marked { theme.style(ThemeRole::Strong) } else { theme.style(ThemeRole::Text) };
    let id = short_id(state, &offered.id);
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
        lines.push(pane_view::id_and_name(state, &short_id(state, &offered.id), &short(&offered.name), columns));
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
    let cost = cost(&brings.one) + &source_words::would_trust(&brings.one, source_state::ids);
    match others.len() {
        0 => format!("Adds only itself: {cost}."),
        1..=4 => format!("Adds itself and {}: {cost}.", others.join(", ")),
        more => format!("Adds itself and {} others ({}): {cost}.", cells::grouped(more), first_and_count(&others, 4)),
    }
}

/// The most columns of an id.
const MAX_ID: usize = 120;

/// An id from outside, shortened in its middle like every id, so that a narrower place shortens it in the same place.
fn short_id(state: &State, id: &str) -> String {
    cells::clip_middle(&cells::clean(id), MAX_ID, state.skin.glyphs.ellipsis).into_owned()
}

fn id_width(id: &str) -> usize {
    cells::width(&cells::clean(id)).min(MAX_ID)
}
