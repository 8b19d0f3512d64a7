//! File system errors with the path that they are about.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use crate::path::display;
use refdesk_text::{Code, Error};

/// The code of the [`Error`] that an I/O error carries, such as [`Code::LinkedOut`] or [`Code::NoStateFolder`].
pub fn code_of(error: &io::Error) -> Option<Code> {
    let own = error.get_ref()?.downcast_ref::<Error>().map(|own| own.code);
    own.or_else(|| key_error(error).map(|_| Code::KeyUnusable))
}

/// Whether the error is about a symbolic link where only folders and regular files are accepted.
pub fn is_link_refused(error: &io::Error) -> bool {
    code_of(error) == Some(Code::LinkedOut)
}

/// Whether the error means that a link, a folder, a pipe or a device is where a regular file should be.
pub fn is_no_file(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput || is_link_refused(error)
}

/// Whether the error means lack of space: on the disk, in the user's quota, or within the limit on a file's size.
pub fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

/// What to do about an error for which [`is_disk_full`] is true.
pub fn more_room(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::FileTooLarge => "raise the limit on the size of files (ulimit -f)",
        _ => "free some disk space",
    }
}

/// What to do about an error that says that the system, or a limit, has no more room, open files or processes to give.
pub fn way_to_more(error: &io::Error) -> Option<&'static str> {
    // The error of the system, whose number a path in front of it hides.
    let error = prefixed(error).map_or(error, |PathError { error, .. }| error);
    match error.raw_os_error().map(Errno::from_raw_os_error) {
        _ if is_disk_full(error) => Some(more_room(error)),
        Some(Errno::MFILE | Errno::NFILE) => {
            Some("end programs that have many files open, or raise the limit (ulimit -n)")
        }
        Some(Errno::AGAIN | Errno::NOMEM) => Some("end some programs, and try again"),
        _ => None,
    }
}

pub(crate) fn link_refused(link: &str, leads_out: bool) -> io::Error {
    let why = if leads_out {
        "is a link out of the workspace, so nothing is read or stored there"
    } else {
        "is a symbolic link, which is not followed"
    };
    io::Error::new(io::ErrorKind::PermissionDenied, Error::new(Code::LinkedOut, format!("{link} {why}"), ""))
}

pub(crate) fn no_seal_key(why: impl fmt::Display) -> io::Error {
    let message = format!("refdesk has no folder for its key: {why}");
    io::Error::other(Error::new(Code::NoStateFolder, message, ""))
}

/// Why refdesk's key cannot be used.
#[derive(Debug, Clone, Copy)]
pub(crate) enum KeyFault {
    /// The user may not read it, or another user owns it.
    Permissions,
    /// It has not the length of a key.
    Length,
    /// It is not a regular file, or a device failed.
    Unreadable,
}

#[derive(Debug)]
struct KeyError {
    message: String,
    fault: KeyFault,
}

impl fmt::Display for KeyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for KeyError {}

fn key_error(error: &io::Error) -> Option<&KeyError> {
    error.get_ref()?.downcast_ref()
}

/// What to do about an error with [`Code::KeyUnusable`].
pub fn usable_key(error: &io::Error) -> &'static str {
    match key_error(error).map(|error| error.fault) {
        Some(KeyFault::Permissions) => {
            "make that file yours and readable (chown, chmod 600), or remove it: then what it sealed no longer counts"
        }
        Some(KeyFault::Length) => "restore that file from a backup, or remove it: then what it sealed no longer counts",
        Some(KeyFault::Unreadable) | None => {
            "put the key there as a regular file that can be read, or remove it: then what it sealed no longer counts"
        }
    }
}

pub(crate) fn key_unusable(file: &Path, fault: KeyFault, why: impl fmt::Display) -> io::Error {
    io::Error::other(KeyError { message: format!("refdesk's key {} cannot be used: {why}", file.display()), fault })
}

/// The error for storing state in a folder that is not a workspace.
pub fn no_workspace(folder: &Path) -> io::Error {
    let message = format!("{} is not a workspace", folder.display());
    io::Error::new(io::ErrorKind::NotFound, Error::new(Code::NoWorkspace, message, ""))
}

#[derive(Debug)]
struct PathError {
    path: PathBuf,
    error: io::Error,
}

impl fmt::Display for PathError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for PathError {}

/// Prefixes an error with its path, unless it is about a refused link, whose message contains the path.
pub(crate) fn with_path(path: &Path, error: io::Error) -> io::Error {
    if is_link_refused(&error) {
        return error;
    }
    io::Error::new(error.kind(), PathError { path: path.to_path_buf(), error })
}

/// The message of an error without its path prefix.
pub fn cause(error: &io::Error) -> String {
    prefixed(error).map_or_else(|| error.to_string(), |PathError { error, .. }| error.to_string())
}

/// `x does not exist`, or `x cannot be read: permission denied`, for a file that is shown as `x`.
pub fn unreadable(shown: &str, error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => format!("{shown} does not exist"),
        _ => format!("{shown} cannot be read: {}", cause(error)),
    }
}

/// The message of an error with its path as printed: relative to `workspace` inside it.
pub fn message_in(workspace: &Path, error: &io::Error) -> String {
    let shown = |PathError { path, error }: &PathError| format!("{}: {error}", display(workspace, path));
    prefixed(error).map_or_else(|| error.to_string(), shown)
}

/// The path in the prefix of an error.
pub(crate) fn path_of(error: &io::Error) -> Option<&Path> {
    prefixed(error).map(|PathError { path, .. }| path.as_path())
}

fn prefixed(error: &io::Error) -> Option<&PathError> {
    error.get_ref().and_then(|inner| inner.downcast_ref())
}

/// Removes the path prefix, for messages that contain the path themselves.
pub(crate) fn without_path(error: io::Error) -> io::Error {
    error.downcast().map_or_else(|error| error, |PathError { error, .. }| error)
}
