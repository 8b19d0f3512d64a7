//! Reads the schema of a database; one file per kind. Statements are constants with bound parameters.

mod long_names;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
pub(crate) mod snowflake;
pub(crate) mod sqlite;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "postgres")]
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use refdesk_files::path::clean;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use crate::config::{Connection, DatabaseConfig, ServerConnection};
use crate::names::quoted;
use crate::snapshot::{SchemaInfo, Snapshot, TableKind, TableName};

/// The result of reading a database, and what could not be read.
#[derive(Debug, Default)]
pub struct SchemaReading {
    /// The schema.
    pub snapshot: Snapshot,
    /// The tables excluded by the configuration.
    pub left_out: Vec<TableName>,
    /// What could not be read.
    pub problems: Vec<Diagnostic>,
    /// Notes about the connection, such as a role with more rights than reading requires.
    pub about_connection: Vec<Diagnostic>,
}

impl SchemaReading {
    /// The name of a table if it is to be read; otherwise notes that it is not. `count` tables are read so far.
    fn wanted(&mut self, config: &DatabaseConfig, kind: TableKind, name: TableName, count: usize) -> Option<TableName> {
        let most = config.settings.max_tables;
        if (kind.is_view() && !config.include_views) || !config.wants_table(&name.schema, &name.name) {
            self.left_out.push(name);
            return None;
        }
        if count < most {
            return Some(name);
        }
        if self.snapshot.beyond.is_empty() {
            let message = format!("there are more than {most} tables; the rest are left out");
            self.problems.push(Diagnostic::warning(Code::TooMany, message));
        }
        self.snapshot.beyond.push(name);
        None
    }

    /// The quoted names of the schemas with tables, to grant rights on them.
    fn schemas_with_tables(&self) -> impl Iterator<Item = String> {
        let is_used = |schema: &&SchemaInfo| self.snapshot.tables.iter().any(|table| table.schema == schema.name);
        self.snapshot.schemas.iter().filter(is_used).filter_map(|schema| quoted(&schema.name))
    }
}

/// A warning about a role with more rights than reading requires, with statements that create a read-only one.
fn too_many_rights(message: String, grants: &[String]) -> Diagnostic {
    Diagnostic::warning(Code::RoleMayWrite, message).fix(format!("create a read-only one: {};", grants.join("; ")))
}

/// How often to check whether reading was stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// What may be used to find a server, and whether reading was stopped.
#[derive(Debug, Clone)]
pub struct ConnectionEnvironment {
    /// The workspace.
    pub workspace: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The user's folder for refdesk's own state.
    pub state: Option<PathBuf>,
    /// The environment variables.
    pub variable: fn(&str) -> Option<String>,
    /// Set by another thread to stop reading.
    pub is_stopped: Arc<AtomicBool>,
}

impl ConnectionEnvironment {
    /// Whether reading was stopped.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// A path of the configuration: below the user's home after `~/`, otherwise relative to the workspace.
    fn path(&self, text: &str) -> PathBuf {
        path_in(&self.workspace, self.home.as_deref(), text)
    }

    /// Waits until the time has passed or reading is stopped. Returns whether to continue.
    fn wait(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::park_timeout(left.min(POLL_INTERVAL));
        }
        false
    }
}

fn path_in(workspace: &Path, home: Option<&Path>, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => workspace.join(text),
    }
}

/// The file with certificates of authorities that the configuration of a server names, in `sslrootcert` or in a URL;
/// `None` if there is none, or if it depends on the environment.
pub fn authorities_file(server: &ServerConnection, workspace: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let named = server.sslrootcert.clone().or_else(|| authorities_in(server.url.as_deref()?))?;
    let is_file = named != SYSTEM && !named.contains("${");
    is_file.then(|| clean(&path_in(workspace, home, &named)))
}

/// Stands for the authorities that browsers trust, instead of a file.
const SYSTEM: &str = "system";

#[cfg(feature = "postgres")]
fn authorities_in(url: &str) -> Option<String> {
    refdesk_postgres::Address::authorities_in(url)
}

#[cfg(not(feature = "postgres"))]
fn authorities_in(_url: &str) -> Option<String> {
    None
}

/// What the user must know of how a server is reached, as a part of a sentence: what others on the network could do.
#[cfg(feature = "postgres")]
pub fn network_risk(server: &ServerConnection) -> &'static str {
    postgres::network_risk(server)
}

/// No server is reached.
#[cfg(not(feature = "postgres"))]
pub fn network_risk(_server: &ServerConnection) -> &'static str {
    ""
}

/// Whether the configuration names only servers on this machine.
#[cfg(feature = "postgres")]
pub fn is_local(server: &ServerConnection) -> bool {
    postgres::is_local(server)
}

/// No server is reached.
#[cfg(not(feature = "postgres"))]
pub fn is_local(_server: &ServerConnection) -> bool {
    false
}

/// The error for a database whose reading was stopped.
pub fn stopped() -> Error {
    Error::new(Code::Stopped, "reading the databases was stopped, and nothing was written", "start it again")
}

impl Default for ConnectionEnvironment {
    /// No workspace, no home and no variables.
    fn default() -> Self {
        Self {
            workspace: "/nonexistent/workspace".into(),
            home: None,
            state: None,
            variable: |_| None,
            is_stopped: Arc::default(),
        }
    }
}

/// The files of the workspace that locating a server uses, with the content that was checked. They are not read again:
/// they could be others by then.
#[derive(Debug, Clone, Default)]
pub struct CheckedFiles {
    /// What the password command names, by the path below the workspace.
    pub programs: BTreeMap<PathBuf, Vec<u8>>,
    /// The certificates of authorities, if the configuration names a file in the workspace.
    pub authorities: Option<CheckedContent>,
}

/// The content of a checked file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckedContent {
    /// All of it.
    Read(Vec<u8>),
    /// It could not be read.
    Unreadable,
    /// It is outside, where a link in the workspace led: the path without links.
    Outside(PathBuf),
}

/// The address of a server, once it was determined. What that reads and runs was checked before; later, the program of
/// a password or the certificates could be others.
#[derive(Debug, Clone, Default)]
pub struct ServerAddress {
    /// What was checked.
    pub files: Arc<CheckedFiles>,
    #[cfg(feature = "postgres")]
    found: Arc<OnceLock<refdesk_postgres::Address>>,
}

impl From<CheckedFiles> for ServerAddress {
    fn from(files: CheckedFiles) -> Self {
        Self {
            files: Arc::new(files),
            #[cfg(feature = "postgres")]
            found: Arc::default(),
        }
    }
}

/// A database that may be accessed: its configuration, and the path if it is a file.
#[derive(Debug, Clone)]
pub struct AccessibleDatabase<'c> {
    /// The configuration.
    pub config: &'c DatabaseConfig,
    /// The absolute path of its file without links; empty for a server.
    pub file: PathBuf,
    /// The address of its server, shared by all who access it.
    pub address: ServerAddress,
    /// What may be used to find a server.
    pub around: ConnectionEnvironment,
}

/// Reads the schema of a database.
///
/// # Errors
/// It cannot be reached or read, or its names are too many for the patterns of its configuration.
pub fn snapshot(database: &AccessibleDatabase<'_>) -> Result<SchemaReading, Error> {
    let mut reading = read(database)?;
    long_names::leave_out(&mut reading, &database.config.name);
    database.config.check_comparisons(&reading)?;
    Ok(reading)
}

fn read(database: &AccessibleDatabase<'_>) -> Result<SchemaReading, Error> {
    match &database.config.connection {
        Connection::Sqlite { file } => sqlite::snapshot(database, file),
        #[cfg(feature = "postgres")]
        Connection::Postgres(server) => postgres::snapshot(database, server),
        Connection::Snowflake(server) => snowflake::snapshot(database.config, server, &database.around),
        #[cfg(not(feature = "postgres"))]
        Connection::Postgres(_) => {
            let kind = database.config.connection.word();
            let message =
                format!("'{}' cannot be read: this refdesk has no connector for {kind}", database.config.name);
            Err(Error::new(Code::DatabaseUnreadable, message, "use a database of type snowflake or sqlite"))
        }
    }
}
