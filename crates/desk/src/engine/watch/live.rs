//! The system's watcher. Each folder is watched separately, so that skipped folders are not watched. A watch belongs to
//! the folder itself rather than its path, so each folder's identity is recorded, and its removal, too, since a new
//! folder often reuses the inode number.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::Instant;

use notify::{ErrorKind, PathsMut, RecommendedWatcher, RecursiveMode, Watcher};

use super::Followed;
use super::events::{EventFilter, LostWatches};
use super::limits::WatchLimits;
use super::remote::remote;
use super::wanted::{NameFilter, WatchSet, is_entered};
use crate::engine::request::OutsideChange;
use refdesk_files::path::is_absent;

/// A watcher and the folders it follows.
pub(crate) struct Live {
    watcher: RecommendedWatcher,
    /// The folder watched at each path.
    followed: BTreeMap<PathBuf, Identity>,
    filter: Arc<Mutex<EventFilter>>,
    limits: WatchLimits,
}

/// The outcome of following.
pub(crate) struct FollowOutcome {
    /// Whether a watch was set.
    pub followed: Followed,
    /// Folders that cannot be watched, and why.
    pub refused: Vec<(PathBuf, String)>,
    /// Why some folders are not watched, for people.
    pub left_out: Option<String>,
}

/// The identity of a folder, which does not change when it moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Identity {
    device: u64,
    number: u64,
}

impl Live {
    /// A watcher that does not follow anything yet; it sends changes to `seen`.
    ///
    /// # Errors
    /// The system offers no watcher; the reason, for people.
    pub(crate) fn new(seen: mpsc::Sender<OutsideChange>, limits: WatchLimits) -> Result<Self, String> {
        let filter: Arc<Mutex<EventFilter>> = Arc::default();
        let events = filter.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            if let Some(what) = events.lock().unwrap_or_else(PoisonError::into_inner).handle_event(event) {
                let _ = seen.send(what);
            }
        });
        let watcher = watcher.map_err(|error| shortage(&error).unwrap_or_else(|| error.to_string()))?;
        Ok(Self { watcher, followed: BTreeMap::new(), filter, limits })
    }

    /// Watches exactly these folders.
    ///
    /// # Errors
    /// Watching is impossible here; the reason, for people.
    pub(crate) fn follow(&mut self, wanted: &WatchSet) -> Result<FollowOutcome, String> {
        let lost = {
            let mut filter = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
            filter.choice.clone_from(&wanted.choice);
            filter.journal.clone_from(&wanted.journal);
            filter.agents.clone_from(&wanted.agents);
            filter.requests.clone_from(&wanted.requests);
            std::mem::take(&mut filter.lost)
        };
        let mut round = WatchPass {
            paths: self.watcher.paths_mut(),
            filter: &self.filter,
            workspace: &wanted.workspace,
            previous_paths: self.followed.iter().map(|(path, identity)| (*identity, path.clone())).collect(),
            before: std::mem::take(&mut self.followed),
            watched_paths: HashMap::new(),
            now: BTreeMap::new(),
            local: BTreeSet::new(),
            limits: self.limits,
            until: Instant::now() + self.limits.time,
            outcome: FollowOutcome { followed: Followed::Known, refused: Vec::new(), left_out: None },
        };
        round.forget(&lost);
        round.all(wanted)?;
        let (followed, outcome) = round.finish()?;
        self.followed = followed;
        Ok(outcome)
    }
}

/// One pass over everything to follow.
struct WatchPass<'a> {
    paths: Box<dyn PathsMut + 'a>,
    filter: &'a Mutex<EventFilter>,
    workspace: &'a Path,
    /// Earlier watches that this pass has not reached, by path and by folder.
    before: BTreeMap<PathBuf, Identity>,
    previous_paths: HashMap<Identity, PathBuf>,
    /// The path by which each folder is watched: the system watches a folder once, and reports that path.
    watched_paths: HashMap<Identity, PathBuf>,
    now: BTreeMap<PathBuf, (Identity, NameFilter)>,
    /// Devices known to report every change.
    local: BTreeSet<u64>,
    /// The remaining limits, and the deadline.
    limits: WatchLimits,
    until: Instant,
    outcome: FollowOutcome,
}

impl WatchPass<'_> {
    /// Drops the watches that may have stopped working.
    fn forget(&mut self, lost: &LostWatches) {
        let is_lost = |path: &Path| lost.all || path.ancestors().any(|part| lost.paths.contains(part));
        let dead: Vec<PathBuf> = self.before.keys().filter(|path| is_lost(path)).cloned().collect();
        for path in dead {
            self.unwatch(&path);
        }
    }

    fn unwatch(&mut self, path: &Path) {
        if let Some(identity) = self.before.remove(path) {
            self.previous_paths.remove(&identity);
        }
        // If the folder does not exist any more, neither does its watch.
        let _ = self.paths.remove(path);
    }

    fn all(&mut self, wanted: &WatchSet) -> Result<(), String> {
        // Single names first: they include configuration, choice and journal, which matter most if not everything can
        // be watched.
        let is_whole = |(_, interest): &(&PathBuf, &NameFilter)| **interest == NameFilter::All;
        let (whole, named): (Vec<_>, Vec<_>) = wanted.folders.iter().partition(is_whole);
        for (folder, interest) in named.into_iter().chain(whole) {
            self.single(folder, interest)?;
        }
        for root in &wanted.trees {
            self.tree(root)?;
        }
        Ok(())
    }

    /// Watches a folder, and its parents to notice its replacement; within the workspace, only up to the workspace.
    fn single(&mut self, folder: &Path, interest: &NameFilter) -> Result<(), String> {
        let mut there = self.watch(folder, interest)?;
        let mut below = folder;
        while let (Some(above), Some(name)) = (below.parent(), below.file_name()) {
            if there && below == self.workspace {
                break;
            }
            there = self.watch_name(above, name)?;
            below = above;
        }
        Ok(())
    }

    fn watch_name(&mut self, folder: &Path, name: &OsStr) -> Result<bool, String> {
        match self.now.get(folder) {
            Some((_, known)) if known.names(name) => Ok(true),
            _ => self.watch(folder, &NameFilter::named(name)),
        }
    }

    /// Watches a folder and everything below it, top down. Each folder is watched before it is listed, so that later
    /// changes are reported.
    fn tree(&mut self, root: &Path) -> Result<(), String> {
        let mut open = VecDeque::from([root.to_path_buf()]);
        // When the limits end the walk, watch the folders already found.
        let mut lists = true;
        while let Some(folder) = open.pop_front() {
            if !self.watch(&folder, &NameFilter::All)? {
                if self.is_full() {
                    break;
                }
                continue;
            }
            if !lists {
                continue;
            }
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries.flatten(),
                // The folder was removed, which will be reported, or cannot be read.
                Err(error) if is_absent(&error) || error.kind() == io::ErrorKind::PermissionDenied => continue,
                Err(error) => return Err(format!("{}: {error}", folder.display())),
            };
            for entry in entries {
                lists = self.count_entry();
                if !lists {
                    break;
                }
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) && is_entered(&path) {
                    open.push_back(path);
                }
            }
        }
        Ok(())
    }

    /// Counts an entry against the limit; returns whether entries and time are left.
    fn count_entry(&mut self) -> bool {
        let left = self.limits.entries.checked_sub(1).filter(|left| left % 64 != 0 || Instant::now() < self.until);
        self.limits.entries = left.unwrap_or(0);
        if left.is_none() {
            self.outcome.left_out.get_or_insert_with(|| "there is more to search than the limit allows".to_owned());
        }
        left.is_some()
    }

    /// Whether the limit on watched folders is reached.
    fn is_full(&self) -> bool {
        self.now.len() >= self.limits.watches
    }

    /// Watches a folder; returns whether it exists.
    fn watch(&mut self, path: &Path, interest: &NameFilter) -> Result<bool, String> {
        if let Some((_, known)) = self.now.get_mut(path) {
            known.widen(interest);
            return Ok(true);
        }
        let Some(identity) = identity(path) else { return Ok(false) };
        if self.is_full() {
            let why = format!("only {} folders are watched, but there are more", self.limits.watches);
            self.outcome.left_out = Some(why);
            return Ok(false);
        }
        if let Some(other) = self.watched_paths.get(&identity) {
            if let Some((_, known)) = self.now.get_mut(other) {
                known.widen(interest);
            }
            return Ok(true);
        }
        if self.before.get(path) != Some(&identity) && !self.set(path, identity, interest)? {
            return Ok(false);
        }
        self.watched_paths.insert(identity, path.to_path_buf());
        self.now.insert(path.to_path_buf(), (identity, interest.clone()));
        Ok(true)
    }

    /// Sets a new watch; returns whether that succeeded.
    fn set(&mut self, path: &Path, identity: Identity, interest: &NameFilter) -> Result<bool, String> {
        let is_needed = *interest == NameFilter::All || path.starts_with(self.workspace);
        if is_needed
            && self.local.insert(identity.device)
            && let Some(kind) = remote(path)
        {
            return Err(format!("{} is on a network file system ({kind})", path.display()));
        }
        // Another folder was at this path, or this folder at another path.
        if self.before.contains_key(path) {
            self.unwatch(path);
        }
        if let Some(other) = self.previous_paths.get(&identity).cloned() {
            self.unwatch(&other);
        }
        // Stored before the first event arrives.
        let filter = || self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        filter().interests.entry(path.to_path_buf()).or_insert(NameFilter::NONE).widen(interest);
        match self.paths.add(path, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.outcome.followed = Followed::New;
                Ok(true)
            }
            Err(error) => {
                if let Some(why) = shortage(&error) {
                    return Err(why);
                }
                let went = matches!(error.kind, ErrorKind::PathNotFound) || self::identity(path).is_none();
                // Only a folder followed as a whole counts as missed; parents are watched if possible.
                if !went && *interest == NameFilter::All {
                    self.outcome.refused.push((path.to_path_buf(), notify::Error::new(error.kind).to_string()));
                }
                Ok(false)
            }
        }
    }

    /// Drops obsolete watches.
    fn finish(mut self) -> Result<(BTreeMap<PathBuf, Identity>, FollowOutcome), String> {
        if self.outcome.left_out.is_some() {
            // Keep the watches that this pass did not reach; otherwise each pass would watch a different part.
            let left = self.limits.watches.saturating_sub(self.now.len());
            let kept: Vec<_> =
                self.before.iter().filter(|(path, _)| !self.now.contains_key(*path)).take(left).collect();
            let kept: Vec<_> = kept.into_iter().map(|(path, it)| (path.clone(), (*it, NameFilter::All))).collect();
            self.now.extend(kept);
        }
        let unwanted: Vec<PathBuf> = self.before.keys().filter(|path| !self.now.contains_key(*path)).cloned().collect();
        unwanted.iter().for_each(|path| self.unwatch(path));
        self.paths.commit().map_err(|error| error.to_string())?;
        let mut interests = BTreeMap::new();
        let mut followed = BTreeMap::new();
        for (path, (identity, interest)) in self.now {
            interests.insert(path.clone(), interest);
            followed.insert(path, identity);
        }
        let mut filter = self.filter.lock().unwrap_or_else(PoisonError::into_inner);
        if filter.interests != interests {
            // A name that did not matter before may have changed earlier.
            self.outcome.followed = Followed::New;
            filter.interests = interests;
        }
        Ok((followed, self.outcome))
    }
}

/// Why the system cannot watch this much; `None` if only this one folder cannot be watched.
fn shortage(error: &notify::Error) -> Option<String> {
    match &error.kind {
        ErrorKind::MaxFilesWatch => Some("the system has no watches left (fs.inotify.max_user_watches)".to_owned()),
        ErrorKind::Io(error) => exhausted(error).then(|| {
            format!("the system has no watchers left ({error}; fs.inotify.max_user_instances, or open files)")
        }),
        _ => None,
    }
}

fn exhausted(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let code = Errno::from_io_error(error);
    code.is_some_and(|code| [Errno::MFILE, Errno::NFILE, Errno::NOSPC, Errno::NOMEM].contains(&code))
}

/// The identity of the folder at this path.
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_dir)?;
    Some(Identity { device: metadata.dev(), number: metadata.ino() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_watcher_and_of_one_folder() {
        use rustix::io::Errno;
        let io = |errno: Errno| notify::Error::io(io::Error::from(errno));
        assert!(
            shortage(&notify::Error::new(ErrorKind::MaxFilesWatch)).is_some_and(|why| why.contains("max_user_watches"))
        );
        for (errno, expected) in
            [(Errno::MFILE, true), (Errno::NOSPC, true), (Errno::ACCESS, false), (Errno::NOENT, false)]
        {
            assert_eq!(shortage(&io(errno)).is_some(), expected, "{errno}");
        }
        assert!(shortage(&notify::Error::path_not_found()).is_none());
    }
}
