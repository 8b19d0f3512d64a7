//! Reads the schemas of databases, and people's notes about them.

use std::sync::atomic::Ordering;
use std::time::Instant;

use refdesk_database::config::{Connection, DatabaseConfig};
use refdesk_database::connector::{self, AccessibleDatabase, ConnectionEnvironment};
use refdesk_database::schema::notes::{self, Notes};
use refdesk_database::snapshot::{Snapshot, TableName};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};

use super::{AllowedDatabase, DatabaseAccess};
use crate::Desk;

/// A database and its schema.
#[derive(Debug)]
pub struct ReadDatabase {
    /// Its configuration, without settings that are not trusted yet.
    pub config: DatabaseConfig,
    /// Whether it could be read.
    pub state: ReadState,
    /// People's notes.
    pub notes: Notes,
    /// What could not be read, and problems with the notes.
    pub problems: Vec<Diagnostic>,
    /// Warnings about the connection, such as a role with more rights than reading needs.
    pub about_connection: Vec<Diagnostic>,
    /// How long reading took.
    pub milliseconds: u64,
}

/// The outcome of reading a database.
#[derive(Debug)]
pub enum ReadState {
    /// Its schema, and where to read values from.
    Read(Box<AllowedDatabase>, Box<Snapshot>),
    /// It could not be read.
    Failed(Error),
    /// It needs the user's trust.
    Untrusted,
}

impl ReadDatabase {
    /// Its schema, if it was read.
    pub fn snapshot(&self) -> Option<&Snapshot> {
        match &self.state {
            ReadState::Read(_, snapshot) => Some(snapshot),
            _ => None,
        }
    }
}

impl Desk {
    /// Reads these databases. A failure of one does not affect the others.
    ///
    /// # Errors
    /// Reading was stopped.
    pub fn read_databases(&self, databases: &[&DatabaseConfig]) -> Result<Vec<ReadDatabase>, Error> {
        let read = |database: &&DatabaseConfig| {
            let read = self.read_database(database);
            self.unless_stopped().map(|()| read)
        };
        databases.iter().map(read).collect()
    }

    /// Returns an error if reading was stopped.
    pub(super) fn unless_stopped(&self) -> Result<(), Error> {
        if self.options.is_stopped.load(Ordering::Relaxed) { Err(connector::stopped()) } else { Ok(()) }
    }

    fn read_database(&self, database: &DatabaseConfig) -> ReadDatabase {
        let (notes, mut problems) = self.database_notes(&database.name);
        let wrong_notes = problems.iter().find(|problem| problem.is_error()).map(|problem| {
            let (place, why) = (problem.place(), &problem.message);
            let message = format!("its notes cannot be read, so its pages stay as they are: {place}: {why}");
            let fix = if problem.fix == Fix::None { "correct it".into() } else { problem.fix.clone() };
            Error::new(Code::DatabaseMisconfigured, message, fix)
        });
        let began = Instant::now();
        let mut about_connection = Vec::new();
        let (config, state) = match self.database_access(database) {
            DatabaseAccess::Untrusted => (database.clone(), ReadState::Untrusted),
            DatabaseAccess::Refused(error) => (database.clone(), ReadState::Failed(error)),
            DatabaseAccess::Allowed(allowed) => {
                problems.extend(allowed.problems.iter().cloned());
                let config = allowed.config.clone();
                // Do not read the database without its notes: the pages would lose their text.
                match wrong_notes.map_or_else(|| connector::snapshot(&self.reachable(&config, &allowed)), Err) {
                    Ok(reading) => {
                        problems.extend(reading.problems);
                        about_connection = reading.about_connection;
                        problems.extend(unmatched(
                            &config,
                            &reading.snapshot,
                            &reading.left_out,
                            self.databases_file().unwrap_or_default(),
                        ));
                        problems.extend(notes.dangling(&reading.snapshot, &notes_file(&database.name)));
                        // The others compare anything, or convert it.
                        if matches!(config.connection, Connection::Postgres(_)) {
                            problems.extend(notes.incomparable(&reading.snapshot, &notes_file(&database.name)));
                        }
                        (config, ReadState::Read(allowed, Box::new(reading.snapshot)))
                    }
                    Err(error) => (config, ReadState::Failed(error)),
                }
            }
        };
        let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        ReadDatabase { config, state, notes, problems, about_connection, milliseconds }
    }

    /// A database that may be read, and the files that locating it may open.
    pub(super) fn reachable<'c>(
        &self,
        config: &'c DatabaseConfig,
        allowed: &AllowedDatabase,
    ) -> AccessibleDatabase<'c> {
        let around = ConnectionEnvironment {
            workspace: self.workspace().to_owned(),
            home: self.workspace_context().home.clone(),
            state: self.options.state.clone(),
            variable: self.environment().0,
            is_stopped: self.options.is_stopped.clone(),
        };
        AccessibleDatabase { config, file: allowed.file.clone(), address: allowed.address.clone(), around }
    }

    /// The notes on a database, and their problems.
    fn database_notes(&self, name: &str) -> (Notes, Vec<Diagnostic>) {
        let file = notes_file(name);
        match self.text_below(&file, notes::FILE_BYTES) {
            Ok(Some(text)) => notes::read(&text, &file),
            Ok(None) => (Notes::default(), Vec::new()),
            Err(problem) => (Notes::default(), vec![*problem]),
        }
    }
}

/// The file with a person's notes on a database, relative to the workspace.
pub fn notes_file(name: &str) -> String {
    format!(".jaato/databases/{name}.notes.yaml")
}

/// Warnings about patterns that match nothing.
fn unmatched(config: &DatabaseConfig, snapshot: &Snapshot, left_out: &[TableName], file: &str) -> Vec<Diagnostic> {
    let tables = || snapshot.tables.iter();
    let of_tables = config.include_tables.iter().chain(config.domains.iter().flat_map(|(_, patterns)| patterns));
    let of_tables = of_tables.filter(|it| !tables().any(|table| it.matches_table(&table.schema, &table.name)));
    let excluding = config.exclude_tables.iter();
    let excluding = excluding.filter(|it| !left_out.iter().any(|table| it.matches_table(&table.schema, &table.name)));
    let schemas = config.schemas.iter().zip(&config.schema_lines);
    let schemas = schemas.filter(|(name, _)| !snapshot.schemas.iter().any(|schema| schema.name == **name));
    let of_columns = config.sensitive.iter().chain(&config.not_sensitive).filter(|it| {
        !tables()
            .any(|table| table.columns.iter().any(|column| it.matches_column(&table.schema, &table.name, &column.name)))
    });
    let warning = |(text, line): (&str, usize)| {
        let message = format!("'{text}' matches nothing in '{}'", config.name);
        let problem = Diagnostic::warning(Code::BadGlob, message).in_file(file).at_line(line);
        problem.fix("correct or remove it")
    };
    let patterns = of_tables.chain(excluding).chain(of_columns).map(|pattern| (&*pattern.text, pattern.line));
    patterns.chain(schemas.map(|(name, line)| (&**name, *line))).map(warning).collect()
}
