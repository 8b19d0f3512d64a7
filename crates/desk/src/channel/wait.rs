//! How long an answer is waited for. A wait is bounded always, and whoever asks may give it up from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A wait is no longer than a week, whatever a configuration says.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// So often somebody who waits looks whether the answer is still wanted.
const GLANCE: Duration = Duration::from_millis(100);

/// How long an answer is waited for.
#[derive(Debug, Clone)]
pub struct Wait {
    /// Until then.
    pub until: Instant,
    given_up: Arc<AtomicBool>,
}

impl Wait {
    /// Until then, or until nobody wants the answer any more.
    pub fn until(until: Instant) -> Self {
        Self { until, given_up: Arc::default() }
    }

    /// So many seconds from now on, at most a week.
    pub fn seconds(seconds: f64) -> Self {
        let now = Instant::now();
        let span = Duration::try_from_secs_f64(seconds).unwrap_or(LONGEST).min(LONGEST);
        Self::until(now.checked_add(span).unwrap_or(now))
    }

    /// Nobody wants the answer any more.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether nobody wants it any more.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// What is left of it.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// So long somebody may wait for something else before looking at this again.
    pub(super) fn glance(&self) -> Duration {
        self.left().min(GLANCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_makes_a_wait_endless_or_breaks_it() {
        for (seconds, least, most) in [(60.0, 50, 60), (1e300, 600_000, 604_800), (f64::NAN, 600_000, 604_800)] {
            let left = Wait::seconds(seconds).left().as_secs();
            assert!((least..=most).contains(&left), "{seconds}: {left}");
        }
        assert!(!Wait::seconds(-1.0).is_given_up());
    }
}
