//! Atomic writes: a temporary file in the same folder, then a rename. A reader sees either the old bytes or the new
//! ones, even after the writer was killed.
//!
//! A writer holds the lock of its temporary file until the rename, and the kernel releases it if the writer dies. So an
//! unlocked temporary file is stale, and the next writer in that folder removes it. Many files in one folder can share
//! the lock of one of them (`batch`).

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::error::with_path;
use super::folder::{EntryKind, FileMode, Folder};
use super::own::{create_parent, open_folder};

mod batch;

pub(crate) use batch::Batch;

/// Prefix and suffix of a temporary file's name.
const UNFINISHED: (&str, &str) = (".refdesk-", ".tmp");

/// Whether this is the name of a temporary file, in use or stale.
pub fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(UNFINISHED.0.as_bytes()) && name.ends_with(UNFINISHED.1.as_bytes())
}

fn unfinished_name() -> OsString {
    let (start, end) = UNFINISHED;
    format!("{start}{:016x}{end}", RandomState::new().build_hasher().finish()).into()
}

/// What a written file has to survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the machine.
    SurvivesCrash,
    /// Only the end of the program, for files that can be regenerated. Readers never see partial content, but a crash
    /// of the machine may leave the file empty. Without the sync, ten thousand files take one second instead of ten.
    Recreatable,
}

/// Writes `bytes` to `path` and creates its folders; an existing file keeps its permissions. For paths named by the
/// user: links in them are followed, except in refdesk's own folders of a workspace. Below an open folder, use
/// [`Folder::write`].
///
/// # Errors
/// The file system's error, prefixed with the path.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = create_parent(path)?;
    folder.write(name, bytes, FileMode::Default, Durability::SurvivesCrash)
}

/// Like [`write_atomic`], for files that can be regenerated and that only the owner may read.
///
/// # Errors
/// See [`write_atomic`].
pub fn write_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = create_parent(path)?;
    folder.write(name, bytes, FileMode::Private, Durability::Recreatable)
}

/// Like [`write_atomic`], for the user's own folders: only the owner may read the file and enter its folder, whatever
/// their modes were before.
///
/// # Errors
/// See [`write_atomic`].
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = create_parent(path)?;
    // Changing the mode fails for another user's folder, which keeps its mode.
    let _ = folder.make_private();
    // Stale files are harmless; the next writer here tries again.
    let _ = folder.sweep_dead();
    folder.write(name, bytes, FileMode::Private, Durability::SurvivesCrash)
}

/// Removes all temporary files in a folder, including those of live writers; only for the one process that may write
/// there.
///
/// # Errors
/// The file system's error, unless the folder does not exist.
pub fn sweep(folder: &Path) -> io::Result<()> {
    match open_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => opened?.sweep(),
    }
}

/// The device number of the file system that contains a file.
pub(crate) fn device_of(file: &File) -> io::Result<u64> {
    file.metadata().map(|file| file.dev())
}

/// Waits until everything on the file system of this file is on disk; an error if the platform has no such call.
pub(crate) fn sync_file_system(file: &File) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    return Ok(rustix::fs::syncfs(file)?);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl Folder {
    /// Writes a file atomically.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: FileMode, lasting: Durability) -> io::Result<()> {
        self.stage(&name, bytes, mode, lasting)?.replace(&name)
    }

    /// Creates a file atomically; of several writers, the first wins. The returned file is locked since before it got
    /// its name, so that others can tell whether its writer is alive.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`io::ErrorKind::AlreadyExists`] if the name is taken.
    pub fn publish(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: FileMode) -> io::Result<File> {
        self.stage(&name, bytes, mode, Durability::Recreatable)?.publish(name.as_ref())
    }

    /// Writes `bytes` to a temporary file that will be renamed to `name`.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn stage(
        &self,
        name: impl AsRef<OsStr>,
        bytes: &[u8],
        mode: FileMode,
        lasting: Durability,
    ) -> io::Result<Staged> {
        let name = name.as_ref();
        let with_path = |error| with_path(&self.path_of(name), error);
        let existing = if mode == FileMode::Default { self.permissions_of(name)? } else { None };
        // A file that replaces another stays private until it gets the other's mode.
        let staged = self.temporary(if existing.is_some() { FileMode::Private } else { mode })?;
        let mut file = staged.file();
        file.write_all(bytes).map_err(with_path)?;
        if let Some(permissions) = existing {
            file.set_permissions(permissions).map_err(with_path)?;
        }
        // Sync before the rename: otherwise a crash of the machine could leave an empty file.
        if lasting == Durability::SurvivesCrash {
            file.sync_data().map_err(with_path)?;
        }
        Ok(staged)
    }

    /// The permissions of an existing file, which its replacement gets.
    fn permissions_of(&self, name: &OsStr) -> io::Result<Option<Permissions>> {
        let entry = self.entry(name)?.filter(|entry| entry.kind == EntryKind::File);
        Ok(entry.map(|entry| entry.permissions))
    }

    /// Gives the file `name` a second, temporary name, which survives when another file replaces it. Copies the file if
    /// the file system has no hard links.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn stage_hard_link(&self, name: impl AsRef<OsStr>) -> io::Result<Staged> {
        let name = name.as_ref();
        let second = unfinished_name();
        if self.link(name, &second).is_ok() {
            match self.open(&second) {
                Ok(file) => {
                    let staged =
                        Staged { folder: self.clone(), name: second, hold: WriterLock::Own(file), is_named: false };
                    // Copy if another process holds the file's lock, or swept the second name before it was locked.
                    if staged.file().try_lock_shared().is_ok() && staged.is_there() {
                        return Ok(staged);
                    }
                }
                Err(_) => self.remove_file(&second)?,
            }
        }
        let with_path = |error| with_path(&self.path_of(name), error);
        let mut from = self.open(name)?;
        let staged = self.temporary(FileMode::Private)?;
        let mut copy = || {
            let mut file = staged.file();
            io::copy(&mut from, &mut file)?;
            file.set_permissions(from.metadata()?.permissions())?;
            file.sync_data()
        };
        copy().map_err(with_path)?;
        Ok(staged)
    }

    /// Creates a temporary file and locks it. Retries if a sweeper removes it in between.
    fn temporary(&self, mode: FileMode) -> io::Result<Staged> {
        loop {
            let name = unfinished_name();
            let file = match self.create(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            let staged = Staged { folder: self.clone(), name, hold: WriterLock::Own(file), is_named: false };
            match staged.file().try_lock() {
                Err(TryLockError::WouldBlock) => {}
                // On a file system without locks, no sweeper can lock it either.
                Ok(()) | Err(TryLockError::Error(_)) if staged.is_there() => return Ok(staged),
                _ => {}
            }
        }
    }

    /// Removes all temporary files, including those of live writers; only for the one process that may write there.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn sweep(&self) -> io::Result<()> {
        self.unfinished()?.iter().try_for_each(|name| self.remove_file(name))
    }

    /// Removes the temporary files of dead writers; live writers may exist.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn sweep_dead(&self) -> io::Result<()> {
        for name in self.unfinished()? {
            if let Some(leader) = batch::leader_of(&name) {
                // A leader that cannot be opened may be another user's: it is dead only if it is gone or unlocked.
                let is_dead = match self.open(&leader) {
                    Ok(file) => file.try_lock().is_ok(),
                    Err(error) => error.kind() == io::ErrorKind::NotFound,
                };
                if is_dead {
                    self.remove_unless_gone(&name)?;
                }
                continue;
            }
            // A file that cannot be opened is not ours; one that cannot be locked is still being written.
            let Ok(file) = self.open(&name) else { continue };
            if file.try_lock().is_ok() {
                self.remove_unless_gone(&name)?;
            }
        }
        Ok(())
    }

    /// Removes a temporary file, unless its writer renamed it first.
    fn remove_unless_gone(&self, name: &OsStr) -> io::Result<()> {
        match self.remove_file(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn unfinished(&self) -> io::Result<Vec<OsString>> {
        let is_file =
            |name: &OsString| self.entry(name).is_ok_and(|entry| entry.is_some_and(|it| it.kind == EntryKind::File));
        Ok(self.names()?.into_iter().filter(|name| is_unfinished(name) && is_file(name)).collect())
    }
}

/// A complete file under a temporary name in its final folder. Removed on drop unless it was renamed.
#[derive(Debug)]
pub struct Staged {
    folder: Folder,
    name: OsString,
    hold: WriterLock,
    /// Whether it has its final name.
    is_named: bool,
}

/// The lock that tells others that the writer of a temporary file is alive.
#[derive(Debug)]
enum WriterLock {
    /// The file itself, open and locked.
    Own(File),
    /// The leader of its batch.
    Leader(Arc<Staged>),
}

impl Staged {
    /// The open file; in a batch, that of the leader, which is on the same file system.
    pub(super) fn file(&self) -> &File {
        match &self.hold {
            WriterLock::Own(file) => file,
            WriterLock::Leader(leader) => leader.file(),
        }
    }

    /// Waits until the content is on disk.
    ///
    /// # Errors
    /// The file system's error.
    pub fn sync(&self) -> io::Result<()> {
        match &self.hold {
            WriterLock::Own(file) => file.sync_data(),
            WriterLock::Leader(_) => self.folder.open(&self.name)?.sync_data(),
        }
    }

    /// Marks a file as renamed by other means, so that it is not removed on drop.
    pub(super) fn mark_renamed(mut self) {
        self.is_named = true;
    }

    /// Its temporary path.
    pub fn path(&self) -> PathBuf {
        self.folder.path_of(&self.name)
    }

    /// Whether the temporary name still refers to this file.
    fn is_there(&self) -> bool {
        self.folder.holds(&self.name, self.file())
    }

    /// Renames it within its folder, replacing an existing file.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; the file is then removed.
    pub fn replace(mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.folder.rename(&self.name, name)?;
        self.is_named = true;
        Ok(())
    }

    pub(super) fn publish(mut self, name: &OsStr) -> io::Result<File> {
        let file = self.file().try_clone()?;
        self.folder.rename_new(&self.name, name)?;
        self.is_named = true;
        Ok(file)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_named {
            // If this fails, the next writer sweeps it.
            let _ = self.folder.remove_file(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn makes_folders_replaces_and_leaves_nothing_beside() {
        for write in [write_atomic, write_derived, write_private] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a/b/file.json");
            write(&path, b"one").unwrap();
            write(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        }
    }

    #[test]
    fn keeps_the_mode_of_the_file_it_replaces() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn sweeping_removes_only_temporary_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".refdesk-x1.tmp", "kept.tmp", ".refdesk-kept", "kept"] {
            write_atomic(&folder.path().join(name), b"x").unwrap();
        }
        sweep(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        sweep(&folder.path().join("none")).unwrap();
    }

    #[test]
    fn a_private_write_removes_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        write_atomic(&folder.path().join(".refdesk-dead.tmp"), b"half").unwrap();
        write_private(&folder.path().join("file"), b"x").unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_unlocked_files_are_dead() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        write_atomic(&folder.path().join(".refdesk-dead.tmp"), b"x").unwrap();
        write_atomic(&target, b"old").unwrap();
        let open = Folder::root(folder.path()).unwrap();
        let stage = |bytes| open.stage("file", bytes, FileMode::Default, Durability::SurvivesCrash).unwrap();
        let (alive, second) = (stage(b"new"), open.stage_hard_link("file").unwrap());
        open.sweep_dead().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        alive.replace("file").unwrap();
        assert_eq!((fs::read(&target).unwrap(), fs::read(second.path()).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        second.replace("file").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        drop(stage(b"never"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_first_published_file_wins_and_stays_locked_while_its_writer_lives() {
        let folder = tempfile::tempdir().unwrap();
        let open = Folder::root(folder.path()).unwrap();
        let publish = |bytes| open.publish("file", bytes, FileMode::Default);
        let first = publish(b"1").unwrap();
        assert_eq!(publish(b"2").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        let path = folder.path().join("file");
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()), (b"1".to_vec(), 1));
        let other = File::open(&path).unwrap();
        assert!(other.try_lock_shared().is_err());
        drop(first);
        assert!(other.try_lock_shared().is_ok());
    }

    #[test]
    fn a_new_name_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        write_atomic(&one, b"1").unwrap();
        write_atomic(&two, b"2").unwrap();
        let open = Folder::root(folder.path()).unwrap();
        assert_eq!(open.rename_new("one", "two").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&one).unwrap(), fs::read(&two).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        fs::remove_file(&two).unwrap();
        open.rename_new("one", "two").unwrap();
        assert_eq!((one.exists(), fs::read(&two).unwrap()), (false, b"1".to_vec()));
    }

    /// With writers and sweepers in one folder, no file that is being written is removed.
    #[test]
    fn a_sweeper_removes_no_file_being_written() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let folder = folder.path();
                scope.spawn(move || {
                    for round in 0..50 {
                        let path = folder.join(format!("{writer}"));
                        write_atomic(&path, format!("{round}").as_bytes()).unwrap();
                        Folder::root(folder).unwrap().sweep_dead().unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
    }

    #[test]
    fn a_new_file_has_the_mode_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        File::create(folder.path().join("usual")).unwrap();
        write_atomic(&folder.path().join("ours"), b"x").unwrap();
        assert_eq!(mode("ours"), mode("usual"));
    }

    #[test]
    fn private_files_are_private_whatever_existed_before() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let open = Folder::root(folder.path()).unwrap();
        let made = open.make(Path::new("a/b"), FileMode::Private).unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode() & 0o777;
        write_atomic(&folder.path().join("a/b/file"), b"x").unwrap();
        fs::set_permissions(folder.path().join("a/b/file"), fs::Permissions::from_mode(0o644)).unwrap();
        made.write("file", b"y", FileMode::Private, Durability::SurvivesCrash).unwrap();
        assert_eq!((mode("a"), mode("a/b"), mode("a/b/file")), (0o700, 0o700, 0o600));
        fs::set_permissions(folder.path().join("a/b"), fs::Permissions::from_mode(0o755)).unwrap();
        made.make_private().unwrap();
        assert_eq!(mode("a/b"), 0o700);
    }

    #[test]
    fn an_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_atomic(&file, b"x").unwrap();
        let error = write_atomic(&file.join("below"), b"x").unwrap_err();
        assert!(error.to_string().contains("below"), "{error}");
    }
}
