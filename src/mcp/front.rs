//! The near end of the desk for many agents at once: errands are numbered, and each answer finds who waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot, watch};

use crate::desk::Agent;
use crate::engine::{Command, Engine, Errand, Event, Outcome, Snapshot, Task};
use crate::render::Renderer;

/// How long the desk may take to store the last changes when a server ends.
const PATIENCE: Duration = Duration::from_secs(5);

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
    waiting: Mutex<HashMap<u64, oneshot::Sender<Outcome>>>,
    /// Ends when the engine has.
    ended: watch::Receiver<bool>,
    /// Whether the server is about to end: nobody is waited for any more.
    leaving: watch::Sender<bool>,
}

impl Front {
    /// Takes over the engine; must be called within a tokio runtime. Where no session is asked for, every client has its own.
    pub fn new(session: Option<String>, renderer: Renderer, engine: Engine) -> Self {
        let Engine { commands, snapshots, mut events } = engine;
        let (over, ended) = watch::channel(false);
        let inner = Arc::new(Inner {
            session,
            renderer,
            commands: Mutex::new(Some(commands)),
            snapshots,
            number: AtomicU64::new(1),
            waiting: Mutex::default(),
            ended,
            leaving: watch::Sender::new(false),
        });
        let weak = Arc::downgrade(&inner);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                let Some(inner) = weak.upgrade() else { continue };
                if let Event::Done { number, outcome } = event {
                    let waiting = inner.waiting().remove(&number);
                    // Who does not wait any more was cancelled.
                    let _ = waiting.map(|waiting| waiting.send(outcome));
                }
            }
            over.send_replace(true);
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
        let (answer, answered) = oneshot::channel();
        self.inner.waiting().insert(number, answer);
        let errand = Box::new(Errand { number, agent: agent.clone(), task });
        if commands.send(Command::Errand(errand)).await.is_err() {
            self.inner.waiting().remove(&number);
            return None;
        }
        answered.await.ok()
    }

    /// The state of the desk with all in it that was done before this call.
    pub async fn settled(&self, agent: &Agent) -> Option<Snapshot> {
        self.ask(agent, Task::Settle).await?;
        Some(self.inner.snapshots.borrow().clone())
    }

    /// The newest states of the desk, as they come.
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.inner.snapshots.clone()
    }

    /// Lets the desk store what it was asked for, and ends it.
    pub async fn close(&self) {
        drop(self.inner.commands.lock().unwrap_or_else(PoisonError::into_inner).take());
        let mut ended = self.inner.ended.clone();
        // A disk may never answer.
        let _ = tokio::time::timeout(PATIENCE, ended.wait_for(|over| *over)).await;
    }
}

impl Inner {
    fn commands(&self) -> Option<mpsc::Sender<Command>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, HashMap<u64, oneshot::Sender<Outcome>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
