//! The signals that end, stop and continue the screen, as one stream. It is installed before the terminal
//! enters raw mode, so that no signal leaves it there.

use std::io;

use rustix::process::{Pid, Signal as Number, getpid, kill_process};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::end_signals::EndSignals;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalAction {
    /// Exit because of this signal.
    End(i32),
    /// Stop until continued.
    Stop,
    Continue,
}

/// Whether this signal is sent to the whole session, unlike signals from keys, which go to the foreground
/// process group.
pub fn is_for_all(signal: i32) -> bool {
    [Number::TERM, Number::HUP].iter().any(|number| number.as_raw() == signal)
}

/// Forwards the signal that ended this program to another process, which may have exited already.
pub fn forward(process: u32, signal: i32) {
    let number = if signal == Number::HUP.as_raw() { Number::HUP } else { Number::TERM };
    if let Some(process) = i32::try_from(process).ok().and_then(Pid::from_raw) {
        let _ = kill_process(process, number);
    }
}

/// Stops only this process until it is continued. Uses SIGSTOP because SIGTSTP is caught.
pub fn stop_this_process() {
    // This fails only for init.
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
