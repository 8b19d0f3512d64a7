//! Reports the consequence of a change of picks and exclusions made here, and how to undo it, in one message
//! once the next snapshot contains it.

use std::collections::HashSet;

use crate::common::change_cost::{self, TokenFormat};
use crate::common::cleared_picks::still_selected;
use crate::common::source_words::{self, UntrustedCounts};
use crate::tui::action::Action;
use crate::tui::counts::Counts;
use crate::tui::source_state;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::widgets::cells;
use crate::tui::windows::clear;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::{Role, StepName};
use refdesk_desk::engine::{Reply, Request, Snapshot};

/// A requested change that no snapshot contains yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AwaitedChange {
    kind: AwaitedKind,
    done: String,
    /// The changed sources; empty if all were changed.
    named: Vec<SourceId>,
    /// The action that reverts it.
    back: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum AwaitedKind {
    Unpick,
    Include,
    /// Another process makes the change after an answer given here.
    Answer,
    /// A switch of profiles.
    Switch,
    /// An undo or redo. It may affect many picks that its name does not count.
    UndoOrRedo(StepName),
    Other,
}

impl AwaitedChange {
    /// Whether the message names this source.
    fn names(&self, id: &str) -> bool {
        let is_step = matches!(&self.kind, AwaitedKind::UndoOrRedo(step) if step.source.as_deref() == Some(id));
        is_step || self.named.iter().any(|named| named.as_str() == id)
    }

    /// Whether the name of an undone or redone step already contains this number of picks, such as `49 picks`.
    fn counts_picks(&self, count: usize) -> bool {
        matches!(&self.kind, AwaitedKind::UndoOrRedo(step) if step.picks == Some(count))
    }

    fn is_undo_or_redo(&self) -> bool {
        matches!(self.kind, AwaitedKind::UndoOrRedo(_))
    }
}

/// Records the requested change. Picks are reported by their own answer.
pub fn expect(state: &mut State, request: &Request) {
    let clean = |text: &str| cells::clean(text).into_owned();
    let awaited = |kind, done: String, named: Vec<SourceId>| AwaitedChange { kind, done, named, back: Action::Undo };
    let of = |kind, verb: &str, ids: &[SourceId]| {
        let what = match ids {
            [id] => format!("@{}", clean(id.as_str())),
            several => cells::counted(several.len(), "source"),
        };
        Some(awaited(kind, format!("{verb} {what}"), ids.to_vec()))
    };
    let retraced = |verb: &str, step: &Option<StepName>, back| {
        let step = step.clone()?;
        let done = format!("{verb}: {}", clean(&step.text));
        Some(AwaitedChange { back, ..awaited(AwaitedKind::UndoOrRedo(step), done, Vec::new()) })
    };
    state.awaited_change = match request {
        Request::Unpick(ids) => of(AwaitedKind::Unpick, "Unpicked", ids),
        Request::Exclude(ids) => of(AwaitedKind::Other, "Excluded", ids).map(|awaited| AwaitedChange {
            done: match ids.as_slice() {
                [id] if source_state::is_auto(&state.snapshot, id.as_str()) => {
                    format!("{}, which stays in the instructions", awaited.done)
                }
                _ => awaited.done,
            },
            ..awaited
        }),
        Request::Include(ids) => of(AwaitedKind::Include, "No longer excluded:", ids),
        Request::Clear => {
            let picks = clear::picks(state);
            Some(awaited(AwaitedKind::Other, format!("Cleared {}", cells::counted(picks.len(), "pick")), picks))
        }
        Request::SwitchProfile { .. } => match &state.profiles.switch {
            Some(Ok(switch)) => {
                let done = format!("Switched to {}", clean(&switch.name));
                Some(awaited(AwaitedKind::Switch, done, Vec::new()))
            }
            _ => None,
        },
        Request::Reply { request, reply: Reply::Chosen(ids) } if !ids.is_empty() => {
            let who = request.asker.who.as_str();
            let who = clean(if who.is_empty() { "the agent" } else { who });
            let done = format!("Answered {who}: picked {}", cells::grouped(ids.len()));
            let named = ids.iter().map(|id| id.as_str().into()).collect();
            Some(awaited(AwaitedKind::Answer, done, named))
        }
        Request::Undo => retraced("Undone", &state.snapshot.undo, Action::Redo),
        Request::Redo => retraced("Redone", &state.snapshot.redo, Action::Undo),
        _ => return,
    };
}

/// After a snapshot: reports the consequences, unless a more important message is shown.
pub fn follow(state: &mut State, before: &Snapshot) {
    if before.selection == state.snapshot.selection {
        return;
    }
    let is_made = |awaited: &mut AwaitedChange| {
        let is_new =
            |id: &SourceId| state.snapshot.selection.is_picked(id.as_str()) && !before.selection.is_picked(id.as_str());
        awaited.kind != AwaitedKind::Answer || awaited.named.iter().any(is_new)
    };
    let Some(awaited) = state.awaited_change.take_if(is_made) else {
        // Drop the offer to undo: it would be refused, because another process changed the same sources.
        let offers_undo = state.message.as_ref().is_some_and(|message| message.tone == MessageKind::Done);
        // After a change made here, undo reverts a different step.
        let is_ours = state.awaited_change.is_some() || before.undo != state.snapshot.undo;
        if offers_undo && !is_ours && choice(before) != choice(&state.snapshot) {
            state.message = None;
        }
        return;
    };
    if state
        .message
        .as_ref()
        .is_some_and(|message| !matches!(message.tone, MessageKind::Note | MessageKind::Done | MessageKind::Problem))
    {
        return;
    }
    let after = &state.snapshot;
    let followed = match awaited.kind {
        // The current selection, counted as in the list of profiles and the top line.
        AwaitedKind::Switch => {
            let Counts { picked, pulled_in, tokens, .. } = state.counts;
            let [picked, pulled_in] = [picked, pulled_in].map(cells::grouped);
            let waiting = source_words::count_waiting(after, after.selection.members().iter().map(|it| &it.id));
            let (tokens, waiting) = (cells::in_tokens(tokens), source_words::waiting(waiting));
            format!(": now {picked} picked, {pulled_in} pulled in, {tokens}{waiting}")
        }
        _ => followed(&awaited, before, after),
    };
    let (is_there, verb) = match awaited.back {
        Action::Redo => (after.redo.is_some(), "redoes"),
        _ => (after.undo.is_some(), "undoes"),
    };
    let back = if is_there { format!(": {} {verb} it", state.key(awaited.back)) } else { String::new() };
    let text = format!("{}{followed}{back}", awaited.done);
    state.message = Some(Message { text, tone: MessageKind::Done });
}

/// `it is still pulled in by @a`; for several unpicked sources only their number.
fn still_selected_note(awaited: &AwaitedChange, before: &Snapshot, after: &Snapshot) -> Option<String> {
    let unpicked = awaited.named.iter().map(SourceId::as_str).filter(|id| before.selection.is_picked(id));
    let kept = still_selected(&after.catalog, &after.selection, unpicked, "@");
    match (awaited.named.as_slice(), kept.as_slice()) {
        (_, []) => None,
        ([_], [(_, why)]) => Some(format!("it {}", cells::clean(why))),
        (_, several) => Some(format!("{} of them still selected", cells::grouped(several.len()))),
    }
}

/// The picked and the excluded sources.
fn choice(snapshot: &Snapshot) -> (HashSet<&str>, HashSet<&str>) {
    let selection = &snapshot.selection;
    let picked = selection.members().iter().filter(|it| it.role == Role::Picked).map(|it| it.id.as_str());
    (picked.collect(), selection.excluded().iter().map(String::as_str).collect())
}

/// `; 3 sources pulled in, ~864 tokens more, 1 untrusted source`. The tokens are the sources' prices.
fn followed(awaited: &AwaitedChange, before: &Snapshot, after: &Snapshot) -> String {
    let mut parts = Vec::new();
    // Untrusted sources that the change brings; a released one costs nothing before and after.
    let mut waiting = String::new();
    for (of, other, made, verb) in [(after, before, "picked", "pulled in"), (before, after, "unpicked", "released")] {
        let members = of.selection.members().iter().map(|it| &it.id);
        // An agent gets auto sources before and after, so they are not new.
        let is_brought =
            |id: &&SourceId| of.selection.is_picked(id.as_str()) || !source_state::is_auto(of, id.as_str());
        let members: Vec<&SourceId> = members.filter(is_brought).collect();
        let new: Vec<&SourceId> = members.iter().copied().filter(|id| !other.selection.contains(id.as_str())).collect();
        let is_named = |id: &SourceId| awaited.names(id.as_str());
        let is_counted_apart = |id: &SourceId| awaited.is_undo_or_redo() && of.selection.is_picked(id.as_str());
        // A pick that is also pulled in is selected before and after.
        let is_other_pick = |id: &SourceId| is_counted_apart(id) && !other.selection.is_picked(id.as_str());
        let picks = members.iter().filter(|id| !is_named(id) && is_other_pick(id)).count();
        if picks > 0 && !awaited.counts_picks(picks) {
            parts.push(format!("{} {made}", cells::grouped(picks)));
        }
        let others = new.iter().filter(|id| !is_named(id) && !is_counted_apart(id));
        let count = others.clone().count();
        if std::ptr::eq(of, after) {
            waiting = match new.as_slice() {
                [id] if is_named(id) => source_words::untrusted_note(of, id.as_str()).to_owned(),
                new => {
                    let is_asked = |id: &SourceId| is_named(id) || is_counted_apart(id);
                    UntrustedCounts::of(of, new.iter().copied(), is_asked).after(count)
                }
            };
        }
        let is_more = !awaited.named.is_empty() || new.iter().any(|id| is_named(id));
        if count > 0 {
            let what = if is_more { "more source" } else { "source" };
            parts.push(format!("{} {verb}", cells::counted(count, what)));
        }
    }
    // The exclusions that a pick removes, and that undoing it restores.
    let is_undo_or_redo = awaited.is_undo_or_redo();
    for (of, other, verb, is_reported) in [
        (before, after, "lifted", is_undo_or_redo || awaited.kind == AwaitedKind::Unpick),
        (after, before, "made", is_undo_or_redo),
    ] {
        let excluded = of.selection.excluded().iter();
        let count = excluded.filter(|id| !other.selection.is_excluded(id) && !awaited.names(id)).count();
        if count > 0 && is_reported {
            parts.push(format!("{} {verb}", cells::counted(count, "exclusion")));
        }
    }
    let change = after.cost_since(before);
    let cost = change_cost::signed(change, TokenFormat::Tokens, "saved");
    parts.extend(cost.map(|cost| cost + &change_cost::with_instructions(change, TokenFormat::Tokens)));
    let note = match awaited.kind {
        // These are trust in what a person's choice brings.
        AwaitedKind::Answer | AwaitedKind::Include => {
            source_words::may_now_fetch(&source_words::newly_trusted(before, after), source_state::ids)
        }
        AwaitedKind::Unpick => {
            still_selected_note(awaited, before, after).map(|note| format!("; {note}")).unwrap_or_default()
        }
        _ => String::new(),
    };
    let followed = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) };
    followed + &waiting + &note
}
