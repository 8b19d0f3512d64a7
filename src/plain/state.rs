//! The state of the plain interface: what the engine said last, what the last list showed, and which question is open.

use std::path::PathBuf;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Event, Request, Response, Snapshot};
use refdesk_text::escape::one_line;

use super::choice::{Choosing, PendingChange};
use super::feed::PlainFeed;
use super::lists::{Listing, Pages};
use crate::common::filter::Order;

/// How the plain interface begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlainStart {
    /// The file of the profile to switch to, after its difference was shown.
    pub profile: Option<PathBuf>,
}

/// Everything that an answer depends on.
#[derive(Debug, Default)]
pub struct PlainState {
    pub snapshot: Snapshot,
    /// The last list; numbers choose from it.
    pub list: Listing,
    /// The last text that is said in pages.
    pub text: Pages,
    /// What `more` continues.
    pub more: Continuation,
    /// The order of the catalog.
    pub order: Order,
    /// The source that was shown last, for commands without one.
    pub about: Option<SourceId>,
    /// What is asked; `None` where a command is expected.
    pub question: Option<Question>,
    /// What the next answer of the engine is for.
    pub pending: Option<Pending>,
    pub feed: PlainFeed,
}

/// What `more` continues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Continuation {
    #[default]
    Nothing,
    List,
    Text,
}

/// A question that the next line answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Whether to do this, although its consequence is large.
    Choice(Choosing),
    /// Whether to clear all picks.
    Clear,
}

/// What the engine was asked for.
#[derive(Debug, Clone)]
pub enum Pending {
    /// What this would change.
    Preview(Choosing),
    /// A change.
    Change(PendingChange),
    /// The document of a source.
    Document,
    /// A reading of the whole workspace.
    Reload,
    /// Where its document and its definition are.
    Place(PlaceOf),
}

/// What is at the place that the engine was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceOf {
    Document,
    Definition,
}

/// Something that happened.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "each is made once, handed on once, and never kept")]
pub enum PlainInput {
    /// A line was typed.
    Line(String),
    /// A line was typed that is too long to be taken.
    TooLong,
    /// A new snapshot.
    Snapshot(Box<Snapshot>),
    /// An event of the engine.
    Event(Event),
    /// The engine's answer to the last request.
    Answer(Response),
}

/// Something to be done by the loop.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainEffect {
    /// Ask the engine; its answer comes before the next line.
    Ask(Request),
    Quit,
}

/// What follows from an input.
#[derive(Debug, Default, PartialEq)]
pub struct Turn {
    /// Lines to say.
    pub lines: Vec<String>,
    pub effects: Vec<PlainEffect>,
}

impl Turn {
    /// Says one line. What comes from outside can neither begin another line nor move the cursor.
    pub fn say(&mut self, line: impl AsRef<str>) {
        self.lines.push(one_line(line.as_ref()).into_owned());
    }

    pub fn ask(&mut self, request: Request) {
        self.effects.push(PlainEffect::Ask(request));
    }
}
