//! Syncs staged files to disk before they are renamed. Many files are synced in parallel: in sequence it takes twenty
//! times as long.

use std::collections::BTreeSet;
use std::thread;

use super::record::write_failed;
use super::write::StagedProposal;
use crate::atomic::{device_of, sync_file_system};
use refdesk_text::{Code, Error};

/// The number of threads that sync files.
const SYNC_THREADS: usize = 8;

/// From this many files on, their file system is synced as a whole, with one flush instead of one per file.
const MANY: usize = 64;

/// Waits until the content of all files is on disk.
///
/// # Errors
/// The file system's error.
pub(super) fn sync(ready: &[StagedProposal<'_>]) -> Result<(), Error> {
    if ready.len() >= MANY && sync_file_systems(ready) {
        return Ok(());
    }
    let part = ready.len().div_ceil(SYNC_THREADS).max(1);
    let sync =
        |ready: &StagedProposal<'_>| ready.new.sync().map_err(|error| write_failed(&ready.proposal.shown, &error));
    thread::scope(|scope| {
        let parts: Vec<_> = ready.chunks(part).map(|part| scope.spawn(|| part.iter().try_for_each(sync))).collect();
        let failed = || Error::new(Code::NotWritten, "the files could not be synced", "try again");
        parts.into_iter().try_for_each(|part| part.join().unwrap_or_else(|_| Err(failed())))
    })
}

/// Syncs each file system that contains one of these files; returns whether that worked.
fn sync_file_systems(ready: &[StagedProposal<'_>]) -> bool {
    let mut devices = BTreeSet::new();
    let mut known = None;
    ready.iter().all(|ready| {
        let folder = ready.proposal.path.parent();
        if known == Some(folder) {
            return true;
        }
        known = Some(folder);
        match device_of(ready.new.file()) {
            Ok(device) => !devices.insert(device) || sync_file_system(ready.new.file()).is_ok(),
            Err(_) => false,
        }
    })
}
