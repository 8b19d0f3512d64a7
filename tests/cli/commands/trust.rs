//! `refdesk trust`: what waits, who is asked, and where that is kept.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::workspace::{STATE, Workspace};

/// A workspace whose catalog reads what lies beside it, and has files written without asking.
fn reaching() -> Workspace {
    let world = Workspace::with(&[("docs/in.md", "see out\n")]);
    std::fs::create_dir(world.beside("out")).unwrap();
    refdesk::disk::write_atomic(&world.beside("out/secret.md"), b"secret\n").unwrap();
    world.configure(json!({
        "sources": [
            {"id": "in", "name": "In", "path": "docs/in.md"},
            {"id": "out", "name": "Out \u{1b}[31m", "path": "../out"}
        ],
        "approval": {"src/**": "auto"}
    }));
    world
}

fn counts(answer: &Value) -> (usize, usize) {
    let count = |key: &str| answer[key].as_array().unwrap_or_else(|| panic!("{key}: {answer}")).len();
    (count("trusted"), count("untrusted"))
}

#[test]
fn nothing_is_trusted_without_a_yes_and_then_just_what_was_shown() {
    let world = reaching();
    let before = world.listing();
    let ran = world.run(&["trust"]).exits(1);
    let out = world.beside("out");
    assert!(
        ran.text()
            .contains(&format!("could read {} and everything below it, as @out\n  references.json:", out.display())),
        "{ran}"
    );
    assert!(
        ran.text().contains("agents could write files that match `src/**` without asking you\n  references.json:"),
        "{ran}"
    );
    assert!(ran.stderr.contains("at a terminal"), "{ran}");
    let answer = world.json(&["trust"], 1);
    assert_eq!((counts(&answer), &answer["error"]["code"]), ((0, 2), &json!("not-approved")));
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));

    // No option and no word on standard input stands for a person.
    world.run(&["trust", "--yes"]).exits(2);
    world.feed(&["trust"], b"y\n").exits(1);
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));

    world.trust(STATE);
    assert_eq!(counts(&world.json(&["trust"], 0)), (2, 0), "nothing is left to be asked");
    let listed = world.run(&["trust", "list"]).exits(0);
    assert!(listed.text().starts_with("Trusted:\n- ") && !listed.text().contains("Not trusted"), "{listed}");
    let row = &world.json(&["trust", "list"], 0)["trusted"][1];
    assert_eq!(
        (&row["kind"], &row["source_id"], &row["file"]),
        (&json!("source"), &json!("out"), &json!("references.json"))
    );
    assert_eq!(world.listing(), before, "nothing of it is kept in the workspace");
    let kept = world.beside("home/.local/state/refdesk/trust.json");
    assert_eq!(std::fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);

    world.run(&["trust", "revoke"]).exits(0);
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));
}

#[test]
fn what_waits_is_said_where_it_matters_and_nowhere_else() {
    let world = reaching();
    let warned = |words: &[&str]| world.run(words).exits(0).stderr.matches("trust").count() > 0;
    for words in
        [&["list"][..], &["resolve", "in"], &["instructions"], &["templates"], &["select", "in", "--desk", "x"]]
    {
        // What is pulled in counts as what is picked.
        assert_eq!(warned(words), words[0] == "select", "{words:?}");
    }
    let answer = world.json(&["check"], 0);
    let codes: Vec<&str> = answer["warnings"].as_array().unwrap().iter().filter_map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, ["untrusted", "untrusted"], "{answer}");
    assert!(
        answer["warnings"][0]["line"].is_u64()
            && answer["warnings"][0]["hint"].as_str().unwrap().contains("refdesk trust")
    );
    world.trust(STATE);
    assert!(!warned(&["select", "out"]));
    assert_eq!(world.json(&["check"], 0)["warnings"], json!([]));
}

#[test]
fn a_workspace_that_keeps_to_itself_has_nothing_to_trust() {
    let world = Workspace::of(json!([{"id": "a", "name": "A", "path": "a.md"}]), &[("a.md", "a")]);
    for words in [&["trust"][..], &["trust", "list"]] {
        assert_eq!(counts(&world.json(words, 0)), (0, 0));
    }
    assert!(!world.beside("home/.local").exists());
    world.run(&["trust", "revoke"]).exits(0);
}
