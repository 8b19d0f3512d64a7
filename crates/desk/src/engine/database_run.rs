//! Documents databases on a separate thread with its own desk: reading a server may take half a minute and writing a
//! thousand pages takes a while, which must not block the engine. It prepares, waits for the user's approval, and
//! writes. The engine notices the written files like those of any other process.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use refdesk_text::{Code, Error};
use tokio::sync::mpsc::{Sender, WeakSender};
use tokio::sync::oneshot;

use super::event::Event;
use super::request::{Message, OutsideChange, Response};
use crate::{Desk, DocumentOptions, DocumentProgress, DocumentationPreview, Options, Session};

/// The shortest time between two progress reports.
const PROGRESS: Duration = Duration::from_millis(100);

/// How many pages are done, and how long the rest will take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseRunProgress {
    /// The number of pages written, failed and in total.
    pub pages: DocumentProgress,
    /// The estimated time left; `None` while unknown.
    pub left: Option<Duration>,
}

impl DatabaseRunProgress {
    fn new(pages: DocumentProgress, elapsed: Duration) -> Self {
        let rest = pages.of.saturating_sub(pages.done);
        let of_rest = |done: usize| elapsed.mul_f64(rest as f64 / done as f64);
        Self { pages, left: (pages.done > 0).then(|| of_rest(pages.done)) }
    }
}

/// A run that waits for the user's approval.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedRun {
    /// Identifies it in [`Request::WriteDatabases`](super::Request::WriteDatabases).
    pub number: u64,
    /// What it would do.
    pub preview: DocumentationPreview,
}

/// A run. Dropping it ends it: immediately before anything is written, otherwise after the current table.
#[derive(Debug)]
pub(crate) struct DatabaseRun {
    number: u64,
    /// Asks the thread to write, and to reply with the outcome.
    write: Option<mpsc::Sender<oneshot::Sender<Response>>>,
    flags: Arc<RunFlags>,
    /// Stops reading, and writing further tables.
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The state of a run, shared by its thread and the engine's.
#[derive(Debug, Default)]
struct RunFlags {
    /// The run holds the lock, and from now on ends soon after it is asked to.
    is_prepared: AtomicBool,
    is_writing: AtomicBool,
}

/// What a run needs from the engine.
pub(crate) struct RunClient {
    pub options: Options,
    pub session: Session,
    pub events: Sender<Event>,
    pub changed: WeakSender<Message>,
}

impl DatabaseRun {
    /// Prepares a run once the previous one has ended, and replies with a preview. Writes nothing before approval.
    /// Returns `None` if the system cannot start a thread, which the reply then reports.
    pub(crate) fn start(
        number: u64,
        client: RunClient,
        what: DocumentOptions,
        before: Option<Self>,
        reply: oneshot::Sender<Response>,
    ) -> Option<Self> {
        let (write, order) = mpsc::channel();
        let flags = Arc::new(RunFlags::default());
        let is_stopped = Arc::<AtomicBool>::default();
        let of_thread = flags.clone();
        let client = RunClient { options: Options { is_stopped: is_stopped.clone(), ..client.options }, ..client };
        // Handed over once the thread runs: values moved into a thread that fails to start would be lost.
        let (hand_over, handed_over) = mpsc::channel::<(Option<Self>, RunClient, oneshot::Sender<Response>)>();
        let run = move || {
            let Ok((before, client, reply)) = handed_over.recv() else { return };
            if let Some(before) = before {
                before.wait();
            }
            run(number, client, &what, reply, &order, &of_thread);
        };
        match thread::Builder::new().name("databases".to_owned()).spawn(run) {
            Ok(thread) => {
                // The thread waits for this.
                let _ = hand_over.send((before, client, reply));
                Some(Self { number, write: Some(write), flags, is_stopped, thread: Some(thread) })
            }
            Err(error) => {
                let message = format!("no thread can be started: {error}");
                let refused = Error::new(Code::Busy, message, "close other programs, or try again later");
                let _ = reply.send(Response::DatabasesPrepared(Err(refused)));
                None
            }
        }
    }

    /// Writes what was prepared if this is the run with that number, and replies when it has ended.
    ///
    /// # Errors
    /// This is another run, or it has ended; returns `reply`.
    pub(crate) fn write(&self, number: u64, reply: oneshot::Sender<Response>) -> Result<(), oneshot::Sender<Response>> {
        match &self.write {
            Some(write) if number == self.number => {
                // From now on the run can only be paused, not discarded.
                self.flags.is_writing.store(true, Ordering::Relaxed);
                write.send(reply).map_err(|unsent| unsent.0)
            }
            _ => Err(reply),
        }
    }

    /// Ends the run, and cancels its queries on the server.
    pub(crate) fn forget(&mut self) {
        self.pause();
        self.write = None;
    }

    /// Ends the run, and waits for its thread.
    fn wait(mut self) {
        self.forget();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Whether the databases have been read.
    pub(super) fn is_prepared(&self) -> bool {
        self.flags.is_prepared.load(Ordering::Acquire)
    }

    /// Ends the run after the current table.
    pub(crate) fn pause(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_writing(&self) -> bool {
        let is_going = self.thread.as_ref().is_some_and(|thread| !thread.is_finished());
        is_going && self.flags.is_writing.load(Ordering::Relaxed)
    }
}

impl Drop for DatabaseRun {
    fn drop(&mut self) {
        self.forget();
        // Do not wait for a server that does not respond even to cancellation.
        if let Some(thread) = self.thread.take().filter(|_| self.flags.is_prepared.load(Ordering::Acquire)) {
            let _ = thread.join();
        }
    }
}

fn run(
    number: u64,
    client: RunClient,
    what: &DocumentOptions,
    reply: oneshot::Sender<Response>,
    order: &mpsc::Receiver<oneshot::Sender<Response>>,
    flags: &RunFlags,
) {
    let RunClient { options, session, events, changed } = client;
    let is_stopped = options.is_stopped.clone();
    let mut desk = Desk::open(Options { is_long_running: false, ..options });
    let prepared = match desk.prepare_documentation(what) {
        Ok(prepared) => prepared,
        Err(error) => {
            // The client may have stopped waiting, here and below.
            let _ = reply.send(Response::DatabasesPrepared(Err(error)));
            return;
        }
    };
    let preview = desk.preview_documentation(&prepared);
    flags.is_prepared.store(true, Ordering::Release);
    if reply.send(Response::DatabasesPrepared(Ok(Box::new(PreparedRun { number, preview })))).is_err() {
        return;
    }
    let Ok(reply) = order.recv() else { return };
    let (began, mut reported) = (Instant::now(), None::<Instant>);
    let written = desk.write_documentation(&session, &prepared, &mut |pages| {
        if reported.is_none_or(|reported| reported.elapsed() >= PROGRESS) {
            reported = Some(Instant::now());
            let _ = events.blocking_send(Event::DatabaseRun(DatabaseRunProgress::new(pages, began.elapsed())));
        }
        !is_stopped.load(Ordering::Relaxed)
    });
    // Releases the lock, so that the next run can start.
    drop(prepared);
    flags.is_writing.store(false, Ordering::Relaxed);
    let _ = reply.send(Response::DatabasesWritten(written.map(Box::new)));
    // If the queue is full, the written files are noticed later.
    if let Some(queue) = changed.upgrade() {
        let _ = queue.try_send(Message::Changed(OutsideChange::Workspace));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_from_the_pace() {
        let at = |done, of, seconds| {
            let pages = DocumentProgress { done, failed: 0, of };
            DatabaseRunProgress::new(pages, Duration::from_secs(seconds)).left.map(|left| left.as_secs())
        };
        for (found, expected) in
            [(at(0, 10, 5), None), (at(5, 10, 5), Some(5)), (at(1, 10, 2), Some(18)), (at(10, 10, 5), Some(0))]
        {
            assert_eq!(found, expected);
        }
    }
}
