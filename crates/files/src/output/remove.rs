//! Removes obsolete files. Like a write, a removal is proposed first, and refused if the file has changed since.

use std::fs;
use std::path::Path;

use super::record::write_failed;
use super::refusal::check_location;
use super::write::{check_unchanged, hold};
use super::{Proposal, Scope, WriteFailure, propose, resolve};
use crate::Folder;
use crate::path::display;
use refdesk_text::Error;
use refdesk_text::escape::one_line;

/// What removing a file would change; nothing is touched.
///
/// # Errors
/// The path may not be changed.
pub fn propose_removal(workspace: &Path, current: &Path, path: &str, scope: Scope) -> Result<Proposal, Error> {
    let proposal = propose(workspace, current, path, "", scope)?;
    Ok(Proposal { diff: proposal.diff.clone().without_file(), ..proposal })
}

/// Like [`propose_removal`], but if the path is a link, it is removed instead of the file it leads to.
///
/// # Errors
/// The path may not be changed.
pub fn propose_unlinking(workspace: &Path, current: &Path, path: &str, scope: Scope) -> Result<Proposal, Error> {
    let asked = workspace.join(current).join(path);
    let (true, Some(above), Some(name)) = (asked.is_symlink(), asked.parent(), asked.file_name()) else {
        return propose_removal(workspace, current, path, scope);
    };
    // The target stays as it is, so it may be anywhere.
    let mut proposal = propose_removal(workspace, current, path, Scope::Anywhere)?;
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let (workspace, link) = (real(workspace), real(above).join(name));
    proposal.diff.note =
        Some(format!("only the link is removed: {} stays", one_line(&display(&workspace, &proposal.path))));
    if Path::new(path).is_absolute() {
        proposal = proposal.called(display(&workspace, &link));
    }
    check_location(&workspace, &link, &proposal.shown, scope)?;
    Ok(Proposal { path: link, ..proposal })
}

/// Removes a file, and up to `folders` folders above it if they are then empty.
///
/// # Errors
/// The file has changed since the proposal, or cannot be removed.
pub fn remove(proposal: &Proposal, folders: usize) -> Result<(), WriteFailure> {
    let _held = hold(&[proposal])?;
    // The content shown for a link is that of its target.
    let target = resolve(&proposal.path).unwrap_or_else(|_| proposal.path.clone());
    check_unchanged(&[Proposal { path: target, ..proposal.clone() }])?;
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
    fn of_a_link_only_the_link_is_removed() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let [root, outside] = [&root, &outside].map(|folder| fs::canonicalize(folder.path()).unwrap());
        let (inner, outer) = (root.join("shared/x"), outside.join("x"));
        for target in [&inner, &outer] {
            write_atomic(target, b"x\n").unwrap();
            let link = root.join("link");
            std::os::unix::fs::symlink(target, &link).unwrap();
            let proposal = propose_unlinking(&root, &root, "link", Scope::Workspace).unwrap();
            assert_eq!(proposal.diff.unified(), "--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n");
            let note = format!("only the link is removed: {} stays", display(&root, target));
            assert_eq!(proposal.diff.note, Some(note));
            // A file with other content took the link's place.
            fs::remove_file(&link).unwrap();
            write_atomic(&link, b"new\n").unwrap();
            assert_eq!(remove(&proposal, 0).unwrap_err().refused.code, Code::Changed);
            fs::remove_file(&link).unwrap();
            std::os::unix::fs::symlink(target, &link).unwrap();
            remove(&proposal, 0).unwrap();
            assert!(!link.is_symlink() && target.is_file(), "{}", target.display());
        }
        let link = outside.join("link");
        std::os::unix::fs::symlink(&inner, &link).unwrap();
        let propose = |scope| propose_unlinking(&root, &root, link.to_str().unwrap(), scope);
        assert_eq!(propose(Scope::Workspace).unwrap_err().code, Code::Outside);
        assert_eq!(propose(Scope::Anywhere).unwrap().shown, link.to_str().unwrap());
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
