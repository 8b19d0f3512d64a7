//! Polling, for systems that report no changes: every two seconds, takes a fingerprint of everything followed, from
//! names, sizes and times only. The thread runs only while it is needed.

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::limits::WatchLimits;
use super::wanted::{NameFilter, WatchSet, is_entered};
use crate::engine::request::OutsideChange;

/// The polling interval.
pub(crate) const EVERY: Duration = Duration::from_secs(2);

/// A running poller; dropping it ends its thread.
pub(super) struct Poll {
    follow: mpsc::Sender<WatchSet>,
    is_cut: Arc<AtomicBool>,
}

impl Poll {
    /// Takes fingerprints of everything followed at this interval, and sends to `seen` when they differ.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(super) fn start(every: Duration, limits: WatchLimits, seen: mpsc::Sender<OutsideChange>) -> io::Result<Self> {
        let (follow, wanted) = mpsc::channel();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = is_cut.clone();
        thread::Builder::new().name("poll".to_owned()).spawn(move || run(every, limits, &wanted, &seen, &cut))?;
        Ok(Self { follow, is_cut })
    }

    /// Whether the last pass skipped something because of its limits.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Relaxed)
    }

    /// Follows exactly this from now on.
    pub(super) fn follow(&self, wanted: WatchSet) {
        // The thread ends only when this is dropped.
        let _ = self.follow.send(wanted);
    }
}

fn run(
    every: Duration,
    limits: WatchLimits,
    orders: &mpsc::Receiver<WatchSet>,
    seen: &mpsc::Sender<OutsideChange>,
    is_cut: &AtomicBool,
) {
    let Ok(mut wanted) = orders.recv() else { return };
    // The desk may have read an older state than the first fingerprint shows.
    let (mut last, mut last_journal, mut last_agents) = (None, None, None);
    loop {
        let began = Instant::now();
        let ((now, left), journal) = (fingerprint(&wanted, limits.entries), file_version(&wanted.journal));
        is_cut.store(left == 0, Ordering::Relaxed);
        let is_other = last.replace(now) != Some(now);
        // The journal grows with every enriched text, and only the feed depends on it.
        let is_longer = last_journal.replace(journal) != Some(journal);
        let agents = wanted.agents.as_deref().map(names);
        let has_others = last_agents.replace(agents.clone()).is_some_and(|before| before != agents);
        let changes =
            if is_other { Some(OutsideChange::Workspace) } else { is_longer.then_some(OutsideChange::Journal) };
        let changes = changes.into_iter().chain(has_others.then_some(OutsideChange::Agents));
        for change in changes {
            if seen.send(change).is_err() {
                return;
            }
        }
        // Polling a large tree takes long, and must not take up all the time.
        let next = Instant::now() + every.max(began.elapsed() * 10);
        loop {
            match orders.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(new) => wanted = new,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// The sorted names in this folder.
fn names(folder: &Path) -> Vec<OsString> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    names
}

/// A number that changes with this file.
fn file_version(file: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    hash_entry(file, &mut hasher);
    hasher.finish()
}

/// A number that changes with everything followed except the journal, and how many of the allowed entries are left.
fn fingerprint(wanted: &WatchSet, mut left: usize) -> (u64, usize) {
    let mut hasher = DefaultHasher::new();
    for (folder, interest) in &wanted.folders {
        match interest {
            NameFilter::All => {
                hash_folder(folder, interest, &mut left, &mut hasher);
            }
            NameFilter::Named(names) => {
                let paths = names.iter().map(|name| folder.join(name)).filter(|path| *path != wanted.journal);
                paths.for_each(|path| hash_entry(&path, &mut hasher));
            }
        }
    }
    for root in &wanted.trees {
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            open.extend(hash_folder(&folder, &NameFilter::All, &mut left, &mut hasher));
        }
    }
    (hasher.finish(), left)
}

/// Hashes every entry that matters, by name; returns the folders to enter.
fn hash_folder(folder: &Path, interest: &NameFilter, left: &mut usize, hasher: &mut DefaultHasher) -> Vec<PathBuf> {
    if *left == 0 {
        return Vec::new();
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries.flatten(),
        Err(error) => {
            (folder, error.kind()).hash(hasher);
            return Vec::new();
        }
    };
    let mut entries: Vec<_> = entries.filter(|entry| interest.covers(&entry.file_name())).take(*left).collect();
    *left = left.saturating_sub(entries.len().max(1));
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut folders = Vec::new();
    for entry in entries {
        let path = entry.path();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            hash_entry(&path, hasher);
        } else if is_entered(&path) {
            // Ignore the folder's time: it changes whenever a tool writes a temporary file in it and renames it.
            path.hash(hasher);
            folders.push(path);
        }
    }
    folders
}

fn hash_entry(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => true.hash(hasher),
        Ok(metadata) => (metadata.len(), metadata.modified().ok(), identity(&metadata)).hash(hasher),
        Err(error) => error.kind().hash(hasher),
    }
}

/// A file that replaced another with the same size and time still differs in identity.
fn identity(metadata: &fs::Metadata) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use refdesk_files::write_atomic;

    /// A workspace with a followed tree, a followed folder and a followed name.
    struct World {
        folder: tempfile::TempDir,
        wanted: WatchSet,
    }

    impl World {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let named = NameFilter::Named(BTreeSet::from(["references.json", "journal.jsonl"].map(Into::into)));
            let wanted = WatchSet {
                choice: PathBuf::new(),
                journal: at("journal.jsonl"),
                requests: Vec::new(),
                agents: None,
                workspace: folder.path().to_path_buf(),
                folders: BTreeMap::from([(folder.path().to_path_buf(), named), (at("docs"), NameFilter::All)]),
                trees: BTreeSet::from([at("tree")]),
            };
            let world = Self { folder, wanted };
            for name in ["references.json", "other.json", "docs/a.md", "docs/deep/b.md", "tree/x/y/z.md"] {
                world.write(name, "first");
            }
            world
        }

        fn write(&self, name: &str, text: &str) {
            write_atomic(&self.folder.path().join(name), text.as_bytes()).unwrap();
        }
    }

    #[test]
    fn the_fingerprint_changes_only_with_followed_paths() {
        let world = World::new();
        let mut last = fingerprint(&world.wanted, 1_000).0;
        for (name, followed) in [
            ("references.json", true),
            ("other.json", false),
            ("journal.jsonl", false),
            ("docs/a.md", true),
            ("docs/new.md", true),
            ("docs/deep/b.md", false),
            ("tree/x/y/z.md", true),
            ("tree/x/new.md", true),
            ("tree/x/node_modules/n.md", false),
            ("tree/target/n.md", false),
            ("tree/.git/HEAD", false),
            ("tree/.jaato/kb.md", true),
            ("tree/.jaato/refdesk/lock", false),
        ] {
            world.write(name, "other");
            let now = fingerprint(&world.wanted, 1_000).0;
            assert_eq!(now != last, followed, "{name}");
            assert_eq!(fingerprint(&world.wanted, 1_000).0, now, "{name}: nothing changed since");
            last = now;
        }
        fs::remove_dir_all(world.folder.path().join("tree")).unwrap();
        assert_ne!(fingerprint(&world.wanted, 1_000).0, last, "a removed tree");
    }

    #[test]
    fn a_fingerprint_is_limited_in_entries() {
        let world = World::new();
        assert_eq!([1, 3].map(|entries| fingerprint(&world.wanted, entries).1), [0, 0]);
        let (whole, left) = fingerprint(&world.wanted, 100);
        assert!(left > 0);
        assert_eq!(fingerprint(&world.wanted, 101), (whole, left + 1));
    }

    #[test]
    fn it_reports_at_once_and_then_every_change() {
        let world = World::new();
        let (seen, changes) = mpsc::channel();
        let poll = Poll::start(Duration::from_millis(1), WatchLimits::default(), seen).unwrap();
        poll.follow(world.wanted.clone());
        changes.recv_timeout(Duration::from_secs(20)).expect("what was before the first look is not known");
        world.write("docs/a.md", "second");
        changes.recv_timeout(Duration::from_secs(20)).expect("it changed");
        write_atomic(&world.wanted.journal, b"{}\n").unwrap();
        loop {
            // The poll may notice the writes above in two steps, and then reports the journal separately.
            if changes.recv_timeout(Duration::from_secs(20)).expect("the journal grew") == OutsideChange::Journal {
                break;
            }
        }
        drop(poll);
        // The poll may have noticed the writes above in two steps. After that, the thread has ended.
        while changes.recv_timeout(Duration::from_secs(20)).is_ok() {}
        assert_eq!(changes.try_recv(), Err(mpsc::TryRecvError::Disconnected));
    }
}
