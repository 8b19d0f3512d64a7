//! Both families of protocol revisions: those that start with `initialize`, and the one with stateless requests.

use serde_json::json;

use crate::mcp::world::workspace;
use crate::support::client::{Client, MODERN};

#[test]
fn a_session_of_every_revision_with_initialize() {
    let workspace = workspace();
    for (asked, given) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        (MODERN, "2025-11-25"),
    ] {
        let mut client = Client::start(&workspace, &[]);
        let said = client.initialize(asked, json!({}));
        assert_eq!(said["protocolVersion"], given, "{asked}");
        assert_eq!(said["serverInfo"]["name"], "refdesk");
        assert!(said["capabilities"]["tools"].is_object());
        assert_eq!(client.request("ping", json!({}))["result"], json!({}), "{asked}");
        assert_eq!(client.call("listReferences", json!({}))["total"], 6, "{asked}");
    }
}

#[test]
fn requests_without_a_session() {
    let workspace = workspace();
    let mut client = Client::modern(&workspace, json!({}));
    let found = client.request("server/discover", json!({}))["result"].clone();
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!(MODERN)), "{found}");
    let list = client.request("tools/list", json!({}))["result"].clone();
    assert_eq!(list["tools"].as_array().unwrap().len(), 8);
    let result = client.result("selectReferences", json!({"ids": "api"}));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["structuredContent"]["status"], "success");
    let line = workspace.run(&["journal", "--format", "json"]).exits(0).text().to_owned();
    assert!(line.contains("\"who\":\"test-client over mcp\""), "{line}");
}

#[test]
fn discovering_first_and_then_initializing() {
    let workspace = workspace();
    let mut client = Client::modern(&workspace, json!({}));
    client.request("server/discover", json!({}));
    client.meta = None;
    let said = client.initialize("2025-06-18", json!({}));
    assert_eq!(said["protocolVersion"], "2025-06-18");
    assert_eq!(client.call("listReferences", json!({}))["total"], 6);
}

/// A second `initialize` would change the revision of the session.
#[test]
fn a_session_is_initialized_once() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for version in ["2026-07-28", "9999-99-99", "2025-11-25"] {
        let params =
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let error = client.request("initialize", params)["error"].clone();
        assert_eq!(error["code"], -32600, "{error}");
        assert!(error["message"].as_str().unwrap().contains("initialized already"), "{error}");
        assert_eq!(client.request("ping", json!({}))["result"], json!({}), "{version}");
    }
}
