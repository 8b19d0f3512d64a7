//! Lays out the document for the width of its pane, finds its links, and keeps the reading position.

use std::sync::Arc;

use super::{ReadingGoal, ReadingState, view};
use crate::tui::catalog::links::{self, LinkingDocument};
use crate::tui::catalog::places::ReadingPlace;
use crate::tui::state::State;
use refdesk_core::catalog::Catalog;
use refdesk_core::mention::Mention;

/// The inputs that determine link targets.
#[derive(Debug, Clone)]
pub(super) struct LinkBasis {
    /// The snapshot that provided the mentions.
    generation: u64,
    catalog: Arc<Catalog>,
    mentions: Vec<Mention>,
}

pub(super) fn lay_out(state: &mut State, columns: u16) {
    let reading = &mut state.catalog.reading;
    if reading.columns.replace(columns) != Some(columns) {
        forget_layout(reading);
    }
    let is_far = reading.loaded.next().is_some()
        && match reading.goal {
            Some(ReadingGoal::End) => true,
            Some(ReadingGoal::Place(place)) => place.line > 0 && !reading.loaded.holds(place.line),
            _ => false,
        };
    // Parts passed on the way to a distant goal are not shown.
    if !is_far {
        reading.loaded.lay_out(reading.front_matter, &state.skin.glyphs, usize::from(columns));
    }
}

/// Keeps a document in place while it is read and the details above it grow or shrink.
pub(super) fn keep_below_details(state: &mut State) {
    let Some(rows) = view(state).map(|(view, _)| view.details.len()) else { return };
    let (reading, top) = (&mut state.catalog.reading, state.catalog.scroll.top);
    let before = std::mem::replace(&mut reading.detail_rows, rows);
    if before == rows {
        return;
    }
    if reading.place.line > 0 {
        reading.goal.get_or_insert(ReadingGoal::Place(reading.place));
    } else if top > 0 && top + 1 == before {
        reading.goal.get_or_insert(ReadingGoal::Document);
    }
}

pub(super) fn forget_layout(reading: &mut ReadingState) {
    reading.loaded.forget_layout();
    reading.painting = std::mem::take(&mut reading.painting).ended();
    if reading.place != ReadingPlace::default() {
        reading.goal.get_or_insert(ReadingGoal::Place(reading.place));
    }
}

pub(super) fn mark_links(state: &mut State) {
    let (snapshot, reading) = (&state.snapshot, &mut state.catalog.reading);
    let (Some(shown), Some(answer)) = (&reading.shown, &state.catalog.document.answer) else { return };
    let path = answer.path.as_deref();
    let mut pages: Vec<_> = reading.loaded.portions.iter_mut().filter_map(|portion| portion.page.as_mut()).collect();
    let basis = match reading.linked.take() {
        Some(basis) if basis.generation == snapshot.generation => basis,
        before => {
            let mentions = links::mentions(&snapshot.graph, &shown.source, path);
            let is_same =
                |before: &LinkBasis| Arc::ptr_eq(&before.catalog, &snapshot.catalog) && before.mentions == mentions;
            if before.is_some_and(|before| !is_same(&before)) {
                pages.iter_mut().for_each(|page| page.links = None);
                // The focus is an index into the links, which may have changed.
                reading.link = None;
            }
            LinkBasis { generation: snapshot.generation, catalog: Arc::clone(&snapshot.catalog), mentions }
        }
    };
    let document = LinkingDocument {
        id: &shown.source,
        path,
        above: answer.above.as_deref(),
        files: &answer.files,
        catalog: &basis.catalog,
        mentions: &basis.mentions,
    };
    links::mark(&document, &mut reading.tags, pages.into_iter());
    reading.linked = Some(basis);
}

/// Scrolls to the goal once it is loaded.
pub(super) fn scroll_to_goal(state: &mut State) {
    if state.catalog.document.answer.is_none() {
        return;
    }
    let Some((view, page)) = view(state) else { return };
    let last = view.len().saturating_sub(page);
    let reading = &state.catalog.reading;
    let is_held = reading.held == Some(state.catalog.scroll.top);
    let back = reading.held.filter(|held| is_held && *held < last).map(|_| ReadingGoal::Place(reading.place));
    let Some(goal) = reading.goal.clone().or(back) else { return };
    let loaded = view.document;
    let is_whole = loaded.next().is_none();
    let top = match &goal {
        ReadingGoal::Place(place) if place.line == 0 => Some(place.below),
        ReadingGoal::Place(place) if loaded.holds(place.line) || is_whole => {
            // At another width, the line may have fewer rows.
            let first = view.row_of_source(place.line);
            let is_in_line = |row: &usize| view.source_line_in(*row) == Some(place.line);
            Some((first..=first + place.below).rev().find(is_in_line).unwrap_or(first))
        }
        ReadingGoal::Document if state.layout().columns() == 1 => Some(view.details.len().saturating_sub(1)),
        ReadingGoal::Document => Some(0),
        ReadingGoal::Anchor(name) if name.is_empty() => Some(0),
        ReadingGoal::Anchor(name) => loaded.row_of_anchor(name).map(|row| view.details.len() + row),
        ReadingGoal::End if is_whole => Some(last),
        _ => None,
    };
    let is_nowhere = matches!(goal, ReadingGoal::Anchor(_)) && is_whole && top.is_none();
    if let (true, ReadingGoal::Anchor(name)) = (is_nowhere, &goal) {
        state.refuse(format!("this document has no heading #{name}"));
    }
    if let Some(top) = top {
        state.catalog.scroll.top = top.min(last);
        state.catalog.reading.held = None;
        if let (true, ReadingGoal::Place(place)) = (top > last, &goal) {
            (state.catalog.reading.held, state.catalog.reading.place) = (Some(last), *place);
        }
    }
    if is_nowhere {
        // Back to the previous position.
        let place = state.catalog.reading.place;
        state.catalog.reading.goal = Some(ReadingGoal::Place(place));
    } else if top.is_some() {
        state.catalog.reading.goal = None;
    }
}

pub(super) fn note_place(state: &mut State) {
    if state.catalog.document.answer.is_none() || state.catalog.reading.goal.is_some() {
        return;
    }
    let top = state.catalog.scroll.top;
    if state.catalog.reading.held == Some(top) {
        return;
    }
    let Some((view, _)) = view(state) else { return };
    let place = match view.source_line_in(top) {
        Some(line) => ReadingPlace { line, below: top.saturating_sub(view.row_of_source(line)) },
        None => ReadingPlace { line: 0, below: top },
    };
    (state.catalog.reading.held, state.catalog.reading.place) = (None, place);
}
