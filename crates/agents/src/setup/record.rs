//! The record of a connection, with which disconnecting restores the original bytes: which bytes were added and
//! replaced, and which containers were created. It contains nothing else of the file.

use refdesk_files::name::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What connecting changed in a settings file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// SHA-256 of the whole text before we added anything; empty if there was no file, or if it is unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub before: String,
    /// SHA-256 of the resulting text, in hexadecimal.
    pub hash: String,
    /// Start and length of each addition, in bytes of that text without its byte order mark, ascending.
    pub added: Vec<(usize, usize)>,
    /// The containers we created, each as the names on its path joined by `/`; the path of the top level is empty.
    pub made: Vec<String>,
    /// Whether we created the file.
    pub created: bool,
    /// How many folders above it we created.
    pub folders: usize,
    /// The changes to other people's entries before the additions, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replaced: Vec<Replaced>,
    /// The same entries as values, each with its event (empty for a server), to restore them in a file that was edited
    /// since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<(String, Value)>,
    /// The command we wrote: the command line of hooks, or the words of a server's command.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// A range of a text that replaced older bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replaced {
    /// Its first byte.
    pub start: usize,
    /// Its length in bytes.
    pub length: usize,
    /// The replaced text.
    pub old: String,
}

impl Replaced {
    /// The one range in which these texts differ.
    pub(super) fn of(before: &str, after: &str) -> Self {
        let same = before.chars().zip(after.chars()).take_while(|(was, is)| was == is);
        let start: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let (old, new) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
        let same = old.chars().rev().zip(new.chars().rev()).take_while(|(was, is)| was == is);
        let end: usize = same.map(|(c, _)| c.len_utf8()).sum();
        let old = old.get(..old.len() - end).unwrap_or_default().to_owned();
        Self { start, length: new.len() - end, old }
    }

    /// Puts the old bytes back; `None` if the text has no such range.
    fn undo(&self, text: &str) -> Option<String> {
        let end = self.start.checked_add(self.length)?;
        text.get(self.start..end)?;
        Some(format!("{}{}{}", text.get(..self.start)?, self.old, text.get(end..)?))
    }
}

/// The earlier text according to a record.
pub(super) struct Undone {
    /// The text without the additions and without the entries they replaced.
    pub bare: String,
    /// The text before connecting.
    pub original: String,
}

impl Record {
    /// Whether the text is still the earlier one: `connect` was killed after it stored the record, before it wrote the
    /// file.
    pub fn is_ahead_of(&self, text: &str) -> bool {
        !self.before.is_empty() && self.before == sha256_hex(text.as_bytes())
    }

    /// Whether this is the text the record describes.
    pub(super) fn describes(&self, text: &str) -> bool {
        self.hash == sha256_hex(text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes())
    }

    /// The text before connecting; `None` if the text has changed or the record does not match it.
    pub(super) fn undo(&self, hash: &str, text: &str) -> Option<Undone> {
        if self.hash != hash {
            return None;
        }
        let mut bare = String::with_capacity(text.len());
        let mut at = 0;
        for (start, length) in &self.added {
            bare.push_str(text.get(at..*start)?);
            at = start.checked_add(*length)?;
        }
        bare.push_str(text.get(at..)?);
        let original = self.replaced.iter().rev().try_fold(bare.clone(), |text, replaced| replaced.undo(&text))?;
        Some(Undone { bare, original })
    }

    /// Whether we created this container.
    pub(super) fn has_made(&self, part: &str) -> bool {
        self.made.iter().any(|made| made == part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_differing_range_is_restored() {
        for (before, after, expected) in [
            ("abc", "abc", (3, 0, "")),
            ("abXc", "abc", (2, 0, "X")),
            ("aaa", "a", (1, 0, "aa")),
            ("", "x", (0, 1, "")),
            ("a,ü,b;c", "a,b!c", (2, 2, "ü,b;")),
            ("äx", "öx", (0, 2, "ä")),
        ] {
            let replaced = Replaced::of(before, after);
            let (start, length, old) = expected;
            assert_eq!(replaced, Replaced { start, length, old: old.to_owned() }, "{before} {after}");
            assert_eq!(replaced.undo(after).as_deref(), Some(before));
        }
        let beyond = Replaced { start: 2, length: usize::MAX, old: String::new() };
        assert_eq!(beyond.undo("abc"), None);
    }
}
