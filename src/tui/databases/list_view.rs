//! Draws the list on the left of the view of databases: databases, domains and tables.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use refdesk_desk::{DatabaseState, TableMarks, TableSummary};

use super::{DatabaseRow, DatabaseSide};
use crate::tui::pane_view::DrawnList;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::row::{Active, ListRow};

/// The colour of the view.
pub const ROLE: ThemeRole = ThemeRole::Transitive;

pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    let view = &state.databases;
    let (len, active) = (view.rows.len(), active(state, DatabaseSide::List));
    let list = DrawnList { place, len, cursor: view.cursor, active, role: ROLE };
    list.draw(&state.skin, buffer, |at| Some(list_row(state, *view.rows.get(at)?, place.width)));
}

/// Whether this side receives keys.
pub fn active(state: &State, side: DatabaseSide) -> Active {
    if state.window.is_none() && state.databases.side == side { Active::Yes } else { Active::No }
}

fn list_row(state: &State, row: DatabaseRow, width: u16) -> ListRow<'_> {
    let (view, theme, glyphs) = (&state.databases, &state.skin.theme, &state.skin.glyphs);
    let style = |role| theme.style(role);
    let mut line = ListRow::new(&state.skin, width);
    let fold = if view.is_folded(row) { glyphs.folded } else { glyphs.sorted };
    let (lead, name, role, (note, note_role)) = match (view.database(row), view.domain(row), view.table_of(row)) {
        (_, _, Some(table)) => {
            let (mark, mark_role) = mark(state, table);
            line.text("    ", style(ThemeRole::Infra)).text(mark, style(mark_role)).gap();
            let note = if view.is_related(row) { ("related".to_owned(), ThemeRole::Hints) } else { marks(table.marks) };
            (String::new(), table_name(state, row, table), ThemeRole::Text, note)
        }
        (_, Some(domain), None) => {
            let tables = cells::grouped(domain.tables.len());
            (format!("  {fold} "), domain.name.clone(), ROLE, (tables, ThemeRole::Infra))
        }
        (Some(database), None, _) => {
            let lead = if database.domains.is_empty() { "  ".to_owned() } else { format!("{fold} ") };
            (lead, database.name.clone(), ThemeRole::Strong, state_word(&database.state, database.kind))
        }
        (None, ..) => (String::new(), String::new(), ThemeRole::Text, (String::new(), ThemeRole::Infra)),
    };
    line.text(&lead, style(ThemeRole::Infra));
    let name = cells::clean(&name);
    // The name takes precedence over its marks.
    let note_room = line.room().saturating_sub(cells::width(&name).min(line.room() * 2 / 3) + 2);
    let note = fitting(&note, note_room);
    let room = line.room().saturating_sub(cells::width(note) + 2);
    line.cell(&name, room, style(role));
    line.text(note, style(note_role));
    line
}

/// As many of these comma-separated words as fit.
fn fitting(words: &str, columns: usize) -> &str {
    let ends = std::iter::once(words.len()).chain(words.rmatch_indices(", ").map(|(at, _)| at));
    let fits = |words: &&str| cells::width(words) <= columns;
    ends.filter_map(|end| words.get(..end)).find(fits).unwrap_or_default()
}

/// The table's name, with its schema if the domain has tables from several.
fn table_name(state: &State, row: DatabaseRow, table: &TableSummary) -> String {
    let tables = state.databases.domain(row).map_or(&[][..], |domain| domain.tables.as_slice());
    let is_single = tables.iter().all(|other| other.name.schema == table.name.schema);
    if is_single { table.name.name.clone() } else { table.name.full() }
}

fn mark(state: &State, table: &TableSummary) -> (&'static str, ThemeRole) {
    let glyphs = &state.skin.glyphs;
    match (table.marks, &table.page) {
        (marks, _) if marks.is_failed => (glyphs.problem, ThemeRole::Error),
        (marks, Some(_)) if marks.is_stale => (glyphs.stale, ThemeRole::Warning),
        (_, Some(_)) => (glyphs.documented, ThemeRole::Selection),
        (_, None) => (glyphs.undocumented, ThemeRole::Infra),
    }
}

/// The marks of a table as short words; the right side spells them out.
fn marks(marks: TableMarks) -> (String, ThemeRole) {
    let mut words = Vec::new();
    words.extend(marks.is_failed.then(|| "failed".to_owned()));
    words.extend(marks.is_stale.then(|| "stale".to_owned()));
    words.extend(marks.is_edited.then(|| "edited".to_owned()));
    words.extend(marks.is_skipped.then(|| "left out".to_owned()));
    let role = if words.is_empty() { ThemeRole::Infra } else { ThemeRole::Warning };
    words.extend((marks.sensitive > 0).then(|| format!("{} sensitive", marks.sensitive)));
    (words.join(", "), role)
}

fn state_word(database_state: &DatabaseState, kind: &str) -> (String, ThemeRole) {
    match database_state {
        DatabaseState::Ready => (kind.to_owned(), ThemeRole::Infra),
        DatabaseState::Off => ("off".to_owned(), ThemeRole::Infra),
        DatabaseState::Untrusted => ("waits for trust".to_owned(), ThemeRole::Warning),
        DatabaseState::Wrong => ("errors".to_owned(), ThemeRole::Error),
        DatabaseState::Unreadable(_) => ("not read".to_owned(), ThemeRole::Error),
    }
}
