//! What the engine says: new snapshots, answers, notices, refusals. Answers to old questions are dropped; cursors stay on
//! the same source, wherever it is now.

use std::sync::Arc;

use crate::engine::{Command, Event, Snapshot};
use crate::tui::filter::Order;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{MarksPreview, State, Tone};
use crate::tui::totals::Counts;
use crate::tui::tree;

use super::filtering::{self, CatalogChange};
use super::{answering, previewing, templating, trusting, writing};

pub(super) fn snapshot(state: &mut State, snapshot: Snapshot, effects: &mut Vec<Effect>) {
    let catalog_changed = !Arc::ptr_eq(&state.snapshot.catalog, &snapshot.catalog);
    let selection_changed = !Arc::ptr_eq(&state.snapshot.selection, &snapshot.selection);
    let tokens_changed = !Arc::ptr_eq(&state.snapshot.tokens, &snapshot.tokens);
    let in_catalog = state.subject(Pane::Catalog).map(str::to_owned);
    let in_selection = state.selected().map(str::to_owned);
    let template = state.template().map(|template| template.name.clone());
    let templates_changed = !Arc::ptr_eq(&state.snapshot.templates, &snapshot.templates);
    let picked = if selection_changed { newly_picked(state, &snapshot) } else { None };

    let (waiting, untrusted) = (state.snapshot.requests.clone(), state.snapshot.untrusted.clone());
    state.snapshot = snapshot;
    trusting::follow(state, &untrusted);
    answering::follow(state, &waiting);
    state.totals = Counts::of(&state.snapshot);
    state.selection.rows = tree::rows(&state.snapshot);
    state.selection.widest = tree::widest(&state.selection.rows, &state.snapshot);
    if catalog_changed {
        filtering::follow(state, CatalogChange::Catalog, in_catalog.as_deref());
    } else if (selection_changed
        && (state.catalog.order == Order::Standing || state.catalog.kept.query.asks_standing()))
        || (tokens_changed && state.catalog.order == Order::Tokens)
    {
        filtering::follow(state, CatalogChange::Standing, in_catalog.as_deref());
    }
    follow_selection(state, picked.as_deref().or(in_selection.as_deref()));
    if templates_changed || catalog_changed || (selection_changed && state.templates.kept.query.asks_standing()) {
        templating::follow(state, template.as_deref());
        writing::follow(state, template.as_deref());
    }
    if (catalog_changed || selection_changed) && !state.hints.prompt.is_empty() {
        super::hinting::refresh(state, effects);
    } else if catalog_changed || selection_changed || tokens_changed {
        super::given::ask(state, effects);
    }
}

/// What was picked while keys go elsewhere, the first of several: whoever looks over finds it under the cursor. On the first
/// look at a desk nothing is new.
fn newly_picked(state: &State, snapshot: &Snapshot) -> Option<String> {
    if state.focus == Pane::Selection || !state.is_open() {
        return None;
    }
    let is_new = |id: &&str| snapshot.selection.is_picked(id) && !state.snapshot.selection.is_picked(id);
    let mut ids = snapshot.selection.members().iter().map(|member| member.id.as_str());
    ids.find(is_new).map(str::to_owned)
}

fn follow_selection(state: &mut State, id: Option<&str>) {
    let Some(id) = id else { return };
    let found = state.selection.rows.iter().position(|row| row.id(&state.snapshot) == Some(id));
    state.selection.cursor.at = found.unwrap_or(state.selection.cursor.at);
}

pub(super) fn answer(state: &mut State, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Findings { generation, findings } if generation == state.hints.generation => {
            super::hinting::answer(state, findings);
        }
        Event::Preview { generation, template, outcome } => {
            previewing::answer(state, generation, template, outcome, effects);
        }
        Event::Findings { .. } => {}
        Event::Outlook { generation, outlook } => state.outlook.take(generation, outlook),
        Event::OutlookOf { generation, one, all } => answering::brings(state, generation, MarksPreview { one, all }),
        Event::Document { generation, document } => {
            state.catalog.document.take(generation, document);
            state.catalog.paged = None;
        }
        Event::Simulated { generation, enriched, problems } => {
            super::given::simulated(state, generation, enriched, problems);
        }
        Event::Profiles(answer) => super::profiles::answer(state, answer),
        Event::Replayed { generation, line } => super::given::replayed(state, generation, line),
        Event::Receipts(receipts) => super::feed::receipts(state, receipts, effects),
        // The second is a server's.
        Event::Located(_) | Event::Done { .. } => {}
        event @ (Event::Written(_) | Event::Unwritten(_)) => writing::answer(state, event),
        Event::Over(over) => answering::over(state, &over),
        Event::Notice(notice) => super::feed::tell(state, notice),
        Event::Refused { message, hint } => {
            let text = if hint.is_empty() { message } else { format!("{message}: {hint}") };
            super::say(state, Tone::Refusal, text);
        }
    }
}

/// Asks what would follow from choosing the source under the cursor of the focused pane. Not while a text is typed, when
/// it changes with every key.
pub(super) fn ask_for_outlook(state: &mut State, effects: &mut Vec<Effect>) {
    if state.typing.is_some() || state.at_request() {
        return;
    }
    let about = state.subject(state.focus).map(str::to_owned);
    let at = state.snapshot.generation;
    if let (Some(generation), Some(id)) = (state.outlook.ask(about.as_deref().map(|id| (id, at))), about) {
        effects.push(Effect::Send(Command::Outlook { generation, id: id.as_str().into() }));
    }
}
