//! What changes the desk: picks and exclusions. Only asked for here; the screen shows it when the next snapshot says so.

use crate::catalog::SourceId;
use crate::engine::Command;
use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::{State, Tone};

pub(super) fn choose(state: &State, action: Action, effects: &mut Vec<Effect>) {
    let Some(id) = state.subject(state.focus) else { return };
    let selection = &state.snapshot.selection;
    let dormant = selection.dormant().iter().any(|dormant| dormant == id);
    let source = SourceId::from(id);
    let command = match action {
        Action::Toggle if selection.is_picked(id) || dormant => Command::Unpick(source),
        Action::Exclude if selection.is_excluded(id) => Command::Include(source),
        Action::Exclude => Command::Exclude(source),
        _ => Command::Pick(source),
    };
    effects.push(Effect::Send(command));
}

pub(super) fn reload(state: &mut State, effects: &mut Vec<Effect>) {
    super::say(state, Tone::Note, "reading the workspace again".to_owned());
    effects.push(Effect::Send(Command::Reload));
}
