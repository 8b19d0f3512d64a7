//! Opens an SQLite file for reading only.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use refdesk_files::path::is_absent;
use refdesk_files::{Folder, confine_to};
use refdesk_text::{Code, Error};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::schema::markup::target;

/// The first bytes of every SQLite file.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// The offsets of the header bytes that determine whether a writer and a reader use a write-ahead log: 2 means yes.
const LOG_MARKS: [usize; 2] = [18, 19];

/// Suffixes of the files that SQLite opens with a database: the rollback journal, the write-ahead log, and the log's
/// shared memory.
const SIBLINGS: [&str; 3] = ["-journal", "-wal", "-shm"];

/// The time limit for reading the schema.
pub(super) const SCHEMA_TIME: Duration = Duration::from_secs(30);

/// How many steps of SQLite's virtual machine to run between checks of the clock.
const STEPS: i32 = 2_000;

/// The most bytes of a row or a text.
const LENGTH: i32 = 64 * 1024 * 1024;

/// Limits for everything that a hostile schema could make large.
const LIMITS: [(Limit, i32); 11] = [
    (Limit::SQLITE_LIMIT_LENGTH, LENGTH),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 4 * 1024 * 1024),
    (Limit::SQLITE_LIMIT_COLUMN, 2_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    // A chain of computed columns, each using the previous one twice, doubles with each column.
    (Limit::SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Pragmas that only return information.
const PRAGMAS: [&str; 4] = ["table_xinfo", "foreign_key_list", "index_list", "index_xinfo"];

/// Functions with effects outside the file.
const FORBIDDEN: [&str; 3] = ["load_extension", "fts3_tokenizer", "readfile"];

pub(crate) struct SqliteFile {
    connection: Connection,
    shown: String,
    limit: TimeLimit,
    /// The tables that prepared statements asked to read, while they are being recorded.
    reads: Arc<Mutex<Option<BTreeSet<String>>>>,
}

/// The most bytes that SQLite may allocate in this process.
const HEAP: u64 = 512 * 1024 * 1024;

/// The deadline of statements, and the flag that stops them.
#[derive(Clone)]
struct TimeLimit {
    deadline: Arc<Mutex<Instant>>,
    is_stopped: Arc<AtomicBool>,
}

impl TimeLimit {
    fn is_over(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
            || Instant::now() > *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The files that SQLite may open, and how.
struct CheckedFiles {
    files: Vec<File>,
    /// Further parameters for the file's URI.
    mode: &'static str,
}

impl SqliteFile {
    /// Opens the file at an absolute path without links, and runs `act` with it; `None` if it is empty, which SQLite
    /// accepts as a database. Runs on a thread that can open only this file, its log and its journal, because SQLite
    /// opens them by path when it needs them.
    ///
    /// # Errors
    /// The file cannot be opened, is not a regular file, or is not an SQLite database.
    pub(crate) fn with<T: Send>(
        path: &Path,
        shown: &str,
        is_stopped: &Arc<AtomicBool>,
        act: impl FnOnce(&Self) -> T + Send,
    ) -> Result<Option<T>, Error> {
        let checked = checked(path, shown)?;
        checked.map(|checked| Self::with_checked(&checked, path, shown, is_stopped, act)).transpose()
    }

    fn with_checked<T: Send>(
        checked: &CheckedFiles,
        path: &Path,
        shown: &str,
        is_stopped: &Arc<AtomicBool>,
        act: impl FnOnce(&Self) -> T + Send,
    ) -> Result<T, Error> {
        let done =
            confine_to(&checked.files, || Self::open(path, shown, is_stopped, checked.mode).map(|file| act(&file)));
        done.map_err(|error| unopened(shown, &error, ""))?
    }

    fn open(path: &Path, shown: &str, is_stopped: &Arc<AtomicBool>, mode: &str) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(format!("file://{}?mode=ro{mode}", target(path)), flags);
        let mut connection = opened.map_err(|error| match error.sqlite_error_code() {
            // SQLite would quote the whole path.
            Some(ErrorCode::CannotOpen) => unopened(
                shown,
                &"another file replaced it in the meantime",
                "try again when no program is replacing it",
            ),
            _ => unopened(shown, &words(&error), ""),
        })?;
        let deadline = Arc::new(Mutex::new(Instant::now() + SCHEMA_TIME));
        let limit = TimeLimit { deadline, is_stopped: is_stopped.clone() };
        let reads = Arc::default();
        let hardened = harden(&mut connection, &limit, &reads);
        hardened.map_err(|error| {
            Error::new(Code::DatabaseUnreadable, format!("{shown} cannot be read: {}", words(&error)), "")
        })?;
        Ok(Self { connection, shown: shown.to_owned(), limit, reads })
    }

    /// The connection, with restricted rights.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sets the time limit for the following statements.
    pub(crate) fn allow(&self, time: Duration) {
        *self.limit.deadline.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    /// Whether the time is over, or reading was stopped.
    pub(super) fn is_over(&self) -> bool {
        self.limit.is_over()
    }

    /// Runs `act`, and also returns the tables that it asked to read.
    pub(super) fn recording_reads<T>(&self, act: impl FnOnce(&Connection) -> T) -> (T, BTreeSet<String>) {
        let reads = || self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        *reads() = Some(BTreeSet::new());
        let done = act(&self.connection);
        let read = reads().take().unwrap_or_default();
        (done, read)
    }

    /// An SQLite error that concerns the whole file.
    pub(crate) fn unreadable(&self, error: &rusqlite::Error) -> Error {
        if self.is_over() {
            let message = format!("{} cannot be read within {} s", self.shown, SCHEMA_TIME.as_secs());
            return Error::new(Code::DatabaseUnreadable, message, "try again when the machine is less busy");
        }
        let fix = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "wait until the program that writes it is done"
            }
            // The log appeared or disappeared in the meantime, or contains an unfinished change.
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => {
                "another program uses it or left a change unfinished: try again, or open it once with that program"
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                "restore the file; sqlite3's .recover may help"
            }
            _ => "",
        };
        Error::new(Code::DatabaseUnreadable, format!("{} cannot be read: {}", self.shown, words(error)), fix)
    }
}

fn unopened(shown: &str, why: &impl ToString, fix: &'static str) -> Error {
    Error::new(Code::DatabaseUnreadable, format!("{shown} cannot be opened: {}", why.to_string()), fix)
}

/// Checks the file and those that SQLite would open with it; `None` if the file is empty.
fn checked(path: &Path, shown: &str) -> Result<Option<CheckedFiles>, Error> {
    let failed = |error: &io::Error, path: &Path| {
        if error.kind() == io::ErrorKind::NotFound {
            return Error::new(Code::DatabaseUnreadable, format!("{shown} does not exist"), "check its path");
        }
        let error = error.to_string();
        // The message names the file already.
        let why = error.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&error).to_owned();
        unopened(shown, &why, "check its path")
    };
    let (folder, name) = Folder::parent_of_real(path).map_err(|error| failed(&error, path))?;
    let mut file = folder.open(name).map_err(|error| failed(&error, path))?;
    let size = file.metadata().map_err(|error| failed(&error, path))?.len();
    if size == 0 {
        return Ok(None);
    }
    let mut header = [0; 100];
    if file.read_exact(&mut header).is_err() || !header.starts_with(MAGIC) {
        let message = format!("{shown} is not an SQLite database");
        return Err(Error::new(Code::DatabaseUnreadable, message, "name another file"));
    }
    let mut files = vec![file];
    let mut sizes = [None; 3];
    for (ending, size) in SIBLINGS.into_iter().zip(&mut sizes) {
        let mut sibling = name.to_owned();
        sibling.push(ending);
        let found = folder.locate(&sibling).and_then(|file| Ok((file.metadata()?.len(), file)));
        match found {
            Ok((length, file)) => {
                *size = Some(length);
                files.push(file);
            }
            Err(error) if is_absent(&error) => {}
            // SQLite would block on a pipe.
            Err(_) => {
                let message = format!("{shown}{ending} is not a regular file that can be read");
                return Err(Error::new(Code::DatabaseUnreadable, message, "remove it"));
            }
        }
    }
    let [_, log, memory] = sizes;
    let has_log = log.is_some() || LOG_MARKS.iter().any(|at| header.get(*at) == Some(&2));
    // If the file uses a log, SQLite would create files next to it without these parameters.
    let mode = match (log, memory) {
        _ if !has_log => "",
        (Some(size), Some(_)) if size > 0 => "&readonly_shm=1",
        (Some(size), None) if size > 0 => {
            // Without the changes in the log, tables would seem to be gone.
            let message = format!("{shown} cannot be read completely: the newest changes may be only in {shown}-wal");
            let fix = "open it once with the program that writes it, or copy its -shm file as well";
            return Err(Error::new(Code::DatabaseUnreadable, message, fix));
        }
        _ => "&immutable=1",
    };
    Ok(Some(CheckedFiles { files, mode }))
}

fn harden(
    connection: &mut Connection,
    time: &TimeLimit,
    reads: &Arc<Mutex<Option<BTreeSet<String>>>>,
) -> rusqlite::Result<()> {
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
    // The limit covers all connections, because the values of a row can exceed it together although each is within its
    // own limit. Other connections of this process need less.
    connection.query_row(&format!("PRAGMA hard_heap_limit = {HEAP}"), (), |_| Ok(()))?;
    let switches = [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ];
    for (switch, value) in switches {
        connection.set_db_config(switch, value)?;
    }
    connection.busy_timeout(Duration::from_secs(1))?;
    connection.set_prepared_statement_cache_capacity(8);
    let running = time.clone();
    connection.progress_handler(STEPS, Some(move || running.is_over()))?;
    // SQLite may create no file, not even for a sort.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    // All statements must see the same state of the file.
    connection.execute_batch("BEGIN")?;
    let (reads, preparing) = (reads.clone(), time.clone());
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if let AuthAction::Read { table_name, .. } = context.action
            && let Some(read) = reads.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
            && !read.contains(table_name)
        {
            read.insert(table_name.to_owned());
        }
        // SQLite does not call the progress handler while it prepares a statement.
        if may(&context.action) && !preparing.is_over() { Authorization::Allow } else { Authorization::Deny }
    }))
}

/// Whether a statement may perform this action.
fn may(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => {
            !FORBIDDEN.iter().any(|name| function_name.eq_ignore_ascii_case(name))
        }
        AuthAction::Pragma { pragma_name, .. } => PRAGMAS.contains(pragma_name),
        _ => false,
    }
}

/// The kind of a failure in words, without SQLite's message about it, which may quote a value.
pub fn kind_of_failure(failure: &rusqlite::ffi::Error) -> &'static str {
    rusqlite::ffi::code_to_str(failure.extended_code)
}

/// The error in words, without the statement and without values of rows.
pub fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == ErrorCode::TooBig => {
            "it has a value that is too large to read".to_owned()
        }
        // For damage that belongs to no table, SQLite leaves the table name empty.
        rusqlite::Error::SqliteFailure(failure, message) => match message {
            Some(message) => message.replace(" () -", ":"),
            None => kind_of_failure(failure).to_owned(),
        },
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        _ => "it has a value whose type differs from what SQLite reports".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::print_stderr, reason = "a test says that it is skipped")]

    use std::fs;

    use super::*;

    /// The path may lead to another file after the check.
    #[test]
    fn only_the_file_that_was_checked_is_read() {
        if confine_to(&[], || fs::read("/dev/null").is_ok()).unwrap() {
            eprintln!("skipped: this system cannot hold a thread to some files");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for (name, sql) in [("data", "CREATE TABLE ours (a)"), ("private", "CREATE TABLE theirs (a)")] {
            fs::create_dir(root.join(name)).unwrap();
            Connection::open(root.join(name).join("a.db")).unwrap().execute_batch(sql).unwrap();
        }
        let path = root.join("data/a.db");
        let table = |file: &SqliteFile| {
            let read = file.connection().query_row("SELECT name FROM sqlite_schema", (), |row| row.get(0));
            read.unwrap_or_else(|error| error.to_string())
        };
        let read = |checked| SqliteFile::with_checked(&checked, &path, "a.db", &Arc::default(), table);
        assert_eq!(read(checked(&path, "a.db").unwrap().unwrap()).unwrap(), "ours");
        let before = checked(&path, "a.db").unwrap().unwrap();
        fs::rename(root.join("data"), root.join("moved")).unwrap();
        fs::rename(root.join("private"), root.join("data")).unwrap();
        let error = read(before).unwrap_err();
        assert!(error.message.starts_with("a.db cannot be"), "{error}");
        // Nor is a journal read that appears later.
        let before = checked(&path, "a.db").unwrap().unwrap();
        fs::copy(&path, root.join("data/a.db-journal")).unwrap();
        assert!(!read(before).is_ok_and(|name| name == "theirs"));
    }
}
