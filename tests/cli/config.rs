//! Tests every file of `tests/config`: good ones give no diagnostic, bad ones exactly those in the table, and the good
//! entry of a bad file is still in the catalog.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::program::{ProgramRun, run};
use crate::support::workspace::{Workspace, ids};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config")
}

fn files(of: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder().join(of)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10, "the table is there");
    files
}

fn with_config(world: &Workspace, file: &Path, words: &[&str]) -> ProgramRun {
    let mut command = world.bare(&["--format", "json"]);
    command.arg("--workspace").arg(folder().join("workspace")).arg("--config").arg(file).args(words);
    run(&mut command, None)
}

/// All diagnostics of `check` about the content of the file, except for warnings that nothing brings up a source.
fn found(ran: &ProgramRun) -> Vec<Value> {
    let document = ran.json();
    let rows = |key: &str| document[key].as_array().unwrap_or_else(|| panic!("{key}: {ran}")).clone();
    let all = [rows("errors"), rows("warnings")].concat();
    all.into_iter().filter(|row| row["code"] != "never-found").collect()
}

#[test]
fn good_files_give_no_diagnostic() {
    let world = Workspace::new();
    let mut wrong = Vec::new();
    for file in files("good") {
        let ran = with_config(&world, &file, &["check"]);
        if !found(&ran).is_empty() || ran.code != 0 {
            wrong.push(ran.to_string());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn bad_files_give_the_diagnostics_of_the_table() {
    let table: Vec<Value> = serde_json::from_slice(&fs::read(folder().join("expected.json")).unwrap()).unwrap();
    let mut expected: BTreeMap<PathBuf, Vec<Value>> = BTreeMap::new();
    for row in table {
        expected.entry(folder().join(row["file"].as_str().unwrap())).or_default().push(row);
    }
    let world = Workspace::new();
    let mut wrong = Vec::new();
    for file in files("bad") {
        let rows = expected.remove(&file).unwrap_or_default();
        let ran = with_config(&world, &file, &["check"]);
        let is_error = rows.iter().any(|row| row["severity"] == "error");
        if ran.code != i32::from(is_error) {
            wrong.push(format!("the wrong exit code: {ran}"));
        }
        let mut left = found(&ran);
        for row in &rows {
            match left.iter().position(|diagnostic| agree(row, diagnostic, &file)) {
                Some(at) => drop(left.remove(at)),
                None => wrong.push(format!("lacks {row}\n  of {left:#?}")),
            }
        }
        wrong.extend(left.iter().map(|diagnostic| format!("too much for {}: {diagnostic}", file.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(expected.is_empty(), "no such files: {expected:?}");
}

fn agree(row: &Value, found: &Value, file: &Path) -> bool {
    let same = |key: &str| row[key] == found[key];
    let any_or_same = |key: &str| row[key].is_null() || same(key);
    let words = format!("{} {}", found["message"], found["hint"]);
    let nearest = row["nearest"].as_str().is_none_or(|nearest| words.contains(&format!("'{nearest}'")));
    let says_how = !found["message"].as_str().unwrap_or_default().is_empty() && found["hint"] != "";
    same("code")
        && same("severity")
        && any_or_same("line")
        && any_or_same("column")
        && same("source_id")
        && nearest
        && says_how
        && found["file"].as_str() == file.to_str()
}

#[test]
fn a_good_entry_of_a_bad_file_is_in_the_catalog() {
    let world = Workspace::new();
    let mut seen = 0;
    for file in files("bad") {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let parsed = serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}'));
        let Ok(Value::Object(document)) = parsed else { continue };
        let Some(Value::Array(sources)) = document.get("sources") else { continue };
        if !sources.iter().any(|source| source["id"] == "kept") {
            continue;
        }
        let ran = with_config(&world, &file, &["list"]);
        assert!(ids(&ran.json()["sources"]).contains(&"kept".to_owned()), "{ran}");
        seen += 1;
    }
    assert!(seen > 30, "only {seen} files hold a good entry");
}
