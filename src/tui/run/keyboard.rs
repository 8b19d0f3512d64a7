//! What comes from the terminal: keys, pastes, the mouse, its size. Read on the loop's own thread and only while somebody
//! waits for it, so that nothing typed for an editor is taken from it and nothing typed after it is lost.
//!
//! Not crossterm's `EventStream`: its thread reads on until it is told to stop and cannot say that it has, what a burst
//! leaves unread after 1,024 bytes stays there until the next key, and a terminal that is gone keeps it spinning.

use std::io;

#[cfg(unix)]
pub use unix::Keyboard;

/// Whether this error, of reading or of writing, says that the terminal is gone.
pub fn is_gone(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::UnexpectedEof
}

#[cfg(unix)]
mod unix {
    use std::collections::VecDeque;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};

    use crossterm::event::Event;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use crate::tui::run::parse::{Parsed, Then, parse};

    /// Bytes taken from the terminal at once; what is more shows first.
    const AT_ONCE: usize = 64 * 1024;

    /// The near end of the terminal.
    #[derive(Debug)]
    pub struct Keyboard {
        terminal: AsyncFd<OwnedFd>,
        resized: Signal,
        /// The beginning of a sequence whose rest is still to come.
        bytes: Vec<u8>,
        events: VecDeque<Event>,
    }

    impl Keyboard {
        /// Standard input, of which nothing is read yet.
        #[allow(
            deprecated,
            reason = "its successor is unsafe; what it cannot promise of every type holds of an OwnedFd"
        )]
        pub fn new() -> io::Result<Self> {
            let terminal = rustix::stdio::stdin().try_clone_to_owned()?;
            Ok(Self {
                terminal: AsyncFd::with_interest(terminal, Interest::READABLE)?,
                resized: signal(SignalKind::window_change())?,
                bytes: Vec::new(),
                events: VecDeque::new(),
            })
        }

        /// Waits for the next event; an error when the terminal is gone. Nothing is lost when the wait is given up.
        pub async fn next(&mut self) -> io::Result<Event> {
            loop {
                if let Some(event) = self.events.pop_front() {
                    return Ok(event);
                }
                tokio::select! {
                    biased;
                    ready = self.terminal.readable() => {
                        let mut ready = ready?;
                        let then = read(ready.get_inner(), &mut self.bytes)?;
                        if then == Then::Quiet {
                            ready.clear_ready();
                        }
                        understand(&mut self.bytes, then, &mut self.events);
                    }
                    _ = self.resized.recv() => {
                        let size = rustix::termios::tcgetwinsize(self.terminal.get_ref())?;
                        self.events.push_back(Event::Resize(size.ws_col, size.ws_row));
                    }
                }
            }
        }

        /// The next event if there is one already.
        pub fn next_ready(&mut self) -> io::Result<Option<Event>> {
            if self.events.is_empty() {
                let then = read(self.terminal.get_ref(), &mut self.bytes)?;
                understand(&mut self.bytes, then, &mut self.events);
            }
            Ok(self.events.pop_front())
        }
    }

    /// Takes what has come. A terminal shared with a shell must not be made non-blocking, so it is asked before each read.
    fn read(terminal: &OwnedFd, bytes: &mut Vec<u8>) -> io::Result<Then> {
        let mut buffer = [0; 4096];
        let mut taken = 0;
        while taken < AT_ONCE {
            let mut asked = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::IN)];
            match poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
                Ok(0) => return Ok(Then::Quiet),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            match rustix::io::read(terminal, &mut buffer) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone")),
                Ok(count) => {
                    bytes.extend_from_slice(buffer.get(..count).unwrap_or_default());
                    taken += count;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(Then::Quiet),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Then::More)
    }

    fn understand(bytes: &mut Vec<u8>, then: Then, events: &mut VecDeque<Event>) {
        let mut rest = bytes.as_slice();
        loop {
            let used = match parse(rest, then) {
                Parsed::Event(event, used) => {
                    events.push_back(event);
                    used
                }
                Parsed::Nothing(used) => used,
                Parsed::Unfinished => break,
            };
            rest = rest.get(used..).unwrap_or_default();
        }
        let used = bytes.len() - rest.len();
        bytes.drain(..used);
    }
}

#[cfg(not(unix))]
pub use elsewhere::Keyboard;

#[cfg(not(unix))]
mod elsewhere {
    use std::future::poll_fn;
    use std::io;
    use std::pin::Pin;

    use crossterm::event::{Event, EventStream, poll, read};
    use futures_util::Stream;

    /// The near end of the terminal.
    #[derive(Debug)]
    pub struct Keyboard(EventStream);

    impl Keyboard {
        /// The console, of which nothing is read yet.
        pub fn new() -> io::Result<Self> {
            Ok(Self(EventStream::new()))
        }

        /// Waits for the next event; an error when the terminal is gone.
        pub async fn next(&mut self) -> io::Result<Event> {
            let gone = || Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone"));
            poll_fn(|cx| Pin::new(&mut self.0).poll_next(cx)).await.unwrap_or_else(gone)
        }

        /// The next event if there is one already.
        pub fn next_ready(&mut self) -> io::Result<Option<Event>> {
            if poll(std::time::Duration::ZERO)? { read().map(Some) } else { Ok(None) }
        }
    }
}
