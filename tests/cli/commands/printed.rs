//! The text form: every command prints something, nothing in it moves the cursor, and each command's help has an example.

use std::path::Path;

use clap::CommandFactory;
use portable_pty::CommandBuilder;
use refdesk_text::escape::is_hidden;
use unicode_width::UnicodeWidthStr;

use super::small;
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// Every command, called so that it succeeds.
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
    // It ends by a signal, so its own tests check its output.
    called.extend(["assert", "watch", "mcp", "ask", "edit"]);
    let program = refdesk::cli::Cli::command();
    for command in program.get_subcommands() {
        assert!(called.contains(&command.get_name()), "{} is not called here", command.get_name());
    }
}

/// What a command prints on a terminal that is 80 columns wide.
fn on_a_terminal(home: &Path, words: &[&str]) -> String {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--color", "never", "--demo"]);
    command.args(words);
    Pty::spawn_at(home, command, 80, 24).output_to_the_end()
}

/// A terminal breaks a line that is too long in the middle of a word, and what stands below each other in a table no longer does.
#[test]
fn tables_fit_a_terminal_and_what_must_be_typed_stays_whole() {
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
        (&["doctor"], "may copy by OSC 52"),
    ] {
        let shown = on_a_terminal(home.path(), words);
        // Sentences, excerpts and problems with their places may be longer: a terminal breaks them like any text.
        let is_table =
            |line: &&str| line.split("  ").count() > 1 && !line.starts_with(['-', '*', '#']) && !line.contains("fix: ");
        let wide: Vec<&str> = shown.lines().filter(is_table).filter(|line| line.width() > 80).collect();
        assert!(wide.is_empty(), "{words:?}: {wide:#?}");
        assert!(shown.contains(whole), "{words:?}: {shown}");
    }
}

#[test]
fn on_a_narrow_terminal_a_reason_has_a_line_for_each_source_and_cells_below_a_row_have_a_name() {
    let home = tempfile::tempdir().unwrap();
    let expected = "station-provider-api
  ← mod-station-client (by id, modules/station-client/policies/limits.yaml:2)
  ← pat-timeout (by id, docs/patterns/timeout.md:26) (picked, preselected)";
    let shown = on_a_terminal(home.path(), &["why", "station-provider-api"]).replace('\r', "");
    assert!(shown.contains(expected), "{shown}");
    let shown = on_a_terminal(home.path(), &["simulate", "--repeat", "How do idempotent commands work?"]);
    for named in ["because: ", "section: "] {
        assert!(shown.contains(named), "{named}: {shown}");
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
