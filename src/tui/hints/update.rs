//! Asks which sources match whenever the prompt or the selection changes. While the prompt stays the same, a
//! source keeps its row when it is picked or excluded, so that the same key reverts that.

use std::collections::HashSet;
use std::sync::Arc;

use crate::tui::hints::enriched_update;
use crate::tui::hints::rows;
use crate::tui::input::Effect;
use crate::tui::state::{State, Typing};
use crate::tui::widgets::field::{TextChange, TextEdit};
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Request, Snapshot};
use refdesk_enrich::Findings;

pub fn look(state: &mut State, effects: &mut Vec<Effect>) {
    (state.hints.is_answered, state.hints.is_refresh) = (false, false);
    enriched_update::ask(state, effects);
    if state.hints.prompt.text().trim().is_empty() {
        state.hints.findings = Findings::default();
        return;
    }
    effects.push(Effect::Ask(Request::Match(Arc::from(state.hints.prompt.text()))));
}

/// Asks again about the same prompt after a snapshot.
pub fn refresh(state: &mut State, effects: &mut Vec<Effect>) {
    // The visible rows may belong to an earlier prompt whose successor has no answer yet. Rows found before
    // all documents were read are not kept either, because pulled-in sources were unknown.
    let same_prompt = (state.hints.is_answered || state.hints.is_refresh) && !state.hints.is_early;
    look(state, effects);
    state.hints.is_refresh = same_prompt;
}

pub fn answer(state: &mut State, findings: Findings) {
    // The prompt may have been cleared in the meantime.
    if state.hints.prompt.text().trim().is_empty() {
        return;
    }
    let subject = rows::rows(&state.hints.findings).nth(state.hints.cursor.at).map(|row| row.id().clone());
    let before = std::mem::replace(&mut state.hints.findings, findings);
    state.hints.is_answered = true;
    state.hints.is_early = state.snapshot.loading.is_some();
    if !state.hints.is_refresh {
        return;
    }
    keep_rows_of_changed_sources(&mut state.hints.findings, before, &state.snapshot);
    // While the prompt is typed, the cursor stays on the best match, because the user has not moved it yet.
    if state.typing == Some(Typing::Prompt) {
        state.hints.cursor.at = 0;
        return;
    }
    let at = subject.and_then(|id| rows::rows(&state.hints.findings).position(|row| *row.id() == id));
    state.hints.cursor.at = at.unwrap_or(state.hints.cursor.at);
}

/// Keeps the rows of sources that were picked, pulled in or excluded since; hints keep their order.
fn keep_rows_of_changed_sources(findings: &mut Findings, before: Findings, snapshot: &Snapshot) {
    let chosen = |id: &SourceId| {
        let id = id.as_str();
        snapshot.catalog.get(id).is_some() && (snapshot.selection.contains(id) || snapshot.selection.is_excluded(id))
    };
    let hinted: HashSet<SourceId> = findings.hints.iter().map(|hint| hint.id.clone()).collect();
    let by_meaning: HashSet<SourceId> = rows::by_meaning(&before).map(|it| it.id.clone()).collect();
    for it in findings.considered.iter_mut().flatten() {
        if chosen(&it.id) && by_meaning.contains(&it.id) {
            it.why_not = None;
        }
    }
    for (at, hint) in before.hints.into_iter().enumerate() {
        if chosen(&hint.id) && !hinted.contains(&hint.id) {
            findings.hints.insert(at.min(findings.hints.len()), hint);
        }
    }
    if findings.considered.is_none() {
        findings.hints.sort_by_key(|hint| snapshot.catalog.position(hint.id.as_str()));
    }
    let kept: HashSet<&SourceId> = findings.hints.iter().map(|hint| &hint.id).collect();
    findings.passed.retain(|passed| !kept.contains(&passed.id));
    let known: HashSet<SourceId> = rows::rows(findings).map(|row| row.id().clone()).collect();
    for (at, passed) in before.passed.into_iter().enumerate() {
        if chosen(&passed.id) && !known.contains(&passed.id) {
            findings.passed.insert(at.min(findings.passed.len()), passed);
        }
    }
}

/// Adds the current prompt to the history.
pub fn leave(state: &mut State) {
    state.hints.history.remember(state.hints.prompt.text());
}

/// Clears the prompt; Up in the empty field restores it.
pub fn clear(state: &mut State, effects: &mut Vec<Effect>) {
    leave(state);
    put(state, "", effects);
}

/// Up in the first line and Down in the last one recall other prompts. Returns whether there was one.
pub fn recall(state: &mut State, edit: TextEdit, effects: &mut Vec<Effect>) -> bool {
    let prompt = &state.hints.prompt;
    let (before, after) = prompt.text().split_at_checked(prompt.cursor()).unwrap_or_default();
    let recalled = match edit {
        TextEdit::LineUp if !before.contains('\n') => state.hints.history.older(prompt.text()),
        TextEdit::LineDown if !after.contains('\n') => state.hints.history.newer(prompt.text()),
        _ => None,
    };
    let Some(text) = recalled else { return false };
    put(state, &text, effects);
    true
}

fn put(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let change = TextChange { removed: 0..state.hints.prompt.text().len(), inserted: text.len() };
    state.hints.prompt.clear();
    state.hints.prompt.insert(text);
    shift_findings(&mut state.hints.findings, &change);
    look(state, effects);
}

/// Shifts the marked ranges along with the text around them.
pub fn shift_findings(findings: &mut Findings, change: &TextChange) {
    findings.expansions.retain_mut(|expansion| match change.shift(&expansion.range) {
        Some(range) => {
            expansion.range = range;
            true
        }
        None => false,
    });
    let firsts = findings.hints.iter_mut().flat_map(|hint| &mut hint.firsts);
    for first in firsts {
        // A deleted match keeps its position until the answer arrives.
        *first = change.shift(&(*first..*first + 1)).map_or(*first, |range| range.start);
    }
    let ranges = findings.hints.iter_mut().map(|hint| &mut hint.ranges);
    for ranges in ranges.chain(findings.passed.iter_mut().map(|passed| &mut passed.ranges)) {
        *ranges = ranges.iter().filter_map(|range| change.shift(range)).collect();
    }
}
