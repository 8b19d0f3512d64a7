//! An open folder and the operations on names in it. A folder is reached one name at a time from a root, without
//! following symbolic links, and stays the same folder even if something else appears at its path. A folder swapped for
//! a link between two steps is therefore refused, and a folder swapped after it was opened changes nothing.
//!
//! The system calls are in `unix`. `by_path` is the fallback where folders cannot be held open; it cannot notice a link
//! that appears between the check and the open.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::error::{LinkRefused, with_path};
use super::path::{display, is_absent};
use super::private::narrow;
use super::read::read_open;

#[cfg(not(unix))]
mod by_path;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use by_path::Handle;
#[cfg(unix)]
use unix::Handle;

/// Permissions of a file or folder that is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// A file keeps the mode of the one it replaces; a new file or folder gets the umask's default.
    Default,
    /// Owner only, whatever existed before: 0600, and 0700 for folders.
    Private,
}

/// The type of a folder entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Other,
}

/// Metadata of a name, read without opening it.
#[derive(Debug, Clone)]
pub struct FolderEntry {
    /// Its type.
    pub kind: EntryKind,
    /// In bytes.
    pub size: u64,
    /// Its permissions.
    pub permissions: Permissions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    /// Read and append; created if missing.
    Append,
    /// Hold its lock; created if missing.
    Lock,
    /// Write a file that does not exist yet.
    New(FileMode),
}

/// An open folder. A clone is the same folder.
#[derive(Debug, Clone)]
pub struct Folder {
    handle: Arc<Handle>,
    /// Where it was opened; only for messages.
    path: PathBuf,
    /// The folder that paths in messages are relative to.
    root: Arc<Path>,
}

impl Folder {
    /// Opens a folder named by the user; links in its path are followed.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn root(path: &Path) -> io::Result<Self> {
        let handle = Handle::root(path).map_err(|error| with_path(path, error))?;
        Ok(Self { handle: Arc::new(handle), path: path.to_path_buf(), root: path.into() })
    }

    /// Opens the folder at an absolute path without links and dots.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`LinkRefused`] if part of the path is a link.
    pub fn real(path: &Path) -> io::Result<Self> {
        let mut parts = path.components();
        let mut start = PathBuf::new();
        while let Some(part @ (Component::Prefix(_) | Component::RootDir)) = parts.clone().next() {
            start.push(part);
            parts.next();
        }
        if !path.is_absolute() {
            return Err(with_path(path, io::Error::new(io::ErrorKind::InvalidInput, "not an absolute path")));
        }
        Self { root: Path::new("").into(), ..Self::root(&start)? }.below(parts.as_path())
    }

    /// The folder of `file`, which is below `root`, and the file's name. Links above `root` are followed; links below it
    /// are refused.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`LinkRefused`].
    pub fn of(root: &Path, file: &Path) -> io::Result<(Self, OsString)> {
        let (folder, name) = split(root, file)?;
        Ok((Self::root(root)?.below(folder)?, name))
    }

    /// Like [`Folder::of`], but creates missing folders below `root`.
    ///
    /// # Errors
    /// As [`Folder::of`].
    pub fn made_of(root: &Path, file: &Path, mode: FileMode) -> io::Result<(Self, OsString)> {
        let (folder, name) = split(root, file)?;
        Ok((Self::root(root)?.make(folder, mode)?, name))
    }

    /// The folder of a file at an absolute path without links and dots, and the file's name.
    ///
    /// # Errors
    /// As [`Folder::real`].
    pub fn of_real(file: &Path) -> io::Result<(Self, &OsStr)> {
        match (file.parent(), file.file_name()) {
            (Some(folder), Some(name)) => Ok((Self::real(folder)?, name)),
            _ => Err(invalid(file)),
        }
    }

    /// Opens a folder below this one.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`LinkRefused`] if part of the path is a link.
    pub fn below(&self, path: &Path) -> io::Result<Self> {
        let names = names_of(path)?;
        let within: PathBuf = names.iter().collect();
        // Usually there is no link and one call is enough. If there is one, opening name by name tells which.
        if names.len() > 1
            && let Some(handle) = self.handle.below(&within)
        {
            return Ok(Self { handle: Arc::new(handle), path: self.path.join(within), root: self.root.clone() });
        }
        names.into_iter().try_fold(self.clone(), |folder, name| folder.child(name))
    }

    /// Opens a folder below this one and creates missing ones; with [`FileMode::Private`], all of them become private.
    ///
    /// # Errors
    /// As [`Folder::below`].
    pub fn make(&self, path: &Path, mode: FileMode) -> io::Result<Self> {
        names_of(path)?.into_iter().try_fold(self.clone(), |folder, name| {
            // `.jaato` also holds files that the workspace shares.
            let mode = if name == ".jaato" { FileMode::Default } else { mode };
            let (child, is_made) = folder.make_child(name, mode)?;
            if mode == FileMode::Private && !is_made {
                // Another user's folder keeps its mode.
                let _ = child.make_private();
            }
            Ok(child)
        })
    }

    /// Opens a folder directly in this one.
    ///
    /// # Errors
    /// As [`Folder::below`].
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        let handle = self.handle.child(plain(name)?).map_err(|error| self.refused(name, error))?;
        Ok(Self { handle: Arc::new(handle), path: self.path.join(name), root: self.root.clone() })
    }

    /// Like [`Folder::child`], but creates a missing folder; the flag tells whether it did.
    ///
    /// # Errors
    /// As [`Folder::below`].
    pub fn make_child(&self, name: &OsStr, mode: FileMode) -> io::Result<(Self, bool)> {
        match self.child(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened.map(|folder| (folder, false)),
        }
        let is_made = match self.handle.make(name, mode) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            made => made.map(|()| true).map_err(|error| self.refused(name, error))?,
        };
        Ok((self.child(name)?, is_made))
    }

    /// Removes all permissions except the owner's.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn make_private(&self) -> io::Result<()> {
        self.handle.make_private().map_err(|error| with_path(&self.path, error))
    }

    /// The path at which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in this folder, for messages.
    pub fn path_of(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Opens a regular file for reading; does not block on a pipe without a writer.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; the name is a link or not a regular file.
    pub fn open(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_for(name.as_ref(), Purpose::Read)
    }

    /// Opens a regular file for reading and appending, and makes it private.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_for(name.as_ref(), Purpose::Append).inspect(narrow)
    }

    /// Opens a regular file to hold its lock, and makes it private.
    pub(super) fn open_lock(&self, name: &OsStr) -> io::Result<File> {
        self.open_for(name, Purpose::Lock).inspect(narrow)
    }

    pub(super) fn create(&self, name: &OsStr, mode: FileMode) -> io::Result<File> {
        self.open_for(name, Purpose::New(mode))
    }

    fn open_for(&self, name: &OsStr, purpose: Purpose) -> io::Result<File> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
        // Only regular files are opened: opening a device can have side effects.
        if !matches!(purpose, Purpose::New(_)) && self.entry(name)?.is_some_and(|entry| entry.kind == EntryKind::Other)
        {
            return Err(with_path(&self.path.join(name), invalid("not a regular file")));
        }
        let opened = self.handle.open(plain(name)?, purpose).and_then(|file| {
            let found = file.metadata()?;
            if found.is_dir() {
                return Err(invalid("a folder, not a file"));
            }
            if found.is_file() { Ok(file) } else { Err(invalid("not a regular file")) }
        });
        opened.map_err(|error| self.refused(name, error))
    }

    /// Up to `limit` bytes of a regular file; the flag tells that there are more.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn read(&self, name: impl AsRef<OsStr>, limit: u64) -> io::Result<(Vec<u8>, bool)> {
        let name = name.as_ref();
        let file = self.open(name)?;
        let read = file.metadata().and_then(|metadata| read_open(file, &metadata, limit));
        read.map_err(|error| with_path(&self.path.join(name), error))
    }

    /// Metadata of a name without following a link; `None` if it does not exist.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn entry(&self, name: impl AsRef<OsStr>) -> io::Result<Option<FolderEntry>> {
        let name = name.as_ref();
        match self.handle.entry(plain(name)?) {
            Err(error) if is_absent(&error) => Ok(None),
            entry => entry.map(Some).map_err(|error| with_path(&self.path.join(name), error)),
        }
    }

    /// Whether the name still refers to this open file.
    pub fn holds(&self, name: impl AsRef<OsStr>, file: &File) -> bool {
        plain(name.as_ref()).is_ok_and(|name| self.handle.holds(name, file))
    }

    /// The names in it, unordered.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.entries()?.map(|entry| entry.map(|(name, _)| name)).collect()
    }

    /// The names in it and their types, unordered.
    pub(super) fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
        let with_path = |error| with_path(&self.path, error);
        Ok(self.handle.entries().map_err(with_path)?.map(move |entry| entry.map_err(with_path)))
    }

    /// Renames a file within this folder, replacing an existing one.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn rename(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (plain(from.as_ref())?, plain(to.as_ref())?);
        self.handle.rename(from, to).map_err(|error| with_path(&self.path.join(to), error))
    }

    /// Renames a file within this folder to a name that must not exist.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`io::ErrorKind::AlreadyExists`] if the name is taken.
    pub fn rename_new(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (plain(from.as_ref())?, plain(to.as_ref())?);
        self.handle.rename_new(from, to).map_err(|error| with_path(&self.path.join(to), error))
    }

    /// Gives a file a second name, which must not exist.
    pub(super) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.handle.link(plain(from)?, plain(to)?).map_err(|error| with_path(&self.path.join(to), error))
    }

    /// Removes a file, or a link itself.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn remove_file(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = plain(name.as_ref())?;
        self.handle.remove_file(name).map_err(|error| with_path(&self.path.join(name), error))
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn remove_folder(&self, name: impl AsRef<OsStr>) -> io::Result<()> {
        let name = plain(name.as_ref())?;
        self.handle.remove_folder(name).map_err(|error| with_path(&self.path.join(name), error))
    }

    /// Prefixes the error with the path; replaces it with [`LinkRefused`] if the name is a link.
    fn refused(&self, name: &OsStr, error: io::Error) -> io::Error {
        let path = self.path.join(name);
        if self.handle.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Link) {
            return LinkRefused { link: display(&self.root, &path), leads_out: self.leads_out(&path) }.into();
        }
        with_path(&path, error)
    }

    /// Only for the wording of an error.
    fn leads_out(&self, link: &Path) -> bool {
        let Ok(root) = fs::canonicalize(&self.root) else { return false };
        !fs::metadata(link).is_ok_and(|found| found.is_file())
            && !fs::canonicalize(link).is_ok_and(|real| real.starts_with(root))
    }
}

fn invalid(path: &Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("'{}' is not a path below a folder", path.display()))
}

/// Checks that a name is a single component.
fn plain(name: &OsStr) -> io::Result<&OsStr> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(part)), None) if part == name => Ok(name),
        _ => Err(invalid(Path::new(name))),
    }
}

fn names_of(path: &Path) -> io::Result<Vec<&OsStr>> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    let name = |part| match part {
        Component::Normal(name) => Ok(name),
        _ => Err(invalid(path)),
    };
    parts.map(name).collect()
}

/// The folder of a file as a path below `root`, and the file's name.
fn split<'a>(root: &Path, file: &'a Path) -> io::Result<(&'a Path, OsString)> {
    let within = file.strip_prefix(root).map_err(|_| invalid(file))?;
    match (within.parent(), within.file_name()) {
        (Some(folder), Some(name)) => Ok((folder, name.to_owned())),
        _ => Err(invalid(file)),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::super::{Durability, write_atomic};
    use super::*;

    /// `in/file`, `out/`, links to both, dangling links, link loops and a pipe.
    fn world() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(root.path()).unwrap();
        write_atomic(&real.join("w/in/file"), b"12345").unwrap();
        write_atomic(&real.join("out/secret"), b"secret").unwrap();
        let at = |name: &str| real.join("w").join(name);
        for (target, link) in
            [("in", "inside"), ("../out", "outside"), ("nowhere", "dangling"), ("loop", "loop"), ("in/file", "last")]
        {
            symlink(target, at(link)).unwrap();
        }
        symlink("file", at("in/beside")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("in/pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        (root, real)
    }

    #[test]
    fn no_link_below_a_root_is_followed() {
        let (_root, real) = world();
        symlink("w", real.join("alias")).unwrap();
        for named in ["w", "alias"] {
            let root = Folder::root(&real.join(named)).unwrap();
            for (path, expected) in [
                ("in", "fine"),
                ("./in", "fine"),
                ("", "fine"),
                ("none", "absent"),
                ("inside", "inside is a symbolic link"),
                ("inside/deeper", "inside is a symbolic link"),
                ("outside", "outside is a link that leads out of the workspace"),
                ("dangling", "dangling is a link that leads out"),
                ("loop/x", "loop is a link that leads out"),
                ("last", "last is a symbolic link"),
                ("in/file", "in/file: "),
                ("in/../in", "not a path below"),
                ("/etc", "not a path below"),
            ] {
                let told = |error: io::Error| {
                    if is_absent(&error) && path == "none" { "absent".to_owned() } else { error.to_string() }
                };
                for opened in [root.below(Path::new(path)), root.make(Path::new(path), FileMode::Default)] {
                    let told = opened.map_or_else(told, |_| "fine".to_owned());
                    let is_made = path == "none" && told == "fine";
                    assert!(told.contains(expected) || is_made, "{named}/{path}: {told}");
                }
                let _ = root.remove_folder("none");
            }
        }
        assert!(!real.join("w/nowhere").exists());
    }

    #[test]
    fn only_regular_files_are_opened() {
        let (_root, real) = world();
        let folder = Folder::root(&real.join("w/in")).unwrap();
        fs::create_dir(real.join("w/in/folder")).unwrap();
        symlink("none", real.join("w/in/dangling")).unwrap();
        for name in ["beside", "dangling", "folder", "pipe", "..", ".", "", "a/b", "/etc/passwd"] {
            let lock = folder.open_lock(OsStr::new(name));
            for opened in [folder.open(name), folder.append(name), lock] {
                let error = opened.unwrap_err();
                assert!(error.to_string().contains(name), "{name}: {error}");
            }
        }
        assert!(!real.join("w/in/none").exists());
        folder.append("new").unwrap().write_all(b"x").unwrap();
        assert_eq!(fs::metadata(real.join("w/in/new")).unwrap().permissions().mode() & 0o777, 0o600);
        let open = folder.open("file").unwrap();
        assert!(folder.holds("file", &open) && !folder.holds("new", &open) && !folder.holds("none", &open));
        for (name, limit, expected) in [("file", 5, (b"12345".to_vec(), false)), ("file", 4, (b"1234".to_vec(), true))]
        {
            assert_eq!(folder.read(name, limit).unwrap(), expected);
        }
    }

    /// Each step runs after the folder was opened and swapped for a link.
    #[test]
    fn an_open_folder_stays_the_same() {
        type Step = fn(&Folder) -> io::Result<()>;
        let steps: [(&str, Step); 9] = [
            ("write", |folder| folder.write("new", b"mine", FileMode::Default, Durability::SurvivesCrash)),
            ("publish", |folder| folder.publish("new", b"mine", FileMode::Private).map(drop)),
            ("append", |folder| folder.append("new").map(drop)),
            ("rename", |folder| folder.rename("file", "secret")),
            ("rename_new", |folder| folder.rename_new("file", "new")),
            ("make", |folder| folder.make(Path::new("new/deep"), FileMode::Default).map(drop)),
            ("second", |folder| folder.second("file").map(drop)),
            ("remove", |folder| folder.remove_file("file")),
            ("read", |folder| folder.read("file", 9).map(|read| assert_eq!(read.0, b"12345"))),
        ];
        for (name, step) in steps {
            let (_root, real) = world();
            let folder = Folder::root(&real.join("w")).unwrap().below(Path::new("in")).unwrap();
            fs::rename(real.join("w/in"), real.join("w/moved")).unwrap();
            symlink("../out", real.join("w/in")).unwrap();
            step(&folder).unwrap();
            let outside: Vec<OsString> =
                fs::read_dir(real.join("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert_eq!(
                (outside, fs::read(real.join("out/secret")).unwrap()),
                (vec!["secret".into()], b"secret".to_vec()),
                "{name}"
            );
            assert!(
                folder.below(Path::new("..")).is_err() && Folder::of(&real.join("w"), &real.join("w/in/file")).is_err()
            );
        }
    }

    /// A folder is swapped for a link and back while files are written: nothing may be written outside.
    #[test]
    fn a_folder_swapped_for_a_link_is_never_followed() {
        let (_root, real) = world();
        let is_over = std::sync::atomic::AtomicBool::new(false);
        symlink("../out", real.join("w/swap")).unwrap();
        let (dir, swap) = (real.join("w/in"), real.join("w/swap"));
        let exchange = || {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            renameat_with(CWD, &dir, CWD, &swap, RenameFlags::EXCHANGE).unwrap();
        };
        let (mut written, mut refused) = (0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    exchange();
                }
            });
            for _ in 0..2_000 {
                let write = || {
                    let (folder, name) =
                        Folder::made_of(&real.join("w"), &real.join("w/in/deep/new"), FileMode::Default)?;
                    folder.write(&name, b"mine", FileMode::Default, Durability::Recreatable)?;
                    folder.remove_file(&name)
                };
                match write() {
                    Ok(()) => written += 1,
                    Err(_) => refused += 1,
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(fs::read_dir(real.join("out")).unwrap().count(), 1, "{written} written, {refused} refused");
    }
}
