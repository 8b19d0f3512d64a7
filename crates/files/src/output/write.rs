//! The write itself, all or nothing: every file is first written in full next to its path, then all are renamed. For
//! several files, both steps are recorded first (see `record`), so that the next process can recover if the writer is
//! killed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

use super::lookup::PathLookup;
use super::propose::{conflicts, refresh_proposal};
use super::record::{FileRename, WriteRecord, remove_folders, write_failed};
use super::sync::sync;
use super::{PriorContent, Proposal, WriteFailure, WrittenFile, refusal};
use crate::name::sha256_hex;
use crate::{Batch, Durability, FileMode, Folder, LOCK_TIMEOUT, Lock, Sealer, Staged};
use refdesk_text::{Code, Error};

/// From this many files in one folder on, they form one batch, so that only a few files stay open.
const BATCH: usize = 32;

/// The most files listed in an error.
const NAMED: usize = 5;

/// Writes every proposal, or none. For several proposals, the caller holds the desk's lock. Without a key to seal the
/// record, an interrupted write of several files cannot be recovered.
///
/// # Errors
/// A file has changed since it was proposed, or cannot be written.
pub fn write(workspace: &Path, sealer: &Sealer, proposals: &[Proposal]) -> Result<Vec<WrittenFile>, WriteFailure> {
    if let Some((_, _, refused)) = conflicts(&proposals.iter().collect::<Vec<_>>()).into_iter().next() {
        return Err(refused.into());
    }
    check_unchanged(proposals)?;
    let wanted: Vec<&Proposal> = proposals.iter().filter(|proposal| !proposal.is_unchanged()).collect();
    let is_noted = wanted.len() > 1 && sealer.key_or_new().is_ok();
    let store = |record: &WriteRecord, lasting| {
        let stored = if is_noted { record.store(workspace, sealer, lasting) } else { Ok(()) };
        stored.map_err(|error| write_failed("the record of this write", &error))
    };
    // Not synced: a killed writer leaves it all the same, and syncing would take as long as that of the next record.
    store(&WriteRecord::begun(wanted.iter().map(|proposal| proposal.path.as_path())), Durability::Recreatable)?;
    let mut folders = Vec::new();
    let written = stage(&wanted, &mut folders).map_err(WriteFailure::from).and_then(|staged| {
        // Two writers may both find a file unchanged, but only one of them may then replace it.
        let _held = hold(&wanted)?;
        // Check again: staging takes time, and folders that did not exist could not be checked before.
        check_unchanged(proposals)?;
        let record = record_of(&staged, &folders);
        store(&record, Durability::SurvivesCrash)?;
        let renamed = rename(&record);
        if renamed.is_ok() {
            staged.into_iter().for_each(|ready| ready.new.mark_renamed());
        } else {
            drop(staged);
        }
        renamed.map_err(WriteFailure::from)
    });
    // Last, so that recovery can remove everything left by an earlier killed writer. If removing the record fails, it
    // describes renames that were finished or never made, which recovery recognizes.
    if is_noted {
        let _ = WriteRecord::forget(workspace);
    }
    if let Err(failure) = written {
        remove_folders(&folders);
        return Err(failure);
    }
    let written_to: BTreeSet<&Path> = wanted.iter().filter_map(|proposal| proposal.path.parent()).collect();
    for folder in written_to {
        // Stale files are harmless; the next writer here tries again.
        let _ = Folder::real(folder).and_then(|folder| folder.sweep_dead());
    }
    Ok(proposals.iter().map(written_of).collect())
}

impl From<Error> for WriteFailure {
    fn from(refused: Error) -> Self {
        Self { refused, current: Vec::new() }
    }
}

fn written_of(proposal: &Proposal) -> WrittenFile {
    let bytes = if proposal.is_unchanged() { 0 } else { proposal.text.len() };
    WrittenFile { shown: proposal.shown.clone(), bytes, lines: proposal.text.lines().count() }
}

/// Locks the folders of these files until the result is dropped, as every other writer does.
pub(super) fn hold(proposals: &[&Proposal]) -> Result<Vec<Lock>, Error> {
    // In order, so that two writers of the same folders cannot deadlock.
    let above: BTreeMap<&Path, &str> =
        proposals.iter().filter_map(|it| Some((it.path.parent()?, it.shown.as_str()))).collect();
    let held = above.into_iter().map(|(path, shown)| {
        // A folder that is gone or has become a link is refused later.
        let Ok(folder) = Folder::real(path) else { return Ok(None) };
        folder.hold_for_writing(LOCK_TIMEOUT).map_err(|error| write_failed(shown, &error))
    });
    held.filter_map(Result::transpose).collect()
}

/// A file ready to be renamed, and a second name of the file that it replaces.
pub(super) struct StagedProposal<'a> {
    pub proposal: &'a Proposal,
    folder: Folder,
    batch: Option<Batch>,
    pub new: Staged,
    old: Option<Staged>,
}

/// Writes every file next to its path. On an error, only the created `folders` remain.
fn stage<'a>(wanted: &[&'a Proposal], folders: &mut Vec<PathBuf>) -> Result<Vec<StagedProposal<'a>>, Error> {
    let mut ready: Vec<StagedProposal<'a>> = Vec::with_capacity(wanted.len());
    let mut in_folder: HashMap<Option<&Path>, usize> = HashMap::new();
    wanted.iter().for_each(|proposal| *in_folder.entry(proposal.path.parent()).or_default() += 1);
    // For each: the new file, the old one, and possibly a folder.
    let of_files: usize = in_folder.values().map(|count| 3 * count.min(&BATCH)).sum();
    allow_open_files(of_files + in_folder.len());
    let mut reached: HashMap<Option<&Path>, (Folder, Option<Batch>)> = HashMap::new();
    // Several files are synced together later: one by one takes twenty times as long.
    let lasting = if wanted.len() > 1 { Durability::Recreatable } else { Durability::SurvivesCrash };
    for proposal in wanted {
        let above = proposal.path.parent();
        let mut staged = || {
            let (folder, batch) = match reached.get(&above) {
                Some(known) => known.clone(),
                None => {
                    let folder = make_folders(&proposal.path, folders)?;
                    let is_batch = in_folder.get(&above).is_some_and(|count| *count >= BATCH);
                    let batch = is_batch.then(|| Batch::new(&folder)).transpose()?;
                    reached.insert(above, (folder.clone(), batch.clone()));
                    (folder, batch)
                }
            };
            let (name, bytes) = (proposal.path.file_name().unwrap_or_default(), proposal.text.as_bytes());
            let new = match &batch {
                Some(batch) => batch.stage(name, bytes)?,
                None => folder.stage(name, bytes, FileMode::Default, lasting)?,
            };
            Ok(StagedProposal { proposal, folder, batch, new, old: None })
        };
        ready.push(staged().map_err(|error| write_failed(&proposal.shown, &error))?);
    }
    if ready.len() > 1 {
        sync(&ready)?;
        // A single rename is atomic; of several, those already made may have to be undone.
        for ready in ready.iter_mut().filter(|ready| ready.proposal.before != PriorContent::Nothing) {
            let proposal = ready.proposal;
            let name = proposal.path.file_name().unwrap_or_default();
            let second = match &ready.batch {
                Some(batch) => batch.second(name),
                None => ready.folder.stage_hard_link(name),
            };
            ready.old = Some(second.map_err(|error| write_failed(&proposal.shown, &error))?);
        }
    }
    Ok(ready)
}

/// Raises the limit of open files by this many, as far as the system allows: staged files stay open until their rename.
fn allow_open_files(more: usize) {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = u64::try_from(more).unwrap_or(u64::MAX).saturating_add(256);
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(limit.maximum.map_or(wanted, |maximum| wanted.min(maximum)));
        // If this fails, opening too many files reports the error.
        let _ = setrlimit(Resource::Nofile, limit);
    }
}

/// Opens the folder of a file, creating missing folders one by one to record in `made` which were created.
pub(super) fn make_folders(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<Folder> {
    let root = path.ancestors().last().unwrap_or(path);
    let below = path.parent().and_then(|folder| folder.strip_prefix(root).ok()).unwrap_or(Path::new(""));
    below.iter().try_fold(Folder::real(root)?, |folder, name| {
        let (child, is_made) = folder.make_child(name, FileMode::Default)?;
        made.extend(is_made.then(|| child.path().to_path_buf()));
        Ok(child)
    })
}

fn record_of(ready: &[StagedProposal<'_>], folders: &[PathBuf]) -> WriteRecord {
    let files = ready.iter().map(|ready| {
        let Proposal { path, shown, text, before, .. } = ready.proposal;
        let after = PriorContent::File { size: text.len() as u64, hash: sha256_hex(text.as_bytes()) };
        let (staged, old) = (ready.new.path(), ready.old.as_ref().map(Staged::path));
        FileRename { path: path.clone(), shown: shown.clone(), staged, old, before: before.clone(), after }
    });
    WriteRecord { files: files.collect(), folders: folders.to_vec(), staging: Vec::new() }
}

/// Makes every rename, or none.
fn rename(record: &WriteRecord) -> Result<(), Error> {
    let mut lookup = PathLookup::default();
    for (at, step) in record.files.iter().enumerate() {
        if let Err(mut refused) = step.make(&mut lookup) {
            let made = WriteRecord { files: record.files.iter().take(at).cloned().collect(), ..WriteRecord::default() };
            let stuck: Vec<&str> = made.undo().iter().map(|step| step.shown.as_str()).collect();
            if !stuck.is_empty() {
                refused.message.push_str(&format!("; {} could not be undone", stuck.join(", ")));
            }
            return Err(refused);
        }
    }
    Ok(())
}

/// Checks that no file has changed since it was proposed.
pub(super) fn check_unchanged(proposals: &[Proposal]) -> Result<(), WriteFailure> {
    let mut changed: Vec<&str> = Vec::new();
    let mut lookup = PathLookup::default();
    for proposal in proposals {
        let Proposal { path, shown, .. } = proposal;
        let folder = refusal::check_existing(&mut lookup, path, shown)?;
        let now = PriorContent::read_in(folder.as_ref(), path).map_err(|error| refusal::unreadable(shown, &error))?.0;
        if now != proposal.before {
            changed.push(&proposal.shown);
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    let named = changed.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = changed.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more files") } else { String::new() };
    let message = format!("{named}{more} changed after the difference was shown");
    let refused = Error::new(Code::Changed, message, "check the new difference, and try again");
    Err(WriteFailure { refused, current: proposals.iter().map(refresh_proposal).collect::<Result<_, _>>()? })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Scope, propose};
    use super::*;
    use crate::write_atomic;

    struct World {
        _root: tempfile::TempDir,
        path: PathBuf,
        sealer: Sealer,
    }

    impl World {
        fn new() -> Self {
            let root = tempfile::tempdir().unwrap();
            let path = fs::canonicalize(root.path()).unwrap();
            let sealer = Sealer::fixed(&path);
            Self { _root: root, path, sealer }
        }

        fn put(&self, path: &str, text: &str) {
            write_atomic(&self.path.join(path), text.as_bytes()).unwrap();
        }

        fn propose(&self, rows: &[(&str, &str)]) -> Vec<Proposal> {
            let propose = |(path, text): &(&str, &str)| propose(&self.path, &self.path, path, text, Scope::Workspace);
            rows.iter().map(|row| propose(row).unwrap()).collect()
        }

        /// Every file with its content, and every empty folder, except refdesk's own.
        fn listing(&self) -> Vec<String> {
            let mut open = vec![self.path.clone()];
            let mut found = Vec::new();
            while let Some(folder) = open.pop() {
                let entries: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
                let name = |path: &Path| path.strip_prefix(&self.path).unwrap().display().to_string();
                if entries.is_empty() && folder != self.path && !name(&folder).starts_with(".jaato") {
                    found.push(format!("{}/", name(&folder)));
                }
                for path in entries {
                    if path.is_dir() {
                        open.push(path);
                    } else {
                        found.push(format!("{}={}", name(&path), fs::read_to_string(&path).unwrap()));
                    }
                }
            }
            found.sort();
            found
        }
    }

    #[test]
    fn one_and_several_are_written_with_their_folders() {
        let world = World::new();
        world.put("old", "old");
        world.put("same", "same");
        let rows = [("old", "new\nlines\n"), ("a/b/c", "c"), ("a/b/d", ""), ("same", "same")];
        let written = write(&world.path, &world.sealer, &world.propose(&rows)).unwrap();
        let counts: Vec<(&str, usize, usize)> =
            written.iter().map(|it| (it.shown.as_str(), it.bytes, it.lines)).collect();
        assert_eq!(counts, [("old", 10, 2), ("a/b/c", 1, 1), ("a/b/d", 0, 0), ("same", 0, 1)]);
        assert_eq!(world.listing(), ["a/b/c=c", "a/b/d=", "old=new\nlines\n", "same=same"]);
        write(&world.path, &world.sealer, &world.propose(&[("x/y", "y")])).unwrap();
        assert_eq!(world.listing().len(), 5);
        assert_eq!(write(&world.path, &world.sealer, &[]).unwrap(), []);
    }

    #[test]
    fn more_files_than_are_synced_one_by_one() {
        let world = World::new();
        world.put("b/0", "old");
        let names: Vec<String> =
            ["a", "b", "a/c"].iter().flat_map(|it| (0..70).map(move |n| format!("{it}/{n}"))).collect();
        let rows: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "new")).collect();
        assert_eq!(write(&world.path, &world.sealer, &world.propose(&rows)).unwrap().len(), 210);
        let listing = world.listing();
        assert!(listing.len() == 210 && listing.iter().all(|it| it.ends_with("=new")), "{listing:?}");
    }

    #[test]
    fn a_file_changed_since_is_refused_with_the_new_difference() {
        type Change = fn(&World);
        let changes: [(Change, &str, &[&str]); 5] = [
            (|world| world.put("old", "theirs"), "changed", &["old=theirs"]),
            (|world| fs::remove_file(world.path.join("old")).unwrap(), "changed", &[]),
            (|world| world.put("new/file", "theirs"), "changed", &["new/file=theirs", "old=old"]),
            (|world| world.put("new", "theirs"), "below-a-file", &["new=theirs", "old=old"]),
            (|world| fs::create_dir_all(world.path.join("new/file")).unwrap(), "is-folder", &["new/file/", "old=old"]),
        ];
        for (change, code, expected) in changes {
            let world = World::new();
            world.put("old", "old");
            let proposals = world.propose(&[("old", "mine\n"), ("new/file", "mine\n")]);
            change(&world);
            let failure = write(&world.path, &world.sealer, &proposals).unwrap_err();
            assert_eq!(failure.refused.code.as_str(), code);
            assert_eq!(world.listing(), expected);
            if code == "changed" {
                // The new proposals can be approved.
                write(&world.path, &world.sealer, &failure.current).unwrap();
                assert_eq!(world.listing(), ["new/file=mine\n", "old=mine\n"]);
            }
        }
    }

    #[test]
    fn a_folder_that_became_a_link_is_refused() {
        let (world, elsewhere) = (World::new(), World::new());
        world.put("dir/keep", "x");
        let proposals = world.propose(&[("dir/new", "mine")]);
        fs::rename(world.path.join("dir"), world.path.join("moved")).unwrap();
        std::os::unix::fs::symlink(&elsewhere.path, world.path.join("dir")).unwrap();
        assert_eq!(write(&world.path, &world.sealer, &proposals).unwrap_err().refused.code, Code::Moved);
        assert_eq!(elsewhere.listing(), Vec::<String>::new());
    }

    /// The folder is replaced with a link after the new content was staged in it.
    #[test]
    fn a_folder_that_becomes_a_link_before_the_rename_is_refused() {
        for names in [&["dir/new"][..], &["dir/old"], &["dir/old", "dir/new", "other/new"]] {
            let (world, elsewhere) = (World::new(), World::new());
            world.put("dir/old", "old");
            elsewhere.put("old", "theirs");
            let proposals = world.propose(&names.iter().map(|name| (*name, "mine")).collect::<Vec<_>>());
            let wanted: Vec<&Proposal> = proposals.iter().collect();
            let mut folders = Vec::new();
            let ready = stage(&wanted, &mut folders).unwrap();
            fs::rename(world.path.join("dir"), world.path.join("moved")).unwrap();
            std::os::unix::fs::symlink(&elsewhere.path, world.path.join("dir")).unwrap();
            assert_eq!(rename(&record_of(&ready, &folders)).unwrap_err().code, Code::Moved, "{names:?}");
            drop(ready);
            assert_eq!(elsewhere.listing(), ["old=theirs"]);
            assert_eq!(fs::read_dir(world.path.join("moved")).unwrap().count(), 1, "nothing stays beside it");
        }
    }

    /// All the time, the folder is swapped for a link and back.
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn no_race_writes_through_a_link() {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        let (world, elsewhere) = (World::new(), World::new());
        world.put("dir/old", "old");
        elsewhere.put("old", "theirs");
        std::os::unix::fs::symlink(&elsewhere.path, world.path.join("link")).unwrap();
        let (dir, link) = (world.path.join("dir"), world.path.join("link"));
        let is_over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                    renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                }
            });
            for round in 0..300 {
                let text = format!("{round}");
                let propose = |path: &str| propose(&world.path, &world.path, path, &text, Scope::Workspace);
                let proposed = [propose("dir/old"), propose("dir/new/x")].into_iter().collect::<Result<Vec<_>, _>>();
                if let Ok(proposals) = proposed {
                    let at = round % 2;
                    let _ = write(&world.path, &world.sealer, &proposals[at..=at]);
                }
            }
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        assert_eq!(elsewhere.listing(), ["old=theirs"]);
    }

    /// The last rename fails after all checks have passed.
    #[test]
    fn a_failure_midway_restores_what_was_there() {
        for several in [false, true] {
            let world = World::new();
            world.put("old", "old");
            let mut proposals = world.propose(&[("old", "mine"), ("new/one", "mine"), ("new/two", "mine")]);
            if !several {
                proposals = proposals.split_off(2);
            }
            let wanted: Vec<&Proposal> = proposals.iter().collect();
            let mut folders = Vec::new();
            let ready = stage(&wanted, &mut folders).unwrap();
            world.put("new/two", "theirs");
            let failed = rename(&record_of(&ready, &folders)).unwrap_err();
            drop(ready);
            remove_folders(&folders);
            assert_eq!(failed.code, Code::NotWritten, "{failed:?}");
            assert_eq!(world.listing(), ["new/two=theirs", "old=old"]);
        }
    }

    #[test]
    fn a_failed_staging_leaves_nothing() {
        let world = World::new();
        let name = "n".repeat(250);
        world.put(&format!("taken/{name}"), "x");
        let mut proposals = world.propose(&[("new/deep/one", "mine"), (&format!("taken/{name}"), "mine")]);
        // The folder cannot be created, because a file has its name.
        proposals[1].path = world.path.join(format!("taken/{name}/below"));
        let wanted: Vec<&Proposal> = proposals.iter().collect();
        let mut folders = Vec::new();
        assert!(stage(&wanted, &mut folders).is_err());
        remove_folders(&folders);
        assert_eq!(world.listing(), [format!("taken/{name}=x")]);
    }

    #[test]
    fn concurrent_writers_leave_one_complete_file() {
        let world = World::new();
        let texts: Vec<String> = (0..8).map(|at| format!("{at}\n").repeat(20_000)).collect();
        let written: usize = std::thread::scope(|scope| {
            let writers: Vec<_> = texts
                .iter()
                .map(|text| {
                    let world = &world;
                    scope.spawn(move || write(&world.path, &world.sealer, &world.propose(&[("a/file", text)])).is_ok())
                })
                .collect();
            writers.into_iter().map(|writer| usize::from(writer.join().unwrap())).sum()
        });
        let stands = fs::read_to_string(world.path.join("a/file")).unwrap();
        assert!(written > 0 && texts.contains(&stands), "{written}");
        assert_eq!(world.listing().len(), 1);
    }

    #[test]
    fn the_next_writer_sweeps_leftovers_of_dead_ones() {
        let world = World::new();
        world.put("dir/.refdesk-dead.tmp", "half");
        world.put("other/.refdesk-dead.tmp", "half");
        write(&world.path, &world.sealer, &world.propose(&[("dir/file", "mine")])).unwrap();
        assert_eq!(world.listing(), ["dir/file=mine", "other/.refdesk-dead.tmp=half"]);
    }
}
