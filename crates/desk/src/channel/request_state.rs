//! The state of a request in a folder, for a screen that shows it: whether it still exists, and its answer if it has one.

use super::folder::{self, ChannelFolder, REQUESTS, RESPONSES, file_of};

/// Whether the file of this request exists.
pub(crate) fn is_asked(base: &ChannelFolder, id: &str) -> bool {
    is_in(base, REQUESTS, id)
}

/// Whether the file of this request exists but is no longer locked: its asker is dead.
pub(crate) fn is_left(base: &ChannelFolder, id: &str) -> bool {
    folder::is_left(base, id)
}

/// Whether this request has an answer, or one being written; no other can replace it.
pub(crate) fn is_answered(base: &ChannelFolder, id: &str) -> bool {
    is_in(base, RESPONSES, id)
}

/// Who answered this request, if the answer says so.
pub(crate) fn who_answered(base: &ChannelFolder, id: &str) -> Option<String> {
    folder::who_answered(base, id)
}

fn is_in(base: &ChannelFolder, part: &str, id: &str) -> bool {
    let entry = base.part(part).and_then(|folder| folder.entry(file_of(id)));
    entry.is_ok_and(|entry| entry.is_some())
}
