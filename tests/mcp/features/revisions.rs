//! Every supported revision of the protocol, and the answer to an unknown one.

use serde_json::{Value, json};

use super::client::Client;
use super::{code, words, world};
use crate::support::workspace::{Workspace, inline};

#[test]
fn sessions_by_initialize() {
    let workspace = world();
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let (mut client, answer) = Client::hello(&workspace, asked);
        let result = &answer["result"];
        assert_eq!(result["protocolVersion"], answered, "{asked}: {answer}");
        assert_eq!(result["serverInfo"]["name"], "refdesk");
        assert!(result["instructions"].as_str().unwrap().contains("- @guide: The guide (~"), "{answer}");
        for (ability, members) in [
            ("tools", json!({"listChanged": true})),
            ("resources", json!({"subscribe": true, "listChanged": true})),
            ("prompts", json!({"listChanged": true})),
            ("completions", json!({})),
        ] {
            assert_eq!(result["capabilities"][ability], members, "{asked}: {answer}");
        }
        let list = client.result("resources/list", json!({}));
        assert_eq!(list["resources"].as_array().unwrap().len(), 7);
        // Additions of later revisions are not sent to an older client.
        assert!(list.get("resultType").is_none() && list.get("ttlMs").is_none(), "{list}");
        client.result("ping", json!({}));
        assert_eq!(code(&client.request("subscriptions/listen", json!({"notifications": {}}))), -32601);
    }
}

#[test]
fn discovery_and_requests_without_sessions() {
    let workspace = world();
    let mut client = Client::stateless(&workspace);
    let found = client.result("server/discover", json!({}));
    let versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
    assert_eq!(found["supportedVersions"], json!(versions));
    assert!(found["instructions"].as_str().unwrap().contains("@rules"), "{found}");
    assert!(found.to_string().contains("\"name\":\"refdesk\""), "{found}");
    let list = client.result("resources/list", json!({}));
    assert_eq!((&list["resultType"], list["resources"].as_array().map(Vec::len)), (&json!("complete"), Some(7)));
    assert!(list["ttlMs"].is_number(), "{list}");
    let answer = client.request("resources/read", json!({"uri": "reference://nothing"}));
    assert_eq!(code(&answer), -32602, "this revision has no code of its own for it: {answer}");
    assert!(words(&answer).contains("no source has the id"), "{answer}");
    let answer = client.request("resources/subscribe", json!({"uri": "reference://guide"}));
    assert_eq!(code(&answer), -32601, "{answer}");
}

#[test]
fn a_request_works_without_discovery_but_not_without_its_metadata() {
    let workspace = world();
    let mut client = Client::stateless(&workspace);
    assert!(client.result("prompts/list", json!({}))["prompts"].is_array());
    let mut bare = Client::silent(&workspace);
    let answer = bare.request("resources/list", json!({}));
    assert_eq!(code(&answer), -32602, "{answer}");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "1999-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = bare.request("resources/list", json!({"_meta": meta}));
    assert_eq!(answer["error"]["data"]["supported"].as_array().map(Vec::len), Some(5), "{answer}");
}

#[test]
fn instructions_are_short_however_much_there_is() {
    let long = "n".repeat(700);
    let source = |at: usize| {
        let mut source = inline(&format!("source-{at}-😀"), "text");
        source["name"] = json!(if at.is_multiple_of(7) { format!("{long}{at}") } else { format!("Number {at}") });
        source["mode"] = json!("auto");
        source["tags"] = json!([format!("tag-{at}")]);
        source
    };
    let workspace = Workspace::of(Value::Array((0..1_000).map(source).collect()), &[]);
    let (_client, answer) = Client::hello(&workspace, "2025-11-25");
    let text = answer["result"]["instructions"].as_str().unwrap();
    assert!(text.encode_utf16().count() <= 2_000, "{text}");
    let shown = text.lines().filter(|line| line.starts_with("- @")).count();
    assert!(shown > 10, "{text}");
    let last = text.lines().last().unwrap();
    assert!(last.contains(&format!("{} auto or picked sources", 1_000 - shown)), "{last}");
}
