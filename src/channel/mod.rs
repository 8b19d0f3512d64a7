//! How a person is asked, for a choice of sources or for a yes to a write: at the terminal, on a running screen, by an HTTP
//! request, by files (BEHAVIOUR §8). Asking waits: whoever must not wait asks from a thread of its own.
//!
//! Processes share nothing but the file system, so a request to a screen is a file that every screen of the workspace watches.

mod open;
mod request;

pub use open::{Place, Way, open, request};
pub use request::{Approval, Asker, Offered, Request, Response};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// One way to ask.
pub trait Channel: Send + Sync {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// There is none, and why.
    fn ask(&self, request: &Request, wait: &Wait) -> Result<Answered, Unanswered>;
}

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

    /// Nobody wants the answer any more.
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// Whether nobody wants it any more.
    pub fn is_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }
}

/// What a person said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answered {
    /// Ids that were offered and chosen, in the order of the answer.
    pub selected: Vec<String>,
    /// Ids that were chosen and not offered.
    pub unknown: Vec<String>,
    /// Of a request for a yes: whether it was one.
    pub approved: bool,
    /// Who answered, where it is known: `a screen`.
    pub by: Option<String>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unanswered {
    /// Nobody answered in time.
    TimedOut,
    /// Nobody wants it any more.
    GivenUp,
    /// It cannot be asked, or what came back is no answer: what was wrong, and what to do.
    Failed {
        /// A stable name for programs.
        code: &'static str,
        /// What was wrong, one sentence.
        message: String,
        /// What to do; may be empty.
        hint: String,
    },
}
