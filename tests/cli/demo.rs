//! Compares the demo knowledge base with `tests/demo/expected.json`, which was written by hand from its documents:
//! catalog, closures, mentions, prompts, templates, and its two intended problems.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::conversation;
use crate::support::program::{PROGRAM, run};
use crate::support::workspace::{Workspace, ids, strings};

fn expected() -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/demo/expected.json");
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

/// A copy of the demo with only these picks and exclusions.
fn demo(picks: &Value, exclusions: &Value) -> Workspace {
    let world = conversation::demo();
    world.run(&["clear"]).exits(0);
    for (verb, list) in [("select", picks), ("exclude", exclusions)] {
        let list = strings(list);
        if !list.is_empty() {
            let words: Vec<&str> = [verb].into_iter().chain(list.iter().map(String::as_str)).collect();
            world.run(&words).exits(0);
        }
    }
    world
}

/// The commands of the documentation with their printed output.
#[test]
fn from_knowledge_to_code_as_the_documentation_says() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(here.join("docs/src/how-to/templates.md")).unwrap();
    let commands = page.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let world = Workspace::new();
    let (program, known) = (Path::new(PROGRAM).parent().unwrap(), std::env::var_os("PATH").unwrap());
    let paths = [program.to_path_buf()].into_iter().chain(std::env::split_paths(&known));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-euc", commands]).current_dir(here).env_clear().env("PATH", std::env::join_paths(paths).unwrap());
    shell.env("HOME", world.beside("home")).env("TMPDIR", world.beside("tmp"));
    let ran = run(&mut shell, None).exits(0);
    for reported in
        ["class NordicClient:", "JSON schema:", "Wrote clients/nordic_sky/client.py: ", "4 templates: 0 errors"]
    {
        assert!(ran.text().contains(reported), "{reported}: {ran}");
    }
    assert!(ran.text().contains("Wrote clients/arctic/settings.toml: "), "{ran}");
}

#[test]
fn catalog_order_and_what_is_preselected() {
    let expected = expected();
    let world = Workspace::new();
    let listed = run(&mut world.bare(&["--demo", "--format", "json", "list"]), None).exits(0).json();
    assert_eq!(ids(&listed["sources"]), strings(&expected["catalog"]));
    let picked: Vec<&Value> = listed["sources"].as_array().unwrap().iter().filter(|it| it["picked"] == true).collect();
    assert_eq!(ids(&json!(picked)), strings(&expected["preselected"]));
    assert_eq!(fs::read_dir(world.beside("tmp")).unwrap().count(), 0, "its temporary folder is gone");
    assert_eq!(fs::read_dir(&world.path).unwrap().count(), 0, "the current folder is untouched");
}

#[test]
fn offered_commands_run_in_the_demo_too() {
    let world = Workspace::new();
    for (words, offered) in [
        (&["show", "nope"][..], "`refdesk --demo list` shows all ids"),
        (&["--profile", "nope", "list"], "`refdesk --demo profiles` lists them"),
        (&["exclude", "pat-timeout"], "`refdesk --demo select pat-timeout` picks it again"),
        (&["profiles"], "`refdesk --demo --profile NAME profiles`\n"),
        (&["doctor"], "`refdesk --demo check` lists them"),
        (&["doctor"], "ok     search index: not built yet; `search`"),
        (&["check"], "fix: none needed; the demo shows how a missing file is reported\n"),
        (&["render", "--inline", "`refdesk list`"], "`refdesk list`"),
        (&["doctor"], "`refdesk connect` finds"),
        (&["connect", "claude-code", "--yes"], "fix: leave --demo out, and run this in your repository\n"),
        (&["ask"], "fix: ask at a terminal\n"),
        (&["list"], "fix: none needed; the demo shows how a missing file is reported\n"),
        (&["why", "pat-retry"], "fix: open `refdesk --demo` and do it there"),
        (&["edit", "pat-retry"], "fix: open `refdesk --demo` and do it there"),
    ] {
        let ran = run(&mut world.bare(&[&["--demo"], words].concat()), None);
        assert!(ran.text().contains(offered) || ran.stderr.contains(offered), "{offered}: {ran}");
    }
    for (words, is_lost) in [
        (&["exclude", "pat-timeout"][..], true),
        (&["select", "pat-retry"], true),
        (&["tag", "pat-retry", "+new"], true),
        (&["remove", "pat-retry", "--yes"], true),
        (&["index", "--words-only"], true),
        (&["tag", "pat-retry", "-none"], false),
        (&["check"], false),
        (&["show", "nope"], false),
    ] {
        let ran = run(&mut world.bare(&[&["--demo"], words].concat()), None);
        assert_eq!(
            ran.stderr.contains("what it changes is lost; on the screen, `refdesk --demo`, it"),
            is_lost,
            "{ran}"
        );
    }
    let ran = run(&mut world.bare(&["--demo", "--json", "show", "nope"]), None).exits(1);
    assert_eq!(ran.json()["error"]["hint"], "`refdesk --demo list` shows all ids");
    let checked = run(&mut world.bare(&["--demo", "--json", "check"]), None).exits(0).json().to_string();
    assert!(checked.contains("none needed; the demo") && !checked.contains(" init`"), "{checked}");
}

#[test]
fn picks_pull_in_with_depth_and_parents() {
    let none = json!([]);
    for closure in expected()["closures"].as_array().unwrap() {
        let why = &closure["why"];
        // Resolved from the ids given as arguments.
        let world = demo(&none, &closure["exclusions"]);
        let picks = strings(&closure["picks"]);
        let words: Vec<&str> = ["resolve"].into_iter().chain(picks.iter().map(String::as_str)).collect();
        let resolved = world.json(&words, 0);
        for key in ["resolved", "depth", "parents"] {
            assert_eq!(resolved[key], closure[key], "{key}: {why}");
        }
        assert_eq!(resolved["unknown"], none);
        // Selected, and listed as selected.
        let world = demo(&closure["picks"], &closure["exclusions"]);
        let mut selected = ids(&world.json(&["list", "--selected"], 0)["sources"]);
        let mut wanted = strings(&closure["resolved"]);
        selected.sort();
        wanted.sort();
        assert_eq!(selected, wanted, "{why}");
    }
}

#[test]
fn every_mention_with_file_and_line() {
    let graph = demo(&json!([]), &json!([])).json(&["graph"], 0);
    let rows = |list: &Value| {
        let mut rows: Vec<String> = list.as_array().unwrap().iter().map(row).collect();
        rows.sort();
        rows
    };
    let row_of = rows(&graph["mentions"]);
    assert_eq!(row_of, rows(&expected()["mentions"]));
}

fn row(mention: &Value) -> String {
    format!("{} {} {} {} {}", mention["from"], mention["to"], mention["via"], mention["file"], mention["line"])
}

#[test]
fn blocks_for_prompts() {
    for prompt in expected()["prompts"].as_array().unwrap() {
        let world = demo(&prompt["picks"], &prompt["exclusions"]);
        let text = prompt["text"].as_str().unwrap();
        let reported = world.feed_json(&["enrich", "--dry-run"], text.as_bytes());
        let metadata = &reported["metadata"];
        let hints: serde_json::Map<String, Value> = prompt["hints"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hint| (hint["id"].as_str().unwrap().to_owned(), hint["tags"].clone()))
            .collect();
        assert_eq!(metadata["mentioned_references"], prompt["expansions"], "{text}");
        assert_eq!(metadata["tag_matched_references"], Value::Object(hints), "{text}");
        assert_eq!(metadata["transitive_references"], prompt["transitive"], "{text}");
        if let Some(enriched) = prompt["enriched"].as_str() {
            assert_eq!(reported["text"], enriched);
            let printed = world.feed(&["enrich"], text.as_bytes()).exits(0);
            assert_eq!(printed.text(), enriched, "the text form is the same");
        }
    }
}

#[test]
fn templates_with_syntax_and_variables() {
    let expected = expected();
    let expected = &expected["templates"];
    let world = demo(&expected["picks"], &json!([]));
    let listed = world.json(&["templates"], 0);
    let standalone = expected["standalone"].as_array().unwrap();
    for wanted in standalone {
        let name = wanted["name"].as_str().unwrap();
        let rows = listed["templates"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("{name} is not listed"));
        for key in ["syntax", "variables"] {
            assert_eq!(row[key], wanted[key], "{key} of {name}");
        }
        assert_eq!((&row["origin"], &row["exists"]), (&json!("standalone"), &json!(true)), "{name}");
        let path = row["source_path"].as_str().unwrap();
        assert!(path.ends_with(wanted["within"].as_str().unwrap()), "{name}: {path}");
        // The full name works too, and the variables match the skeleton.
        let full = format!("{}/{}", wanted["source"].as_str().unwrap(), wanted["within"].as_str().unwrap());
        let variables = world.json(&["templates", "variables", &full], 0);
        assert_eq!(variables["variables"], wanted["variables"], "{full}");
        let skeleton = variables["skeleton"].to_string();
        let rendered = world.json(&["render", name, "--vars", &skeleton], 0);
        assert_eq!(rendered["success"], true, "{name}");
    }
    let standing = listed["templates"].as_array().unwrap().iter().filter(|row| row["origin"] == "standalone");
    assert_eq!(standing.count(), standalone.len());
}

#[test]
fn its_two_intended_problems() {
    let checked = demo(&json!([]), &json!([])).json(&["check"], 0);
    assert_eq!(checked["valid"], true);
    assert_eq!(checked["errors"], json!([]));
    let wanted = expected();
    let wanted = wanted["diagnostics"].as_array().unwrap();
    let found = checked["warnings"].as_array().unwrap();
    assert_eq!(found.len(), wanted.len(), "{found:#?}");
    for row in wanted {
        let code = row["kind"].as_str().unwrap().replace(' ', "-");
        let same = |it: &&Value| {
            it["code"] == code.as_str()
                && ["severity", "source_id", "file", "line"].iter().all(|key| it[*key] == row[*key])
        };
        assert_eq!(found.iter().filter(same).count(), 1, "{row} in {found:#?}");
    }
}

/// The pages of its database, their manifest and plan, and the generated sources are what refdesk writes.
/// `INSTA_UPDATE=always` rewrites them.
#[test]
fn its_database_is_documented_as_refdesk_does_it() {
    const MADE: [&str; 3] = ["docs/databases", ".jaato/databases", ".jaato/references"];
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo");
    let world = conversation::demo();
    let sql = fs::read_to_string(assets.join("data/accounts.sql")).unwrap();
    rusqlite::Connection::open(world.path.join("data/accounts.db")).unwrap().execute_batch(&sql).unwrap();
    world.run(&["db", "document", "--yes"]).exits(0);
    for folder in MADE {
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            for (path, text) in files(&world.path.join(folder)) {
                let target = assets.join(folder).join(path);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                refdesk_files::write_atomic(&target, text.as_bytes()).unwrap();
            }
        }
        assert_eq!(
            files(&world.path.join(folder)),
            files(&assets.join(folder)),
            "{folder}: write it with INSTA_UPDATE=always"
        );
    }
    let world = Workspace::new();
    let reported = run(&mut world.bare(&["--demo", "db", "status"]), None).exits(0);
    assert_eq!(reported.text(), "accounts  reachable  19 pages  up to date\n");
    // An agent reads each table once and pays for it once.
    let world = conversation::demo();
    world.run(&["select", "db-accounts-contracts"]).exits(0);
    let reported = world.run(&["instructions"]).exits(0).text().to_owned();
    assert!(
        reported.contains("/contracts` containing 5 file(s):") && !reported.contains("main.tariff.json"),
        "{reported}"
    );
}

/// Every file below a folder, by its path.
fn files(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => {
                    let path = entry.path().strip_prefix(folder).unwrap().to_path_buf();
                    found.insert(path, fs::read_to_string(entry.path()).unwrap());
                }
            }
        }
    }
    found
}
