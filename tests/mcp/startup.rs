//! The start of the server: requests that arrive while it reads the workspace are answered from the complete workspace.

use std::collections::HashMap;
use std::fs;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::workspace::{Workspace, ids};

/// A workspace with a pick whose document mentions a templates folder.
fn workspace() -> Workspace {
    let workspace = Workspace::with(&[
        ("docs/alpha.md", "See tree for the rest.\n"),
        ("tree/templates/x.py.tpl", "value = {{ val }}\n"),
        (".templates/own.txt.tpl", "mine\n"),
    ]);
    workspace.configure(json!({
        "sources": [
            {"id": "alpha", "name": "Alpha", "path": "docs/alpha.md"},
            {"id": "tree", "name": "Tree", "path": "tree"},
        ],
        "preselected": ["alpha"],
    }));
    workspace
}

/// An agent that starts with its knowledge loaded and nothing to select.
#[test]
fn a_profile_applies_from_the_first_answer() {
    let workspace = workspace();
    workspace.configure(json!({"sources": [
        {"id": "alpha", "name": "Alpha", "path": "docs/alpha.md"},
        {"id": "tree", "name": "Tree", "path": "tree"},
        {"id": "other", "name": "Other", "type": "inline", "content": "Else."},
    ]}));
    let ours = json!({"preselected": ["alpha", "nobody"], "sources": ["alpha", "tree"], "exclude_tools": ["selectReferences"]});
    let profile = json!({"plugins": ["references"], "plugin_configs": {"references": ours}});
    workspace.put(".jaato/profiles/coder.json", profile.to_string().as_bytes());
    let mut client = Client::start(&workspace, &["--profile", "coder"]);
    let begun = client.initialize("2025-11-25", json!({}));
    let instructions = begun["instructions"].to_string();
    assert!(instructions.contains("- @alpha: Alpha (~"), "{begun}");
    assert!(instructions.contains("They mention 1 further source") && !instructions.contains("other"), "{begun}");
    let tools = client.request("tools/list", json!({}))["result"]["tools"].to_string();
    assert!(tools.contains("readReference") && !tools.contains("selectReferences"), "{tools}");
    let listed = client.call("listReferences", json!({}));
    assert_eq!(ids(&listed["sources"]), ["alpha", "tree"], "{listed}");
    assert_eq!(listed["selected_count"], 2, "{listed}");
    assert!(client.call("readReference", json!({"id": "alpha"}))["text"].as_str().unwrap().contains("See tree"));
    assert!(client.request("resources/list", json!({}))["result"].to_string().contains("reference://alpha"));
    assert!(client.call("listExtractedTemplates", json!({})).to_string().contains("x.py.tpl"));
    client.refused("selectReferences", json!({"ids": ["tree"]}));
    // Without its file, the last version of the profile stays in effect.
    client.left();
    fs::remove_file(workspace.path.join(".jaato/profiles/coder.json")).unwrap();
    workspace.configure(json!({"sources": [{"id": "alpha", "name": "Alpha", "path": "docs/alpha.md"}]}));
    client.notice("notifications/resources/list_changed");
    assert_eq!(client.call("listReferences", json!({}))["selected_count"], 1);
    let (_, status, said) = client.end();
    assert!(status.success() && said.contains("nobody"), "{said}");
    let log = fs::read_to_string(workspace.beside("home/.local/state/refdesk/refdesk.log")).unwrap();
    assert!(log.contains("coder.json") && log.contains("last version stays in effect"), "{log}");
    // The profile's picks are not stored on the desk.
    assert!(!workspace.path.join(".jaato/refdesk/selection.json").exists());
    let unknown = workspace.run(&["--profile", "nobody", "mcp"]).exits(1);
    assert!(unknown.stderr.contains("nobody"), "{unknown:?}");
}

#[test]
fn templates_of_pulled_in_sources_are_there_from_the_first_answer() {
    for round in 0..5 {
        let workspace = workspace();
        let mut client = Client::start(&workspace, &[]);
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
                            "clientInfo": {"name": "test", "version": "1"}});
        let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
        let first = client.ask("initialize", params);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let references = client.ask("tools/call", call("listReferences", json!({})));
        let templates = client.ask("tools/call", call("listExtractedTemplates", json!({})));
        let variables = json!({"template_name": "x.py.tpl", "variables": {"val": 1}});
        let rendered = client.ask("tools/call", call("renderTemplate", variables));
        let prompts = client.ask("prompts/list", json!({}));
        // The order of the answers is undefined.
        let answers: HashMap<String, Value> = (0..5)
            .map(|_| client.next_answer().expect("an answer"))
            .map(|answer| (answer["id"].to_string(), answer["result"].clone()))
            .collect();
        let answer = |id: &Value| answers[&id.to_string()].clone();
        let instructions = answer(&first)["instructions"].to_string();
        assert!(instructions.contains("They mention 1 further source"), "{round}: {instructions}");
        let listed = answer(&references)["structuredContent"].clone();
        assert_eq!(ids(&listed["sources"]), ["alpha", "tree"], "{round}");
        assert_eq!(listed["selected_count"], 2, "{round}");
        for (of, expected) in [(&templates, "x.py.tpl"), (&rendered, "value = 1"), (&prompts, "x.py.tpl")] {
            let answer = answer(of).to_string();
            assert!(answer.contains(expected), "{round}: {answer}");
        }
    }
}

#[test]
fn the_first_list_has_the_costs_of_all_sources() {
    let workspace = Workspace::new();
    let entry = |nth: usize| {
        let path = format!("docs/{nth}.md");
        workspace.put(&path, format!("# Document {nth}\n\nSome text.\n").as_bytes());
        json!({"id": format!("d{nth}"), "name": "D", "path": path})
    };
    workspace.configure(json!({"sources": (0..600).map(entry).collect::<Vec<_>>()}));
    let mut client = Client::connect(&workspace);
    let listed = client.call("listReferences", json!({}));
    let costs = listed["sources"].as_array().unwrap().iter().filter(|row| row["tokens"].is_u64()).count();
    assert_eq!((costs, &listed["message"]), (600, &Value::Null));
}
