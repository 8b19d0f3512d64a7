//! A folder without a catalog on the real screen: scanned, ticked, written. Also the commands that take over the
//! terminal.

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

fn repository() -> Workspace {
    let workspace = Workspace::with(&[
        ("README.md", "# Shop\n\nSells passes for the lifts.\n"),
        ("docs/retry-policy.md", "# Retry policy\n\nRepeat a call that failed, with growing pauses.\n"),
        ("docs/errors.md", "# Errors\n\nErrors are problem documents. See retry-policy.\n"),
    ]);
    std::fs::create_dir(workspace.path.join(".git")).unwrap();
    workspace
}

fn open(workspace: &Workspace) -> Pty {
    let pty = Pty::start_at(&workspace.beside("home"), &["--workspace", workspace.path.to_str().unwrap()], 120, 36);
    pty.wait_for("Scan this folder");
    pty
}

#[test]
fn from_an_empty_screen_to_a_catalog() {
    let workspace = repository();
    let mut pty = open(&workspace);
    pty.type_bytes("s");
    pty.wait_for("retry-policy");
    pty.wait_for("3 of 3 ticked");
    pty.type_bytes("\r");
    pty.wait_for("docs/errors.md\"");
    assert!(!workspace.path.join(".jaato/references").exists(), "nothing is written before it was approved");
    pty.type_bytes("y");
    pty.wait_for("The catalog is written");
    pty.type_bytes("\x1b");
    // The window shows "3 sources" too. Esc directly followed by q would be Alt-q.
    pty.wait_until("the catalog without the window", |seen| !seen.text().contains("The catalog is written"));
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(workspace.json(&["list"], 0)["total"], 3);
}

#[test]
fn a_file_is_added_and_the_demo_comes_back() {
    let workspace = repository();
    let mut pty = open(&workspace);
    pty.type_bytes("adocs/errors.md\r");
    pty.wait_for("Space would pick only this source");
    pty.type_bytes("W");
    pty.wait_for("Open the demo");
    pty.type_bytes("o");
    pty.wait_for("1 of 10 · C-g leaves");
    pty.type_bytes("\x03");
    pty.wait_until("the own screen again", |seen| seen.text().contains("1 source ") && !seen.text().contains("Tour"));
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
