//! The engine's loop: takes the waiting messages, handles them, and publishes the result. When idle it reads documents;
//! when all are read, it blocks.

mod pending_requests;
mod publisher;
mod responses;
mod selection_changes;
mod start;

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc::error::TryRecvError;
use tokio::sync::mpsc::{Receiver, Sender, WeakSender};
use tokio::sync::watch as newest;

pub use self::start::ClientKind;
pub(crate) use self::start::{WorkerChannels, run};
use super::database_run::DatabaseRun;
use super::event::{Age, Event};
use super::journal_follower::JournalFollower;
use super::notice::ChangeOrigin;
use super::previews::PreviewJob;
use super::request::{Call, Message, OutsideChange, Request};
use super::requests::Requests;
use super::snapshot::{Snapshot, Watching};
use super::watch::{Watch, Watcher};
use crate::activity::ActivityFollower;
use crate::{Desk, PrivilegedAction, Session};
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_core::mention::MentionGraph;
use refdesk_core::selection::Selection;
use refdesk_templates::TemplateIndex;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// Sources read between two checks of the queue.
const BATCH: usize = 64;

/// The shortest interval between snapshots while reading documents.
const PROGRESS: Duration = Duration::from_millis(40);

pub(super) struct Worker<'a> {
    desk: Desk,
    /// The session for which the engine was started.
    session: Session,
    /// Errors of the message being handled.
    refused: Vec<Error>,
    /// The requests pending for the person; `None` if the client is a program.
    requests: Option<Requests>,
    /// Whether to look for all problems.
    reports_problems: bool,
    /// Requests an update of the search index.
    index: Option<mpsc::Sender<()>>,
    /// Whether an update of the index was requested and is not done yet.
    is_indexing: bool,
    /// Actions that need this person's trust.
    untrusted: Arc<[PrivilegedAction]>,
    /// The same actions as problems.
    trust_problems: Vec<Diagnostic>,
    profile_problems: Vec<Diagnostic>,
    /// Problems of the pages of databases, with the catalog and reload from which they were found.
    page_problems: Option<(Arc<Catalog>, u64, Vec<Diagnostic>)>,
    /// Sources that only a pick brings up, with the catalog and mentions from which they were computed.
    found_only_by_index: Option<(Arc<Catalog>, Arc<MentionGraph>, Vec<Diagnostic>)>,
    /// The catalog, selection and reload from which the last snapshot's price of the instructions was computed.
    priced: Option<(Arc<Catalog>, Arc<Selection>, u64)>,
    /// The person's keymap and themes.
    screen_files: Option<Arc<ScreenFiles>>,
    inbox: Receiver<Message>,
    snapshots: &'a newest::Sender<Snapshot>,
    events: &'a Sender<Event>,
    previews: mpsc::Sender<PreviewJob>,
    journal: JournalFollower,
    /// The activity of agents; `None` until it is first requested.
    activity: Option<ActivityFollower>,
    /// Sources whose documents have not been read.
    unread: VecDeque<SourceId>,
    /// Requests that need every document to be read.
    deferred: Vec<Call>,
    /// The number of documents to read when reading began.
    total: usize,
    templates: Arc<TemplateIndex>,
    /// Whether the selection changed since the templates were indexed.
    templates_due: bool,
    template_problems: Vec<Diagnostic>,
    /// Whether the templates differ from their files, and the problems of the last write.
    files_due: bool,
    /// The session whose change made them differ.
    files_for: Session,
    file_problems: Vec<Diagnostic>,
    watching: Watching,
    watch_problems: Vec<Diagnostic>,
    /// Whether the desk may depend on paths that are not watched.
    watch_due: bool,
    last: Snapshot,
    /// The snapshot from which the last notices were made, with every document read.
    last_announced: Option<Snapshot>,
    /// The cause of the last change of picks and exclusions.
    cause: ChangeOrigin,
    clock: fn() -> SystemTime,
    /// The queue, for other threads to send to.
    queue: WeakSender<Message>,
    /// The current or last database run.
    database_run: Option<DatabaseRun>,
    /// The number of runs so far.
    database_runs: u64,
    reads: u64,
    published: Instant,
}

impl Worker<'_> {
    fn work(&mut self, watch: &Watch, mut earlier: Option<Message>) {
        loop {
            if self.unread.is_empty() {
                for call in std::mem::take(&mut self.deferred) {
                    self.answer(call, watch);
                }
            }
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
                        // Also write the files of the last selection if it is complete.
                        if self.files_due && self.desk.wanted().is_empty() {
                            self.write_templates();
                        }
                        return;
                    }
                }
            };
            match first {
                Some(message) => {
                    for message in self.drain_queue(message) {
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

    /// Writes the templates' files when no other message waits: of ten quick picks, only the last matters.
    fn write_templates(&mut self) {
        self.files_due = false;
        let (templates, session) = (self.templates.clone(), self.files_for.clone());
        let done = self.desk.write_templates(&session, &templates);
        self.file_problems = done.diagnostics;
    }

    /// The message and all others waiting, in the order in which to handle them.
    fn drain_queue(&mut self, first: Message) -> Vec<Message> {
        let mut waiting = vec![first];
        while let Ok(message) = self.inbox.try_recv() {
            waiting.push(message);
        }
        // Only the last change of each kind counts.
        let mut seen = HashSet::new();
        waiting.reverse();
        waiting.retain(|message| match message {
            Message::Changed(change) => seen.insert(*change),
            Message::Call(_) | Message::Indexed { .. } => true,
        });
        waiting.reverse();
        // The price of a prompt is useless before the rows with which it is shown.
        waiting.sort_by_key(
            |message| matches!(message, Message::Call(call) if matches!(call.request, Request::Simulate { .. })),
        );
        // A reload takes longest: answer the lookups right after it first.
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
        self.desk.begin_request();
        match message {
            Message::Call(call) => self.answer(call, watch),
            Message::Indexed { failure } => {
                self.is_indexing = false;
                self.desk.index_failure = failure;
                self.publish();
            }
            Message::Changed(change) => {
                self.follow(change, watch);
                for refusal in std::mem::take(&mut self.refused) {
                    self.say(Event::Refused(refusal));
                }
            }
        }
    }

    /// Handles a change from outside.
    fn follow(&mut self, change: OutsideChange, watch: &Watch) {
        match change {
            OutsideChange::Requests | OutsideChange::Journal | OutsideChange::Choice if self.desk.is_gone() => {
                self.reload(watch);
            }
            OutsideChange::Requests => {
                self.update_requests();
                self.publish();
            }
            OutsideChange::Journal => {
                // A choice is stored before it is journalled: report it as a change now, so that its line adds nothing.
                self.follow_stored_choice();
                self.follow_journal(Age::Now);
            }
            OutsideChange::Choice => {
                self.follow_stored_choice();
                // Even if the choice is the same, its file may have become damaged or readable again.
                self.publish();
            }
            OutsideChange::Workspace => self.reload(watch),
            OutsideChange::Agents => self.say(Event::Agents),
        }
    }

    /// Requests an update of the search index.
    fn update_index(&mut self) {
        if let Some(due) = self.index.as_ref().filter(|_| self.desk.index_process().is_some()) {
            // The index thread ends with the program, or if it cannot start a process.
            self.is_indexing |= due.send(()).is_ok();
        }
    }

    /// Reads the workspace again.
    fn reload(&mut self, watch: &Watch) {
        self.reads += 1;
        let before = self.desk.selection().clone();
        self.reread(Desk::reload);
        self.watch(watch);
        if self.desk.is_gone() {
            // Until the workspace is back, release, index and write nothing.
            return self.publish();
        }
        self.after_change(OutsideChange::Workspace, &before);
    }

    /// Handles a change of choice or workspace: completes the selection, clears from sessions' memory the sources that
    /// left it since `before`, indexes templates, and publishes the result.
    fn after_change(&mut self, change: OutsideChange, before: &Selection) {
        self.desk.settle();
        if let Err(refusal) = self.desk.forget_left(before) {
            self.refuse(refusal);
        }
        let is_reloaded = change == OutsideChange::Workspace;
        if is_reloaded {
            self.update_requests();
            self.update_trust();
            self.update_profiles();
            self.update_screen_files();
            self.queue_documents();
            self.update_index();
            // Cached documents are read quickly; only a long read is worth an intermediate snapshot.
            self.published = Instant::now();
        }
        self.index_templates();
        if !is_reloaded || self.unread.is_empty() {
            self.publish();
        }
    }

    /// Reads a few documents, those on which the selection depends first.
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
            if let Err(error) = self.desk.cache_mentions() {
                tracing::info!("the mention cache cannot be stored: {error}");
            }
            self.update_index();
        }
        if self.unread.is_empty() || self.published.elapsed() >= PROGRESS {
            self.publish();
        }
    }

    fn queue_documents(&mut self) {
        self.unread = self.desk.unread().into();
        self.total = self.unread.len();
    }

    /// Calls the desk, which may read documents for the selection and thereby find templates.
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

    /// Watches what the desk depends on now.
    fn watch(&mut self, watch: &Watch) {
        self.watch_due = false;
        let requests = self.requests.as_mut().map(|requests| {
            requests.follow(&self.desk);
            requests.watched()
        });
        let audience = if requests.is_some() { Watcher::Screen } else { Watcher::Program };
        watch.follow(&self.desk, requests.unwrap_or_default(), audience);
        self.watching = watch.watching();
        self.watch_problems = watch.diagnostics();
    }
}
