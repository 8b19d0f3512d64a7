//! The requests of clients and the engine's responses. Both are plain values; a oneshot channel carries each response
//! to its client.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::oneshot;

use super::database_run::PreparedRun;
use super::requests::Reply;
use crate::engine::{DatedLine, Snapshot};
use crate::session::Receipt;
use crate::{
    AgentActivity, CatalogChange, DatabaseAnswer, DatabaseOverview, DatabasePage, DatabaseQuestion, Discovery,
    Document, DocumentReport, FileLine, LargePick, Picked, Prepared, Price, PrivilegedAction, Profiled, RenderFailure,
    RenderPreview, RenderRequest, SamplePrompt, SearchAnswer, SearchRequest, SelectionChange, SelectionPreview,
    Session, Switch, channel,
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
    /// Pick these ids, and every source that has one of these tags. Answered by [`Response::Picked`].
    Pick {
        /// Ids of sources.
        ids: Vec<String>,
        /// Tags, compared as hints compare them.
        tags: Vec<String>,
    },
    /// Pick this one source, as much of it as this. Answered by [`Response::Picked`], or by [`Response::LargePick`].
    PickOne {
        /// Its id.
        id: SourceId,
        /// How much may follow.
        reach: PickReach,
    },
    /// Remove the pick of this id, also if it is dormant.
    Unpick(SourceId),
    /// Keep this source from being pulled in; removes its pick.
    Exclude(SourceId),
    /// Lift the exclusion of this source.
    Include(SourceId),
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
    /// What would picking one source, and picking several at once, change? Answered by [`Response::PicksPreview`].
    PreviewPicks {
        /// The one source, if any.
        one: Option<SourceId>,
        /// The several.
        all: Vec<SourceId>,
    },
    /// How is everything connected by mentions, and what would a pick of each source bring? Answered by
    /// [`Response::GraphAnalysis`].
    AnalyseGraph,
    /// The text of this source, or of this file of it. Answered by [`Response::Document`].
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
    /// What would be appended to this prompt? Nothing is remembered as sent. Answered by [`Response::Simulated`].
    Simulate {
        /// The prompt as typed.
        prompt: Arc<str>,
        /// The session that would read it.
        audience: Audience,
    },
    /// What would the instructions and this prompt cost a new session? Answered by [`Response::Price`].
    Price(Arc<str>),
    /// What was each session told, and what did it read and pick? Answered by [`Response::Agents`].
    Agents,
    /// The complete line of the journal with this number. Answered by [`Response::JournalLine`].
    JournalLine(u64),
    /// Render this template and compare it with its file. Answered by [`Response::Preview`].
    Preview {
        /// Name in the index.
        template: String,
        /// The values; `None` renders with sample values made from the variable tree.
        values: Option<Value>,
        /// The file to compare with, relative to the workspace; `None` means the one that the template offers, if any.
        path: Option<String>,
    },
    /// Write an approved proposal. Answered by [`Response::Written`].
    Write {
        /// What to write.
        proposal: Box<Proposal>,
        /// Who approved it, in words for the journal; empty for the person at the screen.
        reason: String,
    },
    /// Trust exactly these, which the person was shown.
    Trust(Arc<[PrivilegedAction]>),
    /// What does the repository offer that the catalog does not have? In these folders, relative to the current one; none
    /// means the workspace. Answered by [`Response::Discovered`], or refused.
    Discover(Vec<PathBuf>),
    /// Can what is at this address, or at this path from the root of the workspace, be added to the catalog? Answered by
    /// [`Response::CanAdd`].
    CanAdd(String),
    /// What would writing these to the catalog change, file by file? Answered by [`Response::CatalogProposed`].
    ProposeCatalog(Box<CatalogChange>),
    /// Write approved proposals for the catalog, all or none. Answered by [`Response::CatalogWritten`].
    WriteCatalog {
        /// What to write.
        proposals: Vec<Proposal>,
        /// The change that they were proposed for.
        change: Box<CatalogChange>,
    },
    /// Answer the request with this id, which waits for a person.
    Reply {
        /// Id of the request.
        request_id: String,
        /// What the person answered.
        reply: Reply,
    },
    /// The profiles of the workspace, and what each would load. Answered by [`Response::Profiles`].
    ListProfiles,
    /// What would switching to the profile in this file change? Answered by [`Response::ProfileCompared`].
    CompareProfile(PathBuf),
    /// Replace the desk's picks by those of the profile in this file.
    SwitchProfile(PathBuf),
    /// Complete the selection. Answered by [`Response::Settled`], which includes everything done before, except perhaps
    /// its templates.
    Settle,
    /// The same, and index its templates. Answered by [`Response::Settled`].
    Index,
    /// Look up everything that a rendering needs. Answered by [`Response::Prepared`].
    Prepare(Box<RenderRequest>),
    /// Append this to the journal.
    Note(Box<Receipt>),
    /// Journal that the session read a source, and whether it was offered it before.
    NoteRead(Box<Receipt>),
    /// What may this session read? Settles as [`Request::Settle`] does. Answered by [`Response::Access`].
    Access,
    /// Which sections match this search? Answered by [`Response::Found`].
    Search(Box<SearchRequest>),
    /// Answer a question of an agent about documented databases.
    AskDatabases(Box<DatabaseQuestion>),
    /// Which databases are there, and what do their files say of them? No database is reached. Answered by
    /// [`Response::Databases`].
    Databases,
    /// This page of this database. Answered by [`Response::DatabasePage`].
    DatabasePage {
        /// The name of the database.
        database: String,
        /// The path of its page, relative to the workspace.
        path: String,
    },
    /// Read these databases, or all, and prepare their documentation; nothing is written yet. Answered by
    /// [`Response::DatabasesPrepared`].
    PrepareDatabases(Vec<String>),
    /// Write what the run of this number prepared; refused if another was prepared since. Answered by
    /// [`Response::DatabasesWritten`] when that has ended; meanwhile [`Event::DatabaseRun`](super::Event::DatabaseRun) says how
    /// far it is.
    WriteDatabases(u64),
    /// End the run after the current table; one that only prepared is forgotten.
    PauseDatabases,
    /// Does a write to this path, as displayed, need approval, and how would a person be asked? Answered by
    /// [`Response::Verdict`].
    Verdict(String),
    /// Which sources may a person be asked to choose from, and how? Answered by [`Response::Offer`].
    Offer {
        /// The reason, for the person who answers.
        context: String,
        /// Only sources with one of these tags; if empty, all.
        tags: Vec<String>,
    },
}

/// How much of what a source mentions its pick pulls in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PickReach {
    /// All, unless it is much: then nothing is picked, and the answer says what would follow.
    AllIfFew,
    /// All.
    All,
    /// What it mentions itself; what these mention is excluded.
    Near,
    /// Nothing; what it mentions is excluded.
    Alone,
}

impl Request {
    /// Pick this one source, unless much would follow.
    pub fn pick_if_few(id: impl Into<SourceId>) -> Self {
        Self::PickOne { id: id.into(), reach: PickReach::AllIfFew }
    }

    /// Pick this one source.
    pub fn pick(id: impl Into<String>) -> Self {
        Self::Pick { ids: vec![id.into()], tags: Vec::new() }
    }

    /// Whether it changes what is stored. A change is carried out even if its client no longer waits.
    pub fn is_change(&self) -> bool {
        matches!(
            self,
            Self::Pick { .. }
                | Self::PickOne { .. }
                | Self::Unpick(_)
                | Self::Exclude(_)
                | Self::Include(_)
                | Self::Clear
                | Self::Undo
                | Self::Redo
                | Self::Write { .. }
                | Self::WriteCatalog { .. }
                | Self::Trust(_)
                | Self::Reply { .. }
                | Self::SwitchProfile(_)
                | Self::WriteDatabases(_)
                | Self::PauseDatabases
                | Self::Note(_)
                | Self::NoteRead(_)
        )
    }

    /// Whether it may wait for room in the queue: a question, and an order to a run, whose client shows from then on that it is
    /// under way. Another change must not happen long after its key was pressed.
    pub fn may_wait(&self) -> bool {
        !self.is_change() || matches!(self, Self::WriteDatabases(_) | Self::PauseDatabases)
    }
}

/// What the engine answers.
#[derive(Debug, Clone)]
pub enum Response {
    /// Carried out, except for what is refused here.
    Done(Vec<Error>),
    /// The answer to [`Request::Pick`]: its outcome, and the same for an agent, made before what follows from the pick
    /// is computed, because that takes every core.
    Picked(Result<Box<(Picked, Value)>, Error>),
    /// The answer to [`Request::PickOne`] if much would follow: nothing was picked.
    LargePick(Box<LargePick>),
    /// The answer to [`Request::PreviewSelection`].
    SelectionPreview(SelectionPreview),
    /// The answer to [`Request::PreviewPicks`].
    PicksPreview {
        /// What picking the one would change.
        one: SelectionChange,
        /// What picking the several would change.
        all: SelectionChange,
    },
    /// The answer to [`Request::Read`] and [`Request::ReadOn`].
    Document(Document),
    /// The answer to [`Request::AnalyseGraph`].
    GraphAnalysis(Arc<GraphAnalysis>),
    /// The answer to [`Request::Locate`].
    Located(FileLine),
    /// The answer to [`Request::Match`]. Byte ranges are within the prompt.
    Findings(Findings),
    /// The answer to [`Request::Simulate`].
    Simulated {
        /// The prompt with what would be appended, and its price.
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
        /// The text and what it would change, or why there is none.
        outcome: Result<RenderPreview, RenderFailure>,
    },
    /// The answer to [`Request::Write`].
    Written(Result<WrittenFile, WriteFailure>),
    /// The answer to [`Request::Discover`].
    Discovered(Box<Discovery>),
    /// The answer to [`Request::CanAdd`].
    CanAdd(Result<(), Error>),
    /// The answer to [`Request::ProposeCatalog`].
    CatalogProposed(Result<Vec<Proposal>, Error>),
    /// The answer to [`Request::WriteCatalog`].
    CatalogWritten(Result<CatalogWritten, WriteFailure>),
    /// The answer to [`Request::ListProfiles`].
    Profiles {
        /// Each profile, in the order of their files.
        profiles: Vec<Profiled>,
        /// Why their folder cannot be read.
        problems: Vec<Diagnostic>,
    },
    /// The answer to [`Request::CompareProfile`]: what would change, or why that is unknown.
    ProfileCompared(Result<Box<Switch>, String>),
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
    /// The answer to [`Request::Verdict`].
    Verdict(Box<(ApprovalMode, channel::ChannelSetup)>),
    /// The answer to [`Request::Offer`].
    Offer(Box<(channel::Request, channel::ChannelSetup)>),
}

/// The catalog after it was extended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogWritten {
    /// The files.
    pub files: Vec<WrittenFile>,
    /// Prompts to try, and what an agent would be told for each.
    pub prompts: Vec<SamplePrompt>,
}

/// Something with a position in a file.
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
    /// A session that was sent nothing before.
    NewSession,
    /// The session that asks, with its memory.
    ThisSession,
}

/// What the engine's queue carries.
#[derive(Debug)]
pub(super) enum Message {
    /// A client asks.
    Call(Call),
    /// Something changed outside the engine.
    Changed(Change),
}

/// A request in the queue.
#[derive(Debug)]
pub(super) struct Call {
    pub session: Session,
    pub request: Request,
    pub reply: oneshot::Sender<Response>,
}

/// What may have changed outside the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// Requests that wait for a person: new, removed or timed out.
    Requests,
    /// The journal.
    Journal,
    /// Picks and exclusions.
    Choice,
    /// Anything in the workspace.
    Workspace,
    /// The search index was updated.
    Index,
    /// Which agents are connected.
    Agents,
}

impl Message {
    pub(super) fn is_change(&self) -> bool {
        matches!(self, Self::Call(call) if call.request.is_change())
    }

    /// Whether it reads the workspace again.
    pub(super) fn is_reload(&self) -> bool {
        match self {
            Self::Call(call) => call.request == Request::Reload,
            Self::Changed(change) => *change == Change::Workspace,
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

    /// Whether its answer is no longer awaited, because the client asked again or stopped waiting.
    pub(super) fn is_abandoned(&self) -> bool {
        matches!(self, Self::Call(call) if call.reply.is_closed() && !call.request.is_change())
    }
}
