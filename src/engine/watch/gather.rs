//! Many changes become one [`Command::Reload`], or one [`Command::Reread`] where only picks changed: a save is several
//! changes, a checkout thousands (BEHAVIOUR §9 "Watching"). That the journal grew is told by itself, as [`Command::Listen`].

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::WeakSender;

use crate::engine::message::Command;

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
pub fn start(changed: WeakSender<Command>) -> io::Result<mpsc::Sender<Seen>> {
    let (seen, changes) = mpsc::channel();
    thread::Builder::new().name("gather".to_owned()).spawn(move || gather(&changes, &changed))?;
    Ok(seen)
}

/// What was seen of one burst of changes.
#[derive(Debug, Default)]
struct Burst {
    journal: bool,
    requests: bool,
    /// The most of what else there was.
    desk: Option<Seen>,
}

impl Burst {
    fn add(&mut self, seen: Seen) {
        // What is not known may have been the journal.
        self.journal |= matches!(seen, Seen::Journal | Seen::Anything);
        self.requests |= seen == Seen::Request;
        if matches!(seen, Seen::Choice | Seen::Anything) {
            self.desk = self.desk.max(Some(seen));
        }
    }

    /// How long the next change may take that still belongs to it. The journal grows with every text that is enriched: it
    /// is not waited for until it is quiet.
    fn patience(&self, since: Duration) -> Duration {
        match self.desk {
            Some(_) if since < LONGEST => QUIET,
            Some(_) => Duration::ZERO,
            None => QUIET.saturating_sub(since),
        }
    }

    /// The journal first: a pick that it tells of is then seen as well.
    fn commands(&self) -> impl Iterator<Item = Command> {
        let desk = self.desk.map(|seen| if seen == Seen::Choice { Command::Reread } else { Command::Reload });
        // A reload looks at the requests too; but whoever asks is not to wait for it.
        let requests = self.requests.then_some(Command::Requests);
        requests.into_iter().chain(self.journal.then_some(Command::Listen)).chain(desk)
    }
}

/// Waits for a first change, gathers those that follow, and says so once.
fn gather(changes: &mpsc::Receiver<Seen>, changed: &WeakSender<Command>) {
    while let Ok(first) = changes.recv() {
        let began = Instant::now();
        let mut burst = Burst::default();
        burst.add(first);
        loop {
            let patience = burst.patience(began.elapsed());
            if patience.is_zero() {
                break;
            }
            match changes.recv_timeout(patience) {
                Ok(more) => burst.add(more),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(sender) = changed.upgrade() else { return };
        for command in burst.commands() {
            if sender.blocking_send(command).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_for_which_changes() {
        use Seen::{Anything, Choice, Journal, Request};
        let (listen, reread, reload) = (Command::Listen, Command::Reread, Command::Reload);
        for (seen, expected) in [
            (&[Journal][..], vec![listen.clone()]),
            (&[Choice], vec![reread.clone()]),
            (&[Journal, Choice, Journal], vec![listen.clone(), reread]),
            (&[Choice, Anything], vec![listen.clone(), reload.clone()]),
            (&[Request, Request], vec![Command::Requests]),
            (&[Journal, Request], vec![Command::Requests, listen.clone()]),
            (&[Anything, Journal], vec![listen, reload]),
        ] {
            let mut burst = Burst::default();
            seen.iter().for_each(|seen| burst.add(*seen));
            assert_eq!(burst.commands().collect::<Vec<_>>(), expected, "{seen:?}");
        }
    }

    #[test]
    fn a_journal_that_never_rests_is_told_of_all_the_same() {
        let mut burst = Burst::default();
        burst.add(Seen::Journal);
        let (soon, late) = (Duration::from_millis(20), Duration::from_millis(60));
        assert_eq!([burst.patience(soon), burst.patience(late)], [QUIET - soon, Duration::ZERO]);
        burst.add(Seen::Choice);
        assert_eq!([burst.patience(late), burst.patience(LONGEST)], [QUIET, Duration::ZERO]);
    }
}
