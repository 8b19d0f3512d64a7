//! The engine's loop: take the requests that wait, carry them out, publish what follows. When none waits, read documents; when
//! all are read, block.

mod answering;
mod choosing;
mod person;
mod telling;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{Receiver, Sender, WeakSender};
use tokio::sync::watch as newest;

use super::event::{Age, Event};
use super::journal_follower::JournalFollower;
use super::notice::{Cause, Who};
use super::previews::PreviewJob;
use super::request::{Change, Message, Request};
use super::requests::Requests;
use super::snapshot::{Snapshot, Watching};
use super::watch::{Followed, Watch};
use crate::{Desk, Options, PrivilegedAction, Session};
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::Selection;
use refdesk_templates::TemplateIndex;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// Sources read between two looks at the queue.
const BATCH: usize = 64;

/// While documents are read, a snapshot at most this often.
const PROGRESS: Duration = Duration::from_millis(40);

/// How long to wait for the first watches, in rounds between which other sessions are served.
const ROUNDS: usize = 100;
const ROUND: Duration = Duration::from_millis(5);

/// Runs until every sender of messages is gone.
pub fn run(
    options: Options,
    inbox: Receiver<Message>,
    snapshots: &newest::Sender<Snapshot>,
    events: &Sender<Event>,
    changed: WeakSender<Message>,
    previews: mpsc::Sender<PreviewJob>,
    EngineClient { session, is_person }: EngineClient,
) {
    let clock = options.clock;
    let mut desk = Desk::open(options);
    // Where that cannot be done the next change says why.
    let _ = desk.finish_interrupted();
    let requests = is_person.then(|| Requests::attend(&desk, &session.who, changed.clone()));
    let mut worker = Worker {
        requests,
        refused: Vec::new(),
        untrusted: Arc::from([]),
        unread: VecDeque::new(),
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
        told: None,
        cause: Cause::Choice(Who::You),
        clock,
        reads: 0,
        published: Instant::now(),
        journal: JournalFollower::new(&desk),
        desk,
    };
    worker.queue_documents();
    worker.update_requests();
    worker.update_trust();
    worker.publish();
    worker.follow_journal(Age::Past);
    let mut watch = Watch::new(changed);
    worker.watch(&watch);
    let first = worker.wait_for_watches(&watch);
    watch.wait_no_more();
    worker.update_requests();
    worker.index_templates();
    // What turned up until now is no change, even where there was no document to wait for.
    worker.told = None;
    worker.publish();
    worker.told = worker.last.loading.is_none().then(|| worker.last.clone());
    worker.work(&watch, first);
}

/// The client that an engine is started for.
pub struct EngineClient {
    pub session: Session,
    /// Whether it is a person, who can be asked.
    pub is_person: bool,
}

pub(super) struct Worker<'a> {
    desk: Desk,
    /// The session that the engine was started for.
    session: Session,
    /// What could not be done of the message that is handled.
    refused: Vec<Error>,
    /// The requests that wait for the person; `None` where the client is a program.
    requests: Option<Requests>,
    /// What waits for that person's trust.
    untrusted: Arc<[PrivilegedAction]>,
    inbox: Receiver<Message>,
    snapshots: &'a newest::Sender<Snapshot>,
    events: &'a Sender<Event>,
    previews: mpsc::Sender<PreviewJob>,
    journal: JournalFollower,
    /// Sources whose documents are still to be read.
    unread: VecDeque<SourceId>,
    /// How many there were when reading began.
    total: usize,
    templates: Arc<TemplateIndex>,
    /// Whether the selection may bring others than these.
    templates_due: bool,
    template_problems: Vec<Diagnostic>,
    /// Whether the templates differ from those whose files were written last, and what was wrong with writing them.
    files_due: bool,
    /// The session whose change brings what is due.
    files_for: Session,
    file_problems: Vec<Diagnostic>,
    watching: Watching,
    watch_problems: Vec<Diagnostic>,
    /// Whether the desk may depend on something else than what is watched.
    watch_due: bool,
    last: Snapshot,
    /// What the notices so far led up to: the last state in which every document was read.
    told: Option<Snapshot>,
    /// Who made the newest change of picks and exclusions.
    cause: Cause,
    clock: fn() -> SystemTime,
    reads: u64,
    published: Instant,
}

impl Worker<'_> {
    /// Waits until what the desk depends on is watched, but not long, and answers other sessions meanwhile: the first answer of
    /// a server waits for no watches. Returns the first message that is not theirs.
    fn wait_for_watches(&mut self, watch: &Watch) -> Option<Message> {
        for _ in 0..ROUNDS {
            // A closed queue is noticed by the loop.
            while let Ok(message) = self.inbox.try_recv() {
                match message {
                    Message::Call(call) if call.session != self.session => self.answer(call, watch),
                    other => return Some(other),
                }
            }
            let Some(followed) = watch.first(ROUND) else { continue };
            if followed == Followed::New {
                // What changed until now nobody told. The journal first: a pick that it tells of is then no change any more.
                self.follow_journal(Age::Now);
                self.desk.reload();
                self.queue_documents();
            }
            self.watch(watch);
            break;
        }
        None
    }

    fn work(&mut self, watch: &Watch, mut earlier: Option<Message>) {
        loop {
            let first = if earlier.is_some() {
                earlier.take()
            } else if self.is_idle() {
                match self.inbox.blocking_recv() {
                    Some(message) => Some(message),
                    None => return,
                }
            } else {
                match self.inbox.try_recv() {
                    Ok(message) => Some(message),
                    Err(TryRecvError::Empty) => None,
                    Err(TryRecvError::Disconnected) => {
                        // What was chosen last has its files too, where all is known that it brings.
                        if self.files_due && self.desk.wanted().is_empty() {
                            self.write_templates();
                        }
                        return;
                    }
                }
            };
            match first {
                Some(message) => {
                    for message in self.with_all_waiting(message) {
                        self.handle(message, watch);
                    }
                    if self.watch_due {
                        self.watch(watch);
                    }
                    if self.templates_due {
                        self.index_templates();
                        self.publish();
                    }
                }
                None if self.unread.is_empty() => {
                    self.write_templates();
                    self.publish();
                }
                None => self.read_some(),
            }
        }
    }

    fn is_idle(&self) -> bool {
        self.unread.is_empty() && !self.files_due
    }

    /// Writes the files of the templates, once nothing else waits: of ten quick picks only the last matters.
    fn write_templates(&mut self) {
        self.files_due = false;
        let (templates, session) = (self.templates.clone(), self.files_for.clone());
        let done = self.desk.write_templates(&session, &templates);
        self.file_problems = done.diagnostics;
    }

    /// The message and those behind it, in the order in which they are handled.
    fn with_all_waiting(&mut self, first: Message) -> Vec<Message> {
        let mut waiting = vec![first];
        while let Ok(message) = self.inbox.try_recv() {
            waiting.push(message);
        }
        // From the last to the first: of each kind of change only the last counts.
        let mut seen = HashSet::new();
        waiting.reverse();
        waiting.retain(|message| match message {
            Message::Changed(change) => seen.insert(*change),
            Message::Call(_) => true,
        });
        waiting.reverse();
        // The price of a prompt is of no use before the rows that it is about.
        waiting.sort_by_key(
            |message| matches!(message, Message::Call(call) if matches!(call.request, Request::Simulate { .. })),
        );
        // Reading again takes longest: lookups right behind it are answered first.
        if let Some(rest) = waiting.iter().position(Message::is_reload).and_then(|at| waiting.get_mut(at..)) {
            let lookups = rest.iter().skip(1).take_while(|message| message.is_lookup()).count();
            if let Some(turned) = rest.get_mut(..=lookups) {
                turned.rotate_left(1);
            }
        }
        waiting
    }

    fn handle(&mut self, message: Message, watch: &Watch) {
        if message.is_abandoned() || (self.inbox.is_closed() && !message.is_change()) {
            return;
        }
        if self.is_idle() {
            self.files_for = self.session.clone();
        }
        match message {
            Message::Call(call) => self.answer(call, watch),
            Message::Changed(change) => {
                self.follow(change, watch);
                for refusal in std::mem::take(&mut self.refused) {
                    self.say(Event::Refused(refusal));
                }
            }
        }
    }

    /// Does what follows from a change outside.
    fn follow(&mut self, change: Change, watch: &Watch) {
        match change {
            Change::Requests => {
                self.update_requests();
                self.publish();
            }
            Change::Journal => {
                // A choice is stored before the journal says so: it is told as what changed, and then the line adds nothing.
                self.follow_stored_choice();
                self.follow_journal(Age::Now);
            }
            Change::Choice => {
                self.follow_stored_choice();
                // Without another choice, its file may have become damaged or readable.
                self.publish();
            }
            Change::Workspace => self.reload(watch),
        }
    }

    /// Reads the workspace again.
    fn reload(&mut self, watch: &Watch) {
        self.reads += 1;
        let before = self.desk.selection().clone();
        self.reread(Desk::reload);
        self.watch(watch);
        self.after_change(Change::Workspace, &before);
    }

    /// Does what follows when the choice or the workspace changed: completes the selection, has sessions forget what left it
    /// since `before`, indexes templates, and publishes the result.
    fn after_change(&mut self, change: Change, before: &Selection) {
        self.desk.settle();
        if let Err(refusal) = self.desk.forget_left(before) {
            self.refuse(refusal);
        }
        let is_reloaded = change == Change::Workspace;
        if is_reloaded {
            self.update_requests();
            self.update_trust();
            self.queue_documents();
            // Cached documents are read at once; only a long reading is worth a frame in between.
            self.published = Instant::now();
        }
        self.index_templates();
        if !is_reloaded || self.unread.is_empty() {
            self.publish();
        }
    }

    /// Reads a few documents, those that the selection waits for first.
    fn read_some(&mut self) {
        let wanted: HashSet<SourceId> = self.desk.wanted().into_iter().collect();
        let mut batch: Vec<SourceId> = wanted.iter().cloned().collect();
        if batch.is_empty() {
            let count = self.unread.len().min(BATCH);
            batch = self.unread.drain(..count).collect();
        } else {
            self.unread.retain(|id| !wanted.contains(id));
        }
        batch.retain(|id| !self.desk.graph().is_scanned(id.as_str()));
        let before = self.desk.selection().members().len();
        self.desk.read(&batch);
        if self.desk.selection().members().len() != before {
            self.index_templates();
        }
        if self.unread.is_empty() {
            self.unread = VecDeque::new();
            self.desk.warm();
            if let Err(error) = self.desk.keep_mentions() {
                tracing::info!("the mention cache cannot be stored: {error}");
            }
        }
        if self.unread.is_empty() || self.published.elapsed() >= PROGRESS {
            self.publish();
        }
    }

    fn queue_documents(&mut self) {
        self.unread = self.desk.unread().into();
        self.total = self.unread.len();
    }

    /// Has something done that may read what the selection waits for, and so what brings templates.
    fn with_desk<T>(&mut self, act: impl FnOnce(&mut Desk) -> T) -> T {
        let members = self.desk.selection().members().len();
        let done = act(&mut self.desk);
        self.templates_due |= self.desk.selection().members().len() != members;
        done
    }

    fn index_templates(&mut self) {
        self.templates_due = false;
        let (templates, problems) = self.desk.templates();
        if *self.templates != templates {
            self.templates = Arc::new(templates);
            self.files_due = true;
        }
        self.template_problems = problems;
    }

    /// Has what the desk depends on now watched.
    fn watch(&mut self, watch: &Watch) {
        self.watch_due = false;
        let requests = self.requests.as_mut().map(|requests| {
            requests.follow(&self.desk);
            requests.watched()
        });
        watch.follow(&self.desk, requests.unwrap_or_default());
        self.watching = watch.watching();
        self.watch_problems = watch.diagnostics();
    }
}
