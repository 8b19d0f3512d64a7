//! Removes the folders of unused sessions when a new session begins (BEHAVIOUR §9). A session counts as used when it is
//! sent something, or asks and there is nothing new.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use refdesk_files::{open_folder, open_own};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How long an unused session is kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Removes the folders of long unused sessions. What cannot be removed is tried again the next time.
pub(super) fn remove_unused(sessions: &Path, now: SystemTime) {
    let Ok(sessions) = open_folder(sessions) else { return };
    for name in sessions.names().unwrap_or_default() {
        // A link is not ours.
        let Ok(session) = sessions.child(&name) else { continue };
        if is_unused(session.path(), now) {
            let files = session.names().unwrap_or_default();
            let _ = files
                .iter()
                .try_for_each(|file| session.remove_file(file))
                .and_then(|()| sessions.remove_folder(&name));
        }
    }
}

fn is_unused(folder: &Path, now: SystemTime) -> bool {
    let changed = |path: &Path| fs::symlink_metadata(path).and_then(|it| it.modified()).ok();
    let used = changed(&folder.join("told.json")).or_else(|| changed(folder));
    used.and_then(|used| now.duration_since(used).ok()).is_some_and(|age| age > KEPT)
}

/// Marks a session as used although nothing changed; at most once a day.
pub(super) fn mark_in_use(told: &Path, now: SystemTime) {
    let is_stale = |used: SystemTime| now.duration_since(used).is_ok_and(|age| age > DAY);
    if fs::symlink_metadata(told).is_ok_and(|it| it.is_file() && it.modified().is_ok_and(is_stale)) {
        mark_used(told, now);
    }
}

/// Records when a session was used, by the clock that also tells its age.
pub(super) fn mark_used(told: &Path, now: SystemTime) {
    if let Ok(file) = open_own(told) {
        // On failure the session may be removed too early, which only repeats what it was sent.
        let _ = file.set_modified(now);
    }
}
