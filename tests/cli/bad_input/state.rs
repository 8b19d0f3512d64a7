//! refdesk's state files: damaged, blocked or not writable. Reading works; damaged files are set aside, never lost.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::{check_good_source, good_source};
use crate::support::workspace::{Workspace, inline};

const DAMAGED: &[&[u8]] = &[
    b"",
    b"{",
    b"[]",
    b"null",
    b"{\"picks\": \"kept\"}",
    b"{\"picks\": [1]}",
    b"{\"picks\": [\"kept\"]",
    b"\xff\xfe\x00",
    b"{\"picks\": [\"kept\"]}{\"picks\": []}",
];

fn world() -> Workspace {
    Workspace::of(json!([good_source(), inline("other", "")]), &[])
}

fn set_aside(world: &Workspace, folder: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(world.path.join(folder)).unwrap().map(|entry| entry.unwrap());
    let aside = entries.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-"));
    aside.map(|entry| fs::read(entry.path()).unwrap()).collect()
}

#[test]
fn a_damaged_selection_is_set_aside_reported_and_started_empty() {
    let deep = [b"{\"picks\":".to_vec(), b"[".repeat(100_000)].concat();
    for bytes in DAMAGED.iter().copied().chain([deep.as_slice()]) {
        for words in [&["list"][..], &["select", "other"], &["check"]] {
            let world = world();
            world.put(".jaato/refdesk/selection.json", bytes);
            let ran = world.run(words).exits(0);
            let reported = format!("{}{}", ran.stderr, ran.text());
            assert!(reported.contains("selection.json") && reported.contains("damaged"), "{ran}");
            assert_eq!(set_aside(&world, ".jaato/refdesk"), [bytes], "{ran}");
            let again = world.run(&["list"]).exits(0);
            assert!(!again.stderr.contains("damaged"), "told once: {again}");
            check_good_source(&world);
        }
    }
}

#[test]
fn what_is_not_a_file_is_set_aside_and_commands_go_on() {
    use rustix::fs::{CWD, FileType, mknodat};

    for file in [
        "selection.json",
        "sessions/default/told.json",
        "templates.json",
        "journal.jsonl",
        "lock",
        "index.db",
        "index.json",
        ".gitignore",
    ] {
        for is_pipe in [true, false] {
            let world = world();
            let place = world.path.join(".jaato/refdesk").join(file);
            if is_pipe {
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                mknodat(CWD, &place, FileType::Fifo, 0o600.into(), 0).unwrap();
            } else {
                fs::create_dir_all(place.join("theirs")).unwrap();
            }
            let asked =
                json!({"hook_event_name": "UserPromptSubmit", "prompt": "other", "cwd": world.path}).to_string();
            for (words, input) in [
                (&["select", "other"][..], ""),
                (&["hook", "claude-code"], &asked),
                (&["index", "--words-only"], ""),
                (&["search", "other"], ""),
                (&["journal"], ""),
                (&["list"], ""),
            ] {
                let ran = world.feed(words, input.as_bytes());
                assert_eq!(ran.code, 0, "{file}, pipe: {is_pipe}: {ran}");
                if words[0] == "index" && file == "index.db" {
                    let kept = "index.db.aside, or with a number if that name was taken.";
                    assert!(ran.text().contains(kept), "{ran}");
                }
            }
            assert_eq!(world.picks(), ["other"]);
            // A pipe in place of `.gitignore` is replaced without being set aside.
            if !(is_pipe && file == ".gitignore") {
                let names = fs::read_dir(place.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
                let prefix = format!("{}.", place.file_name().unwrap().to_str().unwrap());
                let is_aside = |name: &std::ffi::OsString| {
                    let name = name.to_str().unwrap();
                    name.starts_with(&prefix) && ["aside", "foreign", "damaged"].iter().any(|why| name.contains(why))
                };
                assert_eq!(names.filter(is_aside).count(), 1, "{file}, pipe: {is_pipe}");
            }
        }
    }
}

#[test]
fn two_damaged_files_in_one_second_are_both_kept() {
    let world = world();
    for bytes in [&b"first"[..], b"second", b"third"] {
        world.put(".jaato/refdesk/selection.json", bytes);
        world.run(&["list"]).exits(0);
    }
    let mut kept = set_aside(&world, ".jaato/refdesk");
    kept.sort();
    assert_eq!(kept, [&b"first"[..], b"second", b"third"]);
}

#[test]
fn state_of_a_newer_version_is_not_discarded() {
    let world = world();
    world.put(
        ".jaato/refdesk/selection.json",
        b"{\"picks\": [\"kept\"], \"exclusions\": [], \"pinned\": {\"kept\": 1}}",
    );
    world.run(&["select", "other"]).exits(0);
    assert_eq!(world.picks(), ["kept", "other"]);
}

#[test]
fn a_damaged_session_memory_is_set_aside_and_everything_given_again() {
    let is_damage = |bytes: &[u8]| !bytes.starts_with(b"{\"picks") || bytes.ends_with(b"{\"picks\": []}");
    // An empty file can result from a power cut and does not count as damaged.
    for bytes in DAMAGED.iter().filter(|bytes| is_damage(bytes) && !bytes.is_empty()) {
        let world = world();
        world.put(".jaato/refdesk/sessions/default/told.json", bytes);
        let ran = world.feed(&["enrich"], b"use @kept").exits(0);
        assert!(ran.text().contains("stays"), "{ran}");
        assert!(ran.stderr.contains("told.json"), "{ran}");
        assert_eq!(set_aside(&world, ".jaato/refdesk/sessions/default"), [bytes.to_vec()]);
        let again = world.feed(&["enrich"], b"use @kept").exits(0);
        assert!(again.text().contains("given above") && again.stderr.is_empty(), "{again}");
    }
}

#[test]
fn something_else_is_in_place_of_a_state_file() {
    for (path, is_folder) in [
        (".jaato/refdesk", false),
        (".jaato", false),
        (".jaato/refdesk/selection.json", true),
        (".jaato/refdesk/lock", true),
    ] {
        let world = world();
        if is_folder {
            world.put(&format!("{path}/inside"), b"precious");
        } else {
            world.put(path, b"precious");
        }
        world.run(&["list"]).exits(0);
        world.run(&["instructions"]).exits(0);
        let enriched = world.feed(&["enrich"], b"use @kept").exits(0);
        assert!(enriched.text().contains("stays"), "{path}: {enriched}");
        let ran = world.run(&["--format", "json", "select", "kept"]);
        let document = ran.json();
        if ran.code == 1 {
            assert_eq!(document["error"]["code"], "not-stored", "{path}: {ran}");
            assert!(ran.stderr.contains(".jaato"), "says where: {ran}");
        } else {
            // The obstacle was set aside intact.
            assert_eq!(world.picks(), ["kept"], "{path}: {ran}");
        }
        let precious = world.listing().into_iter().filter(|(_, bytes)| bytes == b"precious").count();
        assert_eq!(precious, 1, "{path}");
    }
}

/// `check` does not list them: they are about what this command did.
#[test]
fn what_could_not_be_stored_is_printed_among_many_warnings() {
    let missing = |id: &str| json!({"id": id, "name": id, "path": format!("{id}.md")});
    let world = Workspace::of(json!([good_source(), missing("a"), missing("b"), missing("c"), missing("d")]), &[]);
    world.put(".jaato/refdesk", b"x");
    let ran = world.feed(&["enrich"], b"use @kept").exits(0);
    for problem in ["what was sent could not be saved:", "the journal cannot be written:"] {
        assert!(ran.stderr.contains(problem), "{ran}");
    }
    assert!(ran.stderr.contains("warning: 4 warnings"), "{ran}");
}

#[test]
fn a_workspace_that_cannot_be_written() {
    let world = world();
    world.run(&["select", "other"]).exits(0);
    let folder = world.path.join(".jaato/refdesk");
    let lock = folder.join("lock");
    fs::set_permissions(&lock, fs::Permissions::from_mode(0o400)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let probe = folder.join("probe");
    let is_root = refdesk_files::write_atomic(&probe, b"x").is_ok();
    let _ = fs::remove_file(&probe);
    world.run(&["list"]).exits(0);
    let enriched = world.feed(&["enrich"], b"use @kept").exits(0);
    assert!(enriched.text().contains("stays"), "{enriched}");
    let ran = world.run(&["select", "kept"]);
    if !is_root {
        assert_eq!(ran.code, 1, "{ran}");
        assert!(ran.stderr.contains("fix: make .jaato/refdesk/ writable"), "{ran}");
        assert_eq!(world.picks(), ["other"]);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
    fs::set_permissions(&lock, fs::Permissions::from_mode(0o600)).unwrap();
    check_good_source_or_pick(&world);
}

/// A file that cannot be read may be intact, so it is neither moved nor replaced.
#[test]
fn a_state_file_that_cannot_be_read_stays() {
    let asked = |world: &Workspace| {
        json!({"hook_event_name": "UserPromptSubmit", "prompt": "@kept", "cwd": world.path}).to_string()
    };
    for file in ["selection.json", "sessions/default/told.json", "write.json"] {
        let world = world();
        world.run(&["select", "other"]).exits(0);
        let place = world.path.join(".jaato/refdesk").join(file);
        if !place.exists() {
            world.put(&format!(".jaato/refdesk/{file}"), b"{}");
        }
        let before = fs::read(&place).unwrap();
        fs::set_permissions(&place, fs::Permissions::from_mode(0o000)).unwrap();
        let is_root = fs::read(&place).is_ok();
        if !is_root {
            world.run(&["list"]).exits(0);
            world.feed(&["hook", "claude-code"], asked(&world).as_bytes()).exits(0);
            let enriched = world.feed(&["enrich"], b"use @kept").exits(0);
            let ran = if file.starts_with("sessions") { enriched } else { world.run(&["select", "kept"]).exits(1) };
            assert!(ran.stderr.contains("cannot be read: Permission denied"), "{file}: {ran}");
            assert!(ran.stderr.contains("fix: make it readable for this user"), "{file}: {ran}");
        }
        fs::set_permissions(&place, fs::Permissions::from_mode(0o600)).unwrap();
        if !is_root {
            assert_eq!(fs::read(&place).unwrap(), before, "{file}");
            assert_eq!(world.picks(), ["other"], "{file}");
            let names = world.listing().into_iter().map(|(path, _)| path.to_string_lossy().into_owned());
            assert_eq!(
                names.filter(|name| name.contains(".damaged") || name.contains(".foreign")).count(),
                0,
                "{file}"
            );
        }
    }
}

fn check_good_source_or_pick(world: &Workspace) {
    let status: Value = world.json(&["select", "kept"], 0)["status"].clone();
    assert!(status == "success" || status == "all_selected", "{status}");
}

#[test]
fn a_selection_with_rubbish_that_parses() {
    let world = world();
    let picks = json!({"picks": ["kept", "kept", "", "no\u{1b}body", "other"], "exclusions": ["kept", "kept"]});
    world.put(".jaato/refdesk/selection.json", picks.to_string().as_bytes());
    let listed = world.json(&["list", "--selected"], 0);
    assert_eq!(listed["sources"][0]["id"], "other");
    let ran = world.run(&["clear", "--all"]).exits(0);
    assert!(!ran.stdout.contains(&0x1b), "{ran}");
    check_good_source(&world);
}
