//! Opening what lies at a path of which somebody has made sure already that no link is in it: name by name from the root of the
//! file system, following no link. What became a link in between is refused, so what was allowed and what is read are one.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// What stands at a path.
#[derive(Debug)]
pub enum Opened {
    /// A regular file, and what is known of it.
    File(File, Metadata),
    /// A folder.
    Folder(Folder),
}

/// A file below a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Below {
    /// From the folder on, with forward slashes.
    pub path: String,
    /// In bytes.
    pub size: u64,
}

/// The files below a folder, in path order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// At most so many as were asked for.
    pub files: Vec<Below>,
    /// There are more.
    pub more: bool,
    /// Folders and files that could not be looked at, or lie deeper than 64 folders.
    pub unreadable: usize,
}

/// Folders of a listing within one another: each is held open while those in it are looked at.
const DEEP: usize = 64;

fn is_passed_over(name: &OsStr, path: &Path) -> bool {
    name == ".git" || super::walk::is_own(path)
}

/// Whether what lies at a resolved path below a folder is passed over there by a listing, and so is not read by its name either.
/// Of a resolved path only: another spelling of it is no way around.
pub fn is_kept_back(root: &Path, resolved: &Path) -> bool {
    let Ok(within) = resolved.strip_prefix(root) else { return false };
    let mut path = root.to_path_buf();
    within.components().any(|component| {
        path.push(component);
        is_passed_over(component.as_os_str(), &path)
    })
}

fn irregular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

#[cfg(unix)]
pub use unix::{Folder, open};

#[cfg(unix)]
mod unix {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Component, Path, PathBuf};
    use std::rc::Rc;

    use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, openat, statat};

    use super::super::path::slashed;
    use super::{Below, DEEP, Listing, Opened, irregular, is_passed_over};

    /// An open folder: it stays the same one, whatever comes to stand at its path.
    #[derive(Debug)]
    pub struct Folder {
        folder: OwnedFd,
        path: PathBuf,
    }

    /// Passing through asks for less than reading does: `/home` may be closed to who looks at what is in it.
    #[cfg(target_os = "linux")]
    const THROUGH: OFlags = OFlags::PATH;
    #[cfg(not(target_os = "linux"))]
    const THROUGH: OFlags = OFlags::RDONLY;

    const FOLDER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

    /// Without waiting for whoever writes to a pipe, and without becoming the terminal's own.
    const FILE: OFlags =
        OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

    /// Opens what stands at an absolute path without links.
    ///
    /// # Errors
    /// What the file system says; there is a link in it, or neither a file nor a folder at its end.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let mut names = Vec::new();
        if !path.is_absolute() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an absolute path"));
        }
        for component in path.components() {
            match component {
                Component::RootDir => {}
                Component::Normal(name) => names.push(name),
                _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "not an absolute path without dots")),
            }
        }
        let Some((last, above)) = names.split_last() else {
            let folder = openat(CWD, "/", FOLDER | OFlags::RDONLY, Mode::empty())?;
            return Ok(Opened::Folder(Folder { folder, path: path.to_path_buf() }));
        };
        let mut folder = openat(CWD, "/", FOLDER | THROUGH, Mode::empty())?;
        for name in above {
            folder = openat(&folder, *name, FOLDER | THROUGH, Mode::empty())?;
        }
        // Opening is asked only of what may be opened: a device could do something then.
        match FileType::from_raw_mode(statat(&folder, *last, AtFlags::SYMLINK_NOFOLLOW)?.st_mode) {
            FileType::Directory => {
                let folder = openat(&folder, *last, FOLDER | OFlags::RDONLY, Mode::empty())?;
                Ok(Opened::Folder(Folder { folder, path: path.to_path_buf() }))
            }
            FileType::RegularFile => {
                let file = File::from(openat(&folder, *last, FILE, Mode::empty())?);
                let metadata = file.metadata()?;
                if metadata.is_file() { Ok(Opened::File(file, metadata)) } else { Err(irregular()) }
            }
            FileType::Symlink => Err(io::Error::new(io::ErrorKind::InvalidInput, "it became a link")),
            _ => Err(irregular()),
        }
    }

    /// An entry that is still to be looked at.
    struct Entry {
        folder: Rc<OwnedFd>,
        name: OsString,
        /// From the folder on where the listing began.
        path: PathBuf,
        depth: usize,
    }

    impl Folder {
        /// The regular files below it, hidden ones included; not what git keeps, nor what refdesk writes by itself, nor what
        /// only a link leads to.
        pub fn files(&self, most: usize) -> Listing {
            let mut found = Listing::default();
            let mut open = Vec::new();
            match self.folder.try_clone() {
                Ok(folder) => push_entries(&Rc::new(folder), Path::new(""), 0, &mut open, &mut found),
                Err(_) => found.unreadable += 1,
            }
            while let Some(entry) = open.pop() {
                let Ok(stat) = statat(&*entry.folder, &*entry.name, AtFlags::SYMLINK_NOFOLLOW) else {
                    found.unreadable += 1;
                    continue;
                };
                match FileType::from_raw_mode(stat.st_mode) {
                    FileType::Directory | FileType::RegularFile
                        if is_passed_over(&entry.name, &self.path.join(&entry.path)) => {}
                    FileType::Directory if entry.depth >= DEEP => found.unreadable += 1,
                    FileType::Directory => {
                        match openat(&*entry.folder, &*entry.name, FOLDER | OFlags::RDONLY, Mode::empty()) {
                            Ok(inner) => {
                                push_entries(&Rc::new(inner), &entry.path, entry.depth + 1, &mut open, &mut found);
                            }
                            Err(_) => found.unreadable += 1,
                        }
                    }
                    FileType::RegularFile if found.files.len() == most => {
                        found.more = true;
                        break;
                    }
                    FileType::RegularFile => {
                        let size = u64::try_from(stat.st_size).unwrap_or(0);
                        found.files.push(Below { path: slashed(&entry.path), size });
                    }
                    _ => {}
                }
            }
            found
        }
    }

    /// The next one last, which keeps path order.
    fn push_entries(folder: &Rc<OwnedFd>, path: &Path, depth: usize, open: &mut Vec<Entry>, found: &mut Listing) {
        let Ok(entries) = Dir::read_from(folder.as_fd()) else {
            found.unreadable += 1;
            return;
        };
        let from = open.len();
        for entry in entries {
            let Ok(entry) = entry else {
                found.unreadable += 1;
                break;
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes()).to_os_string();
            if name != "." && name != ".." {
                let path = path.join(&name);
                open.push(Entry { folder: folder.clone(), name, path, depth });
            }
        }
        if let Some(new) = open.get_mut(from..) {
            new.sort_by(|a, b| b.name.cmp(&a.name));
        }
    }
}

#[cfg(not(unix))]
pub use plain::{Folder, open};

/// Where folders cannot be held open: what stands there is looked at once more after it was opened.
#[cfg(not(unix))]
mod plain {
    use std::fs;
    use std::io;
    use std::path::{Path, PathBuf};

    use super::super::path::slashed;
    use super::super::walk::{Limits, files_below};
    use super::{Below, Listing, Opened, irregular};

    /// A folder by its path.
    #[derive(Debug)]
    pub struct Folder {
        path: PathBuf,
    }

    /// Opens what stands at an absolute path without links.
    ///
    /// # Errors
    /// What the file system says; there is a link in it, or neither a file nor a folder at its end.
    pub fn open(path: &Path) -> io::Result<Opened> {
        let opened = if fs::symlink_metadata(path)?.is_dir() {
            Opened::Folder(Folder { path: path.to_path_buf() })
        } else {
            let file = fs::File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(irregular());
            }
            Opened::File(file, metadata)
        };
        if fs::canonicalize(path)? != path {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it became a link"));
        }
        Ok(opened)
    }

    impl Folder {
        /// The regular files below it, as [`files_below`] comes to them.
        pub fn files(&self, most: usize) -> Listing {
            let limits = Limits { files: most.saturating_add(1), bytes: u64::MAX };
            let (mut found, problems) = files_below(&self.path, limits, |_| true);
            let more = found.len() > most;
            found.truncate(most);
            let below = |path: &Path| slashed(path.strip_prefix(&self.path).unwrap_or(path));
            let files = found.iter().map(|found| Below { path: below(&found.path), size: found.size }).collect();
            Listing { files, more, unreadable: problems.len() }
        }
    }
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
    fn no_link_is_followed_wherever_it_stands() {
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
    fn what_a_listing_passes_over_is_kept_back_by_name() {
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
    fn what_was_opened_stays_what_it_was() {
        let (_folder, root) = tree(&["kept/a.md", "other/secret.md"]);
        let Opened::Folder(folder) = open(&root.join("kept")).unwrap() else { panic!("a folder") };
        fs::rename(root.join("kept"), root.join("gone")).unwrap();
        symlink("other", root.join("kept")).unwrap();
        assert_eq!(folder.files(9).files, [Below { path: "a.md".to_owned(), size: 5 }]);
        assert!(open(&root.join("kept")).is_err());
    }
}
