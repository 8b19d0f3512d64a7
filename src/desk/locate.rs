//! Where things stand on disk, for an editor: the entry that defines a source, and its document.

use std::path::PathBuf;

use super::{Desk, Refusal};

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Absolute.
    pub path: PathBuf,
    /// From 1.
    pub line: usize,
}

impl Desk {
    /// The entry that defines this source.
    ///
    /// # Errors
    /// Where there is no such source.
    pub fn definition(&self, id: &str) -> Result<Spot, Refusal> {
        let source = self.catalog.get(id).ok_or_else(|| self.unknown_id(id))?;
        Ok(Spot { path: source.origin.file.to_path_buf(), line: 1 })
    }

    /// The document of this source.
    ///
    /// # Errors
    /// Where there is no such source, or nothing on disk to open.
    pub fn document_spot(&self, id: &str) -> Result<Spot, Refusal> {
        let source = self.catalog.get(id).ok_or_else(|| self.unknown_id(id))?;
        let place = source.place().ok_or_else(|| Refusal::new("no-file", format!("'{id}' lies in no file"), ""))?;
        Ok(Spot { path: place.path.to_path_buf(), line: 1 })
    }
}
