//! Source paths that lead nowhere, everywhere, in circles, or outside the workspace.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::{check_good_source, codes, with_source};
use crate::support::workspace::{Workspace, ids};

fn local(path: &str) -> Value {
    json!({"id": "odd", "name": "Odd", "path": path})
}

#[test]
fn paths_to_nothing() {
    for (path, code) in [
        ("", "missing-field"),
        ("   ", "missing-field"),
        ("none.md", "missing-path"),
        ("C:\\none\\at\\all.md", "missing-path"),
        ("\\\\server\\share\\x.md", "missing-path"),
        ("~nobody/x.md", "missing-path"),
        ("${nothing}/x.md", "missing-path"),
        ("a\u{0}b.md", "missing-path"),
        ("x\ny.md", "missing-path"),
        ("\u{202e}dm.x", "missing-path"),
        ("references.json/below", "missing-path"),
    ] {
        let world = with_source(local(path), &[]);
        assert_eq!(codes(&world), [code], "{path:?}");
        let ran = world.run(&["select", "odd"]).exits(1);
        assert!(!ran.stderr.contains('\u{202e}') && !ran.stderr.contains('\u{0}'), "{ran}");
        world.run(&["resolve", "kept"]).exits(0);
        check_good_source(&world);
    }
    let long = format!("{}.md", "x/".repeat(5_000));
    assert_eq!(codes(&with_source(local(&long), &[])), ["missing-path"]);
    // Before they are trusted, nothing reveals whether these paths exist.
    for path in ["/none", "../../../../../../../../../../none"] {
        let world = with_source(local(path), &[]);
        assert_eq!(codes(&world), ["untrusted"], "{path:?}");
        check_good_source(&world);
    }
}

#[test]
fn the_workspace_itself_as_a_source_excludes_refdesks_own_files() {
    let world = with_source(local("."), &[("notes.md", "nobody\n"), ("sub/more.md", "nobody\n")]);
    let other = json!({"id": "other", "name": "Other", "type": "inline", "content": ""});
    world.put(".jaato/references/other.json", other.to_string().as_bytes());
    world.run(&["--desk", "elsewhere", "select", "kept"]).exits(0);
    world.run(&["exclude", "kept"]).exits(0);
    world.run(&["include", "kept"]).exits(0);
    world.feed(&["enrich"], b"@kept").exits(0);
    let answer = world.json(&["select", "odd"], 0);
    // The configuration is a document in that folder, so it mentions its sources. The stored selection must not.
    let mentions = world.json(&["resolve", "odd"], 0)["mentions"].clone();
    let files: BTreeSet<&str> = mentions.as_array().unwrap().iter().map(|it| it["file"].as_str().unwrap()).collect();
    assert_eq!(files, BTreeSet::from(["references.json", ".jaato/references/other.json"]), "{answer}");
    let reported = world.run(&["instructions"]).exits(0);
    assert!(!reported.text().contains("refdesk/"), "{reported}");
}

#[test]
fn the_root_folder_as_a_source_ends_in_time() {
    let world = with_source(local("/"), &[]);
    let listed = world.json(&["list"], 0);
    assert!(listed["sources"][1]["is_directory"].is_null(), "it waits for trust: {listed}");
    check_good_source(&world);
}

#[test]
fn links_in_circles() {
    let world = with_source(local("tree"), &[("tree/a.md", "see kept"), ("tree/deep/b.md", "x")]);
    let tree = world.path.join("tree");
    for (target, link) in [
        (".", "self"),
        ("..", "up"),
        ("loop", "loop"),
        ("two", "one"),
        ("one", "two"),
        ("none", "dangling.md"),
        ("/", "root"),
    ] {
        symlink(target, tree.join(link)).unwrap();
    }
    symlink("../a.md", tree.join("deep/again.md")).unwrap();
    let answer = world.json(&["select", "odd"], 0);
    assert_eq!(ids(&answer["sources"]), ["odd", "kept"]);
    let reported = world.run(&["instructions"]).exits(0);
    assert!(reported.text().contains("containing 2 file(s)"), "{reported}");
    assert_eq!(codes(&world), Vec::<String>::new());
}

#[test]
fn a_source_that_is_a_loop_a_pipe_or_a_device() {
    let world = Workspace::of(
        json!([
            super::good_source(),
            {"id": "loop", "name": "L", "path": "loop"},
            {"id": "pipe", "name": "P", "path": "pipe"},
            {"id": "device", "name": "D", "path": "/dev/zero"},
            {"id": "folder", "name": "F", "path": "folder"},
        ]),
        &[("folder/a.md", "kept")],
    );
    symlink("loop", world.path.join("loop")).unwrap();
    for pipe in ["pipe", "folder/pipe.md"] {
        assert!(Command::new("mkfifo").arg(world.path.join(pipe)).status().unwrap().success());
    }
    let found = codes(&world);
    assert_eq!(found.iter().filter(|code| *code == "missing-path").count(), 1, "{found:?}");
    assert_eq!(found.iter().filter(|code| *code == "no-regular-file").count(), 1, "{found:?}");
    assert_eq!(found.iter().filter(|code| *code == "untrusted").count(), 1, "{found:?}");
    for missing in ["loop", "pipe"] {
        world.run(&["select", missing]).exits(1);
    }
    for words in [&["select", "device", "folder"][..], &["instructions"], &["templates"], &["graph"], &["list"]] {
        world.run(words).exits(0);
    }
    world.feed(&["enrich"], b"@pipe @device @folder").exits(0);
    check_good_source(&world);
}

#[test]
fn unreadable_documents() {
    use std::os::unix::fs::PermissionsExt;
    let world = with_source(local("tree"), &[("tree/a.md", "kept"), ("tree/closed/b.md", "x"), ("tree/c.md", "x")]);
    for path in ["tree/closed", "tree/c.md"] {
        fs::set_permissions(world.path.join(path), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let is_root = fs::read(world.path.join("tree/c.md")).is_ok();
    let found = codes(&world);
    if !is_root {
        assert_eq!(found, ["unreadable", "unreadable"]);
    }
    assert_eq!(ids(&world.json(&["select", "odd"], 0)["sources"]), ["odd", "kept"]);
    fs::set_permissions(world.path.join("tree/closed"), fs::Permissions::from_mode(0o700)).unwrap();
}

/// What cannot be looked at may exist, so nobody is told to remove it.
#[test]
fn a_document_in_a_closed_folder_is_not_gone() {
    use std::os::unix::fs::PermissionsExt;
    let world = with_source(local("closed/a.md"), &[("closed/a.md", "kept")]);
    let mode = |mode| fs::set_permissions(world.path.join("closed"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let is_root = fs::metadata(world.path.join("closed/a.md")).is_ok();
    let checked = world.json(&["check"], 0);
    let proposed = world.json(&["init", "--dry-run"], 0);
    mode(0o700);
    if !is_root {
        let problem = &checked["warnings"][0];
        assert_eq!(problem["message"], "'closed/a.md' cannot be read: permission denied", "{checked}");
        assert_eq!((&problem["code"], &problem["hint"]), (&json!("unreadable"), &json!("allow this user to read it")));
        assert_eq!(proposed["gone"], json!([]), "{proposed}");
    }
}

#[test]
fn a_workspace_that_cannot_be_read() {
    use std::os::unix::fs::PermissionsExt;
    let world = with_source(local("a.md"), &[("a.md", "kept")]);
    let mode = |mode| fs::set_permissions(&world.path, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let is_root = fs::metadata(world.path.join(".")).is_ok();
    let path = world.path.display().to_string();
    for arguments in [&["list"][..], &["init"], &["where"], &["check"], &["select", "odd"]] {
        let ran = world.run(&[arguments, &["--workspace", &path]].concat());
        if !is_root {
            let ran = ran.exits(1);
            assert!(ran.stderr.contains("cannot be read: Permission denied"), "{ran}");
        }
    }
    mode(0o700);
}

#[test]
fn a_workspace_below_another() {
    let world = Workspace::with(&[
        ("inner/.jaato/references/kept.json", &super::good_source().to_string()),
        ("inner/docs/x.md", "x"),
    ]);
    world.put(".jaato/references/outer.json", super::good_source().to_string().replace("kept", "outer").as_bytes());
    let ran = crate::support::program::run(
        world.bare(&["--format", "json", "select", "kept", "outer"]).current_dir(world.path.join("inner/docs")),
        None,
    );
    assert_eq!(ran.exits(0).json()["unknown"], json!(["outer"]));
    assert!(world.path.join("inner/.jaato/refdesk/selection.json").is_file());
    assert!(!world.path.join(".jaato/refdesk").exists(), "the outer one is untouched");
}

/// Querying the system about every component of every prefix of such a path would take minutes.
#[test]
fn paths_of_a_hundred_thousand_parts() {
    let long = "a/".repeat(100_000);
    for path in [format!("/{long}x.md"), format!("{long}x.md"), format!("C:\\{}x.md", long.replace('/', "\\"))] {
        check_good_source(&with_source(local(&path), &[]));
    }
    let many = format!("/{}x.md", "a/".repeat(1_000));
    let sources: Vec<Value> = (0..20)
        .map(|nth| json!({"id": format!("odd-{nth}"), "name": "Odd", "path": many}))
        .chain([super::good_source()])
        .collect();
    check_good_source(&Workspace::of(json!(sources), &[]));
    let link = format!("[x](./{long}x.md) ./{long}y");
    let world = with_source(local("odd.md"), &[("odd.md", &link)]);
    world.run(&["select", "odd"]).exits(0);
    world.run(&["check"]);
    world.feed(&["enrich"], b"@odd").exits(0);
    check_good_source(&world);
}
