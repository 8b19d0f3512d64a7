//! What the prompt would be hinted at: asked again whenever the prompt or the desk changes. While the prompt stays as it is,
//! what was picked or excluded stays in its row, so that the key that did it can take it back.

use std::collections::HashSet;
use std::sync::Arc;

use crate::catalog::SourceId;
use crate::engine::{Command, Snapshot};
use crate::enrich::{Findings, Hint};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::State;

/// Asks about a new prompt.
pub(super) fn look(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.generation += 1;
    if state.hints.prompt.text().trim().is_empty() {
        state.hints.findings = Findings::default();
        return;
    }
    effects.push(Effect::Send(Command::Look {
        generation: state.hints.generation,
        prompt: Arc::from(state.hints.prompt.text()),
    }));
}

/// Asks again about the same prompt, since the desk is another.
pub(super) fn refresh(state: &mut State, effects: &mut Vec<Effect>) {
    let hints = &state.hints;
    // An answer that is still awaited is about another prompt than the rows that are shown.
    let same_prompt = [hints.answered, hints.refreshed].contains(&hints.generation);
    look(state, effects);
    if same_prompt {
        state.hints.refreshed = state.hints.generation;
    }
}

/// Takes the answer to the newest question.
pub(super) fn answer(state: &mut State, findings: Findings) {
    let subject = state.subject(Pane::Hints).map(str::to_owned);
    let before = std::mem::replace(&mut state.hints.findings, findings);
    state.hints.answered = state.hints.generation;
    if state.hints.refreshed != state.hints.generation {
        return;
    }
    keep_chosen(&mut state.hints.findings.hints, before.hints, &state.snapshot);
    let Findings { expansions, hints, .. } = &state.hints.findings;
    let mut rows = expansions.iter().map(|it| &it.id).chain(hints.iter().map(|it| &it.id));
    if let Some(at) = subject.and_then(|id| rows.position(|row| row.as_str() == id)) {
        state.hints.cursor.at = at;
    }
}

/// Puts those back that are hinted at no longer because they were picked, pulled in or excluded; in catalog order, as all.
fn keep_chosen(hints: &mut Vec<Hint>, before: Vec<Hint>, snapshot: &Snapshot) {
    let chosen = |id: &str| snapshot.selection.contains(id) || snapshot.selection.is_excluded(id);
    let hinted: HashSet<SourceId> = hints.iter().map(|hint| hint.id.clone()).collect();
    hints.extend(before.into_iter().filter(|hint| {
        let id = hint.id.as_str();
        snapshot.catalog.get(id).is_some() && chosen(id) && !hinted.contains(id)
    }));
    hints.sort_by_key(|hint| snapshot.catalog.position(hint.id.as_str()));
}
