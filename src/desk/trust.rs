//! What the configuration of a workspace could do to its reader, and whether that person has trusted it (BEHAVIOUR §9).

use super::Desk;
use crate::config::Verdict;
use crate::selection::Access;

impl Desk {
    /// What may be read for the session.
    pub fn access(&self) -> Access {
        Access::new(&self.catalog, &self.selection, &self.expanded())
    }

    /// Who says yes to a file that an agent wants written; `shown` is its path as printed.
    pub fn verdict(&self, _shown: &str) -> Verdict {
        Verdict::Ask
    }
}
