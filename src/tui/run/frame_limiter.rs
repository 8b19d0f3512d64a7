//! Limits drawing to sixty frames a second. A key takes effect immediately; other changes are delayed while
//! many arrive.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time between frames while changes are delayed.
const FRAME_INTERVAL: Duration = Duration::from_millis(20);

/// Up to this many frames within [`BURST_WINDOW`] are not delayed.
const FEW: usize = 2;

/// The number of frames within [`BURST_WINDOW`] at fifty a second.
const MANY: usize = 5;

/// How long a frame for a key waits for the document that belongs to it.
const DOCUMENT_TIMEOUT: Duration = Duration::from_millis(8);

/// How long the frame for a cursor that rests on another source waits for its document and for what a pick would change.
/// The cursor's row is drawn already, and the old document is better than none: otherwise each move would take several
/// frames, the first of which blanks the document.
const REST_TIMEOUT: Duration = Duration::from_millis(80);

const BURST_WINDOW: Duration = Duration::from_millis(100);

/// Changes are delayed above this frame rate, which leaves some of the sixty frames for keys.
const MAX: usize = 50;

/// The number of frames drawn immediately after a key: one for an answer and one for a snapshot.
const IMMEDIATE_FRAMES: u8 = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trigger {
    /// Anything other than a key, such as a message of the engine or a resize.
    Change,
    /// The cursor rests, so the document follows it.
    Rest,
    Person,
}

/// When the last frames were drawn.
#[derive(Debug, Default)]
pub struct FrameLimiter {
    /// In chronological order, at most [`MAX`].
    drawn: VecDeque<Instant>,
    /// How many of [`IMMEDIATE_FRAMES`] remain since the last key.
    answers: u8,
    /// When a frame for a key or a resting cursor stops waiting for a document.
    document_deadline: Option<Instant>,
}

impl FrameLimiter {
    /// When a frame for this cause may be drawn, which can lack something that has been requested for it; `None` for now.
    pub fn due(&mut self, cause: Trigger, is_incomplete: bool, now: Instant) -> Option<Instant> {
        let timeout = match cause {
            Trigger::Change => None,
            Trigger::Rest => Some(REST_TIMEOUT),
            Trigger::Person => Some(DOCUMENT_TIMEOUT),
        };
        if let Some(timeout) = timeout {
            if !is_incomplete {
                return None;
            }
            let until = self.document_deadline.map_or(now + timeout, |until| until.min(now + timeout));
            self.document_deadline = Some(until);
            return Some(until);
        }
        let last = self.nth_last(1)?;
        let within = |count: usize, time| self.nth_last(count).is_some_and(|first| last.duration_since(first) < time);
        if within(MAX, Duration::from_secs(1)) {
            return self.nth_last(MANY).map(|first| first + BURST_WINDOW).max(Some(last + FRAME_INTERVAL));
        }
        (self.answers == 0 && within(FEW + 1, BURST_WINDOW)).then(|| last + FRAME_INTERVAL)
    }

    pub fn drew(&mut self, cause: Trigger, now: Instant) {
        self.document_deadline = None;
        self.answers = if cause == Trigger::Change { self.answers.saturating_sub(1) } else { IMMEDIATE_FRAMES };
        if self.drawn.len() == MAX {
            self.drawn.pop_front();
        }
        self.drawn.push_back(now);
    }

    fn nth_last(&self, count: usize) -> Option<Instant> {
        self.drawn.len().checked_sub(count).and_then(|at| self.drawn.get(at)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// The number of frames drawn in the last of three seconds with constant changes and a key every `key_every`
    /// milliseconds, and the longest time between two frames.
    fn drawn(key_every: u32) -> (usize, Duration) {
        let start = Instant::now();
        let mut frame_limiter = FrameLimiter::default();
        let (mut drawn, mut apart, mut last) = (0, Duration::ZERO, start);
        for at in 0..3000 {
            let now = start + MILLISECOND * at;
            let cause = if at % key_every == 0 { Trigger::Person } else { Trigger::Change };
            if frame_limiter.due(cause, false, now).is_none_or(|due| due <= now) {
                frame_limiter.drew(cause, now);
                drawn += usize::from(at >= 2000);
                apart = apart.max(now - last);
                last = now;
            }
        }
        (drawn, apart)
    }

    #[test]
    fn at_most_sixty_frames_a_second() {
        for key_every in [5000, 500, 100, 70, 50, 40, 33, 30, 25, 22, 20, 17] {
            let (frames, apart) = drawn(key_every);
            assert!((45..=60).contains(&frames), "{frames} frames, a key every {key_every} ms");
            assert!(apart <= BURST_WINDOW, "a pause of {apart:?}, a key every {key_every} ms");
        }
        assert_eq!(drawn(10).0, 100, "a hundred keys a second, each at once, and nothing else");
    }

    #[test]
    fn a_frame_for_a_key_waits_for_its_document_once_and_not_long() {
        let start = Instant::now();
        let mut frame_limiter = FrameLimiter::default();
        let due = start + DOCUMENT_TIMEOUT;
        assert_eq!(frame_limiter.due(Trigger::Person, true, start), Some(due));
        assert_eq!(
            frame_limiter.due(Trigger::Person, true, start + 3 * MILLISECOND),
            Some(due),
            "more keys do not prolong it"
        );
        assert_eq!(frame_limiter.due(Trigger::Person, false, start + 4 * MILLISECOND), None, "it came");
        frame_limiter.drew(Trigger::Person, start + 4 * MILLISECOND);
        let later = start + 5 * MILLISECOND;
        assert_eq!(frame_limiter.due(Trigger::Person, true, later), Some(later + DOCUMENT_TIMEOUT), "another key");
        assert_eq!(frame_limiter.due(Trigger::Change, true, later), None, "only frames for keys wait");
    }

    #[test]
    fn a_frame_for_a_resting_cursor_keeps_the_old_document_until_the_new_one_is_there() {
        let start = Instant::now();
        let mut frame_limiter = FrameLimiter::default();
        let due = start + REST_TIMEOUT;
        for milliseconds in [0, 20, 79] {
            let now = start + MILLISECOND * milliseconds;
            assert_eq!(frame_limiter.due(Trigger::Rest, true, now), Some(due), "answers do not prolong it");
        }
        assert_eq!(frame_limiter.due(Trigger::Rest, false, start + 30 * MILLISECOND), None, "it came");
        let key = start + 20 * MILLISECOND;
        assert_eq!(frame_limiter.due(Trigger::Person, false, key), None, "a key is shown at once");
        assert_eq!(frame_limiter.due(Trigger::Person, true, key), Some(key + DOCUMENT_TIMEOUT), "or soon");
    }

    #[test]
    fn the_effects_of_a_key_are_not_delayed() {
        let start = Instant::now();
        let mut frame_limiter = FrameLimiter::default();
        assert_eq!(frame_limiter.due(Trigger::Change, false, start), None, "the first frame");
        for key in 0..15 {
            let now = start + 5 * MILLISECOND * key;
            assert_eq!(frame_limiter.due(Trigger::Person, false, start), None);
            frame_limiter.drew(Trigger::Person, now);
            for _ in 0..IMMEDIATE_FRAMES {
                assert_eq!(frame_limiter.due(Trigger::Change, false, start), None, "key {key}");
                frame_limiter.drew(Trigger::Change, now);
            }
            assert_eq!(frame_limiter.due(Trigger::Change, false, start), Some(now + FRAME_INTERVAL), "and one more");
        }
    }

    #[test]
    fn a_few_changes_are_not_delayed() {
        let start = Instant::now();
        let mut frame_limiter = FrameLimiter::default();
        for second in 0..3 {
            let now = start + Duration::from_secs(second);
            frame_limiter.drew(Trigger::Change, now);
            assert_eq!(frame_limiter.due(Trigger::Change, false, start), None);
            frame_limiter.drew(Trigger::Change, now);
            assert_eq!(frame_limiter.due(Trigger::Change, false, start), None);
            frame_limiter.drew(Trigger::Change, now);
            assert_eq!(frame_limiter.due(Trigger::Change, false, start), Some(now + FRAME_INTERVAL));
        }
    }
}
