//! The history of prompts, like a shell's. It is kept in memory only, because prompts can contain secrets;
//! only the draft is saved.

use std::sync::Arc;

/// The maximum number of prompts; older ones are dropped.
pub const REMEMBERED: usize = 100;

#[derive(Debug, Clone, Default)]
pub struct PromptHistory {
    /// Oldest first.
    left: Vec<Arc<str>>,
    walk: Option<HistoryWalk>,
}

/// Keeps edits to recalled prompts until one of them is used.
#[derive(Debug, Clone)]
struct HistoryWalk {
    /// Oldest first; the last is the text that was being typed when the walk started.
    texts: Vec<Arc<str>>,
    at: usize,
}

impl PromptHistory {
    /// Adds the prompt that is left, and the draft that a recalled prompt replaced.
    pub fn remember(&mut self, text: &str) {
        let walk = self.walk.take();
        let draft = walk.filter(|walk| walk.at + 1 < walk.texts.len()).and_then(|walk| walk.texts.last().cloned());
        for text in draft.as_deref().into_iter().chain([text]) {
            let known = self.left.last().is_some_and(|last| **last == *text);
            if !known && !text.trim().is_empty() {
                self.left.push(Arc::from(text));
            }
        }
        let over = self.left.len().saturating_sub(REMEMBERED);
        self.left.drain(..over);
    }

    /// Whether there is a prompt older than the current one.
    pub fn has_older(&self, shown: &str) -> bool {
        self.walk.as_ref().map_or(self.before(shown), |walk| walk.at) > 0
    }

    /// The number of prompts older than the current one. The last entry may still be in the field; recalling
    /// it would change nothing.
    fn before(&self, shown: &str) -> usize {
        let same = self.left.last().is_some_and(|last| **last == *shown);
        self.left.len() - usize::from(same)
    }

    /// The prompt before the current one; `None` at the oldest.
    pub fn older(&mut self, shown: &str) -> Option<Arc<str>> {
        if self.walk.is_none() {
            let before = self.before(shown);
            let texts = self.left.iter().take(before).cloned().chain([Arc::from(shown)]).collect();
            self.walk = Some(HistoryWalk { texts, at: before });
        }
        self.step(shown, |at| at.checked_sub(1))
    }

    /// The prompt after the current one; `None` at the draft.
    pub fn newer(&mut self, shown: &str) -> Option<Arc<str>> {
        self.step(shown, |at| at.checked_add(1))
    }

    fn step(&mut self, shown: &str, to: impl Fn(usize) -> Option<usize>) -> Option<Arc<str>> {
        let walk = self.walk.as_mut()?;
        let next = walk.texts.get(to(walk.at)?).cloned()?;
        if let Some(text) = walk.texts.get_mut(walk.at) {
            *text = Arc::from(shown);
        }
        walk.at = to(walk.at)?;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(texts: &[&str]) -> PromptHistory {
        let mut recall = PromptHistory::default();
        texts.iter().for_each(|text| recall.remember(text));
        recall
    }

    #[test]
    fn recall_works_as_in_a_shell() {
        let mut recall = left(&["one", "two", "two", " \n", "three"]);
        assert_eq!(recall.newer("draft"), None, "nothing is newer than what is typed");
        for (older, shown, expected) in [
            (true, "draft", Some("three")),
            (true, "three", Some("two")),
            (true, "two, changed", Some("one")),
            (true, "one", None),
            (false, "one", Some("two, changed")),
            (false, "two, changed", Some("three")),
            (false, "three", Some("draft")),
            (false, "draft", None),
        ] {
            let text = if older { recall.older(shown) } else { recall.newer(shown) };
            assert_eq!(text.as_deref(), expected, "{shown}");
        }
    }

    #[test]
    fn a_draft_is_kept_when_an_older_prompt_is_used() {
        let mut recall = left(&["one"]);
        assert_eq!(recall.older("draft").as_deref(), Some("one"));
        recall.remember("one");
        assert_eq!(recall.older("one").as_deref(), Some("draft"), "the text in the field is not recalled again");
        assert_eq!(recall.older("draft").as_deref(), Some("one"));
        assert_eq!(recall.older("one"), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let texts: Vec<String> = (0..REMEMBERED + 5).map(|at| at.to_string()).collect();
        let recall = left(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((recall.left.len(), &*recall.left[0]), (REMEMBERED, "5"));
    }
}
