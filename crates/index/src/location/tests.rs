//! What can exist at the location of an index, and how it is opened.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "tests plant files of any kind, and say what they skip"
)]

use std::fs;
use std::sync::Arc;

use super::*;
use crate::tests::{World, long};

fn built() -> World {
    let world = World::new();
    world.write("a.md", &long("retry"));
    world.update(vec![world.file("a", "a.md")]);
    world
}

#[test]
fn a_folder_that_cannot_be_written_is_read_without_other_files() {
    for (is_writable, log, expected) in [
        (true, None, OpenMode::Shared),
        (true, Some(0), OpenMode::Shared),
        (true, Some(4_096), OpenMode::Shared),
        (false, None, OpenMode::Immutable),
        (false, Some(0), OpenMode::Immutable),
        (false, Some(4_096), OpenMode::Shared),
    ] {
        assert_eq!(OpenMode::of(is_writable, log), expected, "{is_writable} {log:?}");
    }
}

#[test]
fn an_index_that_does_not_change_is_read_from_any_path() {
    let world = built();
    for name in ["plain", "a b?c#d%41&e=é+~"] {
        let workspace = world.path().join(name);
        fs::create_dir_all(workspace.join(STATE_FOLDER)).unwrap();
        fs::copy(world.location().path(), workspace.join(STATE_FOLDER).join(DATABASE)).unwrap();
        let location = Location::new(&workspace, Sealer::fixed(&workspace));
        let connection = location.open_for(OpenMode::Immutable).unwrap();
        let count: usize = connection.query_row("SELECT count(*) FROM documents", (), |row| row.get(0)).unwrap();
        assert_eq!(count, 2, "{name}");
        assert!(connection.execute("DELETE FROM documents", ()).is_err(), "{name}");
        let files = fs::read_dir(workspace.join(STATE_FOLDER)).unwrap().count();
        assert_eq!(files, 1, "{name}: nothing is made beside it");
    }
}

#[test]
fn a_log_in_a_folder_that_cannot_be_written_asks_to_make_it_writable() {
    use std::os::unix::fs::PermissionsExt;
    let world = built();
    let folder = world.path().join(STATE_FOLDER);
    let mode = |bits| fs::set_permissions(&folder, fs::Permissions::from_mode(bits)).unwrap();
    mode(0o500);
    // Root can write everywhere.
    if !is_writable(&folder) {
        assert_eq!(world.best("retry"), ["a"]);
        let refused = world.run(Vec::new(), false, &mut |_| true).unwrap_err();
        assert_eq!(refused.fix, Fix::from(MAKE_WRITABLE));
        fs::set_permissions(world.location().path(), fs::Permissions::from_mode(0o000)).unwrap();
        let refused = world.location().read().map(drop).unwrap_err();
        assert_eq!(refused.fix, Fix::from(MAKE_READABLE));
    }
    mode(0o700);
}

#[test]
fn an_index_that_cannot_be_opened_is_named_once() {
    let location = World::new().location();
    let path = location.path().display().to_string();
    let denied = io::Error::new(io::ErrorKind::PermissionDenied, format!("{path}: Permission denied"));
    let full = io::Error::from(io::ErrorKind::StorageFull);
    for (error, fix) in [
        (location.failed(Code::IndexUnreadable, &denied), MAKE_READABLE),
        (location.failed(Code::IndexUnwritable, &denied), MAKE_WRITABLE),
        (location.failed(Code::IndexUnwritable, &full), "free some disk space"),
        // Its folder is missing.
        (location.open_for(OpenMode::Shared).map(drop).unwrap_err(), MAKE_READABLE),
    ] {
        assert_eq!(error.message.matches(&path).count(), 1, "{error}");
        assert!(error.message.contains("cannot be used: "), "{error}");
        assert_eq!(error.fix, Fix::from(fix), "{error}");
    }
}

#[test]
fn an_empty_file_is_no_index() {
    let world = built();
    fs::File::options().write(true).open(world.location().path()).unwrap().set_len(0).unwrap();
    assert!(world.location().read().unwrap().is_none() && !world.location().is_present().unwrap());
    let report = world.run(vec![world.file("a", "a.md")], false, &mut |_| true).unwrap().unwrap();
    assert!(!report.is_replaced && !report.is_set_aside, "{report:?}");
    assert_eq!(world.best("retry"), ["a"]);
}

/// Opening the file in another program must not cost the user the index.
#[test]
fn an_index_that_another_process_holds_is_not_taken_for_damaged() {
    for (held_by, is_read) in [
        ("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM vectors", false),
        ("PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM documents", false),
        ("BEGIN IMMEDIATE", true),
    ] {
        let world = built();
        let folder = world.path().join(STATE_FOLDER);
        let other = Connection::open(world.location().path()).unwrap();
        other.execute_batch(held_by).unwrap();
        let held = world.location().write(false, true).map(|_| ());
        if is_read {
            // Only writers have to wait.
            assert!(held.is_ok(), "{held_by}: {held:?}");
            world.write("a.md", &long("timeout"));
        }
        let refused = world.run(vec![world.file("a", "a.md")], false, &mut |_| true).unwrap_err();
        assert!(refused.message.ends_with("is in use by another process"), "{held_by}: {}", refused.message);
        assert_eq!(refused.fix, Fix::from("try again when that process has finished"));
        if !is_read {
            assert_eq!(world.location().read().err().map(|it| it.message), Some(refused.message), "{held_by}");
        }
        let is_set_aside = |name: &str| name.contains(".aside") || name.starts_with(UNFINISHED);
        let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
        assert_eq!(names.filter(|name| is_set_aside(name)).count(), 0, "{held_by}");
        other.execute_batch("ROLLBACK").ok();
        drop(other);
        assert_eq!(world.best("retry"), ["a"], "{held_by}: the same index as before");
        assert!(!world.location().write(false, true).unwrap().unwrap().is_replaced, "{held_by}");
    }
}

#[test]
fn an_index_stays_until_the_new_one_is_complete() {
    let world = built();
    let sources = || vec![world.file("a", "a.md")];
    let folder = world.path().join(STATE_FOLDER);
    let making = || {
        let names = fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.starts_with(UNFINISHED)).count()
    };
    world.write("a.md", &long("timeout"));
    let stopped = world.run(sources(), true, &mut |_| {
        assert!(making() > 0);
        assert_eq!(world.best("retry"), ["a"], "while it is made");
        false
    });
    let stopped = stopped.unwrap().unwrap();
    assert_eq!((stopped.added, stopped.documents, making()), (0, 2, 0));
    assert_eq!(world.best("retry"), ["a"], "after it was stopped");
    // Files as left by a killed run.
    for is_fresh in [false, true] {
        for end in ["", "-wal", "-shm", "-journal"] {
            fs::write(folder.join(format!("{UNFINISHED}{end}")), "left").unwrap();
        }
        world.run(sources(), is_fresh, &mut |_| true).unwrap().unwrap();
        assert_eq!((world.best("timeout"), making()), (vec!["a".to_owned()], 0), "{is_fresh}");
    }
}

#[test]
fn folders_links_and_pipes_in_place_of_its_files_are_set_aside() {
    use rustix::fs::{CWD, FileType, mknodat};
    for name in [DATABASE, LOG, SHARED_MEMORY, JOURNAL, RECORD, LOCK, UNFINISHED] {
        for kind in ["pipe", "folder", "link"] {
            let world = built();
            let folder = world.path().join(STATE_FOLDER);
            // An earlier set-aside folder, which must stay.
            fs::create_dir_all(folder.join(format!("{name}.aside"))).unwrap();
            let _ = fs::remove_file(folder.join(name));
            match kind {
                "pipe" => mknodat(CWD, folder.join(name), FileType::Fifo, 0o600.into(), 0).unwrap(),
                "folder" => fs::create_dir_all(folder.join(name).join("theirs")).unwrap(),
                _ => std::os::unix::fs::symlink(world.path().join("a.md"), folder.join(name)).unwrap(),
            }
            let theirs = fs::symlink_metadata(folder.join(name)).unwrap().file_type();
            let read = world.location().read().map(|found| found.is_some()).map_err(|error| error.code);
            let is_harmless = [LOCK, UNFINISHED].contains(&name);
            assert_eq!(read, if is_harmless { Ok(true) } else { Err(Code::IndexForeign) }, "{name}: {kind}");
            world.run(vec![world.file("a", "a.md")], kind == "pipe", &mut |_| true).unwrap().unwrap();
            assert_eq!(world.best("retry"), ["a"], "{name}: {kind}");
            let kept = fs::symlink_metadata(folder.join(format!("{name}.aside-2"))).map(|found| found.file_type());
            assert_eq!(kept.ok(), Some(theirs), "{name}: {kind}");
        }
    }
}

/// A process of the same user keeps swapping the folder for a link to a folder with files of the same names.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_written_through_a_link_that_appears_meanwhile() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::Index;
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    const ROUNDS: usize = 60;
    let (world, other) = (built(), tempfile::tempdir().unwrap());
    let (folder, link) = (world.path().join(STATE_FOLDER), world.path().join("link"));
    let names = [DATABASE, LOG, SHARED_MEMORY, JOURNAL, UNFINISHED, "index.db.new-journal", "index.db.new-wal"];
    names.iter().for_each(|name| fs::write(other.path().join(name), name).unwrap());
    let is_held = Folder::root(&folder).unwrap().confine(|| fs::write(other.path().join("x"), "").is_err()).unwrap();
    if !is_held {
        eprintln!("skipped: this kernel cannot hold a thread to a folder");
        return;
    }
    std::os::unix::fs::symlink(other.path(), &link).unwrap();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        for round in 0..ROUNDS {
            // In most rounds the folder is a link, and the run is refused.
            let _ = world.run(vec![world.file("a", "a.md")], round % 2 == 0, &mut |_| true);
            if let Ok(Some(index)) = Index::open(&world.location(), Arc::default()) {
                let _ = index.status("letters", &[]);
            }
        }
        is_done.store(true, Ordering::Relaxed);
    });
    let mut found: Vec<_> = fs::read_dir(other.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    found.sort();
    let mut expected = names;
    expected.sort_unstable();
    assert_eq!(found, expected);
    for name in names {
        assert_eq!(fs::read_to_string(other.path().join(name)).unwrap(), name);
    }
}
