//! What the engine says: new snapshots, answers, notices, refusals. Answers to old questions are dropped; cursors stay on
//! the same source, wherever it is now.

use std::sync::Arc;

use crate::engine::{Command, Event, Snapshot};
use crate::tui::filter::Order;
use crate::tui::input::Effect;
use crate::tui::motion::{Cursor, Scroll};
use crate::tui::pane::Pane;
use crate::tui::panes::preview::top_of_error;
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
    let picked = if selection_changed { newly_picked(state, &snapshot) } else { None };

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
    follow_selection(state, picked.as_deref().or(in_selection.as_deref()));
    if let Some(name) = template {
        let found = state.snapshot.templates.templates.iter().position(|template| template.name == name);
        state.templates.cursor.at = found.unwrap_or(state.templates.cursor.at);
    }
    if (catalog_changed || selection_changed) && !state.hints.prompt.is_empty() {
        super::hinting::refresh(state, effects);
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

pub(super) fn answer(state: &mut State, event: Event) {
    match event {
        Event::Findings { generation, findings } if generation == state.hints.generation => {
            super::hinting::answer(state, findings);
        }
        Event::Preview { generation, template, outcome } if generation == state.templates.generation => {
            if let Err(failed) = &outcome {
                let page = state.parts(Pane::Templates).map_or(1, |parts| usize::from(parts.detail.height));
                state.templates.scroll = Scroll { top: top_of_error(failed, page) };
            }
            let failed_before = state.templates.preview.as_ref().is_some_and(|before| before.outcome.is_err());
            if outcome.is_ok() && failed_before {
                state.templates.scroll = Scroll::default();
            }
            let (outcome, warnings) = match outcome {
                Ok(shown) => (Ok(shown.made.text.lines().map(str::to_owned).collect()), shown.made.warnings),
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
        Event::Written(written) => super::say(state, Tone::Note, format!("written: {}", written.shown)),
        Event::Unwritten(unwritten) => super::say(state, Tone::Refusal, unwritten.refused.message),
        Event::Notice(notice) => super::feed::tell(state, notice),
        Event::Refused { message, hint } => {
            let text = if hint.is_empty() { message } else { format!("{message}: {hint}") };
            super::say(state, Tone::Refusal, text);
        }
    }
}

/// Asks for the preview of the template under the cursor, once for what is typed, when somebody can see it.
pub(super) fn ask_for_preview(state: &mut State, effects: &mut Vec<Effect>) {
    if state.parts(Pane::Templates).is_none() {
        return;
    }
    let Some(template) = state.template() else {
        state.templates.asked = None;
        state.templates.preview = None;
        return;
    };
    let (name, typed) = (template.name.clone(), state.typed().cloned().unwrap_or_default());
    let values = (!typed.is_empty()).then(|| typed.over_sample(&template.variables));
    let index = Arc::clone(&state.snapshot.templates);
    let asked = state.templates.asked.as_ref();
    if asked.is_some_and(|(asked, of, with)| *asked == name && Arc::ptr_eq(of, &index) && *with == typed) {
        return;
    }
    if asked.is_none_or(|(asked, ..)| *asked != name) {
        super::go::reset_scroll(state, Pane::Templates);
        state.templates.variable = Cursor::default();
    }
    state.templates.asked = Some((name.clone(), index, typed));
    state.templates.generation += 1;
    let generation = state.templates.generation;
    effects.push(Effect::Send(Command::Preview { generation, template: name, values, path: None }));
}

/// Asks what would follow from choosing the source under the cursor of the focused pane. Not while a text is typed, when
/// it changes with every key.
pub(super) fn ask_for_outlook(state: &mut State, effects: &mut Vec<Effect>) {
    if state.typing.is_some() {
        return;
    }
    let about = state.subject(state.focus).map(str::to_owned);
    let at = state.snapshot.generation;
    if let (Some(generation), Some(id)) = (state.outlook.ask(about.as_deref().map(|id| (id, at))), about) {
        effects.push(Effect::Send(Command::Outlook { generation, id: id.as_str().into() }));
    }
}
