//! Invalid documents, invalid calls, and workspaces that are broken, full or locked: the agent continues as if there
//! were no hook, and the session keeps its memory.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{HINT, added, answered, hook, of, prompt, world};
use crate::support::program::{finish, run};
use crate::support::workspace::Workspace;
use refdesk_files::scale::scaled;

/// The session's memory.
fn reported(world: &Workspace, session: &str) -> Vec<u8> {
    fs::read(world.path.join(format!(".jaato/refdesk/sessions/{session}/told.json"))).unwrap()
}

#[test]
fn invalid_documents() {
    let world = world();
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
    let before = reported(&world, "s");
    let whole = prompt("s", &world.path, "the web").to_string();
    let with = |name: &str, value: Value| {
        let mut document = prompt("s", &world.path, "the web");
        document[name] = value;
        document.to_string().into_bytes()
    };
    let mut documents: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\n".to_vec(),
        b"null".to_vec(),
        b"[]".to_vec(),
        b"7".to_vec(),
        b"{}".to_vec(),
        b"the web".to_vec(),
        b"{\"hook_event_name\": \"UserPromptSubmit\"}".to_vec(),
        format!("{whole}{whole}").into_bytes(),
        format!("{whole}\n{{").into_bytes(),
        vec![0; 100_000],
        (0..=255).cycle().take(1_000_000).collect(),
        b"[".repeat(1_000_000),
        b"{\"a\":".repeat(200_000),
        vec![b'x'; 10_000_000],
        with("hook_event_name", json!("TeleportStart")),
        with("hook_event_name", json!("x".repeat(10_000_000))),
        with("hook_event_name", json!(7)),
        with("session_id", json!(7)),
        with("session_id", json!(["s"])),
        with("cwd", json!(false)),
        with("cwd", json!({"path": "/"})),
        with("prompt", json!(null)),
        with("prompt", json!(7)),
        with("prompt", json!({"text": "the web"})),
    ];
    documents.extend((0..whole.len()).step_by(7).map(|end| whole.as_bytes()[..end].to_vec()));
    for document in documents {
        let begin = String::from_utf8_lossy(&document[..document.len().min(80)]).into_owned();
        assert_eq!(answered(&mut hook(&world, &["claude-code"]), &document), json!({}), "{begin}");
    }
    assert_eq!(reported(&world, "s"), before);
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), "");
}

#[test]
fn tool_results_of_any_shape() {
    let world = world();
    let deep = (0..100).fold(json!("the web"), |inner, _| json!([inner]));
    for (at, (response, expected)) in [
        (json!("the web"), HINT),
        (json!(["the", {"x": "web"}]), HINT),
        (json!({"a": {"b": [{"c": "the web"}]}}), HINT),
        (deep, HINT),
        (json!(null), ""),
        (json!(7), ""),
        (json!(true), ""),
        (json!({"type": "web"}), ""),
    ]
    .into_iter()
    .enumerate()
    {
        for input in [
            json!({}),
            json!(null),
            json!("docs/near.md"),
            json!([1, {"path": 7}]),
            json!({"command": "x".repeat(9_999)}),
        ] {
            let mut document = of(&format!("s{at}"), &world.path, "PostToolUse");
            document["tool_name"] = json!("Any");
            document["tool_input"] = input;
            document["tool_response"] = response.clone();
            let answer = answered(&mut hook(&world, &["claude-code", "--repeat"]), document.to_string().as_bytes());
            let added = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
            assert_eq!(added, expected, "{document:.300}");
        }
    }
}

#[test]
fn prompts_of_any_size_and_content() {
    let world = world();
    let large = format!("{} the web", "x ".repeat(scaled(500_000, 5_000_000)));
    let line = format!("{} web", "y".repeat(scaled(1_000_000, 10_000_000)));
    let own = format!("the web\n\n{HINT}\n");
    for (text, expected) in [
        ("", ""),
        ("\0\u{1b}[2J\u{202e}", ""),
        ("the \u{1b}[31m web", HINT),
        (&large, HINT),
        (&line, HINT),
        (&own, ""),
        (&"---\n".repeat(100_000), ""),
    ] {
        let answer = answered(
            &mut hook(&world, &["claude-code", "--repeat"]),
            prompt("s", &world.path, text).to_string().as_bytes(),
        );
        let added = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
        assert_eq!(added, expected, "{text:.60}");
    }
}

#[test]
fn invalid_calls() {
    let world = world();
    let document = prompt("s", &world.path, "the web").to_string();
    for words in [
        &["hook"][..],
        &["hook", "nobody"],
        &["hook", ""],
        &["hook", "claude-code", "gemini-cli"],
        &["hook", "claude-code", "--bogus"],
        &["hook", "--bogus"],
        &["--format", "yaml", "hook", "claude-code"],
        &["hook", "claude-code", "--workspace"],
        &["hook", "claude-code", "--workspace", "nowhere"],
        &["hook", "claude-code", "--workspace", "references.json"],
        &["--demo", "--workspace", ".", "hook", "claude-code"],
    ] {
        assert_eq!(answered(&mut world.bare(words), document.as_bytes()), json!({}), "{words:?}");
    }
    let help = run(&mut world.bare(&["hook", "--help"]), None).exits(0);
    assert!(help.text().contains("claude-code, gemini-cli, codex or cursor"), "{help}");
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
}

#[test]
fn odd_sessions() {
    let world = world();
    let long = "x".repeat(10_000);
    for session in ["../../x", "/etc/passwd", &long, "a\0b", "..", ".", "ü\u{202e}\n", "con", "-rf"] {
        let document = prompt(session, &world.path, "the web");
        assert_eq!(added(&world, &document), HINT, "{session:.20}");
        assert_eq!(added(&world, &document), "", "{session:.20}");
    }
    // Without a name, the session is the default one.
    assert_eq!(added(&world, &prompt("", &world.path, "the web")), HINT);
    assert!(!reported(&world, "default").is_empty());
    let sessions = fs::read_dir(world.path.join(".jaato/refdesk/sessions")).unwrap();
    let mut names: Vec<String> = sessions.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name.len() != 64);
    names.sort();
    assert_eq!(names, ["-rf", "con", "default"]);
    let beside: Vec<_> = fs::read_dir(world.beside("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside.len(), 3, "a file appeared beside the workspace: {beside:?}");
}

#[test]
fn a_broken_configuration_leaves_its_good_parts() {
    let world = world();
    world.put(
        ".jaato/references/found.json",
        br#"{"id": "found", "name": "Found", "type": "inline", "content": "x", "tags": ["web"]}"#,
    );
    world.put("references.json", b"{\"sources\": [");
    assert!(added(&world, &prompt("s", &world.path, "the web")).contains("@found"));
    world.put(".jaato/refdesk/selection.json", b"\xff");
    world.put(".jaato/refdesk/sessions/s/told.json", b"{\"announced\": 7");
    assert!(added(&world, &prompt("s", &world.path, "the web")).contains("@found"), "a damaged memory: given again");
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), "");
}

#[test]
fn additions_that_cannot_be_remembered_are_given_again() {
    let world = world();
    fs::create_dir_all(world.path.join(".jaato")).unwrap();
    // The folder is not writable. Root can always write, so a file blocks its path.
    world.put(".jaato/refdesk", b"in the way");
    fs::set_permissions(world.path.join(".jaato"), PermissionsExt::from_mode(0o500)).unwrap();
    for _ in 0..2 {
        assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
    }
    fs::set_permissions(world.path.join(".jaato"), PermissionsExt::from_mode(0o700)).unwrap();
}

#[test]
fn a_hook_does_not_wait_for_a_locked_desk() {
    let world = world();
    assert_eq!(added(&world, &prompt("s", &world.path, "@near")).matches("Near").count(), 1);
    let held = File::options().write(true).open(world.path.join(".jaato/refdesk/lock")).unwrap();
    held.lock().unwrap();
    let mut start = of("s", &world.path, "SessionStart");
    start["source"] = json!("compact");
    let mut tool = of("s", &world.path, "PostToolUse");
    // A template to save, a file that was read, and a hint: three things to store.
    tool["tool_input"] = json!({"file_path": "docs/near.md"});
    tool["tool_response"] = json!("the web\n\n```java\nclass {{ Name }} {}\n```\n");
    for (document, says) in [(prompt("s", &world.path, "the web"), HINT), (start, "Be kind."), (tool, "@away")] {
        let began = Instant::now();
        let answer = added(&world, &document);
        let waited = began.elapsed();
        assert!(answer.contains(says), "{document}: {answer}");
        // A hook waits half a second for the lock, every other command twenty.
        assert!(waited < Duration::from_secs(10), "{document}: {waited:?}");
    }
    // After a compaction nothing counts as known, even though that could not be stored.
    assert!(!world.path.join(".jaato/refdesk/sessions/s/told.json").exists());
    assert_eq!(added(&world, &prompt("s", &world.path, "@near")).matches("given above").count(), 0);
    // Without additions, no lock is needed.
    assert_eq!(added(&world, &prompt("s", &world.path, "nothing of it")), "");
    drop(held);
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
}

#[test]
fn an_answer_that_was_not_read_is_given_again() {
    let world = world();
    let document = prompt("s", &world.path, "the web").to_string();
    if File::open("/dev/full").is_ok() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let mut command = hook(&world, &["claude-code"]);
        let child = command.stdin(Stdio::piped()).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let ran = finish("a full disk".to_owned(), child, Some(document.as_bytes())).exits(0);
        assert_eq!(ran.stderr, "");
    }
    let mut command = hook(&world, &["claude-code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = finish("without a reader".to_owned(), child, Some(document.as_bytes())).exits(0);
    assert_eq!(ran.stderr, "");
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
}

#[test]
fn an_input_that_is_not_a_pipe() {
    let world = world();
    for input in [Stdio::null(), Stdio::from(File::open(&world.path).unwrap())] {
        let mut command = hook(&world, &["claude-code"]);
        let child = command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let ran = finish("no pipe".to_owned(), child, None).exits(0);
        assert_eq!((ran.text(), ran.stderr.as_str()), ("{}\n", ""));
    }
}

#[test]
fn two_hooks_of_one_session_at_once_give_it_once() {
    let world = world();
    for round in 0..5 {
        let session = format!("s{round}");
        let document = prompt(&session, &world.path, "the web").to_string();
        let said: Vec<String> = std::thread::scope(|scope| {
            let hooks: Vec<_> = (0..6)
                .map(|_| scope.spawn(|| answered(&mut hook(&world, &["claude-code"]), document.as_bytes())))
                .collect();
            hooks.into_iter().map(|hook| hook.join().unwrap().to_string()).filter(|answer| answer != "{}").collect()
        });
        assert_eq!(said.len(), 1, "{said:?}");
    }
}
