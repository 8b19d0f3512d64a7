//! Commands in a folder that is not a workspace: they report where they searched, and write nothing. Also `where`.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::{Workspace, ids, inline};

const READING: &[&[&str]] = &[
    &["list"],
    &["references"],
    &["resolve", "a"],
    &["why", "a"],
    &["why-not", "a", "--prompt", "a"],
    &["graph"],
    &["check"],
    &["search", "a"],
    &["templates"],
    &["templates", "validate"],
    &["simulate"],
    &["profiles"],
    &["journal"],
    &["trust", "list"],
];

const WRITING: &[&[&str]] = &[
    &["select", "a"],
    &["references", "select", "a"],
    &["unselect", "a"],
    &["exclude", "a"],
    &["include", "a"],
    &["clear"],
    &["ask"],
    &["index"],
    &["templates", "extract", "a.md"],
];

const ANYWHERE: &[&[&str]] =
    &[&["enrich"], &["instructions"], &["render", "--inline", "x"], &["where"], &["references", "help"]];

/// The program in a folder with one document.
fn bare(world: &Workspace, words: &[&str]) -> std::process::Command {
    world.bare(&[&["--format", "json"], words].concat())
}

#[test]
fn without_a_workspace_the_error_lists_the_searched_places() {
    let world = Workspace::with(&[("a.md", "# A\n")]);
    let before = world.listing();
    for words in READING.iter().chain(WRITING) {
        let ran = run(&mut bare(&world, words), Some(b"a")).exits(1);
        let answer = ran.json();
        assert!(answer["valid"] != true && answer["status"] != "success", "{ran}");
        let error = &answer["error"];
        assert_eq!(error["code"], "no-workspace", "{ran}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(world.path.to_str().unwrap()) && message.contains("git repository"), "{ran}");
        assert!(error["hint"].as_str().unwrap().contains("refdesk init"), "{ran}");
    }
    for words in ANYWHERE {
        run(&mut bare(&world, words), Some(b"a")).exits(0);
    }
    for words in [&["render", "x"][..], &["--profile", "x", "list"]] {
        let ran = run(&mut bare(&world, words), None).exits(1);
        assert!(ran.json()["error"]["hint"].as_str().unwrap().starts_with("`refdesk init` finds"), "{ran}");
    }
    assert_eq!(world.listing(), before, "nothing is written");
    // The answer has its usual members.
    let listed = run(&mut bare(&world, &["list"]), None).json();
    assert_eq!((listed["sources"].clone(), listed["total"].clone()), (json!([]), json!(0)));
}

#[test]
fn adding_a_file_makes_the_folder_a_workspace() {
    let world = Workspace::with(&[("a.txt", "x\n")]);
    let text = |words: &[&str]| run(world.bare(words).current_dir(&world.path), None);
    let before = world.listing();
    let reported = text(&["init", "--yes"]).exits(0);
    assert!(
        reported.text().contains("`refdesk add PATH` adds any file or folder, and makes this folder a workspace"),
        "{reported}"
    );
    text(&["add", "none.txt"]).exits(1);
    assert_eq!(world.listing(), before, "nothing is written");
    let reported = text(&["add", "a.txt"]).exits(0);
    let begun = format!("{} is a workspace now.\nAdded @ws-a in .jaato/references/ws-a.json.\n", world.path.display());
    assert_eq!(reported.text(), begun);
    assert_eq!(ids(&run(&mut bare(&world, &["list"]), None).exits(0).json()["sources"]), ["ws-a"]);
    // The home folder does not become a workspace.
    let home = world.beside("home");
    refdesk_files::write_atomic(&home.join("a.txt"), b"x").unwrap();
    let reported = run(world.bare(&["add", "a.txt"]).current_dir(&home), None).exits(1);
    assert!(reported.stderr.contains("no workspace found") && !home.join(".jaato").exists(), "{reported}");
}

#[test]
fn agents_are_connected_in_a_workspace_or_for_the_user() {
    let world = Workspace::with(&[("a.md", "# A\n")]);
    let before = world.listing();
    for words in [&["connect"][..], &["connect", "claude-code", "--yes"], &["connect", "--dry-run"]] {
        let ran = run(world.bare(words).current_dir(&world.path).env("PATH", world.beside("tmp")), None).exits(1);
        assert!(ran.stderr.contains("error: no workspace found"), "{ran}");
        assert!(ran.stderr.contains("; `refdesk connect --user` connects your own settings"), "{ran}");
    }
    assert_eq!(world.listing(), before, "nothing is written");
    run(world.bare(&["connect", "claude-code", "--user", "--yes"]).current_dir(&world.path), None);
    assert!(world.beside("home/.claude/settings.json").exists());
}

#[test]
fn the_users_own_catalog_is_read_anywhere_but_no_choice_is_stored() {
    let world = Workspace::with(&[("a.md", "# A\n")]);
    let mut own = inline("a", "Text.");
    own["tags"] = json!(["web"]);
    let own = json!({"sources": [own]}).to_string();
    refdesk_files::write_atomic(&world.beside("home/.config/jaato/references.json"), own.as_bytes()).unwrap();
    let before = world.listing();
    assert_eq!(ids(&run(&mut bare(&world, &["list"]), None).exits(0).json()["sources"]), ["a"]);
    for words in WRITING {
        let ran = run(&mut bare(&world, words), Some(b"a")).exits(1);
        assert_eq!(ran.json()["error"]["code"], "no-workspace", "{ran}");
    }
    // A fix that names a command names one that works here.
    for words in [&["search", "web"][..], &["why", "a"]] {
        let ran = run(&mut bare(&world, words), None).exits(1);
        assert!(ran.json()["error"]["hint"].as_str().unwrap().starts_with("`refdesk init` finds"), "{ran}");
    }
    // A hook gives its hint every time, because it cannot store what it gave.
    let prompt = json!({"session_id": "s", "cwd": world.path, "hook_event_name": "UserPromptSubmit", "prompt": "web"});
    for _ in 0..2 {
        let ran = run(&mut world.bare(&["hook", "claude-code"]), Some(prompt.to_string().as_bytes())).exits(0);
        assert!(ran.text().contains("@a"), "{ran}");
    }
    assert_eq!(world.listing(), before, "nothing is written");
    // Once the folder is a workspace, the choice is stored in it.
    fs::create_dir(world.path.join(".git")).unwrap();
    run(&mut bare(&world, &["select", "a"]), None).exits(0);
    assert_eq!(world.picks(), ["a"]);
}

#[test]
fn a_named_configuration_makes_the_current_folder_the_workspace() {
    let world = Workspace::with(&[("own/c.json", &json!({"sources": [inline("a", "")]}).to_string())]);
    run(&mut bare(&world, &["--config", "own/c.json", "select", "a"]), None).exits(0);
    assert_eq!(world.picks(), ["a"]);
}

#[test]
fn in_a_repository_without_a_catalog_its_root_is_the_workspace() {
    let world = Workspace::with(&[(".git/HEAD", "ref: refs/heads/main\n"), ("src/deep/a.md", "# A\n")]);
    let mut command = bare(&world, &["add", "a.md", "--id", "a"]);
    run(command.current_dir(world.path.join("src/deep")), None).exits(0);
    assert!(world.path.join(".jaato/references/a.json").is_file());
    let listed = run(bare(&world, &["list"]).current_dir(world.path.join("src")), None).exits(0).json();
    assert_eq!(ids(&listed["sources"]), ["a"]);
}

fn place(document: &Value, key: &str) -> (Option<String>, bool, String) {
    let place = &document[key];
    let path = place["path"].as_str().map(str::to_owned);
    (path, place["exists"].as_bool().unwrap(), place["why"].as_str().unwrap().to_owned())
}

#[test]
fn where_names_every_place_and_why() {
    let world = Workspace::of(json!([inline("a", "")]), &[("deep/er/x", "")]);
    let path = |path: &str| Some(world.path.join(path).to_str().unwrap().to_owned());
    let document = run(bare(&world, &["where"]).current_dir(world.path.join("deep/er")), None).exits(0).json();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "workspace",
            "configuration",
            "references",
            "desk",
            "selection",
            "journal",
            "index",
            "state",
            "log",
            "preferences"
        ]
    );
    let why = "the nearest folder above with references.json";
    let workspace = world.path.to_str().map(str::to_owned);
    assert_eq!(place(&document, "workspace"), (workspace, true, why.to_owned()));
    assert_eq!(place(&document, "configuration"), (path("references.json"), true, "in the workspace".to_owned()));
    let (references, exists, why) = place(&document, "references");
    assert_eq!((references, exists), (path(".jaato/references"), false));
    assert!(why.ends_with("not there yet"), "{why}");
    assert_eq!(document["desk"]["name"], "default");
    let own = world.beside("home/.config/refdesk/config.toml").to_str().map(str::to_owned);
    assert_eq!(place(&document, "preferences").0, own);
    let before = world.listing();
    let ran = run(world.bare(&["where"]).current_dir(world.path.join("deep")), None).exits(0);
    assert!(ran.text().lines().count() == 20 && ran.stderr.is_empty(), "{ran}");
    assert_eq!(world.listing(), before);
    for (words, folder, why) in [
        (&["--workspace", "deep", "where"][..], "", "named with --workspace"),
        (&["where"], "", "the current folder has references.json"),
        (&["--demo", "where"], "", "a copy of the built-in sample, removed at the end"),
    ] {
        let ran = run(bare(&world, words).current_dir(world.path.join(folder)), None).exits(0).json();
        assert_eq!(place(&ran, "workspace").2, why);
    }
}
