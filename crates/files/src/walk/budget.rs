//! The entries and the time that one walk may use, and that several walks share.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The most entries per walk: a repository can contain or link to a tree of any size.
const ENTRIES: usize = 50_000;

/// The most entries of all walks with the same budget: nested sources are walked one by one.
const TOTAL_ENTRIES: usize = 200_000;

/// The most time of all walks with the same budget, for slow file systems.
const TIME: Duration = Duration::from_secs(3);

/// Why a walk ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WalkStop {
    /// The tree has more entries than the limit for one walk.
    Entries,
    /// The walks with the same budget have used it up.
    Budget,
}

impl WalkStop {
    /// A message for people.
    pub fn message(self) -> String {
        match self {
            Self::Entries => format!("the folder has more than {ENTRIES} entries, so the rest are left out"),
            Self::Budget => format!(
                "all sources together have more than {TOTAL_ENTRIES} entries, or listing them took {} seconds, so the \
                 rest of this folder is left out",
                TIME.as_secs()
            ),
        }
    }

    /// What to do about it.
    pub fn fix(self) -> &'static str {
        match self {
            Self::Entries => "split the source into smaller ones",
            Self::Budget => "exclude sources with many files, or nest fewer sources: each one lists its folder again",
        }
    }
}

/// The entries and time shared by several walks, such as all walks of a command.
#[derive(Debug)]
pub struct WalkBudget {
    entries: AtomicUsize,
    pub(super) nanoseconds: Arc<AtomicU64>,
}

impl Default for WalkBudget {
    fn default() -> Self {
        Self::new(TOTAL_ENTRIES, TIME)
    }
}

impl WalkBudget {
    pub(super) fn new(entries: usize, time: Duration) -> Self {
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self { entries: entries.into(), nanoseconds: Arc::new(nanoseconds.into()) }
    }

    /// A budget for another step of the same request that walks the same folders. It has its own entries but shares the
    /// time, so that the request waits for a slow file system only once.
    #[must_use]
    pub fn sharing_time(&self) -> Self {
        Self { entries: TOTAL_ENTRIES.into(), nanoseconds: self.nanoseconds.clone() }
    }

    pub(super) fn start(&self) -> WalkAllowance<'_> {
        let start = Instant::now();
        let time = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        WalkAllowance { budget: self, entries: ENTRIES, start, time }
    }
}

/// One walk's share of the budget. The time is charged on drop.
pub(super) struct WalkAllowance<'a> {
    budget: &'a WalkBudget,
    pub(super) entries: usize,
    start: Instant,
    time: Duration,
}

impl WalkAllowance<'_> {
    /// Uses up one entry, if any is left.
    pub(super) fn take(&mut self) -> Result<(), WalkStop> {
        let one_less = |left: usize| left.checked_sub(1);
        self.entries = one_less(self.entries).ok_or(WalkStop::Entries)?;
        let is_in_time = !self.entries.is_multiple_of(64) || self.is_in_time();
        let is_left = || self.budget.entries.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok();
        if is_in_time && is_left() { Ok(()) } else { Err(WalkStop::Budget) }
    }

    pub(super) fn is_in_time(&self) -> bool {
        self.start.elapsed() < self.time
    }
}

impl Drop for WalkAllowance<'_> {
    fn drop(&mut self) {
        let taken = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let less = |left: u64| Some(left.saturating_sub(taken));
        let _ = self.budget.nanoseconds.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}
