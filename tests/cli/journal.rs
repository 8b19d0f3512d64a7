//! The journal: what each command records, how `journal`, `replay` and `why` read it, and which problems must not stop
//! a command.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::program::{ProgramRun, finish, run};
use crate::support::workspace::{STATE, Workspace, inline, strings};

const FILE: &str = ".jaato/refdesk/journal.jsonl";

/// `a` mentions `b`; `web` has the tag `web`.
fn world() -> Workspace {
    let mut web = inline("web", "All about it.");
    web["tags"] = json!(["web", "Inter-Net"]);
    let sources = json!([
        {"id": "a", "name": "A", "path": "docs/a.md"},
        {"id": "b", "name": "B", "path": "docs/b.md", "tags": ["queue"]},
        web,
    ]);
    Workspace::of(sources, &[("docs/a.md", "See b.\n"), ("docs/b.md", "Nothing.\n")])
}

/// The lines that `journal` prints with these options.
#[track_caller]
fn lines(world: &Workspace, words: &[&str]) -> Vec<Value> {
    let ran = world.run(&[&["journal"], words].concat()).exits(0);
    ran.text().lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {ran}"))).collect()
}

/// `event: sources` for each line.
fn brief(lines: &[Value]) -> Vec<String> {
    let about = |line: &Value| line["about"].as_array().map_or_else(String::new, |_| strings(&line["about"]).join(","));
    lines.iter().map(|line| format!("{} {}", line["what"].as_str().unwrap(), about(line)).trim().to_owned()).collect()
}

#[track_caller]
fn read(world: &Workspace, session: &str, path: &str) {
    let args = json!({"file_path": path}).to_string();
    let words = ["--session", session, "enrich", "--kind", "tool_result", "--tool", "Read", "--args", &args];
    world.feed(&words, b"part").exits(0);
}

#[test]
fn json_has_no_hidden_characters_and_keeps_its_value() {
    let id = "a\u{7f}\u{9b}2J\u{202e}b\u{e0041}";
    let world = Workspace::of(json!([inline(id, "x")]), &[]);
    world.run(&["select", id]).exits(0);
    for words in [&["journal"][..], &["list", "--format", "json"]] {
        let ran = world.run(words).exits(0);
        assert!(!ran.text().chars().any(refdesk_text::escape::is_hidden), "{ran}");
    }
    assert_eq!(lines(&world, &[])[0]["about"], json!([id]));
    assert_eq!(world.json(&["list"], 0)["sources"][0]["id"], id);
}

#[test]
fn every_command_that_changes_something_is_recorded() {
    let world = world();
    world.run(&["select", "a", "web"]).exits(0);
    world.run(&["select", "a"]).exits(0);
    world.run(&["exclude", "web"]).exits(0);
    world.run(&["include", "web"]).exits(0);
    world.feed(&["--session", "s1", "enrich"], b"the web").exits(0);
    world.feed(&["--session", "s1", "enrich"], b"the web").exits(0);
    world.feed(&["--session", "s1", "enrich", "--dry-run", "--repeat"], b"the web").exits(0);
    world.run(&["instructions"]).exits(0);
    read(&world, "s2", "docs/b.md");
    read(&world, "s2", "references.json");
    world.run(&["render", "--inline", "x", "--output", "out.txt", "--yes"]).exits(0);
    world.run(&["render", "--inline", "x", "--output", "out.txt", "--yes", "--overwrite"]).exits(0);
    world.run(&["render", "--inline", "x", "--output", "other.txt", "--dry-run"]).exits(0);
    let rows = json!([{"inline": "1", "output": "one"}, {"inline": "2", "output": "two"}]).to_string();
    world.run(&["render", "--batch", &rows, "--yes"]).exits(0);
    world.run(&["add", "docs", "--id", "docs"]).exits(0);
    world.run(&["clear"]).exits(0);
    for words in [&["list"][..], &["check"], &["why", "a"], &["resolve", "a"], &["journal"], &["templates"]] {
        world.run(words);
    }
    let found = lines(&world, &[]);
    let expected = [
        "selected a,web",
        "unselected web",
        "excluded web",
        "included web",
        "enriched",
        "read b",
        "written out.txt",
        "written one",
        "written two",
        "written .jaato/references/docs.json",
        "unselected a",
    ];
    assert_eq!(brief(&found), expected);
    let numbers: Vec<u64> = found.iter().map(|line| line["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=expected.len() as u64).collect::<Vec<_>>());
    let who: Vec<&str> = found.iter().map(|line| line["who"].as_str().unwrap()).collect();
    assert_eq!(who[0], "refdesk select");
    assert_eq!(who[4..7], ["refdesk enrich", "refdesk enrich", "refdesk render"]);
    // The line has the additions and their reasons, never the prompt.
    assert_eq!((&found[4]["session"], &found[4]["kind"]), (&json!("s1"), &json!("prompt")));
    assert_eq!(found[4]["why"][0]["about"], "web");
    assert_eq!(found[4]["why"][0]["why"][0]["tag"], "web");
    assert!(!world.read(FILE).contains("the web"), "the prompt must not be recorded");
    assert_eq!((&found[5]["path"], &found[5]["tool"]), (&json!("docs/b.md"), &json!("Read")));
    assert_eq!(found[6]["bytes"], 1);
    // Printed as stored, in both forms.
    assert_eq!(world.run(&["journal"]).exits(0).text(), world.read(FILE));
    assert_eq!(world.run(&["--format", "json", "journal"]).exits(0).text(), world.read(FILE));
    let table = world.run(&["journal", "--format", "text"]).exits(0);
    assert!(table.text().contains("Picked @a, @web") && !table.text().contains('{'), "{table}");
}

#[test]
fn lines_by_session_and_by_time() {
    let world = world();
    for session in ["one", "../../x", "one"] {
        world.feed(&["--session", session, "enrich", "--repeat"], b"the web").exits(0);
    }
    let of = |words: &[&str]| lines(&world, words).iter().map(|line| line["n"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(of(&["--session", "one"]), [1, 3]);
    assert_eq!(of(&["--session", "../../x"]), [2]);
    assert_eq!(of(&["--session", "default"]), [0_u64; 0]);
    for (session, says) in [
        ("onne", "did you mean 'one'?"),
        ("default", "prints the lines of all sessions"),
        ("nö", "prints the lines of all sessions"),
    ] {
        let ran = world.run(&["--format", "json", "journal", "--session", session]).exits(0);
        assert!(
            ran.stderr.contains(&format!("no line of a session '{session}'")) && ran.stderr.contains(says),
            "{ran}"
        );
    }
    world.edit_journal(|line| line.replacen("{\"n\":1,\"time\":\"20", "{\"n\":1,\"time\":\"19", 1));
    for since in ["90s", "15m", "2h", "3d", "2001-01-01", "2001-01-01T09:30"] {
        assert_eq!(of(&["--since", since]), [2, 3], "{since}");
    }
    assert_eq!(of(&["--since", "1901-01-01"]), [1, 2, 3]);
    assert_eq!(of(&["--since", "9000-01-01"]), [0_u64; 0]);
    let negative = world.run(&["journal", "--since", "-5m"]).exits(2);
    assert!(
        negative.stderr.contains("'-5m' is negative") && negative.stderr.contains("write --since 5m"),
        "{negative}"
    );
    for rubbish in ["yesterday", "", "5", "-5w", "2026-99-99"] {
        let ran = world.run(&["journal", &format!("--since={rubbish}")]).exits(2);
        assert!(ran.stderr.contains("for example 90s"), "{ran}");
        assert_eq!(world.run(&["journal", "--since", rubbish]).exits(2).stderr, ran.stderr);
        let words = ["--format", "json", "journal", &format!("--since={rubbish}")];
        assert_eq!(world.run(&words).exits(2).json()["error"]["code"], "usage");
    }
}

/// A session's name never leads to a file outside.
#[test]
fn no_session_or_desk_name_leads_outside() {
    let world = world();
    for name in ["../../x", "/etc/x", "..", "a/b", ""] {
        world.feed(&["--session", name, "enrich"], b"the web").exits(0);
        world.run(&["--desk", name, "select", "web"]).exits(0);
    }
    let inside = world.path.join(".jaato/refdesk");
    let base = world.path.parent().unwrap();
    for (path, _) in world.listing() {
        assert!(
            path.starts_with(&inside) || path.ends_with("references.json") || path.starts_with(world.path.join("docs"))
        );
    }
    let mut names: Vec<_> = fs::read_dir(base).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["home", "tmp", "ws"]);
    let state: Vec<_> = fs::read_dir(world.beside(STATE)).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(state, ["seal.key"]);
}

#[test]
fn replay_prints_the_exact_bytes() {
    let world = world();
    let given = world.feed(&["enrich"], "@web und der Rückweg".as_bytes()).exits(0);
    world.run(&["select", "a"]).exits(0);
    world.put("docs/a.md", b"Something else by now.\n");
    let added = &given.text()["@web und der Rückweg".len()..];
    assert_eq!(world.run(&["replay", "1"]).exits(0).text(), added);
    let reported = world.json(&["replay", "1"], 0);
    assert_eq!((&reported["text"], &reported["ok"], &reported["n"]), (&json!(added), &json!(true), &json!(1)));
    assert_eq!(reported["hash"].as_str().unwrap().len(), 64);
    for (n, code, says) in [
        ("2", "no-bytes", "(selected) has no text: the journal stores the texts that agents were sent\n"),
        ("3", "unknown-line", "no line 3"),
        ("0", "unknown-line", "0"),
    ] {
        let ran = world.run(&["replay", n]).exits(1);
        assert!(ran.stdout.is_empty() && ran.stderr.contains(says), "{ran}");
        assert_eq!(world.json(&["replay", n], 1)["error"]["code"], code);
    }
    world.edit_journal(|line| line.replacen("All about", "Nothing about", 1));
    let changed = world.run(&["replay", "1"]).exits(1);
    assert!(changed.text().contains("Nothing about") && changed.stderr.contains("hash"), "{changed}");
    assert_eq!(world.json(&["replay", "1"], 1)["ok"], false);
}

#[test]
fn a_session_is_found_whatever_its_name() {
    let world = world();
    for [desk, session] in [["default", "default"], ["../d", "s"], ["review", "a b/c"], ["CON", "Ü"]] {
        let at = |words: &[&'static str]| [&["--desk", desk, "--session", session], words].concat();
        world.feed(&at(&["enrich"]), b"the web").exits(0);
        let line = lines(&world, &[]).pop().unwrap();
        let answer = world.json(&at(&["why-not", "web", "--prompt", "the web"]), 0);
        assert_eq!(answer["reason"], "told", "{answer}");
        assert_eq!(answer["about"]["journal"], json!({"n": line["n"], "time": line["time"]}), "{desk} {session}");
    }
}

#[test]
fn removed_files_are_recorded_as_removed() {
    let world = world();
    world.put("docs/a.md", b"```java\nclass {{ Name }} {}\n```\n");
    world.run(&["select", "a"]).exits(0);
    world.run(&["unselect", "a"]).exits(0);
    world.run(&["connect", "claude-code", "--yes"]).exits(0);
    world.run(&["disconnect", "claude-code", "--yes"]).exits(0);
    let found = lines(&world, &[]);
    let template = strings(&found[1]["about"]).remove(0);
    assert!(template.starts_with(".jaato/templates/"), "{template}");
    let settings = ".claude/settings.json";
    let expected = [
        "selected a",
        &format!("written {template}"),
        "unselected a",
        &format!("removed {template}"),
        &format!("written {settings}"),
        "written .mcp.json",
        &format!("removed {settings}"),
        "removed .mcp.json",
    ];
    assert_eq!(brief(&found), expected);
}

#[test]
fn later_reads_and_picks_count_as_followed() {
    let world = world();
    read(&world, "s", "docs/b.md");
    world.feed(&["--session", "s", "enrich"], b"the queue on the web").exits(0);
    read(&world, "other", "docs/b.md");
    read(&world, "s", "docs/b.md");
    world.run(&["--session", "s", "select", "web", "a"]).exits(0);
    world.feed(&["--session", "t", "enrich"], b"@b and inter_net").exits(0);
    read(&world, "t", "docs/b.md");
    let follows: Vec<Value> = lines(&world, &[]).into_iter().map(|line| line["follows"].clone()).collect();
    let (hint, picked, expansion) = (json!({"b": "hint"}), json!({"web": "hint"}), json!({"b": "expansion"}));
    assert_eq!(follows[2..5], [json!(null), hint, picked]);
    assert_eq!(follows.last(), Some(&expansion));
    assert!(follows[..2].iter().all(Value::is_null));
    let reported = world.json(&["journal", "--precision"], 0);
    let count = |name: &str, what: &str, followed: u64, offered: u64| {
        #[expect(clippy::cast_precision_loss, reason = "few")]
        let share = followed as f64 / offered as f64;
        json!({name: what, "offered": offered, "followed": followed, "share": share})
    };
    assert_eq!(reported["hints"]["tags"], json!([count("tag", "queue", 1, 1), count("tag", "web", 1, 1)]));
    assert_eq!(reported["hints"]["sources"], json!([count("id", "b", 1, 1), count("id", "web", 1, 1)]));
    assert_eq!(reported["expansions"]["sources"], json!([count("id", "b", 1, 1)]));
    let table = world.run(&["journal", "--precision"]).exits(0);
    assert!(table.text().contains("Hints by tag"), "{table}");
    assert!(table.text().lines().any(|line| line.split_whitespace().eq(["queue", "1", "1", "100%"])), "{table}");
    let nothing = world.run(&["journal", "--precision", "--session", "nobody"]).exits(0);
    assert_eq!(nothing.text(), "no hints and no expansions\n");
}

#[test]
fn why_shows_who_picked_and_when() {
    let world = world();
    world.run(&["select", "a"]).exits(0);
    let picked = |world: &Workspace| world.json(&["why", "b"], 0)["chain"][1]["picked"].clone();
    let at = lines(&world, &[])[0]["time"].clone();
    assert_eq!(picked(&world), json!({"by": "refdesk select", "at": at}));
    let clock = &at.as_str().unwrap()[11..16];
    let mut command = world.command(&["why", "b"]);
    let ran = run(command.env("TZ", "UTC"), None).exits(0);
    // Midnight may have passed meanwhile.
    let today = format!("b ← a (by id, docs/a.md:1) (picked by you, {clock})\n");
    assert!(ran.text() == today || ran.text().ends_with(&format!(" {clock})\n")), "{ran}");
    // On another day, by an agent.
    let time = at.as_str().unwrap();
    world.edit_journal(|line| {
        line.replacen("refdesk select", "claude-code", 1).replacen(time, "2001-02-03T04:05:06.789Z", 1)
    });
    let mut command = world.command(&["why", "a"]);
    let ran = run(command.env("TZ", "UTC"), None).exits(0);
    assert_eq!(ran.text(), "a (picked by claude-code, 2001-02-03 04:05)\n");
    // If the line is of another desk, or the source was unpicked since, it is unknown who picked it.
    world.edit_journal(|line| line.replacen("\"desk\":\"default\"", "\"desk\":\"other\"", 1));
    assert_eq!(world.run(&["why", "a"]).exits(0).text(), "a (picked)\n");
    assert_eq!(picked(&world), Value::Null);
    fs::remove_file(world.path.join(FILE)).unwrap();
    assert_eq!(world.run(&["why", "a"]).exits(0).text(), "a (picked)\n");
}

#[test]
fn a_damaged_journal_is_reported_once_and_stops_nothing() {
    let world = world();
    world.feed(&["enrich", "--repeat"], b"the web").exits(0);
    let whole = world.read(FILE);
    let long = "x".repeat(2_000_000);
    for (rubbish, said) in [
        (format!("{whole}{}", &whole[..whole.len() / 2]), "1 line of the journal is damaged"),
        (format!("\u{0}\u{1}[]\n{{}}\n{whole}{long}"), "3 lines of the journal are damaged"),
    ] {
        world.put(FILE, rubbish.as_bytes());
        let ran = world.run(&["journal"]).exits(0);
        assert_eq!((ran.text(), ran.stderr.matches("damaged").count()), (whole.as_str(), 1), "{ran}");
        assert!(ran.stderr.contains(said), "{ran}");
        let ran = world.feed(&["enrich", "--repeat"], b"the web").exits(0);
        assert!(ran.stderr.is_empty(), "{ran}");
        let numbers: Vec<Value> = lines(&world, &[]).iter().map(|line| line["n"].clone()).collect();
        assert_eq!(numbers, [json!(1), json!(2)]);
        world.run(&["replay", "2"]).exits(0);
    }
}

/// The file cannot grow, as on a full disk.
#[test]
fn an_unwritable_journal_is_reported_once_and_stops_nothing() {
    let world = world();
    world.feed(&["enrich", "--repeat"], b"the web").exits(0);
    let line = world.read(FILE);
    let mut filler = line.repeat(64 * 1024 / line.len());
    // There is no room even for a short line.
    filler.push_str(&"\n".repeat(64 * 1024 - filler.len()));
    world.put(FILE, filler.as_bytes());
    let limited =
        |words: &[&str], input: Option<&[u8]>| -> ProgramRun { run(&mut world.without_room(64, words), input) };
    let ran = limited(&["enrich", "--repeat"], Some(b"the web")).exits(0);
    assert!(ran.text().contains("@web"), "{ran}");
    assert_eq!(ran.stderr.matches("the journal cannot be written").count(), 1, "{ran}");
    assert!(ran.stderr.contains("raise the limit on the size of files (ulimit -f)"), "{ran}");
    let ran = limited(&["select", "a"], None).exits(0);
    assert_eq!(ran.stderr.matches("the journal cannot be written").count(), 1, "{ran}");
    assert_eq!(world.picks(), ["a"]);
    assert_eq!(world.read(FILE), filler, "nothing of it is left");
    // There is room again.
    world.run(&["unselect", "a"]).exits(0);
    assert_eq!(brief(&lines(&world, &[])).last().unwrap(), "unselected a");
}

#[test]
fn links_out_of_the_workspace_are_not_followed() {
    let outside = Workspace::new();
    for link in [".jaato", ".jaato/refdesk"] {
        let world = world();
        let path = world.path.join(link);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&outside.path, &path).unwrap();
        let ran = world.feed(&["enrich"], b"the web").exits(0);
        assert!(ran.text().contains("@web") && ran.stderr.contains("a link out of the workspace"), "{ran}");
        let ran = world.run(&["--format", "json", "select", "a"]).exits(1);
        assert_eq!(ran.json()["error"]["code"], "not-stored");
        assert_eq!(ran.json()["error"]["hint"], "replace the link with a folder");
        world.run(&["list"]).exits(0);
        assert!(world.run(&["journal"]).exits(1).stderr.contains("a link out of the workspace"));
        world.run(&["render", "--inline", "x", "--output", "out.txt", "--yes"]).exits(0);
        assert_eq!(outside.listing(), []);
    }
    // The journal itself is a link, which is set aside.
    let world = world();
    world.put("victim", b"precious\n");
    fs::create_dir_all(world.path.join(".jaato/refdesk")).unwrap();
    std::os::unix::fs::symlink(world.path.join("victim"), world.path.join(FILE)).unwrap();
    world.run(&["journal"]).exits(0);
    let ran = world.feed(&["enrich"], b"the web").exits(0);
    assert!(ran.stderr.contains("journal.jsonl (set aside as "), "{ran}");
    assert_eq!(world.read("victim"), "precious\n");
    assert_eq!(brief(&lines(&world, &[])).len(), 1);
}

/// Each of fifty processes gets a hint for its own source and records a line.
#[test]
fn fifty_at_once_in_one_session_give_each_thing_once() {
    const MANY: usize = 50;
    let sources: Vec<Value> = (0..MANY)
        .map(|at| {
            let mut source = inline(&format!("s{at}"), "");
            source["tags"] = json!([format!("tag{at}")]);
            source
        })
        .collect();
    let world = Workspace::of(json!(sources), &[]);
    let start = |at: usize| {
        // Each process matches its own source and the next one, which another process matches too. The text comes from
        // a file, so no process waits for another.
        let text = world.beside(&format!("tmp/{at}"));
        refdesk_files::write_atomic(&text, format!("tag{at} and tag{}", (at + 1) % MANY).as_bytes()).unwrap();
        let mut command = world.command(&["--session", "s", "enrich"]);
        command.stdin(fs::File::open(text).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..MANY).map(start).collect();
    let mut given = Vec::new();
    for child in children {
        let ran = finish("enrich".to_owned(), child, None).exits(0);
        let hints = ran.text().lines().filter_map(|line| line.strip_prefix("- @")?.split_once(':'));
        given.extend(hints.map(|(id, _)| id.to_owned()));
    }
    given.sort();
    let mut expected: Vec<String> = (0..MANY).map(|at| format!("s{at}")).collect();
    expected.sort();
    assert_eq!(given, expected, "each is given once");
    let found = lines(&world, &[]);
    let numbers: Vec<u64> = found.iter().map(|line| line["n"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=found.len() as u64).collect::<Vec<_>>());
    let mut said: Vec<String> = found
        .iter()
        .flat_map(|line| line["why"].as_array().unwrap().iter().map(|item| item["about"].as_str().unwrap().to_owned()))
        .collect();
    said.sort();
    assert_eq!(said, expected, "what was given is in the journal");
}
