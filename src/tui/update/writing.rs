//! The write dialog: the path is typed, the engine says with every key what writing there would change, and what is
//! written is exactly what was shown.

use crate::engine::{Command, Event};
use crate::output::{Before, Proposal, Unwritten, Written};
use crate::tui::field::{FieldLimit, TextEdit, TextField};
use crate::tui::input::Effect;
use crate::tui::motion::Scroll;
use crate::tui::panes::preview;
use crate::tui::state::{Overlay, Preview, RenderedText, State, Tone, WriteState};
use crate::tui::widgets::cells;

pub(super) fn is_open(state: &State) -> bool {
    matches!(state.overlay, Some(Overlay::Write(_)))
}

/// Opens it over the path that was typed last, else over the one that the template offers.
pub(super) fn open(state: &mut State) {
    let typed = state.template().and_then(|template| state.templates.paths.get(&template.name));
    let offered = state.preview().and_then(|preview| preview.made.as_ref()?.offered.as_ref());
    let path = typed.or(offered).cloned().unwrap_or_default();
    state.typing = None;
    state.templates.path = TextField::default();
    state.templates.path.insert(&path);
    state.templates.writing = WriteState::Nothing;
    state.overlay = Some(Overlay::Write(Scroll::default()));
}

/// Leaves it. A path that was cleared is none: what the template offers counts again.
pub(super) fn close(state: &mut State) {
    let name = state.template().map(|template| template.name.clone()).unwrap_or_default();
    if state.templates.paths.get(&name).is_some_and(String::is_empty) {
        state.templates.paths.remove(&name);
    }
    state.overlay = None;
}

/// After the templates changed: what somebody was about to write is gone with its template.
pub(super) fn follow(state: &mut State, before: Option<&str>) {
    if is_open(state) && state.template().map(|template| template.name.as_str()) != before {
        state.overlay = None;
        let message = format!("{} is gone: nothing was written", before.unwrap_or("the template"));
        super::say(state, Tone::Refusal, message);
    }
}

pub(super) fn insert(state: &mut State, text: &str) {
    let line = text.replace(['\r', '\n'], " ");
    let fits = state.templates.path.fitting(&line, FieldLimit::Line);
    let is_changed = state.templates.path.insert(fits).is_some();
    if fits.len() < line.len() {
        super::say(state, Tone::Refusal, FieldLimit::Line.full().to_owned());
    }
    if is_changed {
        changed(state);
    }
}

pub(super) fn edit(state: &mut State, edit: TextEdit) {
    if state.templates.path.edit(edit).is_some() {
        changed(state);
    }
}

fn changed(state: &mut State) {
    let Some(name) = state.template().map(|template| template.name.clone()) else { return };
    let path = state.templates.path.text().to_owned();
    state.templates.paths.insert(name, path);
    state.templates.writing = WriteState::Nothing;
    state.overlay = Some(Overlay::Write(Scroll::default()));
}

fn made(state: &State) -> Option<&RenderedText> {
    state.preview().filter(|preview| preview.failed.is_none())?.made.as_ref()
}

/// What would be written, and where.
pub(in crate::tui) fn proposal(state: &State) -> Option<&Proposal> {
    made(state)?.proposal.as_ref()?.as_ref().ok().map(Box::as_ref)
}

/// What a write would make of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::tui) enum WriteEffect {
    /// One that is not there yet.
    New,
    /// Another one than it is.
    Other,
    /// What it is already.
    Same,
}

/// What a write of this proposal would make of its file.
pub(in crate::tui) fn makes(state: &State, proposal: &Proposal) -> WriteEffect {
    match proposal.before {
        Before::Nothing => WriteEffect::New,
        Before::File { .. } if made(state).is_some_and(|made| made.is_there) => WriteEffect::Same,
        Before::File { .. } => WriteEffect::Other,
    }
}

/// Why what is shown cannot be written now.
pub(in crate::tui) fn why_not(state: &State) -> Option<String> {
    if state.templates.writing == WriteState::Asked {
        return Some("it is being written".to_owned());
    }
    if state.templates.path.text().trim().is_empty() {
        return Some("type the path of the file".to_owned());
    }
    if !super::previewing::is_answered(state) {
        return Some("the difference is still being computed".to_owned());
    }
    match made(state).map(|made| &made.proposal) {
        None => Some("the template does not render: there is nothing to write".to_owned()),
        Some(None) => Some("type the path of the file".to_owned()),
        Some(Some(Err(refused))) => Some(preview::refusal(refused)),
        Some(Some(Ok(proposal))) if makes(state, proposal) == WriteEffect::Same => {
            Some(format!("{} holds this already: there is nothing to write", proposal.shown))
        }
        Some(Some(Ok(_))) => None,
    }
}

pub(super) fn confirm(state: &mut State, effects: &mut Vec<Effect>) {
    let Some(proposal) = proposal(state).cloned() else { return };
    state.templates.writing = WriteState::Asked;
    effects.push(Effect::Send(Command::Write(Box::new(proposal))));
}

/// The engine wrote it, or not.
pub(super) fn answer(state: &mut State, event: Event) {
    match event {
        Event::Written(written) => done(state, &written),
        Event::Unwritten(unwritten) => not_done(state, unwritten),
        _ => {}
    }
}

fn done(state: &mut State, written: &Written) {
    state.templates.writing = WriteState::Nothing;
    if is_open(state) {
        close(state);
    }
    // The difference is another one now.
    state.templates.asked = None;
    let Written { shown, bytes, lines } = written;
    let told = format!("Wrote {shown}: {}, {}", cells::counted(*lines, "line"), cells::counted(*bytes, "byte"));
    super::say(state, Tone::Note, told);
}

fn not_done(state: &mut State, unwritten: Unwritten) {
    let Unwritten { refused, anew } = unwritten;
    state.templates.writing = WriteState::Nothing;
    let hint = if refused.hint.is_empty() { String::new() } else { format!(": {}", refused.hint) };
    super::say(state, Tone::Refusal, format!("{}{hint}", refused.message));
    let Some(fresh) = anew.into_iter().next() else { return };
    if let Some(Preview { made: Some(made), .. }) = &mut state.templates.preview
        && let Some(Ok(shown)) = &mut made.proposal
        && shown.path == fresh.path
        && shown.text == fresh.text
    {
        made.is_there = fresh.is_unchanged();
        **shown = fresh;
        state.templates.writing = WriteState::Changed;
        if is_open(state) {
            state.overlay = Some(Overlay::Write(Scroll::default()));
        }
    }
}

/// A full queue did not take it.
pub(super) fn busy(state: &mut State) {
    if state.templates.writing == WriteState::Asked {
        state.templates.writing = WriteState::Nothing;
    }
}
