//! A script on standard input gets the same output as a person, but only the rights of a script.

use std::process::Stdio;

use serde_json::json;

use crate::support::program::finish;
use crate::support::workspace::{Workspace, inline};

fn world() -> Workspace {
    let sources = json!([
        inline("alpha", "See beta."),
        inline("beta", "See gamma.\nThe end."),
        inline("gamma", "Nothing more."),
        inline("delta", "Alone."),
    ]);
    Workspace::of(sources, &[])
}

#[test]
fn a_script_lists_picks_and_undoes() {
    let world = world();
    let script = b"catalog\n1\npick 1\nwhy gamma\nselection\nundo\npick delta\n";
    let ran = world.feed(&["--plain"], script).exits(0);
    let lines: Vec<&str> = ran.text().lines().collect();
    for expected in [
        "The catalog has 4 sources. The selection is empty. With the instructions, an agent gets about 30 tokens.",
        "1: alpha, available, about 3 tokens.",
        "alpha: Name of alpha.",
        "Picked alpha.",
        "2 more sources pulled in: beta and gamma.",
        "gamma is pulled in by beta: references.json line 1.",
        "alpha is picked.",
        "2:   beta, pulled in by alpha, about 5 tokens.",
        "Undone: pick of alpha.",
        "Picked delta.",
    ] {
        assert!(lines.contains(&expected), "{expected} is not in {ran}");
    }
    assert!(!ran.text().chars().any(|c| c.is_control() && c != '\n'), "{ran}");
    assert_eq!(ran.stderr, "");
    assert_eq!(world.picks(), ["delta"]);
}

#[test]
fn a_search_of_a_script_waits_for_the_index() {
    let ran = world().feed(&["--plain"], b"search nothing more\n").exits(0);
    assert!(ran.text().contains(" found by ") && !ran.text().contains("still being indexed"), "{ran}");
}

#[test]
fn the_end_of_the_input_quit_and_a_reader_that_goes_away_end_it() {
    let world = world();
    for script in [&b""[..], b"quit\ncatalog\n", b"catalog", b"\xff\xfe\n\0\n"] {
        let ran = world.feed(&["--plain"], script).exits(0);
        assert_eq!(ran.text().contains("1: alpha"), script == b"catalog", "{ran}");
    }
    let mut command = world.command(&["--plain"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = finish("without a reader".to_owned(), child, Some(b"catalog\ncatalog\n")).exits(0);
    assert_eq!(ran.stderr, "");
}

#[test]
fn an_input_that_cannot_be_read_is_an_error() {
    let world = world();
    let mut command = world.command(&["--plain"]);
    let folder = std::fs::File::open(&world.path).unwrap();
    command.stdin(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = finish("with a folder as its input".to_owned(), command.spawn().unwrap(), None).exits(1);
    assert!(ran.stderr.contains("Is a directory"), "{ran}");
}

#[test]
fn usage() {
    let world = world();
    for words in [&["--plain", "list"][..], &["--plain", "--demo", "--tour"]] {
        world.feed(words, b"").exits(2);
    }
}

#[test]
fn a_script_is_told_as_many_problems_as_check_finds() {
    let world = Workspace::of(
        json!([{"id": "gone", "name": "Gone", "path": "docs/gone.md"}, {"id": "out", "name": "Out", "path": "/usr/share/doc"}]),
        &[(".jaato/profiles/p.json", r#"{"name": "p", "plugin_configs": {"references": {"preselected": ["none"]}}}"#)],
    );
    let found = world.json(&["check"], 0)["warnings"].as_array().unwrap().len();
    assert_eq!(found, 4, "a path, a profile, what waits for trust, and what nothing brings up");
    let ran = world.feed(&["--plain"], b"problems\nquit\n").exits(0);
    assert!(ran.text().contains(&format!("0 errors and {found} warnings.")), "{found}: {ran}");
}
