//! What a desk that lives on wants to know of the journal: what is appended to it, and which of that it has written itself.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::Desk;
use crate::session::{Tail, What};

/// Own lines that were not heard of yet; more are never under way.
const OWN: usize = 64;

/// The numbers of lines that say what was chosen and written here. Only what was appended has a number.
#[derive(Debug, Default)]
pub(super) struct OwnLines(Mutex<VecDeque<u64>>);

impl OwnLines {
    /// Notes that lines of these kinds were appended, of which the last has this number.
    pub fn note(&self, last: u64, whats: &[What]) {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (what, n) in whats.iter().rev().zip((0..=last).rev()) {
            if is_told(*what) {
                numbers.push_back(n);
            }
        }
        let many = numbers.len().saturating_sub(OWN);
        numbers.drain(..many);
    }

    /// Whether this line was appended here; asked once.
    fn take(&self, n: u64) -> bool {
        let mut numbers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = numbers.iter().position(|number| *number == n);
        at.and_then(|at| numbers.remove(at)).is_some()
    }
}

/// Whether somebody who lives on tells of it when it is done here.
fn is_told(what: What) -> bool {
    matches!(what, What::Selected | What::Unselected | What::Excluded | What::Included | What::Written)
}

impl Desk {
    /// Follows the journal, beginning with its last lines, so many of them.
    pub fn tail(&self, last: usize) -> Tail {
        self.store.tail(last)
    }

    /// Whether the line with this number tells of something that was chosen or written by this very desk; asked once for
    /// each line.
    pub fn takes_for_own(&self, n: u64) -> bool {
        self.own_lines.take(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_known_once_and_only_where_something_was_done() {
        let lines = OwnLines::default();
        lines.note(7, &[What::Unselected, What::Read, What::Selected]);
        assert_eq!([4, 5, 5, 6, 7, 8].map(|n| lines.take(n)), [false, true, false, false, true, false]);
        for n in 0..100 {
            lines.note(n, &[What::Written]);
        }
        assert_eq!([35, 36, 99].map(|n| lines.take(n)), [false, true, true]);
    }
}
