//! `refdesk list` and its filters.

use serde_json::json;

use super::small;
use crate::support::workspace::{STATE, Workspace, ids, inline};

#[test]
fn filters_keep_catalog_order() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    for (words, expected) in [
        (&["list"][..], &["rules", "a", "b", "c", "away", "tool", "text", "gone", "kit"][..]),
        (&["list", "--selected"], &["a", "b", "c", "away"]),
        (&["list", "--unselected"], &["rules", "tool", "text", "gone", "kit"]),
        (&["list", "--mode", "auto"], &["rules"]),
        (&["list", "--mode", "selectable", "--unselected"], &["tool", "text", "gone", "kit"]),
        (&["list", "--mode", "all", "--tag", "web"], &["away"]),
        (&["list", "--tag", "web", "--tag", "RETRY"], &["a", "b", "away"]),
        (&["list", "--tag", "circuit-breaker"], &["a"]),
        (&["list", "--tag", " CIRCUIT_breaker "], &["a"]),
        (&["list", "--tag", "circuit"], &[]),
        (&["references", "list", "--tag", "lost"], &["gone"]),
    ] {
        let listed = world.json(words, 0);
        assert_eq!(ids(&listed["sources"]), expected, "{words:?}");
        assert_eq!(listed["total"], expected.len(), "{words:?}");
        let selected = expected.iter().filter(|id| ["a", "b", "c", "away"].contains(id)).count();
        assert_eq!(listed["selected_count"], selected, "{words:?}");
    }
}

#[test]
fn a_mentioned_auto_source_counts_as_auto() {
    let source =
        |id: &str, mode: &str| json!({"id": id, "name": id, "type": "local", "path": format!("{id}.md"), "mode": mode});
    let sources = json!([source("one", "selectable"), source("two", "selectable"), source("rules", "auto")]);
    let files = [("one.md", "See @rules and @two.\n"), ("two.md", "Two.\n"), ("rules.md", "Rules.\n")];
    let world = Workspace::of(sources, &files);
    world.run(&["select", "one"]).exits(0);
    let listed = world.run(&["list"]).exits(0);
    assert!(listed.text().ends_with("3 sources, 2 selected, 1 auto\n"), "{listed}");
    assert_eq!(world.json(&["list"], 0)["selected_count"], 3);
}

#[test]
fn an_auto_source_that_is_a_root_counts_as_auto_and_cannot_be_unpicked() {
    let world = Workspace::new();
    let rules = json!({"id": "rules", "name": "Rules", "type": "inline", "content": "See text.", "mode": "auto"});
    world.configure(json!({"transitive_from_auto": true, "sources": [rules, inline("text", "")]}));
    for words in [&["list"][..], &["references", "reload"]] {
        let ran = world.run(words).exits(0);
        assert!(ran.text().trim_end_matches(['.', '\n']).ends_with("2 sources, 1 selected, 1 auto"), "{ran}");
        assert_eq!(world.json(words, 0)["selected_count"], 2, "{words:?}");
    }
    assert_eq!(world.json(&["unselect", "rules"], 1)["error"]["code"], "is-auto");
}

#[test]
fn each_source_has_its_state() {
    let world = small();
    world.run(&["select", "a", "text"]).exits(0);
    world.run(&["exclude", "tool"]).exits(0);
    let listed = world.json(&["list"], 0);
    let by_id = |id: &str| listed["sources"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap().clone();
    for (id, expected) in [
        (
            "a",
            json!({"type": "local", "mode": "selectable", "selected": true, "picked": true, "transitive": false,
                     "excluded": false, "resolved_path": "docs/a.md", "is_directory": false, "exists": true, "tokens": 4}),
        ),
        ("b", json!({"selected": true, "picked": false, "transitive": true})),
        (
            "gone",
            json!({"selected": true, "transitive": true, "exists": false, "is_directory": false, "tokens": null,
                        "resolved_path": "docs/gone.md"}),
        ),
        ("kit", json!({"selected": false, "is_directory": true, "exists": true, "resolved_path": "kit"})),
        (
            "tool",
            json!({"type": "mcp", "excluded": true, "server": "tracker", "tool": "search", "resolved_path": null,
                        "is_directory": null, "exists": null, "tokens": null}),
        ),
        ("away", json!({"type": "url", "url": "https://example.org/x", "description": "Far.", "has_content": false})),
        ("rules", json!({"type": "inline", "mode": "auto", "selected": false, "has_content": true, "tokens": 2})),
    ] {
        let source = by_id(id);
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&source[key], value, "{key} of {id}");
        }
    }
    let marks = world.run(&["list"]).exits(0);
    for (mark, id) in [("●", "a"), ("◐", "b"), ("✕", "gone"), ("⊘", "tool"), ("◆", "rules"), ("○", "kit")] {
        let begins = |line: &str| line.split_whitespace().take(2).eq([mark, id]);
        assert!(marks.text().lines().any(begins), "{mark} {id}: {marks}");
    }
}

#[test]
fn an_empty_list_says_so() {
    let empty = Workspace::new();
    assert!(empty.run(&["list"]).exits(0).text().contains("no sources"));
    assert_eq!(empty.json(&["list"], 0), json!({"sources": [], "total": 0, "selected_count": 0}));
    assert!(small().run(&["list", "--tag", "nobody"]).exits(0).text().contains("No source matches these filters."));
}

#[test]
fn untrusted_sources_are_marked_and_counted() {
    let world = Workspace::of(
        json!([{"id": "near", "name": "Near", "path": "near.md"}, {"id": "far", "name": "Far", "path": "../far.md"}]),
        &[("near.md", "# Near\n\nIn here.\n")],
    );
    world.put("../far.md", b"# Far\n\nOut there.\n");
    let listed = world.run(&["list"]).exits(0);
    let row = |id: &str| listed.text().lines().find(|line| line.contains(id)).unwrap_or_default().to_owned();
    assert!(row("far").ends_with("waits for trust") && !row("near").contains("trust"), "{listed}");
    for (words, count) in [(&["list"][..], 2), (&["select", "far", "near"], 2)] {
        let rows = world.json(words, 0)["sources"].take();
        let waiting: Vec<_> =
            rows.as_array().unwrap().iter().map(|row| (&row["id"], &row["waits_for_trust"])).collect();
        assert_eq!(waiting.len(), count);
        assert!(
            waiting.contains(&(&json!("far"), &json!(true))) && waiting.contains(&(&json!("near"), &json!(null))),
            "{rows}"
        );
    }
    world.run(&["clear"]).exits(0);
    assert!(listed.text().ends_with("0 selected; 1 waits for trust and is not read: `refdesk trust`\n"), "{listed}");
    let indexed = world.run(&["index", "--words-only"]).exits(0);
    assert!(indexed.text().contains("1 source waits for trust and is not in the index: `refdesk trust`"), "{indexed}");
    assert_eq!(world.json(&["index", "--words-only"], 0)["waits_for_trust"], 1);
    let checked = world.run(&["doctor"]).exits(0);
    assert!(checked.text().contains(", 1 source waits for trust and is not in it\n"), "{checked}");
    world.trust(STATE);
    for words in [&["list"][..], &["index", "--words-only"], &["doctor"]] {
        let reported = world.run(words).exits(0);
        assert!(!reported.text().contains("waits for trust"), "{reported}");
    }
}

#[test]
fn list_resolve_and_check_write_nothing() {
    let world = small();
    let before = world.listing();
    for words in [
        &["list"][..],
        &["resolve", "a"],
        &["check"],
        &["graph"],
        &["instructions"],
        &["why", "a"],
        &["templates"],
        &["references", "reload"],
    ] {
        world.run(words);
        assert_eq!(world.listing(), before, "{words:?}");
    }
    world.feed(&["enrich", "--dry-run"], b"@a retry").exits(0);
    assert_eq!(world.listing(), before);
    // A repeated answer is recorded only in the journal.
    world.feed(&["enrich", "--repeat"], b"@a retry").exits(0);
    let is_kept = |(path, _): &(std::path::PathBuf, Vec<u8>)| path.starts_with(world.path.join(".jaato/refdesk"));
    let kept: Vec<_> = world.listing().into_iter().filter(is_kept).map(|(path, _)| path).collect();
    let names: Vec<_> = kept.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(names, [".gitignore", "journal.jsonl", "lock"]);
}

#[test]
fn an_unread_source_brings_up_no_hint_and_says_why() {
    let source = |id: &str, path: &str| json!({"id": id, "name": id, "path": path, "tags": [id]});
    let world = Workspace::of(json!([source("far", "../far.md"), source("gone", "docs/gone.md")]), &[]);
    world.put("../far.md", b"# Far\n\nOut there.\n");
    world.run(&["index", "--words-only"]).exits(0);
    let unread = "it waits for trust, so its text is not read";
    for (prompt, why) in [("out there", ", and its tag"), ("so far", " (tag `far` at 1:4).")] {
        let shown = world.run(&["why-not", "far", "--prompt", prompt]).exits(0);
        assert!(shown.text().starts_with(&format!("No hint for 'far': {unread}{why}")), "{shown}");
        assert!(shown.text().ends_with("fix: review and trust it with `refdesk trust`\n"), "{shown}");
    }
    let missing = world.json(&["why-not", "gone", "--prompt", "out there"], 0);
    let what =
        "No hint for 'gone': it is missing: docs/gone.md does not exist, and its tag `gone` is not in the prompt.";
    assert_eq!(missing["message"], what);
    assert_eq!(missing["fix"], "correct its path; `refdesk check` shows where it is defined");
    assert_eq!(world.json(&["simulate", "so far"], 0)["considered"][0]["because"], unread);
}
