//! Caches the mentions of each document until it changes: in memory for a running desk, and between processes in a file
//! in refdesk's folder of the workspace. Losing the cache only costs time.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use super::cache_file::{self, SealedEntries};
use super::ids::IdMatcher;
use super::scan::ScannedMentions;
use refdesk_files::{Durability, FileMode, Folder, Sealer, Stamp, is_owned_by_user, read_open};

/// The cache of scanned documents.
#[derive(Debug)]
pub(super) struct MentionCache {
    clock: fn() -> SystemTime,
    /// Whether entries from the file are kept in memory, for a running desk that asks repeatedly.
    is_long_running: bool,
    files: Mutex<HashMap<Arc<Path>, CachedMentions>>,
    /// The file shared between processes.
    place: Option<CacheFile>,
    stored: OnceLock<SealedEntries>,
    /// Whether documents were read that the file does not contain.
    has_new_entries: AtomicBool,
}

#[derive(Debug)]
struct CacheFile {
    workspace: PathBuf,
    file: PathBuf,
    sealer: Sealer,
}

#[derive(Debug)]
struct CachedMentions {
    stamp: Stamp,
    mentions: Arc<ScannedMentions>,
}

impl MentionCache {
    pub(crate) fn new(clock: fn() -> SystemTime, is_long_running: bool) -> Self {
        let (files, stored, has_new_entries) = (Mutex::default(), OnceLock::new(), AtomicBool::new(false));
        Self { clock, is_long_running, files, place: None, stored, has_new_entries }
    }

    /// Adds a cache file in a workspace.
    pub(crate) fn in_file(self, workspace: PathBuf, file: PathBuf, sealer: Sealer) -> Self {
        Self { place: Some(CacheFile { workspace, file, sealer }), ..self }
    }

    /// The current time; get it before reading the metadata of a document.
    pub(crate) fn now(&self) -> SystemTime {
        (self.clock)()
    }

    /// The mentions of the document, if its stamp has not changed since it was read.
    pub(crate) fn recall(&self, path: &Arc<Path>, stamp: Stamp, ids: &IdMatcher) -> Option<Arc<ScannedMentions>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = files.get(&**path).filter(|file| file.stamp == stamp) {
            return Some(known.mentions.clone());
        }
        drop(files);
        // If the change time or the inode number is unknown, the stamp is too weak for entries from the file.
        if stamp.changed == 0 || stamp.number == 0 {
            return None;
        }
        let mentions = Arc::new(self.stored_entries(ids).named(path, stamp, ids)?);
        if self.is_long_running {
            let remembered = CachedMentions { stamp, mentions: mentions.clone() };
            self.files.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone(), remembered);
        }
        Some(mentions)
    }

    /// Caches the mentions of a document with this stamp, read at `now`, unless it was written so recently that another
    /// write could leave the same stamp.
    pub(crate) fn keep(&self, path: Arc<Path>, stamp: Stamp, mentions: Arc<ScannedMentions>, now: SystemTime) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if stamp.has_settled(now) {
            files.insert(path, CachedMentions { stamp, mentions });
            self.has_new_entries.store(true, Ordering::Relaxed);
        } else {
            files.remove(&path);
        }
    }

    /// Drops the documents that are not `wanted`.
    pub(crate) fn retain(&mut self, wanted: impl Fn(&Path) -> bool, at_most: usize) {
        let files = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file, _| wanted(file));
        files.shrink_to(at_most);
    }

    /// Clears the cache after a change of the ids to look for.
    pub(crate) fn forget(&mut self) {
        self.files = Mutex::default();
        self.stored = OnceLock::from(SealedEntries::default());
    }

    /// Writes the file if there are new entries, keeping old ones that are `wanted`. Returns whether it was written.
    ///
    /// # Errors
    /// I/O errors, which only cost time.
    pub(crate) fn store(&self, ids: &IdMatcher, wanted: impl Fn(&Path) -> bool) -> io::Result<bool> {
        let Some(place) = &self.place else { return Ok(false) };
        if !self.has_new_entries.swap(false, Ordering::Relaxed) {
            return Ok(false);
        }
        let key = place.sealer.key_or_new()?;
        // If the file itself is a link, it is replaced, not followed.
        let (folder, name) = Folder::create_parent_of(&place.workspace, &place.file)?;
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let header = cache_file::header(ids);
        let has_identity = |then: &Stamp| then.changed != 0 && then.number != 0;
        let new = files.iter().filter(|(_, file)| has_identity(&file.stamp));
        let new: Vec<(&[u8], Vec<u8>)> = new
            .filter_map(|(path, file)| {
                Some((bytes_of(path), cache_file::entry(path, file.stamp, &file.mentions, (key, &header))?))
            })
            .collect();
        let old = self.stored_entries(ids).entries().filter(|(path, _)| path_of(path).is_some_and(&wanted));
        let old = old.map(|(path, entry)| (path, Cow::Borrowed(entry)));
        let all = new.iter().map(|(path, entry)| (*path, Cow::Borrowed(&**entry))).chain(old).collect();
        folder.sweep_dead()?;
        folder.write(&name, &cache_file::file(&header, all), FileMode::Private, Durability::Recreatable).map(|()| true)
    }

    /// Frees what was loaded from the file once a desk has read everything it needs.
    pub(super) fn unload(&mut self) {
        self.stored = OnceLock::from(SealedEntries::default());
    }

    fn stored_entries(&self, ids: &IdMatcher) -> &SealedEntries {
        self.stored.get_or_init(|| self.place.as_ref().and_then(|place| load(place, ids)).unwrap_or_default())
    }
}

/// Loads the file if it belongs to this user and its path has no links: a link could lead to a file that others must
/// not see. Entries are verified on lookup.
fn load(place: &CacheFile, ids: &IdMatcher) -> Option<SealedEntries> {
    let key = place.sealer.key()?.clone();
    let (folder, name) = Folder::of(&place.workspace, &place.file).ok()?;
    let file = folder.open(&name).ok().filter(is_owned_by_user)?;
    let metadata = file.metadata().ok()?;
    let (bytes, more) = read_open(file, &metadata, cache_file::LIMIT as u64).ok()?;
    (!more).then(|| SealedEntries::new(bytes, key, cache_file::header(ids)))
}

fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

fn path_of(bytes: &[u8]) -> Option<&Path> {
    Some(Path::new(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::testing::inline;

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    fn ids() -> IdMatcher {
        IdMatcher::new(&Catalog::new(vec![inline("x", "")]))
    }

    fn written(ago: u64) -> Stamp {
        let at = clock() - Duration::from_secs(ago);
        let modified = u64::try_from(at.duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
        Stamp { size: 5, modified, changed: modified, number: 7 }
    }

    #[test]
    fn a_file_is_remembered_once_its_time_is_old_enough() {
        let path: Arc<Path> = Arc::from(Path::new("/w/a.md"));
        for (age, remembered) in [(0, false), (1, false), (60, true)] {
            let memory = MentionCache::new(clock, true);
            let then = written(age);
            memory.keep(path.clone(), then, Arc::default(), memory.now());
            assert_eq!(memory.recall(&path, then, &ids()).is_some(), remembered, "written {age} s ago");
            for other in [Stamp { size: 6, ..then }, Stamp { number: 8, ..then }, Stamp { changed: 1, ..then }] {
                assert!(memory.recall(&path, other, &ids()).is_none(), "another file: {other:?}");
            }
        }
    }

    #[test]
    fn the_file_is_written_only_for_new_entries_and_keeps_only_wanted_ones() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("cache/mentions");
        let paths = ["/w/a.md", "/w/b.md"].map(|path| Arc::<Path>::from(Path::new(path)));
        let (ids, then) = (ids(), written(60));
        let memory = || {
            MentionCache::new(clock, false).in_file(
                folder.path().to_path_buf(),
                place.clone(),
                Sealer::fixed(folder.path()),
            )
        };
        memory().store(&ids, |_| true).unwrap();
        assert!(!place.exists(), "nothing was read");
        let first = memory();
        first.keep(paths[0].clone(), then, Arc::default(), clock());
        first.store(&ids, |_| true).unwrap();
        let second = memory();
        assert!(second.recall(&paths[0], then, &ids).is_some());
        std::fs::remove_file(&place).unwrap();
        second.store(&ids, |_| true).unwrap();
        assert!(!place.exists(), "the cache had everything");
        second.keep(paths[1].clone(), then, Arc::default(), clock());
        second.store(&ids, |_| true).unwrap();
        for (wanted, there) in [(None, [true, true]), (Some("/w/b.md"), [false, true])] {
            let third = memory();
            third.keep(paths[1].clone(), then, Arc::default(), clock());
            third.store(&ids, |path| wanted.is_none_or(|wanted| Path::new(wanted) == path)).unwrap();
            let fourth = memory();
            assert_eq!([0, 1].map(|at| fourth.recall(&paths[at], then, &ids).is_some()), there);
        }
    }

    #[test]
    fn nothing_is_read_or_written_through_a_link() {
        use std::os::unix::fs::symlink;
        let (ids, path, then) = (ids(), Arc::<Path>::from(Path::new("/w/a.md")), written(60));
        for (link, leads_out) in [
            (".jaato", true),
            (".jaato/refdesk", true),
            (".jaato/refdesk/cache", true),
            (".jaato", false),
            (".jaato/refdesk", false),
            (".jaato/refdesk/cache", false),
        ] {
            let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
            let workspace = fs::canonicalize(folder.path()).unwrap();
            let target = if leads_out { outside.path().to_path_buf() } else { workspace.join("kept") };
            let file = workspace.join(".jaato/refdesk/cache/mentions");
            let memory =
                || MentionCache::new(clock, false).in_file(workspace.clone(), file.clone(), Sealer::fixed(&workspace));
            let store = |memory: &MentionCache| {
                memory.keep(path.clone(), then, Arc::default(), clock());
                memory.store(&ids, |_| true)
            };
            fs::create_dir_all(&target).unwrap();
            // The link leads to a valid cache, which would be used if the link were followed.
            let link = workspace.join(link);
            let there = target.join(file.strip_prefix(&link).unwrap());
            store(&MentionCache::new(clock, false).in_file(target.clone(), there.clone(), Sealer::fixed(&workspace)))
                .unwrap();
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(&target, &link).unwrap();
            let before = fs::metadata(&there).unwrap().modified().unwrap();
            assert!(memory().recall(&path, then, &ids).is_none(), "{link:?} {leads_out}");
            assert!(store(&memory()).is_err(), "{link:?} {leads_out}");
            assert_eq!(fs::metadata(&there).unwrap().modified().unwrap(), before, "{link:?} {leads_out}");
        }
    }
}
