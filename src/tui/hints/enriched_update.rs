//! What agents get, to be read: the prompt with what would be appended to it, asked anew whenever prompt, desk or session
//! is another; and the receipt of what was given.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::catalog::SourceId;
use crate::engine::{Command, Hearer};
use crate::enrich::{BlockKind, Enriched};
use crate::report::Diagnostic;
use crate::tui::hints::enriched;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::pane_view::indented;
use crate::tui::state::{HintsView, State};
use crate::tui::widgets::motion::{Motion, Scroll};

/// To the next side of the prompt.
pub fn turn(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.view = state.hints.view.next();
    state.hints.enriched.scroll = Scroll::default();
    state.hints.enriched.answer = None;
    ask(state, effects);
}

/// Back to what is found.
pub fn leave(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.view = HintsView::Matches;
    state.hints.enriched.answer = None;
    ask(state, effects);
}

/// Asks about the prompt as it is now: what of it this session was told, or all of it where that is shown. To an empty prompt
/// something may be appended too.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let hearer = match state.hints.view {
        HintsView::Enriched(hearer) => hearer,
        HintsView::Matches => Hearer::Session,
    };
    if state.hints.view == HintsView::Matches && state.hints.prompt.text().trim().is_empty() {
        state.hints.sent_before.clear();
        return;
    }
    state.hints.enriched.generation += 1;
    effects.push(Effect::Send(Command::Simulate {
        generation: state.hints.enriched.generation,
        prompt: Arc::from(state.hints.prompt.text()),
        hearer,
    }));
}

/// Somebody was told something: it may have been this session.
pub fn told(state: &mut State, effects: &mut Vec<Effect>) {
    if state.hints.view != HintsView::Enriched(Hearer::Stranger) {
        ask(state, effects);
    }
}

/// Takes the answer to the newest question.
pub fn simulated(state: &mut State, generation: u64, enriched: Box<Enriched>, problems: Vec<Diagnostic>) {
    if generation != state.hints.enriched.generation {
        return;
    }
    if state.hints.view != HintsView::Enriched(Hearer::Stranger) {
        state.hints.sent_before = not_again(&enriched);
    }
    let view = &mut state.hints.enriched;
    if state.hints.view != HintsView::Matches {
        view.answer = Some(enriched);
        view.problems = problems;
        view.wrapped_for = None;
    }
}

/// Whom the text calls for, and it is not hinted at them: the session knows, or the text says it.
fn not_again(enriched: &Enriched) -> BTreeSet<SourceId> {
    let hints = enriched.items.iter().filter(|item| item.block == BlockKind::Hint);
    let said: HashSet<&str> = hints.map(|item| item.about.as_str()).collect();
    let called_for = enriched.metadata.tag_matched_references.iter().map(|(id, _)| id);
    called_for.filter(|id| !said.contains(id.as_str())).cloned().collect()
}

/// Columns and rows of the prompt as it is given, where they are shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let list = indented(state.parts(Pane::Hints)?.list);
    (!list.is_empty()).then_some((list.width, usize::from(list.height)))
}

pub fn scroll(state: &mut State, motion: Motion) {
    let Some((_, rows)) = room(state) else { return };
    let view = &mut state.hints.enriched;
    view.scroll.step(motion, view.text.len(), rows);
}

/// After every input: wraps what is shown once, and keeps within it.
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
