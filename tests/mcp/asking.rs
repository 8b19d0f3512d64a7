//! Who is asked if an agent gives neither ids nor tags: its own user through its client if that supports it, as each
//! revision defines it; otherwise the configured channel; otherwise a screen; otherwise the agent is told what to do.

use serde_json::{Value, json};

use crate::mcp::world::{configured, workspace};
use crate::support::client::Client;
use crate::support::workspace::{Workspace, ids, strings};

/// Calls the tool as a client of this revision that can ask its user; returns the id of the call and the question.
fn asked(client: &mut Client, version: &str) -> (Value, Value) {
    client.initialize(version, json!({"elicitation": {}}));
    let id = client.ask("tools/call", json!({"name": "selectReferences", "arguments": {}}));
    let question = client.next();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    (id, question)
}

fn says(client: &mut Client, question: &Value, result: Value) {
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
}

fn journal(workspace: &Workspace) -> String {
    workspace.run(&["journal", "--format", "json"]).exits(0).text().to_owned()
}

#[test]
fn a_capable_client_gets_a_list_to_tick() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &[]);
    let (id, question) = asked(&mut client, "2025-11-25");
    let options = question["params"]["requestedSchema"]["properties"]["ids"]["items"]["anyOf"].clone();
    let offered: Vec<&str> = options.as_array().unwrap().iter().map(|it| it["const"].as_str().unwrap()).collect();
    assert_eq!(offered, ["api", "errors", "service", "site"], "neither auto nor missing sources");
    assert!(question["params"]["message"].as_str().unwrap().contains("test-client"), "{question}");
    says(&mut client, &question, json!({"action": "accept", "content": {"ids": ["service", "gone"]}}));
    let picked = client.answer(&id)["result"]["structuredContent"].clone();
    assert_eq!(ids(&picked["sources"]), ["service"]);
    assert_eq!(strings(&picked["unknown"]), ["gone"], "{picked}");
    assert!(picked["message"].as_str().unwrap().contains("not offered: gone"), "{picked}");
    assert!(picked["message"].as_str().unwrap().contains("the user of the client chose service"), "{picked}");
    assert_eq!(workspace.picks(), ["service"]);
    let journal = journal(&workspace);
    assert!(journal.contains("\"what\":\"asked\"") && journal.contains("\"what\":\"answered\""), "{journal}");
}

#[test]
fn an_answer_that_names_only_other_ids_is_no_refusal() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &[]);
    let (id, question) = asked(&mut client, "2025-11-25");
    says(&mut client, &question, json!({"action": "accept", "content": {"ids": ["gone"]}}));
    let result = client.answer(&id)["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let answer = result["structuredContent"].clone();
    assert_eq!((&answer["status"], &answer["unknown"]), (&json!("none_matched"), &json!(["gone"])));
    let message = answer["message"].as_str().unwrap();
    assert!(message.contains("named nothing that was offered: ask once more"), "{answer}");
    assert!(message.ends_with("; not offered: gone") && workspace.picks().is_empty(), "{answer}");
}

#[test]
fn an_older_client_gets_a_line_of_text() {
    let workspace = workspace();
    for (content, expected) in [
        (json!({"ids": "api, service"}), vec!["api", "service"]),
        (json!({"ids": "site"}), vec!["site"]),
        (json!({"ids": " "}), vec![]),
        (json!({}), vec![]),
    ] {
        workspace.run(&["clear"]).exits(0);
        let mut client = Client::start(&workspace, &[]);
        let (id, question) = asked(&mut client, "2025-06-18");
        assert_eq!(question["params"]["requestedSchema"]["properties"]["ids"]["type"], "string", "{question}");
        assert!(question["params"]["message"].as_str().unwrap().contains("- api: The API"), "{question}");
        says(&mut client, &question, json!({"action": "accept", "content": content}));
        let result = client.answer(&id)["result"].clone();
        let status = if expected.is_empty() { "none_selected" } else { "success" };
        assert_eq!(result["structuredContent"]["status"], status, "{content}: {result}");
        assert_eq!(workspace.picks(), expected, "{content}");
    }
}

#[test]
fn an_answer_that_does_not_fit_the_form_is_an_error_and_not_an_empty_choice() {
    let workspace = workspace();
    for content in [json!({"wrong": ["api"]}), json!({"ids": [5]}), json!({"ids": {"a": 1}}), json!({"zz": 5})] {
        let mut client = Client::start(&workspace, &[]);
        let (id, question) = asked(&mut client, "2025-11-25");
        says(&mut client, &question, json!({"action": "accept", "content": content}));
        let result = client.answer(&id)["result"].clone();
        assert_eq!(result["isError"], true, "{content}: {result}");
        let message = result["structuredContent"]["message"].as_str().unwrap();
        assert!(message.contains("the client's answer cannot be read"), "{content}: {message}");
    }
    assert!(workspace.picks().is_empty());
}

#[test]
fn a_client_without_sessions_asks_its_user_and_calls_again() {
    let workspace = workspace();
    let mut client = Client::modern(&workspace, json!({"elicitation": {"form": {}}}));
    let required = client.request("tools/call", json!({"name": "selectReferences", "arguments": {}}))["result"].clone();
    assert_eq!(required["resultType"], "input_required", "{required}");
    let question = &required["inputRequests"]["references"];
    assert_eq!(question["method"], "elicitation/create", "{required}");
    let responses = json!({"references": {"action": "accept", "content": {"ids": ["errors"]}}});
    let again = json!({"name": "selectReferences", "arguments": {}, "inputResponses": responses});
    let result = client.request("tools/call", again)["result"].clone();
    assert_eq!(ids(&result["structuredContent"]["sources"]), ["errors"], "{result}");
    let rubbish = json!({"name": "selectReferences", "arguments": {}, "inputResponses": {"references": 5}});
    let result = client.request("tools/call", rubbish)["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.to_string().contains("cannot be read: it is not an object with 'action' and 'content'"), "{result}");
}

#[test]
fn declining_chooses_nothing_and_dismissing_is_not_an_answer() {
    let workspace = workspace();
    for (action, fails, words) in [("decline", false, "chose nothing"), ("cancel", true, "without an answer; pass ids")]
    {
        let mut client = Client::start(&workspace, &[]);
        let (id, question) = asked(&mut client, "2025-11-25");
        says(&mut client, &question, json!({"action": action}));
        let result = client.answer(&id)["result"].clone();
        assert_eq!(result["isError"] == true, fails, "{action}: {result}");
        assert!(result.to_string().contains(words), "{action}: {result}");
        assert!(workspace.picks().is_empty());
    }
}

#[test]
fn an_error_instead_of_an_answer_is_repeated() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &[]);
    let (id, question) = asked(&mut client, "2025-11-25");
    let error = json!({"code": -32000, "message": "the window is closed"});
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}));
    let result = client.answer(&id)["result"].clone();
    assert_eq!(result["isError"], true, "{result}");
    let message = result["structuredContent"]["message"].as_str().unwrap();
    assert!(message.contains("the client refused to ask its user: the window is closed; pass ids"), "{message}");
}

#[test]
fn without_a_person_to_ask_the_agent_is_told_what_to_do() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let result = client.result("selectReferences", json!({"ids": []}));
    assert_eq!(result["isError"], true);
    let message = result["structuredContent"]["message"].as_str().unwrap();
    assert!(message.contains("an open screen") && message.contains("`refdesk`"), "{message}");
}

#[test]
fn the_configured_channel_comes_before_the_client() {
    let workspace = configured(json!({"channel": {"type": "file", "timeout": 0.2}}));
    let mut client = Client::start(&workspace, &[]);
    client.initialize("2025-11-25", json!({"elicitation": {}}));
    let result = client.result("selectReferences", json!({}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(result["structuredContent"]["message"].as_str().unwrap().contains("no answer in time"), "{result}");
}

#[test]
fn an_answer_by_file_is_picked() {
    let workspace = configured(json!({"channel": {"type": "file", "timeout": 600}}));
    let mut client = Client::connect(&workspace);
    let id = client.ask("tools/call", json!({"name": "selectReferences", "arguments": {}}));
    let folder = workspace.path.join(".jaato/refdesk/ask");
    let began = std::time::Instant::now();
    let request = loop {
        let found = std::fs::read_dir(folder.join("requests")).into_iter().flatten().find(is_request);
        match found {
            Some(entry) => break entry.unwrap().path(),
            None => assert!(began.elapsed() < crate::support::program::LIMIT, "no request"),
        }
        std::thread::yield_now();
    };
    let asked: Value = serde_json::from_slice(&std::fs::read(&request).unwrap()).unwrap();
    assert_eq!(asked["asker"]["who"], "test-client over mcp", "{asked}");
    let response = json!({"request_id": asked["request_id"], "selected_ids": ["api", "nobody"], "by": "a script"});
    workspace.put(
        &format!(".jaato/refdesk/ask/responses/{}", request.file_name().unwrap().to_str().unwrap()),
        response.to_string().as_bytes(),
    );
    let picked = client.answer(&id)["result"]["structuredContent"].clone();
    assert_eq!(ids(&picked["sources"]), ["api", "errors"], "{picked}");
    assert_eq!(strings(&picked["unknown"]), ["nobody"], "{picked}");
    assert_eq!(workspace.picks(), ["api"]);
}

#[test]
fn cancelling_the_call_withdraws_the_request() {
    let workspace = configured(json!({"channel": {"type": "file", "timeout": 600}}));
    let mut client = Client::connect(&workspace);
    let id = client.ask("tools/call", json!({"name": "selectReferences", "arguments": {}}));
    let requests = workspace.path.join(".jaato/refdesk/ask/requests");
    let count = || std::fs::read_dir(&requests).map_or(0, |found| found.filter(is_request).count());
    let wait_for = |client: &mut Client, wanted: usize| {
        let began = std::time::Instant::now();
        while count() != wanted {
            assert!(began.elapsed() < crate::support::program::LIMIT, "{wanted} requests");
            client.request("ping", json!({}));
        }
    };
    wait_for(&mut client, 1);
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    wait_for(&mut client, 0);
    let (rest, status, _) = client.end();
    assert!(status.success() && rest.is_empty(), "{rest:?}");
    assert!(journal(&workspace).contains("cancelled"));
}

#[test]
fn cancelling_the_call_withdraws_the_question_to_the_clients_user() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &[]);
    let (id, question) = asked(&mut client, "2025-11-25");
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let reported = client.next();
    assert_eq!(
        (&reported["method"], &reported["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    // A late answer is ignored.
    says(&mut client, &question, json!({"action": "accept", "content": {"ids": ["api"]}}));
    client.request("ping", json!({}));
    assert!(workspace.picks().is_empty());
    // The journal is written after the client has its answer.
    let began = std::time::Instant::now();
    while !journal(&workspace).contains("cancelled") {
        assert!(began.elapsed() < crate::support::program::LIMIT);
    }
}

fn is_request(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    entry.as_ref().is_ok_and(|entry| entry.path().extension().is_some_and(|ending| ending == "json"))
}

#[test]
fn with_everything_selected_there_is_nothing_to_ask() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    client.call("selectReferences", json!({"ids": ["api", "errors", "service", "site"]}));
    let result = client.result("selectReferences", json!({}));
    assert_eq!(result["structuredContent"]["status"], "no_sources", "{result}");
    assert_eq!(strings(&result["structuredContent"]["unknown"]), Vec::<String>::new());
}
