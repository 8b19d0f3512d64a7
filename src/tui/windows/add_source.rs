//! The path or URL of a source to add, on one line. The desk checks whether it can be added, and adds it. If
//! it could be several sources, `refdesk add` asks which, after this window said so.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::{Handled, Window, WindowKind, one_line};
use crate::tui::action::{Action, KeyContext};
use crate::tui::catalog::filtered_rows;
use crate::tui::fix;
use crate::tui::input::{Effect, ForegroundCommand};
use crate::tui::pane::Pane;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use refdesk_core::catalog::SourceId;
use refdesk_desk::AddedSources;
use refdesk_desk::engine::Request;
use refdesk_text::Error;

pub struct AddSource;

/// The typed text and the state of the check.
#[derive(Debug, Clone, Default)]
pub struct AddSourceInput {
    line: TextField,
    /// The text that the desk is checking, until it answers or the line changes.
    asked: Option<String>,
    /// Why it cannot be added.
    problem: Option<String>,
    /// How many sources it could be, if more than one: only `refdesk add` can ask which, in the terminal.
    several: Option<usize>,
    /// The added source, until the cursor has moved to it.
    added: Option<SourceId>,
}

impl Window for AddSource {
    fn outer(&self, state: &State) -> Rect {
        one_line::outer(state, note(state).as_ref())
    }

    fn keys(&self, state: &State) -> Option<Rect> {
        Some(one_line::keys(self.outer(state)))
    }

    fn field<'s>(&self, state: &'s mut State) -> Option<&'s mut TextField> {
        Some(&mut state.new_source.line)
    }

    fn field_changed(&self, state: &mut State) {
        let line = std::mem::take(&mut state.new_source.line);
        state.new_source = AddSourceInput { line, ..AddSourceInput::default() };
    }

    fn disabled(&self, state: &State) -> Option<String> {
        state.new_source.line.text().trim().is_empty().then(|| "type a path or an address".to_owned())
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match action {
            Action::Confirm if state.new_source.several.is_some() => {
                let place = state.new_source.line.text().trim().to_owned();
                state.window = None;
                effects.push(Effect::RunInForeground(ForegroundCommand::Add(place)));
                Handled::Consumed
            }
            Action::Confirm => {
                let place = state.new_source.line.text().trim().to_owned();
                state.new_source.asked = Some(place.clone());
                effects.push(Effect::Ask(Request::CanAdd(place)));
                Handled::Consumed
            }
            Action::Back if state.snapshot.catalog.is_empty() => {
                state.open(WindowKind::Welcome);
                Handled::Consumed
            }
            _ => Handled::Ignored,
        }
    }

    fn draw(&self, state: &State, _: Cursor, frame: &mut Frame<'_>) {
        let about = "A path, from the root of the workspace, or an address:";
        one_line::draw(state, ("Add a file", about), &state.new_source.line, note(state).as_ref(), frame);
    }
}

/// Why the source cannot be added, or that the screen will be left to add it.
fn note(state: &State) -> Option<(String, ThemeRole)> {
    let AddSourceInput { problem, several, .. } = &state.new_source;
    if let Some(problem) = problem {
        return Some((problem.clone(), ThemeRole::Error));
    }
    let (count, key) = ((*several)?, state.key_in(KeyContext::AddSource, Action::Confirm));
    let sources = cells::counted(count, "source");
    Some((format!("This could be {sources}: {key} leaves this screen to ask which in the terminal."), ThemeRole::Text))
}

pub fn open(state: &mut State) {
    state.new_source = AddSourceInput::default();
    state.typing = None;
    state.open(WindowKind::AddSource);
}

/// Adds a single source, or shows why it cannot be added and keeps the line.
pub fn answered(state: &mut State, can_add: Result<usize, Error>, effects: &mut Vec<Effect>) {
    let is_open = state.has_window(WindowKind::AddSource);
    let Some(place) = state.new_source.asked.take().filter(|_| is_open) else { return };
    match can_add {
        Ok(0 | 1) => effects.push(Effect::Ask(Request::AddSource(place))),
        Ok(count) => state.new_source.several = Some(count),
        Err(error) => state.new_source.problem = Some(fix::sentence(state, &error)),
    }
}

/// Reports what was added, and moves the cursor to it.
pub fn added(state: &mut State, added: Result<AddedSources, Error>) {
    let is_open = state.has_window(WindowKind::AddSource);
    let added = match added {
        Ok(added) => added,
        Err(error) if is_open => {
            state.new_source.problem = Some(fix::sentence(state, &error));
            return;
        }
        Err(error) => return state.fail(fix::sentence(state, &error)),
    };
    state.close(WindowKind::AddSource);
    let text = match (added.added.first(), added.known.first()) {
        (Some(new), _) => {
            let (id, trust) = (cells::clean(new.id.as_str()), state.key(Action::Trust));
            let pick = state.key_in(KeyContext::Pane(Pane::Catalog), Action::Toggle);
            let next =
                if new.is_untrusted { format!("{trust} asks for your trust") } else { format!("{pick} picks it") };
            format!("Added @{id} to the catalog: {next}")
        }
        (None, Some((place, id))) => format!("{} is in the catalog already, as @{id}", cells::clean(place)),
        (None, None) => return,
    };
    state.message = Some(Message { text, tone: MessageKind::Done });
    state.new_source.added = added.added.into_iter().next().map(|new| new.id);
    follow(state);
}

/// Moves the cursor to the added source once the catalog contains it.
pub fn follow(state: &mut State) {
    let is_listed = |id: &mut SourceId| state.snapshot.catalog.get(id.as_str()).is_some();
    let Some(id) = state.new_source.added.take_if(is_listed) else { return };
    if let Some(row) = filtered_rows::row_of(state, id.as_str()) {
        state.catalog.cursor.at = row;
    }
}
