//! Which templates the list shows: the filter line, by the terms of the catalog's. The cursor stays on its template.

use std::sync::Arc;

use crate::tui::filter::{FilterResult, Haystack, Query, keep};
use crate::tui::motion::Cursor;
use crate::tui::pane::Pane;
use crate::tui::state::{State, Typing};

pub(super) fn open(state: &mut State) {
    state.focus_on(Pane::Templates);
    state.typing = Some(Typing::TemplateFilter);
}

/// What the filter line says now.
pub(super) fn filter(state: &mut State) {
    let stay = state.template().map(|template| template.name.clone());
    apply(state, Since::Typing);
    let meant = row_of(state, state.templates.filter.text().trim());
    let at = meant.or_else(|| row_of(state, stay.as_deref()?)).unwrap_or(0);
    state.templates.cursor = Cursor { at, ..state.templates.cursor };
}

/// HintsView everything again.
pub(super) fn clear(state: &mut State) {
    state.templates.filter.clear();
    filter(state);
}

/// After the desk changed; `stay` is the template that was under the cursor.
pub(super) fn follow(state: &mut State, stay: Option<&str>) {
    state.templates.haystack = None;
    apply(state, Since::Desk);
    let row = stay.and_then(|name| row_of(state, name));
    state.templates.cursor.at = row.unwrap_or(state.templates.cursor.at);
}

/// What changed since rows were last computed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Since {
    /// Only the filter.
    Typing,
    /// Something else.
    Desk,
}

fn apply(state: &mut State, since: Since) {
    let (pane, snapshot) = (&mut state.templates, &state.snapshot);
    let query = Query::parse(pane.filter.text());
    if query.is_empty() {
        pane.rows = (0..snapshot.templates.templates.len()).collect();
        pane.kept = FilterResult::everything(query);
        return;
    }
    let packed = || Arc::new(Haystack::of_templates(&snapshot.templates, &snapshot.catalog));
    let haystack = pane.haystack.get_or_insert_with(packed);
    let before = (since == Since::Typing).then_some(&pane.kept);
    pane.kept = keep(snapshot, haystack, query, before);
    pane.rows = std::mem::take(&mut pane.kept.rows);
}

fn row_of(state: &State, name: &str) -> Option<usize> {
    let templates = &state.snapshot.templates.templates;
    state.templates.rows.iter().position(|row| templates.get(*row).is_some_and(|template| template.name == name))
}
