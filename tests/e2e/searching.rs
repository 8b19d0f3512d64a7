//! `Ctrl-K` on the real screen: searches for the typed text; `Enter` shows the section in its file, `Ctrl-O` picks.

use serde_json::json;

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

#[test]
fn a_section_is_found_picked_and_shown() {
    let filler = "Nothing of interest here, line after line.\n\n".repeat(40);
    let guide =
        format!("# Calls\n\n{filler}## Backing off\n\nThe pause doubles after each quetzal attempt.\n\n{filler}");
    let sources = json!([
        {"id": "guides", "name": "Guides", "type": "local", "path": "guides"},
        {"id": "other", "name": "Other", "type": "inline", "content": "Something else."},
    ]);
    let files = [("guides/README.md", "# Guides\n\nThe introduction.\n"), ("guides/calls.md", guide.as_str())];
    let workspace = Workspace::with(&files);
    workspace.configure(json!({"version": "1.0", "sources": sources, "index": {"background": false}}));
    let words = ["--workspace", workspace.path.to_str().unwrap()];
    let mut pty = Pty::start_at(&workspace.beside("home"), &words, 120, 36);
    pty.wait_for("The introduction.");
    pty.type_bytes("\x0bquetzal");
    pty.wait_for("has no search index: build it with");
    workspace.run(&["index", "--words-only"]).exits(0);
    pty.type_bytes(" attempt");
    pty.wait_for("The pause doubles after each quetzal attempt.");
    pty.wait_for("@guides");
    pty.type_bytes("\x0f");
    pty.wait_for("1 picked");
    pty.type_bytes("\r");
    pty.wait_until("the section in its file", |seen| {
        let text = seen.text();
        text.contains("Backing off") && !text.contains("## Backing off") && !text.contains("close jump")
    });
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert_eq!(workspace.picks(), ["guides"]);
}
