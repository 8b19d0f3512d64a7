//! Writes to the terminal without blocking. A terminal that accepts no output (Ctrl-S, a suspended window)
//! must not block the thread that also handles keys and signals, so pending output is buffered here.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::termios::{Action, QueueSelector, tcflow, tcflush, ttyname};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How long to wait for a stalled terminal to accept the last bytes before discarding its queued output, and
/// again afterwards.
const WRITE_TIMEOUT: Duration = Duration::from_millis(200);

/// Aborts an escape sequence that was cut off.
const CANCEL: u8 = 0x18;

#[derive(Debug)]
pub struct TerminalWriter {
    /// `None` if the terminal cannot be opened a second time, as in a container whose terminal is outside it;
    /// writes then block.
    terminal: Option<AsyncFd<OwnedFd>>,
    rest: Vec<u8>,
}

impl TerminalWriter {
    /// Opens the terminal on standard output.
    #[allow(deprecated, reason = "its successor is unsafe, and an OwnedFd always meets its condition")]
    pub fn new() -> Self {
        let terminal = reopen().and_then(|terminal| AsyncFd::with_interest(terminal, Interest::WRITABLE).ok());
        Self { terminal, rest: Vec::new() }
    }

    /// Whether there is pending output.
    pub fn is_blocked(&self) -> bool {
        !self.rest.is_empty()
    }

    /// Writes what the terminal accepts; [`Self::proceed`] writes the rest.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(terminal) = &self.terminal else { return write_waiting(bytes) };
        let taken = if self.rest.is_empty() { write_some(terminal.get_ref(), bytes)? } else { 0 };
        self.rest.extend_from_slice(bytes.get(taken..).unwrap_or_default());
        Ok(())
    }

    /// Waits until the terminal accepts output again, and writes it; forever if none is pending. Cancel-safe:
    /// no output is lost.
    pub async fn proceed(&mut self) -> io::Result<()> {
        let Some(terminal) = self.terminal.as_ref().filter(|_| !self.rest.is_empty()) else {
            return std::future::pending().await;
        };
        let mut ready = terminal.writable().await?;
        let taken = write_some(ready.get_inner(), &self.rest)?;
        if taken < self.rest.len() {
            ready.clear_ready();
        }
        self.rest.drain(..taken);
        Ok(())
    }

    /// Takes the pending output, which the caller must then write.
    pub fn take_rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.rest)
    }
}

/// Opens the terminal again, because a descriptor shared with a shell must not be made non-blocking.
fn reopen() -> Option<OwnedFd> {
    let name = ttyname(rustix::stdio::stdout(), Vec::new()).ok()?;
    let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    open(OsStr::from_bytes(name.as_bytes()), flags, Mode::empty()).ok()
}

/// Writes what fits without blocking. Returns the number of bytes.
fn write_some(terminal: &OwnedFd, bytes: &[u8]) -> io::Result<usize> {
    let mut taken = 0;
    while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
        match rustix::io::write(terminal, rest) {
            Ok(count) => taken += count,
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => break,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(taken)
}

fn write_waiting(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes the pending output and then the last bytes. If the terminal is stalled for too long, restarts its output,
/// discards what it has not shown, and writes only the last bytes. Ignores errors: the terminal may be gone.
pub fn write_last(rest: &[u8], last: &[u8]) {
    let all = [rest, last].concat();
    let Some(terminal) = reopen() else {
        let _ = write_waiting(&all);
        return;
    };
    if write_within(&terminal, &all).unwrap_or(true) {
        return;
    }
    let _ = tcflow(&terminal, Action::OOn);
    let _ = tcflush(&terminal, QueueSelector::OFlush);
    let _ = write_within(&terminal, &[&[CANCEL], last].concat());
}

/// Returns whether the terminal accepted everything in time.
fn write_within(terminal: &OwnedFd, bytes: &[u8]) -> io::Result<bool> {
    let end = Instant::now() + WRITE_TIMEOUT;
    let mut taken = write_some(terminal, bytes)?;
    while taken < bytes.len() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(false);
        }
        let left = Timespec { tv_sec: 0, tv_nsec: left.subsec_nanos().into() };
        let mut asked = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::OUT)];
        match poll(&mut asked, Some(&left)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        taken += write_some(terminal, bytes.get(taken..).unwrap_or_default())?;
    }
    Ok(true)
}
