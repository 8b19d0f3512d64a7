//! What comes from the terminal: keys, pastes, the mouse, its size. Read on the loop's own thread and only while somebody
//! waits for it, so that nothing typed for an editor is taken from it and nothing typed after it is lost. A thread beside it
//! only waits until there is something to read; it takes nothing.
//!
//! Not crossterm's `EventStream`: its thread reads, goes on until it is told to stop and cannot say that it has; what a
//! burst leaves unread after 1,024 bytes stays there until the next key; a terminal that is gone keeps it spinning.

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
    use std::os::fd::OwnedFd;
    use std::sync::mpsc;
    use std::thread;

    use crossterm::event::Event;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    use tokio::signal::unix::{Signal, SignalKind, signal};
    use tokio::sync::mpsc::{Receiver, Sender, channel};

    use crate::tui::run::parse::{Parsed, Then, parse};

    /// Bytes taken from the terminal at once; what is more shows first.
    const AT_ONCE: usize = 64 * 1024;

    /// The near end of the terminal.
    #[derive(Debug)]
    pub struct Keyboard {
        terminal: OwnedFd,
        /// Asks the waiting thread to wait once more.
        ask: mpsc::Sender<()>,
        asked: bool,
        /// There is something to read, or was when it was looked.
        ready: Receiver<()>,
        resized: Signal,
        /// The beginning of a sequence whose rest is still to come.
        bytes: Vec<u8>,
        events: VecDeque<Event>,
    }

    impl Keyboard {
        /// Standard input, of which nothing is read yet.
        pub fn new() -> io::Result<Self> {
            let terminal = rustix::stdio::stdin().try_clone_to_owned()?;
            let (ask, questions) = mpsc::channel();
            let (tell, ready) = channel(1);
            let watched = terminal.try_clone()?;
            thread::Builder::new().name("keyboard".to_owned()).spawn(move || watch(&watched, &questions, &tell))?;
            Ok(Self {
                terminal,
                ask,
                asked: false,
                ready,
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
                if !self.asked {
                    self.ask.send(()).map_err(|_| gone())?;
                    self.asked = true;
                }
                tokio::select! {
                    biased;
                    ready = self.ready.recv() => {
                        ready.ok_or_else(gone)?;
                        self.asked = false;
                        self.read()?;
                    }
                    _ = self.resized.recv() => {
                        let size = rustix::termios::tcgetwinsize(&self.terminal)?;
                        self.events.push_back(Event::Resize(size.ws_col, size.ws_row));
                    }
                }
            }
        }

        /// The next event if there is one already.
        pub fn next_ready(&mut self) -> io::Result<Option<Event>> {
            if self.events.is_empty() {
                self.read()?;
            }
            Ok(self.events.pop_front())
        }

        /// Takes what there is, without waiting.
        fn read(&mut self) -> io::Result<()> {
            let then = read(&self.terminal, &mut self.bytes)?;
            understand(&mut self.bytes, then, &mut self.events);
            Ok(())
        }
    }

    fn gone() -> io::Error {
        io::Error::new(io::ErrorKind::UnexpectedEof, "the terminal is gone")
    }

    /// Each time it is asked, waits until there is something to read, and says so. Reads nothing.
    fn watch(terminal: &OwnedFd, questions: &mpsc::Receiver<()>, tell: &Sender<()>) {
        while questions.recv().is_ok() {
            let mut asked = [PollFd::new(terminal, PollFlags::IN)];
            while poll(&mut asked, None) == Err(Errno::INTR) {}
            // Any other error is found again by who reads then.
            if tell.blocking_send(()).is_err() {
                return;
            }
        }
    }

    /// Takes what has come. A terminal shared with a shell must not be made non-blocking, so it is asked before each read.
    fn read(terminal: &OwnedFd, bytes: &mut Vec<u8>) -> io::Result<Then> {
        let mut buffer = [0; 4096];
        let mut taken = 0;
        while taken < AT_ONCE {
            let mut asked = [PollFd::new(terminal, PollFlags::IN)];
            match poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
                Ok(0) => return Ok(Then::Quiet),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            match rustix::io::read(terminal, &mut buffer) {
                Ok(0) => return Err(gone()),
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
