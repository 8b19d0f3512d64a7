//! A request of another process opens on a real screen and is answered by keys. If two screens show it, one answers and
//! both report it.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// A request id in the format of refdesk, which is the only kind that may name its asker.
pub const CHOICE: &str = "0123456789abcdef0123456789abcdef";

fn workspace() -> Workspace {
    Workspace::of(
        json!([
            {"id": "retry", "name": "Retry", "type": "inline", "content": "Again."},
            {"id": "timeouts", "name": "Timeouts", "type": "inline", "content": "See retry."},
        ]),
        &[],
    )
}

fn open(workspace: &Workspace) -> Pty {
    let path = workspace.path.to_str().unwrap();
    let pty = Pty::start(&["--workspace", path], 120, 36);
    pty.wait_for("2 sources");
    pty
}

/// Asks like a process that lives until the returned lock is dropped.
pub fn ask(workspace: &Workspace, id: &str, more: Value) -> File {
    let mut request = json!({
        "request_id": id, "timestamp": "2026-11-22T08:00:00Z", "context": "to write a client",
        "asker": {"who": "claude over mcp", "session": "s-1", "desk": "default"},
    });
    request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let folder = workspace.path.join(".jaato/refdesk/ask/requests");
    fs::create_dir_all(&folder).unwrap();
    let staged = workspace.beside(id);
    write_atomic(&staged, request.to_string().as_bytes()).unwrap();
    let held = File::open(&staged).unwrap();
    held.lock().unwrap();
    fs::rename(&staged, folder.join(format!("{id}.json"))).unwrap();
    held
}

fn answered(workspace: &Workspace, id: &str) -> PathBuf {
    workspace.path.join(format!(".jaato/refdesk/ask/responses/{id}.json"))
}

fn read(workspace: &Workspace, id: &str) -> Value {
    serde_json::from_slice(&fs::read(answered(workspace, id)).unwrap()).unwrap()
}

fn quit(mut pty: Pty) {
    pty.type_bytes("\x03");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_choice_is_answered_by_keys() {
    let workspace = workspace();
    let mut pty = open(&workspace);
    let offered = json!([{"id": "retry", "name": "Retry"}, {"id": "timeouts", "name": "Timeouts"}]);
    let _asker = ask(&workspace, CHOICE, json!({"sources": offered}));
    pty.wait_for("claude over mcp wants you to choose from 2 sources");
    pty.wait_for("1 request: A");
    assert!(!answered(&workspace, CHOICE).exists());
    pty.type_bytes("Aj ");
    pty.wait_for("1 of 2 marked");
    pty.wait_for("Adds itself and @retry");
    pty.type_bytes("\r");
    pty.wait_for("Answered claude over mcp: 1 source");
    let response = read(&workspace, CHOICE);
    assert_eq!((&response["request_id"], &response["selected_ids"]), (&json!(CHOICE), &json!(["timeouts"])));
    pty.wait_for("2 Selection");
    quit(pty);
}

#[test]
fn the_plain_interface_says_what_followed_from_a_choice() {
    let workspace = workspace();
    let path = workspace.path.to_str().unwrap();
    let mut pty = Pty::start_at(&workspace.beside("home"), &["--plain", "--workspace", path], 120, 36);
    pty.wait_for("Command:");
    let mut command = workspace.command(&["ask", "--context", "for the client"]);
    let asker = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let is_listed = |pty: &mut Pty| {
        pty.type_bytes("requests\r");
        pty.comes(Duration::from_secs(1), |seen| seen.text().contains("Type the numbers"))
    };
    assert!((0..60).any(|_| is_listed(&mut pty)), "{}", pty.text());
    pty.type_bytes("2\r");
    pty.wait_for("Type yes to answer with them");
    pty.type_bytes("yes\r");
    pty.wait_for("1 more source pulled in: retry.");
    pty.wait_for("Type undo to undo it.");
    assert!(asker.wait_with_output().unwrap().status.success());
    pty.type_bytes("quit\r");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn a_write_is_shown_and_approved_or_declined() {
    let workspace = workspace();
    let mut pty = open(&workspace);
    for (id, key, approved) in
        [("0123456789abcdef0123456789abcde1", "n", false), ("0123456789abcdef0123456789abcde2", "y", true)]
    {
        let diff = "--- a/src/A.java\n+++ b/src/A.java\n@@ -1 +1 @@\n-old\n+new\n";
        let approval = json!({"path": "src/A.java", "summary": "+1 −1", "diff": diff});
        let _asker = ask(&workspace, id, json!({"approval": approval}));
        pty.wait_for("claude over mcp wants to write a file");
        pty.wait_for("1 request");
        pty.type_bytes("A");
        pty.wait_for("look at the write");
        pty.type_bytes("\r");
        pty.wait_for("yes, OVERWRITE it");
        pty.type_bytes(key);
        pty.wait_until("that it was answered", |seen| {
            !seen.text().contains("1 request") && seen.text().contains("src/A.java")
        });
        assert_eq!(read(&workspace, id)["approved"], json!(approved), "{id}");
    }
    quit(pty);
}

#[test]
fn an_asker_that_ends_is_reported() {
    let workspace = workspace();
    let pty = open(&workspace);
    // The id has refdesk's own format, whose askers hold a lock while they live.
    let asker = ask(&workspace, &"a1".repeat(16), json!({"sources": [{"id": "retry"}]}));
    pty.wait_for("1 request: A");
    drop(asker);
    pty.wait_for("The choice is no longer needed: claude over mcp is gone");
    pty.wait_until("the end of the request", |seen| !seen.text().contains("1 request"));
    quit(pty);
}

#[test]
fn one_of_two_screens_answers_and_one_of_two_requests_times_out() {
    let workspace = workspace();
    workspace.configure(json!({
        "sources": [{"id": "retry", "name": "Retry", "type": "inline", "content": "Again."}],
        "channel": {"type": "queue", "timeout": 60},
    }));
    let path = workspace.path.to_str().unwrap();
    let [one, two] = [(), ()].map(|()| Pty::start(&["--workspace", path], 120, 36));
    let both = |text: &str| [&one, &two].iter().for_each(|screen| screen.wait_for(text));
    both("1 source");
    let asker =
        workspace.bare(&["--workspace", path, "ask", "--context", "for the client"]).stdout(Stdio::piped()).spawn();
    let asker = asker.unwrap();
    both("1 request: A");
    let now = jiff::Timestamp::now().to_string();
    let sources = json!([{"id": "retry", "name": "Retry"}]);
    let impatient = ask(&workspace, &"b2".repeat(16), json!({"timestamp": now, "timeout": 3.0, "sources": sources}));
    both("2 requests: A");
    both("timed out without an answer");
    both("1 request: A");
    // It was not answered, and its asker withdrew it.
    assert!(!answered(&workspace, &"b2".repeat(16)).exists());
    drop(impatient);
    let mut one = one;
    one.type_bytes("A");
    one.wait_for("for the client");
    one.type_bytes(" ");
    one.wait_for("1 of 1 marked");
    one.type_bytes("\r");
    let said = asker.wait_with_output().unwrap();
    assert!(said.status.success(), "{said:?}");
    assert!(String::from_utf8_lossy(&said.stdout).contains("Picked @retry"), "{said:?}");
    assert_eq!(workspace.picks(), ["retry"]);
    for screen in [one, two] {
        screen.wait_until("the end of the request, and its outcome", |seen| {
            !seen.text().contains("asks: A") && seen.text().contains("1 picked")
        });
        quit(screen);
    }
}
