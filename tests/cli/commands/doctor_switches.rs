//! Settings outside refdesk's entries that keep an agent from using them, each verified with the agent's own program.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use refdesk_files::write_atomic;
use serde_json::{Map, Value, json};

use super::tagged;
use crate::support::workspace::Workspace;

/// The agent checks with this level.
fn agent_lines(answer: &Value, level: &str) -> Vec<String> {
    let checks = answer["checks"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let of = |check: &&Value| check["level"] == level && check["name"] == "agent";
    checks.iter().filter(of).map(|check| format!("{} | {}", check["text"], check["fix"])).collect()
}

/// The path of a file in the workspace, or in the home folder for `~/`.
fn place(world: &Workspace, file: &str) -> PathBuf {
    file.strip_prefix("~/").map_or_else(|| world.path.join(file), |inside| world.beside("home").join(inside))
}

/// Adds settings to a file: JSON to JSON, lines to anything else.
fn add(world: &Workspace, file: &str, settings: &str) {
    let settings = settings.replace("HERE", world.path.to_str().unwrap());
    let place = place(world, file);
    let before = fs::read_to_string(&place).unwrap_or_default();
    let text = if file.ends_with(".json") {
        let mut value: Map<String, Value> = serde_json::from_str(&before).unwrap_or_default();
        let more: Map<String, Value> = serde_json::from_str(&settings).unwrap();
        for (key, new) in more {
            match (value.get_mut(&key).and_then(Value::as_object_mut), new) {
                (Some(old), Value::Object(new)) => old.extend(new),
                (_, new) => drop(value.insert(key, new)),
            }
        }
        Value::Object(value).to_string()
    } else {
        format!("{before}\n{settings}\n")
    };
    write_atomic(&place, text.as_bytes()).unwrap();
}

#[test]
fn settings_that_disable_an_agent_are_reported_with_their_file() {
    let (claude, local, user) = (".claude/settings.json", ".claude/settings.local.json", "~/.claude/settings.json");
    let (gemini, own_gemini) = (".gemini/settings.json", "~/.gemini/settings.json");
    let (codex, own_codex) = (".codex/config.toml", "~/.codex/config.toml");
    let (opencode, own_opencode) = ("opencode.json", "~/.config/opencode/opencode.json");
    let hooks_off = r#"{"disableAllHooks": true}"#;
    let refused = r#"{"disabledMcpjsonServers": ["x", "refdesk"]}"#;
    let mut worlds = HashMap::new();
    for (agent, scope, settings, expected) in [
        (
            "claude-code",
            "--project",
            &[(claude, hooks_off)][..],
            Some(
                ".claude/settings.json: `disableAllHooks` is true, which switches off the hooks\" | \"set it to false",
            ),
        ),
        ("claude-code", "--user", &[(user, hooks_off)], Some("~/.claude/settings.json: `disableAllHooks` is true")),
        ("claude-code", "--project", &[(user, hooks_off), (claude, r#"{"disableAllHooks": false}"#)], None),
        ("claude-code", "--project", &[(claude, hooks_off), (local, r#"{"disableAllHooks": false}"#)], None),
        (
            "claude-code",
            "--user",
            &[(local, hooks_off)],
            Some(".claude/settings.local.json: `disableAllHooks` is true"),
        ),
        (
            "claude-code",
            "--project",
            &[(local, refused), (user, r#"{"enabledMcpjsonServers": ["refdesk"]}"#)],
            Some(
                ".claude/settings.local.json: `disabledMcpjsonServers` lists refdesk, which switches off the server\" | \"remove refdesk from that list",
            ),
        ),
        ("claude-code", "--user", &[(user, refused)], None),
        (
            "claude-code",
            "--user",
            &[("~/.claude.json", r#"{"projects": {"HERE": {"disabledMcpServers": ["refdesk"]}}}"#)],
            Some("~/.claude.json: `disabledMcpServers` of this workspace lists refdesk"),
        ),
        (
            "claude-code",
            "--user",
            &[("~/.claude.json", r#"{"projects": {"/other": {"disabledMcpServers": ["refdesk"]}}}"#)],
            None,
        ),
        (
            "claude-code",
            "--project",
            &[(user, r#"{"deniedMcpServers": [{"serverName": "refdesk"}]}"#)],
            Some("`deniedMcpServers` lists refdesk"),
        ),
        (
            "claude-code",
            "--project",
            &[(user, r#"{"allowedMcpServers": [{"serverName": "x"}]}"#)],
            Some("`allowedMcpServers` does not list refdesk"),
        ),
        (
            "claude-code",
            "--project",
            &[(local, r#"{"permissions": {"deny": ["Bash", "mcp__refdesk"]}}"#)],
            Some(
                ".claude/settings.local.json: `permissions.deny` lists mcp__refdesk, which switches off the server\" | \"remove mcp__refdesk from that list",
            ),
        ),
        (
            "claude-code",
            "--user",
            &[(user, r#"{"permissions": {"deny": ["mcp__refdesk__*"]}}"#)],
            Some("~/.claude/settings.json: `permissions.deny` lists mcp__refdesk__*"),
        ),
        (
            "claude-code",
            "--project",
            &[(claude, r#"{"permissions": {"deny": ["mcp__other", "mcp__refdesk__writeFileFromTemplate"]}}"#)],
            None,
        ),
        (
            "gemini-cli",
            "--project",
            &[(gemini, r#"{"hooksConfig": {"enabled": false}}"#)],
            Some("`hooksConfig.enabled` is false"),
        ),
        (
            "gemini-cli",
            "--project",
            &[
                (own_gemini, r#"{"hooksConfig": {"enabled": false}}"#),
                (gemini, r#"{"hooksConfig": {"enabled": true}}"#),
            ],
            None,
        ),
        (
            "gemini-cli",
            "--user",
            &[(own_gemini, r#"{"hooksConfig": {"disabled": ["refdesk"]}}"#)],
            Some("`hooksConfig.disabled` lists refdesk"),
        ),
        (
            "gemini-cli",
            "--project",
            &[(own_gemini, r#"{"mcp": {"excluded": ["refdesk"]}}"#), (gemini, r#"{"mcp": {"excluded": []}}"#)],
            Some("~/.gemini/settings.json: `mcp.excluded` lists refdesk"),
        ),
        (
            "gemini-cli",
            "--project",
            &[(own_gemini, r#"{"mcp": {"allowed": ["x"]}}"#)],
            Some("`mcp.allowed` does not list refdesk, which switches off the server\" | \"add refdesk to that list"),
        ),
        (
            "gemini-cli",
            "--project",
            &[(own_gemini, r#"{"mcp": {"allowed": ["x"]}}"#), (gemini, r#"{"mcp": {"allowed": ["refdesk"]}}"#)],
            None,
        ),
        ("gemini-cli", "--project", &[(own_gemini, r#"{"mcp": {"allowed": []}}"#)], None),
        (
            "gemini-cli",
            "--project",
            &[("~/.gemini/mcp-server-enablement.json", r#"{"refdesk": {"enabled": false}}"#)],
            Some("`refdesk.enabled` is false"),
        ),
        (
            "gemini-cli",
            "--project",
            &[("~/.gemini/trustedFolders.json", r#"{"HERE": "DO_NOT_TRUST"}"#)],
            Some(
                "~/.gemini/trustedFolders.json: this workspace is \\\"DO_NOT_TRUST\\\", which switches off hooks and server",
            ),
        ),
        (
            "codex",
            "--project",
            &[(own_codex, "[features]\nhooks = false")],
            Some("~/.codex/config.toml: `features.hooks` is false"),
        ),
        (
            "codex",
            "--project",
            &[(own_codex, "[features]\ncodex_hooks = false")],
            Some("`features.codex_hooks` is false"),
        ),
        ("codex", "--project", &[(own_codex, "[features]\nhooks = false"), (codex, "[features]\nhooks = true")], None),
        (
            "codex",
            "--user",
            &[(codex, "[features]\nhooks = false")],
            Some(".codex/config.toml: `features.hooks` is false"),
        ),
        (
            "codex",
            "--user",
            &[(codex, "[mcp_servers.refdesk]\nenabled = false")],
            Some("`mcp_servers.refdesk.enabled` is false"),
        ),
        (
            "codex",
            "--project",
            &[(own_codex, "[projects.\"HERE\"]\ntrust_level = \"untrusted\"")],
            Some("`trust_level` of this workspace is \\\"untrusted\\\""),
        ),
        (
            "opencode",
            "--user",
            &[(opencode, r#"{"mcp": {"refdesk": {"enabled": false}}}"#)],
            Some("opencode.json: `mcp.refdesk.enabled` is false"),
        ),
        (
            "opencode",
            "--project",
            &[(".opencode/opencode.json", r#"{"mcp": {"refdesk": {"enabled": false}}}"#)],
            Some(".opencode/opencode.json: `mcp.refdesk.enabled` is false"),
        ),
        (
            "opencode",
            "--project",
            &[(own_opencode, r#"{"tools": {"refdesk*": false}}"#)],
            Some("`tools.refdesk*` is false"),
        ),
        ("codex", "--project", &[(own_codex, "[features\nhooks = false")], None),
    ] {
        let connected = || {
            let world = tagged();
            world.run(&["connect", agent, scope, "--yes"]).exits(0);
            world
        };
        let world = worlds.entry((agent, scope)).or_insert_with(connected);
        let before: Vec<_> =
            settings.iter().map(|(file, _)| place(world, file)).map(|it| (fs::read(&it), it)).collect();
        for (file, text) in settings {
            add(world, file, text);
        }
        let answer = world.json(&["doctor"], i32::from(expected.is_some()));
        let wrong = agent_lines(&answer, "wrong");
        let reported = format!("{agent} {scope} {settings:?}: {wrong:#?}");
        assert_eq!(wrong.len(), usize::from(expected.is_some()), "{reported}");
        assert!(expected.is_none_or(|expected| wrong[0].contains(expected)), "{reported}");
        assert_eq!(answer["agents"][0]["ok"], expected.is_none(), "{reported}");
        // Connecting again reports it, too.
        let again = world.run(&["connect", agent, scope, "--yes"]);
        assert_eq!(again.stderr.contains("which switches off"), expected.is_some(), "{reported} {again}");
        assert_eq!(again.text().contains("\n  wrong  "), expected.is_some(), "{reported} {again}");
        assert_eq!(again.text().contains("\nNow "), expected.is_none(), "{reported} {again}");
        let again = world.json(&["connect", agent, scope, "--yes"], i32::from(expected.is_some()));
        assert_eq!(again["switched_off"].as_array().unwrap().len(), usize::from(expected.is_some()), "{again}");
        assert_eq!(again["error"]["code"] == "not-delivered", expected.is_some(), "{again}");
        for (text, file) in before {
            text.map_or_else(|_| fs::remove_file(&file), |text| write_atomic(&file, &text)).unwrap();
        }
    }
}

#[test]
fn pending_agent_decisions_are_notes() {
    let allowed = r#"{"enabledMcpjsonServers": ["refdesk"]}"#;
    for (agent, note, settings) in [
        ("claude-code", "it will ask whether to start the server", (".claude/settings.local.json", allowed)),
        (
            "claude-code",
            "allow the server refdesk",
            ("~/.claude.json", r#"{"projects": {"HERE": {"enabledMcpjsonServers": ["refdesk"]}}}"#),
        ),
        (
            "claude-code",
            "allow the server refdesk",
            ("~/.claude/settings.json", r#"{"enableAllProjectMcpServers": true}"#),
        ),
        (
            "codex",
            "until you trust the folder",
            ("~/.codex/config.toml", "[projects.\"HERE\"]\ntrust_level = \"trusted\""),
        ),
        ("gemini-cli", "until you trust the folder", ("~/.gemini/trustedFolders.json", r#"{"HERE": "TRUST_FOLDER"}"#)),
        (
            "gemini-cli",
            "until you trust the folder",
            ("~/.gemini/settings.json", r#"{"security": {"folderTrust": {"enabled": false}}}"#),
        ),
    ] {
        let world = tagged();
        world.run(&["connect", agent, "--yes"]).exits(0);
        let notes = agent_lines(&world.json(&["doctor"], 0), "note");
        assert!(notes.len() == 1 && notes[0].contains(note), "{agent}: {notes:?}");
        add(&world, settings.0, settings.1);
        assert_eq!(agent_lines(&world.json(&["doctor"], 0), "note"), [""; 0], "{agent} {settings:?}");
    }
    // User settings do not need a trusted workspace.
    let world = tagged();
    world.run(&["connect", "codex", "--user", "--yes"]).exits(0);
    assert_eq!(agent_lines(&world.json(&["doctor"], 0), "note"), [""; 0]);
}

#[test]
fn entries_that_only_look_like_those_of_refdesk_are_not_hidden() {
    let world = tagged();
    let hook = json!({"type": "command", "command": "refdesk hook claude-code | tee log"});
    let hooks = json!({"hooks": {"UserPromptSubmit": [{"hooks": [hook]}]}});
    world.put(".claude/settings.json", hooks.to_string().as_bytes());
    world.put(".mcp.json", br#"{"mcpServers": {"refdesk": {"command": "other", "args": ["mcp"]}}}"#);
    let answer = world.json(&["doctor"], 0);
    let notes = agent_lines(&answer, "note");
    assert!(notes[0].contains("'refdesk hook claude-code | …', which does more than call refdesk"), "{notes:?}");
    assert!(notes[1].contains(".mcp.json: 'mcpServers.refdesk' exists and does not start refdesk"), "{notes:?}");
    assert_eq!(answer["agents"], json!([]));
    assert!(answer["checks"].to_string().contains("none is connected"), "{answer:#}");
    // Next to a connection, with every kind of fault at once.
    world.put(".mcp.json", b"{}");
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    world.put(".mcp.json", br#"{"mcpServers": {"refdesk": {"command": "tools/refdesk", "args": ["mcp"]}}}"#);
    add(&world, ".claude/settings.local.json", r#"{"disableAllHooks": true}"#);
    let answer = world.json(&["doctor"], 1);
    let (wrong, notes) = (agent_lines(&answer, "wrong"), agent_lines(&answer, "note"));
    assert!(wrong.len() == 2 && wrong.concat().contains("disableAllHooks"), "{wrong:#?}");
    assert!(wrong.concat().contains("'tools/refdesk mcp', which was not tested"), "{wrong:#?}");
    assert!(notes.concat().contains("claude-code | …"), "{notes:?}");
}
