//! Recovers a write of several files whose writer was killed. If the writer had begun to rename, the remaining files
//! are renamed too; but if one of the files has changed since, the renames are undone. If it had not begun, nothing
//! needs to be done.
//!
//! The record is in the workspace, which may be untrusted. So it is used only if this user's refdesk wrote it here, and
//! its entries are checked again: only a file next to the target, with the name of a temporary file, may replace it,
//! and nothing outside the workspace is renamed or removed.

use std::path::{Path, PathBuf};

use super::lookup::PathLookup;
use super::record::{self, FileRename, RenameState, StoredRecord, WriteRecord};
use super::refusal;
use crate::path::display;
use crate::{Sealer, is_unfinished};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// State of the record of a write.
#[derive(Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// There is no record.
    No,
    /// A write is under way, or was interrupted.
    Yes,
    /// There is a record that this user's refdesk did not write; this is its path.
    Foreign(PathBuf),
    /// There is a record that cannot be read.
    Unreadable(Error),
}

/// Outcome of a recovery.
#[derive(Debug, PartialEq, Eq)]
pub enum Recovered {
    /// There was nothing to recover, except for temporary files to remove.
    Nothing,
    /// The write was finished or undone; the diagnostic tells which.
    Reported(Diagnostic),
    /// There is a record that this user's refdesk did not write; this is its path. Nothing was done.
    Foreign(PathBuf),
    /// There is a record that cannot be read. Nothing was done, and no other record may replace it.
    Unreadable(Error),
}

/// Whether a write of several files is under way, or was interrupted.
pub fn interrupted(workspace: &Path, sealer: &Sealer) -> Interrupted {
    match WriteRecord::load(workspace, sealer) {
        StoredRecord::Nothing => Interrupted::No,
        StoredRecord::Own(_) | StoredRecord::Damaged(_) => Interrupted::Yes,
        StoredRecord::Foreign => Interrupted::Foreign(workspace.join(record::FILE)),
        StoredRecord::Unreadable(error) => Interrupted::Unreadable(error),
    }
}

/// Whether there is a record, of any origin.
pub fn has_record(workspace: &Path) -> bool {
    WriteRecord::exists(workspace)
}

/// Finishes or undoes an interrupted write of several files, and reports it. The caller holds the desk's lock, so no
/// other process is writing.
pub fn recover(workspace: &Path, sealer: &Sealer) -> Recovered {
    let damaged = |why: &str| {
        let aside = match WriteRecord::set_aside(workspace) {
            Ok(aside) => format!("it was renamed to {}", display(workspace, &aside)),
            Err(error) => format!("it could not be renamed: {error}"),
        };
        let message = format!("the record of an interrupted write is damaged ({why}), and {aside}");
        Recovered::Reported(Diagnostic::warning(Code::Damaged, message).fix("check the files that were being written"))
    };
    let record = match WriteRecord::load(workspace, sealer) {
        StoredRecord::Nothing => return Recovered::Nothing,
        StoredRecord::Foreign => return Recovered::Foreign(workspace.join(record::FILE)),
        StoredRecord::Damaged(why) => return damaged(&why),
        StoredRecord::Unreadable(error) => return Recovered::Unreadable(error),
        StoredRecord::Own(record) => record,
    };
    let real = record::real(workspace);
    if !record.files.iter().all(|step| is_valid(step, &real)) {
        return damaged("it names files that refdesk would never write");
    }
    let reported = finish_or_undo(&record, &real);
    Recovered::Reported(match WriteRecord::forget(workspace) {
        // No file had changed.
        Ok(()) if record.files.is_empty() => return Recovered::Nothing,
        Ok(()) => reported,
        Err(error) => {
            let message = format!("{}, but its record cannot be removed: {error}", reported.message);
            Diagnostic::error(Code::NotStored, message).fix("make .jaato/refdesk/ writable")
        }
    })
}

/// Brings all files to their new or to their old content, and reports which.
fn finish_or_undo(record: &WriteRecord, workspace: &Path) -> Diagnostic {
    let is_inside = |step: &FileRename| step.path.starts_with(workspace);
    let names = |steps: &[&FileRename]| steps.iter().map(|step| step.shown.as_str()).collect::<Vec<_>>().join(", ");
    let all: Vec<&FileRename> = record.files.iter().collect();
    let states: Vec<RenameState> = record.files.iter().map(FileRename::state).collect();
    let not_made: Vec<&FileRename> =
        all.iter().zip(&states).filter(|(_, state)| **state != RenameState::After).map(|(step, _)| *step).collect();
    if record.files.iter().all(|step| !step.staged.exists()) && not_made.len() < all.len() && !not_made.is_empty() {
        // No renames remain, so their owner may have changed the files long afterwards.
        inside(record, workspace).remove_temporary();
        let message = format!("a write was interrupted, and {} changed since then", names(&not_made));
        return Diagnostic::error(Code::WriteInterrupted, message).fix("check it, and write it again");
    }
    let begun = states.contains(&RenameState::After);
    let may_resume = not_made.iter().all(|step| is_inside(step)) && !states.contains(&RenameState::Neither);
    if begun && may_resume && finish(record, &states) {
        inside(record, workspace).remove_temporary();
        return Diagnostic::warning(Code::WriteFinished, format!("an interrupted write was finished: {}", names(&all)));
    }
    let stuck = undo(record, workspace);
    let text = format!("an interrupted write was undone: {}", names(&all));
    if stuck.is_empty() {
        return Diagnostic::warning(Code::WriteUndone, text).fix("write them again");
    }
    let stuck = stuck.join(", ");
    Diagnostic::error(Code::WriteUndone, format!("{text}. {stuck} changed since then and was left alone"))
        .fix("check the files that were left alone, and write them again")
}

/// Makes the remaining renames; if that fails, the write must be undone.
fn finish(record: &WriteRecord, states: &[RenameState]) -> bool {
    let mut left = record.files.iter().zip(states).filter(|(_, state)| **state == RenameState::Before);
    let mut lookup = PathLookup::default();
    left.all(|(step, _)| step.make(&mut lookup).is_ok())
}

/// Undoes the write inside the workspace; returns the files whose old content could not be restored.
fn undo(record: &WriteRecord, workspace: &Path) -> Vec<String> {
    let outside = record.files.iter().filter(|step| !step.path.starts_with(workspace));
    let mut stuck: Vec<String> =
        outside.filter(|step| step.state() == RenameState::After).map(|step| step.shown.clone()).collect();
    stuck.extend(inside(record, workspace).undo().into_iter().map(|step| step.shown.clone()));
    stuck
}

/// The part of a record inside the workspace.
fn inside(record: &WriteRecord, workspace: &Path) -> WriteRecord {
    let files = record.files.iter().filter(|step| step.path.starts_with(workspace)).cloned().collect();
    let is_ours = |folder: &&PathBuf| folder.starts_with(workspace) && refusal::may_resume(folder, workspace);
    let ours = |folders: &[PathBuf]| folders.iter().filter(is_ours).cloned().collect();
    WriteRecord { files, folders: ours(&record.folders), staging: ours(&record.staging) }
}

/// Whether a writer could have recorded this rename.
fn is_valid(step: &FileRename, workspace: &Path) -> bool {
    let is_beside = |path: &PathBuf| {
        path.parent().is_some() && path.parent() == step.path.parent() && path.file_name().is_some_and(is_unfinished)
    };
    refusal::may_resume(&step.path, workspace) && is_beside(&step.staged) && step.old.as_ref().is_none_or(is_beside)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::super::{PriorContent, record};
    use super::*;
    use crate::name::sha256_hex;
    use crate::{Durability, write_atomic};

    /// The workspace of a killed writer that had renamed this many of its three files. `0` existed before; the others
    /// are new.
    struct World {
        _root: tempfile::TempDir,
        path: PathBuf,
        record: WriteRecord,
        sealer: Sealer,
    }

    fn file(text: &str) -> PriorContent {
        PriorContent::File { size: text.len() as u64, hash: sha256_hex(text.as_bytes()) }
    }

    impl World {
        fn killed_after(renames: usize) -> Self {
            let root = tempfile::tempdir().unwrap();
            // The name of a workspace may be any bytes.
            let path = fs::canonicalize(root.path()).unwrap().join(OsStr::from_bytes(b"w\xff"));
            let put = |name: &str, text: &str| write_atomic(&path.join(name), text.as_bytes()).unwrap();
            put("dir/0", "old");
            put("dir/.refdesk-old.tmp", "old");
            for leader in ["dir/.refdesk-leader.tmp", "new/.refdesk-leader.tmp"] {
                put(leader, "");
            }
            let mut record = WriteRecord { folders: vec![path.join("new")], ..WriteRecord::default() };
            for at in 0..3 {
                let folder = if at == 2 { "new" } else { "dir" };
                let name = format!("{folder}/{at}");
                put(&format!("{folder}/.refdesk-{at}.tmp"), "mine");
                record.files.push(FileRename {
                    path: path.join(&name),
                    shown: name,
                    staged: path.join(format!("{folder}/.refdesk-{at}.tmp")),
                    old: (at == 0).then(|| path.join("dir/.refdesk-old.tmp")),
                    before: if at == 0 { file("old") } else { PriorContent::Nothing },
                    after: file("mine"),
                });
            }
            let sealer = Sealer::fixed(&path);
            record.store(&path, &sealer, Durability::SurvivesCrash).unwrap();
            record.files.iter().take(renames).for_each(|step| step.make(&mut PathLookup::default()).unwrap());
            Self { _root: root, path, record, sealer }
        }

        fn recover(&self) -> Diagnostic {
            match recover(&self.path, &self.sealer) {
                Recovered::Reported(reported) => reported,
                other => panic!("{other:?}"),
            }
        }

        fn put(&self, name: &str, text: &str) {
            write_atomic(&self.path.join(name), text.as_bytes()).unwrap();
        }

        /// The contents of the three files. Asserts that there are no others.
        fn files(&self) -> [String; 3] {
            for folder in ["dir", "new"] {
                let entries = fs::read_dir(self.path.join(folder)).into_iter().flatten();
                let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
                assert!(!names.iter().any(|name| is_unfinished(name)), "{names:?}");
            }
            assert!(!record::WriteRecord::exists(&self.path));
            ["dir/0", "dir/1", "new/2"].map(|name| fs::read_to_string(self.path.join(name)).unwrap_or_default())
        }
    }

    #[test]
    fn all_or_none_wherever_the_writer_died() {
        for (renames, code, expected) in [
            (0, "write-undone", ["old", "", ""]),
            (1, "write-finished", ["mine"; 3]),
            (2, "write-finished", ["mine"; 3]),
            (3, "write-finished", ["mine"; 3]),
        ] {
            let world = World::killed_after(renames);
            assert!(has_record(&world.path));
            let reported = world.recover();
            assert_eq!((reported.code.as_str(), world.files()), (code, expected.map(str::to_owned)), "{renames}");
            assert_eq!(world.path.join("new").exists(), renames > 0, "no folder stays that was made for nothing");
            assert_eq!(recover(&world.path, &world.sealer), Recovered::Nothing);
        }
    }

    /// It had written some of its temporary files, and changed nothing yet.
    #[test]
    fn a_writer_killed_while_it_stages_leaves_nothing() {
        for (is_synced, left) in [(true, 0), (false, 1)] {
            let world = World::killed_after(0);
            fs::remove_dir_all(world.path.join("new")).unwrap();
            let outside = tempfile::tempdir().unwrap();
            let outside = fs::canonicalize(outside.path()).unwrap().join(".refdesk-theirs.tmp");
            write_atomic(&outside, b"theirs").unwrap();
            let paths = ["dir/0", "new/deep/2"].map(|name| world.path.join(name));
            let record = WriteRecord::begun(paths.iter().chain([&outside]).map(PathBuf::as_path));
            assert_eq!(record.folders, ["new", "new/deep"].map(|name| world.path.join(name)));
            world.put("new/deep/.refdesk-0123.tmp", "half");
            record.store(&world.path, &world.sealer, Durability::Recreatable).unwrap();
            if !is_synced {
                world.put(record::FILE, "");
            }
            assert_eq!(interrupted(&world.path, &world.sealer), Interrupted::Yes);
            assert_eq!(recover(&world.path, &world.sealer), Recovered::Nothing);
            assert!(!has_record(&world.path) && outside.exists(), "{is_synced}");
            assert_eq!(fs::read_dir(world.path.join("new")).map_or(0, Iterator::count), left, "{is_synced}");
            if is_synced {
                assert_eq!(world.files(), ["old", "", ""].map(str::to_owned));
            }
        }
    }

    #[test]
    fn files_changed_since_are_kept_and_the_rest_undone() {
        let world = World::killed_after(1);
        world.put("dir/1", "theirs");
        let reported = world.recover();
        assert_eq!((reported.code.as_str(), world.files()), ("write-undone", ["old", "theirs", ""].map(str::to_owned)));
        assert!(reported.is_error() && reported.message.contains("dir/1 changed since"), "{reported:?}");
        let world = World::killed_after(2);
        world.put("dir/0", "theirs");
        assert_eq!(world.recover().code, Code::WriteUndone);
        assert_eq!(world.files(), ["theirs", "", ""]);
    }

    #[test]
    fn a_write_with_missing_files_cannot_be_finished() {
        let world = World::killed_after(1);
        fs::remove_file(&world.record.files[2].staged).unwrap();
        assert_eq!(world.recover().code, Code::WriteUndone);
        assert_eq!(world.files(), ["old", "", ""]);
    }

    #[test]
    fn a_note_that_outlived_its_write_removes_nothing() {
        let world = World::killed_after(3);
        world.put("dir/0", "edited");
        assert_eq!(world.recover().code, Code::WriteInterrupted);
        assert_eq!(world.files(), ["edited", "mine", "mine"]);
    }

    #[test]
    fn a_forged_note_does_only_what_a_writer_could_do() {
        let (elsewhere, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let outside = fs::canonicalize(outside.path()).unwrap().join("file");
        write_atomic(&outside, b"mine").unwrap();
        type Forge = fn(&mut WriteRecord, &Path);
        let forgeries: [Forge; 5] = [
            |record, elsewhere| record.files[1].staged = elsewhere.join(".refdesk-1.tmp"),
            |record, _| record.files[1].staged = record.files[1].path.with_file_name("1.tmp"),
            |record, elsewhere| record.files[0].old = Some(elsewhere.join(".refdesk-0.tmp")),
            |record, _| record.files[1].path = PathBuf::from("../dir/1"),
            |record, _| {
                let git = record.files[1].path.with_file_name(".git");
                record.files[1].path = git.join("config");
                record.files[1].staged = git.join(".refdesk-1.tmp");
            },
        ];
        for forge in forgeries {
            let mut world = World::killed_after(0);
            forge(&mut world.record, elsewhere.path());
            world.record.store(&world.path, &world.sealer, Durability::SurvivesCrash).unwrap();
            assert_eq!(world.recover().code, Code::Damaged);
            assert_eq!(fs::read_to_string(world.path.join("dir/0")).unwrap(), "old");
            assert!(world.path.join(".jaato/refdesk/write.json.damaged").exists());
        }
        // Nothing outside the workspace is removed, even if a record claims that the write created it.
        let mut world = World::killed_after(0);
        world.record.files[1].path.clone_from(&outside);
        world.record.files[1].staged = outside.with_file_name(".refdesk-1.tmp");
        fs::remove_file(&world.record.files[2].staged).unwrap();
        world.record.store(&world.path, &world.sealer, Durability::SurvivesCrash).unwrap();
        assert!(world.recover().is_error());
        assert_eq!(fs::read(&outside).unwrap(), b"mine");
        world.put(".jaato/refdesk/write.json", "{");
        assert_eq!(world.recover().code, Code::Damaged);
        use std::os::unix::fs::PermissionsExt;
        let aside = fs::metadata(world.path.join(".jaato/refdesk/write.json.damaged")).unwrap();
        assert_eq!(aside.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_note_behind_a_link_is_ignored() {
        for link in [".jaato", ".jaato/refdesk", ".jaato/refdesk/write.json"] {
            let world = World::killed_after(1);
            let elsewhere = tempfile::tempdir().unwrap();
            let moved = elsewhere.path().join("moved");
            fs::rename(world.path.join(link), &moved).unwrap();
            std::os::unix::fs::symlink(&moved, world.path.join(link)).unwrap();
            assert_eq!(interrupted(&world.path, &world.sealer), Interrupted::No, "{link}");
            assert!(!has_record(&world.path), "{link}");
            assert_eq!(recover(&world.path, &world.sealer), Recovered::Nothing, "{link}");
            assert!(moved.exists(), "{link}");
        }
    }
}
