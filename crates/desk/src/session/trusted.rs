//! The file of the user's trust decisions for every workspace. It is in the user's own folder, never in a workspace,
//! and only the user may read it (BEHAVIOUR §9 "Trust"). Trust is stored as hashes, which the desk computes.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::store::{MAKE_READABLE, aside, is_damage, read, unreadable};
use refdesk_files::path::name_of;
use refdesk_files::{Lock, cause, private_folder, rename_state_file, sweep, write_private};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Fix};

#[derive(Debug, Clone)]
pub(crate) struct Trusted {
    file: PathBuf,
    clock: fn() -> SystemTime,
    lock_timeout: Duration,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    /// Hashes by the resolved path of the workspace.
    #[serde(default)]
    workspaces: BTreeMap<String, BTreeSet<String>>,
}

impl Trusted {
    /// The trust file in this folder of the user.
    pub(crate) fn new(state: &Path, clock: fn() -> SystemTime, lock_timeout: Duration) -> Self {
        Self { file: state.join("trust.json"), clock, lock_timeout }
    }

    /// The trusted hashes of this workspace. If a damaged file had to be moved aside, reports that and trusts nothing.
    pub(crate) fn of(&self, workspace: &str) -> (BTreeSet<String>, Vec<Diagnostic>) {
        // Readers take no lock, since writes are atomic; only a damaged file is read again under it.
        let (mut stored, problems) = match read::<Stored>(&self.file) {
            Ok(stored) => (stored.unwrap_or_default(), Vec::new()),
            Err(problem) if !is_damage(&problem) => {
                let message =
                    format!("the record of your trust cannot be read: {}; it counts as empty", cause(&problem));
                let unread = Diagnostic::warning(Code::Unreadable, message).in_file(self.file.to_string_lossy());
                (Stored::default(), vec![unread.fix(MAKE_READABLE)])
            }
            Err(problem) => self.lock().and_then(|_lock| self.read_locked()).unwrap_or_else(|error| {
                (Stored::default(), vec![self.damaged(&format!("{problem}; {error}"), "it counts as empty")])
            }),
        };
        (stored.workspaces.remove(workspace).unwrap_or_default(), problems)
    }

    /// Adds trusted hashes to the workspace.
    ///
    /// # Errors
    /// The file system's error with the path. Nothing is changed in that case.
    pub(crate) fn add(&self, workspace: &str, hashes: impl IntoIterator<Item = String>) -> io::Result<Vec<Diagnostic>> {
        self.change(|stored| stored.workspaces.entry(workspace.to_owned()).or_default().extend(hashes))
    }

    /// Removes all trust from the workspace.
    ///
    /// # Errors
    /// As for [`Trusted::add`].
    pub(crate) fn remove(&self, workspace: &str) -> io::Result<Vec<Diagnostic>> {
        self.change(|stored| drop(stored.workspaces.remove(workspace)))
    }

    fn change(&self, change: impl FnOnce(&mut Stored)) -> io::Result<Vec<Diagnostic>> {
        let _lock = self.lock()?;
        let (mut stored, problems) = self.read_locked()?;
        change(&mut stored);
        self.file.parent().map_or(Ok(()), sweep)?;
        let mut bytes = serde_json::to_vec_pretty(&stored)?;
        bytes.push(b'\n');
        write_private(&self.file, &bytes)?;
        Ok(problems)
    }

    /// Locks only this file, because the folder also contains other files.
    fn lock(&self) -> io::Result<Lock> {
        let _folder = self.file.parent().map(private_folder).transpose()?;
        Lock::acquire(&self.file.with_extension("lock"), self.lock_timeout)
    }

    fn read_locked(&self) -> io::Result<(Stored, Vec<Diagnostic>)> {
        let problem = match read::<Stored>(&self.file) {
            Ok(stored) => return Ok((stored.unwrap_or_default(), Vec::new())),
            Err(problem) if is_damage(&problem) => problem,
            Err(problem) => return Err(unreadable(&self.file.to_string_lossy(), &problem)),
        };
        let aside = aside(&self.file, "damaged", self.clock);
        let done = match rename_state_file(&self.file, name_of(&aside)) {
            Ok(()) => format!("it was renamed to {}, and a new one was started", aside.display()),
            Err(error) => format!("it could not be set aside ({error}) and counts as empty"),
        };
        Ok((Stored::default(), vec![self.damaged(&problem.to_string(), &done)]))
    }

    fn damaged(&self, problem: &str, done: &str) -> Diagnostic {
        Diagnostic::warning(Code::Damaged, format!("the record of your trust is damaged ({problem}); {done}"))
            .in_file(self.file.to_string_lossy())
            .fix(Fix::Trust)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::store::tests::assert_private;
    use refdesk_files::{LOCK_TIMEOUT, write_atomic};

    fn clock() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    fn hashes(of: &[&str]) -> BTreeSet<String> {
        of.iter().map(|hash| (*hash).to_owned()).collect()
    }

    #[test]
    fn each_workspace_has_its_own_trust_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let trusted = Trusted::new(&folder.path().join("refdesk"), clock, LOCK_TIMEOUT);
        assert_eq!(trusted.of("/a"), Default::default());
        assert!(!folder.path().join("refdesk").exists(), "reading creates no file");
        trusted.add("/a", hashes(&["1"])).unwrap();
        trusted.add("/a", hashes(&["2", "1"])).unwrap();
        trusted.add("/b", hashes(&["1"])).unwrap();
        assert_eq!(trusted.of("/a").0, hashes(&["1", "2"]));
        trusted.remove("/a").unwrap();
        assert_eq!((trusted.of("/a").0, trusted.of("/b").0), (hashes(&[]), hashes(&["1"])));
        use std::os::unix::fs::PermissionsExt;
        let mode = |file: &Path| std::fs::metadata(file).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&trusted.file), 0o600);
        // A file that others could read is made private again.
        std::fs::set_permissions(&trusted.file, PermissionsExt::from_mode(0o644)).unwrap();
        trusted.add("/c", hashes(&["3"])).unwrap();
        assert_eq!(mode(&trusted.file), 0o600);
    }

    #[test]
    fn a_damaged_trust_file_grants_nothing_and_is_kept() {
        for rubbish in [&b"{\"workspaces\": [1]}"[..], b"", b"null", b"[]", b"{\"workspaces\":{\"/a\":{\"1\":2}}}"] {
            let folder = tempfile::tempdir().unwrap();
            let trusted = Trusted::new(folder.path(), clock, LOCK_TIMEOUT);
            write_atomic(&trusted.file, rubbish).unwrap();
            let (found, problems) = trusted.of("/a");
            assert_eq!((found.len(), problems.len()), (0, 1));
            let aside = folder.path().join("trust.json.damaged-1800000000");
            assert_eq!(std::fs::read(&aside).unwrap(), rubbish);
            assert_private(&aside);
            assert_eq!(trusted.of("/a").1, [], "told once");
            trusted.add("/a", hashes(&["1"])).unwrap();
            assert_eq!(trusted.of("/a").0, hashes(&["1"]));
        }
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let trusted = Trusted::new(folder.path(), clock, LOCK_TIMEOUT);
        std::thread::scope(|scope| {
            for at in 0..16 {
                let trusted = &trusted;
                scope.spawn(move || trusted.add("/a", [at.to_string()]).unwrap());
            }
        });
        assert_eq!(trusted.of("/a").0.len(), 16);
    }
}
