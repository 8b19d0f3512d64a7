//! Requests picks and exclusions; the screen shows them when the next snapshot does.

use crate::common::selection_tree::{TreeRow, TreeRowKind};
use crate::tui::action::Action;
use crate::tui::filtering::{self, FilteredList};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{Lookup, State};
use crate::tui::views::View;
use crate::tui::widgets::motion::Scroll;
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Request;

pub fn choose(state: &State, action: Action, effects: &mut Vec<Effect>) {
    let Some(id) = state.action_target() else { return };
    let selection = &state.snapshot.selection;
    let is_dormant = selection.dormant().iter().any(|dormant| dormant == id);
    let source = SourceId::from(id);
    effects.push(Effect::Ask(match action {
        Action::Toggle if selection.is_picked(id) || is_dormant => Request::unpick(source),
        Action::Exclude if selection.is_excluded(id) => Request::include(source),
        Action::Exclude => Request::exclude(source),
        // Everything it would pull in is already selected.
        Action::Keep => Request::pick(id),
        _ => Request::pick_if_few(source),
    }));
}

/// Moves to the source under the catalog's cursor, if that changed and no filter hides it; a cursor moved within the
/// selection stays. Auto sources are skipped: they were not picked, and their rows add no information.
pub fn follow_catalog(state: &mut State) {
    let source = state.subject(Pane::Catalog).map(str::to_owned);
    let is_hidden = source.as_deref().is_some_and(|id| hidden(state, id).is_some());
    if is_hidden || state.selection.followed == source {
        return;
    }
    let row = source.as_deref().and_then(|id| row_of(state, id));
    let is_auto =
        |at: &usize| matches!(state.selection.rows.get(*at), Some(row) if matches!(row.kind, TreeRowKind::Auto(_)));
    if let Some(at) = row.filter(|at| !is_auto(at)) {
        state.selection.cursor.at = at;
        state.selection.scroll = Scroll::default();
    }
    state.selection.followed = source;
}

/// Moves to the selection; from a catalog source to its row, even if a filter hides it.
pub fn go(state: &mut State) {
    let source = state.subject(Pane::Catalog).map(str::to_owned);
    let is_followed = state.focus != Pane::Catalog || state.selection.followed == source;
    state.focus_on(Pane::Selection);
    let is_wanted = |id: &String| hidden(state, id).is_some_and(|row| !matches!(row.kind, TreeRowKind::Auto(_)));
    if let Some(id) = source.filter(|id| !is_followed && !state.is_request_focused() && is_wanted(id)) {
        to_row(state, &id);
        state.selection.followed = Some(id);
    }
}

/// Moves the cursor to this source's row, clearing a filter that hides it.
pub fn to_row(state: &mut State, id: &str) {
    if hidden(state, id).is_some() {
        filtering::clear(state, FilteredList::Selection);
        state.note("cleared the filter of the selection: it hid this source");
    }
    state.selection.cursor.at = row_of(state, id).unwrap_or(state.selection.cursor.at);
}

/// The row of this source, if the filter hides it.
fn hidden<'a>(state: &'a State, id: &str) -> Option<&'a TreeRow> {
    let row = state.selection.all.iter().find(|row| row.id(&state.snapshot) == Some(id));
    row.filter(|_| row_of(state, id).is_none())
}

pub fn row_of(state: &State, id: &str) -> Option<usize> {
    state.selection.rows.iter().position(|row| row.id(&state.snapshot) == Some(id))
}

/// Asks what picking or excluding the source under the cursor would change. Not while text is typed, because
/// that would ask again for every key.
pub fn ask_for_preview(state: &mut State, effects: &mut Vec<Effect>) {
    if state.typing.is_some() || (state.is_request_focused() && state.view != View::Graph) {
        return;
    }
    let subject = if state.view == View::Graph { state.in_graph() } else { state.subject(state.focus) };
    let subject = subject.map(str::to_owned);
    let at = state.snapshot.generation;
    keep_left_previews(state, subject.as_deref());
    let is_new = state.choice_preview.ask(subject.as_deref().map(|id| (id, at)));
    if let (true, Some(id)) = (is_new, subject) {
        effects.push(Effect::Ask(Request::PreviewSelection(SourceId::from(id))));
    }
}

/// Keeps the preview of a row that loses the focus but stays under its pane's cursor, so that its details, and the text
/// below them, do not change with the focus.
fn keep_left_previews(state: &mut State, subject: Option<&str>) {
    let mut left = std::mem::take(&mut state.left_previews);
    let Lookup { about, answer, answered_at } = &state.choice_preview;
    if let (Some(at), Some(preview)) = (answered_at, answer)
        && about.as_ref().map(|(id, _)| id.as_str()) != subject
    {
        left.retain(|(_, other)| other.id != preview.id);
        left.push((*at, preview.clone()));
    }
    let is_under_cursor = |id: &str| Pane::ALL.into_iter().any(|pane| state.subject(pane) == Some(id));
    left.retain(|(at, preview)| *at == state.snapshot.generation && is_under_cursor(&preview.id));
    state.left_previews = left;
}
