//! The files of a desk: `selection.json`, `desks/NAME/selection.json`, `sessions/NAME/told.json` (BEHAVIOUR §9).

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::foreign::{Fate, Foreign, limited};
use super::sessions;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Choice;
use refdesk_enrich::SessionMemory;
use refdesk_files::path::{display, is_absent, slashed};
use refdesk_files::{
    Durability, FileMode, Folder, LOCK_TIMEOUT, LinkRefused, Lock, NoSealKey, Sealer, name, remove_own, within,
};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The default desk and the default session.
pub const DEFAULT: &str = "default";

/// The folder of refdesk's state in a workspace.
pub const FOLDER: &str = ".jaato/refdesk";

/// The folder of the sessions.
const SESSIONS: &str = "sessions";

/// The content of `.gitignore`, which excludes the folder.
const IGNORE: &[u8] = b"*\n";

/// The most bytes of a state file; a larger one is damaged.
const LIMIT: u64 = 64 * 1024 * 1024;

/// After a timeout, wait a tenth as long for the lock: its holder is not making an ordinary change.
const AGAIN: u32 = 10;

/// The files of one desk and one session of a workspace.
#[derive(Debug, Clone)]
pub struct Store {
    pub(super) workspace: PathBuf,
    pub(super) folder: PathBuf,
    /// The desk's name, safe as a file name.
    pub(super) desk: String,
    /// The session's name, safe as a file name.
    pub(super) session: String,
    selection: PathBuf,
    told: PathBuf,
    pub(super) who: String,
    pub(super) clock: fn() -> SystemTime,
    patience: Duration,
    pub(super) sealer: Sealer,
    pub(super) foreign: Foreign,
    /// Whether the last wait for the lock timed out.
    in_vain: Arc<AtomicBool>,
}

/// A stored selection.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    /// Picks and exclusions.
    #[serde(flatten)]
    pub choice: Choice,
    /// Who stored it, for the feeds of others; missing in files written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The session's name, safe as a file name; missing likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The content of a state file.
pub(super) struct Found<T> {
    pub value: T,
    /// Whether this user's refdesk wrote it here; otherwise it is not trusted.
    pub is_own: bool,
}

/// Outcome of a change under the lock.
#[derive(Debug)]
pub struct Change<T> {
    /// The result of the change function.
    pub answer: T,
    /// The value now stored.
    pub value: Choice,
    /// Reports a damaged file that was moved aside.
    pub diagnostics: Vec<Diagnostic>,
}

impl Store {
    /// The files of this desk and session; names that are not safe as file names are replaced by their hash. `who` is
    /// stored with the selection. Without a key, only picks and exclusions are kept and trusted.
    pub fn new(workspace: &Path, desk: &str, session: &str, who: &str, clock: fn() -> SystemTime) -> Self {
        let folder = workspace.join(FOLDER);
        let selection = if desk == DEFAULT {
            folder.join("selection.json")
        } else {
            folder.join("desks").join(name::safe(desk)).join("selection.json")
        };
        let (desk, session) = (name::safe(desk), name::safe(session));
        // Each desk has its own memory of a session: the sources of one are unknown to the other.
        let sessions = selection.with_file_name(SESSIONS);
        let told = sessions.join(&session).join("told.json");
        let (workspace, who) = (workspace.to_path_buf(), who.to_owned());
        let (patience, in_vain) = (LOCK_TIMEOUT, Arc::default());
        let (sealer, foreign) = (Sealer::new(None, &workspace), Foreign::default());
        Self { workspace, folder, desk, session, selection, told, who, clock, patience, sealer, foreign, in_vain }
    }

    /// The same with a key, which seals what is written and verifies what is read.
    #[must_use]
    pub fn sealed_by(self, sealer: Sealer) -> Self {
        Self { sealer, ..self }
    }

    /// Seals the files of this workspace.
    pub fn sealer(&self) -> &Sealer {
        &self.sealer
    }

    /// Reports the foreign files found so far.
    pub fn foreign(&self) -> Option<Diagnostic> {
        self.foreign.diagnostic()
    }

    /// The same desk with another session and another writer.
    #[must_use]
    pub fn of(&self, session: &str, who: &str) -> Self {
        let session = name::safe(session);
        let told = self.sessions().join(&session).join("told.json");
        Self { session, told, who: who.to_owned(), ..self.clone() }
    }

    /// The same with another lock timeout; after a timeout, a tenth of it until the lock was taken again.
    #[must_use]
    pub fn waiting(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The desk's name, safe as a file name.
    pub fn desk_name(&self) -> &str {
        &self.desk
    }

    /// The session's name, safe as a file name.
    pub fn session_name(&self) -> &str {
        &self.session
    }

    /// Whether there is any state for this workspace: any file of any desk or session.
    pub fn keeps_anything(&self) -> bool {
        self.folder.is_dir()
    }

    /// The file of the selection.
    pub fn choice_file(&self) -> &Path {
        &self.selection
    }

    /// The file of cached mentions.
    pub fn mentions_file(&self) -> PathBuf {
        self.folder.join("cache/mentions")
    }

    /// The stored selection; `None` if there is none. A damaged file is moved aside and reported.
    pub fn choice(&self) -> (Option<Stored>, Vec<Diagnostic>) {
        let (found, diagnostics) = self.read_or_set_aside(&self.selection);
        (found.map(|found| self.believed(found)), diagnostics)
    }

    /// The stored selection; `None` if there is none. For long-running processes that read often: a damaged file is left in
    /// place, since another process may be writing it, and is returned as an error.
    ///
    /// # Errors
    /// The file is damaged; the reason as a diagnostic.
    pub fn look(&self) -> Result<Option<Stored>, Box<Diagnostic>> {
        let file = &self.selection;
        self.held_in(file).map_err(|error| Box::new(self.unread(&error)))?;
        let found = self.read(file).map_err(|problem| {
            Box::new(self.report(file, &problem, "what was chosen before counts until it is mended"))
        });
        Ok(found?.map(|found| self.believed(found)))
    }

    /// The trusted part of a stored selection: for a foreign one, picks and exclusions.
    fn believed(&self, found: Found<Stored>) -> Stored {
        let file = self.shown(&self.selection);
        if found.is_own {
            self.foreign.settle(&file);
            return found.value;
        }
        let (choice, is_cut) = limited(found.value.choice);
        if is_cut || self.sealer.can_have_key() {
            self.foreign.note(file, Fate::Choice { is_cut, aside: None });
        }
        Stored { choice, ..Stored::default() }
    }

    /// Changes the stored selection, starting from `initial` if there is none; writes only if it differs. A foreign file is
    /// moved aside, and what was taken over from it is written as ours.
    ///
    /// # Errors
    /// The file system's error with the path. Then nothing was changed.
    pub fn change<T>(&self, initial: &Choice, change: impl FnOnce(&mut Choice) -> T) -> io::Result<Change<T>> {
        self.held_in(&self.selection)?;
        let _lock = self.lock()?;
        let can_seal = self.sealer.key_or_new().is_ok();
        let (stored, diagnostics) = self.read_locked::<Stored>(&self.selection);
        let is_foreign = can_seal && stored.as_ref().is_some_and(|found| !found.is_own);
        let (stored, is_cut) = match stored {
            Some(found) if !found.is_own => Some(limited(found.value.choice)).unzip(),
            stored => (stored.map(|found| found.value.choice), None),
        };
        let mut value = stored.clone().unwrap_or_else(|| initial.clone());
        let answer = change(&mut value);
        if is_foreign {
            self.copy_aside(&self.selection, is_cut.unwrap_or_default())?;
        }
        if is_foreign || stored.as_ref() != Some(&value) {
            let (by, session) = (Some(self.who.clone()), Some(self.session.clone()));
            self.write_choice(&Stored { choice: value.clone(), by, session })?;
        }
        Ok(Change { answer, value, diagnostics })
    }

    /// Without a key, a selection is written without a seal, because it needs none.
    fn write_choice(&self, stored: &Stored) -> io::Result<()> {
        if self.sealer.key_or_new().is_ok() {
            return self.write(&self.selection, stored);
        }
        let mut bytes = serde_json::to_vec_pretty(stored)?;
        bytes.push(b'\n');
        self.put(&self.selection, &bytes, Durability::SurvivesCrash)
    }

    /// The session's memory, and a report of a damaged file that was moved aside.
    pub fn told(&self) -> (SessionMemory, Vec<Diagnostic>) {
        if is_cut_short(&self.told) {
            return Default::default();
        }
        let (found, diagnostics) = self.read_or_set_aside(&self.told);
        (found.and_then(|found| self.own(&self.told, found)).unwrap_or_default(), diagnostics)
    }

    /// Changes the session's memory: `tell` gets the current state and returns the new one. It is called before taking the
    /// lock, and again under it if another process changed the memory meanwhile. If nothing changes, no lock is taken and
    /// no file written.
    ///
    /// # Errors
    /// The file system's error with the path.
    pub fn tell<T>(&self, tell: impl Fn(&SessionMemory) -> (SessionMemory, T)) -> io::Result<(T, Vec<Diagnostic>)> {
        self.held_in(&self.told)?;
        let (before, mut diagnostics) = self.told();
        let (mut after, mut answer) = tell(&before);
        if after == before {
            sessions::mark_in_use(&self.told, (self.clock)());
            return Ok((answer, diagnostics));
        }
        let _lock = self.lock()?;
        let (stored, problems) =
            if is_cut_short(&self.told) { (None, Vec::new()) } else { self.own_locked::<SessionMemory>(&self.told) };
        diagnostics.extend(problems);
        if stored.is_none() {
            sessions::remove_unused(&self.sessions(), (self.clock)());
        }
        let now = stored.unwrap_or_default();
        if now != before {
            (after, answer) = tell(&now);
        }
        if after != now {
            self.write_told(&self.told, &after)?;
            sessions::mark_used(&self.told, (self.clock)());
        }
        Ok((answer, diagnostics))
    }

    /// Clears the session's memory. If another process holds the lock, the file is removed anyway: a concurrent writer at
    /// worst sends something again, whereas cleared memory must not count as known.
    ///
    /// # Errors
    /// The file system's error with the path.
    pub fn forget_told(&self) -> io::Result<Vec<Diagnostic>> {
        self.tell(|told| (told.forgotten(), ())).map(|((), problems)| problems).or_else(|error| {
            self.held_in(&self.told)?;
            match remove_own(&self.told) {
                Err(gone) if !is_absent(&gone) => Err(error),
                _ => Ok(Vec::new()),
            }
        })
    }

    fn sessions(&self) -> PathBuf {
        self.selection.with_file_name(SESSIONS)
    }

    /// Makes every session forget that these sources were announced: they left the selection, and are announced again when
    /// they return (BEHAVIOUR §5).
    ///
    /// # Errors
    /// The file system's error with the path.
    pub fn forget(&self, left: &[SourceId]) -> io::Result<()> {
        let sessions = match std::fs::read_dir(self.sessions()) {
            Ok(sessions) if !left.is_empty() => sessions,
            _ => return Ok(()),
        };
        let left: HashSet<&str> = left.iter().map(SourceId::as_str).collect();
        let less = |file: &Path| {
            // A damaged or foreign file is handled by its own session.
            let mut told = self.read::<SessionMemory>(file).ok().flatten().filter(|found| found.is_own)?.value;
            let before = told.announced.len();
            told.announced.retain(|id| !left.contains(id.as_str()));
            (told.announced.len() < before).then_some(told)
        };
        // There may be many sessions, most without these sources: do not hold the lock while reading them.
        let files = sessions.flatten().map(|session| session.path().join("told.json"));
        let concerned: Vec<PathBuf> = files.filter(|file| self.held_in(file).is_ok() && less(file).is_some()).collect();
        if concerned.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        concerned.iter().try_for_each(|file| less(file).map_or(Ok(()), |told| self.write_told(file, &told)))
    }

    /// Takes the lock, in a folder that git ignores and that no link leads out of the workspace.
    ///
    /// # Errors
    /// The file system's error with the path; [`LinkRefused`].
    pub fn lock(&self) -> io::Result<Lock> {
        self.held_in(&self.folder)?;
        let folder = own_folder(&self.workspace)?;
        let lock = folder.lock("lock", self.patience_now());
        let in_vain = lock.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::TimedOut);
        self.in_vain.store(in_vain, Ordering::Relaxed);
        let lock = lock?;
        self.keep_git_out()?;
        Ok(lock)
    }

    fn patience_now(&self) -> Duration {
        if self.in_vain.load(Ordering::Relaxed) { self.patience / AGAIN } else { self.patience }
    }

    /// Makes git ignore the folder, which must exist.
    ///
    /// # Errors
    /// The file system's error with the path; [`LinkRefused`].
    pub fn keep_git_out(&self) -> io::Result<()> {
        keep_git_out(&self.workspace)
    }

    /// Checks that no link leads this file or folder out of the workspace.
    fn held_in(&self, path: &Path) -> io::Result<()> {
        within(&self.workspace, path.parent().filter(|_| path != self.folder).unwrap_or(path))
    }

    fn unread(&self, error: &io::Error) -> Diagnostic {
        Diagnostic::warning(Code::LinkedOut, error.to_string()).in_file(".jaato").fix(advice(error))
    }

    /// Readers take no lock, since writes are atomic; only a damaged file is read again under it.
    fn read_or_set_aside<T: DeserializeOwned>(&self, file: &Path) -> (Option<Found<T>>, Vec<Diagnostic>) {
        if let Err(error) = self.held_in(file) {
            return (None, vec![self.unread(&error)]);
        }
        match self.read::<T>(file) {
            Ok(found) => (found, Vec::new()),
            Err(problem) => match self.lock() {
                Ok(_lock) => self.read_locked(file),
                Err(_) => (None, vec![self.report(file, &problem, "it is read as empty")]),
            },
        }
    }

    /// Reads a file while the lock is held; a damaged one is moved aside, so that its content is kept.
    fn read_locked<T: DeserializeOwned>(&self, file: &Path) -> (Option<Found<T>>, Vec<Diagnostic>) {
        let problem = match self.read::<T>(file) {
            Ok(found) => return (found, Vec::new()),
            Err(problem) => problem,
        };
        let aside = aside(file, "damaged", self.clock);
        let done = match self.rename(file, &aside) {
            Ok(()) => format!("it was renamed to {} and started anew", self.shown(&aside)),
            Err(error) => format!("it could not be set aside ({error}) and is read as empty"),
        };
        (None, vec![self.report(file, &problem, &done)])
    }

    /// The same for a file that must be ours: a foreign one is moved aside too.
    pub(super) fn own_locked<T: DeserializeOwned>(&self, file: &Path) -> (Option<T>, Vec<Diagnostic>) {
        let (found, diagnostics) = self.read_locked::<T>(file);
        let own = found.and_then(|found| {
            let is_own = found.is_own;
            let own = self.own(file, found);
            if !is_own {
                self.move_aside(file);
            }
            own
        });
        (own, diagnostics)
    }

    /// The content of a file, if it is ours.
    pub(super) fn own<T>(&self, file: &Path, found: Found<T>) -> Option<T> {
        if found.is_own {
            self.foreign.settle(&self.shown(file));
            return Some(found.value);
        }
        self.foreign.note(self.shown(file), Fate::Ignored);
        None
    }

    /// Notes a foreign file that was not touched.
    pub fn note_foreign(&self, file: &Path) {
        self.foreign.note(self.shown(file), Fate::Ignored);
    }

    /// Notes a foreign file and moves it aside. The caller holds the lock.
    pub fn set_foreign_aside(&self, file: &Path) {
        self.note_foreign(file);
        self.move_aside(file);
    }

    /// Moves a foreign file aside while the lock is held. If that fails, it is still ignored.
    pub(super) fn move_aside(&self, file: &Path) {
        let aside = aside(file, "foreign", self.clock);
        if self.rename(file, &aside).is_ok() {
            self.foreign.note(self.shown(file), Fate::Aside(self.shown(&aside)));
        }
    }

    /// Copies a foreign file aside while the lock is held. It stays in place until it is replaced, so that what is taken
    /// over from it is always there.
    fn copy_aside(&self, file: &Path, is_cut: bool) -> io::Result<()> {
        let aside = aside(file, "foreign", self.clock);
        let (folder, name) = Folder::of(&self.workspace, file)?;
        folder.second(name)?.replace(aside.file_name().unwrap_or_default())?;
        self.foreign.note(self.shown(file), Fate::Choice { is_cut, aside: Some(self.shown(&aside)) });
        Ok(())
    }

    /// Renames a file of the folder to a name beside it.
    fn rename(&self, file: &Path, aside: &Path) -> io::Result<()> {
        let (folder, name) = Folder::of(&self.workspace, file)?;
        folder.rename(name, aside.file_name().unwrap_or_default())
    }

    /// The content of a file and whether it is ours; `None` if there is no file; an error says what is wrong.
    pub(super) fn read<T: DeserializeOwned>(&self, file: &Path) -> Result<Option<Found<T>>, String> {
        let Some(bytes) = read_bytes(Folder::of(&self.workspace, file))? else { return Ok(None) };
        let value = parse(&bytes).map_err(|error| error.to_string())?;
        Ok(Some(Found { value, is_own: self.sealer.verifies(&self.place(file), &bytes) }))
    }

    /// Writes a file with its seal.
    pub(super) fn write<T: Serialize>(&self, file: &Path, value: &T) -> io::Result<()> {
        self.put(file, &self.sealed(file, value)?, Durability::SurvivesCrash)
    }

    /// A session's memory is written with every prompt without waiting for the disk: after a power cut, some things may be
    /// sent again.
    fn write_told(&self, file: &Path, told: &SessionMemory) -> io::Result<()> {
        self.put(file, &self.sealed(file, told)?, Durability::Recreatable)
    }

    fn sealed<T: Serialize>(&self, file: &Path, value: &T) -> io::Result<Vec<u8>> {
        Ok(self.sealer.key_or_new()?.sealed(&self.place(file), &serde_json::to_vec_pretty(value)?))
    }

    fn put(&self, file: &Path, bytes: &[u8], lasting: Durability) -> io::Result<()> {
        let (folder, name) = Folder::made_of(&self.workspace, file, FileMode::Private)?;
        // The writer holds the lock, so unfinished files of others here will never be finished.
        folder.sweep()?;
        folder.write(name, bytes, FileMode::Private, lasting)
    }

    /// The file's place for its seal: its path in the folder.
    pub(super) fn place(&self, file: &Path) -> String {
        slashed(file.strip_prefix(&self.folder).unwrap_or(file))
    }

    pub(super) fn shown(&self, file: &Path) -> String {
        display(&self.workspace, file)
    }

    fn report(&self, file: &Path, problem: &str, done: &str) -> Diagnostic {
        Diagnostic::warning(Code::Damaged, format!("the file is damaged ({problem}); {done}"))
            .in_file(display(&self.workspace, file))
            .fix("look into it for what you miss, and pick again")
    }
}

/// Makes git ignore refdesk's folder in a workspace; creates the folder if it is missing.
///
/// # Errors
/// The file system's error with the path; [`LinkRefused`].
pub fn keep_git_out(workspace: &Path) -> io::Result<()> {
    let folder = own_folder(workspace)?;
    // A `.gitignore` from the repository may not exclude the folder.
    let is_kept_out = folder.read(".gitignore", 16).is_ok_and(|(bytes, _)| bytes == IGNORE);
    if is_kept_out { Ok(()) } else { folder.write(".gitignore", IGNORE, FileMode::Private, Durability::SurvivesCrash) }
}

/// Refdesk's folder in a workspace, created if missing; only its user can enter it.
fn own_folder(workspace: &Path) -> io::Result<Folder> {
    Folder::root(workspace)?.make(Path::new(FOLDER), FileMode::Private)
}

/// The path to which a damaged or foreign file is moved; files moved in the same second are kept.
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
        _ if LinkRefused::is(error) => "put a folder in the place of the link",
        _ if NoSealKey::is(error) => "set HOME, or XDG_STATE_HOME to a writable folder outside the workspace",
        io::ErrorKind::TimedOut => "end the process that holds the lock, or try again",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => "make room",
        _ => "make .jaato/refdesk/ writable",
    }
}

/// The value of a file in the user's own folder, which needs no seal; `None` if there is no file; an error says what is
/// wrong.
pub(super) fn read<T: DeserializeOwned>(file: &Path) -> Result<Option<T>, String> {
    let name = file.file_name().unwrap_or_default().to_owned();
    let folder = Folder::root(file.parent().unwrap_or(Path::new("")));
    let Some(bytes) = read_bytes(folder.map(|folder| (folder, name)))? else { return Ok(None) };
    parse(&bytes).map(Some).map_err(|error| error.to_string())
}

fn read_bytes(file: io::Result<(Folder, OsString)>) -> Result<Option<Vec<u8>>, String> {
    match file.and_then(|(folder, name)| folder.read(name, LIMIT)) {
        Ok((_, true)) => Err("it is too large".to_owned()),
        Ok((bytes, false)) => Ok(Some(bytes)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a stored value, which must be an object: serde would accept a list for one, and `null` for none, and the data
/// would then be lost.
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let members: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(bytes)?;
    serde_json::from_value(members.into())
}

/// Whether a power cut emptied a session's memory. That is not damage, since nothing is missed.
fn is_cut_short(told: &Path) -> bool {
    std::fs::symlink_metadata(told).is_ok_and(|file| file.is_file() && file.len() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::{write_atomic, write_derived};

    fn clock() -> SystemTime {
        UNIX_EPOCH + std::time::Duration::from_secs(1_800_000_000)
    }

    fn store(folder: &Path) -> Store {
        Store::new(folder, DEFAULT, DEFAULT, "a test", clock).sealed_by(Sealer::fixed(folder))
    }

    #[test]
    fn a_change_is_stored_and_git_ignores_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let initial = Choice { picks: vec!["pre".into()], exclusions: vec![] };
        assert_eq!(store(folder.path()).choice().0, None);
        let change = store(folder.path()).change(&initial, |choice| choice.pick("a")).unwrap();
        assert!(change.answer);
        assert_eq!(store(folder.path()).choice().0.unwrap().choice.picks, ["pre", "a"]);
        assert_eq!(std::fs::read(folder.path().join(".jaato/refdesk/.gitignore")).unwrap(), b"*\n");
    }

    #[test]
    fn a_damaged_file_is_set_aside_and_reported() {
        for rubbish in [b"{\"picks\": [1]}".as_slice(), b"", b"\xff\xfe", b"{\"picks\":[\"a\"]", b"[]", b"null"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(".jaato/refdesk/selection.json");
            write_atomic(&file, rubbish).unwrap();
            let (choice, diagnostics) = store(folder.path()).choice();
            assert_eq!((choice, diagnostics.len()), (None, 1));
            let aside = folder.path().join(".jaato/refdesk/selection.json.damaged-1800000000");
            assert_eq!(std::fs::read(aside).unwrap(), rubbish);
            assert!(store(folder.path()).choice().1.is_empty(), "reported once");
        }
    }

    #[test]
    fn a_folder_in_place_of_the_file_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join(".jaato/refdesk/selection.json")).unwrap();
        let (choice, diagnostics) = store(folder.path()).choice();
        assert_eq!((choice, diagnostics.len()), (None, 1));
    }

    #[test]
    fn other_desks_and_odd_names_have_separate_files() {
        let store = Store::new(Path::new("/w"), "review", "../../x", "a test", clock);
        assert_eq!(store.selection, Path::new("/w/.jaato/refdesk/desks/review/selection.json"));
        assert!(
            store.told.starts_with("/w/.jaato/refdesk/desks/review/sessions") && !store.told.ends_with("x/told.json")
        );
    }

    #[test]
    fn session_memory_is_kept_between_reads() {
        let folder = tempfile::tempdir().unwrap();
        let told = store(folder.path())
            .tell(|before| {
                let mut after = before.clone();
                after.announced.insert("a".into());
                (after, ())
            })
            .map(|_| store(folder.path()).told().0)
            .unwrap();
        assert!(told.was_announced("a"));
    }

    #[test]
    fn sources_that_left_the_selection_are_announced_again() {
        let folder = tempfile::tempdir().unwrap();
        let sessions = ["one", "two"].map(|session| {
            Store::new(folder.path(), DEFAULT, session, "a test", clock).sealed_by(Sealer::fixed(folder.path()))
        });
        for session in &sessions {
            let announced = || ["a", "b"].map(str::to_owned).into();
            session.tell(|told| (SessionMemory { announced: announced(), ..told.clone() }, ())).unwrap();
        }
        store(folder.path()).forget(&["a".into()]).unwrap();
        for session in &sessions {
            let told = session.told().0;
            assert!(!told.was_announced("a") && told.was_announced("b"));
        }
    }

    #[test]
    fn after_a_timeout_the_wait_is_shorter_until_the_lock_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let (patience, less) = (Duration::from_millis(20), Duration::from_millis(2));
        let store = store(folder.path()).waiting(patience);
        let held = Lock::acquire(&store.folder.join("lock"), LOCK_TIMEOUT).unwrap();
        let mut waits = Vec::new();
        for _ in 0..3 {
            waits.push(store.patience_now());
            assert_eq!(store.clone().lock().unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        assert_eq!(waits, [patience, less, less]);
        drop(held);
        drop(store.lock().unwrap());
        assert_eq!(store.patience_now(), patience);
    }

    #[test]
    fn unrelated_sessions_do_not_delay_forgetting() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).waiting(Duration::ZERO);
        store.tell(|_| (SessionMemory { announced: ["a".to_owned()].into(), ..SessionMemory::default() }, ())).unwrap();
        let _held = Lock::acquire(&store.folder.join("lock"), LOCK_TIMEOUT).unwrap();
        store.forget(&["b".into()]).unwrap();
        assert_eq!(store.forget(&["a".into()]).unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[test]
    fn memory_lost_in_a_power_cut_is_rebuilt_silently() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let tell = || {
            store
                .tell(|_| (SessionMemory { announced: ["a".to_owned()].into(), ..SessionMemory::default() }, ()))
                .unwrap()
        };
        assert_eq!(tell().1, []);
        write_derived(&store.told, b"").unwrap();
        assert_eq!(store.told(), (SessionMemory::default(), Vec::new()));
        store.forget(&["a".into()]).unwrap();
        assert_eq!(tell().1, []);
        assert!(store.told().0.was_announced("a"));
        assert_eq!(std::fs::read_dir(store.told.parent().unwrap()).unwrap().count(), 1, "nothing was set aside");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_workspace_are_neither_read_nor_written() {
        use std::os::unix::fs::symlink;
        let told = || SessionMemory { announced: ["a".to_owned()].into(), ..SessionMemory::default() };
        let choice = || Choice { picks: vec!["theirs".into()], exclusions: vec![] };
        for link in [".jaato", ".jaato/refdesk", ".jaato/refdesk/sessions", ".jaato/refdesk/desks"] {
            let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let link = folder.path().join(link);
            std::fs::create_dir_all(link.parent().unwrap()).unwrap();
            // The file outside, which would be read if the link were followed.
            let own = |path: &str| outside.path().join(path);
            for file in ["refdesk/selection.json", "selection.json", "review/selection.json"] {
                write_sealed(&own(file), folder.path(), "desks/review/selection.json", &choice());
            }
            for file in ["refdesk/sessions/s/told.json", "sessions/s/told.json", "s/told.json"] {
                write_sealed(&own(file), folder.path(), "desks/review/sessions/s/told.json", &told());
            }
            let listing = || walk(outside.path());
            let before = listing();
            symlink(outside.path(), &link).unwrap();
            let store =
                Store::new(folder.path(), "review", "s", "a test", clock).sealed_by(Sealer::fixed(folder.path()));
            let on_the_way = |path: &Path| path.starts_with(&link);
            if on_the_way(&store.selection) {
                let error = store.change(&Choice::default(), |choice| choice.pick("x")).unwrap_err();
                assert!(error.to_string().contains("leads out of the workspace"), "{error}");
                assert!(advice(&error).contains("folder"), "{error}");
                let (stored, diagnostics) = store.choice();
                assert_eq!((stored, diagnostics.len()), (None, 1), "{link:?}");
                assert!(store.look().is_err());
            }
            if on_the_way(&store.told) {
                assert!(store.tell(|_| (told(), ())).is_err());
                let (stored, diagnostics) = store.told();
                assert_eq!((stored, diagnostics.len()), (SessionMemory::default(), 1), "{link:?}");
            }
            store.forget(&["a".into()]).unwrap_or_default();
            assert_eq!(listing(), before, "{link:?}");
        }
    }

    #[test]
    fn a_foreign_choice_is_taken_over_up_to_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let ids = |count: usize| (0..count).map(|at| format!("id-{at}"));
        let picks: Vec<String> = ["x".repeat(1025)].into_iter().chain(ids(50)).chain(ids(30_000)).collect();
        let forged = serde_json::to_vec(&Choice { picks, exclusions: vec!["late".into()] }).unwrap();
        write_atomic(&store.selection, &forged).unwrap();
        let expected = Choice { picks: ids(10_000).collect(), exclusions: Vec::new() };
        assert_eq!(store.choice().0.unwrap().choice, expected);
        let limit = "at most 10000, none longer than 1024 bytes";
        assert!(store.foreign().unwrap().message.contains(limit));
        assert_eq!(store.change(&Choice::default(), |_| ()).unwrap().value, expected);
        let message = store.foreign().unwrap().message;
        assert!(message.contains(limit) && message.contains("set aside as"), "{message}");
    }

    /// Writes a file that is valid at this place of the workspace.
    #[cfg(unix)]
    fn write_sealed(file: &Path, workspace: &Path, place: &str, value: &impl Serialize) {
        let sealer = Sealer::fixed(workspace);
        let bytes = sealer.key().unwrap().sealed(place, &serde_json::to_vec_pretty(value).unwrap());
        write_atomic(file, &bytes).unwrap();
    }

    /// Every file below a folder with its bytes.
    #[cfg(unix)]
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

    #[cfg(unix)]
    #[test]
    fn a_link_inside_the_workspace_is_refused_too() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("kept")).unwrap();
        std::os::unix::fs::symlink("kept", folder.path().join(".jaato")).unwrap();
        let error = store(folder.path()).change(&Choice::default(), |choice| choice.pick("a")).unwrap_err();
        assert!(error.to_string().contains(".jaato is a symbolic link, which is not followed"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path().join("kept")).unwrap().count(), 0);
    }

    #[test]
    fn long_unused_sessions_are_removed_when_a_new_one_begins() {
        let folder = tempfile::tempdir().unwrap();
        let session = |name: &str| {
            Store::new(folder.path(), DEFAULT, name, "a test", clock).sealed_by(Sealer::fixed(folder.path()))
        };
        let tell = |name: &str, id: &str| {
            let tell = |told: &SessionMemory| {
                let mut after = told.clone();
                after.announced.insert(id.to_owned());
                (after, ())
            };
            session(name).tell(tell).unwrap();
        };
        let days = |days: u64| clock() - Duration::from_secs(days * 24 * 60 * 60);
        let age = |name: &str, at: SystemTime| {
            std::fs::File::options().write(true).open(session(name).told).unwrap().set_modified(at).unwrap();
        };
        for name in ["old", "used", "young"] {
            tell(name, "a");
        }
        age("old", days(31));
        age("used", days(31));
        age("young", days(29));
        // Asking without news also counts as use.
        tell("used", "a");
        let there = |name: &str| session(name).told.parent().unwrap().exists();
        assert_eq!(["old", "used", "young"].map(there), [true; 3], "no new session yet");
        tell("new", "a");
        assert_eq!(["old", "used", "young", "new"].map(there), [false, true, true, true]);
        assert!(session("used").told().0.was_announced("a"));
    }

    #[test]
    fn memory_is_cleared_even_while_the_desk_is_locked() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path()).waiting(Duration::from_millis(5));
        store.tell(|_| (SessionMemory { announced: ["a".to_owned()].into(), ..SessionMemory::default() }, ())).unwrap();
        let held = Lock::acquire(&folder.path().join(".jaato/refdesk/lock"), LOCK_TIMEOUT).unwrap();
        assert!(store.forget_told().unwrap().is_empty());
        assert_eq!(store.told().0, SessionMemory::default());
        drop(held);
    }

    #[test]
    fn each_desk_has_its_own_memory_of_a_session() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = [DEFAULT, "b"]
            .map(|desk| Store::new(folder.path(), desk, "s", "a test", clock).sealed_by(Sealer::fixed(folder.path())));
        let announced = || ["a".to_owned()].into();
        one.tell(|told| (SessionMemory { announced: announced(), ..told.clone() }, ())).unwrap();
        assert!(!two.told().0.was_announced("a"));
        two.tell(|told| (SessionMemory { announced: announced(), ..told.clone() }, ())).unwrap();
        two.forget(&["a".into()]).unwrap();
        assert!(one.told().0.was_announced("a") && !two.told().0.was_announced("a"));
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for at in 0..32 {
                let store = store(folder.path());
                scope.spawn(move || store.change(&Choice::default(), |choice| choice.pick(&at.to_string())).unwrap());
            }
        });
        assert_eq!(store(folder.path()).choice().0.unwrap().choice.picks.len(), 32);
    }
}
