//! Valid and invalid request bodies.

use serde_json::json;

use crate::http::client::initialize;
use crate::http::server::Server;

const MAX: usize = 2 * 1024 * 1024;

/// Checks that the session still works.
#[track_caller]
fn session_still_works(server: &Server) {
    let mut client = server.client();
    let session = client.begin();
    assert!(client.call(&session, "tools/list", &serde_json::json!({}))["result"]["tools"].is_array());
}

#[test]
fn a_body_over_the_limit_is_refused_before_it_is_read() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let head = client.head("", MAX + 1);
    client.send(head);
    client.answer().is(413);
    session_still_works(&server);
}

#[test]
fn a_body_of_unknown_length_is_refused_at_the_limit() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let head = client.head("", 0).replace("Content-Length: 0", "Transfer-Encoding: chunked");
    client.send(head);
    let chunk = format!("{:x}\r\n{}\r\n", 65_536, " ".repeat(65_536));
    for _ in 0..=MAX / 65_536 {
        client.send(&chunk);
    }
    client.send("0\r\n\r\n");
    client.answer().is(413);
    session_still_works(&server);
}

#[test]
fn a_body_of_exactly_the_limit_is_read() {
    let server = Server::start(&[], None);
    let message = initialize().to_string();
    let filled = format!("{message}{}", " ".repeat(MAX - message.len()));
    server.client().post("", &filled).is(200);
}

#[test]
fn an_invalid_message_gets_the_protocols_error() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    for (body, code) in [
        ("", -32700),
        ("{", -32700),
        ("\u{feff}{}", -32700),
        ("nonsense", -32700),
        ("null", -32600),
        ("7", -32600),
        ("{}", -32600),
        ("[]", -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
        (r#"{"id":1,"method":"ping"}"#, -32600),
    ] {
        let message = client.post("", body).is(400).message();
        assert_eq!(message["error"]["code"], code, "{body}: {message}");
        assert_eq!(message["jsonrpc"], "2.0");
    }
    for (body, code, words) in [
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, "'id' must be a string or a whole number, not null"),
        (r#"{"jsonrpc":"2.0","id":"\ud800","method":"ping"}"#, -32600, "'id' contains half a character"),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, "the member 'jsonrpc' must be \"2.0\""),
        (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, -32600, "'method' must be a string, not a number"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602, "'params' must be an object, not a list"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#, -32602, "'params' must be an object, not null"),
        ("7", -32600, "a message must be an object, not a number"),
    ] {
        let message = client.post("", body).is(400).message();
        assert_eq!(message["error"]["code"], code, "{body}: {message}");
        assert!(message["error"]["message"].as_str().unwrap().contains(words), "{body}: {message}");
    }
    let beyond = r#"{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1e999}}"#;
    let answer = client.post("", beyond).is(400).message();
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32700), &json!(7)), "{answer}");
    let half = initialize().to_string().replacen(r#""name":""#, r#""name":"\ud83d"#, 1);
    assert!(half.contains(r"\ud83d"), "{half}");
    server.client().post("", &half).is(200);
    let deep = "[".repeat(100_000);
    assert_eq!(client.post("", &deep).is(400).message()["error"]["code"], -32700);
    let head = client.head("", 3);
    client.send(head);
    client.send(b"\"\xff\"");
    assert_eq!(client.answer().is(400).message()["error"]["code"], -32700);
    session_still_works(&server);
}

#[test]
fn wrong_types_are_refused() {
    let server = Server::start(&[], None);
    let body = initialize().to_string();
    let with = |headers: &str| {
        let mut client = server.client();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\n\r\n",
            server.address,
            body.len()
        );
        client.send(head + &body);
        client.answer().status
    };
    let accept = "Accept: application/json, text/event-stream\r\n";
    assert_eq!(with(&format!("{accept}Content-Type: application/json; charset=utf-8\r\n")), 200);
    assert_eq!(with(&format!("{accept}Content-Type: text/plain\r\n")), 415);
    assert_eq!(with(accept), 415);
    assert_eq!(with("Accept: text/html\r\nContent-Type: application/json\r\n"), 406);
    assert_eq!(with("Content-Type: application/json\r\n"), 406);
    assert_eq!(with(&format!("{accept}Content-Type: application/json\r\nMCP-Protocol-Version: 1999-01-01\r\n")), 400);
}

#[test]
fn a_truncated_body_affects_no_other_connection() {
    let server = Server::start(&[], None);
    for _ in 0..200 {
        let mut client = server.client();
        let head = client.head("", 100);
        client.send(head + "{\"half");
    }
    let mut client = server.client();
    let head = client.head("", 100);
    client.send(head + "{\"half");
    client.finish();
    assert!(matches!(client.outcome(), None | Some(400)));
    session_still_works(&server);
}

#[test]
fn a_connection_that_is_not_http_is_closed() {
    let server = Server::start(&[], None);
    for garbage in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET /mcp HTTP/1.1\r\nHost : x\r\n\r\n".to_vec(),
        [b"GET /mcp HTTP/1.1\r\nX: ".to_vec(), vec![b'a'; 100_000]].concat(),
        b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n".to_vec(),
        b"POST /mcp HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n".to_vec(),
        b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n".to_vec(),
    ] {
        let mut client = server.client();
        client.send(&garbage);
        let outcome = client.outcome();
        assert!(outcome.is_none_or(|status| (400..500).contains(&status)), "{outcome:?} {garbage:?}");
    }
    session_still_works(&server);
}
