//! Picks, unpicks, excludes, includes and keeps sources, clears and undoes. A large consequence is printed before the
//! change; what happened is printed after it.

use std::cmp::Ordering;

use refdesk_core::catalog::{Source, SourceId};
use refdesk_core::selection::{Role, SelectedSource, Selection, StepName};
use refdesk_desk::engine::{PickReach, Request, Response, Snapshot};
use refdesk_desk::{LargePick, Picker, SelectionChange};
use refdesk_text::Error;

use crate::common::change_cost::{self, TokenFormat};
use crate::common::cleared_picks::{remaining, still_selected};
use crate::common::source_words;
use crate::common::source_words::{is_auto, waits};

use super::source::{SourceArgument, several};
use super::state::{InputOutcome, Pending, PlainState, Question};
use super::update::unexpected;
use super::words::{counted, joined, named, names, path, state_words, tokens, untrusted_among};

/// A requested change of picks and exclusions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choosing {
    verb: ChoiceVerb,
    ids: Vec<SourceId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceVerb {
    Pick,
    Unpick,
    Keep,
    Exclude,
    Include,
}

impl Choosing {
    fn preview(&self) -> Request {
        match self.verb {
            ChoiceVerb::Pick | ChoiceVerb::Keep => Request::PreviewPicks { one: None, all: self.ids.clone() },
            _ => Request::PreviewBulk(self.ids.clone()),
        }
    }

    fn request(&self) -> Request {
        match self.verb {
            ChoiceVerb::Pick | ChoiceVerb::Keep => Request::Pick {
                ids: self.ids.iter().map(ToString::to_string).collect(),
                tags: Vec::new(),
                by: Picker::Person,
            },
            ChoiceVerb::Unpick => Request::Unpick(self.ids.clone()),
            ChoiceVerb::Exclude => Request::Exclude(self.ids.clone()),
            ChoiceVerb::Include => Request::Include(self.ids.clone()),
        }
    }

    /// `Picking a and b`
    fn gerund(&self) -> String {
        let verb = match self.verb {
            ChoiceVerb::Pick => "Picking",
            ChoiceVerb::Keep => "Keeping",
            ChoiceVerb::Unpick => "Unpicking",
            ChoiceVerb::Exclude => "Excluding",
            ChoiceVerb::Include => "Including",
        };
        format!("{verb} {}", named(&self.ids))
    }

    /// `Picked a and b.`
    fn done(&self) -> String {
        let named = named(&self.ids);
        let is_one = self.ids.len() == 1;
        match self.verb {
            ChoiceVerb::Pick => format!("Picked {named}."),
            ChoiceVerb::Keep if is_one => format!("Kept {named}: it is a pick now."),
            ChoiceVerb::Keep => format!("Kept {named}: they are picks now."),
            ChoiceVerb::Unpick => format!("Unpicked {named}."),
            ChoiceVerb::Exclude => format!("Excluded {named}."),
            ChoiceVerb::Include if is_one => format!("Included {named} again: it may be pulled in."),
            ChoiceVerb::Include => format!("Included {named} again: they may be pulled in."),
        }
    }
}

#[derive(Debug, Clone)]
pub struct PendingChange {
    /// What to print once it is done.
    pub done: String,
    pub before: Box<Snapshot>,
    pub named: Vec<SourceId>,
    /// The step that this undoes or redoes, if any.
    step: Option<(UndoOrRedo, StepName)>,
}

impl PendingChange {
    /// A change of the current state; `done` is printed once it is made.
    pub fn new(state: &PlainState, done: String, named: Vec<SourceId>) -> Self {
        Self { done, before: Box::new(state.snapshot.clone()), named, step: None }
    }

    /// Whether this selection contains a pick of this change, or could not, because all were picked before.
    pub fn is_picked_in(&self, selection: &Selection) -> bool {
        let before = &self.before.selection;
        let mut new = self.named.iter().map(SourceId::as_str).filter(|id| !before.is_picked(id)).peekable();
        new.peek().is_none() || new.any(|id| selection.is_picked(id))
    }

    /// Whether the message names this source.
    fn names(&self, id: &str) -> bool {
        let is_step = self.step.as_ref().is_some_and(|(_, step)| step.source.as_deref() == Some(id));
        is_step || self.named.iter().any(|named| named.as_str() == id)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoOrRedo {
    Undo,
    Redo,
}

/// Picks, unpicks, keeps, excludes or includes sources.
pub fn choose(state: &mut PlainState, given: &str, verb: ChoiceVerb, turn: &mut InputOutcome) {
    let which = if verb == ChoiceVerb::Pick { SourceArgument::Known } else { SourceArgument::Chosen };
    let Some(mut ids) = turn.ok_or_print(several(state, given, which)) else { return };
    if let [id] = ids.as_slice() {
        state.about = Some(id.clone());
    }
    ids.retain(|id| match why_not(&state.snapshot, verb, id) {
        Some(why) => {
            turn.print(why);
            false
        }
        None => true,
    });
    match ids.as_slice() {
        [] => {}
        [id] if verb == ChoiceVerb::Pick => {
            change(state, Request::pick_if_few(id.clone()), format!("Picked {id}."), vec![id.clone()], turn);
        }
        _ => {
            let choosing = Choosing { verb, ids };
            turn.ask(choosing.preview());
            state.pending = Some(Pending::Preview(choosing));
        }
    }
}

fn why_not_pick(snapshot: &Snapshot, id: &SourceId) -> Option<String> {
    match snapshot.selection.member(id.as_str()) {
        Some(member) if member.role == Role::Picked => Some(already_picked(snapshot, id)),
        Some(member) if member.role == Role::Transitive => Some(format!(
            "{id} is {} already. Type keep {id} to keep it even if what pulled it in leaves, or exclude {id}.",
            state_words(snapshot, id.as_str())
        )),
        _ => missing(snapshot, id),
    }
}

fn already_picked(snapshot: &Snapshot, id: &SourceId) -> String {
    match snapshot.catalog.get(id.as_str()).is_some_and(Source::is_untrusted) {
        true => format!("{id} is already picked, and waits for your trust. Type trust to see why."),
        false => format!("{id} is already picked."),
    }
}

fn missing(snapshot: &Snapshot, id: &SourceId) -> Option<String> {
    let source = snapshot.catalog.get(id.as_str()).filter(|source| source.is_missing())?;
    let path = source.place().map(|place| path(snapshot, &place.path)).unwrap_or_default();
    Some(format!("{id} is missing: {path} {}. Correct its path.", source.why_missing()))
}

fn why_not(snapshot: &Snapshot, verb: ChoiceVerb, id: &SourceId) -> Option<String> {
    let selection = &snapshot.selection;
    let role = selection.member(id.as_str()).map(|member| member.role);
    match verb {
        ChoiceVerb::Pick => why_not_pick(snapshot, id),
        ChoiceVerb::Unpick => {
            let is_dormant = selection.dormant().iter().any(|dormant| dormant == id.as_str());
            let why = || match role {
                Some(Role::Transitive) => format!("{id} is not a pick: it is {}.", state_words(snapshot, id.as_str())),
                _ => format!("{id} is not picked."),
            };
            (role != Some(Role::Picked) && !is_dormant).then(why)
        }
        ChoiceVerb::Keep => match role {
            Some(Role::Transitive) => missing(snapshot, id),
            Some(Role::Picked) => Some(already_picked(snapshot, id)),
            _ => missing(snapshot, id)
                .or_else(|| Some(format!("{id} is not pulled in by anything. Type pick {id} to pick it."))),
        },
        // An exclusion for a pick can be made the user's own; the preview knows which ones are.
        ChoiceVerb::Exclude => None,
        ChoiceVerb::Include => (!selection.is_excluded(id.as_str())).then(|| format!("{id} is not excluded.")),
    }
}

/// Handles the preview: asks if the consequence is large, otherwise makes the change.
pub fn previewed(state: &mut PlainState, mut choosing: Choosing, response: Response, turn: &mut InputOutcome) {
    let change = match (choosing.verb, response) {
        (ChoiceVerb::Pick | ChoiceVerb::Keep, Response::PicksPreview { all, .. }) => all,
        (ChoiceVerb::Unpick, Response::BulkPreview(preview)) => preview.unpick.change,
        (ChoiceVerb::Exclude, Response::BulkPreview(preview)) => {
            let selection = &state.snapshot.selection;
            choosing.ids.retain(|id| {
                let is_done = selection.is_excluded(id.as_str()) && !preview.exclude.ids.contains(id);
                if is_done {
                    turn.print(format!("{id} is already excluded. Type include {id} to lift that."));
                }
                !is_done
            });
            if choosing.ids.is_empty() {
                return;
            }
            preview.exclude.change
        }
        (ChoiceVerb::Include, Response::BulkPreview(preview)) => preview.include.change,
        (_, response) => return unexpected(&response, turn),
    };
    if change.is_large(&choosing.ids, &state.snapshot.tokens) {
        turn.print(format!("{} would {}.", choosing.gerund(), consequence(&state.snapshot, &choosing.ids, &change)));
        turn.print("Type yes to do it, or no to change nothing.");
        state.question = Some(Question::Choice(choosing));
    } else {
        perform(state, &choosing, turn);
    }
}

/// Prints the sizes of a large pick, and asks which one to use.
pub fn ask_size(state: &mut PlainState, pick: Box<LargePick>, turn: &mut InputOutcome) {
    let size = |change| consequence(&state.snapshot, &pick.ids, change);
    turn.print(format!("Picking {} would {}.", listed(&pick.ids), size(&pick.whole)));
    if is_alone(&pick) {
        turn.print("Type yes to pick it, or no.");
        state.question = Some(Question::LargePick(pick));
        return;
    }
    turn.print(format!("With only what it mentions itself, it would {}.", size(&pick.near)));
    turn.print(format!("Alone, it would {}.", size(&pick.alone)));
    turn.print("Type yes to pick all, near to pull in only what it mentions itself, alone to pull in nothing, or no.");
    state.question = Some(Question::LargePick(pick));
}

/// Whether a large pick pulls in nothing else.
pub fn is_alone(pick: &LargePick) -> bool {
    others(&pick.ids, &pick.whole.enters) == 0
}

fn others(own: &[SourceId], ids: &[SourceId]) -> usize {
    ids.iter().filter(|id| !own.contains(id)).count()
}

/// `pull in 126 more sources, about 76,475 tokens in all`
fn consequence(snapshot: &Snapshot, own: &[SourceId], change: &SelectionChange) -> String {
    let waiting = |ids: &[SourceId]| {
        source_words::waiting(source_words::count_waiting(snapshot, ids.iter().filter(|id| !own.contains(id))))
    };
    let (enter, leave) = (others(own, &change.enters), others(own, &change.leaves));
    let with = change_cost::with_instructions(change.cost, TokenFormat::Spoken);
    let made = match (enter, leave) {
        (0, 0) => match change_cost::shown(change.cost, TokenFormat::Spoken) {
            (Ordering::Equal, _) => "change nothing else".to_owned(),
            (Ordering::Greater, more) => format!("add {more}{with}"),
            (Ordering::Less, less) => format!("save {less}{with}"),
        },
        (count, 0) => {
            let (more, cost) = (counted(count, "more source"), change_cost::added(change.cost, TokenFormat::Spoken));
            format!("pull in {more}, {cost} in all{with}{}", waiting(&change.enters))
        }
        (0, count) => {
            let (more, cost) = (counted(count, "more source"), change_cost::saved(change.cost, TokenFormat::Spoken));
            format!("release {more}, {cost} in all{with}{}", waiting(&change.leaves))
        }
        (enter, leave) => {
            let [enter, leave] = [enter, leave].map(|count| counted(count, "more source"));
            let cost = change_cost::signed(change.cost, TokenFormat::Spoken, "fewer")
                .unwrap_or_else(|| "no extra tokens".to_owned());
            format!("pull in {enter} and release {leave}, {cost} in all{with}{}", waiting(&change.enters))
        }
    };
    made + &source_words::would_trust(change, joined)
}

pub fn perform(state: &mut PlainState, choosing: &Choosing, turn: &mut InputOutcome) {
    let is_auto = |id: &&SourceId| is_auto(&state.snapshot, id.as_str());
    let auto: Vec<&str> = choosing.ids.iter().filter(is_auto).map(SourceId::as_str).collect();
    let done = match (choosing.verb, choosing.ids.as_slice(), auto.as_slice()) {
        (ChoiceVerb::Exclude, [id], [_]) => {
            format!("Excluded {id}: nothing pulls it in. Its mode is auto, so it stays in the instructions.")
        }
        (ChoiceVerb::Exclude, _, [_, ..]) => {
            format!("{} Auto sources stay in the instructions: {}.", choosing.done(), joined(&auto))
        }
        _ => choosing.done(),
    };
    change(state, choosing.request(), done, choosing.ids.clone(), turn);
}

/// Picks sources, and what they mention up to `reach`.
pub fn pick_within(state: &mut PlainState, ids: Vec<SourceId>, reach: PickReach, turn: &mut InputOutcome) {
    let id = listed(&ids);
    let done = match reach {
        PickReach::Alone => format!("Picked {id} alone. What it mentions is excluded."),
        PickReach::All | PickReach::AllIfFew => format!("Picked {id}."),
        PickReach::Near => format!("Picked {id} with what it mentions. What these mention is excluded."),
    };
    change(state, Request::PickWithin { ids: ids.clone(), reach }, done, ids, turn);
}

/// `a, b`
fn listed(ids: &[SourceId]) -> String {
    ids.iter().map(SourceId::as_str).collect::<Vec<_>>().join(", ")
}

/// Asks the engine for a change; `done` is printed once it is made.
pub fn change(state: &mut PlainState, request: Request, done: String, named: Vec<SourceId>, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Change(PendingChange::new(state, done, named)));
    turn.ask(request);
}

/// Asks before all picks are cleared.
pub fn clear(state: &mut PlainState, turn: &mut InputOutcome) {
    let selection = &state.snapshot.selection;
    let members = selection.members();
    let picks = members.iter().filter(|member| member.role == Role::Picked).count() + selection.dormant().len();
    if picks == 0 {
        return turn.print("There are no picks to clear.");
    }
    let pulled_in = members.iter().filter(|member| member.role == Role::Transitive);
    let pulled_in = pulled_in.filter(|member| !is_auto(&state.snapshot, member.id.as_str())).count();
    let also = match pulled_in {
        0 => String::new(),
        some => format!(" {} pulled in may leave with them.", counted(some, "source")),
    };
    turn.print(format!("This clears {}.{also}", counted(picks, "pick")));
    remaining(&state.snapshot.catalog, selection, "").into_iter().for_each(|line| turn.print(line));
    turn.print("Type yes to clear them, or no to change nothing.");
    state.question = Some(Question::Clear);
}

pub fn clear_now(state: &mut PlainState, turn: &mut InputOutcome) {
    change(state, Request::Clear, "Cleared all picks.".to_owned(), Vec::new(), turn);
}

/// Undoes or redoes.
pub fn undo_or_redo(state: &mut PlainState, undo_or_redo: UndoOrRedo, turn: &mut InputOutcome) {
    let (request, step, verb, done) = match undo_or_redo {
        UndoOrRedo::Undo => (Request::Undo, &state.snapshot.undo, "undo", "Undone"),
        UndoOrRedo::Redo => (Request::Redo, &state.snapshot.redo, "redo", "Redone"),
    };
    let Some(step) = step.clone() else { return turn.print(format!("There is nothing to {verb}.")) };
    let done = format!("{done}: {}.", step.text.replacen(" of @", " of ", 1));
    let step = Some((undo_or_redo, step));
    state.pending = Some(Pending::Change(PendingChange { step, ..PendingChange::new(state, done, Vec::new()) }));
    turn.ask(request);
}

/// Prints the effect of the change; `state` holds the snapshot after it.
pub fn changed(state: &PlainState, change: &PendingChange, refusals: &[Error], turn: &mut InputOutcome) {
    refusals.iter().for_each(|refusal| turn.print_error(refusal));
    let (before, after) = (&*change.before, &state.snapshot);
    let is_same = before.selection.members() == after.selection.members()
        && before.selection.excluded() == after.selection.excluded()
        && before.selection.dormant() == after.selection.dormant();
    if is_same && !refusals.is_empty() {
        return;
    }
    turn.print(&change.done);
    about_picks(change, after, turn);
    still_selected_lines(change, after, turn);
    // An undone pick may be selected before and after, because it is also pulled in.
    let other_picks = if change.step.is_some() { OtherPicks::Included } else { OtherPicks::LeftOut };
    let (came, left) = (only_in(after, before, other_picks), only_in(before, after, other_picks));
    for (made, followed, members, snapshot) in
        [("picked", "pulled in", came, after), ("unpicked", "released", left, before)]
    {
        // An agent gets auto sources before and after.
        let others = members.iter().map(|member| &member.id).filter(|id| !is_auto(snapshot, id.as_str()));
        let others = others.filter(|id| !change.names(id.as_str()));
        let is_pick = |id: &&SourceId| snapshot.selection.is_picked(id.as_str());
        let (picks, others): (Vec<&SourceId>, Vec<&SourceId>) = others.partition(is_pick);
        let is_more = !change.named.is_empty() || members.iter().any(|member| change.names(member.id.as_str()));
        let noun = if is_more { "more source" } else { "source" };
        for (what, ids) in [(made, picks), (followed, others)] {
            if ids.is_empty() {
                continue;
            }
            let waiting = source_words::count_waiting(snapshot, ids.iter().copied());
            let waiting = untrusted_among(waiting, ids.len());
            let named = names(ids.iter().map(|id| id.as_str()));
            turn.print(format!("{} {what}{waiting}: {named}.", counted(ids.len(), noun)));
        }
    }
    if change.step.is_some() {
        for (verb, of, other) in [("lifted", before, after), ("made", after, before)] {
            let excluded = of.selection.excluded().iter().filter(|id| !other.selection.is_excluded(id));
            let count = excluded.filter(|id| !change.names(id.as_str())).count();
            if count > 0 {
                turn.print(format!("{} {verb}.", counted(count, "exclusion")));
            }
        }
    }
    let cost = after.cost_since(before);
    if let Some(difference) = change_cost::signed(cost, TokenFormat::Spoken, "fewer") {
        turn.print(format!("That is {difference}{}.", change_cost::with_instructions(cost, TokenFormat::Spoken)));
    }
    turn.print(total(after));
    let (back, is_there) = match change.step {
        Some((UndoOrRedo::Undo, _)) => ("redo", after.redo.is_some()),
        _ => ("undo", after.undo.is_some()),
    };
    if is_there {
        turn.print(format!("Type {back} to {back} it."));
    }
}

/// What stays selected although it was unpicked.
fn still_selected_lines(change: &PendingChange, after: &Snapshot, turn: &mut InputOutcome) {
    let unpicked = change.named.iter().map(SourceId::as_str).filter(|id| change.before.selection.is_picked(id));
    let kept = still_selected(&after.catalog, &after.selection, unpicked, "");
    match (change.named.as_slice(), kept.as_slice()) {
        (_, []) => {}
        ([_], [(_, why)]) => turn.print(format!("It {why}.")),
        (_, several) => {
            turn.print(format!("Still selected without their picks: {}.", names(several.iter().map(|(id, _)| *id))));
        }
    }
    if let [(id, _)] = kept.as_slice()
        && after.selection.member(id).is_some_and(|member| member.role == Role::Transitive)
    {
        turn.print(format!("Type exclude {id} to keep it out."));
    }
}

/// What else is new about sources that the change picked, which are no longer excluded or wait for trust, and about
/// others, which it trusted.
fn about_picks(change: &PendingChange, after: &Snapshot, turn: &mut InputOutcome) {
    let trusted = source_words::newly_trusted(&change.before, after);
    let before = &change.before.selection;
    let picked = change.named.iter().map(SourceId::as_str);
    let picked = picked.filter(|id| after.selection.is_picked(id) && !before.is_picked(id));
    let (lifted, waiting): (Vec<_>, Vec<_>) =
        (picked.clone().filter(|id| before.is_excluded(id)).collect(), picked.filter(|id| waits(after, id)).collect());
    let verb = |ids: &[&str], one, several| format!("{} {}", joined(ids), if ids.len() == 1 { one } else { several });
    if !lifted.is_empty() {
        turn.print(format!("{} no longer excluded.", verb(&lifted, "is", "are")));
    }
    if !waiting.is_empty() {
        turn.print(format!("{} for your trust. Type trust to see why.", verb(&waiting, "waits", "wait")));
    }
    if !trusted.is_empty() {
        turn.print(format!("Agents may now fetch {}.", joined(&trusted)));
    }
}

/// Members that are not in the other selection.
/// Whether picks of one snapshot count that the other one has without a pick.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OtherPicks {
    Included,
    LeftOut,
}

fn only_in<'a>(of: &'a Snapshot, other: &Snapshot, other_picks: OtherPicks) -> Vec<&'a SelectedSource> {
    let is_only_picked_here =
        |id: &str| of.selection.is_picked(id) && !other.selection.is_picked(id) && other_picks == OtherPicks::Included;
    let members = of.selection.members().iter();
    members.filter(|it| !other.selection.contains(it.id.as_str()) || is_only_picked_here(it.id.as_str())).collect()
}

/// `The selection has 21 sources. With the auto sources they have about 75,000 tokens; with the instructions, an agent gets
/// about 76,475 tokens.`
pub fn total(snapshot: &Snapshot) -> String {
    let (chosen, given) = (chosen(snapshot), snapshot.source_tokens());
    match (given, snapshot.instructions) {
        (0, 0) => chosen,
        (given, 0) => format!("{chosen} With the auto sources, an agent gets {}.", tokens(given)),
        (0, _) => format!("{chosen} With the instructions, an agent gets {}.", tokens(snapshot.agent_tokens())),
        (given, _) => format!(
            "{chosen} With the auto sources that is {}; with the instructions, an agent gets {}.",
            tokens(given),
            tokens(snapshot.agent_tokens())
        ),
    }
}

/// `The selection has 21 sources.`, counted as on the screen: picked and pulled in.
pub fn chosen(snapshot: &Snapshot) -> String {
    match snapshot.catalog.sources().iter().filter(|source| snapshot.selection.counts(source)).count() {
        0 => "The selection is empty.".to_owned(),
        count => format!("The selection has {}.", counted(count, "source")),
    }
}
