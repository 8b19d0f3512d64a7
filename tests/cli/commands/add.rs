//! `refdesk add`: adds one file and changes no other.

use refdesk_desk::{Desk, NewSource, Session};
use refdesk_text::{Code, Error};
use serde_json::{Value, json};

use super::small;
use crate::support::program::run;
use crate::support::workspace::{Workspace, inline};

fn entry(world: &Workspace, words: &[&str]) -> (String, Value) {
    let answer = world.json(words, 0);
    let file = answer["file"].as_str().unwrap().to_owned();
    let written: Value = serde_json::from_str(&world.read(&file)).unwrap();
    assert_eq!(written, answer["entry"], "what is said is what is written");
    (file, written)
}

#[test]
fn paths_addresses_and_their_options() {
    for (words, file, expected) in [
        (
            &["add", "docs/a.md"][..],
            ".jaato/references/a-1.json",
            json!({"id": "a-1", "name": "A", "description": "See @b.", "type": "local", "path": "../../docs/a.md", "mode": "selectable", "tags": []}),
        ),
        (
            &["add", "docs/My File.md", "--tag", "x", "--tag", "y z", "--mode", "auto", "--name", "Mine"],
            ".jaato/references/my-file.json",
            json!({"id": "my-file", "name": "Mine", "description": "", "type": "local", "path": "../../docs/My File.md", "mode": "auto", "tags": ["x", "y z"]}),
        ),
        (
            &["add", "kit", "--id", "the kit"],
            "",
            json!({"id": "the kit", "name": "kit", "description": "The kit.", "type": "local", "path": "../../kit", "mode": "selectable", "tags": ["kit"]}),
        ),
        (
            &["add", "https://example.org/guide/style.html?x=1#y", "--id", "guide"],
            ".jaato/references/guide.json",
            json!({"id": "guide", "name": "example.org/guide/style.html", "description": "", "type": "url", "url": "https://example.org/guide/style.html?x=1#y", "mode": "selectable", "tags": ["example.org/guide/style.html"]}),
        ),
    ] {
        let world = small();
        world.put("docs/My File.md", b"x");
        let words: Vec<&str> =
            if words == ["add", "docs/a.md"] { vec!["add", "docs/a.md", "--id", "a-1"] } else { words.to_vec() };
        let before = world.read("references.json");
        let (written, found) = entry(&world, &words);
        assert_eq!(found, expected, "{words:?}");
        assert!(file.is_empty() || written == file, "{words:?}: {written}");
        assert_eq!(world.read("references.json"), before);
        let id = expected["id"].as_str().unwrap();
        let listed = world.json(&["list"], 0);
        let source = listed["sources"].as_array().unwrap().iter().find(|it| it["id"] == id).expect("it is listed");
        assert_ne!(source["exists"], false, "{words:?}");
        world.run(&["select", id]).exits(0);
    }
}

/// The entries of the catalog are in the text of such a source, which names every other.
#[test]
fn a_place_with_the_catalog_in_it_is_pointed_out() {
    for (place, what) in [
        (".", "folder"),
        ("references.json", "file"),
        (".jaato/references", "folder"),
        (".jaato/references/one.json", "file"),
        ("docs", ""),
        ("docs/a.md", ""),
    ] {
        let (world, is_told) = (small(), !what.is_empty());
        world.put(".jaato/references/one.json", inline("one", "text").to_string().as_bytes());
        let ran = world.run(&["add", place, "--id", "whole"]).exits(0);
        let note = format!("note: the {what} of @whole has entries of the catalog in it");
        assert_eq!(ran.stderr.contains(&note), is_told, "{ran}");
        assert_eq!(ran.stderr.contains("`refdesk remove whole`"), is_told, "{ran}");
    }
}

#[test]
fn a_folder_without_documents_is_pointed_out() {
    let world = small();
    world.put("src/main.rs", b"fn main() {}\n");
    let ran = world.run(&["add", "src", "--id", "code"]).exits(0);
    assert!(ran.stderr.contains("note: the folder of @code has no documents (.md, "), "{ran}");
    assert!(ran.stderr.contains("or `refdesk remove code`"), "{ran}");
    let warned = || world.json(&["check"], 0)["warnings"].to_string().contains("no-document");
    assert!(warned(), "check says it too");
    world.put("src/main.rs.tpl", b"fn {{ name }}() {}\n");
    assert!(!warned(), "it has templates");
    std::fs::remove_file(world.path.join("src/main.rs.tpl")).unwrap();
    assert!(warned());
    world.put("src/README.md", b"# Code\n");
    assert!(!warned());
    let ran = world.run(&["add", "docs", "--id", "all"]).exits(0);
    assert!(!ran.stderr.contains("has no documents"), "{ran}");
}

#[test]
fn a_leading_tilde_is_the_home_folder() {
    let world = small();
    let home = world.beside("home");
    std::fs::create_dir_all(&home).unwrap();
    for name in ["one.md", "two.md"] {
        refdesk_files::write_atomic(&home.join(name), b"# Of the home folder\n").unwrap();
    }
    let (_, found) = entry(&world, &["add", "~/one.md", "--id", "one"]);
    let path = world.path.join(".jaato/references").join(found["path"].as_str().unwrap());
    assert_eq!(std::fs::canonicalize(path).unwrap(), std::fs::canonicalize(home.join("one.md")).unwrap());
    world.run(&["add", "~/tw*.md"]).exits(0);
    let ran = world.run(&["render", "--inline", "x", "--output", "~/new.md", "--yes"]);
    assert!(ran.stderr.contains("is outside the workspace"), "{ran}");
    assert!(!world.path.join("~").exists());
}

#[test]
fn a_path_is_relative_to_the_current_folder() {
    let world = small();
    let ran = run(
        world.command(&["--format", "json", "add", "b.md", "--id", "near"]).current_dir(world.path.join("docs")),
        None,
    );
    assert_eq!(ran.exits(0).json()["entry"]["path"], "../../docs/b.md");
}

#[test]
fn above_a_link_is_above_its_target() {
    let world = small();
    for file in ["only.md", "v2/only.md", "v2/docs/a.md"] {
        world.put(file, b"x");
    }
    std::os::unix::fs::symlink("v2/docs", world.path.join("current")).unwrap();
    let typed = "current/../only.md";
    let (_, entry) = entry(&world, &["add", typed]);
    assert_eq!(entry["path"], "../../v2/only.md");
    let id = entry["id"].as_str().unwrap();
    for (words, expected) in [
        (["add", typed], format!("'{typed}' is already in the catalog, as '{id}'")),
        (
            ["show", typed],
            format!("no source has the id '{typed}' (the file is the source '{id}')\n  fix: name it by its id"),
        ),
        (["show", "kit/"], "no source has the id 'kit/' (the folder is the source 'kit')".to_owned()),
    ] {
        let ran = world.run(&words).exits(1);
        assert!(ran.stderr.contains(&expected), "{ran}");
    }
}

#[test]
fn outside_the_workspace_the_path_is_absolute() {
    let world = small();
    let outside = world.beside("elsewhere.md");
    refdesk_files::write_atomic(&outside, b"x").unwrap();
    let (_, entry) = entry(&world, &["add", "../elsewhere.md"]);
    assert_eq!(entry["path"].as_str(), outside.to_str());
    assert_eq!(world.json(&["select", entry["id"].as_str().unwrap()], 0)["status"], "success");
}

/// Another checkout of the repository has the document at the same place, but not at the same absolute path.
#[test]
fn outside_the_workspace_but_in_its_repository_the_path_is_relative() {
    let world = small();
    let outside = world.beside("docs/elsewhere.md");
    refdesk_files::write_atomic(&outside, b"x").unwrap();
    refdesk_files::write_atomic(&world.beside("other/own.md"), b"x").unwrap();
    for repository in ["", "other"] {
        std::fs::create_dir(world.beside(repository).join(".git")).unwrap();
    }
    let (_, near) = entry(&world, &["add", "../docs/elsewhere.md"]);
    assert_eq!(near["path"], "../../../docs/elsewhere.md");
    let listed = world.json(&["list"], 0);
    let source = listed["sources"].as_array().unwrap().iter().find(|it| it["id"] == near["id"]).unwrap();
    assert_eq!(source["waits_for_trust"], true, "{source}");
    let (_, own) = entry(&world, &["add", "../other/own.md"]);
    assert_eq!(own["path"].as_str(), world.beside("other/own.md").to_str(), "it is in another repository");
}

#[test]
fn the_folder_named_in_the_configuration_is_used() {
    let world = Workspace::with(&[("docs/a.md", "x")]);
    world.configure(json!({"references_dir": "knowledge"}));
    let (file, entry) = entry(&world, &["add", "docs/a.md"]);
    assert_eq!((file.as_str(), &entry["path"]), ("knowledge/docs-a.json", &json!("../docs/a.md")));
    assert_eq!(world.json(&["list"], 0)["total"], 1);
}

#[test]
fn refusals_write_nothing() {
    let long = "i".repeat(4_097);
    let cases: &[(&[&str], &str)] = &[
        (&["add", "docs/b.md", "--id", &long], "too-large"),
        (&["add", "docs/none.md"], "no-such-path"),
        (&["add", ""], "no-such-path"),
        (&["add", "  "], "no-such-path"),
        (&["add", "docs/a.md"], "id-taken"),
        (&["add", "docs/b.md", "--id", "a"], "id-taken"),
        (&["add", "docs/b.md", "--id", ""], "empty-id"),
        (&["add", "docs/b.md", "--id", " \t"], "empty-id"),
        // An id that cannot be typed, which the catalog would warn about.
        (&["add", "docs/b.md", "--id", "a\nb"], "hidden-characters"),
        (&["add", "docs/b.md", "--id", "a\u{7}b"], "hidden-characters"),
        (&["add", "docs/b.md", "--id", "a\u{200b}b"], "hidden-characters"),
        (&["add", "docs/b.md", "--id", " b"], "hidden-characters"),
        (&["add", "docs/b.md", "--id", "b "], "hidden-characters"),
        (&["add", "ftp://example.org/x"], "no-such-path"),
        // An entry that the catalog would reject is not written.
        (&["add", "docs/b.md", "--tag", "x", "--tag", " - "], "empty-tag"),
        (&["add", "docs/b.md", "--tag", ""], "empty-tag"),
        (&["add", "docs/b.md", "--name", " "], "empty-name"),
        // A path that is never read.
        (&["add", ".git/config"], "reserved-path"),
        (&["add", "docs/../.git"], "reserved-path"),
        (&["add", "docs/config.md"], "reserved-path"),
        (&["add", ".jaato/refdesk"], "reserved-path"),
        (&["add", ".jaato"], "reserved-path"),
        (&["add", "docs/../.jaato/"], "reserved-path"),
    ];
    let world = small();
    world.put(".git/config", b"[core]\n");
    std::os::unix::fs::symlink("../.git/config", world.path.join("docs/config.md")).unwrap();
    world.run(&["select", "a"]).exits(0);
    let before = world.listing();
    for (words, code) in cases {
        let answer = world.json(words, 1);
        assert_eq!(answer["error"]["code"], *code, "{words:?}");
    }
    let taken = world.run(&["add", "docs/b.md", "--id", "a"]).exits(1);
    assert!(taken.stderr.contains("references.json"), "says who has it: {taken}");
    let known = world.run(&["add", "docs/a.md"]).exits(1);
    assert!(known.stderr.contains("fix: `refdesk show a` prints it; to add it a second time"), "{known}");
    let odd = world.run(&["add", "docs/b.md", "--id", "b\nc"]).exits(1);
    assert_eq!(odd.stderr, "error: the id 'b\\nc' has a line break\n  fix: give another id with --id\n");
    assert_eq!(world.listing(), before);
}

/// An entry is JSON, which could only name another path.
#[test]
#[cfg(target_os = "linux")]
fn a_path_that_is_not_utf_8_is_refused() {
    use std::os::unix::ffi::OsStrExt;
    let world = small();
    let odd = std::path::Path::new(std::ffi::OsStr::from_bytes(b"d\xff"));
    for folder in [world.path.join(odd), world.beside("").join(odd)] {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::File::create(folder.join("x.md")).unwrap();
        let before = world.listing();
        for place in ["x.md", "."] {
            let ran = run(world.command(&["--json", "add", place]).current_dir(&folder), None).exits(1);
            assert_eq!(ran.json()["error"]["code"], "no-text", "{ran}");
        }
        assert_eq!(world.listing(), before);
    }
}

#[test]
fn an_entry_that_would_not_be_discovered_is_refused() {
    let world = Workspace::with(&[("docs/a.md", "x")]);
    world.configure(json!({"auto_discover_references": false}));
    let answer = world.json(&["add", "docs/a.md"], 1);
    assert_eq!(answer["error"]["code"], "not-discovered");
    assert!(!world.path.join(".jaato").exists());
}

#[test]
fn a_file_name_that_is_not_a_source_is_avoided() {
    let world = Workspace::with(&[("docs/a.md", "x")]);
    world.run(&["add", "docs/a.md", "--id", "embedding_config"]).exits(0);
    assert_eq!(world.json(&["list"], 0)["sources"][0]["id"], "embedding_config");
}

#[test]
fn odd_ids_have_safe_file_names() {
    for id in ["../../etc/x", "a/b", "..", "ü", "CON", "a\u{a0}b"] {
        let world = Workspace::with(&[("docs/a.md", "x")]);
        let (file, entry) = entry(&world, &["add", "docs/a.md", "--id", id]);
        assert_eq!(entry["id"], id);
        let name = file.strip_prefix(".jaato/references/").expect("in the folder of references");
        assert!(name.chars().all(|c| c.is_alphanumeric() || "._-".contains(c)) && !name.starts_with('.'), "{name}");
        let ran = world.run(&["list"]).exits(0);
        assert!(!ran.stdout.contains(&0x1b), "{ran}");
    }
}

#[test]
fn file_names_keep_the_letters_of_the_id() {
    let world = Workspace::with(&[("docs/a.md", "x"), ("docs/b.md", "x"), ("mit leer zeichen äöü.md", "x")]);
    for (words, file) in [
        (&["add", "mit leer zeichen äöü.md"][..], "mit-leer-zeichen-äöü.json"),
        (&["add", "docs/a.md", "--id", "a b"], "a-b.json"),
        (&["add", "docs/b.md", "--id", "a/b"], "a-b-2.json"),
    ] {
        assert_eq!(entry(&world, words).0, format!(".jaato/references/{file}"));
    }
}

/// Repository contents that could redirect the entry to another place.
#[test]
fn nothing_is_written_outside_the_workspace_without_a_person() {
    use std::os::unix::fs::symlink;
    type Prepare = fn(&Workspace);
    let cases: [(&str, Prepare); 7] = [
        ("../out", |_| {}),
        ("docs/../../out", |_| {}),
        ("${HOME}/refs", |_| {}),
        ("linked", |world| symlink("../out", world.path.join("linked")).unwrap()),
        ("docs/linked/deep", |world| symlink("../../out", world.path.join("docs/linked")).unwrap()),
        ("refs", |world| symlink("../nowhere", world.path.join("refs")).unwrap()),
        ("refs", |world| {
            std::fs::create_dir(world.path.join("refs")).unwrap();
            symlink("../../out/planted.json", world.path.join("refs/docs-a.json")).unwrap();
        }),
    ];
    for (folder, prepare) in cases {
        let world = Workspace::with(&[("docs/a.md", "x")]);
        std::fs::create_dir(world.beside("out")).unwrap();
        world.configure(json!({"references_dir": folder}));
        prepare(&world);
        let answer = world.json(&["add", "docs/a.md"], 1);
        assert_eq!(answer["error"]["code"], "outside", "{folder}: {answer}");
        assert!(answer["error"]["hint"].as_str().unwrap().contains("at a terminal"), "{answer}");
        assert_eq!(std::fs::read_dir(world.beside("out")).unwrap().count(), 0, "{folder}");
        assert!(!world.beside("nowhere").exists());
    }
    for link in [".jaato", ".jaato/references"] {
        let world = Workspace::with(&[("docs/a.md", "x")]);
        let link = world.path.join(link);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::fs::create_dir(world.beside("out")).unwrap();
        symlink(world.beside("out"), &link).unwrap();
        assert_eq!(world.json(&["add", "docs/a.md"], 1)["error"]["code"], "outside");
        assert_eq!(std::fs::read_dir(world.beside("out")).unwrap().count(), 0, "{link:?}");
    }
}

#[test]
fn a_link_within_the_workspace_is_followed() {
    let world = Workspace::with(&[("docs/a.md", "x"), ("kept/x.txt", "")]);
    std::os::unix::fs::symlink("kept", world.path.join("refs")).unwrap();
    world.configure(json!({"references_dir": "refs"}));
    world.run(&["add", "docs/a.md"]).exits(0);
    assert!(world.read("kept/docs-a.json").contains("docs/a.md"));
}

#[test]
fn many_paths_and_patterns_are_one_write() {
    let world = Workspace::with(&[
        ("docs/x/retry.md", "---\ntitle: Retry x\ntags: [backoff]\n---\nWhen it fails.\n"),
        ("docs/y/retry.md", "# Retry y\n"),
        ("docs/.hidden/z.md", "# Z\n"),
        ("docs/node_modules/n.md", "# N\n"),
        ("docs/y/data.txt", "x"),
        ("kit/SKILL.md", "---\nname: the-kit\ndescription: Builds it.\n---\n"),
        ("kit/templates/a.tpl", "x"),
    ]);
    let answer = world.json(&["add", "docs/**/*.md", "kit", "https://example.org/api.md", "docs/x/retry.md"], 0);
    let ids: Vec<&str> = answer["added"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["x-retry", "y-retry", "kit", "example-org-api"], "{answer}");
    let first = &answer["added"][0]["entry"];
    assert_eq!(
        (&first["name"], &first["description"], &first["tags"]),
        (&json!("Retry x"), &json!("When it fails."), &json!(["backoff", "retry"]))
    );
    let kit = &answer["added"][2]["entry"];
    assert_eq!((&kit["name"], &kit["contents"]), (&json!("the-kit"), &json!({"templates": "templates/"})));
    let again = world.json(&["add", "docs/*/*", "kit"], 0);
    assert_eq!(again["added"].as_array().unwrap().len(), 1, "{again}");
    assert_eq!(again["known"].as_array().unwrap().len(), 3);
    assert_eq!(world.json(&["list"], 0)["total"], 5);
}

#[test]
fn ids_match_the_proposals_of_init() {
    let files =
        ["setup", "deploy", "retry-policy"].map(|name| (format!("docs/{name}.md"), format!("# {name}\n\nText.\n")));
    let files = files.each_ref().map(|(path, text)| (path.as_str(), text.as_str()));
    let proposed = Workspace::with(&files).json(&["init", "--dry-run"], 0)["proposals"].clone();
    let added = Workspace::with(&files).json(&["add", "docs/*.md"], 0)["added"].clone();
    for list in [proposed, added] {
        let mut ids: Vec<&str> = list.as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, ["docs-deploy", "docs-setup", "retry-policy"], "{list}");
    }
}

/// A document's id depends on the other documents of the repository: their words, their names, and whether there are
/// any.
#[test]
fn a_single_document_gets_the_id_that_init_proposes() {
    let files = [
        ("docs/adr-004-retries/ADR.md", "# Retries\n\nText.\n"),
        ("docs/ledger.md", "# Books\n\nText.\n"),
        ("docs/orders.md", "# Orders\n\nThe ledger has them, says the ADR.\n"),
        ("docs/returns.md", "# Returns\n\nThe ledger has them too, says the ADR.\n"),
        ("a/kafka.md", "# Kafka\n\nText.\n"),
        ("b/kafka.md", "# Kafka\n\nText.\n"),
    ];
    let proposals = Workspace::with(&files).json(&["init", "--dry-run"], 0)["proposals"].clone();
    for (path, id) in [
        ("docs/adr-004-retries/ADR.md", "adr-004-retries"),
        ("docs/ledger.md", "docs-ledger"),
        ("a/kafka.md", "a-kafka"),
        ("b/kafka.md", "b-kafka"),
    ] {
        let proposed = proposals.as_array().unwrap().iter().find(|it| it["path"] == path).unwrap();
        let world = Workspace::with(&files);
        assert_eq!((&proposed["id"], &world.json(&["add", path], 0)["id"]), (&json!(id), &json!(id)), "{path}");
    }
}

/// A skill costs as much as all its documents, including those that are not sources themselves.
#[test]
fn a_proposal_costs_as_much_as_its_source() {
    let world = Workspace::with(&[
        (".claude/skills/kit/SKILL.md", "---\nname: kit\ndescription: A kit.\n---\n# Kit\n\nText.\n"),
        (".claude/skills/kit/values.yaml", "a: 1\nb: 2\n"),
        (".claude/skills/kit/notes.txt", "Some notes.\n"),
        (".claude/skills/kit/page.md", "# Page\n\nText.\n"),
        (".claude/skills/kit/run.sh", "true\n"),
    ]);
    let proposals = world.json(&["init", "--dry-run"], 0)["proposals"].clone();
    assert_eq!(proposals[0]["id"], "kit", "{proposals}");
    world.json(&["add", ".claude/skills/kit"], 0);
    assert_eq!(proposals[0]["tokens"], world.json(&["list"], 0)["sources"][0]["tokens"]);
}

#[test]
fn each_document_of_a_folder_can_be_a_source() {
    let files = [("docs/kafka.md", "# Kafka\n"), ("docs/saga.md", "# Saga\n"), ("docs/data.json", "{}")];
    let world = Workspace::with(&files);
    let whole = world.json(&["add", "docs"], 0);
    assert_eq!((&whole["id"], &whole["entry"]["path"]), (&json!("ws-docs"), &json!("../../docs")));
    let world = Workspace::with(&files);
    let each = world.json(&["add", "docs", "--each"], 0);
    assert_eq!(each["added"].as_array().unwrap().len(), 2, "{each}");
    assert_eq!(world.json(&["list"], 0)["total"], 2);
}

/// The answer depends on what is named, not on how many documents match and how many of them are new.
#[test]
fn known_documents_are_left_out_however_many_match() {
    let world = Workspace::with(&[("h/one.md", "# One\n"), ("two/a.md", "# A\n"), ("two/b.md", "# B\n")]);
    std::fs::create_dir(world.path.join("empty")).unwrap();
    for (words, count) in [
        (&["add", "h/*.md"][..], 1),
        (&["add", "h", "--each"], 1),
        (&["add", "two/*.md"], 2),
        (&["add", "two", "--each"], 2),
        (&["add", "two/a.md", "two/b.md"], 2),
    ] {
        let is_new = words[1].contains('*');
        for (added, known) in [if is_new { (count, 0) } else { (0, count) }, (0, count)] {
            let answer = world.json(words, 0);
            let counts = ["added", "known"].map(|key| answer[key].as_array().unwrap().len());
            assert_eq!(counts, [added, known], "{words:?} {answer}");
        }
    }
    assert_eq!(world.json(&["add", "h/one.md"], 1)["error"]["code"], "id-taken");
    assert_eq!(world.json(&["add", "h/one.md", "--each"], 1)["error"]["code"], "id-taken", "it is not a folder");
    let none = world.run(&["add", "empty", "--each"]).exits(1);
    assert!(none.stderr.contains("'empty' has no documents\n  fix: leave out --each"), "{none}");
}

#[test]
fn one_refused_path_prevents_all_additions() {
    let world = Workspace::with(&[("docs/kafka.md", "# Kafka\n"), ("docs/saga.md", "# Saga\n")]);
    let before = world.listing();
    for (words, code, exit) in [
        (&["add", "docs/kafka.md", "docs/none.md"][..], "no-such-path", 1),
        (&["add", "docs/kafka.md", "docs/x*.md"], "no-such-path", 1),
        (&["add", "docs/kafka.md", "docs/[a.md"], "bad-glob", 1),
        (&["add", "docs/kafka.md", "docs/saga.md", "--id", "x"], "usage", 2),
        (&["add", "docs/*.md", "--name", "x"], "usage", 2),
        (&["add", "docs/*.md", "--tag", "-"], "empty-tag", 1),
        (&["add", "docs/kafka.md", "https://ann:secret@example.org/a"], "usage", 2),
        (&["add", "https://"], "usage", 2),
    ] {
        let answer = world.json(words, exit);
        assert_eq!(answer["error"]["code"], code, "{words:?}");
        assert_eq!(world.listing(), before, "{words:?}");
    }
}

#[test]
fn adding_an_untrusted_source_says_so() {
    let world = small();
    refdesk_files::write_atomic(&world.beside("elsewhere.md"), b"# Far\n").unwrap();
    let added = world.run(&["add", "../elsewhere.md"]).exits(0);
    assert!(added.text().contains("elsewhere waits for your trust: `refdesk trust`"), "{added}");
    let added = world.json(&["add", "https://example.org/all", "--id", "all", "--mode", "auto"], 0);
    assert_eq!(added["waits_for_trust"], true);
    assert_eq!(world.json(&["add", "docs/b.md", "--id", "near"], 0)["waits_for_trust"], false);
}

#[test]
fn links_out_of_the_workspace_are_not_read() {
    let world = small();
    refdesk_files::write_atomic(&world.beside("secret/s.md"), b"# Top secret\n\nA secret paragraph.\n").unwrap();
    std::os::unix::fs::symlink("../../secret", world.path.join("docs/lnk")).unwrap();
    for words in [
        &["add", "docs/lnk/s.md"][..],
        &["add", "docs/lnk", "--each", "--tag", "x"],
        &["add", "docs/lnk/*.md"],
        &["add", "docs/lnk/../secret/s.md"],
    ] {
        world.run(words);
    }
    let catalog = world.listing().into_iter().filter(|(path, _)| path.to_string_lossy().contains("references"));
    for (path, text) in catalog {
        let text = String::from_utf8_lossy(&text).to_lowercase();
        assert!(!text.contains("secret paragraph") && !text.contains("top secret"), "{}: {text}", path.display());
    }
}

/// The workspace is named by a link, and the current folder is its real path or the link.
#[test]
fn a_workspace_reached_through_a_link_accepts_its_documents() {
    let far = Workspace::new();
    for (named, current, place) in [
        ("link", "", "link/docs/new.md"),
        ("link", "", "real/docs/new.md"),
        ("link", "real", "docs/new.md"),
        ("real", "", "link/docs/new.md"),
        ("real", "link/docs", "new.md"),
        ("link", "real", "doc*/new.md"),
    ] {
        let world = Workspace::of(json!([]), &[]);
        for (path, text) in
            [("real/references.json", r#"{"sources": []}"#), ("real/docs/new.md", "# Title\n\nWhat it says.\n")]
        {
            world.put(path, text.as_bytes());
        }
        std::os::unix::fs::symlink("real", world.path.join("link")).unwrap();
        let named = world.path.join(named);
        let mut command = world.bare(&["--workspace", named.to_str().unwrap(), "--format", "json", "add", place]);
        let answer = run(command.current_dir(world.path.join(current)), None).exits(0).json();
        let is_pattern = place.contains('*');
        let entry = if is_pattern { &answer["added"][0]["entry"] } else { &answer["entry"] };
        assert_eq!(entry["path"], "../../docs/new.md", "{named:?} {current} {place}: {answer}");
        assert_eq!((&entry["name"], &entry["description"]), (&json!("Title"), &json!("What it says.")), "{place}");
        let mut again = world.bare(&["--workspace", named.to_str().unwrap(), "add", place]);
        let again = run(again.current_dir(world.path.join(current)), None).exits(i32::from(!is_pattern));
        assert!([again.text(), &again.stderr].concat().contains("already in the catalog"), "{again}");
        // Links out of such a workspace are still not followed.
        std::os::unix::fs::symlink(&far.path, world.path.join("real/out")).unwrap();
        far.put("far.md", b"# SECRET");
        far.put("README.md", b"# SECRET");
        std::os::unix::fs::symlink(far.path.join("README.md"), world.path.join("real/docs/README.md")).unwrap();
        for out in ["out/far.md", "out", "docs"] {
            let place = format!("link/{out}");
            let mut command = world.bare(&["--workspace", named.to_str().unwrap(), "--format", "json", "add", &place]);
            let told = run(command.current_dir(&world.path), None).exits(0);
            assert!(!told.text().contains("SECRET"), "{told}");
        }
    }
}

#[test]
fn a_pattern_over_too_many_files_is_refused() {
    let world = small();
    std::fs::create_dir(world.path.join("many")).unwrap();
    for nth in 0..20_050 {
        std::fs::File::create(world.path.join(format!("many/{nth}.md"))).unwrap();
    }
    world.put("zz/z.md", b"# Z\n");
    let answer = world.json(&["add", "**/*.md"], 1);
    assert_eq!(answer["error"]["code"], "too-many-files", "{answer}");
    assert_eq!(world.json(&["add", "zz/*.md"], 0)["added"][0]["id"], "zz-z");
    // Only files whose names match count.
    world.put("many/README.txt", b"# Many\n");
    assert_eq!(world.json(&["add", "**/README.txt"], 0)["added"][0]["entry"]["name"], "README");
}

/// Several processes add at the same time, each with the catalog as it was before.
#[test]
fn an_id_that_another_process_has_just_taken_is_not_given_twice() {
    let world = small();
    let add = |desk: &mut Desk, place: &str, id: Option<&str>| -> Result<String, Error> {
        let new = NewSource { id: id.map(str::to_owned), ..NewSource::selectable(place.to_owned()) };
        let added = desk.add(&Session::of_client("a test"), &[new], &|_| Ok(()))?;
        Ok(added.added[0].id.to_string())
    };
    let mut desks: [Desk; 4] = std::array::from_fn(|_| world.desk("state"));
    let first = add(&mut desks[0], "https://one.example/same", None).unwrap();
    let second = add(&mut desks[1], "https://two.example/same", None).unwrap();
    assert_ne!(first, second);
    let again = NewSource::selectable("HTTPS://One.example/same/".to_owned());
    let again = desks[2].add(&Session::of_client("a test"), &[again], &|_| Ok(())).unwrap();
    assert!(again.known_error().unwrap().message.contains("is already in the catalog"), "{again:?}");
    let taken = add(&mut desks[3], "https://three.example/", Some(&first)).unwrap_err();
    assert_eq!(taken.code, Code::IdTaken, "{taken}");
    assert_eq!(std::fs::read_dir(world.path.join(".jaato/references")).unwrap().count(), 2);
    // A file that the catalog has read and cannot use is no such process.
    world.put(".jaato/references/broken.json", br#"{"id": "broken"}"#);
    assert_eq!(add(&mut world.desk("state"), "https://four.example/", Some("broken")).unwrap(), "broken");
}
