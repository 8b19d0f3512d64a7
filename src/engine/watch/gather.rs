//! Many changes become one [`Command::Reload`]: a save is several changes, a checkout thousands (BEHAVIOUR §9 "Watching").

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::WeakSender;

use crate::engine::message::Command;

/// Quiet for so long, a burst of changes is over.
const QUIET: Duration = Duration::from_millis(50);

/// A burst that does not end is answered all the same.
const LONGEST: Duration = Duration::from_millis(200);

/// Where to say that something changed. The thread behind it ends when all who could say so are gone, or the engine.
///
/// # Errors
/// Where the system gives no thread.
pub fn start(changed: WeakSender<Command>) -> io::Result<mpsc::Sender<()>> {
    let (seen, changes) = mpsc::channel();
    thread::Builder::new().name("gather".to_owned()).spawn(move || gather(&changes, &changed))?;
    Ok(seen)
}

/// Waits for a first change, gathers those that follow, and says so once.
fn gather(changes: &mpsc::Receiver<()>, changed: &WeakSender<Command>) {
    while changes.recv().is_ok() {
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            match changes.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(sender) = changed.upgrade() else { return };
        if sender.blocking_send(Command::Reload).is_err() {
            return;
        }
    }
}
