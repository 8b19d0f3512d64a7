//! The text form: every command prints something, no output moves the cursor, and each command's help has an example.

use std::path::Path;

use clap::CommandFactory;
use portable_pty::CommandBuilder;
use refdesk_text::escape::is_hidden;
use unicode_width::UnicodeWidthStr;

use super::small;
use crate::support::program::run;
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// A successful call of every command.
const CALLS: &[&[&str]] = &[
    &["list"],
    &["references", "list"],
    &["select", "text"],
    &["resolve", "a"],
    &["why", "b"],
    &["graph"],
    &["graph", "--dot"],
    &["graph", "--mermaid"],
    &["graph", "--svg"],
    &["instructions"],
    &["check"],
    &["journal"],
    &["templates"],
    &["templates", "show", "hello.txt.tpl"],
    &["templates", "variables", "hello.txt.tpl"],
    &["render", "hello.txt.tpl", "--var", "name=Ada"],
    &["add", "docs/a.md", "--id", "more"],
    &["exclude", "c"],
    &["include", "c"],
    &["unselect", "a"],
    &["clear"],
    &["references", "reload"],
    &["references", "help"],
    &["hook", "claude-code"],
    &["why-not", "c", "--prompt", "c"],
    &["doctor"],
    &["index"],
    &["doctor"],
    &["search", "kit"],
    &["connect", "claude-code", "--yes"],
    &["disconnect", "claude-code", "--yes"],
    &["profiles"],
    &["where"],
    &["show", "b"],
    &["tag", "more", "+extra"],
    &["remove", "more", "--yes"],
    &["config"],
    &["config", "path"],
    &["config", "check"],
    &["completions", "bash"],
    &["man"],
    &["trust", "list"],
    &["init", "--yes"],
];

#[test]
fn every_command_prints_visible_text() {
    let world = small();
    world.run(&["select", "a", "kit"]).exits(0);
    let mut called: Vec<&str> = CALLS.iter().map(|words| words[0]).collect();
    for words in CALLS {
        let ran = world.run(words).exits(0);
        let text = ran.text();
        assert!(!text.trim().is_empty(), "{ran}");
        assert!(text.ends_with('\n'), "{ran}");
        assert!(!text.chars().chain(ran.stderr.chars()).any(is_hidden), "{ran}");
    }
    let enriched = world.feed(&["enrich"], b"use @b").exits(0);
    assert!(enriched.text().starts_with("use @b\n"), "{enriched}");
    called.push("enrich");
    let replayed =
        world.run(&["replay", &world.read(".jaato/refdesk/journal.jsonl").lines().count().to_string()]).exits(0);
    assert!(enriched.text().ends_with(replayed.text()) && !replayed.text().is_empty(), "{replayed}");
    called.push("replay");
    let simulated = world.feed(&["simulate"], b"use @b").exits(0);
    assert!(simulated.text().ends_with('\n') && !simulated.text().chars().any(is_hidden), "{simulated}");
    called.push("simulate");
    world.put("expect.toml", b"[[case]]\nprompt = \"use @b\"\nexpands = [\"b\"]\n");
    let held = world.run(&["assert", &world.path.join("expect.toml").to_string_lossy()]).exits(0);
    assert!(held.text().ends_with('\n') && !held.text().chars().any(is_hidden), "{held}");
    let shop = "databases:\n  - name: shop\n    type: sqlite\n    connection: { file: shop.db }\n";
    world.put(".jaato/databases.yaml", shop.as_bytes());
    let table = "CREATE TABLE \"or\u{202e}der\" (id INTEGER PRIMARY KEY /* \u{1b}[2J its number */, total REAL)";
    rusqlite::Connection::open(world.path.join("shop.db")).unwrap().execute_batch(table).unwrap();
    for words in [
        &["plan"][..],
        &["document", "--yes"],
        &["status"],
        &["diff"],
        &["show", "or\u{202e}der"],
        &["usage", "id"],
        &["domains"],
        &["domain", "system"],
        &["joins"],
    ] {
        let ran = world.run(&[&["db"], words].concat()).exits(0);
        assert!(ran.text().ends_with('\n'), "{ran}");
        assert!(!ran.text().chars().chain(ran.stderr.chars()).any(is_hidden), "{ran}");
    }
    called.push("db");
    // These do not fit this table; their own tests check their output.
    called.extend(["assert", "watch", "mcp", "ask", "edit"]);
    let program = refdesk::cli::Cli::command();
    for command in program.get_subcommands() {
        assert!(called.contains(&command.get_name()), "{} is not called here", command.get_name());
    }
}

/// A command's output on a terminal 80 columns wide.
fn on_a_terminal(home: &Path, words: &[&str]) -> String {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--color", "never", "--demo"]);
    command.args(words);
    Pty::spawn_at(home, command, 80, 24).output_to_the_end()
}

/// A terminal breaks long lines in the middle of words, which destroys the columns of a table.
#[test]
fn tables_fit_a_terminal_without_cutting_what_must_be_typed() {
    let home = tempfile::tempdir().unwrap();
    let long = "adr-003-idempotent-commands";
    for (words, whole) in [
        (&["list"][..], long),
        (&["graph"], long),
        (&["graph"], "(by id, docs/adr/003-idempotent-commands.md:21)"),
        (&["resolve", "pat-retry"], long),
        (&["templates"], "settings.toml.tmpl"),
        (&["simulate", "--repeat", "How do retries and idempotent commands of pat-circuit-breaker work?"], long),
        (&["db", "domains"], "accounts.contracts"),
        (&["doctor"], "standard key reporting"),
    ] {
        let shown = on_a_terminal(home.path(), words);
        // Sentences, excerpts and problems with positions may be longer: the terminal wraps them like any text.
        let is_table =
            |line: &&str| line.split("  ").count() > 1 && !line.starts_with(['-', '*', '#']) && !line.contains("fix: ");
        let wide: Vec<&str> = shown.lines().filter(is_table).filter(|line| line.width() > 80).collect();
        assert!(wide.is_empty(), "{words:?}: {wide:#?}");
        assert!(shown.contains(whole), "{words:?}: {shown}");
    }
}

#[test]
fn narrow_tables_put_sources_on_separate_lines_and_label_cells() {
    let home = tempfile::tempdir().unwrap();
    let expected = "station-provider-api
  ← mod-station-client (by id, modules/station-client/policies/limits.yaml:2)
  ← pat-timeout (by id, docs/patterns/timeout.md:26) (picked, preselected)";
    let shown = on_a_terminal(home.path(), &["why", "station-provider-api"]).replace('\r', "");
    assert!(shown.contains(expected), "{shown}");
    let shown = on_a_terminal(home.path(), &["simulate", "--repeat", "How do idempotent commands work?"]);
    for named in ["words: ", "section: "] {
        assert!(shown.contains(named), "{named}: {shown}");
    }
}

/// Workspace files, a command, its exit code, a text that it prints, and one that it must not print.
type Answered<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], u8, &'a str, &'a str);

#[test]
fn no_answer_is_a_dead_end() {
    let broken = ("references.json", r#"{"sources": [{"id": "a", "name": "A", "path": "a.md"},]}"#);
    let note = (
        "references.json",
        r#"{"sources": [{"id": "n", "name": "N", "type": "inline", "content": "x", "tags": ["payment"]}]}"#,
    );
    let untyped = ("references.json", r#"{"sources": [{"id": "a", "name": "A", "url": "https://x.example"}]}"#);
    let two = (".jaato/references/n.json", r#"{"id": "n", "name": "N", "type": "inline", "content": "x"}"#);
    let git = ("references.json", r#"{"sources": [], "channel": {"type": "file", "base_path": ".git/x"}}"#);
    let bad = (".templates/bad.tpl", "one\n{% if %}\n");
    let filter = (".templates/filter.tpl", "{{ name|upper }}\n");
    let set = (".jaato/templates/overrides.json", r#"{"filter.tpl": "handlebars"}"#);
    let checks_language = "fix: check the language of 'filter.tpl' in .jaato/templates/overrides.json, or correct \
                           .templates/filter.tpl:1";
    let large = "x".repeat(1024 * 1024 + 1);
    let large = (".templates/big.tpl", large.as_str());
    let cases: &[Answered<'_>] = &[
        (
            &[note],
            &["simulate", "payments"],
            0,
            "no search index to find one by meaning: `refdesk index`",
            "no sources",
        ),
        (&[], &["simulate", "payments"], 0, "The catalog has no sources: `refdesk init` proposes sources", "tag"),
        (&[broken], &["list"], 1, "error: no source can be read: references.json:1:55: not valid JSON", "refdesk init"),
        (&[broken], &["select", "a"], 1, "fix: correct references.json:1:55 first", "refdesk init"),
        (&[broken], &["tag", "a", "+x"], 1, "fix: correct references.json:1:55 first", "refdesk list"),
        (&[broken], &["search", "x"], 1, "fix: correct references.json:1:55 first", "refdesk index"),
        (&[broken, ("a.md", "# A\n")], &["add", "a.md"], 1, "error: nothing is added while", "error: references.json"),
        (
            &[],
            &["search", "x"],
            1,
            "the catalog has no sources\n  fix: `refdesk init` proposes sources",
            "refdesk index",
        ),
        (&[], &["index", "--words-only"], 0, "The catalog has no sources: `refdesk init` proposes sources", "error"),
        (&[note], &["list", "--selected"], 0, "Nothing is selected: `refdesk select ID`", "filters"),
        (&[note], &["list", "--selected", "--tag", "payment"], 0, "No source matches these filters.", "Nothing"),
        (
            &[untyped],
            &["list"],
            1,
            "error: no source can be read: references.json:1:14: 'path' is required\n  fix: add \"type\": \"url\"",
            "…",
        ),
        (&[untyped], &["select", "a"], 1, "fix: correct references.json:1:14 first", "refdesk init"),
        (&[note, two], &["check"], 0, "the id 'n' is already used by references.json:1:21;", "by references.json;"),
        (
            &[git],
            &["check"],
            1,
            "references.json:1:58: channel.base_path '.git/x' is in a folder where git",
            "0 errors",
        ),
        (&[bad], &["render", "bad.tpl"], 1, "fix: correct .templates/bad.tpl:2", "warning"),
        (&[bad], &["templates", "validate"], 1, "fix: correct .templates/bad.tpl:2", "parse: template"),
        (&[bad], &["templates", "variables", "bad.tpl"], 1, "fix: correct .templates/bad.tpl", "warning"),
        (&[bad], &["templates", "validate", ".templates/bad.tpl"], 1, "fix: correct .templates/bad.tpl:2", "overrides"),
        (&[filter, set], &["check"], 0, checks_language, "fix: correct"),
        (&[filter, set], &["render", "filter.tpl"], 1, checks_language, "fix: correct"),
        (&[large], &["templates", "validate"], 1, "(1 MiB), so it is not used\n  fix: split it, or move it", "parse"),
        (
            &[note],
            &["connect", "--yes"],
            1,
            "fix: name one: `refdesk connect claude-code`, or gemini-cli, ",
            "vscode, opencode, goose",
        ),
        (&[note], &["tag", "n", "+foo", "--json"], 2, "fix: options come before the first id", "--help shows its"),
        (&[note], &["enrich", "x", "--max-chars", "99999999999999999999"], 2, "it is too large", "whole number"),
        (&[note], &["replay", "x"], 2, "it must be a whole number, 0 or more", "invalid digit"),
        (&[note], &["db", "check", "--min-coverage", "101"], 2, "a whole number from 0 to 100", "invalid digit"),
        (&[note], &["man", "nope"], 2, "`refdesk --help` lists the commands; `refdesk man ./nope`", "fix: ./"),
        (
            &[note],
            &["--config", "nope.json", "list"],
            1,
            "only discovered references are used\n  fix: name an",
            "until",
        ),
    ];
    for (files, words, exit, said, unsaid) in cases {
        let world = Workspace::with(files);
        let ran = run(&mut world.command(words), None).exits((*exit).into());
        let printed = format!("{}{}", ran.stderr, ran.text());
        assert!(printed.contains(said), "{words:?} says '{said}': {ran}");
        assert!(!printed.contains(unsaid), "{words:?} does not say '{unsaid}': {ran}");
    }
}

#[test]
fn each_commands_help_has_a_description_and_an_example() {
    let world = Workspace::new();
    let program = refdesk::cli::Cli::command();
    for command in program.get_subcommands() {
        let name = command.get_name();
        let ran = world.run(&[name, "--help"]).exits(0);
        let help = ran.text();
        assert!(help.contains("Example: ") && help.contains(&format!("refdesk {name}")), "{ran}");
        assert!(help.lines().next().is_some_and(|line| line.len() > 10), "{ran}");
        assert!(ran.stderr.is_empty(), "{ran}");
    }
    let whole = world.run(&["--help"]).exits(0);
    for command in program.get_subcommands() {
        assert!(whole.text().contains(&format!("  {} ", command.get_name())), "{whole}");
    }
    assert!(whole.text().contains("--demo") && whole.text().contains("Exit codes"), "{whole}");
}

#[test]
fn the_version_is_that_of_the_package() {
    let ran = Workspace::new().run(&["--version"]).exits(0);
    assert_eq!(ran.text(), concat!("refdesk ", env!("CARGO_PKG_VERSION"), "\n"));
}

#[test]
fn help_and_version_in_json_are_one_document() {
    let world = Workspace::new();
    for words in [&["--version"][..], &["--help"], &["list", "-h"], &["help", "db", "plan"]] {
        let text = run(&mut world.bare(words), None).exits(0).text().to_owned();
        let document = run(&mut world.bare(&[&["--format", "json"], words].concat()), None).exits(0).json();
        assert_eq!(document, serde_json::json!({"text": text}), "{words:?}");
    }
}
