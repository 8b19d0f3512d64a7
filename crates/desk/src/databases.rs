//! The workspace's databases: which are configured, which may be read, and how they are planned and documented.

mod answers;
mod documentation;
mod documented_pages;
mod files;
mod index_pages;
mod moved_pages;
mod obsolete_files;
mod overview;
mod page_comparison;
mod page_queries;
mod page_writes;
mod pick_prices;
mod plans;
mod preview;
mod schema_reading;
mod trust;

pub use answers::{
    Answered, ColumnUse, DatabaseAnswer, DatabaseQuestion, DatabaseView, DescribedDomain, DescribedHop, DescribedJoin,
    DescribedPath, DomainTable, FoundPaths, SharedJoin, TableBrief, TableSchema,
};
pub use documentation::{DocumentOptions, Documentation};
pub use documented_pages::{DamagedPage, DocumentedPages, DomainPage, TablePage};
pub use overview::{
    DatabaseOverview, DatabasePage, DatabaseState, DatabaseSummary, DomainSummary, OverviewReader, TableMarks,
    TableSummary,
};
pub use page_comparison::DocumentedPage;
pub use page_queries::{DatabaseCheck, DatabaseDifference, FailedDatabases, database_failures};
pub use page_writes::{DocumentProgress, DocumentReport};
pub use pick_prices::PickPrice;
pub use plans::Planned;
pub use preview::{DocumentationPreview, PageDifference, PreviewedDomain};
pub use schema_reading::{ReadDatabase, ReadState, notes_file};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use refdesk_database::config::agent::{self, AGENT_FILES, DocumentationSettings, SearchWeights};
use refdesk_database::config::{self, DatabaseConfig, DatabasesConfig};
use refdesk_database::connector::ServerAddress;
use refdesk_files::{EntryKind, link_on_path};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use super::Desk;

/// The database configuration as loaded.
#[derive(Debug, Default)]
pub(super) struct LoadedDatabases {
    pub config: DatabasesConfig,
    /// The file, relative to the workspace; `None` if there is none.
    pub file: Option<&'static str>,
    /// The weight of each kind of document in a search.
    pub weights: SearchWeights,
    pub problems: Vec<Diagnostic>,
}

/// A database that may be read.
#[derive(Debug, Clone)]
pub struct AllowedDatabase {
    /// Its configuration, without settings that are not trusted yet.
    pub config: DatabaseConfig,
    /// The resolved path of its file; empty for a server.
    pub file: PathBuf,
    /// The address of its server, as determined right after the check.
    pub address: ServerAddress,
    /// The problems of the settings that were left out.
    pub problems: Vec<Diagnostic>,
}

/// Whether a database may be read.
#[derive(Debug, Clone)]
pub(crate) enum DatabaseAccess {
    Allowed(Box<AllowedDatabase>),
    /// Not trusted yet.
    Untrusted,
    /// Its file belongs to git or to refdesk itself.
    Refused(Error),
}

impl Desk {
    /// The configured databases, and the problems of their configuration.
    pub fn databases(&self) -> (&DatabasesConfig, &[Diagnostic]) {
        let loaded = self.loaded_databases();
        (&loaded.config, &loaded.problems)
    }

    /// The weight of each kind of document in a search.
    pub(super) fn search_weights(&self) -> SearchWeights {
        self.loaded_databases().weights
    }

    /// The flag with which another thread stops reading databases.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.options.is_stopped.clone()
    }

    /// The file that lists the databases, relative to the workspace.
    pub fn databases_file(&self) -> Option<&'static str> {
        self.loaded_databases().file
    }

    pub(super) fn loaded_databases(&self) -> &LoadedDatabases {
        self.databases.get_or_init(|| self.load_databases())
    }

    fn load_databases(&self) -> LoadedDatabases {
        let Some((file, text)) = self.first_text(&config::FILES) else { return LoadedDatabases::default() };
        let text = match text {
            Ok(text) => text,
            Err(problem) => {
                return LoadedDatabases { file: Some(file), problems: vec![*problem], ..LoadedDatabases::default() };
            }
        };
        let (mut config, mut problems) = config::read(&text, file);
        let (settings, told) = self.agent_settings();
        problems.extend(told);
        config.databases.iter_mut().for_each(|database| database.settings = settings);
        if let Some(problem) = self.linked_pages_folder(&config, file) {
            config.refuse_all();
            problems.push(problem);
        }
        LoadedDatabases { config, file: Some(file), weights: settings.weights, problems }
    }

    /// The settings for planning and documenting databases.
    fn agent_settings(&self) -> (DocumentationSettings, Vec<Diagnostic>) {
        match self.first_text(&AGENT_FILES) {
            Some((file, Ok(text))) => agent::read(&text, file),
            Some((_, Err(problem))) => (DocumentationSettings::default(), vec![*problem]),
            None => (DocumentationSettings::default(), Vec::new()),
        }
    }

    /// The first of these files that exists, and its text.
    fn first_text(&self, files: &[&'static str]) -> Option<(&'static str, Result<String, Box<Diagnostic>>)> {
        files.iter().find_map(|file| Some((*file, self.text_below(file, config::FILE_BYTES).transpose()?)))
    }

    /// The problem, if there is a link on the path to the pages folder.
    fn linked_pages_folder(&self, config: &DatabasesConfig, file: &str) -> Option<Diagnostic> {
        let link = link_on_path(self.workspace(), Path::new(&config.docs_path), EntryKind::Folder)?;
        let message = format!("the pages are neither read nor written: {}", link.message);
        let problem = Diagnostic::error(link.code, message).fix(link.fix).in_file(file);
        Some(problem.at_line(config.docs_line.unwrap_or(1)))
    }

    /// The error of a command that needs the pages while a link is on the path to their folder.
    fn unlinked_pages(&self) -> Result<(), Error> {
        let mut problems = self.loaded_databases().problems.iter();
        let Some(problem) = problems.find(|problem| problem.code == Code::LinkedOut) else { return Ok(()) };
        let message = format!("{}: {}", problem.place(), problem.message);
        Err(Error::new(Code::DatabaseMisconfigured, message, problem.fix.clone()))
    }

    /// The named databases that are not used because their entries have errors.
    pub(super) fn wrong_databases(&self, names: &[String]) -> Vec<(String, Error)> {
        let wrong = self.loaded_databases().config.wrong.iter().filter(|_| names.is_empty());
        wrong
            .map(|name| (name.clone(), self.wrong_database("its configuration has errors, so it is not read")))
            .collect()
    }

    fn wrong_database(&self, message: impl Into<String>) -> Error {
        let fix = format!("correct the errors in {}", self.databases_file().unwrap_or(config::FILES[0]));
        Error::new(Code::DatabaseMisconfigured, message, fix)
    }

    /// The databases of a run: those with these names, or all in use. Empty if the configuration lists none any more
    /// but pages remain.
    ///
    /// # Errors
    /// There are neither databases nor pages, or a name is unknown.
    pub fn databases_of_run(&self, names: &[String]) -> Result<Vec<&DatabaseConfig>, Error> {
        let found = self.databases_named(names);
        if !names.is_empty() || !found.as_ref().is_err_and(|error| error.code == Code::NoDatabases) {
            return found;
        }
        let gone = self.databases_not_configured();
        if gone.is_empty() {
            return found;
        }
        if self.databases_file().is_some() {
            return Ok(Vec::new());
        }
        // A missing file does not mean that the pages should be removed.
        let gone: Vec<String> = gone.iter().map(|name| format!("'{name}'")).collect();
        let message = format!("no databases are configured, but there are pages of {}", gone.join(", "));
        let fix = format!("name them in {}, or write 'databases: []' there to remove the pages", config::FILES[0]);
        Err(Error::new(Code::NoDatabases, message, fix))
    }

    /// The databases with these names, or all in use.
    ///
    /// # Errors
    /// There are none, a name is unknown or of one that is switched off, or the pages are below a link.
    pub fn databases_named(&self, names: &[String]) -> Result<Vec<&DatabaseConfig>, Error> {
        self.unlinked_pages()?;
        let loaded = self.loaded_databases();
        let known = &loaded.config.databases;
        if known.is_empty() && loaded.problems.iter().all(|problem| !problem.is_error()) {
            let message = "no databases are configured";
            let fix = format!(
                "name them in {}, as in databases: [{{name: app, type: sqlite, connection: {{file: app.db}}}}]",
                config::FILES[0]
            );
            return Err(Error::new(Code::NoDatabases, message, fix));
        }
        if names.is_empty() {
            let found: Vec<&DatabaseConfig> = known.iter().filter(|database| database.enabled).collect();
            if found.is_empty() && !loaded.config.wrong.is_empty() {
                return Err(self.wrong_database("no configured database can be used"));
            }
            if found.is_empty() && !known.is_empty() {
                let (message, fix) =
                    ("every configured database is switched off", "set 'enabled: true' for one of them");
                return Err(Error::new(Code::NoDatabases, message, fix));
            }
            if found.is_empty() {
                let message = "no configured database can be used";
                let file = self.databases_file().unwrap_or("databases.yaml");
                return Err(Error::new(Code::NoDatabases, message, format!("correct the errors in {file}")));
            }
            return Ok(found);
        }
        let find = |name: &String| {
            if loaded.config.wrong.contains(name) {
                return Err(self.wrong_database(format!("the configuration of '{name}' has errors, so it is not read")));
            }
            let found = known.iter().find(|database| database.name == *name).ok_or_else(|| {
                let all: BTreeSet<&str> = known.iter().map(|database| database.name.as_str()).collect();
                let fix = refdesk_text::nearest::did_you_mean(name, all.iter().copied());
                let fix = fix.unwrap_or_else(|| answers::known_names(&all, "database"));
                Error::new(Code::UnknownDatabase, format!("no database is named '{name}'"), fix)
            })?;
            // What it reaches is not offered for trust either.
            if !found.enabled {
                let fix = "set 'enabled: true' for it";
                return Err(Error::new(Code::NoDatabases, format!("the database '{name}' is switched off"), fix));
            }
            Ok(found)
        };
        names.iter().map(find).collect()
    }
}

#[cfg(test)]
mod tests;
