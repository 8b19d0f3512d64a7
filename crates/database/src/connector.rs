//! Reads the schema of a database, one kind a file. Statements are constants of ours with bound parameters.

#[cfg(feature = "postgres")]
pub mod postgres;
pub mod snowflake;
pub mod sqlite;

use std::fmt;
use std::path::PathBuf;

use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

use crate::config::{Connection, DatabaseConfig};
use crate::schema::snapshot::Snapshot;

/// A name with a NUL character, which no statement can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NulInName;

impl fmt::Display for NulInName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the name has a NUL character")
    }
}

impl std::error::Error for NulInName {}

/// A name as a quoted identifier of SQL. The only way by which a name of a database gets into a statement.
///
/// # Errors
/// The name has a NUL character.
pub fn quoted(name: &str) -> Result<String, NulInName> {
    if name.contains('\0') {
        return Err(NulInName);
    }
    Ok(format!("\"{}\"", name.replace('"', "\"\"")))
}

/// What was read of a database, and what could not be.
#[derive(Debug, Default)]
pub struct Reading {
    /// The schema.
    pub snapshot: Snapshot,
    /// What could not be read.
    pub problems: Vec<Diagnostic>,
    /// What a person should know of how it was read, such as a role that may do more than reading needs.
    pub about_connection: Vec<Diagnostic>,
}

/// What finding a server may look at.
#[derive(Debug, Clone)]
pub struct ConnectionSurroundings {
    /// The workspace.
    pub workspace: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The environment variables.
    pub variable: fn(&str) -> Option<String>,
}

impl Default for ConnectionSurroundings {
    /// No home and no variables.
    fn default() -> Self {
        Self { workspace: PathBuf::new(), home: None, variable: |_| None }
    }
}

/// A database that may be reached: its configuration, and for a file where it is.
#[derive(Debug, Clone)]
pub struct Reachable<'c> {
    /// The configuration.
    pub config: &'c DatabaseConfig,
    /// The absolute path of its file without links; empty for a server.
    pub file: PathBuf,
    /// What finding a server may look at.
    pub around: ConnectionSurroundings,
}

/// Reads the schema of a database.
///
/// # Errors
/// It cannot be reached or read.
pub fn snapshot(database: &Reachable<'_>) -> Result<Reading, Error> {
    match &database.config.connection {
        Connection::Sqlite { file } => sqlite::snapshot(database.config, &database.file, file),
        #[cfg(feature = "postgres")]
        Connection::Postgres(server) => postgres::snapshot(database.config, server, &database.around),
        Connection::Snowflake(server) => snowflake::snapshot(database.config, server, &database.around),
        #[cfg(not(feature = "postgres"))]
        Connection::Postgres(_) => {
            let kind = database.config.connection.word();
            let message =
                format!("'{}' cannot be read: this refdesk has no connector for {kind}", database.config.name);
            Err(Error::new(
                refdesk_text::Code::DatabaseUnreadable,
                message,
                "use a database of type snowflake or sqlite",
            ))
        }
    }
}
