//! What happened at the desk, newest first, as the feed of the hints pane shows it: bounded, filterable, with a cursor.

use std::collections::VecDeque;

use crate::engine::Notice;

use super::field::TextField;
use super::motion::Cursor;

/// Notices kept; older ones are forgotten.
pub const KEPT: usize = 1000;

/// Notices, newest first.
#[derive(Debug, Clone, Default)]
pub struct Feed {
    /// At most [`KEPT`].
    pub notices: VecDeque<Notice>,
    /// The filter as typed.
    pub filter: TextField,
    /// Positions in `notices` of the rows that the filter keeps.
    pub rows: Vec<usize>,
    /// The row under the cursor, counted in `rows`.
    pub cursor: Cursor,
}

impl Feed {
    /// Adds what happened last.
    pub fn add(&mut self, notice: Notice) {
        self.notices.push_front(notice);
        self.notices.truncate(KEPT);
        self.rows = (0..self.notices.len()).collect();
    }
}
