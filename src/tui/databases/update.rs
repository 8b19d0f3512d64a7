//! Opens the view of databases, moves the cursor, walks joins, and asks the engine again whenever the
//! workspace was reread.

use std::path::Path;
use std::sync::Arc;

use ratatui::layout::Position;

use refdesk_database::snapshot::TableName;
use refdesk_desk::engine::Request;
use refdesk_desk::{DatabaseOverview, DatabasePage, FileLine, SearchAnswer, SearchHit, SearchReader, SearchRequest};

use super::{
    DatabasePath, DatabasePlace, DatabaseSide, DatabaseTab, DatabasesView, RunState, ShownPage, detail, join_view, run,
    view,
};
use crate::tui::action::Action;
use crate::tui::catalog::sideways;
use crate::tui::filtering::{self, FilteredList};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::views::{self, View};
use crate::tui::widgets::motion::{Cursor, Motion, Scroll};
use crate::tui::windows::{Handled, WindowKind};
use crate::tui::{places, update};

/// The number of characters from which the index is searched, and the maximum number of tables that it adds.
const SEARCHED: usize = 3;
const MAX_HITS: usize = 20;

/// Performs the view's own actions; actions that open something else leave the view.
pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
    match action {
        Action::Back => back(state, effects),
        Action::Move(motion) => step(state, motion),
        Action::NextTab => show(state, state.databases.tab.after(1)),
        Action::PreviousTab => show(state, state.databases.tab.after(DatabaseTab::ALL.len() - 1)),
        Action::NextLevel => unfold(state),
        Action::PreviousLevel => fold(state),
        Action::Follow => follow_join(state),
        Action::Leftwards | Action::Rightwards => {
            state.databases.across = sideways::after(action, state.databases.across, view::overhang(state));
        }
        Action::DocumentDatabases => run::prepare(state, effects),
        Action::Open => {
            if let Some(spot) = spot(state) {
                effects.push(Effect::Edit(spot));
            }
        }
        _ => return Handled::Ignored,
    }
    Handled::Consumed
}

pub fn open_at(state: &mut State, place: Option<DatabasePlace>) {
    if state.view != View::Databases {
        state.show(View::Databases);
        look_again(state);
    }
    if let Some(place) = place {
        go(&mut state.databases, place);
    }
}

/// Moves to this place, now or once the overview is loaded.
fn go(view: &mut DatabasesView, place: DatabasePlace) {
    (view.side, view.tab) = (place.side, place.tab);
    if view.overview.is_none() {
        view.stay = Some(place);
        return;
    }
    view.unfold_to(&place.subject);
    if view.is_filtered() && !view.rows.iter().any(|row| view.subject_of(*row).as_ref() == Some(&place.subject)) {
        view.filter.clear();
        view.found.clear();
        view.rebuild();
    }
    view.put_cursor(&place.subject);
    (view.scroll, view.across, view.join) = (Scroll::default(), 0, Cursor::default());
    view.tree.stay = place.way;
}

/// Leaves the innermost of these: the run, the right side, the filter, the view.
fn back(state: &mut State, effects: &mut Vec<Effect>) {
    if state.databases.run.is_writing() && !state.databases.run.is_pausing() {
        run::pause(state, effects);
    } else if state.databases.side == DatabaseSide::Detail {
        state.databases.side = DatabaseSide::List;
    } else if state.databases.is_filtered() {
        filtering::clear(state, FilteredList::Tables);
    } else {
        views::leave(state);
    }
}

/// Shows this tab from the top.
fn show(state: &mut State, tab: DatabaseTab) {
    let view = &mut state.databases;
    view.tab = tab;
    (view.scroll, view.across, view.join) = (Scroll::default(), 0, Cursor::default());
    if tab == DatabaseTab::Joins {
        view.side = DatabaseSide::Detail;
    }
}

/// Unfolds the row, or moves to its page; opens a join.
fn unfold(state: &mut State) {
    let view = &mut state.databases;
    if view.in_joins() {
        return view.open_join();
    }
    let Some(row) = view.row() else { return };
    if view.side == DatabaseSide::Detail || !view.fold(row, false) {
        view.side = DatabaseSide::Detail;
    }
}

/// On the right, closes a join, moves to its parent, or returns to the list. In the list, folds the row or
/// moves to its parent.
fn fold(state: &mut State) {
    let view = &mut state.databases;
    if view.in_joins() && view.close_join() {
        return;
    }
    if view.side == DatabaseSide::Detail {
        view.side = DatabaseSide::List;
        return;
    }
    let Some(row) = view.row() else { return };
    if row.table.is_none() && !view.is_filtered() && view.fold(row, true) {
        return;
    }
    let Some(subject) = view.subject_of(row) else { return };
    let domain = subject.domain.filter(|_| subject.table.is_some());
    view.put_cursor(&DatabasePath { database: subject.database, domain, table: None });
}

/// Moves to the page; from a join, to the table at its other end.
fn follow_join(state: &mut State) {
    if state.databases.side == DatabaseSide::List {
        state.databases.side = DatabaseSide::Detail;
        return;
    }
    let Some(row) = state.databases.current_row() else { return };
    let Some(subject) = state.databases.subject_of_table(&row.join.table) else { return };
    places::leave(state);
    go(&mut state.databases, DatabasePlace { subject, side: DatabaseSide::Detail, tab: DatabaseTab::Joins, way: None });
}

/// The row's page; without one, its entry in the file that configures the databases.
fn spot(state: &State) -> Option<FileLine> {
    let view = &state.databases;
    let workspace = Path::new(&*state.snapshot.workspace);
    if let Some(path) = view.page_path() {
        return Some(FileLine { path: workspace.join(path), line: 1 });
    }
    let line = view.row().and_then(|row| view.database(row)).map_or(1, |database| database.line);
    Some(FileLine { path: workspace.join(view.file()?), line })
}

impl DatabasesView {
    /// Moves the cursor to the first table whose name matches, or else to the best related one, unless it is already on
    /// a table.
    fn go_to_a_table(&mut self) {
        if self.is_filtered() && self.table().is_none() {
            let tables = (0..).zip(&self.rows).filter(|(_, row)| row.table.is_some());
            let best = tables.min_by_key(|(_, row)| self.related_rank(**row));
            self.cursor.at = best.map_or(0, |(at, _)| at);
        }
    }

    /// The file that configures the databases, relative to the workspace.
    pub fn file(&self) -> Option<&'static str> {
        self.overview.as_ref()?.file
    }
}

/// After an edit of the filter: moves the cursor to the first table, and searches the index too.
pub fn filter(state: &mut State, effects: &mut Vec<Effect>) {
    let view = &mut state.databases;
    view.found.clear();
    view.rebuild();
    view.go_to_a_table();
    let words = view.filter.text().trim();
    if words.chars().count() >= SEARCHED {
        let kinds = ["table", "column"].map(str::to_owned).to_vec();
        let request = SearchRequest { kinds, limit: MAX_HITS, ..SearchRequest::new(words, SearchReader::Person) };
        effects.push(Effect::Ask(Request::Search(Box::new(request))));
    }
}

/// Handles the index's results for the filter's words.
pub fn found(state: &mut State, answer: &SearchAnswer) {
    let view = &mut state.databases;
    if view.filter.text().trim() != answer.query {
        return;
    }
    let table = |hit: &SearchHit| {
        let subject = hit.subject.as_ref()?;
        Some((subject.database.clone(), TableName { schema: subject.schema.clone()?, name: subject.table.clone()? }))
    };
    // A table with such a column comes before one whose page is only about the words.
    let has_column = |hit: &&SearchHit| hit.kind == "column" || !hit.columns.is_empty();
    let (with_column, others): (Vec<&SearchHit>, Vec<&SearchHit>) = answer.hits.iter().partition(has_column);
    view.found.clear();
    for (rank, table) in with_column.into_iter().chain(others).filter_map(table).enumerate() {
        view.found.entry(table).or_insert(rank);
    }
    view.rebuild();
    view.go_to_a_table();
}

/// After a snapshot: the pages on disk may have changed if the workspace was reread.
pub fn snapshot_changed(state: &mut State, is_read_anew: bool) {
    if is_read_anew {
        look_again(state);
    }
}

/// Asks again for the state on disk, after any pending question.
pub fn look_again(state: &mut State) {
    state.databases.is_due = state.view == View::Databases;
}

/// Handles the engine's answer. The cursor stays on its row.
pub fn answered(state: &mut State, overview: Arc<DatabaseOverview>) {
    state.databases.is_asked = false;
    if state.view != View::Databases {
        return;
    }
    let view = &mut state.databases;
    let stay = view.subject();
    view.fold_many(&overview);
    view.overview = Some(overview);
    view.answers += 1;
    view.rows = Vec::new();
    view.index_tables();
    view.rebuild();
    if let Some(place) = view.stay.take() {
        go(view, place);
    } else if let Some(subject) = stay {
        view.put_cursor(&subject);
    }
}

pub fn page_answered(state: &mut State, page: DatabasePage) {
    let view = &mut state.databases;
    view.cache_joins(&page.path, page.doc.as_deref());
    let shown = &mut view.shown;
    if shown.asked.as_ref().is_some_and(|(_, path, _)| *path == page.path) {
        shown.page = Some(page);
        shown.laid_out_for = None;
    }
}

/// Runs after every input: requests outdated data, one question at a time, lays out the text, and clamps the cursors.
pub fn follow(state: &mut State, effects: &mut Vec<Effect>) {
    let is_looked_at = state.has_window(WindowKind::Documentation);
    if !is_looked_at && !matches!(state.databases.run, RunState::Idle | RunState::Writing { .. }) {
        run::pause(state, effects);
    }
    if state.view != View::Databases {
        return;
    }
    let view = &mut state.databases;
    if view.is_due && !view.is_asked {
        (view.is_due, view.is_asked) = (false, true);
        effects.push(Effect::Ask(Request::Databases));
    }
    let page = view::page(state);
    let view = &mut state.databases;
    view.cursor.clamp(view.rows.len(), page);
    ask_for_page(view, effects);
    lay_out(state);
    let rows = view::detail_page(state);
    let view = &mut state.databases;
    view.join.clamp(view.tree.rows.len(), rows);
    view.scroll.top = view.scroll.top.min(view.shown.text.len().saturating_sub(rows));
    if view.across > 0 {
        state.databases.across = state.databases.across.min(view::overhang(state));
    }
}

fn ask_for_page(view: &mut DatabasesView, effects: &mut Vec<Effect>) {
    let database = view.subject().map(|subject| subject.database);
    let wanted = database.clone().zip(view.page_path().map(str::to_owned));
    let asked = wanted.map(|(database, path)| (database, path, view.answers));
    if view.shown.asked == asked {
        if let Some((database, path)) = database.zip(view.unknown_joins()) {
            view.await_joins(&path);
            effects.push(Effect::Ask(Request::DatabasePage { database, path }));
        }
        return;
    }
    let is_same = |(_, path, _): &(String, String, u64)| view.page_path() == Some(path);
    if !view.shown.asked.as_ref().is_some_and(is_same) {
        view.shown = ShownPage::default();
        (view.scroll, view.across, view.join) = (Scroll::default(), 0, Cursor::default());
        view.grow_joins();
    }
    if let Some((database, path, _)) = asked.clone() {
        view.await_joins(&path);
        effects.push(Effect::Ask(Request::DatabasePage { database, path }));
    }
    view.shown.asked = asked;
}

fn lay_out(state: &mut State) {
    let columns = view::detail_columns(state);
    let Some(subject) = state.databases.subject() else {
        state.databases.shown = ShownPage::default();
        return;
    };
    let wanted = Some((subject, state.databases.shown_tab(), columns, state.databases.answers));
    if state.databases.shown.laid_out_for != wanted {
        state.databases.shown.text = detail::text(state, columns);
        state.databases.shown.laid_out_for = wanted;
    }
}

fn step(state: &mut State, motion: Motion) {
    let (page, rows) = (view::page(state), view::detail_page(state));
    let view = &mut state.databases;
    match view.side {
        DatabaseSide::List => view.cursor.step(motion, view.rows.len(), page),
        DatabaseSide::Detail if view.in_joins() => view.join.step(motion, view.tree.rows.len(), rows),
        DatabaseSide::Detail => view.scroll.step(motion, view.shown.text.len(), rows),
    }
}

/// A click moves the cursor to a row; a click on the row under the cursor acts like `Enter`.
pub fn click(state: &mut State, at: Position, effects: &mut Vec<Effect>) {
    if let Some(tab) = view::tab_at(state, at) {
        return show(state, tab);
    }
    let places = view::places(state);
    let again = if places.list.contains(at) {
        let view = &mut state.databases;
        let Some(row) = view.cursor.row_at(places.list, view.rows.len(), at) else { return };
        let side = std::mem::replace(&mut view.side, DatabaseSide::List);
        std::mem::replace(&mut view.cursor.at, row) == row && side == DatabaseSide::List
    } else if let Some(row) = join_view::fold_at(state, at) {
        let view = &mut state.databases;
        (view.side, view.join.at) = (DatabaseSide::Detail, row);
        return view.toggle_join();
    } else if places.detail.contains(at) {
        let view = &mut state.databases;
        let was_inside = std::mem::replace(&mut view.side, DatabaseSide::Detail) == DatabaseSide::Detail;
        let row = view.join.row_at(places.detail, view.tree.rows.len(), at);
        let Some(row) = row.filter(|_| view.in_joins()) else { return };
        std::mem::replace(&mut view.join.at, row) == row && was_inside
    } else {
        false
    };
    if again {
        update::act(state, Action::Follow, effects);
    }
}

/// The mouse wheel moves the side under the pointer.
pub fn wheel(state: &mut State, at: Position, motion: Motion, rows: usize) {
    let places = view::places(state);
    let (page, detail) = (view::page(state), view::detail_page(state));
    let view = &mut state.databases;
    if places.left.contains(at) {
        view.cursor.scroll(motion, rows, view.rows.len(), page);
    } else if places.right.contains(at) && view.shown_tab() == DatabaseTab::Joins {
        view.join.scroll(motion, rows, view.tree.rows.len(), detail);
    } else if places.right.contains(at) {
        (0..rows).for_each(|_| view.scroll.step(motion, view.shown.text.len(), detail));
    }
}
