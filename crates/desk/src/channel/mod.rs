//! How a person is asked, for a choice of sources or for a yes to a write: at the terminal, on a running screen, by an HTTP
//! request, by files (BEHAVIOUR §8). Asking waits: whoever must not wait asks from a thread of its own.
//!
//! Processes share nothing but the file system, so a request to a screen is a file that every screen of the workspace watches.

mod answer;
mod console;
mod file;
pub mod folder;
mod open;
pub mod presence;
mod raise;
mod receipt;
mod request;
pub mod standing;
mod wait;
mod webhook;

pub use answer::MOST;
pub use open::{Place, Way, ask_screen, open};
pub use raise::{approval, request};
pub use receipt::{answered, asked, person};
pub use request::{Approval, Asker, Offered, Request, Response};
pub use wait::Wait;

use refdesk_text::{Code, Error};

/// One way to ask.
pub trait Channel: Send + Sync {
    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// There is none, and why.
    fn ask(&self, request: &Request, wait: &Wait) -> Result<Answered, Unanswered>;
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
    Failed(Error),
}

impl Unanswered {
    fn failed(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Failed(Error::new(code, message, hint))
    }

    fn only_on_a_screen() -> Self {
        let message = "a yes to a write is asked for on a screen, where what would be written is seen";
        Self::failed(Code::NoChannel, message, "open `refdesk` in this workspace")
    }

    /// Whether the time ran out, be it that half an answer was there.
    pub fn is_late(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Failed(Error { code: Code::HalfAnswer, .. }))
    }
}
