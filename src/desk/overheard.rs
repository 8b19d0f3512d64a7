//! What a desk that lives on wants to know of the journal: what is appended to it, and by which name it stands there itself.

use super::Desk;
use crate::session::Tail;

impl Desk {
    /// Follows the journal, beginning with its last lines, so many of them.
    pub fn tail(&self, last: usize) -> Tail {
        self.store.tail(last)
    }

    /// What a changed choice and the journal call this process.
    pub fn who(&self) -> &str {
        &self.options.who
    }
}
