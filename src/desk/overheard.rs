//! What a running desk wants to know of the journal: one line of it in full, and by which name it stands there itself.

use super::Desk;
use crate::session::Line;

impl Desk {
    /// What a changed choice and the journal call this process.
    pub fn who(&self) -> &str {
        &self.options.who
    }

    /// One line of the journal.
    ///
    /// # Errors
    /// Why it is not to be had, in words.
    pub fn receipt(&self, number: u64) -> Result<Line, String> {
        // Lines begin with their number, so that the others need not be understood.
        let begin = format!("{{\"n\":{number},");
        let mut found = None;
        let read = self.store.each_line(|line| line.starts_with(begin.as_bytes()), |line| found = Some(line));
        read.map_err(|error| format!("the journal cannot be read: {error}"))?;
        found.ok_or_else(|| format!("line {number} is not in the journal any more"))
    }
}
