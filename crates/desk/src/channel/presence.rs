//! Tracks which screens and servers of a workspace are open, and how many agents are connected. Each has a file that
//! its process keeps locked; the kernel releases the lock however the process ends. So no request waits for a dead
//! process, and the next process removes its file.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::TryLockError;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crate::session::ignore_in_git;
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_files::{Durability, FileMode, Folder, Staged};

refdesk_text::worded_enum! {
    /// What can be open.
    pub enum PresenceKind {
        /// A full screen, at which a person answers requests.
        Screen = "screen",
        /// An MCP server that an agent has used.
        Server = "server",
        /// An agent connected to a server; one server may serve many.
        Agent = "agent",
    }
}

/// Marks a screen or a server as open, or an agent as connected, until dropped.
#[derive(Debug)]
pub struct Presence {
    _held: Staged,
}

impl PresenceKind {
    /// The folder of the locked files, relative to the workspace.
    pub fn folder(self) -> PathBuf {
        Path::new(STATE_FOLDER).join(match self {
            Self::Screen => "screens",
            Self::Server => "servers",
            Self::Agent => "agents",
        })
    }
}

/// The most bytes read of a locked file.
const MAX: u64 = 1024;

/// Marks a screen or a server of this workspace as open.
///
/// # Errors
/// The file system's error with the path; there is a link on the folder's path.
pub fn mark_open(workspace: &Path, kind: PresenceKind) -> io::Result<Presence> {
    hold(workspace, kind, "")
}

/// Marks the agent of this session as connected.
///
/// # Errors
/// As for [`mark_open`].
pub fn connect(workspace: &Path, session: &str) -> io::Result<Presence> {
    hold(workspace, PresenceKind::Agent, session)
}

fn hold(workspace: &Path, kind: PresenceKind, session: &str) -> io::Result<Presence> {
    ignore_in_git(workspace)?;
    let root = Folder::root(workspace)?;
    for other in PresenceKind::ALL {
        if let Ok(folder) = root.below(&other.folder()) {
            folder.sweep_dead()?;
        }
    }
    if kind == PresenceKind::Screen {
        // The server watches this folder from the start, so the first agent must not appear as a change to the
        // workspace.
        root.make(&PresenceKind::Agent.folder(), FileMode::Private)?;
    }
    let folder = root.make(&kind.folder(), FileMode::Private)?;
    let held = format!("{}\n{session}", std::process::id());
    let name = kind.word();
    Ok(Presence { _held: folder.stage(name, held.as_bytes(), FileMode::Private, Durability::Recreatable)? })
}

/// Whether a screen or a server of this workspace is open. False on file systems without locks.
pub fn is_open(workspace: &Path, kind: PresenceKind) -> bool {
    open_count(workspace, kind) > 0
}

/// The number of this workspace's screens, servers or agents; 0 on file systems without locks.
pub fn open_count(workspace: &Path, kind: PresenceKind) -> usize {
    held(workspace, kind).map_or(0, |(_, names)| names.len())
}

/// The most agents whose end is awaited, each on a thread of its own.
const MAX_AWAITED: usize = 64;

/// The connected agents of a workspace. A killed process leaves its file in place, so nothing but the released lock
/// shows that its agent is gone.
pub(crate) struct ConnectedAgents {
    /// Called on another thread whenever an agent has gone.
    ended: Arc<dyn Fn() + Send + Sync>,
    /// The threads that wait for a lock, by the name of its file.
    awaited: HashMap<OsString, JoinHandle<()>>,
}

impl ConnectedAgents {
    pub(crate) fn new(ended: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { ended, awaited: HashMap::new() }
    }

    /// The session of each connected agent, empty if its server did not report it; from now on, the end of each is
    /// reported.
    pub(crate) fn sessions(&mut self, workspace: &Path) -> Vec<String> {
        let Some((folder, names)) = held(workspace, PresenceKind::Agent) else { return Vec::new() };
        self.awaited.retain(|_, thread| !thread.is_finished());
        let session = |name: OsString| {
            let (bytes, _) = folder.read(&name, MAX).unwrap_or_default();
            self.await_end(&folder, name);
            String::from_utf8_lossy(&bytes).lines().nth(1).unwrap_or_default().to_owned()
        };
        names.into_iter().map(session).collect()
    }

    fn await_end(&mut self, folder: &Folder, name: OsString) {
        if self.awaited.len() >= MAX_AWAITED || self.awaited.contains_key(&name) {
            return;
        }
        let (Ok(file), ended) = (folder.open(&name), self.ended.clone()) else { return };
        let wait = move || {
            // It is reported even if waiting fails, which is only one more look.
            let _ = file.lock_shared();
            drop(file);
            ended();
        };
        // Without a thread, the end is seen at the next look.
        if let Ok(thread) = thread::Builder::new().name("agent".to_owned()).spawn(wait) {
            self.awaited.insert(name, thread);
        }
    }
}

/// The files that some process keeps locked.
fn held(workspace: &Path, kind: PresenceKind) -> Option<(Folder, Vec<OsString>)> {
    let folder = Folder::root(workspace).and_then(|root| root.below(&kind.folder())).ok()?;
    let mut names = folder.names().unwrap_or_default();
    names.retain(|name| {
        folder.open(name).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    });
    Some((folder, names))
}

#[cfg(test)]
mod tests {
    use super::PresenceKind::{Agent, Screen, Server};
    use super::*;

    #[test]
    fn a_screen_is_present_while_it_runs() {
        let root = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        assert!(!is_open(&workspace, Screen));
        let (one, two) = (mark_open(&workspace, Screen).unwrap(), mark_open(&workspace, Screen).unwrap());
        assert_eq!([Screen, Server].map(|it| open_count(&workspace, it)), [2, 0]);
        drop(one);
        assert!(is_open(&workspace, Screen));
        let server = mark_open(&workspace, Server).unwrap();
        assert!(is_open(&workspace, Server));
        let agents = ["s-1", "s-2", "s-2"].map(|session| connect(&workspace, session).unwrap());
        assert_eq!([Server, Agent].map(|it| open_count(&workspace, it)), [1, 3], "one server serves many");
        let (ended, ends) = std::sync::mpsc::channel();
        let mut connected = ConnectedAgents::new(Arc::new(move || ended.send(()).unwrap()));
        let mut sessions = connected.sessions(&workspace);
        sessions.sort();
        assert_eq!(sessions, ["s-1", "s-2", "s-2"]);
        assert_eq!(connected.sessions(&workspace).len(), 3, "each is awaited once");
        drop(agents);
        (0..3).for_each(|_| ends.recv().unwrap());
        assert_eq!(connected.sessions(&workspace), [""; 0]);
        drop(connected);
        assert!(ends.recv().is_err(), "no thread is left");
        assert_eq!(open_count(&workspace, Agent), 0);
        drop(two);
        assert!(!is_open(&workspace, Screen));
        assert!(is_open(&workspace, Server));
        drop(server);
        assert!(!is_open(&workspace, Server));
        assert!(workspace.join(".jaato/refdesk/.gitignore").exists());
    }

    #[test]
    fn the_file_of_a_dead_screen_is_ignored_and_removed_by_the_next() {
        let root = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        let left = workspace.join(Screen.folder()).join(".refdesk-dead.tmp");
        refdesk_files::write_atomic(&left, b"1").unwrap();
        assert!(!is_open(&workspace, Screen));
        let _there = mark_open(&workspace, Server).unwrap();
        assert!(!left.exists() && is_open(&workspace, Server), "also by a process of the other kind");
        let _there = mark_open(&workspace, Screen).unwrap();
        assert!(!left.exists() && is_open(&workspace, Screen));
    }

    #[test]
    fn a_folder_that_links_out_is_refused() {
        let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = std::fs::canonicalize(root.path()).unwrap();
        std::os::unix::fs::symlink(outside.path(), workspace.join(".jaato")).unwrap();
        assert!(mark_open(&workspace, Screen).is_err());
        assert!(!is_open(&workspace, Screen));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}
