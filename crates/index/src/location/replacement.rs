//! A new index built next to the existing one, which is removed only when the new one is complete. A run that is
//! killed, or runs out of disk space, leaves the old index intact.

use std::io;

use rusqlite::OpenFlags;

use super::files::{clear, remove_unfinished};
use super::{Location, Reopened, Writable};
use refdesk_files::{Folder, Lock, SealKey};
use refdesk_text::Error;

/// The new index. Removed on drop unless it was put in place.
pub(crate) struct Replacement {
    /// The location of the new index.
    location: Location,
    folder: Folder,
    /// The lock of the only writer.
    _lock: Lock,
}

impl Location {
    /// Creates an empty index next to the existing one.
    pub(super) fn create_replacement(&self, folder: Folder, lock: Lock, key: &SealKey) -> Result<Writable, Error> {
        let location = Self { is_unfinished: true, ..self.clone() };
        let replacement = Replacement { location, folder, _lock: lock };
        let Replacement { location, folder, .. } = &replacement;
        let made = folder.confine(|| location.make(folder, key).and_then(|()| location.reopen(key)));
        let Reopened::Usable(connection) = made.map_err(|error| location.unwritable(&error))?? else {
            return Err(location.unwritable(&io::ErrorKind::InvalidData.into()));
        };
        let storage = location.storage(connection, folder.clone(), key, None);
        Ok(Writable { storage, replacement: Some(replacement), is_replaced: false, is_set_aside: false })
    }
}

impl Replacement {
    /// Replaces the old index with the new one. No storage of the new one may be open.
    ///
    /// # Errors
    /// The new index cannot be written completely; then the old one stays.
    pub fn install(self) -> Result<(), Error> {
        let Self { location, folder, .. } = &self;
        let completed = folder.confine(|| {
            let connection = location.open_at(&location.file(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
            // Closing the file does not report whether this fails, and the log is not renamed with the file.
            let moved = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()));
            moved.and_then(|()| connection.close().map_err(|(_, error)| error)).map_err(|error| location.broken(&error))
        });
        completed.map_err(|error| location.unwritable(&error))??;
        clear(folder, false).and_then(|_| location.install(folder)).map_err(|error| location.unwritable(&error))
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        // If this fails, the next run does it.
        let _ = remove_unfinished(&self.folder);
    }
}
