//! Successful calls: in one session, in several, without one, and streams.

use std::time::Instant;

use serde_json::json;

use crate::http::client::{initialize, stateless};
use crate::http::server::Server;
use crate::support::program::LIMIT;

#[test]
fn a_session_from_start_to_end() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let session = client.begin();
    let listed = client.call(&session, "tools/list", &json!({}));
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    assert_eq!(client.call(&session, "ping", &json!({}))["result"], json!({}));
    assert_eq!(client.call(&session, "no/such/method", &json!({}))["error"]["code"], -32601);
    // Another connection can use the same session.
    assert_eq!(server.client().call(&session, "ping", &json!({}))["result"], json!({}));
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    client.ask("DELETE", "/mcp", &headers).is(202);
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    client.post(&headers, &ping).is(404);
    client.ask("GET", "/mcp", &headers).is(404);
}

#[test]
fn every_revision_with_sessions() {
    let server = Server::start(&[], None);
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut begin = initialize();
        begin["params"]["protocolVersion"] = revision.into();
        let message = server.client().post("", &begin.to_string()).is(200).message();
        assert_eq!(message["result"]["protocolVersion"], revision);
    }
}

#[test]
fn without_a_session_only_initialize_works() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let missing = "Session ID is required; send `initialize` first";
    let gone = "Session not found; send `initialize` without Mcp-Session-Id";
    assert!(client.post("", &ping).is(400).body.contains(missing));
    assert!(client.post("Mcp-Session-Id: nonsense\r\n", &ping).is(404).body.contains(gone));
    assert!(client.ask("GET", "/mcp", "").is(400).body.contains(missing));
    client.ask("DELETE", "/mcp", "").is(400);
    client.ask("DELETE", "/mcp", "Mcp-Session-Id: nonsense\r\n").is(202);
}

#[test]
fn the_revision_without_sessions() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let (headers, body) = stateless("server/discover", json!({}));
    let answer = client.post(&headers, &body).is(200);
    assert_eq!(answer.header("mcp-session-id"), None);
    assert!(answer.message()["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    let (headers, body) = stateless("tools/list", json!({}));
    let listed = client.post(&headers, &body).is(200).message();
    assert!(listed["result"]["tools"].is_array(), "{listed}");
    // Headers about the message must match it.
    let (_, body) = stateless("tools/list", json!({}));
    let (headers, _) = stateless("prompts/list", json!({}));
    client.post(&headers, &body).is(400);
}

#[test]
fn a_stream_of_notices_does_not_count_as_a_request_and_ends_with_its_session() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let session = client.begin();
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let mut stream = server.client();
    stream.send(format!("GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{headers}\r\n", server.address));
    assert_eq!(stream.head_of_answer().0, 200);
    client.ask("DELETE", "/mcp", &headers).is(202);
    stream.answer_ends();
}

#[test]
fn a_clients_user_is_asked_in_the_stream_of_the_call() {
    let server = Server::start(&[], None);
    let (mut client, mut other) = (server.client(), server.client());
    let session = client.begin_with(json!({"elicitation": {}}));
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                      "params": {"name": "selectReferences", "arguments": {}}});
    let body = call.to_string();
    let head = client.head(&headers, body.len());
    client.send(head + &body);
    assert_eq!(client.head_of_answer().0, 200);
    let question = client.event();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    assert!(question["params"]["message"].as_str().unwrap().contains("- go: "), "{question}");
    // While the user thinks, the session remains usable.
    assert_eq!(other.call(&session, "ping", &json!({}))["result"], json!({}));
    let twin = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}).to_string();
    let refused = other.post(&headers, &twin).is(200).message();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(9), &json!(-32600)), "{refused}");
    let says = json!({"action": "accept", "content": {"ids": "go"}});
    let says = json!({"jsonrpc": "2.0", "id": question["id"], "result": says}).to_string();
    other.post(&headers, &says).is(202);
    let answer = client.event();
    assert_eq!(answer["id"], 9, "{answer}");
    assert_eq!(answer["result"]["structuredContent"]["selected_count"], 1, "{answer}");
    assert_eq!(server.world.picks(), ["go"]);
    assert_eq!(other.post(&headers, &twin).is(200).message()["result"], json!({}), "its id is free again");
}

#[test]
fn a_client_that_connects_again_gets_what_comes_after_its_last_event() {
    let server = Server::start(&[], None);
    let (mut client, mut other, mut again) = (server.client(), server.client(), server.client());
    let session = client.begin_with(json!({"elicitation": {}}));
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                      "params": {"name": "selectReferences", "arguments": {}}});
    let body = call.to_string();
    let head = client.head(&headers, body.len());
    client.send(head + &body);
    assert_eq!(client.head_of_answer().0, 200);
    let (event, question) = client.event_with_id();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    drop(client);
    again.open_stream(&format!("{headers}Last-Event-ID: {event}\r\n"));
    let says =
        json!({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {"ids": "go"}}});
    other.post(&headers, &says.to_string()).is(202);
    assert_eq!(again.event()["id"], 9, "the question is not repeated");
}

/// A layer that repeats a request after its connection broke would otherwise get the answer to the first one.
#[test]
fn the_id_of_a_call_stays_taken_when_its_connection_breaks() {
    let server = Server::start(&[], None);
    let (mut client, mut other) = (server.client(), server.client());
    let session = client.begin_with(json!({"elicitation": {}}));
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                      "params": {"name": "selectReferences", "arguments": {}}});
    let body = call.to_string();
    let head = client.head(&headers, body.len());
    client.send(head + &body);
    assert_eq!(client.head_of_answer().0, 200);
    let question = client.event();
    drop(client);
    let twin = json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}).to_string();
    // The server notices at some time that the connection broke.
    for _ in 0..200 {
        let refused = other.post(&headers, &twin).is(200).message();
        assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(9), &json!(-32600)), "{refused}");
    }
    let says = json!({"action": "accept", "content": {"ids": "go"}});
    let says = json!({"jsonrpc": "2.0", "id": question["id"], "result": says}).to_string();
    other.post(&headers, &says).is(202);
    let began = Instant::now();
    while other.post(&headers, &twin).is(200).message()["result"] != json!({}) {
        assert!(began.elapsed() < LIMIT, "its id is never free again");
    }
    assert_eq!(server.world.picks(), ["go"]);
    // A cancelled call gets no answer.
    let mut client = server.client();
    let head = client.head(&headers, body.len());
    client.send(head + &body);
    assert_eq!(client.head_of_answer().0, 200);
    assert_eq!(client.event()["method"], "elicitation/create");
    drop(client);
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}});
    other.post(&headers, &cancel.to_string()).is(202);
    assert_eq!(other.post(&headers, &twin).is(200).message()["result"], json!({}), "its id is free again");
}
