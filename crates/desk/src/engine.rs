//! The desk as a background task. A client calls [`Engine::ask`], which sends a [`Request`] and waits for its
//! [`Response`]; [`Snapshot`]s and [`Event`]s arrive unsolicited. The engine owns the desk and uses no terminal. The
//! desk reads files and computes, which would block an async scheduler, so it runs on its own thread behind tokio's
//! channels.

mod database_run;
mod event;
mod journal_follower;
mod notice;
mod previews;
mod request;
mod requests;
mod snapshot;
mod watch;
mod worker;

pub use database_run::{DatabaseRunProgress, PreparedRun};
pub use event::{Age, Event, Receipts};
pub(crate) use notice::clock;
pub use notice::{Actor, DatedLine, INCLUDED, JournalLineRef, Notice, Topic, sentence, separate_reason};
pub use request::{Audience, CatalogWritten, LocateTarget, PickReach, Request, Response};
pub use requests::{ClosedRequest, OtherAnswer, Reply, RequestEnd, WaitingRequest};
pub use snapshot::{Loading, Snapshot, Watching};
pub use watch::watched_folders;
pub use worker::ClientKind;

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch as newest};
use tokio::time::timeout;

use self::request::{Call, Message};
use self::worker::WorkerChannels;
use crate::{Options, Session};

/// The capacity of the message queue.
const MESSAGES: usize = 64;

/// The capacity of the event queue. If a client does not receive events, the engine blocks rather than filling memory.
const EVENTS: usize = 256;

/// A running engine, and the receiver of its events.
pub type Started = (Engine, mpsc::Receiver<Event>);

/// A handle to a running engine, cheap to clone. The engine ends when it is closed or the last handle is dropped.
#[derive(Debug, Clone)]
pub struct Engine {
    /// `None` once the engine is closed.
    queue: Arc<Mutex<Option<mpsc::Sender<Message>>>>,
    snapshots: newest::Receiver<Snapshot>,
    session: Session,
}

/// How an engine ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All requested changes are stored.
    Closed,
    /// The disk did not respond in time.
    TimedOut,
    /// The engine had already ended.
    AlreadyEnded,
}

impl Engine {
    /// Sends a request for this session, immediately if the queue has room, and waits for the answer; `None` if the
    /// engine has ended. Dropping the future withdraws the request, unless it is a change that was already sent.
    pub fn ask(&self, session: &Session, request: Request) -> impl Future<Output = Option<Response>> + Send + use<> {
        let (reply, answer) = oneshot::channel();
        let message = Message::Call(Call { session: session.clone(), request, reply });
        // Dropping the message tells the receiver that no answer will arrive.
        let unsent = self.queue().and_then(|queue| match queue.try_send(message) {
            Err(TrySendError::Full(message)) => Some((queue, message)),
            Ok(()) | Err(TrySendError::Closed(_)) => None,
        });
        async move {
            if let Some((queue, message)) = unsent {
                queue.send(message).await.ok()?;
            }
            answer.await.ok()
        }
    }

    /// Whether a request would have to wait for room in the queue.
    pub fn is_full(&self) -> bool {
        self.queue().is_some_and(|queue| queue.capacity() == 0)
    }

    /// The session that the engine was started for.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The desk's snapshots: the latest, and each new one.
    pub fn snapshots(&self) -> newest::Receiver<Snapshot> {
        self.snapshots.clone()
    }

    /// Waits until the engine has ended.
    pub async fn ended(&self) {
        // The sender is dropped when its thread ends.
        let _ = self.snapshots().wait_for(|_| false).await;
    }

    /// Applies every requested change, leaves questions unanswered, and ends the engine. Drop the event receiver first,
    /// or keep receiving: the engine waits for room in the queue.
    pub async fn close(&self, time: Duration) -> Ending {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).take();
        if queue.is_some_and(|queue| queue.is_closed()) {
            return Ending::AlreadyEnded;
        }
        timeout(time, self.ended()).await.map_or(Ending::TimedOut, |()| Ending::Closed)
    }

    fn queue(&self) -> Option<mpsc::Sender<Message>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Opens a desk in the background. The first snapshot arrives once configuration and catalog are read; then documents
/// are read, those of the selection first. A client that needs no events can drop their receiver.
///
/// # Errors
/// The system cannot start a thread.
pub fn start(options: Options, session: Session) -> io::Result<Started> {
    start_for(ClientKind::Program, options, session)
}

/// Like [`start`], for this kind of client.
///
/// # Errors
/// The system cannot start a thread.
pub fn start_for(client: ClientKind, options: Options, session: Session) -> io::Result<Started> {
    let (queue, inbox) = mpsc::channel(MESSAGES);
    let (snapshots_out, snapshots) = newest::channel(Snapshot::default());
    let (events_out, events) = mpsc::channel(EVENTS);
    let options = Options { is_long_running: true, ..options };
    let weak = queue.downgrade();
    let of_engine = session.clone();
    let previews = previews::start(options.renderer.clone(), options.context.clone())?;
    thread::Builder::new().name("desk".to_owned()).spawn(move || {
        let (snapshots, events) = (&snapshots_out, &events_out);
        worker::run(options, WorkerChannels { inbox, snapshots, events, queue: weak, previews }, session, client);
    })?;
    Ok((Engine { queue: Arc::new(Mutex::new(Some(queue))), snapshots, session: of_engine }, events))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A handle without an engine: the test has the other end of the queue and the sender of snapshots.
    fn engine() -> (Engine, mpsc::Receiver<Message>, newest::Sender<Snapshot>) {
        let (queue, inbox) = mpsc::channel(1);
        let (snapshots_out, snapshots) = newest::channel(Snapshot::default());
        let session = Session { id: "s".to_owned(), who: "a".to_owned() };
        (Engine { queue: Arc::new(Mutex::new(Some(queue))), snapshots, session }, inbox, snapshots_out)
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { timeout(Duration::from_secs(60), test).await.unwrap() });
    }

    #[test]
    fn requests_to_an_ended_engine_are_answered_at_once() {
        run(async {
            let (engine, mut inbox, snapshots) = engine();
            let dies = async {
                drop(inbox.recv().await);
                drop((inbox, snapshots));
            };
            let asked = engine.ask(engine.session(), Request::Settle);
            assert!(tokio::join!(asked, dies).0.is_none());
            engine.ended().await;
            assert!(engine.ask(engine.session(), Request::Settle).await.is_none());
            assert_eq!(engine.close(Duration::from_secs(60)).await, Ending::AlreadyEnded);
        });
    }

    #[test]
    fn closing_waits_for_the_end() {
        run(async {
            let (engine, mut inbox, snapshots) = engine();
            let ends = async {
                assert!(inbox.recv().await.is_none());
                drop(snapshots);
            };
            assert_eq!(tokio::join!(engine.close(Duration::from_secs(60)), ends).0, Ending::Closed);
            assert!(engine.ask(engine.session(), Request::Settle).await.is_none());
        });
        run(async {
            let (engine, _inbox, _snapshots) = engine();
            assert_eq!(engine.close(Duration::ZERO).await, Ending::TimedOut);
        });
    }

    #[test]
    fn orders_to_a_run_arrive_in_turn_when_the_queue_has_room() {
        run(async {
            let (engine, mut inbox, _snapshots) = engine();
            let question = engine.ask(engine.session(), Request::Settle);
            let orders = [Request::WriteDatabases(1), Request::PauseDatabases];
            assert!(engine.is_full() && orders.iter().all(Request::may_wait) && !Request::Clear.may_wait());
            let [write, pause] = orders.map(|order| engine.ask(engine.session(), order));
            let takes = async {
                for expected in [Request::Settle, Request::WriteDatabases(1), Request::PauseDatabases] {
                    let Some(Message::Call(call)) = inbox.recv().await else { panic!("the queue is open") };
                    assert_eq!(call.request, expected);
                    drop(call.reply.send(Response::Done(Vec::new())));
                }
            };
            let (question, write, pause, ()) = tokio::join!(question, write, pause, takes);
            assert!([question, write, pause].iter().all(Option::is_some));
        });
    }

    #[test]
    fn a_request_is_withdrawn_when_its_client_stops_waiting() {
        run(async {
            let (engine, mut inbox, _snapshots) = engine();
            // The queue has room for one message, so the second one waits to be sent.
            let [question, unsent] = [0; 2].map(|_| engine.ask(engine.session(), Request::Settle));
            assert!(engine.is_full());
            drop(unsent);
            drop(question);
            assert!(inbox.recv().await.unwrap().is_abandoned());
            assert!(inbox.try_recv().is_err());
            drop(engine.ask(engine.session(), Request::Clear));
            assert!(!inbox.recv().await.unwrap().is_abandoned(), "a change is carried out anyway");
        });
    }
}
