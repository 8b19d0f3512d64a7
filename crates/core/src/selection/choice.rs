//! Changes a choice: pick, unpick, exclude, include, clear. Each returns whether anything changed. `closure` computes
//! the result.

use std::collections::HashSet;

use super::Choice;

impl Choice {
    /// These picks, each once, without exclusions.
    pub fn of_picks(ids: &[String]) -> Self {
        let mut seen = HashSet::new();
        Self { picks: ids.iter().filter(|id| seen.insert(id.as_str())).cloned().collect(), exclusions: Vec::new() }
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

    /// Removes a pick.
    pub fn unpick(&mut self, id: &str) -> bool {
        take(&mut self.picks, id)
    }

    /// Excludes a source and removes its pick.
    pub fn exclude(&mut self, id: &str) -> bool {
        self.unpick(id);
        let new = !self.exclusions.iter().any(|exclusion| exclusion == id);
        if new {
            self.exclusions.push(id.to_owned());
        }
        new
    }

    /// Removes an exclusion.
    pub fn include(&mut self, id: &str) -> bool {
        take(&mut self.exclusions, id)
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
        assert_eq!(choice, Choice { picks: vec!["b".into()], exclusions: vec!["a".into()] });
        assert!(choice.pick("a"));
        assert_eq!(choice, Choice { picks: vec!["b".into(), "a".into()], exclusions: vec![] });
        assert!(choice.unpick("b") && !choice.unpick("b") && !choice.include("b"));
    }
}
