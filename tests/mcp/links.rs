//! A file, folder or source is replaced by a link after an agent was told about it: nothing behind the link is read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;

use crate::mcp::world::{FILES, sources};
use crate::support::client::Client;
use crate::support::workspace::Workspace;

/// The outside content, under every name that is requested.
const SECRET: &str = "TOP SECRET {{ name }} errors\n";

fn world() -> Workspace {
    let workspace = Workspace::of(sources(), FILES);
    workspace.put("docs/embedded.md", b"x");
    for file in [
        "templates/Entity.java.tpl",
        "Entity.java.tpl",
        "service/templates/Entity.java.tpl",
        "hello.txt.tmpl",
        "api.md",
        "README.md",
    ] {
        refdesk_files::write_atomic(&workspace.beside("out").join(file), SECRET.as_bytes()).unwrap();
    }
    workspace
}

/// Replaces a path with a link.
fn exchange(workspace: &Workspace, path: &str, target: &str) {
    let place = workspace.path.join(path);
    fs::rename(&place, workspace.beside("moved")).unwrap();
    symlink(workspace.beside("out").join(target), place).unwrap();
}

#[test]
fn paths_that_became_links_are_not_read() {
    let cases: &[(&str, &str)] = &[
        ("skills/service/templates/Entity.java.tpl", "Entity.java.tpl"),
        ("skills/service/templates", "templates"),
        ("skills/service", ""),
        ("skills", ""),
        (".templates/hello.txt.tmpl", "hello.txt.tmpl"),
        (".templates", ""),
        ("docs/api.md", "api.md"),
        ("docs", ""),
    ];
    for (path, target) in cases {
        let workspace = world();
        let mut client = Client::connect(&workspace);
        client.call("selectReferences", json!({"ids": ["service", "api"]}));
        let listed = client.call("listExtractedTemplates", json!({})).to_string();
        assert!(listed.contains("Entity.java.tpl") && listed.contains("hello.txt.tmpl"), "{listed}");
        exchange(&workspace, path, target);
        let variables = json!({"name": "Ada", "Entity": "E", "fields": []});
        for (tool, arguments) in [
            ("renderTemplate", json!({"template_name": "Entity.java.tpl", "variables": variables})),
            ("renderTemplate", json!({"template_name": "hello.txt.tmpl", "variables": variables})),
            (
                "renderTemplate",
                json!({"template_path": "skills/service/templates/Entity.java.tpl", "variables": variables}),
            ),
            ("renderTemplate", json!({"template_path": ".templates/hello.txt.tmpl", "variables": variables})),
            (
                "renderTemplate",
                json!({"template": "{{> Entity.java.tpl}}{{> hello.txt.tmpl}}", "syntax": "mustache", "variables": variables}),
            ),
            (
                "renderTemplateToFile",
                json!({"template_name": "Entity.java.tpl", "variables": variables, "output_path": "out.txt"}),
            ),
            ("listTemplateVariables", json!({"template_name": "Entity.java.tpl"})),
            ("readReference", json!({"id": "service", "path": "templates/Entity.java.tpl"})),
            ("readReference", json!({"id": "service"})),
            ("readReference", json!({"id": "api"})),
        ] {
            let id = client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
            let answer = client.answer(&id).to_string();
            assert!(!answer.contains("SECRET"), "{path}: {tool} {arguments}: {answer}");
        }
        assert!(!Path::new(&workspace.path).join("out.txt").exists() || !workspace.read("out.txt").contains("SECRET"));
    }
}
