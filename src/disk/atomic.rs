//! Writing a file whole or not at all: a temporary file beside it, then a rename. A reader, or whoever finds the file after
//! the writer was killed, sees the old bytes or the new ones and nothing between.
//!
//! A writer holds the lock of its temporary file until that is renamed, and the kernel lets it go when the writer dies. So
//! one that nobody holds is nobody's, and whoever writes in that folder next takes it away.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};

/// What the name of a file begins and ends with while it is written.
const UNFINISHED: (&str, &str) = (".refdesk-", ".tmp");

/// Removes what writers left unfinished in a folder, dead or alive; for whoever alone may write there.
///
/// # Errors
/// What the file system says, but for a folder that is not there.
pub fn sweep(folder: &Path) -> io::Result<()> {
    for path in unfinished(folder)? {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Removes what writers that are dead left unfinished in a folder where others may be writing.
///
/// # Errors
/// What the file system says, but for a folder that is not there.
pub fn sweep_dead(folder: &Path) -> io::Result<()> {
    for path in unfinished(folder)? {
        // One that cannot be opened is not ours, and one that cannot be locked is being written.
        let Ok(file) = File::open(&path) else { continue };
        if file.try_lock().is_ok() {
            match fs::remove_file(&path) {
                // Its writer was quicker, and has renamed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                removed => removed?,
            }
        }
    }
    Ok(())
}

fn unfinished(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        if is_unfinished(&entry.file_name()) && entry.file_type()?.is_file() {
            found.push(entry.path());
        }
    }
    Ok(found)
}

/// Whether a file of this name is one that is being written: it will be renamed, or is nobody's.
pub fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(UNFINISHED.0.as_bytes()) && name.ends_with(UNFINISHED.1.as_bytes())
}

/// Writes `bytes` to `path`, making its folders; an existing file keeps its permissions.
///
/// # Errors
/// What the file system says, with the path in front.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Lasting::Always)
}

/// The same for what can be made again from other files: readers see it whole, but a crash of the machine may leave it empty.
/// Ten thousand files are written in a second that way, and not in ten.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Lasting::WhileRunning)
}

/// The same for what is nobody else's business: only its owner may read it, whatever its mode was.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_private(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let write = || {
        fs::create_dir_all(folder_of(path))?;
        let mut file = held(|| named(false).tempfile_in(folder_of(path)))?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        Staged { file }.replace(path)
    };
    write().map_err(|error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// What a file has to outlast.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasting {
    /// A crash of the machine, too.
    Always,
    /// The end of the program.
    WhileRunning,
}

fn write(path: &Path, bytes: &[u8], lasting: Lasting) -> io::Result<()> {
    let write = || {
        fs::create_dir_all(folder_of(path))?;
        Staged::lasting(path, bytes, lasting)?.replace(path)
    };
    write().map_err(|error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Writes a new file whole under a name that nothing has, into a folder that is there: of several writers the first keeps it.
/// The file that it gives is still locked, as it was before it had its name, so that others can tell whether its writer lives.
///
/// # Errors
/// What the file system says; [`io::ErrorKind::AlreadyExists`] where the name is taken.
pub fn publish_new(path: &Path, bytes: &[u8]) -> io::Result<File> {
    let staged = Staged::passing(path, bytes)?;
    staged.file.persist_noclobber(path).map_err(|error| error.error)
}

/// A whole file beside the place that it is for. Dropping it takes it away.
#[derive(Debug)]
pub struct Staged {
    file: NamedTempFile,
}

impl Staged {
    /// Writes `bytes` beside `path`, whose folder is there: with the mode of the file at `path`, else that of any new file.
    ///
    /// # Errors
    /// What the file system says.
    pub fn new(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        Self::lasting(path, bytes, Lasting::Always)
    }

    /// The same for what is nothing without the one who wrote it.
    ///
    /// # Errors
    /// What the file system says.
    pub fn passing(path: &Path, bytes: &[u8]) -> io::Result<Self> {
        Self::lasting(path, bytes, Lasting::WhileRunning)
    }

    fn lasting(path: &Path, bytes: &[u8], lasting: Lasting) -> io::Result<Self> {
        let existing = fs::metadata(path).ok().map(|metadata| metadata.permissions());
        let mut file = held(|| named(existing.is_none()).tempfile_in(folder_of(path)))?;
        file.write_all(bytes)?;
        if let Some(permissions) = existing {
            file.as_file().set_permissions(permissions)?;
        }
        // The bytes must be there before the name is: else a crash of the machine could leave an empty file.
        if lasting == Lasting::Always {
            file.as_file().sync_data()?;
        }
        Ok(Self { file })
    }

    /// A second name beside it for what stands at `path`, which lasts when another file comes to stand there; a copy where
    /// the file system has no second names.
    ///
    /// # Errors
    /// What the file system says.
    pub fn second(path: &Path) -> io::Result<Self> {
        let link = |second: &Path| fs::hard_link(path, second).and_then(|()| File::open(second));
        if let Ok(file) = named(false).make_in(folder_of(path), link)
            // Held it is the file itself; it was held by another, or swept before it was, where a copy must do.
            && file.as_file().try_lock_shared().is_ok()
            && file.path().exists()
        {
            return Ok(Self { file });
        }
        let mut file = held(|| named(false).tempfile_in(folder_of(path)))?;
        io::copy(&mut File::open(path)?, &mut file)?;
        file.as_file().set_permissions(fs::metadata(path)?.permissions())?;
        file.as_file().sync_data()?;
        Ok(Self { file })
    }

    /// Where it stands until it is renamed.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Gives it its name, whatever stands there.
    ///
    /// # Errors
    /// What the file system says; then it is taken away.
    pub fn replace(self, path: &Path) -> io::Result<()> {
        self.file.persist(path).map(drop).map_err(|error| error.error)
    }
}

/// Renames a file to a name that nothing may have: what came to stand there meanwhile stays.
///
/// # Errors
/// What the file system says; [`io::ErrorKind::AlreadyExists`] where the name is taken.
pub fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    let mut from = TempPath::try_from_path(from)?;
    // A failure leaves it where it was.
    from.disable_cleanup(true);
    from.persist_noclobber(to).map_err(|error| error.error)
}

/// Names of files being written. A new file gets the mode that the user's mask leaves; one that replaces another is private
/// until it has that one's mode.
fn named(new: bool) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    #[cfg(unix)]
    if new {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    builder
}

/// Makes a temporary file and holds its lock. Between the two a sweeper may take it for a dead one's: then another is made.
fn held(make: impl Fn() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    loop {
        let file = make()?;
        match file.as_file().try_lock() {
            Err(fs::TryLockError::WouldBlock) => {}
            // A file system without locks: nobody can lock it to sweep it either.
            Ok(()) | Err(fs::TryLockError::Error(_)) if is_named(file.as_file())? => return Ok(file),
            _ => {}
        }
    }
}

#[cfg(unix)]
fn is_named(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    Ok(file.metadata()?.nlink() > 0)
}

/// What is open cannot be removed.
#[cfg(not(unix))]
fn is_named(_file: &File) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
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
        let (alive, second) = (Staged::new(&target, b"new").unwrap(), Staged::second(&target).unwrap());
        sweep_dead(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        alive.replace(&target).unwrap();
        assert_eq!((fs::read(&target).unwrap(), fs::read(second.path()).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        second.replace(&target).unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        drop(Staged::new(&target, b"never").unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        sweep_dead(&folder.path().join("none")).unwrap();
    }

    #[test]
    fn what_is_published_is_the_first_and_locked_as_long_as_its_writer_lives() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let first = publish_new(&path, b"1").unwrap();
        assert_eq!(publish_new(&path, b"2").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()), (b"1".to_vec(), 1));
        let other = File::open(&path).unwrap();
        assert!(other.try_lock_shared().is_err());
        drop(first);
        assert!(other.try_lock_shared().is_ok());
    }

    #[test]
    fn a_new_name_takes_nobodys_place() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        write_atomic(&one, b"1").unwrap();
        write_atomic(&two, b"2").unwrap();
        assert_eq!(rename_new(&one, &two).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!((fs::read(&one).unwrap(), fs::read(&two).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        fs::remove_file(&two).unwrap();
        rename_new(&one, &two).unwrap();
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
                        sweep_dead(folder).unwrap();
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

    #[test]
    fn an_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_atomic(&file, b"x").unwrap();
        let error = write_atomic(&file.join("below"), b"x").unwrap_err();
        assert!(error.to_string().contains("below"), "{error}");
    }
}
