//! Accessors of the desk's state.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::profile::ActiveProfile;
use super::{CompleteDesk, Desk, rows};
use refdesk_core::catalog::{self, Catalog, Source};
use refdesk_core::config::{self, Environment, JsonDocument, Settings, WorkspaceContext};
use refdesk_core::mention::{self, MentionGraph};
use refdesk_core::selection::{Choice, Selection};
use refdesk_files::Sealer;
use refdesk_files::path::Resolver;
use refdesk_text::report::Diagnostic;

impl Desk {
    /// The workspace folder, absolute.
    pub fn workspace(&self) -> &Path {
        &self.options.context.workspace
    }

    /// The workspace, the current folder and the home folder.
    pub fn workspace_context(&self) -> &WorkspaceContext {
        &self.options.context
    }

    /// The desk's name.
    pub fn name(&self) -> &str {
        &self.options.desk
    }

    /// Looks up environment variables.
    pub fn environment(&self) -> Environment {
        self.options.environment
    }

    /// The current time.
    pub fn now(&self) -> SystemTime {
        (self.options.clock)()
    }

    /// The configured settings.
    pub fn settings(&self) -> &Settings {
        &self.config.settings
    }

    /// The configuration file, if there is one.
    pub fn config_file(&self) -> Option<&Path> {
        self.config_document().map(|document| &*document.path)
    }

    /// The configuration as it was read.
    pub fn config_document(&self) -> Option<&JsonDocument> {
        self.config.document.as_ref()
    }

    /// Why the configuration cannot be used, if there is one or one is named.
    pub fn config_problem(&self) -> Option<&Diagnostic> {
        let is_used = self.config.document.is_some();
        self.config.diagnostics.iter().find(|problem| !is_used && problem.is_error())
    }

    /// Where the active profile lists a source: `.jaato/profiles/review.json:4`.
    pub fn profile_place(&self, id: &str) -> Option<String> {
        self.profile.as_ref().map(|profile| profile.place_of(self.workspace_context(), id))
    }

    /// Every path at which the configuration may be.
    pub fn config_places(&self) -> Vec<PathBuf> {
        config::places(&self.options.context)
    }

    /// Seals the workspace's state files.
    pub fn sealer(&self) -> &Sealer {
        self.store.sealer()
    }

    /// The file that stores picks and exclusions.
    pub fn choice_file(&self) -> &Path {
        self.profile.as_ref().map_or(&self.store, ActiveProfile::shared).choice_file()
    }

    /// The other paths at which a source is looked up.
    pub(crate) fn other_candidates(&self, source: &Source, resolver: &Resolver) -> Vec<PathBuf> {
        catalog::other_candidates(&self.options.context, source, resolver)
    }

    /// The path of the references folder.
    pub fn references_folder(&self) -> PathBuf {
        catalog::references_folder(&self.options.context, &self.config)
    }

    /// Whether a configuration was named explicitly but does not exist, or cannot be used.
    pub fn lacks_named_config(&self) -> bool {
        self.config.is_missing || (self.config.is_broken && self.workspace_context().names_config())
    }

    /// The catalog.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The picks and exclusions.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// The client that last stored picks and exclusions, if known.
    pub(crate) fn chosen_by(&self) -> Option<&str> {
        self.chosen_by.0.as_deref()
    }

    /// The session that last stored picks and exclusions, safe as a file name, if known.
    pub(crate) fn chosen_in(&self) -> Option<&str> {
        self.chosen_by.1.as_deref()
    }

    /// The selection, based on the documents read so far.
    pub fn selection(&self) -> &Arc<Selection> {
        &self.selection
    }

    /// The mention graph, based on the documents read so far.
    pub fn graph(&self) -> &Arc<MentionGraph> {
        &self.graph
    }

    /// The estimated tokens of a source's text; `None` if it is missing or not local.
    pub fn tokens(&self, source: &Source, budget: &refdesk_files::walk::WalkBudget) -> Option<u64> {
        self.tokens.get(source.id.as_str()).copied().or_else(|| mention::tokens(source, budget))
    }

    /// All problems found so far: errors first, then by file and line.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.opening_diagnostics();
        all.extend(self.documents.values().flatten().cloned());
        all.sort_by(|a, b| (a.severity, &a.file, a.line, a.column).cmp(&(b.severity, &b.file, b.line, b.column)));
        // A file that belongs to two sources reports its problems twice.
        let mut seen = HashSet::new();
        all.retain(|it| seen.insert((it.code, it.file.clone(), it.line, it.column, it.message.clone())));
        all
    }

    /// The problems found before any document was read; every command prints them to standard error.
    pub fn opening_diagnostics(&self) -> Vec<Diagnostic> {
        let of_config = self.config.diagnostics.iter();
        let opening = of_config.chain(&self.entries).chain(&self.stored).chain(&self.set_aside).cloned();
        opening.chain(self.unjournalled()).chain(self.store.foreign()).collect()
    }
}

impl CompleteDesk<'_> {
    /// Builds the data for machine-readable answers.
    pub fn rows(&self) -> rows::Rows<'_> {
        let (catalog, selection) = (&self.catalog, &self.selection);
        rows::Rows { workspace: self.workspace(), catalog, selection, members: rows::Members::All }
    }
}
