//! The signals that end, stop and continue the screen, as one stream. It starts before the terminal is entered, so
//! that no signal leaves the terminal in raw mode.

use std::io;

use rustix::process::{Pid, Signal as Number, getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::end_signals::EndSignals;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalAction {
    /// Leave; the signal's number.
    End(i32),
    /// Stop until continued.
    Stop,
    Continue,
}

/// Whether this signal is for the whole session, rather than for the program in the foreground like those of keys.
pub fn is_for_all(signal: i32) -> bool {
    [Number::TERM, Number::HUP].iter().any(|number| number.as_raw() == signal)
}

/// Sends the signal that ended this program to another process, which can be gone already.
pub fn pass_on(process: u32, signal: i32) {
    let number = if signal == Number::HUP.as_raw() { Number::HUP } else { Number::TERM };
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, number);
    }
}

/// Stops only this process, until it is continued. SIGSTOP, since SIGTSTP is caught.
pub fn stop_this_process() {
    // Only init is not allowed to.
    let _ = kill_process(getpid(), Number::STOP);
}

#[derive(Debug)]
pub struct ScreenSignals {
    end: EndSignals,
    stop: Signal,
    resume: Signal,
}

impl ScreenSignals {
    pub fn new() -> io::Result<Self> {
        let listen = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self { end: EndSignals::new()?, stop: listen(Number::TSTP)?, resume: listen(Number::CONT)? })
    }

    pub async fn next(&mut self) -> SignalAction {
        tokio::select! {
            number = self.end.next() => SignalAction::End(number),
            _ = self.stop.recv() => SignalAction::Stop,
            _ = self.resume.recv() => SignalAction::Continue,
        }
    }
}
