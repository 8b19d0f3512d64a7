//! The screen resumes a workspace as it was left, after quitting and after a kill. The demo leaves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use refdesk_files::{is_unfinished, write_atomic};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

fn workspace() -> Workspace {
    let guide = format!("# Retrying\n\n{}## Pauses\n\nThey grow.\n", "Line after line.\n\n".repeat(60));
    let sources = json!([
        {"id": "first", "name": "First", "type": "inline", "content": "One."},
        {"id": "retrying", "name": "Retrying", "type": "local", "path": "retry.md"},
        {"id": "class", "name": "Class", "type": "local", "path": "class", "mode": "auto"},
    ]);
    let template = "class {{name}} { String password = \"{{dbPassword}}\"; }\n";
    let files = [("retry.md", guide.as_str()), (".templates/Entity.java.tpl", template)];
    let workspace = Workspace::with(&files);
    workspace.configure(json!({"version": "1.0", "sources": sources, "index": {"background": false}}));
    workspace
}

fn start(workspace: &Workspace) -> Pty {
    let words = ["--workspace", workspace.path.to_str().unwrap()];
    Pty::start_at(&workspace.beside("home"), &words, 120, 36)
}

/// The session files.
fn sessions(workspace: &Workspace) -> Vec<PathBuf> {
    let folder = workspace.beside("home").join(".local/state/refdesk/workspaces");
    let entries = fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.unwrap().path());
    // Skips files that are still being written.
    paths.filter(|path| path.file_name().is_some_and(|name| !is_unfinished(name))).collect()
}

fn read(file: &Path) -> Value {
    serde_json::from_slice(&fs::read(file).unwrap()).unwrap()
}

#[test]
fn the_screen_is_as_it_was_left() {
    let workspace = workspace();
    let mut pty = start(&workspace);
    pty.wait_for("retrying");
    pty.type_bytes("4");
    pty.wait_for("2 values");
    pty.type_bytes("\rhunter2\rOrders");
    pty.wait_for("class Orders");
    pty.type_bytes("\x1b");
    pty.wait_for("class Orders { String password = \"hunter2\"");
    pty.wait_for("2 typed");
    pty.type_bytes("3\rwhy twice?");
    pty.wait_for("why twice?");
    pty.type_bytes("\x1b");
    pty.wait_for("type a prompt");
    pty.type_bytes("1/retry\r\r");
    pty.wait_for("┏ retrying");
    pty.wait_for("Line after line.");
    pty.type_bytes("G");
    pty.wait_for("They grow.");
    pty.type_bytes("z");
    pty.wait_until("the document alone", |seen| !seen.text().contains("1 Catalog ━"));
    pty.type_bytes("q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);

    let files = sessions(&workspace);
    let [file] = files.as_slice() else { panic!("one file: {files:?}") };
    let text = fs::read_to_string(file).unwrap();
    assert!(!text.contains("hunter2") && text.contains("Orders"), "{text}");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);

    let mut again = start(&workspace);
    again.wait_for("Pauses");
    assert!(!again.text().contains("1 Catalog ━"), "{}", again.text());
    again.type_bytes("z");
    again.wait_for("/ retry");
    again.type_bytes("3");
    again.wait_for("why twice?");
    again.type_bytes("4");
    again.wait_for("class Orders { String password = \"");
    assert!(!again.text().contains("hunter2"));
    again.type_bytes("q");
    assert_eq!(again.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_kill_loses_no_draft() {
    let workspace = workspace();
    let mut pty = start(&workspace);
    pty.wait_for("retrying");
    pty.type_bytes("3\rwhy twice?");
    pty.wait_for("why twice?");
    let is_kept = || sessions(&workspace).iter().any(|file| read(file)["prompt"] == "why twice?");
    // A write after the last frame draws nothing, so the test makes the screen draw.
    while !pty.comes(Duration::from_millis(100), |_| is_kept()) {
        pty.type_bytes("\x0c");
    }
    pty.signal_program(Signal::KILL);
    pty.hang_up();
    let mut again = start(&workspace);
    again.wait_for("why twice?");
    again.type_bytes("\x03");
    assert_eq!(again.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_file_that_another_program_wrote_does_not_count_and_is_put_aside() {
    let workspace = workspace();
    let mut pty = start(&workspace);
    pty.wait_for("retrying");
    pty.type_bytes("2q");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    let file = sessions(&workspace).remove(0);
    let changed = fs::read_to_string(&file).unwrap().replace("Selection", "Templates");
    write_atomic(&file, changed.as_bytes()).unwrap();
    let mut again = start(&workspace);
    again.wait_for("The saved state of the screen was dropped");
    again.type_bytes("q");
    assert_eq!(again.wait_for_exit().exit_code(), 0);
    assert_eq!(fs::read_to_string(file.with_extension("json.aside")).unwrap(), changed);
}

#[test]
fn the_demo_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = Pty::start_at(home.path(), &["--demo"], 120, 36);
    pty.wait_for("house-rules");
    pty.type_bytes("3\rwhy twice?");
    pty.wait_for("why twice?");
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(!home.path().join(".local/state/refdesk/workspaces").exists());
}
