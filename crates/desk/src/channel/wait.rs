//! How long to wait for an answer. A wait is always bounded, and another thread may cancel it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use refdesk_core::config::MAX_TIMEOUT;

/// The interval at which a waiting thread checks for cancellation.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// A bounded wait that can be cancelled.
#[derive(Debug, Clone)]
pub struct Wait {
    /// The deadline.
    pub until: Instant,
    cancelled: Arc<AtomicBool>,
}

impl Wait {
    /// A wait until this deadline, or until it is cancelled.
    pub fn until(until: Instant) -> Self {
        Self { until, cancelled: Arc::default() }
    }

    /// A wait of this many seconds from now, at most a week.
    pub fn seconds(seconds: f64) -> Self {
        let now = Instant::now();
        let span = Duration::try_from_secs_f64(seconds).unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT);
        Self::until(now.checked_add(span).unwrap_or(now))
    }

    /// Cancels the wait.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// The flag that cancels the wait once it is set, for a signal handler.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// The remaining time.
    pub fn left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// How long to wait for something else before checking this again.
    pub(super) fn check_interval(&self) -> Duration {
        self.left().min(CHECK_INTERVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_seconds_is_a_bounded_wait() {
        for (seconds, least, most) in [(60.0, 50, 60), (1e300, 600_000, 604_800), (f64::NAN, 600_000, 604_800)] {
            let left = Wait::seconds(seconds).left().as_secs();
            assert!((least..=most).contains(&left), "{seconds}: {left}");
        }
        assert!(!Wait::seconds(-1.0).is_cancelled());
    }
}
