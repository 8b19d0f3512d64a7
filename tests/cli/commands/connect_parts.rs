//! `refdesk connect` beyond hooks: servers, single parts, detected agents, and the trial of what was written.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use super::{tagged, with_path};
use crate::support::program::run;
use crate::support::workspace::Workspace;

fn steps(answer: &Value) -> Vec<(&str, bool)> {
    let steps = answer["canary"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    steps.iter().map(|step| (step["step"].as_str().unwrap(), step["ok"].as_bool().unwrap())).collect()
}

#[test]
fn written_commands_are_tried_as_the_agent_runs_them() {
    for agent in ["claude-code", "gemini-cli", "codex", "cursor"] {
        let world = tagged();
        let answer = world.json(&["connect", agent, "--yes"], 0);
        let expected = [("session_start", true), ("hint", true), ("initialize", true), ("tools", true)];
        assert_eq!(steps(&answer), expected, "{agent}");
        assert_eq!(answer["ask"], "What do our documents say about resilience?");
        let hint = answer["canary"][1]["text"].as_str().unwrap();
        assert!(hint.contains("- @retry-pattern: Retry") && hint.contains("`selectReferences`"), "{hint}");
        // The trial leaves no trace: the next prompt is answered like a first one.
        assert!(!world.run(&["journal"]).exits(0).text().contains("instructed"));
        let state: Vec<_> = fs::read_dir(world.path.join(".jaato/refdesk")).unwrap().collect();
        let names = state.into_iter().map(|it| it.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        assert_eq!(names, [".gitignore", "connected", "journal.jsonl", "lock"]);
        let ran = world.run(&["connect", agent]).exits(0);
        assert!(ran.text().contains("\n  | - @retry-pattern: Retry"), "{ran}");
        let (said_by, then) = match agent {
            "cursor" => ("a tool result that says ", "have it read a file that says"),
            _ => ("", "ask"),
        };
        let hint =
            format!("hook, hint: {said_by}\"What do our documents say about resilience?\" brings up @retry-pattern");
        assert!(ran.text().contains(&hint), "{ran}");
        assert!(ran.text().ends_with(&format!("Then {then}: What do our documents say about resilience?\n")), "{ran}");
    }
}

#[test]
fn the_example_is_a_source_that_can_be_read() {
    let source = |id: &str, path: &str| json!({"id": id, "name": id, "path": path, "tags": [format!("about {id}")]});
    let sources = json!([source("gone", "docs/gone.md"), source("there", "docs/there.md")]);
    let world = Workspace::of(sources, &[("docs/there.md", "# There\n")]);
    let answer = world.json(&["connect", "claude-code", "--yes"], 0);
    assert_eq!(answer["ask"], "What do our documents say about about there?");
}

#[test]
fn servers_alone_are_connected_and_disconnected_without_a_trace() {
    for (agent, file, for_user) in [
        ("vscode", ".vscode/mcp.json", false),
        ("opencode", "opencode.json", false),
        ("goose", "~/.config/goose/config.yaml", true),
    ] {
        let world = tagged();
        let whose = if for_user { "--user" } else { "--project" };
        let answer = world.json(&["connect", agent, "--yes", whose], 0);
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
        assert_eq!(world.json(&["connect", agent, whose], 0)["status"], "already_connected");
        let real = match file.strip_prefix("~/") {
            Some(inside) => world.beside("home").join(inside),
            None => world.path.join(file),
        };
        assert!(real.is_file(), "{file}");
        assert_eq!(world.json(&["disconnect", agent, "--yes", whose], 0)["status"], "disconnected");
        assert!(!real.exists() && (!file.contains('/') || !real.parent().unwrap().exists()), "{file}");
    }
    let world = tagged();
    for word in ["connect", "disconnect"] {
        let error = world.json(&[word, "goose"], 2)["error"].clone();
        assert_eq!(
            (&error["code"], &error["hint"]),
            (&json!("usage"), &json!(format!("`refdesk {word} goose --user`")))
        );
    }
    assert_eq!(world.json(&["connect", "vscode", "--hooks-only"], 2)["error"]["code"], "usage");
}

#[test]
fn hints_mention_only_tools_that_the_agent_has() {
    let world = tagged();
    let answer = world.json(&["connect", "claude-code", "--hooks-only", "--yes"], 0);
    assert_eq!((&answer["command"], &answer["mcp"]), (&json!("refdesk hook claude-code --no-mcp"), &Value::Null));
    assert_eq!(steps(&answer), [("session_start", true), ("hint", true)]);
    assert!(!world.path.join(".mcp.json").exists());
    let hint = answer["canary"][1]["text"].as_str().unwrap();
    assert!(hint.contains("`retry.md`") && !hint.contains("selectReferences"), "{hint}");
    // The instructions at the start of a session name no tool that the agent lacks, either.
    let start = |option: &[&str]| {
        let document =
            json!({"hook_event_name": "SessionStart", "source": "startup", "cwd": world.path, "session_id": "s"});
        let words = [&["hook", "claude-code", "--repeat"], option].concat();
        let text = world.feed(&words, document.to_string().as_bytes()).exits(0).json();
        text["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
    };
    let reported = start(&["--no-mcp"]);
    assert!(reported.contains("Available tags: resilience") && !reported.contains("selectReferences"), "{reported}");
    assert!(start(&["--mcp"]).contains("`selectReferences`"));
    // Connecting the server later changes the hooks to mention it, and one `disconnect` removes both.
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
fn unrequested_parts_are_kept_and_reported() {
    let server = "note: the refdesk server stays in .mcp.json, since --hooks-only removes nothing; \
                  `refdesk disconnect claude-code` removes both\n";
    let hooks = "note: the refdesk hooks stay in .claude/settings.json, since --mcp-only removes nothing; \
                 `refdesk disconnect claude-code` removes both\n";
    let (restart, allow) = ("Now restart Claude Code", ", and allow the server refdesk when it asks");
    let world = tagged();
    for (option, expected, is_allowed) in [
        (Some("--hooks-only"), None, false),
        (None, None, true),
        (Some("--hooks-only"), Some(server), true),
        (Some("--mcp-only"), Some(hooks), true),
    ] {
        let ran = world.run(&[&["connect", "claude-code", "--yes"], option.as_slice()].concat()).exits(0);
        assert_eq!(ran.stderr, expected.unwrap_or_default(), "{option:?} {ran}");
        assert_eq!((ran.text().contains(restart), ran.text().contains(allow)), (true, is_allowed), "{option:?} {ran}");
    }
}

#[test]
fn without_a_name_detected_agents_are_connected() {
    let world = tagged();
    let bin = world.beside("bin");
    fs::create_dir(&bin).unwrap();
    let ran = with_path(&world, &bin, &["connect", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains("looked for Claude Code, Gemini CLI, Codex, Cursor, VS Code, opencode, goose"),
        "{ran}"
    );
    fs::create_dir_all(world.beside("home/.config/goose")).unwrap();
    let goose = "found goose: ~/.config/goose exists; it has no workspace settings, only your own";
    let ran = with_path(&world, &bin, &["connect", "--yes"]).exits(1);
    assert!(ran.stderr.contains(&format!("error: {goose}\n  fix: `refdesk connect goose --user`\n")), "{ran}");
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
        &format!("note: {goose}: `refdesk connect goose --user`\n"),
    ] {
        assert!(ran.stderr.contains(note), "{ran}");
    }
    assert_eq!(ran.text().matches("Tested as ").count(), 3, "{ran}");
    let answer = with_path(&world, &bin, &["--format", "json", "connect"]).exits(0).json();
    let agents = answer["agents"].as_array().unwrap();
    let reported: Vec<_> =
        agents.iter().map(|agent| (agent["agent"].as_str().unwrap(), agent["status"].as_str().unwrap())).collect();
    assert_eq!(reported, ["codex", "cursor", "vscode"].map(|word| (word, "already_connected")));
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
    assert!(ran.stderr.contains("error: Codex, hook, start of a session: 'refdesk' is not found\n"), "{ran}");
    assert!(ran.stderr.contains("on PATH, or connect with --user"), "{ran}");
}

#[test]
fn errors_name_their_agents_and_the_last_line_lists_connected_ones() {
    let world = tagged();
    world.put(".gemini/settings.json", b"{ bad");
    let ran = world.run(&["connect", "claude-code", "gemini-cli", "codex", "--yes"]).exits(1);
    assert!(ran.stderr.contains("error: Gemini CLI: .gemini/settings.json:1:3: "), "{ran}");
    assert!(ran.text().ends_with("\nConnected: Claude Code, Codex. Not connected: Gemini CLI.\n"), "{ran}");
    // A single agent needs no list.
    let ran = world.run(&["connect", "gemini-cli", "--yes"]).exits(1);
    assert!(ran.stderr.contains("error: .gemini/settings.json:1:3: ") && !ran.text().contains("onnected:"), "{ran}");
    // Equal errors are printed once.
    let ran = world.run(&["disconnect", "claude-code", "codex"]).exits(1);
    assert_eq!(ran.stderr.matches("not a terminal").count(), 1, "{ran}");
    assert!(ran.stderr.contains("error: Claude Code, Codex: not a terminal, so nothing was written"), "{ran}");
    assert!(ran.text().ends_with("\nNot disconnected: Claude Code, Codex.\n"), "{ran}");
    // An agent that was never connected is skipped, whatever its settings contain.
    let ran = world.run(&["disconnect", "--yes"]).exits(0);
    assert!(!ran.stderr.contains("gemini") && !ran.text().contains("Gemini"), "{ran}");
    assert_eq!(world.read(".gemini/settings.json"), "{ bad");
    assert_eq!(world.json(&["disconnect", "gemini-cli"], 0)["status"], "not_connected");
    // An agent whose settings mention refdesk may be connected.
    world.put(".gemini/settings.json", b"{ refdesk");
    assert_eq!(world.json(&["disconnect"], 1)["agents"][0]["agent"], "gemini-cli");
}

#[test]
fn a_folder_that_is_not_a_workspace_is_left_alone() {
    let world = Workspace::new();
    let ran = run(&mut world.bare(&["connect", "codex", "--yes"]), None).exits(1);
    assert!(ran.stderr.contains("no workspace found"), "{ran}");
    assert_eq!(world.listing(), []);
    // User settings apply in any folder.
    run(&mut world.bare(&["connect", "codex", "--user", "--yes"]), None).exits(0);
    assert!(world.beside("home/.codex/hooks.json").is_file());
}

#[test]
fn an_empty_catalog_is_reported_before_anything_is_written() {
    let world = Workspace::new();
    let ran = world.run(&["connect", "codex"]).exits(1);
    assert!(ran.stderr.contains("note: the catalog has no sources, so there is nothing to tell an agent yet"), "{ran}");
    assert!(ran.stderr.contains("`refdesk init`"), "{ran}");
    assert!(!world.path.join(".codex").exists());
    let answer = world.json(&["connect", "codex", "--yes"], 0);
    assert_eq!(steps(&answer), [("session_start", true), ("initialize", true), ("tools", true)]);
    assert_eq!(answer["ask"], Value::Null);
}

#[test]
fn several_at_once_are_disconnected_without_a_trace() {
    let cases: [(&[&str], &str, [&str; 3]); 2] = [
        (&["claude-code", "--yes"], "workspace", [".claude/settings.json", ".claude", ".mcp.json"]),
        (&["claude-code", "--user", "--yes"], "home", [".claude/settings.json", ".claude", ".claude.json"]),
    ];
    for (words, place, paths) in cases {
        for _ in 0..4 {
            let world = tagged();
            let root = if place == "home" { world.beside("home") } else { world.path.clone() };
            let there = || paths.map(|path| root.join(path).exists());
            assert_eq!(there(), [false; 3], "{place}");
            std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| world.run(&[&["connect"], words].concat()).exits(0));
                }
            });
            assert_eq!(there(), [true; 3], "{place}");
            world.run(&[&["disconnect"], words].concat()).exits(0);
            assert_eq!(there(), [false; 3], "{place}");
        }
    }
}

#[test]
fn unchangeable_settings_are_kept_and_reported_with_their_line() {
    let text = |text: &str| text.as_bytes().to_vec();
    for (agent, file, before, code, reported) in [
        ("codex", ".codex/config.toml", text("model = \"x\"\nmodel = 1\n"), "unparsable", ".codex/config.toml:2:1: "),
        (
            "codex",
            ".codex/config.toml",
            text("mcp_servers = { a = { command = \"b\" } }\n"),
            "wrong-type",
            ".codex/config.toml:1:1: 'mcp_servers.refdesk' cannot be added without changing other settings",
        ),
        ("claude-code", ".mcp.json", text("{\n  \"mcpServers\": [],\n}\n"), "wrong-type", ".mcp.json:2:17: "),
        ("claude-code", ".mcp.json", text("{\n  mcpServers: {}\n}\n"), "unparsable", ".mcp.json:2:3: "),
        (
            "claude-code",
            ".mcp.json",
            text("{\"mcpServers\": {\n\"refdesk\": {\"command\": \"npx\"}}}\n"),
            "entry-taken",
            ".mcp.json:2:1: 'mcpServers.refdesk' exists and does not start refdesk",
        ),
        (
            "claude-code",
            ".mcp.json",
            text(
                "{\"mcpServers\": {\n\"refdesk\": {\"command\": \"refdesk\", \"args\": [\"mcp\"], \"env\": {\"A\": \"b\"}}}}\n",
            ),
            "entry-taken",
            ".mcp.json:2:1: 'mcpServers.refdesk' has `env`, which connect does not write, so the agent would not run \
             the server",
        ),
        ("vscode", ".vscode/mcp.json", vec![0xff, 0xfe], "no-text", ".vscode/mcp.json is not UTF-8"),
        ("opencode", "opencode.jsonc", text("{\"mcp\": 1}"), "wrong-type", "opencode.jsonc:1:9: "),
    ] {
        let world = tagged();
        world.put(file, &before);
        let listed = world.listing();
        let answer = world.json(&["connect", agent, "--yes"], 1);
        assert_eq!((&answer["error"]["code"], &answer["changed"]), (&json!(code), &json!(false)), "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(reported), "{answer}");
        assert_eq!(world.listing(), listed, "not even the hooks: half a connection is none");
    }
    // The user settings of goose.
    let world = tagged();
    let file = world.beside("home/.config/goose/config.yaml");
    write_atomic(&file, b"GOOSE_MODE: auto\nextensions: [\n").unwrap();
    let answer = world.json(&["connect", "goose", "--user", "--yes"], 1);
    assert!(answer["error"]["message"].as_str().unwrap().starts_with("~/.config/goose/config.yaml:"), "{answer}");
    assert_eq!(fs::read(&file).unwrap(), b"GOOSE_MODE: auto\nextensions: [\n");
}

#[test]
fn comments_and_layout_of_toml_and_yaml_stay() {
    let world = tagged();
    let toml = "# mine\r\nmodel = \"x\" # why\r\n\r\n[mcp_servers.other]\r\ncommand = \"y\"";
    world.put(".codex/config.toml", toml.as_bytes());
    world.run(&["connect", "codex", "--yes"]).exits(0);
    let added = "\r\n\r\n[mcp_servers.refdesk]\r\ncommand = \"refdesk\"\r\nargs = [\"mcp\"]\r\n";
    assert_eq!(world.read(".codex/config.toml"), format!("{toml}{added}"));
    world.run(&["disconnect", "codex", "--yes"]).exits(0);
    assert_eq!(world.read(".codex/config.toml"), toml);

    let file = world.beside("home/.config/goose/config.yaml");
    let yaml = "# mine\nextensions: # all\n    developer:\n        enabled: true # yes\n\nGOOSE_MODE: auto\n";
    write_atomic(&file, yaml.as_bytes()).unwrap();
    world.run(&["connect", "goose", "--user", "--yes"]).exits(0);
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with("# mine\nextensions: # all\n    refdesk:\n        enabled: true\n"), "{after}");
    // After an edit, only the entry is removed.
    let edited = after.replace("auto", "chat");
    write_atomic(&file, edited.as_bytes()).unwrap();
    world.run(&["disconnect", "goose", "--user", "--yes"]).exits(0);
    assert_eq!(fs::read_to_string(&file).unwrap(), yaml.replace("auto", "chat"));
}

#[test]
fn a_link_that_leads_outside_is_refused_for_servers_too() {
    let world = tagged();
    let outside = world.beside("outside.json");
    write_atomic(&outside, b"{}").unwrap();
    std::os::unix::fs::symlink(&outside, world.path.join(".mcp.json")).unwrap();
    let answer = world.json(&["connect", "claude-code", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "outside", "{answer}");
    assert_eq!(fs::read(&outside).unwrap(), b"{}");
    assert!(!world.path.join(".claude").exists());
}

#[test]
fn an_obstacle_to_a_settings_file_must_be_moved() {
    let world = tagged();
    write_atomic(&world.path.join(".claude"), b"").unwrap();
    let ran = world.run(&["connect", "claude-code", "--yes"]).exits(1);
    assert!(ran.stderr.contains("fix: move it away: the agent reads its settings from that place"), "{ran}");
}

#[test]
fn a_file_in_the_way_of_a_home_folder_is_an_error() {
    let world = tagged();
    // The connection record and the seal key would be stored below this path.
    write_atomic(&world.beside("home/.local"), b"").unwrap();
    let answer = world.json(&["connect", "codex", "--user", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "not-stored", "{answer}");
    assert!(!world.beside("home/.codex").exists());
    let answer = world.json(&["connect", "codex", "--yes"], 1);
    assert!(answer["error"]["message"].is_string() && answer["changed"] == false, "{answer}");
}
