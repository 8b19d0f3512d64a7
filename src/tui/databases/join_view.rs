//! Draws the joins of a table as a tree, and below it a description of the join under the cursor with all
//! names in full.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use refdesk_database::snapshot::TableName;

use super::join_tree::{JoinEnd, JoinKind, JoinRow};
use super::list_view::{ROLE, active};
use super::view::{DatabasesLayout, places};
use super::{DatabaseSide, DatabaseTab};
use crate::tui::action::Action;
use crate::tui::pane_view::{DrawnList, draw_text, indented};
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::widgets::row::ListRow;
use crate::tui::widgets::{cells, frame};

/// Lines for the description with the rule above it, and the minimum height for showing it.
const WORDS: u16 = 5;
const MIN: u16 = 11;
/// Width of `inferred`.
const KIND: usize = 8;

/// The height of the description in this area.
pub fn words_height(place: Rect) -> u16 {
    if place.height >= MIN { WORDS } else { 0 }
}

pub fn draw(state: &State, places: &DatabasesLayout, buffer: &mut Buffer) {
    let (view, theme, place) = (&state.databases, &state.skin.theme, places.detail);
    let rows = &view.tree.rows;
    let room = usize::from(place.width).saturating_sub(KIND + 4);
    let widest = |of: &dyn Fn(&JoinRow) -> usize| rows.iter().map(of).max().unwrap_or(0);
    let pairs = widest(&|row| cells::width(&pairs(row)));
    // Columns are truncated before table names.
    let names = widest(&|row| cells::width(&tree_lines(state, row)) + cells::width(&name(row)));
    let names = names.min(room.saturating_sub(pairs.min(room / 3)));
    let active = active(state, DatabaseSide::Detail);
    let list = DrawnList { place, len: rows.len(), cursor: view.join, active, role: ROLE };
    list.draw(&state.skin, buffer, |at| Some(join_row(state, rows.get(at)?, place.width, (names, pairs))));
    if places.join.is_empty() {
        return;
    }
    frame::rule(&state.skin, places.rule, "join", theme.style(ThemeRole::Infra), buffer);
    let Some(row) = rows.get(view.join.at) else { return };
    let text = WrappedText::new(words(state, row), usize::from(indented(places.join).width).max(2));
    draw_text(state, &text, 0, places.join, buffer);
}

fn join_row<'a>(state: &'a State, row: &JoinRow, width: u16, (names, pairs_room): (usize, usize)) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let infra = theme.style(ThemeRole::Infra);
    let (kind, role) = match row.join.kind {
        JoinKind::RefersTo => ("to", ThemeRole::Catalog),
        JoinKind::ReferredToBy => ("from", ThemeRole::Selection),
        JoinKind::Inferred => ("inferred", ThemeRole::Hints),
        JoinKind::Noted => ("noted", ThemeRole::Hints),
    };
    let is_there = row.end != JoinEnd::Undocumented;
    let ellipsis = state.skin.glyphs.ellipsis;
    let mut line = ListRow::new(&state.skin, width);
    // In a deep row, the name matters more than its tree lines.
    let lead = tree_lines(state, row);
    let lead = cells::clip_start(&lead, names.saturating_sub(cells::width(&name(row))).max(names / 3), ellipsis);
    line.text(&lead, infra);
    let room = names.saturating_sub(cells::width(&lead));
    line.cell(&name(row), room, theme.style(if is_there { ThemeRole::Strong } else { ThemeRole::Infra }));
    line.cell(kind, KIND, theme.style(role));
    line.cell(&pairs(row), pairs_room, theme.style(ThemeRole::Text));
    line.text(&row.join.note, infra);
    line
}

/// The tree lines, and the mark for open or closed.
fn tree_lines(state: &State, row: &JoinRow) -> String {
    let glyphs = &state.skin.glyphs;
    let mark = match row.end {
        JoinEnd::Closed => glyphs.folded,
        JoinEnd::Open | JoinEnd::Reading => glyphs.sorted,
        JoinEnd::Cycle => glyphs.cycle,
        JoinEnd::Unreadable => glyphs.problem,
        JoinEnd::Deep => glyphs.deep,
        JoinEnd::Last | JoinEnd::Undocumented => " ",
    };
    format!("{}{mark} ", glyphs.branch(row.level, row.open))
}

/// The table's name, without its schema if the parent table has the same one.
fn name(row: &JoinRow) -> String {
    let (own, from) = (TableName::of_full(&row.join.table), TableName::of_full(&row.from));
    let name = match own.zip(from) {
        Some((own, from)) if own.schema == from.schema => own.name,
        _ => row.join.table.clone(),
    };
    cells::clean(&name).into_owned()
}

/// `order_id = id, order_year = year`
fn pairs(row: &JoinRow) -> String {
    let pairs: Vec<String> = row.join.pairs.iter().map(|(near, far)| format!("{near} = {far}")).collect();
    pairs.join(", ")
}

/// Describes the join: the equal columns, where the join comes from, and what follows below it.
fn words(state: &State, row: &JoinRow) -> Vec<PageLine> {
    let (from, to) = (cells::clean(&row.from), cells::clean(&row.join.table));
    let pairs: Vec<String> = row.join.pairs.iter().map(|(near, far)| format!("{from}.{near} = {to}.{far}")).collect();
    let note = &row.join.note;
    let kind = match row.join.kind {
        JoinKind::RefersTo if note.is_empty() => format!("A key of {from}"),
        JoinKind::RefersTo => format!("A key of {from}, {note}"),
        JoinKind::ReferredToBy => format!("A key of {to}"),
        JoinKind::Inferred | JoinKind::Noted => {
            let kind = if row.join.kind == JoinKind::Noted { "Noted" } else { "Inferred" };
            let why = if note.is_empty() { String::new() } else { format!(": {note}") };
            format!("{kind}, not from a key{why}")
        }
    };
    let below = why_closed(state, row).map(|why| format!("; {why}")).unwrap_or_default();
    vec![
        PageLine::new(pairs.join(" and "), ThemeRole::Text),
        PageLine::new(format!("{kind}{below}."), ThemeRole::Infra),
    ]
}

pub fn why_closed(state: &State, row: &JoinRow) -> Option<String> {
    let table = cells::clean(&row.join.table);
    let follow = state.key(Action::Follow);
    match row.end {
        JoinEnd::Closed | JoinEnd::Open | JoinEnd::Reading => None,
        JoinEnd::Last => Some(format!("{table} has no other join")),
        JoinEnd::Cycle => Some(format!("{table} is already above, so the tree ends here")),
        JoinEnd::Deep => Some(format!("the tree is too deep to go on here: {follow} goes to {table}")),
        JoinEnd::Undocumented if state.databases.subject_of_table(&row.join.table).is_none() => {
            Some(format!("{table} is not documented and not planned"))
        }
        JoinEnd::Undocumented => {
            Some(format!("{table} has no page yet: {} documents it", state.key(Action::DocumentDatabases)))
        }
        JoinEnd::Unreadable => Some(format!("the page of {table} cannot be read")),
    }
}

/// The row whose fold mark is at this position.
pub fn fold_at(state: &State, at: Position) -> Option<usize> {
    let place = places(state).detail;
    let rows = &state.databases.tree.rows;
    let nth = state.databases.join.row_at(place, rows.len(), at)?;
    let row = rows.get(nth).filter(|_| state.databases.shown_tab() == DatabaseTab::Joins)?;
    let mark = place.x + 1 + u16::try_from(row.level * 2).ok()?;
    (at.x == mark && matches!(row.end, JoinEnd::Closed | JoinEnd::Open | JoinEnd::Reading)).then_some(nth)
}
