//! `refdesk add` and `check --fix` ask at a terminal before they write outside the workspace; anything but yes means no.

use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

#[test]
fn only_a_yes_writes_outside_the_workspace() {
    let moved = r#"{"sources": [{"id": "m", "name": "M", "path": "/home/them/kb/docs/a.md"}]}"#;
    for (words, asked, file, before) in [
        (&["add", "https://example.org/a"][..], "+11", "knowledge/example-org-a.json", ""),
        (&["check", "--fix"], "+1 −1", "knowledge/catalog.json", moved),
    ] {
        let workspace = Workspace::with(&[("docs/a.md", "x")]);
        let file = workspace.beside(file);
        if before.is_empty() {
            workspace.configure(json!({"references_dir": "../knowledge"}));
        } else {
            refdesk_files::write_atomic(&file, before.as_bytes()).unwrap();
            std::os::unix::fs::symlink("../knowledge/catalog.json", workspace.path.join("references.json")).unwrap();
        }
        // A linked configuration is only read if it is named.
        let config = workspace.path.join("references.json");
        let named = [&["--config", config.to_str().unwrap()][..], words].concat();
        let words = [&["--workspace", workspace.path.to_str().unwrap()][..], &named].concat();
        let read = || std::fs::read_to_string(&file).unwrap_or_default();
        for (typed, code) in [("n\r", 1), ("\r", 1), ("y\r", 0)] {
            assert_eq!(read(), before, "before {typed:?}");
            let mut pty = Pty::start_at(&workspace.beside("home"), &words, 200, 40);
            pty.wait_for("is outside the workspace. Write it");
            pty.wait_for(asked);
            pty.type_bytes(typed);
            assert_eq!(pty.wait_for_exit().exit_code(), code, "{words:?} {typed:?}");
        }
        assert!(read() != before && !read().is_empty(), "{}", read());
    }
}
