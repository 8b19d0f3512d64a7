//! What there is to read of a source: the beginning of its document, the files of its folder, an inline source's content.

use std::path::PathBuf;

use super::Desk;

/// The beginning of what a source says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// Which source.
    pub id: String,
    /// What it is, where that needs saying: `12 files`, `README.md of 12 files`.
    pub caption: String,
    /// The text, whole lines; of a file its beginning.
    pub text: String,
    /// Where it lies, if it lies in a file.
    pub path: Option<PathBuf>,
    /// Bytes of the file that are not in `text`.
    pub rest: u64,
}

impl Desk {
    /// The beginning of what this source says.
    pub fn document(&self, id: &str) -> Document {
        Document { id: id.to_owned(), ..Document::default() }
    }
}
