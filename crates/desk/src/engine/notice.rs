//! Notices of what changed between two snapshots: one sentence each, with who did it, why, and which source it concerns
//! (BEHAVIOUR §5 "For people"). They are computed from the two snapshots; nothing else is recorded. This file defines
//! notices and their order; each topic has its own file.

mod catalog;
pub(crate) mod moment;
mod problems;
mod receipt;
mod selection;
mod templates;
#[cfg(test)]
mod tests;
mod words;

pub use moment::DatedLine;
pub(crate) use moment::clock;
pub(crate) use receipt::receipt;
pub use receipt::{sentence, separate_reason};
pub(crate) use selection::selection;

use std::sync::Arc;

use super::Snapshot;
use crate::FileLine;
use refdesk_core::catalog::SourceId;
use refdesk_enrich::TextKind;

/// Something that happened at the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// When, in local time: `12:03:41`; with the date if it is not today.
    pub time: String,
    /// The same for machines: RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// Who did it.
    pub who: Actor,
    /// Its topic.
    pub topic: Topic,
    /// What happened, one sentence.
    pub text: String,
    /// The reason or the place, such as `docs/retry.md:14`; may be empty.
    pub reason: String,
    /// The source to show; with several, the first.
    pub subject: Option<SourceId>,
    /// Whether it concerns other sources, too.
    pub several: bool,
    /// The position in a file to show, if any.
    pub place: Option<FileLine>,
    /// The session that received it or did it, if known.
    pub session: Option<Arc<str>>,
    /// The journal line it was made from, if any.
    pub receipt: Option<JournalLineRef>,
}

/// The start of a notice about sources pulled in by a pick, as programs read it.
pub const INCLUDED: &str = "References transitively included: ";

/// The journal line from which a notice was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLineRef {
    /// Its number.
    pub number: u64,
    /// The kind of text that was enriched, if any.
    pub kind: Option<TextKind>,
    /// Whether the line contains the text that was sent.
    pub has_text: bool,
    /// The estimated tokens of what was sent or read, otherwise 0.
    pub tokens: usize,
}

/// Who caused something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// The person at this screen.
    You,
    /// Another process, by its own name.
    Other(Arc<str>),
    /// Changed files.
    Files,
}

impl Actor {
    /// Its name: `you`, `refdesk select`, `files`.
    pub fn word(&self) -> &str {
        match self {
            Self::You => "you",
            Self::Other(name) => name,
            Self::Files => "files",
        }
    }
}

refdesk_text::worded_enum! {
    /// The topic of a notice.
    pub enum Topic {
        /// The selection.
        Selection = "selection",
        /// The catalog.
        Catalog = "catalog",
        /// The content of a document.
        Document = "document",
        /// The templates.
        Template = "template",
        /// A file was written or removed.
        File = "file",
        /// An error.
        Problem = "problem",
        /// A warning.
        Warning = "warning",
        /// The desk itself.
        Desk = "desk",
        /// A text was enriched.
        Enriched = "enriched",
        /// A session was sent the instructions.
        Instructed = "instructed",
        /// A session's memory was cleared.
        Forgot = "forgot",
        /// A source was read.
        Read = "read",
        /// A hook failed.
        Failed = "failed",
        /// A person was asked, or answered.
        Asked = "asked",
    }
}

impl Notice {
    /// A notice without a time, which is added when it is sent.
    pub fn new(who: Actor, topic: Topic, text: impl Into<String>) -> Self {
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

    /// Records how many sources it concerns.
    fn of(self, count: usize) -> Self {
        Self { several: count > 1, ..self }
    }

    fn because(self, reason: String) -> Self {
        Self { reason, ..self }
    }

    fn at(self, place: Option<FileLine>) -> Self {
        Self { place, ..self }
    }
}

/// Who last changed picks and exclusions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ChangeOrigin {
    /// A pick, an unpick, an exclusion or an inclusion.
    Choice(Actor),
    /// Like `Choice`, but the journal reports each choice, so that notices report only the consequences.
    Journalled(Actor),
    /// The person at this screen undid or redid a change.
    Retraced {
        /// The change, and what remains: `Undone: pick of @a`.
        text: String,
        /// The sources named in the text.
        named: Vec<String>,
    },
}

impl ChangeOrigin {
    /// Who did it.
    pub(crate) fn who(&self) -> &Actor {
        match self {
            Self::Choice(who) | Self::Journalled(who) => who,
            Self::Retraced { .. } => &Actor::You,
        }
    }
}

/// The notices for the step between two snapshots; `cause` is what changed picks and exclusions. The most important
/// comes last, because the latest notice is shown on top and in the bottom line.
pub(crate) fn notices(before: &Snapshot, after: &Snapshot, cause: &ChangeOrigin) -> Vec<Notice> {
    let mut notices = catalog::documents(before, after);
    let broken = if Arc::ptr_eq(&before.templates, &after.templates) {
        Vec::new()
    } else {
        notices.extend(templates::changed(before, after));
        let by = if selection::choice_changed(before, after) { cause.who() } else { &Actor::Files };
        notices.extend(templates::entered_or_left(before, after, by));
        templates::broken(before, after)
    };
    if !Arc::ptr_eq(&before.catalog, &after.catalog) {
        notices.extend(catalog::sources(before, after));
    }
    notices.extend(problems::warnings(before, after));
    // A screen shows the last notice, and a lost pick matters more than a fixed error.
    notices.extend(problems::fixed(before, after));
    notices.extend(selection(before, after, cause));
    notices.extend(broken);
    notices.extend(problems::errors(before, after));
    notices
}
