//! Filters the list of templates with the catalog's filter syntax. The cursor moves to the best match.

use std::sync::Arc;

use crate::tui::filter::{FilterResult, Haystack, Query, apply};
use crate::tui::filtering::{self, FilteredList};
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::update::navigation;
use crate::tui::widgets::motion::Cursor;

pub fn filter(state: &mut State) {
    let stay = state.template().map(|template| template.name.clone());
    let before = std::mem::take(&mut state.templates.filtered);
    refilter(state, Some(&before));
    let to = filtering::row_to_show(state, FilteredList::Templates, &state.templates.filter, stay.as_deref());
    let at = to.and_then(|name| row_of(state, name)).unwrap_or(0);
    state.templates.cursor = Cursor { at, ..state.templates.cursor };
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
    let query = Query::parse(state.templates.filter.text());
    if query.is_empty() {
        state.templates.rows = (0..state.snapshot.templates.templates.len()).collect();
        state.templates.filtered = FilterResult::everything(query);
        return;
    }
    let haystack = packed(state);
    let pane = &mut state.templates;
    pane.filtered = apply(&state.snapshot, &haystack, query, before);
    pane.rows = std::mem::take(&mut pane.filtered.rows);
}

/// The search index of the templates, built when the first filter is typed.
pub fn packed(state: &mut State) -> Arc<Haystack> {
    let snapshot = &state.snapshot;
    let pack = || Arc::new(Haystack::of_templates(&snapshot.templates, &snapshot.catalog));
    state.templates.haystack.get_or_insert_with(pack).clone()
}

pub fn to_template(state: &mut State, name: &str) {
    state.focus_on(Pane::Templates);
    if row_of(state, name).is_none() {
        filtering::clear(state, FilteredList::Templates);
        state.note("cleared the filter of the templates: it hid this one");
    }
    if let Some(at) = row_of(state, name) {
        state.templates.cursor.at = at;
        navigation::reset_scroll(state, Pane::Templates);
    }
}

pub fn row_of(state: &State, name: &str) -> Option<usize> {
    let templates = &state.snapshot.templates.templates;
    state.templates.rows.iter().position(|row| templates.get(*row).is_some_and(|template| template.name == name))
}
