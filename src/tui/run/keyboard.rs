//! Terminal input: keys, pastes, mouse events and resizes. It is read on the loop's own thread and only on
//! demand, so that input meant for an editor is not consumed and input after it is not lost.
//!
//! crossterm's `EventStream` does not work here: its thread keeps reading until told to stop and cannot confirm that it
//! has stopped, input beyond 1,024 bytes of a burst is delayed until the next key, and a closed terminal makes it spin.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use crossterm::event::Event;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::tui::run::background_question::BackgroundReport;
use crate::tui::run::parse::{InputTail, Interruption, ParsedInput, bound, interruption, parse};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TerminalInput {
    /// Input from a person, or a new size.
    Event(Event),
    Background(BackgroundReport),
}

/// Whether this read or write error means that the terminal is gone.
pub fn is_gone(error: &io::Error) -> bool {
    if error.raw_os_error() == Some(Errno::IO.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::UnexpectedEof
}

/// The maximum number of bytes read at once; they are processed and shown before reading more.
const MAX_READ_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub struct Keyboard {
    terminal: AsyncFd<OwnedFd>,
    resized: Signal,
    /// Columns and rows as last reported.
    size: (u16, u16),
    /// The bytes of an unfinished sequence.
    bytes: Vec<u8>,
    /// The length of `bytes` when input last paused.
    begun: usize,
    events: VecDeque<TerminalInput>,
}

impl Keyboard {
    /// Opens standard input without reading from it.
    #[allow(deprecated, reason = "its successor is unsafe, and an OwnedFd always meets its condition")]
    pub fn new() -> io::Result<Self> {
        let terminal = rustix::stdio::stdin().try_clone_to_owned()?;
        Ok(Self {
            terminal: AsyncFd::with_interest(terminal, Interest::READABLE)?,
            resized: signal(SignalKind::window_change())?,
            size: (0, 0),
            bytes: Vec::new(),
            begun: 0,
            events: VecDeque::new(),
        })
    }

    /// Waits for the next event; an error if the terminal is gone. Cancel-safe: no input is lost.
    pub async fn next(&mut self) -> io::Result<TerminalInput> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(event);
            }
            tokio::select! {
                biased;
                ready = self.terminal.readable() => {
                    let mut ready = ready?;
                    let then = read(ready.get_inner(), &mut self.bytes)?;
                    if then == InputTail::Quiet {
                        ready.clear_ready();
                    }
                    self.take_read(then)?;
                }
                // Even an unchanged size: the terminal's content may have changed.
                _ = self.resized.recv() => {
                    self.size = size(self.terminal.get_ref())?;
                    self.events.push_back(TerminalInput::Event(Event::Resize(self.size.0, self.size.1)));
                }
            }
        }
    }

    /// The next event, if one is available now.
    pub fn next_ready(&mut self) -> io::Result<Option<TerminalInput>> {
        if self.events.is_empty() {
            let then = read(self.terminal.get_ref(), &mut self.bytes)?;
            self.take_read(then)?;
        }
        Ok(self.events.pop_front())
    }

    /// Parses the bytes read. A click refers to the current screen size, but the resize signal may arrive
    /// after it, so check the size first.
    fn take_read(&mut self, then: InputTail) -> io::Result<()> {
        if self.bytes.len() > self.begun {
            let size = size(self.terminal.get_ref())?;
            if std::mem::replace(&mut self.size, size) != size {
                self.events.push_back(TerminalInput::Event(Event::Resize(size.0, size.1)));
            }
        }
        parse_available(&mut self.bytes, &mut self.begun, then, &mut self.events);
        Ok(())
    }
}

/// The columns and rows of a terminal.
fn size(terminal: &OwnedFd) -> io::Result<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(terminal)?;
    Ok((size.ws_col, size.ws_row))
}

/// Reads the available bytes. A terminal shared with a shell must not be made non-blocking, so poll before each read.
fn read(terminal: &OwnedFd, bytes: &mut Vec<u8>) -> io::Result<InputTail> {
    let mut buffer = [0; 4096];
    let mut taken = 0;
    while taken < MAX_READ_BYTES {
        let mut asked = [PollFd::from_borrowed_fd(terminal.as_fd(), PollFlags::IN)];
        match poll(&mut asked, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            Ok(0) => return Ok(InputTail::Quiet),
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
            Err(Errno::AGAIN) => return Ok(InputTail::Quiet),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(InputTail::More)
}

fn parse_available(bytes: &mut Vec<u8>, begun: &mut usize, then: InputTail, events: &mut VecDeque<TerminalInput>) {
    if let Some((before, fresh)) = bytes.split_at_checked(*begun).filter(|(_, fresh)| !fresh.is_empty()) {
        match interruption(before, fresh) {
            Interruption::No => {}
            Interruption::Key => drop(bytes.drain(..*begun)),
            Interruption::Paste(text) => {
                events.push_back(TerminalInput::Event(text));
                bytes.clear();
            }
        }
    }
    let mut rest = bytes.as_slice();
    loop {
        let used = match parse(rest, then) {
            ParsedInput::Event(event, used) => {
                events.push_back(TerminalInput::Event(event));
                used
            }
            ParsedInput::Background(report, used) => {
                events.push_back(TerminalInput::Background(report));
                used
            }
            ParsedInput::Nothing(used) => used,
            ParsedInput::Unfinished => break,
        };
        rest = rest.get(used..).unwrap_or_default();
    }
    let used = bytes.len() - rest.len();
    bytes.drain(..used);
    bound(bytes);
    *begun = if then == InputTail::Quiet { bytes.len() } else { 0 };
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events parsed from these reads, with a pause after each read.
    fn read_as(reads: &[&[u8]]) -> String {
        let (mut bytes, mut begun, mut events) = (Vec::new(), 0, VecDeque::new());
        for read in reads {
            bytes.extend_from_slice(read);
            parse_available(&mut bytes, &mut begun, InputTail::Quiet, &mut events);
            // A poll without input.
            parse_available(&mut bytes, &mut begun, InputTail::Quiet, &mut events);
        }
        let word = |event: &TerminalInput| match event {
            TerminalInput::Event(Event::Key(key)) => {
                crate::tui::key::Key::from_event(*key).map_or("-".to_owned(), |key| key.to_string())
            }
            TerminalInput::Event(other) => format!("{other:?}"),
            TerminalInput::Background(report) => format!("{report:?}"),
        };
        events.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_unclosed_sequence_does_not_swallow_keys() {
        for (reads, expected) in [
            (&["\x1b[200~abc", "\x03", "q"][..], "Paste(\"abc\") q"),
            (&["\x1b[200~abc", "\x1b", "q"], "Paste(\"abc\") q"),
            (&["\x1b[200~abc", "q", "\x1b[20", "1~q"], "Paste(\"abcq\") q"),
            (&["\x1b[200~a\x03", "b\x03", "c\x1b[201~"], "Paste(\"a\\u{3}b\\u{3}c\")"),
            (&["\x1b]11;rgb", "j"], "j"),
            (&["\x1b]11;rgb", "\x1b[A"], "Up"),
            (&["\x1b]11;rgb", ":ff/", "ff/ff\x07j"], "Answer(Light) j"),
            (&["\x1bP>|xterm", "\x1b\\", "j"], "j"),
            (&["\x1b_G", "\x07", "j"], "j"),
            (&["\x1b[M", "q"], "q"),
            (&["\x1b[", "Z"], "BackTab"),
            (&["\x1b[1;", "5", "C"], "C-Right"),
            (&["\x1bO", "A"], "Up"),
        ] {
            let reads: Vec<_> = reads.iter().map(|read| read.as_bytes()).collect();
            assert_eq!(read_as(&reads), expected, "{reads:?}");
        }
    }

    #[test]
    fn an_endless_answer_is_no_keys() {
        let long = [b"\x1b]11;".as_slice(), &[b'x'; 70_000]].concat();
        let endless = [b"\x1b[".as_slice(), &[b'1'; 70_000]].concat();
        for (reads, expected) in [
            (&[long.as_slice(), b"\x07j"][..], "j"),
            (&[&long, &long[5..], b"\x1b\\j"], "j"),
            (&[&long, b"j"], "j"),
            (&[&long, b"\x03"], "C-c"),
            (&[&endless, b"\x03"], "C-c"),
            (&[&endless, &endless[2..], b"11Rj"], "j"),
            (&[&endless, b"j"], "j"),
        ] {
            assert_eq!(read_as(reads), expected);
        }
        let (mut bytes, mut begun, mut events) = (Vec::new(), 0, VecDeque::new());
        for _ in 0..100 {
            bytes.extend_from_slice(if bytes.is_empty() { &endless[..4096] } else { &endless[2..4098] });
            parse_available(&mut bytes, &mut begun, InputTail::More, &mut events);
            assert!(events.is_empty() && bytes.len() < 2 * 4096, "{} bytes", bytes.len());
        }
    }

    #[test]
    fn an_endless_paste_is_bounded() {
        let (mut bytes, mut begun, mut events) = (b"\x1b[200~".to_vec(), 0, VecDeque::new());
        for _ in 0..70 {
            bytes.extend_from_slice(&[b'x'; MAX_READ_BYTES]);
            parse_available(&mut bytes, &mut begun, InputTail::More, &mut events);
            assert!(bytes.len() <= 5 * 1024 * 1024, "{} bytes", bytes.len());
        }
        for half in ["\x1b[20", "1~q"] {
            bytes.extend_from_slice(half.as_bytes());
            parse_available(&mut bytes, &mut begun, InputTail::More, &mut events);
        }
        let lengths: Vec<_> = events
            .iter()
            .map(|it| if let TerminalInput::Event(Event::Paste(it)) = it { it.len() } else { 0 })
            .collect();
        assert!(matches!(lengths[..], [pasted, 0] if pasted > 4_000_000), "{lengths:?}");
    }
}
