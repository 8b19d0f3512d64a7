//! Values for a template's variables: going to their rows, typing one, turning a flag over, taking one back. Every key
//! asks for a new preview, which `update` does for all.

use crate::template::VariableKind;
use crate::tui::action::Action;
use crate::tui::field::TextField;
use crate::tui::motion::Motion;
use crate::tui::pane::Pane;
use crate::tui::state::{Part, State, Typing};
use crate::tui::values::{Given, Way};

pub(super) fn act(state: &mut State, action: Action) {
    match action {
        Action::Values => {
            state.focus_on(Pane::Templates);
            state.part = Part::Values;
        }
        Action::SetValue => set(state),
        _ => {
            if let Some((way, _)) = under_cursor(state) {
                give(state, way, None);
            }
        }
    }
}

fn set(state: &mut State) {
    let Some((way, kind)) = under_cursor(state) else { return };
    let given = state.typed().and_then(|typed| typed.get(&way)).cloned();
    match (kind, given) {
        // A sample holds every flag.
        (VariableKind::Flag, given) => {
            let turned = !matches!(given, None | Some(Given::Flag(true)));
            give(state, way, Some(Given::Flag(turned)));
        }
        (_, given) => {
            state.templates.value = TextField::default();
            if let Some(Given::Text(text)) = given {
                state.templates.value.insert(&text);
            }
            state.typing = Some(Typing::Value);
        }
    }
}

/// Takes over what stands in the field, as it is typed.
pub(super) fn typed(state: &mut State) {
    let text = state.templates.value.text().to_owned();
    if let Some((way, _)) = under_cursor(state) {
        give(state, way, Some(Given::Text(text)));
    }
}

pub(super) fn step(state: &mut State, motion: Motion) {
    let page = state.parts(Pane::Templates).map_or(1, |parts| usize::from(parts.aside.height));
    let len = state.variables().len();
    state.templates.variable.step(motion, len, page);
}

fn give(state: &mut State, way: Way, given: Option<Given>) {
    let Some(name) = state.template().map(|template| template.name.clone()) else { return };
    state.templates.typed.entry(name).or_default().set(way, given);
}

fn under_cursor(state: &State) -> Option<(Way, VariableKind)> {
    let row = state.variables().into_iter().nth(state.templates.variable.at)?;
    Some((row.way, row.kind))
}
