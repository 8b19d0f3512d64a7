//! Moves in the form, edits values, toggles flags, adds and removes items, resets values. Each change
//! requests a new preview.

use std::sync::Arc;

use crate::tui::action::{Action, KeyContext};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State, Typing};
use crate::tui::templates::form;
use crate::tui::templates::preview;
use crate::tui::templates::preview_update;
use crate::tui::templates::values;
use crate::tui::templates::values::{FormRow, RowValue, TypedValue, TypedValues, ValuePath, ValueStep};
use crate::tui::widgets::field::{FieldLimit, TextField};
use crate::tui::widgets::motion::{Cursor, Motion};
use crate::tui::windows::write;

pub fn act(state: &mut State, action: Action) {
    match action {
        Action::Values => {
            state.focus_on(Pane::Templates);
            state.part = PanePart::Values;
            set(state);
        }
        Action::SetValue => set(state),
        Action::AddItem => add(state),
        // Outside a field, moving on from the last value wraps around to the first.
        Action::NextField if state.typing != Some(Typing::Value) => {
            let at = state.templates.variable.at;
            let next = next_leaf(state, at + 1).or_else(|| next_leaf(state, 0));
            to_field(state, next);
        }
        Action::NextField => {
            let next = next_leaf(state, state.templates.variable.at + 1);
            to_field(state, next);
            if next.is_none() {
                let write = state.key_in(KeyContext::Pane(Pane::Templates), Action::Write);
                let again = state.key_in(KeyContext::Values, Action::NextField);
                state.note(format!(
                    "that was the last value: {write} writes the preview, {again} goes to the first value"
                ));
            }
        }
        Action::PreviousField => go_back(state),
        _ => take_back(state),
    }
}

/// Rebuilds the form if the template or its values have changed.
pub fn follow(state: &mut State) {
    let Some(template) = state.template() else {
        state.templates.form = Vec::new();
        state.templates.form_key = None;
        return;
    };
    let index = &state.snapshot.templates;
    let form_key = state.templates.form_key.as_ref();
    let is_same = form_key.is_some_and(|(name, of, revision)| {
        *name == template.name && Arc::ptr_eq(of, index) && *revision == state.templates.revision
    });
    if is_same {
        return;
    }
    let is_other = form_key.is_none_or(|(name, ..)| *name != template.name);
    let is_reloaded = form_key.is_some_and(|(_, of, _)| !Arc::ptr_eq(of, index));
    let nothing = TypedValues::default();
    let form = values::rows(&template.variables, state.typed().unwrap_or(&nothing));
    let form_key = Some((template.name.clone(), Arc::clone(index), state.templates.revision));
    let gone = format!("{} no longer has this value", template.name);
    let under = state.templates.form.get(state.templates.variable.at).map(|row| row.way.clone());
    let at = under.and_then(|way| form.iter().position(|row| row.way == way));
    if is_other {
        state.templates.variable = Cursor::default();
    } else if let Some(at) = at {
        state.templates.variable.at = at;
    }
    state.templates.form_columns = form::columns(&form);
    state.templates.form = form;
    state.templates.form_key = form_key;
    // The field being edited may no longer exist, and another value may be in its row.
    let is_leaf = under_cursor(state).is_some_and(FormRow::is_leaf);
    match state.typing {
        Some(Typing::Value) if is_reloaded && !is_other && (at.is_none() || !is_leaf) => state.lose_field(gone),
        Some(Typing::Value) if is_other || !is_leaf => state.typing = None,
        _ => {}
    }
    if state.part == PanePart::Values && state.templates.form.is_empty() {
        state.part = PanePart::List;
    }
}

/// Closes the window over the form, opens the field of the first missing value, and explains why.
pub fn first_sample(state: &mut State) {
    let Some(at) = preview::missing(state).first().map(|(at, _)| *at) else { return };
    let missing = write::missing(state).unwrap_or_default();
    write::close(state);
    state.focus_on(Pane::Templates);
    state.part = PanePart::Values;
    to_field(state, Some(at));
    // Inside a field, the write key types a letter.
    let leave = state.key_in(KeyContext::Value, Action::Accept);
    let write = state.key_in(KeyContext::Pane(Pane::Templates), Action::Write);
    state.refuse(format!("nothing was written: {missing}; fill them in, then {leave} and {write}"));
}

fn under_cursor(state: &State) -> Option<&FormRow> {
    state.templates.form.get(state.templates.variable.at)
}

/// Toggles a flag, or edits the value or the first value inside the row.
fn set(state: &mut State) {
    match under_cursor(state).map(|row| (row.holds.clone(), row.way.clone())) {
        Some((RowValue::Flag(flag), way)) => store_value(state, way, TypedValue::Flag(!flag)),
        Some((RowValue::Items(Some(0)), _)) => add(state),
        _ => begin(state),
    }
}

/// Opens the field of the row under the cursor, or of the next value.
pub fn begin(state: &mut State) {
    let next = next_leaf(state, state.templates.variable.at);
    to_field(state, next);
}

/// The first row with a value, starting from this one.
fn next_leaf(state: &State, from: usize) -> Option<usize> {
    let mut rows = state.templates.form.iter().enumerate().skip(from);
    rows.find(|(_, row)| row.is_leaf()).map(|(at, _)| at)
}

fn go_back(state: &mut State) {
    let at = state.templates.variable.at;
    let leaf = |state: &State, to: usize| state.templates.form.iter().take(to).rposition(FormRow::is_leaf);
    let is_typing = state.typing == Some(Typing::Value);
    // Outside a field, moving back from the first value wraps around to the last.
    let before = leaf(state, at).or_else(|| leaf(state, usize::MAX).filter(|_| !is_typing));
    to_field(state, before);
}

/// Opens the field of this row; without a row, stops editing.
fn to_field(state: &mut State, at: Option<usize>) {
    let Some(at) = at else {
        state.typing = None;
        return;
    };
    state.templates.variable.at = at;
    preview_update::show_value(state);
    state.templates.value = TextField::default();
    state.typing = Some(Typing::Value);
    let Some(row) = under_cursor(state).filter(|row| row.typed) else { return };
    let (RowValue::Text(text) | RowValue::InvalidText(text)) = &row.holds else { return };
    let text = text.clone();
    if TextField::default().fitting(&text, FieldLimit::Line).len() < text.len() {
        state.typing = None;
        let reset = state.key_in(KeyContext::Values, Action::ResetValue);
        let edit = state.key(Action::EditValues);
        return state
            .refuse(format!("this value is too long to type here: {edit} opens it in $EDITOR, {reset} resets it"));
    }
    // It may be a value from an earlier session: typing replaces it, moving the cursor keeps it.
    state.templates.value = TextField::proposing(&text);
}

/// Stores the field's text while it is edited.
pub fn typed(state: &mut State) {
    let text = state.templates.value.text().to_owned();
    if let Some(way) = under_cursor(state).map(|row| row.way.clone()) {
        store_value(state, way, TypedValue::Text(text));
    }
}

/// Handles keys on a flag: toggle, yes or no. Returns whether the row is a flag.
pub fn flag(state: &mut State, text: &str) -> bool {
    let Some((RowValue::Flag(flag), way)) = under_cursor(state).map(|row| (row.holds.clone(), row.way.clone())) else {
        return false;
    };
    // A blank alone toggles; around a pasted word it means nothing.
    let text = if text.trim().is_empty() { text } else { text.trim() };
    let toggled = text.chars().fold(flag, |flag, c| match c {
        ' ' => !flag,
        'y' | 't' | '1' => true,
        'n' | 'f' | '0' => false,
        _ => flag,
    });
    if toggled != flag {
        store_value(state, way, TypedValue::Flag(toggled));
    }
    true
}

/// The list that a new item would be added to, and the item's index.
pub fn list(row: &FormRow, typed: Option<&TypedValues>) -> Option<(ValuePath, usize)> {
    if let RowValue::Items(_) = row.holds {
        let items = typed.map_or(1, |typed| typed.shown_items(&row.way));
        return Some((row.way.clone(), items));
    }
    let at = row.way.iter().rposition(|step| matches!(step, ValueStep::Item(_)))?;
    match (row.way.get(..at), row.way.get(at)) {
        (Some(list), Some(ValueStep::Item(item))) => Some((list.to_vec(), item + 1)),
        _ => None,
    }
}

/// Adds an item and opens its first value.
fn add(state: &mut State) {
    let Some((list, at)) = under_cursor(state).and_then(|row| list(row, state.typed())) else { return };
    change(state, |typed| typed.add_item(&list, at));
    let mut way = list;
    way.push(ValueStep::Item(at));
    if let Some(row) = state.templates.form.iter().position(|row| row.way == way) {
        state.templates.variable.at = row;
        begin(state);
    }
}

/// Removes a list item, or resets another row and everything inside it.
fn take_back(state: &mut State) {
    let Some(row) = under_cursor(state) else { return };
    let (way, item) = (row.way.clone(), row.item().map(|(list, at)| (list.to_vec(), at)));
    match item {
        Some((list, at)) => change(state, |typed| typed.remove_item(&list, at)),
        None => change(state, |typed| typed.take_back(&way)),
    }
}

pub fn step(state: &mut State, motion: Motion) {
    let (len, page) = (state.templates.form.len(), form::page(state));
    state.templates.variable.step(motion, len, page);
    preview_update::show_value(state);
}

fn store_value(state: &mut State, way: ValuePath, given: TypedValue) {
    change(state, |typed| typed.set(way, given));
}

/// Changes the typed values of the template under the cursor.
pub fn change(state: &mut State, change: impl FnOnce(&mut TypedValues)) {
    let Some(name) = state.template().map(|template| template.name.clone()) else { return };
    change(state.templates.typed.entry(name.clone()).or_default());
    // A draft for other values is outdated.
    state.templates.draft = state.templates.draft.take().filter(|draft| draft.template != name);
    state.templates.revision += 1;
    follow(state);
}
