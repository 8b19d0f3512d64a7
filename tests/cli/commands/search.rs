//! `refdesk search`: hits in both forms, filters, the token budget, and what is left out.

use serde_json::{Value, json};

use crate::support::workspace::{STATE, Workspace, inline};

const NOTE: &str = "# Note\n\nA breaker of \u{1b}[31mred\u{1b}[0m colour.";

/// Two guides, a note, and a file outside.
fn world() -> Workspace {
    let local =
        |id: &str, path: &str, tags: Value| json!({"id": id, "name": format!("The {id}"), "path": path, "tags": tags});
    Workspace::of(
        json!([
            local("breaker", "docs/breaker.md", json!(["resilience"])),
            local("retry", "docs/retry.md", json!(["resilience"])),
            local("away", "../outside.md", json!([])),
            inline("note", NOTE),
        ]),
        &[
            ("docs/breaker.md", "# Circuit breaker\n\nA breaker opens when too many calls fail.\n"),
            ("docs/retry.md", "# Retry\n\nRepeat a call that failed, after a pause.\n\nNot for ever.\n"),
        ],
    )
}

fn indexed() -> Workspace {
    let world = world();
    world.put("../outside.md", b"# Outside\n\nThe breaker of another project.\n");
    world.run(&["index", "--words-only"]).exits(0);
    world
}

fn places(answer: &Value) -> Vec<String> {
    let hits = answer["hits"].as_array().unwrap_or_else(|| panic!("no hits: {answer}"));
    hits.iter().map(|hit| format!("{} {}", hit["source_id"].as_str().unwrap(), hit["kind"].as_str().unwrap())).collect()
}

#[test]
fn hits_have_place_excerpt_and_reasons() {
    let world = indexed();
    let answer = world.json(&["search", "circuit", "breaker", "--kind", "text"], 0);
    assert_eq!(answer["query"], "circuit breaker");
    assert_eq!(answer["hits"][0]["because"][0]["words"], json!(["circuit", "breaker"]));
    let mut hit = answer["hits"][0].clone();
    for member in ["score", "because", "tokens"] {
        assert!(hit.as_object_mut().unwrap().remove(member).is_some(), "{member}");
    }
    let expected = json!({
        "kind": "text", "source_id": "breaker", "name": "The breaker", "path": "docs/breaker.md", "line": 1, "end_line": 3,
        "heading": "Circuit breaker", "excerpt": "# Circuit breaker\n\nA breaker opens when too many calls fail.",
        "readable": true, "selected": false,
    });
    assert_eq!(hit, expected);
    let tokens: u64 = answer["hits"].as_array().unwrap().iter().map(|hit| hit["tokens"].as_u64().unwrap()).sum();
    let last = "99 hits by words only, ~99 tokens\n".len() as u64;
    assert!(answer["tokens_used"].as_u64().unwrap() - tokens <= last.div_ceil(4), "{answer}");
    let ran = world.run(&["search", "circuit breaker", "--kind", "text", "--explain"]).exits(0);
    let text = ran.text();
    assert!(
        text.starts_with("Circuit breaker\n  @breaker, The breaker, docs/breaker.md:1-3\n    # Circuit breaker\n"),
        "{ran}"
    );
    assert!(text.contains("score 0.1909 = 0.1909 for rank 1 by words (circuit, breaker)"), "{ran}");
    assert!(!text.contains('\u{1b}') && text.contains("\\x1b[31mred"), "{ran}");
}

#[test]
fn catalog_entries_are_not_listed_beside_their_text() {
    let world = indexed();
    let answer = world.json(&["search", "retry"], 0);
    assert_eq!(places(&answer), ["retry text"], "{answer}");
    let ran = world.run(&["search", "retry"]).exits(0);
    assert!(ran.text().contains("docs/retry.md:1") && ran.text().contains("\n1 hit by words only"), "{ran}");
    let ran = world.run(&["search", "retry", "--kind", "source"]).exits(0);
    assert!(ran.text().contains("@retry") && ran.text().contains("\n1 hit by"), "{ran}");
}

#[test]
fn other_hits_replace_left_out_entries() {
    let world = indexed();
    let answer = world.json(&["search", "--limit", "2", "breaker"], 0);
    assert_eq!(places(&answer), ["breaker text", "note text"], "{answer}");
}

#[test]
fn the_text_of_an_entry_takes_its_place_at_any_limit() {
    let filler = "Words about other things. ".repeat(40);
    let many: String =
        (0..35).map(|nth| format!("## Part {nth}\n\n{}\n\n", "A wombat and a wombat. ".repeat(20))).collect();
    let source = |id: &str, name: &str| json!({"id": id, "name": name, "path": format!("{id}.md")});
    let late = format!("# Late\n\n{filler} One wombat.\n");
    let world = Workspace::of(
        json!([source("many", "Many"), source("late", "Wombat")]),
        &[("many.md", many.as_str()), ("late.md", late.as_str())],
    );
    world.run(&["index", "--words-only"]).exits(0);
    let found =
        |limit: &str| world.json(&["search", "wombat", "--limit", limit], 0)["hits"].as_array().unwrap().clone();
    let place = |hit: &Value| hit["path"].as_str().unwrap().to_owned() + &hit["line"].to_string();
    let all: Vec<String> = found("50").iter().map(place).collect();
    assert_eq!(all.len(), 36, "{all:?}");
    for limit in ["5", "10", "15", "20", "30"] {
        let hits: Vec<String> = found(limit).iter().map(place).collect();
        assert_eq!(hits, all[..hits.len()], "{limit}");
        assert_eq!(hits.len().to_string(), limit);
    }
}

#[test]
fn a_source_that_is_named_in_full_comes_first() {
    let world = indexed();
    world.put("docs/breaker.md", "# Circuit breaker\n\nretry retry the retry of docs/retry.md\n".as_bytes());
    world.run(&["index", "--words-only"]).exits(0);
    for (query, first) in [
        ("retry", "retry text"),
        ("@retry", "retry text"),
        ("the RETRY", "retry text"),
        ("docs/retry.md", "retry text"),
        ("note", "note text"),
    ] {
        for limit in ["1", "10"] {
            let answer = world.json(&["search", "--limit", limit, query], 0);
            assert_eq!(places(&answer)[0], first, "{query}: {answer}");
            let scores: Vec<f64> =
                answer["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap()).collect();
            assert!(scores.is_sorted_by(|one, other| one >= other), "{query}: {scores:?}");
            let because = answer["hits"][0]["because"].as_array().unwrap();
            let sum: f64 = because.iter().map(|rank| rank["score"].as_f64().unwrap()).sum();
            assert!((sum - scores[0]).abs() < 0.0005, "{query}: {answer}");
            assert_eq!(because.last().unwrap()["list"], "name", "{query}: {answer}");
        }
    }
    let answer = world.json(&["search", "retry", "--source", "breaker"], 0);
    assert_eq!(places(&answer), ["breaker text"], "not what a filter leaves out: {answer}");
    let ran = world.run(&["search", "--explain", "breaker"]).exits(0);
    assert!(ran.text().contains(" by words (breaker)\n"), "a list that adds nothing is not printed: {ran}");
}

#[test]
fn the_text_of_a_named_source_is_one_hit() {
    let world = indexed();
    // The section that matches begins at its own heading.
    world.put("docs/breaker.md", "# Breaker\n\n## Fuses\n\nThey open when too many calls fail.\n".as_bytes());
    world.run(&["index", "--words-only"]).exits(0);
    let answer = world.json(&["search", "breaker"], 0);
    assert_eq!(places(&answer), ["breaker text", "note text"], "{answer}");
    assert_eq!((&answer["hits"][0]["line"], &answer["hits"][0]["end_line"]), (&json!(1), &json!(5)), "{answer}");
}

#[test]
fn filters_choose_among_sources() {
    let world = indexed();
    world.run(&["select", "retry"]).exits(0);
    for (words, expected) in [
        (&["breaker"][..], &["breaker text", "note text"][..]),
        (&["breaker", "--kind", "source"], &["breaker source"]),
        (&["breaker", "--source", "@note"], &["note text"]),
        (&["breaker", "--tag", "Resilience", "--kind", "text"], &["breaker text"]),
        (&["breaker", "--selected"], &[]),
        (&["call failed", "--selected", "--kind", "text"], &["retry text"]),
        (&["breaker", "--limit", "1"], &["breaker text"]),
        (&["\"opens when\""], &["breaker text"]),
        (&["zebras of this"], &[]),
    ] {
        assert_eq!(places(&world.json(&[&["search"], words].concat(), 0)), expected, "{words:?}");
    }
    let refused = world.json(&["search", "breaker", "--source", "brekaer"], 1);
    assert_eq!(refused["error"]["code"], "unknown-id");
    world.run(&["search", "breaker", "--kind", "page"]).exits(2);
    world.run(&["search", "breaker", "--limit", "0"]).exits(2);
    let none = world.run(&["search", "zebras of this"]).exits(0);
    assert_eq!(none.text(), "Nothing found.\n", "{none}");
}

#[test]
fn untrusted_sources_are_not_found() {
    let world = indexed();
    let before = world.json(&["search", "another project"], 0);
    assert!(!before.to_string().contains("Outside"));
    let left_out = |answer: &Value| answer["notes"].to_string().contains("1 source waits for trust, and is left out.");
    assert!(left_out(&before), "{before}");
    assert!(!left_out(&world.json(&["search", "another project", "--source", "retry"], 0)), "it was not asked for");
    world.trust(STATE);
    world.run(&["index", "--words-only"]).exits(0);
    let trusted = world.json(&["search", "another project"], 0);
    assert_eq!(places(&trusted), ["away text"]);
    assert!(!left_out(&trusted), "{trusted}");
    // The index still contains the text.
    world.desk(STATE).revoke().unwrap();
    assert_eq!(places(&world.json(&["search", "another project"], 0)), [] as [&str; 0]);
}

#[test]
fn the_budget_is_kept() {
    let world = indexed();
    let whole = world.json(&["search", "breaker call"], 0);
    let all = whole["hits"].as_array().unwrap().len();
    let mut earlier = 0;
    for most in (0..400).step_by(20) {
        let answer = world.json(&["search", "breaker call", "--max-tokens", &most.to_string()], 0);
        let used = answer["tokens_used"].as_u64().unwrap();
        assert!(used <= most, "{used} of {most}");
        for words in [&["search", "breaker call"][..], &["search", "breaker call", "--explain"]] {
            let shown = world.run(&[words, &["--max-tokens", most.to_string().as_str()]].concat()).exits(0);
            assert!(shown.text().len() as u64 <= 4 * most, "{most}: {shown}");
        }
        let hits = answer["hits"].as_array().unwrap().len();
        assert!(hits >= earlier && (hits == all || !answer["notes"].as_array().unwrap().is_empty()), "{answer}");
        earlier = hits;
        if answer["hits"] == whole["hits"] {
            return;
        }
    }
    panic!("400 tokens are not enough for {whole}");
}

#[test]
fn any_query_has_an_answer() {
    let world = indexed();
    let long = "breaker ".repeat(1_000);
    for (query, note) in [
        ("", "has no words"),
        ("?!\"", "has no words"),
        ("🦀", "has no words"),
        (long.as_str(), "is too long"),
        ("a OR b AND (NOT \"c", ""),
        ("title:breaker* ^x {y}", ""),
    ] {
        let answer = world.json(&["search", "--", query], 0);
        let notes = answer["notes"].to_string();
        assert!(notes.contains(note), "{query}: {notes}");
    }
}

#[test]
fn without_an_index_it_says_how_to_build_one() {
    let world = world();
    let refused = world.json(&["search", "breaker"], 1);
    assert_eq!(refused["error"]["code"], "no-index");
    let shape = |answer: &Value| {
        [&answer["query"], &answer["hits"], &answer["tokens_used"], &answer["partial"]].map(Clone::clone)
    };
    assert_eq!(shape(&refused), [json!("breaker"), json!([]), json!(0), Value::Null], "{refused}");
    let unknown = indexed().json(&["search", "breaker", "--source", "nope"], 1);
    assert_eq!(shape(&unknown), shape(&refused), "{unknown}");
    assert!(refused["error"]["hint"].as_str().unwrap().contains("refdesk index"), "{refused}");
    assert!(!world.path.join(".jaato/refdesk").exists(), "and writes nothing");
}

#[test]
fn shown_hits_are_journalled() {
    let world = indexed();
    world.run(&["search", "circuit breaker", "--source", "breaker"]).exits(0);
    world.run(&["search", "zebras of this"]).exits(0);
    let journal = world.run(&["journal"]).exits(0);
    let lines: Vec<Value> = journal.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let read: Vec<&Value> = lines.iter().filter(|line| line["what"] == "read").collect();
    assert_eq!(read.len(), 2, "also an answer without a hit: {journal}");
    assert!(
        read[1]["about"].is_null() && read[1]["tokens"].as_u64().unwrap() > 0,
        "its sentences are read, too: {journal}"
    );
    assert_eq!((&read[0]["tool"], &read[0]["about"]), (&json!("refdesk search"), &json!(["breaker"])));
    assert!(read[0]["bytes"].as_u64().unwrap() > 0 && read[0]["tokens"].as_u64().unwrap() > 0, "{journal}");
}

#[test]
fn a_catalog_that_shrank_loses_its_hits_at_once() {
    let world = indexed();
    world.configure(json!({"version": "1.0", "sources": [inline("note", NOTE)]}));
    assert_eq!(places(&world.json(&["search", "breaker"], 0)), ["note text"]);
}
