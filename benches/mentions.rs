//! Many mentions in little text. 2,000 sources whose documents mention all 2,000 on one line, and 800 ids and 800 tags,
//! each containing the next: `list`, `enrich` and `hook` take under 0.5 s each. Four times as many mentions of two
//! sources on one line take at most five times as long. Whole processes, nothing cached, medians.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::path::Path;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_files::write_atomic;
use serde_json::{Value, json};
use support::{Workspace, refdesk, report, time, time_alternately, time_fed};

const PROMISED: f64 = 500.0;

/// A source: its id, its tag, its document.
type SourceSpec = (String, String, String);

fn workspace(sources: impl Iterator<Item = SourceSpec>) -> Workspace {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let docs = folder.path().join("docs");
    std::fs::create_dir_all(&docs).expect("a folder");
    let mut made = Workspace { documents: Vec::new(), entries: Vec::new(), folder };
    let mut entries: Vec<Value> = Vec::new();
    for (at, (id, tag, document)) in sources.enumerate() {
        let path = docs.join(format!("d{at}.md"));
        write_atomic(&path, document.as_bytes()).expect("a document");
        entries.push(json!({"id": id, "name": id, "path": path, "tags": [tag]}));
        made.documents.push(path);
    }
    let catalog = json!({"version": "1.0", "sources": entries});
    write_atomic(&made.folder.path().join("references.json"), catalog.to_string().as_bytes()).expect("a catalog");
    made
}

/// Selects the first source, and measures each command without anything cached by an earlier process.
fn measure(what: &str, workspace: &Workspace, first: &str, prompt: &str) {
    time(&mut refdesk(workspace, &["select", first]));
    let cold = |words: &[&str], input: &str| -> Duration {
        forget(workspace.folder.path());
        time_fed(&mut refdesk(workspace, words), input.as_bytes())
    };
    let hook = json!({"session_id": "one", "cwd": workspace.folder.path(),
                      "hook_event_name": "UserPromptSubmit", "prompt": prompt});
    let hook = hook.to_string();
    let enrich = || cold(&["enrich", "--repeat"], prompt);
    let [list, enrich] = time_alternately(5, || cold(&["--format", "json", "list"], ""), enrich);
    let [hook, _] = time_alternately(5, || cold(&["hook", "claude-code"], &hook), || Duration::ZERO);
    for (command, took) in [("list", list), ("enrich", enrich), ("hook", hook)] {
        report(&format!("{what}, {command}"), took.as_secs_f64() * 1e3, PROMISED, " ms");
    }
}

fn forget(workspace: &Path) {
    let _ = std::fs::remove_file(workspace.join(".jaato/refdesk/cache/mentions"));
}

/// `a`, `a a`, `a a a`, … with this separator.
fn nested(between: &str) -> Vec<String> {
    (1..=800).map(|count| vec!["a"; count].join(between)).collect()
}

fn figures(_: &mut Criterion) {
    let all: Vec<String> = (0..2_000).map(|at| format!("s{at}")).collect();
    let line = all.join(" ");
    let source = |id: &String| (id.clone(), format!("topic {id}"), line.clone());
    measure("2,000 sources that all name all", &workspace(all.iter().map(source)), "s0", "hello");

    for (what, between) in [("joined by '-'", "-"), ("joined by blanks", " ")] {
        let ids = nested(between);
        let line = ids.join(" ");
        let source = |id: &String| (id.clone(), "x".to_owned(), if *id == "a" { line.clone() } else { String::new() });
        let prompt: String = ids.iter().map(|id| format!("@{id} ")).collect();
        measure(&format!("800 nested ids {what}"), &workspace(ids.iter().map(source)), "a", &prompt);
        let source = |(at, tag): (usize, &String)| (format!("s{at}"), tag.clone(), String::new());
        measure(&format!("800 nested tags {what}"), &workspace(ids.iter().enumerate().map(source)), "s0", &line);
    }

    for (what, word) in [("links", "[x](d1.md) "), ("words", "./d1.md "), ("ids", "b "), ("broken", "./gone.md ")] {
        let of = |count: usize| {
            let sources = [("a", word.repeat(count)), ("b", String::new())];
            let made = workspace(sources.into_iter().map(|(id, text)| (id.to_owned(), id.to_owned(), text)));
            time(&mut refdesk(&made, &["select", "a"]));
            made
        };
        let (few, many) = (of(100_000), of(400_000));
        let list = |workspace: &Workspace| {
            forget(workspace.folder.path());
            time(&mut refdesk(workspace, &["list"]))
        };
        let [many, few] = time_alternately(5, || list(&many), || list(&few));
        println!("{what} on one line: 400,000 {many:?}, 100,000 {few:?}");
        report(&format!("400,000 ÷ 100,000 {what}"), many.as_secs_f64() / few.as_secs_f64(), 5.0, "×");
    }
}

criterion_group!(benches, figures);
criterion_main!(benches);
