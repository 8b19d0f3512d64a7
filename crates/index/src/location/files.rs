//! The files of an index: their names, their identities, and how they are removed or set aside.

use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use refdesk_files::path::is_absent;
use refdesk_files::{EntryKind, Folder, Stamp};

pub(super) const DATABASE: &str = "index.db";
pub(super) const LOG: &str = "index.db-wal";
pub(super) const SHARED_MEMORY: &str = "index.db-shm";
pub(super) const JOURNAL: &str = "index.db-journal";
pub(super) const RECORD: &str = "index.json";
/// The name of a new index until it is complete and recorded, so that no killed run leaves one that looks foreign.
pub(super) const UNFINISHED: &str = "index.db.new";
pub(super) const LOCK: &str = "index.lock";

/// Distinguishes a file from all others that had its name. Includes the time of birth, because the inode number of a
/// removed file is reused. All zero if the file does not exist.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    number: u64,
    /// Nanoseconds since 1970; 0 if the file system does not record it.
    born: u64,
}

/// Clears the way for a new index; returns whether the old one was set aside. The database goes first, because the
/// other files without it do not look like an index.
pub(super) fn clear(folder: &Folder, is_kept: bool) -> io::Result<bool> {
    let is_set_aside = if is_kept { set_aside(folder, DATABASE)? } else { remove(folder, DATABASE)? };
    for name in [LOG, SHARED_MEMORY, JOURNAL, RECORD] {
        remove(folder, name)?;
    }
    Ok(is_set_aside)
}

/// Removes a file. Anything else is not refdesk's and is set aside; returns whether it was set aside.
fn remove(folder: &Folder, name: &str) -> io::Result<bool> {
    if folder.is_obstructed(name) {
        return set_aside(folder, name);
    }
    present(folder.remove_file(name)).map(|()| false)
}

/// Renames the file with this name, if it exists; returns whether it did. It replaces the file set aside before, or
/// else a workspace shared by two machines would collect them.
pub(super) fn set_aside(folder: &Folder, name: &str) -> io::Result<bool> {
    let Some(entry) = folder.entry(name)? else { return Ok(false) };
    let mut aside = format!("{name}.aside");
    let mut number = 1;
    while let Some(there) = folder.entry(&aside)?
        && (there.kind != EntryKind::File || entry.kind != EntryKind::File)
    {
        number += 1;
        aside = format!("{name}.aside-{number}");
    }
    folder.rename(name, &aside).map(|()| true)
}

/// Removes every database that was set aside. Anything but a regular file is not an index and stays.
pub(super) fn remove_aside(folder: &Folder) -> io::Result<()> {
    let first = format!("{DATABASE}.aside");
    for entry in folder.entries()? {
        let (name, kind) = entry?;
        let is_set_aside = name.to_str().and_then(|name| name.strip_prefix(&first));
        if kind == EntryKind::File && is_set_aside.is_some_and(|end| end.is_empty() || end.starts_with('-')) {
            present(folder.remove_file(name))?;
        }
    }
    Ok(())
}

/// Ignores the error that a file to remove does not exist.
fn present(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if is_absent(&error) { Ok(()) } else { Err(error) })
}

pub(super) fn remove_unfinished(folder: &Folder) -> io::Result<()> {
    ["", "-wal", "-shm", "-journal"]
        .into_iter()
        .try_for_each(|end| remove(folder, &format!("{UNFINISHED}{end}")).map(drop))
}

pub(super) fn identity(folder: &Folder, name: &str) -> io::Result<FileIdentity> {
    let metadata = match folder.metadata(name) {
        Err(error) if is_absent(&error) => return Ok(FileIdentity::default()),
        found => found?,
    };
    let born = metadata.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    let born = u64::try_from(born.as_nanos()).unwrap_or_default();
    Ok(FileIdentity { number: Stamp::of(&metadata).number, born })
}

pub(super) fn size(folder: &Folder, name: &str) -> Option<u64> {
    Some(folder.metadata(name).ok()?.len())
}
