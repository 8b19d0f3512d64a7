//! Limits for watching and polling, because a repository can contain and refer to a tree of any size.

use std::time::Duration;

#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchLimits {
    /// The most watched folders.
    pub watches: usize,
    /// The most entries visited by one walk.
    pub entries: usize,
    /// The time limit of one walk.
    pub time: Duration,
}

impl Default for WatchLimits {
    fn default() -> Self {
        Self { watches: 8_192, entries: 100_000, time: Duration::from_secs(5) }
    }
}
