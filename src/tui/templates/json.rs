//! Values as JSON, pasted into the form or edited in `$EDITOR`. Invalid JSON changes nothing and is kept for
//! correction.

use crate::tui::input::Effect;
use crate::tui::state::{JsonDraft, State, Typing};
use crate::tui::templates::form_update;
use crate::tui::templates::values;
use crate::tui::templates::values::TypedValues;
use crate::tui::windows::WindowKind;

/// Whether a paste replaces the whole form: it starts like an object, and no value is being typed.
pub fn is_for_all(state: &State, text: &str) -> bool {
    let is_free = match state.typing {
        None => true,
        Some(Typing::Value) => state.templates.value.is_empty() || state.templates.value.is_proposed(),
        Some(_) => false,
    };
    is_free && text.trim_start().starts_with('{')
}

/// Replaces the typed values with those of a JSON object.
pub fn paste(state: &mut State, text: &str) {
    let Some(template) = state.template() else { return };
    match values::read(text) {
        Ok(document) => {
            let pasted = TypedValues::pasted(&template.variables, &document);
            take(state, pasted, "pasted");
        }
        Err(broken) => {
            let message = format!("the pasted text is not valid JSON, {broken}; nothing changed");
            state.refuse(message);
        }
    }
}

fn take(state: &mut State, taken: TypedValues, how: &str) {
    state.typing = None;
    let values = match taken.len() {
        1 => format!("1 value {how}: it replaces"),
        count => format!("{count} values {how}: they replace"),
    };
    form_update::change(state, |typed| *typed = taken);
    state.note(format!("{values} the values typed before"));
}

/// Opens the values in the editor, or the invalid text it returned last.
pub fn open(state: &mut State, effects: &mut Vec<Effect>) {
    let Some((name, variables)) = state.template().map(|of| (of.name.clone(), of.variables.clone())) else { return };
    let kept = state.templates.draft.take().filter(|draft| draft.template == name);
    let (text, line) = match kept {
        Some(JsonDraft { text: Some(text), line, .. }) => (text, line),
        _ => {
            let nothing = TypedValues::default();
            let document = state.typed().unwrap_or(&nothing).document(&variables);
            (format!("{document:#}\n"), 1)
        }
    };
    state.typing = None;
    state.window = None;
    state.templates.draft = Some(JsonDraft { template: name, text: None, error: None, line });
    effects.push(Effect::EditText { text, line });
}

/// Stores the edited values; `None` if the editor failed, which is already reported.
pub fn edited(state: &mut State, text: Option<String>) {
    let draft = state.templates.draft.take();
    let (Some(draft), Some(text)) = (draft, text) else { return };
    let Some(template) = state.template().filter(|template| template.name == draft.template) else {
        let message = format!("{} is gone: its values were dropped", draft.template);
        return state.refuse(message);
    };
    match values::read(&text) {
        Ok(document) => {
            let nothing = TypedValues::default();
            let before = state.typed().unwrap_or(&nothing);
            let edited = before.edited(&template.variables, &document);
            if edited == *before {
                state.note("the values have not changed");
            } else {
                take(state, edited, "from the editor");
            }
        }
        Err(broken) => {
            let line = broken.line.unwrap_or(1);
            let error = Some(broken.to_string());
            state.templates.draft = Some(JsonDraft { text: Some(text), error, line, ..draft });
            state.open(WindowKind::InvalidValues);
        }
    }
}
