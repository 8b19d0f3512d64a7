//! Filters and sorts the rows of the catalog. The cursor moves to the best match when searching, and
//! otherwise stays on its source.

use std::sync::Arc;

use crate::tui::catalog::LeftSource;
use crate::tui::filter::{FilterResult, Haystack, Order, Query, apply};
use crate::tui::filtering::{self, FilteredList};
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::widgets::motion::Cursor;

/// Builds the search index before a filter is typed, so that the first letter is as fast as the next ones.
pub fn prepare(state: &mut State) {
    let catalog = &state.snapshot.catalog;
    state.catalog.haystack.get_or_insert_with(|| Arc::new(Haystack::of(catalog)));
}

pub fn filter(state: &mut State) {
    let stay = state.subject(Pane::Catalog).map(str::to_owned);
    let before = std::mem::take(&mut state.catalog.filtered);
    let best = refilter(state, Some(&before));
    // The best match can be on any row, depending on the sort order.
    let best = || state.catalog.rows.iter().position(|row| Some(*row) == best);
    let to = filtering::row_to_show(state, FilteredList::Catalog, &state.catalog.filter, stay.as_deref());
    let at = to.and_then(|id| row_of(state, id)).or_else(best).unwrap_or(0);
    state.catalog.cursor = Cursor { at, ..state.catalog.cursor };
}

pub fn by_tag(state: &mut State, tag: &str) {
    by(state, &format!("#{tag}"));
}

/// Filters the catalog by this text.
pub fn by(state: &mut State, line: &str) {
    state.focus_on(Pane::Catalog);
    filtering::remember_row(state, FilteredList::Catalog);
    prepare(state);
    state.catalog.filter.clear();
    state.catalog.filter.insert(line);
    filter(state);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotChange {
    Catalog,
    /// Only the selection or the token counts changed.
    State,
}

/// Updates the rows after a snapshot; `stay` is the source that was under the cursor.
pub fn follow(state: &mut State, changed: SnapshotChange, stay: Option<&str>) {
    if changed == SnapshotChange::Catalog {
        state.catalog.haystack = None;
    }
    state.catalog.sequence = state.catalog.order.sequence(&state.snapshot);
    refilter(state, None);
    let (left, mut cursor) = (state.catalog.left.take(), state.catalog.cursor);
    let left = LeftSource::follow(left, stay, &mut cursor, |id| row_of(state, id), |at| source_at(state, at));
    (state.catalog.left, state.catalog.cursor) = (left, cursor);
}

pub fn sort(state: &mut State, order: Order) {
    let stay = state.subject(Pane::Catalog).map(str::to_owned);
    state.catalog.order = order;
    state.catalog.sequence = state.catalog.order.sequence(&state.snapshot);
    refilter(state, None);
    let row = stay.and_then(|id| row_of(state, &id));
    state.catalog.cursor.at = row.unwrap_or(0);
    state.note(state.catalog.order.sentence());
}

/// Returns the best match if the filter contains search text. `before` is the result of another filter over
/// the same texts and selection.
fn refilter(state: &mut State, before: Option<&FilterResult>) -> Option<usize> {
    let pane = &mut state.catalog;
    let query = Query::parse(pane.filter.text());
    let len = state.snapshot.catalog.len();
    if query.is_empty() {
        pane.rows = pane.sequence.clone().unwrap_or_else(|| (0..len).collect());
        pane.filtered = FilterResult::everything(query);
        return None;
    }
    let catalog = &state.snapshot.catalog;
    let haystack = pane.haystack.get_or_insert_with(|| Arc::new(Haystack::of(catalog)));
    pane.filtered = apply(&state.snapshot, haystack, query, before);
    let rows = std::mem::take(&mut pane.filtered.rows);
    let best = pane.filtered.query.texts().next().and(rows.first()).copied();
    pane.rows = match &pane.sequence {
        None => rows,
        Some(sequence) => {
            let mut kept = vec![false; len];
            for row in rows {
                kept.get_mut(row).into_iter().for_each(|kept| *kept = true);
            }
            sequence.iter().copied().filter(|at| kept.get(*at) == Some(&true)).collect()
        }
    };
    best
}

fn source_at(state: &State, row: usize) -> Option<String> {
    let position = state.catalog.rows.get(row)?;
    state.snapshot.catalog.sources().get(*position).map(|source| source.id.to_string())
}

pub fn row_of(state: &State, id: &str) -> Option<usize> {
    let position = state.snapshot.catalog.position(id)?;
    state.catalog.rows.iter().position(|row| *row == position)
}
