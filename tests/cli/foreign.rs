//! State files from a repository, another user, another workspace or an older version: only their picks and exclusions
//! are used, they are set aside with one diagnostic, and read-only commands write nothing. Also, refdesk's own state is
//! readable by the user only.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use refdesk_files::name::sha256_hex;
use refdesk_files::write_atomic;
use serde_json::{Value, json};

use crate::support::program::{PROGRAM, ProgramRun, run};
use crate::support::workspace::{STATE, Workspace, inline};

/// Part of the one diagnostic that every command prints about all foreign files.
const TOLD: &str = "not written by refdesk on this machine";

/// Part of what is said about a foreign record of a write: the state of its files is unknown, and no pick corrects it.
const UNFINISHED: &str = "this record of an interrupted write was made in another folder or on another machine";

const OWN: &str = ".jaato/refdesk";

fn world() -> Workspace {
    let mut web = inline("web", "All about the web.");
    web["tags"] = json!(["web"]);
    let text = "# Kit\n\n## Service\n\n```java\nclass {{Name}} {}\n```\n";
    Workspace::of(
        json!([inline("a", "Nothing."), web, {"id": "kit", "name": "Kit", "path": "kit.md"}]),
        &[("kit.md", text)],
    )
}

/// A document that an agent sends to its hook.
fn document(world: &Workspace, event: &str) -> String {
    let mut document =
        json!({"session_id": "s", "cwd": world.path, "hook_event_name": event, "prompt": "the web @kit"});
    document["tool_name"] = json!("Read");
    document["tool_input"] = json!({"file_path": "kit.md"});
    document["tool_response"] = json!({"content": "the web\n```java\nclass {{Other}} {}\n```\n"});
    document.to_string()
}

/// The requests of an MCP client.
fn calls() -> String {
    let call = |id: u32, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let initialize = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                            "clientInfo": {"name": "test", "version": "1"}});
    [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": initialize}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        call(1, "listReferences", json!({})),
        call(2, "selectReferences", json!({"ids": ["a"]})),
    ]
    .map(|message| format!("{message}\n"))
    .concat()
}

/// Runs everything that reads state and may write, each in a new workspace made hostile by `prepare`.
fn every_reader(prepare: impl Fn(&Workspace), mut look: impl FnMut(&Workspace, &ProgramRun)) {
    type Act = fn(&Workspace) -> ProgramRun;
    let acts: [Act; 9] = [
        |world| world.run(&["select", "a"]),
        |world| world.run(&["unselect", "kit"]),
        |world| world.run(&["clear", "--all"]),
        |world| world.run(&["templates", "extract"]),
        |world| world.run(&["render", "--inline", "x", "--output", "out.txt", "--yes"]),
        |world| world.feed(&["hook", "claude-code"], document(world, "UserPromptSubmit").as_bytes()),
        |world| world.feed(&["hook", "claude-code"], document(world, "PostToolUse").as_bytes()),
        |world| world.feed(&["enrich", "--kind", "tool_result", "--tool", "Read"], b"```java\nclass {{X}} {}\n```\n"),
        |world| world.feed(&["mcp"], calls().as_bytes()),
    ];
    for act in acts {
        let world = world();
        prepare(&world);
        look(&world, &act(&world));
    }
}

fn outside(world: &Workspace, name: &str, text: &str) -> PathBuf {
    let path = world.beside(name);
    write_atomic(&path, text.as_bytes()).unwrap();
    path
}

#[test]
fn a_foreign_record_of_templates_deletes_nothing() {
    for text in ["precious", ""] {
        let prepare = |world: &Workspace| {
            let victims = [
                outside(world, "victim", text).display().to_string(),
                "../../../victim".to_owned(),
                "../references/person.json".to_owned(),
                "person.tmpl".to_owned(),
                "overrides.json".to_owned(),
            ];
            world.put(".jaato/references/person.json", text.as_bytes());
            for name in ["person.tmpl", "overrides.json"] {
                world.put(&format!(".jaato/templates/{name}"), text.as_bytes());
            }
            let entry = json!({"sha256": [sha256_hex(text.as_bytes())], "desks": ["default"]});
            let taken = json!({"sha256": [sha256_hex(text.as_bytes())], "by_tool": true});
            let mut files: serde_json::Map<String, Value> =
                victims.iter().map(|name| (name.clone(), entry.clone())).collect();
            files.insert("old.tmpl".to_owned(), taken);
            world.put(".jaato/templates/old.tmpl", text.as_bytes());
            let old = fs::File::options().append(true).open(world.path.join(".jaato/templates/old.tmpl")).unwrap();
            old.set_modified(std::time::UNIX_EPOCH).unwrap();
            world.put(".jaato/refdesk/templates.json", json!({"files": files}).to_string().as_bytes());
            // A legitimate reason to remove the files: nothing selected provides them.
            world.put(".jaato/refdesk/selection.json", br#"{"picks": ["kit"], "exclusions": []}"#);
        };
        every_reader(prepare, |world, ran| {
            for path in ["../victim", ".jaato/references/person.json", ".jaato/templates/person.tmpl"] {
                assert_eq!(fs::read_to_string(world.path.join(path)).ok().as_deref(), Some(text), "{path}: {ran}");
            }
            for name in ["overrides.json", "old.tmpl"] {
                assert_eq!(world.read(&format!(".jaato/templates/{name}")), text, "{ran}");
            }
        });
    }
}

#[test]
fn a_foreign_write_record_renames_and_removes_nothing() {
    let file = |text: &str| json!({"file": {"size": text.len(), "hash": sha256_hex(text.as_bytes())}});
    let prepare = |world: &Workspace| {
        let base = world.path.parent().unwrap();
        let mut steps = Vec::new();
        for folder in [base.to_path_buf(), world.path.join("src"), world.path.clone()] {
            fs::create_dir_all(&folder).unwrap();
            for (name, staged, old) in [("bashrc", ".refdesk-a.tmp", ".refdesk-b.tmp"), ("new", ".refdesk-c.tmp", "")] {
                let at = |name: &str| folder.join(name);
                write_atomic(&at(staged), b"evil").unwrap();
                let mut step = json!({"path": at(name), "shown": name, "staged": at(staged), "old": null,
                                      "before": "nothing", "after": file("evil")});
                if !old.is_empty() {
                    write_atomic(&at(name), b"mine").unwrap();
                    write_atomic(&at(old), b"mine").unwrap();
                    (step["old"], step["before"]) = (json!(at(old)), file("mine"));
                }
                steps.push(step);
            }
        }
        // One file is already in place, so only the rest seems to be left to do.
        write_atomic(&world.path.join("made"), b"evil").unwrap();
        write_atomic(&world.path.join(".refdesk-d.tmp"), b"evil").unwrap();
        steps.insert(
            0,
            json!({"path": world.path.join("made"), "shown": "made", "staged": world.path.join(".refdesk-d.tmp"),
                               "old": null, "before": "nothing", "after": file("evil")}),
        );
        let note = json!({"files": steps, "folders": [world.path.join("src")]});
        world.put(".jaato/refdesk/write.json", note.to_string().as_bytes());
    };
    every_reader(prepare, |world, ran| {
        for folder in [world.path.parent().unwrap().to_path_buf(), world.path.join("src"), world.path.clone()] {
            assert_eq!(fs::read_to_string(folder.join("bashrc")).unwrap(), "mine", "{ran}");
            assert!(!folder.join("new").exists(), "{ran}");
        }
        assert_eq!(world.read("made"), "evil", "not taken back either: {ran}");
    });
}

#[test]
fn foreign_state_is_set_aside_by_the_next_write_and_reported_once() {
    let world = world();
    world.put(".jaato/refdesk/selection.json", br#"{"picks": ["web"], "exclusions": ["kit"], "by": "evil"}"#);
    world.put(".jaato/refdesk/templates.json", br#"{"files": {}}"#);
    world.put(".jaato/refdesk/write.json", br#"{"files": [], "folders": []}"#);
    let line = json!({"n": 7, "time": "2026-01-01T00:00:00.000Z", "desk": "default", "session": "default",
                      "who": "evil", "what": "selected", "about": ["web"]});
    for name in ["journal.jsonl", "journal.1.jsonl"] {
        world.put(&format!("{OWN}/{name}"), format!("{line}\n").as_bytes());
    }
    let before = world.listing();
    for words in [&["list"][..], &["resolve", "a"], &["check"], &["why", "web"], &["instructions"], &["journal"]] {
        let ran = world.run(words);
        assert!(!format!("{ran}").contains("evil"), "{ran}");
        let reported = format!("{}{}", ran.stderr, ran.text());
        assert_eq!(reported.matches(TOLD).count(), 1, "{ran}");
        assert!(reported.contains("selection.json (only its picks and exclusions count)"), "{ran}");
        assert_eq!(reported.contains(UNFINISHED), words == ["check"], "{ran}");
    }
    let ran = world.feed(&["enrich", "--dry-run"], b"the web").exits(0);
    assert_eq!(ran.stderr.matches(TOLD).count(), 1, "{ran}");
    assert!(world.listing() == before, "a read-only command wrote a file");
    let listed = world.json(&["list", "--selected"], 0);
    assert_eq!(listed["sources"][0]["id"], "web");
    let ran = world.run(&["select", "a"]).exits(0);
    assert_eq!((ran.stderr.matches(TOLD).count(), ran.stderr.matches(UNFINISHED).count()), (1, 1), "{ran}");
    assert!(ran.stderr.contains("/write.json.foreign-") && !ran.stderr.contains("write.json ("), "{ran}");
    assert_eq!(world.picks(), ["web", "a"]);
    assert_eq!(read_json(&world, "selection.json")["exclusions"], json!(["kit"]));
    let aside = set_aside(&world);
    let names = ["journal.1.jsonl", "journal.jsonl", "selection.json", "templates.json", "write.json"];
    assert_eq!(aside.iter().map(|name| name.split(".foreign-").next().unwrap()).collect::<Vec<_>>(), names);
    // Every byte of the foreign files is kept.
    for (path, bytes) in before.iter().filter(|(path, _)| path.starts_with(world.path.join(OWN))) {
        assert!(world.listing().iter().any(|(_, kept)| kept == bytes), "{}", path.display());
    }
    for words in [&["list"][..], &["select", "a"], &["journal"]] {
        let ran = world.run(words).exits(0);
        assert!(!ran.stderr.contains(TOLD) && !ran.stderr.contains(UNFINISHED), "{ran}");
    }
    let journal: Vec<Value> =
        world.run(&["journal"]).text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&journal[0]["n"], &journal[0]["who"]), (&json!(1), &json!("refdesk select")));
}

#[test]
fn a_foreign_session_memory_suppresses_nothing() {
    let own = world();
    let first = own.feed(&["enrich"], b"the web").exits(0);
    assert!(first.text().contains("@web"), "{first}");
    let file = ".jaato/refdesk/sessions/default/told.json";
    let bytes = fs::read(own.path.join(file)).unwrap();
    let mut bare: Value = serde_json::from_slice(&bytes).unwrap();
    bare.as_object_mut().unwrap().shift_remove("seal");
    // Without a seal, with the seal of another workspace, of another session, and of another desk.
    let forged = [
        (file, bare.to_string().into_bytes(), "default"),
        (file, bytes.clone(), "default"),
        (".jaato/refdesk/sessions/other/told.json", bytes.clone(), "other"),
        (".jaato/refdesk/desks/review/sessions/default/told.json", bytes, "default"),
    ];
    for (at, (path, bytes, session)) in forged.into_iter().enumerate() {
        let other = if at == 1 { world() } else { Workspace::new() };
        let world = if at == 1 { &other } else { &own };
        world.put(path, &bytes);
        let desk = if path.contains("review") { "review" } else { "default" };
        // A pick only reads it.
        let pick = world.run(&["--desk", desk, "--session", session, "select", "a"]).exits(0);
        assert!(!pick.stderr.contains("told.json"), "{path}: {pick}");
        let ran = world.feed(&["--desk", desk, "--session", session, "enrich"], b"the web").exits(0);
        assert!(ran.text().contains("@web"), "{path}: {ran}");
        assert_eq!(ran.stderr.matches(TOLD).count(), 1, "{path}: {ran}");
        assert!(ran.stderr.contains("told.json.foreign-"), "{path}: {ran}");
        // From then on the session is remembered.
        let again = world.feed(&["--desk", desk, "--session", session, "enrich"], b"the web").exits(0);
        assert_eq!(again.text(), "the web", "{again}");
    }
}

#[test]
fn a_forged_journal_line_is_ignored() {
    let world = world();
    world.run(&["select", "a"]).exits(0);
    world.run(&["select", "web"]).exits(0);
    let file = format!("{OWN}/journal.jsonl");
    let whole = world.read(&file);
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let forged = lines[0].replacen("refdesk select", "claude-code", 1);
    let (bare, _) = forged.rsplit_once(",\"seal\"").unwrap();
    let text = format!("{}{forged}{bare}}}\n{}", lines[0], lines[1]);
    world.put(&file, text.as_bytes());
    let ran = world.run(&["journal"]).exits(0);
    assert_eq!((ran.text(), ran.stderr.matches(TOLD).count()), (whole.as_str(), 1), "{ran}");
    let picked = world.json(&["why", "a"], 0)["chain"][0]["picked"]["by"].clone();
    assert_eq!(picked, "refdesk select");
    // Our own lines stay, and more are appended.
    world.run(&["select", "kit"]).exits(0);
    assert!(world.read(&file).starts_with(&text));
    let numbers: Vec<Value> =
        world.run(&["journal"]).text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        numbers.iter().map(|line| line["n"].clone()).collect::<Vec<_>>(),
        [json!(1), json!(2), json!(3), json!(4)]
    );
}

#[test]
fn a_copy_of_a_workspace_keeps_only_its_picks() {
    let world = world();
    world.run(&["select", "a", "kit"]).exits(0);
    world.feed(&["enrich"], b"the web").exits(0);
    let makes: [fn(&Path, &Path) -> std::io::Result<()>; 2] = [|from, to| fs::rename(from, to), copy];
    for make in makes {
        let (here, there) = (world.path.clone(), world.beside("there"));
        let _ = fs::remove_dir_all(&there);
        copy(&here, &world.beside("spare")).unwrap();
        make(&here, &there).unwrap();
        let at = |words: &[&str], input: Option<&[u8]>| {
            run(world.bare(&[]).current_dir(&there).arg("--workspace").arg(&there).args(words), input).exits(0)
        };
        let listed = at(&["list", "--selected"], None);
        assert!(listed.text().contains('a') && listed.stderr.contains(TOLD), "{listed}");
        let enriched = at(&["enrich"], Some(b"the web"));
        assert!(enriched.text().contains("@web"), "{enriched}");
        let ran = at(&["unselect", "kit"], None);
        assert_eq!(ran.stderr.matches(TOLD).count(), 1, "{ran}");
        assert!(there.join(".jaato/templates/service.java.tmpl").exists(), "not known for ours any more");
        assert!(!at(&["list"], None).stderr.contains(TOLD));
        let _ = fs::remove_dir_all(&here);
        fs::rename(world.beside("spare"), &here).unwrap();
        fs::remove_dir_all(&there).unwrap();
    }
    assert!(!world.run(&["list"]).exits(0).stderr.contains(TOLD), "in its place it is ours as before");
}

#[test]
fn without_a_folder_for_a_key_only_picks_are_kept_and_that_is_reported() {
    let world = world();
    let with = |words: &[&str], input: Option<&[u8]>| {
        // A state folder inside the workspace could have come with it.
        run(world.command(words).env("XDG_STATE_HOME", world.path.join(".state")), input).exits(0)
    };
    let ran = with(&["select", "a"], None);
    assert!(ran.stderr.contains("is in the workspace") && ran.stderr.contains("XDG_STATE_HOME"), "{ran}");
    assert_eq!(world.picks(), ["a"]);
    let listed = with(&["list", "--selected"], None);
    assert!(listed.text().contains('a') && listed.stderr.is_empty(), "{listed}");
    for _ in 0..2 {
        let ran = with(&["enrich"], Some(b"the web"));
        assert!(ran.text().contains("@web") && ran.stderr.contains("could not be saved"), "{ran}");
    }
    assert!(!world.path.join(".state").exists());
    // A key that came with the workspace does not count either.
    world.put(".state/refdesk/seal.key", &[7; 32]);
    assert!(with(&["select", "web"], None).stderr.contains("is in the workspace"));
}

#[test]
fn where_no_key_can_be_written_a_pick_is_not_called_foreign() {
    let world = world();
    write_atomic(&world.beside("file"), b"x").unwrap();
    let with = |words: &[&str]| run(world.command(words).env("XDG_STATE_HOME", world.beside("file")), None).exits(0);
    assert!(with(&["select", "a"]).stderr.contains("no folder for its key"));
    let listed = with(&["list", "--selected"]);
    assert!(listed.text().contains('a') && listed.stderr.is_empty(), "{listed}");
}

/// Whose files these are cannot be told without the key, and it may come back.
#[test]
fn while_the_key_cannot_be_used_no_state_is_moved_or_replaced() {
    let world = world();
    let enrich = |code: i32| world.feed(&["--session", "s", "enrich"], b"the web @kit").exits(code);
    world.run(&["select", "kit"]).exits(0);
    enrich(0);
    let key = world.beside(STATE).join("seal.key");
    let secret = fs::read(&key).unwrap();
    write_atomic(&key, &[&secret[..], b"x"].concat()).unwrap();
    let before = world.listing();
    let why = format!("refdesk's key {} cannot be used: it is damaged", key.display());
    for (words, code) in [(&["list"][..], 0), (&["select", "a"], 1), (&["check"], 1), (&["clear", "--all"], 1)] {
        let ran = world.run(words).exits(code);
        assert!(ran.stderr.contains(&why) || ran.text().contains(&why), "{words:?}: {ran}");
        assert!(!ran.to_string().contains(TOLD) && ran.to_string().contains("or remove it"), "{words:?}: {ran}");
        assert_eq!(ran.stderr.matches(&why).count() + ran.text().matches(&why).count(), 1, "{words:?}: {ran}");
    }
    let enriched = enrich(0);
    assert!(enriched.stderr.contains(&why), "{enriched}");
    let doctor = world.run(&["doctor"]).exits(1);
    assert!(
        doctor
            .text()
            .contains("wrong  state: refdesk's key ~/.local/state/refdesk/seal.key cannot be used: it is damaged: it does not have 32 bytes\n"),
        "{doctor}"
    );
    assert_eq!(world.listing(), before);
    write_atomic(&key, &secret).unwrap();
    let again = enrich(0);
    assert!(!again.text().contains("kit.md") && again.stderr.is_empty(), "it was sent before: {again}");
    world.run(&["clear", "--all"]).exits(0);
    assert!(!world.listing().iter().any(|(path, _)| path.to_string_lossy().contains(".foreign-")));
}

#[test]
fn only_the_user_can_read_state_files_whatever_the_umask() {
    let world = world();
    // As an older version or a checkout would leave them.
    world.put(".jaato/refdesk/desks/review/x", b"");
    world.put(".jaato/refdesk/lock", b"");
    world.put(".jaato/refdesk/.gitignore", b"!*\n");
    fs::create_dir_all(world.beside(STATE)).unwrap();
    for path in [".jaato/refdesk", ".jaato/refdesk/desks", ".jaato/refdesk/desks/review"] {
        fs::set_permissions(world.path.join(path), fs::Permissions::from_mode(0o777)).unwrap();
    }
    fs::set_permissions(world.path.join(".jaato/refdesk/lock"), fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(world.beside(STATE), fs::Permissions::from_mode(0o755)).unwrap();
    let wide = |words: &[&str], input: Option<&[u8]>| {
        let whole = world.command(words);
        let mut shell = std::process::Command::new("sh");
        shell.current_dir(&world.path).env_clear();
        shell.envs(whole.get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("REFDESK_LOG", "trace").arg("-c").arg(format!("umask 000; exec \"{PROGRAM}\" \"$@\"")).arg("refdesk");
        run(shell.args(whole.get_args()), input)
    };
    for desk in ["default", "review"] {
        wide(&["--desk", desk, "select", "a", "kit"], None).exits(0);
        wide(&["--desk", desk, "--session", "s", "enrich"], Some(b"the web")).exits(0);
    }
    wide(&["hook", "claude-code"], Some(document(&world, "UserPromptSubmit").as_bytes())).exits(0);
    wide(&["connect", "claude-code", "--yes"], None);
    wide(&["ask", "--timeout", "0.1"], None);
    assert_eq!(world.read(".jaato/refdesk/.gitignore"), "*\n");
    let mut looked = Vec::new();
    for root in [world.path.join(OWN), world.beside(STATE)] {
        let mut open = vec![root];
        while let Some(path) = open.pop() {
            let found = fs::symlink_metadata(&path).unwrap();
            let expected = if found.is_dir() { 0o700 } else { 0o600 };
            let was_there = path.ends_with("review/x");
            assert!(was_there || found.permissions().mode() & 0o777 == expected, "{}: {found:?}", path.display());
            if found.is_dir() {
                open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
            looked.push(path);
        }
    }
    for name in [
        "selection.json",
        "told.json",
        "templates.json",
        "journal.jsonl",
        "lock",
        ".gitignore",
        "seal.key",
        "refdesk.log",
    ] {
        assert!(looked.iter().any(|path| path.ends_with(name)), "{name}: {looked:#?}");
    }
    for template in fs::read_dir(world.path.join(".jaato/templates")).unwrap() {
        let template = template.unwrap();
        assert_eq!(template.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{template:?}");
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let done = std::process::Command::new("cp").arg("-Rp").arg(from).arg(to).status()?;
    if done.success() { Ok(()) } else { Err(std::io::Error::other("cp")) }
}

fn read_json(world: &Workspace, name: &str) -> Value {
    serde_json::from_str(&world.read(&format!("{OWN}/{name}"))).unwrap()
}

fn set_aside(world: &Workspace) -> Vec<String> {
    let entries = fs::read_dir(world.path.join(OWN)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.contains(".foreign-")).collect();
    names.sort();
    names
}

#[test]
fn a_configuration_or_profile_that_is_a_link_out_of_the_workspace_is_not_read() {
    let world = Workspace::new();
    let outside = world.beside("private");
    let text = json!({"sources": [{"id": "priv", "name": "ACME merger", "type": "url", "url": "https://acme.example/?token=T"}]});
    for file in ["references.json", "merger.json"] {
        write_atomic(&outside.join(file), text.to_string().as_bytes()).unwrap();
    }
    world.put("docs/a.md", b"x");
    fs::create_dir_all(world.path.join(".jaato")).unwrap();
    for (target, link) in [("references.json", "references.json"), ("", ".jaato/profiles")] {
        std::os::unix::fs::symlink(outside.join(target), world.path.join(link)).unwrap();
    }
    for words in [
        &["instructions"][..],
        &["check"],
        &["list"],
        &["profiles"],
        &["why", "priv"],
        &["--profile", "merger", "list"],
    ] {
        let ran = world.run(words);
        let reported = format!("{}{}", ran.text(), ran.stderr);
        let leaks = ["ACME", "acme", "token", "merger.json"].iter().any(|part| reported.contains(part));
        assert!(!leaks, "{words:?}: {reported}");
    }
    assert!(world.run(&["list"]).stderr.contains("references.json: the configuration is a link out of the workspace"));
    assert!(world.run(&["profiles"]).stderr.contains("profiles: the folder of profiles is a link out"));
    // A file that the user names is read wherever it leads, and so is a link within the workspace.
    let named = world.run(&["--config", "references.json", "list"]).exits(0);
    assert!(named.text().contains("priv"), "{named}");
    world.put("conf/own.json", text.to_string().as_bytes());
    fs::remove_file(world.path.join("references.json")).unwrap();
    std::os::unix::fs::symlink("conf/own.json", world.path.join("references.json")).unwrap();
    assert!(world.run(&["list"]).exits(0).text().contains("priv"));
}

/// An archive can contain a hard link to another file.
#[test]
fn a_file_with_another_name_is_neither_written_nor_made_private() {
    for name in ["journal.jsonl", "selection.json", "templates.json", "write.json", "told.json", "lock"] {
        let world = world();
        let other = world.beside("victim");
        write_atomic(&other, b"mine\n").unwrap();
        fs::set_permissions(&other, fs::Permissions::from_mode(0o644)).unwrap();
        let folder = world.path.join(OWN);
        fs::create_dir_all(&folder).unwrap();
        fs::hard_link(&other, folder.join(name)).unwrap();
        for words in [&["list"][..], &["select", "a"], &["clear"]] {
            world.run(words).exits(0);
        }
        world.feed(&["hook", "claude-code"], document(&world, "UserPromptSubmit").as_bytes()).exits(0);
        assert_eq!(fs::read(&other).unwrap(), b"mine\n", "{name}");
        assert_eq!(fs::metadata(&other).unwrap().permissions().mode() & 0o777, 0o644, "{name}");
        assert!(folder.join("journal.jsonl").exists(), "{name}");
        assert_eq!(folder.join("journal.jsonl.aside").exists(), name == "journal.jsonl", "{name}");
    }
}
