//! Undo and redo: steps from one choice to the next, applied to the current choice. Undo reverts only ids that are
//! still as the step left them; changes by others stay.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use super::Choice;
use refdesk_text::tokens::counted;

/// The number of steps kept for undo.
const LIMIT: usize = 100;

/// The changes made by one desk, and those it has undone.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<HistoryStep>,
    undone: Vec<HistoryStep>,
    /// The state of ids changed by others, as last reported to the user.
    reported: Vec<(String, IdState)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HistoryStep {
    before: Choice,
    after: Choice,
    /// The step's name, if it has its own.
    name: Option<StepName>,
    /// Ids that others have changed since. They are not reverted, even if they are back in the same state.
    foreign: BTreeSet<String>,
}

/// What a step did, as text: `pick of @a`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepName {
    /// The text.
    pub text: Arc<str>,
    /// The source in the text, if the step is about a single one.
    pub source: Option<String>,
    /// How many picks it names, if it only made or removed several.
    pub picks: Option<usize>,
}

/// The result of an undo or redo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UndoOutcome {
    /// Ids that were reverted.
    pub reverted: Vec<String>,
    /// Ids of the step that were not reverted, because others have changed them since.
    pub unchanged: Vec<String>,
    /// All ids that others have changed since the step and that were not yet reported.
    pub others: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdState {
    Picked,
    Excluded,
    /// Excluded until a pick is removed.
    ExcludedForPick,
    Neither,
}

impl History {
    /// Records a change and clears the redo steps.
    pub fn note(&mut self, before: Choice, after: Choice) {
        self.note_as(None, before, after);
    }

    /// Like [`History::note`], for a change with its own name: `switch to dev`.
    pub fn note_as(&mut self, name: Option<StepName>, before: Choice, after: Choice) {
        if before == after {
            return;
        }
        self.undone.clear();
        let own = changed(&before, &after);
        self.reported.retain(|(id, _)| !own.contains(id));
        self.done.push(HistoryStep { before, after, name, foreign: BTreeSet::new() });
        if self.done.len() > LIMIT {
            self.done.remove(0);
        }
    }

    /// Records a change by others, which this history will not undo or redo.
    pub fn note_others(&mut self, before: &Choice, after: &Choice) {
        if before == after {
            return;
        }
        let foreign = changed(before, after);
        for step in self.done.iter_mut().chain(&mut self.undone) {
            step.foreign.extend(foreign.iter().cloned());
        }
    }

    /// The name of the step that undo would revert.
    pub fn undo_name(&self) -> Option<StepName> {
        self.done.last().map(HistoryStep::name)
    }

    /// The name of the step that redo would repeat.
    pub fn redo_name(&self) -> Option<StepName> {
        self.undone.last().map(HistoryStep::name)
    }

    /// Undoes the last step on `now`; `None` if there is none.
    pub fn undo(&mut self, now: &mut Choice) -> Option<UndoOutcome> {
        let step = self.done.pop()?;
        let mut outcome = apply_step(now, &step.after, &step.before, &step.foreign);
        self.remove_reported(&mut outcome, now);
        if !outcome.reverted.is_empty() {
            self.undone.push(step);
        }
        Some(outcome)
    }

    /// Redoes the last undone step on `now`; `None` if there is none.
    pub fn redo(&mut self, now: &mut Choice) -> Option<UndoOutcome> {
        let step = self.undone.pop()?;
        let mut outcome = apply_step(now, &step.before, &step.after, &step.foreign);
        self.remove_reported(&mut outcome, now);
        if !outcome.reverted.is_empty() {
            self.done.push(step);
        }
        Some(outcome)
    }

    /// Removes from `others` the ids whose state was already reported.
    fn remove_reported(&mut self, outcome: &mut UndoOutcome, now: &Choice) {
        self.reported.retain(|(id, said)| mark(now, id) == *said);
        outcome.others.retain(|id| !self.reported.iter().any(|(other, _)| other == id));
        // If nothing was reverted, report only the cause.
        let output = if outcome.reverted.is_empty() { &outcome.unchanged } else { &outcome.others };
        self.reported.extend(output.iter().map(|id| (id.clone(), mark(now, id))));
    }
}

impl StepName {
    /// `pick of @a`
    pub fn of_source(what: &str, id: &str) -> Self {
        Self { text: format!("{what} of @{id}").into(), source: Some(id.to_owned()), picks: None }
    }
}

impl From<&str> for StepName {
    fn from(text: &str) -> Self {
        Self { text: text.into(), source: None, picks: None }
    }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl HistoryStep {
    /// `pick of @a`, `exclusion of @b`, `unpick of 3 sources`.
    fn name(&self) -> StepName {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let changed = changed(&self.before, &self.after);
        match changed.as_slice() {
            [id] => match (mark(&self.before, id), mark(&self.after, id)) {
                (_, IdState::Picked) => StepName::of_source("pick", id),
                (_, IdState::Excluded | IdState::ExcludedForPick) => StepName::of_source("exclusion", id),
                (IdState::Excluded | IdState::ExcludedForPick, IdState::Neither) => {
                    StepName::of_source("inclusion", id)
                }
                _ => StepName::of_source("unpick", id),
            },
            ids => self.only_pick().unwrap_or_else(|| self.summary(ids)),
        }
    }

    /// `unpick of 3 sources`
    fn summary(&self, ids: &[String]) -> StepName {
        let count = ids.len();
        let [before, after] = [&self.before, &self.after];
        let sources = counted(count, "source");
        let (text, picks) = if all_are(after, ids, IdState::Picked) {
            (counted(count, "pick"), Some(count))
        } else if all_are(after, ids, IdState::Excluded) {
            (format!("exclusion of {sources}"), None)
        } else if all_are(before, ids, IdState::Excluded) && all_are(after, ids, IdState::Neither) {
            (format!("inclusion of {sources}"), None)
        } else if all_are(before, ids, IdState::Picked) {
            (format!("unpick of {sources}"), Some(count))
        } else {
            (format!("change of {sources}"), None)
        };
        StepName { text: text.into(), source: None, picks }
    }
}

fn all_are(choice: &Choice, ids: &[String], state: IdState) -> bool {
    ids.iter().all(|id| mark(choice, id) == state)
}

impl HistoryStep {
    /// The only pick made or removed, if all other changes are exclusions for it.
    fn only_pick(&self) -> Option<StepName> {
        let only = |before: &Choice, after: &Choice| {
            let changed = changed(before, after);
            let [pick, made @ ..] = changed.as_slice() else { return None };
            let ids = after.excluded_for.get(pick)?;
            (mark(before, pick) != IdState::Picked && made.iter().all(|id| ids.contains(id))).then(|| pick.clone())
        };
        let picked = only(&self.before, &self.after).map(|pick| StepName::of_source("pick", &pick));
        picked.or_else(|| only(&self.after, &self.before).map(|pick| StepName::of_source("unpick", &pick)))
    }
}

/// The ids whose state differs between the two choices, picks first.
fn changed(one: &Choice, other: &Choice) -> Vec<String> {
    let (in_one, in_other) = (marks(one), marks(other));
    let all = [&one.picks, &other.picks, &one.exclusions, &other.exclusions].into_iter().flatten();
    let mut seen = BTreeSet::new();
    let is_changed = |id: &&String| in_one.get(id.as_str()) != in_other.get(id.as_str());
    all.filter(is_changed).filter(|id| seen.insert(id.as_str())).cloned().collect()
}

/// The state of every id in a choice.
fn marks(choice: &Choice) -> HashMap<&str, IdState> {
    let excluded = choice.exclusions.iter().map(|id| (id.as_str(), IdState::Excluded));
    let for_picks = choice.excluded_for.values().flatten().map(|id| (id.as_str(), IdState::ExcludedForPick));
    excluded.chain(for_picks).chain(choice.picks.iter().map(|id| (id.as_str(), IdState::Picked))).collect()
}

fn mark(choice: &Choice, id: &str) -> IdState {
    match choice {
        Choice { picks, .. } if picks.iter().any(|pick| pick == id) => IdState::Picked,
        choice if choice.is_excluded_by_user(id) => IdState::Excluded,
        Choice { exclusions, .. } if exclusions.iter().any(|exclusion| exclusion == id) => IdState::ExcludedForPick,
        _ => IdState::Neither,
    }
}

/// The exclusions for the picks of `now`: as in `to` for reverted ids, otherwise unchanged.
fn excluded_for(now: &Choice, to: &Choice, back: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let of = |choice: &Choice, pick: &String| choice.excluded_for.get(pick).cloned().unwrap_or_default();
    let made_for = |pick: &String| -> BTreeSet<String> {
        let (as_is, before) = (of(now, pick), of(to, pick));
        let is_back = |id: &String| back.contains(id);
        // An exclusion that a person has made since remains the person's.
        let before = before.into_iter().filter(|id| is_back(id) || is_back(pick) && !now.is_excluded_by_user(id));
        let as_is = as_is.into_iter().filter(|id| !is_back(id) && !is_back(pick));
        before.chain(as_is).filter(|id| now.exclusions.contains(id)).collect()
    };
    let made = now.picks.iter().map(|pick| (pick.clone(), made_for(pick)));
    made.filter(|(_, made)| !made.is_empty()).collect()
}

/// Changes `now` from `from` to `to`, but only ids that are still as in `from`.
fn apply_step(now: &mut Choice, from: &Choice, to: &Choice, foreign: &BTreeSet<String>) -> UndoOutcome {
    let others = changed(now, from);
    let (reverted, unchanged): (Vec<String>, Vec<String>) =
        changed(from, to).into_iter().partition(|id| !foreign.contains(id) && mark(now, id) == mark(from, id));
    now.picks.retain(|id| !reverted.contains(id));
    now.exclusions.retain(|id| !reverted.contains(id));
    restore_in_order(&mut now.picks, &to.picks, &reverted);
    restore_in_order(&mut now.exclusions, &to.exclusions, &reverted);
    now.excluded_for = excluded_for(now, to, &reverted);
    UndoOutcome { reverted, unchanged, others }
}

/// Inserts the reverted ids of `order` into `list`, each after its nearest predecessor in `list`.
fn restore_in_order(list: &mut Vec<String>, order: &[String], back: &[String]) {
    for (at, id) in order.iter().enumerate().filter(|(_, id)| back.contains(id)) {
        let before = order.get(..at).unwrap_or_default().iter().rev();
        let place = before.filter_map(|id| list.iter().position(|other| other == id)).next();
        list.insert(place.map_or(0, |place| place + 1), id.clone());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn choice(picks: &[&str], exclusions: &[&str]) -> Choice {
        let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Choice { picks: owned(picks), exclusions: owned(exclusions), ..Choice::default() }
    }

    #[test]
    fn later_changes_by_others_stay() {
        let (before, after) = (choice(&["a", "b"], &["x"]), choice(&["a"], &["b", "x"]));
        let mut history = History::default();
        history.note(before, after);
        assert_eq!(history.undo_name().as_ref().map(|name| &*name.text), Some("exclusion of @b"));
        // Others picked `c` and removed the exclusion of `x`: neither is undone.
        let mut now = choice(&["a", "c"], &["b"]);
        let undone = history.undo(&mut now).unwrap();
        assert_eq!((now.clone(), undone.unchanged.len()), (choice(&["a", "b", "c"], &[]), 0));
        assert_eq!(undone.others, ["c", "x"]);
        assert!(history.redo(&mut now).is_some());
        assert_eq!(now, choice(&["a", "c"], &["b"]));
        // Others also picked `b`, so undo leaves it.
        let mut now = choice(&["b"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().unchanged, ["b"]);
        assert_eq!(now, choice(&["b"], &[]));
        assert_eq!((history.undo_name(), history.redo_name()), (None, None));
    }

    #[test]
    fn a_change_by_others_is_reported_once() {
        let mut history = History::default();
        history.note(choice(&[], &[]), choice(&["a"], &[]));
        history.note(choice(&["a"], &[]), choice(&["a", "b"], &[]));
        let mut now = choice(&["a", "b", "x"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().others, ["x"]);
        assert_eq!(history.undo(&mut now).unwrap().others, [""; 0]);
        assert_eq!(history.redo(&mut now).unwrap().others, [""; 0]);
        // Another change of the same source is reported again, and so is a change of another source.
        now.exclude("x");
        now.pick("y");
        assert_eq!(history.redo(&mut now).unwrap().others, ["y", "x"]);
        assert_eq!(history.undo(&mut now).unwrap().others, [""; 0]);
        // Reverted and made again, it counts as a new change.
        now.include("x");
        assert_eq!(history.redo(&mut now).unwrap().others, [""; 0]);
        now.exclude("x");
        assert_eq!(history.undo(&mut now).unwrap().others, ["x"]);
    }

    #[test]
    fn a_change_that_others_reverted_still_counts_as_theirs() {
        let mut history = History::default();
        let (empty, picked) = (Choice::default(), choice(&["a", "b"], &[]));
        history.note(empty.clone(), picked.clone());
        history.note_others(&picked, &choice(&["b"], &[]));
        history.note_others(&choice(&["b"], &[]), &picked);
        let mut now = picked.clone();
        let undone = history.undo(&mut now).unwrap();
        assert_eq!((undone.reverted, undone.unchanged), (vec!["b".to_owned()], vec!["a".to_owned()]));
        assert_eq!(now, choice(&["a"], &[]));
        history.redo(&mut now);
        assert_eq!(now, picked);
        // A later change by this desk counts as this desk's own again.
        history.note(picked.clone(), choice(&["b"], &[]));
        let mut now = choice(&["b"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().reverted, ["a"]);
    }

    #[test]
    fn a_pick_with_exclusions_is_undone_and_redone_with_them() {
        let mut now = choice(&[], &["own"]);
        let mut history = History::default();
        let before = now.clone();
        now.pick("hub");
        ["own", "far", "farther"].iter().for_each(|id| now.exclude_for("hub", id));
        let picked = now.clone();
        history.note(before.clone(), now.clone());
        assert_eq!(history.undo_name().as_ref().map(|name| &*name.text), Some("pick of @hub"));
        now.unpick("hub");
        assert_eq!(now, before);
        history.note(picked.clone(), now.clone());
        assert_eq!(history.undo_name().as_ref().map(|name| &*name.text), Some("unpick of @hub"));
        for expected in [&picked, &before] {
            history.undo(&mut now);
            assert_eq!(&now, expected);
        }
        for expected in [&picked, &before] {
            history.redo(&mut now);
            assert_eq!(&now, expected);
        }
    }

    #[test]
    fn words() {
        for (before, after, words) in [
            (choice(&[], &[]), choice(&["a"], &[]), "pick of @a"),
            (choice(&[], &["a"]), choice(&["a"], &[]), "pick of @a"),
            (choice(&["a"], &[]), choice(&[], &[]), "unpick of @a"),
            (choice(&["a"], &[]), choice(&[], &["a"]), "exclusion of @a"),
            (choice(&[], &["a"]), choice(&[], &[]), "inclusion of @a"),
            (choice(&["a", "b"], &[]), choice(&[], &[]), "unpick of 2 sources"),
            (choice(&[], &[]), choice(&["a", "b"], &[]), "2 picks"),
            (choice(&["a"], &["b"]), choice(&[], &[]), "change of 2 sources"),
        ] {
            let mut history = History::default();
            history.note(before, after);
            assert_eq!(history.undo_name().as_ref().map(|name| &*name.text), Some(words));
        }
    }

    proptest! {
        /// Without changes by others, undoing everything restores the first choice, and redoing everything the last.
        #[test]
        fn undo_leads_back_and_redo_forth(steps in proptest::collection::vec((0..8u8, 0..5u8), 0..30)) {
            let mut now = Choice::default();
            let mut history = History::default();
            let mut trail = vec![now.clone()];
            for (what, id) in steps {
                let before = now.clone();
                let id = format!("s{id}");
                let far = format!("s{}", what.wrapping_mul(3) % 5);
                match what {
                    0 => now.pick(&id),
                    1 => now.unpick(&id),
                    2 => now.exclude(&id),
                    3 => now.include(&id),
                    // A pick together with an exclusion made for it.
                    _ if id == far => false,
                    _ if now.picks.contains(&far) => false,
                    _ => {
                        let is_new = now.pick(&id);
                        if is_new {
                            now.exclude_for(&id, &far);
                        }
                        is_new
                    }
                };
                if now != before {
                    history.note(before, now.clone());
                    trail.push(now.clone());
                }
            }
            for expected in trail.iter().rev().skip(1) {
                history.undo(&mut now);
                prop_assert_eq!(&now, expected);
            }
            prop_assert_eq!(history.undo(&mut now), None);
            for expected in trail.iter().skip(1) {
                history.redo(&mut now);
                prop_assert_eq!(&now, expected);
            }
            prop_assert_eq!(history.redo(&mut now), None);
        }
    }
}
