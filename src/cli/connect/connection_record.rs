//! Stores what `connect` changed, so that `disconnect` can restore it: for a workspace in the workspace, for a user in
//! the user's state folder. Git ignores both. Without a record, `disconnect` removes only entries exactly as refdesk
//! writes them. Links to a record or out of the workspace are not followed, because a repository could contain one.

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use refdesk_agents::setup::{Client, Record};
use refdesk_core::config::state_folder;
use refdesk_desk::Desk;
use refdesk_desk::session::advice;
use refdesk_files::{
    LOCK_TIMEOUT, Lock, Sealer, code_of, is_disk_full, open_state_file, private_folder, sweep, within, write_private,
};
use refdesk_text::{Code, Error};

/// The most bytes of a record, which contains the entries that were replaced.
const LIMIT: u64 = 1024 * 1024;

pub(in crate::cli) struct ConnectionRecord {
    /// `None` if the user has no state folder.
    file: Option<PathBuf>,
    /// For a workspace: the root that the record's folder must stay within, and the sealer. The user's own folder may
    /// be anywhere and needs no seal.
    workspace: Option<(PathBuf, Sealer)>,
    /// The path that the seal covers.
    place: String,
    /// Whether the record is ignored because this user's refdesk did not write it.
    is_foreign: bool,
    /// The bytes of the record, if this user's refdesk wrote it.
    before: Option<Vec<u8>>,
    pub record: Option<Record>,
    /// What is wrong with the record, in one sentence.
    pub damage: Option<String>,
}

impl ConnectionRecord {
    /// The folder of the records; `None` if the user has no state folder.
    fn folder(desk: &Desk, for_user: bool) -> Option<PathBuf> {
        let folder = if for_user { state_folder()? } else { desk.workspace().join(".jaato/refdesk") };
        Some(folder.join("connected"))
    }

    /// Takes the lock on the settings of the workspace or of the user, waiting for other processes.
    ///
    /// # Errors
    /// The lock cannot be taken.
    pub fn lock(desk: &Desk, for_user: bool) -> Result<Option<Lock>, Error> {
        let Some(folder) = Self::folder(desk, for_user) else { return Ok(None) };
        if !for_user {
            desk.own_folder()?;
        }
        let lock = if for_user { private_folder(&folder).map(drop) } else { within(desk.workspace(), &folder) };
        let lock = lock.and_then(|()| Lock::acquire(&folder.join("lock"), LOCK_TIMEOUT));
        let lock = lock.map_err(|error| not_stored(&error))?;
        // Remove what a killed process left; while the lock is held, no other process writes here.
        let _ = sweep(&folder);
        Ok(Some(lock))
    }

    pub fn of_hooks(desk: &Desk, client: &Client, for_user: bool) -> Self {
        Self::new(desk, client.word, for_user)
    }

    pub fn of_server(desk: &Desk, client: &Client, for_user: bool) -> Self {
        Self::new(desk, &format!("{}-mcp", client.word), for_user)
    }

    fn new(desk: &Desk, name: &str, for_user: bool) -> Self {
        let file = Self::folder(desk, for_user).map(|folder| folder.join(format!("{name}.json")));
        let workspace = (!for_user).then(|| (desk.workspace().to_path_buf(), desk.sealer().clone()));
        let place = format!("connected/{name}.json");
        let mut new = Self { file, workspace, place, is_foreign: false, before: None, record: None, damage: None };
        let damage = match new.file.as_ref().map(|file| new.read(file)) {
            None => None,
            Some(Err(error)) if refdesk_files::path::is_absent(&error) => None,
            Some(Err(error)) => Some(error.to_string()),
            Some(Ok(bytes)) => {
                let read = serde_json::from_slice(&bytes).map_err(|error| error.to_string());
                new.is_foreign = new.workspace.as_ref().is_some_and(|(_, it)| !it.verifies(&new.place, &bytes));
                if new.is_foreign && read.is_ok() {
                    new.file.iter().for_each(|file| desk.note_foreign(file));
                } else {
                    new.before = Some(bytes);
                }
                read.map(|record| new.record = Some(record).filter(|_| !new.is_foreign)).err()
            }
        };
        if let (Some(damage), Some(file)) = (damage, &new.file) {
            new.damage = Some(format!("the record of the connection cannot be used, {}: {damage}", file.display()));
        }
        new
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.check_links(file)?;
        let mut bytes = Vec::new();
        open_state_file(file)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LIMIT {
            return Err(io::Error::other(format!("it has more than {LIMIT} bytes")));
        }
        Ok(bytes)
    }

    /// Checks that no link leads the record's folder out of the workspace.
    fn check_links(&self, file: &Path) -> io::Result<()> {
        match (&self.workspace, file.parent()) {
            (Some((root, _)), Some(folder)) => within(root, folder),
            _ => Ok(()),
        }
    }

    /// Replaces the record.
    ///
    /// # Errors
    /// The record cannot be written.
    pub fn store(&self, desk: &Desk, record: &Record) -> Result<(), Error> {
        let Some(file) = &self.file else { return Ok(()) };
        if self.workspace.is_some() {
            desk.own_folder()?;
        }
        if serde_json::to_vec_pretty(record).is_ok_and(|bytes| bytes.len() as u64 > LIMIT / 2) {
            let message = "the entries that would be replaced are too large to record for disconnecting";
            return Err(Error::new(Code::TooLarge, message, "remove them yourself, and connect again"));
        }
        if self.is_foreign {
            desk.set_foreign_aside(file)?;
        }
        let written = self.check_links(file).and_then(|()| {
            let bytes = serde_json::to_vec_pretty(record).map_err(io::Error::from)?;
            let bytes = match &self.workspace {
                Some((_, sealer)) => sealer.key_or_new()?.sealed(&self.place, &bytes),
                None => [&bytes, &b"\n"[..]].concat(),
            };
            write_private(file, &bytes)
        });
        written.map_err(|error| not_stored(&error))
    }

    /// Restores the previous record after a connection failed. Errors are ignored: a record for another text only lists
    /// what refdesk created.
    pub fn put_back(&self) {
        if let (Some(file), Some(before)) = (&self.file, &self.before) {
            let _ = self.check_links(file).and_then(|()| write_private(file, before));
        } else {
            self.forget();
        }
    }

    /// Removes the record, unless it is foreign. Errors are ignored.
    pub fn forget(&self) {
        if self.is_foreign {
            return;
        }
        let _ = self.file.as_ref().map(|file| self.check_links(file).and_then(|()| fs::remove_file(file)));
    }
}

fn not_stored(error: &io::Error) -> Error {
    let message = format!("the record for disconnecting could not be saved: {error}");
    // The advice for other errors does not apply to the user's own folder.
    let is_advised = code_of(error).is_some() || error.kind() == ErrorKind::TimedOut || is_disk_full(error);
    let hint = if is_advised { advice(error) } else { "make that folder writable" };
    Error::new(Code::NotStored, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_to_store_a_record_comes_with_advice() {
        for (kind, expected) in [
            (ErrorKind::StorageFull, "free some disk space"),
            (ErrorKind::QuotaExceeded, "free some disk space"),
            (ErrorKind::FileTooLarge, "raise the limit on the size of files (ulimit -f)"),
            (ErrorKind::TimedOut, "end the process that holds the lock, or try again"),
            (ErrorKind::PermissionDenied, "make that folder writable"),
            (ErrorKind::NotADirectory, "make that folder writable"),
        ] {
            assert_eq!(not_stored(&kind.into()).fix.to_string(), expected, "{kind}");
        }
    }
}
