//! The real binary in a real terminal: filtering, picking, and every way to quit. The snapshots of `tui` test the look
//! of the panes; these tests cover what needs a process and a terminal.

mod adding;
mod agents;
mod asking;
mod connecting;
mod databases;
mod editing;
mod editor;
mod graph;
mod initializing;
mod live;
mod manual;
mod mouse_and_layout;
mod own_files;
mod panics;
mod pictures;
mod quitting;
mod requests;
mod resuming;
mod searching;
mod tasks;
mod templates;
mod terminals;
mod touring;
mod trusting;
mod welcoming;
mod writing;

use std::time::Duration;

use rustix::process::Signal;

use crate::support::pty::Pty;

fn demo(columns: u16, rows: u16) -> Pty {
    let pty = Pty::start(&["--demo"], columns, rows);
    pty.wait_for("1 Catalog");
    pty.wait_for("house-rules");
    if columns >= 100 && rows >= 28 {
        // The first source's document is next to the list, so the frame is complete once it shows.
        pty.wait_for("Halyard runs seven antennas");
    }
    pty
}

#[test]
fn filter_pick_and_see_what_is_pulled_in() {
    let mut pty = demo(120, 36);
    pty.wait_for("1 picked");
    pty.type_bytes("/circuit-breaker\r");
    pty.wait_for("pat-circuit-breaker");
    pty.type_bytes(" ");
    pty.wait_for("2 picked");
    pty.type_bytes(" ");
    pty.wait_for("1 picked");
    pty.type_bytes("\x1bq");
    // Escape and the next key in one read would be a key with Alt, so wait in between.
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn hints_appear_while_a_prompt_is_typed() {
    let mut pty = demo(120, 36);
    pty.type_bytes("3\rwhat is our retry policy");
    pty.wait_for("(matched:");
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_template_is_previewed() {
    let mut pty = demo(80, 24);
    pty.type_bytes("4");
    pty.wait_for("preview");
    pty.wait_for(" value");
    pty.wait_until("the rendered text", |seen| !seen.text().contains("rendering"));
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn keys_that_quit() {
    for (key, what) in [("q", "q"), ("\x03", "Ctrl-C"), ("/abc\x03", "Ctrl-C in a text field")] {
        let mut pty = demo(80, 24);
        pty.type_bytes(key);
        assert_eq!(pty.wait_for_exit().exit_code(), 0, "{what}");
    }
}

#[test]
fn signals_that_end() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let pty = demo(80, 24);
        pty.signal(signal);
        let number = u32::try_from(signal.as_raw()).unwrap();
        assert_eq!(pty.wait_for_exit().exit_code(), 128 + number, "{signal:?}");
    }
}

#[test]
fn suspended_and_resumed() {
    let mut pty = demo(80, 24);
    for how in ["Ctrl-Z", "SIGTSTP", "Ctrl-Z"] {
        if how == "Ctrl-Z" {
            pty.type_bytes("\x1a");
        } else {
            pty.signal(Signal::TSTP);
        }
        pty.wait_until_stopped();
        pty.signal(Signal::CONT);
        pty.wait_until("the screen again", |seen| {
            seen.terminal.screen().alternate_screen() && seen.text().contains("1 Catalog")
        });
    }
    pty.type_bytes("2");
    pty.wait_for("2 Selection ━");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn resized_to_nothing_and_back() {
    let mut pty = demo(80, 24);
    pty.resize(20, 5);
    pty.wait_for("refdesk needs at");
    pty.resize(1, 1);
    pty.resize(120, 36);
    pty.wait_for("4 Templates");
    pty.wait_for("3 Hints");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn nothing_is_written_while_nothing_happens() {
    let mut pty = demo(120, 36);
    pty.wait_until("all documents read", |seen| !seen.text().contains("reading "));
    // On a busy machine pending output may arrive late, but then a second passes without a byte.
    let is_idle = || {
        let before = pty.bytes();
        !pty.comes(Duration::from_secs(1), |seen| seen.bytes > before)
    };
    assert!((0..10).any(|_| is_idle()), "it goes on writing");
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn commands_escape_their_output_on_a_terminal() {
    // A pipe gets the exact bytes, because a rendered file must be exact.
    let pty = Pty::start(&["--demo", "render", "--inline", "a\x1b[31mb\u{202e}c"], 80, 24);
    pty.wait_for("a\\x1b[31mb\\u{202e}c");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
