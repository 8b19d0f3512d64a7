//! Follows the journal for the agents view, in its own thread: reading a large journal takes a while and must not block
//! the desk. It reads only on request, and then only the lines added since.

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
use crate::channel::presence::ConnectedAgents;
use crate::engine::Response;
use crate::session::{JournalTail, SkippedLines};
use refdesk_text::tokens::counted;

/// A running follower, which stops when dropped.
#[derive(Debug)]
pub(crate) struct ActivityFollower {
    questions: mpsc::Sender<oneshot::Sender<Response>>,
}

impl ActivityFollower {
    /// Starts following, from the first line of the journal; calls `ended` when a connected agent has gone.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(crate) fn start(
        workspace: PathBuf,
        tail: JournalTail,
        clock: fn() -> SystemTime,
        ended: Arc<dyn Fn() + Send + Sync>,
    ) -> io::Result<Self> {
        let (questions, asked) = mpsc::channel();
        let agents = ConnectedAgents::new(ended);
        thread::Builder::new().name("agents".to_owned()).spawn(move || run(&workspace, tail, clock, agents, &asked))?;
        Ok(Self { questions })
    }

    /// Replies with [`Response::Agents`], up to the current end of the journal.
    pub(crate) fn ask(&self, reply: oneshot::Sender<Response>) {
        // Sending fails only if the thread has ended, which drops the reply, too.
        let _ = self.questions.send(reply);
    }
}

/// How many journal lines were skipped, and why.
fn left_out(skipped: SkippedLines, journal: &str) -> Option<String> {
    let SkippedLines { damaged, foreign } = skipped;
    let damaged = (damaged > 0).then(|| format!("unreadable journal lines skipped: {damaged}"));
    let foreign = (foreign > 0).then(|| {
        let (lines, are, them) = match foreign {
            1 => ("1 line".to_owned(), "is", "it"),
            some => (counted(some, "line"), "are", "them"),
        };
        format!("{lines} of {journal} {are} not shown: another user or another machine wrote {them}")
    });
    let parts: Vec<String> = damaged.into_iter().chain(foreign).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn run(
    workspace: &Path,
    mut tail: JournalTail,
    clock: fn() -> SystemTime,
    mut agents: ConnectedAgents,
    asked: &mpsc::Receiver<oneshot::Sender<Response>>,
) {
    let mut activity = Activity::default();
    let mut skipped = SkippedLines::default();
    for reply in asked {
        if reply.is_closed() {
            continue;
        }
        let problem = match tail.read_each(|line| activity.add(&line)) {
            Err(error) => Some(format!("the journal cannot be read: {error}")),
            Ok(more) => {
                skipped.damaged += more.damaged;
                skipped.foreign += more.foreign;
                left_out(skipped, &tail.shown())
            }
        };
        let now = Timestamp::try_from(clock()).unwrap_or_default();
        let connected = agents.sessions(workspace);
        let read = AgentActivity { sessions: activity.shown(), problem, connected, now, zone: TimeZone::system() };
        // The client may have stopped waiting.
        let _ = reply.send(Response::Agents(Arc::new(read)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{DEFAULT, JournalEvent, Receipt, Session, Store};
    use refdesk_files::Sealer;

    #[test]
    fn lines_of_another_user_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let clock = || SystemTime::UNIX_EPOCH;
        let store = |key: &Path| Store::new(folder.path(), DEFAULT, clock).sealed_by(Sealer::fixed(key));
        let (own, other) = (store(folder.path()), store(elsewhere.path()));
        let workspace = folder.path().to_path_buf();
        let follower = ActivityFollower::start(workspace, own.whole_tail(), clock, Arc::new(|| {})).unwrap();
        let read = || {
            let (reply, answer) = oneshot::channel();
            follower.ask(reply);
            let Ok(Response::Agents(activity)) = answer.blocking_recv() else { panic!("no answer") };
            (activity.sessions.len(), activity.problem.clone())
        };
        let session = Session { id: "s".to_owned(), who: "claude-code over mcp".to_owned() };
        let write = |store: &Store, count: usize| {
            let receipts = vec![Receipt::new(JournalEvent::Instructed); count];
            store.append_all(&session, receipts).unwrap();
        };
        let journal = ".jaato/refdesk/journal.jsonl";
        assert_eq!(read(), (0, None));
        for (more, said) in [
            (1, "1 line of {journal} is not shown: another user or another machine wrote it"),
            (2, "3 lines of {journal} are not shown: another user or another machine wrote them"),
        ] {
            write(&other, more);
            assert_eq!(read(), (0, Some(said.replace("{journal}", journal))));
        }
    }
}
