//! The signals that end an interface: for the full screen and for the plain one.

use std::io;

/// The signal for a closed terminal, which has this number everywhere.
pub const HANGUP: u8 = 1;

#[cfg(unix)]
pub use unix::EndSignals;

#[cfg(unix)]
mod unix {
    use rustix::process::Signal as Number;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::io;

    /// Each of them.
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

        /// Waits for the next one; its number.
        pub async fn next(&mut self) -> i32 {
            tokio::select! {
                _ = self.terminate.recv() => Number::TERM.as_raw(),
                _ = self.hangup.recv() => Number::HUP.as_raw(),
                _ = self.interrupt.recv() => Number::INT.as_raw(),
                _ = self.quit.recv() => Number::QUIT.as_raw(),
            }
        }
    }
}

/// Ctrl-C, which has the number that it has everywhere else. In raw mode it is a key instead.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct EndSignals;

#[cfg(not(unix))]
impl EndSignals {
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Waits for it; its number.
    pub async fn next(&mut self) -> i32 {
        // If it cannot be caught, it ends the program by itself.
        match tokio::signal::ctrl_c().await {
            Ok(()) => 2,
            Err(_) => std::future::pending().await,
        }
    }
}
