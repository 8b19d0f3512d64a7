//! What is remembered of a connection, so that taking it away gives back the very bytes that were there: which bytes were
//! added, and which of the things around them were made for them. It holds nothing of what else stands in the file.

use serde::{Deserialize, Serialize};

/// What was added to a settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// SHA-256 of the text as it was left, in hexadecimal.
    pub hash: String,
    /// Start and length of what was added, in bytes of that text behind a byte order mark, ascending.
    pub added: Vec<(usize, usize)>,
    /// Which parts of it were not there before: the names on the way to each, with `/` between; the top has none.
    pub made: Vec<String>,
    /// Whether the file was not there before.
    pub created: bool,
    /// How many folders above it were not there.
    pub folders: usize,
}

impl Record {
    /// The text without what was added; `None` where the text is another, or the record does not fit it.
    pub(super) fn undo(&self, hash: &str, text: &str) -> Option<String> {
        if self.hash != hash {
            return None;
        }
        let mut left = String::with_capacity(text.len());
        let mut at = 0;
        for (start, length) in &self.added {
            left.push_str(text.get(at..*start)?);
            at = start.checked_add(*length)?;
        }
        left.push_str(text.get(at..)?);
        Some(left)
    }

    /// Whether this part was made for ours.
    pub(super) fn has_made(&self, part: &str) -> bool {
        self.made.iter().any(|made| made == part)
    }
}
