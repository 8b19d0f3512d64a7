//! Caches the last result, so that searches for the next closing delimiter do not each scan the rest of the text.

/// Finds the next position of a string; many searches cost one pass.
#[derive(Debug, Default)]
pub(crate) struct CachedSearch {
    asked: usize,
    found: Option<usize>,
}

impl CachedSearch {
    /// The first `what` at or after byte `at`, else the text's length. Calls must come in ascending order of `at`.
    pub(crate) fn find(&mut self, text: &str, at: usize, what: &str) -> usize {
        if let Some(found) = self.found.filter(|found| self.asked <= at && at <= *found) {
            return found;
        }
        let found = text.get(at..).and_then(|rest| rest.find(what)).map_or(text.len(), |found| at + found);
        (self.asked, self.found) = (at, Some(found));
        found
    }
}
