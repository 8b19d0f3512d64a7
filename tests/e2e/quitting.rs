//! Changes made right before quitting are stored, even if all keys were typed before the first frame.

use portable_pty::CommandBuilder;
use rustix::process::Signal;
use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::{Workspace, inline};

fn open(workspace: &Workspace) -> Pty {
    let pty = start(workspace);
    pty.wait_for("2 sources");
    pty
}

fn start(workspace: &Workspace) -> Pty {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
    command.env("HOME", workspace.beside("home"));
    Pty::spawn(command, 120, 36)
}

#[test]
fn a_pick_in_the_same_write_as_the_quit_key() {
    for round in 0..10 {
        let workspace = Workspace::of(json!([inline("alpha", "text"), inline("beta", "text")]), &[]);
        let mut pty = open(&workspace);
        pty.type_bytes(if round % 2 == 0 { " q" } else { " \x03" });
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
        assert_eq!(workspace.picks(), ["alpha"], "round {round}");
    }
}

#[test]
fn an_undo_and_a_cleared_selection_too() {
    for leaving in ["uq", "Cyq"] {
        let workspace = Workspace::of(json!([inline("alpha", "text"), inline("beta", "text")]), &[]);
        let mut pty = open(&workspace);
        pty.type_bytes(" ");
        pty.wait_for("1 picked");
        pty.type_bytes(leaving);
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
        assert!(workspace.picks().is_empty(), "{leaving:?}: {:?}", workspace.picks());
    }
}

#[test]
fn a_pick_followed_by_a_signal() {
    for signal in [Signal::TERM, Signal::HUP] {
        let workspace = Workspace::of(json!([inline("alpha", "text"), inline("beta", "text")]), &[]);
        let mut pty = open(&workspace);
        pty.type_bytes(" ");
        pty.signal(signal);
        let number = u32::try_from(signal.as_raw()).unwrap();
        assert_eq!(pty.wait_for_exit().exit_code(), 128 + number);
        assert_eq!(workspace.picks(), ["alpha"], "{signal:?}");
    }
}

#[test]
fn keys_typed_before_the_workspace_is_open_wait_for_it() {
    let sources: Vec<_> = (0..3000).map(|nth| inline(&format!("source-{nth:04}"), "text")).collect();
    for (keys, picks) in [(" q", &["source-0000"][..]), ("j /2999\r q", &["source-0001", "source-2999"])] {
        let workspace = Workspace::of(json!(sources), &[]);
        let mut pty = start(&workspace);
        // Before that, the terminal is in line mode.
        pty.wait_until("the screen", |seen| seen.terminal.screen().alternate_screen());
        pty.type_bytes(keys);
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
        assert_eq!(workspace.picks(), picks, "{keys:?}");
    }
}
