//! What each session was sent, in `sessions/NAME/told.json` beside the desk's selection, so that nothing is sent twice
//! (BEHAVIOUR §9). When a new session starts, the folders of long unused ones are removed. A session counts as used
//! when it is sent something, or asks when nothing is new.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{fs, io};

use super::Session;
use super::store::{StateContent, Store};
use refdesk_core::catalog::SourceId;
use refdesk_enrich::SessionMemory;
use refdesk_files::path::is_absent;
use refdesk_files::{Durability, open_folder, open_state_file, remove_state_file};
use refdesk_text::report::Diagnostic;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The folder of the sessions.
const SESSIONS: &str = "sessions";

/// How long an unused session is kept.
const RETENTION: Duration = Duration::from_secs(30 * 24 * 60 * 60);

impl Store {
    /// The session's memory, and a report if a damaged file was moved aside. A foreign one counts as empty, and is
    /// reported when the session's next change sets it aside.
    pub fn session_memory(&self, session: &Session) -> (SessionMemory, Vec<Diagnostic>) {
        let file = self.memory_file(session);
        if is_cut_short(&file) {
            return Default::default();
        }
        let (found, diagnostics) = self.read_or_set_aside(&file);
        let own = found.filter(|found: &StateContent<SessionMemory>| found.is_own);
        (own.map(|found| found.value).unwrap_or_default(), diagnostics)
    }

    /// Changes the session's memory: `tell` gets the current state and returns the new one. It is called before taking
    /// the lock, and again under it if another process has changed the memory in between. If nothing changes, no lock
    /// is taken and no file is written.
    ///
    /// # Errors
    /// The file system's error with the path.
    pub(crate) fn update_memory<T>(
        &self,
        session: &Session,
        tell: impl Fn(&SessionMemory) -> (SessionMemory, T),
    ) -> io::Result<(T, Vec<Diagnostic>)> {
        let file = self.memory_file(session);
        self.check_inside(&file)?;
        let (before, mut diagnostics) = self.session_memory(session);
        let (mut after, mut answer) = tell(&before);
        if after == before {
            mark_in_use(&file, (self.clock)());
            return Ok((answer, diagnostics));
        }
        let _lock = self.lock()?;
        let (stored, problems) =
            if is_cut_short(&file) { (None, Vec::new()) } else { self.own_locked::<SessionMemory>(&file)? };
        diagnostics.extend(problems);
        if stored.is_none() {
            remove_unused(&self.sessions(), (self.clock)());
        }
        let now = stored.unwrap_or_default();
        if now != before {
            (after, answer) = tell(&now);
        }
        if after != now {
            self.write_memory(&file, &after)?;
            mark_used(&file, (self.clock)());
        }
        Ok((answer, diagnostics))
    }

    /// Clears the session's memory, except whether it is owed a start. If another process holds the lock, the file is
    /// removed anyway: at worst, a concurrent writer sends something again, whereas cleared memory must not count as
    /// sent.
    ///
    /// # Errors
    /// The file system's error with the path.
    pub(crate) fn forget_memory(&self, session: &Session, owes_start: bool) -> io::Result<Vec<Diagnostic>> {
        let forget = |memory: &SessionMemory| (memory.forgotten(owes_start), ());
        self.update_memory(session, forget).map(|((), problems)| problems).or_else(|error| {
            let file = self.memory_file(session);
            self.check_inside(&file)?;
            match remove_state_file(&file) {
                Err(gone) if !is_absent(&gone) => Err(error),
                _ => Ok(Vec::new()),
            }
        })
    }

    /// The file that records what a session was sent. Each desk has its own, because desks have different sources.
    pub(super) fn memory_file(&self, session: &Session) -> PathBuf {
        self.sessions().join(session.name()).join("told.json")
    }

    fn sessions(&self) -> PathBuf {
        self.selection.with_file_name(SESSIONS)
    }

    /// Makes every session forget that these sources were announced: they left the selection, and are announced again
    /// when they return (BEHAVIOUR §5).
    ///
    /// # Errors
    /// The file system's error with the path.
    pub fn forget(&self, left: &[SourceId]) -> io::Result<()> {
        let sessions = match fs::read_dir(self.sessions()) {
            Ok(sessions) if !left.is_empty() => sessions,
            _ => return Ok(()),
        };
        let left: HashSet<&str> = left.iter().map(SourceId::as_str).collect();
        let less = |file: &Path| {
            // A damaged or foreign file is handled by its own session.
            let mut memory = self.read::<SessionMemory>(file).ok().flatten().filter(|found| found.is_own)?.value;
            let before = memory.announced.len();
            memory.announced.retain(|id| !left.contains(id.as_str()));
            (memory.announced.len() < before).then_some(memory)
        };
        // There may be many sessions, most without these sources: do not hold the lock while reading them.
        let files = sessions.flatten().map(|session| session.path().join("told.json"));
        let concerned: Vec<PathBuf> =
            files.filter(|file| self.check_inside(file).is_ok() && less(file).is_some()).collect();
        if concerned.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        concerned.iter().try_for_each(|file| less(file).map_or(Ok(()), |memory| self.write_memory(file, &memory)))
    }

    /// Written at every prompt, so without syncing to disk: after a power cut, some things may be sent again.
    fn write_memory(&self, file: &Path, memory: &SessionMemory) -> io::Result<()> {
        self.put(file, &self.sealed(file, memory)?, Durability::Recreatable)
    }
}

/// Whether a power cut left a session's memory empty. This does not count as damage: things are only sent again.
fn is_cut_short(memory: &Path) -> bool {
    fs::symlink_metadata(memory).is_ok_and(|file| file.is_file() && file.len() == 0)
}

/// Removes the folders of long unused sessions. Failed removals are retried the next time.
fn remove_unused(sessions: &Path, now: SystemTime) {
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
    used.and_then(|used| now.duration_since(used).ok()).is_some_and(|age| age > RETENTION)
}

/// Marks a session as used although nothing changed, at most once a day.
fn mark_in_use(memory: &Path, now: SystemTime) {
    let is_stale = |used: SystemTime| now.duration_since(used).is_ok_and(|age| age > DAY);
    if fs::symlink_metadata(memory).is_ok_and(|it| it.is_file() && it.modified().is_ok_and(is_stale)) {
        mark_used(memory, now);
    }
}

/// Records when a session was used, by the same clock that determines its age.
fn mark_used(memory: &Path, now: SystemTime) {
    if let Ok(file) = open_state_file(memory) {
        // On failure the session may be removed too early; then it is only sent things again.
        let _ = file.set_modified(now);
    }
}

#[cfg(test)]
mod tests {
    use super::super::DEFAULT;
    use super::super::store::tests::{clock, session, store};
    use super::*;
    use refdesk_files::{LOCK_TIMEOUT, Lock, Sealer, write_derived};

    fn named(id: &str) -> Session {
        Session { id: id.to_owned(), ..session() }
    }

    fn announce(store: &Store, session: &Session, ids: &[&str]) -> Vec<Diagnostic> {
        let tell = |memory: &SessionMemory| {
            let mut after = memory.clone();
            after.announced.extend(ids.iter().map(ToString::to_string));
            (after, ())
        };
        store.update_memory(session, tell).unwrap().1
    }

    #[test]
    fn session_memory_is_kept_between_reads() {
        let folder = tempfile::tempdir().unwrap();
        announce(&store(folder.path()), &session(), &["a"]);
        assert!(store(folder.path()).session_memory(&session()).0.was_announced("a"));
    }

    #[test]
    fn sources_that_left_the_selection_are_announced_again() {
        let folder = tempfile::tempdir().unwrap();
        let (store, sessions) = (store(folder.path()), ["one", "two"].map(named));
        for session in &sessions {
            announce(&store, session, &["a", "b"]);
        }
        store.forget(&["a".into()]).unwrap();
        for session in &sessions {
            let memory = store.session_memory(session).0;
            assert!(!memory.was_announced("a") && memory.was_announced("b"));
        }
    }

    #[test]
    fn unrelated_sessions_do_not_delay_forgetting() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).waiting(Duration::ZERO);
        announce(&store, &session(), &["a"]);
        let _held = Lock::acquire(&store.folder.join("lock"), LOCK_TIMEOUT).unwrap();
        store.forget(&["b".into()]).unwrap();
        assert_eq!(store.forget(&["a".into()]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn memory_lost_in_a_power_cut_is_rebuilt_silently() {
        let folder = tempfile::tempdir().unwrap();
        let (store, session) = (store(folder.path()), session());
        let file = store.memory_file(&session);
        assert_eq!(announce(&store, &session, &["a"]), []);
        write_derived(&file, b"").unwrap();
        assert_eq!(store.session_memory(&session), (SessionMemory::default(), Vec::new()));
        store.forget(&["a".into()]).unwrap();
        assert_eq!(announce(&store, &session, &["a"]), []);
        assert!(store.session_memory(&session).0.was_announced("a"));
        assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing was set aside");
    }

    #[test]
    fn long_unused_sessions_are_removed_when_a_new_one_begins() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let file = |name: &str| store.memory_file(&named(name));
        let age = |name: &str, days: u32| {
            let at = clock() - days * DAY;
            fs::File::options().write(true).open(file(name)).unwrap().set_modified(at).unwrap();
        };
        for name in ["old", "used", "young"] {
            announce(&store, &named(name), &["a"]);
        }
        age("old", 31);
        age("used", 31);
        age("young", 29);
        // A read counts as use, even if nothing is new.
        announce(&store, &named("used"), &["a"]);
        let exists = |name: &str| file(name).parent().unwrap().exists();
        assert_eq!(["old", "used", "young"].map(exists), [true; 3], "no new session yet");
        announce(&store, &named("new"), &["a"]);
        assert_eq!(["old", "used", "young", "new"].map(exists), [false, true, true, true]);
        assert!(store.session_memory(&named("used")).0.was_announced("a"));
    }

    #[test]
    fn memory_is_cleared_even_while_the_desk_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).waiting(Duration::from_millis(5));
        announce(&store, &session(), &["a"]);
        let held = Lock::acquire(&folder.path().join(".jaato/refdesk/lock"), LOCK_TIMEOUT).unwrap();
        assert!(store.forget_memory(&session(), false).unwrap().is_empty());
        assert_eq!(store.session_memory(&session()).0, SessionMemory::default());
        drop(held);
    }

    #[test]
    fn each_desk_has_its_own_memory_of_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] =
            [DEFAULT, "b"].map(|desk| Store::new(folder.path(), desk, clock).sealed_by(Sealer::fixed(folder.path())));
        let was_announced = |store: &Store| store.session_memory(&session()).0.was_announced("a");
        announce(&one, &session(), &["a"]);
        assert!(!was_announced(&two));
        announce(&two, &session(), &["a"]);
        two.forget(&["a".into()]).unwrap();
        assert!(was_announced(&one) && !was_announced(&two));
    }
}
