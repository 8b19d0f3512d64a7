//! The law of the mention cache: whatever is edited without its knowledge, a desk that uses the cache has the same
//! state as one that reads every document.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{Desk, Options};
use refdesk_core::config::WorkspaceContext;
use refdesk_files::{stamp, write_atomic};

const ROUNDS: usize = 240;

/// Late enough for every document to count as settled, so that only a file's identity can reveal stale mentions.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_secs(3600)
}

/// A small random generator with a fixed seed, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

struct World {
    _folder: tempfile::TempDir,
    state: tempfile::TempDir,
    root: PathBuf,
    dice: Dice,
    entries: Vec<Value>,
}

const DOCUMENTS: usize = 8;

impl World {
    fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let state = tempfile::tempdir().unwrap();
        let mut world = Self { _folder: folder, state, root, dice: Dice(seed), entries: Vec::new() };
        for at in 0..DOCUMENTS {
            world.entries.push(json!({"id": format!("id-{at}"), "name": "N", "path": format!("docs/{at}.md")}));
            let text = world.text();
            world.put(&world.document(at), &text);
        }
        world.entries.push(json!({"id": "id-8", "name": "N", "path": "docs/folder"}));
        world.entries.push(json!({"id": "id-9", "name": "N", "type": "inline", "content": "See id-0 and ./docs/1.md"}));
        world.put(&world.root.join("docs/folder/in.md"), "See id-9.");
        world.configure();
        world
    }

    fn document(&self, at: usize) -> PathBuf {
        self.root.join(format!("docs/{at}.md"))
    }

    /// A text of constant length, so that most edits keep the file size.
    fn text(&mut self) -> String {
        let mut line = || match self.dice.roll(4) {
            0 => format!("See id-{} there.\n", self.dice.roll(10)),
            1 => format!("See [x](./{}.md) \n", self.dice.roll(10)),
            2 => "See fo\u{202e}lder/in \n".to_owned(),
            _ => "See ./folder/in.\n".to_owned(),
        };
        format!("{}{}", line(), line())
    }

    fn put(&self, path: &Path, text: &str) {
        write_atomic(path, text.as_bytes()).unwrap();
    }

    fn configure(&self) {
        let picks = ["id-0", "id-8"];
        let text = json!({"version": "1.0", "sources": self.entries, "preselected": picks}).to_string();
        self.put(&self.root.join("references.json"), &text);
    }

    /// Waits for the file system's clock to advance, so that two edits have different times.
    fn tick(&self) {
        let probe = self.root.join("probe");
        let changed = || {
            File::create(&probe).unwrap().write_all(b"x").unwrap();
            stamp(&probe).unwrap().changed
        };
        let first = changed();
        while changed() == first {
            std::thread::yield_now();
        }
    }

    /// Overwrites the file in place, whatever type it has.
    fn write_into(&self, path: &Path, text: &str) {
        if let Ok(mut file) = File::options().write(true).truncate(true).open(path) {
            file.write_all(text.as_bytes()).unwrap();
        }
    }

    fn remove(&self, path: &Path) {
        let _ = fs::remove_file(path).or_else(|_| fs::remove_dir_all(path));
    }

    /// Makes an edit; returns a description for assertion messages.
    fn edit(&mut self) -> &'static str {
        let (one, other) = (self.dice.roll(DOCUMENTS), self.dice.roll(DOCUMENTS));
        let (path, second, text) = (self.document(one), self.document(other), self.text());
        let in_folder = self.root.join(format!("docs/folder/{}.md", self.dice.roll(3)));
        let kept = self.root.join(".jaato/refdesk/cache/mentions");
        match self.dice.roll(16) {
            0 | 1 => {
                self.write_into(&path, &text);
                "written into"
            }
            2 | 3 => {
                let then = fs::metadata(&path).and_then(|metadata| metadata.modified());
                self.write_into(&path, &text);
                if let (Ok(then), Ok(file)) = (then, File::options().write(true).open(&path)) {
                    file.set_modified(then).unwrap();
                }
                "rewritten, with its time restored"
            }
            4 => {
                self.remove(&path);
                self.put(&path, &text);
                "replaced"
            }
            5 => {
                let aside = self.root.join("aside");
                let _ = fs::rename(&path, &aside);
                let _ = fs::rename(&second, &path);
                let _ = fs::rename(&aside, &second);
                "changed places"
            }
            6 => {
                self.remove(&path);
                link(&second, &path);
                "a link to another file"
            }
            7 => {
                self.remove(&path);
                let _ = fs::hard_link(&second, &path);
                "a second name for another file"
            }
            8 => {
                self.remove(&path);
                self.put(&path.join("inner.md"), &text);
                "replaced by a folder"
            }
            9 => {
                self.put(&in_folder, &text);
                "one more file in the folder"
            }
            10 => {
                self.remove(&in_folder);
                "one file less in the folder"
            }
            11 => {
                self.entries.swap(one, other);
                self.configure();
                "entries in another order"
            }
            12 => {
                let id = format!("id-{}", self.dice.roll(12));
                self.entries[one]["id"] = json!(id);
                self.configure();
                "another id"
            }
            13 => {
                self.entries[one]["path"] = json!(format!("docs/{other}.md"));
                self.configure();
                "another path"
            }
            14 => {
                let mut bytes = fs::read(&kept).unwrap_or_default();
                let (at, cut) = (self.dice.roll(bytes.len().max(1)), self.dice.roll(2) == 0);
                if cut {
                    bytes.truncate(at);
                } else if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 0x55;
                }
                write_atomic(&kept, &bytes).unwrap();
                "the cache is damaged"
            }
            _ => {
                self.remove(&kept);
                "the cache is removed"
            }
        }
    }

    fn desk(&self) -> Desk {
        let context = WorkspaceContext {
            workspace: self.root.clone(),
            current: self.root.clone(),
            ..WorkspaceContext::default()
        };
        let state = Some(self.state.path().to_path_buf());
        let mut desk = Desk::open(Options { clock: later, state, ..Options::new(context) });
        desk.settle();
        desk
    }
}

fn link(to: &Path, from: &Path) {
    std::os::unix::fs::symlink(to, from).unwrap();
}

/// Everything derived from documents.
fn said(desk: &Desk) -> String {
    let ids = desk.catalog().sources().iter().map(|source| source.id.as_str());
    let mentions: Vec<_> =
        ids.map(|id| (id, desk.graph().is_scanned(id), desk.graph().from(id).collect::<Vec<_>>())).collect();
    format!("{:#?}\n{mentions:#?}\n{:#?}", desk.selection().members(), desk.diagnostics())
}

#[test]
fn a_desk_answers_the_same_with_and_without_the_cache() {
    let (mut with_it, mut without) = (0, 0);
    for seed in 1..=2 {
        let mut world = World::new(seed);
        let (cache, aside) = (world.root.join(".jaato/refdesk/cache"), world.root.join("cache-aside"));
        for round in 0..ROUNDS / 2 {
            let edit = world.edit();
            let mut desk = world.desk();
            desk.cache_mentions().unwrap();
            let there = fs::rename(&cache, &aside).is_ok();
            let bare = world.desk();
            if there {
                fs::rename(&aside, &cache).unwrap();
            }
            assert_eq!(said(&desk), said(&bare), "seed {seed}, round {round}: {edit}");
            with_it += desk.library().reads();
            without += bare.library().reads();
            world.tick();
        }
    }
    assert!(with_it * 2 < without, "of {without} documents {with_it} were read again: nothing was tested");
}

#[test]
fn documents_that_may_still_change_or_cannot_be_identified_are_not_cached() {
    let world = World::new(3);
    let kept = world.root.join(".jaato/refdesk/cache/mentions");
    let context =
        WorkspaceContext { workspace: world.root.clone(), current: world.root.clone(), ..WorkspaceContext::default() };
    let mut desk = Desk::open(Options::new(context));
    desk.settle();
    desk.cache_mentions().unwrap();
    assert!(!kept.exists(), "the documents were only just written");
    let empty = tempfile::tempdir().unwrap();
    let context = WorkspaceContext { workspace: empty.path().to_path_buf(), ..WorkspaceContext::default() };
    let mut desk = Desk::open(Options { clock: later, ..Options::new(context) });
    desk.settle();
    desk.read_all();
    desk.cache_mentions().unwrap();
    assert_eq!(fs::read_dir(empty.path()).unwrap().count(), 0);
}

#[test]
fn where_nothing_can_be_written_all_is_read() {
    let world = World::new(4);
    world.put(&world.root.join(".jaato/refdesk/cache"), "a file where the folder should be");
    let mut desk = world.desk();
    assert!(desk.cache_mentions().is_err());
    assert_eq!(said(&desk), said(&world.desk()));
    assert_eq!(fs::read(world.root.join(".jaato/refdesk/cache")).unwrap(), b"a file where the folder should be");
}

#[test]
fn nothing_is_begun_in_a_folder_without_a_catalog() {
    for (place, is_kept) in [("elsewhere", false), ("w", true)] {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let workspace = root.join("w");
        let catalog = root.join(place).join("catalog.json");
        let source = r#"{"sources":[{"id":"a","name":"A","type":"local","path":"../w/a.md"}]}"#;
        write_atomic(&root.join("w/a.md"), b"x").unwrap();
        write_atomic(&catalog, source.as_bytes()).unwrap();
        let context = WorkspaceContext {
            current: workspace.clone(),
            workspace: workspace.clone(),
            named: Some(catalog),
            ..Default::default()
        };
        let state = Some(root.join("state"));
        let mut desk = Desk::open(Options { clock: later, state, ..Options::new(context) });
        desk.read_all();
        desk.cache_mentions().unwrap();
        assert_eq!(workspace.join(".jaato").exists(), is_kept, "{place}");
    }
}
