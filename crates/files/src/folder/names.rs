//! Operations on the names in an open folder: metadata, and opening, reading, renaming and removing files. A name is a
//! single path component.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, Permissions};
use std::io;

use super::{FileMode, Folder, plain};
use crate::error::with_path;
use crate::path::is_absent;
use crate::private::{has_other_names, narrow};
use crate::read::read_open;

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
pub(super) enum Purpose {
    /// Read its metadata.
    Locate,
    Read,
    /// Read and append; created if missing.
    Append,
    /// Hold its lock; created if missing.
    Lock,
    /// Write a file that does not exist yet.
    New(FileMode),
}

impl Folder {
    /// Opens a regular file for reading; does not block on a pipe without a writer.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; the name is a link or not a regular file.
    pub fn open(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_for(name.as_ref(), Purpose::Read)
    }

    /// A handle on a regular file that is independent of its name. On Linux, the file is not opened for reading:
    /// closing it would release the POSIX locks that this process holds on it.
    ///
    /// # Errors
    /// See [`Folder::open`].
    pub fn locate(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        self.open_for(name.as_ref(), Purpose::Locate)
    }

    /// Metadata of a regular file, which is not opened for reading; see [`Folder::locate`].
    ///
    /// # Errors
    /// See [`Folder::open`].
    pub fn metadata(&self, name: impl AsRef<OsStr>) -> io::Result<Metadata> {
        self.locate(name)?.metadata()
    }

    /// Opens a regular file for reading and appending, and makes it private. A file with other hard links is renamed to
    /// `….aside` and a new one is created, so that the other names do not see what is appended.
    ///
    /// # Errors
    /// See [`Folder::open`].
    pub fn append(&self, name: impl AsRef<OsStr>) -> io::Result<File> {
        let name = name.as_ref();
        let mut file = self.open_for(name, Purpose::Append)?;
        if has_other_names(&file) {
            let aside = [name, OsStr::new(".aside")].join(OsStr::new(""));
            match self.rename_new(name, aside) {
                // Its bytes remain under its other names.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.remove_file(name)?,
                renamed => renamed?,
            }
            file = self.open_for(name, Purpose::Append)?;
        }
        narrow(&file);
        Ok(file)
    }

    /// Opens a regular file to hold its lock, and makes it private.
    pub(crate) fn open_lock(&self, name: &OsStr) -> io::Result<File> {
        self.open_for(name, Purpose::Lock).inspect(narrow)
    }

    pub(crate) fn create(&self, name: &OsStr, mode: FileMode) -> io::Result<File> {
        self.open_for(name, Purpose::New(mode))
    }

    fn open_for(&self, name: &OsStr, purpose: Purpose) -> io::Result<File> {
        let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, what);
        // Only open regular files: opening a device can have side effects.
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

    /// Reads up to `limit` bytes of a regular file; the flag tells whether there are more.
    ///
    /// # Errors
    /// See [`Folder::open`].
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

    /// Whether the name, where a file is expected, is a folder, a link, a pipe, a socket or a device.
    pub fn is_obstructed(&self, name: impl AsRef<OsStr>) -> bool {
        self.entry(name).ok().flatten().is_some_and(|entry| entry.kind != EntryKind::File)
    }

    /// Whether the name still refers to this open file.
    pub fn holds(&self, name: impl AsRef<OsStr>, file: &File) -> bool {
        plain(name.as_ref()).is_ok_and(|name| self.handle.holds(name, file))
    }

    /// The names in the folder, unordered.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn names(&self) -> io::Result<Vec<OsString>> {
        self.entries()?.map(|entry| entry.map(|(name, _)| name)).collect()
    }

    /// The names in the folder and their types, unordered.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
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
    pub(crate) fn rename_new(&self, from: impl AsRef<OsStr>, to: impl AsRef<OsStr>) -> io::Result<()> {
        let (from, to) = (plain(from.as_ref())?, plain(to.as_ref())?);
        self.handle.rename_new(from, to).map_err(|error| with_path(&self.path.join(to), error))
    }

    /// Gives a file a second name (a hard link), which must not exist.
    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
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
}
