//! Notices to a client. Each one is awaited; the arrival of the next expected one shows that nothing else was sent.

use serde_json::json;

use super::client::Client;
use super::{code, world};
use crate::support::workspace::{Workspace, inline};

const RESOURCES: &str = "notifications/resources/list_changed";
const PROMPTS: &str = "notifications/prompts/list_changed";
const TOOLS: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// A session that receives notices, because it has listed everything once.
fn listening(workspace: &Workspace) -> Client {
    let mut client = Client::new(workspace);
    client.result("resources/list", json!({}));
    client
}

#[test]
fn a_selection_by_another_process_is_announced_at_once() {
    let workspace = world();
    let mut client = listening(&workspace);
    workspace.run(&["select", "other"]).exits(0);
    client.notice(RESOURCES);
    // Setting the same state again is not a change.
    workspace.run(&["select", "other"]).exits(0);
    workspace.run(&["unselect", "module"]).exits(0);
    client.notice(PROMPTS);
    client.notice(RESOURCES);
    assert_eq!(client.left(), Vec::<String>::new());
    assert_eq!(client.result("prompts/list", json!({}))["prompts"], json!([]));
}

#[test]
fn a_burst_of_changes_gives_few_notices() {
    let ids: Vec<String> = (0..40).map(|at| format!("s{at}")).collect();
    let mut sources: Vec<_> = ids.iter().map(|id| inline(id, "text")).collect();
    sources.push(json!({"id": "module", "name": "Module", "path": "module"}));
    let workspace = Workspace::of(json!(sources), &[("module/templates/a.txt.tpl", "{{Name}}\n")]);
    let mut client = listening(&workspace);
    for id in &ids {
        client.ask("tools/call", json!({"name": "selectReferences", "arguments": {"ids": [id]}}));
    }
    client.ask("tools/call", json!({"name": "selectReferences", "arguments": {"ids": ["module"]}}));
    // Only the last of the sources provides a prompt.
    client.notice(PROMPTS);
    let reported = client.left().iter().filter(|method| *method == RESOURCES).count();
    assert!((1..=10).contains(&reported), "{reported}");
}

#[test]
fn tools_that_appear_and_disappear_are_announced() {
    let workspace = Workspace::of(json!([inline("a", "text")]), &[]);
    let mut client = listening(&workspace);
    workspace.configure(json!({"sources": [inline("a", "text")], "exclude_tools": ["renderTemplate"]}));
    client.notice(TOOLS);
    assert_eq!(client.left(), Vec::<String>::new());
}

#[test]
fn a_subscribed_resource_is_announced_when_its_file_changes() {
    let workspace = world();
    let mut client = listening(&workspace);
    let subscribe = |client: &mut Client, uri: &str| client.request("resources/subscribe", json!({"uri": uri}));
    for uri in ["reference://guide", "reference://module", "reference://module/README.md", "reference://rules"] {
        assert!(subscribe(&mut client, uri)["result"].is_object(), "{uri}");
    }
    for uri in ["reference://other", "reference://nothing", "x", "reference://../x"] {
        assert_eq!(code(&subscribe(&mut client, uri)), -32002, "{uri}");
    }
    client.result("resources/unsubscribe", json!({"uri": "reference://rules"}));
    workspace.put("docs/rules.md", b"# Other rules\n");
    workspace.put("docs/deep.json", b"{}\n");
    workspace.put("docs/guide.md", b"# Another guide\n\nSee deep for more.\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "reference://guide");
    workspace.put("module/README.md", b"# Another module\n");
    let mut reported = [client.notice(UPDATED), client.notice(UPDATED)].map(|it| it["params"]["uri"].to_string());
    reported.sort();
    assert_eq!(reported, ["\"reference://module\"", "\"reference://module/README.md\""]);
    assert_eq!(client.left(), Vec::<String>::new(), "a change of a text does not change the list");
}

#[test]
fn a_change_right_after_the_first_subscription_is_announced() {
    let workspace = world();
    for round in 0..4 {
        let mut client = Client::new(&workspace);
        assert!(client.request("resources/subscribe", json!({"uri": "reference://guide"}))["result"].is_object());
        workspace.put("docs/guide.md", format!("# Guide {round}\n").as_bytes());
        assert_eq!(client.notice(UPDATED)["params"]["uri"], "reference://guide");
    }
}

#[test]
fn a_2026_client_gets_the_notices_it_listens_for() {
    let workspace = world();
    let mut client = Client::stateless(&workspace);
    client.result("server/discover", json!({}));
    let wanted = json!({"resourcesListChanged": true, "resourceSubscriptions": ["reference://guide", "file:///x"]});
    let id = client.ask("subscriptions/listen", json!({"notifications": wanted}));
    let accepted = client.notice("notifications/subscriptions/acknowledged");
    assert_eq!(
        accepted["params"]["notifications"],
        json!({"resourcesListChanged": true, "resourceSubscriptions": ["reference://guide"]})
    );
    client.result("resources/list", json!({}));
    // Templates change too, but the client did not subscribe to them.
    workspace.run(&["unselect", "module"]).exits(0);
    let notice = client.notice(RESOURCES);
    assert_eq!(notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{notice}");
    workspace.put("docs/guide.md", b"# Another guide\n\nSee deep for more.\n");
    assert_eq!(client.notice(UPDATED)["params"]["uri"], "reference://guide");
    assert_eq!(client.left(), Vec::<String>::new());
    // After it stops listening, it gets no further notices.
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    client.result("resources/list", json!({}));
    let second = client.ask("subscriptions/listen", json!({"notifications": {"promptsListChanged": true}}));
    client.notice("notifications/subscriptions/acknowledged");
    client.result("prompts/list", json!({}));
    workspace.run(&["select", "module"]).exits(0);
    let notice = client.notice(PROMPTS);
    assert_eq!(notice["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], second, "{notice}");
    assert_eq!(client.left(), Vec::<String>::new());
}
