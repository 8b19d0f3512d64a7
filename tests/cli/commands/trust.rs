//! `refdesk trust`: what needs trust, who is asked, and where the answer is stored.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::workspace::{STATE, Workspace};

/// A workspace whose catalog reads files outside and allows writes without asking.
fn with_sources_outside() -> Workspace {
    let world = Workspace::with(&[("docs/in.md", "see out\n")]);
    std::fs::create_dir(world.beside("out")).unwrap();
    refdesk_files::write_atomic(&world.beside("out/secret.md"), b"secret\n").unwrap();
    world.configure(json!({
        "sources": [
            {"id": "in", "name": "In", "path": "docs/in.md", "tags": ["inside"]},
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
fn nothing_is_trusted_without_a_yes_and_then_only_what_was_shown() {
    let world = with_sources_outside();
    let before = world.listing();
    let ran = world.run(&["trust"]).exits(1);
    let out = world.beside("out");
    assert!(
        ran.text()
            .contains(&format!("selects `@out` read `{}` and everything below it\n  references.json:", out.display())),
        "{ran}"
    );
    assert!(
        ran.text().contains("let agents write files that match `src/**` without asking you\n  references.json:"),
        "{ran}"
    );
    assert!(ran.stderr.contains("at a terminal"), "{ran}");
    let answer = world.json(&["trust"], 1);
    assert_eq!((counts(&answer), &answer["error"]["code"]), ((0, 2), &json!("not-approved")));
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));

    // Neither an option nor standard input can replace a person.
    world.run(&["trust", "--yes"]).exits(2);
    world.feed(&["trust"], b"y\n").exits(1);
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));

    world.trust(STATE);
    assert_eq!(counts(&world.json(&["trust"], 0)), (2, 0), "nothing is left to be asked");
    let listed = world.run(&["trust", "list"]).exits(0);
    assert!(listed.text().starts_with("Trusted:\n- ") && !listed.text().contains("Waiting"), "{listed}");
    let row = &world.json(&["trust", "list"], 0)["trusted"][0];
    assert_eq!(
        (&row["kind"], &row["source_id"], &row["file"]),
        (&json!("source"), &json!("out"), &json!("references.json"))
    );
    assert_eq!(world.listing(), before, "nothing of it is kept in the workspace");
    let kept = world.beside("home/.local/state/refdesk/trust.json");
    assert_eq!(std::fs::metadata(kept).unwrap().permissions().mode() & 0o777, 0o600);

    let revoked = world.run(&["trust", "revoke"]).exits(0);
    assert!(revoked.text().starts_with("Revoked trust in 2 settings."), "{revoked}");
    assert_eq!(counts(&world.json(&["trust", "list"], 0)), (0, 2));
}

#[test]
fn untrusted_actions_are_reported_only_where_they_matter() {
    let world = with_sources_outside();
    let warned = |words: &[&str]| world.run(words).exits(0).stderr.matches("trust").count() > 0;
    for words in
        [&["list"][..], &["resolve", "in"], &["instructions"], &["templates"], &["select", "in", "--desk", "x"]]
    {
        // Pulled-in sources count like picks.
        assert_eq!(warned(words), words[0] == "select", "{words:?}");
    }
    let answer = world.json(&["check"], 0);
    let codes: Vec<&str> = answer["warnings"].as_array().unwrap().iter().filter_map(|it| it["code"].as_str()).collect();
    assert_eq!(codes, ["untrusted", "untrusted"], "{answer}");
    assert!(
        answer["warnings"][0]["line"].is_u64()
            && answer["warnings"][0]["hint"].as_str().unwrap().contains("refdesk trust")
    );
    let source = answer["warnings"].as_array().unwrap().iter().find(|it| it["source_id"] == "out").unwrap();
    assert!(source["column"].is_u64(), "{source}");
    world.trust(STATE);
    assert!(!warned(&["select", "out"]));
    assert_eq!(world.json(&["check"], 0)["warnings"], json!([]));
}

#[test]
fn a_workspace_that_reaches_nothing_outside_needs_no_trust() {
    let world = Workspace::of(json!([{"id": "a", "name": "A", "path": "a.md"}]), &[("a.md", "a")]);
    for words in [&["trust"][..], &["trust", "list"]] {
        assert_eq!(counts(&world.json(words, 0)), (0, 0));
    }
    assert!(!world.beside("home/.local").exists());
    world.run(&["trust", "revoke"]).exits(0);
}

/// Everything that a hostile checkout can name outside itself or in the state of git and refdesk, tried with every
/// command that could reveal it.
#[test]
fn nothing_outside_and_nothing_that_git_stores_is_revealed_before_trust() {
    let world = Workspace::with(&[("in.md", "In\n"), (".git/config", "SECRET in\n"), ("docs/a.md", "# A\n")]);
    for (file, text) in [
        ("out/note.md", "SECRET, see in.\n\n```jinja2\n{{ SECRET }} {{ b }}\n```\n"),
        ("out/kit/SECRET.txt.tpl", "{{ SECRET }}\n"),
        ("out/kit/README.md", "SECRET, see in.\n"),
        ("refs/x.json", r#"{"id": "SECRET", "name": "SECRET", "path": "x", "SECRET": 1}"#),
    ] {
        refdesk_files::write_atomic(&world.beside(file), text.as_bytes()).unwrap();
    }
    std::fs::create_dir_all(world.path.join(".jaato/references")).unwrap();
    let link = |target: &str, link: &str| std::os::unix::fs::symlink(target, world.path.join(link)).unwrap();
    link("../../../refs/x.json", ".jaato/references/x.json");
    link("../out", "linked");
    link("../.git/config", "docs/git.md");
    world.configure(json!({
        "preselected": ["note", "kit", "linked", "git", "docs"], "transitive_from_auto": true,
        "sources": [
            {"id": "note", "name": "Note", "path": world.beside("out/note.md"), "mode": "auto", "tags": ["java"]},
            {"id": "kit", "name": "Kit", "path": "../out/kit", "contents": {"templates": "."}},
            {"id": "linked", "name": "Linked", "path": "linked/note.md"},
            {"id": "environment", "name": "E", "path": "/proc/self/environ", "mode": "auto"},
            {"id": "git", "name": "Git", "path": ".git/config", "mode": "auto"},
            {"id": "docs", "name": "Docs", "path": "docs"},
            {"id": "in", "name": "In", "path": "in.md"}
        ]
    }));
    let prompt = b"java with @note, @kit, @linked, @environment and @git".as_slice();
    let hook =
        json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": String::from_utf8_lossy(prompt)});
    let start = json!({"hook_event_name": "SessionStart", "session_id": "s", "source": "startup"});
    let read = json!({"file_path": world.beside("out/kit/README.md")}).to_string();
    let mut reported = Vec::new();
    for words in [&["instructions"][..], &["list"], &["templates"], &["templates", "extract"], &["check"], &["graph"]] {
        reported.push(world.run(words));
        reported.push(world.run(&[&["--format", "json"], words].concat()));
    }
    reported.push(world.run(&["select", "note", "kit", "--format", "json"]));
    reported.push(world.feed(&["enrich"], prompt));
    reported.push(world.feed(&["enrich", "--kind", "tool_result", "--tool", "Read", "--args", &read], b"text"));
    reported.push(world.feed(&["hook", "claude-code"], start.to_string().as_bytes()));
    reported.push(world.feed(&["hook", "claude-code"], hook.to_string().as_bytes()));
    for ran in &reported {
        let said = format!("{}{}", ran.text(), ran.stderr);
        assert!(!said.contains("SECRET") && !said.contains("README") && !said.contains("PATH="), "{ran}");
    }
    for ran in [&reported[0], &reported[13], &reported[15]] {
        assert!(ran.text().contains("waits for trust") && ran.text().contains("belongs to git"), "{ran}");
    }
    let listed = world.json(&["list"], 0);
    for id in ["note", "kit", "linked", "environment", "git"] {
        let row = listed["sources"].as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap();
        assert_eq!((&row["is_directory"], &row["tokens"]), (&json!(null), &json!(null)), "{row}");
    }
    assert_eq!(world.json(&["resolve", "note", "kit", "linked", "git"], 0)["mentions"], json!([]));
    assert!(!world.listing().iter().any(|(path, bytes)| {
        !path.starts_with(world.path.join(".git"))
            && path.is_file()
            && !path.is_symlink()
            && String::from_utf8_lossy(bytes).contains("SECRET")
    }));

    world.trust(STATE);
    let instructions = world.run(&["instructions"]).exits(0);
    assert!(!instructions.text().contains("waits for trust"), "{instructions}");
    // Files of the kernel are not read even then.
    assert!(instructions.text().contains("**Missing**: /proc/self/environ"), "{instructions}");
    assert!(!instructions.text().contains("PATH="), "{instructions}");
    assert!(instructions.text().contains("Read this file"), "{instructions}");
    let resolved = world.json(&["resolve", "note", "kit", "git"], 0);
    assert_eq!(resolved["resolved"], json!(["note", "kit", "git", "in", "SECRET"]), "{resolved}");
    assert!(instructions.text().contains("belongs to git"), "trust does not open git's own files");
}

/// A workspace with a source outside and a folder of references outside, trusted and indexed.
fn indexed() -> Workspace {
    let world = Workspace::with(&[("docs/in.md", "# Inside\n\nWhat everybody may see.\n")]);
    let put = |path: &str, text: &str| refdesk_files::write_atomic(&world.beside(path), text.as_bytes()).unwrap();
    put("out/secret.md", "# Plans\n\nThe zanzibarword is private.\n");
    put("refs/note.json", r#"{"id": "note", "name": "Quetzalword", "type": "inline", "content": "The ostrichword."}"#);
    world.configure(json!({
        "references_dir": "../refs",
        "sources": [
            {"id": "in", "name": "In", "path": "docs/in.md"},
            {"id": "out", "name": "Out", "path": "../out"}
        ]
    }));
    world.trust(STATE);
    world.run(&["index", "--words-only"]).exits(0);
    assert_eq!(left(&world), ["zanzibarword", "quetzalword", "ostrichword"]);
    world
}

/// The private words that the files of the index contain.
fn left(world: &Workspace) -> Vec<&'static str> {
    let files = world.listing().into_iter().filter(|(path, _)| path.to_string_lossy().contains("index.db"));
    let text: String = files.map(|(_, bytes)| String::from_utf8_lossy(&bytes).to_lowercase()).collect();
    ["zanzibarword", "quetzalword", "ostrichword"].into_iter().filter(|word| text.contains(word)).collect()
}

#[test]
fn untrusted_sources_leave_the_index() {
    let world = indexed();
    let revoked = world.run(&["trust", "revoke"]).exits(0);
    assert!(revoked.text().contains("Removed 3 sections from the search index.\n"), "{revoked}");
    assert_eq!(left(&world), [""; 0]);
    let found = world.run(&["search", "everybody"]).exits(0);
    assert!(found.text().contains("docs/in.md"), "the rest is as it was: {found}");
    let again = world.run(&["trust", "revoke"]).exits(0);
    assert_eq!(again.text(), "Nothing was trusted.\n");
}

#[test]
fn revoking_trust_removes_an_index_that_was_set_aside() {
    let world = indexed();
    let state = world.path.join(".jaato/refdesk");
    for aside in ["index.db.aside", "index.db.aside-2"] {
        std::fs::copy(state.join("index.db"), state.join(aside)).unwrap();
    }
    std::fs::create_dir(state.join("index.db.aside-3")).unwrap();
    world.run(&["trust", "revoke"]).exits(0);
    assert_eq!(left(&world), [""; 0]);
    assert!(state.join("index.db.aside-3").is_dir(), "it is not ours");
}

#[test]
fn an_unchangeable_index_is_reported() {
    let world = indexed();
    let held = world.hold_index();
    let revoked = world.run(&["trust", "revoke"]).exits(1);
    assert!(revoked.text().starts_with("Revoked trust in 2 settings.\n"), "{revoked}");
    for said in ["may still be indexed: another process is updating", "`refdesk index`"] {
        assert!(revoked.stderr.contains(said), "{revoked}");
    }
    drop(held);
    world.run(&["index", "--words-only"]).exits(0);
    assert_eq!(left(&world), [""; 0]);
}
