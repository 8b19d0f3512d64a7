//! The desk as a background task: commands come in by a bounded queue, snapshots and events go out (HOUSE).
//!
//! The engine owns the desk and knows no terminal. Whoever holds an [`Engine`] sends [`Command`]s, watches the newest
//! [`Snapshot`] and receives [`Event`]s. Dropping it ends the task,
//! closing it waits until the changes asked for are stored. The desk's work is reading files and computing, which
//! would only block an async scheduler, so it has a thread of its own behind tokio's channels.

mod errand;
mod message;
mod notice;
mod overhear;
mod previews;
mod profiles;
mod requests;
mod watch;
mod worker;

pub use errand::{Errand, Outcome, Selected, Task};
pub use message::{Age, Command, Event, Hearer, Loading, Receipts, Snapshot, Wanted, Watching};
pub use notice::{Holds, Notice, Ticket, Topic, Who, sentence, unsaid_reason};
pub use profiles::{OfProfiles, Profiles};
pub use requests::{Ended, Over, Reply, Waiting};

use previews::Previews;
use worker::Seat;

use std::io;
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, watch as newest};
use tokio::time::timeout;

use crate::Options;

/// Commands that may wait.
const COMMANDS: usize = 64;

/// Events that may wait; a screen that takes none holds the engine up, not the memory.
const EVENTS: usize = 256;

/// The near end of a running engine.
#[derive(Debug)]
pub struct Engine {
    /// Bounded; a full queue is said to the user, not waited for.
    pub commands: mpsc::Sender<Command>,
    /// The newest state of the desk.
    pub snapshots: newest::Receiver<Snapshot>,
    /// Answers, notices and refusals, in order.
    pub events: mpsc::Receiver<Event>,
}

impl Engine {
    /// Lets the desk carry out every change that it was asked for, leaves questions unanswered, and ends it. Tells
    /// whether it did so within this time: a disk may never answer.
    pub async fn close(self, patience: Duration) -> bool {
        let Self { commands, snapshots, mut events } = self;
        drop((commands, snapshots));
        // Taken until none can come any more, which is when the thread has ended: it must not wait for room in the queue.
        timeout(patience, async { while events.recv().await.is_some() {} }).await.is_ok()
    }
}

/// Opens a desk in the background. The first snapshot comes when configuration and catalog are read; documents are read
/// behind it, those of the selection first.
///
/// # Errors
/// Where the system gives no thread.
pub fn start(options: Options) -> io::Result<Engine> {
    start_for(options, Seat::Program)
}

/// The same for a screen: whoever asks a person of this workspace for something is told that one is there, for as long as
/// the engine runs, and shows in its snapshots.
///
/// # Errors
/// Where the system gives no thread.
pub fn start_attended(options: Options) -> io::Result<Engine> {
    start_for(options, Seat::Person)
}

fn start_for(options: Options, seat: Seat) -> io::Result<Engine> {
    let (commands, inbox) = mpsc::channel(COMMANDS);
    let (snapshots_out, snapshots) = newest::channel(Snapshot::default());
    let (events_out, events) = mpsc::channel(EVENTS);
    let options = Options { lives_on: true, ..options };
    let changed = commands.downgrade();
    let workspace = options.around.workspace.clone();
    let previews = Previews::start(options.renderer.clone(), workspace, events_out.downgrade())?;
    thread::Builder::new()
        .name("desk".to_owned())
        .spawn(move || worker::run(options, inbox, &snapshots_out, &events_out, changed, previews, seat))?;
    Ok(Engine { commands, snapshots, events })
}
