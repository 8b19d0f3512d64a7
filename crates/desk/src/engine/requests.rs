//! Who asks a person for something: a screen attends its workspace, looks into the folders where requests lie, and writes
//! the answers there. Somebody who is killed tells nobody, and neither does time; so while anybody waits, and only then, it
//! is looked again every second, or when the first of them waits no longer.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc::WeakSender;

use super::notice::moment;
use super::request::{Change, Message};
use crate::Desk;
use crate::channel::folder::{self, Base, Landed, Pending};
use crate::channel::presence::{self, Presence};
use crate::channel::{Request, Response, Way, standing};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Between two looks at those who wait: so long a screen may offer an answer to somebody who was killed.
const EVERY: Duration = Duration::from_secs(1);

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// What is asked, by whom.
    pub request: Arc<Request>,
    /// Where the answer goes.
    pub folder: Base,
    /// Until when it is waited for, by the clock on the wall; `None` where nobody said.
    pub until: Option<String>,
}

/// What a person says to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// These are chosen.
    Chosen(Vec<String>),
    /// Yes to a write.
    Yes,
    /// None of them, or no to a write.
    No,
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// This screen answered it first.
    Here(Reply),
    /// Somebody else did: who, where that is known.
    Elsewhere(Option<String>),
    /// Nobody answered in time.
    TimedOut,
    /// Who asked is not there any more.
    AskerGone,
    /// It was taken back, or answered and read before anybody could see by whom.
    Withdrawn,
}

/// A request that waits no longer.
#[derive(Debug, Clone, PartialEq)]
pub struct Over {
    /// What was asked.
    pub request: Arc<Request>,
    /// How it ended.
    pub ended: Ended,
}

/// What a screen knows of those who ask.
#[derive(Debug)]
pub struct Requests {
    /// `None` where it could not be said that a screen is there, and why.
    present: Result<Presence, Diagnostic>,
    who: String,
    folders: Vec<Base>,
    pending: Vec<Pending>,
    shown: Arc<[Waiting]>,
    /// What is wrong with files that should be requests.
    problems: Vec<Diagnostic>,
    /// Answered here, until they are gone.
    replied: Vec<(String, Reply)>,
    changed: WeakSender<Message>,
    alarm: Option<Alarm>,
}

impl Requests {
    /// Attends the workspace of this desk from now on; `changed` is told when it is time to look again.
    pub fn attend(desk: &Desk, who: &str, changed: WeakSender<Message>) -> Self {
        let present = presence::attend(desk.workspace()).map_err(|error| {
            let message = format!("nobody can see that a screen is open here, so agents may not ask: {error}");
            Diagnostic::warning(Code::NotAttending, message)
                .fix("make .jaato/refdesk writable, and open the screen again")
        });
        Self {
            present,
            who: who.to_owned(),
            folders: Vec::new(),
            pending: Vec::new(),
            shown: Arc::from([]),
            problems: Vec::new(),
            replied: Vec::new(),
            changed,
            alarm: None,
        }
    }

    /// The folders in which files come and go when somebody asks or answers.
    pub fn watched(&self) -> Vec<PathBuf> {
        self.folders.iter().flat_map(|base| ["requests", "responses"].map(|part| base.path().join(part))).collect()
    }

    /// Takes note of where this desk's requests lie now.
    pub fn follow(&mut self, desk: &Desk) {
        self.folders = folder::folders(&Way::of(desk));
    }

    /// Who waits, who asked first first.
    pub fn waiting(&self) -> &Arc<[Waiting]> {
        &self.shown
    }

    /// What keeps requests from being seen.
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        self.present.as_ref().err().into_iter().chain(&self.problems)
    }

    /// Looks who waits now; tells who waits no longer.
    pub fn look(&mut self, desk: &Desk, now: Timestamp) -> Vec<Over> {
        // A link may have come to stand in the way of a folder since.
        self.follow(desk);
        // What dead askers left goes with the look.
        let is_left = |it: &&Pending| standing::is_left(&it.folder, &it.request.request_id);
        let left: HashSet<String> =
            self.pending.iter().filter(is_left).map(|it| it.request.request_id.clone()).collect();
        let mut pending = Vec::new();
        self.problems.clear();
        for folder in &self.folders {
            let (found, problems) = folder::pending(folder, now);
            pending.extend(found);
            self.problems.extend(problems);
        }
        // Who has an answer waits for nobody else, though the file may still be there.
        pending.retain(|it| !standing::is_answered(&it.folder, &it.request.request_id));
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

    fn over(&mut self, it: Pending, left: &HashSet<String>, now: Timestamp) -> Over {
        let id = &it.request.request_id;
        let replied = self.replied.iter().position(|(replied, _)| replied == id).map(|at| self.replied.remove(at).1);
        let ended = match replied {
            Some(reply) => Ended::Here(reply),
            None if standing::is_answered(&it.folder, id) => Ended::Elsewhere(standing::who_answered(&it.folder, id)),
            None if left.contains(id) => Ended::AskerGone,
            None if it.until.is_some_and(|until| until <= now) => Ended::TimedOut,
            None if !standing::is_asked(&it.folder, id) => Ended::Withdrawn,
            None => Ended::AskerGone,
        };
        Over { request: Arc::new(it.request), ended }
    }

    /// Keeps what is shown of each that waited before: a request may be large.
    fn show(&mut self, now: Timestamp) {
        let shown = self.pending.iter().map(|it| {
            let until = it.until.map(|until| moment::clock(until, now));
            let before = self.shown.iter().find(|before| *before.request == it.request && before.folder == it.folder);
            let request = before.map_or_else(|| Arc::new(it.request.clone()), |before| before.request.clone());
            Waiting { request, folder: it.folder.clone(), until }
        });
        let shown: Arc<[Waiting]> = shown.collect();
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

    /// Answers a request as somebody at this screen says.
    ///
    /// # Errors
    /// Why that is no answer: it waits no longer, somebody was quicker, or the file system refuses.
    pub fn reply(&mut self, request_id: &str, reply: Reply) -> Result<(), NotReplied> {
        let found = self.pending.iter().find(|it| it.request.request_id == request_id);
        let Some(pending) = found else { return Err(NotReplied::Late(None)) };
        let (selected_ids, yes) = match &reply {
            Reply::Chosen(ids) => (ids.clone(), false),
            Reply::Yes => (Vec::new(), true),
            Reply::No => (Vec::new(), false),
        };
        let approved = pending.request.approval.is_some().then_some(yes);
        let request_id = request_id.to_owned();
        let by = Some(self.who.clone());
        let response = Response { request_id: request_id.clone(), selected_ids, approved, by };
        match folder::answer(&pending.folder, &response) {
            Ok(Landed::First) => {
                self.replied.push((request_id, reply));
                Ok(())
            }
            Ok(Landed::Late { by }) => Err(NotReplied::Late(by)),
            Err(error) => Err(NotReplied::Failed(error)),
        }
    }
}

/// Why an answer was none.
#[derive(Debug)]
pub enum NotReplied {
    /// Somebody was quicker, or nobody waits any more.
    Late(Option<String>),
    /// It could not be written.
    Failed(io::Error),
}

/// A thread that says when it is time to look again; it ends when this is dropped.
#[derive(Debug)]
struct Alarm {
    next: mpsc::Sender<Duration>,
}

impl Alarm {
    fn start(first: Duration, changed: WeakSender<Message>) -> io::Result<Self> {
        let (next, set) = mpsc::channel();
        thread::Builder::new().name("requests".to_owned()).spawn(move || ring(first, &set, &changed))?;
        Ok(Self { next })
    }

    /// Rings so long from now, whatever was said before.
    fn set(&self, next: Duration) {
        // Its thread ends only with the engine.
        let _ = self.next.send(next);
    }
}

fn ring(first: Duration, set: &mpsc::Receiver<Duration>, changed: &WeakSender<Message>) {
    let mut next = first;
    loop {
        match set.recv_timeout(next) {
            Ok(other) => next = other,
            Err(mpsc::RecvTimeoutError::Disconnected) => return,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                next = EVERY;
                let Some(sender) = changed.upgrade() else { return };
                if sender.blocking_send(Message::Changed(Change::Requests)).is_err() {
                    return;
                }
            }
        }
    }
}

/// Whether this folder is one in which requests or answers lie.
pub fn is_of(folders: &[PathBuf], path: &Path) -> bool {
    path.parent().is_some_and(|parent| folders.iter().any(|folder| folder == parent))
}
