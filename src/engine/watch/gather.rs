//! Many changes become one [`Command::Reload`], or one [`Command::Reread`] where only picks changed: a save is several changes, a checkout thousands (BEHAVIOUR §9 "Watching").

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

/// What changed, as far as it makes a difference to what has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// Only what is picked and excluded.
    Choice,
    /// Anything else, or something that is not known.
    Anything,
}

/// Where to say that something changed. The thread behind it ends when all who could say so are gone, or the engine.
///
/// # Errors
/// Where the system gives no thread.
pub fn start(changed: WeakSender<Command>) -> io::Result<mpsc::Sender<Seen>> {
    let (seen, changes) = mpsc::channel();
    thread::Builder::new().name("gather".to_owned()).spawn(move || gather(&changes, &changed))?;
    Ok(seen)
}

/// Waits for a first change, gathers those that follow, and says so once.
fn gather(changes: &mpsc::Receiver<Seen>, changed: &WeakSender<Command>) {
    while let Ok(mut seen) = changes.recv() {
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            match changes.recv_timeout(QUIET) {
                Ok(more) => seen = seen.max(more),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(sender) = changed.upgrade() else { return };
        let command = match seen {
            Seen::Choice => Command::Reread,
            Seen::Anything => Command::Reload,
        };
        if sender.blocking_send(command).is_err() {
            return;
        }
    }
}
