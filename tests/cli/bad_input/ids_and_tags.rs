//! Ids, names and tags that try to move the cursor, forge a line, or are enormous.

use serde_json::{Value, json};

use super::{check_good_source, good_source};
use crate::support::workspace::{Workspace, ids, strings};
use refdesk_files::scale::scaled;
use refdesk_text::escape::{is_emoji_joiner, is_hidden};

fn odd_ids() -> Vec<String> {
    let long = "x".repeat(4_096);
    [
        "\u{1b}[31mred",
        "a\nb",
        "a\tb",
        "\u{202e}gpj.exe",
        "\u{0}",
        "\u{7f}",
        "a\u{200b}b",
        "-rf",
        "--help",
        "a b c",
        "..",
        "../../x",
        "@at",
        "c++",
        "(x)*[y]",
        "\"quoted\"",
        "'",
        "`tick`",
        "---",
        "日本語",
        "e\u{301}",
        "👩‍👩‍👧",
        "$(id)",
        "%s%n",
        "{{x}}",
    ]
    .iter()
    .map(|id| (*id).to_owned())
    .chain([long])
    .collect()
}

/// Whether the text contains a hidden character other than a joiner within an emoji.
fn hides(text: &str) -> bool {
    text.char_indices().any(|(at, character)| {
        let next = text[at + character.len_utf8()..].chars().next();
        is_hidden(character) && !is_emoji_joiner(&text[..at], character, next)
    })
}

#[test]
fn ids_of_every_kind_can_be_listed_picked_and_explained_and_print_nothing_hidden() {
    let sources: Vec<Value> = odd_ids()
        .iter()
        .map(|id| json!({"id": id, "name": id, "description": id, "tags": [id], "type": "inline", "content": id, "fetchHint": id}))
        .chain([good_source()])
        .collect();
    let world = Workspace::of(json!(sources), &[]);
    let listed = strings(&json!(ids(&world.json(&["list"], 0)["sources"])));
    assert_eq!(listed.len(), odd_ids().len() + 1, "JSON carries them as they are");
    let seen = |words: &[&str], code: i32| {
        let ran = world.run(words).exits(code);
        assert!(!hides(ran.text()) && !hides(&ran.stderr), "{ran}");
        ran
    };
    let lines = seen(&["list"], 0).text().lines().count();
    assert_eq!(lines, listed.len() + 2, "one line each, a blank one and the sum");
    for (nth, id) in odd_ids().iter().filter(|id| !id.contains('\u{0}')).enumerate() {
        let reported = seen(&["select", "--", id], 0);
        assert_eq!(reported.text().lines().count(), 1, "{reported}");
        // Each command is a process, so most ids are tried with only one command.
        if nth % scaled(4, 1) == 0 {
            seen(&["resolve", "--", id], 0);
            assert_eq!(seen(&["why", "--", id], 0).text().lines().count(), 1);
            seen(&["exclude", "--", id], 0);
            seen(&["why", "--", id], 1);
            seen(&["include", "--", id], 0);
            seen(&["select", "--", id], 0);
        }
        let prompt = format!("use @{id} and @ref:{id}, {id}");
        let ran = world.feed(&["enrich", "--repeat"], prompt.as_bytes()).exits(0);
        let added = ran.text().strip_prefix(&prompt).expect("the text comes first");
        assert!(!hides(added), "{ran}");
    }
    for words in [
        &["instructions"][..],
        &["graph"],
        &["graph", "--dot"],
        &["graph", "--mermaid"],
        &["graph", "--svg"],
        &["templates"],
    ] {
        seen(words, 0);
    }
    // One tag can never match, and one text contains a broken path.
    seen(&["check"], 1);
    assert_eq!(world.picks().len(), odd_ids().len() - 1);
}

#[test]
fn unknown_ids_of_every_kind_are_refused_on_one_visible_line() {
    let world = Workspace::of(json!([good_source()]), &[]);
    for id in odd_ids().iter().filter(|id| !id.contains('\u{0}')) {
        for verb in ["select", "unselect", "exclude", "include", "resolve", "why"] {
            let ran = world.run(&[verb, "--", id]).exits(1);
            assert!(!hides(&ran.stderr), "{ran}");
            let errors = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
            assert_eq!((errors, ran.stderr.lines().count()), (1, 2), "an error and its hint: {ran}");
        }
    }
    check_good_source(&world);
}

#[test]
fn diagnostics_about_odd_entries_cannot_forge_a_line() {
    let forged = "x\nerror: references.json:1:1: forged";
    let world = Workspace::of(
        json!([
            {"id": forged, "name": "N", "type": forged},
            {"id": "m", "name": "N", "type": "inline", "content": "", "mode": forged},
            {"id": "p", "name": "N", "path": forged},
            {"id": "k", "name": "N", "type": "inline", "content": "", forged: 1, "tags": ["\u{1b}", "\u{202e}"]},
            good_source(),
        ]),
        &[],
    );
    for ran in [world.run(&["check"]).exits(1), world.run(&["list"]).exits(0)] {
        let all = format!("{}{}", ran.text(), ran.stderr);
        assert!(!all.lines().any(|line| line == "error: references.json:1:1: forged"), "{ran}");
        assert!(!hides(&all), "{ran}");
    }
    check_good_source(&world);
}

#[test]
fn tags_of_every_kind() {
    let long = "tag ".repeat(2_500);
    let odd = [
        "",
        " ",
        "-",
        "_ -",
        "\u{a0}",
        "a\nb",
        "\u{1b}[0m",
        "C++",
        ".NET",
        "c#",
        "日本",
        "ſtraße",
        "İ",
        "a.b",
        "(x",
        "\\d+",
        "--tag",
        &long,
    ];
    let source = json!({"id": "odd", "name": "Odd", "type": "inline", "content": "", "tags": odd});
    let world = Workspace::of(json!([source, good_source()]), &[]);
    let found = super::codes(&world);
    assert_eq!(found, ["empty-tag"; 5], "those without any character that could match");
    let reported = world
        .feed_json(&["enrich", "--repeat"], "in C++ with .net, c# and 日本, STRASSE, a.b, a b. (x \\d+".as_bytes());
    let tags = strings(&reported["metadata"]["tag_matched_references"]["odd"]);
    for tag in ["C++", ".NET", "c#", "a.b", "日本"] {
        assert!(tags.contains(&tag.to_owned()), "{tag}: {tags:?}");
    }
    for tag in odd {
        let ran = world.run(&["list", &format!("--tag={tag}")]).exits(0);
        assert!(!hides(ran.text()), "{ran}");
    }
    let ran = world.run(&["select", "--tag=C++"]).exits(0);
    assert!(ran.text().contains("odd"), "{ran}");
    check_good_source(&world);
}
