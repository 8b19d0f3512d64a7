//! Why a request was not met. Every crate answers with this one type, so that a caller can pass an error on as it is.

use std::fmt;

use serde::Serialize;

/// What went wrong and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    /// A stable name for programs, in kebab-case.
    pub code: &'static str,
    /// What went wrong, one sentence without a final full stop.
    pub message: String,
    /// What to do; may be empty.
    pub hint: String,
}

impl Error {
    /// An error with advice.
    pub fn new(code: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(out, "\n  hint: {}", self.hint) }
    }
}

impl std::error::Error for Error {}
