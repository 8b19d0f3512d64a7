//! Listings of folders that contain many of the requested files: one listing instead of a system call per file takes a
//! sixth of the time for ten thousand files.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, ReadDir};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use compact_str::CompactString;
// Several times as fast as the standard library's for names, and as safe: its keys are random.
use foldhash::fast::RandomState;

/// Pairs of the number of files looked up one by one before a folder is listed, and the most entries of that listing. The
/// listing of a larger folder is continued once enough of its files were looked up to make that worthwhile.
const ATTEMPTS: [(usize, usize); 4] = [(4, 8_192), (256, 16_384), (2_048, 65_536), (16_384, 1_048_576)];

/// Names in UTF-8, as those of sources are; most of them need no memory of their own.
type Names = HashSet<CompactString, RandomState>;

/// The regular files of some folders.
#[derive(Debug, Default)]
pub struct FolderListings {
    /// Keyed by the bytes of the path.
    folders: RwLock<HashMap<OsString, Arc<Listing>, RandomState>>,
}

#[derive(Debug, Default)]
struct Listing {
    asked: AtomicUsize,
    /// The files, once all are known.
    files: OnceLock<Names>,
    begun: Mutex<Begun>,
}

/// A listing that may not be complete.
#[derive(Debug, Default)]
enum Begun {
    #[default]
    Nothing,
    /// What is read of it so far, and how many entries that were.
    Part(ReadDir, Names, usize),
    /// It is complete, or the folder must not be listed or cannot be read.
    End,
}

impl FolderListings {
    /// Whether a listing contains a regular file at this clean path, neither a link nor hidden. If not, ask the file
    /// system. `may_list` is called once per folder.
    pub fn shows_file(&self, path: &Path, may_list: impl FnOnce(&Path) -> bool) -> bool {
        let Some((folder, name)) = split(path) else { return false };
        let known = self.folders.read().ok().and_then(|folders| {
            let listing = folders.get(folder.as_os_str())?;
            // Usually the folder is listed, and no thread has to write to what all of them share.
            listing.files.get().map(|files| Ok(files.contains(name))).or_else(|| Some(Err(listing.clone())))
        });
        let listing = match known {
            Some(Ok(is_shown)) => return is_shown,
            Some(Err(listing)) => listing,
            None => match self.folders.write() {
                Ok(mut folders) => folders.entry(folder.as_os_str().to_owned()).or_default().clone(),
                Err(_) => return false,
            },
        };
        let asked = listing.asked.fetch_add(1, Ordering::Relaxed);
        if let Some((_, most)) = ATTEMPTS.iter().rfind(|(least, _)| asked >= *least) {
            listing.read_on(folder, *most, may_list);
        }
        listing.files.get().is_some_and(|files| files.contains(name))
    }
}

impl Listing {
    /// Reads the folder until this many entries are known.
    fn read_on(&self, folder: &Path, most: usize, may_list: impl FnOnce(&Path) -> bool) {
        let Ok(mut begun) = self.begun.lock() else { return };
        if matches!(*begun, Begun::Nothing) {
            let opened = may_list(folder).then(|| fs::read_dir(folder).ok()).flatten();
            *begun = opened.map_or(Begun::End, |entries| Begun::Part(entries, Names::default(), 0));
        }
        let Begun::Part(entries, files, count) = &mut *begun else { return };
        while *count < most {
            match entries.next().map(|entry| entry.and_then(|entry| file_name(&entry))) {
                Some(Ok(name)) => files.extend(name),
                Some(Err(_)) => {
                    *begun = Begun::End;
                    return;
                }
                None => {
                    // Another thread cannot have set it: it would have had this lock.
                    drop(self.files.set(std::mem::take(files)));
                    *begun = Begun::End;
                    return;
                }
            }
            *count += 1;
        }
    }
}

/// The name of a regular file that is not hidden.
fn file_name(entry: &fs::DirEntry) -> io::Result<Option<CompactString>> {
    let is_file = entry.file_type()?.is_file();
    let name = entry.file_name();
    let name = name.to_str().filter(|name| is_file && !name.starts_with('.'));
    Ok(name.map(CompactString::from))
}

/// The folder of a path and the name in it, if that is UTF-8.
fn split(path: &Path) -> Option<(&Path, &str)> {
    use std::os::unix::ffi::OsStrExt;

    let path = path.as_os_str().as_bytes();
    let at = path.iter().rposition(|byte| *byte == b'/').filter(|at| *at > 0)?;
    Some((Path::new(OsStr::from_bytes(path.get(..at)?)), str::from_utf8(path.get(at + 1..)?).ok()?))
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
        let [(few, short), (many, _), ..] = ATTEMPTS;
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
