//! Every wrong tool call, with a message that helps to fix it. A mistake that an agent can fix is a tool result; an
//! invalid call is a protocol error.

use serde_json::json;

use crate::mcp::world::workspace;
use crate::support::client::Client;

#[test]
fn invalid_calls_are_protocol_errors() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    for (tool, arguments, words) in [
        (
            "selectReference",
            json!({}),
            "there is no tool 'selectReference' (did you mean 'selectReferences'?); the tools are: ",
        ),
        ("", json!({}), "there is no tool ''"),
        (
            "selectReferences",
            json!({"ids": 5}),
            "'ids' must be a list of strings, not a number: 5; for example {\"ids\"",
        ),
        ("selectReferences", json!({"ids": [{}]}), "'ids[0]' must be a string, not an object: {}"),
        ("selectReferences", json!({"id": "a"}), "no argument 'id' (did you mean 'ids'?); it takes: ids, filter_tags"),
        ("listReferences", json!({"mode": "autos"}), "'mode' must be one of 'all', 'auto', 'selectable', not 'autos'"),
        ("listReferences", json!({"mode": ["auto"]}), "'mode' must be a string, not a list"),
        ("readReference", json!({}), "readReference: needs 'id'; for example {\"id\": \"api-spec\""),
        ("readReference", json!({"id": true}), "'id' must be a string, not true or false"),
        ("renderTemplate", json!({"template": "x", "syntax": "jinja"}), "not 'jinja' (did you mean 'jinja2'?)"),
        ("renderTemplateToFile", json!({"template": "x"}), "renderTemplateToFile: needs 'output_path'"),
        ("renderTemplateToFile", json!({"output_path": "a", "overwrite": 1}), "'overwrite' must be true or false"),
        ("writeFileFromTemplate", json!({"path": "a"}), "renderTemplateToFile has no argument 'path'"),
        ("listTemplateVariables", json!({}), "needs 'template_name'"),
    ] {
        let (code, message) = client.refused(tool, arguments.clone());
        assert_eq!(code, -32602, "{tool} {arguments}: {message}");
        assert!(message.contains(words), "{tool} {arguments}: {message}");
    }
    assert_eq!(client.call("listReferences", json!({}))["total"], 6, "the session goes on");
}

/// There is no use in sending an agent's own text back to it.
#[test]
fn an_answer_repeats_only_the_beginning_of_a_long_name() {
    let workspace = workspace();
    let mut client = Client::connect(&workspace);
    client.call("selectReferences", json!({"ids": ["api"]}));
    let long = "a".repeat(300_000);
    let many: Vec<String> = (0..20_000).map(|at| format!("none-{at}")).collect();
    let many_and_one = [many.as_slice(), &["guide".to_owned()]].concat();
    for (tool, arguments) in [
        ("readReference", json!({"id": long})),
        ("readReference", json!({"id": "api", "path": long})),
        ("readReference", json!({"id": "api", "lines": long})),
        ("listReferences", json!({"mode": long})),
        ("listReferences", json!({(long.as_str()): 1})),
        (&long, json!({})),
        ("selectReferences", json!({"ids": [long]})),
        ("selectReferences", json!({"ids": many})),
        ("selectReferences", json!({"ids": many_and_one})),
        ("selectReferences", json!({"filter_tags": [long]})),
        ("renderTemplate", json!({"template": "x", "syntax": long})),
        ("renderTemplate", json!({"template": "x", "variables": {(long.as_str()): 1}})),
        ("renderTemplate", json!({"template": format!("{{{{ {long} }}}}")})),
        ("renderTemplate", json!({"template_path": long})),
        ("listTemplateVariables", json!({"template_name": long})),
    ] {
        let answer = client.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let bytes = answer.to_string().len();
        assert!(bytes < 20_000, "{bytes} bytes: {}", &answer.to_string()[..2_000]);
    }
    let answer = client.request(&long, json!({}));
    assert!(answer.to_string().len() < 1_000);
}

/// What exists on the machine is none of an agent's business.
#[test]
fn every_path_outside_gets_the_same_answer() {
    let workspace = workspace();
    let outside = workspace.beside("out");
    std::fs::create_dir(&outside).unwrap();
    refdesk_files::write_atomic(&outside.join("file"), b"x").unwrap();
    std::os::unix::fs::symlink("file", outside.join("link")).unwrap();
    std::os::unix::fs::symlink("loop", outside.join("loop")).unwrap();
    let mut client = Client::connect(&workspace);
    for name in ["file", "none", "link", "loop", "loop/x", "file/x", "none/x", "../out"] {
        let path = outside.join(name).display().to_string();
        let answer = client.result("renderTemplate", json!({"template_path": path}));
        assert_eq!(
            answer["structuredContent"]["error"],
            format!(
                "{path} may not be read: it is neither in a selected source nor below \
                 .templates/ of the workspace"
            ),
            "{answer}"
        );
        let answer = client.result("renderTemplateToFile", json!({"template": "x", "output_path": path}));
        let path = path.replace("/out/../", "/");
        assert_eq!(
            (&answer["structuredContent"]["status"], &answer["structuredContent"]["error"]),
            (&json!("outside"), &json!(format!("Failed to write output: {path} is outside the workspace"))),
            "{answer}"
        );
    }
    // A path that comes back is answered before anything outside is looked at.
    let name = workspace.path.file_name().unwrap().display();
    for part in ["file", "none", "link", "loop"] {
        let path = format!("{}/{part}/../../{name}/docs/new.md", outside.display());
        let answer = client.result("renderTemplate", json!({"template_path": path}));
        assert!(answer.to_string().contains("it is neither in a selected source nor below"), "{answer}");
        let answer = client.result("renderTemplateToFile", json!({"template": "x", "output_path": path}));
        assert_eq!(
            (&answer["structuredContent"]["status"], &answer["structuredContent"]["error"]),
            (&json!("outside"), &json!(format!("Failed to write output: {path} leads outside the workspace"))),
            "{answer}"
        );
    }
}

#[test]
fn fixable_calls_are_tool_results() {
    let workspace = workspace();
    workspace.put("dir/in.md", b"inside\n");
    workspace.put("dir-evil/out.md", b"outside\n");
    std::os::unix::fs::symlink(workspace.path.join("secret.tmpl"), workspace.path.join(".templates/link.tmpl"))
        .unwrap();
    std::os::unix::fs::symlink(workspace.path.join("dir-evil/out.md"), workspace.path.join("skills/service/link.md"))
        .unwrap();
    let mut client = Client::connect(&workspace);
    client.call("selectReferences", json!({"ids": ["service"]}));
    for (tool, arguments, words) in [
        (
            "selectReferences",
            json!({"ids": ["apo"]}),
            &["none_matched", "no source has the id 'apo' (did you mean 'api'?)"][..],
        ),
        ("selectReferences", json!({"ids": ["gone"]}), &["'gone' is missing and cannot be picked"]),
        ("selectReferences", json!({"filter_tags": ["cobol"]}), &["none_matched", "no source has the tag 'cobol'"]),
        ("readReference", json!({"id": "apo"}), &["no source has the id 'apo'", "did you mean 'api'?"]),
        ("readReference", json!({"id": "api"}), &["'api' is not selected", "selectReferences"]),
        ("readReference", json!({"id": "site"}), &["'site' is"]),
        ("readReference", json!({"id": "service", "path": "../../secret.tmpl"}), &["'..'"]),
        ("readReference", json!({"id": "service", "path": "/etc/passwd"}), &["absolute"]),
        ("readReference", json!({"id": "service", "path": "READ.md"}), &["no file 'READ.md'", "README.md"]),
        ("readReference", json!({"id": "service", "path": "link.md"}), &["leads out"]),
        ("readReference", json!({"id": "service", "path": "README.md", "lines": "x"}), &["lines"]),
        ("renderTemplate", json!({}), &["Must provide either 'template' or 'template_path'"]),
        ("renderTemplate", json!({"template": "a", "template_name": "b"}), &["exactly one of the three"]),
        (
            "renderTemplate",
            json!({"template_name": "Entity.java.tp"}),
            &["unknown-template", "Entity.java.tpl", "listExtractedTemplates"],
        ),
        (
            "renderTemplate",
            json!({"template_path": "nowhere.tmpl"}),
            &["Template file not found: nowhere.tmpl", "listExtractedTemplates"],
        ),
        (
            "renderTemplate",
            json!({"template_path": "docs/api.md"}),
            &["may not be read", "call selectReferences with ids [\\\"api\\\"] first"],
        ),
        ("renderTemplate", json!({"template_path": "secret.tmpl"}), &["may not be read", "name another file"]),
        ("renderTemplate", json!({"template_path": ".templates/../secret.tmpl"}), &["may not be read"]),
        ("renderTemplate", json!({"template_path": ".templates/link.tmpl"}), &["may not be read"]),
        ("renderTemplate", json!({"template_path": ""}), &["the path of the template is empty"]),
        ("renderTemplate", json!({"template_path": ".templates"}), &["is a folder"]),
        (
            "renderTemplate",
            json!({"template": "a\n{{ clazz_name }}", "variables": {"class_name": "x"}}),
            &["Template render error: undefined variable 'clazz_name' at line 2 (did you mean 'class_name'?)"],
        ),
        ("renderTemplate", json!({"template": "{% if %}"}), &["Template render error: "]),
        (
            "renderTemplate",
            json!({"template": "x", "variables": [1]}),
            &["\"success\":false", "'variables' must be an object, or the JSON text of one"],
        ),
        (
            "renderTemplateToFile",
            json!({"template": "x", "variables": "{", "output_path": "a"}),
            &["\"success\":false", "'variables': the values are not JSON"],
        ),
        (
            "listTemplateVariables",
            json!({"template_name": "nope"}),
            &["\"status\":\"unknown-template\"", "nope", "listExtractedTemplates"],
        ),
        ("listTemplateVariables", json!({"template_name": "Broken.tpl"}), &["is broken", "line"]),
    ] {
        let result = client.result(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        for word in words {
            assert!(text.contains(word), "{tool} {arguments}: no {word:?} in {text}");
        }
    }
    assert_eq!(client.call("listReferences", json!({}))["total"], 6, "the session goes on");
}
