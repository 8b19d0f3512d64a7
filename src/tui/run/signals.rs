//! The signals that end, stop and continue a screen, as one stream. Listening begins before the terminal is taken over, so
//! that none can end the program with the terminal left behind.

use std::io;

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Leave; the signal's number.
    End(i32),
    /// Stop until continued.
    Stop,
    /// It was continued.
    Continue,
}

#[cfg(unix)]
pub use unix::Signals;

#[cfg(unix)]
mod unix {
    use rustix::process::Signal as Number;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::{Told, io};

    /// Every signal that means something to a screen.
    #[derive(Debug)]
    pub struct Signals {
        terminate: Signal,
        hangup: Signal,
        interrupt: Signal,
        quit: Signal,
        stop: Signal,
        resume: Signal,
    }

    impl Signals {
        /// Listens from now on.
        pub fn new() -> io::Result<Self> {
            let listen = |number: Number| signal(SignalKind::from_raw(number.as_raw()));
            Ok(Self {
                terminate: listen(Number::TERM)?,
                hangup: listen(Number::HUP)?,
                interrupt: listen(Number::INT)?,
                quit: listen(Number::QUIT)?,
                stop: listen(Number::TSTP)?,
                resume: listen(Number::CONT)?,
            })
        }

        /// Waits for the next one.
        pub async fn next(&mut self) -> Told {
            tokio::select! {
                _ = self.terminate.recv() => Told::End(Number::TERM.as_raw()),
                _ = self.hangup.recv() => Told::End(Number::HUP.as_raw()),
                _ = self.interrupt.recv() => Told::End(Number::INT.as_raw()),
                _ = self.quit.recv() => Told::End(Number::QUIT.as_raw()),
                _ = self.stop.recv() => Told::Stop,
                _ = self.resume.recv() => Told::Continue,
            }
        }
    }
}

/// Where there are no signals of this kind, Ctrl-C is a key and nothing else ends a screen from outside.
#[cfg(not(unix))]
#[derive(Debug)]
pub struct Signals;

#[cfg(not(unix))]
impl Signals {
    /// Nothing to listen to.
    pub fn new() -> io::Result<Self> {
        Ok(Self)
    }

    /// Never comes.
    pub async fn next(&mut self) -> Told {
        std::future::pending().await
    }
}
