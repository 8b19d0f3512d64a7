//! The whole desk as one object with plain methods: open, reload, pick, unpick, exclude, enrich, explain (HOUSE).
//!
//! A desk knows no async, no terminal, no network and no clock it was not handed. What it holds is computed: from files
//! comes the catalog, from documents the mention graph, from both and the stored choice the selection. Documents are read
//! only as far as something is asked: a command reads what its answer needs, a running desk reads all in the background.

mod add;
mod change;
pub mod channel;
mod document;
mod embedded;
pub mod engine;
mod enriching;
mod expect;
mod explain;
mod identity;
mod journal;
#[cfg(test)]
mod kept_law_tests;
mod locate;
mod mend;
mod own_lines;
mod places;
mod prepared;
mod privileged_actions;
mod profile;
mod profiles;
pub mod reading;
pub mod rows;
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
pub use identity::Session;
pub use locate::Spot;
pub use mend::Mended;
pub use prepared::Prepared;
pub use privileged_actions::{PrivilegedAction, PrivilegedActionKind};
pub use profile::find_profile;
pub use profiles::Profiled;
pub use selection_preview::{SelectionChange, SelectionPreview};
pub use simulate::Simulated;
pub use switch::Switch;
pub use templates::{Made, RenderRequest, Unrendered, What};
pub use undo::Undone;
pub use why_not::Verdict;
pub use writing::{Leave, OUTSIDE, Shown};

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, SystemTime};

use self::own_lines::OwnLines;
use self::places::Contents;
use self::profile::InForce;
use self::trust::{Decided, Loaded};
use crate::session::{DEFAULT, Store, advice};
use refdesk_core::catalog::{self, Catalog, Source, SourceId};
use refdesk_core::config::{self, Config, Environment, Settings, Surroundings};
use refdesk_core::mention::{self, Library, MentionGraph};
use refdesk_core::selection::{self, Choice, ExpansionRules, History, Selection};
use refdesk_enrich::Matcher;
use refdesk_files::{LOCK_TIMEOUT, Sealer};
use refdesk_templates::render::Renderer;
use refdesk_text::Error;
use refdesk_text::report::{Diagnostic, add_new};

/// How a desk is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where the program stands.
    pub around: Surroundings,
    /// Which desk of the workspace.
    pub desk: String,
    /// The file of the profile that replaces what is picked; nothing is stored then.
    pub profile: Option<PathBuf>,
    /// Which reader of it.
    pub session: String,
    /// Who changes the desk, for other processes: `refdesk select`, `a screen`.
    pub who: String,
    /// The folder of what belongs to the user and to no workspace; `None` where there is none. Without it, of what is kept in
    /// the workspace only picks and exclusions count.
    pub state: Option<PathBuf>,
    /// Renders templates.
    pub renderer: Renderer,
    /// The variables of the environment, for a channel that is told to use one; by itself it holds none.
    pub environment: Environment,
    /// Tells the time.
    pub clock: fn() -> SystemTime,
    /// How long another process that writes is waited for.
    pub patience: Duration,
    /// Whether the desk lives on and should remember what documents named.
    pub lives_on: bool,
}

impl Options {
    /// The default desk and session of a workspace, for one command.
    pub fn new(around: Surroundings) -> Self {
        let name = DEFAULT.to_owned();
        Self {
            around,
            desk: name.clone(),
            profile: None,
            session: name,
            who: "refdesk".to_owned(),
            state: None,
            renderer: Renderer::within(),
            environment: Environment::default(),
            clock: SystemTime::now,
            patience: LOCK_TIMEOUT,
            lives_on: false,
        }
    }
}

fn not_stored(error: &std::io::Error) -> Error {
    Error::new("not-stored", format!("the desk could not be stored: {error}"), advice(error))
}

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
        let store = Store::new(&around.workspace, &options.desk, &options.session, &options.who, options.clock)
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
            if !refdesk_enrich::says_the_same(&self.catalog, &catalog) {
                self.matcher = Matcher::default();
            }
            self.catalog = Arc::new(catalog);
        }
        self.templates.look_anew();
        if let Some(library) = self.library.get_mut() {
            if changed { library.adopt(&self.catalog) } else { library.look_anew() }
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

    /// Reads documents until the selection is complete.
    pub fn settle(&mut self) {
        let mut wanted = self.wanted();
        if wanted.is_empty() {
            return;
        }
        while !wanted.is_empty() {
            self.take_in(&wanted);
            wanted = selection::wanted(&self.choice, &self.catalog, &self.graph, self.rules());
        }
        self.select();
    }

    /// The selected sources whose documents must be read before the selection is complete.
    pub fn wanted(&self) -> Vec<SourceId> {
        selection::unscanned(&self.selection, &self.graph, self.rules())
    }

    /// Reads the documents of these sources and computes the selection anew.
    pub fn read(&mut self, ids: &[SourceId]) {
        self.take_in(ids);
        self.select();
    }

    /// Reads the documents of these sources.
    fn take_in(&mut self, ids: &[SourceId]) {
        let catalog = self.catalog.clone();
        let sources: Vec<&Source> = ids.iter().filter_map(|id| catalog.get(id.as_str())).collect();
        let scanned = self.library().scan(&sources);
        let graph = Arc::make_mut(&mut self.graph);
        let tokens = Arc::make_mut(&mut self.tokens);
        for found in scanned {
            if let Some(count) = found.tokens {
                tokens.insert(found.id.clone(), count);
            }
            if !found.diagnostics.is_empty() {
                self.documents.insert(found.id.clone(), found.diagnostics);
            }
            graph.insert_like(found.id, found.mentions, &self.last.0);
        }
        if graph.len() == catalog.len() {
            self.forget_last();
        }
    }

    /// Everything is read again: what came out as it was is the same value again.
    fn forget_last(&mut self) {
        let (graph, tokens) = std::mem::take(&mut self.last);
        if *graph == *self.graph {
            self.graph = graph;
        }
        if *tokens == *self.tokens {
            self.tokens = tokens;
        }
    }

    /// Reads every document of the catalog.
    pub fn read_all(&mut self) {
        let unread = self.unread();
        self.read(&unread);
    }

    /// The sources whose documents were not read yet, in catalog order.
    pub fn unread(&self) -> Vec<SourceId> {
        let ids = self.catalog.sources().iter().map(|source| &source.id);
        ids.filter(|id| !self.graph.is_scanned(id.as_str())).cloned().collect()
    }

    fn library(&self) -> &Library {
        self.library.get_or_init(|| {
            let (workspace, clock) = (self.workspace(), self.options.clock);
            let library = if self.options.lives_on {
                Library::remembering(workspace, &self.catalog, clock)
            } else {
                Library::for_once(workspace, &self.catalog, clock)
            };
            // What is kept is of the workspace's ids; a profile that knows others would only throw it away.
            let has_others = self.profile.as_ref().is_some_and(InForce::narrows);
            if has_others { library } else { library.kept_in(self.store.mentions_file(), self.store.sealer().clone()) }
        })
    }

    /// Writes down what documents named, so that no other process has to read them. Whoever promises to write nothing does
    /// not ask for it.
    ///
    /// # Errors
    /// What the file system says; it costs the next process time and nothing else.
    pub fn keep_mentions(&mut self) -> std::io::Result<()> {
        // A folder without a catalog is no workspace yet: nothing is begun in it.
        let begins = |source: &Source| source.origin.file.starts_with(&self.options.around.workspace);
        if !self.store.keeps_anything() && !self.catalog.sources().iter().any(begins) {
            return Ok(());
        }
        let Some(library) = self.library.get_mut() else { return Ok(()) };
        let kept = if self.options.lives_on { library.keep_all() } else { library.keep() };
        if kept? { self.store.keep_git_out() } else { Ok(()) }
    }

    fn rules(&self) -> ExpansionRules {
        let settings = &self.config.settings;
        ExpansionRules { transitive: settings.transitive_injection, from_auto: settings.transitive_from_auto }
    }

    /// The workspace folder, absolute.
    pub fn workspace(&self) -> &Path {
        &self.options.around.workspace
    }

    /// Where the program stands.
    pub fn around(&self) -> &Surroundings {
        &self.options.around
    }

    /// The desk's name.
    pub fn name(&self) -> &str {
        &self.options.desk
    }

    /// Who changes it, as the journal names it.
    pub fn who(&self) -> &str {
        &self.options.who
    }

    /// The variables of the environment.
    pub fn environment(&self) -> Environment {
        self.options.environment
    }

    /// The time.
    pub fn now(&self) -> SystemTime {
        (self.options.clock)()
    }

    /// The name of the reader.
    pub fn session(&self) -> &str {
        &self.options.session
    }

    /// What the configuration says besides its sources.
    pub fn settings(&self) -> &Settings {
        &self.config.settings
    }

    /// The configuration file in force, if there is one.
    pub fn config_file(&self) -> Option<&Path> {
        self.config.document.as_ref().map(|document| &*document.path)
    }

    /// Every file that could be the configuration, there or not.
    pub fn config_places(&self) -> Vec<PathBuf> {
        config::places(&self.options.around)
    }

    /// What seals the files that refdesk keeps in the workspace.
    pub fn sealer(&self) -> &Sealer {
        self.store.sealer()
    }

    /// The file that picks and exclusions are stored in, there or not.
    pub fn choice_file(&self) -> &Path {
        self.profile.as_ref().map_or(&self.store, InForce::shared).choice_file()
    }

    /// Where else a source would be if something came to stand there.
    pub fn other_places(&self, source: &Source) -> Vec<PathBuf> {
        catalog::other_places(&self.options.around, source)
    }

    /// The folder whose files are sources.
    pub fn references_folder(&self) -> PathBuf {
        catalog::references_folder(&self.options.around, &self.config)
    }

    /// A configuration file was named and is not there: whatever is done, the request was not met as asked.
    pub fn is_unmet(&self) -> bool {
        self.config.unmet
    }

    /// The sources.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Picks and exclusions.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Who stored picks and exclusions last, as far as they said.
    pub fn chosen_by(&self) -> Option<&str> {
        self.chosen_by.0.as_deref()
    }

    /// The session that picks and exclusions were stored for last, safe as a file's name, as far as they said.
    pub fn chosen_in(&self) -> Option<&str> {
        self.chosen_by.1.as_deref()
    }

    /// What answers for programs are made of.
    pub fn rows(&self) -> rows::Rows<'_> {
        let (catalog, selection) = (&self.catalog, &self.selection);
        rows::Rows { workspace: self.workspace(), catalog, selection, members: rows::Members::All }
    }

    /// What is chosen, as far as documents were read.
    pub fn selection(&self) -> &Arc<Selection> {
        &self.selection
    }

    /// Who mentions whom, as far as documents were read.
    pub fn graph(&self) -> &Arc<MentionGraph> {
        &self.graph
    }

    /// Estimated tokens of a source's text; `None` where it lies elsewhere or is missing.
    pub fn tokens(&self, source: &Source) -> Option<u64> {
        self.tokens.get(source.id.as_str()).copied().or_else(|| mention::tokens(source))
    }

    /// Estimated tokens of the sources whose documents were read so far.
    pub fn known_tokens(&self) -> &Arc<HashMap<SourceId, u64>> {
        &self.tokens
    }

    /// Everything that is wrong, as far as it was looked at: errors first, then by file and line.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let of_documents = self.documents.values().flatten();
        let of_config = self.config.diagnostics.iter();
        let mut all: Vec<Diagnostic> = of_config
            .chain(&self.entries)
            .chain(&self.stored)
            .chain(&self.set_aside)
            .chain(of_documents)
            .cloned()
            .chain(self.unjournalled())
            .chain(self.store.foreign())
            .collect();
        all.sort_by(|a, b| (a.severity, &a.file, a.line, a.column).cmp(&(b.severity, &b.file, b.line, b.column)));
        // A file that lies in two sources is found wrong twice.
        all.dedup_by(|a, b| {
            (a.code, &a.file, a.line, a.column, &a.message) == (b.code, &b.file, b.line, b.column, &b.message)
        });
        all
    }

    /// What was wrong before any document was read: what every command tells on standard error.
    pub fn opening_diagnostics(&self) -> Vec<Diagnostic> {
        let documents = self.config.diagnostics.iter();
        let opening = documents.chain(&self.entries).chain(&self.stored).chain(&self.set_aside).cloned();
        opening.chain(self.unjournalled()).chain(self.store.foreign()).collect()
    }
}
