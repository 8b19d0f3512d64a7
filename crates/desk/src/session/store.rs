//! The state files of a workspace: their paths, lock and seals, and how they are read, written, and set aside when
//! damaged or foreign (BEHAVIOUR §9). `selection` and `memory` define the content of two of them.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::foreign::{Foreign, ForeignFileAction};
use refdesk_files::path::{display, is_absent, lossy, name_of};
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_files::workspace::mark_of;
use refdesk_files::{
    Durability, FileMode, Folder, LOCK_TIMEOUT, Lock, Sealer, cause, code_of, is_disk_full, is_link_refused,
    is_no_file, more_room, name, no_workspace, rename_state_file, usable_key, within,
};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// The name of the default desk and the default session.
pub const DEFAULT: &str = "default";

/// The fix for a file that cannot be read.
pub(super) const MAKE_READABLE: &str = "make it readable for this user";

const LOCK: &str = "lock";

const IGNORE_FILE: &str = ".gitignore";

/// The content of `.gitignore`, which ignores the whole folder.
const IGNORE: &[u8] = b"*\n";

/// The maximum size of a state file in bytes; a larger one counts as damaged.
const LIMIT: u64 = 64 * 1024 * 1024;

/// After a timeout, wait a tenth as long for the lock: its holder is not making an ordinary change.
const RETRY_DIVISOR: u32 = 10;

/// The state files of one desk of a workspace.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) workspace: PathBuf,
    pub(super) folder: PathBuf,
    /// The desk's name, safe as a file name.
    pub(super) desk: String,
    pub(super) selection: PathBuf,
    pub(super) clock: fn() -> SystemTime,
    lock_timeout: Duration,
    /// Whether state may be stored only once the folder is marked as a workspace.
    only_if_marked: bool,
    pub(super) sealer: Sealer,
    pub(super) foreign: Foreign,
    /// Whether the last wait for the lock timed out.
    timed_out: Arc<AtomicBool>,
}

/// The content of a state file.
pub(super) struct StateContent<T> {
    pub value: T,
    /// Whether this user's refdesk wrote it here; otherwise it is not trusted.
    pub is_own: bool,
}

impl Store {
    /// The files of this desk; a name that is not safe as a file name is replaced by its hash. Without a key, only
    /// picks and exclusions are stored and trusted.
    pub fn new(workspace: &Path, desk: &str, clock: fn() -> SystemTime) -> Self {
        let folder = workspace.join(STATE_FOLDER);
        let selection = if desk == DEFAULT {
            folder.join("selection.json")
        } else {
            folder.join("desks").join(name::safe(desk)).join("selection.json")
        };
        let (workspace, desk) = (workspace.to_path_buf(), name::safe(desk));
        let (lock_timeout, timed_out) = (LOCK_TIMEOUT, Arc::default());
        let (sealer, foreign) = (Sealer::new(None, &workspace), Foreign::default());
        let only_if_marked = false;
        Self { workspace, folder, desk, selection, clock, lock_timeout, only_if_marked, sealer, foreign, timed_out }
    }

    /// Sets whether state may be stored only once the folder is marked as a workspace.
    #[must_use]
    pub(crate) fn only_if_marked(self, only_if_marked: bool) -> Self {
        Self { only_if_marked, ..self }
    }

    /// Sets the key, which seals what is written and verifies what is read.
    #[must_use]
    pub fn sealed_by(self, sealer: Sealer) -> Self {
        Self { sealer, ..self }
    }

    /// Seals the files of this workspace.
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Reports the foreign files found so far, or that nothing shows which files are foreign.
    pub fn foreign(&self) -> Option<Diagnostic> {
        match self.sealer.check() {
            Ok(()) => self.foreign.diagnostic(),
            Err(error) => Some(Diagnostic::error(Code::KeyUnusable, error.to_string()).fix(advice(&error))),
        }
    }

    /// Sets the lock timeout. After a timeout, waits last a tenth of it until the lock can be taken again.
    #[must_use]
    pub fn waiting(self, lock_timeout: Duration) -> Self {
        Self { lock_timeout, ..self }
    }

    /// The desk's name, safe as a file name.
    pub(crate) fn desk_name(&self) -> &str {
        &self.desk
    }

    /// Whether this workspace has any state: any file of any desk or session.
    pub fn has_state(&self) -> bool {
        self.folder.is_dir()
    }

    /// The file of picks and exclusions.
    pub fn choice_file(&self) -> &Path {
        &self.selection
    }

    /// The warning that the file of the selection was deleted while a desk runs.
    pub(crate) fn deleted(&self) -> Diagnostic {
        let message = "the file was deleted: its last picks and exclusions stay only here, until a change here stores them again \
             or one by another process replaces them";
        Diagnostic::warning(Code::NotStored, message)
            .in_file(self.shown(&self.selection))
            .fix("pick or unpick a source")
    }

    /// The file of cached mentions.
    pub(crate) fn mentions_file(&self) -> PathBuf {
        self.folder.join("cache/mentions")
    }

    /// Takes the lock, in a folder that git ignores and that is inside the workspace even after resolving links.
    ///
    /// # Errors
    /// The file system's error with the path; [`Code::LinkedOut`] for a link; [`Code::NoWorkspace`];
    /// [`Code::KeyUnusable`], because our own files would be taken for foreign ones.
    pub fn lock(&self) -> io::Result<Lock> {
        self.sealer.check()?;
        self.check_inside(&self.folder)?;
        if self.only_if_marked && mark_of(&self.workspace).is_none() {
            return Err(no_workspace(&self.workspace));
        }
        let folder = own_folder(&self.workspace)?;
        for name in [LOCK, IGNORE_FILE] {
            self.clear(&folder, name);
        }
        let lock = folder.lock(LOCK, self.current_lock_timeout());
        let timed_out = lock.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut);
        self.timed_out.store(timed_out, Ordering::Relaxed);
        let lock = lock?;
        self.ignore_in_git()?;
        Ok(lock)
    }

    fn current_lock_timeout(&self) -> Duration {
        if self.timed_out.load(Ordering::Relaxed) { self.lock_timeout / RETRY_DIVISOR } else { self.lock_timeout }
    }

    /// Makes git ignore the folder, which must exist.
    ///
    /// # Errors
    /// The file system's error with the path; [`Code::LinkedOut`] for a link.
    pub(crate) fn ignore_in_git(&self) -> io::Result<()> {
        ignore_in_git(&self.workspace)
    }

    /// Checks that no link leads this file or folder out of the workspace.
    pub(super) fn check_inside(&self, path: &Path) -> io::Result<()> {
        within(&self.workspace, path.parent().filter(|_| path != self.folder).unwrap_or(path))
    }

    pub(super) fn unread(&self, error: &io::Error) -> Diagnostic {
        Diagnostic::warning(Code::LinkedOut, error.to_string()).in_file(".jaato").fix(advice(error))
    }

    /// Reads a file without the lock, since writes are atomic; only a damaged file is read again under it. One that
    /// cannot be read counts as empty and stays where it is.
    pub(super) fn read_or_set_aside<T: DeserializeOwned>(
        &self,
        file: &Path,
    ) -> (Option<StateContent<T>>, Vec<Diagnostic>) {
        if let Err(error) = self.check_inside(file) {
            return (None, vec![self.unread(&error)]);
        }
        match self.read::<T>(file) {
            Ok(found) => (found, Vec::new()),
            Err(problem) => {
                let is_read_again = is_damage(&problem);
                let again = is_read_again.then(|| self.lock().and_then(|_lock| self.read_locked(file)).ok()).flatten();
                again.unwrap_or_else(|| (None, vec![self.report(file, &problem, "it is read as empty")]))
            }
        }
    }

    /// Reads a file; the caller holds the lock. A damaged file is moved aside, so that its content is kept.
    ///
    /// # Errors
    /// [`Code::Unreadable`]: the file cannot be read, so it must not be replaced.
    pub(super) fn read_locked<T: DeserializeOwned>(
        &self,
        file: &Path,
    ) -> io::Result<(Option<StateContent<T>>, Vec<Diagnostic>)> {
        let problem = match self.read::<T>(file) {
            Ok(found) => return Ok((found, Vec::new())),
            Err(problem) if is_damage(&problem) => problem,
            Err(problem) => return Err(unreadable(&self.shown(file), &problem)),
        };
        let aside = aside(file, "damaged", self.clock);
        let done = match rename_state_file(file, name_of(&aside)) {
            Ok(()) => format!("it was renamed to {}, and a new one was started", self.shown(&aside)),
            Err(error) => format!("it could not be set aside ({error}) and is read as empty"),
        };
        Ok((None, vec![self.report(file, &problem, &done)]))
    }

    /// Like [`Self::read_locked`], for a file that must be ours: a foreign one is moved aside, too.
    ///
    /// # Errors
    /// As for [`Self::read_locked`].
    pub(super) fn own_locked<T: DeserializeOwned>(&self, file: &Path) -> io::Result<(Option<T>, Vec<Diagnostic>)> {
        let (found, diagnostics) = self.read_locked::<T>(file)?;
        let Some(found) = found else { return Ok((None, diagnostics)) };
        if !found.is_own {
            // Without a key, nothing shows whose file it is, and it could not be replaced.
            self.sealer.key_or_new()?;
            self.move_aside(file);
        }
        Ok((self.own(file, found), diagnostics))
    }

    /// The content of a file, if it is ours.
    pub(super) fn own<T>(&self, file: &Path, found: StateContent<T>) -> Option<T> {
        if found.is_own {
            self.foreign.settle(&self.shown(file));
            return Some(found.value);
        }
        self.foreign.note(self.shown(file), ForeignFileAction::Ignored);
        None
    }

    /// Records a foreign file that was left alone.
    pub fn note_foreign(&self, file: &Path) {
        self.foreign.note(self.shown(file), ForeignFileAction::Ignored);
    }

    /// Records a foreign file and moves it aside. The caller holds the lock.
    pub fn set_foreign_aside(&self, file: &Path) {
        self.note_foreign(file);
        self.move_aside(file);
    }

    /// Moves a foreign file aside; the caller holds the lock. If this fails, the file is still ignored.
    pub(super) fn move_aside(&self, file: &Path) {
        if let Some(aside) = self.rename_aside(file) {
            self.foreign.note(self.shown(file), ForeignFileAction::Aside(aside));
        }
    }

    /// Renames a foreign file without reporting it; returns its new path as displayed.
    pub(crate) fn rename_aside(&self, file: &Path) -> Option<String> {
        let aside = aside(file, "foreign", self.clock);
        rename_state_file(file, name_of(&aside)).ok().map(|()| self.shown(&aside))
    }

    /// Moves aside a folder, link or pipe at the path of a state file; otherwise every command would fail until a person
    /// moves it.
    pub(super) fn clear(&self, folder: &Folder, name: &str) {
        if folder.is_obstructed(name) {
            self.move_aside(&folder.path_of(name));
        }
    }

    /// The content of a file and whether it is ours; `None` if it does not exist.
    ///
    /// # Errors
    /// It [is damaged](is_damage), or cannot be read.
    pub(super) fn read<T: DeserializeOwned>(&self, file: &Path) -> io::Result<Option<StateContent<T>>> {
        let Some(bytes) = read_bytes(Folder::of(&self.workspace, file))? else { return Ok(None) };
        let value = parse(&bytes)?;
        Ok(Some(StateContent { value, is_own: self.sealer.verifies(&self.place(file), &bytes) }))
    }

    /// Writes a file with its seal.
    pub(super) fn write<T: Serialize>(&self, file: &Path, value: &T) -> io::Result<()> {
        self.put(file, &self.sealed(file, value)?, Durability::SurvivesCrash)
    }

    pub(super) fn sealed<T: Serialize>(&self, file: &Path, value: &T) -> io::Result<Vec<u8>> {
        Ok(self.sealer.key_or_new()?.sealed(&self.place(file), &serde_json::to_vec_pretty(value)?))
    }

    pub(super) fn put(&self, file: &Path, bytes: &[u8], lasting: Durability) -> io::Result<()> {
        let (folder, name) = Folder::create_parent_of(&self.workspace, file)?;
        // The writer holds the lock, so temporary files found here are left over from killed writers.
        folder.sweep()?;
        folder.write(name, bytes, FileMode::Private, lasting)
    }

    /// The place of a file for its seal: its path in the folder.
    pub(super) fn place(&self, file: &Path) -> String {
        lossy(file.strip_prefix(&self.folder).unwrap_or(file))
    }

    pub(super) fn shown(&self, file: &Path) -> String {
        display(&self.workspace, file)
    }

    /// Reports a file that is damaged or cannot be read.
    pub(super) fn report(&self, file: &Path, problem: &io::Error, done: &str) -> Diagnostic {
        let reported = if is_damage(problem) {
            Diagnostic::warning(Code::Damaged, format!("the file is damaged ({problem}); {done}"))
                .fix("take what you need from that file")
        } else {
            let message = format!("the file cannot be read: {}; {done}", cause(problem));
            Diagnostic::warning(Code::Unreadable, message).fix(MAKE_READABLE)
        };
        reported.in_file(display(&self.workspace, file))
    }
}

/// Makes git ignore refdesk's folder in a workspace; creates the folder if it is missing.
///
/// # Errors
/// The file system's error with the path; [`Code::LinkedOut`] for a link.
pub(crate) fn ignore_in_git(workspace: &Path) -> io::Result<()> {
    let folder = own_folder(workspace)?;
    // A `.gitignore` from the repository need not ignore the folder.
    let is_kept_out = folder.read(IGNORE_FILE, 16).is_ok_and(|(bytes, _)| bytes == IGNORE);
    if is_kept_out { Ok(()) } else { folder.write(IGNORE_FILE, IGNORE, FileMode::Private, Durability::SurvivesCrash) }
}

/// refdesk's folder in a workspace, created if missing and accessible only to its user.
fn own_folder(workspace: &Path) -> io::Result<Folder> {
    Folder::root(workspace)?.make(Path::new(STATE_FOLDER), FileMode::Private)
}

/// The path to which a damaged or foreign file is moved; does not overwrite files moved in the same second.
pub(super) fn aside(file: &Path, why: &str, clock: fn() -> SystemTime) -> PathBuf {
    let seconds = clock().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let named = |ending: String| {
        let mut aside = file.as_os_str().to_owned();
        aside.push(format!(".{why}-{seconds}{ending}"));
        PathBuf::from(aside)
    };
    let numbered = (1..u32::MAX).map(|number| named(format!("-{number}")));
    let free = |path: &PathBuf| std::fs::symlink_metadata(path).is_err_and(|error| is_absent(&error));
    std::iter::once(named(String::new())).chain(numbered).find(free).unwrap_or_else(|| named(String::new()))
}

/// The fix for a failed write.
pub fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        _ if is_link_refused(error) => "replace the link with a folder",
        _ if code_of(error) == Some(Code::Unreadable) => MAKE_READABLE,
        _ if code_of(error) == Some(Code::KeyUnusable) => usable_key(error),
        _ if code_of(error) == Some(Code::NoWorkspace) => "set up a workspace in it, or work in another folder",
        _ if code_of(error).is_some() => "set HOME, or XDG_STATE_HOME to a writable folder outside the workspace",
        io::ErrorKind::TimedOut => "end the process that holds the lock, or try again",
        _ if is_disk_full(error) => more_room(error),
        io::ErrorKind::NotFound => "open the workspace where it is now: its folder was moved or deleted",
        io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory | io::ErrorKind::AlreadyExists => {
            "move or remove what blocks .jaato/refdesk/"
        }
        _ => "make .jaato/refdesk/ writable",
    }
}

/// The value of a file in the user's own folder, which needs no seal; `None` if it does not exist.
///
/// # Errors
/// It [is damaged](is_damage), or cannot be read.
pub(super) fn read<T: DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    let name = file.file_name().unwrap_or_default().to_owned();
    let folder = Folder::root(file.parent().unwrap_or(Path::new("")));
    let Some(bytes) = read_bytes(folder.map(|folder| (folder, name)))? else { return Ok(None) };
    Ok(parse(&bytes).map(Some)?)
}

fn read_bytes(file: io::Result<(Folder, OsString)>) -> io::Result<Option<Vec<u8>>> {
    match file.and_then(|(folder, name)| folder.read(name, LIMIT)) {
        Ok((_, true)) => Err(too_large()),
        Ok((bytes, false)) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is too large")
}

/// Whether there is no intact state file: its content is invalid, or something else is in its place. Any other error
/// says nothing about the content, so the file must be kept.
pub(super) fn is_damage(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) || is_no_file(error)
}

/// The error for a file that is not replaced, because it cannot be read.
pub(super) fn unreadable(shown: &str, error: &io::Error) -> io::Error {
    let message = refdesk_files::unreadable(shown, error);
    io::Error::new(error.kind(), Error::new(Code::Unreadable, message, ""))
}

/// Parses a stored value, which must be an object: serde would accept a list as a struct and `null` as `None`, and the
/// data would then be lost.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    if bytes.trim_ascii_start().first() == Some(&b'{') {
        return serde_json::from_slice(bytes);
    }
    let none: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes)?;
    serde_json::from_value(none.into())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Session;
    use super::*;
    use refdesk_core::selection::Choice;
    use refdesk_enrich::SessionMemory;
    use refdesk_files::write_atomic;

    pub(crate) fn clock() -> SystemTime {
        UNIX_EPOCH + std::time::Duration::from_secs(1_800_000_000)
    }

    pub(crate) fn assert_private(file: &Path) {
        let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(file).unwrap().permissions());
        assert_eq!(mode & 0o777, 0o600, "{}", file.display());
    }

    pub(crate) fn store(folder: &Path) -> Store {
        Store::new(folder, DEFAULT, clock).sealed_by(Sealer::fixed(folder))
    }

    pub fn session() -> Session {
        Session::of_client("a test")
    }

    #[test]
    fn other_desks_and_odd_names_have_separate_files() {
        let store = Store::new(Path::new("/w"), "review", clock);
        assert_eq!(store.selection, Path::new("/w/.jaato/refdesk/desks/review/selection.json"));
        let memory = store.memory_file(&Session { id: "../../x".to_owned(), ..session() });
        assert!(memory.starts_with("/w/.jaato/refdesk/desks/review/sessions") && !memory.ends_with("x/told.json"));
    }

    #[test]
    fn only_content_and_obstacles_are_damage() {
        use io::ErrorKind::{InvalidInput, NotFound, Other, PermissionDenied, StaleNetworkFileHandle};
        for kind in [PermissionDenied, Other, StaleNetworkFileHandle] {
            assert!(!is_damage(&read_bytes(Err(kind.into())).unwrap_err()), "{kind}");
        }
        assert!(is_damage(&read_bytes(Err(InvalidInput.into())).unwrap_err()), "a folder or a pipe");
        assert!(read_bytes(Err(NotFound.into())).unwrap().is_none());
        assert!(is_damage(&too_large()));
        for text in ["", "{", "[]", "{\"picks\": [1]}"] {
            assert!(is_damage(&parse::<Choice>(text.as_bytes()).unwrap_err().into()), "{text}");
        }
    }

    #[test]
    fn after_a_timeout_the_wait_is_shorter_until_the_lock_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (lock_timeout, less) = (Duration::from_millis(20), Duration::from_millis(2));
        let store = store(folder.path()).waiting(lock_timeout);
        let held = Lock::acquire(&store.folder.join("lock"), LOCK_TIMEOUT).unwrap();
        let mut waits = Vec::new();
        for _ in 0..3 {
            waits.push(store.current_lock_timeout());
            assert_eq!(store.clone().lock().unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        assert_eq!(waits, [lock_timeout, less, less]);
        drop(held);
        drop(store.lock().unwrap());
        assert_eq!(store.current_lock_timeout(), lock_timeout);
    }

    #[test]
    fn links_out_of_the_workspace_are_neither_read_nor_written() {
        use std::os::unix::fs::symlink;
        let memory = || SessionMemory { announced: ["a".to_owned()].into(), ..SessionMemory::default() };
        let choice = || Choice { picks: vec!["theirs".into()], ..Choice::default() };
        for link in [".jaato", ".jaato/refdesk", ".jaato/refdesk/sessions", ".jaato/refdesk/desks"] {
            let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let link = folder.path().join(link);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            // Files outside with valid seals, which would be used if the link were followed.
            let own = |path: &str| outside.path().join(path);
            for file in ["refdesk/selection.json", "selection.json", "review/selection.json"] {
                write_sealed(&own(file), folder.path(), "desks/review/selection.json", &choice());
            }
            for file in ["refdesk/sessions/s/told.json", "sessions/s/told.json", "s/told.json"] {
                write_sealed(&own(file), folder.path(), "desks/review/sessions/s/told.json", &memory());
            }
            let listing = || walk(outside.path());
            let before = listing();
            symlink(outside.path(), &link).unwrap();
            let store = Store::new(folder.path(), "review", clock).sealed_by(Sealer::fixed(folder.path()));
            let session = Session { id: "s".to_owned(), ..session() };
            let is_below = |path: &Path| path.starts_with(&link);
            if is_below(&store.selection) {
                let error = store
                    .change(
                        &session,
                        &crate::session::StoredSelection::default(),
                        crate::session::NewPicks::Person(&[]),
                        |choice| choice.pick("x"),
                    )
                    .unwrap_err();
                assert!(error.to_string().contains("is a link out of the workspace"), "{error}");
                assert!(advice(&error).contains("folder"), "{error}");
                let (stored, diagnostics) = store.choice();
                assert_eq!((stored, diagnostics.len()), (None, 1), "{link:?}");
                assert!(store.look().is_err());
            }
            if is_below(&store.memory_file(&session)) {
                assert!(store.update_memory(&session, |_| (memory(), ())).is_err());
                let (stored, diagnostics) = store.session_memory(&session);
                assert_eq!((stored, diagnostics.len()), (SessionMemory::default(), 1), "{link:?}");
            }
            store.forget(&["a".into()]).unwrap_or_default();
            assert_eq!(listing(), before, "{link:?}");
        }
    }

    /// Writes a file with a valid seal for this place in the workspace.
    fn write_sealed(file: &Path, workspace: &Path, place: &str, value: &impl Serialize) {
        let sealer = Sealer::fixed(workspace);
        let bytes = sealer.key().unwrap().sealed(place, &serde_json::to_vec_pretty(value).unwrap());
        write_atomic(file, &bytes).unwrap();
    }

    /// Every file below a folder with its content.
    fn walk(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut open = vec![folder.to_path_buf()];
        let mut found = Vec::new();
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { open.push(path) } else { found.push((path.clone(), std::fs::read(&path).unwrap())) }
            }
        }
        found.sort();
        found
    }
}
