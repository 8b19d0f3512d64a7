//! The note of what a write of several files is about to rename, so that whoever comes after a killed writer can finish or
//! undo it. Every file is whole beside its place by then, and so is a second name of what it replaces: from here on there
//! are only renames, forward or back.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Before, refusal};
use crate::path::is_absent;
use crate::{Durability, FileMode, Folder, LinkRefused, Sealer, remove_own, rename_own};
use refdesk_text::Error;

/// Where the note lies, in the workspace.
pub(super) const FILE: &str = ".jaato/refdesk/write.json";

/// What its seal says about where it lies.
const PLACE: &str = "write.json";

/// A larger note is damaged.
const LIMIT: u64 = 64 * 1024 * 1024;

/// Some renames that belong together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WriteRecord {
    /// In the order in which they are made.
    pub files: Vec<FileRename>,
    /// Folders made for them, outer ones first.
    pub folders: Vec<PathBuf>,
}

/// What stands where the note would be.
pub(super) enum Note {
    /// Nothing.
    Nothing,
    /// A note that this user's refdesk wrote here.
    Own(WriteRecord),
    /// One that it did not write.
    Foreign,
    /// Why it cannot be read, in words.
    Damaged(String),
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct FileRename {
    /// Its place, without links.
    pub path: PathBuf,
    /// As printed.
    pub shown: String,
    /// The new content, beside it.
    pub staged: PathBuf,
    /// What stood there before, under a second name beside it.
    pub old: Option<PathBuf>,
    /// What stood there before.
    pub before: Before,
    /// What stands there then.
    pub after: Before,
}

/// How far a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RenameState {
    /// It can be made.
    Before,
    /// It is made.
    After,
    /// Somebody has changed the file since, or its new content is gone.
    Neither,
}

impl FileRename {
    /// How far it is.
    pub fn standing(&self) -> RenameState {
        let now = Before::look(&self.path).ok().map(|(now, _)| now);
        if now.as_ref() == Some(&self.after) {
            return RenameState::After;
        }
        let staged = Before::look(&self.staged).ok().map(|(staged, _)| staged);
        match (now.as_ref() == Some(&self.before), staged.as_ref() == Some(&self.after)) {
            (true, true) => RenameState::Before,
            _ => RenameState::Neither,
        }
    }

    /// Makes it.
    ///
    /// # Errors
    /// The place became another, or what the file system says.
    pub fn make(&self) -> Result<(), Error> {
        // The new content lies in the folder that was looked at. Where another comes to stand there, it is not in that one.
        refusal::still(&self.path, &self.shown)?;
        let made = Folder::of_real(&self.path).and_then(|(folder, name)| match self.before {
            Before::Nothing => folder.rename_new(name_of(&self.staged), name),
            Before::File { .. } => folder.rename(name_of(&self.staged), name),
        });
        made.map_err(|error| unwritten(&self.shown, &error))
    }

    /// Takes it back, if it was made and nobody changed the file since. Whether what stood there before stands there now.
    pub fn take_back(&self) -> bool {
        match self.standing() {
            RenameState::After => {
                let back = Folder::of_real(&self.path).and_then(|(folder, name)| match &self.old {
                    Some(old) => folder.rename(name_of(old), name),
                    None => folder.remove_file(name),
                });
                back.is_ok()
            }
            RenameState::Before => true,
            RenameState::Neither => Before::look(&self.path).is_ok_and(|(now, _)| now == self.before),
        }
    }
}

impl WriteRecord {
    fn file(workspace: &Path) -> PathBuf {
        workspace.join(FILE)
    }

    /// The note that lies in a workspace.
    pub fn load(workspace: &Path, sealer: &Sealer) -> Note {
        let read = Folder::of(workspace, &Self::file(workspace)).and_then(|(folder, name)| folder.read(name, LIMIT));
        match read {
            Err(error) if is_absent(&error) => Note::Nothing,
            Err(error) => Note::Damaged(error.to_string()),
            Ok((bytes, _)) => match serde_json::from_slice(&bytes) {
                Err(error) => Note::Damaged(error.to_string()),
                Ok(record) if sealer.verifies(PLACE, &bytes) => Note::Own(record),
                Ok(_) => Note::Foreign,
            },
        }
    }

    /// Whether a note lies there.
    pub fn exists(workspace: &Path) -> bool {
        fs::symlink_metadata(Self::file(workspace)).is_ok()
    }

    /// Notes it down. The caller holds the desk's lock.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn store(&self, workspace: &Path, sealer: &Sealer) -> io::Result<()> {
        let bytes = sealer.key_or_new()?.sealed(PLACE, &serde_json::to_vec(self)?);
        let (folder, name) = Folder::made_of(workspace, &Self::file(workspace), FileMode::Private)?;
        // The writer holds the lock, so what others left unfinished there they will never finish.
        folder.sweep()?;
        folder.write(name, &bytes, FileMode::Private, Durability::SurvivesCrash)
    }

    /// Takes the note away.
    ///
    /// # Errors
    /// What the file system says.
    pub fn forget(workspace: &Path) -> io::Result<()> {
        match remove_own(&Self::file(workspace)) {
            Err(error) if is_absent(&error) => Ok(()),
            removed => removed,
        }
    }

    /// Sets a damaged note aside; where it lies then.
    ///
    /// # Errors
    /// What the file system says.
    pub fn set_aside(workspace: &Path) -> io::Result<PathBuf> {
        let file = Self::file(workspace);
        let aside = file.with_extension("json.damaged");
        rename_own(&file, name_of(&aside))?;
        Ok(aside)
    }

    /// Takes every step back that was made; those whose file is not what it was before.
    pub fn take_back(&self) -> Vec<&FileRename> {
        let stuck = self.files.iter().rev().filter(|step| !step.take_back()).collect();
        self.tidy();
        remove_folders(&self.folders);
        stuck
    }

    /// Removes what lies beside the files and is needed no more.
    pub fn tidy(&self) {
        for step in &self.files {
            // What is not removed now is removed by whoever writes in that folder next.
            let Ok((folder, _)) = Folder::of_real(&step.path) else { continue };
            for beside in step.old.iter().chain([&step.staged]) {
                let _ = folder.remove_file(name_of(beside));
            }
        }
    }
}

/// The name of a file that lies beside another: only its name counts.
fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// Removes folders that were made for nothing; one that somebody put something into stays.
pub(super) fn remove_folders(made: &[PathBuf]) {
    for folder in made.iter().rev() {
        let _ = Folder::of_real(folder).and_then(|(above, name)| above.remove_folder(name));
    }
}

/// What the file system said about a file.
pub(super) fn unwritten(shown: &str, error: &io::Error) -> Error {
    if LinkRefused::is(error) {
        return refusal::unreadable(shown, error);
    }
    let hint = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "make its folder writable",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => "make room",
        _ => "nothing was changed; try again",
    };
    // The error begins with the absolute path, which says no more than the one that was asked for.
    let said = error.to_string();
    let said = said.rsplit_once(&format!("{shown}: ")).map_or(&*said, |(_, said)| said);
    refusal::refused("not-written", format!("{shown}: {said}"), hint)
}
