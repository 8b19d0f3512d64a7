//! Seals of the rows that an index in a file returns. The record identifies files by their metadata, which stays the
//! same when other content is copied into ours, so the content given to a session must be verifiable by itself.

use refdesk_files::SealKey;

/// The seal by which an index proves that it belongs to this workspace.
pub(crate) fn of_index(key: &SealKey) -> Vec<u8> {
    key.seal("index.db", &[]).to_vec()
}

/// A row to be sealed: the values of its columns in a fixed order.
pub(crate) struct SealedRow {
    table: &'static str,
    bytes: Vec<u8>,
}

impl SealedRow {
    pub(crate) fn of(table: &'static str) -> Self {
        Self { table, bytes: Vec::new() }
    }

    /// Adds a value, preceded by its length so that bytes cannot move from one value to the next.
    pub(crate) fn with(self, value: impl AsRef<[u8]>) -> Self {
        self.with_optional(Some(&value))
    }

    /// Adds a value that may be missing; a missing value differs from an empty one.
    pub(crate) fn with_optional<T: AsRef<[u8]> + ?Sized>(mut self, value: Option<&T>) -> Self {
        let value = value.map(AsRef::as_ref);
        self.bytes.extend(value.map_or(u64::MAX, |value| value.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self
    }

    /// Adds a number.
    pub(crate) fn with_number(self, value: usize) -> Self {
        self.with((value as u64).to_le_bytes())
    }

    pub(crate) fn seal(&self, key: &SealKey) -> Vec<u8> {
        key.seal(self.table, &[&self.bytes]).to_vec()
    }

    pub(crate) fn has_seal(&self, key: &SealKey, seal: &[u8]) -> bool {
        key.is_seal(seal, self.table, &[&self.bytes])
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use refdesk_files::Sealer;

    #[test]
    fn rows_that_differ_in_anything_have_different_seals() {
        let of = |folder: &str| Sealer::fixed(Path::new(folder));
        let (ours, theirs) = (of("/ours"), of("/theirs"));
        let key = ours.key().unwrap();
        let row =
            || SealedRow::of("index.db/documents").with("a").with("bc").with_number(7).with_optional(None::<&str>);
        let seal = row().seal(key);
        assert!(row().has_seal(key, &seal));
        assert!(!row().has_seal(theirs.key().unwrap(), &seal));
        for other in [
            SealedRow::of("index.db/relationships").with("a").with("bc").with_number(7).with_optional(None::<&str>),
            SealedRow::of("index.db/documents").with("ab").with("c").with_number(7).with_optional(None::<&str>),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(8).with_optional(None::<&str>),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(7).with_optional(Some("")),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(7),
            row().with(""),
        ] {
            assert!(!other.has_seal(key, &seal));
        }
    }
}
