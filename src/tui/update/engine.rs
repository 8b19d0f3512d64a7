//! What the engine says: snapshots, answers, notices, refusals. Answers to old questions are dropped; cursors stay on the
//! same source, wherever it is now.

use std::sync::Arc;

use crate::tui::catalog::filtering::{self, CatalogChange};
use crate::tui::counts::Counts;
use crate::tui::feed;
use crate::tui::filter::Order;
use crate::tui::hints::{self, enriched_update};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::requests::{self, MarksPreview};
use crate::tui::selection::tree;
use crate::tui::state::State;
use crate::tui::templates::{self, preview_update};
use crate::tui::windows::{profiles, trust, write};
use refdesk_desk::engine::{Event, Snapshot};

pub fn snapshot(state: &mut State, snapshot: Snapshot, effects: &mut Vec<Effect>) {
    let catalog_changed = !Arc::ptr_eq(&state.snapshot.catalog, &snapshot.catalog);
    let selection_changed = !Arc::ptr_eq(&state.snapshot.selection, &snapshot.selection);
    let tokens_changed = !Arc::ptr_eq(&state.snapshot.tokens, &snapshot.tokens);
    let templates_changed = !Arc::ptr_eq(&state.snapshot.templates, &snapshot.templates);
    let in_catalog = state.subject(Pane::Catalog).map(str::to_owned);
    let in_selection = state.selected().map(str::to_owned);
    let template = state.template().map(|template| template.name.clone());
    let picked = if selection_changed { newly_picked(state, &snapshot) } else { None };

    let (waiting, untrusted) = (state.snapshot.requests.clone(), state.snapshot.untrusted.clone());
    state.snapshot = snapshot;
    trust::follow(state, &untrusted);
    requests::update::follow(state, &waiting);
    state.counts = Counts::of(&state.snapshot);
    state.selection.rows = tree::rows(&state.snapshot);
    state.selection.widest = tree::widest(&state.selection.rows, &state.snapshot);
    if catalog_changed {
        filtering::follow(state, CatalogChange::Catalog, in_catalog.as_deref());
    } else if (selection_changed
        && (state.catalog.order == Order::Standing || state.catalog.filtered.query.asks_standing()))
        || (tokens_changed && state.catalog.order == Order::Tokens)
    {
        filtering::follow(state, CatalogChange::Standing, in_catalog.as_deref());
    }
    follow_selection(state, picked.as_deref().or(in_selection.as_deref()));
    if templates_changed || catalog_changed || (selection_changed && state.templates.filtered.query.asks_standing()) {
        templates::filtering::follow(state, template.as_deref());
        write::follow(state, template.as_deref());
    }
    if (catalog_changed || selection_changed) && !state.hints.prompt.is_empty() {
        hints::update::refresh(state, effects);
    } else if catalog_changed || selection_changed || tokens_changed {
        enriched_update::ask(state, effects);
    }
}

/// The first source that was picked while keys go to another pane, so that it is under the cursor when one looks. Nothing is
/// new in the first snapshot.
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

pub fn answer(state: &mut State, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Findings { generation, findings } => hints::update::answer(state, generation, findings),
        Event::Preview { generation, template, outcome } => {
            preview_update::answer(state, generation, template, outcome, effects);
        }
        Event::Outlook { generation, outlook } => state.choice_preview.take(generation, outlook),
        Event::OutlookOf { generation, one, all } => {
            state.requests.preview.take(generation, MarksPreview { one, all });
        }
        Event::Document { generation, document } => {
            state.catalog.document.take(generation, document);
            state.catalog.wrapped_for = None;
        }
        Event::Simulated { generation, enriched, problems } => {
            enriched_update::simulated(state, generation, enriched, problems);
        }
        Event::Profiles(answer) => profiles::answer(state, answer),
        Event::Replayed { generation, line } => state.receipt.take(generation, line),
        Event::Receipts(receipts) => feed::update::receipts(state, receipts, effects),
        // `update` takes the first; the second is for servers.
        Event::Located(_) | Event::Done { .. } => {}
        Event::Written(it) => write::written(state, &it),
        Event::Unwritten(it) => write::refused(state, it),
        Event::Over(over) => requests::update::over(state, &over),
        Event::Notice(notice) => feed::update::add(state, notice),
        Event::Refused { message, hint } => {
            state.refuse(if hint.is_empty() { message } else { format!("{message}: {hint}") });
        }
    }
}
