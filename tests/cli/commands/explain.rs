//! `resolve`, `why` and `graph`: what pulls in what, with file and line.

use serde_json::json;

use super::small;
use crate::support::workspace::{Workspace, inline, strings};

#[test]
fn resolve_uses_only_the_given_ids() {
    let world = small();
    world.run(&["select", "tool"]).exits(0);
    let before = world.listing();
    let answer = world.json(&["resolve", "b"], 0);
    assert_eq!(answer["resolved"], json!(["b", "c", "away", "a"]));
    assert_eq!(answer["depth"], json!({"b": 0, "c": 1, "away": 1, "a": 2}));
    assert_eq!(answer["parents"], json!({"c": ["b"], "away": ["b"], "a": ["c"]}));
    assert_eq!(
        answer["mentions"],
        json!([
            {"from": "b", "to": "c", "via": "path", "file": "docs/b.md", "line": 1},
            {"from": "b", "to": "away", "via": "id", "file": "docs/b.md", "line": 2},
            {"from": "c", "to": "a", "via": "id", "file": "docs/c.md", "line": 1},
            {"from": "a", "to": "b", "via": "id", "file": "docs/a.md", "line": 3},
        ])
    );
    assert_eq!(world.listing(), before, "nothing is changed");
    let text = world.run(&["resolve", "b"]).exits(0);
    assert!(text.text().contains("docs/c.md:1"), "{text}");
}

#[test]
fn resolve_respects_exclusions_and_reports_unknown_ids() {
    let world = small();
    world.run(&["exclude", "c"]).exits(0);
    let answer = world.json(&["resolve", "b", "nobody", "gone"], 1);
    assert_eq!(answer["resolved"], json!(["b", "gone", "away"]));
    assert_eq!(answer["unknown"], json!(["nobody"]));
    assert_eq!(answer["error"]["code"], "unknown-id");
    let none = world.json(&["resolve", "nobody"], 1);
    assert_eq!(none["resolved"], json!([]));
}

#[test]
fn ten_levels_are_followed() {
    let sources: Vec<_> = (0..16).map(|at| inline(&format!("c{at}"), &format!("to c{}", at + 1))).collect();
    let world = Workspace::of(json!(sources), &[]);
    let answer = world.json(&["resolve", "c0"], 0);
    let expected: Vec<String> = (0..=10).map(|at| format!("c{at}")).collect();
    assert_eq!(strings(&answer["resolved"]), expected);
    assert_eq!(answer["depth"]["c10"], 10);
}

#[test]
fn parents_are_sorted_and_may_be_deeper() {
    let world = Workspace::of(
        json!([
            inline("top", "to z and m"),
            inline("z", "to x"),
            inline("m", "to x, to deep"),
            inline("x", ""),
            inline("deep", "to x")
        ]),
        &[],
    );
    assert_eq!(world.json(&["resolve", "top"], 0)["parents"]["x"], json!(["deep", "m", "z"]));
}

#[test]
fn why_is_a_chain_that_ends_at_a_pick() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let answer = world.json(&["why", "c"], 0);
    let chain = answer["chain"].as_array().unwrap();
    let links: Vec<(&str, &str)> =
        chain.iter().map(|link| (link["id"].as_str().unwrap(), link["role"].as_str().unwrap())).collect();
    assert_eq!(links, [("c", "transitive"), ("b", "transitive"), ("a", "picked")]);
    assert_eq!(chain[0]["mentions"][0], json!({"from": "b", "to": "c", "via": "path", "file": "docs/b.md", "line": 1}));
    assert_eq!(chain[2]["mentions"], json!([]));
    let text = world.run(&["why", "c"]).exits(0);
    let expected = "c ← b (by path, docs/b.md:1) ← a (by id, docs/a.md:3) (picked by you, ";
    assert!(text.text().starts_with(expected) && text.text().ends_with(")\n"), "{text}");
}

#[test]
fn why_explains_sources_that_are_not_selected() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    world.run(&["exclude", "away"]).exits(0);
    for (id, code, words) in [
        ("nobody", "unknown-id", "nobody"),
        ("tool", "not-selected", "refdesk select tool"),
        ("away", "not-selected", "refdesk include away"),
        ("gone", "not-selected", "missing"),
    ] {
        let ran = world.run(&["why", id]).exits(1);
        assert!(ran.stderr.contains(words), "{ran}");
        assert_eq!(world.json(&["why", id], 1)["error"]["code"], code, "{id}");
    }
    // An auto source needs no pick.
    let answer = world.json(&["why", "rules"], 0);
    assert_eq!(answer["chain"], json!([{"id": "rules", "role": "auto", "mentions": [], "picked": null}]));
    let text = world.run(&["why", "rules"]).exits(0);
    assert_eq!(text.text(), "rules (auto: an agent gets it with the instructions)\n");
}

#[test]
fn the_graph_contains_every_mention_in_each_language() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let graph = world.json(&["graph"], 0);
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 9);
    let edges: Vec<String> = graph["mentions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["from"].as_str().unwrap(), it["to"].as_str().unwrap()))
        .collect();
    assert_eq!(edges, ["a b", "b c", "b away", "c a", "text gone"]);
    let dot = world.run(&["graph", "--dot"]).exits(0);
    for line in ["digraph references {", "  \"a\" -> \"b\";", "  \"gone\" [style=dashed];", "  \"a\" [style=filled];"] {
        assert!(dot.text().lines().any(|it| it == line), "{line}: {dot}");
    }
    let mermaid = world.run(&["graph", "--mermaid"]).exits(0);
    for line in ["graph LR", "  n1[\"a\"]", "  n1 --> n2"] {
        assert!(mermaid.text().lines().any(|it| it == line), "{line}: {mermaid}");
    }
    let svg = world.run(&["graph", "--svg"]).exits(0);
    let count = |part: &str| svg.text().matches(part).count();
    assert_eq!((count("<path class=\"mention"), count("<g class=\"source")), (5, 9), "{svg}");
    assert_eq!(count("<g class=\"source missing"), 1, "{svg}");
    assert!(count("<g class=\"source selected") >= 1 && count("mention back") == 1, "{svg}");
}

/// Each folder has the mentions of all files below it.
#[test]
fn the_graph_of_folders_within_folders_is_bounded() {
    let mut sources = vec![inline("x", "")];
    let mut files = Vec::new();
    let mut folder = "docs".to_owned();
    for nth in 0..45 {
        folder.push_str("/a");
        sources.push(json!({"id": format!("folder-{nth}"), "name": "Folder", "path": folder}));
        files.push((format!("{folder}/f.md"), "x ./../f.md\n".repeat(60)));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let world = Workspace::of(json!(sources), &files);
    let graph = world.json(&["graph"], 0);
    let more = graph["more_mentions"].as_u64().unwrap();
    assert_eq!(graph["mentions"].as_array().unwrap().len(), 100_000);
    let text = world.run(&["graph"]).exits(0);
    let last = text.text().lines().last().unwrap();
    assert!(last.starts_with("+ ") && last.ends_with("`refdesk graph --dot` has each pair of sources"), "{last}");
    assert!(more > 0);
    assert!(world.run(&["graph", "--dot"]).exits(0).text().contains("\"folder-0\" -> \"x\";"));
}

#[test]
fn lists_of_mentions_are_bounded_and_count_the_rest() {
    const SOURCES: usize = 317;
    let ids: Vec<String> = (0..SOURCES).map(|nth| format!("s{nth}")).collect();
    let text = ids.join(" ");
    let sources: Vec<_> = ids.iter().map(|id| inline(id, &text)).collect();
    let world = Workspace::of(json!(sources), &[]);
    let left_out = SOURCES * (SOURCES - 1) - 100_000;
    let resolved = world.json(&["resolve", "s0"], 0);
    assert_eq!(resolved["mentions"].as_array().unwrap().len(), 100_000);
    assert_eq!(resolved["more_mentions"], json!(left_out));
    let svg = world.run(&["graph", "--svg"]).exits(0);
    assert_eq!(svg.text().matches("<path class=\"mention").count(), 100_000);
    assert!(svg.stderr.contains(&format!("leaves {left_out} more arrows out")), "{}", svg.stderr);
    for (option, edge) in [("--dot", " -> "), ("--mermaid", " --> ")] {
        let all = world.run(&["graph", option]).exits(0);
        assert_eq!(all.text().matches(edge).count(), SOURCES * (SOURCES - 1), "{option}");
    }
}

#[test]
fn the_graph_quotes_odd_ids() {
    let odd = "a\"b\\c\n[d] & <e>";
    let world = Workspace::of(json!([inline(odd, ""), inline("x", "")]), &[]);
    let dot = world.run(&["graph", "--dot"]).exits(0);
    assert_eq!(dot.text().lines().count(), 6, "one line a node: {dot}");
    let mermaid = world.run(&["graph", "--mermaid"]).exits(0);
    assert_eq!(mermaid.text().lines().count(), 3, "{mermaid}");
    assert!(mermaid.text().contains("&quot;") && mermaid.text().contains("&lt;e>"), "{mermaid}");
    let svg = world.run(&["graph", "--svg"]).exits(0);
    assert!(svg.text().contains("a&quot;b\\c\\n[d] &amp; &lt;e&gt;"), "{svg}");
}
