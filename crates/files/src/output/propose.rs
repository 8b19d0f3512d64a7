//! What a write would change, and whether the path may be written to.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::lookup::PathLookup;
use super::refusal::{self, WriteTarget};
use super::{PriorContent, Proposal, Scope};
use crate::Folder;
use crate::path::display;
use refdesk_text::Error;
use refdesk_text::escape::one_line;

/// What writing `text` to `path` (relative to `current`) would change; nothing is touched.
///
/// # Errors
/// The path may not be written to.
pub fn propose(workspace: &Path, current: &Path, path: &str, text: &str, scope: Scope) -> Result<Proposal, Error> {
    propose_with(&mut PathLookup::default(), workspace, current, path, text, scope)
}

/// Like [`propose`], for one of many paths, which share a cache of lookups.
///
/// # Errors
/// See [`propose`].
pub fn propose_with(
    lookup: &mut PathLookup,
    workspace: &Path,
    current: &Path,
    path: &str,
    text: &str,
    scope: Scope,
) -> Result<Proposal, Error> {
    let WriteTarget { path, shown, folder } = refusal::write_target(lookup, workspace, current, path, scope)?;
    let mut proposal = compare(folder.as_ref(), path, shown, text.to_owned())?;
    let real = fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
    let written = display(&real, &proposal.path);
    if written != proposal.shown {
        let leads = format!("{} leads to {} by a link: that file would be written", proposal.shown, one_line(&written));
        let note = proposal.diff.note.take().map(|note| format!("; {note}")).unwrap_or_default();
        proposal.diff.note = Some(format!("{leads}{note}"));
    }
    Ok(proposal)
}

/// The proposals that conflict with an earlier one: the indexes of both, and why. Takes linear time.
pub fn conflicts(proposals: &[&Proposal]) -> Vec<(usize, usize, Error)> {
    let mut found = Vec::new();
    // The first proposal for each file, and the first below each folder.
    let mut files: HashMap<&Path, usize> = HashMap::with_capacity(proposals.len());
    let mut folders: HashMap<&Path, usize> = HashMap::new();
    for (at, other) in proposals.iter().enumerate() {
        let above = other.path.ancestors().filter_map(|path| files.get(path));
        let earlier = above.chain(folders.get(other.path.as_path())).min().copied();
        let one = earlier.and_then(|one_at| Some((one_at, proposals.get(one_at)?)));
        if let Some((one_at, refused)) = one.and_then(|(one_at, one)| Some((one_at, refusal::conflict(one, other)?))) {
            found.push((one_at, at, refused));
        }
        files.entry(&other.path).or_insert(at);
        other.path.ancestors().skip(1).for_each(|folder| {
            folders.entry(folder).or_insert(at);
        });
    }
    found
}

/// The same proposal, compared with the current files.
pub(super) fn refresh_proposal(proposal: &Proposal) -> Result<Proposal, Error> {
    let folder = refusal::check_existing(&mut PathLookup::default(), &proposal.path, &proposal.shown)?;
    compare(folder.as_ref(), proposal.path.clone(), proposal.shown.clone(), proposal.text.clone())
}

/// `folder` is the folder of the path; `None` if nothing exists at the path.
fn compare(folder: Option<&Folder>, path: PathBuf, shown: String, text: String) -> Result<Proposal, Error> {
    let (before, old) = PriorContent::read_in(folder, &path).map_err(|error| refusal::unreadable(&shown, &error))?;
    let diff = old.diff(&shown, &text);
    Ok(Proposal { path, shown, text, before, diff })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_atomic;

    #[test]
    fn comparable_content() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        let large = vec![b'x'; usize::try_from(super::super::diff::MAX_COMPARED_BYTES).unwrap() + 1];
        write_atomic(&root.join("text"), b"old\n").unwrap();
        write_atomic(&root.join("binary"), b"\xff\x1b[31m\0").unwrap();
        write_atomic(&root.join("large"), &large).unwrap();
        let propose = |path: &str, text: &str| propose(&root, &root, path, text, Scope::Workspace).unwrap();
        let new = propose("a/new", "x\n");
        assert_eq!((new.before.clone(), new.diff.summary().as_str()), (PriorContent::Nothing, "+1 −0"));
        assert!(!root.join("a").exists(), "nothing is touched");
        assert_eq!(propose("text", "new\n").diff.summary(), "+1 −1");
        let same = propose("text", "old\n");
        assert!(same.is_unchanged() && same.diff.lines.is_empty());
        for (path, why) in [("binary", "binary: 7 bytes"), ("large", "16777217 bytes")] {
            let other = propose(path, "x");
            assert!(!other.is_unchanged());
            assert_eq!(other.diff.unified(), format!("Binary files a/{path} and b/{path} differ\n"));
            assert!(other.diff.note.as_ref().unwrap().contains(why), "{:?}", other.diff.note);
            assert_eq!(other.diff.summary(), "not compared");
        }
    }

    #[test]
    fn two_proposals_for_one_path_are_found() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        std::os::unix::fs::symlink("a", root.join("link")).unwrap();
        let propose = |path: &str| propose(&root, &root, path, "x", Scope::Workspace).unwrap();
        for (paths, expected) in [
            (&["a", "b", "c"][..], &[][..]),
            (&["a", "b", "./x/../a"], &[(0, 2, "same-file")]),
            (&["b", "a", "link"], &[(1, 2, "same-file")]),
            (&["a/b", "a"], &[(0, 1, "file-and-folder")]),
            (&["a", "a/b/c", "a", "b", "b"], &[(0, 1, "file-and-folder"), (0, 2, "same-file"), (3, 4, "same-file")]),
            (&["a", "ab"], &[]),
        ] {
            let proposals: Vec<Proposal> = paths.iter().map(|path| propose(path)).collect();
            let found = conflicts(&proposals.iter().collect::<Vec<_>>());
            let found: Vec<_> =
                found.into_iter().map(|(one, other, refused)| (one, other, refused.code.as_str())).collect();
            assert_eq!(found, expected, "{paths:?}");
        }
    }
}
