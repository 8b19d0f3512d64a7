//! The whole desk as one object with plain methods: open, reload, pick, unpick, exclude, enrich, explain (HOUSE).
//!
//! A desk knows no async, no terminal, no network and no clock it was not handed. What it holds is computed: from files
//! comes the catalog, from documents the mention graph, from both and the stored choice the selection. Documents are read
//! only as far as something is asked: a command reads what its answer needs, a running desk reads all in the background.

mod accessors;
mod add;
mod change;
pub mod channel;
mod document;
mod embedded;
pub mod engine;
mod enriching;
mod expect;
mod explain;
mod journal;
#[cfg(test)]
mod kept_law_tests;
mod locate;
mod mend;
mod options;
mod own_lines;
mod places;
mod prepared;
mod privileged_actions;
mod profile;
mod profiles;
pub mod reading;
pub mod rows;
mod scanning;
mod selection_preview;
pub mod session;
mod simulate;
mod switch;
mod templates;
mod trust;
mod undo;
mod why_not;
mod writing;

pub use add::{Added, NewSource};
pub use change::{Changed, PickStatus, Picked, at_list, has_any_tag};
pub use document::{Document, size};
pub use embedded::Extraction;
pub use enriching::Reader;
pub use expect::{Asserted, Case, Judged, Miss, Wanted, read_cases};
pub use explain::{Closure, PickedBy, Why};
pub use locate::Spot;
pub use mend::Mended;
pub use options::Options;
pub use prepared::Prepared;
pub use privileged_actions::{PrivilegedAction, PrivilegedActionKind};
pub use profile::find_profile;
pub use profiles::Profiled;
pub use scanning::Settled;
pub use selection_preview::{SelectionChange, SelectionPreview};
pub use session::Session;
pub use simulate::Simulated;
pub use switch::Switch;
pub use templates::{Made, RenderFailure, RenderRequest, What};
pub use undo::Undone;
pub use why_not::Verdict;
pub use writing::{Leave, Shown};

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use self::own_lines::OwnLines;
use self::places::Contents;
use self::profile::InForce;
use self::trust::{Decided, Loaded};
use crate::session::Store;
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::config::{self, Config};
use refdesk_core::mention::{Library, MentionGraph};
use refdesk_core::selection::{self, Choice, History, Selection};
use refdesk_enrich::Matcher;
use refdesk_files::Sealer;
use refdesk_text::report::{Diagnostic, add_new};

/// One workspace's references, what is chosen of them and all that follows.
pub struct Desk {
    options: Options,
    store: Store,
    config: Config,
    /// What replaces the stored picks.
    profile: Option<InForce>,
    catalog: Arc<Catalog>,
    /// Files in the folder of references that are links and lead outside the workspace.
    linked_references: Vec<PathBuf>,
    /// What of the catalog was trusted when it was read.
    decided: Decided,
    choice: Choice,
    /// Who stored the choice last, and for which session, as far as they said.
    chosen_by: (Option<String>, Option<String>),
    /// The changes made here.
    history: History,
    library: OnceLock<Library>,
    matcher: Matcher,
    graph: Arc<MentionGraph>,
    /// `graph` and `tokens` of before a reload, until everything is read again: to share what stayed.
    last: (Arc<MentionGraph>, Arc<HashMap<SourceId, u64>>),
    selection: Arc<Selection>,
    /// About the entries of the catalog.
    entries: Vec<Diagnostic>,
    /// About stored files as they are now.
    stored: Vec<Diagnostic>,
    /// About stored files that were set aside since this desk was opened, and writes that were interrupted.
    set_aside: Vec<Diagnostic>,
    /// Why the journal could not be written the last time it was to be.
    unjournalled: Mutex<Option<Diagnostic>>,
    /// About the documents read so far.
    documents: BTreeMap<SourceId, Vec<Diagnostic>>,
    /// Estimated tokens of the documents read so far.
    tokens: Arc<HashMap<SourceId, u64>>,
    /// What was found in the files of templates and in documents that hold some.
    templates: refdesk_templates::Cache,
    /// What lies behind the files that a session was told of.
    contents: Contents,
    /// Lines of the journal that this desk has written and nobody has heard of yet.
    own_lines: OwnLines,
}

impl Desk {
    /// Reads configuration, catalog and choice; no document yet.
    pub fn open(mut options: Options) -> Self {
        let profile = InForce::open(&mut options);
        let around = &options.around;
        let store = Store::new(&around.workspace, &options.desk, options.clock)
            .sealed_by(Sealer::new(options.state.as_deref(), &around.workspace))
            .waiting(options.patience);
        let config = config::load(around);
        let templates = if options.lives_on {
            refdesk_templates::Cache::remembering(options.clock)
        } else {
            refdesk_templates::Cache::default()
        };
        let mut desk = Self {
            templates,
            store,
            config,
            profile,
            catalog: Arc::default(),
            linked_references: Vec::new(),
            decided: Decided::new(),
            choice: Choice::default(),
            chosen_by: (None, None),
            history: History::default(),
            library: OnceLock::new(),
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
            own_lines: OwnLines::default(),
            options,
        };
        desk.catalog = Arc::new(desk.read_catalog(None));
        if desk.profile.is_none() {
            desk.choice = desk.preselected();
        }
        desk.read_choice();
        desk
    }

    /// Reads the workspace again. What does not parse any more keeps its last good content and is reported.
    pub fn reload(&mut self) {
        let mut config = config::load(&self.options.around);
        if config.document.is_none() && config.broken {
            config.document = self.config.document.take();
            config.settings = self.config.settings.clone();
        }
        self.config = config;
        if let Some(profile) = &mut self.profile {
            profile.read(&self.options.around);
        }
        let previous = self.catalog.clone();
        let catalog = self.read_catalog(Some(&previous));
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

    /// The catalog under the profile in force, with everything left out that waits for trust.
    fn read_catalog(&mut self, previous: Option<&Catalog>) -> Catalog {
        let Loaded { mut catalog, mut diagnostics, linked, mut decided, mut problems } = self.load_catalog(previous);
        self.linked_references = linked;
        if let Some(profile) = &mut self.profile {
            catalog = profile.apply(&self.options.around, &mut self.config, catalog, &mut diagnostics);
        }
        self.entries = diagnostics;
        let catalog = self.without_untrusted(catalog, &mut decided, &mut problems);
        add_new(&mut self.set_aside, &problems);
        self.decided = decided;
        catalog
    }

    /// Reads picks and exclusions again, as they are stored now, and nothing else.
    pub fn reread_choice(&mut self) {
        self.stored.clear();
        let before = self.choice.clone();
        self.load_choice();
        if self.choice != before {
            self.select();
        }
    }

    /// Reads the stored choice, or begins with the preselected sources.
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
        let stored = if self.options.lives_on {
            match self.store.look() {
                Ok(stored) => stored,
                Err(problem) => return self.stored.push(*problem),
            }
        } else {
            let (stored, problems) = self.store.choice();
            self.stored.extend(problems);
            stored
        };
        let before = std::mem::take(&mut self.choice);
        (self.choice, self.chosen_by) = match stored {
            Some(stored) => (stored.choice, (stored.by, stored.session)),
            None => (self.preselected(), (None, None)),
        };
        self.history.note_others(&before, &self.choice);
    }

    fn preselected(&self) -> Choice {
        let mut choice = Choice::default();
        for id in &self.config.settings.preselected {
            choice.pick(id);
        }
        choice
    }

    /// Computes the selection anew from what is known.
    fn select(&mut self) {
        self.selection = Arc::new(selection::select(&self.choice, &self.catalog, &self.graph, self.rules()));
    }
}
