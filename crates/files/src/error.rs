//! Errors of the file system that say which path they are about.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A symbolic link where only folders and regular files are accepted; carried inside an [`io::Error`].
#[derive(Debug)]
pub struct LinkRefused {
    /// As printed.
    pub(crate) link: String,
    /// Whether it leads out of the workspace.
    pub(crate) leads_out: bool,
}

impl fmt::Display for LinkRefused {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let link = &self.link;
        if self.leads_out {
            write!(out, "{link} is a link that leads out of the workspace: nothing is read or stored there")
        } else {
            write!(out, "{link} is a symbolic link, which is not followed")
        }
    }
}

impl std::error::Error for LinkRefused {}

impl LinkRefused {
    /// Whether the error carries one.
    pub fn is(error: &io::Error) -> bool {
        error.get_ref().is_some_and(|inner| inner.downcast_ref::<Self>().is_some())
    }
}

impl From<LinkRefused> for io::Error {
    fn from(link: LinkRefused) -> Self {
        Self::new(io::ErrorKind::PermissionDenied, link)
    }
}

/// An error and its path.
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

/// Prefixes an error with its path, unless it is a [`LinkRefused`], which names it.
pub(crate) fn with_path(path: &Path, error: io::Error) -> io::Error {
    if LinkRefused::is(&error) {
        return error;
    }
    io::Error::new(error.kind(), PathError { path: path.to_path_buf(), error })
}

/// Removes the prefix, for messages that name the path themselves.
pub(crate) fn without_path(error: io::Error) -> io::Error {
    error.downcast().map_or_else(|error| error, |PathError { error, .. }| error)
}
