//! Files that users expect of a program: preferences, completions, manual pages. Also colours.

use std::fs;
use std::process::Command;

use serde_json::json;

use super::small;
use crate::support::program::{installed_path, run};
use crate::support::workspace::{Workspace, inline};

fn preferences(world: &Workspace, text: &str) {
    refdesk_files::write_atomic(&world.beside("home/.config/refdesk/config.toml"), text.as_bytes()).unwrap();
}

#[test]
fn config_shows_path_values_and_problems() {
    let world = Workspace::new();
    let path = world.beside("home/.config/refdesk/config.toml");
    let ran = run(&mut world.bare(&["config", "path"]), None).exits(0);
    assert_eq!(ran.text(), format!("{}\n", path.display()));
    // A value that is not set is shown as it is used, with its origin.
    let mut command = world.bare(&["config"]);
    command.env_remove("VISUAL").env("EDITOR", "vim -p").env("NO_COLOR", "1");
    let shown = run(&mut command, None).exits(0);
    for line in [
        "\n# color = \"auto\"  (the default; $NO_COLOR is set)\n",
        "\n# theme = \"auto\"  (the default)\n",
        "\n# editor = \"vim -p\"  ($EDITOR)\n",
        "\n# log = \"warn\"  (the default)\n",
    ] {
        assert!(shown.text().contains(line), "{line}: {shown}");
    }
    preferences(&world, "log = \"info\"\n");
    let shown = run(world.bare(&["config"]).env("REFDESK_LOG", "debug").env("EDITOR", ""), None).exits(0);
    assert!(shown.text().contains("\nlog = \"info\"\n# log = \"debug\"  ($REFDESK_LOG)\n"), "{shown}");
    assert!(shown.text().contains("\n# editor = \"vi\"  ($VISUAL and $EDITOR are not set)\n"), "{shown}");
    preferences(&world, "theme = \"light\"\ncolour = \"never\"\n");
    let shown = run(&mut world.bare(&["--json", "config"]), None).exits(0).json();
    assert_eq!(
        shown["values"],
        json!({"color": null, "theme": "light", "characters": null, "editor": null, "log": null})
    );
    let checked = run(&mut world.bare(&["config", "check"]), None).exits(0);
    assert!(checked.text().contains("config.toml:2:1: there is no key 'colour'"), "{checked}");
    assert!(checked.text().contains("did you mean 'color'?") && checked.stderr.is_empty(), "{checked}");
    preferences(&world, "theme = \"light\"\nlog = 7\n");
    let checked = run(&mut world.bare(&["config", "check", "--json"]), None).exits(1).json();
    let error = &checked["errors"][0];
    assert_eq!((&checked["valid"], &error["line"], &error["code"]), (&json!(false), &json!(2), &json!("wrong-type")));
}

#[test]
fn config_shows_the_keys_and_the_problems_of_the_keymap() {
    let world = Workspace::new();
    let keymap = world.beside("home/.config/refdesk/keymap.toml");
    let ran = run(&mut world.bare(&["config", "path", "keymap"]), None).exits(0);
    assert_eq!(ran.text(), format!("{}\n", keymap.display()));
    refdesk_files::write_atomic(&keymap, b"[catalog]\npick = \"F2\"\n[list]\ntop = \"g g\"\n").unwrap();
    let shown = run(&mut world.bare(&["--json", "config", "show"]), None).exits(0).json();
    let keys = &shown["keymap"]["keys"];
    assert_eq!(
        [&keys["catalog"]["pick"], &keys["selection"]["pick"], &keys["list"]["top"]],
        [&json!(["F2"]), &json!(["Space"]), &json!(["g g"])]
    );
    // The printed keymap can be used as a file.
    let printed = run(&mut world.bare(&["config", "show"]), None).exits(0).text().to_owned();
    let (_, printed) = printed.split_once("keymap.toml\n").unwrap();
    refdesk_files::write_atomic(&keymap, printed.as_bytes()).unwrap();
    let checked = run(&mut world.bare(&["config", "check"]), None).exits(0);
    assert!(checked.text().contains("keymap.toml: 0 errors, 0 warnings"), "{checked}");
    refdesk_files::write_atomic(&keymap, b"[catalog]\npick = \"Spce\"\npikc = []\n").unwrap();
    let checked = run(&mut world.bare(&["config", "check"]), None).exits(1);
    assert!(checked.text().contains("keymap.toml:2:8: 'Spce' is not a key"), "{checked}");
    assert!(checked.text().contains("keymap.toml: 1 error, 1 warning"), "{checked}");
    assert_eq!(world.run(&["list"]).stderr, "", "only the screen reads it");
}

#[test]
fn a_broken_file_stops_no_command() {
    let world = small();
    preferences(&world, "theme = \"light\"\nwhat is this\n");
    let ran = world.run(&["list"]).exits(0);
    let place = format!("warning: {}:2:6: not TOML", world.beside("home/.config/refdesk/config.toml").display());
    assert!(ran.stderr.starts_with(&place), "{ran}");
    // A link is followed, because only the user can create one here.
    let file = world.beside("home/.config/refdesk/config.toml");
    fs::rename(&file, world.beside("home/dotfile")).unwrap();
    std::os::unix::fs::symlink(world.beside("home/dotfile"), &file).unwrap();
    assert!(world.run(&["list"]).exits(0).stderr.contains("not TOML"));
    let prompt = json!({"session_id": "s", "cwd": world.path, "hook_event_name": "UserPromptSubmit", "prompt": "web"});
    let ran = world.feed(&["hook", "claude-code"], prompt.to_string().as_bytes()).exits(0);
    assert_eq!(ran.stderr, "", "an agent is not told");
}

#[test]
fn json_is_short_for_format_json() {
    let world = small();
    let short = world.run(&["list", "--json"]).exits(0);
    assert_eq!(short.text(), world.run(&["--format", "json", "list"]).exits(0).text());
    let wrong = world.run(&["list", "--json", "--nonsense"]).exits(2);
    assert_eq!(wrong.json()["error"]["code"], "usage");
    assert_eq!(world.run(&["list", "--json", "--format", "text"]).exits(2).code, 2);
}

#[test]
fn a_mistyped_tag_gets_a_suggestion() {
    let world = small();
    let ran = world.run(&["list", "-t", "retyr"]).exits(0);
    assert!(ran.stderr.contains("no source has the tag 'retyr' (did you mean 'retry'?)"), "{ran}");
    let ran = world.run(&["select", "-t", "retyr"]).exits(1);
    assert!(ran.stderr.contains("no source has the tag 'retyr' (did you mean 'retry'?)"), "{ran}");
    world.run(&["index", "--words-only"]).exits(0);
    let ran = world.run(&["search", "retry", "-t", "retyr"]).exits(0);
    assert!(ran.stderr.contains("no source has the tag 'retyr' (did you mean 'retry'?)"), "{ran}");
    assert_eq!(ran.text(), "");
    let ran = world.run(&["slect", "a"]).exits(2);
    assert!(ran.stderr.contains("'select'"), "{ran}");
    for (words, meant) in [
        (&["init", "docs", "--yse"][..], Some("'--yes'")),
        (&["templates", "show", "x", "--desc", "a"], Some("'--desk'")),
        (&["list", "--zzzzzzzz"], None),
    ] {
        let ran = world.run(words).exits(2);
        assert_eq!(ran.stderr.contains("a similar argument exists"), meant.is_some(), "{ran}");
        assert!(meant.is_none_or(|meant| ran.stderr.contains(meant) && !ran.stderr.contains("as a value")), "{ran}");
    }
}

#[test]
fn colors_by_option_preference_and_environment() {
    let world = small();
    let is_colored = |words: &[&str], environment: &[(&str, &str)]| {
        let mut command = world.command(&[words, &["why", "nobody"]].concat());
        let ran = run(command.envs(environment.iter().copied()), None).exits(1);
        let help = run(world.command(&[words, &["--help"]].concat()).envs(environment.iter().copied()), None).exits(0);
        assert_eq!(ran.stderr.contains('\u{1b}'), help.text().contains('\u{1b}'), "{ran}\n{help}");
        ran.stderr.contains("\u{1b}[1;31merror:\u{1b}[0m")
    };
    let force = ("CLICOLOR_FORCE", "1");
    for (words, environment, expected) in [
        (&[][..], &[][..], false),
        (&["--color", "always"], &[], true),
        (&["--color=always"], &[("NO_COLOR", "1")], true),
        (&[], &[force], true),
        (&["--color", "never"], &[force], false),
        (&["--color", "auto"], &[], false),
        (&[], &[force, ("NO_COLOR", "1")], false),
    ] {
        assert_eq!(is_colored(words, environment), expected, "{words:?} {environment:?}");
    }
    preferences(&world, "color = \"always\"\n");
    assert!(is_colored(&[], &[]));
    assert!(!is_colored(&["--color", "never"], &[]));
    assert!(!is_colored(&["--color", "auto"], &[]), "the option wins over the preference");
}

#[test]
fn manual_pages_for_every_command() {
    let world = Workspace::new();
    let page = run(&mut world.bare(&["man"]), None).exits(0);
    assert_eq!(run(&mut world.bare(&["man", "help"]), None).exits(0).text(), page.text());
    let of_command = run(&mut world.bare(&["man", "list"]), None).exits(0);
    assert!(of_command.text().contains("refdesk\\-list"), "{of_command}");
    let of_another = run(&mut world.bare(&["man", "db", "plan"]), None).exits(0);
    assert!(of_another.text().contains("refdesk\\-db\\-plan"), "{of_another}");
    // The command's own options, with their values, come before the placeholder for the global ones.
    let of_add = run(&mut world.bare(&["man", "add"]), None).exits(0).text().replace("\\-", "-");
    let own =
        "[--id ID] [--name NAME] [--description TEXT] [--tag TAG]... [--mode MODE] [--each] [OPTIONS] <PATH|URL>...";
    assert!(of_add.contains(own), "{of_add}");
    for (words, command, question) in [
        (&["man", "lisst"][..], "lisst", "did you mean 'list'?"),
        (&["man", "nope"], "nope", ""),
        (&["man", "db", "pln"], "db pln", "'plan'?"),
        (&["man", "list", "init"], "list init", "name one command, as in `refdesk man list`"),
    ] {
        let refused = run(&mut world.bare(words), None).exits(2);
        let message = format!("there is no command '{command}'");
        assert!(refused.stderr.contains(question) && refused.stderr.contains(&message), "{refused}");
    }
    assert!(world.listing().is_empty(), "what is not a folder does not become one");
    assert!(page.text().contains(".TH refdesk 1") && page.text().contains("why\\-not"), "{page}");
    let ran = run(&mut world.bare(&["man", "pages/man1", "--json"]), None).exits(0).json();
    let program = <refdesk::cli::Cli as clap::CommandFactory>::command();
    let commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let files: Vec<&str> = ran["files"].as_array().unwrap().iter().map(|file| file.as_str().unwrap()).collect();
    for file in &files {
        // Every page that it refers to exists.
        let text = world.read(&format!("pages/man1/{file}")).replace("\\-", "-");
        assert!(text.contains("\"refdesk 0."), "{text}");
        let named =
            text.split(|c: char| !(c.is_alphanumeric() || "-_()".contains(c))).filter_map(|it| it.strip_suffix("(1)"));
        for page in named.filter(|page| page.starts_with("refdesk-")) {
            assert!(files.contains(&format!("{page}.1").as_str()), "{file} names {page}");
        }
    }
    for command in commands {
        let text = world.read(&format!("pages/man1/refdesk-{command}.1"));
        assert!(text.contains(&format!(".TH refdesk-{command} 1")) && text.contains("Example: "), "{text}");
    }
}

/// The completions for these words.
fn completed(world: &Workspace, words: &[&str]) -> Vec<String> {
    let mut command: Command = world.bare(&[]);
    command.env("REFDESK_COMPLETE", "fish").arg("--").arg("refdesk").args(words);
    let ran = run(&mut command, None).exits(0);
    assert_eq!(ran.stderr, "", "nothing is printed into the user's line");
    ran.text().lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn a_shell_completes_names_of_the_workspace() {
    let world = small();
    world.put(".jaato/profiles/review.json", br#"{"name": "review"}"#);
    world.put("files/in.json", b"{}");
    world.run(&["select", "a", "kit"]).exits(0);
    world.run(&["exclude", "away"]).exits(0);
    world.run(&["--desk", "other", "select", "a"]).exits(0);
    let before = world.listing();
    for (words, expected) in [
        (&["select", ""][..], "tool"),
        (&["why", "to"], "tool"),
        (&["references", "select", ""], "tool"),
        (&["list", "--tag", ""], "retry"),
        (&["list", "-t", ""], "retry"),
        (&["templates", "show", ""], "hello.txt.tpl"),
        (&["render", ""], "hello.txt.tpl"),
        (&["list", "--profile", ""], "review"),
        (&["list", "--desk", ""], "other"),
        (&["hook", "c"], "claude-code"),
        (&["connect", "codex", "vs"], "vscode"),
        (&["se"], "search"),
        (&["list", "--m"], "--mode"),
        (&["list", "--mode", ""], "auto"),
        (&["tag", "to"], "tool"),
        (&["tag", "tool", "+re"], "+retry"),
        (&["tag", "tool", "-re"], "-retry"),
        (&["man", "conn"], "connect"),
        (&["add", "files/in"], "files/in.json"),
        (&["render", "hello.txt.tpl", "--vars", "@files/in"], "@files/in.json"),
    ] {
        let found = completed(&world, words);
        assert!(found.iter().any(|value| value == expected), "{words:?}: {found:?}");
    }
    assert_eq!(completed(&world, &["select", "to"]), ["tool"]);
    // Only what the command can be given: `a` and `kit` are picked. Paths are not looked up.
    for (words, expected) in [
        (&["select", "a"][..], &["away"][..]),
        (&["select", "g"], &["gone"]),
        (&["unselect", "a"], &["a"]),
        (&["references", "unselect", "k"], &["kit"]),
        (&["exclude", "a"], &["a"]),
        (&["include", "a"], &["away"]),
        (&["include", "k"], &[]),
    ] {
        assert_eq!(completed(&world, words), expected, "{words:?}");
    }
    // A tag to remove is not taken for a bundle of short options.
    assert_eq!(completed(&world, &["tag", "tool", "-re"]), ["-retry"]);
    assert_eq!(world.listing(), before, "a completion writes nothing");
    // In another workspace.
    let away = Workspace::of(json!([inline("far-away", "")]), &[]);
    let words = ["--workspace", away.path.to_str().unwrap(), "select", "f"];
    assert_eq!(completed(&world, &words), ["far-away"]);
}

/// Some shells insert a value without quotes: a file name must not become a command.
#[test]
fn a_shell_completes_only_paths_that_run_nothing() {
    let world = small();
    for name in ["zz$(touch PWN1).md", "zz`x`.md", "zz;x.md", "zz'x.md", "zz\nx.md", "zz fine.md", "$(x)/zz.md"] {
        world.put(name, b"# Z");
    }
    for before in [
        &["add"][..],
        &["list", "--config"],
        &["list", "--workspace"],
        &["templates", "extract"],
        &["templates", "validate"],
        &["render", "--file"],
        &["check"],
        &["assert"],
        &["init"],
    ] {
        let asked = |start: &'static str| completed(&world, &[before, &[start]].concat());
        assert_eq!(asked("zz"), ["zz fine.md"], "{before:?}");
        assert_eq!(asked("$(x)/z"), [""; 0], "{before:?}");
        assert!(!asked("").iter().any(|value| value.contains('$')), "{before:?}");
    }
    for option in ["--vars", "--batch"] {
        assert_eq!(completed(&world, &["render", option, "@zz"]), ["@zz fine.md"]);
    }
    world.put("home/notes.md", b"# N");
    let mut command: Command = world.bare(&[]);
    command.env("REFDESK_COMPLETE", "fish").env("HOME", world.path.join("home"));
    command.args(["--", "refdesk", "add", "~/no"]);
    assert!(run(&mut command, None).exits(0).text().starts_with("~/notes.md"), "the user's own folder");
}

/// At most 2,000 values are offered. The typed prefix is applied first, so a match late in the catalog is still
/// offered.
#[test]
fn completions_with_the_prefix_are_found_among_thousands() {
    let world = Workspace::of(json!([]), &[]);
    let file = |id: &str| format!(".jaato/references/{id}.json");
    for nth in 0..2_100 {
        let id = format!("a{nth:04}");
        let entry = json!({"id": id, "name": id, "type": "inline", "content": "x", "tags": [format!("t{nth}")]});
        world.put(&file(&id), entry.to_string().as_bytes());
    }
    world.put(
        &file("last"),
        br#"{"id": "zebra", "name": "a0000", "type": "inline", "content": "x", "tags": ["stripes"]}"#,
    );
    world.put(&file("odd"), br#"{"id": "z\u0065d", "name": "Zed", "type": "inline", "content": "x"}"#);
    assert_eq!(completed(&world, &["show", "z"]), ["zebra", "zed"]);
    assert_eq!(completed(&world, &["show", "a2099"]), ["a2099"]);
    assert_eq!(completed(&world, &["list", "--tag", "str"]), ["stripes"]);
    let all = completed(&world, &["show", ""]);
    assert_eq!(all.iter().filter(|value| value.starts_with('a')).count(), 2_000);
}

#[test]
fn a_completion_never_fails() {
    let hostile = json!([inline("$(touch x)", ""), inline("a b", ""), inline("`x`", ""), inline("fine", "")]);
    let world = Workspace::of(hostile, &[]);
    assert_eq!(completed(&world, &["select", ""]).iter().filter(|value| !value.starts_with('-')).count(), 2);
    for (file, bytes) in [("references.json", &b"{"[..]), (".jaato/refdesk/selection.json", b"\xff\xfe")] {
        world.put(file, bytes);
        let before = world.listing();
        for words in [
            &["select", ""][..],
            &["nonsense", ""],
            &["--workspace", "/nowhere", "select", ""],
            &["templates", "show", ""],
        ] {
            completed(&world, words);
        }
        assert_eq!(world.listing(), before);
    }
    let mut command = world.bare(&[]);
    command.env("REFDESK_COMPLETE", "nonsense").args(["--", "refdesk", ""]);
    assert_eq!(run(&mut command, None).exits(0).text(), "");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&mut world.bare(&["completions", shell]), None).exits(0);
        assert!(script.text().contains("REFDESK_COMPLETE"), "{script}");
    }
}

/// Runs the script in bash.
#[test]
fn bash_completes_with_the_script() {
    let world = small();
    let Ok(bash) = Command::new("bash").arg("--version").output() else { return };
    assert!(bash.status.success());
    let script = run(&mut world.bare(&["completions", "bash"]), None).exits(0);
    world.put("complete.sh", &script.stdout);
    world.put(
        ".jaato/references/tagged.json",
        br#"{"id": "tagged", "name": "T", "type": "inline", "content": "x", "tags": ["big thing"]}"#,
    );
    world.put("zz fine.md", b"# Z");
    world.put("zz$(touch PWN).md", b"# Z");
    for (words, word, count, expected) in [
        ("why to", "to", 2, "tool"),
        ("tag tagged +bi", "+bi", 3, r"+big\ thing"),
        ("tag tagged -bi", "-bi", 3, r"-big\ thing"),
        (r"tag tagged '+big\ t'", r"'+big\ t'", 3, r"+big\ thing"),
        ("tag tagged \\'+big", "+big", 3, "+big thing"),
        ("add zz", "zz", 2, r"zz\ fine.md"),
    ] {
        let asked = format!(
            "source complete.sh; COMP_WORDS=(refdesk {words}); COMP_CWORD={count}; _clap_complete_refdesk refdesk {word} x; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let mut shell = Command::new("bash");
        shell.args(["--norc", "-c", &asked]).current_dir(&world.path).env_clear();
        shell.env("PATH", installed_path()).env("HOME", world.beside("home"));
        let ran = run(&mut shell, None).exits(0);
        assert_eq!((ran.text().trim_end(), ran.stderr.as_str()), (expected, ""), "{ran}");
    }
}
