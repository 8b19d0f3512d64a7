//! The near end of the desk for many agents at once: errands are numbered, and each answer finds who waits for it.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use refdesk_core::selection::Access;
use refdesk_desk::Agent;
use refdesk_desk::engine::{Command, Engine, Errand, Event, Outcome, Snapshot, Task};
use refdesk_templates::render::Renderer;
use refdesk_text::report::Diagnostic;

/// How long the desk may take to store the last changes when a server ends.
const PATIENCE: Duration = Duration::from_secs(5);

/// Questions that a server has with persons at once: a thread waits for each.
pub const QUESTIONS: usize = 16;

/// What became of the desk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It is there.
    NotYet,
    /// It was closed, or does not answer to that in time.
    Closed,
    /// It ended though nobody had closed it.
    Died,
}

/// The desk ended though nobody had closed it.
pub fn died() -> io::Error {
    io::Error::other("the desk ended by itself; the log may say why")
}

/// Those who wait for an answer of the desk, by the number of the errand; `None` when no answer will come any more.
type Waiting = Option<HashMap<u64, oneshot::Sender<Outcome>>>;

/// Cheap to clone.
#[derive(Debug, Clone)]
pub struct Front {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The session of everybody, where one was asked for.
    session: Option<String>,
    renderer: Renderer,
    /// Taken away when the server ends.
    commands: Mutex<Option<mpsc::Sender<Command>>>,
    snapshots: watch::Receiver<Snapshot>,
    number: AtomicU64,
    waiting: Mutex<Waiting>,
    ended: watch::Receiver<Ending>,
    /// The sessions for which a person is asked just now.
    asking: Mutex<HashSet<String>>,
    /// Whether the server is about to end: nobody is waited for any more.
    leaving: watch::Sender<bool>,
}

impl Front {
    /// Takes over the engine; must be called within a tokio runtime. Where no session is asked for, every client has its own.
    pub fn new(session: Option<String>, renderer: Renderer, engine: Engine) -> Self {
        let Engine { commands, snapshots, mut events } = engine;
        let (over, ended) = watch::channel(Ending::NotYet);
        let inner = Arc::new(Inner {
            session,
            renderer,
            commands: Mutex::new(Some(commands)),
            snapshots,
            number: AtomicU64::new(1),
            waiting: Mutex::new(Some(HashMap::new())),
            ended,
            asking: Mutex::default(),
            leaving: watch::Sender::new(false),
        });
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                let Some(inner) = weak.upgrade() else { continue };
                if let Event::Done { number, outcome } = event {
                    let waiting = inner.waiting().as_mut().and_then(|waiting| waiting.remove(&number));
                    // Who does not wait any more was cancelled.
                    let _ = waiting.map(|waiting| waiting.send(outcome));
                }
            }
            let Some(inner) = weak.upgrade() else { return };
            // Nobody is left who could answer: whoever waits is told so, and nobody begins to.
            drop(inner.waiting().take());
            if inner.commands().is_some() {
                tracing::error!("the desk ended by itself");
                over.send_replace(Ending::Died);
                inner.leaving.send_replace(true);
            } else {
                over.send_replace(Ending::Closed);
            }
        });
        Self { inner }
    }

    /// The session of everybody, where one was asked for.
    pub fn session(&self) -> Option<&str> {
        self.inner.session.as_deref()
    }

    /// Renders templates; whoever uses it must be allowed to wait.
    pub fn renderer(&self) -> Renderer {
        self.inner.renderer.clone()
    }

    /// The state of the desk as soon as configuration and catalog are read; `None` where the desk is closed.
    pub async fn opened(&self) -> Option<Snapshot> {
        let mut snapshots = self.inner.snapshots.clone();
        let snapshot = snapshots.wait_for(|snapshot| snapshot.generation > 0).await.ok()?;
        Some(snapshot.clone())
    }

    /// Has what is wrong with the workspace told once it was read; the server goes on meanwhile.
    pub fn tell_opening(&self, tell: fn(&[Diagnostic])) {
        let front = self.clone();
        tokio::spawn(async move {
            if let Some(snapshot) = front.opened().await {
                tell(&snapshot.diagnostics);
            }
        });
    }

    /// The server is about to end: whoever waits for a person gives up.
    pub fn leave(&self) {
        self.inner.leaving.send_replace(true);
    }

    /// Waits until the server is about to end.
    pub async fn left(&self) {
        // The sender lives as long as this does.
        let _ = self.inner.leaving.subscribe().wait_for(|leaving| *leaving).await;
    }

    /// Has something done; `None` where the desk is closed.
    pub async fn ask(&self, agent: &Agent, task: Task) -> Option<Outcome> {
        let number = self.inner.number.fetch_add(1, Ordering::Relaxed);
        let commands = self.inner.commands()?;
        let room = commands.reserve().await.ok()?;
        let (answer, answered) = oneshot::channel();
        self.inner.waiting().as_mut()?.insert(number, answer);
        let _entry = Entry { inner: &self.inner, number };
        room.send(Command::Errand(Box::new(Errand { number, agent: agent.clone(), task })));
        // Who only waits keeps the desk from ending no longer.
        drop(commands);
        answered.await.ok()
    }

    /// A place for one question to a person, free again when this is dropped; `None` where this session has one already, or
    /// too many others have.
    pub fn place(&self, session: &str) -> Option<Place> {
        let mut asking = self.inner.asking();
        let is_free = asking.len() < QUESTIONS && asking.insert(session.to_owned());
        is_free.then(|| Place { inner: Arc::clone(&self.inner), session: session.to_owned() })
    }

    /// The state of the desk with all in it that was done before this call, but for templates.
    pub async fn settled(&self, agent: &Agent) -> Option<Snapshot> {
        self.after(agent, Task::Settle).await
    }

    /// The same with its templates.
    pub async fn indexed(&self, agent: &Agent) -> Option<Snapshot> {
        self.after(agent, Task::Index).await
    }

    /// The same as [`Front::settled`], and what this agent may read.
    pub async fn readable(&self, agent: &Agent) -> Option<(Snapshot, Access)> {
        match self.ask(agent, Task::Access).await? {
            Outcome::Access(access) => Some((self.inner.snapshots.borrow().clone(), *access)),
            _ => None,
        }
    }

    async fn after(&self, agent: &Agent, task: Task) -> Option<Snapshot> {
        self.ask(agent, task).await?;
        Some(self.inner.snapshots.borrow().clone())
    }

    /// The newest states of the desk, as they come.
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.inner.snapshots.clone()
    }

    /// Lets the desk store what it was asked for, and ends it; tells whether it had ended before.
    pub async fn close(&self) -> Ending {
        drop(self.inner.commands.lock().unwrap_or_else(PoisonError::into_inner).take());
        let mut ended = self.inner.ended.clone();
        // A disk may never answer.
        match tokio::time::timeout(PATIENCE, ended.wait_for(|ending| *ending != Ending::NotYet)).await {
            Ok(Ok(ending)) => *ending,
            Ok(Err(_)) | Err(_) => Ending::Closed,
        }
    }
}

impl Inner {
    fn commands(&self) -> Option<mpsc::Sender<Command>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn asking(&self) -> MutexGuard<'_, HashSet<String>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody waits for an answer as long as this lives.
struct Entry<'f> {
    inner: &'f Inner,
    number: u64,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        if let Some(waiting) = self.inner.waiting().as_mut() {
            waiting.remove(&self.number);
        }
    }
}

/// A question to a person is under way as long as this lives.
#[derive(Debug)]
pub struct Place {
    inner: Arc<Inner>,
    session: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inner.asking().remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A front, and the far end of its desk.
    fn front() -> (Front, mpsc::Receiver<Command>, mpsc::Sender<refdesk_desk::engine::Event>) {
        let (commands, far) = mpsc::channel(1);
        let (_, snapshots) = watch::channel(Snapshot::default());
        let (tell, events) = mpsc::channel(1);
        (Front::new(None, Renderer::within(), Engine { commands, snapshots, events }), far, tell)
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::time::timeout(Duration::from_secs(60), test).await.unwrap() });
    }

    #[test]
    fn when_the_desk_dies_nobody_waits_for_it_any_more() {
        run(async {
            let (front, far, tell) = front();
            let agent = Agent { who: "a".to_owned(), session: "a".to_owned() };
            let dies = async {
                let mut far = far;
                assert!(far.recv().await.is_some());
                drop(tell);
                far
            };
            let (answer, _far) = tokio::join!(front.ask(&agent, Task::Settle), dies);
            assert!(answer.is_none());
            front.left().await;
            // Its queue may still be there.
            assert!(front.ask(&agent, Task::Settle).await.is_none());
            assert_eq!(front.close().await, Ending::Died);
        });
    }

    #[test]
    fn a_desk_that_is_closed_did_not_die() {
        run(async {
            let (front, mut far, tell) = front();
            let ends = async {
                assert!(far.recv().await.is_none());
                drop(tell);
            };
            assert_eq!(tokio::join!(front.close(), ends).0, Ending::Closed);
        });
    }

    #[test]
    fn who_stops_waiting_leaves_nothing_behind() {
        run(async {
            let (front, mut far, _tell) = front();
            let agent = Agent { who: "a".to_owned(), session: "a".to_owned() };
            let count = || front.inner.waiting().as_ref().map(HashMap::len);
            // The queue has room for one: the second waits to send, the first for its answer.
            let mut first = Box::pin(front.ask(&agent, Task::Settle));
            assert!(futures_util::poll!(&mut first).is_pending());
            let mut second = Box::pin(front.ask(&agent, Task::Settle));
            assert!(futures_util::poll!(&mut second).is_pending());
            assert_eq!(count(), Some(1));
            drop(second);
            assert_eq!(count(), Some(1));
            drop(first);
            assert_eq!(count(), Some(0));
            assert!(far.recv().await.is_some());
            assert!(far.try_recv().is_err());
        });
    }

    #[test]
    fn a_session_asks_one_question_and_a_server_so_many() {
        run(async {
            let (front, _far, _tell) = front();
            let mut places: Vec<Place> = (0..QUESTIONS).map(|at| front.place(&at.to_string()).unwrap()).collect();
            assert!(front.place("another").is_none());
            places.pop();
            assert!(front.place("0").is_none());
            assert!(front.place("another").is_some());
        });
    }
}
