//! `refdesk trust` at a terminal shows what needs trust, and only an explicit yes grants it.

use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

#[test]
fn only_a_yes_trusts_what_was_shown() {
    let workspace = Workspace::of(json!([{"id": "outside", "name": "Outside", "path": "../outside.md"}]), &[]);
    refdesk_files::write_atomic(&workspace.beside("outside.md"), b"Far away.\n").unwrap();
    let home = workspace.beside("home");
    let words = ["--workspace", workspace.path.to_str().unwrap(), "trust"];
    for (typed, code, said) in
        [("n\r", 1, "Nothing was trusted."), ("\r", 1, "Nothing was trusted."), ("y\r", 0, "Trusted 1 setting")]
    {
        let mut pty = Pty::start_at(&home, &words, 100, 30);
        pty.wait_for("Waiting for your trust, in ");
        pty.wait_for("outside.md");
        pty.wait_for("Trust this setting?");
        assert!(!home.join(".local/state/refdesk/trust.json").exists(), "before {typed:?}");
        pty.type_bytes(typed);
        pty.wait_for(said);
        assert_eq!(pty.wait_for_exit().exit_code(), code, "{typed:?}");
    }
    let pty = Pty::start_at(&home, &words, 100, 30);
    pty.wait_for("Nothing in this workspace needs your trust.");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
