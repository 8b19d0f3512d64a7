//! Opens sources and templates in the editor, and copies ids and paths. Only the engine knows where a source is on
//! disk. A key pressed before its answer cancels the editor, which would otherwise receive what is typed next.

use crate::tui::action::Action;
use crate::tui::catalog::reading;
use crate::tui::feed::target;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::views::View;
use refdesk_core::catalog::{SourceId, SourceKind};
use refdesk_desk::FileLine;
use refdesk_desk::engine::{LocateTarget, Request};
use refdesk_text::escape::one_line;

pub fn act(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    if state.focus == Pane::Templates && state.view == View::Panes {
        return template(state, action, effects);
    }
    let Some(id) = state.action_target().map(SourceId::from) else { return };
    match action {
        Action::Open => match reading::section_spot(state).filter(|_| state.view == View::Panes) {
            Some(spot) => effects.push(Effect::Edit(spot)),
            None => open(state, LocateTarget::Document(id), effects),
        },
        Action::Define => open(state, LocateTarget::Definition(id), effects),
        Action::CopyPath => {
            if let Some(place) = path_or_address(state, id.as_str()) {
                copy(state, &place, effects);
            }
        }
        _ => copy(state, id.as_str(), effects),
    }
}

/// Opens or copies the file that a row refers to, or the mention of the source under the cursor.
pub fn place(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    match action {
        Action::OpenMention => {
            let Ok(mention) = target::mention(state) else { return };
            let (spot, parent) = (target::in_file(state, &mention), mention.from);
            match spot {
                Some(spot) => effects.push(Effect::Edit(spot)),
                None => open(state, LocateTarget::Definition(parent), effects),
            }
        }
        Action::CopyPlace => {
            if let Some(printed) = target::printed(state) {
                copy(state, &printed, effects);
            }
        }
        _ => match target::place(state) {
            Ok(spot) => effects.push(Effect::Edit(spot)),
            Err(_) => act(state, Action::Open, effects),
        },
    }
}

/// A template's path is known without asking the engine.
fn template(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let Some(template) = state.template() else { return };
    let (path, line) = template.place(failing_line(state));
    let (name, path, source) = (template.name.clone(), path.to_path_buf(), template.source.clone());
    match action {
        Action::Open => effects.push(Effect::Edit(FileLine { line, path })),
        Action::Define => {
            if let Some(id) = source {
                open(state, LocateTarget::Definition(id), effects);
            }
        }
        Action::CopyPath => {
            if let Some(path) = path.to_str() {
                copy(state, path, effects);
            }
        }
        _ => copy(state, &name, effects),
    }
}

/// The line of the template's error, or the first line.
fn failing_line(state: &State) -> usize {
    let failed = state.preview().and_then(|preview| preview.failed.as_ref());
    failed.and_then(|failed| failed.error.line).unwrap_or(1)
}

fn open(state: &mut State, target: LocateTarget, effects: &mut Vec<Effect>) {
    state.note("opening the editor");
    // The editor opens at the line being read.
    let reads = state.reads() && state.view == View::Panes;
    let line = if reads && matches!(target, LocateTarget::Document(_)) { reading::line(state) } else { None };
    state.opening = Some(line.unwrap_or(1));
    effects.push(Effect::Ask(Request::Locate(target)));
}

/// Handles the engine's answer: the file's location.
pub fn located(state: &mut State, spot: FileLine, effects: &mut Vec<Effect>) {
    if let Some(line) = state.opening.take() {
        state.message = None;
        effects.push(Effect::Edit(FileLine { line: spot.line.max(line), ..spot }));
    }
}

/// Copies text from the repository as the screen shows it: pasted into a shell, a line break would run it as a command.
pub fn copy(state: &mut State, text: &str, effects: &mut Vec<Effect>) {
    let shown = one_line(text);
    let how = if shown == text { "" } else { ", with its invisible characters escaped" };
    state.note(format!("copied {shown}{how}"));
    effects.push(Effect::Copy(shown.into_owned()));
}

/// The path or address of this source, if it has one.
pub fn path_or_address(state: &State, id: &str) -> Option<String> {
    match &state.snapshot.catalog.get(id)?.kind {
        SourceKind::Local(place) => place.path.to_str().map(str::to_owned),
        SourceKind::Url { url } => Some(url.clone()),
        SourceKind::Mcp { .. } | SourceKind::Inline { .. } | SourceKind::Withheld(_) => None,
    }
}
