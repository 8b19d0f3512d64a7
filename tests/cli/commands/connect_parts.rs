//! `refdesk connect` beyond hooks: servers, one part alone, agents that are found, and trying out what was written.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use crate::support::program::{ProgramRun, run};
use crate::support::workspace::Workspace;

/// A workspace with a source that a prompt brings up.
fn tagged() -> Workspace {
    let source = json!({
        "id": "retry-pattern", "name": "Retry", "type": "local", "path": "retry.md", "mode": "selectable",
        "tags": ["resilience"],
    });
    Workspace::of(json!([source]), &[("retry.md", "# Retry\n")])
}

/// The program with this PATH, and nothing else of the machine.
#[track_caller]
fn with_path(world: &Workspace, path: &Path, words: &[&str]) -> ProgramRun {
    run(world.command(words).env("PATH", path), None)
}

fn steps(answer: &Value) -> Vec<(&str, bool)> {
    let steps = answer["canary"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    steps.iter().map(|step| (step["step"].as_str().unwrap(), step["ok"].as_bool().unwrap())).collect()
}

#[test]
fn what_was_written_is_tried_out_as_the_agent_would_run_it() {
    for agent in ["claude-code", "gemini-cli", "codex", "cursor"] {
        let world = tagged();
        let answer = world.json(&["connect", agent, "--yes"], 0);
        let expected = [("session_start", true), ("hint", true), ("initialize", true), ("tools", true)];
        assert_eq!(steps(&answer), expected, "{agent}");
        assert_eq!(answer["ask"], "What do we say about resilience?");
        let hint = answer["canary"][1]["text"].as_str().unwrap();
        assert!(hint.contains("- @retry-pattern: Retry") && hint.contains("`selectReferences`"), "{hint}");
        // It leaves no trace: a first prompt is answered as if there had been none before.
        assert!(!world.run(&["journal"]).exits(0).text().contains("instructed"));
        let state: Vec<_> = fs::read_dir(world.path.join(".jaato/refdesk")).unwrap().collect();
        let names = state.into_iter().map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        assert_eq!(names, [".gitignore", "connected", "journal.jsonl", "lock"]);
        let ran = world.run(&["connect", agent]).exits(0);
        assert!(ran.text().contains("\n  | - @retry-pattern: Retry"), "{ran}");
        assert!(ran.text().ends_with("Then ask: What do we say about resilience?\n"), "{ran}");
    }
}

#[test]
fn servers_alone_are_connected_and_disconnected_without_a_trace() {
    for (agent, file, for_user) in [
        ("vscode", ".vscode/mcp.json", false),
        ("opencode", "opencode.json", false),
        ("goose", "~/.config/goose/config.yaml", true),
    ] {
        let world = tagged();
        let answer = world.json(&["connect", agent, "--yes"], 0);
        let server = &answer["mcp"];
        let scope = if for_user { "user" } else { "project" };
        assert_eq!(
            (&answer["scope"], &server["path"], &server["changed"]),
            (&json!(scope), &json!(file), &json!(true))
        );
        assert_eq!((&answer["path"], &answer["command"], &answer["diff"]), (&Value::Null, &Value::Null, &json!("")));
        let command = match agent {
            "vscode" => json!(["refdesk", "--workspace", "${workspaceFolder}", "mcp"]),
            _ => json!(["refdesk", "mcp"]),
        };
        assert_eq!(server["command"], command);
        assert_eq!(steps(&answer), [("initialize", true), ("tools", true)], "{agent}");
        assert_eq!(world.json(&["connect", agent], 0)["status"], "already_connected");
        let real = match file.strip_prefix("~/") {
            Some(inside) => world.beside("home").join(inside),
            None => world.path.join(file),
        };
        assert!(real.is_file(), "{file}");
        assert_eq!(world.json(&["disconnect", agent, "--yes"], 0)["status"], "disconnected");
        assert!(!real.exists() && (!file.contains('/') || !real.parent().unwrap().exists()), "{file}");
    }
    let world = tagged();
    assert_eq!(world.json(&["connect", "goose", "--project"], 2)["error"]["code"], "usage");
    assert_eq!(world.json(&["connect", "vscode", "--hooks-only"], 2)["error"]["code"], "usage");
}

#[test]
fn hints_speak_of_what_the_agent_has() {
    let world = tagged();
    let answer = world.json(&["connect", "claude-code", "--hooks-only", "--yes"], 0);
    assert_eq!((&answer["command"], &answer["mcp"]), (&json!("refdesk hook claude-code --no-mcp"), &Value::Null));
    assert_eq!(steps(&answer), [("session_start", true), ("hint", true)]);
    assert!(!world.path.join(".mcp.json").exists());
    let hint = answer["canary"][1]["text"].as_str().unwrap();
    assert!(hint.contains("`retry.md`") && !hint.contains("selectReferences"), "{hint}");
    // Nor does the start of a session name a tool that the agent lacks.
    let start = |option: &[&str]| {
        let document =
            json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": world.path, "session_id": "s"});
        let words = [&["hook", "claude-code", "--repeat"], option].concat();
        let text = world.feed(&words, document.to_string().as_bytes()).exits(0).json();
        text["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let told = start(&["--no-mcp"]);
    assert!(told.contains("Available tags: resilience") && !told.contains("selectReferences"), "{told}");
    assert!(start(&["--mcp"]).contains("`selectReferences`"));
    // The server comes later: the hooks then say so, and all of it goes in one step.
    let answer = world.json(&["connect", "claude-code", "--mcp-only", "--yes"], 0);
    assert_eq!(answer["command"], "refdesk hook claude-code --mcp");
    assert!(answer["diff"].as_str().unwrap().contains("+            \"command\": \"refdesk hook claude-code --mcp\","));
    assert_eq!(world.json(&["connect", "claude-code", "--hooks-only"], 0)["status"], "already_connected");
    world.json(&["disconnect", "claude-code", "--yes"], 0);
    assert!(!world.path.join(".mcp.json").exists() && !world.path.join(".claude").exists());

    let answer = world.json(&["connect", "gemini-cli", "--mcp-only", "--yes"], 0);
    assert_eq!((&answer["path"], &answer["command"]), (&Value::Null, &Value::Null));
    assert_eq!(steps(&answer), [("initialize", true), ("tools", true)]);
    world.run(&["connect", "codex", "--hooks-only", "--mcp-only"]).exits(2);
}

#[test]
fn without_a_name_the_agents_that_are_found_are_connected() {
    let world = tagged();
    let bin = world.beside("bin");
    fs::create_dir(&bin).unwrap();
    let ran = with_path(&world, &bin, &["connect", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("looked for Claude Code, Gemini CLI, Codex, Cursor, VS Code, opencode, goose"),
        "{ran}"
    );
    for name in ["codex", "not-an-agent"] {
        write_atomic(&bin.join(name), b"#!/bin/sh\n").unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    std::os::unix::fs::symlink(crate::support::program::PROGRAM, bin.join("refdesk")).unwrap();
    fs::create_dir_all(world.path.join(".vscode")).unwrap();
    fs::create_dir_all(world.beside("home/.cursor")).unwrap();
    let ran = with_path(&world, &bin, &["connect", "--yes"]).exits(0);
    for note in [
        "note: found Codex: codex is on PATH\n",
        "note: found Cursor: ~/.cursor exists\n",
        "note: found VS Code: .vscode is in this workspace\n",
    ] {
        assert!(ran.stderr.contains(note), "{ran}");
    }
    assert_eq!(ran.text().matches("Tried out as ").count(), 3, "{ran}");
    let answer = with_path(&world, &bin, &["--format", "json", "connect"]).exits(0).json();
    let agents = answer["agents"].as_array().unwrap();
    let told: Vec<_> =
        agents.iter().map(|agent| (agent["agent"].as_str().unwrap(), agent["status"].as_str().unwrap())).collect();
    assert_eq!(told, ["codex", "cursor", "vscode"].map(|word| (word, "already_connected")));
    let answer = world.json(&["disconnect", "codex", "cursor", "vscode", "codex", "--yes"], 0);
    assert_eq!(answer["agents"].as_array().unwrap().len(), 3);
}

#[test]
fn a_connection_that_does_not_work_is_an_error_that_says_which_step() {
    let world = tagged();
    let ran = with_path(&world, &world.beside("tmp"), &["--format", "json", "connect", "codex", "--yes"]).exits(1);
    let answer = ran.json();
    assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!("connected"), &json!("not-delivered")));
    assert_eq!(steps(&answer), [("session_start", false), ("initialize", false)]);
    let ran = with_path(&world, &world.beside("tmp"), &["connect", "codex"]).exits(1);
    assert!(ran.text().contains("  wrong  hook, start of a session: 'refdesk' is not found\n"), "{ran}");
    assert!(ran.stderr.contains("error: codex, hook, start of a session: 'refdesk' is not found\n"), "{ran}");
    assert!(ran.stderr.contains("on PATH, or connect with --user"), "{ran}");
}

#[test]
fn a_folder_that_is_no_workspace_is_left_alone() {
    let world = Workspace::new();
    let ran = run(&mut world.bare(&["connect", "codex", "--yes"]), None).exits(1);
    assert!(ran.stderr.contains("no workspace found"), "{ran}");
    assert_eq!(world.listing(), []);
    // The user's own settings apply anywhere.
    run(&mut world.bare(&["connect", "codex", "--user", "--yes"]), None).exits(0);
    assert!(world.beside("home/.codex/hooks.json").is_file());
}

#[test]
fn an_empty_catalog_is_said_before_anything_is_written() {
    let world = Workspace::new();
    let ran = world.run(&["connect", "codex"]).exits(1);
    assert!(ran.stderr.contains("note: the catalog is empty"), "{ran}");
    assert!(ran.stderr.contains("`refdesk init`"), "{ran}");
    assert!(!world.path.join(".codex").exists());
    let answer = world.json(&["connect", "codex", "--yes"], 0);
    assert_eq!(steps(&answer), [("session_start", true), ("initialize", true), ("tools", true)]);
    assert_eq!(answer["ask"], Value::Null);
}
