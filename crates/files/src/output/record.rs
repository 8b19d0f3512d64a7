//! The record of the renames that a write of several files is about to make, so that the next process can finish or
//! undo the write if its process is killed. When the renames are recorded, each new file is complete in its folder, and
//! so is a second name of the file it replaces: only renames remain, forward or back. Before that, the record names only
//! the folders that get temporary files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lookup::PathLookup;
use super::{PriorContent, refusal};
use crate::error::{cause, is_disk_full, is_no_file, more_room, path_of, unreadable, usable_key};
use crate::path::{is_absent, lossy, name_of};
use crate::{Durability, EntryKind, FileMode, Folder, Sealer, is_link_refused, remove_state_file, rename_state_file};
use refdesk_text::{Code, Error};

/// Path of the record in the workspace.
pub(super) const FILE: &str = ".jaato/refdesk/write.json";

/// The path that its seal covers.
const PLACE: &str = "write.json";

/// Size limit in bytes; a larger record counts as damaged.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Renames that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WriteRecord {
    /// In the order they are made; none while the new files are being written.
    pub files: Vec<FileRename>,
    /// Folders created for them, outer ones first.
    pub folders: Vec<PathBuf>,
    /// The folders in which the new files are being written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub staging: Vec<PathBuf>,
}

/// What was found at the record's path.
pub(super) enum StoredRecord {
    Nothing,
    /// A record that this user's refdesk wrote here.
    Own(WriteRecord),
    /// A record from elsewhere.
    Foreign,
    /// A record that is invalid, and why.
    Damaged(String),
    /// A record that cannot be read, so that it must be kept.
    Unreadable(Error),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRename {
    /// Its path, without links. In the file, paths within the workspace are relative to it.
    pub path: PathBuf,
    /// As printed.
    pub shown: String,
    /// The new content, in the same folder.
    pub staged: PathBuf,
    /// The old content, under a second name in the same folder.
    pub old: Option<PathBuf>,
    pub before: PriorContent,
    pub after: PriorContent,
}

/// Progress of a rename.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RenameState {
    /// Not made yet, but still possible.
    Before,
    /// Made.
    After,
    /// The file has changed since, or its new content is gone.
    Neither,
}

impl FileRename {
    pub(crate) fn state(&self) -> RenameState {
        let now = PriorContent::read(&self.path).ok().map(|(now, _)| now);
        if now.as_ref() == Some(&self.after) {
            return RenameState::After;
        }
        let is_staged = || PriorContent::read(&self.staged).is_ok_and(|(staged, _)| staged == self.after);
        if now.as_ref() == Some(&self.before) && is_staged() { RenameState::Before } else { RenameState::Neither }
    }

    /// Makes the rename.
    ///
    /// # Errors
    /// The path now leads elsewhere, or the file system's error.
    pub(crate) fn make(&self, lookup: &mut PathLookup) -> Result<(), Error> {
        // The new content is in the folder that was checked. If another folder has taken its path, the rename fails.
        refusal::check_existing(lookup, &self.path, &self.shown)?;
        let found = lookup.folder(&self.path, &self.shown)?.ok_or_else(|| refusal::moved(&self.shown))?;
        let name = name_of(&self.path);
        let made = match self.before {
            PriorContent::Nothing => found.rename_new(name_of(&self.staged), name),
            PriorContent::File { .. } => found.rename(name_of(&self.staged), name),
        };
        made.map_err(|error| write_failed(&self.shown, &error))
    }

    /// Undoes the rename if it was made and the file has not changed since. Returns whether the old content is back.
    pub(crate) fn undo(&self) -> bool {
        match self.state() {
            RenameState::After => {
                let back = Folder::parent_of_real(&self.path).and_then(|(folder, name)| match &self.old {
                    Some(old) => folder.rename(name_of(old), name),
                    None => folder.remove_file(name),
                });
                back.is_ok()
            }
            RenameState::Before => true,
            RenameState::Neither => PriorContent::read(&self.path).is_ok_and(|(now, _)| now == self.before),
        }
    }
}

impl WriteRecord {
    fn file(workspace: &Path) -> PathBuf {
        workspace.join(FILE)
    }

    pub(crate) fn load(workspace: &Path, sealer: &Sealer) -> StoredRecord {
        let read = Folder::of(workspace, &Self::file(workspace)).and_then(|(folder, name)| folder.read(name, LIMIT));
        match read {
            // The target of a link is not refdesk's; commands report the link itself.
            Err(error) if is_absent(&error) || is_link_refused(&error) => StoredRecord::Nothing,
            Err(error) if is_no_file(&error) => StoredRecord::Damaged(error.to_string()),
            // If not even the folder can be read, nothing is known of a record.
            Err(_) if !Self::exists(workspace) => StoredRecord::Nothing,
            Err(error) => {
                let message = unreadable(&format!("{FILE}, the record of an interrupted write,"), &error);
                StoredRecord::Unreadable(Error::new(Code::Unreadable, message, "make it readable for this user"))
            }
            // After a crash of the machine, since the first record of a write is not synced. No file had changed.
            Ok((bytes, _)) if bytes.is_empty() => StoredRecord::Own(WriteRecord::default()),
            Ok((bytes, _)) => match serde_json::from_slice::<Self>(&bytes) {
                Err(error) => StoredRecord::Damaged(error.to_string()),
                Ok(record) if sealer.verifies(PLACE, &bytes) => {
                    let real = real(workspace);
                    StoredRecord::Own(record.with_paths(|path| real.join(path)))
                }
                Ok(_) => match sealer.check() {
                    Ok(()) => StoredRecord::Foreign,
                    Err(error) => {
                        StoredRecord::Unreadable(Error::new(Code::KeyUnusable, error.to_string(), usable_key(&error)))
                    }
                },
            },
        }
    }

    pub(crate) fn exists(workspace: &Path) -> bool {
        let entry = Folder::of(workspace, &Self::file(workspace)).and_then(|(folder, name)| folder.entry(name));
        entry.is_ok_and(|entry| entry.is_some_and(|entry| entry.kind != EntryKind::Link))
    }

    /// The record of a write to these paths before anything is written.
    pub(crate) fn begun<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let staging: BTreeSet<&Path> = paths.filter_map(Path::parent).collect();
        let missing = |folder: &&'p Path| !folder.exists();
        let folders: BTreeSet<&Path> =
            staging.iter().flat_map(|folder| folder.ancestors().take_while(missing)).collect();
        let owned = |paths: BTreeSet<&Path>| paths.into_iter().map(Path::to_path_buf).collect();
        Self { files: Vec::new(), folders: owned(folders), staging: owned(staging) }
    }

    /// The record with each of its paths changed.
    fn with_paths(&self, change: impl Fn(&Path) -> PathBuf) -> Self {
        let all = |paths: &[PathBuf]| paths.iter().map(|path| change(path)).collect();
        let files = self.files.iter().map(|step| FileRename {
            path: change(&step.path),
            staged: change(&step.staged),
            old: step.old.as_deref().map(&change),
            ..step.clone()
        });
        Self { files: files.collect(), folders: all(&self.folders), staging: all(&self.staging) }
    }

    /// Writes the record. The caller holds the desk's lock.
    ///
    /// # Errors
    /// The file system's error, prefixed with the path.
    pub(crate) fn store(&self, workspace: &Path, sealer: &Sealer, lasting: Durability) -> io::Result<()> {
        // Relative to the workspace, since the path of the workspace may not be UTF-8, which JSON needs.
        let real = real(workspace);
        let relative = self.with_paths(|path| path.strip_prefix(&real).unwrap_or(path).to_path_buf());
        let bytes = sealer.key_or_new()?.sealed(PLACE, &serde_json::to_vec(&relative)?);
        let (folder, name) = Folder::create_parent_of(workspace, &Self::file(workspace))?;
        // The writer holds the lock, so no other process needs the temporary files there.
        folder.sweep()?;
        folder.write(name, &bytes, FileMode::Private, lasting)
    }

    /// Removes the record.
    ///
    /// # Errors
    /// The file system's error.
    pub(crate) fn forget(workspace: &Path) -> io::Result<()> {
        match remove_state_file(&Self::file(workspace)) {
            Err(error) if is_absent(&error) => Ok(()),
            removed => removed,
        }
    }

    /// Renames a damaged record and returns its new path.
    ///
    /// # Errors
    /// The file system's error.
    pub(crate) fn set_aside(workspace: &Path) -> io::Result<PathBuf> {
        let file = Self::file(workspace);
        let aside = file.with_extension("json.damaged");
        rename_state_file(&file, name_of(&aside))?;
        Ok(aside)
    }

    /// Undoes every rename that was made; returns those whose old content could not be restored.
    pub(crate) fn undo(&self) -> Vec<&FileRename> {
        let stuck = self.files.iter().rev().filter(|step| !step.undo()).collect();
        self.remove_temporary();
        remove_folders(&self.folders);
        stuck
    }

    /// Removes the temporary files, and anything else left by dead writers, such as the leader of a batch.
    pub(super) fn remove_temporary(&self) {
        let mut folders: BTreeMap<&Path, Folder> = BTreeMap::new();
        for step in &self.files {
            // The next writer in a folder removes what remains.
            let Ok((folder, _)) = Folder::parent_of_real(&step.path) else { continue };
            for beside in step.old.iter().chain([&step.staged]) {
                let _ = folder.remove_file(name_of(beside));
            }
            folders.extend(step.path.parent().map(|path| (path, folder)));
        }
        folders.extend(self.staging.iter().filter_map(|path| Some((path.as_path(), Folder::real(path).ok()?))));
        for folder in folders.values() {
            let _ = folder.sweep_dead();
        }
    }
}

/// The workspace with links resolved, as in the paths of its files.
pub(super) fn real(workspace: &Path) -> PathBuf {
    fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf())
}

/// Removes created folders that are empty.
pub(super) fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        let _ = Folder::parent_of_real(folder).and_then(|(above, name)| above.remove_folder(name));
    }
}

pub(super) fn write_failed(shown: &str, error: &io::Error) -> Error {
    if is_link_refused(error) {
        return refusal::unreadable(shown, error);
    }
    // The error is about a file to create, or about the first folder to create, so the folder above it exists.
    let folder = path_of(error).and_then(|path| if path.is_dir() { Some(path) } else { path.parent() });
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => match folder {
            Some(folder) => format!("make {} writable", lossy(folder)),
            None => "make its folder writable".to_owned(),
        },
        _ if is_disk_full(error) => more_room(error).to_owned(),
        _ => "nothing was changed; try again".to_owned(),
    };
    // The path in the error is absolute, or that of a temporary file, so only its cause is used.
    Error::new(Code::NotWritten, format!("{shown}: {}", cause(error)), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::with_path;

    #[test]
    fn a_failed_write_names_the_file_and_not_the_temporary_one() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = with_path(Path::new("/w/.refdesk-0123.tmp"), denied);
        let failed = write_failed("x.txt", &error);
        assert_eq!((failed.message.as_str(), failed.fix), ("x.txt: permission denied", "make /w writable".into()));
    }
}
