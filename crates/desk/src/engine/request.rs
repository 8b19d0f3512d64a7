//! The requests of clients and the engine's responses. Both are plain values; a oneshot channel carries each response
//! to its client.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::database_run::PreparedRun;
use super::requests::Reply;
use crate::engine::{DatedLine, Snapshot};
use crate::session::Receipt;
use crate::{
    AddedSources, AgentActivity, BulkPreview, CatalogChange, DatabaseAnswer, DatabaseOverview, DatabasePage,
    DatabaseQuestion, Discovery, Document, DocumentReport, FileLine, LargePick, Picked, Picker, Prepared, Price,
    PrivilegedAction, ProfileDetails, ProfileSwitch, RenderFailure, RenderPreview, RenderRequest, SamplePrompt,
    SearchAnswer, SearchRequest, SelectionChange, SelectionPreview, Session, channel,
};
use refdesk_core::catalog::SourceId;
use refdesk_core::config::ApprovalMode;
use refdesk_core::mention::analysis::GraphAnalysis;
use refdesk_core::selection::Access;
use refdesk_enrich::{Enriched, Findings};
use refdesk_files::output::{Proposal, WriteFailure, WrittenFile};
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// A request to the desk. Unless stated otherwise, the answer is [`Response::Done`].
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Pick these ids, and every source with one of these tags. Answered by [`Response::Picked`].
    Pick {
        /// Ids of sources.
        ids: Vec<String>,
        /// Tags, compared as for hints.
        tags: Vec<String>,
        /// Who picks.
        by: Picker,
    },
    /// Pick these sources, and pull in what they mention as far as `reach` allows. Answered by [`Response::Picked`] or
    /// [`Response::LargePick`].
    PickWithin {
        /// Their ids.
        ids: Vec<SourceId>,
        /// How much of what they mention to pull in.
        reach: PickReach,
    },
    /// Remove the picks of these ids, even if they are dormant.
    Unpick(Vec<SourceId>),
    /// Exclude these sources from being pulled in, and remove their picks.
    Exclude(Vec<SourceId>),
    /// Lift the exclusions of these sources.
    Include(Vec<SourceId>),
    /// Remove every pick.
    Clear,
    /// Undo the last change made through this engine.
    Undo,
    /// Redo what was undone.
    Redo,
    /// Read the workspace again.
    Reload,
    /// What would picking or excluding this source change? Answered by [`Response::SelectionPreview`].
    PreviewSelection(SourceId),
    /// What would picking one source change, and what would picking several together? Answered by
    /// [`Response::PicksPreview`].
    PreviewPicks {
        /// The single source, if any.
        one: Option<SourceId>,
        /// The sources to pick together.
        all: Vec<SourceId>,
    },
    /// What would each of the three sizes of this pick pull in now? Answered by [`Response::PickSizes`].
    PickSizes(Vec<SourceId>),
    /// What can be done with all of these sources at once? Answered by [`Response::BulkPreview`].
    PreviewBulk(Vec<SourceId>),
    /// How do mentions connect the sources, and what would a pick of each pull in? Answered by
    /// [`Response::GraphAnalysis`].
    AnalyseGraph,
    /// The text of this source, or of this file in it. Answered by [`Response::Document`].
    Read {
        /// The source.
        id: SourceId,
        /// The file, as in [`Document::path`].
        file: Option<PathBuf>,
    },
    /// The text of this source, or of this file of its folder, from an offset on. Answered by [`Response::Document`].
    ReadOn {
        /// The source.
        id: SourceId,
        /// The file, as in [`Document::path`].
        path: Option<PathBuf>,
        /// The offset, as in [`Document::next`].
        from: u64,
    },
    /// Where is this on disk? Answered by [`Response::Located`], or refused.
    Locate(LocateTarget),
    /// Which sources does this prompt match? Answered by [`Response::Findings`].
    Match(Arc<str>),
    /// What would be appended to this prompt? Nothing is recorded as sent. Answered by [`Response::Simulation`].
    Simulate {
        /// The prompt as typed.
        prompt: Arc<str>,
        /// The session that would read it.
        audience: Audience,
    },
    /// What would the instructions and this prompt cost a new session? Answered by [`Response::Price`].
    Price(Arc<str>),
    /// What was each session sent, and what did it read and pick? Answered by [`Response::Agents`].
    Agents,
    /// The complete line of the journal with this number. Answered by [`Response::JournalLine`].
    JournalLine(u64),
    /// Render this template and compare it with its file. Answered by [`Response::Preview`].
    Preview {
        /// The template's name in the index.
        template: String,
        /// The values; `None` renders sample values derived from the variables.
        values: Option<Value>,
        /// As for [`RenderRequest::typed`].
        typed: BTreeSet<String>,
        /// The file to compare with, relative to the workspace; `None` means the template's own output file, if any.
        path: Option<String>,
    },
    /// Write an approved proposal. Answered by [`Response::Written`].
    Write {
        /// What to write.
        proposal: Box<Proposal>,
        /// Who approved it, for the journal; empty for the person at the screen.
        reason: String,
    },
    /// Trust exactly these actions, which the person was shown.
    Trust(Arc<[PrivilegedAction]>),
    /// What does the repository offer that the catalog lacks? Searches these folders, relative to the current one, or
    /// the workspace if empty. Answered by [`Response::Discovered`].
    Discover(Vec<PathBuf>),
    /// Can this address, or this path from the root of the workspace, be added to the catalog? Answered by
    /// [`Response::CanAdd`].
    CanAdd(String),
    /// Add this one file, folder or address to the catalog, described by its own document. Answered by
    /// [`Response::SourceAdded`].
    AddSource(String),
    /// What would these catalog changes write, file by file? Answered by [`Response::CatalogProposed`].
    ProposeCatalog(Box<CatalogChange>),
    /// Write approved proposals for the catalog, all or none. Answered by [`Response::CatalogWritten`].
    WriteCatalog {
        /// What to write.
        proposals: Vec<Proposal>,
        /// The change for which they were proposed.
        change: Box<CatalogChange>,
    },
    /// Answer a pending request.
    Reply {
        /// The request as the person saw it. If the pending one differs, nothing is answered.
        request: Arc<channel::Request>,
        /// The person's answer.
        reply: Reply,
    },
    /// Which profiles does the workspace have, and what would each load? Answered by [`Response::Profiles`].
    ListProfiles,
    /// What would switching to the profile in this file change? Answered by [`Response::ProfileCompared`].
    CompareProfile(PathBuf),
    /// Replace the desk's picks with those of the profile in this file.
    SwitchProfile {
        /// The file of the profile.
        file: PathBuf,
        /// The changes that were shown; others are refused, since the file may have changed.
        shown: Box<ProfileSwitch>,
    },
    /// Complete the selection. Answered by [`Response::Settled`], which reflects all earlier changes, except perhaps
    /// its templates.
    Settle,
    /// Complete the selection and index its templates. Answered by [`Response::Settled`].
    Index,
    /// Look up everything a rendering needs. Answered by [`Response::Prepared`].
    Prepare(Box<RenderRequest>),
    /// Append this entry to the journal.
    Note(Box<Receipt>),
    /// Journal that the session read a source, and whether the source had been offered to it.
    NoteRead(Box<Receipt>),
    /// What may this session read? Completes the selection like [`Request::Settle`]. Answered by [`Response::Access`].
    Access,
    /// Which sections match this search? Answered by [`Response::Found`].
    Search(Box<SearchRequest>),
    /// Answer an agent's question about documented databases. Answered by [`Response::AboutDatabases`].
    AskDatabases(Box<DatabaseQuestion>),
    /// Which databases are configured, and what do their files say about them? Does not contact a database. Answered by
    /// [`Response::Databases`].
    Databases,
    /// Show this page of this database. Answered by [`Response::DatabasePage`].
    DatabasePage {
        /// The name of the database.
        database: String,
        /// The path of its page, relative to the workspace.
        path: String,
    },
    /// Read these databases, or all, and prepare their documentation without writing anything. Answered by
    /// [`Response::DatabasesPrepared`].
    PrepareDatabases(Vec<String>),
    /// Write what the run with this number prepared; refused if another was prepared since. Answered by
    /// [`Response::DatabasesWritten`] at the end; [`Event::DatabaseRun`](super::Event::DatabaseRun) reports progress.
    WriteDatabases(u64),
    /// End the run after the current table, or discard it if it has not started to write.
    PauseDatabases,
    /// Does a write to this path need approval, and how would a person be asked? Answered by [`Response::Verdict`].
    Verdict {
        /// The path as displayed.
        shown: String,
        /// The path that is written, absolute, with links resolved.
        path: PathBuf,
    },
    /// Which sources may a person be asked to choose from, and how? Answered by [`Response::Offer`].
    Offer {
        /// The reason, for the person who answers.
        context: String,
        /// Only sources with one of these tags; all if empty.
        tags: Vec<String>,
    },
}

/// How much of what picked sources mention is pulled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PickReach {
    /// Everything, unless that is too much: then nothing is picked, and the answer reports what would be pulled in.
    AllIfFew,
    /// Everything.
    All,
    /// Their direct mentions; what those mention is excluded.
    Near,
    /// Nothing; their mentions are excluded.
    Alone,
}

impl Request {
    /// Pick this one source, unless it would pull in many others.
    pub fn pick_if_few(id: impl Into<SourceId>) -> Self {
        Self::PickWithin { ids: vec![id.into()], reach: PickReach::AllIfFew }
    }

    /// Remove the pick of this one source.
    pub fn unpick(id: impl Into<SourceId>) -> Self {
        Self::Unpick(vec![id.into()])
    }

    /// Exclude this one source.
    pub fn exclude(id: impl Into<SourceId>) -> Self {
        Self::Exclude(vec![id.into()])
    }

    /// Lift the exclusion of this one source.
    pub fn include(id: impl Into<SourceId>) -> Self {
        Self::Include(vec![id.into()])
    }

    /// Pick this one source.
    pub fn pick(id: impl Into<String>) -> Self {
        Self::Pick { ids: vec![id.into()], tags: Vec::new(), by: Picker::Person }
    }

    /// Whether it changes stored data. A change is applied even if its client has stopped waiting.
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Pick { .. }
                | Self::PickWithin { .. }
                | Self::Unpick(_)
                | Self::Exclude(_)
                | Self::Include(_)
                | Self::Clear
                | Self::Undo
                | Self::Redo
                | Self::Write { .. }
                | Self::WriteCatalog { .. }
                | Self::AddSource(_)
                | Self::Trust(_)
                | Self::Reply { .. }
                | Self::SwitchProfile { .. }
                | Self::WriteDatabases(_)
                | Self::PauseDatabases
                | Self::Note(_)
                | Self::NoteRead(_)
        )
    }

    /// Whether it may wait for room in the queue. Questions may, and so may commands for a database run, which the
    /// client shows as in progress. Other changes must not happen long after their key was pressed.
    pub fn may_wait(&self) -> bool {
        !self.is_change() || matches!(self, Self::WriteDatabases(_) | Self::PauseDatabases)
    }
}

/// The engine's answer.
#[derive(Debug, Clone)]
pub enum Response {
    /// Done, except for these refusals.
    Done(Vec<Error>),
    /// The answer to [`Request::Pick`]: its outcome, and the same as JSON for an agent. Sent before the consequences
    /// are computed, which uses every core.
    Picked(Result<Box<(Picked, Value)>, Error>),
    /// The answer to [`Request::PickWithin`] if it would pull in too much: nothing was picked.
    LargePick(Box<LargePick>),
    /// The answer to [`Request::PreviewSelection`].
    SelectionPreview(SelectionPreview),
    /// The answer to [`Request::PreviewPicks`].
    PicksPreview {
        /// What picking the one source would change.
        one: SelectionChange,
        /// What picking all of them would change.
        all: SelectionChange,
    },
    /// The answer to [`Request::PickSizes`]; `None` if one of the sources does not exist any more, or if all
    /// are missing.
    PickSizes(Option<Box<LargePick>>),
    /// The answer to [`Request::PreviewBulk`].
    BulkPreview(Box<BulkPreview>),
    /// The answer to [`Request::Read`] and [`Request::ReadOn`].
    Document(Document),
    /// The answer to [`Request::AnalyseGraph`].
    GraphAnalysis(Arc<GraphAnalysis>),
    /// The answer to [`Request::Locate`].
    Located(FileLine),
    /// The answer to [`Request::Match`]. Byte ranges are within the prompt.
    Findings(Findings),
    /// The answer to [`Request::Simulate`].
    Simulation {
        /// The prompt with what would be appended, and its cost.
        enriched: Box<Enriched>,
        /// Problems with the session's memory.
        problems: Vec<Diagnostic>,
    },
    /// The answer to [`Request::Price`].
    Price(Price),
    /// The answer to [`Request::Agents`].
    Agents(Arc<AgentActivity>),
    /// The answer to [`Request::JournalLine`]: the line, or why it cannot be read.
    JournalLine(Result<Box<DatedLine>, String>),
    /// The answer to [`Request::Preview`].
    Preview {
        /// Name in the index.
        template: String,
        /// The text and the diff, or why there is none.
        outcome: Result<RenderPreview, RenderFailure>,
    },
    /// The answer to [`Request::Write`].
    Written(Result<WrittenFile, WriteFailure>),
    /// The answer to [`Request::Discover`].
    Discovered(Result<Box<Discovery>, Error>),
    /// The answer to [`Request::CanAdd`]: how many sources the place could become. If more than one, the person must
    /// choose.
    CanAdd(Result<usize, Error>),
    /// The answer to [`Request::AddSource`].
    SourceAdded(Result<AddedSources, Error>),
    /// The answer to [`Request::ProposeCatalog`].
    CatalogProposed(Result<Vec<Proposal>, Error>),
    /// The answer to [`Request::WriteCatalog`].
    CatalogWritten(Result<CatalogWritten, WriteFailure>),
    /// The answer to [`Request::ListProfiles`].
    Profiles {
        /// The profiles, in the order of their files.
        profiles: Vec<ProfileDetails>,
        /// Why the profiles folder cannot be read.
        problems: Vec<Diagnostic>,
    },
    /// The answer to [`Request::CompareProfile`]: what would change, or why that is unknown.
    ProfileCompared(Result<Box<ProfileSwitch>, String>),
    /// The answer to [`Request::Prepare`].
    Prepared(Result<Box<Prepared>, RenderFailure>),
    /// The answer to [`Request::Settle`] and [`Request::Index`].
    Settled(Box<Snapshot>),
    /// The answer to [`Request::Access`].
    Access(Box<Snapshot>, Box<Access>),
    /// The answer to [`Request::Search`].
    Found(Result<Box<SearchAnswer>, Error>),
    /// The answer to [`Request::AskDatabases`].
    AboutDatabases(Result<Box<DatabaseAnswer>, Error>),
    /// The answer to [`Request::Databases`].
    Databases(Arc<DatabaseOverview>),
    /// The answer to [`Request::DatabasePage`].
    DatabasePage(Box<DatabasePage>),
    /// The answer to [`Request::PrepareDatabases`].
    DatabasesPrepared(Result<Box<PreparedRun>, Error>),
    /// The answer to [`Request::WriteDatabases`].
    DatabasesWritten(Result<Box<DocumentReport>, Error>),
    /// The answer to [`Request::Verdict`]; also whether a rule would allow it that is not trusted yet.
    Verdict(Box<(ApprovalMode, bool, channel::ChannelSetup)>),
    /// The answer to [`Request::Offer`].
    Offer(Box<(channel::Request, channel::ChannelSetup)>),
}

/// The result of extending the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogWritten {
    /// The written files.
    pub files: Vec<WrittenFile>,
    /// Prompts to try, each with the hints an agent would get.
    pub prompts: Vec<SamplePrompt>,
}

/// Something located in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LocateTarget {
    /// The entry that defines the source.
    Definition(SourceId),
    /// The source's document.
    Document(SourceId),
}

/// The session for a simulated prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Audience {
    /// A session that has not been sent anything.
    NewSession,
    /// The requesting session, with its memory.
    ThisSession,
}

/// A message in the engine's queue.
#[derive(Debug)]
pub(super) enum Message {
    /// A client's request.
    Call(Call),
    /// Something changed outside the engine.
    Changed(OutsideChange),
    /// The search index was updated, or could not be, and why.
    Indexed { failure: Option<String> },
}

/// A request in the queue.
#[derive(Debug)]
pub(super) struct Call {
    pub session: Session,
    pub request: Request,
    pub reply: oneshot::Sender<Response>,
}

/// What may have changed outside the engine, ordered by how much must be read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum OutsideChange {
    /// The journal.
    Journal,
    /// Pending requests to the person: new, removed or timed out.
    Requests,
    /// The set of connected agents.
    Agents,
    /// Picks and exclusions.
    Choice,
    /// Anything in the workspace.
    Workspace,
}

impl Message {
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Self::Call(call) if call.request.is_change())
    }

    /// Whether it makes the engine reload the workspace.
    pub(super) fn is_reload(&self) -> bool {
        match self {
            Self::Call(call) => call.request == Request::Reload,
            Self::Changed(change) => *change == OutsideChange::Workspace,
            Self::Indexed { .. } => false,
        }
    }

    /// Whether it may be answered from the state before a reload.
    pub(super) fn is_lookup(&self) -> bool {
        let Self::Call(call) = self else { return true };
        matches!(
            call.request,
            Request::Match(_)
                | Request::Simulate { .. }
                | Request::Price(_)
                | Request::Agents
                | Request::JournalLine(_)
                | Request::Preview { .. }
                | Request::PreviewSelection(_)
                | Request::PreviewPicks { .. }
                | Request::PickSizes(_)
                | Request::PreviewBulk(_)
                | Request::AnalyseGraph
                | Request::Read { .. }
                | Request::ReadOn { .. }
                | Request::Search(_)
                | Request::AskDatabases(_)
                | Request::ListProfiles
                | Request::CompareProfile(_)
                | Request::Discover(_)
                | Request::Databases
                | Request::DatabasePage { .. }
                | Request::ProposeCatalog(_)
        )
    }

    /// Whether the client has repeated the request or stopped waiting.
    pub(super) fn is_abandoned(&self) -> bool {
        matches!(self, Self::Call(call) if call.reply.is_closed() && !call.request.is_change())
    }
}
