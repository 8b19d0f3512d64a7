//! How a server ends: immediately at the end of its input, gracefully by a signal, and never before acknowledged
//! changes are stored. Standard output contains nothing but the protocol.

use serde_json::{Value, json};

use crate::mcp::world::workspace;
use crate::support::client::Client;

#[test]
fn it_ends_with_its_input_and_quietly() {
    let workspace = workspace();
    for begins in [false, true] {
        let mut client = Client::start(&workspace, &[]);
        if begins {
            client.initialize("2025-11-25", json!({}));
            client.call("selectReferences", json!({"ids": ["api"]}));
        }
        let (rest, status, stderr) = client.end();
        assert_eq!((rest, status.code(), stderr.as_str()), (vec![], Some(0), ""), "{begins}");
    }
    assert_eq!(workspace.picks(), ["api"]);
}

/// A client that pipes in requests and closes its end gets every answer.
#[test]
fn pending_requests_are_answered_before() {
    let workspace = workspace();
    let line = |id: i64, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let client = json!({"name": "pipe", "version": "1"});
    let lines = [
        line(1, "initialize", json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})),
        line(2, "tools/call", json!({"name": "selectReferences", "arguments": {"ids": ["api"]}})),
        line(3, "tools/call", json!({"name": "renderTemplate", "arguments": {"template": "x"}})),
        line(4, "tools/list", json!({})),
    ];
    // The last line has no line break.
    let ran = workspace.feed(&["mcp"], lines.join("\n").as_bytes()).exits(0);
    let mut answered: Vec<i64> = ran
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|message| message["id"].as_i64().filter(|_| message.get("result").is_some()).unwrap())
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, [1, 2, 3, 4]);
    assert_eq!(workspace.picks(), ["api"]);
}

/// The protocol library would wait once more for answers that cannot be written.
#[test]
fn a_client_that_never_reads_is_waited_for_once() {
    use std::io::Write;
    use std::process::Stdio;
    let workspace = workspace();
    let mut command = workspace.command(&["mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let client = json!({"name": "pipe", "version": "1"});
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let mut lines = vec![json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": begin})];
    // Their answers are larger than a pipe.
    lines.extend((1..40).map(|id| json!({"jsonrpc": "2.0", "id": id, "method": "tools/list"})));
    let mut stdin = child.stdin.take().unwrap();
    lines.iter().for_each(|line| writeln!(stdin, "{line}").unwrap());
    drop(stdin);
    let began = std::time::Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
}

/// The protocol library would drop all answers but one.
#[test]
fn every_request_with_the_same_id_is_answered() {
    let workspace = workspace();
    let line = |id: Value, method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    for id in [json!(7), json!("seven")] {
        let client = json!({"name": "pipe", "version": "1"});
        let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        let mut lines = vec![line(json!(1), "initialize", begin)];
        for (method, params) in [
            ("tools/call", json!({"name": "renderTemplate", "arguments": {"template": "x"}})),
            ("tools/call", json!({"name": "listReferences", "arguments": {}})),
            ("tools/list", json!({})),
            ("ping", json!({})),
            ("nonsense", json!({})),
        ] {
            lines.extend((0..10).map(|_| line(id.clone(), method, params.clone())));
        }
        lines.push(line(json!(2), "tools/list", json!({})));
        let ran = workspace.feed(&["mcp"], lines.join("\n").as_bytes()).exits(0);
        let answers: Vec<Value> = ran.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let is_answer =
            |answer: &&Value| answer["id"] == id && (answer["result"].is_object() || answer["error"].is_object());
        assert_eq!(answers.iter().filter(is_answer).count(), 50, "{ran}");
        assert!(answers.iter().any(|answer| answer["id"] == id && answer["result"].is_object()), "{ran}");
        assert!(answers.iter().any(|answer| answer["id"] == 2 && answer["result"].is_object()), "{ran}");
        assert_eq!(answers.len(), 52, "{ran}");
    }
}

/// An id may be reused after its answer.
#[test]
fn an_id_can_be_reused_after_its_answer() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for _ in 0..50 {
        client.send(&json!({"jsonrpc": "2.0", "id": "same", "method": "ping"}));
        let answer = client.next();
        assert!(answer["id"] == "same" && answer["result"].is_object(), "{answer}");
    }
}

#[test]
fn it_ends_gracefully_by_a_signal() {
    use rustix::process::{Pid, Signal, kill_process};
    let workspace = workspace();
    let signals = [(Signal::TERM, true), (Signal::INT, true), (Signal::HUP, true), (Signal::TERM, false)];
    for (signal, begins) in signals {
        let mut client = Client::start(&workspace, &[]);
        if begins {
            client.initialize("2025-11-25", json!({}));
            client.call("selectReferences", json!({"ids": ["service"]}));
        } else {
            client.request("ping", json!({}));
        }
        let id = Pid::from_raw(i32::try_from(client.process()).unwrap()).unwrap();
        kill_process(id, signal).unwrap();
        let (rest, status, stderr) = client.wait();
        assert_eq!((rest, status.code(), stderr.as_str()), (vec![], Some(0), ""), "{signal:?} {begins}");
    }
    assert_eq!(workspace.picks(), ["service"]);
}

/// A person who does not answer must not delay the shutdown.
#[test]
fn it_ends_while_a_person_is_being_asked() {
    let workspace = crate::mcp::world::configured(json!({"channel": {"type": "file", "timeout": 600}}));
    let mut client = Client::connect(&workspace);
    let id = client.ask("tools/call", json!({"name": "selectReferences", "arguments": {}}));
    let requests = workspace.path.join(".jaato/refdesk/ask/requests");
    let began = std::time::Instant::now();
    while std::fs::read_dir(&requests).map_or(0, Iterator::count) == 0 {
        assert!(began.elapsed() < crate::support::program::LIMIT);
        client.request("ping", json!({}));
    }
    let began = std::time::Instant::now();
    let (rest, status, _) = client.end();
    assert_eq!(status.code(), Some(0));
    assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    let last: Value = serde_json::from_str(rest.last().unwrap()).unwrap();
    assert_eq!((&last["id"], &last["result"]["isError"]), (&id, &json!(true)), "{last}");
}

/// What it remembers of such a folder, and the usual advice, would mislead.
#[test]
fn every_tool_says_that_the_workspace_is_gone() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    client.call("listReferences", json!({}));
    std::fs::rename(&workspace.path, workspace.path.with_extension("moved")).unwrap();
    for (tool, arguments) in [
        ("listReferences", json!({})),
        ("selectReferences", json!({"ids": ["api"]})),
        ("readReference", json!({"id": "api"})),
        ("search_documents", json!({"query": "api"})),
        ("renderTemplateToFile", json!({"template": "x", "output_path": "y"})),
    ] {
        let result = client.result(tool, arguments);
        let said = result["content"][0]["text"].as_str().unwrap();
        assert!(result["isError"] == true && said.contains("the folder of the workspace is gone"), "{tool}: {result}");
    }
    std::fs::rename(workspace.path.with_extension("moved"), &workspace.path).unwrap();
}
