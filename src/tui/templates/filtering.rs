//! Which templates the list shows: the filter line, by the terms of the catalog's. The cursor stays on its template.

use std::sync::Arc;

use crate::tui::filter::{FilterResult, Haystack, Query, apply};
use crate::tui::state::State;
use crate::tui::widgets::motion::Cursor;

/// Applies the filter line.
pub fn filter(state: &mut State) {
    let stay = state.template().map(|template| template.name.clone());
    let before = std::mem::take(&mut state.templates.filtered);
    refilter(state, Some(&before));
    let meant = row_of(state, state.templates.filter.text().trim());
    let at = meant.or_else(|| row_of(state, stay.as_deref()?)).unwrap_or(0);
    state.templates.cursor = Cursor { at, ..state.templates.cursor };
}

pub fn clear(state: &mut State) {
    state.templates.filter.clear();
    filter(state);
}

/// Updates the rows after a snapshot; `stay` is the template that was under the cursor.
pub fn follow(state: &mut State, stay: Option<&str>) {
    state.templates.haystack = None;
    refilter(state, None);
    let row = stay.and_then(|name| row_of(state, name));
    state.templates.cursor.at = row.unwrap_or(state.templates.cursor.at);
}

/// `before` is the result of another filter over the same texts and selection.
fn refilter(state: &mut State, before: Option<&FilterResult>) {
    let (pane, snapshot) = (&mut state.templates, &state.snapshot);
    let query = Query::parse(pane.filter.text());
    if query.is_empty() {
        pane.rows = (0..snapshot.templates.templates.len()).collect();
        pane.filtered = FilterResult::everything(query);
        return;
    }
    let packed = || Arc::new(Haystack::of_templates(&snapshot.templates, &snapshot.catalog));
    let haystack = pane.haystack.get_or_insert_with(packed);
    pane.filtered = apply(snapshot, haystack, query, before);
    pane.rows = std::mem::take(&mut pane.filtered.rows);
}

fn row_of(state: &State, name: &str) -> Option<usize> {
    let templates = &state.snapshot.templates.templates;
    state.templates.rows.iter().position(|row| templates.get(*row).is_some_and(|template| template.name == name))
}
