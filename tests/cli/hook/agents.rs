//! Each event of each agent, with documents from the agents' documentation, run through the whole program.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::{HINT, added, answered, hook, of, prompt, world};
use crate::support::client::Client;
use crate::support::workspace::Workspace;
use refdesk_enrich::QUOTE_NOTICE;

/// A recorded document, with this working folder.
fn recorded(agent: &str, name: &str, cwd: &Path) -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/hooks/{agent}/{name}.json"));
    fs::read_to_string(file).unwrap().replace("{cwd}", cwd.to_str().unwrap()).into_bytes()
}

/// The added text in the answer, for every agent.
fn context(answer: &Value) -> Option<&str> {
    answer["hookSpecificOutput"]["additionalContext"].as_str().or(answer["additional_context"].as_str())
}

fn answer(world: &Workspace, agent: &str, name: &str) -> Value {
    answered(&mut hook(world, &[agent]), &recorded(agent, name, &world.path))
}

#[test]
fn a_start_is_answered_with_the_instructions() {
    for (agent, names) in [
        ("claude-code", &["startup", "resume", "clear", "compact", "fork", "unknown"][..]),
        ("gemini-cli", &["startup", "resume", "clear"]),
        ("codex", &["startup", "resume", "clear", "compact"]),
        ("cursor", &[""]),
    ] {
        for name in names {
            let world = world();
            let name = if name.is_empty() { "session-start".to_owned() } else { format!("session-start-{name}") };
            let answer = answer(&world, agent, &name);
            let text = context(&answer).unwrap_or_else(|| panic!("{agent} {name}: {answer}"));
            assert!(text.starts_with("# Reference Sources\n") && text.contains("Be kind."), "{agent} {name}: {text}");
            if agent != "cursor" {
                assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SessionStart");
            }
        }
    }
}

#[test]
fn a_subagent_gets_the_instructions_of_its_own() {
    for agent in ["claude-code", "codex"] {
        let world = world();
        answer(&world, agent, "session-start-startup");
        let answer = answer(&world, agent, "subagent-start");
        let text = context(&answer).unwrap_or_else(|| panic!("{agent}: {answer}"));
        assert!(text.starts_with("# Reference Sources\n") && text.contains("Be kind."), "{agent}: {text}");
        assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "SubagentStart");
        let journal = world.run(&["journal"]);
        let last: Value = serde_json::from_str(journal.text().lines().next_back().unwrap()).unwrap();
        assert!(last["session"].as_str().unwrap().ends_with(".a1b2c3d4"), "{journal}");
    }
}

#[test]
fn prompts_and_tools_get_additions_only_once() {
    for (agent, name, event) in [
        ("claude-code", "user-prompt-submit", Some("UserPromptSubmit")),
        ("claude-code", "post-tool-use-bash", Some("PostToolUse")),
        ("claude-code", "post-tool-use-read", Some("PostToolUse")),
        ("claude-code", "post-tool-use-mcp", Some("PostToolUse")),
        ("claude-code", "post-tool-use-mcp-structured", Some("PostToolUse")),
        ("gemini-cli", "before-agent", Some("BeforeAgent")),
        ("gemini-cli", "before-agent-without-a-screen", Some("BeforeAgent")),
        ("gemini-cli", "after-tool", Some("AfterTool")),
        ("gemini-cli", "after-tool-parts", Some("AfterTool")),
        ("codex", "user-prompt-submit", Some("UserPromptSubmit")),
        ("codex", "post-tool-use", Some("PostToolUse")),
        ("codex", "post-tool-use-mcp", Some("PostToolUse")),
        ("cursor", "post-tool-use", None),
    ] {
        let world = world();
        let first = answer(&world, agent, name);
        let expected = match event {
            Some(event) => json!({"hookSpecificOutput": {"hookEventName": event, "additionalContext": HINT}}),
            None => json!({"additional_context": HINT}),
        };
        assert_eq!(first, expected, "{agent} {name}");
        assert_eq!(answer(&world, agent, name), json!({}), "{agent} {name}: told");
        let document = recorded(agent, name, &world.path);
        let again = answered(&mut hook(&world, &[agent, "--repeat"]), &document);
        assert_eq!(again, expected, "{agent} {name}: --repeat");
        let elsewhere = answered(&mut world.bare(&["--session", "other", "hook", agent]), &document);
        assert_eq!(elsewhere, expected, "{agent} {name}: --session");
    }
}

#[test]
fn other_tools_and_events_get_nothing() {
    for (agent, name) in [
        ("claude-code", "post-tool-use-edit"),
        ("claude-code", "stop"),
        ("gemini-cli", "pre-compress"),
        ("gemini-cli", "pre-compress-manual"),
        ("gemini-cli", "session-end"),
        ("codex", "stop"),
        ("cursor", "before-submit-prompt"),
        ("cursor", "pre-compact"),
    ] {
        let world = world();
        assert_eq!(answer(&world, agent, name), json!({}), "{agent} {name}");
        assert!(!world.path.join(".jaato").exists(), "{agent} {name}");
    }
}

#[test]
fn refdesks_own_answers_get_nothing() {
    let name_of_server = |name: &str| json!({"server_name": name});
    let structured = json!({"hits": ["on the web"], "notice": QUOTE_NOTICE});
    let full = json!({"content": [{"type": "text", "text": "on the web"}], "structuredContent": structured});
    for (agent, members, is_own) in [
        ("cursor", json!({"tool_name": "MCP:listReferences"}), true),
        ("cursor", json!({"tool_name": "MCP:search_issues"}), false),
        ("cursor", json!({"tool_name": "MCP:search_documents"}), false),
        ("claude-code", json!({"tool_name": "mcp__desk__listReferences"}), true),
        ("claude-code", json!({"tool_name": "mcp__desk__readReference"}), false),
        ("claude-code", json!({"tool_name": "mcp__desk__search_tables", "tool_response": full}), true),
        (
            "claude-code",
            json!({"tool_name": "mcp__my_desk__search_tables", "tool_response": structured.to_string()}),
            true,
        ),
        ("claude-code", json!({"tool_input": {"command": "refdesk list"}}), true),
        ("claude-code", json!({"tool_input": {"command": "refdesk list && make deploy"}}), false),
        ("gemini-cli", json!({"tool_name": "search_documents", "mcp_context": name_of_server("refdesk")}), true),
        ("gemini-cli", json!({"tool_name": "search_documents", "mcp_context": name_of_server("tracker")}), false),
    ] {
        let world = world();
        let name = match agent {
            "cursor" => "post-tool-use",
            "gemini-cli" => "after-tool",
            _ => "post-tool-use-bash",
        };
        let mut document: Value = serde_json::from_slice(&recorded(agent, name, &world.path)).unwrap();
        document.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let answer = answered(&mut hook(&world, &[agent]), document.to_string().as_bytes());
        assert_eq!(context(&answer), (!is_own).then_some(HINT), "{agent} {members}");
    }
}

#[test]
fn a_conversation_that_lost_its_context_gets_everything_again() {
    for (agent, says, forgets, keeps) in [
        (
            "claude-code",
            "user-prompt-submit",
            &["session-start-clear", "session-start-compact"][..],
            "session-start-resume",
        ),
        ("gemini-cli", "before-agent", &["session-start-clear", "pre-compress-manual"], "session-start-resume"),
        ("codex", "user-prompt-submit", &["session-start-clear", "session-start-compact"], "session-start-startup"),
        ("cursor", "post-tool-use", &["pre-compact"], "session-start"),
    ] {
        let world = world();
        let first = answer(&world, agent, says);
        assert_eq!(context(&first), Some(HINT), "{agent}");
        answer(&world, agent, keeps);
        assert_eq!(answer(&world, agent, says), json!({}), "{agent} {keeps}");
        for forgetting in forgets {
            let document = recorded(agent, forgetting, &world.path);
            answered(&mut hook(&world, &[agent, "--repeat"]), &document);
            assert_eq!(answer(&world, agent, says), json!({}), "{agent}: --repeat leaves the memory unchanged");
            let starts = context(&answered(&mut hook(&world, &[agent]), &document)).is_some();
            let again = answer(&world, agent, says);
            if starts {
                assert_eq!(again, first, "{agent} {forgetting}");
            } else {
                // Nothing else would give it the instructions again.
                let text = context(&again).unwrap();
                assert!(text.starts_with("# Reference Sources\n") && text.contains("Be kind."), "{agent}: {text}");
                assert!(text.ends_with(&format!("\n\n{HINT}")), "{agent}: {text}");
            }
            assert_eq!(answer(&world, agent, says), json!({}), "{agent} {forgetting}: once");
        }
    }
}

/// Gemini CLI reports a compression before every request, and compresses only long conversations.
#[test]
fn an_automatic_compression_counts_only_in_a_long_conversation() {
    let (world, agent) = (world(), "gemini-cli");
    let prompted = || answer(&world, agent, "before-agent");
    assert_eq!(context(&prompted()), Some(HINT));
    answer(&world, agent, "pre-compress");
    assert_eq!(prompted(), json!({}));
    let mut tool: Value = serde_json::from_slice(&recorded(agent, "after-tool", &world.path)).unwrap();
    tool["tool_response"]["llmContent"] = json!("word ".repeat(60_000));
    assert_eq!(answered(&mut hook(&world, &[agent]), tool.to_string().as_bytes()), json!({}));
    answer(&world, agent, "pre-compress");
    assert!(context(&prompted()).is_some_and(|text| text.ends_with(HINT)));
    answer(&world, agent, "pre-compress");
    assert_eq!(prompted(), json!({}), "what was received is counted anew");
}

/// `connect` sets up events from one table, and `hook` answers events from another.
#[test]
fn every_connected_event_is_answered() {
    let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/hooks");
    let agents = fs::read_dir(&documents).unwrap().map(|entry| entry.unwrap()).filter(|entry| entry.path().is_dir());
    let mut heard = 0;
    for agent in agents.map(|entry| entry.file_name().into_string().unwrap()) {
        let settings = world();
        let connected = settings.json(&["connect", &agent, "--yes"], 0);
        let text = settings.read(connected["path"].as_str().unwrap());
        let text: Value = serde_json::from_str(&text).unwrap();
        let events: Vec<&String> = text["hooks"].as_object().unwrap().keys().collect();
        let recorded =
            fs::read_dir(documents.join(&agent)).unwrap().map(|file| fs::read_to_string(file.unwrap().path()).unwrap());
        let recorded: Vec<String> = recorded.collect();
        for event in events {
            let is_of = |document: &&String| {
                serde_json::from_str::<Value>(document).is_ok_and(|document| document["hook_event_name"] == **event)
            };
            let mut is_answered = false;
            for document in recorded.iter().filter(is_of) {
                // The session has received something, so a reset has something to forget.
                let world = world();
                let reported = prompt("s", &world.path, "the web");
                answered(&mut world.bare(&["--session", "s", "hook", "claude-code"]), reported.to_string().as_bytes());
                let document = document.replace("{cwd}", world.path.to_str().unwrap());
                let answer =
                    answered(&mut world.bare(&["--session", "s", "hook", &agent, "--repeat"]), document.as_bytes());
                answered(&mut world.bare(&["--session", "s", "hook", &agent]), document.as_bytes());
                let journal = world.run(&["journal"]).exits(0);
                assert!(!journal.text().contains("\"failed\""), "{agent} {event}: {journal}");
                is_answered |= answer != json!({}) || journal.text().contains("\"forgot\"");
            }
            assert!(is_answered, "{agent} is connected to {event}, which no document shows to be answered");
            heard += 1;
        }
    }
    assert!(heard > 12, "{heard}");
}

#[test]
fn a_subagent_has_its_own_memory() {
    let world = world();
    assert_eq!(added(&world, &prompt("s", &world.path, "the web")), HINT);
    let mut document = of("s", &world.path, "PostToolUse");
    document["tool_response"] = json!("the web");
    assert_eq!(added(&world, &document), "");
    document["agent_id"] = json!("a1b2");
    assert_eq!(added(&world, &document), HINT);
    assert_eq!(added(&world, &document), "");
}

#[test]
fn additions_stay_below_ten_thousand_characters() {
    let sources: Vec<Value> = (0..2_000)
        .map(|at| {
            let name = format!("A name that is long and has an 🦀 in it, number {at}");
            json!({"id": format!("s{at}"), "name": name, "type": "url", "url": "https://example.org", "tags": ["web"]})
        })
        .collect();
    let world = Workspace::of(json!(sources), &[]);
    let ids: Vec<String> = (0..1_000).map(|at| format!("s{at}")).collect();
    let words: Vec<&str> = ["select"].into_iter().chain(ids.iter().map(String::as_str)).collect();
    world.run(&words).exits(0);
    let mut start = of("s", &world.path, "SessionStart");
    start["source"] = json!("startup");
    for document in [start, prompt("s", &world.path, "the web and @s0")] {
        let added = added(&world, &document);
        let length = added.encode_utf16().count();
        assert!(length > 20 && length < 10_000, "{length}");
    }
    answer(&world, "gemini-cli", "pre-compress-manual");
    let both = answer(&world, "gemini-cli", "before-agent");
    let length = context(&both).unwrap().encode_utf16().count();
    assert!(length > 20 && length < 10_000, "{length}");
}

#[test]
fn an_agent_with_a_server_selects_and_one_with_hooks_alone_reads() {
    let world = world();
    world.put("docs/near.md", b"# Near\n\nNothing is far.\n");
    let hint = |session: &str| added(&world, &prompt(session, &world.path, "local"));
    let line = "- @near: Near (matched: local)";
    let reads = format!(
        "---\n**Reference sources available** — read the file of any that helps:\n\n{line} — `docs/near.md`, ~6 tokens\n---"
    );
    assert_eq!(hint("one"), reads);
    let client = Client::connect(&world);
    let selects = format!(
        "---\n**Reference sources available** — use `selectReferences` with IDs or tags to select:\n\n{line}\n---"
    );
    assert_eq!(hint("two"), selects);
    assert_eq!(hint("one"), "", "the session got this hint");
    client.end();
    assert_eq!(hint("three"), reads);
}
