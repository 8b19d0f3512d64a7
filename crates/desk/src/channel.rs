//! Asks the user to choose sources or approve a write: at the terminal, on a running screen, by an HTTP request, or
//! through files (BEHAVIOUR §8). Asking blocks; use a thread if the caller must not wait.
//!
//! Processes share only the file system, so a request to a screen is a file that every screen of the workspace watches.

mod answer;
mod console;
mod file;
pub mod folder;
mod open;
pub mod presence;
mod raise;
mod receipt;
mod request;
mod wait;
mod webhook;

pub use answer::MAX;
pub use open::{ChannelSetup, Place, ask_screen, open};
pub use raise::{approval, request};
pub use receipt::{answer_receipt, person, request_receipt};
pub use request::{Approval, ApprovalEffect, OfferedReference, Request, Requester, Response};
pub use wait::Wait;

use refdesk_text::{Code, Error, Fix};

/// A way to ask the user.
pub trait Channel: Send + Sync {
    /// Asks and waits for the answer.
    ///
    /// # Errors
    /// Why there is no answer.
    fn ask(&self, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer>;
}

/// The user's answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelAnswer {
    /// The offered ids that were chosen, in the order of the answer.
    pub selected: Vec<String>,
    /// Chosen ids that were not offered.
    pub unknown: Vec<String>,
    /// For an approval request: whether it was approved.
    pub approved: bool,
    /// Who answered, if known: `a screen`.
    pub by: Option<String>,
    /// Whether another program wrote it; `by` is then only what that program claims.
    pub is_from_program: bool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// No answer arrived in time.
    TimedOut,
    /// The caller cancelled the request.
    Cancelled,
    /// The request failed, or the answer is invalid.
    Failed(Error),
}

impl NoAnswer {
    fn failed(code: Code, message: impl Into<String>, fix: impl Into<Fix>) -> Self {
        Self::Failed(Error::new(code, message, fix))
    }

    fn only_on_a_screen() -> Self {
        let message = "a write can be approved only on a screen, which shows what would be written";
        Self::failed(Code::NoChannel, message, Fix::OpenScreen)
    }

    /// Whether the time ran out, even with an incomplete answer.
    pub fn is_late(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Failed(Error { code: Code::HalfAnswer, .. }))
    }
}
