//! Draws the lists of the graph: the map with its bars, hubs, cycles, orphans, broken links and paths.

use ratatui::buffer::Buffer;

use super::view::GraphLayout;
use super::{GraphRow, GraphTab, rows};
use crate::tui::action::Action;
use crate::tui::counts::Counts;
use crate::tui::pane_view::{draw_empty, nth_row, printed};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame};
use crate::tui::windows::problems::{self, CodeColumn, ProblemWidths};
use refdesk_text::report::Diagnostic;

/// Widths of a token count and of a source count.
const TOKENS: usize = 10;
const COUNT: usize = 8;
/// Minimum and maximum width of a bar; the minimum fits its heading.
const BAR: (usize, usize) = (13, 60);

/// Draws headings and visible rows. If `is_filtered`, the filter replaces the headings.
pub fn draw(state: &State, tab: GraphTab, places: &GraphLayout, is_filtered: bool, buffer: &mut Buffer) {
    let graph = &state.graph;
    let active = if state.window.is_none() { Active::Yes } else { Active::No };
    if !is_filtered && !places.head.is_empty() {
        headings(state, tab, places.head.width).draw(RowCursor::Elsewhere, ThemeRole::Catalog, places.head, buffer);
    }
    let window = graph.cursor.window(graph.rows.len(), usize::from(places.list.height));
    let top = window.start;
    let problems: Vec<&Diagnostic> = graph.rows.iter().filter_map(|row| problem(state, row)).collect();
    let widths = ProblemWidths::of(&problems);
    for (nth, found) in graph.rows.get(window).unwrap_or_default().iter().enumerate() {
        let under = RowCursor::of(top + nth, graph.cursor.at, active);
        let under = if found.is_heading() { RowCursor::Elsewhere } else { under };
        let mut row = row(state, tab, found, widths, places.list.width);
        row.draw(under, ThemeRole::Catalog, nth_row(places.list, nth), buffer);
    }
    if graph.rows.is_empty() {
        draw_empty(state, &why_empty(state, tab), places.list, buffer);
    }
    let style = state.skin.theme.style(ThemeRole::Catalog);
    frame::scrollbar(&state.skin, places.list, graph.rows.len(), top, style, buffer);
}

fn why_empty(state: &State, tab: GraphTab) -> String {
    match tab {
        _ if tab.has_filter() && !state.graph.filter.is_empty() => {
            format!("No source matches all of these terms. {} shows all again.", state.key(Action::Back))
        }
        GraphTab::Hubs => "No source is mentioned by three others.".to_owned(),
        GraphTab::Cycles => "No sources mention each other in a circle.".to_owned(),
        GraphTab::Orphans => "Every source mentions another or is mentioned.".to_owned(),
        GraphTab::BrokenLinks => "No document has a broken link.".to_owned(),
        GraphTab::Path => format!(
            "Mark a source with {}, go to another one, and press {}: this tab then shows the shortest path of mentions in \
             each direction.",
            state.key(Action::MarkStart),
            state.key(Action::PathBetween)
        ),
        GraphTab::Neighbours | GraphTab::Map => {
            format!("No sources yet: {} shows how to start.", state.key(Action::Welcome))
        }
    }
}

/// The column widths of the map. Id, name and bar share the width that the figures leave. If ids would be
/// truncated, the bar is dropped first, then the source's own price: the price of what it brings then includes it, so
/// that the order of the rows can be seen.
struct MapColumns {
    id: usize,
    name: usize,
    own: usize,
    bar: usize,
}

/// Minimum width of a name beside its id.
const MIN_NAME: usize = 12;

fn map_columns(state: &State, width: u16) -> MapColumns {
    // Cursor, mark, source count and token count, each followed by a blank, and one before the scrollbar.
    let room = usize::from(width).saturating_sub(1 + 2 + COUNT + 1 + TOKENS + 2);
    let own = if room >= state.counts.widest_id + TOKENS + 2 { TOKENS } else { 0 };
    let left = room.saturating_sub(own + usize::from(own > 0));
    let id = state.counts.widest_id.min(left);
    let rest = left.saturating_sub(id + 1);
    // A bar only illustrates the figures, so names come first.
    let name = state.counts.widest_name.min(rest.saturating_sub(BAR.0 + 1));
    let name = if name < MIN_NAME.min(state.counts.widest_name) { 0 } else { name };
    // Unusually long ids come before a wider bar.
    let spare = rest.saturating_sub(BAR.0 + 1 + name + 1);
    let more = if name > 0 { spare.min(state.counts.longest_id.saturating_sub(id)) } else { 0 };
    let (id, rest) = (id + more, rest - more);
    let bar = rest.saturating_sub(if name > 0 { name + 1 } else { 0 }).min(BAR.1);
    MapColumns { id, name, own, bar: if bar < BAR.0 { 0 } else { bar } }
}

/// Widths of a hub's id and name, and of its number of mentions; 0 if the latter does not fit beside whole ids.
fn hub_columns(state: &State, room: usize) -> (usize, usize) {
    let left = room.saturating_sub(2 * (TOKENS + 1) + 1);
    if left > state.counts.widest_id + COUNT { (left - COUNT - 1, COUNT) } else { (left, 0) }
}

/// Splits a width between an id and a name; the name gets 0 if it does not fit. Unusually long ids get what whole
/// names leave.
fn named_columns(state: &State, columns: usize) -> (usize, usize) {
    let Counts { widest_id, longest_id, widest_name, .. } = state.counts;
    let Some(name) = columns.checked_sub(widest_id + 1).filter(|room| *room >= MIN_NAME) else { return (columns, 0) };
    let more = name.saturating_sub(widest_name.max(MIN_NAME)).min(longest_id.saturating_sub(widest_id));
    (widest_id + more, name - more)
}

fn named_headings(state: &State, row: &mut ListRow<'_>, columns: usize) {
    let infra = state.skin.theme.style(ThemeRole::Infra);
    let (id, name) = named_columns(state, columns);
    row.cell("id", id, infra);
    if name > 0 {
        row.cell("name", name, infra);
    }
}

fn headings<'a>(state: &'a State, tab: GraphTab, width: u16) -> ListRow<'a> {
    let infra = state.skin.theme.style(ThemeRole::Infra);
    let glyphs = &state.skin.glyphs;
    let mut row = ListRow::new(&state.skin, width);
    row.cell("", 1, infra);
    match tab {
        GraphTab::Map => {
            let MapColumns { id, name, own, bar } = map_columns(state, width);
            row.cell("id", id, infra);
            if name > 0 {
                row.cell("name", name, infra);
            }
            if own > 0 {
                row.cell(&format!("{:>own$}", "own"), own, infra);
            }
            row.cell(&format!("{:>COUNT$}", "brings"), COUNT, infra);
            let tokens = if own > 0 { "extra" } else { "together" };
            row.cell(&format!("{tokens:>TOKENS$}"), TOKENS, infra);
            let legend = format!("{} own {} extra", glyphs.full, glyphs.empty);
            row.cell(if bar >= cells::width(&legend) { &legend } else { "" }, bar, infra);
        }
        GraphTab::Hubs => {
            let (id, times) = hub_columns(state, row.room());
            named_headings(state, &mut row, id);
            row.cell(&format!("{:>TOKENS$}", "sources"), TOKENS, infra);
            if times > 0 {
                row.cell(&format!("{:>times$}", "times"), times, infra);
            }
            row.cell(&format!("{:>TOKENS$}", "tokens"), TOKENS, infra);
        }
        _ => {
            let columns = row.room().saturating_sub(TOKENS + 2);
            named_headings(state, &mut row, columns);
            row.cell(&format!("{:>TOKENS$}", "tokens"), TOKENS, infra);
        }
    }
    row
}

/// The broken link of a row.
fn problem<'a>(state: &'a State, row: &GraphRow) -> Option<&'a Diagnostic> {
    match row {
        GraphRow::Problem(nth) => state.snapshot.diagnostics.get(*nth),
        _ => None,
    }
}

fn row<'a>(state: &'a State, tab: GraphTab, found: &GraphRow, widths: ProblemWidths, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let infra = theme.style(ThemeRole::Infra);
    let mut row = ListRow::new(&state.skin, width);
    match found {
        GraphRow::Heading(text) => {
            row.text(&cells::clean(text), theme.style(ThemeRole::Strong));
        }
        GraphRow::Problem(_) => {
            let Some(problem) = problem(state, found) else { return row };
            problems::fields(&mut row, state, problem, widths, CodeColumn::Hidden);
        }
        GraphRow::Source(at) if tab == GraphTab::Map => map_row(state, &mut row, *at, width),
        GraphRow::Source(at) => {
            let id = row.room().saturating_sub(2 + TOKENS + 2);
            named(state, &mut row, *at, id);
            row.cell(&tokens(state, *at), TOKENS, infra);
        }
        GraphRow::Hub(at, mentions) => {
            let (id, times) = hub_columns(state, row.room().saturating_sub(2));
            named(state, &mut row, *at, id);
            let sources = state.graph.analysis.as_ref().map_or(0, |it| it.adjacency.mentioning(*at).len());
            row.cell(&format!("{:>TOKENS$}", cells::grouped(sources)), TOKENS, infra);
            if times > 0 {
                row.cell(&format!("{:>times$}", cells::grouped(*mentions)), times, infra);
            }
            row.cell(&tokens(state, *at), TOKENS, infra);
        }
        GraphRow::Step(at, before) => {
            let room = row.room().saturating_sub(2 + TOKENS + 2);
            let place = before.map(|before| place(state, before, *at)).unwrap_or_default();
            // A long id gets what the place leaves.
            let spare = room.saturating_sub(cells::width(&place) + 1).min(state.counts.longest_id);
            let id = if place.is_empty() { room } else { state.counts.widest_id.min(room / 2).max(spare) };
            mark_and_id(state, &mut row, *at, id);
            if !place.is_empty() {
                let columns = room.saturating_sub(id + 1);
                row.cell(&cells::clip_start(&place, columns, state.skin.glyphs.ellipsis), columns, infra);
            }
            row.cell(&tokens(state, *at), TOKENS, infra);
        }
    }
    row
}

/// `by id adr/adr-004.md:12`
fn place(state: &State, from: usize, to: usize) -> String {
    let analysis = state.graph.analysis.as_ref();
    let mention = analysis.and_then(|it| it.adjacency.first_mention(&it.catalog, &it.graph, from, to));
    mention.map_or(String::new(), |it| format!("by {} {}:{}", it.via.word(), printed(state, &it.file), it.line))
}

fn mark_and_id(state: &State, row: &mut ListRow<'_>, at: usize, columns: usize) {
    let theme = &state.skin.theme;
    let Some(id) = state.graph.id(at) else { return };
    let (mark, role) = source_state::mark(&state.snapshot, id.as_str());
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    row.id(&cells::clean(id.as_str()), columns, theme.style(ThemeRole::Text));
}

/// Mark, id, and the name if it fits.
fn named(state: &State, row: &mut ListRow<'_>, at: usize, columns: usize) {
    id_and_name(state, row, at, named_columns(state, columns));
}

/// Mark, id and name; a name that does not fill its column lends the rest to a long id beside it.
fn id_and_name(state: &State, row: &mut ListRow<'_>, at: usize, (id, room): (usize, usize)) {
    let source = state.graph.source(at);
    let name = source.map(|source| cells::clean(&source.name)).unwrap_or_default();
    let lacks = source.map_or(0, |source| cells::width(&cells::clean(source.id.as_str()))).saturating_sub(id);
    let lent = lacks.min(room.saturating_sub(cells::width(&name)));
    mark_and_id(state, row, at, id + lent);
    if room > 0 {
        row.cell(&name, room - lent, state.skin.theme.style(ThemeRole::Infra));
    }
}

fn tokens(state: &State, at: usize) -> String {
    let tokens = rows::price(state, at);
    format!("{tokens:>TOKENS$}")
}

fn map_row(state: &State, row: &mut ListRow<'_>, at: usize, width: u16) {
    let (theme, glyphs) = (&state.skin.theme, &state.skin.glyphs);
    let infra = theme.style(ThemeRole::Infra);
    let MapColumns { id, name, own, bar } = map_columns(state, width);
    id_and_name(state, row, at, (id, name));
    let weight = state.graph.weight(at);
    if own > 0 {
        row.cell(&tokens(state, at), own, infra);
    }
    let own_tokens = rows::own(state, at).unwrap_or(0);
    let together = own_tokens.saturating_add(weight.tokens);
    let [count, brought] = match weight.sources {
        0 => [String::new(), if own > 0 { String::new() } else { rows::price(state, at) }],
        sources => {
            [format!("+{}", cells::grouped(sources)), cells::tokens(if own > 0 { weight.tokens } else { together })]
        }
    };
    row.cell(&format!("{count:>COUNT$}"), COUNT, infra);
    row.cell(&format!("{brought:>TOKENS$}"), TOKENS, infra);
    let filled = columns(together, state.graph.heaviest, bar);
    let solid = columns(own_tokens, state.graph.heaviest, bar).min(filled);
    row.text(&glyphs.full.repeat(solid), theme.style(ThemeRole::Catalog));
    row.text(&glyphs.empty.repeat(filled - solid), theme.style(ThemeRole::Transitive));
}

/// The width of a bar for this part of the whole; at least one column if the part is not zero.
fn columns(part: u64, whole: u64, room: usize) -> usize {
    let columns = u128::from(part) * room as u128 / u128::from(whole.max(1));
    usize::try_from(columns).unwrap_or(room).clamp(usize::from(part > 0), room.max(1)).min(room)
}
