//! Tests for parsing each agent's documents and formatting its answers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{HookAgent, HookEvent, HookInput, InvalidHook, answer, budget, parse};

/// An agent's sample documents, by name.
fn documents(agent: HookAgent) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/hooks").join(agent.word());
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.map(|file| (file.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(&file).unwrap())).collect()
}

fn start(loses_context: bool) -> HookEvent {
    HookEvent::Start { loses_context, is_subagent: false }
}

fn subagent() -> HookEvent {
    HookEvent::Start { loses_context: false, is_subagent: true }
}

fn prompt() -> HookEvent {
    HookEvent::Prompt("How do we talk to the web?".to_owned())
}

fn loss(min_received: u64) -> HookEvent {
    HookEvent::LosesContext { min_received }
}

fn other(name: &str) -> HookEvent {
    HookEvent::Other(name.to_owned())
}

fn tool(name: &str, input: Value, text: &str) -> HookEvent {
    HookEvent::Tool { name: Some(name.to_owned()), input, text: text.to_owned() }
}

#[test]
fn every_document_is_understood() {
    let make = || json!({"command": "make deploy"});
    let notes = || json!({"file_path": "{cwd}/notes.md"});
    let edit = json!({"file_path": "{cwd}/notes.md", "old_string": "a", "new_string": "b"});
    let table: [(HookAgent, Vec<(&str, HookEvent)>); 4] = [
        (
            HookAgent::ClaudeCode,
            vec![
                ("post-tool-use-bash", {
                    let input = json!({"command": "make deploy", "description": "Deploy"});
                    tool("Bash", input, "pushed to the web")
                }),
                ("post-tool-use-edit", tool("Edit", edit, "")),
                ("post-tool-use-in-subagent", tool("Bash", json!({"command": "ls"}), "on the web")),
                ("post-tool-use-mcp", {
                    tool("mcp__tracker__search", json!({"q": "deploy"}), "Issue 7: the web is slow")
                }),
                ("post-tool-use-mcp-structured", {
                    tool("mcp__tracker__search", json!({"q": "deploy"}), "Issue 7\nweb: slow")
                }),
                ("post-tool-use-read", tool("Read", notes(), "Everything is on the web.\n")),
                ("session-start-clear", start(true)),
                ("session-start-compact", start(true)),
                ("session-start-fork", start(false)),
                ("session-start-resume", start(false)),
                ("session-start-startup", start(false)),
                ("session-start-unknown", start(false)),
                ("stop", other("Stop")),
                ("subagent-start", subagent()),
                ("user-prompt-submit", prompt()),
            ],
        ),
        (
            HookAgent::GeminiCli,
            vec![
                ("after-tool", tool("run_shell_command", make(), "Output: pushed to the web")),
                ("after-tool-parts", {
                    tool("read_many_files", json!({"include": ["notes.md"]}), "--- notes.md ---\non the web")
                }),
                ("before-agent", prompt()),
                ("before-agent-without-a-screen", prompt()),
                ("pre-compress", loss(256 * 1024)),
                ("pre-compress-manual", loss(0)),
                ("session-end", other("SessionEnd")),
                ("session-start-clear", start(true)),
                ("session-start-resume", start(false)),
                ("session-start-startup", start(false)),
            ],
        ),
        (
            HookAgent::Codex,
            vec![
                ("post-tool-use", tool("Bash", make(), "pushed to the web\n")),
                ("post-tool-use-mcp", tool("mcp__tracker__search", json!({"q": 1}), "the web is slow")),
                ("session-start-clear", start(true)),
                ("session-start-compact", start(true)),
                ("session-start-resume", start(false)),
                ("session-start-startup", start(false)),
                ("stop", other("Stop")),
                ("subagent-start", subagent()),
                ("user-prompt-submit", prompt()),
            ],
        ),
        (
            HookAgent::Cursor,
            vec![
                ("before-submit-prompt", other("beforeSubmitPrompt")),
                ("post-tool-use", tool("Shell", make(), "pushed to the web")),
                ("pre-compact", loss(0)),
                ("session-start", start(false)),
            ],
        ),
    ];
    for (agent, expected) in table {
        let input = documents(agent).into_iter().map(|(name, bytes)| {
            let input = parse(agent, &bytes).unwrap();
            assert_eq!(input.folders, [Path::new("{cwd}")], "{name}");
            assert!(input.session.is_some_and(|session| (36..=64).contains(&session.len())), "{name}");
            (name, input.event)
        });
        let expected: Vec<(String, HookEvent)> =
            expected.into_iter().map(|(name, event)| (name.to_owned(), event)).collect();
        assert_eq!(input.collect::<Vec<_>>(), expected, "{agent:?}");
    }
}

#[test]
fn a_subagent_has_its_own_session() {
    let session = |document: Value| parse(HookAgent::ClaudeCode, document.to_string().as_bytes()).unwrap().session;
    for (members, expected) in [
        (json!({}), None),
        (json!({"session_id": ""}), None),
        (json!({"session_id": "s"}), Some("s")),
        (json!({"session_id": null, "conversation_id": "c"}), Some("c")),
        (json!({"session_id": "s", "agent_id": ""}), Some("s")),
        (json!({"session_id": "s", "agent_id": "a"}), Some("s.a")),
        (json!({"session_id": "../../x"}), Some("../../x")),
    ] {
        let mut document = json!({"hook_event_name": "Stop"});
        document.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        assert_eq!(session(document).as_deref(), expected, "{members}");
    }
}

#[test]
fn the_answers_of_each_agent() {
    let nested = |name: &str| json!({"hookSpecificOutput": {"hookEventName": name, "additionalContext": "added"}});
    let flat = || json!({"additional_context": "added"});
    let tool = tool("Bash", Value::Null, "");
    for (agent, on_start, on_prompt, on_tool) in [
        (HookAgent::ClaudeCode, nested("SessionStart"), nested("UserPromptSubmit"), nested("PostToolUse")),
        (HookAgent::GeminiCli, nested("SessionStart"), nested("BeforeAgent"), nested("AfterTool")),
        (HookAgent::Codex, nested("SessionStart"), nested("UserPromptSubmit"), nested("PostToolUse")),
        (HookAgent::Cursor, flat(), json!({}), flat()),
    ] {
        let events = [start(true), prompt(), tool.clone(), loss(0), other("Stop")];
        let answers = events.each_ref().map(|event| answer(agent, event, "added"));
        assert_eq!(answers, [on_start, on_prompt, on_tool, json!({}), json!({})], "{agent:?}");
        if matches!(agent, HookAgent::ClaudeCode | HookAgent::Codex) {
            assert_eq!(answer(agent, &subagent(), "added"), nested("SubagentStart"));
        }
        for event in events.iter().chain([&subagent()]) {
            assert_eq!(answer(agent, event, ""), json!({}));
            let room = budget(agent, event).chars.unwrap();
            let whole = answer(agent, event, &"x".repeat(room)).to_string().len();
            assert!(room > 9_800 && whole < 10_000, "{agent:?} {event:?}: {room}, {whole}");
        }
    }
}

#[test]
fn errors_give_the_reason_without_the_content() {
    let event = |members: &str| format!("{{\"cwd\": \"/w\", \"session_id\": \"s\", {members}}}");
    let prompt = |members: &str| event(&format!("\"hook_event_name\": \"UserPromptSubmit\", {members}"));
    for (document, reason) in [
        (String::new(), "has no hook document"),
        (" \n\t".to_owned(), "has no hook document"),
        ("\u{feff}".to_owned(), "has no hook document"),
        ("{".to_owned(), "not JSON: EOF"),
        ("{\"hook_event_name\": \"Sto".to_owned(), "not JSON: EOF"),
        ("[]".to_owned(), "a list, not an object"),
        ("null".to_owned(), "null, not an object"),
        ("\"secret\"".to_owned(), "a string, not an object"),
        ("{} {}".to_owned(), "not JSON: trailing"),
        ("{}".to_owned(), "'hook_event_name' is missing"),
        ("[".repeat(100_000), "not JSON: recursion limit"),
        (event("\"hook_event_name\": 7"), "'hook_event_name' is a number, not a string"),
        (event(&format!("\"hook_event_name\": \"{}\"", "x".repeat(201))), "too long for a name"),
        (prompt("\"prompt\": [\"secret\"]"), "'prompt' is a list, not a string"),
        (prompt("\"prompt\": null"), "'prompt' is missing"),
        (prompt("\"prompt\": \"secret\", \"cwd\": 7"), "'cwd' is a number, not a string"),
        (prompt("\"prompt\": \"secret\", \"session_id\": {}"), "'session_id' is an object, not a string"),
        (event("\"hook_event_name\": \"SessionStart\", \"source\": true"), "'source' is true or false, not a string"),
        (event("\"hook_event_name\": \"PostToolUse\", \"tool_name\": 1"), "'tool_name' is a number, not a string"),
    ] {
        let InvalidHook { reason: reported, .. } = parse(HookAgent::ClaudeCode, document.as_bytes()).unwrap_err();
        assert!(reported.contains(reason) && !reported.contains("secret"), "{document:.80}: {reported}");
    }
    let InvalidHook { folders, session, .. } =
        parse(HookAgent::ClaudeCode, prompt("\"prompt\": 1").as_bytes()).unwrap_err();
    assert_eq!((folders, session.as_deref()), (vec!["/w".into()], Some("s")));
}

#[test]
fn invalid_text_is_replaced() {
    let document = |inner: &[u8]| {
        [&b"\xef\xbb\xbf{\"hook_event_name\": \"UserPromptSubmit\", \"prompt\": \""[..], inner, b"\"}"].concat()
    };
    for (inner, expected) in [
        (&b"on the web"[..], "on the web"),
        (b"on \xff the web", "on \u{fffd} the web"),
        (b"cut \\ud83d", "cut \u{fffd}"),
        (b"whole \\ud83d\\ude00 nul \\u0000", "whole \u{1f600} nul \0"),
    ] {
        let HookInput { event, .. } = parse(HookAgent::ClaudeCode, &document(inner)).unwrap();
        assert_eq!(event, HookEvent::Prompt(expected.to_owned()));
    }
}
