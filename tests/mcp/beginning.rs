//! The very first moments: what is asked while the server still reads its workspace is answered from all of it.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::workspace::{Workspace, ids};

/// A pick of which a document brings a folder of templates in.
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

#[test]
fn templates_that_a_pick_brings_in_are_there_from_the_first_answer() {
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
        // Answers come as they are ready.
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
