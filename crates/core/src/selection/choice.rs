//! Changes a choice: pick, unpick, exclude, include, clear. Each returns whether anything changed. `closure` computes
//! the resulting selection.

use std::collections::{BTreeSet, HashSet};

use super::Choice;

impl Choice {
    /// A choice with these picks, each once, and no exclusions.
    pub fn of_picks(ids: &[String]) -> Self {
        let mut seen = HashSet::new();
        let picks = ids.iter().filter(|id| seen.insert(id.as_str())).cloned().collect();
        Self { picks, ..Self::default() }
    }

    /// Adds a pick at the end and removes its exclusion.
    pub fn pick(&mut self, id: &str) -> bool {
        let lifted = self.include(id);
        let new = !self.picks.iter().any(|pick| pick == id);
        if new {
            self.picks.push(id.to_owned());
        }
        new || lifted
    }

    /// Removes a pick, and the exclusions that were made only for it.
    pub fn unpick(&mut self, id: &str) -> bool {
        self.remove_exclusions_for(&[id.to_owned()]);
        take(&mut self.picks, id)
    }

    /// Removes all other picks, and the exclusions made for them; returns the removed picks.
    pub fn retain_picks(&mut self, kept: &[String]) -> Vec<String> {
        let kept: HashSet<&String> = kept.iter().collect();
        let (stay, removed) = std::mem::take(&mut self.picks).into_iter().partition(|id| kept.contains(id));
        self.picks = stay;
        self.remove_exclusions_for(&removed);
        removed
    }

    /// Removes the exclusions made only for these picks.
    fn remove_exclusions_for(&mut self, picks: &[String]) {
        let made: BTreeSet<String> = picks.iter().filter_map(|id| self.excluded_for.remove(id)).flatten().collect();
        if made.is_empty() {
            return;
        }
        let others: HashSet<&String> = self.excluded_for.values().flatten().collect();
        self.exclusions.retain(|id| !made.contains(id) || others.contains(id));
    }

    /// Excludes a source and removes its pick. An exclusion made for a pick now persists without that pick.
    pub fn exclude(&mut self, id: &str) -> bool {
        self.unpick(id);
        let was_for_a_pick = self.is_excluded_for_pick(id);
        self.clear_pick_exclusions(id);
        let new = !self.exclusions.iter().any(|exclusion| exclusion == id);
        if new {
            self.exclusions.push(id.to_owned());
        }
        new || was_for_a_pick
    }

    /// Excludes a source until this pick is removed. Has no effect on an exclusion that a person made.
    pub fn exclude_for(&mut self, pick: &str, id: &str) {
        let is_excluded = self.exclusions.iter().any(|exclusion| exclusion == id);
        if is_excluded && !self.is_excluded_for_pick(id) {
            return;
        }
        if !is_excluded {
            self.exclusions.push(id.to_owned());
        }
        self.excluded_for.entry(pick.to_owned()).or_default().insert(id.to_owned());
    }

    /// Removes an exclusion.
    pub fn include(&mut self, id: &str) -> bool {
        self.clear_pick_exclusions(id);
        take(&mut self.exclusions, id)
    }

    /// Whether a person excluded this source; an exclusion for a pick does not count.
    pub fn is_excluded_by_user(&self, id: &str) -> bool {
        self.exclusions.iter().any(|exclusion| exclusion == id) && !self.is_excluded_for_pick(id)
    }

    fn is_excluded_for_pick(&self, id: &str) -> bool {
        self.excluded_for.values().any(|made| made.contains(id))
    }

    fn clear_pick_exclusions(&mut self, id: &str) {
        for made in self.excluded_for.values_mut() {
            made.remove(id);
        }
        self.excluded_for.retain(|_, made| !made.is_empty());
    }
}

fn take(list: &mut Vec<String>, id: &str) -> bool {
    let before = list.len();
    list.retain(|other| other != id);
    list.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_never_both_picked_and_excluded() {
        let mut choice = Choice::default();
        assert!(choice.pick("a") && choice.pick("b") && !choice.pick("a"));
        assert!(choice.exclude("a") && !choice.exclude("a"));
        assert_eq!(choice, Choice { picks: vec!["b".into()], exclusions: vec!["a".into()], ..Choice::default() });
        assert!(choice.pick("a"));
        assert_eq!(choice, Choice { picks: vec!["b".into(), "a".into()], ..Choice::default() });
        assert!(choice.unpick("b") && !choice.unpick("b") && !choice.include("b"));
    }

    #[test]
    fn exclusions_made_for_a_pick_are_lifted_with_it() {
        type Change = fn(&mut Choice, &str) -> bool;
        let (pick, unpick): (Change, Change) = (Choice::pick, Choice::unpick);
        let (exclude, include): (Change, Change) = (Choice::exclude, Choice::include);
        let cases = [
            (&[(unpick, "hub")][..], &["own", "both"][..]),
            (&[(exclude, "hub")], &["own", "both", "hub"]),
            (&[(unpick, "hub"), (unpick, "other")], &["own"]),
            (&[(exclude, "far"), (unpick, "hub")], &["own", "far", "both"]),
            (&[(include, "far"), (unpick, "hub")], &["own", "both"]),
            (&[(pick, "far"), (exclude, "far"), (unpick, "hub")], &["own", "both", "far"]),
            (&[(pick, "far")], &["own", "both"]),
        ];
        for (nth, (changes, expected)) in cases.into_iter().enumerate() {
            let mut choice = Choice::default();
            choice.exclude("own");
            choice.pick("hub");
            choice.pick("other");
            for (pick, id) in [("hub", "own"), ("hub", "far"), ("hub", "both"), ("other", "both")] {
                choice.exclude_for(pick, id);
            }
            assert_eq!(choice.exclusions, ["own", "far", "both"]);
            for (change, id) in changes {
                change(&mut choice, id);
            }
            assert_eq!(choice.exclusions, expected, "case {nth}");
        }
    }
}
