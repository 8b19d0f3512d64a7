//! What the windows about profiles remember: the list, and what switching to one of them would change.

use std::path::PathBuf;

use crate::desk::{Profiled, Switch};
use crate::report::Diagnostic;

/// What is known of the profiles.
#[derive(Debug, Clone, Default)]
pub struct ProfilesWindow {
    /// Of the newest question.
    pub generation: u64,
    /// All of them; `None` while the answer is awaited.
    pub listed: Option<Vec<Profiled>>,
    /// Why their folder cannot be read.
    pub problems: Vec<Diagnostic>,
    /// The file of the one to switch to.
    pub file: Option<PathBuf>,
    /// What that would change, or why it cannot be told; `None` while the answer is awaited.
    pub switch: Option<Result<Box<Switch>, String>>,
    /// The generation of the snapshot that it was asked about; `None` where it is to be asked anew.
    pub asked_at: Option<u64>,
}

impl ProfilesWindow {
    /// How many profiles there are to list.
    pub fn len(&self) -> usize {
        self.listed.as_ref().map_or(0, Vec::len)
    }
}
