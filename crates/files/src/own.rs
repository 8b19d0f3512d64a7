//! File access by path. Each call opens the folder again, while a [`Folder`] keeps it open. Links are followed in the
//! part of the path that the user named; in refdesk's own folders of a workspace they are refused.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use super::error::with_path;
use super::folder::{FileMode, Folder};
use super::path::is_absent;
use super::private::narrow;
use super::reserved::is_own;

/// Checks that there is no link between `root` and `folder`. Folders may be missing.
///
/// # Errors
/// A refused link, or the file system's error.
pub fn within(root: &Path, folder: &Path) -> io::Result<()> {
    let Ok(inside) = folder.strip_prefix(root) else { return Ok(()) };
    match Folder::root(root).and_then(|root| root.below(inside)) {
        Err(error) if is_absent(&error) => Ok(()),
        opened => opened.map(drop),
    }
}

/// Opens a file for reading.
///
/// # Errors
/// See [`Folder::open`].
pub fn open_state_file(path: &Path) -> io::Result<File> {
    let (folder, name) = folder_of(path)?;
    folder.open(name)
}

/// Opens a file for reading and appending; a new one is private.
///
/// # Errors
/// See [`Folder::append`].
pub fn append_state_file(path: &Path) -> io::Result<File> {
    let (folder, name) = folder_of(path)?;
    folder.append(name)
}

/// Reads up to `limit` bytes of a file; the flag tells whether there are more.
///
/// # Errors
/// See [`Folder::open`].
pub fn read_state_file(path: &Path, limit: u64) -> io::Result<(Vec<u8>, bool)> {
    let (folder, name) = folder_of(path)?;
    folder.read(name, limit)
}

/// Removes a file, or a link itself.
///
/// # Errors
/// See [`Folder::remove_file`].
pub fn remove_state_file(path: &Path) -> io::Result<()> {
    let (folder, name) = folder_of(path)?;
    folder.remove_file(name)
}

/// Renames a file within its folder and makes it private.
///
/// # Errors
/// See [`Folder::rename`].
pub fn rename_state_file(path: &Path, name: &OsStr) -> io::Result<()> {
    let (folder, from) = folder_of(path)?;
    folder.rename(from, name)?;
    if let Ok(file) = folder.open(name) {
        narrow(&file);
    }
    Ok(())
}

/// Whether `path` still refers to this open file.
pub fn is_at(file: &File, path: &Path) -> bool {
    folder_of(path).is_ok_and(|(folder, name)| folder.holds(name, file))
}

fn folder_of(path: &Path) -> io::Result<(Folder, &OsStr)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    Ok((open_folder(path.parent().unwrap_or(Path::new("")))?, name))
}

/// Opens a folder.
///
/// # Errors
/// See [`Folder::below`].
pub fn open_folder(folder: &Path) -> io::Result<Folder> {
    let (root, below) = split(folder);
    Folder::root(root)?.below(below)
}

/// Opens the folder of a path, creating it if missing; also returns the file's name.
pub(super) fn create_parent(path: &Path) -> io::Result<(Folder, &OsStr)> {
    let with_path = |error| with_path(path, error);
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename).map_err(|kind| with_path(kind.into()))?;
    let (root, below) = split(path.parent().unwrap_or(Path::new("")));
    if !root.as_os_str().is_empty() {
        std::fs::create_dir_all(root).map_err(with_path)?;
    }
    Ok((Folder::root(root)?.make(below, FileMode::Default)?, name))
}

/// Splits a path in refdesk's own folder at the workspace; otherwise the user named the whole path.
fn split(folder: &Path) -> (&Path, &Path) {
    let own = folder.ancestors().find(|folder| is_own(folder)).and_then(|own| own.parent()?.parent());
    let below = own.and_then(|root| folder.strip_prefix(root).ok());
    own.zip(below).unwrap_or((folder, Path::new("")))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::{Lock, sweep, write_atomic, write_derived, write_private};
    use super::*;

    #[test]
    fn links_into_refdesks_own_folder_are_refused() {
        for own in [".jaato/refdesk", ".jaato/templates", ".jaato/refdesk/sessions/s", ".jaato"] {
            let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let link = root.path().join(own);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            fs::create_dir_all(outside.path().join("refdesk")).unwrap();
            symlink(outside.path(), &link).unwrap();
            let folder = if own == ".jaato" { link.join("refdesk") } else { link };
            let file = folder.join("file");
            for done in [
                write_atomic(&file, b"x"),
                write_derived(&file, b"x"),
                write_private(&file, b"x"),
                append_state_file(&file).map(drop),
                open_state_file(&file).map(drop),
                Lock::acquire(&file, std::time::Duration::ZERO).map(drop),
                sweep(&folder),
            ] {
                assert!(done.is_err_and(|error| super::super::is_link_refused(&error)), "{own}");
            }
            let made = fs::read_dir(outside.path()).unwrap().count()
                + fs::read_dir(outside.path().join("refdesk")).unwrap().count();
            assert_eq!(made, 1, "{own}");
        }
    }

    #[test]
    fn a_path_that_the_user_named_may_have_links() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("real")).unwrap();
        symlink("real", root.path().join("link")).unwrap();
        for path in ["link/file", "link/new/file", "link/.jaato/refdesk/file", "link/.jaato/references/file"] {
            write_atomic(&root.path().join(path), b"x").unwrap();
            assert!(open_state_file(&root.path().join(path)).is_ok(), "{path}");
        }
    }
}
