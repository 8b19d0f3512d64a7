//! Opening files that only refdesk writes, in a folder that comes with a repository and may have been prepared: not through
//! a link, no pipe, no device, and in no folder that a link leads out of the workspace.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::path::{display, is_absent};

/// A folder that a link leads out of where it belongs; inside an [`io::Error`].
#[derive(Debug)]
pub struct LinkedOut {
    link: String,
}

impl fmt::Display for LinkedOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} is a link that leads out of the workspace: nothing is read or stored there", self.link)
    }
}

impl std::error::Error for LinkedOut {}

impl LinkedOut {
    /// Whether the error is one.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.downcast_ref::<Self>().is_some())
    }
}

/// Holds that no link on the way from `root` down to `folder` leads out of `root`. Folders that are not there lead nowhere.
///
/// # Errors
/// [`LinkedOut`], for a link that leads nowhere too, or what the file system says.
pub fn within(root: &Path, folder: &Path) -> io::Result<()> {
    let Ok(inside) = folder.strip_prefix(root) else { return Ok(()) };
    let mut path: PathBuf = root.to_path_buf();
    for component in inside.components() {
        path.push(component);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let root_resolved = fs::canonicalize(root)?;
                if !fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&root_resolved)) {
                    let link = display(root, &path);
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, LinkedOut { link }));
                }
            }
            Ok(_) => {}
            Err(error) if is_absent(&error) => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Opens a file to read it.
///
/// # Errors
/// What the file system says, with the path in front; what stands there is a link or no regular file.
pub fn open_own(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true))
}

/// Opens a file to read it and to append to it; a new one is nobody else's to read.
///
/// # Errors
/// As [`open_own`].
pub fn append_own(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true).append(true).create(true))
}

/// Opens a file to lock it.
///
/// # Errors
/// As [`open_own`].
pub(super) fn lock_own(path: &Path) -> io::Result<File> {
    regular(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))
}

fn regular(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let refuse = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {what}", path.display()));
    let file = match without_links(options).open(path) {
        Err(_) if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) => {
            return Err(refuse("a symbolic link, which is not followed"));
        }
        opened => opened.map_err(name_it)?,
    };
    if file.metadata().map_err(name_it)?.is_file() { Ok(file) } else { Err(refuse("not a regular file")) }
}

/// Without waiting for whoever reads a pipe, either.
#[cfg(unix)]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = i32::try_from((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits()).unwrap_or(0);
    options.custom_flags(flags).mode(0o600)
}

#[cfg(not(unix))]
fn without_links(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// Whether an open file is the one that stands at `path` now.
#[cfg(unix)]
pub fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let which = |it: fs::Metadata| (it.dev(), it.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(there)) => which(open) == which(there),
        _ => false,
    }
}

/// Whether an open file is the one that stands at `path` now, as far as the time at which it was made tells.
#[cfg(not(unix))]
pub fn is_at(file: &File, path: &Path) -> bool {
    let made = |it: io::Result<fs::Metadata>| it.and_then(|it| it.created());
    matches!((made(file.metadata()), made(fs::symlink_metadata(path))), (Ok(open), Ok(there)) if open == there)
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_links_that_lead_out_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        fs::create_dir_all(root.join("real/below")).unwrap();
        symlink("real", root.join("inside")).unwrap();
        symlink(outside.path(), root.join("out")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("loop", root.join("loop")).unwrap();
        for (folder, is_fine) in [
            ("real/below", true),
            ("real/none/none", true),
            ("inside/below", true),
            ("out", false),
            ("out/below", false),
            ("dangling/below", false),
            ("loop", false),
        ] {
            let held = within(&root, &root.join(folder));
            assert_eq!(held.is_ok(), is_fine, "{folder}: {held:?}");
            assert!(held.map_or_else(|error| LinkedOut::is(&error), |()| true), "{folder}");
        }
    }

    #[test]
    fn links_pipes_and_folders_are_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        append_own(&at("file")).unwrap().write_all(b"x").unwrap();
        assert_eq!(fs::metadata(at("file")).unwrap().permissions().mode() & 0o777, 0o600);
        symlink("file", at("link")).unwrap();
        symlink("none", at("dangling")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for name in ["link", "dangling", "folder", "pipe"] {
            for open in [open_own, append_own, lock_own] {
                let error = open(&at(name)).unwrap_err();
                assert!(error.to_string().contains(name), "{name}: {error}");
            }
        }
        assert!(!at("none").exists());
        let open = open_own(&at("file")).unwrap();
        assert!(is_at(&open, &at("file")) && !is_at(&open, &at("link")) && !is_at(&open, &at("none")));
    }
}
