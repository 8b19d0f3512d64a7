//! Files that only refdesk writes, by their paths. Each step opens the folder anew; [`Folder`] holds it open.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use super::folder::Folder;
use super::path::is_absent;

/// Holds that no link is on the way from `root` down to `folder`. Folders that are not there lead nowhere.
///
/// # Errors
/// [`super::LinkedOut`], or what the file system says.
pub fn within(root: &Path, folder: &Path) -> io::Result<()> {
    let Ok(inside) = folder.strip_prefix(root) else { return Ok(()) };
    match Folder::root(root).and_then(|root| root.below(inside)) {
        Err(error) if is_absent(&error) => Ok(()),
        opened => opened.map(drop),
    }
}

/// Opens a file to read it.
///
/// # Errors
/// As [`Folder::open`].
pub fn open_own(path: &Path) -> io::Result<File> {
    let (folder, name) = folder_of(path)?;
    folder.open(name)
}

/// Opens a file to read it and to append to it; a new one is private.
///
/// # Errors
/// As [`Folder::append`].
pub fn append_own(path: &Path) -> io::Result<File> {
    let (folder, name) = folder_of(path)?;
    folder.append(name)
}

/// Whether an open file is the one that stands at `path` now.
pub fn is_at(file: &File, path: &Path) -> bool {
    folder_of(path).is_ok_and(|(folder, name)| folder.holds(name, file))
}

fn folder_of(path: &Path) -> io::Result<(Folder, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok((Folder::root(path.parent().unwrap_or(Path::new("")))?, name))
}
