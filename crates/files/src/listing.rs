//! Names of folders that hold many of the files somebody asks for: one listing instead of a system call for each file,
//! which with ten thousand files takes a sixth of the time.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// So many files of a folder are looked at one by one before it is listed.
const FEW: usize = 16;

/// Folders with more entries are not listed to the end.
const MOST: usize = 8_192;

/// The regular files of some folders.
#[derive(Debug, Default)]
pub struct FolderListings {
    folders: RwLock<HashMap<PathBuf, Arc<Listing>>>,
}

#[derive(Debug, Default)]
struct Listing {
    asked: AtomicUsize,
    /// `None` if there are too many, or it cannot be read.
    files: OnceLock<Option<HashSet<OsString>>>,
}

impl FolderListings {
    /// Whether a listing shows a regular file at this path, which is no link. Otherwise only the file system knows.
    pub fn shows_file(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let Some(listing) = self.listing(folder) else { return false };
        if listing.asked.fetch_add(1, Ordering::Relaxed) < FEW {
            return false;
        }
        let files = listing.files.get_or_init(|| files_of(folder).ok().flatten());
        files.as_ref().is_some_and(|files| files.contains(name))
    }

    fn listing(&self, folder: &Path) -> Option<Arc<Listing>> {
        if let Some(known) = self.folders.read().ok()?.get(folder) {
            return Some(known.clone());
        }
        Some(self.folders.write().ok()?.entry(folder.to_path_buf()).or_default().clone())
    }
}

/// The names of the regular files of a folder; `None` if it has more entries than are read.
fn files_of(folder: &Path) -> io::Result<Option<HashSet<OsString>>> {
    let mut files = HashSet::new();
    for (at, entry) in fs::read_dir(folder)?.enumerate() {
        if at >= MOST {
            return Ok(None);
        }
        let entry = entry?;
        if entry.file_type()?.is_file() {
            files.insert(entry.file_name());
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
        crate::write_atomic(&at("a.md"), b"a").unwrap();
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("a.md"), at("link.md")).unwrap();
        let listings = FolderListings::default();
        for _ in 0..FEW {
            assert!(!listings.shows_file(&at("a.md")), "too few to list the folder");
        }
        for (name, expected) in [("a.md", true), ("none.md", false), ("folder", false), ("link.md", false)] {
            assert_eq!(listings.shows_file(&at(name)), expected, "{name}");
        }
        for at in 0..2 * FEW {
            assert!(!listings.shows_file(Path::new("/does/not/exist/a.md")), "{at}");
        }
        assert!(!listings.shows_file(Path::new("/")));
    }
}
