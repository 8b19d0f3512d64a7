//! Invalid command lines: exit code 2, a sentence for people, a document for programs.

use super::small;
use crate::support::program::run;

const WRONG: &[&[&str]] = &[
    &["nonsense"],
    &["--nonsense"],
    &["list", "--mode", "sometimes"],
    &["list", "--selected", "--unselected"],
    &["list", "extra"],
    &["list", "--tagg", "x"],
    &["select", "--tagg"],
    &["resolve"],
    &["unselect"],
    &["exclude"],
    &["include"],
    &["why"],
    &["why", "a", "b"],
    &["graph", "--dot", "--mermaid"],
    &["graph", "--svg", "--mermaid"],
    &["references", "nonsense"],
    &["templates", "nonsense"],
    &["templates", "show"],
    &["templates", "list", "--pattern", "["],
    &["add"],
    &["render"],
    &["render", "name", "--inline", "text"],
    &["render", "--inline", "x", "--var", "novalue"],
    &["render", "--inlin", "x"],
    &["render", "--inline", "x", "--var", "=x"],
    &["render", "--inline", "x", "--var", ":=1"],
    &["render", "--inline", "x", "--partial", "=x"],
    &["render", "--inline", "x", "--var", "a:=nonsense"],
    &["render", "--inline", "x", "--vars", "{"],
    &["render", "--inline", "x", "--vars", "@no/such/file"],
    &["render", "--inline", "x", "--vars", "[]", "--var", "a=b"],
    &["render", "--inline", "x", "--partial", "novalue"],
    &["render", "--inline", "x", "--yes"],
    &["render", "--inline", "x", "--dry-run"],
    &["render", "--inline", "x", "--overwrite"],
    &["render", "--inline", "x", "--allow-outside"],
    &["render", "--inline", "x", "--output"],
    &["render", "--inline", "x", "--batch", "[]"],
    &["render", "--output", "x", "--batch", "[]"],
    &["render", "--batch", "[]", "--var", "a=b"],
    &["render", "--batch", "nonsense"],
    &["render", "--batch", "{}"],
    &["render", "--batch", "[1]"],
    &["render", "--batch", "[[\"name\"]]"],
    &["render", "--batch", "[{}]"],
    &["render", "--batch", "[{\"inline\": \"x\", \"file\": \"y\", \"output\": \"z\"}]"],
    &["render", "--batch", "[{\"inline\": \"x\", \"outptu\": \"z\"}]"],
    &["render", "--batch", "[{\"inline\": \"x\", \"output\": \"z\", \"syntax\": \"erb\"}]"],
    &["render", "--batch", "@no/such/file"],
    &["enrich", "--kind", "poem"],
    &["enrich", "--args", "[1]"],
    &["enrich", "--args", "nonsense"],
    &["--demo", "--workspace", ".", "list"],
    &["--format", "yaml", "list"],
];

#[test]
fn exit_code_two_and_a_sentence() {
    let world = small();
    let before = world.listing();
    for words in WRONG {
        // Without `--workspace`, which conflicts with `--demo`.
        let ran = run(&mut world.bare(words), Some(b"text")).exits(2);
        assert!(ran.stdout.is_empty(), "{ran}");
        assert!(ran.stderr.contains("error: "), "{ran}");
    }
    assert_eq!(world.listing(), before, "nothing is written");
}

#[test]
fn one_document_for_programs() {
    let world = small();
    for words in WRONG.iter().filter(|words| words[0] != "--format") {
        for format in [&["--format", "json"][..], &["--format=json"][..]] {
            let ran = run(&mut world.bare(&[words, format].concat()), Some(b"text")).exits(2);
            let document = ran.json();
            assert_eq!(document["error"]["code"], "usage", "{ran}");
            assert!(document["error"]["message"].as_str().is_some_and(|it| !it.is_empty()), "{ran}");
            assert!(document["error"]["hint"].as_str().is_some_and(|it| !it.is_empty()), "{ran}");
        }
    }
}

#[test]
fn messages_name_what_can_be_given() {
    let world = small();
    world.put("v.yaml", b"name: Ada\n");
    world.put("bytes.json", b"\xff");
    for (words, said) in [
        (&["render"][..], "or give --inline TEXT, --file FILE or --batch JSON"),
        (&["render", "--inline", "x", "--vars", "@none.json"], "none.json does not exist"),
        (&["render", "--inline", "x", "--vars", "@none.json"], "fix: @FILE is relative to the current folder"),
        (
            &["render", "--inline", "x", "--vars", "@docs"],
            "fix: name a regular file, or write @- to read standard input",
        ),
        (&["render", "--batch", "@docs"], "fix: name a regular file, or write @- to read standard input"),
        (&["render", "--inline", "x", "--vars", "@bytes.json"], "bytes.json: it is not UTF-8\n  fix: save it as UTF-8"),
        (&["render", "--file", "-", "--vars", "@-"], "--file and --vars both read standard input"),
        (&["render", "--inline", "x", "--vars", "@-"], "fix: write a JSON object to standard input"),
        (&["render", "--inline", "x", "--vars", "{"], "fix: write a JSON object, for example --vars"),
        (&["render", "--inline", "x", "--vars", "{\"n\": 18446744073709551616}"], "\n  fix: correct the number\n"),
        (&["render", "--inline", "x", "--vars", "@v.yaml"], "--vars @v.yaml: the values are not JSON: "),
        (&["assert", "none.toml"], "error: none.toml does not exist"),
        (&["lst"], "error: unrecognized command 'lst'\n\n  tip: a similar command exists: 'list'"),
        (&["add", "docs/a.md", "docs/a.md", "--id", "z"], "apply to a single source, but 2 were given"),
        (&["connect", "nobody"], "fix: use claude-code, gemini-cli, codex, cursor, vscode, opencode or goose"),
    ] {
        let ran = run(&mut world.bare(words), None).exits(2);
        assert!(ran.stderr.contains(said), "{ran}");
    }
    assert_eq!(world.run(&["render", "--batch", "[]"]).exits(0).text(), "Nothing to write.\n");
    let unfilled = world.run(&["render", "--inline", "x", "--output", "x-{{ a }}.txt"]).exits(1);
    assert!(unfilled.stderr.contains("fix: write the path without braces"), "{unfilled}");
    let asked = world.run(&["remove", "a"]).exits(1);
    assert!(asked.stderr.contains("error: not a terminal, so nothing was removed"), "{asked}");
}

/// The hint of a batch shows the form of a list only if it is not a list.
#[test]
fn the_hint_of_a_batch_says_what_to_correct() {
    let world = small();
    for (rows, hint) in [
        ("nonsense", "write a JSON list"),
        ("{}", "write a JSON list"),
        ("[1]", "correct the row"),
        ("[{\"inline\": \"x\", \"outptu\": \"z\"}]", "correct the row"),
    ] {
        let ran = world.run(&["render", "--batch", rows]).exits(2);
        assert!(ran.stderr.contains(&format!("fix: {hint}")), "{rows}: {ran}");
    }
}

/// Lines that the parser or the command refuses, with the members of the answer besides `error`.
#[test]
fn a_refused_line_has_the_members_of_its_command() {
    let world = small();
    for (words, expected) in [
        ("unselect", "changed message released status"),
        ("exclude --nonsense", "changed message released status"),
        ("select --tagg x", "message missing selected_count sources status transitive_count unknown"),
        ("list --mode foo", "selected_count sources total"),
        ("references list --mode foo", "selected_count sources total"),
        ("resolve", "depth mentions parents resolved unknown"),
        ("why", "chain id"),
        ("replay x", "hash n ok text"),
        ("render --inline x --var y", "success"),
        ("render", "success"),
        ("templates show", "name"),
        ("tag a", "changed status"),
        ("add", "status"),
        ("search --limit 0 x", "hits mode partial query tokens_used"),
        ("db show", "columns table tokens_used"),
        ("completions nonsense", ""),
        ("journal --since foo", ""),
        ("nonsense", ""),
        ("db", ""),
    ] {
        let words: Vec<&str> = ["--json"].into_iter().chain(words.split(' ')).collect();
        let mut document = run(&mut world.bare(&words), None).exits(2).json();
        let error = document.as_object_mut().unwrap().remove("error").unwrap();
        assert_eq!(error["code"], "usage", "{words:?}");
        let mut members: Vec<&str> = document.as_object().unwrap().keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members.join(" "), expected, "{words:?}: {document}");
    }
    let document = run(&mut world.bare(&["--json", "db"]), None).exits(2).json();
    assert_eq!(document["error"]["message"], "a command is missing after 'refdesk db'");
    for words in [["--json", "--plain"], ["--format=json", "--plain"]] {
        let error = run(&mut world.bare(&words), None).exits(2).json()["error"].clone();
        assert_eq!(error["message"], "the plain interface prints text, not JSON");
    }
}

#[test]
fn the_screen_without_a_terminal_names_the_commands() {
    let world = small();
    let ran = world.run(&[]).exits(2);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("terminal"), "{ran}");
    let program = <refdesk::cli::Cli as clap::CommandFactory>::command();
    for command in program.get_subcommands() {
        assert!(ran.stderr.contains(command.get_name()), "{} is not named: {ran}", command.get_name());
    }
    assert_eq!(world.json(&[], 2)["error"]["code"], "no-terminal");
}

#[test]
fn arguments_that_are_not_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let world = small();
    let odd = OsStr::from_bytes(b"\xff\xfe");
    for words in [&["select"][..], &["list", "--tag"], &["--desk"]] {
        let ran = run(world.bare(&["--format", "json"]).args(words).arg(odd), None).exits(2);
        let error = &ran.json()["error"];
        assert_eq!(error["code"], "usage", "{ran}");
        let message = r#"not UTF-8: "\xFF\xFE"; if this is the name of a file, rename the file"#;
        assert_eq!(error["message"], message, "{ran}");
        assert!(ran.stderr.starts_with(&format!("error: {message}\n")), "{ran}");
    }
    // A path may contain any bytes.
    let ran = run(world.bare(&["--format", "json", "--workspace"]).arg(odd).arg("list"), None).exits(1);
    assert_eq!(ran.json()["error"]["code"], "no-workspace", "{ran}");
}

/// A terminal would execute escape sequences in these arguments.
#[test]
fn a_usage_error_escapes_the_arguments_it_repeats() {
    let world = small();
    for words in [
        &["li\u{1b}[31mst"][..],
        &["list", "--\u{202e}tag"],
        &["list", "--mode", "a\u{1b}]0;x\u{7}\nerror: b\u{fe00}"],
        &["replay", "\u{200b}\u{9b}2J"],
        &["list", "\u{e0041}"],
        &["select", "--x\n# a\nerror: b"],
    ] {
        for format in [&[][..], &["--format", "json"]] {
            let ran = run(world.bare(format).args(words), None).exits(2);
            let shown = ran.text().chars().chain(ran.stderr.chars());
            assert!(!shown.clone().any(refdesk_text::escape::is_hidden), "{ran}");
            assert!(
                !ran.stderr.contains("\nerror: b") && !ran.stderr.contains("\n# ") && ran.stderr.contains("\\"),
                "{ran}"
            );
        }
    }
}

#[test]
fn only_a_near_option_is_suggested() {
    let world = small();
    let ran = world.run(&["trust", "--yes"]).exits(2);
    assert!(!ran.stderr.contains("--desk") && ran.stderr.contains("--help"), "{ran}");
    let ran = world.run(&["list", "--selectd"]).exits(2);
    assert!(ran.stderr.contains("'--selected'"), "{ran}");
}

#[test]
fn help_has_help() {
    let world = small();
    let help = world.run(&["help"]).exits(0);
    for option in ["--help", "-h"] {
        assert_eq!(world.run(&["help", option]).exits(0).text(), help.text());
    }
}
