//! Checks how many more files this process may open.

use std::io;
use std::os::unix::net::UnixStream;

/// Pairs of files that tokio's runtime opens when it is created.
const PAIRS: usize = 4;

/// Fails if this process can open hardly any more files, in which case tokio would panic when it starts.
///
/// # Errors
/// The limit of open files is reached.
pub fn check_descriptors() -> io::Result<()> {
    (0..PAIRS).map(|_| UnixStream::pair()).collect::<io::Result<Vec<_>>>().map(drop)
}
