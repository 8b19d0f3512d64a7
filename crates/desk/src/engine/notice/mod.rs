//! What changed between two snapshots, a sentence each, with who did it, why, and which source it is about (BEHAVIOUR §5
//! "For people"). The difference of two values is all there is to know; nothing is recorded on the way. Here is what a notice
//! is and in which order they come; what is said of each part of the desk has its file.

mod catalog;
pub mod moment;
mod problems;
mod receipt;
mod selection;
mod templates;
#[cfg(test)]
mod tests;
mod words;

pub use receipt::{receipt, sentence, unsaid_reason};
pub use selection::selection;

use std::sync::Arc;

use super::Snapshot;
use crate::Spot;
use refdesk_core::catalog::SourceId;
use refdesk_enrich::TextKind;

/// Something that happened at the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// When, by the clock on the wall: `12:03:41`; with its date where that is not today.
    pub time: String,
    /// The same for programs: RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// Who did it.
    pub who: Who,
    /// What it is about.
    pub topic: Topic,
    /// What happened, one sentence.
    pub text: String,
    /// Why, or where: `docs/retry.md:14`; may be empty.
    pub reason: String,
    /// The source to look at; of several the first.
    pub subject: Option<SourceId>,
    /// Whether it is about other sources besides.
    pub several: bool,
    /// The place to look at, where there is one in a file.
    pub place: Option<Spot>,
    /// The session that was told, or that did it, where one is known.
    pub session: Option<Arc<str>>,
    /// The line of the journal that says so, if one does.
    pub receipt: Option<Ticket>,
}

/// Which line of the journal a notice was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    /// Its number.
    pub number: u64,
    /// What kind of text was enriched, if one was.
    pub kind: Option<TextKind>,
    /// Whether it keeps a text that was given.
    pub holds: Holds,
}

/// Whether a line of the journal keeps a text that was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// The exact bytes.
    Text,
    /// Only that something happened.
    Nothing,
}

/// Who made something happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Who {
    /// The person at this screen.
    You,
    /// Another process, by what it calls itself.
    Other(Arc<str>),
    /// Somebody who changed files.
    Files,
}

impl Who {
    /// `you`, `refdesk select`, `files`.
    pub fn word(&self) -> &str {
        match self {
            Self::You => "you",
            Self::Other(name) => name,
            Self::Files => "files",
        }
    }
}

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Who is selected.
    Selection,
    /// Which sources there are.
    Catalog,
    /// What a document says.
    Document,
    /// Which templates there are.
    Template,
    /// What is wrong.
    Problem,
    /// What works, and somebody should look at.
    Warning,
    /// How the desk itself goes.
    Desk,
    /// A text was enriched.
    Enriched,
    /// A session was given the instructions.
    Instructed,
    /// A session forgot what it was told.
    Forgot,
    /// A source was read.
    Read,
    /// A hook could not do what it is for.
    Failed,
    /// A person was asked for something, or answered.
    Asked,
}

impl Topic {
    /// Every topic.
    pub const ALL: [Self; 13] = [
        Self::Selection,
        Self::Catalog,
        Self::Document,
        Self::Template,
        Self::Problem,
        Self::Warning,
        Self::Desk,
        Self::Enriched,
        Self::Instructed,
        Self::Forgot,
        Self::Read,
        Self::Failed,
        Self::Asked,
    ];

    /// One word for lists and filters.
    pub fn word(self) -> &'static str {
        match self {
            Self::Selection => "selection",
            Self::Catalog => "catalog",
            Self::Document => "document",
            Self::Template => "template",
            Self::Problem => "problem",
            Self::Warning => "warning",
            Self::Desk => "desk",
            Self::Enriched => "enriched",
            Self::Instructed => "instructed",
            Self::Forgot => "forgot",
            Self::Read => "read",
            Self::Failed => "failed",
            Self::Asked => "asked",
        }
    }
}

impl Notice {
    /// A notice without a time, which is added when it is told.
    pub fn new(who: Who, topic: Topic, text: impl Into<String>) -> Self {
        Self {
            time: String::new(),
            at: String::new(),
            who,
            topic,
            text: text.into(),
            reason: String::new(),
            subject: None,
            several: false,
            place: None,
            session: None,
            receipt: None,
        }
    }

    fn about(self, id: &SourceId) -> Self {
        Self { subject: Some(id.clone()), ..self }
    }

    /// About so many sources.
    fn of(self, count: usize) -> Self {
        Self { several: count > 1, ..self }
    }

    fn because(self, reason: String) -> Self {
        Self { reason, ..self }
    }

    fn at(self, place: Option<Spot>) -> Self {
        Self { place, ..self }
    }
}

/// Whose the newest change of picks and exclusions is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// They picked, unpicked, excluded or included.
    Choice(Who),
    /// The same, and the journal says who did what, one by one: told here is only what followed from it.
    Journalled(Who),
    /// The person at this screen took a change back, or did it again.
    Retraced {
        /// Which, and what stays: `Undone: pick of @a`.
        text: String,
        /// The sources that the text speaks of.
        named: Vec<String>,
    },
}

impl Cause {
    /// Whose doing it is.
    pub fn who(&self) -> &Who {
        match self {
            Self::Choice(who) | Self::Journalled(who) => who,
            Self::Retraced { .. } => &Who::You,
        }
    }
}

/// The notices that the step from one snapshot to the next is worth; `cause` changed the picks and exclusions that differ.
/// What matters most comes last: the newest is on top, and said in the bottom line.
pub fn notices(before: &Snapshot, after: &Snapshot, cause: &Cause) -> Vec<Notice> {
    let mut notices = catalog::documents(before, after);
    let broken = if Arc::ptr_eq(&before.templates, &after.templates) {
        Vec::new()
    } else {
        notices.extend(templates::changed(before, after));
        let by = if selection::is_chosen(before, after) { cause.who() } else { &Who::Files };
        notices.extend(templates::came_and_went(before, after, by));
        templates::broken(before, after)
    };
    if !Arc::ptr_eq(&before.catalog, &after.catalog) {
        notices.extend(catalog::sources(before, after));
    }
    notices.extend(problems::warnings(before, after));
    notices.extend(selection(before, after, cause));
    notices.extend(broken);
    notices.extend(problems::errors(before, after));
    notices
}
