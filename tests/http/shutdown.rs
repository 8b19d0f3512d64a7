//! Shutdown by a signal: requests in progress are answered, and every acknowledged change is stored.

use std::net::TcpStream;
use std::time::Instant;

use rustix::process::Signal;
use serde_json::json;

use crate::http::client::Client;
use crate::http::server::Server;
use crate::support::program::LIMIT;

/// Waits until new connections are refused.
fn closed(server: &Server) {
    let began = Instant::now();
    while TcpStream::connect(server.address).is_ok() {
        assert!(began.elapsed() < LIMIT, "it still listens");
    }
}

#[test]
fn requests_in_progress_are_answered_and_stored() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Server::start(&[], None);
        let session = server.client().begin();
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        let select = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "selectReferences", "arguments": {"ids": ["java"]}}})
        .to_string();
        let mut halves: Vec<Client> = (0..20)
            .map(|_| {
                let mut client = server.client();
                let head = client.head(&headers, select.len());
                client.send(head + &select[..20]);
                client
            })
            .collect();
        // Once a later request was answered, all of them are in progress.
        server.client().call(&session, "ping", &json!({}));
        let mut stream = server.client();
        stream.send(format!(
            "GET /mcp HTTP/1.1\r\nHost: {}\r\nAccept: text/event-stream\r\n{headers}\r\n",
            server.address
        ));
        assert_eq!(stream.head_of_answer().0, 200);
        let mut idle = server.client();
        idle.call(&session, "ping", &json!({}));
        server.signal(signal);
        closed(&server);
        // A client that only waits is disconnected.
        assert!(idle.ends());
        stream.answer_ends();
        for client in &mut halves {
            client.send(&select[20..]);
            let answer = client.answer().is(200).message();
            assert_eq!(answer["id"], 7, "{answer}");
        }
        assert_eq!(server.ended(), Some(0));
        assert_eq!(server.world.picks(), ["java"]);
    }
}

#[test]
fn a_second_signal_aborts_requests() {
    let mut server = Server::start(&[], None);
    let mut half = server.client();
    let head = half.head("", 100);
    half.send(head + "{");
    server.client().begin();
    server.signal(Signal::TERM);
    closed(&server);
    server.signal(Signal::TERM);
    assert_eq!(server.ended(), Some(0));
}

#[test]
fn without_requests_it_ends_at_once() {
    let mut server = Server::start(&[], None);
    server.client().begin();
    let began = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(server.ended(), Some(0));
    assert!(began.elapsed().as_secs() < 10, "it waited although there was nothing to wait for");
}
