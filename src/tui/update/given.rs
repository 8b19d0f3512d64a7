//! What agents get, to be read: the prompt with what would be appended to it, asked anew whenever prompt, desk or session
//! is another; and the receipt of what was given.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use crate::catalog::SourceId;
use crate::engine::{Command, Hearer};
use crate::enrich::{BlockKind, Enriched};
use crate::report::Diagnostic;
use crate::session::Line;
use crate::tui::input::Effect;
use crate::tui::layout;
use crate::tui::motion::{Motion, Scroll};
use crate::tui::overlays;
use crate::tui::pane::Pane;
use crate::tui::panes::{hints, indented};
use crate::tui::state::{HintsView, Overlay, PanePart, ReceiptWindow, State};

/// To the next side of the prompt.
pub(super) fn turn(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.shows = state.hints.shows.next();
    state.hints.given.scroll = Scroll::default();
    state.hints.given.enriched = None;
    ask(state, effects);
}

/// Back to what is found.
pub(super) fn leave(state: &mut State, effects: &mut Vec<Effect>) {
    state.hints.shows = HintsView::Matches;
    state.hints.given.enriched = None;
    ask(state, effects);
}

/// Whether what can be left next is the prompt as it is given.
pub(super) fn is_next_to_leave(state: &State) -> bool {
    state.overlay.is_none() && state.focus == Pane::Hints && state.part == PanePart::List && state.shows_given()
}

/// Asks about the prompt as it is now: what of it this session was told, or all of it where that is shown. To an empty prompt
/// something may be appended too.
pub(super) fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let hearer = match state.hints.shows {
        HintsView::Enriched(hearer) => hearer,
        HintsView::Matches => Hearer::Session,
    };
    if state.hints.shows == HintsView::Matches && state.hints.prompt.text().trim().is_empty() {
        state.hints.told.clear();
        return;
    }
    state.hints.given.generation += 1;
    effects.push(Effect::Send(Command::Simulate {
        generation: state.hints.given.generation,
        prompt: Arc::from(state.hints.prompt.text()),
        hearer,
    }));
}

/// Somebody was told something: it may have been this session.
pub(super) fn told(state: &mut State, effects: &mut Vec<Effect>) {
    if state.hints.shows != HintsView::Enriched(Hearer::Stranger) {
        ask(state, effects);
    }
}

/// Takes the answer to the newest question.
pub(super) fn simulated(state: &mut State, generation: u64, enriched: Box<Enriched>, problems: Vec<Diagnostic>) {
    if generation != state.hints.given.generation {
        return;
    }
    if state.hints.shows != HintsView::Enriched(Hearer::Stranger) {
        state.hints.told = not_again(&enriched);
    }
    let given = &mut state.hints.given;
    if state.hints.shows != HintsView::Matches {
        given.enriched = Some(enriched);
        given.problems = problems;
        given.paged = None;
    }
}

/// Whom the text calls for, and it is not hinted at them: the session knows, or the text says it.
fn not_again(enriched: &Enriched) -> BTreeSet<SourceId> {
    let hints = enriched.items.iter().filter(|item| item.block == BlockKind::Hint);
    let said: HashSet<&str> = hints.map(|item| item.about.as_str()).collect();
    let called_for = enriched.metadata.tag_matched_references.iter().map(|(id, _)| id);
    called_for.filter(|id| !said.contains(id.as_str())).cloned().collect()
}

/// Opens the receipt with this number.
pub(super) fn open(state: &mut State, number: u64, effects: &mut Vec<Effect>) {
    let generation = state.opened.generation + 1;
    state.opened = ReceiptWindow { generation, ..ReceiptWindow::default() };
    state.overlay = Some(Overlay::Receipt(Scroll::default()));
    effects.push(Effect::Send(Command::Replay { generation, number }));
}

/// Takes the answer about the receipt that was opened last.
pub(super) fn replayed(state: &mut State, generation: u64, line: Result<Box<Line>, String>) {
    if generation == state.opened.generation {
        state.opened.line = Some(line);
        state.opened.paged = None;
    }
}

/// Columns and rows of the prompt as it is given, where they are shown.
fn room(state: &State) -> Option<(u16, usize)> {
    let list = indented(state.parts(Pane::Hints)?.list);
    (!list.is_empty()).then_some((list.width, usize::from(list.height)))
}

pub(super) fn scroll(state: &mut State, motion: Motion) {
    let Some((_, rows)) = room(state) else { return };
    let given = &mut state.hints.given;
    given.scroll.step(motion, given.page.len(), rows);
}

/// After every input: wraps what is shown once, and keeps within it.
pub(super) fn follow(state: &mut State) {
    if let (true, Some((columns, rows))) = (state.shows_given(), room(state)) {
        if state.hints.given.paged != Some(columns) {
            state.hints.given.page = hints::given_page(state, usize::from(columns));
            state.hints.given.paged = Some(columns);
        }
        let given = &mut state.hints.given;
        given.scroll.top = given.scroll.top.min(given.page.len().saturating_sub(rows));
    }
    let Some(Overlay::Receipt(mut scroll)) = state.overlay else { return };
    let columns = indented(layout::inner(overlays::receipt::outer(state))).width;
    if state.opened.paged != Some(columns) {
        state.opened.page = overlays::receipt::page(state, usize::from(columns));
        state.opened.paged = Some(columns);
    }
    scroll.top = scroll.top.min(state.opened.page.len().saturating_sub(super::go::overlay_page(state)));
    state.overlay = Some(Overlay::Receipt(scroll));
}
