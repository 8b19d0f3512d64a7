//! Sessions that nobody uses any more: their folders go when a new session begins (BEHAVIOUR §9). A session counts as used
//! when it is told something, or asks and there is nothing new.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// So long a session is kept that nobody uses.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes the folders of sessions that were not used for long. What cannot be removed is tried again the next time.
pub(super) fn remove_unused(sessions: &Path, now: SystemTime) {
    let Ok(entries) = fs::read_dir(sessions) else { return };
    for entry in entries.flatten() {
        // A link is none of ours.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_unused(&entry.path(), now) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_unused(folder: &Path, now: SystemTime) -> bool {
    let changed = |path: &Path| fs::symlink_metadata(path).and_then(|it| it.modified()).ok();
    let used = changed(&folder.join("told.json")).or_else(|| changed(folder));
    used.and_then(|used| now.duration_since(used).ok()).is_some_and(|age| age > KEPT)
}

/// Notes that a session is in use though nothing of it changed; once a day will do.
pub(super) fn mark_in_use(told: &Path, now: SystemTime) {
    let is_stale = |used: SystemTime| now.duration_since(used).is_ok_and(|age| age > DAY);
    if fs::symlink_metadata(told).is_ok_and(|it| it.is_file() && it.modified().is_ok_and(is_stale)) {
        mark_used(told, now);
    }
}

/// Notes when a session was used, by the same clock that its age is told by.
pub(super) fn mark_used(told: &Path, now: SystemTime) {
    if let Ok(file) = File::options().write(true).open(told) {
        // Where it cannot be noted, the session may be forgotten early: it is told again then.
        let _ = file.set_modified(now);
    }
}
