//! An open folder, and opening and creating folders below it. A folder is reached from a root without following
//! symbolic links, and a handle keeps referring to the same folder even if something else appears at its path. So a
//! folder replaced by a link between two steps is refused, and replacing a folder after it was opened has no effect.
//!
//! `names` has the operations on the names in a folder, `handle` the system calls.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::error::{link_refused, with_path};
use super::path::display;

mod confine;
mod handle;
mod names;

pub use confine::confine_to;
use handle::Handle;
use names::Purpose;
pub use names::{EntryKind, FolderEntry};

/// Permissions of a file or folder that is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// A replaced file's mode is kept; a new file or folder gets the umask's default.
    Default,
    /// Owner only, whatever existed before: 0600, and 0700 for folders.
    Private,
}

/// An open folder. Clones share the handle.
#[derive(Debug, Clone)]
pub struct Folder {
    handle: Arc<Handle>,
    /// The path at which it was opened.
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

    /// Opens the folder at an absolute path without links, `.` and `..`.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; a refused link if part of the path is one.
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

    /// Opens the folder of `file`, which is below `root`; also returns the file's name. Links above `root` are
    /// followed; links below it are refused.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; a refused link.
    pub fn of(root: &Path, file: &Path) -> io::Result<(Self, OsString)> {
        let (folder, name) = split(root, file)?;
        Ok((Self::root(root)?.below(folder)?, name))
    }

    /// Like [`Folder::of`], but creates missing folders below `root`, which are private.
    ///
    /// # Errors
    /// See [`Folder::of`].
    pub fn create_parent_of(root: &Path, file: &Path) -> io::Result<(Self, OsString)> {
        let (folder, name) = split(root, file)?;
        Ok((Self::root(root)?.make(folder, FileMode::Private)?, name))
    }

    /// Opens the folder of a file at an absolute path without links, `.` and `..`; also returns the file's name.
    ///
    /// # Errors
    /// See [`Folder::real`].
    pub fn parent_of_real(file: &Path) -> io::Result<(Self, &OsStr)> {
        match (file.parent(), file.file_name()) {
            (Some(folder), Some(name)) => Ok((Self::real(folder)?, name)),
            _ => Err(invalid(file)),
        }
    }

    /// Opens a folder below this one.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; a refused link if part of the path is one.
    pub fn below(&self, path: &Path) -> io::Result<Self> {
        let names = names_of(path)?;
        let within: PathBuf = names.iter().collect();
        // Usually there is no link, and one call is enough. If there is one, opening name by name finds it.
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
    /// See [`Folder::below`].
    pub fn make(&self, path: &Path, mode: FileMode) -> io::Result<Self> {
        names_of(path)?.into_iter().try_fold(self.clone(), |folder, name| {
            // `.jaato` also contains files that are shared with the workspace's other users.
            let mode = if name == ".jaato" { FileMode::Default } else { mode };
            let (child, is_made) = folder.make_child(name, mode)?;
            if mode == FileMode::Private && !is_made {
                // Changing the mode fails for another user's folder, which keeps its mode.
                let _ = child.make_private();
            }
            Ok(child)
        })
    }

    /// Opens a folder directly in this one.
    ///
    /// # Errors
    /// See [`Folder::below`].
    pub fn child(&self, name: &OsStr) -> io::Result<Self> {
        let handle = self.handle.child(plain(name)?).map_err(|error| self.refused(name, error))?;
        Ok(Self { handle: Arc::new(handle), path: self.path.join(name), root: self.root.clone() })
    }

    /// Like [`Folder::child`], but creates a missing folder; the flag tells whether it did.
    ///
    /// # Errors
    /// See [`Folder::below`].
    pub fn make_child(&self, name: &OsStr, mode: FileMode) -> io::Result<(Self, bool)> {
        match self.child(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened.map(|folder| (folder, false)),
        }
        let is_made = match self.handle.make(name, mode) {
            // Another process created it first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => false,
            made => made.map(|()| true).map_err(|error| self.refused(name, error))?,
        };
        Ok((self.child(name)?, is_made))
    }

    /// Removes all permissions except the owner's.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub(crate) fn make_private(&self) -> io::Result<()> {
        self.handle.make_private().map_err(|error| with_path(&self.path, error))
    }

    /// A new file handle of the same folder, for locking.
    pub(crate) fn reopened(&self) -> io::Result<File> {
        self.handle.reopened()
    }

    /// The path at which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a name in this folder, for messages.
    pub fn path_of(&self, name: impl AsRef<Path>) -> PathBuf {
        self.path.join(name)
    }

    /// Prefixes the error with the path; returns a link error instead if the name is a link.
    fn refused(&self, name: &OsStr, error: io::Error) -> io::Error {
        let path = self.path.join(name);
        if self.handle.entry(name).is_ok_and(|entry| entry.kind == EntryKind::Link) {
            return link_refused(&display(&self.root, &path), self.leads_out(&path));
        }
        with_path(&path, error)
    }

    /// Whether a link leads out of the root; used only to word an error.
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
mod tests;
