//! The databases of the workspace: which there are, which of them may be read, planning and documenting them.

mod asking;
mod documenting;
mod files;
mod planning;
mod reading;
mod trust;
mod writing;

pub use asking::{DatabaseCheck, DatabaseDifference, DocumentedTable, FailedDatabases};
pub use documenting::{DocumentOptions, Documentation, DocumentedPage};
pub use planning::Planned;
pub use reading::{ReadDatabase, ReadState};
pub use writing::{DocumentProgress, DocumentReport};

use std::path::PathBuf;

use refdesk_database::config::{self, DatabaseConfig, DatabasesConfig};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use super::Desk;

/// The configuration of databases as it was read.
#[derive(Debug)]
pub(super) struct LoadedDatabases {
    pub config: DatabasesConfig,
    /// The file, relative to the workspace; `None` if there is none.
    pub file: Option<&'static str>,
    pub problems: Vec<Diagnostic>,
}

/// A database that may be read.
#[derive(Debug, Clone)]
pub struct AllowedDatabase {
    /// Its configuration, without what waits for trust.
    pub config: DatabaseConfig,
    /// The path of its file without links; empty for a server.
    pub file: PathBuf,
    /// What was left out.
    pub problems: Vec<Diagnostic>,
}

/// Whether a database may be read.
#[derive(Debug, Clone)]
pub enum DatabaseAccess {
    /// It may.
    Allowed(Box<AllowedDatabase>),
    /// It waits for trust.
    Untrusted,
    /// Its file is one of git's or refdesk's own.
    Refused(Error),
}

impl Desk {
    /// The configured databases, and what is wrong with their configuration.
    pub fn databases(&self) -> (&DatabasesConfig, &[Diagnostic]) {
        let loaded = self.loaded_databases();
        (&loaded.config, &loaded.problems)
    }

    /// The file that names the databases, relative to the workspace.
    pub fn databases_file(&self) -> Option<&'static str> {
        self.loaded_databases().file
    }

    pub(super) fn loaded_databases(&self) -> &LoadedDatabases {
        self.databases.get_or_init(|| self.load_databases())
    }

    fn load_databases(&self) -> LoadedDatabases {
        let empty = || DatabasesConfig { databases: Vec::new(), docs_path: config::DOCS_PATH.to_owned() };
        for file in config::FILES {
            match self.text_below(file, config::FILE_BYTES) {
                Ok(Some(text)) => {
                    let (config, problems) = config::read(&text, file);
                    return LoadedDatabases { config, file: Some(file), problems };
                }
                Ok(None) => {}
                Err(problem) => {
                    return LoadedDatabases { config: empty(), file: Some(file), problems: vec![*problem] };
                }
            }
        }
        LoadedDatabases { config: empty(), file: None, problems: Vec::new() }
    }

    /// The databases with these names, or all that are in use.
    ///
    /// # Errors
    /// There are none, or none has one of the names.
    pub fn databases_named(&self, names: &[String]) -> Result<Vec<&DatabaseConfig>, Error> {
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
            if found.is_empty() {
                let message = "no configured database can be used";
                return Err(Error::new(Code::NoDatabases, message, "fix the errors above, or enable one"));
            }
            return Ok(found);
        }
        let find = |name: &String| {
            known.iter().find(|database| database.name == *name).ok_or_else(|| {
                let all: Vec<&str> = known.iter().map(|database| database.name.as_str()).collect();
                let fix = refdesk_text::nearest::did_you_mean(name, all.iter().copied());
                let fix = fix.unwrap_or_else(|| format!("the databases are {}", all.join(", ")));
                Error::new(Code::UnknownDatabase, format!("no database is named '{name}'"), fix)
            })
        };
        names.iter().map(find).collect()
    }
}

#[cfg(test)]
mod tests;
