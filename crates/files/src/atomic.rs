//! Writing a file whole or not at all: a temporary file beside it, then a rename. A reader, also after the writer was killed,
//! sees the old bytes or the new ones and nothing between.
//!
//! A writer holds the lock of its temporary file until that is renamed, and the kernel releases it when the writer dies. So
//! a temporary file that nobody has locked is left over, and the next writer in that folder removes it.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::folder::{EntryKind, FileMode, Folder};
use super::own::{made_for, open_folder};

/// What the name of a temporary file begins and ends with.
const UNFINISHED: (&str, &str) = (".refdesk-", ".tmp");

/// Whether a file of this name is a temporary one: it will be renamed, or is left over.
pub fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(UNFINISHED.0.as_bytes()) && name.ends_with(UNFINISHED.1.as_bytes())
}

fn unfinished_name() -> OsString {
    let (start, end) = UNFINISHED;
    format!("{start}{:016x}{end}", RandomState::new().build_hasher().finish()).into()
}

/// What a file has to outlast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A crash of the machine, too.
    SurvivesCrash,
    /// The end of the program. For what can be made again from other files: readers see it whole, but a crash of the machine
    /// may leave it empty. Ten thousand files are written in a second that way, and not in ten.
    Recreatable,
}

/// Writes `bytes` to `path`, making its folders; an existing file keeps its permissions. For paths that the user named: links
/// in them are followed, but for refdesk's own folders of a workspace. Below another folder, [`Folder::write`] writes.
///
/// # Errors
/// What the file system says, with the path in front.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = made_for(path)?;
    folder.write(name, bytes, FileMode::Default, Durability::SurvivesCrash)
}

/// The same for what can be made again from other files.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = made_for(path)?;
    folder.write(name, bytes, FileMode::Default, Durability::Recreatable)
}

/// The same as [`write_atomic`] for the user's own folders: only the owner may read the file and enter its folder, whatever
/// their modes were.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (folder, name) = made_for(path)?;
    // Another user's folder stays as it is.
    let _ = folder.make_private();
    folder.write(name, bytes, FileMode::Private, Durability::SurvivesCrash)
}

/// Removes all temporary files in a folder, of dead writers and living ones; for the only process that may write there.
///
/// # Errors
/// What the file system says, but for a folder that is not there.
pub fn sweep(folder: &Path) -> io::Result<()> {
    match open_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => opened?.sweep(),
    }
}

impl Folder {
    /// Writes a file whole.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn write(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: FileMode, lasting: Durability) -> io::Result<()> {
        self.stage(&name, bytes, mode, lasting)?.replace(&name)
    }

    /// Writes a new file whole under a name that nothing has: of several writers the first keeps it. The file that it gives
    /// is still locked, as it was before it had its name, so that others can tell whether its writer lives.
    ///
    /// # Errors
    /// What the file system says, with the path in front; [`io::ErrorKind::AlreadyExists`] where the name is taken.
    pub fn publish(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: FileMode) -> io::Result<File> {
        self.stage(&name, bytes, mode, Durability::Recreatable)?.publish(name.as_ref())
    }

    /// Writes `bytes` into a temporary file, to be renamed to `name`.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn stage(
        &self,
        name: impl AsRef<OsStr>,
        bytes: &[u8],
        mode: FileMode,
        lasting: Durability,
    ) -> io::Result<Staged> {
        let name = name.as_ref();
        let with_path =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", self.path_of(name).display()));
        let existing = match (mode, self.entry(name)?) {
            (FileMode::Default, Some(entry)) if entry.kind == EntryKind::File => Some(entry.permissions),
            _ => None,
        };
        // One that replaces another is private until it has that one's mode.
        let mut staged = self.temporary(if existing.is_some() { FileMode::Private } else { mode })?;
        staged.file.write_all(bytes).map_err(with_path)?;
        if let Some(permissions) = existing {
            staged.file.set_permissions(permissions).map_err(with_path)?;
        }
        // The bytes must be there before the name is: else a crash of the machine could leave an empty file.
        if lasting == Durability::SurvivesCrash {
            staged.file.sync_data().map_err(with_path)?;
        }
        Ok(staged)
    }

    /// A second, temporary name for the file `name`, which lasts when another file takes its place; a copy where the file
    /// system has no second names.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn second(&self, name: impl AsRef<OsStr>) -> io::Result<Staged> {
        let name = name.as_ref();
        let second = unfinished_name();
        if self.link(name, &second).is_ok() {
            match self.open(&second) {
                Ok(file) => {
                    let staged = Staged { folder: self.clone(), name: second, file, is_named: false };
                    // Another process may hold the file itself, or have swept the second name before it was locked: then a
                    // copy must do.
                    if staged.file.try_lock_shared().is_ok() && staged.is_there() {
                        return Ok(staged);
                    }
                }
                Err(_) => self.remove_file(&second)?,
            }
        }
        let with_path =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", self.path_of(name).display()));
        let mut from = self.open(name)?;
        let mut staged = self.temporary(FileMode::Private)?;
        let mut copy = || {
            io::copy(&mut from, &mut staged.file)?;
            staged.file.set_permissions(from.metadata()?.permissions())?;
            staged.file.sync_data()
        };
        copy().map_err(with_path)?;
        Ok(staged)
    }

    /// Makes a temporary file and locks it. Between the two a sweeper may take it for a left over one: then another is made.
    fn temporary(&self, mode: FileMode) -> io::Result<Staged> {
        loop {
            let name = unfinished_name();
            let file = match self.create(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            };
            let staged = Staged { folder: self.clone(), name, file, is_named: false };
            match staged.file.try_lock() {
                Err(TryLockError::WouldBlock) => {}
                // A file system without locks: nobody can lock it to sweep it either.
                Ok(()) | Err(TryLockError::Error(_)) if staged.is_there() => return Ok(staged),
                _ => {}
            }
        }
    }

    /// Removes all temporary files, of dead writers and living ones; for the only process that may write there.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn sweep(&self) -> io::Result<()> {
        self.unfinished()?.iter().try_for_each(|name| self.remove_file(name))
    }

    /// Removes the temporary files of dead writers; others may be writing.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn sweep_dead(&self) -> io::Result<()> {
        for name in self.unfinished()? {
            // One that cannot be opened is not ours, and one that cannot be locked is being written.
            let Ok(file) = self.open(&name) else { continue };
            if file.try_lock().is_ok() {
                match self.remove_file(&name) {
                    // Its writer was faster, and has renamed it.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    removed => removed?,
                }
            }
        }
        Ok(())
    }

    fn unfinished(&self) -> io::Result<Vec<OsString>> {
        let is_file =
            |name: &OsString| self.entry(name).is_ok_and(|entry| entry.is_some_and(|it| it.kind == EntryKind::File));
        Ok(self.names()?.into_iter().filter(|name| is_unfinished(name) && is_file(name)).collect())
    }
}

/// A whole file under a temporary name in the folder that it is for. Dropping it removes it.
#[derive(Debug)]
pub struct Staged {
    folder: Folder,
    name: OsString,
    file: File,
    /// Whether it has its lasting name.
    is_named: bool,
}

impl Staged {
    /// Where it is until it is renamed.
    pub fn path(&self) -> PathBuf {
        self.folder.path_of(&self.name)
    }

    /// Whether the temporary name still is this file's.
    fn is_there(&self) -> bool {
        self.folder.holds(&self.name, &self.file)
    }

    /// Gives it a name in its folder; what had the name goes.
    ///
    /// # Errors
    /// What the file system says, with the path in front; then it is removed.
    pub fn replace(mut self, name: impl AsRef<OsStr>) -> io::Result<()> {
        self.folder.rename(&self.name, name)?;
        self.is_named = true;
        Ok(())
    }

    pub(super) fn publish(mut self, name: &OsStr) -> io::Result<File> {
        let file = self.file.try_clone()?;
        self.folder.rename_new(&self.name, name)?;
        self.is_named = true;
        Ok(file)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.is_named {
            // Where that fails, the next writer sweeps it.
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
        for write in [write_atomic, write_derived] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a/b/file.json");
            write(&path, b"one").unwrap();
            write(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        }
    }

    #[cfg(unix)]
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
    fn sweeping_takes_only_what_is_unfinished() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".refdesk-x1.tmp", "kept.tmp", ".refdesk-kept", "kept"] {
            write_atomic(&folder.path().join(name), b"x").unwrap();
        }
        sweep(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        sweep(&folder.path().join("none")).unwrap();
    }

    #[test]
    fn only_what_nobody_holds_is_dead() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("file");
        write_atomic(&folder.path().join(".refdesk-dead.tmp"), b"x").unwrap();
        write_atomic(&target, b"old").unwrap();
        let open = Folder::root(folder.path()).unwrap();
        let stage = |bytes| open.stage("file", bytes, FileMode::Default, Durability::SurvivesCrash).unwrap();
        let (alive, second) = (stage(b"new"), open.second("file").unwrap());
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
    fn what_is_published_is_the_first_and_locked_as_long_as_its_writer_lives() {
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

    /// Writers and sweepers in one folder: nobody loses a file that is being written.
    #[test]
    fn a_sweeper_takes_nothing_from_the_living() {
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

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_mode_of_any_new_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        File::create(folder.path().join("usual")).unwrap();
        write_atomic(&folder.path().join("ours"), b"x").unwrap();
        assert_eq!(mode("ours"), mode("usual"));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_private_is_private_whatever_was_there() {
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
