//! The proposed sources that a user declined, for every workspace. Stored in the user's own folder, since they do not
//! concern others who use the catalog. If the file is lost, the same sources are proposed again.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::store::{is_damage, read};
use refdesk_files::{Lock, private_folder, write_private};

/// The file with the declined sources.
#[derive(Debug, Clone)]
pub(crate) struct DeclinedSources {
    file: PathBuf,
    lock_timeout: Duration,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct DeclinedFile {
    /// Paths and addresses, by the resolved path of the workspace.
    #[serde(default)]
    workspaces: BTreeMap<String, BTreeSet<String>>,
}

impl DeclinedSources {
    /// The file in this folder of the user.
    pub(crate) fn new(state: &Path, lock_timeout: Duration) -> Self {
        Self { file: state.join("declined.json"), lock_timeout }
    }

    /// The sources declined for this workspace.
    pub(crate) fn of(&self, workspace: &str) -> BTreeSet<String> {
        self.read().workspaces.remove(workspace).unwrap_or_default()
    }

    /// Adds newly declined sources, removes those no longer declined, and drops workspaces that no longer exist.
    ///
    /// # Errors
    /// The file system's error with the path. Nothing is changed in that case.
    pub(crate) fn change(&self, workspace: &str, out: &BTreeSet<String>, back: &BTreeSet<String>) -> io::Result<()> {
        let changed = |before: &BTreeSet<String>| -> BTreeSet<String> {
            before.union(out).filter(|place| !back.contains(*place)).cloned().collect()
        };
        let before = self.of(workspace);
        if changed(&before) == before {
            return Ok(());
        }
        let _folder = self.file.parent().map(private_folder).transpose()?;
        let _lock = Lock::acquire(&self.file.with_extension("lock"), self.lock_timeout)?;
        // Another process may have changed it in the meantime.
        let read = read(&self.file).or_else(|error| if is_damage(&error) { Ok(None) } else { Err(error) });
        let mut stored: DeclinedFile = read?.unwrap_or_default();
        let after = changed(stored.workspaces.entry(workspace.to_owned()).or_default());
        stored.workspaces.insert(workspace.to_owned(), after);
        // Otherwise the file would only grow.
        stored.workspaces.retain(|workspace, places| !places.is_empty() && Path::new(workspace).is_dir());
        let mut bytes = serde_json::to_vec_pretty(&stored)?;
        bytes.push(b'\n');
        write_private(&self.file, &bytes)
    }

    /// A file that is damaged or cannot be read counts as empty.
    fn read(&self) -> DeclinedFile {
        read(&self.file).ok().flatten().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Barrier;
    use std::thread;

    use super::*;
    use refdesk_files::{LOCK_TIMEOUT, write_atomic};

    fn places(of: &[&str]) -> BTreeSet<String> {
        of.iter().map(|place| (*place).to_owned()).collect()
    }

    fn world() -> (tempfile::TempDir, DeclinedSources, [String; 2]) {
        let folder = tempfile::tempdir().unwrap();
        let declined = DeclinedSources::new(&folder.path().join("refdesk"), LOCK_TIMEOUT);
        let workspaces = ["a", "b"].map(|name| {
            let workspace = folder.path().join(name);
            fs::create_dir(&workspace).unwrap();
            workspace.to_str().unwrap().to_owned()
        });
        (folder, declined, workspaces)
    }

    #[test]
    fn each_workspace_has_its_own_and_a_damaged_file_is_empty() {
        let (folder, declined, [a, b]) = world();
        let (a, b) = (a.as_str(), b.as_str());
        assert_eq!(declined.of(a), places(&[]));
        declined.change(a, &places(&[]), &places(&["x"])).unwrap();
        assert!(!folder.path().join("refdesk").exists(), "no file without anything to remember");
        declined.change(a, &places(&["x", "y"]), &places(&[])).unwrap();
        declined.change(b, &places(&["x"]), &places(&[])).unwrap();
        declined.change(a, &places(&["z"]), &places(&["x"])).unwrap();
        assert_eq!((declined.of(a), declined.of(b)), (places(&["y", "z"]), places(&["x"])));
        write_atomic(&declined.file, b"[").unwrap();
        assert_eq!(declined.of(a), places(&[]));
        declined.change(a, &places(&["x"]), &places(&[])).unwrap();
        assert_eq!(declined.of(a), places(&["x"]));
    }

    #[test]
    fn changes_at_the_same_time_are_all_kept() {
        let (_folder, declined, [a, _]) = world();
        let all: BTreeSet<String> = (0..16).map(|nth| nth.to_string()).collect();
        let together = Barrier::new(all.len());
        thread::scope(|scope| {
            for place in &all {
                let change = || {
                    together.wait();
                    declined.change(&a, &places(&[place]), &places(&[])).unwrap();
                };
                scope.spawn(change);
            }
        });
        assert_eq!(declined.of(&a), all);
    }

    #[test]
    fn a_deleted_workspace_is_forgotten() {
        let (_folder, declined, [a, b]) = world();
        declined.change(&a, &places(&["x"]), &places(&[])).unwrap();
        fs::remove_dir(&a).unwrap();
        assert_eq!(declined.of(&a), places(&["x"]), "until the next change");
        declined.change(&b, &places(&["x"]), &places(&[])).unwrap();
        assert_eq!((declined.of(&a), declined.of(&b)), (places(&[]), places(&["x"])));
    }
}
