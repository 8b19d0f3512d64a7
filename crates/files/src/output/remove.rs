//! Removes obsolete files. Like a write, a removal is proposed first, and refused if the file has changed since.

use std::path::Path;

use super::record::write_failed;
use super::write::{check_unchanged, hold};
use super::{Proposal, Scope, WriteFailure, propose};
use crate::Folder;
use refdesk_text::Error;

/// What removing a file would change; nothing is touched.
///
/// # Errors
/// The path may not be changed.
pub fn propose_removal(workspace: &Path, current: &Path, path: &str, scope: Scope) -> Result<Proposal, Error> {
    let proposal = propose(workspace, current, path, "", scope)?;
    Ok(Proposal { diff: proposal.diff.clone().without_file(), ..proposal })
}

/// Removes a file, and up to `folders` folders above it if they are then empty.
///
/// # Errors
/// The file has changed since the proposal, or cannot be removed.
pub fn remove(proposal: &Proposal, folders: usize) -> Result<(), WriteFailure> {
    let _held = hold(&[proposal])?;
    check_unchanged(std::slice::from_ref(proposal))?;
    let removed = Folder::parent_of_real(&proposal.path).and_then(|(folder, name)| folder.remove_file(name));
    removed.map_err(|error| write_failed(&proposal.shown, &error))?;
    remove_empty_folders(&proposal.path, folders);
    Ok(())
}

/// Removes up to this many empty folders above a removed file, and stops at the first one with content.
pub fn remove_empty_folders(path: &Path, folders: usize) {
    // Files left by a killed writer do not count as content.
    let _ = path.parent().map(|folder| Folder::real(folder).and_then(|folder| folder.sweep_dead()));
    for folder in path.ancestors().skip(1).take(folders) {
        if Folder::parent_of_real(folder).and_then(|(above, name)| above.remove_folder(name)).is_err() {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::write_atomic;
    use refdesk_text::Code;

    #[test]
    fn removing_a_file_removes_folders_left_empty() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let put = |path: &str| write_atomic(&root.join(path), b"x\n").unwrap();
        let propose = |path: &str| propose_removal(&root, &root, path, Scope::Workspace).unwrap();
        for (beside, folders, left) in [(None, 2, "."), (None, 1, "a"), (None, 0, "a/b"), (Some("a/y"), 2, "a")] {
            put("a/b/x");
            put("a/b/.refdesk-0123456789abcdef.tmp");
            beside.iter().for_each(|path| put(path));
            let proposal = propose("a/b/x");
            assert_eq!(proposal.diff.unified(), "--- a/a/b/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
            remove(&proposal, folders).unwrap();
            let deepest = ["a/b", "a", "."].into_iter().find(|folder| root.join(folder).exists());
            assert_eq!(deepest, Some(left));
            let _ = fs::remove_dir_all(root.join("a"));
        }
    }

    #[test]
    fn a_file_changed_since_is_not_removed() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        write_atomic(&root.join("x"), b"old\n").unwrap();
        let proposal = propose_removal(&root, &root, "x", Scope::Workspace).unwrap();
        write_atomic(&root.join("x"), b"new\n").unwrap();
        assert_eq!(remove(&proposal, 1).unwrap_err().refused.code, Code::Changed);
        assert_eq!(fs::read(root.join("x")).unwrap(), b"new\n");
    }
}
