//! Decides when the document follows the catalog's cursor: immediately after a single move, in its own frame, and after
//! quick moves once the cursor rests. Holding a key thus does not draw documents that pass too quickly to be read.

use std::time::{Duration, Instant};

use crate::tui::run::frame_limiter::Trigger;

/// Moves closer together than this are quick, and the cursor must rest this long after them. Every system
/// repeats a held key faster.
const REST: Duration = Duration::from_millis(100);

/// Moves of the cursor away from the document on screen.
#[derive(Debug, Default)]
pub struct CursorDebounce {
    moved: Option<Instant>,
    due: Option<Instant>,
}

impl CursorDebounce {
    /// Called after every input; `has_left_document` tells whether the cursor has left the document on screen.
    pub fn follow(&mut self, has_left_document: bool, cause: Trigger, now: Instant) {
        if !has_left_document {
            self.due = None;
        } else if self.due.is_none() || cause != Trigger::Change {
            let is_quick = self.moved.is_some_and(|moved| now.duration_since(moved) < REST);
            self.due = Some(if is_quick { now + REST } else { now });
            self.moved = Some(now);
        }
    }

    /// When the document has to follow, if it does.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_move_is_followed_at_once_and_quick_ones_when_they_end() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let mut rest = CursorDebounce::default();
        let mut after = |has_left_document, cause, now| {
            rest.follow(has_left_document, cause, at(now));
            rest.due()
        };
        for (has_left_document, cause, now, due) in [
            (false, Trigger::Person, 0, None),
            (true, Trigger::Person, 10, Some(10)),
            (true, Trigger::Change, 12, Some(10)),
            (false, Trigger::Person, 13, None),
            (true, Trigger::Person, 40, Some(140)),
            (true, Trigger::Person, 70, Some(170)),
            (true, Trigger::Change, 90, Some(170)),
            (false, Trigger::Person, 170, None),
            (true, Trigger::Person, 171, Some(171)),
        ] {
            assert_eq!(after(has_left_document, cause, now), due.map(at), "{has_left_document} {cause:?} at {now}");
        }
    }
}
