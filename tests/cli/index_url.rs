//! A search index in a database that cannot be reached. The index crate tests the behaviour with a server.

use refdesk_files::write_atomic;
use serde_json::json;

use crate::support::workspace::Workspace;

const PROMPT: &[u8] = b"the payment client should try again when the call fails";

#[test]
fn a_database_that_cannot_be_reached_costs_hints_by_meaning_alone() {
    let world = Workspace::with(&[("retries.md", "# Retrying failed calls\n")]);
    let source =
        json!({"id": "retries", "name": "Retries", "path": "${workspaceRoot}/retries.md", "tags": ["payment"]});
    let own = json!({"sources": [source], "index_url": "postgres://ann:s3cret@127.0.0.1:1/team"});
    write_atomic(&world.beside("home/.config/jaato/references.json"), own.to_string().as_bytes()).unwrap();
    let refused = world.json(&["index"], 1);
    assert_eq!(refused["error"]["code"], "index-unreachable");
    let enriched = world.feed(&["enrich"], PROMPT).exits(0);
    assert!(enriched.text().contains("@retries"), "{enriched}");
    assert!(enriched.stderr.contains("the database 'team' at 127.0.0.1"), "{enriched}");
    let doctor = world.run(&["doctor"]);
    let expected = "wrong  search index: the search index in the database 'team' at 127.0.0.1";
    assert!(doctor.text().contains(expected), "{doctor}");
    let git = "[remote \"origin\"]\n\turl = https://ann:s3cret@git.example/team/app.git\n";
    world.put(".git/config", git.as_bytes());
    let waiting = world.run(&["trust", "list"]).exits(0);
    assert!(waiting.text().contains("shared with all checkouts of `git.example/team/app`"), "{waiting}");
    assert_eq!(world.json(&["index"], 0)["database_waits_for_trust"], true);
    for arguments in [&["index"][..], &["search", "retry"], &["doctor"]] {
        let reported = world.run(arguments).to_string();
        assert!(reported.contains("waits for trust; the file in the workspace is used meanwhile"), "{reported}");
    }
    let place = world.json(&["where"], 0)["index"]["why"].clone();
    assert_eq!(place, "the search index, used until the database that 'index_url' names is trusted");
    for shown in [refused.to_string(), enriched.to_string(), waiting.to_string(), world.run(&["check"]).to_string()] {
        assert!(!shown.contains("s3cret"), "{shown}");
    }
}
