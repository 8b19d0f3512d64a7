//! Journal access for a long-running desk: new lines, and which of them it wrote itself.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::Desk;
use crate::session::{JournalEvent, JournalTail};

/// The most own lines that wait to be read back.
const OWN: usize = 64;

/// The numbers of lines this desk wrote about choices and writes. Only appended lines have a number.
#[derive(Debug, Default)]
pub(super) struct OwnLines(Mutex<VecDeque<u64>>);

impl OwnLines {
    /// Records that lines of these kinds were appended; `last` is the number of the last one.
    pub(crate) fn note(&self, last: u64, whats: &[JournalEvent]) {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (what, n) in whats.iter().rev().zip((0..=last).rev()) {
            if is_reported(*what) {
                numbers.push_back(n);
            }
        }
        let many = numbers.len().saturating_sub(OWN);
        numbers.drain(..many);
    }

    /// Whether this desk appended this line. Forgets the number, so ask once per line.
    pub(crate) fn take(&self, n: u64) -> bool {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = numbers.iter().position(|number| *number == n);
        at.and_then(|at| numbers.remove(at)).is_some()
    }
}

/// Whether a long-running desk itself reports such an event when it causes it.
fn is_reported(what: JournalEvent) -> bool {
    matches!(
        what,
        JournalEvent::Selected
            | JournalEvent::Unselected
            | JournalEvent::Excluded
            | JournalEvent::Included
            | JournalEvent::Written
    )
}

impl Desk {
    /// Follows the journal, starting with its last lines.
    pub fn tail(&self, last: usize) -> JournalTail {
        self.store.tail(last)
    }

    /// Follows the journal from its first line.
    pub(crate) fn whole_tail(&self) -> JournalTail {
        self.store.whole_tail()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_known_once_and_only_for_reported_kinds() {
        let lines = OwnLines::default();
        lines.note(7, &[JournalEvent::Unselected, JournalEvent::Read, JournalEvent::Selected]);
        assert_eq!([4, 5, 5, 6, 7, 8].map(|n| lines.take(n)), [false, true, false, false, true, false]);
        for n in 0..100 {
            lines.note(n, &[JournalEvent::Written]);
        }
        assert_eq!([35, 36, 99].map(|n| lines.take(n)), [false, true, true]);
    }
}
