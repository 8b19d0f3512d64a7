//! Listings of folders that contain many of the requested files: one listing instead of a system call per file takes a
//! sixth of the time for ten thousand files.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, RwLock};

/// Pairs of the number of files looked up one by one before the folder is listed, and the most entries of that listing.
/// A larger folder is tried again once enough of its files were looked up to make a longer listing worthwhile.
const ATTEMPTS: [(usize, usize); 3] = [(4, 8_192), (2_048, 65_536), (16_384, 1_048_576)];

/// The regular files of some folders.
#[derive(Debug, Default)]
pub struct FolderListings {
    /// Keyed by the bytes of the path.
    folders: RwLock<HashMap<OsString, Arc<Listing>>>,
}

#[derive(Debug, Default)]
struct Listing {
    asked: AtomicUsize,
    /// The result of each attempt; `None` if the folder must not be listed, has too many entries, or cannot be read.
    attempts: [OnceLock<Option<HashSet<OsString>>>; ATTEMPTS.len()],
}

impl Listing {
    /// The files, if an attempt has listed them.
    fn files(&self) -> Option<&HashSet<OsString>> {
        self.attempts.iter().find_map(|attempt| attempt.get()?.as_ref())
    }
}

impl FolderListings {
    /// Whether a listing contains a regular file at this clean path, neither a link nor hidden. If not, ask the file
    /// system. `may_list` is called once per listing of the folder.
    pub fn shows_file(&self, path: &Path, may_list: impl FnOnce(&Path) -> bool) -> bool {
        let Some((folder, name)) = split(path) else { return false };
        let Some(listing) = self.listing(folder) else { return false };
        let files = listing.files().or_else(|| {
            let asked = listing.asked.fetch_add(1, Ordering::Relaxed);
            let (attempt, (_, most)) =
                listing.attempts.iter().zip(ATTEMPTS).rfind(|(_, (least, _))| asked >= *least)?;
            let list = || may_list(folder).then(|| files_of(folder, most).ok().flatten()).flatten();
            attempt.get_or_init(list).as_ref()
        });
        files.is_some_and(|files| files.contains(name))
    }

    fn listing(&self, folder: &Path) -> Option<Arc<Listing>> {
        if let Some(known) = self.folders.read().ok()?.get(folder.as_os_str()) {
            return Some(known.clone());
        }
        Some(self.folders.write().ok()?.entry(folder.as_os_str().to_owned()).or_default().clone())
    }
}

/// The folder of a path and the name in it.
fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    use std::os::unix::ffi::OsStrExt;

    let path = path.as_os_str().as_bytes();
    let at = path.iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0)?;
    Some((Path::new(OsStr::from_bytes(path.get(..at)?)), OsStr::from_bytes(path.get(at + 1..)?)))
}

/// The names of the regular files of a folder that are not hidden; `None` if the folder has more than `most` entries.
fn files_of(folder: &Path, most: usize) -> io::Result<Option<HashSet<OsString>>> {
    let mut files = HashSet::new();
    for (at, entry) in fs::read_dir(folder)?.enumerate() {
        if at >= most {
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

    const FEW: usize = ATTEMPTS[0].0;

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

    #[test]
    fn a_large_folder_is_listed_once_enough_of_its_files_were_asked_for() {
        let root = tempfile::tempdir().unwrap();
        let [(few, short), (many, _), _] = ATTEMPTS;
        let path = |nth: usize| root.path().join(format!("{nth}.md"));
        for nth in 0..=short {
            fs::File::create(path(nth)).unwrap();
        }
        let listings = FolderListings::default();
        let shown = (0..=many).filter(|nth| listings.shows_file(&path(*nth), |_| true)).count();
        assert_eq!(shown, 1, "the one after {many}; not after {few}, since the folder has more than {short}");
        assert!((0..=short).all(|nth| listings.shows_file(&path(nth), |_| false)));
        assert!(!listings.shows_file(&path(short + 1), |_| false));
    }
}
