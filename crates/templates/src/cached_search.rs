//! A search that remembers its last result: looking for the next closing delimiter again and again must not read the rest
//! of the text each time.

/// Where a string stands next, remembered so that many questions cost one pass.
#[derive(Debug, Default)]
pub struct CachedSearch {
    asked: usize,
    found: Option<usize>,
}

impl CachedSearch {
    /// The first `what` at or after byte `at`, else the text's length. Questions come in ascending order.
    pub fn find(&mut self, text: &str, at: usize, what: &str) -> usize {
        if let Some(found) = self.found.filter(|found| self.asked <= at && at <= *found) {
            return found;
        }
        let found = text.get(at..).and_then(|rest| rest.find(what)).map_or(text.len(), |found| at + found);
        (self.asked, self.found) = (at, Some(found));
        found
    }
}
