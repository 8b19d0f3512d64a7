//! Follows the journal for the view of agents. It has its own thread: reading all of a large journal takes a while,
//! which must not block the desk. It reads only on request, and then only what was added since.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::oneshot;

use super::{Activity, AgentActivity};
use crate::channel::presence;
use crate::engine::Response;
use crate::session::JournalTail;

/// A running follower, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct ActivityFollower {
    questions: mpsc::Sender<oneshot::Sender<Response>>,
}

impl ActivityFollower {
    /// Starts following from the first line of the journal.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(crate) fn start(workspace: PathBuf, tail: JournalTail, clock: fn() -> SystemTime) -> io::Result<Self> {
        let (questions, asked) = mpsc::channel();
        thread::Builder::new().name("agents".to_owned()).spawn(move || run(&workspace, tail, clock, &asked))?;
        Ok(Self { questions })
    }

    /// Answers with [`Response::Agents`], up to the current end of the journal.
    pub(crate) fn ask(&self, reply: oneshot::Sender<Response>) {
        // The thread ends when this sender is dropped.
        let _ = self.questions.send(reply);
    }
}

fn run(
    workspace: &Path,
    mut tail: JournalTail,
    clock: fn() -> SystemTime,
    asked: &mpsc::Receiver<oneshot::Sender<Response>>,
) {
    let mut activity = Activity::default();
    let mut damaged = 0;
    for reply in asked {
        if reply.is_closed() {
            continue;
        }
        let problem = match tail.read_each(|line| activity.add(&line)) {
            Err(error) => Some(format!("the journal cannot be read: {error}")),
            Ok(more) => {
                damaged += more;
                (damaged > 0).then(|| format!("unreadable lines of the journal, left out: {damaged}"))
            }
        };
        let now = Timestamp::try_from(clock()).unwrap_or_default();
        let connected = presence::connected_sessions(workspace);
        let read = AgentActivity { sessions: activity.shown(), problem, connected, now, zone: TimeZone::system() };
        // The client may have stopped waiting.
        let _ = reply.send(Response::Agents(Arc::new(read)));
    }
}
