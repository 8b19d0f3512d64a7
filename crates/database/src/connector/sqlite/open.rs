//! Opens an SQLite file for reading and nothing else.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use refdesk_files::beneath::{self, Opened};
use refdesk_files::{EntryKind, Folder};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// What every SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Where the header says whether the file has a write-ahead log: 2 if it has.
const LOG_MARK: usize = 18;

/// How long reading the schema may take.
const SCHEMA_TIME: Duration = Duration::from_secs(30);

/// How many steps of SQLite's machine pass between looks at the clock.
const STEPS: i32 = 2_000;

/// Most bytes of a row or a text.
const LENGTH: i32 = 64 * 1024 * 1024;

/// A limit for each thing that a hostile schema could make large.
const LIMITS: [(Limit, i32); 10] = [
    (Limit::SQLITE_LIMIT_LENGTH, LENGTH),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 4 * 1024 * 1024),
    (Limit::SQLITE_LIMIT_COLUMN, 2_000),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

/// Pragmas that only tell something.
const PRAGMAS: [&str; 4] = ["table_xinfo", "foreign_key_list", "index_list", "index_xinfo"];

/// Functions that reach beyond the file.
const FORBIDDEN: [&str; 3] = ["load_extension", "fts3_tokenizer", "readfile"];

/// An open file.
pub struct SqliteFile {
    connection: Connection,
    shown: String,
    deadline: Arc<Mutex<Instant>>,
    /// The tables that preparing a statement asked to read, while that is noted.
    reads: Arc<Mutex<Option<Vec<String>>>>,
}

impl SqliteFile {
    /// Opens the file at an absolute path without links; `None` if it is empty, which SQLite takes for a database.
    ///
    /// # Errors
    /// It cannot be opened, is not a regular file, or is not an SQLite database.
    pub fn open(path: &Path, shown: &str, problems: &mut Vec<Diagnostic>) -> Result<Option<Self>, Error> {
        let cannot = |what: String, fix: &str| Error::new(Code::DatabaseUnreadable, format!("{shown} {what}"), fix);
        let (mut file, size) = match beneath::open(path) {
            Ok(Opened::File(file, metadata)) => (file, metadata.len()),
            Ok(Opened::Folder(_)) => return Err(cannot("is a folder, not a file".to_owned(), "name the file in it")),
            Err(error) => {
                let error = error.to_string();
                // The file is named before.
                let why = error.strip_prefix(&format!("{}: ", path.display())).unwrap_or(&error);
                return Err(cannot(format!("cannot be opened: {why}"), "check its path"));
            }
        };
        if size == 0 {
            return Ok(None);
        }
        let header = header(&mut file).filter(|header| header.starts_with(MAGIC));
        let Some(header) = header else {
            return Err(cannot("is not an SQLite database".to_owned(), "name another file"));
        };
        drop(file);
        let has_log = header.get(LOG_MARK) == Some(&2);
        let mode = if has_log { beside(path, shown, problems)? } else { "" };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW
            | OpenFlags::SQLITE_OPEN_URI;
        let opened = Connection::open_with_flags(format!("file://{}?mode=ro{mode}", encoded(path)), flags);
        let mut connection = opened.map_err(|error| cannot(format!("cannot be opened: {}", words(&error)), ""))?;
        let deadline = Arc::new(Mutex::new(Instant::now() + SCHEMA_TIME));
        let reads = Arc::default();
        let hardened = harden(&mut connection, &deadline, &reads);
        hardened.map_err(|error| cannot(format!("cannot be read: {}", words(&error)), ""))?;
        Ok(Some(Self { connection, shown: shown.to_owned(), deadline, reads }))
    }

    /// The connection; what it may do is limited.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Limits the time of what follows.
    pub fn allow(&self, time: Duration) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    /// Does something, and tells which tables it asked to read.
    pub fn noting_reads<T>(&self, act: impl FnOnce(&Connection) -> T) -> (T, Vec<String>) {
        let reads = || self.reads.lock().unwrap_or_else(PoisonError::into_inner);
        *reads() = Some(Vec::new());
        let done = act(&self.connection);
        let read = reads().take().unwrap_or_default();
        (done, read)
    }

    /// An error of SQLite about the whole file.
    pub fn unreadable(&self, error: &rusqlite::Error) -> Error {
        let fix = match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                "wait until the program that writes it is done"
            }
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen) => "open it once with the program that writes it",
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                "restore the file; sqlite3's .recover may help"
            }
            _ => "",
        };
        Error::new(Code::DatabaseUnreadable, format!("{} cannot be read: {}", self.shown, words(error)), fix)
    }
}

fn header(file: &mut File) -> Option<[u8; 100]> {
    let mut header = [0; 100];
    file.read_exact(&mut header).ok()?;
    Some(header)
}

/// How to open a file that has a log, so that opening it makes no file beside it.
fn beside(path: &Path, shown: &str, problems: &mut Vec<Diagnostic>) -> Result<&'static str, Error> {
    let kind = |ending: &str| {
        let (folder, name) = Folder::of_real(path).ok()?;
        let mut name = name.to_owned();
        name.push(ending);
        let entry = folder.entry(&name).ok()??;
        Some((entry.kind, entry.size))
    };
    let (log, memory) = (kind("-wal"), kind("-shm"));
    if [log, memory].iter().flatten().any(|(kind, _)| *kind != EntryKind::File) {
        let message = format!("the log beside {shown} is not a regular file");
        return Err(Error::new(Code::DatabaseUnreadable, message, "remove it"));
    }
    Ok(match (log, memory) {
        (Some((_, size)), Some(_)) if size > 0 => "&readonly_shm=1",
        (Some((_, size)), None) if size > 0 => {
            let message = "the newest changes are only in the log beside it and are not read";
            let fix = "open it once with the program that writes it";
            problems.push(Diagnostic::warning(Code::TableUnreadable, message).in_file(shown).fix(fix));
            "&immutable=1"
        }
        _ => "&immutable=1",
    })
}

/// The path in a URI: every byte that could mean something else is written as `%xx`.
fn encoded(path: &Path) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'-' | b'_');
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|byte| if plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02x}") }).collect()
}

fn harden(
    connection: &mut Connection,
    deadline: &Arc<Mutex<Instant>>,
    reads: &Arc<Mutex<Option<Vec<String>>>>,
) -> rusqlite::Result<()> {
    for (limit, most) in LIMITS {
        connection.set_limit(limit, most)?;
    }
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
    let deadline = deadline.clone();
    let is_over = move || Instant::now() > *deadline.lock().unwrap_or_else(PoisonError::into_inner);
    connection.progress_handler(STEPS, Some(is_over))?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "mmap_size", 0)?;
    // All that follows sees one state of the file.
    connection.execute_batch("BEGIN")?;
    let reads = reads.clone();
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if let AuthAction::Read { table_name, .. } = context.action
            && let Some(read) = reads.lock().unwrap_or_else(PoisonError::into_inner).as_mut()
        {
            read.push(table_name.to_owned());
        }
        if may(&context.action) { Authorization::Allow } else { Authorization::Deny }
    }))
}

/// What a statement may do.
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

/// An error without the statement and without what a row says.
pub fn words(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) if failure.code == ErrorCode::TooBig => {
            "it has a value that is larger than what is read".to_owned()
        }
        rusqlite::Error::SqliteFailure(failure, message) => message.clone().unwrap_or_else(|| failure.to_string()),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        _ => "it has a value of another type than SQLite says".to_owned(),
    }
}
