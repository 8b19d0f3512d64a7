//! Requests the enriched prompt whenever the prompt, the selection or the session changes, and scrolls it.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::tui::hints::enriched;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::pane_view::indented;
use crate::tui::state::{HintsView, State};
use crate::tui::widgets::motion::{Motion, Scroll};
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Audience, Request};
use refdesk_enrich::{BlockKind, Enriched};
use refdesk_text::report::Diagnostic;

pub fn next_view(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.view = state.hints.view.next();
    state.hints.enriched.scroll = Scroll::default();
    state.hints.enriched.answer = None;
    ask(state, effects);
}

/// Returns to the matching sources.
pub fn leave(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.view = HintsView::Matches;
    state.hints.enriched.answer = None;
    ask(state, effects);
}

/// Asks what would be appended to the prompt. The list of matches needs the answer too, to mark the hints
/// that the session has already seen. An empty prompt may also be enriched.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let audience = match state.hints.view {
        HintsView::Enriched(audience) => audience,
        HintsView::Matches => Audience::ThisSession,
    };
    if state.hints.view == HintsView::Matches && state.hints.prompt.text().trim().is_empty() {
        state.hints.sent_before.clear();
        return;
    }
    effects.push(Effect::Ask(Request::Simulate { prompt: Arc::from(state.hints.prompt.text()), audience }));
}

/// An agent, possibly of this session, was sent something.
pub fn receipts_arrived(state: &mut State, effects: &mut Vec<Effect>) {
    if state.hints.view != HintsView::Enriched(Audience::NewSession) {
        ask(state, effects);
    }
}

pub fn simulated(state: &mut State, enriched: Box<Enriched>, problems: Vec<Diagnostic>) {
    if state.hints.view != HintsView::Enriched(Audience::NewSession) {
        state.hints.sent_before = suppressed(&enriched);
    }
    let view = &mut state.hints.enriched;
    if state.hints.view != HintsView::Matches {
        view.answer = Some(enriched);
        view.problems = problems;
        view.wrapped_for = None;
    }
}

/// Matching sources without a hint: the session has already seen it, or the prompt mentions the source.
fn suppressed(enriched: &Enriched) -> BTreeSet<SourceId> {
    let hints = enriched.items.iter().filter(|item| item.block == BlockKind::Hint);
    let hinted: HashSet<&str> = hints.map(|item| item.about.as_str()).collect();
    let metadata = &enriched.metadata;
    let tagged = metadata.tag_matched_references.iter().map(|(id, _)| id);
    let called_for = tagged.chain(metadata.semantic_matched_references.iter().map(|(id, _)| id));
    called_for.filter(|id| !hinted.contains(id.as_str())).cloned().collect()
}

/// Width and height of the enriched prompt, if it is shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let list = indented(state.parts(Pane::Hints)?.list);
    (!list.is_empty()).then_some((list.width, usize::from(list.height)))
}

pub fn scroll(state: &mut State, motion: Motion) {
    let Some((_, rows)) = room(state) else { return };
    let view = &mut state.hints.enriched;
    view.scroll.step(motion, view.text.len(), rows);
}

/// Runs after every input: wraps the text and clamps the scroll position.
pub fn follow(state: &mut State) {
    if let (true, Some((columns, rows))) = (state.shows_enriched(), room(state)) {
        if state.hints.enriched.wrapped_for != Some(columns) {
            state.hints.enriched.text = enriched::page(state, usize::from(columns));
            state.hints.enriched.wrapped_for = Some(columns);
        }
        let view = &mut state.hints.enriched;
        view.scroll.top = view.scroll.top.min(view.text.len().saturating_sub(rows));
    }
}
