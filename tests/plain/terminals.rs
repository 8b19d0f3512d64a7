//! Terminals: `TERM=dumb` selects the plain interface, Ctrl-C ends it, and only plain lines are written.

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use crate::support::program::PROGRAM;
use crate::support::pty::Pty;

fn start(term: &str, arguments: &[&str]) -> Pty {
    let mut command = CommandBuilder::new("env");
    command.arg(format!("TERM={term}"));
    command.arg(PROGRAM);
    command.args(arguments);
    let pty = Pty::spawn(command, 100, 40);
    pty.wait_for("Command:");
    pty
}

#[test]
fn a_terminal_that_cannot_move_its_cursor_gets_plain_lines() {
    let mut pty = start("dumb", &["--demo"]);
    pty.type_bytes("catalog retry\r");
    pty.wait_for("1: pat-retry");
    assert!(!pty.seen().wrote("\x1b"), "no escape sequence");
    // Ctrl-D ends the input.
    pty.type_bytes("\x04");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn signals_end_it() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let pty = start("xterm", &["--plain", "--demo"]);
        pty.signal(signal);
        let number = u32::try_from(signal.as_raw()).unwrap();
        assert_eq!(pty.wait_for_exit().exit_code(), 128 + number, "{signal:?}");
    }
    let mut pty = start("xterm", &["--plain", "--demo"]);
    pty.type_bytes("typed halfway\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 130, "Ctrl-C");
}
