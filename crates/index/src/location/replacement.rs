//! A new index that is made beside the one in its place, which is removed only when the new one is complete: a run that is
//! killed, or for which there is no room, leaves the old one as it was.

use std::io;

use rusqlite::OpenFlags;

use super::files::{clear, remove_making};
use super::{Location, Reopened, Writable};
use refdesk_files::{Folder, Lock, SealKey};
use refdesk_text::{Code, Error};

/// What is being made. It is removed when this is dropped, unless it was put in place.
pub(crate) struct Replacement {
    /// Of the index that is being made.
    location: Location,
    folder: Folder,
    /// Held by the one process that writes.
    _lock: Lock,
}

impl Location {
    /// An empty index beside the one that is there.
    pub(super) fn beside(&self, folder: Folder, lock: Lock, key: &SealKey) -> Result<Writable, Error> {
        let location = Self { is_making: true, ..self.clone() };
        let replacement = Replacement { location, folder, _lock: lock };
        let Replacement { location, folder, .. } = &replacement;
        let made = folder.confine(|| location.make(folder, key).and_then(|()| location.reopen(key)));
        let Reopened::Usable(connection) = made.map_err(|error| location.unwritable(&error))?? else {
            return Err(location.unwritable(&io::ErrorKind::InvalidData.into()));
        };
        let storage = location.storage(connection, folder.clone(), key, None);
        Ok(Writable { storage, replacement: Some(replacement), is_replaced: false, is_aside: false })
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        self.failed(Code::IndexUnwritable, error)
    }
}

impl Replacement {
    /// Puts the new index in place of the old one. No storage of it may be open.
    ///
    /// # Errors
    /// It cannot be written as a whole; then the old one stays.
    pub fn put_in_place(self) -> Result<(), Error> {
        let Self { location, folder, .. } = &self;
        let completed = folder.confine(|| {
            let connection = location.open(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            // SQLite does not say if it cannot do this when a file is closed, and the log does not get the new name.
            let moved = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            moved.and_then(|()| connection.close().map_err(|(_, error)| error)).map_err(|error| location.broken(&error))
        });
        completed.map_err(|error| location.unwritable(&error))??;
        clear(folder, false).and_then(|_| location.put_in_place(folder)).map_err(|error| location.unwritable(&error))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // If that fails, the next run does it.
        let _ = remove_making(&self.folder);
    }
}
