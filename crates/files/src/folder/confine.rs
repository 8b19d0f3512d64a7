//! Work by a library that opens its files by path. A path may lead elsewhere a moment after it was checked; where the kernel can
//! hold a thread to one folder, that changes nothing.

use std::io;
use std::panic::resume_unwind;
use std::thread;

use super::Folder;

impl Folder {
    /// Does `work` on a thread that cannot write, make or remove anything outside this folder, wherever paths lead. Only Linux
    /// can do that, since version 5.13; elsewhere the work is done all the same.
    ///
    /// A thread that `work` starts is confined to the folder, too.
    ///
    /// # Errors
    /// The thread cannot be started or confined; nothing was done.
    pub fn confine<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        thread::scope(|scope| {
            let confined = thread::Builder::new().name("confined".to_owned()).spawn_scoped(scope, || {
                #[cfg(target_os = "linux")]
                self.hold_this_thread()?;
                Ok(work())
            })?;
            confined.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }

    /// Whether this kernel can do that in full.
    #[cfg(target_os = "linux")]
    fn hold_this_thread(&self) -> io::Result<bool> {
        use landlock::{
            ABI, AccessFs, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus,
        };
        let writing = AccessFs::from_write(ABI::V3);
        let held = Ruleset::default()
            .handle_access(writing)
            .and_then(Ruleset::create)
            .and_then(|rules| rules.add_rule(PathBeneath::new(&*self.handle, writing)))
            .and_then(RulesetCreated::restrict_self);
        held.map(|held| held.ruleset == RulesetStatus::FullyEnforced).map_err(io::Error::other)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    #![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "tests write outside, and say what they skip")]

    use std::fs;
    use std::path::Path;

    use super::*;

    /// Containers and old kernels may not support this.
    fn can_be_held(folder: &Folder) -> bool {
        let can_be = thread::scope(|scope| scope.spawn(|| folder.hold_this_thread()).join().unwrap()).unwrap();
        if !can_be {
            eprintln!("skipped: this kernel cannot hold a thread to a folder");
        }
        can_be
    }

    #[test]
    fn nothing_outside_is_written_made_or_removed() {
        let top = tempfile::tempdir().unwrap();
        let (inside, outside) = (top.path().join("inside"), top.path().join("outside"));
        for folder in [&inside, &outside] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("old"), "old").unwrap();
        }
        let change = |folder: &Path| {
            [
                fs::write(folder.join("old"), "new").is_ok(),
                fs::write(folder.join("new"), "new").is_ok(),
                fs::remove_file(folder.join("old")).is_ok(),
            ]
        };
        let folder = Folder::root(&inside).unwrap();
        if !can_be_held(&folder) {
            return;
        }
        let done =
            folder.confine(|| (change(&outside), change(&inside), fs::read(outside.join("old")).unwrap())).unwrap();
        assert_eq!(done, ([false; 3], [true; 3], b"old".to_vec()));
        assert_eq!(change(&outside), [true; 3], "other threads are as they were");
    }

    #[test]
    fn the_folder_is_the_one_that_was_opened() {
        let top = tempfile::tempdir().unwrap();
        let (path, moved, other) = (top.path().join("a"), top.path().join("moved"), top.path().join("b"));
        fs::create_dir(&path).unwrap();
        fs::create_dir(&other).unwrap();
        let folder = Folder::root(&path).unwrap();
        if !can_be_held(&folder) {
            return;
        }
        fs::rename(&path, &moved).unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        let done = folder.confine(|| [&path, &moved].map(|folder| fs::write(folder.join("x"), "").is_ok())).unwrap();
        assert_eq!(done, [false, true]);
    }
}
