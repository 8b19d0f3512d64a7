//! What one session was told, so that it is told once (BEHAVIOUR §5, "Once"). A plain value; who keeps it on disk is the
//! session room's business.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::draft::{BlockKind, MemoryKey};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Selection;

/// What a session knows already.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMemory {
    /// Ids of transitive sources that a notice has named.
    pub announced: BTreeSet<String>,
    /// Hashes of the expansions and hints given, as [`content_hash`] makes them.
    pub given: BTreeSet<String>,
    /// Sources that were hinted at or expanded, and how: what is read or selected later may follow from it.
    pub offered: BTreeMap<String, BlockKind>,
}

impl SessionMemory {
    /// Whether a notice has named this source.
    pub fn was_announced(&self, id: &str) -> bool {
        self.announced.contains(id)
    }

    /// What is left when the conversation was summarised or begun anew: nothing counts as told, but what the session was
    /// offered in it may still lead to something.
    #[must_use]
    pub fn forgotten(&self) -> Self {
        Self { offered: self.offered.clone(), ..Self::default() }
    }

    /// Notes that something was given.
    pub(super) fn remember(&mut self, memory: &MemoryKey) {
        match memory {
            MemoryKey::Given(hash) => drop(self.given.insert(hash.clone())),
            MemoryKey::Announced(id) => drop(self.announced.insert(id.clone())),
        }
    }

    /// Forgets the transitive sources that left the selection: back again, they are news. [`super::enrich`] does it with
    /// the selection it sees; whoever changes a selection does it for the sessions that see nothing in between.
    pub fn keep_selected(&mut self, selection: &Selection) {
        self.announced.retain(|id| selection.contains(id));
    }
}

/// What an expansion or hint is known by: its kind, its source, its text as printed and the stamp of the content behind
/// it (`Places::stamp`). 32 hexadecimal digits.
pub fn content_hash(kind: &str, id: &SourceId, printed: &str, stamp: &str) -> String {
    let mut hash = Sha256::new();
    for part in [kind, id.as_str(), printed, stamp] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut digits = String::with_capacity(32);
    for byte in hash.finalize().iter().take(16) {
        // Writing to a String cannot fail.
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::selection;

    #[test]
    fn every_part_tells_in_the_hash() {
        let hash = |kind, id: &str, printed, stamp| content_hash(kind, &SourceId::from(id), printed, stamp);
        let one = hash("hint", "a", "b", "c");
        assert_eq!(one.len(), 32);
        assert_eq!(one, hash("hint", "a", "b", "c"));
        for other in [
            hash("x", "a", "b", "c"),
            hash("hint", "ab", "", "c"),
            hash("hint", "a", "bc", ""),
            hash("hint", "a", "b", "d"),
        ] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn told_ends_when_a_source_leaves_the_selection() {
        let mut told = SessionMemory {
            announced: ["gone", "pulled", "picked"].map(str::to_owned).into(),
            ..SessionMemory::default()
        };
        told.keep_selected(&selection(&["picked"], &[("pulled", &["picked"])], &[]));
        assert_eq!(told.announced, ["picked", "pulled"].map(str::to_owned).into());
    }

    #[test]
    fn what_an_older_program_kept_is_read() {
        assert_eq!(serde_json::from_str::<SessionMemory>("{}").unwrap(), SessionMemory::default());
    }
}
