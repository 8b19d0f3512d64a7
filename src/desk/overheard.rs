//! The journal as a running desk hears it: where it lies, what is appended to it, and one line of it in full.

use std::path::PathBuf;

use super::Desk;
use crate::session::{Line, Tail};

impl Desk {
    /// Where the journal is.
    pub fn journal_file(&self) -> PathBuf {
        self.store.journal_file()
    }

    /// Follows the journal, beginning with its last lines.
    pub fn tail(&self, last: usize) -> Tail {
        self.store.tail(last)
    }

    /// What a changed choice and the journal call this process.
    pub fn who(&self) -> &str {
        &self.options.who
    }

    /// One line of the journal.
    ///
    /// # Errors
    /// Why it is not to be had, in words.
    pub fn receipt(&self, number: u64) -> Result<Line, String> {
        let (lines, _) = self.store.journal().map_err(|error| format!("the journal cannot be read: {error}"))?;
        let found = lines.into_iter().rev().find(|line| line.n == number);
        found.ok_or_else(|| format!("line {number} is not in the journal any more"))
    }
}
