//! Many temporary files in one folder under one lock. With a lock each, every file would have to stay open until its
//! rename, and a process can have few open files. So the files of a batch are closed once they are written. Their names
//! begin with that of a leader, which stays open and locked: they are stale if the leader is.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Staged, UNFINISHED, WriterLock};
use crate::error::with_path;
use crate::folder::{FileMode, Folder};

/// Temporary files of one writer in one folder. Clones share the batch.
#[derive(Debug, Clone)]
pub(crate) struct Batch {
    leader: Arc<Staged>,
    made: Arc<AtomicUsize>,
}

impl Batch {
    /// Starts an empty batch in a folder.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub(crate) fn new(folder: &Folder) -> io::Result<Self> {
        Ok(Self { leader: Arc::new(folder.temporary(FileMode::Private)?), made: Arc::default() })
    }

    /// Writes `bytes` to a temporary file that will be renamed to `name`, without syncing. The file gets the mode of
    /// the file that it replaces.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub(crate) fn stage(&self, name: impl AsRef<OsStr>, bytes: &[u8]) -> io::Result<Staged> {
        let folder = &self.leader.folder;
        let with_path = |error| with_path(&folder.path_of(name.as_ref()), error);
        let existing = folder.permissions_of(name.as_ref())?;
        let staged = self.next();
        let mode = if existing.is_some() { FileMode::Private } else { FileMode::Default };
        let mut file = folder.create(&staged.name, mode)?;
        file.write_all(bytes).map_err(with_path)?;
        if let Some(permissions) = existing {
            file.set_permissions(permissions).map_err(with_path)?;
        }
        Ok(staged)
    }

    /// Like [`Folder::stage_hard_link`].
    ///
    /// # Errors
    /// See [`Folder::stage_hard_link`].
    pub(crate) fn second(&self, name: impl AsRef<OsStr>) -> io::Result<Staged> {
        let second = self.next();
        match self.leader.folder.link(name.as_ref(), &second.name) {
            Ok(()) => Ok(second),
            Err(_) => self.leader.folder.stage_hard_link(name),
        }
    }

    fn next(&self) -> Staged {
        let folder = self.leader.folder.clone();
        let name = follower(&self.leader.name, self.made.fetch_add(1, Ordering::Relaxed));
        Staged { folder, name, hold: WriterLock::Leader(self.leader.clone()), is_named: false }
    }
}

/// The name of a file in the batch of this leader.
fn follower(leader: &OsStr, nth: usize) -> OsString {
    let leader = leader.to_string_lossy();
    let (_, end) = UNFINISHED;
    format!("{}-{nth}{end}", leader.strip_suffix(end).unwrap_or(&leader)).into()
}

/// The leader of a temporary file's batch, if the file is in one.
pub(super) fn leader_of(name: &OsStr) -> Option<OsString> {
    let (start, end) = UNFINISHED;
    let (leader, nth) = name.to_str()?.strip_prefix(start)?.strip_suffix(end)?.split_once('-')?;
    let is_number = !nth.is_empty() && nth.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{start}{leader}{end}").into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{is_unfinished, write_atomic};
    use super::*;

    #[test]
    fn a_file_of_a_batch_names_its_leader() {
        let leader = OsStr::new(".refdesk-0123.tmp");
        let name = follower(leader, 17);
        assert!(is_unfinished(&name));
        assert_eq!(leader_of(&name).as_deref(), Some(leader));
        for other in [".refdesk-0123.tmp", ".refdesk-0123-.tmp", ".refdesk-0123-x.tmp", "0123-1"] {
            assert_eq!(leader_of(OsStr::new(other)), None, "{other}");
        }
    }

    #[test]
    fn a_batch_lives_as_long_as_its_leader() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_atomic(&path("old"), b"old").unwrap();
        let open = Folder::root(folder.path()).unwrap();
        let count = || fs::read_dir(folder.path()).unwrap().count();
        let batch = Batch::new(&open).unwrap();
        let (one, two, three) =
            (batch.stage("one", b"1").unwrap(), batch.stage("old", b"2").unwrap(), batch.second("old"));
        let three = three.unwrap();
        open.sweep_dead().unwrap();
        assert_eq!(count(), 5, "the old file, the leader and its three");
        one.replace("one").unwrap();
        two.replace("old").unwrap();
        assert_eq!((fs::read(path("one")).unwrap(), fs::read(path("old")).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        drop(batch);
        open.sweep_dead().unwrap();
        three.replace("old").unwrap();
        assert_eq!(fs::read(path("old")).unwrap(), b"old");
        assert_eq!(count(), 2, "the leader goes with its last file");
        for left in [".refdesk-dead.tmp", ".refdesk-dead-0.tmp", ".refdesk-gone-1.tmp"] {
            write_atomic(&path(left), b"x").unwrap();
        }
        open.sweep_dead().unwrap();
        assert_eq!(count(), 2, "what a killed writer left goes");
    }

    #[test]
    fn a_leader_that_cannot_be_opened_is_taken_for_alive() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        write_atomic(&path(".refdesk-theirs-0.tmp"), b"x").unwrap();
        // A link is refused even for root, unlike any file mode.
        std::os::unix::fs::symlink("elsewhere", path(".refdesk-theirs.tmp")).unwrap();
        Folder::root(folder.path()).unwrap().sweep_dead().unwrap();
        assert!(path(".refdesk-theirs-0.tmp").exists());
    }

    #[test]
    fn a_file_that_is_replaced_passes_its_mode_on() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_atomic(&file, b"one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let batch = Batch::new(&Folder::root(folder.path()).unwrap()).unwrap();
        batch.stage("file", b"two").unwrap().replace("file").unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
