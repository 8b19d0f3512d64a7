//! When something cannot be done with a template, its values or its preview, and why.

use super::NO_TEMPLATE;
use crate::tui::action::Action;
use crate::tui::state::State;
use crate::tui::update::{previewing, valuing};

pub(super) fn values(state: &State) -> Option<String> {
    match state.template() {
        None => Some(NO_TEMPLATE.to_owned()),
        Some(template) if state.templates.form.is_empty() => Some(format!("{} asks for no values", template.name)),
        Some(_) => None,
    }
}

const NO_ROW: &str = "there is no variable under the cursor";

pub(super) fn set_value(state: &State) -> Option<String> {
    state.templates.form.get(state.templates.variable.at).is_none().then(|| NO_ROW.to_owned())
}

pub(super) fn add_item(state: &State) -> Option<String> {
    let Some(row) = state.templates.form.get(state.templates.variable.at) else { return Some(NO_ROW.to_owned()) };
    valuing::list(row, state.typed()).is_none().then(|| format!("{} is no list: only lists have items", row.name))
}

pub(super) fn reset_value(state: &State) -> Option<String> {
    let Some(row) = state.templates.form.get(state.templates.variable.at) else { return Some(NO_ROW.to_owned()) };
    let stays = !row.typed && row.item().is_none();
    stays.then(|| "nothing was typed for this variable: it has a sample value".to_owned())
}

pub(super) fn view(state: &State) -> Option<String> {
    let Some(template) = state.template() else { return Some(NO_TEMPLATE.to_owned()) };
    let Some(preview) = state.preview() else { return Some("the preview is not there yet".to_owned()) };
    match (&preview.failed, &preview.made) {
        (Some(_), Some(_)) => None,
        (Some(_), None) => Some(format!("{} does not render yet: its text is all there is to see", template.name)),
        (None, made) => {
            let is_compared = made.as_ref().is_some_and(|made| made.proposal.is_some());
            (!is_compared).then(|| format!("{} names no file to compare with: w asks for one", template.name))
        }
    }
}

pub(super) fn across(state: &State, action: Action) -> Option<String> {
    match state.template() {
        None => Some(NO_TEMPLATE.to_owned()),
        Some(_) if action == Action::Leftwards && state.templates.across == 0 => {
            Some("this is where the lines begin".to_owned())
        }
        Some(_) if action == Action::Rightwards && !crate::tui::panes::preview::goes_on(state) => {
            Some("no line goes on to the right".to_owned())
        }
        Some(_) => None,
    }
}

pub(super) fn write(state: &State) -> Option<String> {
    let Some(template) = state.template() else { return Some(NO_TEMPLATE.to_owned()) };
    match state.preview() {
        Some(preview) => {
            let error = preview.failed.as_ref()?;
            Some(format!("{} does not render: {}", template.name, error.error.message))
        }
        None if previewing::is_answered(state) => {
            Some("the preview cannot be seen: make the terminal larger".to_owned())
        }
        None => Some("the preview is not there yet".to_owned()),
    }
}
