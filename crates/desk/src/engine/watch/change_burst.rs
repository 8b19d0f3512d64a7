//! Merges many changes into one [`OutsideChange::Workspace`], or one [`OutsideChange::Choice`] if only picks changed: a
//! save is several changes, a checkout thousands (BEHAVIOUR §9 "Watching"). Journal growth is reported separately as
//! [`OutsideChange::Journal`], without waiting for anything else.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::WeakSender;

use crate::engine::request::{Message, OutsideChange};

/// A burst of changes ends after this much quiet.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// A longer burst is reported after this time.
const LONGEST: Duration = Duration::from_millis(200);

/// Starts the thread that merges changes, and returns its sender. The thread ends when all senders are dropped or the
/// engine ends.
///
/// # Errors
/// The system cannot start a thread.
pub(crate) fn start(changed: WeakSender<Message>) -> io::Result<mpsc::Sender<OutsideChange>> {
    let (seen, changes) = mpsc::channel();
    thread::Builder::new().name("merge_changes".to_owned()).spawn(move || merge_changes(&changes, &changed))?;
    Ok(seen)
}

/// Changes seen but not reported yet.
#[derive(Debug, Default)]
struct Burst {
    /// When the first change of the journal, the requests or the agents was seen.
    rows: Option<Instant>,
    journal: bool,
    requests: bool,
    agents: bool,
    /// The broadest of the other changes.
    desk: Option<Changed>,
}

/// A burst of changes of the desk itself.
#[derive(Debug, Clone, Copy)]
struct Changed {
    what: OutsideChange,
    first: Instant,
    last: Instant,
}

impl Changed {
    /// When the burst counts as over.
    fn due(self) -> Instant {
        (self.last + DEBOUNCE).min(self.first + LONGEST)
    }
}

impl Burst {
    fn add(&mut self, seen: OutsideChange, now: Instant) {
        // An unknown change may include the journal.
        self.journal |= matches!(seen, OutsideChange::Journal | OutsideChange::Workspace);
        self.requests |= seen == OutsideChange::Requests;
        self.agents |= seen == OutsideChange::Agents;
        if self.journal || self.requests || self.agents {
            self.rows.get_or_insert(now);
        }
        if matches!(seen, OutsideChange::Choice | OutsideChange::Workspace) {
            let before = self.desk.unwrap_or(Changed { what: seen, first: now, last: now });
            self.desk = Some(Changed { what: before.what.max(seen), last: now, ..before });
        }
    }

    /// When the next report is due. The journal is reported soon after its first line, because people watch the feed;
    /// changes of the desk wait for quiet.
    fn due(&self) -> Option<Instant> {
        self.rows.map(|since| since + DEBOUNCE).into_iter().chain(self.desk.map(Changed::due)).min()
    }

    /// The changes due now, the journal first, so that the pick behind a line is noticed with it.
    fn take(&mut self, now: Instant) -> Vec<OutsideChange> {
        let desk = self.desk.take_if(|desk| desk.due() <= now);
        let mut due = Vec::new();
        if desk.is_some() || self.rows.is_some_and(|since| since + DEBOUNCE <= now) {
            // A reload also reads the requests, but a request must not wait for it.
            due.extend(std::mem::take(&mut self.requests).then_some(OutsideChange::Requests));
            due.extend(std::mem::take(&mut self.journal).then_some(OutsideChange::Journal));
            due.extend(std::mem::take(&mut self.agents).then_some(OutsideChange::Agents));
            self.rows = None;
        }
        due.extend(desk.map(|desk| desk.what));
        due
    }
}

/// Merges changes, and sends them when due.
fn merge_changes(changes: &mpsc::Receiver<OutsideChange>, changed: &WeakSender<Message>) {
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
    fn which_changes_cause_which_reading() {
        use OutsideChange::{Agents, Choice, Journal, Requests, Workspace};
        for (seen, expected) in [
            (&[Journal][..], vec![Journal]),
            (&[Choice], vec![Choice]),
            (&[Journal, Choice, Journal], vec![Journal, Choice]),
            (&[Choice, Workspace], vec![Journal, Workspace]),
            (&[Requests, Requests], vec![Requests]),
            (&[Journal, Requests], vec![Requests, Journal]),
            (&[Agents, Choice, Agents], vec![Agents, Choice]),
            (&[Workspace, Journal], vec![Journal, Workspace]),
        ] {
            let (mut burst, now) = (Burst::default(), Instant::now());
            seen.iter().for_each(|seen| burst.add(*seen, now));
            assert_eq!(burst.due(), Some(now + DEBOUNCE));
            assert_eq!(burst.take(now), []);
            assert_eq!(burst.take(now + DEBOUNCE), expected, "{seen:?}");
            assert!(burst.due().is_none() && burst.take(now + LONGEST).is_empty(), "{seen:?}");
        }
    }

    #[test]
    fn a_busy_journal_is_reported_without_waiting_for_quiet() {
        let (mut burst, began) = (Burst::default(), Instant::now());
        for at in [0, 20, 40] {
            burst.add(OutsideChange::Journal, began + after(at));
            burst.add(OutsideChange::Choice, began + after(at));
        }
        assert_eq!(burst.take(began + after(60)), [OutsideChange::Journal], "it is reported before the desk is quiet");
        burst.add(OutsideChange::Journal, began + after(70));
        assert_eq!(burst.take(began + after(90)), [OutsideChange::Journal, OutsideChange::Choice], "now it is quiet");
    }

    #[test]
    fn a_busy_desk_is_read_again_without_waiting_for_quiet() {
        let (mut burst, began) = (Burst::default(), Instant::now());
        for at in (0..200).step_by(20) {
            burst.add(OutsideChange::Choice, began + after(at));
            assert_eq!(burst.take(began + after(at)), []);
        }
        assert_eq!(burst.take(began + LONGEST), [OutsideChange::Choice]);
    }
}
