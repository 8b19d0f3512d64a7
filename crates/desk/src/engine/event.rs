//! What the engine reports unsolicited.

use super::database_run::DatabaseRunProgress;
use super::notice::Notice;
use super::requests::ClosedRequest;
use crate::session::Line;
use refdesk_text::Error;

/// An unsolicited report, other than a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Something that happened at the desk.
    Notice(Notice),
    /// Lines that this or another process appended to the journal.
    Receipts(Receipts),
    /// An agent connected or disconnected.
    Agents,
    /// A request that no longer waits for a person.
    Closed(Box<ClosedRequest>),
    /// The progress of the run that documents databases.
    DatabaseRun(DatabaseRunProgress),
    /// A failure after a change from outside.
    Refused(Error),
}

/// Lines of the journal, for the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipts {
    /// Each line as a notice and as it is in the journal, oldest first.
    pub lines: Vec<(Notice, Line)>,
    /// When they were written.
    pub age: Age,
    /// A notice of how many earlier lines of a burst were skipped.
    pub gap: Option<Notice>,
}

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Before the engine started.
    Past,
    /// While the engine runs.
    Now,
}
