//! Draws the neighbourhood: the centre on its own line, and below it the levels side by side, with what
//! mentions it on the left and what it mentions on the right.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::level::{self, Level};
use super::view::GraphLayout;
use super::{GraphView, rows};
use crate::tui::pane_view::{draw_empty, nth_row, printed};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::row::{Active, ListRow, RowCursor};
use crate::tui::widgets::{cells, frame};

/// Width of a level that also shows where the mentions are.
const WIDE: u16 = 46;
/// Width of the kind of mention.
const MENTION_KIND_WIDTH: usize = 4;
/// Minimum width of a place.
const MIN_PLACE: usize = 8;
/// Width of a price.
const PRICE: usize = 9;

/// The visible levels and their areas, with a gap of one column.
fn columns(graph: &GraphView, list: Rect) -> Vec<(&Level, Rect)> {
    let all = &graph.levels;
    let count = usize::from(list.width / WIDE).clamp(2, 6).min(all.len());
    if count == 0 {
        return Vec::new();
    }
    let position = |distance: isize| all.iter().position(|level| level.distance == distance).unwrap_or(0);
    // The two levels next to the centre are shown in the middle, unless the cursor is far away.
    let first = position(-1).saturating_sub((count - 2) / 2).min(all.len() - count);
    let focused = if graph.level == 0 { position(1) } else { position(graph.level) };
    let first = first.clamp((focused + 1).saturating_sub(count), focused);
    let shown = all.get(first..first + count).unwrap_or_default();
    // An empty level needs room only for its heading and a sentence, unless all are empty.
    let last = shown.iter().rposition(|level| !level.sources.is_empty());
    let columns = |text: &str, around: u16| u16::try_from(cells::width(text)).unwrap_or(list.width) + around;
    let heading = |level: &Level| match last {
        Some(_) if level.sources.is_empty() => {
            columns(sentence(level), 5).min(list.width / 3).max(columns(&level.title(), 3))
        }
        _ => 0,
    };
    let headings: Vec<u16> = shown.iter().map(heading).collect();
    let full = u16::try_from(headings.iter().filter(|width| **width == 0).count()).unwrap_or(1).max(1);
    // On a narrow terminal, the level under the cursor is widened to show its mentions.
    let even = list.width.saturating_sub(headings.iter().sum()) / full;
    let spare = if even < WIDE && full > 1 { (WIDE - even).min(even / 4) } else { 0 };
    let mut x = list.x;
    let mut left = list.width;
    let mut places = Vec::new();
    for (nth, (level, heading)) in shown.iter().zip(&headings).enumerate() {
        let is_focused = level.distance == graph.level;
        let others = (full - 1).max(1);
        let width = match graph.level {
            _ if *heading > 0 => *heading,
            0 => even,
            _ if is_focused => even + spare,
            _ => even - spare / others,
        };
        // The last level with rows gets the remaining width.
        let behind = headings.get(nth + 1..).unwrap_or_default().iter().sum();
        let width = if nth == last.unwrap_or(count - 1) { left.saturating_sub(behind) } else { width.min(left) };
        places.push((level, Rect { x, width, ..list }));
        x += width;
        left -= width;
    }
    places
}

pub fn draw(state: &State, places: &GraphLayout, buffer: &mut Buffer) {
    let graph = &state.graph;
    let theme = &state.skin.theme;
    let active = if state.window.is_none() { Active::Yes } else { Active::No };
    let Some(centre) = graph.centre.as_ref().and_then(|id| graph.at(id)) else {
        return draw_empty(state, "No source is at the centre: choose one on the map.", places.list, buffer);
    };
    let under = if graph.level == 0 { RowCursor::of(0, 0, active) } else { RowCursor::Elsewhere };
    centre_row(state, centre, places.head.width).draw(under, ThemeRole::Catalog, nth_row(places.head, 0), buffer);
    let headings = nth_row(places.head, 1);
    for (nth, (level, place)) in columns(graph, places.list).into_iter().enumerate() {
        let separator = Rect { width: 1, y: headings.y, height: headings.height + place.height, ..place };
        let place =
            if nth > 0 { Rect { x: place.x + 1, width: place.width.saturating_sub(1), ..place } } else { place };
        if nth > 0 {
            for y in separator.y..separator.bottom() {
                buffer.set_stringn(separator.x, y, state.skin.glyphs.column, 1, theme.style(ThemeRole::Infra));
            }
        }
        let is_focused = level.distance == graph.level;
        let role = if is_focused { ThemeRole::Strong } else { ThemeRole::Infra };
        let room = usize::from(place.width.saturating_sub(1));
        let title = level.title();
        let title = cells::clip(&title, room, state.skin.glyphs.ellipsis);
        buffer.set_stringn(place.x + 1, headings.y, title, room, theme.style(role));
        let window = level.cursor.window(level.sources.len(), usize::from(place.height));
        let top = window.start;
        let shown = level.sources.get(window).unwrap_or_default();
        let columns = LevelColumns::of(state, level, centre, shown, place.width);
        for (nth, at) in shown.iter().enumerate() {
            let under = match is_focused {
                true => RowCursor::of(top + nth, level.cursor.at, active),
                false => RowCursor::Elsewhere,
            };
            let mut row = row(state, level, (centre, *at), columns, place.width);
            row.draw(under, ThemeRole::Catalog, nth_row(place, nth), buffer);
        }
        if level.sources.is_empty() {
            draw_empty(state, sentence(level), place, buffer);
        }
        let list = Rect { width: place.width.saturating_sub(1), ..place };
        frame::scrollbar(&state.skin, list, level.sources.len(), top, theme.style(ThemeRole::Infra), buffer);
    }
}

/// Shown instead of rows in an empty level.
fn sentence(level: &Level) -> &'static str {
    if level.distance < 0 { "No source mentions it." } else { "It mentions no source." }
}

/// Mark, id, name, price.
fn centre_row<'a>(state: &'a State, at: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let Some(source) = state.graph.source(at) else { return row };
    let (mark, role) = source_state::mark(&state.snapshot, source.id.as_str());
    let (id, name) = (cells::clean(source.id.as_str()), cells::clean(&source.name));
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    let room = row.room().saturating_sub(PRICE + 2);
    let id_room = cells::width(&id).min(room);
    row.id(&id, id_room, theme.style(ThemeRole::Strong));
    row.cell(&name, room.saturating_sub(id_room + 1), theme.style(ThemeRole::Infra));
    row.text(&price(state, at), theme.style(ThemeRole::Infra));
    row
}

/// The column widths of a level's visible rows.
#[derive(Debug, Clone, Copy)]
struct LevelColumns {
    id: usize,
    /// 0 if it does not fit.
    via: usize,
    /// 0 if it does not fit.
    place: usize,
    price: usize,
}

impl LevelColumns {
    fn of(state: &State, level: &Level, centre: usize, shown: &[usize], width: u16) -> Self {
        let clean = |text: &str| cells::width(&cells::clean(text));
        let ids = shown.iter().filter_map(|at| state.graph.id(*at)).map(|id| clean(id.as_str()));
        let id = ids.max().unwrap_or(0);
        let price = shown.iter().map(|at| cells::width(&rows::price(state, *at))).max().unwrap_or(0);
        // Cursor and mark, a blank before the price, and a column for the scrollbar.
        let room = usize::from(width).saturating_sub(1 + 2 + price + 2);
        let beside = room.saturating_sub(id + 1);
        if width < WIDE || beside < MIN_PLACE {
            return Self { id: room, via: 0, place: 0, price };
        }
        // File and line are more useful than the kind of mention, which the details show too.
        let file = |at: &usize| {
            let (_, place) = how(state, level, centre, *at)?;
            let name = place.rsplit('/').next().map_or(0, cells::width);
            Some(name + usize::from(place.contains('/')))
        };
        let file = shown.iter().filter_map(file).max().unwrap_or(0).max(MIN_PLACE);
        let via = if beside > MENTION_KIND_WIDTH + file { MENTION_KIND_WIDTH } else { 0 };
        let place = beside.saturating_sub(if via > 0 { via + 1 } else { 0 });
        Self { id, via, place, price }
    }
}

/// Mark, id, price, and the kind and place of the mention if they fit. A long id is truncated rather than the
/// price, because a row without a price would look free.
fn row<'a>(
    state: &'a State,
    level: &Level,
    (centre, at): (usize, usize),
    columns: LevelColumns,
    width: u16,
) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let (infra, ellipsis) = (theme.style(ThemeRole::Infra), state.skin.glyphs.ellipsis);
    let mut row = ListRow::new(&state.skin, width);
    let Some(id) = state.graph.id(at) else { return row };
    let (mark, role) = source_state::mark(&state.snapshot, id.as_str());
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role));
    row.id(&cells::clean(id.as_str()), columns.id, theme.style(ThemeRole::Text));
    if columns.place > 0 {
        let (via, place) = how(state, level, centre, at).unwrap_or_default();
        if columns.via > 0 {
            row.cell(via, columns.via, infra);
        }
        row.cell(&cells::clip_start(&place, columns.place, ellipsis), columns.place, infra);
    }
    row.text(&format!("{:>price$}", rows::price(state, at), price = columns.price), infra);
    row
}

/// `id` or `path`, and `adr/adr-005.md:12`, for the first mention.
fn how(state: &State, level: &Level, centre: usize, at: usize) -> Option<(&'static str, String)> {
    let analysis = state.graph.analysis.as_ref()?;
    let (from, to) = level::links(analysis, &state.graph.levels, centre, level.distance, at).next()?;
    let mention = analysis.adjacency.first_mention(&analysis.catalog, &analysis.graph, from, to)?;
    Some((mention.via.word(), format!("{}:{}", printed(state, &mention.file), mention.line)))
}

fn price(state: &State, at: usize) -> String {
    format!("{:>PRICE$}", rows::price(state, at))
}

pub fn row_at(state: &State, places: &GraphLayout, at: Position) -> Option<(isize, usize)> {
    if nth_row(places.head, 0).contains(at) {
        return Some((0, 0));
    }
    let (level, place) = columns(&state.graph, places.list).into_iter().find(|(_, place)| place.contains(at))?;
    Some((level.distance, level.cursor.row_at(place, level.sources.len(), at)?))
}
