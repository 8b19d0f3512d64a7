//! The session of a request is the one that its client started, or without one a session shared by all clients with the
//! same name. No header can claim another.

use serde_json::{Value, json};

use crate::http::client::stateless;
use crate::http::server::Server;
use refdesk_desk::channel::presence::{PresenceKind, open_count};

#[test]
fn no_header_selects_another_session() {
    let server = Server::start(&[], None);
    let mut client = server.client();
    let own = client.begin();
    client.call(&own, "tools/call", &json!({"name": "renderTemplate", "arguments": {"template": "own"}}));
    let (headers, body) =
        stateless("tools/call", json!({"name": "renderTemplate", "arguments": {"template": "claimed"}}));
    for claimed in ["default", own.as_str()] {
        let headers = format!("{headers}Mcp-Session-Id: {claimed}\r\n");
        let message = client.post(&headers, &body).is(200).message();
        assert_eq!(message["result"]["structuredContent"]["rendered"], "claimed", "{message}");
    }
    let journal = server.world.run(&["journal", "--format", "json"]).exits(0);
    let lines = journal.text().lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rendered: Vec<Value> = lines.filter(|line| line["what"] == "rendered").collect();
    let sessions: Vec<&str> = rendered.iter().map(|line| line["session"].as_str().unwrap()).collect();
    assert_eq!(sessions[1..], ["test-http", "test-http"], "{sessions:?}");
    assert!(sessions[0].starts_with("test-") && sessions[0] != "test-http", "{sessions:?}");
}

#[test]
fn every_session_is_an_agent_that_is_connected() {
    let server = Server::start(&[], None);
    let count = || [PresenceKind::Server, PresenceKind::Agent].map(|it| open_count(&server.world.path, it));
    let mut clients = [(); 3].map(|()| server.client());
    for (nth, client) in clients.iter_mut().enumerate() {
        assert_eq!(count(), [usize::from(nth > 0), nth]);
        let session = client.begin();
        client.call(&session, "tools/list", &json!({}));
    }
    let (headers, body) = stateless("tools/list", json!({}));
    server.client().post(&headers, &body).is(200);
    assert_eq!(count(), [1, 3], "a request without a session is not a connection");
}
