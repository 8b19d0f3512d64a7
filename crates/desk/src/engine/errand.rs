//! What a server asks of the desk for an agent: each errand has a number that its answer carries, and is done as that agent.

use serde_json::Value;

use crate::channel;
use crate::rows::{Members, Rows};
use crate::session::Receipt;
use crate::{Agent, Desk, PickStatus, Prepared, Request, Unrendered, What};
use refdesk_core::config::ApprovalMode;
use refdesk_core::selection::Access;
use refdesk_files::output::{Proposal, WriteFailure, WrittenFile};
use refdesk_templates::TemplateIndex;
use refdesk_text::Error;

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
    /// Nothing but reading what the selection waits for: the snapshot holds all then that was done before, but that its
    /// templates may still be looked for.
    Settle,
    /// The same, and its templates are found.
    Index,
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
    Write {
        /// What.
        proposal: Box<Proposal>,
        /// Who approved it, in words for the journal.
        reason: String,
    },
    /// Put this into the journal.
    Note(Box<Receipt>),
    /// What may be read for this session; the snapshot is as after [`Task::Settle`].
    Access,
    /// Put into the journal that a source was read for it; what the reading follows is added.
    NoteRead(Box<Receipt>),
    /// The same as far as it is known, without reading what the selection waits for.
    AccessSoFar,
    /// Who says yes to a file at this path, as printed, and how a person would be asked.
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
    /// Of [`Task::Settle`], [`Task::Index`], [`Task::Note`] and [`Task::NoteRead`].
    Done,
    /// Of [`Task::Select`].
    Selected(Result<Box<Selected>, Error>),
    /// Of [`Task::Prepare`].
    Prepared(Result<Box<Prepared>, Unrendered>),
    /// Of [`Task::Write`].
    Written(Result<WrittenFile, WriteFailure>),
    /// Of [`Task::Access`] and [`Task::AccessSoFar`].
    Access(Box<Access>),
    /// Of [`Task::Verdict`].
    Verdict(Box<(ApprovalMode, channel::Way)>),
    /// Of [`Task::Offer`].
    Offer(Box<(channel::Request, channel::Way)>),
}

/// What a request to pick came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Selected {
    /// Whether all is picked that was asked for and is there.
    pub is_met: bool,
    /// The answer for the agent. It is made here: what follows from a pick takes every core as soon as it is given.
    pub answer: Value,
}

impl Task {
    /// Whether it changes what is picked.
    pub fn chooses(&self) -> bool {
        matches!(self, Self::Select { .. })
    }

    /// Whether it changes what is stored.
    pub fn is_change(&self) -> bool {
        matches!(self, Self::Select { .. } | Self::Write { .. } | Self::Note(_) | Self::NoteRead(_))
    }

    /// Whether it needs the templates of the selection.
    pub(super) fn needs_templates(&self) -> bool {
        matches!(self, Self::Index | Self::Prepare(_))
    }

    /// Does it.
    pub(super) fn carry_out(self, desk: &mut Desk, templates: &TemplateIndex) -> Outcome {
        match self {
            Self::Settle | Self::Index => {
                desk.settle();
                Outcome::Done
            }
            Self::Select { ids, tags } => {
                // What comes in counts as new only beside what had come in before.
                desk.settle();
                let selected = desk.pick(&ids, &tags).map(|picked| {
                    let is_met = matches!(picked.status, PickStatus::Success | PickStatus::AllSelected);
                    let rows = Rows { members: Members::Telling, ..desk.rows() };
                    Box::new(Selected { is_met, answer: rows.picked(&picked) })
                });
                Outcome::Selected(selected)
            }
            Self::Prepare(request) => Outcome::Prepared(prepare(desk, templates, &request).map(Box::new)),
            Self::Write { proposal, reason } => {
                Outcome::Written(desk.write_for(std::slice::from_ref(&*proposal), &reason).and_then(|written| {
                    written.into_iter().next().ok_or_else(|| WriteFailure {
                        refused: Error {
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
            Self::NoteRead(receipt) => {
                desk.note_reading(*receipt);
                Outcome::Done
            }
            Self::Access => {
                desk.settle();
                Outcome::Access(Box::new(desk.access()))
            }
            Self::AccessSoFar => Outcome::Access(Box::new(desk.access())),
            Self::Verdict(path) => Outcome::Verdict(Box::new((desk.verdict(&path), channel::Way::of(desk)))),
            Self::Offer { context, tags } => {
                desk.settle();
                let asked = channel::request(desk, &context, &tags);
                Outcome::Offer(Box::new((asked, channel::Way::of(desk))))
            }
        }
    }
}

/// Of a template that waits for trust an agent is told so, and not that there is none.
fn prepare(desk: &Desk, templates: &TemplateIndex, request: &Request) -> Result<Prepared, Unrendered> {
    let readable = desk.readable(templates);
    if let What::Named(name) = &request.what
        && let (Ok(template), Err(_)) = (templates.find(name), readable.find(name))
    {
        let source = template.source.as_ref().map_or("", |source| source.as_str());
        let message = format!("'{name}' is of '{source}', which lies outside the workspace and nobody has trusted yet");
        let hint = "ask the person at this workspace to look at it with `refdesk trust`";
        return Err(Error::new("untrusted", message, hint).into());
    }
    desk.prepare(&readable, request)
}
