//! Many changes become one [`Change::Workspace`], or one [`Change::Choice`] where only picks changed: a save is several
//! changes, a checkout thousands (BEHAVIOUR §9 "Watching"). That the journal grew is told by itself, as [`Change::Journal`],
//! and waits for none of them.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::WeakSender;

use crate::engine::request::{Change, Message};

/// Quiet for so long, a burst of changes is over.
const QUIET: Duration = Duration::from_millis(50);

/// A burst that does not end is answered all the same.
const LONGEST: Duration = Duration::from_millis(200);

/// What changed, as far as it makes a difference to what has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Seen {
    /// Only the journal.
    Journal,
    /// Only who asks a person for something.
    Request,
    /// Only what is picked and excluded.
    Choice,
    /// Anything else, or something that is not known.
    Anything,
}

/// Where to say that something changed. The thread behind it ends when all who could say so are gone, or the engine.
///
/// # Errors
/// Where the system gives no thread.
pub fn start(changed: WeakSender<Message>) -> io::Result<mpsc::Sender<Seen>> {
    let (seen, changes) = mpsc::channel();
    thread::Builder::new().name("gather".to_owned()).spawn(move || gather(&changes, &changed))?;
    Ok(seen)
}

/// What was seen and is not told yet.
#[derive(Debug, Default)]
struct Burst {
    /// That the journal grew, or somebody asks: since when, and which of them.
    rows: Option<Instant>,
    journal: bool,
    requests: bool,
    /// The most of what else there was.
    desk: Option<Changed>,
}

/// Changes of the desk itself that follow each other.
#[derive(Debug, Clone, Copy)]
struct Changed {
    what: Seen,
    first: Instant,
    last: Instant,
}

impl Changed {
    /// When it is quiet, or has lasted long enough.
    fn due(self) -> Instant {
        (self.last + QUIET).min(self.first + LONGEST)
    }
}

impl Burst {
    fn add(&mut self, seen: Seen, now: Instant) {
        // What is not known may have been the journal.
        self.journal |= matches!(seen, Seen::Journal | Seen::Anything);
        self.requests |= seen == Seen::Request;
        if self.journal || self.requests {
            self.rows.get_or_insert(now);
        }
        if matches!(seen, Seen::Choice | Seen::Anything) {
            let before = self.desk.unwrap_or(Changed { what: seen, first: now, last: now });
            self.desk = Some(Changed { what: before.what.max(seen), last: now, ..before });
        }
    }

    /// When something of it is to be told. The journal grows with everything that anybody does: it is told of soon after the
    /// first line, whatever else goes on, since somebody looks on; changes of the desk wait until it is quiet.
    fn due(&self) -> Option<Instant> {
        self.rows.map(|since| since + QUIET).into_iter().chain(self.desk.map(Changed::due)).min()
    }

    /// What is to be done now. The journal first: a pick that it tells of is then seen as well.
    fn take(&mut self, now: Instant) -> Vec<Change> {
        let desk = self.desk.take_if(|desk| desk.due() <= now);
        let mut due = Vec::new();
        if desk.is_some() || self.rows.is_some_and(|since| since + QUIET <= now) {
            // A reload looks at the requests too; but whoever asks is not to wait for it.
            due.extend(std::mem::take(&mut self.requests).then_some(Change::Requests));
            due.extend(std::mem::take(&mut self.journal).then_some(Change::Journal));
            self.rows = None;
        }
        due.extend(desk.map(|desk| if desk.what == Seen::Choice { Change::Choice } else { Change::Workspace }));
        due
    }
}

/// Gathers changes, and says of them what is due.
fn gather(changes: &mpsc::Receiver<Seen>, changed: &WeakSender<Message>) {
    let mut burst = Burst::default();
    loop {
        let seen = match burst.due() {
            None => changes.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(due) => changes.recv_timeout(due.saturating_duration_since(Instant::now())),
        };
        let now = Instant::now();
        match seen {
            Ok(seen) => burst.add(seen, now),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let due = burst.take(now);
        if due.is_empty() {
            continue;
        }
        let Some(sender) = changed.upgrade() else { return };
        for change in due {
            if sender.blocking_send(Message::Changed(change)).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn what_is_read_for_which_changes() {
        use Seen::{Anything, Choice, Journal, Request};
        let (journal, choice, workspace) = (Change::Journal, Change::Choice, Change::Workspace);
        for (seen, expected) in [
            (&[Journal][..], vec![journal]),
            (&[Choice], vec![choice]),
            (&[Journal, Choice, Journal], vec![journal, choice]),
            (&[Choice, Anything], vec![journal, workspace]),
            (&[Request, Request], vec![Change::Requests]),
            (&[Journal, Request], vec![Change::Requests, journal]),
            (&[Anything, Journal], vec![journal, workspace]),
        ] {
            let (mut burst, now) = (Burst::default(), Instant::now());
            seen.iter().for_each(|seen| burst.add(*seen, now));
            assert_eq!(burst.due(), Some(now + QUIET));
            assert_eq!(burst.take(now), []);
            assert_eq!(burst.take(now + QUIET), expected, "{seen:?}");
            assert!(burst.due().is_none() && burst.take(now + LONGEST).is_empty(), "{seen:?}");
        }
    }

    #[test]
    fn a_journal_that_never_rests_is_told_of_all_the_same() {
        let (mut burst, began) = (Burst::default(), Instant::now());
        for at in [0, 20, 40] {
            burst.add(Seen::Journal, began + after(at));
            burst.add(Seen::Choice, began + after(at));
        }
        assert_eq!(burst.take(began + after(60)), [Change::Journal], "nobody waits until the desk is quiet");
        burst.add(Seen::Journal, began + after(70));
        assert_eq!(burst.take(began + after(90)), [Change::Journal, Change::Choice], "now it is");
    }

    #[test]
    fn a_desk_that_never_rests_is_read_again_all_the_same() {
        let (mut burst, began) = (Burst::default(), Instant::now());
        for at in (0..200).step_by(20) {
            burst.add(Seen::Choice, began + after(at));
            assert_eq!(burst.take(began + after(at)), []);
        }
        assert_eq!(burst.take(began + LONGEST), [Change::Choice]);
    }
}
