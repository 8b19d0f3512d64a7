//! The five tasks of the book, typed into the real program exactly as written there: each works with few keys.

use std::fs;

use serde_json::json;

use crate::e2e::requests::{CHOICE, ask};
use crate::support::conversation;
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// The maximum number of keys for a task, not counting typed text.
const MAX_KEYS: usize = 8;

/// The keys of the task below this heading.
fn task(heading: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/how-to/tasks.md")).unwrap();
    let section = page.split("\n## ").find(|section| section.starts_with(heading)).expect("the task");
    let keys = section.split("```keys\n").nth(1).expect("its keys").split("\n```").next().unwrap();
    keys.to_owned()
}

/// The steps of a line of keys as bytes for the terminal, and whether each is a key: typed text is one step, but not a
/// key.
fn steps(keys: &str) -> Vec<(String, bool)> {
    let mut steps = Vec::new();
    for (nth, part) in keys.split('"').enumerate() {
        if nth % 2 == 1 {
            steps.push((part.to_owned(), false));
            continue;
        }
        steps.extend(part.split_whitespace().map(|key| {
            let bytes = match key {
                "Enter" => "\r",
                "Esc" => "\x1b",
                "Space" => " ",
                "C-k" => "\x0b",
                key => key,
            };
            (bytes.to_owned(), true)
        }));
    }
    steps
}

/// Types the task's keys and waits after each step until this text is shown; `""` does not wait.
fn perform(pty: &mut Pty, keys: &str, shown: &[&str]) {
    let steps = steps(keys);
    let count = steps.iter().filter(|(_, is_key)| *is_key).count();
    assert!(count <= MAX_KEYS, "{count} keys: {keys}");
    assert_eq!(steps.len(), shown.len(), "{steps:?}");
    for ((bytes, _), shown) in steps.iter().zip(shown) {
        pty.type_bytes(bytes);
        pty.wait_for(shown);
    }
}

fn open(world: &Workspace, sources: &str) -> Pty {
    let pty = Pty::start_at(&world.beside("home"), &["--workspace", world.path.to_str().unwrap()], 120, 36);
    pty.wait_for(sources);
    pty
}

fn quit(mut pty: Pty) {
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn the_page_counts_the_keys() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/how-to/tasks.md")).unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let counts = rows.filter_map(|(task, counts)| {
        let (_, keys) = counts.trim_end_matches(" |").split_once(" | ")?;
        Some((task.to_owned(), keys.parse().ok()?))
    });
    let counts: Vec<(String, usize)> = counts.collect();
    assert_eq!(counts.len(), 5);
    for (heading, count) in counts {
        assert_eq!(steps(&task(&heading)).iter().filter(|(_, is_key)| *is_key).count(), count, "{heading}");
    }
}

#[test]
fn why_a_source_is_there() {
    let world = conversation::demo();
    let mut pty = open(&world, "2 pulled in");
    let place = "(limits.yaml:2)";
    perform(&mut pty, &task("Why is a source there?"), &["┏ Jump", "◐ station-provider-api", place]);
    pty.type_bytes("2");
    pty.wait_for("Pulled in at depth");
    quit(pty);
}

#[test]
fn free_some_tokens() {
    let text =
        |id: &str, words: usize| json!({"id": id, "name": id, "type": "inline", "content": "word ".repeat(words)});
    let root = json!({"id": "root", "name": "root", "type": "inline", "content": "See light and heavy."});
    let world = Workspace::of(json!([root, text("light", 100), text("heavy", 6_000), text("other", 9_000)]), &[]);
    world.run(&["select", "root"]).exits(0);
    let mut pty = open(&world, "~7,69");
    let shown = ["", "3 of 4", "", "Sorted by tokens", "", "~187 tokens"];
    perform(&mut pty, &task("Free some tokens"), &shown);
    // The workspace still has the new order, so the same keys have the same result.
    pty.type_bytes("u");
    pty.wait_for("~7,69");
    pty.type_bytes("\x1b");
    // Wait before the next key, since both in one read would be a key with Alt.
    pty.wait_until("all sources", |seen| !seen.text().contains("3 of 4"));
    perform(&mut pty, &task("Free some tokens"), &shown);
    quit(pty);
}

#[test]
fn what_an_agent_was_told() {
    let world = conversation::demo();
    let document = json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": world.path.to_str().unwrap(),
        "prompt": "How often is a call tried again? I think it's in the retry pattern.",
    });
    world.feed(&["hook", "claude-code"], document.to_string().as_bytes()).exits(0);
    let mut pty = open(&world, "2 pulled in");
    // The newest row of the feed is below the panes.
    pty.wait_for("To a prompt: hinted at");
    let shown = pty.text();
    let minute = shown.split("feed ").nth(1).unwrap()[..5].to_owned();
    let keys = task("What was my agent told, and why?").replace("12:03", &minute);
    perform(&mut pty, &keys, &["┏ Jump", "claude-code enriched", "Enter shows the receipt", "matched: retry"]);
    quit(pty);
}

#[test]
fn fill_in_a_template() {
    let world = Workspace::of(
        json!([{"id": "kit", "name": "Kit", "path": "kit"}]),
        &[
            ("kit/greeting.md.tpl", "# Output: docs/{{ name }}.md\n{{ words }}, {{ name }}!\n"),
            ("kit/README.md", "# Kit\n"),
        ],
    );
    world.run(&["select", "kit"]).exits(0);
    let mut pty = open(&world, "4 Templates 1");
    let shown = [
        "┏ Jump",
        "▌greeting.md.tpl",
        "┏ 4 Templates",
        "end typing",
        "Ada.md",
        "",
        "Hello, Ada!",
        "w write",
        "Enter write",
        "",
    ];
    perform(&mut pty, &task("Fill in a template"), &shown);
    pty.wait_until("the file", |_| world.path.join("docs/Ada.md").exists());
    assert!(world.read("docs/Ada.md").contains("Hello, Ada!"));
    quit(pty);
}

#[test]
fn answer_an_agent() {
    let world = Workspace::of(
        json!([
            {"id": "retry", "name": "Retry", "type": "inline", "content": "Again."},
            {"id": "timeouts", "name": "Timeouts", "type": "inline", "content": "At last."},
        ]),
        &[],
    );
    let mut pty = open(&world, "2 sources");
    let offered = json!([{"id": "retry", "name": "Retry"}, {"id": "timeouts", "name": "Timeouts"}]);
    let _asker = ask(&world, CHOICE, json!({"sources": offered}));
    pty.wait_for("1 request: A");
    let shown = ["Space mark", "", "1 of 2 marked", "Answered claude over mcp: 1 source"];
    perform(&mut pty, &task("Answer an agent"), &shown);
    quit(pty);
}
