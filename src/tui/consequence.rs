//! What followed from a change of picks and exclusions made here, and how to undo it: one message once the next snapshot
//! shows it.

use std::borrow::Cow;

use crate::tui::action::Action;
use crate::tui::state::{Message, State, Tone};
use crate::tui::widgets::cells;
use refdesk_core::catalog::{Mode, SourceId};
use refdesk_desk::engine::{Request, Snapshot};

/// A change that was requested, and is not in a snapshot yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedChange {
    /// What was done, in words.
    done: String,
    /// The source that it was done to; none for a change of all.
    named: Option<SourceId>,
    /// What takes it back.
    back: Action,
}

/// Notes that this was requested. A pick has an answer of its own.
pub fn expect(state: &mut State, request: &Request) {
    let clean = |text: &str| cells::clean(text).into_owned();
    let of = |verb: &str, id: &SourceId| (format!("{verb} @{}", clean(id.as_str())), Some(id.clone()), Action::Undo);
    let retraced = |verb: &str, what: &Option<std::sync::Arc<str>>, back| {
        what.as_ref().map(|what| (format!("{verb}: {}", clean(what)), None, back))
    };
    let awaited = match request {
        Request::Unpick(id) => Some(of("Unpicked", id)),
        Request::Exclude(id) => Some(of("Excluded", id)),
        Request::Include(id) => Some(of("No longer excluded:", id)),
        Request::Clear => Some(("Cleared all picks".to_owned(), None, Action::Undo)),
        Request::SwitchProfile(_) => match &state.profiles.switch {
            Some(Ok(switch)) => Some((format!("Switched to {}", clean(&switch.name)), None, Action::Undo)),
            _ => None,
        },
        Request::Undo => retraced("Undone", &state.snapshot.undo, Action::Redo),
        Request::Redo => retraced("Redone", &state.snapshot.redo, Action::Undo),
        _ => return,
    };
    state.awaited_change = awaited.map(|(done, named, back)| AwaitedChange { done, named, back });
}

/// After a snapshot: says what followed, unless something that matters more is said.
pub fn follow(state: &mut State, before: &Snapshot) {
    if before.selection == state.snapshot.selection {
        return;
    }
    let Some(awaited) = state.awaited_change.take() else { return };
    if state.message.as_ref().is_some_and(|message| matches!(message.tone, Tone::Refusal | Tone::Error)) {
        return;
    }
    let after = &state.snapshot;
    let parts =
        [(after, before, "pulled in", ""), (before, after, "released", " saved")].map(|(of, other, verb, saved)| {
            let new: Vec<&SourceId> = of
                .selection
                .members()
                .iter()
                .map(|it| &it.id)
                .filter(|id| !other.selection.contains(id.as_str()))
                .collect();
            let is_auto = |id: &str| of.catalog.get(id).is_some_and(|source| source.mode == Mode::Auto);
            let unpaid = new.iter().filter(|id| !is_auto(id.as_str()));
            let tokens: u64 = unpaid.filter_map(|id| of.tokens.get(id.as_str())).sum();
            // What was undone names the source it was done to, too.
            let is_named =
                |id: &SourceId| awaited.named.as_ref() == Some(id) || awaited.done.ends_with(&format!(" of @{id}"));
            let others = new.iter().filter(|id| !is_named(id)).count();
            let what = if awaited.named.is_some() || others < new.len() { "more source" } else { "source" };
            match (others, tokens) {
                (0, 0) => Cow::Borrowed(""),
                (0, tokens) if saved.is_empty() => format!("; {} tokens more", cells::tokens(tokens)).into(),
                (0, tokens) => format!("; {} tokens{saved}", cells::tokens(tokens)).into(),
                (count, 0) => format!("; {} {verb}", cells::counted(count, what)).into(),
                (count, tokens) => {
                    format!("; {} {verb}, {} tokens{saved}", cells::counted(count, what), cells::tokens(tokens)).into()
                }
            }
        });
    let (is_there, verb) = match awaited.back {
        Action::Redo => (after.redo.is_some(), "redoes"),
        _ => (after.undo.is_some(), "undoes"),
    };
    let back = if is_there { format!(": {} {verb} it", state.key(awaited.back)) } else { String::new() };
    let text = format!("{}{}{back}", awaited.done, parts.concat());
    state.message = Some(Message { text, tone: Tone::Done });
}
