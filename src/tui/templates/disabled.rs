//! Why an action on a template, its values or its preview is disabled.

use super::{form_update, preview, preview_update};
use crate::tui::action::Action;
use crate::tui::state::State;

const NO_TEMPLATE: &str = "there is no template under the cursor";

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let Some(template) = state.template() else {
        let why = match action {
            Action::SetValue | Action::ResetValue | Action::AddItem => "there is no variable under the cursor",
            _ => NO_TEMPLATE,
        };
        return Some(why.to_owned());
    };
    let (name, pane, preview) = (&template.name, &state.templates, state.preview());
    let row = pane.form.get(pane.variable.at);
    match (action, row, preview) {
        (Action::Values | Action::EditValues, ..) => pane.form.is_empty().then(|| format!("{name} has no variables")),
        (Action::SetValue | Action::AddItem | Action::ResetValue, None, _) => {
            Some("there is no variable under the cursor".to_owned())
        }
        (Action::AddItem, Some(row), _) => {
            form_update::list(row, state.typed()).is_none().then(|| format!("{} is not a list", row.name))
        }
        (Action::ResetValue, Some(row), _) => {
            let is_sample = !row.typed && row.item().is_none();
            is_sample.then(|| "nothing to reset: this variable has its sample value".to_owned())
        }
        (Action::Leftwards, ..) => (pane.across == 0).then(|| "this is the start of the lines".to_owned()),
        (Action::Rightwards, ..) => {
            (!preview::is_clipped(state)).then(|| "no line extends further to the right".to_owned())
        }
        (Action::Write, _, None) if preview_update::is_answered(state) => {
            Some("the preview does not fit: make the terminal larger".to_owned())
        }
        (Action::View | Action::Write, _, None) => Some("the preview is not ready yet".to_owned()),
        (Action::View, _, Some(preview)) => match (&preview.failed, &preview.rendered) {
            (Some(_), Some(_)) => None,
            (Some(_), None) => Some(format!("{name} does not render yet: only its text can be shown")),
            (None, rendered) => {
                let is_compared = rendered.as_ref().is_some_and(|rendered| rendered.proposal.is_some());
                (!is_compared).then(|| {
                    format!("{name} has no output file to compare with: {} asks for one", state.key(Action::Write))
                })
            }
        },
        (Action::Write, _, Some(preview)) => {
            let failed = preview.failed.as_ref()?;
            Some(format!("{name} does not render: {}", failed.error.message))
        }
        _ => None,
    }
}

/// Why a template cannot be opened, or its path copied.
pub fn outside(state: &State, action: Action) -> Option<String> {
    let Some(template) = state.template() else { return Some(NO_TEMPLATE.to_owned()) };
    let name = &template.name;
    match action {
        Action::Define if template.source.is_none() => Some(format!(
            "{name} has no source: it is a file of the workspace itself; {} opens it",
            state.key(Action::Open)
        )),
        Action::CopyPath if template.path.to_str().is_none() => Some(format!(
            "the path of {name} is not Unicode and cannot be copied: {} opens it",
            state.key(Action::Open)
        )),
        _ => None,
    }
}
