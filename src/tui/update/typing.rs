//! Typing: the filter line narrows the catalog, the prompt asks what it would be hinted at. Marks in the prompt move with
//! the text until the new answer comes, so that they do not flicker.

use crate::tui::action::Action;
use crate::tui::field::{FieldLimit, TextChange, TextEdit, TextField};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Tone, Typing};

pub(super) fn open(state: &mut State, action: Action) {
    match action {
        Action::Filter => {
            state.focus_on(Pane::Catalog);
            state.typing = Some(Typing::Filter);
            super::filtering::prepare(state);
        }
        Action::Prompt => {
            state.focus_on(Pane::Hints);
            state.typing = Some(Typing::Prompt);
        }
        Action::Cancel if state.typing == Some(Typing::FeedFilter) => {
            state.typing = None;
            state.feed.set_filter("");
        }
        Action::Cancel if state.typing == Some(Typing::TemplateFilter) => {
            state.typing = None;
            super::templating::clear(state);
        }
        Action::Cancel if state.typing == Some(Typing::RequestFilter) => {
            state.typing = None;
            super::answering::clear(state);
        }
        Action::Cancel if state.typing == Some(Typing::Search) => super::reading::end(state),
        Action::Cancel if state.typing == Some(Typing::Filter) => {
            state.typing = None;
            super::filtering::clear(state);
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
        Typing::Search => &mut state.catalog.search.needle,
        Typing::TemplateFilter => &mut state.templates.filter,
        Typing::Value => &mut state.templates.value,
        Typing::RequestFilter => &mut state.requests.filter,
    }
}

pub(super) fn insert(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    if typing == Typing::Value && super::valuing::flag(state, text) {
        return;
    }
    let room = if typing == Typing::Prompt { FieldLimit::Prompt } else { FieldLimit::Line };
    let field = field(state, typing);
    let fits = field.fitting(text, room);
    let change = field.insert(fits);
    changed(state, typing, change, effects);
    if fits.len() < text.len() {
        super::say(state, Tone::Refusal, room.full().to_owned());
    }
}

pub(super) fn edit(state: &mut State, edit: TextEdit, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    if typing == Typing::Prompt && super::hinting::recall(state, edit, effects) {
        return;
    }
    if edit == TextEdit::NewLine {
        return insert(state, "\n", effects);
    }
    if typing == Typing::Value && super::valuing::flag(state, "") {
        return;
    }
    let change = field(state, typing).edit(edit);
    changed(state, typing, change, effects);
}

/// A paste goes to the open field; in the hints pane it opens the prompt. It is never read as keys.
pub(super) fn paste(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    state.message = None;
    if state.overlay.is_none() && state.focus == Pane::Templates && state.part == PanePart::Values {
        if super::document::is_for_all(state, text) {
            return super::document::paste(state, text);
        }
        if state.typing.is_none() {
            super::valuing::begin(state);
        }
    }
    if state.typing.is_none() && state.focus == Pane::Hints && state.overlay.is_none() {
        open(state, Action::Prompt);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match state.typing {
        Some(
            Typing::Filter
            | Typing::FeedFilter
            | Typing::TemplateFilter
            | Typing::Search
            | Typing::Value
            | Typing::RequestFilter,
        ) => {
            insert(state, lines.replace('\n', " ").trim(), effects);
        }
        Some(Typing::Prompt) => insert(state, &lines, effects),
        None => {
            let hint = "paste goes into a text: press / to filter, 3 for a prompt, 4 Enter for values";
            super::say(state, Tone::Refusal, hint.to_owned());
        }
    }
}

fn changed(state: &mut State, typing: Typing, change: Option<TextChange>, effects: &mut Vec<Effect>) {
    let Some(change) = change else { return };
    match typing {
        Typing::Filter => super::filtering::filter(state),
        Typing::Prompt => {
            super::hinting::carry(&mut state.hints.findings, &change);
            super::hinting::look(state, effects);
        }
        Typing::Search => super::reading::typed(state),
        Typing::Value => super::valuing::typed(state),
        Typing::FeedFilter => state.feed.refilter(),
        Typing::RequestFilter => super::answering::filter(state),
        Typing::TemplateFilter => super::templating::filter(state),
    }
}
