//! `search_documents` returns only text of selected sources, within the requested tokens, and is recorded in the
//! journal.

use serde_json::{Value, json};

use crate::mcp::world::{configured, workspace};
use crate::support::client::Client;
use crate::support::workspace::Workspace;

fn hit<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("no hits: {answer}"));
    hits.iter().find(|hit| hit["source_id"] == id && hit["kind"] == "text").unwrap_or_else(|| panic!("{id}: {answer}"))
}

#[test]
fn text_comes_only_from_selected_sources() {
    let workspace = workspace();
    workspace.run(&["index", "--words-only"]).exits(0);
    let mut client = Client::connect(&workspace);
    let query = json!({"query": "what goes wrong: errors, sentences"});
    let only_named = client.result("search_documents", json!({"query": "errors"}));
    let before = client.call("search_documents", query.clone());
    let errors = hit(&before, "errors");
    assert_eq!(
        (&errors["readable"], &errors["excerpt"], &errors["path"]),
        (&json!(false), &json!(""), &json!("docs/errors.md"))
    );
    assert!(errors["hint"].as_str().unwrap().contains("selectReferences with ids [\"errors\"]"), "{errors}");
    // The source has mode auto.
    assert_eq!(hit(&before, "style")["excerpt"], "Short sentences.");
    client.call("selectReferences", json!({"ids": ["errors"]}));
    let result = client.result("search_documents", query);
    let errors = hit(&result["structuredContent"], "errors");
    assert_eq!((&errors["readable"], &errors["selected"]), (&json!(true), &json!(true)));
    assert_eq!(errors["excerpt"], "# Errors\n\nNothing else.");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("[Reference data, written by third parties") && text.contains("[End of reference data "),
        "{text}"
    );
    assert!(text.contains("  @errors, Errors, docs/errors.md:1-3\n    # Errors\n"), "{text}");
    workspace.run(&["exclude", "api"]).exits(0);
    let after = client.call("search_documents", json!({"query": "API third line"}));
    assert!(!after.to_string().contains("docs/api.md"), "what a person excluded is not offered: {after}");
    let journal = workspace.run(&["journal"]).exits(0);
    let last = journal.text().lines().rfind(|line| line.contains("search_documents")).unwrap();
    let line: Value = serde_json::from_str(last).unwrap();
    assert_eq!((&line["what"], &line["about"]), (&json!("read"), &json!(["errors"])), "{line}");
    let line = |nth: usize| -> Value {
        let mut searches = journal.text().lines().filter(|line| line.contains("search_documents"));
        serde_json::from_str(searches.nth(nth).unwrap()).unwrap()
    };
    for (nth, given) in [(0, &only_named), (2, &result)] {
        let text = given["content"][0]["text"].as_str().unwrap();
        let bytes = text.len().max(given["structuredContent"].to_string().len());
        let expected = (&given["structuredContent"]["tokens_used"], &json!(bytes));
        assert_eq!((&line(nth)["tokens"], &line(nth)["bytes"]), expected, "{}", line(nth));
    }
    assert!(
        line(0)["about"].is_null() && line(0)["reason"].to_string().contains("named without a text"),
        "{}",
        line(0)
    );
}

#[test]
fn an_excluded_document_is_not_offered_through_its_folder() {
    let local = |id: &str, path: &str| json!({"id": id, "name": id, "type": "local", "path": path});
    let sources = [local("docs", "docs"), local("api", "docs/api.md"), local("guides", "docs/guides")];
    let files = [
        ("docs/api.md", "# API\n\nwombat\n"),
        ("docs/guides/b.md", "# B\n\nwombat\n"),
        ("docs/c.md", "# C\n\nwombat\n"),
    ];
    let workspace = Workspace::of(json!(sources), &files);
    workspace.run(&["index", "--words-only"]).exits(0);
    let mut client = Client::connect(&workspace);
    for (state, id, expected) in [
        ("exclude", "api", &["docs/c.md", "docs/guides/b.md"][..]),
        ("exclude", "docs", &["docs/guides/b.md"]),
        ("include", "api", &["docs/api.md", "docs/guides/b.md"]),
        ("include", "docs", &["docs/api.md", "docs/c.md", "docs/guides/b.md"]),
        ("exclude", "api", &["docs/c.md", "docs/guides/b.md"]),
        // What the person picked may be read.
        ("select", "docs", &["docs/api.md", "docs/c.md", "docs/guides/b.md"]),
    ] {
        workspace.run(&[state, id]).exits(0);
        let answer = client.call("search_documents", json!({"query": "wombat"}));
        let hits = answer["hits"].as_array().unwrap().iter().filter(|hit| hit["kind"] == "text");
        let mut paths: Vec<&str> = hits.map(|hit| hit["path"].as_str().unwrap()).collect();
        paths.sort_unstable();
        assert_eq!(paths, expected, "{state} {id}: {answer}");
    }
}

#[test]
fn the_answer_fits_the_token_budget() {
    let workspace = workspace();
    workspace.run(&["index", "--words-only"]).exits(0);
    workspace.run(&["select", "api", "errors", "service"]).exits(0);
    let mut client = Client::connect(&workspace);
    for most in [0, 50, 80, 100, 150, 200, 300, 500, 1_000] {
        let answer = client.result("search_documents", json!({"query": "API errors service", "max_tokens": most}));
        let text = answer["content"][0]["text"].as_str().unwrap();
        let answer = &answer["structuredContent"];
        assert!(answer["tokens_used"].as_u64().unwrap() <= most, "{answer}");
        let hits = answer["hits"].as_array().unwrap().len();
        assert!(hits > 0 || text.contains("Even the best hit needs"), "{text}");
        // Notes are read too, and some clients pass on the JSON instead of the text.
        let longer = text.len().max(answer.to_string().len());
        assert!(hits == 0 || longer <= usize::try_from(most).unwrap() * 4, "{most}: {longer}: {text}");
    }
    let long = client.result("search_documents", json!({"query": "no such words ".repeat(2_000), "max_tokens": 50}));
    assert!(long.to_string().len() < 1_500, "{long}");
    assert_eq!(
        client.call("search_documents", json!({"query": "API errors", "limit": 1}))["hits"].as_array().unwrap().len(),
        1
    );
}

#[test]
fn calls_that_cannot_be_answered_say_why() {
    let workspace = configured(json!({"index": {"background": false}}));
    let mut client = Client::connect(&workspace);
    let none = client.result("search_documents", json!({"query": "errors"}));
    assert_eq!(none["isError"], true);
    let text = none["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("no search index") && text.contains("ask the user to run `refdesk index`"), "{text}");
    let (code, message) = client.refused("search_documents", json!({"query": "x", "limit": 0}));
    assert_eq!(code, -32602, "{message}");
    assert!(message.contains("'limit' must be a whole number from 1 to 100"), "{message}");
    workspace.run(&["index", "--words-only"]).exits(0);
    for query in ["", "\"", "🦀", "a AND (b"] {
        let answer = client.call("search_documents", json!({"query": query}));
        assert_eq!(answer["hits"], json!([]), "{query}");
    }
    let workspace = configured(json!({"exclude_tools": ["search_documents"]}));
    let (code, message) = Client::connect(&workspace).refused("search_documents", json!({"query": "errors"}));
    assert_eq!(code, -32602, "{message}");
}

#[test]
fn a_search_waits_for_the_first_index() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let answer = client.call("search_documents", json!({"query": "errors"}));
    assert!(!answer["hits"].as_array().unwrap().is_empty(), "{answer}");
}

/// Its server replaces the index as soon as it starts.
#[test]
fn a_search_waits_while_a_damaged_index_is_replaced() {
    for damage in [&b"no database"[..], &[0; 50_000]] {
        let workspace = workspace();
        workspace.run(&["index", "--words-only"]).exits(0);
        workspace.put(".jaato/refdesk/index.db", damage);
        let mut client = Client::connect(&workspace);
        let answer = client.call("search_documents", json!({"query": "errors"}));
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{answer}");
    }
}

#[test]
fn an_agent_is_told_to_search_again_if_building_the_index_takes_long() {
    let workspace = workspace();
    // Simulates a slow build: the server's indexer finds the index locked and exits.
    let _held = workspace.hold_index();
    let mut client = Client::connect(&workspace);
    let refused = client.result("search_documents", json!({"query": "errors"})).to_string();
    assert!(refused.contains("still being built") && refused.contains("again in a minute"), "{refused}");
}

#[test]
fn an_index_that_cannot_be_built_is_an_error_at_once() {
    let workspace = workspace();
    workspace.put(".jaato/refdesk", b"a file in the way");
    let mut client = Client::connect(&workspace);
    let refused = client.result("search_documents", json!({"query": "errors"})).to_string();
    assert!(refused.contains("there is no search index") && refused.contains("Not a directory"), "{refused}");
}
