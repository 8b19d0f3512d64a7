//! Tells whether a screen of a workspace is open: each holds a locked file while it runs, and the kernel releases the lock
//! however it ends. So a screen that is gone is never waited for and leaves nothing to clean up.

use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};

use crate::session::{FOLDER, keep_git_out};
use refdesk_files::{Durability, FileMode, Folder, Staged};

/// Marks a screen as open while this value is held.
#[derive(Debug)]
pub struct Presence {
    _held: Staged,
}

/// Marks a screen of this workspace as open.
///
/// # Errors
/// The file system's error with the path; a link is on the path of the folder.
pub fn attend(workspace: &Path) -> io::Result<Presence> {
    keep_git_out(workspace)?;
    let folder = Folder::root(workspace)?.make(&screens(), FileMode::Private)?;
    folder.sweep_dead()?;
    let process = std::process::id().to_string();
    Ok(Presence { _held: folder.stage("screen", process.as_bytes(), FileMode::Private, Durability::Recreatable)? })
}

/// Whether a screen of this workspace is open. False on file systems without locks.
pub fn is_anybody_there(workspace: &Path) -> bool {
    let Ok(folder) = Folder::root(workspace).and_then(|root| root.below(&screens())) else { return false };
    folder
        .names()
        .unwrap_or_default()
        .iter()
        .any(|name| folder.open(name).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock))))
}

fn screens() -> PathBuf {
    Path::new(FOLDER).join("screens")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_present_while_it_runs() {
        let root = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        assert!(!is_anybody_there(&workspace));
        let (one, two) = (attend(&workspace).unwrap(), attend(&workspace).unwrap());
        assert!(is_anybody_there(&workspace));
        drop(one);
        assert!(is_anybody_there(&workspace));
        drop(two);
        assert!(!is_anybody_there(&workspace));
        assert!(workspace.join(".jaato/refdesk/.gitignore").exists());
    }

    #[test]
    fn the_file_of_a_dead_screen_is_ignored_and_removed_by_the_next() {
        let root = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        let left = workspace.join(screens()).join(".refdesk-dead.tmp");
        refdesk_files::write_atomic(&left, b"1").unwrap();
        assert!(!is_anybody_there(&workspace));
        let _there = attend(&workspace).unwrap();
        assert!(!left.exists() && is_anybody_there(&workspace));
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_links_out_is_refused() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        std::os::unix::fs::symlink(outside.path(), workspace.join(".jaato")).unwrap();
        assert!(attend(&workspace).is_err());
        assert!(!is_anybody_there(&workspace));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
