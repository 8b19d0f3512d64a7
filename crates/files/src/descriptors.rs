//! How many files this process may still open.

use std::io;
use std::os::unix::net::UnixStream;

/// Pairs of files that the runtime of tokio opens when it is made.
const PAIRS: usize = 4;

/// Fails where this process may hardly open files any more: tokio panics there when it is started.
///
/// # Errors
/// The limit of open files is reached.
pub fn check_descriptors() -> io::Result<()> {
    (0..PAIRS).map(|_| UnixStream::pair()).collect::<io::Result<Vec<_>>>().map(drop)
}
