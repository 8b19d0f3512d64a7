//! Typing in the fields of the panes: filter lines, the prompt, the search, a value.

use crate::tui::action::{Action, KeyContext};
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::templates::{form_update, json};
use crate::tui::widgets::field::{FieldLimit, TextChange, TextEdit, TextField};
use crate::tui::{catalog, filtering, hints};

/// Opens a field, or closes the open one.
pub fn open(state: &mut State, action: Action) {
    match action {
        Action::Prompt => {
            state.focus_on(Pane::Hints);
            state.typing = Some(Typing::Prompt);
        }
        Action::Filter => filtering::open(state),
        _ => match (action, state.typing.take()) {
            (_, Some(Typing::Prompt)) => hints::update::leave(state),
            (Action::Cancel, Some(Typing::Filter(list))) => filtering::clear(state, list),
            (Action::Cancel, Some(Typing::Search)) => catalog::match_navigation::end(state),
            _ => {}
        },
    }
}

/// Ignores a key that was meant for a field that no longer exists, and returns whether it did. A key that ends typing, or a
/// click, is the last of them.
pub fn ignore(state: &mut State, input: &Input) -> bool {
    let is_lost = state.window.is_none() && state.lost_field.is_some();
    if is_lost && matches!(input, Input::Act(Action::Accept) | Input::Click(_)) {
        state.lost_field = None;
    }
    is_lost
}

fn field(state: &mut State, typing: Typing) -> &mut TextField {
    match typing {
        Typing::Filter(list) => filtering::field(state, list),
        Typing::Prompt => &mut state.hints.prompt,
        Typing::Search => &mut state.catalog.search.needle,
        Typing::Value => &mut state.templates.value,
    }
}

pub fn insert(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    if typing == Typing::Value && form_update::flag(state, text) {
        return;
    }
    let room = if typing == Typing::Prompt { FieldLimit::Prompt } else { FieldLimit::Line };
    let field = field(state, typing);
    let fits = field.fitting(text, room);
    let change = field.insert(fits);
    changed(state, typing, change, effects);
    if fits.len() < text.len() {
        state.refuse(room.full());
    }
}

pub fn edit(state: &mut State, edit: TextEdit, effects: &mut Vec<Effect>) {
    let Some(typing) = state.typing else { return };
    if typing == Typing::Prompt && hints::update::recall(state, edit, effects) {
        return;
    }
    if edit == TextEdit::NewLine {
        return insert(state, "\n", effects);
    }
    if typing == Typing::Value && form_update::flag(state, "") {
        return;
    }
    let field = field(state, typing);
    let change = if typing == Typing::Prompt { field.edit(edit) } else { field.edit_in_one_row(edit) };
    changed(state, typing, change, effects);
}

/// A paste goes into the open field; in the hints pane it opens the prompt. It is never interpreted as keys.
pub fn paste(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    if state.window.is_none() && state.focus == Pane::Templates && state.part == PanePart::Values {
        if json::is_for_all(state, text) {
            return json::paste(state, text);
        }
        if state.typing.is_none() {
            form_update::begin(state);
        }
    }
    if state.typing.is_none() && state.focus == Pane::Hints && state.window.is_none() {
        open(state, Action::Prompt);
    }
    let lines = text.replace("\r\n", "\n").replace('\r', "\n");
    match state.typing {
        Some(Typing::Prompt) => insert(state, &lines, effects),
        // A value is printed as it was pasted, except for the line break that ends a copied line.
        Some(Typing::Value) => {
            let line = lines.strip_suffix('\n').filter(|line| !line.contains('\n'));
            insert(state, line.unwrap_or(&lines), effects);
        }
        Some(_) => insert(state, lines.replace('\n', " ").trim(), effects),
        None => {
            let pane = |pane, action| state.key_in(KeyContext::Pane(pane), action);
            let filter = pane(Pane::Catalog, Action::Filter);
            let prompt = format!("{} {}", state.key(Action::Focus(Pane::Hints)), pane(Pane::Hints, Action::Prompt));
            let values = state.key(Action::Focus(Pane::Templates));
            let values = format!("{values} {}", pane(Pane::Templates, Action::Values));
            state.refuse(format!(
                "nothing to paste into: press {filter} to filter, {prompt} for a prompt, {values} for values"
            ));
        }
    }
}

fn changed(state: &mut State, typing: Typing, change: Option<TextChange>, effects: &mut Vec<Effect>) {
    let Some(change) = change else { return };
    match typing {
        Typing::Filter(list) => filtering::apply(state, list, effects),
        Typing::Prompt => {
            hints::update::shift_findings(&mut state.hints.findings, &change);
            hints::update::look(state, effects);
        }
        Typing::Search => catalog::match_navigation::typed(state),
        Typing::Value => form_update::typed(state),
    }
}
