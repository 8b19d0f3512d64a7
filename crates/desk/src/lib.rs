//! The whole desk as one object with plain methods: open, reload, pick, unpick, exclude, enrich, explain. A desk uses
//! no async runtime, terminal or network, and no clock except the one passed in. Its state is derived: the catalog from
//! files, the mention graph from documents, the selection from both and the stored choice. Documents are read only when
//! needed: a command reads those its answer depends on, and a long-running desk reads all of them in the background. A
//! method that acts for a reader takes its [`Session`].

mod accessors;
mod activity;
mod add;
mod background;
mod catalog_change;
mod catalog_edits;
mod change;
pub mod channel;
mod databases;
mod discovery;
mod document;
mod document_scan;
mod embedded;
pub mod engine;
mod enrichment;
mod expect;
mod explanation;
mod file_writes;
mod graph_analysis;
mod journal;
mod journal_lines;
#[cfg(test)]
mod mention_cache_law_tests;
mod options;
mod path_fixes;
mod places;
mod prepared;
mod price;
mod privileged_actions;
mod problems;
mod profile;
mod profiles;
pub mod reading;
mod requested_names;
pub mod rows;
mod search;
mod search_index;
mod selection_preview;
pub mod session;
mod simulation;
mod source_expansion;
mod source_location;
mod switch;
mod templates;
mod trust;
mod undo;
mod warnings;
mod why_not;

pub use activity::{AgentActivity, AgentPresence, AgentSession, Knowledge, SessionLine, TokenPeriods};
pub use add::{Added, AddedSources, NewSource};
pub use background::IndexProcess;
pub use catalog_change::{CatalogChange, CatalogLayout};
pub use catalog_edits::{Removal, RemovedSources, Retagged};
pub(crate) use change::mention_list;
pub use change::{Changed, PickStatus, Picked, Picker};
pub use databases::{
    AllowedDatabase, Answered, ColumnUse, DamagedPage, DatabaseAnswer, DatabaseCheck, DatabaseDifference,
    DatabaseOverview, DatabasePage, DatabaseQuestion, DatabaseState, DatabaseSummary, DatabaseView, DescribedDomain,
    DescribedHop, DescribedJoin, DescribedPath, DocumentOptions, DocumentProgress, DocumentReport, Documentation,
    DocumentationPreview, DocumentedPage, DocumentedPages, DomainPage, DomainSummary, DomainTable, FailedDatabases,
    FoundPaths, OverviewReader, PageDifference, PickPrice, Planned, PreviewedDomain, ReadDatabase, ReadState,
    SharedJoin, TableBrief, TableMarks, TablePage, TableSchema, TableSummary, database_failures, notes_file,
};
pub use discovery::{Discoverer, SamplePrompt};
pub use document::{Document, size};
pub use document_scan::CompleteDesk;
pub use embedded::Extraction;
pub use enrichment::EnrichMode;
pub use expect::{
    AssertionReport, Case, CaseExpectations, CaseResult, Expectations, FailedExpectation, read_expectations,
};
pub use explanation::{Closure, PickLink};
pub use file_writes::{OutsideWriteApproval, RenderPreview};
pub use options::Options;
pub use path_fixes::FixedPath;
pub use prepared::{NO_PATH, Prepared};
pub use price::{CostChange, Price};
pub use privileged_actions::{PrivilegedAction, PrivilegedActionKind};
pub use problems::ProblemParts;
pub use profile::find_profile;
pub use profiles::{AfterSwitch, ProfileDetails};
pub use refdesk_discover::{Discovery, FoundKind, KnownSource, MovedSource, ProposedPlace, ProposedSource, ScanNote};
pub use refdesk_index::{
    DOCUMENT_KINDS, HitRank, IndexProgress, IndexStatus, RankedList, Report as IndexReport, SearchMode,
};
pub use requested_names::{TagFilter, about_unused_tags, nearest_tag, quoted_tags, unused_tags};
pub use search::{
    SEARCH_COMMAND, SEARCH_LIMIT, SearchAnswer, SearchHit, SearchReader, SearchRequest, SearchScope, changed_since,
};
pub use search_index::{Indexing, first_sections_only};
pub use selection_preview::{BulkChange, BulkPreview, LargePick, SelectionChange, SelectionPreview};
pub use session::Session;
pub use simulation::Simulation;
pub use source_location::FileLine;
pub use switch::ProfileSwitch;
pub use templates::{RenderFailure, RenderRequest, RenderedTemplate, TemplateRef};
pub use undo::UndoResult;
pub use why_not::{HintRemedy, NeededRoom, Verdict};

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use self::databases::LoadedDatabases;
use self::journal_lines::OwnLines;
use self::places::Contents;
use self::profile::ActiveProfile;
pub use self::trust::RevokedTrust;
use self::trust::{LoadedCatalog, TrustDecisions};
use crate::session::{Store, UnconfirmedPicks};
use refdesk_core::catalog::{self, Catalog, PlainSources, Source, SourceId};
use refdesk_core::config::{Config, JsonDocument};
use refdesk_core::mention::{Library, MentionGraph};
use refdesk_core::selection::{self, Choice, History, Selection};
use refdesk_enrich::Matcher;
use refdesk_files::walk::WalkBudget;
use refdesk_files::{Sealer, Stamp};
use refdesk_index::IndexCache;
#[cfg(feature = "meaning")]
use refdesk_index::LazyModel;
use refdesk_text::Code;
use refdesk_text::report::{Diagnostic, add_new};

/// The references of a workspace, the choice, and everything derived from them.
pub struct Desk {
    options: Options,
    store: Store,
    config: Config,
    /// Reports that the configuration has disappeared since this desk was opened.
    vanished: Option<Diagnostic>,
    /// The profile that replaces the stored picks.
    profile: Option<ActiveProfile>,
    catalog: Arc<Catalog>,
    /// Links in the references folder that lead out of the workspace.
    linked_references: Vec<PathBuf>,
    /// What was trusted when the catalog was read.
    decided: TrustDecisions,
    /// The picks that no person made here.
    unconfirmed: UnconfirmedPicks,
    /// All such picks so far, since undo can restore them.
    earlier_unconfirmed: UnconfirmedPicks,
    /// Selected sources with an address or a tool that no pick made here pulled in: they are in every conversation.
    unrequested: HashSet<SourceId>,
    /// Selected sources with an address or a tool that a person's pick pulled in. Only what they were then is trusted.
    requested: HashSet<SourceId>,
    /// Why the search index could not be updated in the background, if the last attempt failed.
    index_failure: Option<String>,
    /// Whether those changed since [`Desk::take_trust_change`].
    has_trust_change: bool,
    /// The local sources among them that are withheld, as they were before.
    withheld: Vec<Arc<Source>>,
    choice: Choice,
    /// The client and the session that last stored the choice, if known.
    chosen_by: (Option<String>, Option<String>),
    /// Whether the choice was read from its file or written to it, so that a missing file was deleted.
    is_choice_stored: bool,
    /// The changes made by this desk, for undo.
    history: History,
    /// Answers given here whose picks are not stored yet.
    answers: Vec<undo::LocalAnswer>,
    library: OnceLock<Library>,
    /// The time limit for all walks of one request together.
    walks: WalkBudget,
    matcher: Matcher,
    graph: Arc<MentionGraph>,
    /// `graph` and `tokens` from before a reload, until everything has been read again, so that equal values are
    /// shared.
    last: (Arc<MentionGraph>, Arc<HashMap<SourceId, u64>>),
    selection: Arc<Selection>,
    /// Problems of catalog entries.
    entries: Vec<Diagnostic>,
    /// Current problems of stored files.
    stored: Vec<Diagnostic>,
    /// Stored files that were set aside since this desk was opened, and interrupted writes.
    set_aside: Vec<Diagnostic>,
    /// Why the last append to the journal failed.
    unjournalled: Mutex<Option<Diagnostic>>,
    /// Problems of the documents read so far.
    documents: BTreeMap<SourceId, Vec<Diagnostic>>,
    /// Estimated tokens of the documents read so far.
    tokens: Arc<HashMap<SourceId, u64>>,
    /// Data loaded for the last query to the index.
    index_cache: Arc<IndexCache>,
    /// The model that computes vectors of texts.
    #[cfg(feature = "meaning")]
    model: LazyModel,
    /// The templates found in files and documents.
    templates: refdesk_templates::Cache,
    /// Hashes of files sent to sessions.
    contents: Contents,
    /// The configured databases, read on first use.
    databases: OnceLock<LoadedDatabases>,
    /// The database pages of the manifest with this stamp.
    documented: Mutex<Option<(Option<Stamp>, Arc<DocumentedPages>)>>,
    /// Numbers of journal lines that this desk wrote and has not read back.
    own_lines: OwnLines,
}

/// The error that this file has disappeared, and with it the sources of `catalog` that it defined.
fn vanished(catalog: &Catalog, file: &JsonDocument) -> Diagnostic {
    let message = match catalog.sources().iter().filter(|source| source.origin.file == file.path).count() {
        0 => "the file is gone".to_owned(),
        1 => "the file is gone, and its source left the catalog".to_owned(),
        count => format!("the file is gone, and its {count} sources left the catalog"),
    };
    let fix = "restore it; if you removed it on purpose, restart refdesk";
    Diagnostic::error(Code::ConfigNotFound, message).in_file(&file.shown).fix(fix)
}

impl Desk {
    /// Reads configuration, catalog and choice, but no documents.
    pub fn open(mut options: Options) -> Self {
        let profile = ActiveProfile::open(&mut options);
        let context = &options.context;
        let store = Store::new(&context.workspace, &options.desk, options.clock)
            .sealed_by(Sealer::new(options.state.as_deref(), &context.workspace))
            .waiting(options.lock_timeout)
            .only_if_marked(!context.is_workspace());
        let (config, plain) = catalog::load_config(context, None, &options.wanted, options.is_compared());
        let templates = if options.is_long_running {
            refdesk_templates::Cache::remembering(options.clock)
        } else {
            refdesk_templates::Cache::default()
        };
        let mut desk = Self {
            templates,
            store,
            config,
            vanished: None,
            profile,
            catalog: Arc::default(),
            linked_references: Vec::new(),
            decided: TrustDecisions::new(),
            unconfirmed: UnconfirmedPicks::default(),
            earlier_unconfirmed: UnconfirmedPicks::default(),
            unrequested: HashSet::new(),
            requested: HashSet::new(),
            index_failure: None,
            has_trust_change: false,
            withheld: Vec::new(),
            choice: Choice::default(),
            chosen_by: (None, None),
            is_choice_stored: false,
            history: History::default(),
            answers: Vec::new(),
            library: OnceLock::new(),
            walks: WalkBudget::default(),
            matcher: Matcher::default(),
            graph: Arc::default(),
            last: (Arc::default(), Arc::default()),
            selection: Arc::default(),
            entries: Vec::new(),
            stored: Vec::new(),
            set_aside: Vec::new(),
            unjournalled: Mutex::default(),
            documents: BTreeMap::new(),
            tokens: Arc::default(),
            contents: Contents::default(),
            index_cache: Arc::default(),
            #[cfg(feature = "meaning")]
            // A long-running desk loads its own model, and lends it.
            model: match &options.state {
                Some(state) if !options.is_long_running => LazyModel::with_server_below(state),
                _ => LazyModel::default(),
            },
            databases: OnceLock::new(),
            documented: Mutex::default(),
            own_lines: OwnLines::default(),
            options,
        };
        desk.catalog = Arc::new(desk.read_catalog(plain, None));
        if desk.profile.is_none() {
            desk.choice = desk.preselected();
        }
        desk.read_choice();
        desk
    }

    /// Whether the workspace folder does not exist.
    pub(crate) fn is_gone(&self) -> bool {
        !self.options.context.workspace.is_dir()
    }

    /// Reads the workspace again. Files that no longer parse keep their last valid content and are reported. While the
    /// workspace folder does not exist, everything keeps its last state.
    pub fn reload(&mut self) {
        if self.is_gone() {
            let gone = format!("the folder of the workspace is gone: {}", self.options.context.workspace.display());
            let problem = Diagnostic::error(Code::NoWorkspace, gone);
            self.entries.retain(|it| it.code != Code::NoWorkspace);
            self.entries.push(problem.fix("restore it; until then its last known state is shown"));
            // Another folder in its place has its own picks.
            self.is_choice_stored = false;
            return;
        }
        let previous = self.catalog.clone();
        let (mut config, plain) = catalog::load_config(
            &self.options.context,
            Some(&previous),
            &self.options.wanted,
            self.options.is_compared(),
        );
        if config.document.is_none() && config.is_broken {
            config.document = self.config.document.take();
            config.settings = self.config.settings.clone();
        }
        match &self.config.document {
            _ if config.document.is_some() || config.is_missing || config.is_broken => self.vanished = None,
            Some(document) => self.vanished = Some(vanished(&previous, document)),
            None => {}
        }
        config.diagnostics.extend(self.vanished.clone());
        self.config = config;
        self.databases = OnceLock::new();
        self.documented = Mutex::default();
        if let Some(profile) = &mut self.profile {
            profile.read(&self.options.context);
        }
        let catalog = self.read_catalog(plain, Some(&previous));
        self.stored.clear();
        self.documents.clear();
        let graph = Arc::new(MentionGraph::with_capacity(self.graph.len()));
        let tokens = Arc::new(HashMap::with_capacity(self.tokens.len()));
        let read = (std::mem::replace(&mut self.graph, graph), std::mem::replace(&mut self.tokens, tokens));
        if read.0.len() >= self.last.0.len() {
            self.last = read;
        }
        let changed = *self.catalog != catalog;
        if changed {
            self.contents.forget();
            if !refdesk_enrich::has_equal_index(&self.catalog, &catalog) {
                self.matcher = Matcher::default();
            }
            self.catalog = Arc::new(catalog);
        }
        self.templates.invalidate();
        if let Some(library) = self.library.get_mut() {
            if changed { library.adopt(&self.catalog) } else { library.invalidate() }
        }
        self.read_choice();
    }

    /// Starts a new request on a desk that answers several: its walks get a new time limit.
    pub(crate) fn begin_request(&mut self) {
        self.walks = WalkBudget::default();
    }

    /// The catalog under the active profile, without untrusted parts.
    fn read_catalog(&mut self, plain: PlainSources, previous: Option<&Catalog>) -> Catalog {
        let LoadedCatalog { mut catalog, mut diagnostics, linked, mut decided, mut problems } =
            self.load_catalog(&self.config, plain, previous);
        self.linked_references = linked;
        if let Some(profile) = &mut self.profile {
            catalog = profile.apply(&self.options.context, &mut self.config, catalog, &mut diagnostics);
        }
        // Whether a path outside was requested is decided again once this catalog has a selection.
        self.withheld.clear();
        self.unrequested.retain(|id| catalog.get(id.as_str()).is_none_or(|source| source.place().is_none()));
        let catalog = self.without_untrusted(catalog, &mut decided, &mut problems);
        let is_untrusted = |id: &String| catalog.get(id).is_some_and(refdesk_core::catalog::Source::is_untrusted);
        // Do not reveal what is at an untrusted path, or whether it exists.
        let tells = |code| matches!(code, Code::MissingPath | Code::NoRegularFile | Code::Unreadable);
        diagnostics.retain(|it| !(tells(it.code) && it.source_id.as_ref().is_some_and(is_untrusted)));
        self.entries = diagnostics;
        add_new(&mut self.set_aside, &problems);
        self.decided = decided;
        catalog
    }

    /// Reads only the stored picks and exclusions again.
    pub fn reread_choice(&mut self) {
        self.stored.clear();
        let before = (self.choice.clone(), self.unconfirmed.clone());
        self.load_choice();
        if self.is_gone() {
            // The workspace disappeared during the read, which is not a change of the choice.
            (self.choice, self.unconfirmed) = before;
            self.stored.clear();
        } else if self.choice != before.0 || self.unconfirmed != before.1 {
            self.select();
        }
    }

    /// Reads the stored choice; if there is none, picks the preselected sources. If it was deleted while this desk runs,
    /// the last one stays.
    fn read_choice(&mut self) {
        self.load_choice();
        self.select();
    }

    fn load_choice(&mut self) {
        if let Some(choice) = self.choice_under_profile() {
            self.history.note_others(&self.choice, &choice);
            self.choice = choice;
            return;
        }
        let stored = if self.options.is_long_running {
            match self.store.look() {
                Ok(stored) => stored,
                Err(problem) => return self.stored.push(*problem),
            }
        } else {
            let (stored, problems) = self.store.choice();
            self.stored.extend(problems);
            stored
        };
        if stored.is_none() && self.options.is_long_running && self.is_choice_stored {
            return self.stored.push(self.store.deleted());
        }
        self.is_choice_stored = stored.is_some();
        let before = std::mem::take(&mut self.choice);
        let unconfirmed;
        (self.choice, self.chosen_by, unconfirmed) = match stored {
            Some(stored) => (stored.choice, (stored.by, stored.session), stored.unconfirmed),
            None => (self.preselected(), (None, None), UnconfirmedPicks::default()),
        };
        self.adopt_unconfirmed(unconfirmed);
        let stored = self.choice.clone();
        self.note_stored(&before, &stored);
    }

    /// The ids that the configuration or the active profile picks in every session.
    pub(crate) fn preselected_ids(&self) -> impl Iterator<Item = &str> {
        let of_profile = self.profile.iter().flat_map(ActiveProfile::preselected);
        self.config.settings.preselected.iter().map(String::as_str).chain(of_profile)
    }

    /// The ids that the workspace picks.
    pub(crate) fn brought_picks(&self) -> HashSet<&str> {
        self.preselected_ids().chain(self.unconfirmed.taken_over.iter().map(String::as_str)).collect()
    }

    /// The picks of agents that no person confirmed.
    pub(crate) fn picks_by_agents(&self) -> &BTreeSet<String> {
        &self.unconfirmed.by_agents
    }

    /// Those of a choice's picks that no person made here.
    pub(crate) fn unconfirmed_of(&self, choice: &Choice) -> UnconfirmedPicks {
        let brought = self.brought_picks();
        let is_brought = |id: &&String| brought.contains(id.as_str());
        let mut unconfirmed = self.unconfirmed.clone();
        unconfirmed.taken_over.extend(choice.picks.iter().filter(is_brought).cloned());
        unconfirmed.retain(&choice.picks);
        unconfirmed
    }

    fn preselected(&self) -> Choice {
        Choice::of_picks(&self.config.settings.preselected)
    }

    /// Sets which picks of the choice no person made.
    fn adopt_unconfirmed(&mut self, picks: UnconfirmedPicks) {
        self.earlier_unconfirmed.extend(&picks, |_| true);
        self.unconfirmed = picks;
    }

    /// Recomputes the selection.
    fn select(&mut self) {
        loop {
            self.selection = Arc::new(selection::select(&self.choice, &self.catalog, &self.graph, self.rules()));
            self.unconfirmed.retain(&self.choice.picks);
            // What is withheld depends only on what pulls it in, so this ends at the greatest depth at the latest.
            if !self.withhold_unrequested() {
                return;
            }
        }
    }
}
