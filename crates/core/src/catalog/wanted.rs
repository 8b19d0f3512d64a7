//! Selects which discovered entries to read when not all are needed. Shell completion needs only those that begin with
//! a few letters, and the user waits for every file parsed unnecessarily. The decision is made before a file is parsed,
//! so when in doubt, the file is parsed.

use memchr::memmem;

/// The entries of the references folder that are needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum EntryFilter {
    /// All entries.
    #[default]
    All,
    /// The first ones whose id begins with this text.
    Ids {
        /// The prefix of the id.
        start: String,
        /// How many entries are needed.
        most: usize,
    },
    /// Those with a tag that begins with this text.
    Tags {
        /// The prefix of the tag.
        start: String,
    },
}

impl EntryFilter {
    /// Whether a file with this content may contain a needed entry.
    pub(super) fn may_be_in(&self, json: &[u8]) -> bool {
        let (key, start) = match self {
            Self::All => return true,
            Self::Ids { start, .. } => (Some("\"id\""), start),
            Self::Tags { start } => (None, start),
        };
        // With escapes, the same text can be written in many ways.
        if start.is_empty() || memchr::memchr(b'\\', json).is_some() {
            return true;
        }
        let value = format!("\"{start}");
        match key {
            None => memmem::find(json, value.as_bytes()).is_some(),
            Some(key) => memmem::find_iter(json, key.as_bytes()).any(|at| {
                let after = json.get(at + key.len()..).unwrap_or_default().trim_ascii_start();
                after.strip_prefix(b":").is_some_and(|after| after.trim_ascii_start().starts_with(value.as_bytes()))
            }),
        }
    }

    /// Whether this many entries are enough.
    pub(super) fn is_enough(&self, found: usize) -> bool {
        matches!(self, Self::Ids { most, .. } if found >= *most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_skipped_only_if_its_entry_cannot_be_wanted() {
        let ids = |start: &str| EntryFilter::Ids { start: start.to_owned(), most: 9 };
        let tags = |start: &str| EntryFilter::Tags { start: start.to_owned() };
        for (wanted, json, expected) in [
            (EntryFilter::All, "", true),
            (ids(""), "", true),
            (ids("retry"), r#"{"id": "retry-pattern"}"#, true),
            (ids("retry"), "{\n\t\"id\"\n:\t\"retry\"}", true),
            (ids("retry"), r#"{"id":"an-id","name":"retry"}"#, false),
            (ids("retry"), r#"{"id":"my-retry"}"#, false),
            (ids("retry"), r#"{"name":"\"id\"","id":"other"}"#, true),
            (ids("retry"), r#"{"\u0069d":"retry"}"#, true),
            (ids("retry"), r#"{"id":"\u0072etry"}"#, true),
            (ids("retry"), r#"{"id":"x","id":"retry"}"#, true),
            (ids("d"), r#"{"id":"x","description":"d"}"#, false),
            (ids("üb"), r#"{"id":"überblick"}"#, true),
            (tags("ret"), r#"{"tags":["a","retry"]}"#, true),
            (tags("ret"), r#"{"tags":"retry"}"#, true),
            (tags("ret"), r#"{"tags":["a","b"],"name":"a retry"}"#, false),
        ] {
            assert_eq!(wanted.may_be_in(json.as_bytes()), expected, "{wanted:?} {json}");
        }
    }

    #[test]
    fn files_are_read_until_there_are_enough() {
        let ids = EntryFilter::Ids { start: "a".to_owned(), most: 3 };
        assert!(!ids.is_enough(2) && ids.is_enough(3));
        assert!(!EntryFilter::All.is_enough(usize::MAX));
    }
}
