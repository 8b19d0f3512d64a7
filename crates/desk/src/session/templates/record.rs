//! What refdesk wrote into the folder of templates, and for whom: `.jaato/refdesk/templates.json`. A file that is not what is
//! noted here is a person's, and stays as it is (BEHAVIOUR §6).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use refdesk_files::name::is_plain;
use refdesk_templates::OVERRIDES;

/// Every file that is ours, by its name in the folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// By name.
    #[serde(default)]
    pub files: BTreeMap<String, Entry>,
}

/// One file that is ours.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// SHA-256 of what was written. While a file is written over, of both: whoever finds the record after a writer was killed
    /// knows either for ours.
    pub sha256: Vec<String>,
    /// The desks that bring it.
    #[serde(default)]
    pub desks: BTreeSet<String>,
    /// Whether a person asked for it, by its document: then it stays when no desk brings it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_hand: bool,
    /// Whether it was taken from a text of a tool: then it is in the index of every desk, and goes when it is old.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_tool: bool,
}

impl Record {
    /// The same without names that no template of a document has: each is to be one plain name in the folder, and none of
    /// those that have another meaning there.
    #[must_use]
    pub fn checked(mut self) -> Self {
        self.files.retain(|name, _| is_file_name(name));
        self
    }

    /// Whether what is in the file is what was written there. A file that is empty was cut short by a crash of the machine: no
    /// template is.
    pub fn is_ours(&self, name: &str, found: &Found) -> bool {
        self.files.get(name).is_some_and(|entry| entry.is_ours(found))
    }
}

impl Entry {
    /// The same of one file.
    pub fn is_ours(&self, found: &Found) -> bool {
        match found {
            Found::File { empty: true, .. } => true,
            Found::File { hash, .. } => self.sha256.contains(hash),
            Found::Nothing | Found::Other(_) => false,
        }
    }
}

/// Whether a file of this name may be written and removed in the folder of templates.
pub fn is_file_name(name: &str) -> bool {
    let has_meaning = name == super::INDEX || OVERRIDES.rsplit('/').next() == Some(name);
    is_plain(name) && !name.starts_with('.') && !has_meaning
}

/// What stands where a file is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// SHA-256 of its bytes.
        hash: String,
        /// Whether it has none.
        empty: bool,
    },
    /// A link, a folder, a file too large to be ours: what it is.
    Other(&'static str),
}
