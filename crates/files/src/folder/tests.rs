//! Links are never followed, and an open folder stays the same folder.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::Durability;
use crate::path::is_absent;
use crate::testing::{link, pipe, tree};

/// `in/file`, `out/`, links to both, dangling links, link loops and a pipe.
fn world() -> (tempfile::TempDir, PathBuf) {
    let (folder, root) = tree(&["w/in/file", "out/secret"]);
    let links = [
        ("in", "inside"),
        ("../out", "outside"),
        ("nowhere", "dangling"),
        ("loop", "loop"),
        ("in/file", "last"),
        ("file", "in/beside"),
    ];
    link(&root.join("w"), &links);
    pipe(&root.join("w/in/pipe"));
    (folder, root)
}

#[test]
fn no_link_below_a_root_is_followed() {
    let (_root, real) = world();
    symlink("w", real.join("alias")).unwrap();
    for named in ["w", "alias"] {
        let root = Folder::root(&real.join(named)).unwrap();
        for (path, expected) in [
            ("in", "fine"),
            ("./in", "fine"),
            ("", "fine"),
            ("none", "absent"),
            ("inside", "inside is a symbolic link"),
            ("inside/deeper", "inside is a symbolic link"),
            ("outside", "outside is a link out of the workspace"),
            ("dangling", "dangling is a link out"),
            ("loop/x", "loop is a link out"),
            ("last", "last is a symbolic link"),
            ("in/file", "in/file: "),
            ("in/../in", "not a path below"),
            ("/etc", "not a path below"),
        ] {
            let reported = |error: io::Error| {
                if is_absent(&error) && path == "none" { "absent".to_owned() } else { error.to_string() }
            };
            for opened in [root.below(Path::new(path)), root.make(Path::new(path), FileMode::Default)] {
                let reported = opened.map_or_else(reported, |_| "fine".to_owned());
                let is_made = path == "none" && reported == "fine";
                assert!(reported.contains(expected) || is_made, "{named}/{path}: {reported}");
            }
            let _ = root.remove_folder("none");
        }
    }
    assert!(!real.join("w/nowhere").exists());
}

#[test]
fn only_regular_files_are_opened() {
    let (_root, real) = world();
    let folder = Folder::root(&real.join("w/in")).unwrap();
    fs::create_dir(real.join("w/in/folder")).unwrap();
    symlink("none", real.join("w/in/dangling")).unwrap();
    for name in ["beside", "dangling", "folder", "pipe", "..", ".", "", "a/b", "/etc/passwd"] {
        let lock = folder.open_lock(OsStr::new(name));
        let opened = [folder.open(name), folder.append(name), lock].map(|opened| opened.map(drop));
        for outcome in opened.into_iter().chain([folder.metadata(name).map(drop)]) {
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains(name), "{name}: {error}");
        }
    }
    assert!(!real.join("w/in/none").exists());
    folder.append("new").unwrap().write_all(b"x").unwrap();
    assert_eq!(fs::metadata(real.join("w/in/new")).unwrap().permissions().mode() & 0o777, 0o600);
    let open = folder.open("file").unwrap();
    assert!(folder.holds("file", &open) && !folder.holds("new", &open) && !folder.holds("none", &open));
    for (name, limit, expected) in [("file", 5, (b"12345".to_vec(), false)), ("file", 4, (b"1234".to_vec(), true))] {
        assert_eq!(folder.read(name, limit).unwrap(), expected);
    }
}

/// SQLite holds such locks on a database while its identity is checked.
#[cfg(target_os = "linux")]
#[test]
fn metadata_releases_no_lock_of_this_process() {
    use std::os::unix::fs::MetadataExt;
    let (_root, real) = world();
    let folder = Folder::root(&real.join("w/in")).unwrap();
    let locked = folder.append("file").unwrap();
    rustix::fs::fcntl_lock(&locked, rustix::fs::FlockOperation::NonBlockingLockExclusive).unwrap();
    let metadata = folder.metadata("file").unwrap();
    assert_eq!(metadata.len(), 5);
    let locks = fs::read_to_string("/proc/locks").unwrap();
    let ours = format!(":{} ", metadata.ino());
    assert!(locks.lines().any(|lock| lock.contains("POSIX") && lock.contains(&ours)), "{locks}");
}

/// For each step, the folder is replaced with a link after it was opened.
#[test]
fn an_open_folder_stays_the_same() {
    type Step = fn(&Folder) -> io::Result<()>;
    let steps: [(&str, Step); 9] = [
        ("write", |folder| folder.write("new", b"mine", FileMode::Default, Durability::SurvivesCrash)),
        ("publish", |folder| folder.publish("new", b"mine", FileMode::Private).map(drop)),
        ("append", |folder| folder.append("new").map(drop)),
        ("rename", |folder| folder.rename("file", "secret")),
        ("rename_new", |folder| folder.rename_new("file", "new")),
        ("make", |folder| folder.make(Path::new("new/deep"), FileMode::Default).map(drop)),
        ("second", |folder| folder.stage_hard_link("file").map(drop)),
        ("remove", |folder| folder.remove_file("file")),
        ("read", |folder| folder.read("file", 9).map(|read| assert_eq!(read.0, b"12345"))),
    ];
    for (name, step) in steps {
        let (_root, real) = world();
        let folder = Folder::root(&real.join("w")).unwrap().below(Path::new("in")).unwrap();
        fs::rename(real.join("w/in"), real.join("w/moved")).unwrap();
        symlink("../out", real.join("w/in")).unwrap();
        step(&folder).unwrap();
        let outside: Vec<OsString> =
            fs::read_dir(real.join("out")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(
            (outside, fs::read(real.join("out/secret")).unwrap()),
            (vec!["secret".into()], b"12345".to_vec()),
            "{name}"
        );
        assert!(
            folder.below(Path::new("..")).is_err() && Folder::of(&real.join("w"), &real.join("w/in/file")).is_err()
        );
    }
}

/// While files are written, a folder is swapped for a link and back; nothing may be written outside.
#[test]
fn a_folder_swapped_for_a_link_is_never_followed() {
    let (_root, real) = world();
    let is_over = std::sync::atomic::AtomicBool::new(false);
    symlink("../out", real.join("w/swap")).unwrap();
    let (dir, swap) = (real.join("w/in"), real.join("w/swap"));
    let exchange = || {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, &dir, CWD, &swap, RenameFlags::EXCHANGE).unwrap();
    };
    let (mut written, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                exchange();
            }
        });
        for _ in 0..2_000 {
            let write = || {
                let (folder, name) = Folder::create_parent_of(&real.join("w"), &real.join("w/in/deep/new"))?;
                folder.write(&name, b"mine", FileMode::Default, Durability::Recreatable)?;
                folder.remove_file(&name)
            };
            match write() {
                Ok(()) => written += 1,
                Err(_) => refused += 1,
            }
        }
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(fs::read_dir(real.join("out")).unwrap().count(), 1, "{written} written, {refused} refused");
}
