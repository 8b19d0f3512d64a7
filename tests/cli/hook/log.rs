//! The log: why a hook added nothing, in a file of the user. A failure to write it has no effect.

use std::fs;
use std::path::PathBuf;

use refdesk_files::write_atomic;
use serde_json::json;

use super::{HINT, added, answered, hook, prompt, world};
use crate::support::workspace::Workspace;

fn file(world: &Workspace) -> PathBuf {
    world.beside("home/.local/state/refdesk/refdesk.log")
}

#[test]
fn the_log_has_the_reason_and_is_only_then_created() {
    let world = world();
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
    assert!(!file(&world).exists());
    answered(&mut hook(&world, &["claude-code"]), b"rubbish");
    answered(&mut hook(&world, &["nobody"]), b"");
    answered(&mut hook(&world, &["claude-code", "--bogus"]), b"");
    answered(&mut hook(&world, &[]), b"");
    answered(
        &mut hook(&world, &["claude-code"]),
        json!({"cwd": "/no\u{1b}where", "hook_event_name": "Stop"}).to_string().as_bytes(),
    );
    let log = fs::read_to_string(file(&world)).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines.len(), 5, "{log}");
    for (line, words) in lines.iter().zip([
        "the document is not JSON",
        "unknown agent",
        "--bogus",
        "not provided: <AGENT>",
        "/no\\u{1b}where",
    ]) {
        assert!(line.contains("WARN") && line.contains(&words.replace('\\', "\\\\")) || line.contains(words), "{line}");
        assert!(!line.contains('\u{1b}'), "{line}");
    }
    let journal = world.read(".jaato/refdesk/journal.jsonl");
    assert!(journal.contains(r#""who":"refdesk hook""#) && !journal.contains(r#""who":"nobody""#), "{journal}");
}

#[test]
fn its_filter_works_and_an_invalid_one_is_reported() {
    for (filter, answered_is_told, lines) in [
        ("off", false, 0),
        ("error", false, 0),
        ("", false, 0),
        ("debug", true, 2),
        ("refdesk=info,warn", true, 1),
        ("refdesk=loud", false, 1),
    ] {
        let world = world();
        let document = prompt("s", &world.path, "the web").to_string();
        answered(hook(&world, &["claude-code"]).env("REFDESK_LOG", filter), document.as_bytes());
        let log = fs::read_to_string(file(&world)).unwrap_or_default();
        assert_eq!((log.contains("answered"), log.lines().count()), (answered_is_told, lines), "{filter}: {log}");
        assert!(!log.contains("the web"), "the prompt must not be logged: {log}");
    }
}

#[test]
fn a_log_that_cannot_be_written_has_no_effect() {
    let world = world();
    fs::create_dir_all(file(&world)).unwrap();
    assert_eq!(answered(&mut hook(&world, &["claude-code"]), b"rubbish"), json!({}));
    let elsewhere = world.beside("tmp/state");
    write_atomic(&elsewhere, b"in the way").unwrap();
    let mut command = hook(&world, &["claude-code"]);
    command.env("XDG_STATE_HOME", &elsewhere).env("REFDESK_LOG", "trace");
    let answer = answered(&mut command, prompt("s", &world.path, "the web").to_string().as_bytes());
    assert_eq!(answer["hookSpecificOutput"]["additionalContext"], HINT);
}
