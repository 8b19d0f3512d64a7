//! No room on the disk: whatever could not be stored is reported with a fix, and nothing is left half done without a
//! report.

use std::fs;

use serde_json::json;

use crate::support::program::{ProgramRun, run};
use crate::support::workspace::{STATE, Workspace, inline};

const FIX: &str = "raise the limit on the size of files";

/// A workspace that was used before, so only its own files fail to be written.
fn world() -> Workspace {
    let world = Workspace::of(json!([inline("a", "text")]), &[("docs/in.md", "in\n")]);
    world.put(".jaato/references/own.json", br#"{"id": "own", "name": "Own", "type": "inline", "content": ""}"#);
    world.run(&["select", "a", "own"]).exits(0);
    world
}

fn without_room(world: &Workspace, words: &[&str]) -> ProgramRun {
    run(&mut world.without_room(0, words), None).exits(1)
}

#[test]
fn failures_to_store_are_reported() {
    let world = world();
    world.put(
        ".jaato/databases.yaml",
        b"databases:\n  - name: shop\n    type: sqlite\n    connection: { file: shop.db }\n",
    );
    rusqlite::Connection::open(world.path.join("shop.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t (id INTEGER)")
        .unwrap();
    fs::remove_dir_all(world.path.join(".jaato/refdesk")).unwrap();
    for words in [&["db", "document", "--yes"][..], &["connect", "claude-code", "--yes"]] {
        let ran = without_room(&world, words);
        let _ = fs::remove_dir_all(world.path.join(".jaato/refdesk"));
        assert!(ran.stderr.contains("the state of this workspace could not be stored: "), "{ran}");
        assert!(ran.stderr.contains("/.jaato/refdesk/.gitignore: ") && ran.stderr.contains(FIX), "{ran}");
        assert!(!ran.stderr.contains("picks"), "{ran}");
    }
}

#[test]
fn a_full_disk_of_the_state_folder_is_reported() {
    let world = Workspace::of(json!([{"id": "out", "name": "Out", "path": "../out"}]), &[("a.md", "# A\n\ntext\n")]);
    fs::create_dir(world.beside("out")).unwrap();
    let told = without_room(&world, &["doctor"]);
    for line in ["wrong  state: ", "note   log: "] {
        assert!(told.text().contains(line), "{told}");
    }
    assert!(
        told.text().contains("is on a disk that is full") && told.text().contains("free some disk space"),
        "{told}"
    );
    for words in [&["index", "--words-only"][..], &["connect", "claude-code", "--yes"], &["select", "out"]] {
        let ran = without_room(&world, words);
        assert!(ran.stderr.contains(FIX) && !ran.stderr.contains("XDG_STATE_HOME"), "{words:?}: {ran}");
    }
}

#[test]
fn trust_that_cannot_be_revoked_needs_room() {
    let world = Workspace::of(json!([{"id": "out", "name": "Out", "path": "../out"}]), &[]);
    fs::create_dir(world.beside("out")).unwrap();
    world.trust(STATE);
    let ran = without_room(&world, &["trust", "revoke"]);
    assert!(ran.stderr.contains("trust could not be stored") && ran.stderr.contains(FIX), "{ran}");
}

#[test]
fn templates_that_cannot_be_written_are_a_failure() {
    let guide = "# Guide\n\n```java\nclass {{ Name }} {}\n```\n";
    let world = Workspace::of(json!([{"id": "guide", "name": "G", "path": "guide.md"}]), &[("guide.md", guide)]);
    world.run(&["select", "guide"]).exits(0);
    fs::remove_dir_all(world.path.join(".jaato/templates")).unwrap();
    for words in [&["templates", "extract"][..], &["templates", "extract", "guide.md"]] {
        let ran = without_room(&world, words);
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains("are not written as files"), "{ran}");
        assert!(ran.stderr.contains(FIX) && ran.text().is_empty(), "{ran}");
        let answer = without_room(&world, &[&["--json"], words].concat()).json();
        assert_eq!((&answer["error"]["code"], &answer["count"]), (&json!("templates-not-written"), &json!(1)));
    }
}

#[test]
fn a_source_was_removed_even_if_its_pick_stays() {
    let world = world();
    let ran = without_room(&world, &["remove", "own", "--yes"]);
    assert!(ran.stderr.contains("removed @own, but its pick could not be dropped: the picks"), "{ran}");
    assert!(ran.stderr.contains(FIX), "{ran}");
    assert!(!world.path.join(".jaato/references/own.json").exists());
    world.run(&["unselect", "own"]).exits(0);
    assert_eq!(world.picks(), ["a"]);
}
