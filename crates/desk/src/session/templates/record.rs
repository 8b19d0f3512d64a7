//! `.jaato/refdesk/templates.json`, the record of files that refdesk wrote into the templates folder. A file that does
//! not match the record belongs to the user and is not changed (BEHAVIOUR §6).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use refdesk_files::name::is_plain;
use refdesk_templates::OVERRIDES;

/// All our files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// By file name.
    #[serde(default)]
    pub files: BTreeMap<String, Entry>,
}

/// One of our files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// SHA-256 of the written content; while a file is being overwritten, of both versions, so that after a crash
    /// either counts as ours.
    pub sha256: Vec<String>,
    /// The desks that provide it.
    #[serde(default)]
    pub desks: BTreeSet<String>,
    /// Whether the user named its document; then it stays even if no desk provides it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    /// Whether it comes from a tool result; then it can be rendered by its name, and is removed when old.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_tool: bool,
}

impl Record {
    /// Drops names that an embedded template cannot have: each must be a plain file name that is not reserved in the
    /// folder.
    #[must_use]
    pub(super) fn checked(mut self) -> Self {
        self.files.retain(|name, _| is_file_name(name));
        self
    }

    /// Whether the file has the content that was written. An empty file was truncated by a crash, because no template
    /// is empty.
    pub(super) fn is_ours(&self, name: &str, found: &PathOccupant) -> bool {
        self.files.get(name).is_some_and(|entry| entry.is_ours(found))
    }
}

impl Entry {
    /// Whether it comes only from a tool result: no desk provides it, and the user did not name its document.
    pub(super) fn is_only_taken(&self) -> bool {
        self.by_tool && !self.by_hand && self.desks.is_empty()
    }

    /// Whether this file has the content that was written.
    pub(crate) fn is_ours(&self, found: &PathOccupant) -> bool {
        match found {
            PathOccupant::File { empty: true, .. } => true,
            PathOccupant::File { hash, .. } => self.sha256.contains(hash),
            PathOccupant::Nothing | PathOccupant::Other(_) => false,
        }
    }
}

/// Whether a file with this name may be written and removed in the templates folder.
pub(crate) fn is_file_name(name: &str) -> bool {
    let has_meaning = name == super::INDEX || OVERRIDES.rsplit('/').next() == Some(name);
    is_plain(name) && !name.starts_with('.') && !has_meaning
}

/// What is at the path of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PathOccupant {
    Nothing,
    File {
        /// SHA-256 of its bytes.
        hash: String,
        empty: bool,
    },
    /// A link, a folder, or a file too large to be ours, as a phrase for messages.
    Other(&'static str),
}
