//! How the program finds its workspace, configuration, desk and session.

use std::fs;

use serde_json::{Value, json};

use super::small;
use crate::support::program::run;
use crate::support::workspace::{Workspace, ids, inline};

fn one(id: &str) -> String {
    json!({"sources": [inline(id, "")]}).to_string()
}

fn listed(ran: &Value) -> Vec<String> {
    ids(&ran["sources"])
}

#[test]
fn the_nearest_folder_upward_with_a_catalog_is_the_workspace() {
    let world = Workspace::with(&[
        ("outer/.jaato/references/outer.json", r#"{"id": "outer", "name": "O", "type": "inline", "content": ""}"#),
        ("outer/in/.jaato/references/inner.json", r#"{"id": "inner", "name": "I", "type": "inline", "content": ""}"#),
        ("outer/in/deep/er/x.txt", ""),
        ("outer/side/x.txt", ""),
        ("bare/references.json", &one("bare")),
        ("bare/below/x.txt", ""),
    ]);
    for (folder, expected) in [
        ("outer", vec!["outer"]),
        ("outer/side", vec!["outer"]),
        ("outer/in", vec!["inner"]),
        ("outer/in/deep/er", vec!["inner"]),
        ("bare", vec!["bare"]),
        ("bare/below", vec!["bare"]),
    ] {
        let mut command = world.bare(&["--format", "json", "list"]);
        let ran = run(command.current_dir(world.path.join(folder)), None).exits(0);
        assert_eq!(listed(&ran.json()), expected, "{folder}");
    }
}

#[test]
fn the_home_folder_is_not_a_workspace() {
    let world = Workspace::new();
    let home = world.beside("home");
    for folder in [home.join(".jaato/references"), home.join("project/src")] {
        fs::create_dir_all(folder).unwrap();
    }
    let source = json!({"id": "mine", "name": "M", "type": "inline", "content": ""}).to_string();
    refdesk_files::write_atomic(&home.join(".jaato/references/mine.json"), source.as_bytes()).unwrap();
    let from = |folder: &str, code: i32| {
        run(world.bare(&["--format", "json", "list"]).current_dir(home.join(folder)), None).exits(code).json()
    };
    let passes = |folder: &str, mark: &str| {
        let refused = from(folder, 1);
        assert_eq!((listed(&refused), refused["error"]["code"].as_str()), (vec![], Some("no-workspace")));
        let message = refused["error"]["message"].as_str().unwrap();
        let passed = format!("; {} does not count", home.join(mark).display());
        assert!(message.ends_with(&passed), "{message}");
    };
    passes("project/src", ".jaato");
    assert_eq!(listed(&from("", 0)), ["mine"], "standing in it is another matter: it is the current folder");
    fs::remove_dir_all(home.join(".jaato")).unwrap();
    fs::create_dir(home.join(".git")).unwrap();
    passes("project/src", ".git");
    passes("", ".git");
    let refused = run(world.bare(&["init", "--yes"]).current_dir(&home), None).exits(1);
    assert!(refused.stderr.contains("refdesk does not look for documents in your home folder"), "{refused}");
}

#[test]
fn the_first_configuration_found_is_used() {
    let world = Workspace::new();
    let command = |words: &[&str], variable: Option<&str>| {
        let mut command = world.command(&["--format", "json"]);
        command.args(words);
        if let Some(value) = variable {
            command.env("REFERENCES_CONFIG_PATH", value);
        }
        listed(&run(command.arg("list"), None).exits(0).json())
    };
    let put = |path: std::path::PathBuf, id: &str| refdesk_files::write_atomic(&path, one(id).as_bytes()).unwrap();
    put(world.beside("home/.config/jaato/references.json"), "user");
    assert_eq!(command(&[], None), ["user"]);
    put(world.path.join(".references.json"), "hidden");
    assert_eq!(command(&[], None), ["hidden"]);
    put(world.path.join("references.json"), "plain");
    assert_eq!(command(&[], None), ["plain"]);
    put(world.path.join("v.json"), "variable");
    assert_eq!(command(&[], Some("v.json")), ["variable"]);
    assert_eq!(command(&[], Some("")), ["plain"], "an empty variable is none");
    put(world.path.join("c.json"), "word");
    assert_eq!(command(&["--config", "c.json"], Some("v.json")), ["word"]);
}

#[test]
fn a_missing_named_configuration_is_an_error_and_discovery_still_runs() {
    let world = small();
    let source = json!({"id": "found", "name": "F", "type": "inline", "content": ""}).to_string();
    world.put(".jaato/references/found.json", source.as_bytes());
    for named in ["none.json", "docs"] {
        for words in [&["list"][..], &["resolve", "found"], &["instructions"], &["templates"]] {
            let words = [&["--config", named, "--format", "json"], words].concat();
            let ran = world.run(&words).exits(1);
            assert_eq!(ran.json()["error"]["code"], "config-not-found", "{ran}");
            assert_eq!(ran.stderr.matches("--config names").count(), 1, "said once: {ran}");
        }
        let ran = world.run(&["--config", named, "--format", "json", "list"]).exits(1);
        assert_eq!(listed(&ran.json()), ["found"]);
        let mut command = world.command(&["list"]);
        let ran = run(command.env("REFERENCES_CONFIG_PATH", named), None).exits(1);
        assert!(ran.stderr.contains("REFERENCES_CONFIG_PATH") && ran.text().contains("found"), "{ran}");
    }
    world.put("llms.txt", b"# Not JSON\n");
    for words in [&["list"][..], &["resolve", "found"], &["instructions"]] {
        let ran = world.run(&[&["--config", "llms.txt", "--format", "json"], words].concat()).exits(1);
        let answer = ran.json();
        let (error, said) = (&answer["error"], "llms.txt:1:1: not a configuration file: it is not JSON");
        assert_eq!((&error["code"], &error["message"]), (&json!("json-syntax"), &json!(said)), "{ran}");
        assert_eq!(ran.stderr.matches("it is not JSON").count(), 1, "said once: {ran}");
    }
    // Having no configuration is not an error.
    assert_eq!(Workspace::new().run(&["list"]).exits(0).stderr, "");
}

#[test]
fn a_workspace_that_is_not_a_folder_is_refused() {
    let world = small();
    for path in ["none", "references.json", "docs/a.md/x"] {
        let ran = run(&mut world.bare(&["--workspace", path, "--format", "json", "list"]), None).exits(1);
        assert_eq!(ran.json()["error"]["code"], "no-workspace", "{ran}");
    }
}

/// A command that is copied from an answer acts where the one that gave it did.
#[test]
fn offered_commands_keep_the_workspace_desk_and_configuration() {
    let world = small();
    let (away, path) = (world.beside("away"), world.path.display().to_string());
    std::fs::create_dir(&away).unwrap();
    let from = |folder: &std::path::Path, words: &[&str]| run(world.command(words).current_dir(folder), None).exits(1);
    let configured = ["--config", "references.json", "show", "nope"];
    for (folder, words, options) in [
        (&world.path, &["show", "nope"][..], String::new()),
        (&world.path, &configured, " --config references.json".to_owned()),
        (&away, &["show", "nope"], format!(" --workspace {path}")),
        (&away, &["--desk", "my desk", "show", "nope"], format!(" --workspace {path} --desk 'my desk'")),
    ] {
        let fix = format!("`refdesk{options} list` shows all ids");
        assert!(from(folder, words).stderr.contains(&fix), "{fix}");
        assert_eq!(from(folder, &[&["--json"], words].concat()).json()["error"]["hint"], fix.as_str());
    }
    world.run(&["exclude", "b"]).exits(0);
    world.put(".jaato/profiles/p.json", b"{\"name\": \"p\"}");
    refdesk_files::write_atomic(&away.join("out.md"), b"# Out\n").unwrap();
    for (words, start, rest) in [
        (&["templates"][..], "`refdesk", " select ID` picks a source with templates"),
        (&["ask"], "open `refdesk", "` in this workspace"),
        (&["ask", "--tag", "nope"], "`refdesk", " list --unselected` shows ids and tags"),
        (&["tag", "a"], "to remove: `refdesk", " tag retry-pattern +resilience -draft`"),
        (&["tag", "nope", "+x"], "`refdesk", " list` shows all ids"),
        (&["check"], "or let `refdesk", " init` find where the file went"),
        (&["profiles"], "  `refdesk", " --profile NAME profiles`"),
        (&["list", "--selected", "--mode", "all"], "Nothing is selected: `refdesk", " select ID` selects a source."),
        (&["simulate", "zzz"], "find one by meaning: `refdesk", " index` builds it."),
        (&["add", "out.md"], "waits for your trust: `refdesk", " trust` shows what agents would get"),
        (&["why-not", "b", "--prompt", "@b"], "fix: include it again: `refdesk", " include b`"),
    ] {
        let ran = run(world.command(words).current_dir(&away), None);
        let shown = format!("{}{}", ran.text(), ran.stderr);
        assert!(shown.contains(&format!("{start} --workspace {path}{rest}")), "{ran}");
    }
    // What is in the workspace is shown as it is.
    let text = "run `refdesk select a`";
    let entry = json!({"id": "foreign", "name": "F", "type": "inline", "content": text, "description": text,
                       "tags": [text], "hint": text});
    world.configure(json!({"sources": [entry]}));
    for words in [&["list"][..], &["show", "foreign"], &["show", "foreign", "--json"]] {
        let shown = run(world.command(words).current_dir(&away), None).exits(0);
        assert!(shown.text().contains(text), "{shown}");
        assert!(!shown.text().contains(&format!("--workspace {path} select")), "{shown}");
    }
}

#[test]
fn desks_are_separate() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    world.run(&["--desk", "review", "select", "tool"]).exits(0);
    world.run(&["--desk", "../../evil name\n", "select", "text"]).exits(0);
    let selected = |desk: &[&str]| listed(&world.json(&[desk, &["list", "--selected"]].concat(), 0));
    assert_eq!(selected(&[]), ["a", "b", "c", "away"]);
    assert_eq!(selected(&["--desk", "default"]), selected(&[]));
    assert_eq!(selected(&["--desk", "review"]), ["tool"]);
    assert_eq!(selected(&["--desk", "../../evil name\n"]), ["text", "gone"]);
    assert!(world.path.join(".jaato/refdesk/desks/review/selection.json").is_file());
    let outside = world.listing().into_iter().filter(|(path, _)| path.ends_with("selection.json"));
    assert!(outside.clone().all(|(path, _)| path.starts_with(world.path.join(".jaato/refdesk"))));
    assert_eq!(outside.count(), 3);
    assert!(!world.beside("evil name\n").exists());
}

#[test]
fn sessions_of_any_name_are_separate() {
    let world = small();
    let long = "x".repeat(5000);
    let names = ["plain", "", ".hidden", "..", "../../up", "a/b", "with blank", "\u{1b}[31m", "é", "a\nb", &long];
    for name in names {
        let first = world.feed(&["--session", name, "enrich"], b"on the web").exits(0);
        assert!(first.text().contains("@away"), "{name:?}: {first}");
        let again = world.feed(&["--session", name, "enrich"], b"on the web").exits(0);
        assert_eq!(again.text(), "on the web", "{name:?}");
    }
    let folder = world.path.join(".jaato/refdesk/sessions");
    let mut kept: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(kept.len(), names.len());
    kept.retain(|name| name != "plain");
    assert!(kept.iter().all(|name| name.len() == 64), "{kept:?}");
    assert!(!world.path.join(".jaato/up").exists() && !world.path.join("up").exists());
}

#[test]
fn the_demo_is_a_fresh_copy_for_each_command() {
    let world = Workspace::new();
    let demo = |words: &[&str]| run(&mut world.bare(&[&["--demo"], words].concat()), None);
    assert!(demo(&["list"]).exits(0).text().contains("pat-timeout"));
    demo(&["clear"]).exits(0);
    assert!(demo(&["why", "mod-station-client"]).exits(0).text().contains("(picked"));
    demo(&["select", "nobody"]).exits(1);
    demo(&["check"]).exits(0);
    let found = demo(&["search", "how often may a command be repeated"]).exits(0);
    assert!(found.text().contains("by words and meaning"), "{found}");
    assert!(found.stderr.contains("building the search index of the demo"), "{found}");
    let mut simulate = world.bare(&["--demo", "--json", "simulate"]);
    let reported = run(&mut simulate, Some(b"the caller gives up too early".as_slice())).exits(0).json();
    assert!(!reported["considered"].as_array().unwrap().is_empty(), "{reported}");
    assert_eq!(fs::read_dir(world.beside("tmp")).unwrap().count(), 0);
    // The user's own environment does not affect it.
    let mut command = world.bare(&["--demo", "list"]);
    let ran = run(command.env("REFERENCES_CONFIG_PATH", "/no/such/file"), None).exits(0);
    assert!(ran.text().contains("pat-timeout"), "{ran}");
}

#[test]
fn a_demo_that_cannot_be_unpacked_gives_one_document_too() {
    let world = Workspace::new();
    let mut command = world.bare(&["--demo", "--format", "json", "list"]);
    let ran = run(command.env("TMPDIR", world.path.join("none")), None).exits(1);
    assert_eq!(ran.json()["error"]["code"], "no-demo", "{ran}");
}
