//! Searches the details and the document, and moves between matches.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::tui::action::Action;
use crate::tui::catalog::reader::DetailText;
use crate::tui::catalog::reading::{reveal, view};
use crate::tui::catalog::search::{Hit, TextSearch, find};
use crate::tui::catalog::sideways;
use crate::tui::state::{State, Typing};

pub fn open(state: &mut State) {
    state.catalog.search = TextSearch { from: state.catalog.scroll.top, ..TextSearch::default() };
    state.typing = Some(Typing::Search);
}

pub fn end(state: &mut State) {
    state.catalog.search = TextSearch::default();
    if state.typing == Some(Typing::Search) {
        state.typing = None;
    }
}

/// After an edit of the search: moves to the first match after the starting row.
pub fn typed(state: &mut State) {
    find_matches(state);
    if let Some((view, _)) = view(state) {
        let at = first(&view, &state.catalog.search);
        go_to_match(state, at);
    }
}

/// The first match after the starting row.
fn first(view: &DetailText<'_>, search: &TextSearch) -> usize {
    search.hits.iter().position(|hit| view.row_of(hit) >= search.from).unwrap_or(0)
}

/// Moves to the next or previous match; wraps around.
pub fn step(state: &mut State, action: Action) {
    let (at, len) = (state.catalog.search.at, state.catalog.search.hits.len());
    let next = match action {
        Action::PreviousHit if at == 0 => len.saturating_sub(1),
        Action::PreviousHit => at - 1,
        _ if at + 1 >= len => 0,
        _ => at + 1,
    };
    go_to_match(state, next);
}

/// Searches again if the needle or the text changed.
pub fn find_matches(state: &mut State) {
    let Some((view, _)) = view(state) else { return };
    let needle = state.catalog.search.needle.text();
    let mut hasher = DefaultHasher::new();
    (needle, view.document.revision, view.document.len()).hash(&mut hasher);
    view.details.lines().iter().for_each(|line| line.text().hash(&mut hasher));
    let searched = Some(hasher.finish());
    if state.catalog.search.searched == searched {
        return;
    }
    let hits = find(view.lines(), needle);
    let search = &mut state.catalog.search;
    search.at = search.at.min(hits.len().saturating_sub(1));
    search.has_changed |= search.hits.len() != hits.len();
    search.hits = hits;
    search.searched = searched;
}

/// After matches have come or gone with a reload or another part: the current one is the one nearest to where it was on
/// the screen, or while the needle is typed, the first one.
pub fn keep_match(state: &mut State) {
    // Until the goal is reached, the passage is not back in its place.
    let Some((view, _)) = view(state).filter(|_| state.catalog.reading.goal.is_none()) else { return };
    let (search, top) = (&state.catalog.search, state.catalog.scroll.top);
    let mut at = search.at;
    if search.has_changed && state.typing == Some(Typing::Search) {
        at = first(&view, search);
    } else if let Some((row, top_before)) = search.seen.filter(|_| search.has_changed) {
        let row = (row + top).saturating_sub(top_before);
        let away = |(nth, hit): &(usize, &Hit)| (view.row_of(hit).abs_diff(row), nth.abs_diff(at));
        at = search.hits.iter().enumerate().min_by_key(away).map_or(0, |(nth, _)| nth);
    }
    let seen = search.hits.get(at).map(|hit| (view.row_of(hit), top));
    let search = &mut state.catalog.search;
    (search.at, search.seen, search.has_changed) = (at, seen, false);
}

/// Moves to this match and scrolls as little as possible.
fn go_to_match(state: &mut State, at: usize) {
    (state.catalog.search.at, state.catalog.search.seen) = (at, None);
    let place = match (view(state), state.catalog.search.hits.get(at)) {
        (Some((view, _)), Some(hit)) => Some((view.row_of(hit), view.document_line(hit), hit.range.clone())),
        _ => None,
    };
    match place {
        Some((row, line, range)) => {
            reveal(state, row);
            if let Some(line) = line {
                sideways::reveal(state, line, &range);
            }
        }
        None => state.catalog.scroll.top = state.catalog.search.from,
    }
}
