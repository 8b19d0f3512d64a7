//! The runtime that drives signals, timers and sockets.

use std::io;

use tokio::runtime::{Builder, Runtime};

/// A runtime on the current thread.
///
/// # Errors
/// The system has no files left that this process may open.
pub fn runtime() -> io::Result<Runtime> {
    refdesk_files::check_descriptors()?;
    Builder::new_current_thread().enable_all().build()
}
