//! Sources outside the workspace, for an agent of a running server: nothing before they are trusted, everything
//! afterwards, and nothing again once trust is revoked.

use refdesk_files::write_atomic;
use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::workspace::{STATE, Workspace, ids};

/// A workspace whose catalog preselects paths outside: a folder with a template, and a document with one.
fn with_sources_outside() -> Workspace {
    let workspace = Workspace::with(&[("docs/in.md", "# In\n")]);
    for (file, text) in [
        ("out/kit/guide.md", "SECRET guide\n"),
        ("out/kit/Kit.txt.tpl", "SECRET {{ kit_value }}\n"),
        ("out/block.md", "# Block\n\n```jinja2\nSECRET {{ block_value }} and {{ more }}\n```\n"),
    ] {
        write_atomic(&workspace.beside(file), text.as_bytes()).unwrap();
    }
    workspace.configure(json!({
        "preselected": ["in", "kit", "block"],
        "sources": [
            {"id": "in", "name": "In", "path": "docs/in.md"},
            {"id": "kit", "name": "Kit", "path": "../out/kit"},
            {"id": "block", "name": "Block", "path": "../out/block.md"}
        ]
    }));
    workspace
}

fn names(list: &Value, key: &str) -> Vec<String> {
    let entries = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    entries.iter().map(|entry| entry[key].as_str().unwrap().to_owned()).collect()
}

/// Checks every way in which an agent could reach files outside.
fn look(client: &mut Client, is_trusted: bool) {
    let listed = client.call("listReferences", json!({}));
    assert_eq!(ids(&listed["sources"]), ["in", "kit", "block"], "untrusted sources are listed");
    let templates = client.call("listExtractedTemplates", json!({}));
    assert_eq!(templates["count"], if is_trusted { 2 } else { 0 }, "{templates}");
    let prompts = client.request("prompts/list", json!({}))["result"].clone();
    assert_eq!(names(&prompts["prompts"], "name").len(), if is_trusted { 2 } else { 0 }, "{prompts}");
    let resources = client.request("resources/list", json!({}))["result"].clone();
    let expected: &[&str] = if is_trusted { &["in", "kit", "block"] } else { &["in"] };
    assert_eq!(names(&resources["resources"], "name"), expected);

    let values = json!({"kit_value": "1", "block_value": "2", "more": "3"});
    let whole: Vec<String> = [
        client.request("tools/call", json!({"name": "readReference", "arguments": {"id": "block"}})),
        client.request("tools/call", json!({"name": "readReference", "arguments": {"id": "kit", "path": "guide.md"}})),
        client.request(
            "tools/call",
            json!({"name": "renderTemplate",
            "arguments": {"template_name": "Kit.txt.tpl", "variables": values}}),
        ),
        client.request(
            "tools/call",
            json!({"name": "renderTemplate",
            "arguments": {"template_path": "../out/kit/Kit.txt.tpl", "variables": values}}),
        ),
        client.request("prompts/get", json!({"name": "Kit.txt.tpl", "arguments": {"kit_value": "1"}})),
    ]
    .iter()
    .map(Value::to_string)
    .collect();
    for answer in &whole {
        assert_eq!(answer.contains("SECRET"), is_trusted, "{answer}");
    }
    let variables = json!({"name": "listTemplateVariables", "arguments": {"template_name": "Kit.txt.tpl"}});
    let variables = client.request("tools/call", variables)["result"].to_string();
    assert_eq!(variables.contains("kit_value"), is_trusted, "{variables}");
}

/// Whether the templates of documents are written as files, which every agent can read.
fn written(workspace: &Workspace) -> bool {
    let listing = workspace.listing();
    let in_templates = listing.iter().filter(|(path, _)| path.starts_with(workspace.path.join(".jaato/templates")));
    in_templates.into_iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains("SECRET"))
}

#[test]
fn sources_outside_come_and_go_with_trust_while_the_server_runs() {
    let workspace = with_sources_outside();
    let mut client = Client::connect(&workspace);
    look(&mut client, false);
    workspace.run(&["templates", "extract"]).exits(0);
    assert!(!written(&workspace));

    workspace.trust(STATE);
    look(&mut client, true);
    workspace.run(&["templates", "extract"]).exits(0);
    assert!(written(&workspace));

    workspace.run(&["trust", "revoke"]).exits(0);
    assert!(!written(&workspace), "written templates are removed with the trust");
    look(&mut client, false);
    client.call("selectReferences", json!({"ids": ["kit"]}));
    look(&mut client, false);
    assert!(!written(&workspace));
}

/// The answers to all requests of an agent that could reveal anything, as one text.
fn everything(client: &mut Client) -> String {
    let mut reported = String::new();
    for (tool, arguments) in [
        ("listReferences", json!({})),
        ("selectReferences", json!({"ids": ["far", "folder"]})),
        ("readReference", json!({"id": "far"})),
        ("readReference", json!({"id": "folder", "path": "SECRET.md"})),
        ("readReference", json!({"id": "folder"})),
        ("listExtractedTemplates", json!({})),
        ("renderTemplate", json!({"template_path": "../out/folder/SECRET.txt.tpl", "variables": {"SECRET": "1"}})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        reported.push_str(&answer.to_string().replace(&arguments.to_string(), ""));
    }
    for (method, parameters) in [
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({"uri": "reference://far"})),
        ("resources/read", json!({"uri": "reference://folder"})),
        ("prompts/list", json!({})),
    ] {
        reported.push_str(&client.request(method, parameters).to_string());
    }
    reported
}

#[test]
fn files_outside_do_not_affect_answers_before_trust() {
    let answers = [("out/far", "out/folder/SECRET.md"), ("out/far/SECRET.md", "out/folder")].map(|files| {
        let workspace = Workspace::with(&[("in.md", "# In\n")]);
        for file in <[&str; 2]>::from(files) {
            write_atomic(&workspace.beside(file), b"SECRET text that names in\n").unwrap();
        }
        workspace.configure(json!({
            "references_dir": "../refs", "transitive_from_auto": true,
            "sources": [
                {"id": "far", "name": "Far", "path": "../out/far", "mode": "auto"},
                {"id": "folder", "name": "Folder", "path": "../out/folder"},
                {"id": "environment", "name": "E", "path": "/proc/self/environ", "mode": "auto"},
                {"id": "in", "name": "In", "path": "in.md"}
            ]
        }));
        let source = br#"{"id": "SECRET", "name": "SECRET", "type": "inline", "content": "SECRET"}"#;
        write_atomic(&workspace.beside("refs/x.json"), source).unwrap();
        let mut client = Client::connect(&workspace);
        let reported = everything(&mut client);
        let root = workspace.beside("").display().to_string();
        (reported.replace(&root, "/").replace("SECRET.md", "").replace("SECRET.txt", ""), workspace)
    });
    let reported = &answers[0].0;
    assert!(!reported.contains("SECRET") && reported.contains("waits for trust"), "{reported}");
    // Whether the text inside has already been read depends on timing.
    let plain = |reported: &str| reported.replace(['\\', '"'], "").replace(",tokens:2", "");
    assert_eq!(plain(reported), plain(&answers[1].0));
}

#[test]
fn a_template_that_may_not_be_read_names_only_a_source_that_helps() {
    let workspace = Workspace::with(&[("pack/inner/t.tmpl", "a\n"), ("pack/.git/t.tmpl", "b\n")]);
    write_atomic(&workspace.beside("out/far/t.tmpl"), b"c\n").unwrap();
    workspace.configure(json!({"sources": [
        {"id": "pack", "name": "Pack", "path": "pack"},
        {"id": "inner", "name": "Inner", "path": "pack/inner"},
        {"id": "far", "name": "Far", "path": "../out/far"}
    ]}));
    let mut client = Client::connect(&workspace);
    for _ in 0..2 {
        for (path, message, hint) in [
            ("pack/inner/t.tmpl", "neither in a selected source", "call selectReferences with ids [\"inner\"] first"),
            ("pack/.git/t.tmpl", "neither in a selected source", "name another file"),
            (
                "../out/far/t.tmpl",
                "'far', which contains it, waits for trust",
                "ask the user to review it with `refdesk trust`",
            ),
            (
                "../out/far/none.tmpl",
                "'far', which contains it, waits for trust",
                "ask the user to review it with `refdesk trust`",
            ),
        ] {
            let refused = client.result("renderTemplate", json!({"template_path": path}));
            assert_eq!(refused["structuredContent"]["hint"], hint, "{path}: {refused}");
            assert!(refused.to_string().contains(message), "{path}: {refused}");
        }
        client.call("selectReferences", json!({"ids": ["far"]}));
    }
}
