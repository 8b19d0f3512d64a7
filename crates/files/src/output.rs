//! Writes text to files: shows the changes before touching anything, decides what may be written where, and writes all
//! or nothing (BEHAVIOUR §6 "Writing").

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::name::sha256_hex;
use refdesk_text::Error;

mod diff;
mod lookup;
mod old_content;
mod propose;
mod record;
mod recover;
mod refusal;
mod remove;
mod resolve;
mod separate_writes;
mod sync;
mod write;

pub use diff::{Diff, DiffLine, DiffLineKind};
pub use lookup::PathLookup;
pub use propose::{conflicts, propose, propose_with};
pub use recover::{Interrupted, Recovered, has_record, interrupted, recover};
pub use refusal::{exists, needs_overwrite};
pub use remove::{propose_removal, propose_unlinking, remove, remove_empty_folders};
pub use resolve::{Unresolved, resolve};
pub use separate_writes::SeparateWrites;
pub use write::write;

/// Where writing is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only inside the workspace.
    Workspace,
    /// Anywhere, because the user allowed it.
    Anywhere,
}

/// What a write would do to one file; created without touching the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The file, absolute, with links in its folders resolved.
    pub path: PathBuf,
    /// The path as displayed: relative to the workspace if inside it.
    pub shown: String,
    /// The new content.
    pub text: String,
    /// The current content.
    pub before: PriorContent,
    /// The difference.
    pub diff: Diff,
}

impl Proposal {
    /// Whether the file already has this text, so that writing it changes nothing.
    pub fn is_unchanged(&self) -> bool {
        self.replaces(&self.text)
    }

    /// Whether the current content equals `text`.
    pub fn replaces(&self, text: &str) -> bool {
        matches!(&self.before, PriorContent::File { hash, .. } if *hash == sha256_hex(text.as_bytes()))
    }

    /// The same proposal with another displayed path, for a file outside the workspace.
    #[must_use]
    pub fn called(mut self, shown: String) -> Self {
        self.diff.rename(&self.shown, &shown);
        self.shown = shown;
        self
    }
}

/// The content of a path before a write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PriorContent {
    /// No file; the write creates it.
    Nothing,
    /// A file with this content.
    File {
        /// Bytes.
        size: u64,
        /// SHA-256 in hexadecimal; for a file too large to compare, a hash of its size and time. A different hash at
        /// the time of the write means that the file has changed.
        hash: String,
    },
}

/// A written file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// The path as displayed.
    pub shown: String,
    /// Bytes written; 0 if the file already had the text.
    pub bytes: usize,
    /// Lines of the text.
    pub lines: usize,
}

/// A failed write that changed nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFailure {
    /// Why the write failed, and what to do.
    pub refused: Error,
    /// What each write would change now, if files changed since the proposal.
    pub current: Vec<Proposal>,
}
