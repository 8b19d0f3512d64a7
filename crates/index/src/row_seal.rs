//! Seals of the rows that an index in a file hands out. The record of the files tells them from others by what the file
//! system knows of them, which stays when content is copied over ours; what a session is given must be verifiable on
//! its own.

use refdesk_files::SealKey;

/// The bytes that an index of this workspace proves itself with.
pub(crate) fn of_index(key: &SealKey) -> Vec<u8> {
    key.seal("index.db", &[]).to_vec()
}

/// A row that a seal covers: the values of its columns, in an order that is always the same.
pub(crate) struct SealedRow {
    table: &'static str,
    bytes: Vec<u8>,
}

impl SealedRow {
    pub(crate) fn of(table: &'static str) -> Self {
        Self { table, bytes: Vec::new() }
    }

    /// The row with one more value, preceded by its length so that nothing can move from one value to the next.
    pub(crate) fn with(self, value: impl AsRef<[u8]>) -> Self {
        self.with_some(Some(&value))
    }

    /// The same with a value that may be missing, which is something else than an empty one.
    pub(crate) fn with_some<T: AsRef<[u8]> + ?Sized>(mut self, value: Option<&T>) -> Self {
        let value = value.map(AsRef::as_ref);
        self.bytes.extend(value.map_or(u64::MAX, |value| value.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(value.unwrap_or_default());
        self
    }

    /// The same with a number.
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
        let row = || SealedRow::of("index.db/documents").with("a").with("bc").with_number(7).with_some(None::<&str>);
        let seal = row().seal(key);
        assert!(row().has_seal(key, &seal));
        assert!(!row().has_seal(theirs.key().unwrap(), &seal));
        for other in [
            SealedRow::of("index.db/relationships").with("a").with("bc").with_number(7).with_some(None::<&str>),
            SealedRow::of("index.db/documents").with("ab").with("c").with_number(7).with_some(None::<&str>),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(8).with_some(None::<&str>),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(7).with_some(Some("")),
            SealedRow::of("index.db/documents").with("a").with("bc").with_number(7),
            row().with(""),
        ] {
            assert!(!other.has_seal(key, &seal));
        }
    }
}
