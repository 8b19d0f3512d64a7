//! Handles messages of the engine: snapshots, answers and events. Cursors stay on their source when it moves.

use std::sync::Arc;

use crate::common::change_cost::{self, TokenFormat};
use crate::common::notices::for_people;
use crate::common::selection_tree;
use crate::common::source_words::{self, UntrustedCounts};
use crate::tui::action::Action;
use crate::tui::agents;
use crate::tui::catalog::LeftSource;
use crate::tui::catalog::filtered_rows::{self, SnapshotChange};
use crate::tui::catalog::match_navigation;
use crate::tui::catalog::reading;
use crate::tui::consequence;
use crate::tui::counts::Counts;
use crate::tui::databases;
use crate::tui::feed;
use crate::tui::filter::Order;
use crate::tui::fix;
use crate::tui::graph;
use crate::tui::hints::{self, enriched_update};
use crate::tui::input::Effect;
use crate::tui::own_files;
use crate::tui::pane::Pane;
use crate::tui::requests::{self, MarksPreview};
use crate::tui::selection::{self, RowWidths};
use crate::tui::session;
use crate::tui::source_state;
use crate::tui::state::{Message, MessageKind, PanePart, State, Typing};
use crate::tui::templates::{self, preview_update};
use crate::tui::update::{RELOADING, external};
use crate::tui::views::View;
use crate::tui::widgets::cells;
use crate::tui::windows::{WindowKind, add_source, all_shown, discovery, large_pick, trust, welcome, write};
use refdesk_core::catalog::SourceId;
use refdesk_desk::Picked;
use refdesk_desk::engine::{Event, Response, Snapshot};
use refdesk_text::Error;

pub fn snapshot(state: &mut State, snapshot: Snapshot, effects: &mut Vec<Effect>) {
    if let Some(files) = &snapshot.screen_files {
        own_files::follow(state, files);
    }
    let catalog_changed = !Arc::ptr_eq(&state.snapshot.catalog, &snapshot.catalog);
    let selection_changed = !Arc::ptr_eq(&state.snapshot.selection, &snapshot.selection);
    let tokens_changed = !Arc::ptr_eq(&state.snapshot.tokens, &snapshot.tokens);
    let is_index_ready = state.snapshot.is_indexing && !snapshot.is_indexing;
    let is_all_read = state.snapshot.loading.is_some() && snapshot.loading.is_none();
    let templates_changed = !Arc::ptr_eq(&state.snapshot.templates, &snapshot.templates);
    let in_catalog = state.subject(Pane::Catalog).map(str::to_owned);
    let in_selection = state.selected().map(str::to_owned);
    let template = state.template().map(|template| template.name.clone());
    let picked = if selection_changed { newly_picked(state, &snapshot) } else { None };

    let (waiting, untrusted) = (state.snapshot.requests.clone(), state.snapshot.untrusted.clone());
    let is_read_anew = state.snapshot.reads != snapshot.reads;
    let before = std::mem::replace(&mut state.snapshot, snapshot);
    let is_reloading = state.message.as_ref().is_some_and(|message| message.text == RELOADING);
    if is_reloading && (is_read_anew || is_all_read) && state.snapshot.loading.is_none() {
        state.note("everything was read again");
    }
    databases::update::snapshot_changed(state, is_read_anew);
    trust::follow(state, &untrusted);
    requests::update::follow(state, &waiting);
    state.counts = Counts::of(&state.snapshot);
    if state.counts.errors == 0 {
        state.messages.fixed();
    }
    welcome::follow(state);
    state.selection.all = selection_tree::rows(&state.snapshot, state.selection.order);
    state.selection.widths = RowWidths::of(&state.selection.all, &state.snapshot);
    if catalog_changed {
        filtered_rows::follow(state, SnapshotChange::Catalog, in_catalog.as_deref());
    } else if (selection_changed
        && (state.catalog.order == Order::State || state.catalog.filtered.query.depends_on_selection()))
        || (tokens_changed && state.catalog.order == Order::Tokens)
    {
        filtered_rows::follow(state, SnapshotChange::State, in_catalog.as_deref());
    }
    add_source::follow(state);
    selection::filtered_rows::refilter(state, None);
    graph::update::snapshot_changed(state);
    agents::update::snapshot_changed(state, is_read_anew);
    follow_selection(state, in_selection.as_deref());
    if let Some(row) = picked.and_then(|id| selection::update::row_of(state, &id)) {
        state.selection.cursor.at = row;
    }
    if templates_changed
        || catalog_changed
        || (selection_changed && state.templates.filtered.query.depends_on_selection())
    {
        templates::filtered_templates::follow(state, template.as_deref());
        write::follow(state, template.as_deref());
    }
    leave_replaced(state, in_catalog.as_deref(), template.as_deref());
    session::follow(state);
    if catalog_changed || selection_changed || tokens_changed {
        large_pick::recount(state, effects);
        all_shown::recount(state, effects);
    }
    if (catalog_changed || selection_changed || is_index_ready || is_all_read) && !state.hints.prompt.is_empty() {
        hints::update::refresh(state, effects);
    } else if catalog_changed || selection_changed || tokens_changed {
        enriched_update::ask(state, effects);
    }
    consequence::follow(state, &before);
}

/// Returns to the list if the document being read, or the form being filled in, is no longer that of the row under the
/// cursor: the next key must not change a source or a template that the user has not chosen.
fn leave_replaced(state: &mut State, source: Option<&str>, template: Option<&str>) {
    let (is_replaced, field, name) = match state.focus {
        Pane::Catalog => {
            let is_replaced = state.reads() && state.subject(Pane::Catalog) != source;
            (is_replaced, Typing::Search, source.map(|id| format!("@{id}")))
        }
        Pane::Templates => {
            let is_replaced = state.template().map(|template| template.name.as_str()) != template;
            (is_replaced, Typing::Value, template.map(str::to_owned))
        }
        Pane::Selection | Pane::Hints => return,
    };
    if !is_replaced {
        return;
    }
    if let Some(name) = name.filter(|_| state.typing == Some(field)) {
        state.lose_field(format!("{name} was removed from the list"));
    }
    match_navigation::end(state);
    state.part = PanePart::List;
}

/// The first newly picked source, if another pane is focused, so that the cursor is on it when the user looks
/// there. In the first snapshot no source is new.
fn newly_picked(state: &State, snapshot: &Snapshot) -> Option<String> {
    if state.focus == Pane::Selection || !state.is_open() {
        return None;
    }
    let is_new = |id: &&str| snapshot.selection.is_picked(id) && !state.snapshot.selection.is_picked(id);
    let mut ids = snapshot.selection.members().iter().map(|member| member.id.as_str());
    ids.find(is_new).map(str::to_owned)
}

fn follow_selection(state: &mut State, stay: Option<&str>) {
    let (left, mut cursor) = (state.selection.left.take(), state.selection.cursor);
    let row_of = |id: &str| selection::update::row_of(state, id);
    let at = |row: usize| state.selection.rows.get(row)?.id(&state.snapshot).map(str::to_owned);
    let left = LeftSource::follow(left, stay, &mut cursor, row_of, at);
    (state.selection.left, state.selection.cursor) = (left, cursor);
}

pub fn event(state: &mut State, event: Event, effects: &mut Vec<Effect>) {
    match event {
        Event::Receipts(receipts) => feed::update::receipts(state, receipts, effects),
        Event::Closed(over) => requests::update::over(state, &over),
        Event::Notice(notice) => feed::update::add(state, for_people(notice)),
        Event::Agents => agents::update::look_again(state),
        Event::DatabaseRun(progress) => databases::run::update_progress(state, progress),
        Event::Refused(refusal) => refused(state, &refusal),
    }
}

/// Handles the answer to a change, or to the latest question of its kind.
pub fn answer(state: &mut State, response: Response, effects: &mut Vec<Effect>) {
    match response {
        Response::Findings(findings) => {
            hints::update::answer(state, findings);
            session::follow(state);
        }
        Response::Preview { template, outcome } => preview_update::answer(state, template, outcome, effects),
        Response::LargePick(pick) => large_pick::open(state, *pick),
        Response::PickSizes(pick) => large_pick::recounted(state, pick),
        Response::BulkPreview(preview) => all_shown::open(state, *preview),
        Response::Price(price) => state.budget.price.take(price),
        Response::SelectionPreview(preview) => state.choice_preview.take(preview),
        Response::PicksPreview { one, all } => state.requests.preview.take(MarksPreview { one, all }),
        Response::Agents(activity) => agents::update::answered(state, activity),
        Response::GraphAnalysis(analysis) => graph::update::analysed(state, analysis),
        Response::Document(document) => reading::answered(state, document),
        Response::Simulation { enriched, problems } => enriched_update::simulated(state, enriched, problems),
        Response::Found(found) if state.view == View::Databases && state.open_window() != Some(WindowKind::Jump) => {
            // Without an index, only names are searched.
            found.iter().for_each(|answer| databases::update::found(state, answer));
        }
        Response::Found(found) => state.jump.take(found),
        Response::Discovered(found) => discovery::discovered(state, found),
        Response::CanAdd(can_add) => add_source::answered(state, can_add, effects),
        Response::SourceAdded(added) => add_source::added(state, added),
        Response::CatalogProposed(proposed) => discovery::proposed(state, proposed),
        Response::CatalogWritten(written) => discovery::written(state, written),
        Response::Profiles { profiles, problems } => {
            state.profiles.listed = Some(profiles);
            state.profiles.problems = problems;
        }
        Response::ProfileCompared(switch) => {
            state.profiles.switch = Some(switch);
            state.profiles.is_current = true;
        }
        Response::JournalLine(line) => state.receipt.take(line),
        Response::Located(spot) => external::located(state, spot, effects),
        Response::Written(Ok(it)) => write::written(state, &it),
        Response::Written(Err(it)) => write::refused(state, it),
        Response::Done(refusals) => refusals.into_iter().for_each(|refusal| refused(state, &refusal)),
        Response::Picked(Ok(picked)) => {
            let (picked, _) = *picked;
            if picked.picked.is_empty() && !picked.missing.is_empty() {
                state.refuse(format!("{}: correct its path first", picked.summary()));
            } else if !picked.picked.is_empty() {
                state.message = Some(Message { text: followed(state, &picked), tone: MessageKind::Done });
            }
        }
        Response::Picked(Err(refusal)) => refused(state, &refusal),
        Response::Databases(overview) => databases::update::answered(state, overview),
        Response::DatabasePage(page) => databases::update::page_answered(state, *page),
        Response::DatabasesPrepared(prepared) => databases::run::prepared(state, prepared),
        Response::DatabasesWritten(outcome) => {
            databases::run::written(state, outcome);
            databases::update::look_again(state);
        }
        // Only agents send these requests.
        Response::Prepared(_)
        | Response::Settled(_)
        | Response::Access(..)
        | Response::Verdict(_)
        | Response::Offer(_)
        | Response::AboutDatabases(_) => {}
    }
}

/// The effect of a pick and how to undo it: `Picked @a; 3 more sources pulled in, ~3,928 tokens more: u undoes it`.
fn followed(state: &State, picked: &Picked) -> String {
    // An agent gets auto sources anyway, so a pick neither adds nor pays for them.
    let is_auto = |id: &str| source_state::is_auto(&state.snapshot, id);
    let pulled_in = picked.pulled_in.iter().filter(|id| !is_auto(id.as_str()));
    let count = pulled_in.clone().count();
    let is_new = picked.picked.iter().any(|id| !is_auto(id.as_str()) && !picked.kept.contains(id));
    let followed = cells::counted(count, "more source");
    let (tokens, undo) = (change_cost::added(picked.cost, TokenFormat::Tokens), state.key(Action::Undo));
    let more = change_cost::more(picked.cost, TokenFormat::Tokens);
    let with = change_cost::with_instructions(picked.cost, TokenFormat::Tokens);
    let ids = match picked.picked.as_slice() {
        several @ [_, _, _, _, ..] => cells::counted(several.len(), "source"),
        few => source_state::ids(&few.iter().map(SourceId::as_str).collect::<Vec<_>>()),
    };
    // As the question before the pick counts them.
    let new = picked.picked.iter().filter(|id| !picked.kept.contains(id));
    let waiting = UntrustedCounts::of(&state.snapshot, new.chain(pulled_in), |id| picked.picked.contains(id));
    let waiting = match picked.picked.as_slice() {
        [id] if count == 0 => source_words::untrusted_note(&state.snapshot, id.as_str()).to_owned(),
        _ => waiting.after(count),
    };
    let besides = |what: &str, ids: &[SourceId]| match ids {
        [] => String::new(),
        [_, _, _, ..] => format!("; {what} {}", cells::counted(ids.len(), "source")),
        few => format!("; {what} {}", source_state::ids(&few.iter().map(SourceId::as_str).collect::<Vec<_>>())),
    };
    let excluded = besides("excluded", &picked.excluded) + &besides("agents may now fetch", &picked.trusted);
    match count {
        0 if !is_new && picked.kept.is_empty() => {
            format!("Picked {ids}, already in the instructions{excluded}: {undo} undoes it")
        }
        0 if !is_new => format!("Picked {ids}, already selected, {tokens}{with}{excluded}: {undo} undoes it"),
        0 => format!("Picked {ids}, {tokens}{with}{waiting}{excluded}: {undo} undoes it"),
        _ => {
            format!("Picked {ids}; {followed} pulled in, {more}{with}{waiting}{excluded}: {undo} undoes it")
        }
    }
}

fn refused(state: &mut State, error: &Error) {
    state.awaited_change = None;
    databases::run::refused(state, error);
    state.fail(fix::sentence(state, error));
}
