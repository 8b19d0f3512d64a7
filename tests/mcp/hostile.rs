//! Lines that no client should send. Each gets the protocol's error if an answer can be expected, none ends the
//! session, and none affects another line.

use serde_json::{Value, json};

use crate::mcp::world::workspace;
use crate::support::client::Client;

/// Code and message of an error; `None` if no answer is expected.
type Answer = Option<(i64, &'static str)>;

/// The lines and their answers.
fn table() -> Vec<(Vec<u8>, Answer)> {
    let line = |value: Value| format!("{value}\n").into_bytes();
    let request =
        |method: Value, params: Value| line(json!({"jsonrpc": "2.0", "id": "x", "method": method, "params": params}));
    let deep = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{}{}}}\n",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    vec![
        (b"garbage\n".to_vec(), Some((-32700, "this line is not JSON"))),
        (b"\xff\xfe\x00\n".to_vec(), Some((-32700, "this line is not JSON"))),
        (b"{\"jsonrpc\": \"2.0\", \n".to_vec(), Some((-32700, "this line is not JSON"))),
        (b"\n\r\n  \n".to_vec(), None),
        (deep.into_bytes(), Some((-32700, "this line is nested deeper than 127 levels"))),
        (line(json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])), Some((-32600, "batches are not supported"))),
        (b"[]\n".to_vec(), Some((-32600, "batches are not supported"))),
        (b"5\n".to_vec(), Some((-32600, "a message must be an object, not a number"))),
        (b"null\n".to_vec(), Some((-32600, "must be an object, not null"))),
        (b"{}\n".to_vec(), Some((-32600, "'jsonrpc' must be"))),
        (line(json!({"jsonrpc": "1.0", "id": 1, "method": "ping"})), Some((-32600, "'jsonrpc' must be \"2.0\""))),
        (
            line(json!({"jsonrpc": "2.0", "id": null, "method": "ping"})),
            Some((-32600, "'id' must be a string or a whole number")),
        ),
        (line(json!({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})), Some((-32600, "a number that is not whole"))),
        (line(json!({"jsonrpc": "2.0", "id": u64::MAX, "method": "ping"})), Some((-32600, "'id' is too large"))),
        (
            b"{\"jsonrpc\": \"2.0\", \"id\": \"\\ud800\", \"method\": \"ping\"}\n".to_vec(),
            Some((-32600, "'id' contains half a character")),
        ),
        (line(json!({"jsonrpc": "2.0", "id": {}, "method": "ping"})), Some((-32600, "whole number, not an object"))),
        (line(json!({"jsonrpc": "2.0", "id": 1, "method": 5})), Some((-32600, "'method' must be a string"))),
        (line(json!({"jsonrpc": "2.0", "id": 1})), Some((-32600, "'method' is missing"))),
        (
            request(json!("tools/lists"), json!({})),
            Some((-32601, "there is no method 'tools/lists'; did you mean 'tools/list'?")),
        ),
        (request(json!("a\u{1b}b"), json!({})), Some((-32601, "there is no method 'a\\x1bb'"))),
        (request(json!("tools/call"), json!([])), Some((-32602, "'params' must be an object, not a list"))),
        (
            request(json!("tools/call"), json!({})),
            Some((-32602, "the params of tools/call cannot be read: missing field `name`")),
        ),
        (
            request(json!("tools/call"), json!({"name": 5})),
            Some((-32602, "the params of tools/call cannot be read: invalid type")),
        ),
        (
            request(json!("tools/call"), json!({"name": "listReferences", "arguments": "x"})),
            Some((-32602, "invalid type: string")),
        ),
        (request(json!("tools/list"), json!({"cursor": 5})), Some((-32602, "the params of tools/list cannot be read"))),
        (
            request(json!("logging/setLevel"), json!({"level": "debug"})),
            Some((-32601, "there is no method 'logging/setLevel'")),
        ),
        (
            line(json!({"jsonrpc": "2.0", "id": "x", "method": "server/discover"})),
            Some((-32602, "'_meta' lacks io.modelcontextprotocol/protocolVersion and")),
        ),
        (line(json!({"jsonrpc": "2.0", "method": "notifications/unheard-of", "params": {"a": 1}})), None),
        (line(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}})), None),
        (line(json!({"jsonrpc": "2.0", "id": 77, "result": {}})), None),
        (line(json!({"jsonrpc": "2.0", "id": "77", "error": {"code": 1, "message": "x"}})), None),
    ]
}

fn check(client: &mut Client, sent: Vec<u8>, expected: Answer) {
    let shown = String::from_utf8_lossy(&sent).chars().take(100).collect::<String>();
    client.bytes(&sent);
    if let Some((code, words)) = expected {
        let answer = client.next();
        assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{shown}: {answer}");
    }
}

#[test]
fn a_session_survives_them_all() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for (sent, expected) in table() {
        check(&mut client, sent, expected);
        assert_eq!(client.request("ping", json!({}))["result"], json!({}));
    }
    assert_eq!(client.call("listReferences", json!({}))["total"], 6);
}

#[test]
fn a_server_without_a_session_survives_them_all() {
    let workspace = workspace();
    let mut client = Client::start(&workspace, &[]);
    for (sent, expected) in table() {
        check(&mut client, sent, expected);
    }
    for wrong in
        [json!({}), json!({"protocolVersion": 5}), json!({"protocolVersion": "2025-06-18", "capabilities": {}})]
    {
        let answer = client.request("initialize", wrong.clone());
        assert_eq!(answer["error"]["code"], -32602, "{wrong}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().starts_with("the params of initialize cannot be read"));
    }
    let early = client.request("tools/list", json!({}))["error"].clone();
    assert_eq!(early["code"], -32602, "who has said nothing of itself");
    assert!(early["message"].as_str().unwrap().contains("send `initialize` first"), "{early}");
    client.initialize("2025-06-18", json!({}));
    assert_eq!(client.call("listReferences", json!({}))["total"], 6);
}

#[test]
fn a_message_over_the_limit_is_refused_and_the_next_is_read() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let huge = "x".repeat(17 * 1024 * 1024);
    let arguments = json!({"template": "{{ a }}", "variables": {"a": huge}});
    client.send(&json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call",
                        "params": {"name": "renderTemplate", "arguments": arguments}}));
    let answer = client.next();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("16 MiB"), "{answer}");
    assert_eq!(client.call("listReferences", json!({}))["total"], 6);
}

#[test]
fn a_line_may_arrive_in_pieces_and_several_at_once() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for piece in ["{\"jsonrpc\": \"2.0\", \"id\"", ": 500, \"meth", "od\": \"ping\"}\r", "\n"] {
        client.bytes(piece.as_bytes());
    }
    assert_eq!(client.answer(&json!(500))["result"], json!({}));
    let many: String =
        (600..650).map(|id| format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))).collect();
    client.bytes(many.as_bytes());
    let mut answered: Vec<i64> = (600..650).map(|_| client.next()["id"].as_i64().unwrap()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (600..650).collect::<Vec<_>>());
}

/// Without an answer to its call, a client waits forever.
#[test]
fn a_call_that_is_not_quite_json_is_answered() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let call = |query: &str| {
        let params = format!(r#"{{"name": "listReferences", "arguments": {{"filter_tags": [{query}]}}}}"#);
        format!(r#"{{"jsonrpc": "2.0", "id": "odd", "method": "tools/call", "params": {params}}}"#) + "\n"
    };
    for (query, code) in
        [(r#""cut \ud83d""#, None), (r#""\udc00""#, None), ("1e999", Some(-32700)), ("tru", Some(-32700))]
    {
        client.bytes(call(query).as_bytes());
        let answer = client.next();
        assert_eq!((answer["id"].as_str(), answer["error"]["code"].as_i64()), (Some("odd"), code), "{query}: {answer}");
    }
}
