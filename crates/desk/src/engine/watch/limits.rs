//! Limits of watching and polling, because a repository can contain and name a tree of any size.

use std::time::Duration;

/// The limits of watching and polling.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Watched folders.
    pub watches: usize,
    /// Entries visited by one walk.
    pub entries: usize,
    /// The duration of one walk.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { watches: 8_192, entries: 100_000, time: Duration::from_secs(5) }
    }
}
