//! Watches what a desk depends on, with the system's watcher or by polling (BEHAVIOUR §9 "Watching"). Either way, a
//! change is sent as one [`OutsideChange::Workspace`], or as a narrower one if that suffices; the desk finds out what
//! changed. Nothing waits for the watches to be set.

mod change_burst;
mod events;
mod limits;
mod live;
mod poll;
mod remote;
mod wanted;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use tokio::sync::mpsc::WeakSender;

use self::limits::WatchLimits;
use self::live::Live;
use self::poll::Poll;
use self::wanted::WatchSet;
pub(crate) use self::wanted::Watcher;
use super::request::{Message, OutsideChange};
use super::snapshot::Watching;
use crate::Desk;
use refdesk_files::path::display;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Fix};

/// Watches what a desk depends on, on its own thread, because there may be thousands of folders to watch.
pub(super) struct Watch {
    /// Sends what to watch to the thread; `None` if the system cannot start one.
    orders: Option<mpsc::Sender<WatchSet>>,
    /// The outcome of the first order, while the engine waits for it.
    first: Option<mpsc::Receiver<Followed>>,
    status: Arc<Mutex<Status>>,
}

/// The number of folders to watch for a desk, not counting those inside trees.
pub fn watched_folders(desk: &Desk) -> usize {
    let wanted = WatchSet::of(desk, Vec::new(), Watcher::Screen);
    wanted.folders.len() + wanted.trees.len()
}

/// How changes are currently noticed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Status {
    watching: Watching,
    /// Folders that the system refuses to watch, and why.
    refused: Vec<Diagnostic>,
}

enum WatchBackend {
    Live(Live),
    Polling { poll: Poll, why: Arc<str> },
    Off { why: Arc<str> },
}

impl Watch {
    /// A watch that does not follow anything yet; it sends changes to `changed`.
    pub(super) fn new(changed: WeakSender<Message>) -> Self {
        let status: Arc<Mutex<Status>> = Arc::default();
        let (orders, wanted) = mpsc::channel();
        // The channel holds no value: either a receiver takes it, or none is waiting.
        let (done, first) = mpsc::sync_channel(0);
        let shared = status.clone();
        let started = change_burst::start(changed).and_then(|seen| {
            thread::Builder::new().name("watch".to_owned()).spawn(move || run(&wanted, &seen, done, &shared))
        });
        match started {
            Ok(_) => Self { orders: Some(orders), first: Some(first), status },
            Err(error) => {
                let watching = Watching::Off(error.to_string().into());
                Self {
                    orders: None,
                    first: None,
                    status: Arc::new(Mutex::new(Status { watching, refused: Vec::new() })),
                }
            }
        }
    }

    /// Starts to follow exactly what this desk depends on, and the folders of `requests`. Does not wait for that;
    /// anything that may have changed before is reported as a change.
    pub(super) fn follow(&self, desk: &Desk, requests: Vec<PathBuf>, watcher: Watcher) {
        if let Some(orders) = &self.orders {
            // The thread ends only when this is dropped.
            let _ = orders.send(WatchSet::of(desk, requests, watcher));
        }
    }

    /// The outcome of the first order, if it is known within this time.
    pub(super) fn first(&self, wait: Duration) -> Option<Followed> {
        self.first.as_ref()?.recv_timeout(wait).ok()
    }

    /// Stops waiting for the first order; anything that may have changed before it was carried out is reported as a
    /// change.
    pub(super) fn stop_waiting(&mut self) {
        self.first = None;
    }

    fn status(&self) -> Status {
        self.status.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How changes are currently noticed.
    pub(super) fn watching(&self) -> Watching {
        self.status().watching
    }

    /// Why changes may not be noticed immediately.
    pub(super) fn diagnostics(&self) -> Vec<Diagnostic> {
        let Status { watching, refused } = self.status();
        let own = match &watching {
            Watching::Live => None,
            Watching::Partly(why) => {
                Some(Diagnostic::warning(Code::WatchLimit, format!("not all changes are noticed: {why}")))
            }
            Watching::Polling(why) => {
                let message = format!("changes on disk are polled every {} s: {why}", poll::EVERY.as_secs());
                Some(Diagnostic::warning(Code::Polling, message))
            }
            Watching::Off(why) => {
                Some(Diagnostic::warning(Code::NotWatched, format!("changes on disk are not noticed: {why}")))
            }
        };
        own.into_iter().map(|problem| problem.fix(Fix::Reload)).chain(refused).collect()
    }
}

/// Carries out orders until the sender is dropped, skipping outdated ones.
fn run(
    orders: &mpsc::Receiver<WatchSet>,
    seen: &mpsc::Sender<OutsideChange>,
    done: mpsc::SyncSender<Followed>,
    shared: &Mutex<Status>,
) {
    let limits = WatchLimits::default();
    let mut done = Some(done);
    let mut means = match Live::new(seen.clone(), limits) {
        Ok(live) => WatchBackend::Live(live),
        Err(why) => WatchBackend::polling(&why, seen, limits),
    };
    while let Ok(wanted) = orders.recv() {
        let wanted = orders.try_iter().last().unwrap_or(wanted);
        let (followed, status) = means.follow(wanted, seen, limits);
        let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let is_other = *shared != status;
        *shared = status;
        drop(shared);
        if done.take().is_some_and(|done| done.send(followed).is_ok()) {
            continue;
        }
        // Changes before this point were not reported.
        if (is_other || followed == Followed::New) && seen.send(OutsideChange::Workspace).is_err() {
            return;
        }
    }
}

impl WatchBackend {
    fn polling(why: &str, seen: &mpsc::Sender<OutsideChange>, limits: WatchLimits) -> Self {
        match Poll::start(poll::EVERY, limits, seen.clone()) {
            Ok(poll) => Self::Polling { poll, why: why.into() },
            Err(error) => Self::Off { why: format!("{why}; {error}").into() },
        }
    }

    fn follow(
        &mut self,
        wanted: WatchSet,
        seen: &mpsc::Sender<OutsideChange>,
        limits: WatchLimits,
    ) -> (Followed, Status) {
        if let Self::Live(live) = self {
            match live.follow(&wanted) {
                Ok(outcome) => {
                    let tell = |(folder, why): &(PathBuf, String)| refused(&wanted.workspace, folder, why);
                    let refused = outcome.refused.iter().map(tell).collect();
                    let watching = outcome.left_out.map_or(Watching::Live, |why| Watching::Partly(why.into()));
                    return (outcome.followed, Status { watching, refused });
                }
                Err(why) => *self = Self::polling(&why, seen, limits),
            }
        }
        let mut refused = Vec::new();
        let watching = match self {
            Self::Polling { poll, why } => {
                poll.follow(wanted);
                if poll.is_cut() {
                    let message = format!("not all changes are noticed: only {} entries are checked", limits.entries);
                    refused.push(Diagnostic::warning(Code::WatchLimit, message).fix(Fix::Reload));
                }
                Watching::Polling(why.clone())
            }
            Self::Off { why } => Watching::Off(why.clone()),
            Self::Live(_) => Watching::Live,
        };
        (Followed::Known, Status { watching, refused })
    }
}

/// Whether an order added something to follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It added nothing.
    Known,
    /// It added something that may have changed before.
    New,
}

fn refused(workspace: &Path, folder: &Path, why: &str) -> Diagnostic {
    Diagnostic::warning(Code::NotWatched, format!("changes in this folder are not noticed: {why}"))
        .in_file(display(workspace, folder))
        .fix(Fix::All(vec!["make it readable; until then".into(), Fix::Reload]))
}
