//! When the document follows the cursor of the catalog: immediately after a single move, in its own frame, and
//! after quick moves once the cursor rests, so that holding a key does not draw documents that flash by unread.

use std::time::{Duration, Instant};

use crate::tui::run::frame_limiter::Trigger;

/// Moves closer to each other than this are quick; the cursor rests this long after them. The repeat of a held key is faster on
/// every system.
const REST: Duration = Duration::from_millis(100);

/// The moves of the cursor away from the document that is shown.
#[derive(Debug, Default)]
pub struct CursorRest {
    moved: Option<Instant>,
    due: Option<Instant>,
}

impl CursorRest {
    /// After an input: whether the document is not that of the row under the cursor.
    pub fn follow(&mut self, is_passing: bool, cause: Trigger, now: Instant) {
        if !is_passing {
            self.due = None;
        } else if self.due.is_none() || cause == Trigger::Person {
            let is_quick = self.moved.is_some_and(|moved| now.duration_since(moved) < REST);
            self.due = Some(if is_quick { now + REST } else { now });
            self.moved = Some(now);
        }
    }

    /// When the document has to follow, if it has to.
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
        let mut rest = CursorRest::default();
        let mut after = |is_passing, cause, now| {
            rest.follow(is_passing, cause, at(now));
            rest.due()
        };
        for (is_passing, cause, now, due) in [
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
            assert_eq!(after(is_passing, cause, now), due.map(at), "{is_passing} {cause:?} at {now}");
        }
    }
}
