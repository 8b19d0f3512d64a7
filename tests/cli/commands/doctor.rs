//! End-to-end tests of `refdesk doctor`: it reports what works, what does not and how to fix it, and changes nothing.

use std::fs;

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use super::tagged;
use crate::support::program::{PROGRAM, run};
use crate::support::workspace::Workspace;

/// The printed checks with this level.
fn with_level(answer: &Value, level: &str) -> Vec<String> {
    let checks = answer["checks"].as_array().unwrap_or_else(|| panic!("{answer:#}"));
    let of = |check: &&Value| check["level"] == level;
    let line = |check: &Value| format!("{}: {}", check["name"].as_str().unwrap(), check["text"].as_str().unwrap());
    checks.iter().filter(of).map(line).collect()
}

#[test]
fn an_index_that_is_not_ours_is_reported_once() {
    let world = tagged();
    world.run(&["index", "--words-only"]).exits(0);
    world.put(".jaato/refdesk/index.json", b"{}");
    let shown = world.run(&["doctor"]).exits(1);
    assert!(shown.text().contains("wrong  search index: .jaato/refdesk/index.db is not used"), "{shown}");
    assert_eq!(shown.stderr, "");
    assert_eq!(world.json(&["doctor"], 1)["error"]["code"], "index-foreign");
    let outside = tempfile::tempdir().unwrap();
    fs::remove_file(world.path.join(".jaato/refdesk/index.db")).unwrap();
    std::os::unix::fs::symlink(outside.path().join("x"), world.path.join(".jaato/refdesk/index.db")).unwrap();
    let ran = world.run(&["index", "--words-only"]).exits(0);
    assert!(ran.to_string().contains(".jaato/refdesk/index.db.aside"), "{ran}");
}

/// A repository can contain a link in place of an agent's settings, whose target `doctor` would print.
#[test]
fn settings_behind_a_link_that_leads_out_are_not_read() {
    let settings = json!({"hooks": {"Stop": [{"hooks": [
        {"type": "command", "command": "SECRET-program --for refdesk hook claude-code"}
    ]}]}});
    for (link, target) in [(".claude", "private"), (".claude/settings.json", "private/settings.json")] {
        let world = tagged();
        write_atomic(&world.beside("private/settings.json"), settings.to_string().as_bytes()).unwrap();
        write_atomic(&world.beside("private/settings.local.json"), br#"{"disableAllHooks": true}"#).unwrap();
        fs::create_dir_all(world.path.join(link).parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(world.beside(target), world.path.join(link)).unwrap();
        let shown = world.run(&["doctor"]).exits(0);
        assert!(!shown.text().contains("SECRET"), "{shown}");
        let said = "note   agent: Claude Code, this workspace: a link leads from .claude/settings.json out of the workspace, to";
        assert!(shown.text().contains(said) && shown.text().contains("it was not read"), "{shown}");
        let refused = world.run(&["connect", "claude-code", "--yes"]).exits(1);
        assert!(refused.stderr.contains("out of the workspace"), "{refused}");
    }
    // A link that stays inside is followed, as in `connect`.
    let world = tagged();
    world.put("shared/settings.json", settings.to_string().as_bytes());
    std::os::unix::fs::symlink("shared", world.path.join(".claude")).unwrap();
    let shown = world.run(&["doctor"]);
    assert!(shown.text().contains("SECRET"), "{shown}");
}

#[test]
fn a_working_connection_is_proven_and_nothing_changes() {
    let world = tagged();
    for words in [&["codex"][..], &["claude-code", "vscode"], &["goose", "cursor", "--user"]] {
        world.run(&[&["connect", "--yes"], words].concat()).exits(0);
    }
    let before = world.listing();
    let answer = world.json(&["doctor"], 0);
    assert_eq!((&answer["ok"], with_level(&answer, "wrong").as_slice()), (&json!(true), &[][..]), "{answer:#}");
    let agents = answer["agents"].as_array().unwrap();
    let reported: Vec<_> =
        agents.iter().map(|it| (&it["agent"], &it["scope"], &it["hooks"], &it["mcp"], &it["ok"])).collect();
    let expected = [
        ("claude-code", "project", true),
        ("codex", "project", true),
        ("cursor", "user", true),
        ("vscode", "project", false),
        ("goose", "user", false),
    ];
    for ((agent, scope, hooks, mcp, ok), expected) in reported.iter().zip(expected) {
        assert_eq!(
            (agent.as_str(), scope.as_str(), hooks.as_bool()),
            (Some(expected.0), Some(expected.1), Some(expected.2))
        );
        assert_eq!((mcp.as_bool(), ok.as_bool()), (Some(true), Some(true)));
    }
    assert_eq!(reported.len(), expected.len());
    assert_eq!(agents[0]["canary"].as_array().unwrap().len(), 4);
    let shown = world.run(&["doctor"]).exits(0);
    assert!(
        shown.text().contains("ok     agent: Claude Code, this workspace: hooks and server answer (the slowest in ")
    );
    assert!(shown.text().contains("ok     catalog: 1 source, 0 errors, 0 warnings\n"), "{shown}");
    assert!(shown.text().contains("note   search index: none; "), "{shown}");
    assert_eq!(shown.stderr, "");
    assert_eq!(world.listing(), before);
    // The report names no home folder, so it can be pasted into a bug report.
    let home = world.beside("home");
    assert!(!shown.text().contains(home.to_str().unwrap()) && shown.text().contains("ok     state: ~/"), "{shown}");
}

#[test]
fn a_link_to_the_program_is_named_as_it_is_on_path() {
    let world = tagged();
    let folder = world.beside("bin");
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(PROGRAM, folder.join("refdesk")).unwrap();
    let answer = run(world.command(&["--format", "json", "doctor"]).env("PATH", &folder), None).json();
    let expected = format!("program: {} is on PATH", folder.join("refdesk").display());
    assert!(with_level(&answer, "ok").contains(&expected), "{answer:#}");
}

#[test]
fn a_broken_connection_is_wrong() {
    let world = tagged();
    world.run(&["connect", "claude-code", "--user", "--yes"]).exits(0);
    let settings = world.beside("home/.claude/settings.json");
    let text = fs::read_to_string(&settings).unwrap().replace("\"refdesk hook", "\"/opt/gone/refdesk hook");
    write_atomic(&settings, text.as_bytes()).unwrap();
    let answer = world.json(&["doctor"], 1);
    let expected = "agent: Claude Code, your settings: hook, start of a session: '/opt/gone/refdesk' is not found";
    assert_eq!((with_level(&answer, "wrong"), &answer["ok"]), (vec![expected.to_owned()], &json!(false)));
    let shown = world.run(&["doctor"]).exits(1);
    assert!(shown.text().contains(&format!("wrong  {expected}\n       fix: ")), "{shown}");
    // Connecting again fixes it.
    world.run(&["connect", "claude-code", "--user", "--yes"]).exits(0);
    world.run(&["doctor"]).exits(0);
    // Without the program on `PATH`, a bare name starts nothing.
    world.run(&["connect", "codex", "--yes"]).exits(0);
    let mut command = world.command(&["--format", "json", "doctor"]);
    let answer = run(command.env("PATH", world.beside("tmp")), None).exits(1).json();
    assert!(with_level(&answer, "note").contains(&"program: refdesk is not on PATH".to_owned()));
    assert!(with_level(&answer, "wrong").iter().any(|line| line.starts_with("agent: Codex, this workspace: ")));
}

#[test]
fn commands_from_a_repository_run_only_if_connect_would_write_them() {
    let world = tagged();
    let mark = world.beside("tmp/ran");
    let program = world.path.join("tools/refdesk");
    write_atomic(&program, format!("#!/bin/sh\ntouch {}\n", mark.display()).as_bytes()).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    let hook = world.read(".claude/settings.json");
    for (command, reported) in [
        ("tools/refdesk hook claude-code --mcp", "'tools/refdesk hook claude-code --mcp'"),
        ("LD_PRELOAD=tools/x.so refdesk hook claude-code --mcp", "'LD_PRELOAD=… refdesk hook claude-code --mcp'"),
    ] {
        world.put(".claude/settings.json", hook.replace("refdesk hook claude-code --mcp", command).as_bytes());
        let answer = world.json(&["doctor"], 1);
        let wrong = with_level(&answer, "wrong").concat();
        assert!(wrong.contains(reported) && wrong.contains("which was not tested"), "{wrong}");
    }
    world.put(".claude/settings.json", hook.as_bytes());
    world.put(".mcp.json", br#"{"mcpServers": {"refdesk": {"command": "tools/refdesk", "args": ["mcp"]}}}"#);
    let wrong = with_level(&world.json(&["doctor"], 1), "wrong").concat();
    assert!(wrong.contains("start 'tools/refdesk mcp', which was not tested"), "{wrong}");
    // Connecting replaces the command without running it.
    assert_eq!(world.json(&["connect", "claude-code", "--yes"], 0)["mcp"]["command"], json!(["refdesk", "mcp"]));
    assert!(!mark.exists());
}

#[test]
fn the_report_contains_no_secrets() {
    let world = tagged();
    let (secret, settings, codex) = ("S3CRET", ".claude/settings.json", ".codex/config.toml");
    for words in [&["claude-code", "codex"][..], &["claude-code", "--user"]] {
        world.run(&[&["connect", "--yes"], words].concat()).exits(0);
    }
    let of_user = world.beside("home/.claude.json");
    let edits = [
        (
            world.path.join("references.json"),
            "\"sources\"",
            "\"index\": {\"url\": \"postgres://u:S3CRET@127.0.0.1:1/x\"}, \"sources\"",
        ),
        (
            world.path.join(".jaato/databases.yaml"),
            "",
            "databases: [{name: d, type: postgres, connection: {host: h, password: S3CRET}}]\n",
        ),
        (world.path.join(settings), "\"refdesk hook", "\"API_TOKEN=S3CRET refdesk hook"),
        (world.path.join(".mcp.json"), "\"mcp\"", "\"mcp\", \"--token\", \"S3CRET\""),
        (world.path.join(codex), "[mcp_servers.refdesk]", "token = \"S3CRET\" S3CRET\n[mcp_servers.refdesk]"),
        (of_user, "\"mcp\"", "\"mcp\", \"S3CRET\""),
    ];
    for (file, from, to) in edits {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let changed = if from.is_empty() { to.to_owned() } else { text.replace(from, to) };
        assert_ne!(text, changed, "{}", file.display());
        write_atomic(&file, changed.as_bytes()).unwrap();
    }
    for format in ["text", "json"] {
        let mut command = world.command(&["--format", format, "doctor"]);
        for name in ["GITHUB_TOKEN", "OPENAI_API_KEY", "HTTPS_PROXY"] {
            command.env(name, format!("http://me:{secret}@proxy.example"));
        }
        let ran = run(&mut command, None).exits(1);
        let reported = format!("{}{}", ran.text(), ran.stderr);
        assert!(!reported.contains(secret), "{reported}");
        for part in ["API_TOKEN=…", "mcp --token …", codex, "databases", "may be private"] {
            assert!(reported.contains(part), "{part}: {reported}");
        }
    }
}

#[test]
fn entries_that_connect_would_not_write_are_wrong_and_not_run() {
    let world = tagged();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    let (hooks, server) = (world.read(".claude/settings.json"), world.read(".mcp.json"));
    for (file, from, to, reported, fix) in [
        (
            ".mcp.json",
            "\"command\"",
            "\"env\": {\"PATH\": \"/nowhere\"}, \"command\"",
            ".mcp.json: 'mcpServers.refdesk' has `env`, which connect does not write, so the agent would not run the \
             server as it is tried out here",
            "remove that key",
        ),
        (
            ".mcp.json",
            "\"command\"",
            "\"disabled\": true, \"command\"",
            ".mcp.json: 'mcpServers.refdesk' is switched off: `disabled` is true",
            "switch it on, or remove it",
        ),
        (
            ".claude/settings.json",
            "\"timeout\"",
            "\"async\": true, \"timeout\"",
            ".claude/settings.json: a hook of refdesk has `async`, which connect does not write, so it would not run \
             as it is tried out here",
            "`refdesk connect claude-code` replaces it",
        ),
    ] {
        let (text, step) = if file == ".mcp.json" { (&server, "initialize") } else { (&hooks, "session_start") };
        world.put(file, text.replace(from, to).as_bytes());
        let answer = world.json(&["doctor"], 1);
        assert_eq!(with_level(&answer, "wrong"), [format!("agent: Claude Code, this workspace: {reported}")]);
        let shown = world.run(&["doctor"]).exits(1);
        assert!(shown.text().contains(&format!("       fix: {fix}\n")), "{shown}");
        let ran = answer["agents"][0]["canary"].as_array().unwrap();
        assert!(!ran.is_empty() && ran.iter().all(|it| it["step"] != step), "{answer:#}");
        world.put(file, text.as_bytes());
    }
    world.run(&["doctor"]).exits(0);
}

#[test]
fn hooks_whose_hints_name_a_missing_server_are_wrong() {
    let world = tagged();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    fs::remove_file(world.path.join(".mcp.json")).unwrap();
    fs::remove_file(world.path.join(".jaato/refdesk/connected/claude-code-mcp.json")).unwrap();
    let wrong = with_level(&world.json(&["doctor"], 1), "wrong").concat();
    assert!(wrong.contains("hints name the tools of the server, which is not connected"), "{wrong}");
    world.put(".mcp.json", b"{\n  \"mcpServers\": {\"refdesk\": }\n}\n");
    let wrong = with_level(&world.json(&["doctor"], 1), "wrong").concat();
    assert!(wrong.contains("Claude Code, this workspace: .mcp.json:2:"), "{wrong}");
}

/// A manual edit of what `connect` wrote: a text and its replacement, or `None` to remove the file.
type HandEdit = (&'static str, Option<(&'static str, &'static str)>);

#[test]
fn entries_removed_or_changed_by_a_person_are_reported() {
    let (claude, mcp) = (".claude/settings.json", ".mcp.json");
    let not_called = "refdesk is not called for";
    let gone = "no longer there";
    for (words, edits, expected) in [
        (
            &["claude-code"][..],
            &[(claude, Some(("UserPromptSubmit", "UserPromptSubmitt")))] as &[HandEdit],
            &[format!("{claude}: {not_called} UserPromptSubmit")][..],
        ),
        (
            &["claude-code"],
            &[(claude, Some(("^(Read|Grep|Bash|WebFetch|WebSearch|mcp__.*)$", "^Nope$")))],
            &[format!(
                "{claude}: the hook for PostToolUse is called for none of the tools whose results refdesk reads"
            )],
        ),
        (&["claude-code"], &[(claude, None)], &[format!("{claude}: the hooks that connect wrote are {gone}")]),
        (
            &["claude-code"],
            &[(claude, Some(("refdesk hook", "refdsk hook")))],
            &[format!("{claude}: the hooks that connect wrote are {gone}")],
        ),
        (
            &["claude-code"],
            &[(claude, None), (mcp, None)],
            &[
                format!("{claude}: the hooks that connect wrote are {gone}"),
                format!("{mcp}: the server that connect wrote is {gone}"),
            ],
        ),
        (
            &["claude-code"],
            &[(mcp, Some(("refdesk", "rfdesk")))],
            &[format!("{mcp}: the server that connect wrote is {gone}")],
        ),
        (
            &["codex", "--user"],
            &[("~/.codex/hooks.json", None), ("~/.codex/config.toml", None)],
            &[
                format!("~/.codex/hooks.json: the hooks that connect wrote are {gone}"),
                format!("~/.codex/config.toml: the server that connect wrote is {gone}"),
            ],
        ),
        (
            &["gemini-cli"],
            &[(".gemini/settings.json", Some(("BeforeAgent", "BeforeAgents")))],
            &[format!(".gemini/settings.json: {not_called} BeforeAgent")],
        ),
    ] {
        let world = tagged();
        let path = |file: &str| match file.strip_prefix("~/") {
            Some(inside) => world.beside("home").join(inside),
            None => world.path.join(file),
        };
        let make_edits = || {
            for (file, edit) in edits {
                let path = path(file);
                match edit {
                    Some((from, to)) => {
                        let text = fs::read_to_string(&path).unwrap();
                        assert!(text.contains(from), "{text}");
                        write_atomic(&path, text.replace(from, to).as_bytes()).unwrap();
                    }
                    None => fs::remove_file(&path).unwrap(),
                }
            }
        };
        let connect = [&["connect", "--yes"], words].concat();
        world.run(&connect).exits(0);
        make_edits();
        let answer = world.json(&["doctor"], 1);
        let wrong = with_level(&answer, "wrong");
        let ends =
            |line: &String| line.split_once(": ").and_then(|(_, line)| line.split_once(": ")).unwrap().1.to_owned();
        assert_eq!(wrong.iter().map(ends).collect::<Vec<_>>(), expected, "{answer:#}");
        assert_eq!(answer["agents"][0]["ok"], json!(false), "{answer:#}");
        // Either connecting again or disconnecting fixes it, as the advice says.
        let shown = world.run(&["doctor"]).exits(1);
        assert!(shown.text().contains(&format!("fix: `refdesk connect {}` restores", words.join(" "))), "{shown}");
        world.run(&connect).exits(0);
        world.run(&["doctor"]).exits(0);
        make_edits();
        world.run(&[&["disconnect", "--yes"], words].concat()).exits(0);
        world.run(&["doctor"]).exits(0);
    }
}

#[test]
fn adapted_entries_are_not_wrong() {
    let world = tagged();
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    let text = world.read(".claude/settings.json");
    for (from, to, note) in [
        ("\"timeout\": 10", "\"timeout\": 30", false),
        ("^(Read|", "^(Edit|Read|", false),
        ("^(Read|Grep|", "^(", true),
    ] {
        world.put(".claude/settings.json", text.replace(from, to).as_bytes());
        let answer = world.json(&["doctor"], 0);
        let reported = with_level(&answer, "note").concat();
        assert_eq!(reported.contains("the hook for PostToolUse is called less often"), note, "{reported}");
    }
    // Connecting only the hooks or only the server is not a gap.
    for option in ["--hooks-only", "--mcp-only"] {
        let world = tagged();
        world.run(&["connect", "claude-code", "--yes", option]).exits(0);
        world.run(&["doctor"]).exits(0);
    }
}

#[test]
fn the_rest_of_the_report() {
    let world = Workspace::new();
    let answer = world.json(&["doctor"], 0);
    let notes = with_level(&answer, "note").join("\n");
    for note in ["catalog: it is empty", "agents: none is connected", "search index: none"] {
        assert!(notes.contains(note), "{notes}");
    }
    world.put("references.json", b"{");
    let answer = world.json(&["doctor"], 1);
    let wrong = with_level(&answer, "wrong");
    assert_eq!(wrong.first().unwrap(), "configuration: references.json:1:1: not valid JSON: an object is not closed");
    assert!(wrong.concat().contains("catalog: 0 sources, 1 error"), "{answer:#}");
    let nowhere = Workspace::new();
    let answer = run(&mut nowhere.bare(&["--format", "json", "doctor"]), None).exits(0).json();
    assert!(with_level(&answer, "note").concat().contains("no workspace was found"), "{answer:#}");
    assert!(answer.to_string().contains("`refdesk init` finds the documents in this folder"), "{answer:#}");
    assert_eq!(nowhere.listing(), []);
    // Nothing advises making a catalog of the home folder.
    let mut home = nowhere.bare(&["doctor"]);
    let ran = run(home.current_dir(nowhere.beside("home")), None).exits(0);
    assert!(ran.text().contains("note   catalog: this folder has no catalog\n"), "{ran}");
    assert!(ran.text().contains("fix: change to the folder of a project, or name one with --workspace"), "{ran}");
    assert!(!ran.text().contains("init"), "{ran}");
    fs::create_dir(nowhere.beside("home/.git")).unwrap();
    let ran = run(nowhere.bare(&["doctor"]).current_dir(nowhere.beside("home")), None).exits(0);
    assert!(ran.text().contains("note   catalog: this folder has no catalog\n"), "{ran}");
}

#[test]
fn a_state_folder_that_cannot_be_made_is_wrong() {
    let world = tagged();
    write_atomic(&world.beside("home/.local"), b"in the way").unwrap();
    let answer = world.json(&["doctor"], 1);
    let wrong = with_level(&answer, "wrong").concat();
    assert!(
        wrong.contains("state: ~/.local/state/refdesk cannot be created, because ~/.local is not a folder"),
        "{wrong}"
    );
    let mut command = world.command(&["doctor"]);
    let ran = run(command.env("XDG_STATE_HOME", world.beside("tmp")), None).exits(0);
    assert!(ran.text().contains("ok     state: "), "{ran}");
    // A key inside the workspace could have come with the repository.
    let mut command = world.command(&["doctor"]);
    let ran = run(command.env("XDG_STATE_HOME", world.path.join("state")), None).exits(1);
    assert!(ran.text().contains("wrong  state: ") && ran.text().contains("is in the workspace"), "{ran}");
    // A relative home would mean a different folder in each working directory.
    let mut command = world.command(&["doctor"]);
    let ran = run(command.env("HOME", "relative").env_remove("XDG_STATE_HOME"), None).exits(0);
    assert!(ran.text().contains("no home folder is known"), "{ran}");
    assert!(!world.path.join("relative").exists());
}

#[test]
fn an_interrupted_trial_ends_its_child_processes() {
    use rustix::process::{Pid, Signal, kill_process};
    let world = tagged();
    world.run(&["connect", "codex", "--user", "--yes"]).exits(0);
    let (begun, pipe) = (world.beside("tmp/begun"), world.beside("tmp/pipe"));
    for fifo in [&begun, &pipe] {
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
    }
    let program = world.beside("tmp/refdesk");
    let script =
        format!("#!/bin/sh\nexec 3> {}\ntail -f /dev/null &\necho > {}\nwait\n", pipe.display(), begun.display());
    write_atomic(&program, script.as_bytes()).unwrap();
    fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = world.beside("home/.codex/hooks.json");
    let text =
        fs::read_to_string(&settings).unwrap().replace("\"refdesk hook", &format!("\"{} hook", program.display()));
    write_atomic(&settings, text.as_bytes()).unwrap();
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let mut doctor = world.command(&["doctor"]).stdout(std::process::Stdio::null()).spawn().unwrap();
    fs::read_to_string(begun).unwrap();
    kill_process(Pid::from_child(&doctor), Signal::INT).unwrap();
    let status = doctor.wait().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "{status}");
    // The read ends when no process has the pipe open.
    assert_eq!(reader.join().unwrap(), "");
}

#[test]
fn an_unusable_folder_of_refdesk_in_the_workspace_is_wrong() {
    let world = tagged();
    assert_eq!(with_level(&world.json(&["doctor"], 0), "wrong"), [""; 0]);
    write_atomic(&world.path.join(".jaato/refdesk"), b"").unwrap();
    let report = world.json(&["doctor"], 1);
    let wrong = with_level(&report, "wrong");
    assert!(
        wrong.len() == 1 && wrong[0].starts_with("workspace: ") && wrong[0].contains("is not a folder"),
        "{wrong:?}"
    );
}

#[test]
fn a_missing_program_in_user_settings_is_fixed_by_connecting_again() {
    let world = tagged();
    let settings = "[mcp_servers.refdesk]\ncommand = \"/opt/refdesk\"\nargs = [\"mcp\"]\n";
    write_atomic(&world.beside("home/.codex/config.toml"), settings.as_bytes()).unwrap();
    let report = world.json(&["doctor"], 1);
    let checks = report["checks"].as_array().unwrap();
    let wrong: Vec<_> = checks.iter().filter(|check| check["level"] == "wrong").collect();
    assert_eq!(wrong.len(), 1, "{report:#}");
    assert_eq!(wrong[0]["fix"], "`refdesk connect codex --user` writes the path of this program", "{report:#}");
}

/// Its documents cannot be indexed, so no command may say that `refdesk index` does it.
#[test]
#[cfg(target_os = "linux")]
fn a_workspace_whose_path_is_not_utf_8_is_reported_by_every_command_about_the_index() {
    use std::os::unix::ffi::OsStrExt;
    let world = tagged();
    let odd = world.beside("").join(std::ffi::OsStr::from_bytes(b"w\xff"));
    fs::create_dir_all(odd.join(".jaato")).unwrap();
    fs::create_dir(odd.join("docs")).unwrap();
    write_atomic(&odd.join("docs/retry.md"), b"# Retry\n\nWait, then try again.\n").unwrap();
    let ran = |words: &[&str]| run(world.bare(&["--workspace"]).arg(&odd).args(words).current_dir(&odd), None);
    let made = ran(&["init", "--yes"]).exits(0);
    assert!(made.text().ends_with("\nNext: `refdesk connect` connects your agents.\n"), "{made}");
    for words in [&["index"][..], &["search", "retry"], &["doctor"]] {
        let refused = ran(words).exits(1);
        let all = refused.to_string();
        assert!(all.contains("the path of the workspace is not UTF-8") && all.contains("rename the folder"), "{all}");
        assert!(!all.contains("refdesk index"), "{all}");
    }
}
