//! What was changed, so that it can be taken back: steps from one choice to the next, retraced on whatever the choice is by
//! then. Only what still stands as the step left it goes back; what somebody else changed meanwhile is theirs.

use std::collections::{BTreeSet, HashMap};

use super::Choice;

/// Steps that can be taken back; older ones are forgotten.
const LIMIT: usize = 100;

/// The own changes of one desk, and those taken back.
#[derive(Debug, Clone, Default)]
pub struct History {
    done: Vec<HistoryStep>,
    undone: Vec<HistoryStep>,
    /// What others had made of an id when that was said last.
    said: Vec<(String, IdState)>,
}

/// One change of a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryStep {
    before: Choice,
    after: Choice,
    /// What it was, where the difference does not say it.
    name: Option<String>,
    /// Ids that somebody else has changed since; they are theirs, also where they stand as before again.
    foreign: BTreeSet<String>,
}

/// A step retraced.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retraced {
    /// Ids that went back.
    pub back: Vec<String>,
    /// Ids of the step that somebody else has changed since, and that stay as they are.
    pub kept: Vec<String>,
    /// Every id that somebody else has changed since the step, and of which that was not said before.
    pub others: Vec<String>,
}

/// What a choice says of one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IdState {
    Picked,
    Excluded,
    Neither,
}

impl History {
    /// Notes a change that was made; what had been taken back before cannot be done again after it.
    pub fn note(&mut self, before: Choice, after: Choice) {
        self.note_as(None, before, after);
    }

    /// The same of a change that is called by a name: `switch to dev`.
    pub fn note_as(&mut self, name: Option<String>, before: Choice, after: Choice) {
        if before == after {
            return;
        }
        self.undone.clear();
        let own = changed(&before, &after);
        self.said.retain(|(id, _)| !own.contains(id));
        self.done.push(HistoryStep { before, after, name, foreign: BTreeSet::new() });
        if self.done.len() > LIMIT {
            self.done.remove(0);
        }
    }

    /// Takes note of what somebody else changed: none of it is to be taken back, or done again, by this history.
    pub fn note_others(&mut self, before: &Choice, after: &Choice) {
        if before == after {
            return;
        }
        let foreign = changed(before, after);
        for step in self.done.iter_mut().chain(&mut self.undone) {
            step.foreign.extend(foreign.iter().cloned());
        }
    }

    /// What undo would take back, in words.
    pub fn undo_words(&self) -> Option<String> {
        self.done.last().map(HistoryStep::words)
    }

    /// What redo would do again, in words.
    pub fn redo_words(&self) -> Option<String> {
        self.undone.last().map(HistoryStep::words)
    }

    /// Takes the last step back on `now`; `None` where there is none.
    pub fn undo(&mut self, now: &mut Choice) -> Option<Retraced> {
        let step = self.done.pop()?;
        let mut retraced = retrace(now, &step.after, &step.before, &step.foreign);
        self.say_once(&mut retraced, now);
        if !retraced.back.is_empty() {
            self.undone.push(step);
        }
        Some(retraced)
    }

    /// Does the step taken back last again on `now`; `None` where there is none.
    pub fn redo(&mut self, now: &mut Choice) -> Option<Retraced> {
        let step = self.undone.pop()?;
        let mut retraced = retrace(now, &step.before, &step.after, &step.foreign);
        self.say_once(&mut retraced, now);
        if !retraced.back.is_empty() {
            self.done.push(step);
        }
        Some(retraced)
    }

    /// Leaves those of `others` out that stand as they stood when that was said last.
    fn say_once(&mut self, retraced: &mut Retraced, now: &Choice) {
        self.said.retain(|(id, said)| mark(now, id) == *said);
        retraced.others.retain(|id| !self.said.iter().any(|(other, _)| other == id));
        // Where nothing went back, only what stood in the way is said.
        let told = if retraced.back.is_empty() { &retraced.kept } else { &retraced.others };
        self.said.extend(told.iter().map(|id| (id.clone(), mark(now, id))));
    }
}

impl HistoryStep {
    /// `pick of @a`, `exclusion of @b`, `3 picks taken back`.
    fn words(&self) -> String {
        if let Some(name) = &self.name {
            return name.clone();
        }
        let changed = changed(&self.before, &self.after);
        match changed.as_slice() {
            [id] => match (mark(&self.before, id), mark(&self.after, id)) {
                (_, IdState::Picked) => format!("pick of @{id}"),
                (_, IdState::Excluded) => format!("exclusion of @{id}"),
                (IdState::Excluded, IdState::Neither) => format!("inclusion of @{id}"),
                _ => format!("unpick of @{id}"),
            },
            ids if ids.iter().all(|id| mark(&self.after, id) == IdState::Picked) => format!("{} picks", ids.len()),
            ids if ids.iter().all(|id| mark(&self.before, id) == IdState::Picked) => {
                format!("taking back of {} picks", ids.len())
            }
            ids => format!("change of {} sources", ids.len()),
        }
    }
}

/// The ids that the two choices speak of differently, picks first.
fn changed(one: &Choice, other: &Choice) -> Vec<String> {
    let (in_one, in_other) = (marks(one), marks(other));
    let all = [&one.picks, &other.picks, &one.exclusions, &other.exclusions].into_iter().flatten();
    let mut seen = BTreeSet::new();
    let is_changed = |id: &&String| in_one.get(id.as_str()) != in_other.get(id.as_str());
    all.filter(is_changed).filter(|id| seen.insert(id.as_str())).cloned().collect()
}

/// What a choice says of every id that it names.
fn marks(choice: &Choice) -> HashMap<&str, IdState> {
    let excluded = choice.exclusions.iter().map(|id| (id.as_str(), IdState::Excluded));
    excluded.chain(choice.picks.iter().map(|id| (id.as_str(), IdState::Picked))).collect()
}

fn mark(choice: &Choice, id: &str) -> IdState {
    match choice {
        Choice { picks, .. } if picks.iter().any(|pick| pick == id) => IdState::Picked,
        Choice { exclusions, .. } if exclusions.iter().any(|exclusion| exclusion == id) => IdState::Excluded,
        _ => IdState::Neither,
    }
}

/// Brings `now` from `from` to `to`, as far as it still stands as in `from`.
fn retrace(now: &mut Choice, from: &Choice, to: &Choice, foreign: &BTreeSet<String>) -> Retraced {
    let others = changed(now, from);
    let (back, kept): (Vec<String>, Vec<String>) =
        changed(from, to).into_iter().partition(|id| !foreign.contains(id) && mark(now, id) == mark(from, id));
    now.picks.retain(|id| !back.contains(id));
    now.exclusions.retain(|id| !back.contains(id));
    put_back(&mut now.picks, &to.picks, &back);
    put_back(&mut now.exclusions, &to.exclusions, &back);
    Retraced { back, kept, others }
}

/// Puts those of `order` that went back into `list`, each behind its nearest predecessor that is there.
fn put_back(list: &mut Vec<String>, order: &[String], back: &[String]) {
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
        Choice { picks: owned(picks), exclusions: owned(exclusions) }
    }

    #[test]
    fn what_others_changed_meanwhile_stays() {
        let (before, after) = (choice(&["a", "b"], &["x"]), choice(&["a"], &["b", "x"]));
        let mut history = History::default();
        history.note(before, after);
        assert_eq!(history.undo_words().as_deref(), Some("exclusion of @b"));
        // Somebody else picked `c` and lifted the exclusion of `x`: nothing of that is undone.
        let mut now = choice(&["a", "c"], &["b"]);
        let undone = history.undo(&mut now).unwrap();
        assert_eq!((now.clone(), undone.kept.len()), (choice(&["a", "b", "c"], &[]), 0));
        assert_eq!(undone.others, ["c", "x"]);
        assert!(history.redo(&mut now).is_some());
        assert_eq!(now, choice(&["a", "c"], &["b"]));
        // Somebody else picked `b` itself: then it is theirs.
        let mut now = choice(&["b"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().kept, ["b"]);
        assert_eq!(now, choice(&["b"], &[]));
        assert_eq!((history.undo_words(), history.redo_words()), (None, None));
    }

    #[test]
    fn a_change_by_others_is_said_once() {
        let mut history = History::default();
        history.note(choice(&[], &[]), choice(&["a"], &[]));
        history.note(choice(&["a"], &[]), choice(&["a", "b"], &[]));
        let mut now = choice(&["a", "b", "x"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().others, ["x"]);
        assert_eq!(history.undo(&mut now).unwrap().others, [""; 0]);
        assert_eq!(history.redo(&mut now).unwrap().others, [""; 0]);
        // Another change of the same source is said again, and so is one of another source.
        now.exclude("x");
        now.pick("y");
        assert_eq!(history.redo(&mut now).unwrap().others, ["y", "x"]);
        assert_eq!(history.undo(&mut now).unwrap().others, [""; 0]);
        // Taken back and made again, it is a change again.
        now.include("x");
        assert_eq!(history.redo(&mut now).unwrap().others, [""; 0]);
        now.exclude("x");
        assert_eq!(history.undo(&mut now).unwrap().others, ["x"]);
    }

    #[test]
    fn what_others_put_back_as_it_was_is_theirs_all_the_same() {
        let mut history = History::default();
        let (empty, picked) = (Choice::default(), choice(&["a", "b"], &[]));
        history.note(empty.clone(), picked.clone());
        history.note_others(&picked, &choice(&["b"], &[]));
        history.note_others(&choice(&["b"], &[]), &picked);
        let mut now = picked.clone();
        let undone = history.undo(&mut now).unwrap();
        assert_eq!((undone.back, undone.kept), (vec!["b".to_owned()], vec!["a".to_owned()]));
        assert_eq!(now, choice(&["a"], &[]));
        history.redo(&mut now);
        assert_eq!(now, picked);
        // A change of one's own after that is one's own again.
        history.note(picked.clone(), choice(&["b"], &[]));
        let mut now = choice(&["b"], &[]);
        assert_eq!(history.undo(&mut now).unwrap().back, ["a"]);
    }

    #[test]
    fn words() {
        for (before, after, words) in [
            (choice(&[], &[]), choice(&["a"], &[]), "pick of @a"),
            (choice(&[], &["a"]), choice(&["a"], &[]), "pick of @a"),
            (choice(&["a"], &[]), choice(&[], &[]), "unpick of @a"),
            (choice(&["a"], &[]), choice(&[], &["a"]), "exclusion of @a"),
            (choice(&[], &["a"]), choice(&[], &[]), "inclusion of @a"),
            (choice(&["a", "b"], &[]), choice(&[], &[]), "taking back of 2 picks"),
            (choice(&[], &[]), choice(&["a", "b"], &[]), "2 picks"),
            (choice(&["a"], &["b"]), choice(&[], &[]), "change of 2 sources"),
        ] {
            let mut history = History::default();
            history.note(before, after);
            assert_eq!(history.undo_words().as_deref(), Some(words));
        }
    }

    proptest! {
        /// Undo of everything, with nobody else about, leads back; redo of everything leads forth again.
        #[test]
        fn undo_leads_back_and_redo_forth(steps in proptest::collection::vec((0..4u8, 0..5u8), 0..30)) {
            let mut now = Choice::default();
            let mut history = History::default();
            let mut trail = vec![now.clone()];
            for (what, id) in steps {
                let before = now.clone();
                let id = format!("s{id}");
                match what {
                    0 => now.pick(&id),
                    1 => now.unpick(&id),
                    2 => now.exclude(&id),
                    _ => now.include(&id),
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
