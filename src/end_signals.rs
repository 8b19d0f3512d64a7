//! The signals that end the full screen and the plain interface.

use std::io;

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGHUP, sent when the terminal is closed; it has this number on every system.
pub const HANGUP: u8 = 1;

/// A stream of each of these signals.
#[derive(Debug)]
pub struct EndSignals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    quit: Signal,
}

impl EndSignals {
    pub fn new() -> io::Result<Self> {
        let listen = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            terminate: listen(Number::TERM)?,
            hangup: listen(Number::HUP)?,
            interrupt: listen(Number::INT)?,
            quit: listen(Number::QUIT)?,
        })
    }

    /// Waits for the next signal and returns its number.
    pub async fn next(&mut self) -> i32 {
        tokio::select! {
            _ = self.terminate.recv() => Number::TERM.as_raw(),
            _ = self.hangup.recv() => Number::HUP.as_raw(),
            _ = self.interrupt.recv() => Number::INT.as_raw(),
            _ = self.quit.recv() => Number::QUIT.as_raw(),
        }
    }
}
