//! `init`: what it finds in real folders, what it writes, and what it leaves alone.

use std::fs;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::Workspace;

fn shop() -> Workspace {
    let world = Workspace::with(&[
        ("README.md", "# The shop\n\nSells things to people.\n"),
        ("docs/retry.md", "# Retry payments\n\nA payment is retried with backoff. Backoff doubles. Backoff ends.\n"),
        ("docs/ledger.md", "---\ntitle: The ledger\ntags: [bookkeeping]\ndescription: Every booking.\n---\n"),
        ("docs/adr/0001-use-kafka.md", "# Use Kafka\n\nKafka moves events. Kafka keeps them.\n"),
        ("skills/ship/SKILL.md", "---\nname: ship\ndescription: Ships it.\n---\n# Ship\n"),
        ("skills/ship/scripts/run.sh", "true\n"),
        (".cursor/rules/always.mdc", "---\nalwaysApply: true\n---\n# Always format\n"),
        ("llms.txt", "- [Payments API](https://shop.example/api/payments.md): endpoints\n"),
        ("node_modules/x/README.md", "# X\n"),
        ("CHANGELOG.md", "# Changes\n"),
    ]);
    fs::create_dir(world.path.join(".git")).unwrap();
    world
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["proposals"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[test]
fn documents_only_named_like_translations_or_changelogs_are_proposed() {
    let world = Workspace::with(&[
        ("docs/de/retouren.md", "# Retouren\n\nWie eine Retoure angenommen wird.\n"),
        ("docs/en/refunds.md", "# Refunds\n\nHow money is paid back.\n"),
        ("docs/en/shipping.md", "# Shipping\n\nHow parcels leave.\n"),
        ("docs/fr/shipping.md", "# Envoi\n\nComment les colis partent.\n"),
        ("docs/releases.md", "# Release process\n\n## Cut a branch\n\nFrom main.\n\n## Sign it\n\nWith the key.\n"),
        ("docs/history.md", "# History\n\n## 1.1.0 (2024-05-01)\n\nRefunds.\n\n## v1.0\n\nShipping.\n"),
    ]);
    let made = world.run(&["init", "--yes"]).exits(0);
    assert!(made.text().contains("4 sources added"), "{made}");
    assert!(made.text().contains("2 documents left out: `refdesk init --all` lists them"), "{made}");
    let listed = world.json(&["list"], 0).to_string();
    for path in ["docs/de/retouren.md", "docs/en/refunds.md", "docs/en/shipping.md", "docs/releases.md"] {
        assert!(listed.contains(path), "{path}: {listed}");
    }
}

#[test]
fn a_catalog_from_nothing_and_again_nothing_new() {
    let world = shop();
    let answer = world.json(&["init", "--yes"], 0);
    assert_eq!(answer["status"], "success");
    let expected =
        ["ws-readme", "ledger", "retry", "0001-use-kafka", "ship", "rules-always", "payments", "ws-changelog"];
    assert_eq!(ids(&answer), expected, "{answer}");
    assert_eq!(answer["new"].as_array().unwrap().len(), 7, "the changelog is not ticked");
    assert_eq!(answer["written"].as_array().unwrap().len(), 7);
    assert!(world.run(&["journal", "--format", "text"]).exits(0).text().contains("(the catalog was created)"));
    let entry: Value = serde_json::from_str(&world.read(".jaato/references/ship.json")).unwrap();
    assert_eq!(
        entry,
        json!({"id": "ship", "name": "ship", "description": "Ships it.", "type": "local", "path": "../../skills/ship",
               "mode": "selectable", "tags": entry["tags"], "contents": {"scripts": "scripts/"}})
    );
    let listed = world.json(&["list"], 0);
    assert_eq!(listed["total"], 7);
    assert!(listed["sources"].as_array().unwrap().iter().all(|it| it["exists"] != json!(false)), "{listed}");
    assert_eq!(world.json(&["check"], 0)["errors"], json!([]));
    let prompts = answer["prompts"].as_array().unwrap();
    assert_eq!(prompts.len(), 3, "{prompts:?}");
    for prompt in prompts {
        let (typed, reported) = (prompt["prompt"].as_str().unwrap(), prompt["told"].as_array().unwrap());
        let enriched = run(&mut world.command(&["enrich", "--repeat", "--dry-run"]), Some(typed.as_bytes())).exits(0);
        let text = enriched.text();
        assert!(reported.iter().all(|line| text.contains(line.as_str().unwrap())), "{typed}: {text}");
    }
    let before = world.listing();
    for words in [&["init"][..], &["init", "--yes"], &["init", "docs", "--one-file", "--yes"]] {
        let again = world.json(words, 0);
        assert_eq!((&again["status"], &again["new"]), (&json!("nothing_new"), &json!([])), "{words:?}");
    }
    assert_eq!(world.listing(), before);
}

#[test]
fn removed_documents_are_not_new_and_prompts_are_about_added_ones() {
    let world = shop();
    world.json(&["init", "--yes"], 0);
    world.run(&["remove", "ledger", "--yes"]).exits(0);
    assert_eq!(world.json(&["init"], 0)["status"], json!("nothing_new"));
    let late = "# Shipping parcels\n\nHow parcels leave the warehouse. Parcels, couriers and customs: parcels, couriers, \
                customs. A courier takes parcels through customs.\n";
    world.put("docs/parcels.md", late.as_bytes());
    world.put("docs/retry.md", b"# Retry payments\n\nA payment is retried. See @0001-use-kafka.\n");
    world.run(&["select", "retry"]).exits(0);
    let answer = world.json(&["init", "--yes"], 0);
    assert!(!answer["prompts"].to_string().contains("(from @"), "a notice is no hint: {answer}");
    assert_eq!(answer["new"], json!(["parcels"]), "{answer}");
    assert!(world.run(&["journal", "--format", "text"]).exits(0).text().contains("(the catalog was extended)"));
    let reported = answer["prompts"][0]["told"].to_string();
    assert!(reported.contains("- @parcels:"), "{answer}");
    std::fs::remove_dir_all(world.path.join(".jaato/references")).unwrap();
    let again = world.json(&["init"], 1);
    assert!(
        again["new"].as_array().unwrap().contains(&json!("ledger")),
        "without a catalog, all documents are new: {again}"
    );
}

#[test]
fn without_approval_nothing_is_written() {
    let world = shop();
    let before = world.listing();
    let answer = world.json(&["init"], 1);
    assert_eq!(answer["error"]["code"], "not-approved");
    let refused = world.run(&["init"]).exits(1);
    let text = refused.text();
    assert!(text.contains("1 [x] ws-readme  The shop, ~"), "{text}");
    assert!(
        text.contains("[ ] ws-changelog")
            && text.contains("docs/adr/0001-use-kafka.md: a decision record, by its folder"),
        "{text}"
    );
    assert!(text.contains("+++ b/.jaato/references/ledger.json"), "{text}");
    assert!(refused.stderr.contains("--yes") && refused.stderr.contains("this would write 7 files"), "{refused}");
    assert_eq!(world.json(&["init", "--dry-run"], 0)["status"], "dry_run");
    assert_eq!(world.listing(), before);
}

/// Empty files are enough, since the limit is on the number of files.
#[test]
fn a_scan_of_40_000_files_is_limited_and_says_so() {
    let world = Workspace::with(&[("README.md", "# The monorepo\n")]);
    for package in 0..100 {
        for (folder, ending) in [
            (format!("packages/p{package}/docs"), "md"),
            (format!("packages/p{package}/src"), "ts"),
            (format!("node_modules/m{package}"), "md"),
            (format!("node_modules/m{package}/lib"), "js"),
        ] {
            let folder = world.path.join(folder);
            fs::create_dir_all(&folder).unwrap();
            for nth in 0..101 {
                fs::File::create(folder.join(format!("page-{nth}.{ending}"))).unwrap();
            }
        }
    }
    let shown = world.run(&["init", "--dry-run"]).exits(0);
    let text = shown.text();
    for part in [
        "1 [x] ws-readme",
        "9,999 not ticked, 9,999 in packages/: `refdesk init --all` lists them",
        "1 of 1 ticked",
        "there are more than 10,000 documents, so the rest was left out",
    ] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("node_modules"), "it is never entered");
}

#[test]
fn unticked_documents_are_listed_without_a_terminal() {
    let world = Workspace::with(&[("docs/empty.md", ""), ("docs/binary.md", "\u{0}")]);
    for (words, ticking) in [
        (&["init"][..], "`refdesk init` lets you"),
        (&["init", "--yes"], "`refdesk init` lets you"),
        (&["init", "--dry-run"], "`refdesk init` lets you"),
        (&["init", "--all"], "`refdesk init --all` lets you"),
    ] {
        let shown = world.run(words).exits(0);
        let note = "note: docs/binary.md: it is not UTF-8 text";
        for part in ["1 [ ] docs-empty", note, ticking, "`refdesk add PATH` adds"] {
            assert!(shown.text().contains(part), "{words:?}: {part}: {shown}");
        }
    }
    assert!(!world.path.join(".jaato").exists());
}

/// A pipe may lead to an agent, which would read characters that a person does not see.
#[test]
fn the_difference_hides_nothing() {
    let hidden = ['\u{202e}', '\u{e0041}', '\u{85}', '\u{9b}', '\u{200b}', '\u{1b}'];
    let title = hidden.iter().map(|c| format!("a{c}")).collect::<String>();
    let text = format!("# {title}\n\nAbout {title}.\n");
    let world = Workspace::with(&[("docs/one.md", &text), ("docs/b\u{202e}c.md", "# Two\n")]);
    for words in [&["init", "--dry-run"][..], &["init"]] {
        let shown = world.run(words);
        assert!(shown.text().contains("+++ "), "{words:?}: {shown}");
        assert!(shown.text().contains("\\u{202e}"), "{words:?}: {shown}");
        assert!(!shown.text().contains(hidden), "{words:?}: {shown}");
    }
}

#[test]
fn one_file_keeps_what_is_in_it() {
    let world = shop();
    world.json(&["init", "--one-file", "--yes", "docs"], 0);
    assert!(!world.path.join(".jaato/references").exists());
    assert_eq!(world.json(&["list"], 0)["total"], 3, "only the named folder");
    let configured: Value = serde_json::from_str(&world.read("references.json")).unwrap();
    assert_eq!(configured["sources"][0]["path"], "docs/ledger.md");

    let world = shop();
    let text = "{\n  \"exclude_tools\": [\"x\"],\n  \"sources\": [\n    { \"id\": \"own\",   \"name\": \"Own\", \"path\": \"docs/retry.md\" }\n  ]\n}\n";
    world.put("references.json", text.as_bytes());
    world.json(&["init", "--one-file", "--yes"], 0);
    let written = world.read("references.json");
    let (head, tail) = text.split_at(text.find("\n  ]").unwrap());
    assert!(written.starts_with(head) && written.ends_with(tail), "{written}");
    assert_eq!(world.json(&["list"], 0)["total"], 7);
}

#[test]
fn moved_files_get_their_new_path_and_missing_ones_are_reported() {
    let world = shop();
    world.json(&["init", "--yes"], 0);
    fs::create_dir(world.path.join("docs/payments")).unwrap();
    fs::rename(world.path.join("docs/retry.md"), world.path.join("docs/payments/retry.md")).unwrap();
    fs::remove_file(world.path.join("docs/ledger.md")).unwrap();
    world.put("docs/outbox.md", b"# Outbox pattern\n");
    let hand = world.read(".jaato/references/ws-readme.json").replace("The shop", "Our shop");
    world.put(".jaato/references/ws-readme.json", hand.as_bytes());
    let answer = world.json(&["init", "--yes"], 0);
    assert_eq!(answer["new"], json!(["outbox"]));
    assert_eq!(answer["moved"][0]["after"], "docs/payments/retry.md", "{answer}");
    assert_eq!(
        answer["gone"],
        json!([{"id": "ledger", "path": "docs/ledger.md", "file": ".jaato/references/ledger.json"}])
    );
    let entry: Value = serde_json::from_str(&world.read(".jaato/references/retry.json")).unwrap();
    assert_eq!(entry["path"], "../../docs/payments/retry.md");
    assert_eq!(world.read(".jaato/references/ws-readme.json"), hand, "what was edited by hand stays");
    let said = world.run(&["init"]).exits(0);
    assert!(said.text().contains("gone: ledger, docs/ledger.md does not exist"), "{said}");
    assert!(said.text().contains("`refdesk remove ledger` removes it"), "{said}");
    // Elsewhere it may still be found.
    fs::create_dir(world.path.join("guides")).unwrap();
    fs::rename(world.path.join("docs/outbox.md"), world.path.join("guides/outbox.md")).unwrap();
    for (folder, is_partial) in [("docs", true), (".", false)] {
        let said = world.run(&["init", folder, "--dry-run"]).exits(0);
        assert_eq!(said.text().contains("gone: outbox,"), is_partial, "{said}");
        assert_eq!(said.text().contains("`refdesk init` searches the whole workspace for it"), is_partial, "{said}");
        assert_eq!(said.text().contains("removes it"), !is_partial, "{said}");
    }
}

#[test]
fn front_matter_of_every_bad_kind_is_a_note() {
    let world = shop();
    let bad = [
        ("unclosed", "---\ntitle: Unclosed\n"),
        ("tabs", "---\na:\n\tb: c\n---\n# Tabs\n"),
        ("listed", "---\n- a\n---\n# Listed\n"),
        ("nested", &format!("---\na: {}\n---\n# Nested\n", "[".repeat(9_000))),
        ("huge", &format!("---\na: {}\n---\n# Huge\n", "x".repeat(70_000))),
        ("anchors", "---\na: *none\n---\n# Anchors\n"),
    ];
    for (name, text) in bad {
        world.put(&format!("docs/x-{name}.md"), text.as_bytes());
    }
    world.put("docs/x-binary.md", b"---\ntitle: \xff\xfe\x00\xff\n---\n\xff\xff\xff\xff");
    world.put("docs/x-empty.md", b"");
    let answer = world.json(&["init", "--yes"], 0);
    let noted: Vec<&str> =
        answer["skipped"].as_array().unwrap().iter().map(|it| it["file"].as_str().unwrap()).collect();
    for (name, _) in bad {
        assert_eq!(noted.iter().filter(|file| **file == format!("docs/x-{name}.md")).count(), 1, "{name}: {noted:?}");
        assert!(ids(&answer).contains(&&*format!("x-{name}")), "{name} is found all the same");
    }
    assert!(noted.contains(&"docs/x-binary.md") && !ids(&answer).contains(&"x-binary"));
    assert_eq!(world.json(&["check"], 0)["errors"], json!([]));
}

#[test]
fn documents_with_the_same_id_are_prefixed_with_their_folders() {
    let world =
        Workspace::with(&[("docs/a/retry.md", "# One\n"), ("docs/b/retry.md", "# Two\n"), ("docs/kafka.md", "# K\n")]);
    world.configure(json!({"sources": [{"id": "kafka", "name": "K", "type": "inline", "content": "x"}]}));
    assert_eq!(world.json(&["init", "--yes"], 0)["new"], json!(["a-retry", "b-retry", "docs-kafka"]));
    // Nothing brings up these documents, because they have no content. There are no other problems.
    let checked = world.json(&["check"], 0);
    let warnings = checked["warnings"].as_array().unwrap();
    assert!(warnings.iter().all(|warning| warning["code"] == "never-found"), "{checked}");
}

#[test]
fn any_folder_but_the_home_folder_can_become_a_workspace() {
    let world = Workspace::with(&[("docs/kafka.md", "# Kafka\n"), ("docs/saga.md", "# Saga\n")]);
    let ran = run(world.bare(&["init", "--yes"]).current_dir(&world.path), None);
    ran.exits(0);
    assert!(world.path.join(".jaato/references/kafka.json").exists());
    let home = world.beside("home");
    refdesk_files::write_atomic(&home.join("notes/a.md"), b"# A\n").unwrap();
    let before = world.listing();
    let ran = run(world.bare(&["init", "--yes"]).current_dir(&home), None);
    assert!(ran.exits(1).stderr.contains("home folder"));
    let empty = Workspace::new();
    let ran = run(empty.bare(&["init", "--yes"]).current_dir(&empty.path), None);
    assert!(ran.exits(0).text().contains("No documents found in "));
    fs::create_dir(empty.path.join("src")).unwrap();
    let ran = run(empty.bare(&["init", "src"]).current_dir(&empty.path), None).exits(0);
    assert!(ran.text().starts_with("No documents found in src. "), "{ran}");
    fs::remove_dir(empty.path.join("src")).unwrap();
    assert_eq!((world.listing(), empty.listing().len()), (before, Workspace::new().listing().len()));
}

#[test]
fn folders_outside_the_workspace_are_refused() {
    let world = shop();
    fs::create_dir(world.beside("out")).unwrap();
    for (folder, code) in
        [("../out", "outside"), ("none", "no-such-path"), ("README.md", "no-such-path"), ("/", "outside")]
    {
        let answer = world.json(&["init", folder, "--yes"], 1);
        assert_eq!(answer["error"]["code"], code, "{folder}");
    }
}

#[test]
fn an_unwritable_folder_is_reported_and_left_alone() {
    use std::os::unix::fs::symlink;
    let world = shop();
    symlink(world.beside("tmp"), world.path.join(".jaato")).unwrap();
    let answer = world.json(&["init", "--yes"], 1);
    assert_eq!(answer["error"]["code"], "outside", "{answer}");
    assert_eq!(fs::read_dir(world.beside("tmp")).unwrap().count(), 0);
}

#[test]
fn values_that_a_catalog_cannot_contain_are_left_out() {
    use std::os::unix::ffi::OsStrExt;
    let world = Workspace::with(&[
        ("docs/tags.md", "---\ntags: [\"\u{202e}\", \"!!!\", \"billing\"]\n---\n\n# Tag document\n\nWords.\n"),
        ("llms.txt", "# A\n\n- [In](https://example.org/a)\n- [Out](https://ann:secret@example.org/b)\n"),
    ]);
    fs::create_dir(world.path.join(".git")).unwrap();
    fs::File::create(world.path.join(std::ffi::OsStr::from_bytes(b"docs/b\xff.md"))).unwrap();
    let made = world.json(&["init", "--yes"], 0);
    assert!(made.to_string().contains("its name is not UTF-8, so it was left out"), "{made}");
    assert!(!made.to_string().contains("secret"), "{made}");
    let again = world.run(&["init"]).exits(0);
    assert!(again.text().starts_with("Nothing new") && !again.text().contains("note:"), "{again}");
    let all = world.json(&["init"], 0);
    assert!(all["skipped"].to_string().contains("its name is not UTF-8"), "{all}");
    let checked = world.json(&["check"], 0);
    assert_eq!(checked["errors"], json!([]), "{checked}");
    assert_eq!(world.json(&["init", "--yes"], 0)["status"], "nothing_new");
}
