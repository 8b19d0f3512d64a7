//! What the journal says that nobody else tells: lines of every session, of this process and of others, as they come. What
//! is seen anyway as the difference between two snapshots, or was done here, is not told twice.

use std::collections::VecDeque;
use std::io;

use crate::desk::Desk;
use crate::disk::name::safe;
use crate::session::{Line, Tail, What};

use super::message::Age;

/// Lines of before that a new screen begins with.
const PAST: usize = 300;

/// Lines that are told of one look: a feed keeps no more, and whoever reads this would only be held up.
pub const MOST: usize = 1000;

/// Files written here that the journal has not been heard of yet; more are never under way.
const OWN: usize = 64;

/// An ear at the journal.
#[derive(Debug)]
pub struct Overhear {
    /// `None` until it was listened first: the first frame does not wait for it.
    tail: Option<Tail>,
    /// The desk whose choices are told as notices.
    desk: String,
    /// What this process calls itself.
    who: String,
    /// Files that were written here, as printed: their notices were told.
    written: VecDeque<String>,
    /// Whether it could be read the last time: what keeps it from being read is said once.
    state: Reading,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Works,
    Fails,
}

/// What came of listening.
#[derive(Debug, Default)]
pub struct Heard {
    /// Oldest first, at most [`MOST`].
    pub lines: Vec<Line>,
    /// How many came before them.
    pub dropped: usize,
    /// Why the journal cannot be read, said once; or how much of it cannot.
    pub problem: Option<String>,
}

/// Whether the difference between snapshots is told by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notices {
    /// It is.
    Told,
    /// What was chosen until now is no change.
    NotYet,
}

impl Overhear {
    /// Reads nothing yet.
    pub fn new(desk: &Desk) -> Self {
        Self {
            tail: None,
            desk: safe(desk.name()),
            who: desk.who().to_owned(),
            written: VecDeque::new(),
            state: Reading::Works,
        }
    }

    /// Notes that a file was written here, and told.
    pub fn wrote(&mut self, shown: &str) {
        self.written.push_back(shown.to_owned());
        if self.written.len() > OWN {
            self.written.pop_front();
        }
    }

    /// What was appended since it was listened last, as far as it adds something; at first the last lines that are there.
    pub fn listen(&mut self, desk: &Desk, age: Age, notices: Notices) -> Heard {
        let read = self.tail.get_or_insert_with(|| desk.tail(PAST)).read();
        self.take(read, age, notices)
    }

    fn take(&mut self, read: io::Result<(Vec<Line>, usize)>, age: Age, notices: Notices) -> Heard {
        let (mut lines, damaged) = match read {
            Ok(read) => read,
            Err(error) => {
                let before = std::mem::replace(&mut self.state, Reading::Fails);
                let problem = (before == Reading::Works).then(|| format!("the journal cannot be read: {error}"));
                return Heard { problem, ..Heard::default() };
            }
        };
        self.state = Reading::Works;
        lines.retain(|line| self.adds(line, age, notices));
        let dropped = lines.len().saturating_sub(MOST);
        lines.drain(..dropped);
        // What lies there from before was damaged before anybody looked.
        let is_told = damaged > 0 && age == Age::Now;
        let problem = is_told.then(|| format!("the journal has lines that cannot be read: {damaged} left out"));
        Heard { lines, dropped, problem }
    }

    /// Whether a line says what no notice says.
    fn adds(&mut self, line: &Line, age: Age, notices: Notices) -> bool {
        match line.receipt.what {
            What::Selected | What::Unselected | What::Excluded | What::Included => {
                age == Age::Past || notices == Notices::NotYet || line.desk != self.desk
            }
            What::Written | What::Removed if age == Age::Now && line.who == self.who => {
                let own = self.written.iter().position(|written| line.receipt.about.contains(written));
                own.and_then(|at| self.written.remove(at)).is_none()
            }
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Surroundings;
    use crate::desk::Options;
    use crate::session::{Receipt, SCREEN};

    fn ear() -> (tempfile::TempDir, Overhear) {
        let folder = tempfile::tempdir().unwrap();
        let around = Surroundings { workspace: folder.path().to_path_buf(), ..Surroundings::default() };
        let desk = Desk::open(Options { who: SCREEN.to_owned(), ..Options::new(around) });
        (folder, Overhear::new(&desk))
    }

    fn line(what: What, desk: &str, who: &str, about: &str) -> Line {
        let receipt = Receipt { about: vec![about.to_owned()], ..Receipt::new(what) };
        let [time, session] = ["2026-11-22T08:00:00.000Z", "s"].map(str::to_owned);
        Line { n: 1, time, desk: desk.to_owned(), session, who: who.to_owned(), receipt }
    }

    #[test]
    fn what_is_told_anyway_is_not_told_twice() {
        use Age::{Now, Past};
        use Notices::{NotYet, Told};
        for (what, desk, who, age, notices, adds) in [
            (What::Enriched, "default", "refdesk enrich", Now, Told, true),
            (What::Read, "default", SCREEN, Now, Told, true),
            (What::Selected, "default", "refdesk select", Now, Told, false),
            (What::Excluded, "default", SCREEN, Now, Told, false),
            (What::Selected, "other", "refdesk select", Now, Told, true),
            (What::Selected, "default", "refdesk select", Now, NotYet, true),
            (What::Unselected, "default", "refdesk select", Past, Told, true),
            (What::Written, "default", "refdesk render", Now, Told, true),
            (What::Written, "default", SCREEN, Now, Told, false),
            (What::Removed, "default", SCREEN, Now, Told, false),
            (What::Removed, "default", "claude-code", Now, Told, true),
            (What::Written, "default", SCREEN, Past, Told, true),
        ] {
            let (_folder, mut ear) = ear();
            ear.wrote("a");
            let heard = ear.take(Ok((vec![line(what, desk, who, "a")], 0)), age, notices);
            assert_eq!(heard.lines.len(), usize::from(adds), "{what:?} {desk} {who} {age:?} {notices:?}");
        }
    }

    #[test]
    fn one_write_is_one_line_of_another_screen_the_next() {
        let (_folder, mut ear) = ear();
        ear.wrote("a");
        let lines = vec![line(What::Written, "default", SCREEN, "a"); 2];
        assert_eq!(ear.take(Ok((lines, 0)), Age::Now, Notices::Told).lines.len(), 1);
    }

    #[test]
    fn what_comes_too_fast_is_counted() {
        let (_folder, mut ear) = ear();
        let mut lines = vec![line(What::Read, "default", "x", "old"); 5];
        lines.extend(vec![line(What::Read, "default", "x", "new"); MOST]);
        let heard = ear.take(Ok((lines, 0)), Age::Now, Notices::Told);
        assert_eq!((heard.lines.len(), heard.dropped), (MOST, 5));
        assert!(heard.lines.iter().all(|line| line.receipt.about == ["new"]));
    }

    #[test]
    fn what_keeps_it_from_being_read_is_said_once() {
        let (_folder, mut ear) = ear();
        let mut said = || ear.take(Err(io::Error::other("no")), Age::Now, Notices::Told).problem.is_some();
        assert_eq!([said(), said()], [true, false]);
        ear.take(Ok((Vec::new(), 0)), Age::Now, Notices::Told);
        assert!(
            ear.take(Err(io::Error::other("no")), Age::Now, Notices::Told).problem.is_some(),
            "it worked in between"
        );
    }
}
