//! Replays a day's conversation with the demo (`tests/data/conversation`): the answer to each document, with everything
//! given once or every time, and the cost by kind of block.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use refdesk_enrich::{outside, own_blocks};
use serde_json::{Value, json};

use super::workspace::Workspace;

/// A document and its addition.
#[derive(Debug)]
pub struct Turn {
    /// The prompt; `None` for tool results and the start.
    pub prompt: Option<String>,
    pub added: String,
}

/// Bytes added, by kind of block.
pub type Price = BTreeMap<&'static str, usize>;

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// A copy of the demo without background indexing. Otherwise the first event would start it, and its sources would be
/// ranked by meaning too after a number of prompts that depends on the machine.
pub fn demo() -> Workspace {
    let world = Workspace::new();
    copy(&home().join("assets/demo"), &world.path);
    let mut configuration: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    configuration["index"] = json!({"background": false});
    world.configure(configuration);
    world
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The documents of the conversation: hook input as written by Claude Code, without `session_id` and `cwd`, mixed with
/// actions of a person on the desk.
pub fn documents() -> Vec<Value> {
    let text = fs::read_to_string(home().join("tests/data/conversation/day.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The whole conversation in a new copy of the demo.
pub fn replay(repeat: bool) -> Vec<Turn> {
    let world = demo();
    let mut turns = Vec::new();
    for document in documents() {
        if let Some(words) = document["refdesk"].as_array() {
            let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
            world.run(&words).exits(0);
            continue;
        }
        let prompt = document["prompt"].as_str().map(str::to_owned);
        turns.push(Turn { prompt, added: answered(&world, whole(&world, document), repeat) });
    }
    turns
}

/// The document as an agent in this workspace would send it: with the workspace's paths, and with the content of the
/// file that was read if the demo contains it.
fn whole(world: &Workspace, mut document: Value) -> Value {
    if let Some(path) = document["tool_input"]["file_path"].as_str().map(|path| world.path.join(path)) {
        let shown = Value::from(path.to_str().unwrap());
        if document["tool_response"].is_null() {
            let content = fs::read_to_string(&path).unwrap_or_default();
            document["tool_response"] = json!({
                "type": "text",
                "file": {"filePath": shown.clone(), "content": content, "numLines": content.lines().count()},
            });
        }
        document["tool_input"]["file_path"] = shown;
    }
    document
}

/// The addition to one document.
fn answered(world: &Workspace, mut document: Value, repeat: bool) -> String {
    document["session_id"] = Value::from("a-day");
    document["cwd"] = Value::from(world.path.to_str().unwrap());
    let words = if repeat { &["hook", "claude-code", "--repeat"][..] } else { &["hook", "claude-code"] };
    let answer = world.feed(words, document.to_string().as_bytes()).exits(0).json();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// The blocks of an addition with their kinds. Text outside blocks is the instructions.
pub fn blocks(added: &str) -> Vec<(&'static str, &str)> {
    const HEADINGS: [(&str, &str); 7] = [
        ("**Referenced Sources:**", "expansions"),
        ("**Reference sources available**", "hints"),
        ("**Transitively selected references**", "notices"),
        ("**Reference Context: ", "contexts"),
        ("**Templates available**", "templates"),
        ("**Left out, over the budget**", "left out"),
        ("**Less likely hints left out**", "left out"),
    ];
    let kind = |block: std::ops::Range<usize>| {
        let text = &added[block];
        let heading = text.trim_start().lines().nth(1).unwrap_or_default();
        let kind = HEADINGS.iter().find(|(beginning, _)| heading.starts_with(beginning));
        (kind.expect("a known heading").1, text)
    };
    let others = outside(added).into_iter().map(|part| ("instructions", &added[part]));
    own_blocks(added).into_iter().map(kind).chain(others.filter(|(_, text)| !text.trim().is_empty())).collect()
}

/// The cost of all turns by kind. The instructions at the start count as one kind.
pub fn price(turns: &[Turn]) -> Price {
    let mut price = Price::new();
    let (start, rest) = turns.split_at(1);
    price.insert("instructions", start.iter().map(|turn| turn.added.len()).sum());
    for (kind, text) in rest.iter().flat_map(|turn| blocks(&turn.added)) {
        *price.entry(kind).or_default() += text.len();
    }
    price
}

/// The cost of everything except the instructions, which are the same in both conversations.
pub fn of_blocks(price: &Price) -> usize {
    price.iter().filter(|(kind, _)| **kind != "instructions").map(|(_, bytes)| bytes).sum()
}
