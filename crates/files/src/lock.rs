//! An advisory lock between processes: whichever changes a file of the desk holds it from reading to renaming. The kernel
//! releases it when its holder ends, however that ends.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::own::made_for;

/// How long a process that is in no hurry waits: the lock is held no longer than a few files take to write.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(20);

/// Between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(2);

/// A held lock; dropping it releases it.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until the lock file at `path` is ours, at most so long; makes it and its folders first. For paths that the user
    /// named: links in them are followed.
    ///
    /// # Errors
    /// As [`Folder::lock`].
    pub fn acquire(path: &Path, patience: Duration) -> io::Result<Self> {
        let (folder, name) = made_for(path)?;
        folder.lock(name, patience)
    }
}

impl Folder {
    /// Waits until the lock file of this name is ours, at most so long; makes it first.
    ///
    /// # Errors
    /// What the file system says, with the path in front; [`io::ErrorKind::TimedOut`] where another process keeps it.
    pub fn lock(&self, name: impl AsRef<OsStr>, patience: Duration) -> io::Result<Lock> {
        let name = name.as_ref();
        let file = self.open_lock(name)?;
        wait(&file, patience)
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", self.path_of(name).display())))?;
        Ok(Lock { _file: file })
    }
}

/// Asks again and again, since a blocking wait has no end: a holder that was stopped would stop everybody.
fn wait(file: &File, patience: Duration) -> io::Result<()> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() < patience => thread::park_timeout(RETRY_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                let seconds = patience.as_secs_f32();
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
    fn a_lock_that_is_never_let_go_is_waited_for_so_long_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::acquire(&path, LOCK_TIMEOUT).unwrap();
        let other = File::open(&path).unwrap();
        assert_eq!(wait(&other, Duration::from_millis(5)).unwrap_err().kind(), io::ErrorKind::TimedOut);
        drop(held);
        assert!(wait(&other, Duration::ZERO).is_ok());
    }
}
