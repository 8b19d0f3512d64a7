//! Text to files: what a write would change, shown before anything is touched; what may be written where; and the write
//! itself, whole or not at all (BEHAVIOUR §6 "Writing").

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::name::sha256_hex;
use refdesk_text::Error;

mod before;
mod diff;
mod propose;
mod record;
mod recover;
mod refusal;
mod remove;
mod resolve;
mod write;

pub use diff::{Diff, DiffLine, DiffLineKind};
pub use propose::{disagreements, propose};
pub use recover::{Interrupted, Recovered, has_note, interrupted, recover};
pub use refusal::needs_overwrite;
pub use remove::{propose_removal, remove};
pub use resolve::resolve;
pub use write::write;

/// Where may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Only inside the workspace.
    Workspace,
    /// Anywhere, because somebody said so.
    Anywhere,
}

/// What a write would do to one file; made without touching it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The file, absolute, every link of its folders resolved.
    pub path: PathBuf,
    /// The same as printed: relative to the workspace inside it.
    pub shown: String,
    /// What it would hold.
    pub text: String,
    /// What it holds now.
    pub before: Before,
    /// The difference.
    pub diff: Diff,
}

impl Proposal {
    /// Whether the file holds this text already: writing it writes nothing.
    pub fn is_unchanged(&self) -> bool {
        self.replaces(&self.text)
    }

    /// Whether this is what stands there before it is written.
    pub fn replaces(&self, text: &str) -> bool {
        matches!(&self.before, Before::File { hash, .. } if *hash == sha256_hex(text.as_bytes()))
    }

    /// The same under another name: for a file that is not of the workspace.
    #[must_use]
    pub fn called(mut self, shown: String) -> Self {
        self.diff.rename(&self.shown, &shown);
        self.shown = shown;
        self
    }
}

/// What stands at a path before it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Before {
    /// Nothing: the file would be new.
    Nothing,
    /// A file of this content.
    File {
        /// Bytes.
        size: u64,
        /// SHA-256 in hexadecimal, of a file too large to compare its size and time: one that has another when it is to be
        /// written has changed since it was looked at.
        hash: String,
    },
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// The file as printed.
    pub shown: String,
    /// Bytes written; none where the file held the text already.
    pub bytes: usize,
    /// Lines of the text.
    pub lines: usize,
}

/// A write that did not happen; nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteFailure {
    /// Why, and what to do.
    pub refused: Error,
    /// What each write would change now, where files changed since they were proposed.
    pub anew: Vec<Proposal>,
}
