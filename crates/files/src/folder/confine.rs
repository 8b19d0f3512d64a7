//! Runs a library that opens its files by path. A path may lead elsewhere just after it was checked; this is harmless
//! if the kernel can confine the thread to one folder or to some files.

use std::fs::File;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd;
use std::panic::resume_unwind;
use std::thread;

#[cfg(target_os = "linux")]
use landlock::{
    ABI, Access, AccessFs, BitFlags, PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr,
    RulesetError, RulesetStatus,
};

use super::Folder;

/// Runs `work` on a thread that can only open these files for reading, and cannot open, write, create or remove
/// anything else, wherever paths lead. Requires Linux 5.13; elsewhere, `work` runs unconfined. Threads that `work`
/// starts are confined, too.
///
/// # Errors
/// The thread cannot be started or confined; nothing was done.
pub fn confine_to<T: Send>(files: &[File], work: impl FnOnce() -> T + Send) -> io::Result<T> {
    #[cfg(not(target_os = "linux"))]
    let hold = || Ok(false);
    #[cfg(target_os = "linux")]
    let hold = || confine_this_thread(AccessFs::from_all(ABI::V3), files, AccessFs::ReadFile.into());
    on_confined_thread(hold, work)
}

fn on_confined_thread<T: Send>(
    hold: impl FnOnce() -> io::Result<bool> + Send,
    work: impl FnOnce() -> T + Send,
) -> io::Result<T> {
    thread::scope(|scope| {
        let confined = thread::Builder::new().name("confined".to_owned()).spawn_scoped(scope, || {
            hold()?;
            Ok(work())
        })?;
        confined.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Takes these rights from the thread, except in `places`; returns whether the kernel fully supports this.
#[cfg(target_os = "linux")]
fn confine_this_thread<P: AsFd>(taken: BitFlags<AccessFs>, places: &[P], left: BitFlags<AccessFs>) -> io::Result<bool> {
    let rules = places.iter().map(|place| Ok::<_, RulesetError>(PathBeneath::new(place, left)));
    let held = Ruleset::default()
        .handle_access(taken)
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(rules))
        .and_then(RulesetCreated::restrict_self);
    held.map(|held| held.ruleset == RulesetStatus::FullyEnforced).map_err(io::Error::other)
}

impl Folder {
    /// Runs `work` on a thread that cannot write, create or remove anything outside this folder, wherever paths lead.
    /// Requires Linux 5.13; elsewhere, `work` runs unconfined. Threads that `work` starts are confined, too.
    ///
    /// # Errors
    /// The thread cannot be started or confined; nothing was done.
    pub fn confine<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        #[cfg(not(target_os = "linux"))]
        let hold = || Ok(false);
        #[cfg(target_os = "linux")]
        let hold = || self.hold();
        on_confined_thread(hold, work)
    }

    #[cfg(target_os = "linux")]
    fn hold(&self) -> io::Result<bool> {
        let writing = AccessFs::from_write(ABI::V3);
        confine_this_thread(writing, &[&*self.handle], writing)
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    #![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "tests write outside, and say what they skip")]

    use std::fs;
    use std::path::Path;

    use super::*;

    /// Some containers and old kernels do not support this.
    fn can_be_held(folder: &Folder) -> bool {
        let can_be = thread::scope(|scope| scope.spawn(|| folder.hold()).join().unwrap()).unwrap();
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

    #[test]
    fn nothing_but_the_files_is_opened() {
        let top = tempfile::tempdir().unwrap();
        let path = |name: &str| top.path().join(name);
        for name in ["one", "two", "other"] {
            fs::write(path(name), name).unwrap();
        }
        fs::hard_link(path("two"), path("link")).unwrap();
        crate::testing::pipe(&path("pipe"));
        let folder = Folder::root(top.path()).unwrap();
        if !can_be_held(&folder) {
            return;
        }
        let files = ["one", "two"].map(|name| folder.locate(name).unwrap());
        // Opening a pipe without a writer would block.
        let names = ["one", "two", "link", "other", "pipe"];
        let read = || names.map(|name| fs::read_to_string(path(name)).ok());
        let (read, written, made) =
            confine_to(&files, || (read(), fs::write(path("one"), "").is_ok(), fs::write(path("new"), "").is_ok()))
                .unwrap();
        assert_eq!(read, [Some("one".to_owned()), Some("two".to_owned()), Some("two".to_owned()), None, None]);
        assert!(!written && !made && fs::read_to_string(path("one")).unwrap() == "one");
        fs::rename(path("one"), path("moved")).unwrap();
        fs::rename(path("other"), path("one")).unwrap();
        let read = confine_to(&files, || ["one", "moved"].map(|name| fs::read_to_string(path(name)).is_ok())).unwrap();
        assert_eq!(read, [false, true], "the files are those that were found");
    }
}
