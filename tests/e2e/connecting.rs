//! `refdesk connect` and `disconnect` ask at a terminal; anything but yes means no.

use std::fs;

use refdesk_files::write_atomic;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

const SETTINGS: &str = ".cursor/hooks.json";

fn start(world: &Workspace, verb: &str) -> Pty {
    let words = ["--workspace", world.path.to_str().unwrap(), verb, "cursor"];
    Pty::start_at(&world.beside("home"), &words, 100, 40)
}

#[test]
fn the_diff_is_shown_before_the_answer() {
    for (typed, exit) in [("y\r", 0), ("YES\r", 0), ("n\r", 1), ("\r", 1), ("\x04", 1)] {
        let world = Workspace::with(&[(SETTINGS, "{\n  \"version\": 1\n}\n")]);
        let mut pty = start(&world, "connect");
        pty.wait_for("Change .cursor/hooks.json (+22 −1)? [y/N]");
        assert!(pty.text().contains("+  \"hooks\": {"), "{}", pty.text());
        assert_eq!(world.read(SETTINGS), "{\n  \"version\": 1\n}\n", "nothing is written before");
        pty.type_bytes(typed);
        if exit == 0 {
            pty.wait_for("cursor is connected: changed .cursor/hooks.json");
        }
        assert_eq!(pty.wait_for_exit().exit_code(), exit, "{typed:?}");
        assert_eq!(world.read(SETTINGS).contains("refdesk hook cursor"), exit == 0);
        if exit == 0 {
            let mut pty = start(&world, "disconnect");
            pty.wait_for("Change .cursor/hooks.json (+1 −22)? [y/N]");
            pty.type_bytes("y\r");
            assert_eq!(pty.wait_for_exit().exit_code(), 0);
            assert_eq!(world.read(SETTINGS), "{\n  \"version\": 1\n}\n");
        }
    }
}

#[test]
fn a_file_that_changes_before_the_answer_is_not_overwritten() {
    let world = Workspace::with(&[(SETTINGS, "{\"version\": 1}\n")]);
    let mut pty = start(&world, "connect");
    pty.wait_for("[y/N]");
    write_atomic(&world.path.join(SETTINGS), b"{\"version\": 2}\n").unwrap();
    pty.type_bytes("y\r");
    // The new diff is made from the current content.
    pty.wait_for("changed after the difference was shown");
    pty.wait_for("-{\"version\": 2}");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
    assert_eq!(world.read(SETTINGS), "{\"version\": 2}\n");
    assert!(!fs::exists(world.path.join(".jaato/refdesk/connected/cursor.json")).unwrap(), "nothing is remembered");
    // The same for a file that is to be removed.
    fs::remove_file(world.path.join(SETTINGS)).unwrap();
    let mut pty = start(&world, "connect");
    pty.wait_for("Write .cursor/hooks.json (+24 −0)? [y/N]");
    pty.type_bytes("y\r");
    pty.wait_for_exit();
    let mut pty = start(&world, "disconnect");
    pty.wait_for("Remove .cursor/hooks.json (+0 −24)? [y/N]");
    let text = world.read(SETTINGS).replacen("{\n", "{\n  \"mine\": 1,\n", 1);
    write_atomic(&world.path.join(SETTINGS), text.as_bytes()).unwrap();
    pty.type_bytes("y\r");
    pty.wait_for("changed after the difference was shown");
    assert_eq!(pty.wait_for_exit().exit_code(), 1);
    assert_eq!(world.read(SETTINGS), text);
}
