//! Listings of folders that contain many of the requested files: one listing instead of a system call for each file,
//! which with ten thousand files takes a sixth of the time.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// How many files of a folder are checked one by one before it is listed.
const FEW: usize = 4;

/// Folders with more entries are not listed to the end.
const MOST: usize = 8_192;

/// The regular files of some folders.
#[derive(Debug, Default)]
pub struct FolderListings {
    /// Keyed by the bytes of the path.
    folders: RwLock<HashMap<OsString, Arc<Listing>>>,
}

#[derive(Debug, Default)]
struct Listing {
    asked: AtomicUsize,
    /// `None` if it must not be listed, there are too many, or it cannot be read.
    files: OnceLock<Option<HashSet<OsString>>>,
}

impl FolderListings {
    /// Whether a listing shows a regular file at this clean path, which is neither a link nor hidden. Otherwise only the
    /// file system knows. `may_list` is asked once for each folder.
    pub fn shows_file(&self, path: &Path, may_list: impl FnOnce(&Path) -> bool) -> bool {
        let Some((folder, name)) = split(path) else { return false };
        let Some(listing) = self.listing(folder) else { return false };
        let files = listing.files.get().or_else(|| {
            let is_asked_often = listing.asked.fetch_add(1, Ordering::Relaxed) >= FEW;
            let list = || may_list(folder).then(|| files_of(folder).ok().flatten()).flatten();
            is_asked_often.then(|| listing.files.get_or_init(list))
        });
        files.and_then(Option::as_ref).is_some_and(|files| files.contains(name))
    }

    fn listing(&self, folder: &Path) -> Option<Arc<Listing>> {
        if let Some(known) = self.folders.read().ok()?.get(folder.as_os_str()) {
            return Some(known.clone());
        }
        Some(self.folders.write().ok()?.entry(folder.as_os_str().to_owned()).or_default().clone())
    }
}

/// The folder of a path and the name in it.
#[cfg(unix)]
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;

    let path = path.as_os_str().as_bytes();
    let at = path.iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0)?;
    Some((Path::new(OsStr::from_bytes(path.get(..at)?)), OsStr::from_bytes(path.get(at + 1..)?)))
}

/// The folder of a path and the name in it.
#[cfg(not(unix))]
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((path.parent()?, path.file_name()?))
}

/// The names of the regular files of a folder that are not hidden; `None` if it has more entries than are read.
fn files_of(folder: &Path) -> io::Result<Option<HashSet<OsString>>> {
    let mut files = HashSet::new();
    for (at, entry) in fs::read_dir(folder)?.enumerate() {
        if at >= MOST {
            return Ok(None);
        }
        let entry = entry?;
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(b".") && entry.file_type()?.is_file() {
            files.insert(name);
        }
    }
    Ok(Some(files))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_regular_files_of_folders_that_are_asked_about_often() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in ["a.md", ".b.md"] {
            crate::write_atomic(&at(name), b"a").unwrap();
        }
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("a.md"), at("link.md")).unwrap();
        let (listings, refused) = (FolderListings::default(), FolderListings::default());
        for _ in 0..FEW {
            assert!(!listings.shows_file(&at("a.md"), |_| true), "too few to list the folder");
        }
        for (name, expected) in
            [("a.md", true), ("none.md", false), ("folder", false), ("link.md", false), (".b.md", false)]
        {
            assert_eq!(listings.shows_file(&at(name), |folder| folder == root.path()), expected, "{name}");
        }
        for nth in 0..2 * FEW {
            assert!(!listings.shows_file(Path::new("/does/not/exist/a.md"), |_| true), "{nth}");
            assert!(!refused.shows_file(&at("a.md"), |_| false), "{nth}");
        }
        assert!(!listings.shows_file(Path::new("/"), |_| true));
    }
}
