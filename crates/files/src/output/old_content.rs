//! The content of a path before a write: enough to diff against, and to detect later changes.

use std::io;
use std::path::Path;

use super::diff::MAX_COMPARED_BYTES;
use super::{Diff, PriorContent};
use crate::name::sha256_hex;
use crate::path::is_absent;
use crate::{Folder, Stamp, read_open};

/// Old content to diff against.
pub(super) enum OldContent {
    Nothing,
    Text(String),
    /// A file whose lines cannot be compared, and a sentence that tells why.
    Other(String),
}

impl PriorContent {
    /// Reads the content at a path without links, as far as it can be compared.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn read(path: &Path) -> io::Result<(Self, OldContent)> {
        match Folder::parent_of_real(path) {
            Err(error) if is_absent(&error) => Self::read_in(None, path),
            found => Self::read_in(Some(&found?.0), path),
        }
    }

    /// Like [`PriorContent::read`], in the folder of the path; `None` if the folder or the file does not exist.
    ///
    /// # Errors
    /// See [`PriorContent::read`].
    pub(super) fn read_in(folder: Option<&Folder>, path: &Path) -> io::Result<(Self, OldContent)> {
        let Some(folder) = folder else { return Ok((Self::Nothing, OldContent::Nothing)) };
        let file = match folder.open(path.file_name().unwrap_or_default()) {
            Err(error) if is_absent(&error) => return Ok((Self::Nothing, OldContent::Nothing)),
            opened => opened?,
        };
        let metadata = file.metadata()?;
        let (bytes, more) = read_open(file, &metadata, MAX_COMPARED_BYTES)?;
        if more {
            let stamp = Stamp::of(&metadata);
            let hash = format!("{} bytes, file {}, changed {}", stamp.size, stamp.number, stamp.modified);
            let why = format!(
                "the existing file has {} bytes; files above {MAX_COMPARED_BYTES} bytes (16 MiB) are not compared",
                stamp.size
            );
            return Ok((Self::File { size: stamp.size, hash }, OldContent::Other(why)));
        }
        let before = Self::File { size: bytes.len() as u64, hash: sha256_hex(&bytes) };
        let old = String::from_utf8(bytes).map_or_else(
            |error| {
                OldContent::Other(format!("the existing file is binary: {} bytes, not UTF-8", error.as_bytes().len()))
            },
            OldContent::Text,
        );
        Ok((before, old))
    }
}

impl OldContent {
    pub(super) fn diff(self, shown: &str, new: &str) -> Diff {
        match self {
            Self::Nothing => Diff::new(shown, None, new),
            Self::Text(old) => Diff::new(shown, Some(&old), new),
            Self::Other(why) => Diff::without_lines(shown, why),
        }
    }
}
