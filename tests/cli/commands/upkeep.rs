//! `show`, `tag` and `remove`: what they print, and that they leave the rest of each file as it is.

use std::process::Stdio;

use serde_json::{Value, json};

use super::small;
use crate::support::program::finish;
use crate::support::workspace::{Workspace, ids, strings};

const CONFIG: &str = "{\n  \"version\": \"1.0\",\n  \"preselected\": [\"b\"],\n  \"sources\": [\n    \
    {\"id\": \"a\", \"name\": \"A\", \"type\": \"inline\", \"content\": \"See b.\", \"tags\": [\"web\"]},\n    \
    { \"id\": \"b\" , \"name\": \"B\", \"type\": \"inline\", \"content\": \"\" }\n  ]\n}\n";

fn world() -> Workspace {
    let own = "{\"id\": \"own\", \"name\": \"Own\", \"type\": \"inline\", \"content\": \"See a.\"}\n";
    Workspace::with(&[("references.json", CONFIG), (".jaato/references/own.json", own)])
}

#[test]
fn tag_edits_the_list_in_place() {
    let world = world();
    let changed = world.json(&["tag", "a", "own", "+rest", "+Web", "-none"], 0);
    assert_eq!(changed["status"], "success");
    assert_eq!(changed["changed"][0]["tags"], json!(["web", "rest"]));
    assert_eq!(world.read("references.json"), CONFIG.replace("[\"web\"]", "[\"web\", \"rest\"]"));
    let own = "{\"id\": \"own\", \"name\": \"Own\", \"type\": \"inline\", \"content\": \"See a.\", \"tags\": [\"rest\", \"Web\"]}\n";
    assert_eq!(world.read(".jaato/references/own.json"), own);
    world.run(&["tag", "a", "-rest", "-web"]).exits(0);
    assert_eq!(world.read("references.json"), CONFIG.replace("[\"web\"]", "[]"));
    let ran = world.run(&["tag", "a", "b", "-nothing"]).exits(0);
    assert_eq!(ran.text(), "Nothing to change.\n");
    for words in [["tag", "a", "--", "-gone"], ["tag", "--", "a", "-gone"]] {
        assert_eq!(world.run(&words).exits(0).text(), "Nothing to change.\n", "{words:?}");
    }
    for (words, code, said) in [
        (
            &["tag", "x", "onw", "+x"][..],
            1,
            "no source has the id 'x'; no source has the id 'onw' (did you mean 'own'?)",
        ),
        (&["tag", "a", "+--"], 1, "cannot match anything"),
        (&["tag", "a", "+x\u{1b}[31m"], 1, "has invisible characters"),
        (&["tag", "a", "+x", "--yes"], 2, "is not an option of tag"),
        (&["tag", "a", "+x", "--desk=b"], 2, "'--desk=b' must come before the first id"),
        (&["tag", "a"], 2, "a tag to add (+TAG) or to remove (-TAG) is missing"),
        (&["tag", "+x"], 2, "an id is missing"),
        (&["tag", "a", "+x-y", "-X Y"], 2, "the tag 'x-y' is both added and removed"),
    ] {
        let before = world.listing();
        let ran = world.run(words).exits(code);
        assert!(ran.stderr.contains(said), "{ran}");
        assert_eq!(world.listing(), before);
    }
    let refused = world.run(&["tag", "a", "+x", "--json"]).exits(2).json();
    assert_eq!(refused["error"]["message"], "'--json' must come before the first id");
    let journal = world.run(&["journal"]).exits(0);
    assert!(journal.text().contains("changed the tags of @a, @own"), "{journal}");
}

/// Such a source has no tags, or only some of what its entry says.
#[test]
fn tags_that_are_not_a_list_of_strings_are_not_replaced() {
    for tags in [json!("keep"), json!(["keep", 1]), json!({"keep": true})] {
        let entry = json!({"id": "a", "name": "A", "type": "inline", "content": "", "tags": tags});
        let world = Workspace::of(json!([entry]), &[]);
        let before = world.read("references.json");
        let ran = world.run(&["tag", "a", "+new"]).exits(1);
        assert!(ran.stderr.contains("'tags' of 'a' must be a list of strings (references.json:"), "{ran}");
        assert_eq!(world.read("references.json"), before, "{tags}");
    }
}

#[test]
fn remove_shows_the_diff_and_lists_mentions_of_the_source() {
    let world = world();
    world.run(&["select", "own"]).exits(0);
    let before = world.listing();
    let ran = world.run(&["remove", "b", "own"]).exits(1);
    assert!(
        ran.text().contains("-    { \"id\": \"b\" ,") && ran.text().contains(".jaato/references/own.json"),
        "{ran}"
    );
    assert!(ran.stderr.contains("--yes") && ran.stderr.contains("@a mentions @b (by id, references.json"), "{ran}");
    assert_eq!(world.listing(), before, "nothing is removed without a person's yes");
    let removed = world.json(&["remove", "b", "own", "--yes"], 0);
    assert_eq!(strings(&removed["removed"]), ["b", "own"]);
    assert_eq!(strings(&removed["files"]), [".jaato/references/own.json", "references.json"]);
    assert_eq!(removed["mentions"][0]["from"], "a");
    let rest =
        CONFIG.replace(",\n    { \"id\": \"b\" , \"name\": \"B\", \"type\": \"inline\", \"content\": \"\" }", "");
    assert_eq!(world.read("references.json"), rest);
    assert!(!world.path.join(".jaato/references/own.json").exists());
    assert!(!world.picks().contains(&"own".to_owned()), "its pick is gone, too");
    assert_eq!(ids(&world.json(&["list"], 0)["sources"]), ["a"]);
    let ran = world.run(&["remove", "aa", "ab", "--yes"]).exits(1);
    assert!(
        ran.stderr.contains(
            "error: no source has the id 'aa' (did you mean 'a'?); no source has the id 'ab' (did you mean 'a'?)\n"
        ),
        "{ran}"
    );
    world.run(&["remove", "a", "--yes"]).exits(0);
    assert!(world.read("references.json").contains("\"sources\": []"));
}

#[test]
fn another_entry_with_the_same_id_takes_over_and_is_reported() {
    let world = world();
    world.put(".jaato/references/a.json", br#"{"id": "a", "name": "Second", "type": "inline", "content": ""}"#);
    let ran = world.run(&["remove", "a", "--yes"]).exits(0);
    assert!(ran.text().contains("@a is still in the catalog: .jaato/references/a.json also defines it"), "{ran}");
    let ran = world.run(&["remove", "b", "--yes"]).exits(0);
    assert!(ran.text().contains("@b is still in 'preselected'"), "{ran}");
}

#[test]
fn of_a_linked_entry_only_the_link_is_removed() {
    let entry = r#"{"id": "one", "name": "One", "type": "inline", "content": ""}"#;
    let world = Workspace::with(&[("shared/one.json", entry), (".jaato/references/other.json", "{}")]);
    std::os::unix::fs::symlink("../../shared/one.json", world.path.join(".jaato/references/one.json")).unwrap();
    let ran = world.run(&["remove", "one", "--yes"]).exits(0);
    assert_eq!(ran.text(), "Removed @one.\n", "{ran}");
    assert!(!world.path.join(".jaato/references/one.json").is_symlink());
    assert_eq!(world.read("shared/one.json"), entry);
}

#[test]
fn a_file_outside_the_workspace_is_not_changed_unasked() {
    let world = Workspace::new();
    let own = json!({"sources": [{"id": "a", "name": "A", "type": "inline", "content": ""}]}).to_string();
    let file = world.beside("home/.config/jaato/references.json");
    refdesk_files::write_atomic(&file, own.as_bytes()).unwrap();
    for words in [&["tag", "a", "+x"][..], &["remove", "a", "--yes"]] {
        let ran = world.run(words).exits(1);
        assert!(ran.stderr.contains("outside the workspace"), "{ran}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), own);
}

#[test]
fn show_prints_everything_about_a_source() {
    let world = small();
    world.run(&["select", "a"]).exits(0);
    let before = world.listing();
    let shown = world.json(&["show", "b"], 0);
    assert_eq!((&shown["id"], &shown["transitive"]), (&json!("b"), &json!(true)));
    assert_eq!(shown["entry"]["id"], "b");
    assert_eq!(shown["defined_in"]["file"], "references.json");
    assert!(shown["defined_in"]["line"].as_u64().unwrap() > 1 && !shown["chain"].as_array().unwrap().is_empty());
    assert!(shown["mentioned_by"].as_array().unwrap().iter().any(|mention| mention["from"] == "a"), "{shown}");
    let ran = world.run(&["show", "b"]).exits(0);
    for said in ["defined in", "references.json:", "tokens", "mentioned by", "b ← a"] {
        assert!(ran.text().contains(said), "{said}: {ran}");
    }
    for id in ["kit", "gone", "away", "tool", "text"] {
        assert!(world.run(&["show", id]).exits(0).text().lines().count() > 4);
    }
    let ran = world.run(&["show", "tol"]).exits(1);
    assert!(ran.stderr.contains("did you mean 'tool'?"), "{ran}");
    assert_eq!(world.listing(), before);
}

#[test]
fn edit_needs_a_terminal() {
    let ran = small().run(&["edit", "a"]).exits(1);
    assert!(ran.stderr.contains("the editor needs a terminal"), "{ran}");
    assert!(ran.stderr.contains("the file that `refdesk show a` names"), "{ran}");
}

/// Twelve processes tag two sources in one file concurrently: each succeeds, and no tag is lost.
#[test]
fn concurrently_added_tags_are_all_kept() {
    const MANY: usize = 12;
    let source = |id: &str| json!({"id": id, "name": id, "type": "inline", "content": "x", "tags": ["first"]});
    let world = Workspace::of(json!([source("one"), source("two")]), &[]);
    let start = |nth: usize| {
        let mut command = world.command(&["tag", ["one", "two"][nth % 2], &format!("+tag-{nth}")]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..MANY).map(start).collect();
    for child in children {
        finish("tag".to_owned(), child, None).exits(0);
    }
    let written: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    for (at, source) in written["sources"].as_array().unwrap().iter().enumerate() {
        let mut tags: Vec<&str> = source["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect();
        tags.sort_unstable();
        let mut expected: Vec<String> = (at..MANY).step_by(2).map(|nth| format!("tag-{nth}")).collect();
        expected.push("first".to_owned());
        expected.sort_unstable();
        assert_eq!(tags, expected);
    }
}

/// Concurrent changes of one file without a prompt: no difference was shown, so none can be reported as outdated.
#[test]
fn concurrent_removals_and_proposals_all_succeed() {
    const MANY: usize = 8;
    let source = |nth: usize| json!({"id": format!("s{nth}"), "name": "S", "type": "inline", "content": "x"});
    let world = Workspace::of((0..MANY).map(source).collect(), &[("docs/guide.md", "# Guide\n\ntext\n")]);
    let start = |words: Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut command = world.command(&words);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let remove = |nth: usize| vec!["remove".to_owned(), format!("s{nth}"), "--yes".to_owned()];
    let mut all: Vec<Vec<String>> = (0..MANY).map(remove).collect();
    all.push(["init", "--yes", "--all"].map(str::to_owned).to_vec());
    let children: Vec<_> = all.into_iter().map(start).collect();
    for child in children {
        finish("upkeep".to_owned(), child, None).exits(0);
    }
    let left: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    assert!(left["sources"].as_array().unwrap().iter().all(|it| it["content"].is_null()), "{left}");
}
