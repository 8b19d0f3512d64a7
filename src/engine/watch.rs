//! Watching the workspace: folders, not files, since editors write beside and rename. Changes are gathered for a moment and
//! become one [`Command::Reload`] (BEHAVIOUR §9 "Watching").

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::WeakSender;

use super::message::Command;
use crate::desk::Desk;

/// Quiet for so long, a burst of changes is over.
const QUIET: Duration = Duration::from_millis(50);

/// A burst that does not end is answered all the same.
const LONGEST: Duration = Duration::from_millis(200);

/// What is watched now.
pub struct Watch {
    watcher: Result<RecommendedWatcher, String>,
    followed: BTreeMap<PathBuf, RecursiveMode>,
    told: bool,
}

impl Watch {
    /// A watcher that follows nothing yet; changes are sent to `changed`.
    pub fn new(changed: WeakSender<Command>) -> Self {
        let (seen, changes) = mpsc::channel::<()>();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reading is no change: a desk that reads would reload for ever.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                let _ = seen.send(());
            }
        });
        let gather = thread::Builder::new().name("watch".to_owned()).spawn(move || gather(&changes, &changed));
        let watcher = match (watcher, gather) {
            (Ok(watcher), Ok(_)) => Ok(watcher),
            (Err(error), _) => Err(error.to_string()),
            (_, Err(error)) => Err(error.to_string()),
        };
        Self { watcher, followed: BTreeMap::new(), told: false }
    }

    /// Follows exactly the folders that this desk depends on. Tells whether there were new ones, in which something may
    /// have changed before they were watched; and a sentence, once, where a folder cannot be watched.
    pub fn follow(&mut self, desk: &Desk) -> (bool, Option<String>) {
        let (new, problem) = self.follow_folders(folders(desk));
        let problem = problem.filter(|_| !self.told);
        self.told |= problem.is_some();
        let problem = problem.map(|what| format!("Changes on disk are not all seen ({what}): press r to read again"));
        (new, problem)
    }

    fn follow_folders(&mut self, wanted: BTreeMap<PathBuf, RecursiveMode>) -> (bool, Option<String>) {
        let mut new = false;
        let mut problem = self.watcher.as_ref().err().cloned();
        if let Ok(watcher) = &mut self.watcher {
            self.followed.retain(|folder, mode| {
                let keep = wanted.get(folder) == Some(mode);
                if !keep {
                    // It may be gone, and its watch with it.
                    let _ = watcher.unwatch(folder);
                }
                keep
            });
            for (folder, mode) in wanted {
                let Entry::Vacant(place) = self.followed.entry(folder) else { continue };
                match watcher.watch(place.key(), mode) {
                    Ok(()) => {
                        place.insert(mode);
                        new = true;
                    }
                    Err(error) => problem = Some(format!("{}: {error}", place.key().display())),
                }
            }
        }
        (new, problem)
    }
}

/// The folders that configuration, catalog, documents, templates and stored choices lie in, as far as they exist.
fn folders(desk: &Desk) -> BTreeMap<PathBuf, RecursiveMode> {
    let workspace = desk.workspace();
    let mut wanted: BTreeMap<PathBuf, RecursiveMode> = BTreeMap::new();
    let mut add = |folder: &Path, mode: RecursiveMode| {
        if folder.is_dir() {
            let known = wanted.entry(folder.to_path_buf()).or_insert(mode);
            if mode == RecursiveMode::Recursive {
                *known = mode;
            }
        }
    };
    add(workspace, RecursiveMode::NonRecursive);
    add(&workspace.join(".jaato"), RecursiveMode::NonRecursive);
    add(&workspace.join(".jaato/refdesk"), RecursiveMode::NonRecursive);
    add(&workspace.join(".templates"), RecursiveMode::Recursive);
    add(&desk.references_folder(), RecursiveMode::NonRecursive);
    if let Some(folder) = desk.config_file().and_then(Path::parent) {
        add(folder, RecursiveMode::NonRecursive);
    }
    for place in desk.catalog().sources().iter().filter_map(|source| source.place()) {
        match place.standing {
            crate::catalog::Standing::Directory => add(&place.path, RecursiveMode::Recursive),
            _ => {
                if let Some(folder) = place.path.parent() {
                    add(folder, RecursiveMode::NonRecursive);
                }
            }
        }
    }
    wanted
}

/// Waits for a first change, gathers those that follow, and says so once. Ends when the watcher or the engine is gone.
fn gather(changes: &mpsc::Receiver<()>, changed: &WeakSender<Command>) {
    while changes.recv().is_ok() {
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            match changes.recv_timeout(QUIET) {
                Ok(()) => {}
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        let Some(sender) = changed.upgrade() else { return };
        if sender.blocking_send(Command::Reload).is_err() {
            return;
        }
    }
}
