//! More clients than the limits allow: they get an error, and other clients are not affected.

use std::time::Instant;

use refdesk_mcp::http::Limits;
use serde_json::json;

use crate::http::client::{Client, initialize};
use crate::http::server::{Server, with_limits};
use crate::support::program::LIMIT;

const REQUESTS: usize = 128;
const CONNECTIONS: usize = 512;
const SESSIONS: usize = 256;

/// Repeats the request until it gets this status, since the order in which earlier requests are handled is undefined.
#[track_caller]
fn until(mut ask: impl FnMut() -> u16, status: u16) {
    let began = Instant::now();
    while ask() != status {
        assert!(began.elapsed() < LIMIT, "never {status}");
    }
}

#[test]
fn more_than_the_limit_of_requests() {
    let server = Server::start(&[], None);
    let mut first = server.client();
    let session = first.begin();
    let headers = format!("Mcp-Session-Id: {session}\r\n");
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    let half = |_| {
        let mut client = server.client();
        let head = client.head(&headers, ping.len());
        client.send(head + &ping[..10]);
        client
    };
    let mut halves: Vec<Client> = (0..REQUESTS).map(half).collect();
    until(|| server.client().post(&headers, &ping).status, 503);
    let refused = server.client().post(&headers, &ping);
    assert_eq!(refused.header("retry-after"), Some("1"));
    for client in &mut halves {
        client.send(&ping[10..]);
        assert_eq!(client.answer().is(200).message()["result"], json!({}));
    }
    until(|| first.post(&headers, &ping).status, 200);
}

#[test]
fn a_call_is_in_progress_even_when_its_client_has_disconnected() {
    with_limits(Limits { requests: 2, ..Limits::default() }, |address| {
        let mut client = Client::new(address);
        let session = client.begin_with(json!({"elicitation": {}}));
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        let call = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call",
                          "params": {"name": "selectReferences", "arguments": {}}});
        let call = call.to_string();
        let head = client.head(&headers, call.len());
        client.send(head + &call);
        assert_eq!(client.head_of_answer().0, 200);
        let question = client.event();
        let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
        let half = || {
            let mut client = Client::new(address);
            let head = client.head(&headers, ping.len());
            client.send(head + &ping[..10]);
            client
        };
        let status = || Client::new(address).post(&headers, &ping).status;
        let other = half();
        until(status, 503);
        drop(client);
        // The server notices at some time that the connection broke.
        for _ in 0..200 {
            assert_eq!(status(), 503);
        }
        drop(other);
        until(status, 200);
        let says = json!({"action": "accept", "content": {"ids": "go"}});
        let says = json!({"jsonrpc": "2.0", "id": question["id"], "result": says}).to_string();
        Client::new(address).post(&headers, &says).is(202);
        // Once it is answered, there is room for two again.
        let _other = half();
        until(status, 200);
    });
}

#[test]
fn more_than_the_limit_of_connections() {
    let server = Server::start(&[], None);
    let mut open: Vec<Client> = (0..CONNECTIONS).map(|_| server.client()).collect();
    let begin = initialize().to_string();
    let mut refused = server.client().post("", &begin).is(503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("connection"), Some("close"));
    refused.body.clear();
    // Existing connections keep working.
    open[0].begin();
    open.truncate(1);
    until(|| server.client().post("", &begin).status, 200);
}

#[test]
fn more_than_the_limit_of_sessions() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let sessions: Vec<String> = (0..SESSIONS).map(|_| client.begin()).collect();
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
    let of = |session: &String| format!("Mcp-Session-Id: {session}\r\n");
    // The first session is used again and the second has an open stream, so the third one is replaced.
    client.call(&sessions[0], "ping", &json!({}));
    let mut waits = server.client();
    waits.open_stream(&of(&sessions[1]));
    let new = client.begin();
    client.post(&of(&sessions[2]), &ping).is(404);
    for kept in [&sessions[0], &sessions[1], &sessions[3], &new] {
        client.post(&of(kept), &ping).is(200);
    }
}

#[test]
fn more_than_the_limit_of_busy_sessions() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let sessions: Vec<String> = (0..SESSIONS).map(|_| client.begin()).collect();
    let of = |session: &String| format!("Mcp-Session-Id: {session}\r\n");
    let wait = |session: &String| {
        let mut waits = server.client();
        waits.open_stream(&of(session));
        waits
    };
    let mut streams: Vec<Client> = sessions.iter().map(wait).collect();
    let begin = initialize().to_string();
    assert_eq!(client.post("", &begin).is(503).header("retry-after"), Some("1"));
    // Clients that have a session, or need none, keep working.
    client.call(&sessions[0], "ping", &json!({}));
    let (headers, body) = crate::http::client::stateless("tools/list", json!({}));
    client.post(&headers, &body).is(200);
    // A slot becomes free when a session is ended or its client disconnects.
    client.ask("DELETE", "/mcp", &of(&sessions[0])).is(202);
    until(|| client.post("", &begin).status, 200);
    // The new session is idle, so the next client replaces it.
    let last = client.begin();
    streams.push(wait(&last));
    client.post("", &begin).is(503);
    streams.pop();
    until(|| client.post("", &begin).status, 200);
}

/// Twice as many clients as the limit start at once and never end their sessions: each gets one.
#[test]
fn many_clients_that_never_end_their_sessions() {
    let server = Server::start(&[], None);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let mut client = server.client();
                (0..SESSIONS / 8).for_each(|_| drop(client.begin()));
            });
        }
    });
}

#[test]
fn fifty_clients_at_once() {
    let server = Server::start(&[], None);
    std::thread::scope(|scope| {
        for _ in 0..50 {
            scope.spawn(|| {
                let mut client = server.client();
                let session = client.begin();
                for _ in 0..20 {
                    assert!(client.call(&session, "tools/list", &json!({}))["result"]["tools"].is_array());
                }
            });
        }
    });
}
