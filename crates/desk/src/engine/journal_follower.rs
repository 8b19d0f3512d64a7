//! Follows the journal: reports lines of every session, of this process and others, as they are appended. Skips what
//! this process did, and lines that the difference between two snapshots reports anyway.

use std::io;
use std::path::Path;

use crate::Desk;
use crate::session::{JournalEvent, JournalTail, Line};
use refdesk_files::name::safe;
use refdesk_templates::FOLDER;

use super::event::Age;

/// How many existing lines a new screen starts with.
const PAST: usize = 300;

/// The most lines read at a time, as many as a feed keeps.
pub(crate) const MAX: usize = 1000;

/// A position in the journal.
#[derive(Debug)]
pub(super) struct JournalFollower {
    /// `None` until the first read, so that the first frame does not wait for it.
    tail: Option<JournalTail>,
    /// The desk whose choices are reported as notices.
    desk: String,
    /// Whether the last read succeeded, so that an error is reported only once.
    is_readable: bool,
}

/// Whether this desk wrote the line with this number.
type IsOwn<'a> = &'a dyn Fn(u64) -> bool;

/// What was added to the journal since the last read.
#[derive(Debug, Default)]
pub(crate) struct NewLines {
    /// The lines, oldest first, at most [`MAX`].
    pub lines: Vec<Line>,
    /// How many earlier lines were skipped.
    pub dropped: usize,
    /// Why the journal cannot be read, reported once; or how many of its lines are unreadable.
    pub problem: Option<String>,
}

/// Whether differences between snapshots are already reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notices {
    Reported,
    /// Not yet: existing picks and exclusions are not changes.
    NotYet,
}

impl JournalFollower {
    /// A follower that has not read anything.
    pub(super) fn new(desk: &Desk) -> Self {
        Self { tail: None, desk: safe(desk.name()), is_readable: true }
    }

    /// Whether the existing lines were read.
    pub(super) fn has_begun(&self) -> bool {
        self.tail.is_some()
    }

    /// The relevant lines appended since the last read; on the first read, the last existing lines.
    pub(super) fn read_on(&mut self, desk: &Desk, age: Age, notices: Notices) -> NewLines {
        let read = self.tail.get_or_insert_with(|| desk.tail(PAST)).read();
        let is_own = |n| desk.own_lines.take(n);
        self.take(read, &is_own, age, notices)
    }

    fn take(
        &mut self,
        read: io::Result<(Vec<Line>, usize)>,
        is_own: IsOwn<'_>,
        age: Age,
        notices: Notices,
    ) -> NewLines {
        let (mut lines, damaged) = match read {
            Ok(read) => read,
            Err(error) => {
                let was_readable = std::mem::replace(&mut self.is_readable, false);
                let problem = was_readable.then(|| format!("the journal cannot be read: {error}"));
                return NewLines { problem, ..NewLines::default() };
            }
        };
        self.is_readable = true;
        lines.retain(|line| self.adds(line, is_own, age, notices));
        let dropped = lines.len().saturating_sub(MAX);
        lines.drain(..dropped);
        // Do not report damage from before the start.
        let is_told = damaged > 0 && age == Age::Now;
        let problem = is_told.then(|| format!("unreadable journal lines skipped: {damaged}"));
        NewLines { lines, dropped, problem }
    }

    /// Whether a line adds something to the notices.
    fn adds(&self, line: &Line, is_own: IsOwn<'_>, age: Age, notices: Notices) -> bool {
        let is_own = is_own(line.n);
        match line.receipt.what {
            // Choices made at this desk appear as notices; those of others appear as their lines, one by one and with
            // names.
            JournalEvent::Selected | JournalEvent::Unselected | JournalEvent::Excluded | JournalEvent::Included => {
                age == Age::Past || notices == Notices::NotYet || line.desk != self.desk || !is_own
            }
            // Files that a person had written appear as notices. Files of templates have only lines.
            JournalEvent::Written => !is_own || line.receipt.about.iter().all(|it| Path::new(it).starts_with(FOLDER)),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::session::Receipt;

    /// Marks every line as written by another process.
    const ELSEWHERE: IsOwn<'_> = &|_| false;

    fn follower() -> JournalFollower {
        JournalFollower { tail: None, desk: "default".to_owned(), is_readable: true }
    }

    fn line(what: JournalEvent, desk: &str, session: &str, about: &str) -> Line {
        let receipt = Receipt { about: vec![about.to_owned()], ..Receipt::new(what) };
        let [time, who] = ["2026-11-22T08:00:00.000Z", "a screen"].map(str::to_owned);
        Line { n: 1, time, desk: desk.to_owned(), session: session.to_owned(), who, receipt, seal: None }
    }

    #[test]
    fn lines_that_notices_report_are_left_out() {
        use Age::{Now, Past};
        use Notices::{NotYet, Reported};
        for (what, desk, session, own, age, notices, adds) in [
            (JournalEvent::Enriched, "default", "s", false, Now, Reported, true),
            (JournalEvent::Read, "default", "s", true, Now, Reported, true),
            (JournalEvent::Selected, "default", "s", false, Now, Reported, true),
            (JournalEvent::Excluded, "default", "mine", true, Now, Reported, false),
            // Another process made the choice before the first notice, so its line is reported.
            (JournalEvent::Selected, "default", "before", false, Now, Reported, true),
            (JournalEvent::Selected, "other", "s", false, Now, Reported, true),
            (JournalEvent::Selected, "default", "s", false, Now, NotYet, true),
            (JournalEvent::Selected, "default", "mine", true, Now, NotYet, true),
            (JournalEvent::Unselected, "default", "s", false, Past, Reported, true),
            (JournalEvent::Written, "default", "s", false, Now, Reported, true),
            (JournalEvent::Written, "default", "mine", true, Now, Reported, false),
            (JournalEvent::Removed, "default", "s", false, Now, Reported, true),
            (JournalEvent::Removed, "default", "mine", true, Now, Reported, true),
        ] {
            let new = follower().take(Ok((vec![line(what, desk, session, "a")], 0)), &|_| own, age, notices);
            assert_eq!(new.lines.len(), usize::from(adds), "{what:?} {desk} {session} {own} {age:?} {notices:?}");
        }
        let template = line(JournalEvent::Written, "default", "mine", ".jaato/templates/a.tmpl");
        let new = follower().take(Ok((vec![template], 0)), &|_| true, Now, Reported);
        assert_eq!(new.lines.len(), 1, "no notice reports the file of a template");
    }

    #[test]
    fn the_same_file_written_by_another_screen_is_reported() {
        let asked = Cell::new(0);
        let is_own = |n| {
            asked.set(asked.get() + 1);
            n == 1
        };
        let mut lines = vec![line(JournalEvent::Written, "default", "s", "a"); 3];
        lines.iter_mut().zip(1..).for_each(|(line, n)| line.n = n);
        let new = follower().take(Ok((lines, 0)), &is_own, Age::Now, Notices::Reported);
        assert_eq!(new.lines.iter().map(|line| line.n).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(asked.get(), 3, "each line is asked about once");
    }

    #[test]
    fn lines_beyond_the_limit_are_counted() {
        let mut lines = vec![line(JournalEvent::Read, "default", "x", "old"); 5];
        lines.extend(vec![line(JournalEvent::Read, "default", "x", "new"); MAX]);
        let new = follower().take(Ok((lines, 0)), ELSEWHERE, Age::Now, Notices::Reported);
        assert_eq!((new.lines.len(), new.dropped), (MAX, 5));
        assert!(new.lines.iter().all(|line| line.receipt.about == ["new"]));
    }

    #[test]
    fn a_read_error_is_reported_once() {
        let mut follower = follower();
        let mut said = |read| follower.take(read, ELSEWHERE, Age::Now, Notices::Reported).problem.is_some();
        let fails = || Err(io::Error::other("no"));
        assert_eq!([said(fails()), said(fails())], [true, false]);
        said(Ok((Vec::new(), 0)));
        assert!(said(fails()), "it worked meanwhile");
    }
}
