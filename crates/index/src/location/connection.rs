//! Opens SQLite files, and distinguishes damage from locks and full disks.

use std::path::Path;
use std::time::Duration;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// How long a reader waits for a lock of SQLite, which is held only briefly.
const BUSY: Duration = Duration::from_millis(500);

/// The cache of a writer: 16 MiB, as a negative number of KiB.
const CACHE_KIB: i64 = -16_384;

/// The length of its log: 16 MiB, in pages of 4 KiB.
const LOG_PAGES: i64 = 4_096;

pub(super) fn connect(path: &Path, access: OpenFlags) -> rusqlite::Result<Connection> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(BUSY)?;
        // The file must not make SQLite run impure functions; all of ours are pure.
        connection.pragma_update(None, "trusted_schema", false)?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        // Otherwise, full-text search plans its own statement again for each word.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        // Content that a user revokes must not stay in the file.
        connection.pragma_update(None, "secure_delete", true)?;
        Ok(connection)
    })
}

/// Makes a writer keep the pages of a batch in memory, and move its log to the file, which waits for the disk, once for
/// several batches. By default, the cache has 2 MiB, and the log 4 MiB.
pub(super) fn enlarge_buffers(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", CACHE_KIB)?;
    connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES)
}

/// Whether the file's content is not what we wrote. Unlike a lock or a full disk, this does not go away by itself.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as Sqlite;
    match error {
        Sqlite::SqliteFailure(failure, _) => {
            matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        }
        Sqlite::FromSqlConversionFailure(..)
        | Sqlite::IntegralValueOutOfRange(..)
        | Sqlite::InvalidColumnType(..)
        | Sqlite::Utf8Error(..) => true,
        _ => false,
    }
}

/// Whether another process, or another connection of this one, holds a lock on the file.
pub(super) fn is_held(error: &rusqlite::Error) -> bool {
    let held = [ErrorCode::DatabaseBusy, ErrorCode::DatabaseLocked, ErrorCode::FileLockingProtocolFailed];
    error.sqlite_error_code().is_some_and(|code| held.contains(&code))
}

/// Whether the same file may become usable without any change to it.
pub(super) fn is_transient(error: &rusqlite::Error) -> bool {
    is_held(error)
        || matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::OutOfMemory | ErrorCode::DiskFull | ErrorCode::OperationInterrupted)
        )
}

/// A path in a URI, escaped for SQLite.
pub(super) fn file_uri(path: &Path) -> String {
    const PLAIN: &AsciiSet =
        &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b':');
    format!("file:{}", percent_encode(path.as_os_str().as_encoded_bytes(), PLAIN))
}
