//! `refdesk render --output` asks at a terminal before it writes, and only a yes approves.

use std::fs;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

fn render(world: &Workspace, path: &str, template: &str) -> Pty {
    let (workspace, output) = (world.path.to_str().unwrap(), world.path.join(path));
    let output = output.to_str().unwrap();
    Pty::start(&["--workspace", workspace, "render", "--inline", template, "--output", output, "--overwrite"], 100, 30)
}

#[test]
fn the_diff_is_shown_before_the_answer() {
    for (typed, exit, content) in [
        ("y\r", 0, "new\n"),
        ("Yes\r", 0, "new\n"),
        ("n\r", 1, "old\n"),
        ("\r", 1, "old\n"),
        ("yep\r", 1, "old\n"),
        ("\x04", 1, "old\n"),
    ] {
        let world = Workspace::with(&[("a.txt", "old\n")]);
        let mut pty = render(&world, "a.txt", "new\n");
        pty.wait_for("Write a.txt (+1 −1)? [y/N]");
        assert!(pty.text().contains("-old\n+new\n"), "{}", pty.text());
        assert_eq!(world.read("a.txt"), "old\n", "nothing is written before");
        pty.type_bytes(typed);
        if exit == 0 {
            pty.wait_for("Wrote a.txt: 4 bytes");
        }
        assert_eq!(pty.wait_for_exit().exit_code(), exit, "{typed:?}");
        assert_eq!(world.read("a.txt"), content, "{typed:?}");
    }
}

#[test]
fn the_shown_text_cannot_move_the_cursor() {
    let world = Workspace::with(&[("a.txt", "old \x1b[2J\n"), ("b.txt", "same\r\n")]);
    let mut pty = render(&world, "a.txt", "new \u{202e}\n");
    pty.wait_for("[y/N]");
    assert!(pty.text().contains("-old \\x1b[2J") && pty.text().contains("+new \\u{202e}"), "{}", pty.text());
    pty.type_bytes("n\r");
    pty.wait_for_exit();
    // Different line ends are visible.
    let mut pty = render(&world, "b.txt", "same\n");
    pty.wait_for("[y/N]");
    assert!(pty.text().contains("-same\\r\n+same\n") && pty.text().contains("warning: "), "{}", pty.text());
    pty.type_bytes("y\r");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(fs::read(world.path.join("b.txt")).unwrap(), b"same\n");
}
