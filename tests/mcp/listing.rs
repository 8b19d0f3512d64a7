//! The list of tools is small, stable, consistent with the tools' answers, and without excluded tools.

use boon::{Compiler, Schemas};
use serde_json::{Value, json};

use crate::mcp::world::{configured, workspace};
use crate::support::client::Client;

const NAMES: [&str; 8] = [
    "selectReferences",
    "listReferences",
    "readReference",
    "search_documents",
    "renderTemplate",
    "renderTemplateToFile",
    "listExtractedTemplates",
    "listTemplateVariables",
];

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[test]
fn it_is_short_and_always_in_the_same_order() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    let first = client.request("tools/list", json!({}))["result"].clone();
    assert_eq!(names(&first), NAMES);
    assert!(first.to_string().len() < 6_000, "{} bytes", first.to_string().len());
    for tool in first["tools"].as_array().unwrap() {
        assert!(tool["description"].as_str().unwrap().len() < 2048);
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{hint}: {tool}");
        }
        assert!(tool["title"].is_string());
    }
    let writes: Vec<&str> = first["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|tool| tool["annotations"]["destructiveHint"] == true)
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(writes, ["renderTemplateToFile"]);
    assert_eq!(client.request("tools/list", json!({}))["result"], first);
    assert_eq!(Client::connect(&workspace).request("tools/list", json!({}))["result"], first);
}

#[test]
fn excluded_tools_are_neither_listed_nor_callable_by_any_name() {
    let excluded = ["selectReferences", "writeFileFromTemplate", "listTemplates"];
    let workspace = configured(json!({"exclude_tools": excluded}));
    let mut client = Client::connect(&workspace);
    let list = client.request("tools/list", json!({}))["result"].clone();
    assert_eq!(
        names(&list),
        ["listReferences", "readReference", "search_documents", "renderTemplate", "listTemplateVariables"]
    );
    for name in
        ["selectReferences", "writeFileFromTemplate", "renderTemplateToFile", "listTemplates", "listAvailableTemplates"]
    {
        let (code, message) = client.refused(name, json!({}));
        assert_eq!(code, -32602, "{name}: {message}");
        assert!(message.contains("exclude_tools"), "{name}: {message}");
    }
    let unselected = client.result("readReference", json!({"id": "api"}));
    let text = unselected["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("is not selected\n  fix: ask the user") && !text.contains("selectReferences"), "{text}");
    for (path, hint) in [
        ("docs/api.md", "ask the user for it, or do without"),
        ("nowhere", "a relative path starts from the workspace; ask the user for it, or do without"),
    ] {
        let unread = client.result("renderTemplate", json!({"template_path": path}));
        assert_eq!(unread["structuredContent"]["hint"], hint, "{unread}");
    }
    client.call("listReferences", json!({}));
}

/// Every structured answer, including failures, matches the declared schema, and its text has the same content.
#[test]
fn answers_match_their_declared_schemas() {
    let workspace = configured(json!({"approval": {"out/**": "deny"}}));
    let mut client = Client::connect(&workspace);
    let list = client.request("tools/list", json!({}))["result"]["tools"].clone();
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    let mut known = std::collections::HashMap::new();
    for tool in list.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        for part in ["inputSchema", "outputSchema"] {
            let at = format!("mem://tools/{name}/{part}");
            compiler.add_resource(&at, tool[part].clone()).unwrap();
            let index = compiler.compile(&at, &mut schemas).unwrap_or_else(|error| panic!("{name} {part}: {error}"));
            known.insert((name.to_owned(), part), index);
        }
    }
    for (name, arguments, fails) in [
        ("listReferences", json!({}), false),
        ("listReferences", json!({"mode": "auto", "filter_tags": ["x"]}), false),
        ("selectReferences", json!({"ids": ["api", "service"]}), false),
        ("selectReferences", json!({"ids": ["api"]}), false),
        ("selectReferences", json!({"ids": ["apii"]}), true),
        ("selectReferences", json!({"ids": ["gone"]}), true),
        ("selectReferences", json!({}), true),
        ("readReference", json!({"id": "api"}), false),
        ("readReference", json!({"id": "service"}), false),
        ("readReference", json!({"id": "service", "path": "README.md"}), false),
        ("readReference", json!({"id": "style", "lines": "1:1"}), false),
        ("listExtractedTemplates", json!({}), false),
        ("listExtractedTemplates", json!({"pattern": "["}), true),
        ("listTemplateVariables", json!({"template_name": "Entity.java.tpl"}), false),
        ("listTemplateVariables", json!({"template_name": "nope"}), true),
        ("renderTemplate", json!({"template": "{{ a }}", "variables": {"a": "b"}}), false),
        ("renderTemplate", json!({"template": "{{ a }}", "variables": {}}), true),
        ("renderTemplateToFile", json!({"template": "x", "variables": {}, "output_path": "out/x"}), true),
    ] {
        let result = client.result(name, arguments.clone());
        assert_eq!(result["isError"] == true, fails, "{name} {arguments}: {result}");
        let answer = &result["structuredContent"];
        let schema = known[&(name.to_owned(), "outputSchema")];
        schemas.validate(answer, schema).unwrap_or_else(|error| panic!("{name}: {error:#}\n{answer:#}"));
        let schema = known[&(name.to_owned(), "inputSchema")];
        schemas.validate(&arguments, schema).unwrap_or_else(|error| panic!("{name}: {error:#}\n{arguments}"));
        if name != "readReference" {
            let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
            assert_eq!(text, *answer, "{name}");
        }
    }
}
