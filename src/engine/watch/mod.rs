//! Watching what a desk depends on: by being told where the system tells, else by looking (BEHAVIOUR §9 "Watching"). Either
//! way a change becomes one [`Command::Reload`], or less where less is enough; what changed is for the desk to find out.

mod gather;
mod live;
mod poll;
mod remote;
mod wanted;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use tokio::sync::mpsc::WeakSender;

use self::gather::Seen;
use self::live::Live;
use self::poll::Poll;
use self::wanted::Wanted;
use super::message::{Command, Watching};
use crate::desk::Desk;
use crate::disk::path::display;
use crate::report::Diagnostic;

/// What is watched now.
pub struct Watch {
    means: Means,
    /// Folders that the system refuses to watch, and why.
    refused: Vec<Diagnostic>,
}

enum Means {
    Live { live: Live, seen: mpsc::Sender<Seen> },
    Polling { poll: Poll, why: Arc<str> },
    Off { why: Arc<str> },
}

impl Watch {
    /// A watch that follows nothing yet; changes are sent to `changed`.
    pub fn new(changed: WeakSender<Command>) -> Self {
        let means = match gather::start(changed) {
            Err(error) => Means::Off { why: error.to_string().into() },
            Ok(seen) => match Live::new(seen.clone()) {
                Ok(live) => Means::Live { live, seen },
                Err(why) => Means::polling(&why, seen),
            },
        };
        Self { means, refused: Vec::new() }
    }

    /// Follows exactly what this desk depends on, and the folders of `requests`. Tells whether there was something new to follow, which may have changed
    /// since it was read and before it was followed.
    pub fn follow(&mut self, desk: &Desk, requests: Vec<PathBuf>) -> Followed {
        let wanted = Wanted::of(desk, requests);
        self.refused.clear();
        if let Means::Live { live, seen } = &mut self.means {
            match live.follow(&wanted) {
                Ok(outcome) => {
                    let tell = |(folder, why): &(PathBuf, String)| refused(desk.workspace(), folder, why);
                    self.refused = outcome.refused.iter().map(tell).collect();
                    return outcome.followed;
                }
                Err(why) => self.means = Means::polling(&why, seen.clone()),
            }
        }
        if let Means::Polling { poll, .. } = &self.means {
            poll.follow(wanted);
        }
        Followed::Known
    }

    /// Has everything read once more, soon.
    pub fn look_again(&self) {
        if let Means::Live { seen, .. } = &self.means {
            // Who gathers changes goes only when the engine does.
            let _ = seen.send(Seen::Anything);
        }
    }

    /// How changes come to be known now.
    pub fn watching(&self) -> Watching {
        match &self.means {
            Means::Live { .. } => Watching::Live,
            Means::Polling { why, .. } => Watching::Polling(why.clone()),
            Means::Off { why } => Watching::Off(why.clone()),
        }
    }

    /// What keeps changes from being seen at once.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let own = match &self.means {
            Means::Live { .. } => None,
            Means::Polling { why, .. } => {
                let message = format!("changes on disk are looked for every {} s: {why}", poll::EVERY.as_secs());
                Some(Diagnostic::warning("polling", message).hint("press r to read everything at once"))
            }
            Means::Off { why } => {
                let problem = Diagnostic::warning("not-watched", format!("changes on disk are not seen: {why}"));
                Some(problem.hint("press r to read everything again"))
            }
        };
        own.into_iter().chain(self.refused.iter().cloned()).collect()
    }
}

impl Means {
    fn polling(why: &str, seen: mpsc::Sender<Seen>) -> Self {
        match Poll::start(poll::EVERY, seen) {
            Ok(poll) => Self::Polling { poll, why: why.into() },
            Err(error) => Self::Off { why: format!("{why}; {error}").into() },
        }
    }
}

/// Whether there was something to follow that was not followed before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// Nothing else than before.
    Known,
    /// Something that may have changed before it was followed.
    New,
}

fn refused(workspace: &Path, folder: &Path, why: &str) -> Diagnostic {
    Diagnostic::warning("not-watched", format!("changes in this folder are not seen: {why}"))
        .in_file(display(workspace, folder))
        .hint("make it readable; until then press r to read everything again")
}
