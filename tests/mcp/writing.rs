//! Writing files for agents: what is refused before a person is asked, what a rule decides, and a person's answer on a
//! screen. Nothing is written before approval.

use refdesk_desk::channel::folder::{AnswerStatus, Pending, default_folder, pending};
use refdesk_desk::channel::{ApprovalEffect, Response, presence};
use serde_json::{Value, json};

use crate::mcp::world::{configured, workspace};
use crate::support::client::Client;
use crate::support::program::LIMIT;
use crate::support::workspace::{STATE, Workspace};

fn write(client: &mut Client, path: &str, more: Value) -> Value {
    let mut arguments = json!({"template": "Hello {{ name }}\n", "variables": {"name": "Ada"}, "output_path": path});
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    client.result("renderTemplateToFile", arguments)
}

/// Waits for the request that a screen would show.
fn question(workspace: &Workspace, client: &mut Client) -> Pending {
    let began = std::time::Instant::now();
    loop {
        let mut found = pending(&default_folder(&workspace.path), jiff::Timestamp::now()).pending;
        if let Some(found) = found.pop() {
            return found;
        }
        assert!(began.elapsed() < LIMIT, "no question");
        client.request("ping", json!({}));
    }
}

fn says(workspace: &Workspace, asked: &Pending, approved: bool) {
    let (request_id, by) = (asked.request.request_id.clone(), Some("a screen".to_owned()));
    let response = Response { request_id, selected_ids: Vec::new(), approved: Some(approved), by };
    assert_eq!(workspace.answer(asked, &response), AnswerStatus::First);
}

#[test]
fn without_a_screen_it_is_refused_with_the_fix() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let result = write(&mut client, "src/hello.txt", json!({}));
    assert_eq!(result["isError"], true);
    let answer = &result["structuredContent"];
    assert_eq!((&answer["status"], &answer["success"]), (&json!("no-screen"), &json!(false)), "{answer}");
    assert!(answer["error"].as_str().unwrap().starts_with("Failed to write output: "), "{answer}");
    assert!(answer["hint"].as_str().unwrap().contains("`refdesk`"), "{answer}");
    assert!(answer["hint"].as_str().unwrap().contains("\"approval\""), "{answer}");
    assert!(answer["diff"].as_str().unwrap().contains("+Hello Ada"), "{answer}");
    assert!(!workspace.path.join("src").exists(), "nothing is begun");
}

#[test]
fn invalid_writes_are_refused_before_a_person_is_asked() {
    let workspace = configured(json!({"approval": {"secret/**": "deny", "**": "ask"}}));
    workspace.put("there.txt", b"old\n");
    workspace.put("skills/service/same.txt", b"Hello Ada\n");
    let _screen = presence::mark_open(&workspace.path, presence::PresenceKind::Screen).unwrap();
    let mut client = Client::connect(&workspace);
    let before = workspace.read("there.txt");
    for (path, words) in [
        ("", "Failed to write output: "),
        ("docs", "Failed to write output: "),
        ("../out.txt", "\"choose a path inside the workspace\""),
        ("/etc/refdesk-test", "Failed to write output: "),
        ("~/out.txt", "/home/out.txt is outside the workspace"),
        ("~/../ws/secret/x.txt", "leads outside the workspace"),
        ("docs/../secret/x.txt", "denies writing secret/x.txt"),
        ("src/{{name}}.txt", "Failed to write output: "),
        ("there.txt", "\\\"overwrite\\\": true"),
        ("secret/x.txt", "denies writing secret/x.txt"),
    ] {
        let result = write(&mut client, path, json!({}));
        assert_eq!(result["isError"], true, "{path}: {result}");
        assert!(result["structuredContent"].to_string().contains(words), "{path}: {result}");
    }
    assert_eq!(workspace.read("there.txt"), before);
    // A file of a selected source that already has this text needs no approval.
    client.result("selectReferences", json!({"ids": ["service"]}));
    let same = write(&mut client, "skills/service/same.txt", json!({"overwrite": true}));
    assert_eq!(same["structuredContent"]["bytes_written"], 0, "{same}");
    assert!(!workspace.path.join("secret").exists());
}

#[test]
fn a_person_sees_the_diff_and_approves_or_declines() {
    let workspace = workspace();
    workspace.put("there.txt", b"old\n");
    let _screen = presence::mark_open(&workspace.path, presence::PresenceKind::Screen).unwrap();
    let mut client = Client::connect(&workspace);
    for (approved, expected) in [(false, "old\n"), (true, "Hello Ada\n")] {
        let arguments = json!({"template": "Hello {{ name }}\n", "variables": {"name": "Ada"}, "output_path": "there.txt", "overwrite": true});
        let id = client.ask("tools/call", json!({"name": "writeFileFromTemplate", "arguments": arguments}));
        let asked = question(&workspace, &mut client);
        let approval = asked.request.approval.clone().unwrap();
        assert_eq!((approval.path.as_str(), approval.summary.as_str()), ("there.txt", "+1 −1"));
        assert!(approval.diff.contains("-old\n+Hello Ada"), "{}", approval.diff);
        assert_eq!(asked.request.asker.who, "test-client over mcp");
        assert_eq!(workspace.read("there.txt"), "old\n", "nothing is written before the yes");
        says(&workspace, &asked, approved);
        let result = client.answer(&id)["result"].clone();
        assert_eq!(result["isError"] == true, !approved, "{result}");
        assert_eq!(workspace.read("there.txt"), expected);
        let answer = &result["structuredContent"];
        if approved {
            assert_eq!(
                (&answer["output_path"], &answer["bytes_written"]),
                (&json!("there.txt"), &json!(10)),
                "{answer}"
            );
            assert_eq!((&answer["size"], &answer["lines"]), (&json!(10), &json!(1)));
        } else {
            assert_eq!(answer["status"], "not-approved", "{answer}");
        }
    }
    let journal = workspace.run(&["journal", "--format", "json"]).exits(0).text().to_owned();
    assert!(journal.contains("\"reason\":\"approved by a person at a screen\""), "{journal}");
    // Of a text that the file already has, the person learns it and the agent does not.
    workspace.put("same.txt", b"Hello Ada\n");
    let arguments = json!({"template": "Hello Ada\n", "output_path": "same.txt", "overwrite": true});
    let id = client.ask("tools/call", json!({"name": "renderTemplateToFile", "arguments": arguments}));
    let asked = question(&workspace, &mut client);
    assert_eq!(asked.request.approval.as_ref().unwrap().effect(), ApprovalEffect::Same);
    says(&workspace, &asked, true);
    assert_eq!(client.answer(&id)["result"]["structuredContent"]["bytes_written"], 10);
}

/// An agent that can write files cannot approve for the person, nor show them another write than its own.
#[test]
fn only_a_screen_of_the_person_approves_exactly_what_it_showed() {
    let workspace = workspace();
    let _screen = presence::mark_open(&workspace.path, presence::PresenceKind::Screen).unwrap();
    let mut client = Client::connect(&workspace);
    let arguments = json!({"template": "Hello\n", "output_path": "new.txt"});
    for is_sealed in [false, true] {
        let id = client.ask("tools/call", json!({"name": "renderTemplateToFile", "arguments": arguments}));
        let mut asked = question(&workspace, &mut client);
        if is_sealed {
            asked.request.approval.as_mut().unwrap().diff = "--- /dev/null\n+++ new.txt\n+harmless\n".to_owned();
            says(&workspace, &asked, true);
        } else {
            let id = &asked.request.request_id;
            let approval = json!({"request_id": id, "approved": true, "by": "a screen"});
            let file = format!(".jaato/refdesk/ask/responses/{id}.json");
            workspace.put(&file, approval.to_string().as_bytes());
        }
        let answer = client.answer(&id)["result"]["structuredContent"].clone();
        assert_eq!(answer["status"], "wrong-answer", "{answer}");
        assert!(answer["error"].as_str().unwrap().contains("no screen of yours wrote it"), "{answer}");
        assert!(!workspace.path.join("new.txt").exists());
    }
    let journal = workspace.read(".jaato/refdesk/journal.jsonl");
    assert!(!journal.contains("a person"), "{journal}");
}

#[test]
fn a_file_that_changed_before_the_approval_is_left_alone() {
    let workspace = workspace();
    workspace.put("there.txt", b"old\n");
    let _screen = presence::mark_open(&workspace.path, presence::PresenceKind::Screen).unwrap();
    let mut client = Client::connect(&workspace);
    let arguments = json!({"template": "new\n", "output_path": "there.txt", "overwrite": true});
    let id = client.ask("tools/call", json!({"name": "renderTemplateToFile", "arguments": arguments}));
    let asked = question(&workspace, &mut client);
    workspace.put("there.txt", b"changed meanwhile\n");
    says(&workspace, &asked, true);
    let result = client.answer(&id)["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let diff = result["structuredContent"]["diff"].as_str().unwrap();
    assert!(diff.starts_with("there.txt exists; "), "{result}");
    let hint = result["structuredContent"]["hint"].as_str().unwrap();
    assert!(hint.ends_with("call again: the user will see the new difference"), "{result}");
    // The diff does not reveal the file's content, because the file is not a source.
    assert!(!result.to_string().contains("changed meanwhile"), "{result}");
    assert_eq!(workspace.read("there.txt"), "changed meanwhile\n");
    let journal = workspace.run(&["journal"]).exits(0);
    let last =
        r#""what":"unwritten","path":"there.txt","why":[],"reason":"there.txt changed after the difference was shown""#;
    assert!(journal.text().contains(last), "{journal}");
}

/// Otherwise an agent could guess the content, line by line.
#[test]
fn of_an_unreadable_file_an_agent_learns_only_that_it_exists() {
    let workspace = workspace();
    workspace.put(".env", b"PIN=1234\n");
    let mut client = Client::connect(&workspace);
    for overwrite in [false, true] {
        let answers = ["PIN=1234\n", "PIN=1234\r\n", "PIN=0000\nPIN=1111\n"].map(|template| {
            let result = write(&mut client, ".env", json!({"template": template, "overwrite": overwrite}));
            assert_eq!(result["isError"], true, "{result}");
            ["status", "error", "hint", "diff", "warnings"].map(|member| result["structuredContent"][member].clone())
        });
        assert_eq!((&answers[1], &answers[2]), (&answers[0], &answers[0]), "overwrite: {overwrite}");
    }
}

#[test]
fn a_session_may_compare_a_text_with_what_it_wrote_itself() {
    let workspace = configured(json!({"approval": {"gen/**": "auto"}}));
    workspace.trust(STATE);
    let mut client = Client::connect(&workspace);
    for bytes in [10, 0] {
        let result = write(&mut client, "gen/a.txt", json!({}));
        assert_eq!(result["structuredContent"]["bytes_written"], bytes, "{result}");
    }
    // It is no longer its own once another has changed it.
    workspace.put("gen/a.txt", b"PIN=1234\n");
    let result = write(&mut client, "gen/a.txt", json!({}));
    let diff = result["structuredContent"]["diff"].as_str().unwrap();
    assert_eq!(diff, "gen/a.txt exists; the diff is not shown, because you may not read it\n");
}

#[test]
fn a_rule_that_is_trusted_writes_and_one_that_is_not_asks() {
    let workspace = configured(json!({"approval": {"gen/**": "auto"}}));
    let mut client = Client::connect(&workspace);
    let result = write(&mut client, "gen/a.txt", json!({}));
    assert_eq!(result["structuredContent"]["status"], "no-screen", "{result}");
    let hint = result["structuredContent"]["hint"].as_str().unwrap();
    assert!(hint.ends_with("or to trust the rule of 'approval' that already allows it"), "{hint}");
    workspace.trust(STATE);
    let result = write(&mut client, "gen/a.txt", json!({}));
    assert_ne!(result["isError"], true, "{result}");
    assert_eq!(workspace.read("gen/a.txt"), "Hello Ada\n");
    let result = write(&mut client, "other/a.txt", json!({}));
    assert_eq!(result["structuredContent"]["status"], "no-screen", "{result}");
}
