//! `refdesk connect` and `disconnect` ask at a terminal, and only a yes approves.

use std::fs;

use portable_pty::CommandBuilder;
use refdesk_files::write_atomic;
use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::{Workspace, inline};

const SETTINGS: &str = ".cursor/hooks.json";

const HOOKS: &[&str] = &["connect", "cursor", "--hooks-only"];

fn start(world: &Workspace, verb: &[&str]) -> Pty {
    let words = [&["--workspace", world.path.to_str().unwrap()], verb].concat();
    Pty::start_at(&world.beside("home"), &words, 100, 60)
}

/// A workspace with one source and these settings.
fn world(settings: &str) -> Workspace {
    Workspace::of(json!([inline("a", "text")]), &[(SETTINGS, settings)])
}

#[test]
fn the_diff_is_shown_before_the_answer() {
    for (typed, exit) in [("y\r", 0), ("YES\r", 0), ("n\r", 1), ("\r", 1), ("\x04", 1)] {
        let world = world("{\n  \"version\": 1\n}\n");
        let mut pty = start(&world, HOOKS);
        pty.wait_for("Change .cursor/hooks.json (+22 −1)? [y/N]");
        assert!(pty.text().contains("+  \"hooks\": {"), "{}", pty.text());
        assert_eq!(world.read(SETTINGS), "{\n  \"version\": 1\n}\n", "nothing is written before");
        pty.type_bytes(typed);
        if exit == 0 {
            pty.wait_for("Cursor is connected: changed .cursor/hooks.json");
        }
        if typed == "n\r" {
            pty.wait_for("Cursor: nothing was written, because you declined to change .cursor/hooks.json");
        }
        assert_eq!(pty.wait_for_exit().exit_code(), exit, "{typed:?}");
        assert_eq!(world.read(SETTINGS).contains("refdesk hook cursor"), exit == 0);
        if exit == 0 {
            let mut pty = start(&world, &["disconnect", "cursor"]);
            pty.wait_for("Change .cursor/hooks.json (+1 −22)? [y/N]");
            pty.type_bytes("y\r");
            assert_eq!(pty.wait_for_exit().exit_code(), 0);
            assert_eq!(world.read(SETTINGS), "{\n  \"version\": 1\n}\n");
        }
    }
}

#[test]
fn the_detected_agent_is_shown_before_the_first_question() {
    let world = world("{\n  \"version\": 1\n}\n");
    let mut pty = start(&world, &["connect", "--hooks-only"]);
    pty.wait_for("[y/N]");
    let text = pty.text();
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("found Cursor: .cursor is in this workspace") < at("\nCursor"), "{text}");
    assert!(at("\nCursor") < at("\"hooks\": {"), "{text}");
    pty.type_bytes("\x04");
    pty.wait_for_exit();
}

#[test]
fn a_file_that_changes_before_the_answer_is_not_overwritten() {
    let world = world("{\"version\": 1}\n");
    let mut pty = start(&world, HOOKS);
    pty.wait_for("[y/N]");
    write_atomic(&world.path.join(SETTINGS), b"{\"version\": 2}\n").unwrap();
    pty.type_bytes("y\r");
    // The new diff is based on the current content.
    pty.wait_for("changed after the difference was shown");
    pty.wait_for("-{\"version\": 2}");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
    assert_eq!(world.read(SETTINGS), "{\"version\": 2}\n");
    assert!(!fs::exists(world.path.join(".jaato/refdesk/connected/cursor.json")).unwrap(), "nothing is remembered");
    // The same for a file that would be removed.
    fs::remove_file(world.path.join(SETTINGS)).unwrap();
    let mut pty = start(&world, HOOKS);
    pty.wait_for("Write .cursor/hooks.json (+24 −0)? [y/N]");
    pty.type_bytes("y\r");
    pty.wait_for_exit();
    let mut pty = start(&world, &["disconnect", "cursor"]);
    pty.wait_for("Remove .cursor/hooks.json (+0 −24)? [y/N]");
    let text = world.read(SETTINGS).replacen("{\n", "{\n  \"mine\": 1,\n", 1);
    write_atomic(&world.path.join(SETTINGS), text.as_bytes()).unwrap();
    pty.type_bytes("y\r");
    pty.wait_for("changed after the difference was shown");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
    assert_eq!(world.read(SETTINGS), text);
}

#[test]
fn each_file_is_asked_about_and_nothing_is_written_unless_all_are_approved() {
    for (second, exit) in [("y\r", 0), ("n\r", 1)] {
        let world = world("{}\n");
        let mut pty = start(&world, &["connect", "cursor"]);
        pty.wait_for("Change .cursor/hooks.json (+24 −1)? [y/N]");
        pty.type_bytes("y\r");
        pty.wait_for("Write .cursor/mcp.json (+12 −0)? [y/N]");
        assert_eq!(world.read(SETTINGS), "{}\n");
        pty.type_bytes(second);
        assert_eq!(pty.wait_for_exit().exit_code(), exit);
        assert_eq!(world.read(SETTINGS) != "{}\n", exit == 0);
        assert_eq!(world.path.join(".cursor/mcp.json").exists(), exit == 0);
    }
}

#[test]
fn keeping_one_file_does_not_prevent_removing_the_others() {
    for (answers, removed) in [(["y\r", "n\r"], true), (["n\r", "n\r"], false)] {
        let world = Workspace::of(json!([inline("a", "text")]), &[]);
        let ran = world.run(&["connect", "cursor", "--yes"]);
        assert!(ran.text().contains("Cursor is connected"), "{ran}");
        let mut pty = start(&world, &["disconnect", "cursor"]);
        pty.wait_for("Remove .cursor/hooks.json (+0 −24)? [y/N]");
        pty.type_bytes(answers[0]);
        pty.wait_for("Remove .cursor/mcp.json (+0 −12)? [y/N]");
        pty.type_bytes(answers[1]);
        let kept = if removed { ".cursor/mcp.json" } else { ".cursor/hooks.json and .cursor/mcp.json" };
        pty.wait_for(&format!("Cursor: nothing was removed from {kept}, because you declined"));
        pty.wait_for(" disconnect cursor` asks again");
        if removed {
            pty.wait_for("Cursor is still connected in part: removed .cursor/hooks.json");
        }
        assert_eq!(pty.wait_for_exit().exit_code(), 1);
        assert_eq!(world.path.join(SETTINGS).exists(), !removed);
        assert!(world.path.join(".cursor/mcp.json").exists());
        // The remaining changes can still be undone.
        world.run(&["disconnect", "cursor", "--yes"]).exits(0);
        assert!(!world.path.join(".cursor").exists());
    }
}

#[test]
fn an_error_comes_before_the_questions_about_the_next_agent() {
    let world = world("{ bad");
    let mut pty = start(&world, &["connect", "cursor", "vscode"]);
    pty.wait_for("Write .vscode/mcp.json");
    assert!(pty.text().contains("error: Cursor: .cursor/hooks.json:1:3: "), "{}", pty.text());
    pty.type_bytes("y\r");
    pty.wait_for("Connected: VS Code. Not connected: Cursor.");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
}

#[test]
fn an_empty_catalog_is_asked_about_first() {
    let world = Workspace::new();
    let mut pty = start(&world, &["connect", "cursor"]);
    pty.wait_for("Connect anyway? [y/N]");
    pty.type_bytes("n\r");
    pty.wait_for("`refdesk init` proposes sources");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
    assert!(!world.path.join(".cursor").exists());
}

#[test]
fn without_detected_agents_there_is_a_list_to_choose_from() {
    for (typed, written) in [("?\r4\r", true), ("\r", false), ("q\r", false)] {
        let world = Workspace::of(json!([inline("a", "text")]), &[]);
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
        command.args(["--workspace".as_ref(), world.path.as_os_str(), "connect".as_ref()]);
        command.env("HOME", world.beside("home"));
        command.env("PATH", world.beside("tmp"));
        let mut pty = Pty::spawn(command, 100, 60);
        pty.wait_for("Enter to leave:");
        assert!(pty.text().contains("  1 claude-code  Claude Code"), "{}", pty.text());
        pty.type_bytes(typed);
        if written {
            pty.wait_for("'?' is not a number from 1 to 7");
            pty.wait_for("Write .cursor/hooks.json");
            pty.type_bytes("n\r");
        }
        assert_eq!(pty.wait_for_exit().exit_code(), u32::from(written), "{typed:?}");
    }
    // In a folder where nothing can be connected, there is no question.
    let world = Workspace::new();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["connect"]);
    command.cwd(&world.path);
    command.env("HOME", world.beside("home"));
    command.env("PATH", world.beside("tmp"));
    let pty = Pty::spawn(command, 100, 60);
    pty.wait_for("no workspace found");
    assert!(!pty.text().contains("Which do you use?"), "{}", pty.text());
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
}
