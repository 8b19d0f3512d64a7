//! A day's conversation over the demo (`tests/data/conversation`), replayed: what each of its documents is answered, told
//! once or again and again, and what that costs by kind of block.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use refdesk_enrich::{outside, own_blocks};
use serde_json::Value;

use super::workspace::Workspace;

/// One document and what was added to it.
#[derive(Debug)]
pub struct Turn {
    /// The prompt; `None` for what a tool answered and for the start.
    pub prompt: Option<String>,
    /// What was added.
    pub added: String,
}

/// What was added, in bytes, by kind.
pub type Price = BTreeMap<&'static str, usize>;

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// A copy of the demo, untouched.
pub fn demo() -> Workspace {
    let world = Workspace::new();
    copy(&home().join("assets/demo"), &world.path);
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

/// The documents of the conversation: of hooks as Claude Code writes them, without `session_id` and `cwd`, and what somebody
/// does at the desk in between.
pub fn documents() -> Vec<Value> {
    let text = fs::read_to_string(home().join("tests/data/conversation/day.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The conversation from its start to its end in a fresh copy of the demo.
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

/// The document as an agent that works here would have written it: with paths of this workspace, and with the content of
/// the file that was read, where it is one of the demo.
fn whole(world: &Workspace, mut document: Value) -> Value {
    if let Some(path) = document["tool_input"]["file_path"].as_str().map(|path| world.path.join(path)) {
        let shown = Value::from(path.to_str().unwrap());
        if document["tool_response"].is_null() {
            let content = fs::read_to_string(&path).unwrap_or_default();
            document["tool_response"] = serde_json::json!({
                "type": "text",
                "file": {"filePath": shown.clone(), "content": content, "numLines": content.lines().count()},
            });
        }
        document["tool_input"]["file_path"] = shown;
    }
    document
}

/// What is added to one document.
fn answered(world: &Workspace, mut document: Value, repeat: bool) -> String {
    document["session_id"] = Value::from("a-day");
    document["cwd"] = Value::from(world.path.to_str().unwrap());
    let words = if repeat { &["hook", "claude-code", "--repeat"][..] } else { &["hook", "claude-code"] };
    let answer = world.feed(words, document.to_string().as_bytes()).exits(0).json();
    answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// What of an addition is a block of which kind, with its text; what stands in no block are the instructions.
pub fn blocks(added: &str) -> Vec<(&'static str, &str)> {
    const HEADINGS: [(&str, &str); 6] = [
        ("**Referenced Sources:**", "expansions"),
        ("**Reference sources available**", "hints"),
        ("**Transitively selected references**", "notices"),
        ("**Reference Context: ", "contexts"),
        ("**Templates available**", "templates"),
        ("**Left out for want of room**", "left out"),
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

/// What all of it costs, by kind; what is said at the start is one, whatever stands in it.
pub fn price(turns: &[Turn]) -> Price {
    let mut price = Price::new();
    let (start, rest) = turns.split_at(1);
    price.insert("instructions", start.iter().map(|turn| turn.added.len()).sum());
    for (kind, text) in rest.iter().flat_map(|turn| blocks(&turn.added)) {
        *price.entry(kind).or_default() += text.len();
    }
    price
}

/// What is added to prompts and tools' answers; the instructions stand at the start of either conversation.
pub fn of_blocks(price: &Price) -> usize {
    price.iter().filter(|(kind, _)| **kind != "instructions").map(|(_, bytes)| bytes).sum()
}
