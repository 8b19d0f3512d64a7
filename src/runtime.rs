//! The runtime that waits for signals, timers and sockets.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// A runtime on this thread.
///
/// # Errors
/// The system has no files left that this process may open.
pub fn runtime() -> io::Result<Runtime> {
    refdesk_files::check_descriptors()?;
    Builder::new_current_thread().enable_all().build()
}
