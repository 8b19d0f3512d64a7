//! A cursor in a list of any length, and the window of rows around it. Lists draw only their window, so that
//! a keypress costs the same with ten or ten thousand rows.

use std::ops::Range;

use ratatui::layout::{Position, Rect};

/// A movement in a list or a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Motion {
    Up,
    Down,
    HalfUp,
    HalfDown,
    PageUp,
    PageDown,
    Top,
    Bottom,
}

impl Motion {
    /// The target of this motion from `at`, with `page` visible rows and last index `last`.
    fn target(self, at: usize, page: usize, last: usize) -> usize {
        let page = page.max(1);
        match self {
            Self::Up => at.saturating_sub(1),
            Self::Down => at.saturating_add(1),
            Self::HalfUp => at.saturating_sub((page / 2).max(1)),
            Self::HalfDown => at.saturating_add((page / 2).max(1)),
            Self::PageUp => at.saturating_sub(page),
            Self::PageDown => at.saturating_add(page),
            Self::Top => 0,
            Self::Bottom => last,
        }
        .min(last)
    }
}

/// A position in a list, and the first visible row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Its row; 0 in an empty list.
    pub at: usize,
    pub top: usize,
}

impl Cursor {
    /// Moves in a list of `len` rows of which `page` are visible.
    pub fn step(&mut self, motion: Motion, len: usize, page: usize) {
        self.at = motion.target(self.at, page, len.saturating_sub(1));
        self.clamp(len, page);
    }

    /// Moves cursor and window into a list of `len` rows of which `page` are visible, no further than needed.
    pub fn clamp(&mut self, len: usize, page: usize) {
        self.at = self.at.min(len.saturating_sub(1));
        let page = page.max(1);
        self.top = self.top.clamp((self.at + 1).saturating_sub(page), self.at).min(len.saturating_sub(page));
    }

    /// Scrolls the window by this many rows; the cursor moves only as needed to stay visible.
    pub fn scroll(&mut self, motion: Motion, rows: usize, len: usize, page: usize) {
        let last = len.saturating_sub(page.max(1));
        for _ in 0..rows {
            self.top = motion.target(self.top, page, last);
        }
        self.at = self.at.clamp(self.top, self.top + page.max(1) - 1);
        self.clamp(len, page);
    }

    /// The row at this position of a list of `len` rows drawn in `place`.
    pub fn row_at(&self, place: Rect, len: usize, at: Position) -> Option<usize> {
        let row = place.contains(at).then(|| self.top + usize::from(at.y - place.y))?;
        (row < len).then_some(row)
    }

    pub fn window(&self, len: usize, page: usize) -> Range<usize> {
        let top = self.top.min(len);
        top..len.min(top.saturating_add(page))
    }
}

/// The first visible line of a text without a cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Scroll {
    /// From 0.
    pub top: usize,
}

impl Scroll {
    /// Scrolls in a text of `len` lines of which `page` are visible, up to the last page.
    pub fn step(&mut self, motion: Motion, len: usize, page: usize) {
        self.top = motion.target(self.top, page, len.saturating_sub(page));
    }

    pub fn window(&self, len: usize, page: usize) -> Range<usize> {
        let top = self.top.min(len.saturating_sub(page));
        top..len.min(top.saturating_add(page))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ALL: [Motion; 8] = [
        Motion::Up,
        Motion::Down,
        Motion::HalfUp,
        Motion::HalfDown,
        Motion::PageUp,
        Motion::PageDown,
        Motion::Top,
        Motion::Bottom,
    ];

    #[test]
    fn motions() {
        for (motion, from, to) in [
            (Motion::Up, 0, 0),
            (Motion::Down, 0, 1),
            (Motion::Down, 99, 99),
            (Motion::HalfDown, 10, 15),
            (Motion::HalfUp, 10, 5),
            (Motion::PageDown, 95, 99),
            (Motion::PageUp, 10, 0),
            (Motion::Top, 50, 0),
            (Motion::Bottom, 50, 99),
        ] {
            let mut cursor = Cursor { at: from, top: 0 };
            cursor.step(motion, 100, 10);
            assert_eq!(cursor.at, to, "{motion:?} from {from}");
        }
    }

    #[test]
    fn scrolling_moves_the_cursor_only_at_the_edges() {
        for (motion, at, top, to) in [
            (Motion::Down, 5, 0, Cursor { at: 5, top: 3 }),
            (Motion::Down, 1, 0, Cursor { at: 3, top: 3 }),
            (Motion::Up, 29, 20, Cursor { at: 26, top: 17 }),
            (Motion::Up, 5, 0, Cursor { at: 5, top: 0 }),
            (Motion::Down, 95, 89, Cursor { at: 95, top: 90 }),
        ] {
            let mut cursor = Cursor { at, top };
            cursor.scroll(motion, 3, 100, 10);
            assert_eq!(cursor, to, "{motion:?} from {at}, {top}");
        }
    }

    proptest! {
        #[test]
        fn the_cursor_stays_in_its_window(
            steps in proptest::collection::vec((proptest::sample::select(&ALL[..]), 0..40usize, 0..15usize), 1..60)
        ) {
            let mut cursor = Cursor::default();
            for (nth, (motion, len, page)) in steps.into_iter().enumerate() {
                if nth % 3 == 2 {
                    cursor.scroll(motion, nth % 5, len, page);
                } else {
                    cursor.step(motion, len, page);
                }
                let window = cursor.window(len, page.max(1));
                prop_assert!(len == 0 || window.contains(&cursor.at), "{cursor:?} of {len}, page {page}");
                prop_assert!(window.len() == len.min(page.max(1)), "a full page is shown where there is one");
            }
        }
    }
}
