//! Templates as prompts.

use serde_json::{Value, json};

use super::client::Client;
use super::{code, words, world};
use crate::support::workspace::Workspace;

fn get(client: &mut Client, name: &str, arguments: Value) -> Value {
    client.request("prompts/get", json!({"name": name, "arguments": arguments}))
}

fn text(answer: &Value) -> &str {
    answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_else(|| panic!("no message: {answer}"))
}

#[test]
fn templates_with_only_texts_and_flags_are_prompts() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    let list = client.result("prompts/list", json!({}));
    let argument =
        |name: &str, about: &str, required: bool| json!({"name": name, "description": about, "required": required});
    assert_eq!(
        list["prompts"],
        json!([
            {
                "name": "class.java.tpl", "description": "The mustache template class.java.tpl of @module",
                "arguments": [argument("Name", "a string", true)],
            },
            {
                "name": "flagged.txt.tpl", "description": "The jinja2 template flagged.txt.tpl of @module",
                "arguments": [
                    argument("end", "a string, may be left out", false),
                    argument("loud", "true or false", false),
                    argument("who", "a string", true),
                ],
            },
        ])
    );
    for (name, arguments, expected) in [
        ("class.java.tpl", json!({"Name": "Order"}), "class Order {}\n"),
        ("flagged.txt.tpl", json!({"who": "you"}), "hello you.\n"),
        ("flagged.txt.tpl", json!({"who": "you", "loud": "true", "end": "!"}), "HELLO you!\n"),
        ("flagged.txt.tpl", json!({"who": "you", "loud": "False"}), "hello you.\n"),
    ] {
        let answer = get(&mut client, name, arguments);
        assert_eq!(text(&answer), expected, "{answer}");
        assert_eq!(answer["result"]["messages"][0]["role"], "user");
    }
    let journal = workspace.run(&["journal", "--format", "json"]).exits(0);
    let reported =
        journal.text().lines().filter(|line| line.contains("\"rendered\"") && line.contains("prompts/get")).count();
    assert_eq!(reported, 4);
}

#[test]
fn numbers_are_read_where_the_template_computes() {
    let files = [("module/nodes.txt.tpl", "{{ prefix }}{% for i in range(count) %} {{ i }}{% endfor %}\n")];
    let workspace = Workspace::of(json!([{"id": "module", "name": "Module", "path": "module"}]), &files);
    workspace.run(&["select", "module"]).exits(0);
    let mut client = Client::new(&workspace);
    let list = client.result("prompts/list", json!({}));
    assert_eq!(list["prompts"][0]["arguments"][0]["description"], "a number", "{list}");
    let answer = get(&mut client, "nodes.txt.tpl", json!({"count": "3", "prefix": "10"}));
    assert_eq!(text(&answer), "10 0 1 2\n");
}

#[test]
fn invalid_requests_get_a_helpful_error() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    for (name, arguments, parts) in [
        ("class.java.tp", json!({}), &["class.java.tpl"][..]),
        ("x", json!({}), &["prompts/list"]),
        ("many.txt.tpl", json!({}), &["lists", "renderTemplate"]),
        ("class.java.tpl", json!({}), &["missing: 'Name'"]),
        ("class.java.tpl", json!({"Nam": "Order"}), &["missing: 'Name'", "'Nam' (did you mean 'Name'?)"]),
        ("class.java.tpl", json!({"Name": "Order", "x": "y"}), &["'x'", "it takes 'Name'"]),
        ("class.java.tpl", json!({"Name": ["Order"]}), &["'Name' must be a string"]),
    ] {
        let answer = get(&mut client, name, arguments);
        assert_eq!(code(&answer), -32602, "{answer}");
        for part in parts {
            assert!(words(&answer).contains(part), "{part}: {answer}");
        }
    }
    assert_eq!(text(&get(&mut client, "class.java.tpl", json!({"Name": "Order"}))), "class Order {}\n");
}

#[test]
fn all_pages_together_are_the_list() {
    let files: Vec<(String, String)> =
        (0..230).map(|at| (format!("module/templates/t{at:03}.txt.tpl"), format!("{{{{Name}}}} {at}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let workspace = Workspace::of(json!([{"id": "module", "name": "Module", "path": "module"}]), &files);
    workspace.run(&["select", "module"]).exits(0);
    let mut client = Client::new(&workspace);
    let pages = client.pages("prompts/list", "prompts");
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 30]);
    let names: Vec<String> = pages.concat().iter().map(|it| it["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, (0..230).map(|at| format!("t{at:03}.txt.tpl")).collect::<Vec<_>>());
}
