//! The desk as a background task: commands come in by a bounded queue, snapshots and events go out (HOUSE).
//!
//! The engine owns the desk and knows no terminal. Whoever holds an [`Engine`] sends [`Command`]s, watches the newest
//! [`Snapshot`] and receives [`Event`]s. Dropping it ends the task.

mod message;

pub use message::{Command, Event, Loading, Snapshot};

use tokio::sync::{mpsc, watch};

/// The near end of a running engine.
#[derive(Debug)]
pub struct Engine {
    /// Bounded; a full queue is said to the user, not waited for.
    pub commands: mpsc::Sender<Command>,
    /// The newest state of the desk.
    pub snapshots: watch::Receiver<Snapshot>,
    /// Answers, notices and refusals, in order.
    pub events: mpsc::Receiver<Event>,
}
