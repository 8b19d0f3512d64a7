//! Slow clients run into each time limit, which the tests shorten.

use std::time::{Duration, Instant};

use refdesk_mcp::http::Limits;
use serde_json::json;

use crate::http::client::Client;
use crate::http::server::with_limits;
use crate::support::program::LIMIT;

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn an_unfinished_head_times_out() {
    with_limits(Limits { head_time: SHORT, ..Limits::default() }, |address| {
        for start in ["", "POST", "POST /mcp HTTP/1.1\r\nHost: localhost\r\n"] {
            let mut client = Client::new(address);
            client.send(start);
            assert!(client.ends(), "{start:?}");
        }
        let mut client = Client::new(address);
        client.send("POST /mcp HTTP/1.1\r\nX-Slow: ");
        assert!(client.trickle() > 0, "it was closed at once");
    });
}

#[test]
fn an_idle_connection_is_closed() {
    with_limits(Limits { head_time: SHORT, ..Limits::default() }, |address| {
        let mut client = Client::new(address);
        client.begin();
        assert!(client.ends());
    });
}

#[test]
fn an_unfinished_body_times_out_with_an_error() {
    with_limits(Limits { body_time: SHORT, ..Limits::default() }, |address| {
        let mut client = Client::new(address);
        let head = client.head("", 100);
        client.send(head + "{");
        client.answer().is(408);
    });
}

#[test]
fn an_idle_session_ends_and_frees_its_place() {
    with_limits(Limits { idle: SHORT, sessions: 1, ..Limits::default() }, |address| {
        let mut client = Client::new(address);
        let session = client.begin();
        let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}).to_string();
        let began = Instant::now();
        // Any call in the session would keep it alive, so the test watches for the free slot.
        let begin = crate::http::client::initialize().to_string();
        while client.post("", &begin).status != 200 {
            assert!(began.elapsed() < LIMIT, "it never ends");
        }
        client.post(&format!("Mcp-Session-Id: {session}\r\n"), &ping).is(404);
    });
}

#[test]
fn a_client_that_reads_no_answer_is_disconnected() {
    with_limits(Limits { stall: SHORT, requests: 1, ..Limits::default() }, |address| {
        let mut client = Client::new(address);
        let session = client.begin();
        let headers = format!("Mcp-Session-Id: {session}\r\n");
        let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).to_string();
        // Enough requests that their answers fill the buffers of a client that does not read.
        let mut deaf = Client::new(address);
        let asked = deaf.head(&headers, list.len()) + &list;
        assert!(deaf.send_until_broken(&asked.repeat(100)), "it is still written to");
        let began = Instant::now();
        while client.post(&headers, &list).status != 200 {
            assert!(began.elapsed() < LIMIT, "its place is never free");
        }
    });
}
