//! The record of a connection, so that disconnecting restores the exact original bytes: which bytes were added, and
//! which of their containers were created. It contains nothing else of the file.

use refdesk_files::name::sha256_hex;
use serde::{Deserialize, Serialize};

/// What was added to a settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// SHA-256 of the resulting text, in hexadecimal.
    pub hash: String,
    /// Start and length of each addition, in bytes of that text without its byte order mark, ascending.
    pub added: Vec<(usize, usize)>,
    /// The containers that were created: the names on the path to each, separated by `/`; the top has none.
    pub made: Vec<String>,
    /// Whether the file was created.
    pub created: bool,
    /// How many folders above it were created.
    pub folders: usize,
}

impl Record {
    /// Whether this is the text it describes.
    pub fn describes(&self, text: &str) -> bool {
        self.hash == sha256_hex(text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes())
    }

    /// The text without the additions; `None` if the text has changed or the record does not match it.
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

    /// Whether this container was created by us.
    pub(super) fn has_made(&self, part: &str) -> bool {
        self.made.iter().any(|made| made == part)
    }
}
