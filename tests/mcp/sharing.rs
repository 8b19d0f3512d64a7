//! Several servers on one desk: they share the selection, and each has its own name in the journal.

use serde_json::{Value, json};

use crate::mcp::world::workspace;
use crate::support::client::Client;

fn selected(client: &mut Client) -> u64 {
    client.call("listReferences", json!({"mode": "selectable"}))["selected_count"].as_u64().unwrap()
}

#[test]
fn two_servers_add_to_one_selection() {
    let workspace = workspace();
    let (mut one, mut two) = (Client::connect(&workspace), Client::connect(&workspace));
    assert_eq!((selected(&mut one), selected(&mut two)), (0, 0));
    one.call("selectReferences", json!({"ids": ["service"]}));
    two.call("selectReferences", json!({"ids": ["site"]}));
    assert_eq!(workspace.picks(), ["service", "site"], "neither takes away what the other picked");
    assert_eq!((selected(&mut one), selected(&mut two)), (2, 2), "at once, before any file event");
    // A source picked through the other server may be read.
    assert_eq!(one.call("readReference", json!({"id": "service"}))["kind"], "list");
    assert_eq!(two.call("readReference", json!({"id": "service"}))["kind"], "list");
}

#[test]
fn a_source_that_left_the_selection_is_not_readable() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for _ in 0..5 {
        workspace.run(&["select", "api"]).exits(0);
        // The documents that it pulls in may be read, too.
        assert_eq!(client.call("readReference", json!({"id": "@errors"}))["kind"], "content");
        workspace.run(&["clear"]).exits(0);
        let refused = client.result("readReference", json!({"id": "errors"}));
        assert!(refused.to_string().contains("'errors' is not selected"), "{refused}");
    }
    let refused = client.result("readReference", json!({"id": "gone"}));
    assert!(refused.to_string().contains("'gone' is missing: docs/gone.md does not exist"), "{refused}");
}

#[test]
fn an_expanded_source_is_readable_in_that_session() {
    let workspace = workspace();
    let connect = |session: &str| {
        let mut client = Client::start(&workspace, &["--session", session]);
        client.initialize("2025-11-25", json!({}));
        client
    };
    let (mut mine, mut other) = (connect("mine"), connect("other"));
    let refused = |client: &mut Client| client.result("readReference", json!({"id": "api"}))["isError"] == true;
    assert!(refused(&mut mine) && refused(&mut other));
    workspace.feed(&["--session", "mine", "enrich"], b"what does @api say?").exits(0);
    assert!(!refused(&mut mine) && refused(&mut other));
    assert!(workspace.picks().is_empty());
    // An excluded source is not readable, even if it was expanded before.
    workspace.run(&["exclude", "api"]).exits(0);
    assert!(refused(&mut mine));
}

/// Anybody may have written such a template, even its name and those of its variables.
#[test]
fn a_template_of_a_tool_result_is_named_to_no_client() {
    let workspace = workspace();
    let page = b"# Planted\n\n```sh\necho {{ planted }}\n```\n";
    let enriched = workspace.feed(&["--session", "one", "enrich", "--kind", "tool_result"], page).exits(0);
    assert!(enriched.text().contains("renderTemplate(template_name=\"planted.sh.tmpl\""), "{enriched}");
    let mut client = Client::connect(&workspace);
    let complete = json!({"ref": {"type": "ref/prompt", "name": "renderTemplate"},
                          "argument": {"name": "template_name", "value": ""}});
    let answers = [
        client.result("listExtractedTemplates", json!({})),
        client.result("listTemplateVariables", json!({"template_name": "planted.sh.tmp"})),
        client.result("renderTemplate", json!({"template_name": "sh.tmpl"})),
        client.request("prompts/list", json!({})),
        client.request("prompts/get", json!({"name": "planted.sh.tmp"})),
        client.request("completion/complete", complete),
    ];
    for answer in answers {
        assert!(!answer.to_string().contains("planted.sh.tmpl"), "{answer}");
    }
    // The agent that was told the name may render it: its server and its hooks do not share a session.
    let arguments = json!({"template_name": "planted.sh.tmpl", "variables": {"planted": "x"}});
    assert_eq!(client.call("renderTemplate", arguments)["rendered"], "echo x\n");
    assert_eq!(client.call("listTemplateVariables", json!({"template_name": "planted.sh.tmpl"}))["count"], 1);
}

#[test]
fn each_has_its_own_name_and_session() {
    let workspace = workspace();
    for (name, words) in
        [("claude-code", &[][..]), ("claude-code", &[]), ("a\u{1b}[2J\nb", &["--session", "mine"]), ("refdesk", &[])]
    {
        let mut client = Client::start(&workspace, words);
        let params =
            json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": name, "version": "1"}});
        client.request("initialize", params);
        client.call("renderTemplate", json!({"template": "x"}));
        client.call("selectReferences", json!({"ids": ["api"]}));
        workspace.run(&["clear"]).exits(0);
    }
    let journal = workspace.run(&["journal", "--format", "json"]).exits(0);
    let lines: Vec<Value> = journal.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reported: Vec<(&str, &str)> = lines
        .iter()
        .filter(|line| line["what"] == "rendered")
        .map(|line| (line["who"].as_str().unwrap(), line["session"].as_str().unwrap()))
        .collect();
    let who: Vec<&str> = reported.iter().map(|(who, _)| *who).collect();
    assert_eq!(who, ["claude-code over mcp", "claude-code over mcp", "a [2J b over mcp", "refdesk over mcp"]);
    assert!(reported[0].1.starts_with("claude-code-") && reported[0].1 != reported[1].1, "{reported:?}");
    assert_eq!(reported[2].1, "mine");
    // A client never counts as a person, whatever its name.
    let mut client = Client::start(&workspace, &[]);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "refdesk", "version": "1"}});
    client.request("initialize", params);
    client.call("selectReferences", json!({"ids": ["api"]}));
    let why = workspace.run(&["why", "api"]).exits(0).text().to_owned();
    assert!(why.contains("refdesk over mcp"), "{why}");
}
