//! Picking, unpicking, excluding, including and clearing, each in its own process: the next process sees the result.

use serde_json::{Value, json};

use super::small;
use crate::support::workspace::{Workspace, ids, inline, strings};

fn resolved(world: &Workspace) -> Vec<String> {
    ids(&world.json(&["list", "--selected"], 0)["sources"])
}

#[test]
fn a_pick_pulls_in_what_it_mentions() {
    let world = small();
    let answer = world.json(&["select", "a"], 0);
    assert_eq!(answer["status"], "success");
    assert_eq!((&answer["selected_count"], &answer["transitive_count"]), (&json!(1), &json!(3)));
    assert_eq!(ids(&answer["sources"]), ["a", "b", "c", "away"]);
    let from: Vec<&Value> = answer["sources"].as_array().unwrap().iter().map(|it| &it["transitive_from"]).collect();
    assert_eq!(from, [&json!([]), &json!(["a"]), &json!(["b"]), &json!(["b"])]);
    assert_eq!(answer["sources"][3]["url"], "https://example.org/x");
    assert_eq!(world.picks(), ["a"]);
    let ignore = world.read(".jaato/refdesk/.gitignore");
    assert_eq!(ignore, "*\n");

    let again = world.json(&["select", "a"], 0);
    assert_eq!((&again["status"], &again["selected_count"]), (&json!("all_selected"), &json!(0)));
    assert_eq!(again["sources"], json!([]));
    // Picking a pulled-in source makes it a pick.
    let pulled = world.json(&["select", "b"], 0);
    assert_eq!((&pulled["selected_count"], &pulled["transitive_count"]), (&json!(1), &json!(0)));
    assert_eq!(world.picks(), ["a", "b"]);
}

#[test]
fn by_tag_and_by_id_each_once_in_the_given_order() {
    let world = small();
    let answer = world.json(&["select", "tool", "tool", "--tag", "RETRY", "--tag", "web"], 0);
    assert_eq!(world.picks(), ["tool", "a", "b", "away"]);
    assert_eq!(answer["selected_count"], 4);
    let answer = small().json(&["select", "--tag", "none"], 1);
    assert_eq!(answer["status"], "none_matched");
}

#[test]
fn statuses_and_exit_codes() {
    for (words, code, status, unknown) in [
        (&["select", "a", "nobody"][..], 0, "success", vec!["nobody"]),
        (&["select", "nobody"], 1, "none_matched", vec!["nobody"]),
        (&["select"], 1, "error", vec![]),
        (&["select", "gone"], 1, "error", vec![]),
        (&["select", "gone", "a"], 0, "success", vec![]),
    ] {
        let answer = small().json(words, code);
        assert_eq!(
            (answer["status"].as_str().unwrap(), strings(&answer["unknown"])),
            (status, unknown.iter().map(|it| (*it).to_owned()).collect()),
            "{words:?}"
        );
    }
    assert_eq!(Workspace::new().json(&["select", "a"], 1)["status"], "no_sources");
    // Problems go to standard error, even if the rest succeeds.
    let ran = small().run(&["select", "tool", "nobody", "gone"]).exits(0);
    assert_eq!(ran.text(), "Picked @tool.\n");
    assert!(
        ran.stderr.contains("note: no source has the id 'nobody'\n") && ran.stderr.contains("'gone' is missing"),
        "{ran}"
    );
}

#[test]
fn a_missing_source_that_is_pulled_in_is_marked() {
    let parts = json!([
        {"id": "a", "name": "A", "path": "a.md"},
        {"id": "b", "name": "B", "path": "b.md"},
        {"id": "lost", "name": "Lost", "path": "lost.md"},
    ]);
    let answer = Workspace::of(parts, &[("a.md", "See b and lost.\n"), ("b.md", "")]).json(&["select", "a"], 0);
    let exists = answer["sources"].as_array().unwrap().iter().map(|row| (row["id"].as_str(), row.get("exists")));
    let expected = [(Some("a"), None), (Some("b"), None), (Some("lost"), Some(&json!(false)))];
    assert_eq!(exists.collect::<Vec<_>>(), expected, "{answer:#}");
}

#[test]
fn a_missing_source_is_refused_with_its_path() {
    let ran = small().run(&["select", "gone"]).exits(1);
    assert!(ran.stderr.contains("gone") && ran.stderr.contains("docs/gone.md"), "{ran}");
    let answer = small().json(&["select", "gone"], 1);
    assert_eq!(answer["error"]["code"], "missing");
    assert_eq!(answer["missing"], json!(["gone"]));
    // The path is relative to the workspace, not to the file of the entry.
    let world = Workspace::new();
    world.put(".jaato/references/a.json", br#"{"id": "a", "name": "A", "path": "../../docs/a.md"}"#);
    let ran = world.run(&["select", "a"]).exits(1);
    assert!(ran.stderr.contains("'a' is missing and cannot be picked: docs/a.md does not exist"), "{ran}");
}

#[test]
fn unknown_ids_come_with_the_nearest_known_ones() {
    let world = Workspace::of(json!([inline("retry-pattern", "")]), &[]);
    for words in [
        &["select", "retry-patern"][..],
        &["unselect", "retry-patern"],
        &["exclude", "retry-patern"],
        &["include", "retry-patern"],
        &["resolve", "retry-patern"],
        &["why", "retry-patern"],
        &["references", "select", "retry-patern"],
    ] {
        let ran = world.run(words).exits(1);
        assert!(ran.stderr.contains("retry-pattern"), "{ran}");
    }
}

#[test]
fn unpicking_releases_what_no_other_pick_reaches() {
    let world = small();
    world.run(&["select", "a", "text", "away"]).exits(0);
    let answer = world.json(&["unselect", "a"], 0);
    assert_eq!((&answer["status"], &answer["changed"]), (&json!("success"), &json!(["a"])));
    let mut released = strings(&answer["released"]);
    released.sort();
    assert_eq!(released, ["b", "c"], "away is picked");
    assert_eq!(resolved(&world), ["away", "text", "gone"]);
    let again = world.json(&["unselect", "a"], 0);
    assert_eq!((&again["status"], &again["changed"]), (&json!("unchanged"), &json!([])));
}

#[test]
fn unpicking_says_what_stays_because_others_mention_it() {
    let world = small();
    for (picks, unpicked, said) in [
        (&["a", "b"][..], &["b"][..], "Unselected @b; it is still pulled in by @a"),
        (&["a", "b", "c"], &["b", "c"], "Unselected @b, @c; @b is still pulled in by @a; @c is still pulled in by @b"),
        (&["a", "text"], &["text"], "Unselected @text"),
    ] {
        world.run(&["clear"]).exits(0);
        world.run(&[&["select"], picks].concat()).exits(0);
        let ran = world.run(&[&["references", "unselect"], unpicked].concat()).exits(0);
        assert_eq!(ran.text().split("; released").next().unwrap().trim_end().trim_end_matches('.'), said, "{ran}");
        let them = unpicked.join(" ");
        assert_eq!(ran.stderr.contains(&format!("`refdesk exclude {them}` keeps ")), said.contains("still"), "{ran}");
    }
}

#[test]
fn a_transitive_source_cannot_be_unpicked_and_its_parents_are_named() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let ran = world.run(&["unselect", "away"]).exits(1);
    assert!(ran.stderr.contains("@b") && ran.stderr.contains("refdesk exclude away"), "{ran}");
    assert_eq!(world.json(&["unselect", "away"], 1)["error"]["code"], "is-transitive");
    assert_eq!(resolved(&world), ["a", "b", "c", "away"]);
}

#[test]
fn exclusions_cut_mentions_and_can_be_lifted() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let answer = world.json(&["exclude", "b"], 0);
    assert_eq!(answer["changed"], json!(["b"]));
    assert_eq!(answer["released"], json!(["c", "away"]), "what it brought");
    assert_eq!(resolved(&world), ["a"]);
    assert_eq!(world.json(&["exclude", "b"], 0)["status"], "unchanged");
    assert_eq!(world.run(&["exclude", "b"]).exits(0).text(), "Already excluded: @b.\n");
    assert_eq!(world.run(&["include", "a"]).exits(0).text(), "Not excluded: @a.\n");
    let again = world.json(&["include", "b"], 0);
    assert_eq!((&again["changed"], &again["pulled_in"]), (&json!(["b"]), &json!(["c", "away"])));
    assert_eq!(again["message"], "no longer excluded: @b; pulled in @c, @away");
    assert_eq!(resolved(&world), ["a", "b", "c", "away"]);
    // Excluding a pick unpicks it; picking lifts the exclusion.
    world.run(&["exclude", "a"]).exits(0);
    assert_eq!(resolved(&world), Vec::<String>::new());
    world.run(&["select", "a"]).exits(0);
    assert_eq!(resolved(&world).len(), 4);
    // A request handles its known ids and refuses the unknown ones.
    let half = world.json(&["exclude", "b", "nobody"], 1);
    assert_eq!(half["changed"], json!(["b"]));
    let unknown = "no source has the id 'no-one'; no source has the id 'nobody'";
    for verb in ["exclude", "include", "unselect", "tag", "remove", "resolve"] {
        let words = [verb, "no-one", "nobody", "no-one", "+x"];
        let refused = world.json(&words[..if verb == "tag" { 5 } else { 4 }], 1);
        assert_eq!(refused["error"]["message"], unknown, "{verb}");
        if verb == "resolve" {
            assert_eq!(refused["unknown"], json!(["no-one", "nobody"]));
        }
    }
}

#[test]
fn clear_removes_picks_and_with_all_exclusions_too() {
    let world = small();
    world.run(&["select", "a", "tool"]).exits(0);
    world.run(&["exclude", "text"]).exits(0);
    let cleared = world.json(&["clear"], 0);
    assert_eq!(cleared["changed"], json!(["a", "tool"]));
    let excluded = |world: &Workspace| {
        let listed = world.json(&["list"], 0);
        listed["sources"].as_array().unwrap().iter().filter(|it| it["excluded"] == true).count()
    };
    assert_eq!((resolved(&world).len(), excluded(&world)), (0, 1));
    assert_eq!(world.json(&["clear", "--all"], 0)["changed"], json!(["text"]));
    assert_eq!(excluded(&world), 0);
    assert_eq!(world.json(&["clear", "--all"], 0)["status"], "unchanged");
}

#[test]
fn a_pick_without_its_source_is_dormant_and_returns_with_it() {
    let sources = |ids: &[&str]| json!({"sources": ids.iter().map(|id| inline(id, "")).collect::<Vec<_>>()});
    let world = Workspace::new();
    world.configure(sources(&["one", "two"]));
    world.run(&["select", "one", "two"]).exits(0);
    world.configure(sources(&["two"]));
    assert_eq!(resolved(&world), ["two"]);
    let why = world.run(&["why", "one"]).exits(1);
    assert!(why.stderr.contains("dormant"), "{why}");
    let list = world.run(&["list"]).exits(0);
    assert!(list.stderr.contains("picked, but is not in the catalog now: 'one' (dormant"), "{list}");
    // Other changes keep the dormant pick.
    world.run(&["unselect", "two"]).exits(0);
    assert_eq!(world.picks(), ["one"]);
    world.configure(sources(&["one", "two"]));
    assert_eq!(resolved(&world), ["one"]);
    // Only a person removes it, even while it is dormant.
    for (verb, again) in [("unselect", 1), ("exclude", 0)] {
        world.configure(sources(&["one", "two"]));
        world.run(&["select", "one"]).exits(0);
        world.configure(sources(&["two"]));
        let removed = world.run(&[verb, "one"]).exits(0);
        assert!(!removed.stderr.contains("refdesk select"), "{removed}");
        assert_eq!(world.picks(), Vec::<String>::new(), "{verb}");
        world.run(&[verb, "one"]).exits(again);
    }
    assert_eq!(world.run(&["include", "one"]).exits(0).text(), "No longer excluded: @one.\n");
}

#[test]
fn preselected_sources_are_picked_until_a_person_unpicks_them() {
    let world = Workspace::new();
    world.configure(json!({"sources": [inline("one", ""), inline("two", "")], "preselected": ["two", "nobody"]}));
    assert_eq!(resolved(&world), ["two"]);
    world.run(&["select", "one"]).exits(0);
    assert_eq!(resolved(&world), ["one", "two"]);
    world.run(&["unselect", "two"]).exits(0);
    assert_eq!(resolved(&world), ["one"], "a later unpick stays");
    world.run(&["clear"]).exits(0);
    assert_eq!(resolved(&world), Vec::<String>::new());
    // Another desk starts with them again.
    assert_eq!(ids(&world.json(&["--desk", "other", "list", "--selected"], 0)["sources"]), ["two"]);
}

#[test]
fn without_transitive_injection_nothing_is_pulled_in() {
    let world = Workspace::new();
    world.configure(json!({"sources": [inline("one", "see two"), inline("two", "")], "transitive_injection": false}));
    world.run(&["select", "one"]).exits(0);
    assert_eq!(resolved(&world), ["one"]);
}

#[test]
fn auto_sources_are_roots_only_if_configured() {
    let mut auto = inline("auto", "see two");
    auto["mode"] = json!("auto");
    for (from_auto, expected) in [(false, vec![]), (true, vec!["auto", "two"])] {
        let world = Workspace::new();
        world.configure(json!({"sources": [auto, inline("two", "")], "transitive_from_auto": from_auto}));
        assert_eq!(resolved(&world), expected, "{from_auto}");
        if from_auto {
            let refused = world.run(&["unselect", "auto"]).exits(1);
            assert!(refused.stderr.contains("auto"), "{refused}");
        }
    }
}

#[test]
fn the_aliases_for_agents_do_the_same() {
    let (one, two) = (small(), small());
    for (word, alias) in [
        (&["select", "a"][..], &["references", "select", "a"][..]),
        (&["list"], &["references", "list"]),
        (&["list"], &["references"]),
        (&["select", "nobody", "--tag", "web"], &["references", "select", "nobody", "--tag", "web"]),
        (&["unselect", "a"], &["references", "unselect", "a"]),
    ] {
        let plain = one.run(&[&["--format", "json"], word].concat());
        let aliased = two.run(&[&["--format", "json"], alias].concat());
        assert_eq!((plain.code, plain.json()), (aliased.code, aliased.json()), "{alias:?}");
    }
    let read = two.json(&["references", "reload"], 0);
    assert_eq!((&read["total"], &read["status"]), (&json!(9), &json!("success")));
    assert!(two.run(&["references", "help"]).exits(0).text().contains("references unselect"));
}

/// The message says what an exclusion did not do, and what else it did.
#[test]
fn an_exclusion_says_what_else_it_means() {
    let mut auto = inline("style", "text");
    auto["mode"] = json!("auto");
    let world = Workspace::of(json!([inline("a", "text"), auto]), &[]);
    world.run(&["select", "a"]).exits(0);
    let ran = world.run(&["exclude", "a", "style"]).exits(0);
    assert_eq!(ran.text(), "Excluded @a, @style.\n");
    let notes = "note: @a is no longer picked; `refdesk select a` picks it again\n\
                 note: auto sources stay in the instructions: @style\n";
    assert_eq!(ran.stderr, notes);
    let shown = world.run(&["show", "style"]).exits(0);
    assert!(shown.text().contains("no: excluded; as an auto source it stays in the instructions"), "{shown}");
    assert!(shown.text().ends_with("\n\ntext\n"), "{shown}");
    assert!(world.run(&["instructions"]).exits(0).text().contains("style"));
}

/// A path of a source's file is answered with the source's id.
#[test]
fn a_path_in_place_of_an_id_names_its_source() {
    let world =
        Workspace::of(json!([{"id": "guide", "name": "Guide", "path": "docs/guide.md"}]), &[("docs/guide.md", "x")]);
    for words in [["select", "docs/guide.md"], ["show", "docs/guide.md"]] {
        let ran = world.run(&words).exits(1);
        assert!(ran.stderr.contains("no source has the id 'docs/guide.md' (the file is the source 'guide')"), "{ran}");
    }
}
