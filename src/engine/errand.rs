//! What a server asks of the desk for an agent: each errand has a number that its answer carries, and is done as that agent.

use crate::channel;
use crate::config::Verdict;
use crate::desk::{Agent, Desk, Picked, Prepared, Refusal, Request, Unrendered};
use crate::output::{Proposal, Unwritten, Written};
use crate::selection::Access;
use crate::session::Receipt;
use crate::template::TemplateIndex;

/// Something to do for an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Errand {
    /// Comes back with the answer.
    pub number: u64,
    /// For whom.
    pub agent: Agent,
    /// What.
    pub task: Task,
}

/// What is to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Nothing but reading what the selection waits for: the snapshot is complete then, and holds all that was done before.
    Settle,
    /// Pick these ids, and what has one of these tags.
    Select {
        /// Ids of sources.
        ids: Vec<String>,
        /// Tags, compared as hints compare them.
        tags: Vec<String>,
    },
    /// Look everything up that a rendering needs.
    Prepare(Box<Request>),
    /// Write what was proposed and approved.
    Write(Box<Proposal>),
    /// Put this into the journal.
    Note(Box<Receipt>),
    /// What may be read for this session.
    Access,
    /// Put into the journal that a tool read these sources for it.
    NoteRead {
        /// Ids of sources.
        ids: Vec<String>,
        /// The file, as printed.
        path: String,
        /// The tool's name.
        tool: String,
    },
    /// Who says yes to a file at this path, as printed.
    Verdict(String),
    /// What a person may be asked to choose from, and how.
    Offer {
        /// Why, for whoever answers.
        context: String,
        /// Only sources with one of these; none: all.
        tags: Vec<String>,
    },
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Of [`Task::Settle`], [`Task::Note`] and [`Task::NoteRead`].
    Done,
    /// Of [`Task::Select`].
    Selected(Result<Picked, Refusal>),
    /// Of [`Task::Prepare`].
    Prepared(Result<Box<Prepared>, Unrendered>),
    /// Of [`Task::Write`].
    Written(Result<Written, Unwritten>),
    /// Of [`Task::Access`].
    Access(Box<Access>),
    /// Of [`Task::Verdict`].
    Verdict(Verdict),
    /// Of [`Task::Offer`].
    Offer(Box<(channel::Request, channel::Way)>),
}

impl Task {
    /// Whether it changes what is picked.
    pub fn chooses(&self) -> bool {
        matches!(self, Self::Select { .. })
    }

    /// Whether it changes what is stored.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Select { .. } | Self::Write(_) | Self::Note(_) | Self::NoteRead { .. })
    }

    /// Does it.
    pub(super) fn carry_out(self, desk: &mut Desk, templates: &TemplateIndex) -> Outcome {
        match self {
            Self::Settle => {
                desk.settle();
                Outcome::Done
            }
            Self::Select { ids, tags } => Outcome::Selected(desk.pick(&ids, &tags)),
            Self::Prepare(request) => Outcome::Prepared(desk.prepare(templates, &request).map(Box::new)),
            Self::Write(proposal) => {
                Outcome::Written(desk.write(std::slice::from_ref(&*proposal)).and_then(|written| {
                    written.into_iter().next().ok_or_else(|| Unwritten {
                        refused: crate::output::Refused {
                            code: "not-written",
                            message: "nothing was written".to_owned(),
                            hint: String::new(),
                        },
                        anew: Vec::new(),
                    })
                }))
            }
            Self::Note(receipt) => {
                desk.note(*receipt);
                Outcome::Done
            }
            Self::NoteRead { ids, path, tool } => {
                desk.note_reading(&ids, &path, &tool);
                Outcome::Done
            }
            Self::Access => {
                desk.settle();
                Outcome::Access(Box::new(desk.access()))
            }
            Self::Verdict(path) => Outcome::Verdict(desk.verdict(&path)),
            Self::Offer { context, tags } => {
                desk.settle();
                let asked = channel::request(desk, &context, &tags);
                Outcome::Offer(Box::new((asked, channel::Way::of(desk))))
            }
        }
    }
}
