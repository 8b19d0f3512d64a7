//! How much is watched or looked at. A repository can hold, and name, a tree of any size.

use std::time::Duration;

/// The bounds of following.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Folders that are watched.
    pub watches: usize,
    /// Entries of folders that one walk looks at, to find the folders below or to notice a change.
    pub entries: usize,
    /// How long one walk takes.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { watches: 8_192, entries: 100_000, time: Duration::from_secs(5) }
    }
}
