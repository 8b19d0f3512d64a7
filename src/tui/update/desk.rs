//! What the engine says: new snapshots, answers, notices, refusals. Answers to old questions are dropped; cursors stay on
//! the same source, wherever it is now.

use std::sync::Arc;

use crate::engine::{Command, Event, Snapshot};
use crate::tui::filter::Order;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{Preview, State, Tone};
use crate::tui::totals::Totals;
use crate::tui::tree;

use super::filtering::{self, Changed};

pub(super) fn snapshot(state: &mut State, snapshot: Snapshot, effects: &mut Vec<Effect>) {
    let catalog_changed = !Arc::ptr_eq(&state.snapshot.catalog, &snapshot.catalog);
    let selection_changed = !Arc::ptr_eq(&state.snapshot.selection, &snapshot.selection);
    let tokens_changed = !Arc::ptr_eq(&state.snapshot.tokens, &snapshot.tokens);
    let in_catalog = state.subject(Pane::Catalog).map(str::to_owned);
    let in_selection = state.subject(Pane::Selection).map(str::to_owned);
    let template = state.template().map(|template| template.name.clone());

    state.snapshot = snapshot;
    state.totals = Totals::of(&state.snapshot);
    state.selection.rows = tree::rows(&state.snapshot);
    state.selection.widest = tree::widest(&state.selection.rows, &state.snapshot);
    if catalog_changed {
        filtering::follow(state, Changed::Catalog, in_catalog.as_deref());
    } else if (selection_changed
        && (state.catalog.order == Order::Standing || state.catalog.kept.query.asks_standing()))
        || (tokens_changed && state.catalog.order == Order::Tokens)
    {
        filtering::follow(state, Changed::Standing, in_catalog.as_deref());
    }
    follow_selection(state, in_selection.as_deref());
    if let Some(name) = template {
        let found = state.snapshot.templates.templates.iter().position(|template| template.name == name);
        state.templates.cursor.at = found.unwrap_or(state.templates.cursor.at);
    }
    if (catalog_changed || selection_changed) && !state.hints.prompt.is_empty() {
        super::hinting::refresh(state, effects);
    }
}

fn follow_selection(state: &mut State, id: Option<&str>) {
    let Some(id) = id else { return };
    let found = state.selection.rows.iter().position(|row| row.id(&state.snapshot) == Some(id));
    state.selection.cursor.at = found.unwrap_or(state.selection.cursor.at);
}

pub(super) fn answer(state: &mut State, event: Event) {
    match event {
        Event::Findings { generation, findings } if generation == state.hints.generation => {
            super::hinting::answer(state, findings);
        }
        Event::Preview { generation, template, outcome } if generation == state.templates.generation => {
            let (outcome, warnings) = match outcome {
                Ok(rendered) => (Ok(rendered.text.lines().map(str::to_owned).collect()), rendered.warnings),
                Err(error) => (Err(error), Vec::new()),
            };
            state.templates.preview = Some(Preview { template, outcome, warnings });
        }
        Event::Findings { .. } | Event::Preview { .. } => {}
        Event::Outlook { generation, outlook } => state.outlook.take(generation, outlook),
        Event::Document { generation, document } => {
            state.catalog.document.take(generation, document);
            state.catalog.paged = None;
        }
        Event::Located(_) => {}
        Event::Notice(notice) => {
            super::say(state, Tone::Note, notice.text.clone());
            state.feed.add(notice);
        }
        Event::Refused { message, hint } => {
            let text = if hint.is_empty() { message } else { format!("{message}: {hint}") };
            super::say(state, Tone::Refusal, text);
        }
    }
}

/// Asks for the preview of the template under the cursor, once, when somebody can see it.
pub(super) fn ask_for_preview(state: &mut State, effects: &mut Vec<Effect>) {
    if state.parts(Pane::Templates).is_none() {
        return;
    }
    let Some(name) = state.template().map(|template| template.name.clone()) else {
        state.templates.asked = None;
        state.templates.preview = None;
        return;
    };
    let index = &state.snapshot.templates;
    let asked = state.templates.asked.as_ref();
    if asked.is_some_and(|(asked, of)| *asked == name && Arc::ptr_eq(of, index)) {
        return;
    }
    if asked.is_none_or(|(asked, _)| *asked != name) {
        super::go::reset_scroll(state, Pane::Templates);
    }
    state.templates.asked = Some((name.clone(), Arc::clone(&state.snapshot.templates)));
    state.templates.generation += 1;
    let generation = state.templates.generation;
    effects.push(Effect::Send(Command::Preview { generation, template: name, values: None }));
}
