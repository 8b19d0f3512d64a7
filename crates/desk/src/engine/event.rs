//! What the engine tells without being asked.

use super::notice::Notice;
use super::requests::Over;
use crate::session::Line;
use refdesk_text::Error;

/// What the engine tells without being asked, besides new snapshots.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Something that happened at the desk.
    Notice(Notice),
    /// Something that this or another process put into the journal.
    Receipts(Receipts),
    /// A request that no longer waits for a person.
    Over(Box<Over>),
    /// What could not be done after a change from outside.
    Refused(Error),
}

/// Lines of the journal, for the feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipts {
    /// Each as a notice and as it is in the journal, oldest first.
    pub told: Vec<(Notice, Line)>,
    /// When they were written.
    pub age: Age,
    /// How many lines before them came too fast to be told, if any did.
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
