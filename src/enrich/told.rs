//! What one session was told, so that it is told once (BEHAVIOUR §5, "Once"). A plain value; who keeps it on disk is the
//! session room's business.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::catalog::SourceId;
use crate::selection::Selection;

/// What a session knows already. Reset is [`Told::default`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Told {
    /// Ids of transitive sources that a notice has named.
    pub announced: BTreeSet<String>,
    /// Hashes of the expansions and hints given, as [`content_hash`] makes them.
    pub given: BTreeSet<String>,
}

impl Told {
    /// Whether a notice has named this source.
    pub fn was_announced(&self, id: &str) -> bool {
        self.announced.contains(id)
    }

    /// Whether something of this hash was given.
    pub fn was_given(&self, hash: &str) -> bool {
        self.given.contains(hash)
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
