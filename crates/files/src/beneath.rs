//! Opens a path that was checked for links without following any that appeared since, so that what was allowed is what
//! is read. Also lists the files below an open folder.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::path::slashed;
use super::{EntryKind, Folder, LinkRefused};

/// An opened file or folder.
#[derive(Debug)]
pub enum Opened {
    /// A regular file and its metadata.
    File(File, Metadata),
    /// A folder.
    Folder(Folder),
}

/// A file below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Relative to the folder, with forward slashes.
    pub path: String,
    /// In bytes.
    pub size: u64,
}

/// The files below a folder, in path order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// At most the requested number.
    pub files: Vec<ListedFile>,
    /// Whether there are more.
    pub more: bool,
    /// Number of folders and files that could not be read, or are more than 64 folders deep.
    pub unreadable: usize,
}

/// Maximum depth of a listing: each level keeps a folder open.
const DEEP: usize = 64;

fn is_passed_over(name: &OsStr, path: &Path) -> bool {
    super::walk::is_git(name) || super::walk::is_own(path)
}

/// Whether a listing of `root` skips this resolved path, so that it is not read by name either. Takes resolved paths
/// only; otherwise another spelling of the path would get around it.
pub fn is_kept_back(root: &Path, resolved: &Path) -> bool {
    let Ok(within) = resolved.strip_prefix(root) else { return false };
    let mut path = root.to_path_buf();
    within.components().any(|component| {
        path.push(component);
        is_passed_over(component.as_os_str(), &path)
    })
}

/// Opens the file or folder at an absolute path without links.
///
/// # Errors
/// The file system's error, prefixed with the path; part of the path is a link, or it is neither a file nor a folder.
pub fn open(path: &Path) -> io::Result<Opened> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Folder::real(path).map(Opened::Folder);
    };
    let above = Folder::real(above)?;
    if above.entry(name)?.is_some_and(|entry| entry.kind == EntryKind::Folder) {
        let folder = above.child(name)?;
        // A folder that cannot be listed is an error, not an empty folder.
        return folder.names().map(|_| Opened::Folder(folder));
    }
    let file = above.open(name)?;
    let metadata = file.metadata()?;
    Ok(Opened::File(file, metadata))
}

/// Opens a regular file below a folder that has no links in its path. A link on the way is followed only if it leads to
/// a file in the same folder.
///
/// # Errors
/// The file system's error, prefixed with the path; a link leads out of the folder, or it is not a file.
pub fn open_in(root: &Path, path: &Path) -> io::Result<(File, Metadata)> {
    let opened = match open(path) {
        Err(error) if LinkRefused::is(&error) && path != root => {
            // This only resolves the target: links that appear from here on are refused again.
            match std::fs::canonicalize(path) {
                Ok(real) if real.starts_with(root) => open(&real)?,
                _ => return Err(error),
            }
        }
        opened => opened?,
    };
    match opened {
        Opened::File(file, metadata) => Ok((file, metadata)),
        Opened::Folder(_) => {
            let message = format!("{}: a folder, not a file", path.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

/// An entry that is yet to be visited.
struct PendingEntry {
    folder: Folder,
    name: OsString,
    /// Relative to the listed folder.
    path: PathBuf,
    depth: usize,
}

impl Folder {
    /// The regular files below this folder, hidden ones included; without git's files, refdesk's own files and files
    /// reached only through a link.
    pub fn files(&self, most: usize) -> Listing {
        let mut found = Listing::default();
        let mut due = Vec::new();
        push_entries(self, Path::new(""), 0, &mut due, &mut found);
        while let Some(PendingEntry { folder, name, path, depth }) = due.pop() {
            let Ok(Some(entry)) = folder.entry(&name) else {
                found.unreadable += 1;
                continue;
            };
            match entry.kind {
                EntryKind::Folder | EntryKind::File if is_passed_over(&name, &self.path().join(&path)) => {}
                EntryKind::Folder if depth >= DEEP => found.unreadable += 1,
                EntryKind::Folder => match folder.child(&name) {
                    Ok(inner) => push_entries(&inner, &path, depth + 1, &mut due, &mut found),
                    Err(_) => found.unreadable += 1,
                },
                EntryKind::File if found.files.len() == most => {
                    found.more = true;
                    break;
                }
                EntryKind::File => found.files.push(ListedFile { path: slashed(&path), size: entry.size }),
                EntryKind::Link | EntryKind::Other => {}
            }
        }
        found
    }
}

/// Pushes entries in reverse, so that popping gives path order.
fn push_entries(folder: &Folder, path: &Path, depth: usize, due: &mut Vec<PendingEntry>, found: &mut Listing) {
    let Ok(mut names) = folder.names() else {
        found.unreadable += 1;
        return;
    };
    names.sort_by(|a, b| b.cmp(a));
    due.extend(names.into_iter().map(|name| PendingEntry {
        folder: folder.clone(),
        path: path.join(&name),
        name,
        depth,
    }));
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::super::write_atomic;
    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for file in files {
            write_atomic(&root.join(file), b"12345").unwrap();
        }
        (folder, root)
    }

    #[test]
    fn no_link_is_followed_anywhere_in_the_path() {
        let (_folder, root) = tree(&["real/deep/a.md"]);
        symlink("real", root.join("link")).unwrap();
        symlink("a.md", root.join("real/deep/b.md")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, root.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        for (path, expected) in [
            ("real/deep/a.md", "file"),
            ("real/deep", "folder"),
            ("link", "refused"),
            ("link/deep/a.md", "refused"),
            ("real/deep/b.md", "refused"),
            ("real/deep/a.md/x", "refused"),
            ("real/../real", "refused"),
            ("none", "refused"),
            ("pipe", "refused"),
        ] {
            let told = match open(&root.join(path)) {
                Ok(Opened::File(mut file, metadata)) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    assert_eq!((text.as_str(), metadata.len()), ("12345", 5));
                    "file"
                }
                Ok(Opened::Folder(_)) => "folder",
                Err(_) => "refused",
            };
            assert_eq!(told, expected, "{path}");
        }
        assert!(matches!(open(Path::new("/")), Ok(Opened::Folder(_))));
        assert!(open(Path::new("tmp")).is_err(), "not an absolute one");
    }

    #[test]
    fn a_link_is_followed_only_within_the_folder() {
        let (_folder, root) = tree(&["docs/sub/a.md", "out/secret.md"]);
        let docs = root.join("docs");
        for (target, link) in [
            ("sub", "inner"),
            ("sub/a.md", "again.md"),
            ("again.md", "chain.md"),
            ("../out", "outer"),
            ("../out/secret.md", "leak.md"),
            ("none", "dangling.md"),
        ] {
            symlink(target, docs.join(link)).unwrap();
        }
        for (path, is_read) in [
            ("sub/a.md", true),
            ("inner/a.md", true),
            ("again.md", true),
            ("chain.md", true),
            ("outer/secret.md", false),
            ("leak.md", false),
            ("dangling.md", false),
            ("sub", false),
            ("none.md", false),
        ] {
            assert_eq!(open_in(&docs, &docs.join(path)).is_ok(), is_read, "{path}");
        }
        let file = docs.join("sub/a.md");
        assert!(open_in(&file, &file).is_ok(), "a source that is one file");
        fs::remove_file(&file).unwrap();
        symlink("../../out/secret.md", &file).unwrap();
        assert!(open_in(&file, &file).is_err(), "and became a link");
        fs::rename(&docs, root.join("moved")).unwrap();
        symlink("moved", &docs).unwrap();
        assert!(open_in(&docs, &docs.join("inner")).is_err(), "the folder itself became a link");
    }

    #[test]
    fn files_in_path_order_up_to_so_many() {
        let (_folder, root) = tree(&[
            "b.md",
            "a/z.bin",
            "a.md",
            "a-b.md",
            ".hidden/x",
            ".git/no",
            "a/.git/no",
            ".jaato/refdesk/no",
            ".jaato/kb.md",
        ]);
        symlink("b.md", root.join("again.md")).unwrap();
        symlink("/etc", root.join("out")).unwrap();
        let Opened::Folder(folder) = open(&root).unwrap() else { panic!("a folder") };
        let names = |listing: &Listing| listing.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>();
        let whole = folder.files(100);
        assert_eq!(names(&whole), [".hidden/x", ".jaato/kb.md", "a/z.bin", "a-b.md", "a.md", "b.md"]);
        assert_eq!((whole.more, whole.unreadable, whole.files[0].size), (false, 0, 5));
        let some = folder.files(2);
        assert_eq!((names(&some), some.more), (vec![".hidden/x".to_owned(), ".jaato/kb.md".to_owned()], true));
        assert!(!folder.files(6).more);
    }

    #[test]
    fn skipped_files_cannot_be_read_by_name() {
        for (root, path, expected) in [
            ("/w", "/w/.git/config", true),
            ("/w", "/w/a/.git", true),
            ("/w", "/w/.jaato/refdesk/journal.jsonl", true),
            ("/w/.jaato", "/w/.jaato/refdesk/journal.jsonl", true),
            ("/w", "/w/.jaato/kb.md", false),
            ("/w", "/w/.github/x", false),
            ("/w/.git", "/w/.git/config", false),
            ("/w", "/v/.git/config", false),
        ] {
            assert_eq!(is_kept_back(Path::new(root), Path::new(path)), expected, "{root} {path}");
        }
    }

    #[test]
    fn an_opened_file_stays_the_same() {
        let (_folder, root) = tree(&["kept/a.md", "other/secret.md"]);
        let Opened::Folder(folder) = open(&root.join("kept")).unwrap() else { panic!("a folder") };
        fs::rename(root.join("kept"), root.join("gone")).unwrap();
        symlink("other", root.join("kept")).unwrap();
        assert_eq!(folder.files(9).files, [ListedFile { path: "a.md".to_owned(), size: 5 }]);
        assert!(open(&root.join("kept")).is_err());
    }
}
