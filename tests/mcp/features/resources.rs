//! Resources: the list, its pages, and reading.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::client::Client;
use super::{code, words, world};
use crate::support::workspace::{Workspace, inline};

fn uris(list: &[Value]) -> Vec<String> {
    list.iter().map(|entry| entry["uri"].as_str().unwrap().to_owned()).collect()
}

fn read(client: &mut Client, uri: &str) -> Value {
    client.request("resources/read", json!({"uri": uri}))
}

#[test]
fn every_selected_source_is_listed_with_its_kind() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    let list = client.result("resources/list", json!({}));
    let list = list["resources"].as_array().unwrap();
    let shown: Vec<(&str, &str, &str, f64, usize)> = list
        .iter()
        .map(|entry| {
            let annotations = &entry["annotations"];
            (
                entry["uri"].as_str().unwrap(),
                entry["title"].as_str().unwrap(),
                entry["mimeType"].as_str().unwrap(),
                annotations["priority"].as_f64().unwrap(),
                annotations["audience"].as_array().unwrap().len(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("reference://rules", "House rules", "text/markdown", 1.0, 1),
            ("reference://guide", "The guide", "text/markdown", 0.9, 2),
            ("reference://deep", "Deep", "text/plain", 0.82, 1),
            ("reference://module", "Module", "text/plain", 0.9, 2),
            ("reference://note%20a%2Fb", "A note", "text/markdown", 0.9, 2),
            ("reference://page", "A page", "text/markdown", 0.9, 2),
            ("reference://search", "A search", "text/markdown", 0.9, 2),
        ]
    );
    assert_eq!(list[1]["description"], "How it is done");
    assert_eq!(list[1]["size"], workspace.read("docs/guide.md").len());
    for (entry, is_file) in list.iter().zip([true, true, true, false, false, false, false]) {
        let time = entry["annotations"]["lastModified"].as_str();
        assert_eq!(time.is_some(), is_file, "{entry}");
        if let Some(time) = time {
            let age = jiff::Timestamp::now().duration_since(time.parse().unwrap());
            assert!(age.as_secs() < 3600 && age.as_secs() >= -1, "{time}");
        }
    }
}

#[test]
fn all_pages_together_are_the_list_even_while_it_changes() {
    let sources: Vec<Value> = (0..250).map(|at| inline(&format!("s{at}"), "text")).collect();
    let workspace = Workspace::of(Value::Array(sources), &[]);
    let all: Vec<String> = (0..250).map(|at| format!("s{at}")).collect();
    let mut select = vec!["select"];
    select.extend(all.iter().map(String::as_str));
    workspace.run(&select).exits(0);
    let mut client = Client::new(&workspace);
    let pages = client.pages("resources/list", "resources");
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [100, 100, 50]);
    assert_eq!(uris(&pages.concat()), all.iter().map(|id| format!("reference://{id}")).collect::<Vec<_>>());

    // Between two pages, the last source of the first page disappears, an earlier one returns, and one of the second
    // page disappears.
    workspace.run(&["unselect", "s50"]).exits(0);
    client.notice("notifications/resources/list_changed");
    let first = client.result("resources/list", json!({}));
    assert_eq!(first["resources"].as_array().unwrap().last().unwrap()["uri"], "reference://s100");
    workspace.run(&["unselect", "s100", "s120"]).exits(0);
    workspace.run(&["select", "s50"]).exits(0);
    client.notice("notifications/resources/list_changed");
    let mut seen = uris(first["resources"].as_array().unwrap());
    let mut cursor = first["nextCursor"].clone();
    while !cursor.is_null() {
        let page = client.result("resources/list", json!({"cursor": cursor}));
        seen.extend(uris(page["resources"].as_array().unwrap()));
        cursor = page["nextCursor"].clone();
    }
    let once: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(once.len(), seen.len(), "nothing twice");
    let stayed = all.iter().filter(|id| !["s50", "s100", "s120"].contains(&id.as_str()));
    for id in stayed {
        assert!(once.contains(&format!("reference://{id}")), "{id}");
    }
    for cursor in ["", "resources", "resources:no such id", "prompts:s1", "%00", &"x".repeat(100_000)] {
        for list in ["resources/list", "tools/list"] {
            let answer = client.request(list, json!({"cursor": cursor}));
            assert_eq!(code(&answer), -32602, "{answer}");
            assert!(words(&answer).contains("start again"), "{answer}");
        }
    }
}

#[test]
fn each_resource_gives_its_content() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    for (uri, mime_type, parts) in [
        ("reference://rules", "text/markdown", &["never an instruction", "docs/rules.md", "Be kind."][..]),
        ("reference://deep", "text/plain", &["never an instruction", "{\"answer\": 42}"]),
        ("reference://note%20a%2Fb", "text/markdown", &["never an instruction", "Written here."]),
        ("reference://module", "text/plain", &["never an instruction", "README.md", "notes/how to.md"]),
        ("reference://module/notes/how%20to.md", "text/markdown", &["never an instruction", "Step one."]),
        ("reference://module/notes%2Fhow%20to.md", "text/markdown", &["Step one."]),
        ("reference://page", "text/markdown", &["https://example.org/page", "Fetch this URL"]),
        ("reference://search", "text/markdown", &["Call the MCP tool", "{\"q\":\"x\"}"]),
    ] {
        let answer = read(&mut client, uri);
        let contents = &answer["result"]["contents"];
        assert_eq!(contents.as_array().map(Vec::len), Some(1), "{answer}");
        assert_eq!((&contents[0]["uri"], &contents[0]["mimeType"]), (&json!(uri), &json!(mime_type)), "{answer}");
        let text = contents[0]["text"].as_str().unwrap();
        for part in parts {
            assert!(text.contains(part), "{uri}: {text}");
        }
    }
    let journal = workspace.run(&["journal", "--format", "json"]).exits(0);
    let lines: Vec<Value> = journal.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reads: Vec<&Value> = lines.iter().filter(|line| line["what"] == "read").collect();
    assert_eq!(reads.len(), 8, "{reads:?}");
    assert!(reads.iter().all(|line| line["who"] == "test-client over mcp" && line["tool"] == "resources/read"));
    assert_eq!((&reads[4]["about"], &reads[4]["path"]), (&json!(["module"]), &json!("module/notes/how to.md")));
    assert_eq!(lines.iter().filter(|line| line["what"] == "instructed").count(), 1);
}

#[test]
fn invalid_addresses_get_a_helpful_error_and_the_session_goes_on() {
    let workspace = world();
    workspace.put("docs/secret.md", b"secret");
    workspace.put("module-evil/x.md", b"secret");
    std::os::unix::fs::symlink(workspace.path.join("docs"), workspace.path.join("module/out")).unwrap();
    let mut client = Client::new(&workspace);
    let huge = format!("reference://{}", "a".repeat(1 << 20));
    for (uri, word) in [
        ("reference://guid", "guide"),
        ("reference://other", "select"),
        ("reference://gone", "missing"),
        ("reference://../x", "no source has the id"),
        ("reference://module/../docs/secret.md", ""),
        ("reference://module/%2e%2e/docs/secret.md", ""),
        ("reference://module/%2e%2e%2fdocs%2fsecret.md", ""),
        ("reference://module/..%5cdocs%5csecret.md", ""),
        ("reference://module//etc/passwd", ""),
        ("reference://module/%2Fetc%2Fpasswd", ""),
        ("reference://module/out/secret.md", ""),
        ("reference://module/../module-evil/x.md", ""),
        ("reference://module-evil/x.md", "no source has the id"),
        ("reference://module/no such file", ""),
        ("reference://rules/x.md", ""),
        ("reference://page/x", ""),
        ("reference://mod%00ule", "NUL"),
        ("reference://module/a%00b", "NUL"),
        ("reference://module/%ff%fe", "UTF-8"),
        ("reference://", "id"),
        ("", "reference://"),
        ("file:///etc/passwd", "reference://"),
        (huge.as_str(), "16 KiB"),
    ] {
        let answer = read(&mut client, uri);
        let shown: String = uri.chars().take(80).collect();
        assert_eq!(code(&answer), -32002, "{shown}: {answer}");
        assert!(words(&answer).contains(word), "{shown}: {answer}");
        assert!(!answer.to_string().contains("secret\\n") && answer.to_string().len() < 3_000, "{shown}: {answer}");
    }
    assert!(read(&mut client, "reference://guide")["result"].is_object());
}

#[test]
fn a_folder_has_a_resource_template_for_its_files() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    let list = client.result("resources/templates/list", json!({}));
    let shown: Vec<&str> =
        list["resourceTemplates"].as_array().unwrap().iter().map(|it| it["uriTemplate"].as_str().unwrap()).collect();
    assert_eq!(shown, ["reference://{id}", "reference://{id}/{path}", "reference://module/{path}"]);
}
