//! End-to-end tests of `refdesk connect` and `disconnect`: a file is shown first, changed only when approved, and
//! restored afterwards; nothing outside the workspace or the home folder changes.

use std::fs;
use std::path::Path;

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use super::{tagged, with_path};
use crate::support::program::{PROGRAM, run};
use crate::support::workspace::Workspace;

/// Agents with hooks, with their settings files for hooks and for servers.
const AGENTS: [(&str, &str, &str); 4] = [
    ("claude-code", ".claude/settings.json", ".mcp.json"),
    ("gemini-cli", ".gemini/settings.json", ".gemini/settings.json"),
    ("codex", ".codex/hooks.json", ".codex/config.toml"),
    ("cursor", ".cursor/hooks.json", ".cursor/mcp.json"),
];

const SETTINGS: &str = ".claude/settings.json";

/// All hook commands in a settings file.
fn commands(text: &str) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (key, value) in members {
                    match value.as_str().filter(|_| key == "command") {
                        Some(command) if command.contains(" hook ") => found.push(command.to_owned()),
                        Some(_) => {}
                        None => collect(value, found),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    collect(&serde_json::from_str(text).unwrap(), &mut found);
    found
}

/// Every file of the test folder except refdesk's own.
fn listing(world: &Workspace) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = world.listing();
    all.retain(|(path, _)| !path.to_str().unwrap().contains("/.jaato/"));
    all
}

#[test]
fn every_agent_is_connected_in_its_file_and_disconnected_without_a_trace() {
    for (agent, file, servers) in AGENTS {
        let world = Workspace::new();
        let answer = world.json(&["connect", agent, "--yes"], 0);
        let text = world.read(file);
        let events = commands(&text).len();
        assert_eq!(commands(&text), vec![format!("refdesk hook {agent} --mcp"); events], "{text}");
        assert!((3..=4).contains(&events), "{text}");
        let diff = answer["diff"].as_str().unwrap();
        assert!(diff.starts_with(&format!("--- /dev/null\n+++ b/{file}\n@@ ")), "{diff}");
        let server = &answer["mcp"];
        let added = server["diff"].as_str().unwrap();
        assert!(added.starts_with(&format!("--- /dev/null\n+++ b/{servers}\n@@ ")), "{added}");
        assert_eq!((&server["path"], &server["changed"]), (&json!(servers), &json!(true)));
        let words = server["command"].as_array().unwrap();
        assert_eq!((words.first(), words.last()), (Some(&json!("refdesk")), Some(&json!("mcp"))));
        let expected = json!({
            "status": "connected", "agent": agent, "scope": "project", "path": file, "diff": diff, "changed": true,
            "warnings": [], "command": format!("refdesk hook {agent} --mcp"), "mcp": server,
            "canary": answer["canary"], "switched_off": [], "ask": null,
        });
        assert_eq!(answer, expected);
        let again = world.json(&["connect", agent, "--yes"], 0);
        assert_eq!(
            (&again["status"], &again["changed"], &again["diff"]),
            (&json!("already_connected"), &json!(false), &json!(""))
        );
        assert_eq!(world.read(file), text);
        let gone = world.json(&["disconnect", agent, "--yes"], 0);
        assert_eq!((&gone["status"], &gone["changed"]), (&json!("disconnected"), &json!(true)));
        assert!(gone["diff"].as_str().unwrap().starts_with(&format!("--- a/{file}\n+++ /dev/null\n")), "{gone}");
        assert!(gone["mcp"]["diff"].as_str().unwrap().starts_with(&format!("--- a/{servers}\n+++ /dev/null\n")));
        assert_eq!(listing(&world), [], "the folder goes too");
        let again = world.json(&["disconnect", agent, "--yes"], 0);
        assert_eq!((&again["status"], &again["changed"]), (&json!("not_connected"), &json!(false)));
    }
}

#[test]
fn messages_for_people() {
    let world = tagged();
    let files = ".cursor/hooks.json (+24 −0) and .cursor/mcp.json (+12 −0)";
    let ran = world.run(&["connect", "cursor", "--yes"]).exits(0);
    assert!(ran.text().contains(&format!("\nCursor is connected: wrote {files}.\n\nTested as Cursor would")), "{ran}");
    assert_eq!(ran.stderr, "");
    let ran = world.run(&["connect", "cursor"]).exits(0);
    assert!(
        ran.text().starts_with("Cursor is already connected in .cursor/hooks.json and .cursor/mcp.json.\n\nTested"),
        "{ran}"
    );
    let ran = world.run(&["disconnect", "cursor", "--yes"]).exits(0);
    let files = ".cursor/hooks.json (+0 −24) and .cursor/mcp.json (+0 −12)";
    assert!(ran.text().ends_with(&format!("Cursor is no longer connected: removed {files}.\n")), "{ran}");
    assert_eq!(ran.stderr, "");
    let ran = world.run(&["disconnect", "cursor"]).exits(0);
    assert_eq!(ran.text(), "Cursor is not connected in .cursor/hooks.json and .cursor/mcp.json.\n");
}

#[test]
fn nothing_is_written_without_approval() {
    for before in [None, Some("{\"model\": \"opus\"}\n")] {
        let world = Workspace::new();
        before.iter().for_each(|text| world.put(SETTINGS, text.as_bytes()));
        let listed = world.listing();
        let dry = world.run(&["connect", "claude-code", "--dry-run"]).exits(0);
        let (verb, head) = if before.is_some() { ("change", "--- a/") } else { ("write", "--- /dev/null") };
        assert!(dry.stderr.contains(&format!("note: this would {verb} {SETTINGS} (+")), "{dry}");
        assert!(dry.text().starts_with(head), "{dry}");
        let asked = world.run(&["connect", "claude-code"]).exits(1);
        assert_eq!(asked.text(), dry.text());
        assert!(
            asked.stderr.contains("error: not a terminal, so nothing was written") && asked.stderr.contains("--yes"),
            "{asked}"
        );
        let answer = world.json(&["connect", "claude-code"], 1);
        assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!("error"), &json!("not-approved")));
        let diffs = [&answer["diff"], &answer["mcp"]["diff"]].map(|diff| diff.as_str().unwrap());
        assert_eq!((diffs.concat().as_str(), &answer["changed"]), (dry.text(), &json!(false)));
        assert_eq!(world.json(&["connect", "claude-code", "--dry-run"], 0)["status"], "dry_run");
        assert_eq!(world.listing(), listed);

        world.run(&["connect", "claude-code", "--yes"]).exits(0);
        let listed = world.listing();
        assert_eq!(world.json(&["disconnect", "claude-code"], 1)["error"]["code"], "not-approved");
        assert_eq!(world.json(&["disconnect", "claude-code", "--dry-run"], 0)["changed"], false);
        assert_eq!(world.listing(), listed);
    }
}

#[test]
fn an_existing_file_is_restored_byte_for_byte_with_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    for before in [
        "{}",
        "{\"hooks\":{}}",
        "\u{feff}{\r\n\t// mine\r\n\t\"model\": \"opus\",\r\n}\r\n",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]} // x\n    ]\n  }\n}",
    ] {
        let world = Workspace::new();
        world.put(SETTINGS, before.as_bytes());
        let file = world.path.join(SETTINGS);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        world.run(&["connect", "claude-code", "--yes"]).exits(0);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        // Connecting replaces an entry that has another path, and disconnecting then removes it.
        world.put(SETTINGS, world.read(SETTINGS).replace("\"refdesk hook", "\"'/old place/refdesk' hook").as_bytes());
        world.run(&["connect", "claude-code", "--yes"]).exits(0);
        let answer = world.json(&["disconnect", "claude-code", "--yes"], 0);
        assert_eq!(answer["status"], "disconnected");
        assert!(!world.read(SETTINGS).contains("refdesk"));
        // Since a person made that edit, only the latest addition is removed, and the file equals the old one except for
        // blanks.
        world.put(SETTINGS, before.as_bytes());
        world.run(&["connect", "claude-code", "--yes"]).exits(0);
        world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert_eq!(world.read(SETTINGS), before);
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn without_a_record_only_our_entries_are_removed_from_the_file() {
    let world = Workspace::new();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    fs::remove_dir_all(world.path.join(".jaato")).unwrap();
    world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
    assert_eq!(world.read(SETTINGS), "{}\n");
    // A damaged record is reported and ignored.
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    world.put(".jaato/refdesk/connected/claude-code.json", b"{");
    let ran = world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
    assert!(ran.stderr.contains("note: the record of the connection cannot be used"), "{ran}");
    assert_eq!(world.read(SETTINGS), "{}\n");
}

#[test]
fn a_persons_addition_to_our_file_survives_another_connection() {
    for (agent, file, _) in AGENTS {
        let world = Workspace::new();
        world.run(&["connect", agent, "--yes"]).exits(0);
        let made = world.read(file);
        let mine = made.replacen("{\n", "{\n  \"permissions\": { \"deny\": [\"Read(.env)\"] },\n", 1);
        // As if the program had been moved.
        world.put(file, mine.replace("\"refdesk hook", "\"/old/refdesk hook").as_bytes());
        assert_eq!(world.json(&["connect", agent, "--yes"], 0)["status"], "connected");
        assert_eq!(world.json(&["disconnect", agent, "--yes"], 0)["status"], "disconnected");
        let left = world.read(file);
        let left: Value = serde_json::from_str(&left).unwrap_or_else(|_| panic!("{left}"));
        assert_eq!(left["permissions"]["deny"], json!(["Read(.env)"]), "{agent}: {left}");
        assert!(!left.to_string().contains("refdesk"), "{left}");
    }
}

#[test]
fn a_foreign_record_removes_at_most_our_entries() {
    let before = "{\n  \"permissions\": { \"deny\": [\"Read(.env)\"] }\n}\n";
    let record = ".jaato/refdesk/connected/claude-code.json";
    let world = Workspace::new();
    world.put(SETTINGS, before.as_bytes());
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    let connected = world.read(SETTINGS);
    let honest: Value = serde_json::from_str(&world.read(record)).unwrap();
    for added in [json!([]), json!([[0, connected.len()]]), json!([[0, u64::MAX], [3, 4]]), honest["added"].clone()] {
        let mut forged = honest.clone();
        forged["added"] = added;
        forged["created"] = json!(true);
        forged["folders"] = json!(1000);
        world.put(SETTINGS, connected.as_bytes());
        world.put(record, forged.to_string().as_bytes());
        world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert_eq!(world.read(SETTINGS), before, "{forged}");
    }
}

#[test]
fn no_record_is_read_written_or_removed_through_a_link_that_leads_outside() {
    use std::os::unix::fs::symlink;
    let world = Workspace::new();
    let (outside, name) = (world.beside("outside"), "claude-code.json");
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    let connected = world.path.join(".jaato/refdesk/connected");
    let record = fs::read(connected.join(name)).unwrap();
    fs::remove_dir_all(&connected).unwrap();
    write_atomic(&outside.join(name), &record).unwrap();
    symlink(&outside, &connected).unwrap();
    // If read, the record would claim that the file was created for our entries and can be removed.
    let ran = world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
    assert!(ran.stderr.contains(".jaato/refdesk/connected is a link out of the workspace"), "{ran}");
    assert_eq!(world.read(SETTINGS), "{}\n");
    assert_eq!(fs::read(outside.join(name)).unwrap(), record, "not removed");
    let answer = world.json(&["connect", "claude-code", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "not-stored", "{answer}");
    assert!(answer["error"]["hint"].as_str().unwrap().contains("with a folder"), "{answer}");
    assert_eq!((world.read(SETTINGS).as_str(), fs::read(outside.join(name)).unwrap()), ("{}\n", record.clone()));
    // Nor may the record itself be a link.
    fs::remove_file(&connected).unwrap();
    fs::create_dir(&connected).unwrap();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    fs::remove_file(connected.join(name)).unwrap();
    symlink(outside.join(name), connected.join(name)).unwrap();
    let ran = world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
    assert!(ran.stderr.contains("a symbolic link, which is not followed"), "{ran}");
    assert_eq!(fs::read(outside.join(name)).unwrap(), record);
}

#[test]
fn writes_and_removals_are_journalled() {
    let world = Workspace::new();
    world.run(&["connect", "codex", "--yes"]).exits(0);
    world.run(&["disconnect", "codex", "--yes"]).exits(0);
    let lines = world.run(&["journal"]).exits(0);
    let lines: Vec<Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reported: Vec<_> = lines.iter().map(|line| (&line["what"], &line["about"], &line["reason"])).collect();
    let (hooks, server) = (json!([".codex/hooks.json"]), json!([".codex/config.toml"]));
    let (written, removed) = (json!("written"), json!("removed"));
    let reason = json!("it was created to connect codex");
    let expected = [
        (&written, &hooks, &Value::Null),
        (&written, &server, &Value::Null),
        (&removed, &hooks, &reason),
        (&removed, &server, &reason),
    ];
    assert_eq!(reported, expected, "trying it out leaves no trace");
}

#[test]
fn a_file_that_cannot_be_changed_is_reported_with_its_position() {
    for (bytes, code, reported) in [
        (&b"{\n  \"a\": 1,\n  oops\n}\n"[..], "unparsable", ".claude/settings.json:3:3: "),
        (b"[]", "wrong-type", ".claude/settings.json:1:1: the settings should be an object"),
        (b"{\"hooks\": []}", "wrong-type", ".claude/settings.json:1:11: 'hooks' should be an object"),
        (b"{\"hooks\": {},\n\"hooks\": {}}", "duplicate-key", ".claude/settings.json:2:1: 'hooks' occurs twice"),
        (b"{\"a\": \"\xff\"}", "no-text", "not UTF-8 from byte 7 on"),
        (b"\xff\xfe{\0}\0", "no-text", "not UTF-8"),
        (&[b' '; 1024 * 1024 + 1], "too-large", "more than 1048576 bytes"),
    ] {
        let world = Workspace::new();
        world.put(SETTINGS, bytes);
        let listed = world.listing();
        let answer = world.json(&["connect", "claude-code", "--yes"], 1);
        assert_eq!(
            (&answer["error"]["code"], &answer["status"], &answer["changed"]),
            (&json!(code), &json!("error"), &json!(false))
        );
        assert!(answer["error"]["message"].as_str().unwrap().contains(reported), "{answer}");
        assert_eq!(world.listing(), listed);
    }
    let world = Workspace::new();
    fs::create_dir_all(world.path.join(SETTINGS)).unwrap();
    assert_eq!(world.json(&["connect", "claude-code", "--yes"], 1)["error"]["code"], "unreadable");
}

#[test]
fn leftovers_of_a_killed_run_beside_the_settings_are_removed() {
    const LEFT: &str = ".claude/.refdesk-0123456789abcdef.tmp";
    let world = Workspace::with(&[(SETTINGS, "{}"), (LEFT, "x"), (".claude/.refdesk-mine", "x")]);
    world.run(&["connect", "claude-code", "--dry-run"]).exits(0);
    assert!(world.path.join(LEFT).exists());
    for words in [&["connect", "claude-code", "--yes"][..], &["connect", "claude-code", "--yes"]] {
        world.run(words).exits(0);
        assert!(!world.path.join(LEFT).exists(), "{words:?}");
        world.put(LEFT, b"x");
    }
    for _ in 0..2 {
        world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert!(!world.path.join(LEFT).exists());
        world.put(LEFT, b"x");
    }
    assert!(world.path.join(".claude/.refdesk-mine").exists());
}

#[test]
fn a_read_only_file_is_not_changed() {
    use std::os::unix::fs::PermissionsExt;
    let world = Workspace::with(&[(SETTINGS, "{}")]);
    fs::set_permissions(world.path.join(SETTINGS), fs::Permissions::from_mode(0o444)).unwrap();
    let answer = world.json(&["connect", "claude-code", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "read-only");
    assert_eq!(world.read(SETTINGS), "{}");
}

#[test]
fn a_user_connection_goes_to_the_home_folder() {
    let world = Workspace::new();
    let home = world.beside("home");
    for (agent, file, _) in AGENTS {
        let ran = with_path(&world, Path::new("/nowhere"), &["connect", agent, "--user", "--yes"]).exits(0);
        assert!(
            ran.text().contains(&format!("+++ b/~/{file}\n")) && ran.text().contains(&format!("wrote ~/{file} (+")),
            "{ran}"
        );
        // This file belongs to the user alone: the program's path is written if the bare name would start another
        // program or none.
        let text = fs::read_to_string(home.join(file)).unwrap();
        let own = fs::canonicalize(PROGRAM).unwrap();
        let command = format!("{} hook {agent} --mcp", own.display());
        assert!(commands(&text).iter().all(|it| *it == command), "{text}");
        let answer = world.json(&["disconnect", agent, "--user", "--yes"], 0);
        assert_eq!((&answer["scope"], &answer["path"]), (&json!("user"), &json!(format!("~/{file}"))));
        assert!(!home.join(file).parent().unwrap().exists());
    }
    assert_eq!(listing(&world), [], "nothing in the workspace");
}

#[test]
fn the_bare_name_is_written_if_it_starts_this_program() {
    let world = Workspace::new();
    let bin = world.beside("bin with blanks");
    fs::create_dir(&bin).unwrap();
    let (linked, settings) = (bin.join("refdesk"), world.beside("home").join(SETTINGS));
    std::os::unix::fs::symlink(PROGRAM, &linked).unwrap();
    let ran = with_path(&world, &bin, &["connect", "claude-code", "--user", "--yes"]).exits(0);
    assert!(!ran.stderr.contains("path"), "{ran}");
    assert!(commands(&fs::read_to_string(&settings).unwrap()).iter().all(|it| it == "refdesk hook claude-code --mcp"));
    // Another program with the same name.
    fs::remove_file(&linked).unwrap();
    fs::copy("/bin/sh", &linked).unwrap();
    let ran = with_path(&world, &bin, &["connect", "claude-code", "--yes"]).exits(1);
    assert!(ran.stderr.contains("bin with blanks/refdesk, which is a different one"), "{ran}");
    assert!(ran.stderr.contains("error: Claude Code, hook, start of a session: it exited with "), "{ran}");
    assert!(commands(&world.read(SETTINGS)).iter().all(|it| it == "refdesk hook claude-code --mcp"));
    // This program, in a folder with a blank in its name and not on the `PATH`.
    fs::remove_file(&linked).unwrap();
    fs::hard_link(PROGRAM, &linked).or_else(|_| fs::copy(PROGRAM, &linked).map(drop)).unwrap();
    let mut command = std::process::Command::new(&linked);
    command.args(["connect", "claude-code", "--user", "--yes"]).current_dir(&world.path).env_clear();
    run(command.env("HOME", world.beside("home")).env("PATH", "/nowhere"), None).exits(0);
    let written = commands(&fs::read_to_string(&settings).unwrap());
    assert_eq!(written, vec![format!("'{}' hook claude-code --mcp", linked.display()); 4], "replaced, not doubled");
}

#[test]
fn a_variable_can_move_an_agents_settings() {
    let world = Workspace::new();
    let home = world.beside("home");
    for (agent, variable, value, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "conf/claude", "conf/claude/settings.json"),
        ("codex", "CODEX_HOME", "conf/codex", "conf/codex/hooks.json"),
        ("gemini-cli", "GEMINI_CLI_HOME", "conf", "conf/.gemini/settings.json"),
    ] {
        let mut command = world.command(&["connect", agent, "--user", "--yes"]);
        run(command.env(variable, home.join(value)), None).exits(0);
        assert!(home.join(file).is_file(), "{file}");
        // If the user's variable points outside the home folder, links must not leave the folder it names.
        let elsewhere = world.beside(&format!("elsewhere/{agent}"));
        fs::create_dir_all(&elsewhere).unwrap();
        let name = file.rsplit('/').next().unwrap();
        let below = if agent == "gemini-cli" { elsewhere.join(".gemini") } else { elsewhere.clone() };
        let answer = |words: &[&str], code| {
            let mut command = world.command(&[&["--format", "json"], words, &[agent, "--user", "--yes"]].concat());
            run(command.env(variable, &elsewhere), None).exits(code).json()
        };
        assert_eq!(answer(&["connect"], 0)["path"], below.join(name).to_str().unwrap());
        assert!(below.join(name).is_file(), "{agent}");
        answer(&["disconnect"], 0);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0, "{agent}");
        fs::create_dir_all(&below).unwrap();
        std::os::unix::fs::symlink(world.beside("tmp/out.json"), below.join(name)).unwrap();
        assert_eq!(answer(&["connect"], 1)["error"]["code"], "outside", "a link");
    }
    assert_eq!(fs::read_dir(world.beside("tmp")).unwrap().count(), 0);
}

#[test]
fn without_a_home_folder_there_are_no_user_settings() {
    let world = Workspace::new();
    for home in [None, Some(""), Some("relative")] {
        let mut command = world.command(&["--format", "json", "connect", "claude-code", "--user", "--yes"]);
        match home {
            None => command.env_remove("HOME"),
            Some(home) => command.env("HOME", home),
        };
        let answer = run(&mut command, None).exits(1).json();
        assert_eq!(answer["error"]["code"], "no-home");
    }
    run(world.command(&["connect", "claude-code", "--yes"]).env_remove("HOME"), None).exits(0);
    run(world.command(&["disconnect", "claude-code", "--yes"]).env_remove("HOME"), None).exits(0);
    assert_eq!(listing(&world), []);
}

#[test]
fn links_are_followed_only_inside() {
    use std::os::unix::fs::symlink;
    let world = Workspace::new();
    let home = world.beside("home");
    fs::create_dir_all(home.join(".claude")).unwrap();
    write_atomic(&home.join("dotfiles/claude.json"), b"{\"model\": \"opus\"}\n").unwrap();
    let link = home.join(SETTINGS);
    symlink("../dotfiles/claude.json", &link).unwrap();
    world.run(&["connect", "claude-code", "--user", "--yes"]).exits(0);
    assert!(
        link.is_symlink()
            && fs::read_to_string(home.join("dotfiles/claude.json")).unwrap().contains("hook claude-code")
    );
    world.run(&["disconnect", "claude-code", "--user", "--yes"]).exits(0);
    assert!(link.is_symlink());
    assert_eq!(fs::read(home.join("dotfiles/claude.json")).unwrap(), b"{\"model\": \"opus\"}\n");

    // The file or its folder is a link that leads outside.
    let outside = world.beside("outside.json");
    write_atomic(&outside, b"{}").unwrap();
    fs::remove_file(&link).unwrap();
    symlink(&outside, &link).unwrap();
    symlink(world.beside("tmp"), world.path.join(".claude")).unwrap();
    for (words, place, real) in [
        (
            &["connect", "claude-code", "--user", "--yes"][..],
            "~/.claude/settings.json out of the home folder",
            &outside,
        ),
        (
            &["connect", "claude-code", "--yes"],
            ".claude/settings.json out of the workspace",
            &world.beside("tmp/settings.json"),
        ),
    ] {
        let answer = world.json(words, 1);
        assert_eq!(answer["error"]["code"], "outside");
        assert_eq!(answer["error"]["message"], format!("a link leads from {place}, to {}", real.display()), "{answer}");
    }
    assert_eq!(fs::read(&outside).unwrap(), b"{}");
    assert_eq!(fs::read_dir(world.beside("tmp")).unwrap().count(), 0);
    // A link to nothing leads out just as well.
    fs::remove_file(world.path.join(".claude")).unwrap();
    symlink(world.beside("nowhere"), world.path.join(".claude")).unwrap();
    let message = world.json(&["connect", "claude-code", "--yes"], 1)["error"]["message"].to_string();
    let target = format!("out of the workspace, to {}", world.beside("nowhere/settings.json").display());
    assert!(message.contains(&target), "{message}");
}

#[test]
fn no_link_leads_settings_into_a_file_of_refdesk_or_two_into_one() {
    use std::os::unix::fs::symlink;
    let own = ["references.json", ".jaato/databases.yaml", ".jaato/references/a.json", "config/databases.yaml"];
    for target in own.iter().chain(&[".jaato/references.json"]) {
        for (file, up) in [(SETTINGS, "../"), (".mcp.json", "")] {
            let world = tagged();
            fs::create_dir_all(world.path.join(".claude")).unwrap();
            symlink(format!("{up}{target}"), world.path.join(file)).unwrap();
            let before = world.listing();
            let answer = world.json(&["connect", "claude-code", "--yes"], 1);
            assert_eq!(answer["error"]["code"], "guarded", "{target} {answer}");
            let message = format!("a link leads from {file} to {target}, which is one of refdesk's own files");
            assert_eq!(answer["error"]["message"], message);
            assert_eq!(before, world.listing(), "{target}");
        }
    }
    let world = tagged();
    world.put("shared.json", b"{}\n");
    fs::create_dir_all(world.path.join(".claude")).unwrap();
    symlink("../shared.json", world.path.join(SETTINGS)).unwrap();
    symlink("shared.json", world.path.join(".mcp.json")).unwrap();
    let answer = world.json(&["connect", "claude-code", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "same-file", "{answer}");
    assert_eq!(world.read("shared.json"), "{}\n");
}

#[test]
fn without_a_name_all_connected_agents_are_disconnected() {
    let world = Workspace::new();
    let none = world.run(&["disconnect"]).exits(0);
    assert_eq!(
        none.text(),
        "No agent is connected in the settings of this workspace. For your own: `refdesk disconnect --user`\n"
    );
    world.run(&["connect", "cursor", "codex", "--yes"]).exits(0);
    let asked = world.run(&["disconnect"]).exits(1);
    assert_eq!(asked.stderr.matches("not a terminal, so nothing was written").count(), 1, "{asked}");
    let answer = world.json(&["disconnect", "--yes"], 0);
    let gone: Vec<_> = answer["agents"].as_array().unwrap().iter().map(|it| (&it["agent"], &it["status"])).collect();
    let is_gone = json!("disconnected");
    assert_eq!(gone, [(&json!("codex"), &is_gone), (&json!("cursor"), &is_gone)]);
    assert_eq!(listing(&world), []);
    assert_eq!(world.json(&["disconnect"], 0), json!({"agents": []}));
}

#[test]
fn an_unknown_agent_is_a_usage_error() {
    let world = Workspace::new();
    let ran = world.run(&["connect", "clade", "--yes"]).exits(2);
    assert!(ran.stderr.contains("claude-code, gemini-cli, codex, cursor"), "{ran}");
    world.run(&["connect", "codex", "--user", "--project"]).exits(2);
    let ran = world.run(&["connect", "cluade"]).exits(2);
    assert!(ran.stderr.contains("did you mean 'claude-code'?"), "{ran}");
    let ran = world.run(&["connect", "claude-cod"]).exits(2);
    assert!(ran.stderr.contains("did you mean 'claude-code'?"), "{ran}");
    let ran = world.run(&["connect", "claude"]).exits(2);
    assert!(ran.stderr.contains("did you mean 'claude-code'? use claude-code,"), "{ran}");
}

/// The agents' entries would not have them, and so would not do what the connection's test shows.
#[test]
fn options_that_the_entries_would_not_have_are_refused() {
    let world = Workspace::new();
    for option in ["--desk", "--config", "--profile", "--session"] {
        let ran = world.run(&[option, "other", "connect", "claude-code", "--yes"]).exits(2);
        assert!(ran.stderr.contains(&format!("leave {option} out")), "{ran}");
    }
    assert_eq!(listing(&world), []);
}

#[test]
fn entries_for_other_programs_are_kept_and_reported() {
    let world = Workspace::new();
    let other = world.path.join("tools/refdesk");
    write_atomic(&other, b"#!/bin/sh\n").unwrap();
    fs::set_permissions(&other, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for program in [other.to_str().unwrap(), "tools/refdesk", "./refdesk"] {
        let hook = json!({"type": "command", "command": format!("{program} hook claude-code")});
        let settings = json!({"hooks": {"Stop": [{"hooks": [hook]}]}, "model": "x"}).to_string();
        let servers = json!({"mcpServers": {"refdesk": {"command": program, "args": ["mcp"]}}}).to_string();
        world.put(SETTINGS, settings.as_bytes());
        world.put(".mcp.json", servers.as_bytes());
        let ran = world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
        assert!(ran.text().contains("is not connected"), "{ran}");
        for command in [format!("'{program} hook claude-code'"), format!("'{program} mcp'")] {
            assert!(ran.stderr.contains(&format!("still runs {command}")), "{ran}");
        }
        assert_eq!((world.read(SETTINGS), world.read(".mcp.json")), (settings, servers));
    }
    // Next to an entry of ours, with and without its record.
    for forgotten in [false, true] {
        let mine =
            json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "tools/refdesk hook codex"}]}]}});
        world.put(".codex/hooks.json", mine.to_string().as_bytes());
        world.run(&["connect", "codex", "--yes"]).exits(0);
        let connected = world.read(".codex/hooks.json");
        assert!(!connected.contains("tools/refdesk"), "connecting replaces it, after showing that");
        let added = connected.replacen(
            "\"hooks\": {",
            "\"hooks\": {\"Stop\": [{\"command\": \"tools/refdesk hook codex\"}],",
            1,
        );
        world.put(".codex/hooks.json", added.as_bytes());
        if forgotten {
            fs::remove_dir_all(world.path.join(".jaato/refdesk/connected")).unwrap();
        }
        let ran = world.run(&["disconnect", "codex", "--yes"]).exits(0);
        let left = world.read(".codex/hooks.json");
        // Disconnecting restores what connecting replaced.
        let count = if forgotten { 1 } else { 2 };
        assert_eq!(commands(&left), vec!["tools/refdesk hook codex"; count], "{left}");
        assert!(ran.stderr.contains("still runs 'tools/refdesk hook codex'"), "{ran}");
    }
    // This program by its path, and a path that does not exist.
    for program in [PROGRAM, "/gone/refdesk"] {
        world.put(
            ".mcp.json",
            json!({"mcpServers": {"refdesk": {"command": program, "args": ["mcp"]}}}).to_string().as_bytes(),
        );
        world.put(SETTINGS, b"{}");
        assert_eq!(world.json(&["disconnect", "claude-code", "--yes"], 0)["status"], "disconnected");
        assert!(!world.read(".mcp.json").contains("refdesk"));
    }
}

#[test]
fn handwritten_entries_are_restored_byte_for_byte() {
    for (agent, file, before) in [
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\":{\"refdesk\":{\"command\":\"/opt/refdesk\",\"args\":[\"mcp\"]}}}\n",
        ),
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\":{\"refdesk\":{\"command\":\"refdesk\",\"args\":[\"mcp\"],\"env\":{\"A\":\"b\"}}}}\n",
        ),
        (
            "claude-code",
            ".mcp.json",
            "{\"mcpServers\":{\"refdesk\":{\"command\":\"refdesk\",\"args\":[\"--desk\",\"S3CRET\",\"mcp\"]}}}\n",
        ),
        (
            "claude-code",
            SETTINGS,
            "{\"hooks\":{\"UserPromptSubmit\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"T=S3CRET refdesk hook claude-code\",\"timeout\":99}]}]}}\n",
        ),
        (
            "codex",
            ".codex/config.toml",
            "model = \"x\"\n\n[mcp_servers.refdesk]\ncommand = \"/opt/refdesk\" # mine\nargs = [\"mcp\"]\n",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\"mcpServers\":{\"refdesk\":{\"command\":\"/opt/refdesk\",\"args\":[\"mcp\"]}},\"hooks\":{\"BeforeAgent\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"/opt/refdesk hook gemini-cli\"}]}]}}\n",
        ),
        (
            "vscode",
            ".vscode/mcp.json",
            "{\"servers\":{\"refdesk\":{\"command\":\"/opt/refdesk\",\"args\":[\"mcp\"]}}}\n",
        ),
        (
            "opencode",
            "opencode.json",
            "{\"mcp\":{\"refdesk\":{\"type\":\"local\",\"command\":[\"/opt/refdesk\",\"mcp\"]}}}\n",
        ),
    ] {
        let world = tagged();
        world.put(file, before.as_bytes());
        let listed = listing(&world);
        let ran = world.run(&["connect", agent, "--yes"]);
        // An entry with other keys is refused, so there is nothing to undo.
        assert_eq!(ran.code, i32::from(before.contains("env")), "{ran}");
        let ran = world.run(&["disconnect", agent, "--yes"]).exits(0);
        assert_eq!((world.read(file).as_str(), listing(&world)), (before, listed), "{ran}");
        assert!(ran.stderr.contains(&format!("{file} still runs '")) && !ran.stderr.contains("S3CRET"), "{ran}");
        let journal = world.run(&["journal", "--format", "json"]).exits(0);
        assert!(!journal.text().contains("S3CRET"), "{journal}");
    }
}
