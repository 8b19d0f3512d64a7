//! `refdesk ask` at a terminal: the list, an invalid line, and the picks.

use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::{Workspace, inline};

fn start(timeout: f64) -> (Workspace, Pty) {
    let world = Workspace::new();
    let sources: Vec<_> = ["one", "two", "three"].iter().map(|id| inline(id, "text")).collect();
    world.configure(json!({"version": "1.0", "sources": sources, "channel": {"timeout": timeout}}));
    let words = ["--workspace", world.path.to_str().unwrap(), "ask", "--context", "which applies?"];
    let pty = Pty::start(&words, 100, 40);
    (world, pty)
}

#[test]
fn the_list_is_asked_about_until_a_line_is_valid() {
    let (world, mut pty) = start(60.0);
    pty.wait_for("which applies?");
    pty.wait_for("3  @three  Name of three");
    pty.wait_for("an empty line means none:");
    pty.type_bytes("2-4\r");
    pty.wait_for("There is no 4: the numbers go from 1 to 3.");
    pty.type_bytes("3,1\r");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(world.picks(), ["three", "one"]);
}

#[test]
fn an_empty_line_and_the_end_of_input_mean_none() {
    for typed in ["\r", "\x04", "none\r"] {
        let (world, mut pty) = start(60.0);
        pty.wait_for("an empty line means none:");
        pty.type_bytes(typed);
        pty.wait_for("Nothing was chosen.");
        assert_eq!(pty.wait_for_exit().exit_code(), 0, "{typed:?}");
        assert_eq!(world.picks(), [""; 0]);
    }
}

#[test]
fn a_person_who_types_is_not_waited_for_beyond_the_timeout() {
    let (world, pty) = start(0.3);
    pty.wait_for("no answer within 0.3 s");
    assert_eq!(pty.wait_for_exit().exit_code(), 3);
    assert_eq!(world.picks(), [""; 0]);
}
