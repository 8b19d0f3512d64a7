//! Walking below a folder, in path order, until a limit is reached. A symbolic link is followed only to a file inside the
//! same tree that the walk would not come to by itself: so nothing is read twice, and no link leads out or round in circles.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where refdesk keeps what lasts, and where it writes templates out of documents (BEHAVIOUR §6, §9).
const OWN: [&str; 2] = [".jaato/refdesk", ".jaato/templates"];

/// Whether refdesk writes into this folder by itself.
pub fn is_own(folder: &Path) -> bool {
    OWN.iter().any(|own| folder.ends_with(own))
}

/// How far a walk goes.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files found at most.
    pub files: usize,
    /// Their bytes together at most.
    pub bytes: u64,
}

/// A file that the walk came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// As the walk came to it: the root as given, then the names below it.
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
}

/// What a walk could not do.
#[derive(Debug)]
pub enum Problem {
    /// A folder or file that cannot be looked into.
    Unreadable(PathBuf, io::Error),
    /// There are more files than the limit; the rest was left out.
    TooManyFiles,
    /// The files have more bytes than the limit; the rest was left out.
    TooManyBytes,
}

/// The files whose names are `wanted` below `root`, in path order, hidden ones included; the folders of git and those that
/// refdesk writes into by itself are not, unless `root` is one: what is chosen must not follow from what was chosen before.
pub fn files_below(root: &Path, limits: Limits, wanted: impl Fn(&OsStr) -> bool) -> (Vec<Found>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut bytes = 0u64;
    let mut linked = HashSet::new();
    // Entries still to be looked at, the next one last; a folder is opened when its turn comes, which keeps path order.
    let mut open = Vec::new();
    let real_root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    push_entries(root, &mut open, &mut problems);
    while let Some((path, kind)) = open.pop() {
        let name = path.file_name().unwrap_or_default();
        if kind.is_dir() {
            if name != ".git" && !is_own(&path) {
                push_entries(&path, &mut open, &mut problems);
            }
            continue;
        }
        if !wanted(name) {
            continue;
        }
        if kind.is_symlink() {
            match fs::canonicalize(&path) {
                Ok(real) if leads_to_something_new(&real, &real_root, &wanted) && linked.insert(real.clone()) => {}
                _ => continue,
            }
        } else if !kind.is_file() {
            continue;
        }
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                if found.len() >= limits.files {
                    problems.push(Problem::TooManyFiles);
                    break;
                }
                bytes = bytes.saturating_add(metadata.len());
                if bytes > limits.bytes {
                    problems.push(Problem::TooManyBytes);
                    break;
                }
                found.push(Found { path, size: metadata.len() });
            }
            Ok(_) => {}
            Err(error) => problems.push(Problem::Unreadable(path, error)),
        }
    }
    (found, problems)
}

/// A link's target inside the tree that the walk will not find under its own name.
fn leads_to_something_new(real: &Path, real_root: &Path, wanted: impl Fn(&OsStr) -> bool) -> bool {
    let Ok(inside) = real.strip_prefix(real_root) else { return false };
    if real.ancestors().take_while(|folder| *folder != real_root).any(is_own) {
        return false;
    }
    let hidden_from_walk = inside.components().any(|component| component.as_os_str() == ".git");
    hidden_from_walk || !inside.file_name().is_some_and(wanted)
}

fn push_entries(folder: &Path, open: &mut Vec<(PathBuf, fs::FileType)>, problems: &mut Vec<Problem>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(Problem::Unreadable(folder.to_path_buf(), error));
            return;
        }
    };
    let from = open.len();
    for entry in entries {
        match entry.and_then(|entry| entry.file_type().map(|kind| (entry.path(), kind))) {
            Ok(entry) => open.push(entry),
            Err(error) => problems.push(Problem::Unreadable(folder.to_path_buf(), error)),
        }
    }
    if let Some(new) = open.get_mut(from..) {
        new.sort_by(|a, b| b.0.file_name().cmp(&a.0.file_name()));
    }
}

#[cfg(test)]
mod tests {
    use super::super::write_atomic;
    use super::*;

    const NO_LIMITS: Limits = Limits { files: usize::MAX, bytes: u64::MAX };

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            write_atomic(&root.path().join(file), b"12345").unwrap();
        }
        root
    }

    fn names(root: &Path, limits: Limits) -> (Vec<String>, Vec<Problem>) {
        let (found, problems) = files_below(root, limits, |name| name.to_string_lossy().ends_with(".md"));
        let relative = |found: Found| found.path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        (found.into_iter().map(relative).collect(), problems)
    }

    #[test]
    fn path_order_with_hidden_files_and_without_git() {
        let root = tree(&["b.md", "a/z.md", "a.md", "a-b.md", ".hidden/x.md", ".git/no.md", "a/.git/no.md", "c.txt"]);
        let (found, problems) = names(root.path(), NO_LIMITS);
        assert_eq!(found, [".hidden/x.md", "a/z.md", "a-b.md", "a.md", "b.md"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn what_refdesk_keeps_is_no_document() {
        let own = [".jaato/refdesk/x.md", ".jaato/refdesk/desks/y.md", ".jaato/templates/t.md"];
        let root = tree(&[&own[..], &["a.md", ".jaato/kb.md", "refdesk/z.md"]].concat());
        assert_eq!(names(&root.path().join(".jaato/templates"), NO_LIMITS).0, ["t.md"]);
        assert_eq!(names(root.path(), NO_LIMITS).0, [".jaato/kb.md", "a.md", "refdesk/z.md"]);
        assert_eq!(names(&root.path().join(".jaato"), NO_LIMITS).0, ["kb.md"]);
    }

    #[test]
    fn a_limit_stops_the_walk_and_is_said() {
        let root = tree(&["a.md", "b.md", "c.md"]);
        let (found, problems) = names(root.path(), Limits { files: 2, bytes: 100 });
        assert_eq!(found, ["a.md", "b.md"]);
        assert!(matches!(problems[..], [Problem::TooManyFiles]));
        let (found, problems) = names(root.path(), Limits { files: 9, bytes: 9 });
        assert_eq!(found, ["a.md"]);
        assert!(matches!(problems[..], [Problem::TooManyBytes]));
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_inside_and_give_nothing_twice() {
        use std::os::unix::fs::symlink;
        let outside = tree(&["secret.md"]);
        let root = tree(&["real.md", "data.bin", "sub/x.md"]);
        let at = |name: &str| root.path().join(name);
        symlink(outside.path().join("secret.md"), at("leak.md")).unwrap();
        symlink(outside.path(), at("leak")).unwrap();
        symlink(at("real.md"), at("again.md")).unwrap();
        symlink(at("data.bin"), at("data.md")).unwrap();
        symlink(at("data.bin"), at("data2.md")).unwrap();
        symlink(root.path(), at("sub/loop")).unwrap();
        symlink(at("loop.md"), at("loop.md")).unwrap();
        assert_eq!(names(root.path(), NO_LIMITS).0, ["data.md", "real.md", "sub/x.md"]);
    }
}
