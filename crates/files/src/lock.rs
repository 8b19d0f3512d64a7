//! An advisory lock between processes, held while a file of the desk is read, changed and renamed. The kernel releases
//! it when its holder ends for any reason.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::error::with_path;
use super::folder::Folder;
use super::own::create_parent;

/// How long most callers wait; the lock is held only as long as it takes to write a few files.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits up to `timeout` for the lock file at `path`; creates it and its folders if missing. For paths named by the
    /// user: links in them are followed.
    ///
    /// # Errors
    /// See [`Folder::lock`].
    pub fn acquire(path: &Path, timeout: Duration) -> io::Result<Self> {
        let (folder, name) = create_parent(path)?;
        folder.lock(name, timeout)
    }
}

impl Folder {
    /// Waits up to `timeout` for the lock file with this name; creates it if missing.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`io::ErrorKind::TimedOut`] if another process holds the lock.
    pub fn lock(&self, name: impl AsRef<OsStr>, timeout: Duration) -> io::Result<Lock> {
        let name = name.as_ref();
        let file = self.open_lock(name)?;
        wait(&file, timeout).map_err(|error| with_path(&self.path_of(name), error))?;
        Ok(Lock { _file: file })
    }

    /// Waits up to `timeout` for the lock of the folder itself, which excludes other writers; creates nothing. `None`
    /// if the folder cannot be locked: this user may not list it, or its file system has no locks.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path; [`io::ErrorKind::TimedOut`] if another process holds the lock.
    pub(crate) fn hold_for_writing(&self, timeout: Duration) -> io::Result<Option<Lock>> {
        let file = match self.reopened() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            opened => opened.map_err(|error| with_path(self.path(), error))?,
        };
        match wait(&file, timeout) {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(with_path(self.path(), error)),
            Err(_) => Ok(None),
        }
    }
}

/// Polls, because a blocking wait has no timeout: a stopped holder would block every process.
fn wait(file: &File, timeout: Duration) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() < timeout => thread::park_timeout(RETRY_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                let seconds = timeout.as_secs_f32();
                let message = format!("another process has held this lock for {seconds} s; end it, or try again");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_held_lock_times_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::acquire(&path, LOCK_TIMEOUT).unwrap();
        let other = File::open(&path).unwrap();
        assert_eq!(wait(&other, Duration::from_millis(5)).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        assert!(wait(&other, Duration::ZERO).is_ok());
    }
}
