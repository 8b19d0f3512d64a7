//! How a request in a folder stands, as a screen sees it that offered it: whether it is still there, whether it has an
//! answer, and whose.

use std::fs;
use std::path::Path;

use super::folder::{self, file_of, requests, responses};

/// Whether the file of this request is there.
pub fn is_asked(folder: &Path, id: &str) -> bool {
    fs::symlink_metadata(file_of(&requests(folder), id)).is_ok()
}

/// Whether the file of this request is there and nobody holds it who did: its asker is dead.
pub fn is_left(folder: &Path, id: &str) -> bool {
    folder::is_left(folder, id)
}

/// Whether this request has an answer, or one that is being written: no other can take its place.
pub fn is_answered(folder: &Path, id: &str) -> bool {
    fs::symlink_metadata(file_of(&responses(folder), id)).is_ok()
}

/// Who answered this request, where the answer says so.
pub fn who_answered(folder: &Path, id: &str) -> Option<String> {
    folder::who_answered(&file_of(&responses(folder), id))
}
