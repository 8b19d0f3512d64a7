//! A handle to the desk, shared by all clients of a server: the engine, and the open questions to people.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, sleep};

use refdesk_core::config::{WorkspaceContext, expand_home};
use refdesk_core::selection::Access;
use refdesk_desk::Session;
use refdesk_desk::channel::presence::{self, Presence, PresenceKind};
use refdesk_desk::engine::{Ending, Engine, Request, Response, Snapshot};
use refdesk_desk::session::Receipt;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{PriorContent, Proposal};
use refdesk_templates::render::Renderer;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Timeout for storing the last changes when a server ends.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an answer waits for the first sections of an index that is being built (most agents cannot wait themselves,
/// and their clients allow a call more time than this), and how often it checks.
const INDEX_WAIT: Duration = Duration::from_secs(8);
const INDEX_POLL: Duration = Duration::from_millis(200);

/// The most files of which a server remembers that a session wrote them; beyond that it forgets them all, and the session
/// may compare a text only with files that it may read.
const WRITES: usize = 10_000;

/// The most open questions to people per server; each has a waiting thread.
pub(crate) const QUESTIONS: usize = 16;

/// A client's access to the desk; cheap to clone.
#[derive(Debug, Clone)]
pub struct DeskHandle {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// The session shared by all clients, if the server was started with one.
    session: Option<String>,
    renderer: Renderer,
    context: WorkspaceContext,
    /// Has one permit: whose turn it is to render.
    rendering: Arc<Semaphore>,
    engine: Engine,
    /// Whether to neither journal nor mark the server as open.
    is_trial: bool,
    /// Sessions with an open question.
    asking: Mutex<HashSet<String>>,
    /// The hash of the text that a session last wrote to a path.
    writes: Mutex<HashMap<(String, PathBuf), String>>,
    /// Whether the server is shutting down.
    shutdown: watch::Sender<bool>,
    /// Marks the server as open once a client has connected; `None` if that failed.
    present: OnceLock<Option<Presence>>,
}

impl DeskHandle {
    /// Without a `session`, every client has its own. With `is_trial`, the handle neither journals nor marks the server
    /// as open.
    pub fn new(
        session: Option<String>,
        renderer: Renderer,
        context: WorkspaceContext,
        engine: Engine,
        is_trial: bool,
    ) -> Self {
        let (asking, writes) = (Mutex::default(), Mutex::default());
        let (shutdown, present) = (watch::Sender::new(false), OnceLock::new());
        let rendering = Arc::new(Semaphore::new(1));
        let inner =
            Inner { session, renderer, context, rendering, engine, is_trial, asking, writes, shutdown, present };
        Self { inner: Arc::new(inner) }
    }

    /// The session shared by all clients, if the server was started with one.
    pub fn session(&self) -> Option<&str> {
        self.inner.session.as_deref()
    }

    /// Renders on another thread after all earlier calls, since the renderer renders one template at a time; `None` if
    /// that failed. If the future is dropped before, nothing is rendered, and the values need no memory any more.
    pub async fn render<T: Send + 'static>(&self, render: impl FnOnce(&Renderer) -> T + Send + 'static) -> Option<T> {
        let turn = Arc::clone(&self.inner.rendering).acquire_owned().await.ok()?;
        let renderer = self.inner.renderer.clone();
        let rendered = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            render(&renderer)
        });
        rendered.await.ok()
    }

    /// A path that an agent names, with a leading `~/` replaced.
    pub(crate) fn expand_home(&self, path: &str) -> String {
        expand_home(&self.inner.context, path).into_owned()
    }

    /// The state of the desk once configuration and catalog have been read; `None` if the desk is closed.
    pub async fn opened(&self) -> Option<Snapshot> {
        let mut snapshots = self.snapshots();
        let snapshot = snapshots.wait_for(|snapshot| snapshot.generation > 0).await.ok()?;
        Some(snapshot.clone())
    }

    /// Calls `report` with the workspace's diagnostics once it has been read; does not block.
    pub fn report_diagnostics(&self, report: fn(&[Diagnostic])) {
        let handle = self.clone();
        tokio::spawn(async move {
            if let Some(snapshot) = handle.opened().await {
                report(&snapshot.diagnostics);
            }
        });
    }

    /// Marks a server of this workspace as open until it ends, so that hooks mention its tools. Blocks the calling
    /// thread.
    pub fn mark_open(&self, workspace: &Path) {
        if self.inner.is_trial {
            return;
        }
        self.inner.present.get_or_init(|| {
            let present = presence::mark_open(workspace, PresenceKind::Server);
            present.inspect_err(|error| tracing::info!("the server cannot be marked as open: {error}")).ok()
        });
    }

    /// Marks the agent of this session as connected until the value is dropped. Blocks the calling thread.
    pub fn connected(&self, workspace: &Path, session: &str) -> Option<Presence> {
        if self.inner.is_trial {
            return None;
        }
        let present = presence::connect(workspace, session);
        present.inspect_err(|error| tracing::info!("the agent cannot be marked as connected: {error}")).ok()
    }

    /// Starts to shut the server down and cancels open questions to people.
    pub fn begin_shutdown(&self) {
        self.inner.shutdown.send_replace(true);
    }

    /// Waits until the server is shutting down or the desk has ended.
    pub async fn shutdown_begun(&self) {
        let mut shutdown = self.inner.shutdown.subscribe();
        tokio::select! {
            // The sender lives as long as this handle.
            _ = shutdown.wait_for(|shutdown| *shutdown) => {}
            () = self.inner.engine.ended() => {}
        }
    }

    /// Sends the desk a request; `None` if it is closed.
    pub async fn ask(&self, session: &Session, request: Request) -> Option<Response> {
        self.inner.engine.ask(session, request).await
    }

    /// Remembers that this session wrote a proposed text.
    pub(crate) fn note_write(&self, session: &Session, proposal: &Proposal) {
        let mut writes = self.inner.writes.lock().unwrap_or_else(PoisonError::into_inner);
        if writes.len() >= WRITES {
            writes.clear();
        }
        writes.insert((session.id.clone(), proposal.path.clone()), sha256_hex(proposal.text.as_bytes()));
    }

    /// Whether the file that a proposal replaces is as this session wrote it.
    pub(crate) fn has_written(&self, session: &Session, proposal: &Proposal) -> bool {
        let PriorContent::File { hash, .. } = &proposal.before else { return false };
        let writes = self.inner.writes.lock().unwrap_or_else(PoisonError::into_inner);
        writes.get(&(session.id.clone(), proposal.path.clone())) == Some(hash)
    }

    /// Like [`Self::ask`], but while the index is being built for the first time, repeats the request until the index
    /// has content or the time is up.
    pub(crate) async fn ask_index(&self, session: &Session, request: Request) -> Option<Response> {
        let end = Instant::now() + INDEX_WAIT;
        loop {
            let response = self.ask(session, request.clone()).await?;
            let error = match &response {
                Response::Found(found) => found.as_ref().err(),
                Response::AboutDatabases(found) => found.as_ref().err(),
                _ => None,
            };
            if error.is_none_or(|error| error.code != Code::IndexBusy) || Instant::now() > end {
                return Some(response);
            }
            sleep(INDEX_POLL).await;
        }
    }

    /// Appends an entry to the journal.
    pub async fn note(&self, session: &Session, receipt: Receipt) {
        if self.inner.is_trial {
            return;
        }
        // A closed desk keeps no journal.
        let _ = self.ask(session, Request::Note(Box::new(receipt))).await;
    }

    /// Reserves a slot for a question to a person.
    ///
    /// # Errors
    /// This session already has an open question, or too many others do.
    pub(crate) fn slot(&self, session: &str) -> Result<QuestionSlot, Error> {
        let mut asking = self.inner.asking();
        let busy = |message: String| Error::new(Code::Busy, message, "call again when one is answered");
        if asking.contains(session) {
            return Err(busy("this session already has an open question".to_owned()));
        }
        if asking.len() >= QUESTIONS {
            return Err(busy(format!("{QUESTIONS} other sessions have an open question, and no more are allowed")));
        }
        asking.insert(session.to_owned());
        Ok(QuestionSlot { inner: Arc::clone(&self.inner), session: session.to_owned() })
    }

    /// The state of the desk after all earlier requests, without templates.
    pub async fn settled(&self, session: &Session) -> Option<Snapshot> {
        self.after(session, Request::Settle).await
    }

    /// Like [`Self::settled`], with templates.
    pub async fn indexed(&self, session: &Session) -> Option<Snapshot> {
        self.after(session, Request::Index).await
    }

    /// Like [`Self::settled`], with what this agent may read.
    pub async fn readable(&self, session: &Session) -> Option<(Snapshot, Access)> {
        match self.ask(session, Request::Access).await? {
            Response::Access(snapshot, access) => Some((*snapshot, *access)),
            _ => None,
        }
    }

    async fn after(&self, session: &Session, request: Request) -> Option<Snapshot> {
        match self.ask(session, request).await? {
            Response::Settled(snapshot) => Some(*snapshot),
            _ => None,
        }
    }

    /// A receiver of the desk's latest state.
    pub fn snapshots(&self) -> watch::Receiver<Snapshot> {
        self.inner.engine.snapshots()
    }

    /// Closes the desk after it has stored all changes.
    ///
    /// # Errors
    /// The desk had already ended.
    pub async fn close(&self) -> io::Result<()> {
        match self.inner.engine.close(CLOSE_TIMEOUT).await {
            Ending::AlreadyEnded => Err(io::Error::other("the desk ended unexpectedly; the log may say why")),
            Ending::Closed | Ending::TimedOut => Ok(()),
        }
    }
}

impl Inner {
    fn asking(&self) -> MutexGuard<'_, HashSet<String>> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An open question to a person; closed when dropped.
#[derive(Debug)]
pub(crate) struct QuestionSlot {
    inner: Arc<Inner>,
    session: String,
}

impl Drop for QuestionSlot {
    fn drop(&mut self) {
        self.inner.asking().remove(&self.session);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_desk::{Options, engine};

    fn handle() -> (tempfile::TempDir, DeskHandle) {
        let folder = tempfile::tempdir().unwrap();
        let context = WorkspaceContext { workspace: folder.path().to_owned(), ..WorkspaceContext::default() };
        let (engine, _) = engine::start(Options::new(context.clone()), Session::of_client("a test")).unwrap();
        (folder, DeskHandle::new(None, Renderer::in_process(), context, engine, false))
    }

    #[test]
    fn a_rendering_that_nobody_waits_for_any_more_does_not_begin() {
        let (_folder, handle) = handle();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (begin, begun) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let names = runtime.block_on(async {
            let first = begin.clone();
            let running = handle.render(move |_| {
                first.send("first").unwrap();
                ended.recv()
            });
            let gone = handle.render(move |_| begin.send("gone").unwrap());
            let others = async {
                assert!(tokio::time::timeout(Duration::ZERO, gone).await.is_err());
                end.send(()).unwrap();
                handle.render(move |_| begun.try_iter().collect::<Vec<_>>()).await
            };
            tokio::join!(running, others).1
        });
        assert_eq!(names, Some(vec!["first"]));
    }

    #[test]
    fn a_session_has_one_question_and_a_server_a_limited_number() {
        let (_folder, handle) = handle();
        let mut slots: Vec<QuestionSlot> = (0..QUESTIONS).map(|at| handle.slot(&at.to_string()).unwrap()).collect();
        let busy = |session| handle.slot(session).map(drop).unwrap_err().message;
        assert_eq!(busy("another"), "16 other sessions have an open question, and no more are allowed");
        slots.pop();
        assert_eq!(busy("0"), "this session already has an open question");
        assert!(handle.slot("another").is_ok());
    }
}
