//! The state of the desk at one moment, for display.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;

use super::requests::WaitingRequest;
use crate::{CostChange, FileLine, PrivilegedAction, price};
use refdesk_core::catalog::{Catalog, Source, SourceId};
use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_core::mention::MentionGraph;
use refdesk_core::selection::{Selection, StepName};
use refdesk_templates::TemplateIndex;
use refdesk_text::report::Diagnostic;

/// Everything a screen is drawn from. Cheap to clone.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Snapshot {
    /// Increases with every snapshot.
    pub generation: u64,
    /// The workspace folder, as displayed.
    pub workspace: Arc<str>,
    /// Whether state may be stored in it; false for a folder used only because no workspace was found.
    pub is_workspace: bool,
    /// The folder in words if it is the user's home or above it, which refdesk makes no workspace of.
    pub home: Option<Arc<str>>,
    /// The desk's name; `default` unless another was given.
    pub desk: Arc<str>,
    /// The sources.
    pub catalog: Arc<Catalog>,
    /// The mentions of the documents read so far.
    pub graph: Arc<MentionGraph>,
    /// The selection.
    pub selection: Arc<Selection>,
    /// The picks of agents that no person confirmed.
    pub by_agents: Arc<BTreeSet<String>>,
    /// The templates of the selection.
    pub templates: Arc<TemplateIndex>,
    /// Estimated tokens of each source whose size is known.
    pub tokens: Arc<HashMap<SourceId, u64>>,
    /// The estimated tokens of the instructions; 0 until all documents have been read once.
    pub instructions: u64,
    /// The problems, errors first.
    pub diagnostics: Arc<[Diagnostic]>,
    /// The progress of reading documents; `None` when all have been read.
    pub loading: Option<Loading>,
    /// Whether the search index is being updated, or is about to be.
    pub is_indexing: bool,
    /// The step that undo would revert.
    pub undo: Option<StepName>,
    /// The step that redo would repeat.
    pub redo: Option<StepName>,
    /// Names of hidden tools.
    pub exclude_tools: Arc<[String]>,
    /// Whether databases are documented, which gives agents tools for them.
    pub has_databases: bool,
    /// The number of databases that the workspace configures, documented or not.
    pub configured_databases: usize,
    /// How changes on disk are noticed.
    pub watching: Watching,
    /// The number of reloads. Since the last one, a document may have changed without changing its size.
    pub reads: u64,
    /// Pending requests, oldest first; empty if no person would see them.
    pub requests: Arc<[WaitingRequest]>,
    /// How many further requests are pending, too many to show at once.
    pub unread_requests: usize,
    /// Actions that need this person's trust; empty if no person can be asked.
    pub untrusted: Arc<[PrivilegedAction]>,
    /// The person's keymap and themes; `None` if the client has no screen, or before they are read.
    pub screen_files: Option<Arc<ScreenFiles>>,
}

impl Snapshot {
    /// The number of pending requests, including those not shown yet.
    pub fn request_count(&self) -> usize {
        self.requests.len() + self.unread_requests
    }

    /// The file and line of this diagnostic, if known.
    pub fn spot(&self, finding: &Diagnostic) -> Option<FileLine> {
        // Paths are as displayed: relative to the workspace, or absolute outside it.
        let path = Path::new(&*self.workspace).join(finding.file.as_ref()?);
        Some(FileLine { path, line: finding.line.unwrap_or(1) })
    }

    /// The estimated tokens of everything an agent gets: the selection, the sources of mode auto, and the instructions.
    pub fn agent_tokens(&self) -> u64 {
        price::agent_tokens(&self.catalog, &self.selection, self.instructions, |source| self.price(source))
    }

    /// The estimated tokens of the selection and the sources of mode auto.
    pub fn source_tokens(&self) -> u64 {
        price::source_tokens(&self.catalog, &self.selection, &self.tokens)
    }

    /// The cost of the changes since the given snapshot.
    pub fn cost_since(&self, before: &Self) -> CostChange {
        let of = |snapshot: &Self| (snapshot.source_tokens(), snapshot.agent_tokens());
        CostChange::between(of(before), of(self))
    }

    /// Like [`Self::source_tokens`], without the texts that the instructions already contain in full.
    pub fn tokens_outside_instructions(&self, instructions: u64) -> u64 {
        let given = price::agent_sources(&self.catalog, &self.selection)
            .filter(|source| price::is_outside_instructions(source, instructions));
        given.filter_map(|source| self.price(source)).sum()
    }

    fn price(&self, source: &Source) -> Option<u64> {
        self.tokens.get(source.id.as_str()).copied()
    }
}

/// The progress of reading documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loading {
    /// The number of sources read.
    pub done: usize,
    /// The number of sources to read.
    pub total: usize,
}

/// How changes on disk are noticed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Watching {
    /// The system reports them.
    #[default]
    Live,
    /// The system reports some of them, since there is too much to watch; the reason, for people.
    Partly(Arc<str>),
    /// refdesk polls for changes; the reason, for people.
    Polling(Arc<str>),
    /// Changes are noticed only by an explicit reload; the reason, for people.
    Off(Arc<str>),
}
