//! Leaving in the same breath as a change: the change is stored all the same.

use portable_pty::CommandBuilder;
use rustix::process::Signal;
use serde_json::json;

use crate::pty::Pty;
use crate::support::workspace::{Workspace, inline};

fn open(workspace: &Workspace) -> Pty {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_refdesk"));
    command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
    command.env("HOME", workspace.beside("home"));
    let pty = Pty::spawn(command, 120, 36);
    pty.wait_for("2 sources");
    pty
}

#[test]
fn a_pick_in_the_same_write_as_the_key_that_leaves() {
    for round in 0..10 {
        let workspace = Workspace::of(json!([inline("alpha", "text"), inline("beta", "text")]), &[]);
        let mut pty = open(&workspace);
        pty.type_bytes(if round % 2 == 0 { " q" } else { " \x03" });
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
        assert_eq!(workspace.picks(), ["alpha"], "round {round}");
    }
}

#[test]
fn an_undo_and_a_cleared_desk_too() {
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
fn a_pick_and_a_signal_behind_it() {
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
