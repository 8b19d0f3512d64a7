//! The demo's tour in a real terminal, following its own instructions. It leaves nothing behind.

use std::fs;

use portable_pty::CommandBuilder;

use crate::support::program::PROGRAM;
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

#[test]
fn the_tour_is_walked_by_its_instructions() {
    let world = Workspace::new();
    let home = world.beside("home");
    let mut pty = Pty::start_at(&home, &["--demo", "--tour"], 120, 36);
    pty.wait_for("1 of 10");
    pty.wait_for("house-rules");
    // The second part is typed after a pause, since Escape and another key in one read are a key with Alt.
    for (keys, reached) in [
        (vec!["2"], "2 of 10"),
        (vec!["j"], "3 of 10"),
        (vec!["1/retry\r"], "4 of 10"),
        (vec![" "], "5 of 10"),
        (vec!["u"], "6 of 10"),
        (vec!["3\rretry the payment", "\x1b", "v"], "7 of 10"),
        (vec!["f"], "8 of 10"),
        (vec!["4\r"], "9 of 10"),
        (vec!["\x1b", "\x1b", "6", "jj"], "10 of 10"),
        (vec![":"], "done"),
    ] {
        for part in keys {
            pty.type_bytes(part);
            pty.wait_until_quiet();
        }
        pty.wait_for(&format!("{reached} · C-g leaves"));
    }
    pty.type_bytes("\x07");
    pty.wait_until("the tour is gone", |seen| !seen.text().contains("C-g leaves"));
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(!home.join(".local/state/refdesk/screen.json").exists(), "not even its layout is kept");
    assert_eq!(fs::read_dir(&world.path).unwrap().count(), 0);
}

#[test]
fn a_tour_that_is_left_halfway_touches_nothing() {
    let world = Workspace::of(serde_json::json!([]), &[("docs/own.md", "# Own\n")]);
    let (home, before) = (world.beside("home"), world.listing());
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["--demo", "--tour"]);
    command.cwd(&world.path);
    let mut pty = Pty::spawn_at(&home, command, 120, 36);
    pty.wait_for("1 of 10");
    for (keys, shown) in [("2", "2 of 10"), ("j", "3 of 10"), ("1/retr", "retr")] {
        pty.type_bytes(keys);
        pty.wait_for(shown);
    }
    // The filter is still being typed.
    pty.type_bytes("\x07");
    pty.wait_until("the tour is gone", |seen| !seen.text().contains("C-g leaves"));
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(world.listing(), before, "the workspace that the tour was started in is as it was");
    assert!(!home.join(".local/state/refdesk/screen.json").exists());
}

#[test]
fn there_is_no_tour_of_a_workspace() {
    let world = Workspace::new();
    // `run` always passes the test's workspace.
    let ran = world.run(&["--tour"]);
    assert!(ran.code == 2 && ran.stderr.contains("cannot be used with '--tour'"), "{ran}");
}
