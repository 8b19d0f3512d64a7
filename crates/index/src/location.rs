//! Where a workspace keeps its index, and whether it is ours. SQLite reads its file, its log and its journal before
//! anyone can check them, so a file that came with a repository must never reach SQLite. A sealed record identifies the
//! files that this user's refdesk wrote; no others are used (BEHAVIOUR §9 "Ours alone").

mod connection;
mod files;
mod replacement;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{Access, access};
use serde::{Deserialize, Serialize};

use self::connection::{connect, enlarge_buffers, file_uri, is_damage, is_held, is_transient};
use self::files::{
    DATABASE, FileIdentity, JOURNAL, LOCK, LOG, RECORD, SHARED_MEMORY, UNFINISHED, clear, identity, remove_aside,
    remove_unfinished, set_aside, size,
};
pub(crate) use self::replacement::Replacement;
#[cfg(feature = "postgres")]
use crate::postgres::{PostgresStorage, Server};
use crate::row_seal;
use crate::schema;
use crate::sqlite::SqliteStorage;
use crate::storage::Storage;
use refdesk_files::path::is_absent;
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_files::{
    Durability, FileMode, Folder, Lock, SealKey, Sealer, code_of, is_link_refused, is_writable, usable_key, way_to_more,
};
use refdesk_text::{Code, Error, Fix};

/// The path that the record's seal is bound to.
const PLACE: &str = "index.json";

/// Size limit in bytes; a larger record counts as damaged.
const RECORD_LIMIT: u64 = 4_096;

const MAKE_WRITABLE: &str = "make .jaato/refdesk writable";
const MAKE_READABLE: &str = "make .jaato/refdesk and its files readable";

/// The place of a workspace's index.
#[derive(Debug, Clone)]
pub struct Location {
    workspace: PathBuf,
    sealer: Sealer,
    /// Whether this is a new index, built next to the existing one.
    is_unfinished: bool,
    /// The server to use instead of the file.
    #[cfg(feature = "postgres")]
    server: Option<Server>,
}

/// The files that refdesk wrote. The log is recorded before anything is written to it, so that a killed run never makes
/// its own log look foreign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Record {
    database: FileIdentity,
    log: FileIdentity,
    /// Whether the index is ours but no longer usable.
    #[serde(default)]
    is_damaged: bool,
}

/// What exists at the place of the index.
enum IndexPresence {
    /// No index.
    Nothing,
    /// Files that this user's refdesk did not write here, or that were replaced later.
    Foreign,
    /// Our index, with unusable content.
    Damaged,
    Ours,
}

/// The result of opening our index for writing.
enum Reopened {
    Usable(Connection),
    /// The index has an older version, and all its content can be computed again.
    Older,
    /// The index is damaged and will be kept next to the new one.
    Damaged,
}

/// How a reader opens the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenMode {
    /// Alongside a writer, coordinated by further files in the folder.
    Shared,
    /// As an immutable file, because those files cannot be created there and SQLite requires them otherwise.
    Immutable,
}

impl OpenMode {
    /// A log may contain data that is not in the database yet, so a database with a log is not read on its own.
    fn of(is_writable: bool, log: Option<u64>) -> Self {
        if is_writable || log.is_some_and(|size| size > 0) { Self::Shared } else { Self::Immutable }
    }
}

/// An index opened for writing.
pub(crate) struct Writable {
    pub storage: Box<dyn Storage>,
    /// Set if the existing index stays in place until this one is complete.
    pub replacement: Option<Replacement>,
    /// Whether an existing index could not be kept: damaged, of an older version, or not ours.
    pub is_replaced: bool,
    /// Whether that index was set aside because it was damaged or not ours.
    pub is_set_aside: bool,
}

impl Location {
    /// The index of this workspace; `sealer` proves that it is ours.
    pub fn new(workspace: &Path, sealer: Sealer) -> Self {
        // SQLite refuses paths with links; those above the workspace are the user's, so resolve them.
        let workspace = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
        Self {
            workspace,
            sealer,
            is_unfinished: false,
            #[cfg(feature = "postgres")]
            server: None,
        }
    }

    /// Uses the PostgreSQL database at this URL instead; it is shared by all checkouts of the repository.
    ///
    /// # Errors
    /// The URL is invalid, or the proof of the server's identity could have come with the workspace.
    #[cfg(feature = "postgres")]
    pub fn on_server(mut self, url: &str) -> Result<Self, Error> {
        self.server = Some(Server::parse(url, &self.workspace)?);
        Ok(self)
    }

    /// Counterpart for builds without the feature `postgres`.
    ///
    /// # Errors
    /// Always fails.
    #[cfg(not(feature = "postgres"))]
    pub fn on_server(self, _url: &str) -> Result<Self, Error> {
        Err(Error::new(Code::IndexUnreachable, "this refdesk was built without PostgreSQL", "leave index_url out"))
    }

    /// A description of the index for people.
    pub fn shown(&self) -> String {
        #[cfg(feature = "postgres")]
        if let Some(server) = &self.server {
            return server.shown();
        }
        self.path().display().to_string()
    }

    /// A description of the index for people who are asked to trust it.
    pub fn shown_for_trust(&self) -> String {
        #[cfg(feature = "postgres")]
        if let Some(server) = &self.server {
            return server.shown_for_trust();
        }
        self.shown()
    }

    /// The path of the database file.
    pub fn path(&self) -> PathBuf {
        self.workspace.join(STATE_FOLDER).join(DATABASE)
    }

    /// Checks that the workspace can be indexed.
    ///
    /// # Errors
    /// [`Code::NotUtf8`]: its path is not UTF-8.
    pub(crate) fn check_path(&self) -> Result<(), Error> {
        // The index names files as text, so that a search could not open what it found.
        if self.workspace.to_str().is_some() {
            return Ok(());
        }
        let message = "the path of the workspace is not UTF-8, so its documents cannot be indexed";
        Err(Error::new(Code::NotUtf8, message, "rename the folder"))
    }

    /// Opens the index for reading; `None` if there is none.
    ///
    /// # Errors
    /// It was not created by this user's refdesk here, has a newer version, or cannot be read.
    pub(crate) fn read(&self) -> Result<Option<Box<dyn Storage>>, Error> {
        #[cfg(feature = "postgres")]
        if let Some(server) = &self.server {
            let storage = PostgresStorage::read(server, &self.workspace, &self.sealer)?;
            return Ok(storage.map(|storage| Box::new(storage) as Box<dyn Storage>));
        }
        // Without an accessible state folder there is no index; the desk reports the folder.
        let Ok(folder) = self.folder() else { return Ok(None) };
        match self.found(&folder).map_err(|error| self.failed(Code::IndexUnreadable, &error))? {
            IndexPresence::Nothing => return Ok(None),
            IndexPresence::Foreign | IndexPresence::Damaged => return Err(foreign()),
            IndexPresence::Ours => {}
        }
        let key = self.sealer.key().ok_or_else(foreign)?;
        let mode = OpenMode::of(is_writable(folder.path()), size(&folder, LOG));
        let opened = folder.confine(|| self.open_ours(mode, key));
        let connection = opened.map_err(|error| self.failed(Code::IndexUnreadable, &error))??;
        Ok(connection.map(|connection| self.storage(connection, folder, key, None)))
    }

    /// Whether there is an index, even one of an older version.
    ///
    /// # Errors
    /// The file system's error.
    pub fn is_present(&self) -> Result<bool, Error> {
        #[cfg(feature = "postgres")]
        if let Some(server) = &self.server {
            return Ok(self.read()?.is_some() || PostgresStorage::is_older(server)?);
        }
        let Ok(folder) = self.folder() else { return Ok(false) };
        let found = self.found(&folder).map_err(|error| self.failed(Code::IndexUnreadable, &error))?;
        Ok(!matches!(found, IndexPresence::Nothing))
    }

    /// Opens the index for writing, or creates it; `None` if another process is writing. An older version is removed
    /// first; a damaged or foreign index is set aside. A `fresh` index is built next to the existing one, which stays
    /// if the new one cannot be completed. An older version on a server is that of all repositories there, so it is
    /// removed only if this `may_affect_others`.
    ///
    /// # Errors
    /// It has a newer version, there is no key, or the file system's error.
    #[cfg_attr(not(feature = "postgres"), expect(unused_variables, reason = "a file has no others"))]
    pub(crate) fn write(&self, fresh: bool, may_affect_others: bool) -> Result<Option<Writable>, Error> {
        #[cfg(feature = "postgres")]
        if let Some(server) = &self.server {
            let opened = PostgresStorage::write(server, &self.workspace, &self.sealer, fresh, may_affect_others)?;
            return Ok(opened.map(|(storage, is_replaced)| Writable {
                storage: Box::new(storage),
                replacement: None,
                is_replaced,
                is_set_aside: false,
            }));
        }
        let failed = |error: io::Error| self.unwritable(&error);
        let root = Folder::root(&self.workspace).map_err(failed)?;
        let folder = root.make(Path::new(STATE_FOLDER), FileMode::Private).map_err(failed)?;
        if folder.is_obstructed(LOCK) {
            set_aside(&folder, LOCK).map_err(failed)?;
        }
        let lock = match folder.lock(LOCK, Duration::ZERO) {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => return Ok(None),
            held => held.map_err(failed)?,
        };
        let key = self.sealer.key_or_new().map_err(failed)?;
        // Remove what a killed run left.
        remove_unfinished(&folder).map_err(failed)?;
        let found = self.found(&folder).map_err(failed)?;
        if fresh && matches!(found, IndexPresence::Ours) {
            return self.create_replacement(folder, lock, key).map(Some);
        }
        let kept = match found {
            IndexPresence::Nothing => None,
            IndexPresence::Ours if !fresh => {
                folder.append(LOG).map_err(failed)?;
                self.record(&folder, DATABASE).map_err(failed)?;
                Some(folder.confine(|| self.reopen(key)).map_err(failed)??)
            }
            IndexPresence::Ours | IndexPresence::Foreign | IndexPresence::Damaged => Some(Reopened::Damaged),
        };
        let is_replaced = !fresh && matches!(kept, Some(Reopened::Older | Reopened::Damaged));
        let mut is_set_aside = false;
        let connection = match kept {
            Some(Reopened::Usable(connection)) => connection,
            unusable => {
                is_set_aside = clear(&folder, !fresh && matches!(unusable, Some(Reopened::Damaged))).map_err(failed)?;
                self.create(&folder, key)?;
                match folder.confine(|| self.reopen(key)).map_err(failed)?? {
                    Reopened::Usable(connection) => connection,
                    _ => return Err(self.unwritable(&io::ErrorKind::InvalidData.into())),
                }
            }
        };
        let storage = self.storage(connection, folder, key, Some(lock));
        Ok(Some(Writable { storage, replacement: None, is_replaced, is_set_aside }))
    }

    /// Removes index files of this workspace that were set aside.
    ///
    /// # Errors
    /// The file system's error.
    pub(crate) fn remove_aside(&self) -> Result<(), Error> {
        let Ok(folder) = self.folder() else { return Ok(()) };
        remove_aside(&folder).map_err(|error| self.unwritable(&error))
    }

    fn storage(&self, connection: Connection, folder: Folder, key: &SealKey, lock: Option<Lock>) -> Box<dyn Storage> {
        Box::new(SqliteStorage::new(connection, folder, self.clone(), key.clone(), lock))
    }

    /// Opens our index for writing, including all of its files.
    ///
    /// # Errors
    /// It has a newer version, or cannot be opened now, for example because another process holds a lock.
    fn reopen(&self, key: &SealKey) -> Result<Reopened, Error> {
        let opened = || -> rusqlite::Result<(Connection, i64, bool)> {
            let connection = connect(&self.file(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            let version = version(&connection)?;
            let is_usable =
                version == schema::VERSION && schema::is_intact(&connection)? && is_owned(&connection, key)?;
            if is_usable {
                enlarge_buffers(&connection)?;
            }
            Ok((connection, version, is_usable))
        };
        match opened() {
            Ok((_, newer, _)) if newer > schema::VERSION => Err(self.newer()),
            Ok((_, older, _)) if older < schema::VERSION => Ok(Reopened::Older),
            Ok((connection, _, true)) => Ok(Reopened::Usable(connection)),
            Err(error) if is_transient(&error) => Err(self.broken(&error)),
            Ok(_) | Err(_) => Ok(Reopened::Damaged),
        }
    }

    /// Creates an index under a temporary name, records it, and only then renames it.
    fn create(&self, folder: &Folder, key: &SealKey) -> Result<(), Error> {
        let made = folder.confine(|| self.make(folder, key)).map_err(|error| self.unwritable(&error)).flatten();
        let made = made.and_then(|()| self.install(folder).map_err(|error| self.unwritable(&error)));
        if made.is_err() {
            // Delete the unfinished index, and return the original error.
            let _ = remove_unfinished(folder);
        }
        made
    }

    /// Records the new index and renames it.
    fn install(&self, folder: &Folder) -> io::Result<()> {
        folder.append(LOG)?;
        self.record(folder, UNFINISHED)?;
        folder.rename(UNFINISHED, DATABASE)
    }

    fn make(&self, folder: &Folder, key: &SealKey) -> Result<(), Error> {
        // SQLite gives its other files the mode of this one, so create it first.
        let fresh = remove_unfinished(folder).and_then(|()| folder.append(UNFINISHED).map(drop));
        fresh.map_err(|error| self.unwritable(&error))?;
        let mut connection = self.open_at(&self.unfinished_path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        // Closing the connection moves everything to the file and removes the log.
        let made = schema::create(&mut connection, &row_seal::of_index(key))
            .and_then(|()| connection.pragma_update(None, "journal_mode", "WAL"))
            .and_then(|()| connection.close().map_err(|(_, error)| error));
        made.map_err(|error| self.broken(&error))
    }

    /// The path of the database to read and write.
    fn file(&self) -> PathBuf {
        if self.is_unfinished { self.unfinished_path() } else { self.path() }
    }

    /// The temporary path of a new index.
    fn unfinished_path(&self) -> PathBuf {
        self.workspace.join(STATE_FOLDER).join(UNFINISHED)
    }

    /// Opens our index for reading, including all of its files; `None` if it has an older version.
    fn open_ours(&self, mode: OpenMode, key: &SealKey) -> Result<Option<Connection>, Error> {
        let connection = self.open_for(mode)?;
        match version(&connection).map_err(|error| self.broken(&error))? {
            schema::VERSION => match is_owned(&connection, key) {
                Ok(true) => Ok(Some(connection)),
                Ok(false) => Err(self.forged()),
                Err(error) => Err(self.broken(&error)),
            },
            newer if newer > schema::VERSION => Err(self.newer()),
            _ => Ok(None),
        }
    }

    fn open_for(&self, mode: OpenMode) -> Result<Connection, Error> {
        let access = OpenFlags::SQLITE_OPEN_READ_ONLY;
        match mode {
            OpenMode::Shared => self.open_at(&self.file(), access),
            OpenMode::Immutable => {
                let uri = format!("{}?immutable=1", file_uri(&self.path()));
                self.open_at(Path::new(&uri), access | OpenFlags::SQLITE_OPEN_URI)
            }
        }
    }

    fn open_at(&self, path: &Path, access: OpenFlags) -> Result<Connection, Error> {
        connect(path, access).map_err(|error| self.broken(&error))
    }

    fn folder(&self) -> io::Result<Folder> {
        Folder::root(&self.workspace)?.below(Path::new(STATE_FOLDER))
    }

    fn found(&self, folder: &Folder) -> io::Result<IndexPresence> {
        if [DATABASE, LOG, SHARED_MEMORY, JOURNAL, RECORD].iter().any(|name| folder.is_obstructed(name)) {
            return Ok(IndexPresence::Foreign);
        }
        let database = identity(folder, DATABASE)?;
        if database == FileIdentity::default() {
            return Ok(IndexPresence::Nothing);
        }
        let recorded = self.recorded(folder)?;
        let log = identity(folder, LOG)?;
        let none = FileIdentity::default();
        // A reader may leave an empty log, which is harmless.
        let is_log_ours = |record: Record| log == none || log == record.log || size(folder, LOG) == Some(0);
        Ok(match recorded.filter(|record| record.database == database) {
            Some(record) if record.is_damaged => IndexPresence::Damaged,
            // A new index is renamed only with its tables in it.
            Some(_) if size(folder, DATABASE) == Some(0) => IndexPresence::Nothing,
            Some(record) if is_log_ours(record) && identity(folder, JOURNAL)? == none => IndexPresence::Ours,
            _ => IndexPresence::Foreign,
        })
    }

    /// The record, if we sealed it.
    fn recorded(&self, folder: &Folder) -> io::Result<Option<Record>> {
        self.sealer.check()?;
        match folder.read(RECORD, RECORD_LIMIT) {
            Ok((bytes, false)) if self.sealer.verifies(PLACE, &bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Ok(_) => Ok(None),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Records the database in the file with this name.
    fn record(&self, folder: &Folder, name: &str) -> io::Result<()> {
        let record = Record { database: identity(folder, name)?, log: identity(folder, LOG)?, is_damaged: false };
        self.write_record(folder, record)
    }

    fn write_record(&self, folder: &Folder, record: Record) -> io::Result<()> {
        let bytes = self.sealer.key_or_new()?.sealed(PLACE, &serde_json::to_vec(&record)?);
        folder.write(RECORD, &bytes, FileMode::Private, Durability::SurvivesCrash)
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        self.failed(Code::IndexUnwritable, error)
    }

    fn failed(&self, code: Code, error: &io::Error) -> Error {
        let fix = match error.kind() {
            _ if is_link_refused(error) => "remove the link, or replace it with its target",
            _ if code_of(error) == Some(Code::KeyUnusable) => usable_key(error),
            _ if code_of(error).is_some() => "set HOME, or XDG_STATE_HOME to a writable folder outside the workspace",
            io::ErrorKind::PermissionDenied if code == Code::IndexUnreadable => MAKE_READABLE,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => MAKE_WRITABLE,
            _ => way_to_more(error).unwrap_or("move the file or folder that is in its place"),
        };
        Error::new(code, self.unusable(error), fix)
    }

    /// A message with an error, which may itself name the file that it is about.
    fn unusable(&self, error: &dyn std::error::Error) -> String {
        let why = error.to_string();
        let path = match why.contains(&format!("{STATE_FOLDER}/{DATABASE}")) {
            true => String::new(),
            false => format!(" {}", self.path().display()),
        };
        format!("the search index{path} cannot be used: {why}")
    }

    /// The error for rows that we did not write. Removes the record, so that the next run builds another index.
    pub(crate) fn forged(&self) -> Error {
        if let (false, Ok(folder)) = (self.is_unfinished, self.folder()) {
            // If this fails, the problem is found and reported again.
            let _ = folder.remove_file(RECORD);
        }
        foreign()
    }

    /// Marks our index as damaged, so that the next run builds another and need not keep this one.
    fn mark_damaged(&self) -> io::Result<()> {
        let folder = self.folder()?;
        match self.recorded(&folder)? {
            Some(record) => self.write_record(&folder, Record { is_damaged: true, ..record }),
            None => Ok(()),
        }
    }

    /// Reports SQLite's error. Gives up a damaged file, so that the next run builds another.
    pub(crate) fn broken(&self, error: &rusqlite::Error) -> Error {
        if is_damage(error) && !self.is_unfinished {
            // If this fails, the problem is found and reported again.
            let _ = self.mark_damaged();
        }
        if is_held(error) {
            return self.held();
        }
        let is_readable = || access(self.path(), Access::READ_OK).is_ok();
        let fix = match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Fix::from("free some disk space"),
            Some(ErrorCode::SystemIoFailure) => {
                Fix::from("free some disk space, raise the limit on the size of files (ulimit -f), or check the disk")
            }
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied)
                if !is_writable(&self.workspace.join(STATE_FOLDER)) =>
            {
                Fix::from(if is_readable() { MAKE_WRITABLE } else { MAKE_READABLE })
            }
            // SQLite does not say that no more files may be opened.
            Some(ErrorCode::CannotOpen) => {
                let limit = "if programs have many files open, end some of them, or raise the limit (ulimit -n)";
                Fix::All(vec![limit.into(), Fix::BuildIndex])
            }
            _ => Fix::BuildIndex,
        };
        Error::new(Code::IndexUnreadable, self.unusable(error), fix)
    }

    /// The error for an index that another process keeps locked.
    pub(crate) fn held(&self) -> Error {
        let message = format!("the search index {} is in use by another process", self.path().display());
        Error::new(Code::IndexUnreadable, message, "try again when that process has finished")
    }

    fn newer(&self) -> Error {
        Error::new(
            Code::IndexNewer,
            format!("the search index {} was made by a newer refdesk", self.path().display()),
            "use that version, or remove the file",
        )
    }
}

fn foreign() -> Error {
    Error::new(
        Code::IndexForeign,
        "the search index .jaato/refdesk/index.db is not used: it is damaged, or you did not make it here, as after \
         moving or copying the workspace",
        Fix::BuildIndex,
    )
}

/// Whether the tables contain the seal of this user and workspace. The record alone would still match if other content
/// were copied into the file.
fn is_owned(connection: &Connection, key: &SealKey) -> rusqlite::Result<bool> {
    schema::is_owned(connection, &row_seal::of_index(key))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

#[cfg(test)]
mod tests;
