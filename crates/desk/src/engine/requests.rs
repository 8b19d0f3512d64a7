//! Requests to the person at a screen: the engine marks the screen as open, reads the request folders, and writes
//! answers. A killed requester and a timeout cause no file event, so while requests are pending, and only then, the
//! folders are read every second and whenever a request times out.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use tokio::sync::mpsc::WeakSender;

use super::notice::moment;
use super::request::{Message, OutsideChange};
use crate::Desk;
use crate::channel::folder::{self, AnswerStatus, ChannelFolder, Pending};
use crate::channel::presence::{self, Presence, PresenceKind};
use crate::channel::{ChannelSetup, Request, Response};
use refdesk_files::Sealer;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The interval between checks while requests are pending; a screen may show a killed process's request for this long.
const EVERY: Duration = Duration::from_secs(1);

/// How many requests and journalled answers are kept for matching. The journal reports who answered a request shortly
/// before or after its files disappear.
const MATCHED: usize = 16;

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitingRequest {
    /// The request and its requester.
    pub request: Arc<Request>,
    /// Where to write the answer.
    pub folder: ChannelFolder,
    /// When it times out; `None` if unlimited.
    pub until: Option<String>,
}

/// The person's answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// These sources are chosen.
    Chosen(Vec<String>),
    /// The write is approved.
    Yes,
    /// No source is chosen, or the write is not approved.
    No,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestEnd {
    /// This screen answered it first.
    Here(Reply),
    /// Another answer came first.
    Elsewhere(OtherAnswer),
    /// No answer came in time.
    TimedOut,
    /// The requester's process ended.
    RequesterExited,
    /// It was withdrawn, or answered and read so quickly that the answerer is unknown.
    Withdrawn,
}

/// An answer given in another process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OtherAnswer {
    /// Who gave it, if known.
    pub by: Option<String>,
    /// What was answered, if known.
    pub reply: Option<Reply>,
}

impl OtherAnswer {
    fn of(response: Response) -> Self {
        let reply = match response.approved {
            Some(true) => Reply::Yes,
            Some(false) => Reply::No,
            None if response.selected_ids.is_empty() => Reply::No,
            None => Reply::Chosen(response.selected_ids),
        };
        Self { by: response.by, reply: Some(reply) }
    }
}

/// A request that is no longer pending.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedRequest {
    /// The request.
    pub request: Arc<Request>,
    /// How it ended.
    pub ended: RequestEnd,
}

/// The requests known to a screen.
#[derive(Debug)]
pub(super) struct Requests {
    /// `None` in a folder that is not a workspace; a diagnostic if the screen cannot be marked as open.
    present: Result<Option<Presence>, Diagnostic>,
    who: String,
    folders: Vec<ChannelFolder>,
    pending: Vec<Pending>,
    shown: Arc<[WaitingRequest]>,
    /// How many requests were not read because there are too many.
    unread: usize,
    /// Problems with request files.
    problems: Vec<Diagnostic>,
    /// Requests answered here whose files still exist.
    replied: Vec<(String, Reply)>,
    /// Requests that ended without a known answerer, newest last.
    unexplained: VecDeque<Arc<Request>>,
    /// The latest answers in the journal: the request's id, and who answered.
    journalled: VecDeque<(String, OtherAnswer)>,
    changed: WeakSender<Message>,
    alarm: Option<Alarm>,
    sealer: Sealer,
}

impl Requests {
    /// Marks this workspace's screen as open from now on; sends to `changed` when the folders should be read again.
    pub(super) fn mark_open(desk: &Desk, who: &str, changed: WeakSender<Message>) -> Self {
        let attended = || presence::mark_open(desk.workspace(), PresenceKind::Screen);
        let present = desk.workspace_context().is_workspace().then(attended).transpose().map_err(|error| {
            let message = format!("this screen cannot be marked as open, so agents cannot ask: {error}");
            Diagnostic::warning(Code::NotAttending, message).fix("make .jaato/refdesk writable, and start again")
        });
        Self {
            present,
            who: who.to_owned(),
            folders: Vec::new(),
            pending: Vec::new(),
            shown: Arc::from([]),
            unread: 0,
            problems: Vec::new(),
            replied: Vec::new(),
            unexplained: VecDeque::new(),
            journalled: VecDeque::new(),
            changed,
            alarm: None,
            sealer: desk.sealer().clone(),
        }
    }

    /// The folders of requests and answers.
    pub(super) fn watched(&self) -> Vec<PathBuf> {
        self.folders.iter().flat_map(|base| ["requests", "responses"].map(|part| base.path().join(part))).collect()
    }

    /// Updates the folders from the desk's configuration.
    pub(super) fn follow(&mut self, desk: &Desk) {
        self.folders = folder::folders(&ChannelSetup::of(desk));
    }

    /// The waiting requests, oldest first.
    pub(super) fn waiting(&self) -> &Arc<[WaitingRequest]> {
        &self.shown
    }

    /// How many pending requests [`Requests::waiting`] does not contain.
    pub(super) fn unread(&self) -> usize {
        self.unread
    }

    /// Why requests cannot be seen.
    pub(super) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.present.as_ref().err().into_iter().chain(&self.problems)
    }

    /// Reads the folders; returns the requests that are no longer pending.
    pub(super) fn look(&mut self, desk: &Desk, now: Timestamp) -> Vec<ClosedRequest> {
        // A link may have replaced a folder in the meantime.
        self.follow(desk);
        // Check this first, since reading the folders removes what dead requesters left.
        let is_abandoned = |it: &&Pending| folder::is_abandoned(&it.folder, &it.request.request_id);
        let left: HashSet<String> =
            self.pending.iter().filter(is_abandoned).map(|it| it.request.request_id.clone()).collect();
        let mut pending = Vec::new();
        self.problems.clear();
        self.unread = 0;
        for folder in &self.folders {
            let found = folder::pending(folder, now);
            pending.extend(found.pending);
            self.unread += found.unread;
            self.problems.extend(found.problems);
        }
        // An answered request is not pending, even if its file still exists.
        pending.retain(|it| !folder::is_answered(&it.folder, &it.request.request_id));
        pending.sort_by(|a, b| a.request.timestamp.cmp(&b.request.timestamp));
        let mut seen = HashSet::new();
        pending.retain(|it| seen.insert(it.request.request_id.clone()));
        let before = std::mem::replace(&mut self.pending, pending);
        let gone: Vec<Pending> = before.into_iter().filter(|it| !self.waits(it)).collect();
        let over = gone.into_iter().map(|it| self.over(it, &left, now)).collect();
        self.show(now);
        self.set_alarm(now);
        over
    }

    fn waits(&self, of: &Pending) -> bool {
        self.pending.iter().any(|it| it.request.request_id == of.request.request_id && it.folder == of.folder)
    }

    fn over(&mut self, it: Pending, left: &HashSet<String>, now: Timestamp) -> ClosedRequest {
        let id = &it.request.request_id;
        let replied = self.replied.iter().position(|(replied, _)| replied == id).map(|at| self.replied.remove(at).1);
        let journalled = self.journalled.iter().find(|(answered, _)| answered == id).map(|(_, answer)| answer.clone());
        let given = || folder::find_answer(&it.folder, id).map(OtherAnswer::of);
        let ended = match replied {
            Some(reply) => RequestEnd::Here(reply),
            None if journalled.is_some() || folder::is_answered(&it.folder, id) => {
                RequestEnd::Elsewhere(given().or(journalled).unwrap_or_default())
            }
            None if left.contains(id) => RequestEnd::RequesterExited,
            None if it.until.is_some_and(|until| until <= now) => RequestEnd::TimedOut,
            None if !folder::is_asked(&it.folder, id) => RequestEnd::Withdrawn,
            None => RequestEnd::RequesterExited,
        };
        let request = Arc::new(it.request);
        if matches!(ended, RequestEnd::Withdrawn | RequestEnd::Elsewhere(OtherAnswer { by: None, .. })) {
            keep(&mut self.unexplained, request.clone());
        }
        ClosedRequest { request, ended }
    }

    /// Records an answer from the journal; returns the request if it had ended without a known answerer.
    pub(super) fn explain(&mut self, id: &str, answer: OtherAnswer) -> Option<ClosedRequest> {
        keep(&mut self.journalled, (id.to_owned(), answer.clone()));
        let at = self.unexplained.iter().position(|request| request.request_id == id)?;
        let request = self.unexplained.remove(at)?;
        Some(ClosedRequest { request, ended: RequestEnd::Elsewhere(answer) })
    }

    /// Updates the pending requests. Reuses known ones, because they may be large.
    fn show(&mut self, now: Timestamp) {
        let shown = self.pending.iter().map(|it| {
            let until = it.until.map(|until| moment::clock(until, now, &TimeZone::system()));
            let before = self.shown.iter().find(|before| *before.request == it.request && before.folder == it.folder);
            let request = before.map_or_else(|| Arc::new(it.request.clone()), |before| before.request.clone());
            WaitingRequest { request, folder: it.folder.clone(), until }
        });
        let shown: Arc<[WaitingRequest]> = shown.collect();
        if self.shown != shown {
            self.shown = shown;
        }
    }

    fn set_alarm(&mut self, now: Timestamp) {
        if self.pending.is_empty() {
            self.alarm = None;
            return;
        }
        let left = |until: Timestamp| Duration::try_from(until.duration_since(now)).unwrap_or_default();
        let first = self.pending.iter().filter_map(|it| it.until).min().map(left);
        let next = first.map_or(EVERY, |first| first.min(EVERY));
        match &self.alarm {
            Some(alarm) => alarm.set(next),
            None => self.alarm = Alarm::start(next, self.changed.clone()).ok(),
        }
    }

    /// Answers a request for the person at this screen.
    ///
    /// # Errors
    /// The request is no longer pending or not the one that was shown, another answer came first, or the file system
    /// reports an error.
    pub(super) fn reply(&mut self, request: &Request, reply: Reply) -> Result<(), ReplyFailure> {
        let found = self.pending.iter().find(|it| it.request.request_id == request.request_id);
        let Some(pending) = found else { return Err(ReplyFailure::Late(None)) };
        // Another program may have changed its file.
        if pending.request != *request {
            return Err(ReplyFailure::Changed);
        }
        let (selected_ids, yes) = match &reply {
            Reply::Chosen(ids) => (ids.clone(), false),
            Reply::Yes => (Vec::new(), true),
            Reply::No => (Vec::new(), false),
        };
        let approved = pending.request.approval.is_some().then_some(yes);
        let request_id = request.request_id.clone();
        let by = Some(self.who.clone());
        let response = Response { request_id: request_id.clone(), selected_ids, approved, by };
        let bytes = response.sealed(request, &self.sealer).map_err(ReplyFailure::Failed)?;
        match folder::answer(&pending.folder, &request_id, &bytes) {
            Ok(AnswerStatus::First) => {
                self.replied.push((request_id, reply));
                Ok(())
            }
            Ok(AnswerStatus::Late { by }) => Err(ReplyFailure::Late(by)),
            Err(error) => Err(ReplyFailure::Failed(error)),
        }
    }
}

fn keep<T>(kept: &mut VecDeque<T>, new: T) {
    kept.push_back(new);
    while kept.len() > MATCHED {
        kept.pop_front();
    }
}

/// Why an answer does not count.
#[derive(Debug)]
pub(super) enum ReplyFailure {
    /// Another answer came first, or the request is closed.
    Late(Option<String>),
    /// The pending request is not the one that was shown.
    Changed,
    /// It could not be written.
    Failed(io::Error),
}

/// A thread that sends a message when the folders should be read again; it ends when this is dropped.
#[derive(Debug)]
struct Alarm {
    next: mpsc::Sender<Duration>,
}

impl Alarm {
    fn start(first: Duration, changed: WeakSender<Message>) -> io::Result<Self> {
        let (next, set) = mpsc::channel();
        thread::Builder::new().name("requests".to_owned()).spawn(move || run_alarm(first, &set, &changed))?;
        Ok(Self { next })
    }

    /// Sends the next message after this delay, replacing the previous delay.
    fn set(&self, next: Duration) {
        // The thread ends only with the engine.
        let _ = self.next.send(next);
    }
}

fn run_alarm(first: Duration, set: &mpsc::Receiver<Duration>, changed: &WeakSender<Message>) {
    let mut next = first;
    loop {
        match set.recv_timeout(next) {
            Ok(other) => next = other,
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                next = EVERY;
                let Some(sender) = changed.upgrade() else { return };
                if sender.blocking_send(Message::Changed(OutsideChange::Requests)).is_err() {
                    return;
                }
            }
        }
    }
}

/// Whether this path is in a folder of requests or answers.
pub(crate) fn is_in_folders(folders: &[PathBuf], path: &Path) -> bool {
    path.parent().is_some_and(|parent| folders.iter().any(|folder| folder == parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;

    #[test]
    fn the_journal_says_who_answered_a_request_whose_files_are_gone() {
        let folder = tempfile::tempdir().unwrap();
        let context = WorkspaceContext { workspace: folder.path().to_path_buf(), ..WorkspaceContext::default() };
        let desk = Desk::open(Options::new(context));
        let (changed, _changes) = tokio::sync::mpsc::channel(1);
        let mut requests = Requests::mark_open(&desk, "a screen", changed.downgrade());
        requests.follow(&desk);
        let base = requests.folders.first().cloned().unwrap();
        let end = |requests: &mut Requests, id: &str| {
            let request = serde_json::json!({"request_id": id, "timestamp": "2026-11-22T08:00:00Z"});
            let request = serde_json::from_value(request).unwrap();
            let pending = Pending { request, folder: base.clone(), until: None };
            requests.over(pending, &HashSet::new(), Timestamp::UNIX_EPOCH).ended
        };
        let by = |by: &str| OtherAnswer { by: Some(by.to_owned()), reply: None };
        let ended_by = |name: &str| RequestEnd::Elsewhere(by(name));
        assert_eq!(end(&mut requests, "before"), RequestEnd::Withdrawn);
        let explained = requests.explain("before", by("another screen")).unwrap();
        assert_eq!((explained.request.request_id.as_str(), explained.ended), ("before", ended_by("another screen")));
        assert_eq!(requests.explain("before", by("another screen")), None, "said once");
        assert_eq!(requests.explain("after", by("a webhook")), None);
        assert_eq!(end(&mut requests, "after"), ended_by("a webhook"), "the journal was read first");
        for nth in 0..100 {
            requests.explain(&format!("other-{nth}"), by("a webhook"));
        }
        assert_eq!(requests.journalled.len(), MATCHED);
    }
}
