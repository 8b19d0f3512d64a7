//! What is said between a screen and the engine: plain values, numbered where an answer can come too late.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::Value;

use super::errand::{Errand, Outcome};
use super::notice::Notice;
use super::profiles::{OfProfiles, Profiles};
use super::requests::{Over, Reply, Waiting};
use crate::session::Line;
use crate::{Deed, Document, Follows, Outlook, Shown, Spot, Unrendered};
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::mention::MentionGraph;
use refdesk_core::selection::Selection;
use refdesk_enrich::{Enriched, Findings};
use refdesk_files::output::{Proposal, WriteFailure, WrittenFile};
use refdesk_templates::TemplateIndex;
use refdesk_text::report::Diagnostic;

/// What a screen asks of the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Pick this source; lifts its exclusion.
    Pick(SourceId),
    /// Take the pick of this id back, a dormant one too.
    Unpick(SourceId),
    /// Bar this source from being pulled in; a pick is taken back.
    Exclude(SourceId),
    /// Lift the exclusion of this source.
    Include(SourceId),
    /// Take every pick back.
    Clear,
    /// Take the last change that this engine was asked for back.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Read the workspace again.
    Reload,
    /// Read again only who was picked and excluded: another process may have changed it.
    Reread,
    /// What would follow from choosing this source? Answered by [`Event::Outlook`].
    Outlook {
        /// Comes back with the answer.
        generation: u64,
        /// Which.
        id: SourceId,
    },
    /// What would picking follow, of one source and of several at once? Answered by [`Event::OutlookOf`].
    OutlookOf {
        /// Comes back with the answer.
        generation: u64,
        /// The one, if there is one.
        one: Option<SourceId>,
        /// The several.
        all: Vec<SourceId>,
    },
    /// What is there to read of this source? Answered by [`Event::Document`].
    Read {
        /// Comes back with the answer.
        generation: u64,
        /// Which.
        id: SourceId,
    },
    /// Where does this stand on disk? Answered by [`Event::Located`] or a refusal.
    Locate(Wanted),
    /// What would this prompt be hinted at? Answered by [`Event::Findings`].
    Look {
        /// Comes back with the answer.
        generation: u64,
        /// The prompt as typed.
        prompt: Arc<str>,
    },
    /// What would be appended to this prompt? Nobody is told. Answered by [`Event::Simulated`].
    Simulate {
        /// Comes back with the answer.
        generation: u64,
        /// The prompt as typed.
        prompt: Arc<str>,
        /// Who would read it.
        hearer: Hearer,
    },
    /// The journal may have more lines. Answered by [`Event::Receipts`], if there are any.
    Listen,
    /// What does this line of the journal say, whole? Answered by [`Event::Replayed`].
    Replay {
        /// Comes back with the answer.
        generation: u64,
        /// Its number.
        number: u64,
    },
    /// Render this template. Answered by [`Event::Preview`].
    Preview {
        /// Comes back with the answer.
        generation: u64,
        /// Name in the index.
        template: String,
        /// The values; `None` renders with sample values made from the variable tree.
        values: Option<Value>,
        /// The file to compare with, relative to the workspace; `None`: the one that the template offers, if it offers one.
        path: Option<String>,
    },
    /// Write what was proposed and approved. Answered by [`Event::Written`] or [`Event::WriteFailure`].
    Write(Box<Proposal>),
    /// Do something for an agent. Answered by [`Event::Done`].
    Errand(Box<Errand>),
    /// Trust just these, which the person was shown.
    Trust(Arc<[Deed]>),
    /// Look who asks a person for something.
    Requests,
    /// Answer the request of this id.
    Reply {
        /// Which.
        request_id: String,
        /// What is said.
        reply: Reply,
    },
    /// Something about profiles. Questions are answered by [`Event::Profiles`].
    Profiles(Profiles),
}

impl Command {
    /// Whether it changes what is stored: then it is carried out even when nobody waits for an answer any more.
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Pick(_)
                | Self::Unpick(_)
                | Self::Exclude(_)
                | Self::Include(_)
                | Self::Clear
                | Self::Undo
                | Self::Redo
                | Self::Write(_)
                | Self::Reply { .. }
                | Self::Trust(_)
        ) || matches!(self, Self::Errand(errand) if errand.task.is_change())
            || matches!(self, Self::Profiles(asked) if asked.is_change())
    }

    /// Whether a later one of the same kind makes it old: then only the last has to be answered.
    pub fn is_question(&self) -> bool {
        matches!(
            self,
            Self::Look { .. }
                | Self::Simulate { .. }
                | Self::Listen
                | Self::Replay { .. }
                | Self::Preview { .. }
                | Self::Outlook { .. }
                | Self::OutlookOf { .. }
                | Self::Requests
                | Self::Read { .. }
                | Self::Reload
                | Self::Reread
        ) || matches!(self, Self::Profiles(asked) if !asked.is_change())
    }
}

/// Who would read a text that nobody reads yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hearer {
    /// Somebody who was told nothing before.
    Stranger,
    /// The desk's session, with all that it was told.
    Session,
}

/// Lines of the journal, as the feed tells them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipts {
    /// Each with what it says in words, oldest first.
    pub told: Vec<(Notice, Line)>,
    /// When they were written.
    pub age: Age,
    /// That lines before them came too fast to be told, and how many.
    pub gap: Option<Notice>,
}

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// Before the engine looked for the first time.
    Past,
    /// Since then.
    Now,
}

/// Something that stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// The entry that defines the source.
    Definition(SourceId),
    /// The source's document.
    Document(SourceId),
}

/// What the engine tells a screen besides new snapshots.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// The answer to [`Command::Look`].
    Findings {
        /// Of the question.
        generation: u64,
        /// Byte ranges are within the prompt that was asked about.
        findings: Findings,
    },
    /// The answer to [`Command::Simulate`].
    Simulated {
        /// Of the question.
        generation: u64,
        /// The prompt with what would be appended, and its price.
        enriched: Box<Enriched>,
        /// What is wrong with what the session was told.
        problems: Vec<Diagnostic>,
    },
    /// Something that this or another process put into the journal.
    Receipts(Receipts),
    /// The answer to [`Command::Replay`].
    Replayed {
        /// Of the question.
        generation: u64,
        /// The line, or why it is not to be had.
        line: Result<Box<Line>, String>,
    },
    /// The answer to [`Command::Preview`].
    Preview {
        /// Of the question.
        generation: u64,
        /// Name in the index.
        template: String,
        /// The text and what it would change, or why there is none.
        outcome: Result<Shown, Unrendered>,
    },
    /// The answer to [`Command::Write`]: done.
    Written(WrittenFile),
    /// The answer to [`Command::Write`]: not done, nothing was changed.
    Unwritten(WriteFailure),
    /// The answer to [`Command::Errand`].
    Done {
        /// Of the errand.
        number: u64,
        /// What came of it.
        outcome: Outcome,
    },
    /// The answer to [`Command::Profiles`].
    Profiles(OfProfiles),
    /// The answer to [`Command::Outlook`].
    Outlook {
        /// Of the question.
        generation: u64,
        /// What would follow.
        outlook: Outlook,
    },
    /// The answer to [`Command::OutlookOf`].
    OutlookOf {
        /// Of the question.
        generation: u64,
        /// What would follow from the one.
        one: Follows,
        /// What would follow from the several.
        all: Follows,
    },
    /// The answer to [`Command::Read`].
    Document {
        /// Of the question.
        generation: u64,
        /// What there is to read.
        document: Document,
    },
    /// The answer to [`Command::Locate`].
    Located(Spot),
    /// A request that waits no longer.
    Over(Box<Over>),
    /// Something that happened at the desk.
    Notice(Notice),
    /// A command that was not carried out, and what to do.
    Refused {
        /// What was wrong.
        message: String,
        /// What to do; may be empty.
        hint: String,
    },
}

/// Everything a screen draws from, as it stood at one moment. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// Grows with every snapshot.
    pub generation: u64,
    /// The workspace folder, for people.
    pub workspace: Arc<str>,
    /// The desk's name; `default` unless another was asked for.
    pub desk: Arc<str>,
    /// The sources.
    pub catalog: Arc<Catalog>,
    /// What the documents read so far mention.
    pub graph: Arc<MentionGraph>,
    /// What is chosen.
    pub selection: Arc<Selection>,
    /// What the selection brings.
    pub templates: Arc<TemplateIndex>,
    /// Estimated tokens of each source whose size is known.
    pub tokens: Arc<HashMap<SourceId, u64>>,
    /// What is wrong, errors first.
    pub diagnostics: Arc<[Diagnostic]>,
    /// Documents still being read; `None` when all are.
    pub loading: Option<Loading>,
    /// What undo would take back, in words.
    pub undo: Option<Arc<str>>,
    /// What redo would do again, in words.
    pub redo: Option<Arc<str>>,
    /// Names of tools that are not offered.
    pub exclude_tools: Arc<[String]>,
    /// How changes on disk come to be known.
    pub watching: Watching,
    /// How often the workspace was read: what a document says may differ when it was read again, though its size does not.
    pub reads: u64,
    /// Who asks a person for something, who asked first first; always empty where nobody would see it.
    pub requests: Arc<[Waiting]>,
    /// What the configuration would do and waits for this person's trust; always empty where nobody could be asked.
    pub untrusted: Arc<[Deed]>,
}

impl Snapshot {
    /// Where this finding stands, if it stands in a file.
    pub fn spot(&self, finding: &Diagnostic) -> Option<Spot> {
        // As printed: relative to the workspace inside it, absolute outside.
        let path = Path::new(&*self.workspace).join(finding.file.as_ref()?);
        Some(Spot { path, line: finding.line.unwrap_or(1) })
    }

    /// Whether anything but the generation is different.
    pub fn differs_from(&self, other: &Self) -> bool {
        fn same<T: PartialEq + ?Sized>(one: &Arc<T>, two: &Arc<T>) -> bool {
            Arc::ptr_eq(one, two) || one == two
        }
        !(self.workspace == other.workspace
            && self.desk == other.desk
            && self.loading == other.loading
            && self.undo == other.undo
            && self.redo == other.redo
            && self.watching == other.watching
            && self.reads == other.reads
            && same(&self.exclude_tools, &other.exclude_tools)
            && same(&self.catalog, &other.catalog)
            && same(&self.selection, &other.selection)
            && same(&self.templates, &other.templates)
            && same(&self.diagnostics, &other.diagnostics)
            && same(&self.requests, &other.requests)
            && same(&self.untrusted, &other.untrusted)
            && same(&self.tokens, &other.tokens)
            && same(&self.graph, &other.graph))
    }
}

/// How far the reading of documents is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loading {
    /// Sources read.
    pub done: usize,
    /// Sources to read.
    pub total: usize,
}

/// How changes on disk come to be known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Watching {
    /// The system tells of them.
    #[default]
    Live,
    /// The system tells of some of them: there is more to watch than is watched; why, for people.
    Partly(Arc<str>),
    /// They are looked for every two seconds; why, for people.
    Polling(Arc<str>),
    /// Not at all, until the workspace is read again on demand; why, for people.
    Off(Arc<str>),
}
