//! A hook's journal lines: what the agent got, byte for byte, and what was written. Also a forged journal.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::{HINT, added, answered, hook, of, prompt, world};
use crate::support::workspace::{Workspace, strings};

const FILE: &str = ".jaato/refdesk/journal.jsonl";

/// The lines of the journal.
fn lines(world: &Workspace) -> Vec<Value> {
    world.read(FILE).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn tool(world: &Workspace, input: Value, response: &str) -> Value {
    let mut document = of("s", &world.path, "PostToolUse");
    for (name, value) in [("tool_name", json!("Read")), ("tool_input", input), ("tool_response", json!(response))] {
        document[name] = value;
    }
    document
}

#[test]
fn replay_prints_what_the_agent_got() {
    for words in [&["claude-code"][..], &["claude-code", "--repeat"]] {
        let world = world();
        let mut start = of("s", &world.path, "SessionStart");
        start["source"] = json!("startup");
        let documents = [
            start,
            prompt("s", &world.path, "the web and @away"),
            tool(&world, json!({"file_path": "docs/other.md"}), "it is local"),
            tool(&world, json!({}), "```java\nclass {{ Name }} {}\n```"),
        ];
        for document in documents {
            let before = if world.path.join(FILE).exists() { lines(&world).len() } else { 0 };
            let answer = answered(&mut hook(&world, words), document.to_string().as_bytes());
            let got = answer["hookSpecificOutput"]["additionalContext"]
                .as_str()
                .unwrap_or_else(|| panic!("{document}: {answer}"));
            let new = lines(&world).split_off(before);
            let line = new.iter().find(|line| line["text"].is_string()).unwrap_or_else(|| panic!("{words:?} {got}"));
            let replayed = world.run(&["replay", &line["n"].to_string()]).exits(0);
            assert_eq!(replayed.text(), got, "{words:?}");
            assert_eq!((line["bytes"].as_u64(), got.starts_with('\n')), (Some(got.len() as u64), false));
            // A block counts at least one token, and four bytes are one token.
            let tokens = line["tokens"].as_u64().unwrap();
            assert!(tokens.abs_diff(got.len() as u64 / 4) <= 8, "{tokens} of {}", got.len());
        }
    }
}

#[test]
fn a_start_without_a_file_of_the_catalog_is_journalled() {
    let more = json!({"id": "more", "name": "More", "type": "inline", "content": "More.", "mode": "auto"}).to_string();
    let broken = "<<<<<<< HEAD\n{\"sources\": []}";
    for (configuration, other, expected) in [
        (broken, more.as_str(), Some("references.json: not valid JSON")),
        ("{\"sources\": 7}", &more, Some("references.json: 'sources' must be a list")),
        (r#"{"sources": [{"id": "a", "name": "A", "type": "inline", "content": "A."}]}"#, "{", Some("more.json: not")),
        // Part of the file counts.
        (r#"{"sources": [{"id": "a", "name": "A", "type": "inline", "content": "A."}, 7]}"#, &more, None),
    ] {
        let world = Workspace::with(&[("references.json", configuration)]);
        world.put(".jaato/references/more.json", other.as_bytes());
        let mut start = of("s", &world.path, "SessionStart");
        start["source"] = json!("startup");
        for document in [start, prompt("s", &world.path, "the web")] {
            added(&world, &document);
        }
        let failed: Vec<Value> = match world.path.join(FILE).exists() {
            true => lines(&world).into_iter().filter(|line| line["what"] == "failed").collect(),
            false => Vec::new(),
        };
        let reasons: Vec<String> = failed.iter().map(Value::to_string).collect();
        assert_eq!(reasons.is_empty(), expected.is_none(), "{configuration}: {reasons:?}");
        assert!(expected.is_none_or(|part| reasons[0].contains(part)), "{configuration}: {reasons:?}");
        assert_eq!(reasons.len(), usize::from(expected.is_some()), "once, not at each prompt: {reasons:?}");
    }
}

#[test]
fn templates_of_tool_results_come_and_go() {
    let world = world();
    let template = |name: &str| format!("```java\nclass {{{{ {name} }}}} {{}}\n```");
    assert!(added(&world, &tool(&world, json!({}), &template("One"))).contains("TEMPLATE"));
    let about = |line: &Value| (line["what"].as_str().unwrap().to_owned(), line["about"].clone());
    let found = lines(&world);
    let (what, written) = about(&found[0]);
    assert_eq!((what.as_str(), found[1]["what"].as_str().unwrap()), ("written", "enriched"));
    let file = strings(&written).remove(0);
    let old = SystemTime::now() - Duration::from_secs(31 * 24 * 60 * 60);
    File::options().write(true).open(world.path.join(file)).unwrap().set_modified(old).unwrap();
    added(&world, &tool(&world, json!({}), &template("Two")));
    let whats: Vec<(String, Value)> = lines(&world).split_off(2).iter().map(about).collect();
    assert!(whats.contains(&("removed".to_owned(), written)), "{whats:?}");
    assert!(whats.iter().any(|(what, _)| what == "written"), "{whats:?}");
}

/// Any argument of a call may look like a path inside a source, but only file names are recorded.
#[test]
fn text_written_by_the_agent_is_never_recorded() {
    const SECRET: &str = "hunter2";
    let world = world();
    world.put("notes/a.md", b"a");
    let source = serde_json::json!({"id": "notes", "name": "Notes", "type": "local", "path": "notes"});
    world.configure(json!({"version": "1.0", "sources": [source, {"id": "web", "name": "Web", "type": "inline",
        "content": "x", "tags": ["web"]}]}));
    let mut heard = vec![prompt("s", &world.path, &format!("the web is {SECRET}"))];
    for input in [
        json!({"file_path": "notes/a.md", "old_string": SECRET}),
        json!({"command": format!("echo 'notes/{SECRET} is it' > notes/a.md")}),
        json!({"path": format!("notes/{SECRET}")}),
        json!({SECRET: [SECRET]}),
    ] {
        heard.push(tool(&world, input, SECRET));
    }
    for document in heard {
        answered(&mut hook(&world, &["claude-code"]), document.to_string().as_bytes());
    }
    let journal = world.read(FILE);
    assert!(!journal.contains(SECRET), "{journal}");
    let read = lines(&world).into_iter().filter(|line| line["what"] == "read");
    assert_eq!(read.map(|line| line["path"].clone()).collect::<Vec<_>>(), ["notes/a.md"; 2], "{journal}");
}

#[test]
fn a_relative_path_leads_from_the_folder_of_the_agent() {
    let world = world();
    fs::create_dir_all(world.path.join(".jaato")).unwrap();
    for file in ["sub/docs/near.md", "other/x.md"] {
        world.put(file, b"Another one.\n");
    }
    for (cwd, path, is_read) in [
        ("docs", "near.md", true),
        ("sub", "docs/near.md", false),
        ("sub", "../docs/near.md", true),
        ("other", "docs/near.md", true),
    ] {
        let before = if world.path.join(FILE).exists() { lines(&world).len() } else { 0 };
        let mut document = tool(&world, json!({"file_path": path}), "text");
        document["cwd"] = json!(world.path.join(cwd));
        answered(&mut hook(&world, &["claude-code"]), document.to_string().as_bytes());
        let now = if world.path.join(FILE).exists() { lines(&world).len() } else { 0 };
        assert_eq!(now > before, is_read, "{path} in {cwd}");
    }
}

/// The server has a session of its own, so that the hook's would not show what the agent did with its tools.
#[test]
fn a_call_of_the_server_counts_for_the_session_of_the_hook() {
    let world = world();
    added(&world, &prompt("s", &world.path, "it is local"));
    world.run(&["--session", "server", "select", "near"]).exits(0);
    for (name, input) in [
        // None of these reads the file.
        ("mcp__refdesk__renderTemplateToFile", json!({"template": "x", "output_path": "docs/near.md"})),
        ("mcp__refdesk__search_documents", json!({"query": "docs/near.md"})),
        ("Bash", json!({"command": "refdesk search docs/near.md"})),
        ("mcp__refdesk__selectReferences", json!({"ids": ["near", "away", "nope"]})),
        ("mcp__refdesk__selectReferences", json!({"ids": "[\"reference://near\", \"near\"]"})),
        ("mcp__refdesk__selectReferences", json!({"filter_tags": ["Local", "web"]})),
        ("mcp__refdesk__readReference", json!({"id": "near", "path": "docs/other.md"})),
        ("mcp__refdesk__readReference", json!({"id": "reference://near"})),
        ("mcp__refdesk__readReference", json!({"id": "rules"})),
        ("mcp__refdesk__readReference", json!({"id": "away"})),
        ("mcp__other__readDocument", json!({"id": "near"})),
    ] {
        let mut document = tool(&world, input, "done");
        document["tool_name"] = json!(name);
        added(&world, &document);
    }
    let of_hook = lines(&world).into_iter().filter(|line| line["session"] == "s");
    let did: Vec<Value> = of_hook.map(|line| json!([line["what"], line["about"]])).collect();
    let (selected, read) = (json!(["selected", ["near"]]), json!(["read", ["near"]]));
    let expected = json!([selected, selected, selected, read, read, ["read", ["rules"]]]);
    assert_eq!(json!(did[1..]), expected, "{did:?}");
}

/// Reading this journal would take seconds and four gigabytes of memory.
#[test]
fn a_forged_journal_of_four_gigabytes_is_not_read() {
    let world = world();
    world.put(FILE, b"{\"n\":1}\n");
    for name in [FILE, ".jaato/refdesk/journal.1.jsonl"] {
        let file = File::options().append(true).create(true).open(world.path.join(name)).unwrap();
        file.set_len(1 << 32).unwrap();
    }
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
    assert_eq!(lines(&world).len(), 1);
    let shown = world.run(&["journal"]).exits(0);
    assert!(
        shown.text().contains("\"enriched\"") && shown.stderr.contains("1 line of the journal is damaged"),
        "{shown}"
    );
    assert!(
        fs::read_dir(world.path.join(".jaato/refdesk"))
            .unwrap()
            .any(|entry| { entry.unwrap().file_name().into_string().unwrap().starts_with("journal.jsonl.damaged-") })
    );
}
