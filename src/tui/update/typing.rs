//! Typing: the filter line narrows the catalog, the prompt asks what it would be hinted at. Marks in the prompt move with
//! the text until the new answer comes, so that they do not flicker.

use crate::tui::action::Action;
use crate::tui::field::{Change, Edit, TextField};
use crate::tui::filter::Haystack;
use crate::tui::input::Effect;
use crate::tui::motion::{Cursor, Scroll};
use crate::tui::pane::Pane;
use crate::tui::state::{State, Tone, Typing};

pub(super) fn open(state: &mut State, action: Action) {
    match action {
        Action::Filter => {
            state.focus_on(Pane::Catalog);
            state.typing = Some(Typing::Filter);
        }
        Action::Prompt => {
            state.focus_on(Pane::Hints);
            state.typing = Some(Typing::Prompt);
        }
        Action::Cancel if state.typing == Some(Typing::FeedFilter) => {
            state.typing = None;
            state.feed.filter.clear();
            state.feed.refilter();
        }
        Action::Cancel => {
            state.typing = None;
            state.catalog.filter.clear();
            refilter(state);
        }
        _ => {
            if state.typing.take() == Some(Typing::Prompt) {
                super::hinting::leave(state);
            }
        }
    }
}

fn field(state: &mut State, typing: Typing) -> &mut TextField {
    match typing {
        Typing::Filter => &mut state.catalog.filter,
        Typing::Prompt => &mut state.hints.prompt,
        Typing::FeedFilter => &mut state.feed.filter,
        Typing::Value => &mut state.templates.value,
        Typing::Search => &mut state.palette,
    }
}

pub(super) fn insert(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    let grows = field(state, typing).cursor() == field(state, typing).text().len();
    let change = field(state, typing).insert(text);
    changed(state, typing, change, if grows { Rows::Fewer } else { Rows::Other }, effects);
}

pub(super) fn edit(state: &mut State, edit: Edit, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    if typing == Typing::Prompt && super::hinting::recall(state, edit, effects) {
        return;
    }
    let change = field(state, typing).edit(edit);
    changed(state, typing, change, Rows::Other, effects);
}

/// A paste goes to the open field; in the hints pane it opens the prompt. It is never read as keys.
pub(super) fn paste(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    state.message = None;
    if state.typing.is_none() && state.focus == Pane::Hints && state.overlay.is_none() {
        open(state, Action::Prompt);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match state.typing {
        Some(Typing::Filter | Typing::FeedFilter | Typing::Search | Typing::Value) => {
            insert(state, lines.replace('\n', " ").trim(), effects);
        }
        Some(Typing::Prompt) => insert(state, &lines, effects),
        None => {
            let hint = "paste goes into a text: press / to filter, 3 for a prompt";
            super::say(state, Tone::Refusal, hint.to_owned());
        }
    }
}

fn changed(state: &mut State, typing: Typing, change: Option<Change>, rows: Rows, effects: &mut Vec<Effect>) {
    let Some(change) = change else { return };
    match typing {
        Typing::Filter => filter(state, rows),
        Typing::Prompt => {
            super::hinting::carry(&mut state.hints.findings, &change);
            super::hinting::look(state, effects);
        }
        Typing::Value => super::valuing::typed(state),
        Typing::FeedFilter => state.feed.refilter(),
        Typing::Search => {}
    }
}

/// Whether the new filter can only keep rows that the old one kept.
#[derive(Clone, Copy)]
enum Rows {
    Fewer,
    Other,
}

/// Applies the filter to the whole catalog.
pub(super) fn refilter(state: &mut State) {
    filter(state, Rows::Other);
}

fn filter(state: &mut State, rows: Rows) {
    let kept = state.subject(Pane::Catalog).and_then(|id| state.snapshot.catalog.position(id));
    let all = 0..state.snapshot.catalog.len();
    let text = state.catalog.filter.text();
    state.catalog.rows = if text.trim().is_empty() {
        all.collect()
    } else {
        let catalog = &state.snapshot.catalog;
        let haystack = state.catalog.haystack.get_or_insert_with(|| Haystack::of(catalog));
        match rows {
            Rows::Fewer => haystack.keep(text, std::mem::take(&mut state.catalog.rows).into_iter()),
            Rows::Other => haystack.keep(text, all),
        }
    };
    // An id typed in full is meant. Else stay on the same source where it is still there; else the first row is likeliest.
    let meant = state.snapshot.catalog.position(state.catalog.filter.text().trim());
    let row_of = |position: usize| state.catalog.rows.binary_search(&position).ok();
    let at = meant.and_then(row_of).or_else(|| kept.and_then(row_of)).unwrap_or(0);
    state.catalog.cursor = Cursor { at, ..state.catalog.cursor };
    state.catalog.scroll = Scroll::default();
}
