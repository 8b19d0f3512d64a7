//! What a desk knows, to be read.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::profile::InForce;
use super::{Desk, Settled, rows};
use refdesk_core::catalog::{self, Catalog, Source, SourceId};
use refdesk_core::config::{self, Environment, Settings, Surroundings};
use refdesk_core::mention::{self, MentionGraph};
use refdesk_core::selection::{Choice, Selection};
use refdesk_files::Sealer;
use refdesk_text::report::Diagnostic;

impl Desk {
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

    /// The variables of the environment.
    pub fn environment(&self) -> Environment {
        self.options.environment
    }

    /// The time.
    pub fn now(&self) -> SystemTime {
        (self.options.clock)()
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
    pub fn other_candidates(&self, source: &Source) -> Vec<PathBuf> {
        catalog::other_candidates(&self.options.around, source)
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

    /// What is chosen, as far as documents were read.
    pub fn selection(&self) -> &Arc<Selection> {
        &self.selection
    }

    /// Who mentions whom, as far as documents were read.
    pub fn graph(&self) -> &Arc<MentionGraph> {
        &self.graph
    }

    /// Estimated tokens of a source's text; `None` where it lies elsewhere or is missing.
    pub fn tokens(&self, source: &Source, budget: &refdesk_files::walk::WalkBudget) -> Option<u64> {
        self.tokens.get(source.id.as_str()).copied().or_else(|| mention::tokens(source, budget))
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

impl Settled<'_> {
    /// What answers for programs are made of.
    pub fn rows(&self) -> rows::Rows<'_> {
        let (catalog, selection) = (&self.catalog, &self.selection);
        rows::Rows { workspace: self.workspace(), catalog, selection, members: rows::Members::All }
    }
}
