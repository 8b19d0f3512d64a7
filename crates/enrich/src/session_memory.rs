//! What one session has received, so that nothing is sent twice (BEHAVIOUR §5, "Once"). This is a plain value; the
//! caller stores it on disk.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::draft::{BlockKind, MemoryKey};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Selection;
use refdesk_files::name::hex;
use refdesk_index::{EarlierText, MAX_TEXTS};

/// What a session has received.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionMemory {
    /// Ids of transitive sources that were in a notice.
    pub announced: BTreeSet<String>,
    /// Hashes of the expansions and hints given, as made by `content_hash`, and of the hints that would tell nothing new,
    /// because their source was expanded or read in full.
    pub given: BTreeSet<String>,
    /// Sources that were hinted at or expanded, and how; used to explain later reads and picks.
    pub offered: BTreeMap<String, BlockKind>,
    /// The session's last prompts, latest first, if they count for later ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<EarlierText>,
    /// The bytes of its prompts and tool results, if they are counted.
    pub received: u64,
    /// Whether the conversation has lost its instructions, and no start gave them again.
    pub owes_start: bool,
}

impl SessionMemory {
    /// Whether this source was in a notice.
    pub fn was_announced(&self, id: &str) -> bool {
        self.announced.contains(id)
    }

    /// The memory after the conversation was summarised or restarted: nothing counts as given, but earlier offers may
    /// still explain later reads and picks.
    #[must_use]
    pub fn forgotten(&self, owes_start: bool) -> Self {
        Self { offered: self.offered.clone(), owes_start: self.owes_start || owes_start, ..Self::default() }
    }

    /// Records that the session has received something.
    pub(super) fn remember(&mut self, key: &MemoryKey) {
        match key {
            MemoryKey::Given(hash) => drop(self.given.insert(hash.clone())),
            MemoryKey::Announced(id) => drop(self.announced.insert(id.clone())),
        }
    }

    /// Keeps the part of this prompt that later ones need. A repeated prompt counts once.
    pub(super) fn add_prompt(&mut self, prompt: &EarlierText) {
        self.prompts.retain(|earlier| earlier != prompt);
        self.prompts.insert(0, prompt.clone());
        self.prompts.truncate(MAX_TEXTS - 1);
    }

    /// Forgets the transitive sources that left the selection, so that they are announced again if they return.
    /// [`super::enrich`] does this with the selection it gets; code that changes a selection must do it for sessions
    /// that send no text in between.
    pub(crate) fn keep_selected(&mut self, selection: &Selection) {
        self.announced.retain(|id| selection.contains(id));
    }
}

/// Identifies an expansion or hint: a hash of its kind, its source, its printed text and the stamp of its content
/// ([`super::SourceFiles::stamp`]). 32 hexadecimal digits.
pub(crate) fn content_hash(kind: &str, id: &SourceId, printed: &str, stamp: &str) -> String {
    let mut hash = Sha256::new();
    for part in [kind, id.as_str(), printed, stamp] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut digits = hex(&hash.finalize());
    digits.truncate(32);
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::selection;

    #[test]
    fn every_part_changes_the_hash() {
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
    fn announced_ends_when_a_source_leaves_the_selection() {
        let mut memory = SessionMemory {
            announced: ["gone", "pulled", "picked"].map(str::to_owned).into(),
            ..SessionMemory::default()
        };
        memory.keep_selected(&selection(&["picked"], &[("pulled", &["picked"])], &[]));
        assert_eq!(memory.announced, ["picked", "pulled"].map(str::to_owned).into());
    }

    #[test]
    fn a_repeated_prompt_is_kept_once() {
        let prompt = |word: &str| -> EarlierText {
            let vector = serde_json::json!({"values": [1], "scale": 0.5});
            serde_json::from_value(serde_json::json!({"model": "m", "words": [word], "vector": vector})).unwrap()
        };
        let mut memory = SessionMemory::default();
        ["a", "b", "a"].into_iter().for_each(|word| memory.add_prompt(&prompt(word)));
        assert_eq!(memory.prompts, [prompt("a"), prompt("b")]);
    }

    #[test]
    fn memory_stored_by_an_older_version_is_read() {
        assert_eq!(serde_json::from_str::<SessionMemory>("{}").unwrap(), SessionMemory::default());
    }
}
