//! Folders by path, for systems where they are not held open. Each step first checks for a link.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::{EntryKind, FileMode, FolderEntry, Purpose};

/// A folder by its path.
#[derive(Debug)]
pub(super) struct Handle(PathBuf);

impl Handle {
    pub fn root(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let found = fs::metadata(path)?;
        if found.is_dir() { Ok(Self(path.to_path_buf())) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub fn below(&self, _path: &Path) -> Option<Self> {
        None
    }

    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        let found = self.entry(name)?;
        if found.kind == EntryKind::Folder {
            Ok(Self(self.0.join(name)))
        } else {
            Err(io::ErrorKind::NotADirectory.into())
        }
    }

    pub fn make(&self, name: &OsStr, _mode: FileMode) -> io::Result<()> {
        fs::create_dir(self.0.join(name))
    }

    pub(crate) fn make_private(&self) -> io::Result<()> {
        Ok(())
    }

    pub fn open(&self, name: &OsStr, purpose: Purpose) -> io::Result<File> {
        if self.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Link) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut options = OpenOptions::new();
        match purpose {
            Purpose::Locate | Purpose::Read => options.read(true),
            Purpose::Append => options.read(true).append(true).create(true),
            Purpose::Lock => options.read(true).write(true).create(true).truncate(false),
            Purpose::New(_) => options.read(true).write(true).create_new(true),
        };
        options.open(self.0.join(name))
    }

    pub fn entry(&self, name: &OsStr) -> io::Result<FolderEntry> {
        let found = fs::symlink_metadata(self.0.join(name))?;
        Ok(FolderEntry { kind: kind_of(found.file_type()), size: found.len(), permissions: found.permissions() })
    }

    /// As far as the creation time tells.
    pub fn holds(&self, name: &OsStr, file: &File) -> bool {
        let made = |found: io::Result<fs::Metadata>| found.and_then(|found| found.created());
        let there = made(fs::symlink_metadata(self.0.join(name)));
        matches!((made(file.metadata()), there), (Ok(open), Ok(there)) if open == there)
    }

    pub fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
        let entry = |entry: fs::DirEntry| Ok((entry.file_name(), kind_of(entry.file_type()?)));
        Ok(fs::read_dir(&self.0)?.map(move |listed| listed.and_then(entry)))
    }

    pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.link(from, to)?;
        self.remove_file(from)
    }

    pub fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        fs::hard_link(self.0.join(from), self.0.join(to))
    }

    pub fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_file(self.0.join(name))
    }

    pub fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        fs::remove_dir(self.0.join(name))
    }
}

fn kind_of(file: fs::FileType) -> EntryKind {
    match file {
        kind if kind.is_symlink() => EntryKind::Link,
        kind if kind.is_dir() => EntryKind::Folder,
        kind if kind.is_file() => EntryKind::File,
        _ => EntryKind::Other,
    }
}
