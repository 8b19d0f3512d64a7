//! Completion of arguments.

use serde_json::{Value, json};

use super::client::Client;
use super::{code, world};
use crate::support::workspace::{Workspace, inline, strings};

fn complete(client: &mut Client, of: Value, argument: &str, typed: &str, context: Value) -> Value {
    let argument = json!({"name": argument, "value": typed});
    client.request("completion/complete", json!({"ref": of, "argument": argument, "context": context}))
}

#[test]
fn ids_tags_paths_and_template_names() {
    let workspace = world();
    let mut client = Client::new(&workspace);
    let prompt = |name: &str| json!({"type": "ref/prompt", "name": name});
    let resource = |uri: &str| json!({"type": "ref/resource", "uri": uri});
    let nothing = json!({});
    for (of, argument, typed, context, expected) in [
        (resource("reference://{id}"), "id", "g", nothing.clone(), &["guide", "page"][..]),
        (resource("reference://{id}"), "id", "oth", nothing.clone(), &["other", "note a/b"]),
        (resource("reference://{id}/{path}"), "id", "", nothing.clone(), &["module"]),
        (
            resource("reference://{id}/{path}"),
            "path",
            "not",
            json!({"arguments": {"id": "module"}}),
            &["notes/how to.md"],
        ),
        (resource("reference://module/{path}"), "path", "READ", nothing.clone(), &["README.md"]),
        (resource("reference://other/{path}"), "path", "", nothing.clone(), &[]),
        (prompt("selectReferences"), "ids", "gui", nothing.clone(), &["guide"]),
        (prompt("selectReferences"), "filter_tags", "", nothing.clone(), &["code", "guide", "how", "other"]),
        (prompt("renderTemplate"), "template_name", "cl", nothing.clone(), &["class.java.tpl"]),
        (prompt("flagged.txt.tpl"), "loud", "f", nothing.clone(), &["false"]),
        (prompt("flagged.txt.tpl"), "who", "x", nothing.clone(), &[]),
    ] {
        let answer = complete(&mut client, of.clone(), argument, typed, context);
        let completion = &answer["result"]["completion"];
        let values = strings(&completion["values"]);
        if argument == "id" && typed == "oth" {
            assert_eq!(values[0], "other", "{answer}");
        } else {
            assert_eq!(values, expected, "{of} {argument} {typed}: {answer}");
        }
        assert_eq!(completion["hasMore"], false, "{answer}");
    }
    for (of, argument) in [
        (prompt("no such prompt"), "x"),
        (prompt("class.java.tpl"), "x"),
        (resource("file:///{path}"), "path"),
        (resource("reference://{id}"), "path"),
        (resource("reference://{id}/{path}"), "path"),
        (resource("reference://guide"), "id"),
    ] {
        let answer = complete(&mut client, of.clone(), argument, "", json!({}));
        assert_eq!(code(&answer), -32602, "{of} {argument}: {answer}");
    }
}

#[test]
fn at_most_a_hundred_of_many() {
    let sources: Vec<Value> = (0..130).map(|at| inline(&format!("s{at}"), "text")).collect();
    let workspace = Workspace::of(Value::Array(sources), &[]);
    let mut client = Client::new(&workspace);
    let of = json!({"type": "ref/resource", "uri": "reference://{id}"});
    let answer = complete(&mut client, of, "id", "s", json!({}));
    let completion = &answer["result"]["completion"];
    assert_eq!((strings(&completion["values"]).len(), &completion["total"]), (100, &json!(130)), "{answer}");
    assert_eq!(completion["hasMore"], true);
}
