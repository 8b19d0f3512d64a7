//! What ends a command that runs until it is told to end.

use std::io;

/// The signals that ask a program to end.
pub struct Signals {
    #[cfg(unix)]
    each: [tokio::signal::unix::Signal; 3],
}

impl Signals {
    /// Listens from now on.
    pub fn new() -> io::Result<Self> {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let each = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
            let [interrupt, terminate, hangup] = each.map(signal);
            Ok(Self { each: [interrupt?, terminate?, hangup?] })
        }
        #[cfg(not(unix))]
        Ok(Self {})
    }

    /// Waits for the first of them.
    pub async fn any(&mut self) {
        #[cfg(unix)]
        {
            let [interrupt, terminate, hangup] = &mut self.each;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        }
        #[cfg(not(unix))]
        let _ = tokio::signal::ctrl_c().await;
    }
}
