//! `F7` on the real screen: agents' sessions appear while their hooks run, with what they were sent, and lead to the
//! receipt.

use serde_json::json;

use crate::support::program::run;
use crate::support::pty::Pty;
use crate::support::workspace::{Workspace, inline};

/// Runs a hook of Claude Code with this prompt.
fn hook(workspace: &Workspace, session: &str, prompt: &str) {
    let document = json!({
        "session_id": session, "cwd": workspace.path, "hook_event_name": "UserPromptSubmit",
        "transcript_path": "/none", "permission_mode": "default", "prompt": prompt,
    });
    run(&mut workspace.bare(&["hook", "claude-code"]), Some(document.to_string().as_bytes())).exits(0);
}

#[test]
fn a_hook_appears_while_the_view_is_open() {
    let mut retry = inline("retry-policy", "Try three times.");
    retry["tags"] = json!(["retry"]);
    let workspace = Workspace::of(json!([retry, inline("other", "Something else.")]), &[]);
    hook(&workspace, "first-session", "how do we retry?");
    let words = ["--workspace", workspace.path.to_str().unwrap()];
    let mut pty = Pty::start_at(&workspace.beside("home"), &words, 120, 36);
    pty.wait_for("2 sources");
    pty.type_bytes("S");
    pty.wait_for("first-session");
    pty.wait_for("0 of 1 hint");
    hook(&workspace, "second-session", "and retry what?");
    pty.wait_for("second-session");
    pty.wait_for("2 sessions");
    // The cursor stays on its session.
    pty.type_bytes("\r");
    pty.wait_for("[Journal 1]");
    hook(&workspace, "first-session", "what does @other say?");
    hook(&workspace, "second-session", "what does @other say?");
    pty.wait_for("[Journal 2]");
    pty.type_bytes("\t");
    pty.wait_for("[Known sources 2]");
    pty.wait_for("other        sent");
    pty.type_bytes("\t\r");
    pty.wait_for("Receipt");
    pty.wait_for("session first-session, with a prompt");
    pty.type_bytes("q");
    pty.wait_until("the receipt gone", |seen| !seen.text().contains("Receipt"));
    pty.type_bytes("qqq");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}
