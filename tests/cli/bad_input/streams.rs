//! Standard streams that are closed, full or endless. A reader that exits early is not an error, a full disk is.

use std::fs::File;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::program::{PROGRAM, finish, run};
use crate::support::workspace::{Workspace, inline};

/// Prints more than fits in a pipe.
fn large() -> Workspace {
    let sources: Vec<Value> = (0..3_000).map(|at| inline(&format!("source-{at}"), "some text")).collect();
    Workspace::of(json!(sources), &[])
}

/// Runs the program from a shell that closes or redirects its streams first.
fn redirected(world: &Workspace, how: &str, words: &[&str]) -> Command {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("exec \"$0\" \"$@\" {how}"))
        .arg(PROGRAM)
        .arg("--workspace")
        .arg(&world.path)
        .args(words);
    shell.env("HOME", world.beside("home")).env("XDG_CONFIG_HOME", world.beside("home/.config"));
    shell
}

#[test]
fn a_reader_that_goes_away_is_not_an_error() {
    let world = large();
    for words in [&["list"][..], &["--format", "json", "list"], &["graph", "--dot"], &["instructions"], &["--help"]] {
        let mut command = world.command(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let ran = finish(format!("{words:?}, without a reader"), child, None).exits(0);
        assert!(!ran.stderr.contains("error"), "{ran}");
    }
}

#[test]
fn closed_streams() {
    let world = large();
    for how in ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"] {
        for words in [&["list"][..], &["check"], &["select", "source-1"], &["enrich"]] {
            run(&mut redirected(&world, how, words), None).exits(0);
        }
        run(&mut redirected(&world, how, &["nonsense"]), None).exits(2);
        run(&mut redirected(&world, how, &["select", "nobody"]), None).exits(1);
        run(&mut redirected(&world, how, &[]), None).exits(2);
    }
    assert_eq!(world.picks(), ["source-1"]);
}

#[test]
fn a_full_disk_is_an_error() {
    if File::open("/dev/full").is_err() {
        return;
    }
    let world = large();
    for words in [&["list"][..], &["--format", "json", "list"], &["--help"], &["--plain"]] {
        let ran = run(&mut redirected(&world, ">/dev/full", words), None).exits(1);
        assert!(ran.stderr.contains("standard output") && ran.stderr.lines().count() < 3, "{ran}");
    }
    // A server that cannot deliver its answers reports that on exit.
    let line = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ran = run(&mut redirected(&world, ">/dev/full", &["mcp"]), Some(format!("{line}\n").as_bytes())).exits(1);
    assert!(ran.stderr.contains("standard output cannot be written"), "{ran}");
    // What could not be written was not sent.
    let enrich = ["--session", "s", "enrich"];
    let added = |world: &Workspace| world.feed(&enrich, b"about @source-1").exits(0).text().to_owned();
    run(&mut redirected(&world, ">/dev/full", &enrich), Some(b"about @source-1")).exits(1);
    let first = added(&world);
    assert!(first.contains("Referenced Sources") && added(&world) != first, "{first}");
    // A full standard error cannot be reported; the work is done.
    run(&mut redirected(&world, "2>/dev/full", &["list"]), None).exits(0);
}

#[test]
fn a_large_or_odd_input() {
    let world = large();
    for input in [
        vec![b'x'; 10_000_000],
        vec![0xff; 100_000],
        b"@".repeat(1_000_000),
        b"---\n".repeat(200_000),
        b"@source-1 ".repeat(20_000),
    ] {
        let ran = world.feed(&["enrich", "--repeat"], &input).exits(0);
        assert!(ran.stdout.starts_with(&input));
    }
}

#[test]
fn an_input_that_is_a_folder() {
    let world = large();
    let ran = run(&mut redirected(&world, "<.", &["--format", "json", "enrich"]), None).exits(1);
    assert_eq!(ran.json()["error"]["code"], "no-input", "{ran}");
}
