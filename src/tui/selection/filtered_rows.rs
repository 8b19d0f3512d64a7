//! The rows of the selection. With a filter, which uses the catalog's syntax, these are the matching rows and their
//! ancestors in the tree. The cursor moves to the best match when searching, and otherwise stays on its source.

use std::collections::HashMap;
use std::sync::Arc;

use crate::common::selection_tree::{self, TreeRow, TreeRowKind};
use crate::tui::filter::{FilterResult, Haystack, Order, Query, StatusWord, TextMatcher, apply, keeps_id};
use crate::tui::filtering::{self, FilteredList};
use crate::tui::selection::update::row_of;
use crate::tui::state::State;
use crate::tui::widgets::motion::{Cursor, Scroll};

pub fn filter(state: &mut State) {
    let stay = state.selected().map(str::to_owned);
    let before = std::mem::take(&mut state.selection.filtered);
    let best = refilter(state, Some(&before));
    let to = filtering::row_to_show(state, FilteredList::Selection, &state.selection.filter, stay.as_deref());
    let at = to.and_then(|id| row_of(state, id)).or(best).unwrap_or(0);
    state.selection.cursor = Cursor { at, ..state.selection.cursor };
    state.selection.scroll = Scroll::default();
}

pub fn sort(state: &mut State, order: Order) {
    let stay = state.selected().map(str::to_owned);
    state.selection.order = order;
    state.selection.all = selection_tree::rows(&state.snapshot, order);
    refilter(state, None);
    state.selection.cursor.at = stay.and_then(|id| row_of(state, &id)).unwrap_or(0);
    let by_picks = || "In the order of the picks".to_owned();
    state.note(if order == Order::Catalog { by_picks() } else { order.sentence() });
}

/// Returns the best match. `before` is the result of another filter over the same catalog and selection.
pub fn refilter(state: &mut State, before: Option<&FilterResult>) -> Option<usize> {
    let pane = &mut state.selection;
    let query = Query::parse(pane.filter.text());
    if query.is_empty() {
        pane.rows.clone_from(&pane.all);
        pane.filtered = FilterResult::everything(query);
        return None;
    }
    let snapshot = &state.snapshot;
    let haystack = state.catalog.haystack.get_or_insert_with(|| Arc::new(Haystack::of(&snapshot.catalog)));
    pane.filtered = apply(snapshot, haystack, query, before);
    let kept = std::mem::take(&mut pane.filtered.rows);
    let ranks: HashMap<usize, usize> = kept.into_iter().zip(0..).collect();
    let query = &pane.filtered.query;
    let mut matcher = TextMatcher::default();
    let mut rank = |row: &TreeRow| {
        let id = row.id(snapshot)?;
        match snapshot.catalog.position(id) {
            Some(position) => ranks.get(&position).copied(),
            None => keeps_id(query, id, state_of(row), &mut matcher).then_some(usize::MAX),
        }
    };
    pane.rows = selection_tree::matching(&pane.all, |row| rank(row).is_some());
    // Only text terms rank matches.
    let is_ranked = query.texts().next().is_some();
    let matching = pane.rows.iter().enumerate().filter(|(_, row)| row.matches);
    matching.min_by_key(|(_, row)| rank(row).filter(|_| is_ranked)).map(|(at, _)| at)
}

/// The state of a source that is not in the catalog.
fn state_of(row: &TreeRow) -> StatusWord {
    match row.kind {
        TreeRowKind::Excluded(_) => StatusWord::Excluded,
        TreeRowKind::Dormant(_) => StatusWord::Dormant,
        TreeRowKind::Member(_) | TreeRowKind::Auto(_) => StatusWord::Selected,
    }
}
