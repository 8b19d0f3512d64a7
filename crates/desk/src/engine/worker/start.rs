//! Starts an engine's loop: opens the desk, publishes it, and waits for its first watches.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{Receiver, Sender, WeakSender};
use tokio::sync::watch as newest;

use super::Worker;
use crate::engine::event::{Age, Event};
use crate::engine::journal_follower::JournalFollower;
use crate::engine::notice::{Actor, ChangeOrigin};
use crate::engine::previews::PreviewJob;
use crate::engine::request::Message;
use crate::engine::requests::Requests;
use crate::engine::snapshot::{Snapshot, Watching};
use crate::engine::watch::{Followed, Watch};
use crate::{Desk, Options, Session, background};
#[cfg(feature = "meaning")]
use refdesk_index::ModelServer;

/// How long to wait for the first watches, in rounds between which other sessions are served.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);

/// The kind of client to which an engine publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientKind {
    /// A program, which sees only the problems found when the catalog was opened.
    Program,
    /// A script using an interface for people, which sees all problems and is never asked anything.
    Script,
    /// A person at a screen, who can also be asked: while the engine runs, other processes see that a person is present,
    /// and snapshots contain their requests.
    Person,
}

/// What connects a worker to its engine.
pub(crate) struct WorkerChannels<'a> {
    pub inbox: Receiver<Message>,
    pub snapshots: &'a newest::Sender<Snapshot>,
    pub events: &'a Sender<Event>,
    /// The queue of the inbox, for other threads to send to.
    pub queue: WeakSender<Message>,
    pub previews: mpsc::Sender<PreviewJob>,
}

/// Runs until every sender of messages is dropped.
pub(crate) fn run(options: Options, channels: WorkerChannels<'_>, session: Session, client: ClientKind) {
    let mut desk = Desk::open(options);
    // If this fails, the next change reports why.
    let _ = desk.finish_interrupted();
    let mut worker = Worker::new(desk, channels, session, client);
    let (watch, first) = worker.begin();
    // Without this, hooks load the model themselves.
    #[cfg(feature = "meaning")]
    let _lender = worker.share_model();
    worker.work(&watch, first);
}

/// Starts the thread that updates the search index on request. Without it, the index is as old as the last update from
/// outside, and searches say so.
fn start_updates(desk: &Desk, queue: WeakSender<Message>) -> Option<mpsc::Sender<()>> {
    let process = desk.options.index_process.clone()?;
    let updated = move |failure| {
        let changed = Message::Indexed { failure };
        queue.upgrade().is_some_and(|queue| queue.blocking_send(changed).is_ok())
    };
    background::spawn_updater(process, updated).ok()
}

impl<'a> Worker<'a> {
    fn new(desk: Desk, channels: WorkerChannels<'a>, session: Session, client: ClientKind) -> Self {
        let WorkerChannels { inbox, snapshots, events, queue, previews } = channels;
        Self {
            requests: (client == ClientKind::Person).then(|| Requests::mark_open(&desk, &session.who, queue.clone())),
            reports_problems: client != ClientKind::Program,
            index: start_updates(&desk, queue.clone()),
            is_indexing: false,
            refused: Vec::new(),
            untrusted: Arc::from([]),
            trust_problems: Vec::new(),
            profile_problems: Vec::new(),
            page_problems: None,
            found_only_by_index: None,
            priced: None,
            screen_files: None,
            unread: VecDeque::new(),
            deferred: Vec::new(),
            total: 0,
            inbox,
            snapshots,
            events,
            previews,
            templates: Arc::default(),
            templates_due: true,
            template_problems: Vec::new(),
            files_due: true,
            files_for: session.clone(),
            session,
            file_problems: Vec::new(),
            watching: Watching::default(),
            watch_problems: Vec::new(),
            watch_due: false,
            last: Snapshot::default(),
            last_announced: None,
            cause: ChangeOrigin::Choice(Actor::You),
            clock: desk.options.clock,
            queue,
            database_run: None,
            database_runs: 0,
            reads: 0,
            published: Instant::now(),
            journal: JournalFollower::new(&desk),
            activity: None,
            desk,
        }
    }

    /// Publishes the desk, and again once it is watched; also returns the first message for the loop.
    fn begin(&mut self) -> (Watch, Option<Message>) {
        self.queue_documents();
        self.update_requests();
        self.update_trust();
        self.update_profiles();
        self.update_screen_files();
        self.publish();
        self.follow_journal(Age::Past);
        let mut watch = Watch::new(self.queue.clone());
        self.watch(&watch);
        let first = self.wait_for_watches(&watch);
        watch.stop_waiting();
        self.update_requests();
        self.index_templates();
        // Nothing so far counts as a change, even if there was no document to wait for.
        self.last_announced = None;
        self.update_index();
        self.publish();
        self.last_announced = self.last.loading.is_none().then(|| self.last.clone());
        (watch, first)
    }

    /// Waits briefly until the desk's files are watched. Answers other sessions meanwhile, because a server's first
    /// answer does not depend on watches. Returns the first other message.
    fn wait_for_watches(&mut self, watch: &Watch) -> Option<Message> {
        for _ in 0..ROUNDS {
            // The main loop notices a closed queue.
            while let Ok(message) = self.inbox.try_recv() {
                match message {
                    Message::Call(call) if call.session != self.session => self.answer(call, watch),
                    other => return Some(other),
                }
            }
            let Some(followed) = watch.first(ROUND) else { continue };
            if followed == Followed::New {
                // Nothing was watched until now. Follow the journal first, so that a pick in it is not also reported as
                // a change.
                self.follow_journal(Age::Now);
                self.reads += 1;
                self.desk.reload();
                self.queue_documents();
            }
            self.watch(watch);
            break;
        }
        None
    }

    /// Lets this user's hooks use the model loaded in this process.
    #[cfg(feature = "meaning")]
    fn share_model(&self) -> Option<ModelServer> {
        let options = &self.desk.options;
        let state = options.state.as_deref().filter(|_| !options.is_trial)?;
        ModelServer::start(state)
            .inspect_err(|error| tracing::info!("the model cannot be shared with hooks: {error}"))
            .ok()
    }
}
