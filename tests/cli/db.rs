//! Databases as sources from a user's point of view: planned, documented, queried.

use serde_json::Value;

use crate::support::workspace::Workspace;

const CHINOOK: &str = include_str!("../data/databases/chinook.sql");

/// A workspace with an SQLite file, created with the SQLite library that refdesk itself uses.
fn world() -> Workspace {
    let world = Workspace::with(&[(
        ".jaato/databases.yaml",
        "databases:\n  - name: shop\n    type: sqlite\n    connection: { file: shop.db }\n",
    )]);
    rusqlite::Connection::open(world.path.join("shop.db")).unwrap().execute_batch(CHINOOK).unwrap();
    world
}

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

#[test]
fn a_database_is_planned_documented_and_queried() {
    let world = world();
    let told = world.run(&["db", "plan", "--dry-run", "--no-model"]).exits(0);
    assert!(told.text().contains("Email         only the share of nulls, sensitive (name: email)"), "{told}");
    for line in ["shop (sqlite ", "invoice: 4 tables\n", "  main.Invoice (table): at most ", "    Total         "] {
        assert!(told.text().contains(line), "{line}: {told}");
    }
    assert!(told.stderr.contains("this would write .jaato/databases/documentation-plan.json"), "{told}");
    assert!(!world.path.join(".jaato/databases").exists());
    let told = world.run(&["db", "plan"]).exits(0);
    assert!(told.text().starts_with("shop (sqlite "), "{told}");
    let plan: Value = serde_json::from_str(&world.read(".jaato/databases/documentation-plan.json")).unwrap();
    assert_eq!(plan["summary"]["total_tables"], 11);
    let told = world.run(&["db", "document"]).exits(2);
    assert!(told.stderr.contains("--yes"), "{told}");
    assert!(!world.path.join("docs").exists());
    let told = world.run(&["db", "document", "--no-model", "--yes", "--json"]).exits(0).json();
    assert_eq!(strings(&told["sources"]), ["db-shop-artist", "db-shop-invoice", "db-shop-playlist", "db-shop-track"]);
    // A run is one journal line, not one per page.
    let journal = world.run(&["journal"]).exits(0);
    assert_eq!(journal.text().lines().filter(|line| line.contains("docs/databases/shop/")).count(), 1, "{journal}");
    let told = world.run(&["db", "document"]).exits(0);
    assert!(told.text().starts_with("Up to date: 27 pages.") && !told.stderr.contains("db index"), "{told}");
    let listed = world.run(&["list", "--json"]).exits(0).json();
    assert_eq!(listed["sources"].as_array().map(Vec::len), Some(4), "{listed}");

    let told = world.run(&["db", "show", "album"]).exits(0);
    assert!(told.text().starts_with("# main.Album"), "{told}");
    let page = "docs/databases/shop/artist/tables/main.Album.md";
    let text = world.read(page);
    world.put(page, b"");
    let told = world.run(&["db", "show", "album"]).exits(1);
    assert!(told.stderr.contains(&format!("{page} is empty\n  fix: `refdesk db document")), "{told}");
    std::fs::remove_file(world.path.join(page)).unwrap();
    let told = world.run(&["db", "show", "album"]).exits(1);
    assert!(told.stderr.contains(&format!("{page} is missing")), "{told}");
    world.put(page, text.as_bytes());
    let told = world.run(&["db", "path", "Artist", "InvoiceLine"]).exits(0);
    assert!(told.text().starts_with("3 joins\n  FROM \"main\".\"Artist\"\n  JOIN \"main\".\"Album\" ON"), "{told}");
    let told = world.run(&["db", "usage", "trackid", "--json"]).exits(0).json();
    assert_eq!(told["usage"].as_array().map(Vec::len), Some(3), "{told}");
    assert!(told["usage"].as_array().unwrap().iter().all(|it| it.get("inferred").is_none()), "{told}");
    let told = world.run(&["db", "usage", "trackid"]).exits(0);
    for line in ["shop.main.Track          INTEGER  primary key ", "shop.main.InvoiceLine    INTEGER  -> main.Track "] {
        assert!(told.text().contains(line), "{told}");
    }
    let told = world.run(&["db", "domains", "--json"]).exits(0).json();
    assert_eq!(told["domains"].as_array().map(Vec::len), Some(4), "{told}");
    assert!(world.run(&["db", "domains"]).exits(0).text().contains("Customer, Employee"));
    let told = world.run(&["db", "domain", "invoice", "--json"]).exits(0).json();
    assert_eq!((told["table_count"].as_u64(), told["tables"].as_array().map(Vec::len)), (Some(4), Some(4)), "{told}");
    let joins = told["relationships"].as_array().unwrap();
    let of = |table: &str| joins.iter().find(|it| it["to_table"] == table).map(|it| &it["joins_to_table"]);
    assert_eq!((of("main.Customer"), of("main.Track")), (Some(&1.into()), Some(&2.into())), "{told}");
    assert!(world.run(&["db", "domain", "invoice"]).exits(0).text().contains("many to one"));
    let told = world.run(&["db", "joins", "--limit", "3", "--json"]).exits(0).json();
    assert_eq!((told["relationships"].as_array().map(Vec::len), told["total"].as_u64()), (Some(3), Some(11)), "{told}");
    let refused = world.run(&["db", "domain", "invoces"]).exits(1);
    assert!(refused.stderr.contains("invoice"), "{refused}");
    let told = world.run(&["db", "show", "Albun"]).exits(1);
    assert!(told.stderr.contains("did you mean 'Album'?"), "{told}");
    world.run(&["db", "status"]).exits(0);
    world.run(&["db", "diff"]).exits(0);
    let manifest = "docs/databases/documentation-manifest.json";
    std::fs::remove_file(world.path.join(manifest)).unwrap();
    let told = world.run(&["db", "status"]).exits(0);
    assert!(told.text().contains("27 pages  manifest missing"), "{told}");
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().contains(&format!("{manifest}: the manifest is missing")), "{told}");
    assert!(!told.text().contains("new table") && told.stderr.contains("`refdesk db document` brings"), "{told}");
    let told = world.run(&["db", "document"]).exits(0);
    assert!(told.text().contains("Wrote the manifest: 27 pages unchanged."), "{told}");
    world.run(&["db", "diff"]).exits(0);
    refdesk_files::write_atomic(&world.path.join(manifest), b"{").unwrap();
    let told = world.run(&["db", "status"]).exits(0);
    assert!(told.text().contains("27 pages  manifest damaged"), "{told}");
}

#[test]
fn differences_and_rules_fail_in_ci() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let database = rusqlite::Connection::open(world.path.join("shop.db")).unwrap();
    database.execute_batch("ALTER TABLE Album ADD COLUMN Label TEXT; CREATE TABLE Stray (a)").unwrap();
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().contains("shop: main.Album.Label  new column"), "{told}");
    assert!(told.text().contains("shop: main.Stray        new table"), "{told}");
    let told = world.run(&["db", "status", "--json"]).exits(0).json();
    let count = |key: &str| told["databases"][0][key].as_u64();
    assert_eq!(strings(&told["databases"][0]["stale"]), ["main.Album"]);
    assert_eq!(["outdated", "missing"].map(count), [Some(3), Some(3)], "{told}");
    let told = world.run(&["db", "check", "--min-coverage", "50"]).exits(1);
    assert!(told.text().contains("shop: main.Stray: it has no primary key (no_primary_key)"), "{told}");
    assert!(told.text().contains("  fix: add notes in .jaato/databases/shop.notes.yaml\n"), "{told}");
    assert!(told.text().contains("; 1 table changed after their pages were written: main.Album\n"), "{told}");
    assert!(told.stderr.contains("0% of 'shop' is described, less than the required 50%"), "{told}");
    // What would be removed is listed before the removal.
    database.execute_batch("DROP TABLE PlaylistTrack; DROP TABLE Playlist").unwrap();
    let told = world.run(&["db", "document"]).exits(2);
    assert!(told.text().contains("obsolete files would be removed:\n  docs/databases/shop/"), "{told}");
    assert!(told.text().contains("  .jaato/references/db-shop-playlist.json\n"), "{told}");
    let told = world.run(&["db", "pipeline"]).exits(2);
    assert!(told.text().contains("  .jaato/references/db-shop-playlist.json\n"), "{told}");
}

#[test]
fn the_plan_tells_what_a_pick_brings_if_pages_link_to_other_domains() {
    let world = world();
    let price = |command: &[&str]| {
        let told = world.run(command).exits(0);
        let line =
            told.text().lines().find(|line| line.contains("track") && line.contains("table")).unwrap().to_owned();
        line.split_once("a pick brings ").map(|(_, price)| price.split(" tokens").next().unwrap().to_owned())
    };
    assert_eq!(price(&["db", "plan", "--dry-run"]), None);
    let config = world.read(".jaato/databases.yaml") + "    cross_links: true\n";
    world.put(".jaato/databases.yaml", config.as_bytes());
    let first = price(&["db", "plan", "--dry-run"]).unwrap();
    assert!(first.starts_with("4 domains, at least ~"), "{first}");
    assert_eq!(price(&["db", "plan"]), Some(first));
    world.run(&["db", "document", "--yes"]).exits(0);
    let picked = world.json(&["select", "db-shop-track"], 0);
    assert_eq!(picked["sources"].as_array().map(Vec::len), Some(4), "{picked}");
    // Now the pages are known.
    let written = price(&["db", "plan", "--dry-run"]).unwrap();
    assert!(written.starts_with("4 domains, ~"), "{written}");
}

#[test]
fn unreadable_notes_are_reported_with_their_place() {
    let world = world();
    world.put(".jaato/databases/shop.notes.yaml", b"tables: {main.Album: {description: [1]}}");
    let expected = "'shop': its notes cannot be read, so its pages stay as they are: .jaato/databases/shop.notes.yaml:1:36: \
                    'description' must be a string, not a list";
    for command in ["plan", "status", "check"] {
        let told = world.run(&["db", command]).exits(1);
        assert!(told.stderr.contains(expected), "{told}");
        assert_eq!(told.stderr.matches("not a list").count(), 1, "{told}");
    }
    let told = world.run(&["db", "status", "--json"]).exits(1).json();
    assert_eq!(told["databases"][0]["status"], "misconfigured", "{told}");
}

/// The command succeeds, fails before it begins, or fails midway.
#[test]
fn an_answer_has_the_same_members_whatever_happens() {
    let members = |told: &Value| -> Vec<String> {
        let names = told.as_object().unwrap().keys().filter(|name| !["error", "notes"].contains(&name.as_str()));
        names.cloned().collect()
    };
    let mut differing = Vec::new();
    for command in
        ["plan", "document", "document --yes", "status", "diff", "check", "index", "pipeline", "pipeline --yes"]
    {
        let words: Vec<&str> = ["--json", "db"].into_iter().chain(command.split(' ')).collect();
        let world = world();
        let done = world
            .run(&[&words[..], &["--yes"][..usize::from(command == "document" || command == "pipeline")]].concat());
        let done = members(&done.json());
        let mut failed = Vec::new();
        world.put("docs/databases/shop/README.md", b"");
        failed.extend(["document", "pipeline"].contains(&command).then(|| world.run(&words)));
        let is_index = command == "index";
        failed.extend((!is_index).then(|| world.run(&[&words[..], &["shopp"]].concat())));
        world.put(".jaato/databases.yaml", b"databases: [{name: shop, type: sqlite, connection: {file: 7}}]\n");
        failed.extend((!is_index).then(|| world.run(&words)));
        failed.push(world.run(&[&["--profile", "nope"], &words[..]].concat()));
        for failed in failed {
            assert!(failed.json()["error"]["code"].is_string(), "{failed}");
            let found = members(&failed.json());
            if found != done {
                differing.push(format!("{command}: {found:?} instead of {done:?}"));
            }
        }
    }
    assert!(differing.is_empty(), "{differing:#?}");
}

#[test]
fn status_and_diff_agree_on_pending_changes() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let database = rusqlite::Connection::open(world.path.join("shop.db")).unwrap();
    let page = "docs/databases/shop/artist/tables/main.Album";
    let agree = |diff_exit: u8, missing: usize, outdated: usize| {
        let told = world.run(&["db", "status", "--json"]).exits(0).json();
        let count = |key: &str| told["databases"][0][key].as_u64().map(|count| count as usize);
        assert_eq!((count("missing"), count("outdated")), (Some(missing), Some(outdated)), "{told}");
        let told = world.run(&["db", "diff", "--json"]).exits(diff_exit.into()).json();
        assert_eq!((strings(&told["missing"]).len(), strings(&told["to_update"]).len()), (missing, outdated), "{told}");
        world.run(&["db", "diff"])
    };
    assert_eq!(agree(0, 0, 0).text(), "The pages match the databases.\n");
    // Only values changed: the pages still match the schema.
    database.execute_batch("INSERT INTO Genre VALUES (1, 'Rock'), (2, 'Jazz'); ANALYZE").unwrap();
    let told = agree(0, 0, 2);
    assert_eq!(
        told.text(),
        "No definition changed.\n2 pages to update, because notes, settings, permissions or values changed.\n"
    );
    world.run(&["db", "document", "--yes"]).exits(0);
    // A page of a table in either format, and a page of a domain.
    for path in [format!("{page}.json"), "docs/databases/shop/artist/README.md".to_owned()] {
        let text = world.read(&path);
        std::fs::remove_file(world.path.join(&path)).unwrap();
        assert!(agree(1, 1, 0).text().contains(&format!("{path}: the page is missing\n")));
        world.put(&path, text.as_bytes());
    }
    std::fs::remove_file(world.path.join(format!("{page}.md"))).unwrap();
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().starts_with("shop: main.Album  no page  the page for people is missing\n"), "{told}");
}

#[test]
fn catalog_entries_that_are_missing_or_edited_are_differences() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let entry = ".jaato/references/db-shop-artist.json";
    let original = world.read(entry);
    for (edited, state, line, member) in [
        (None, "1 source missing", "the catalog entry is missing", "sources_missing"),
        (Some("artist"), "1 edited", "the catalog entry was edited", "edited"),
    ] {
        match edited {
            Some(word) => world.put(entry, original.replace(&format!("\"{word}\""), "\"mine\"").as_bytes()),
            None => std::fs::remove_file(world.path.join(entry)).unwrap(),
        }
        let told = world.run(&["db", "status"]).exits(0);
        assert!(told.text().contains(state), "{told}");
        let told = world.run(&["db", "diff"]).exits(1);
        assert!(told.text().contains(&format!("{entry}: {line}\n")), "{told}");
        assert!(told.stderr.contains("1 difference between the databases and their pages"), "{told}");
        let told = world.run(&["db", "diff", "--json"]).exits(1).json();
        assert_eq!(strings(&told[member]), [entry], "{told}");
    }
    std::fs::remove_file(world.path.join(entry)).unwrap();
    let told = world.run(&["db", "document"]).exits(2);
    assert!(told.stderr.contains("this would write 1 source to the catalog"), "{told}");
    let told = world.run(&["db", "document", "--yes"]).exits(0);
    assert!(told.text().starts_with("27 pages unchanged.\n1 source in the catalog: db-shop-artist\n"), "{told}");
    assert_eq!(world.read(entry), original);
}

#[test]
fn names_in_the_configuration_that_match_nothing_are_all_reported() {
    let world = world();
    let config = |more: &str| {
        format!("databases: [{{name: shop, type: sqlite, connection: {{file: shop.db}}{more}}}]\n").into_bytes()
    };
    world.put(
        ".jaato/databases.yaml",
        &config(", exclude_tables: [main.Albun, '*Line'], include_tables: [a1, a2, '*'], sensitive: [x.y]"),
    );
    let told = world.run(&["db", "plan"]).exits(0);
    for text in ["main.Albun", "a1", "a2", "x.y"] {
        assert!(told.stderr.contains(&format!("'{text}' matches nothing in 'shop'")), "{told}");
    }
    assert!(!told.stderr.contains("'*Line'") && !told.stderr.contains("refdesk check"), "{told}");
    world.put(".jaato/databases.yaml", &config(",\n  schemas: [\n  mian]"));
    let told = world.run(&["db", "check", "--min-coverage", "50"]).exits(1);
    assert!(told.text().contains("there are no tables, so nothing to measure"), "{told}");
    assert!(told.stderr.contains("50% cannot be reached"), "{told}");
    let told = world.run(&["db", "plan"]).exits(0);
    assert!(told.stderr.contains("databases.yaml:3: 'mian' matches nothing in 'shop'"), "{told}");
    world.put(".jaato/databases.yaml", &config(", enabled: false"));
    for command in ["plan", "status"] {
        let told = world.run(&["db", command]).exits(2);
        assert!(told.stderr.contains("every configured database is switched off"), "{told}");
        let told = world.run(&["db", command, "shop"]).exits(2);
        assert!(told.stderr.contains("the database 'shop' is switched off"), "{told}");
    }
    world.put(".jaato/databases.yaml", b"databases: [{name: shop, type: sqlite, connection: {file: gone.db}}]\n");
    let told = world.run(&["db", "plan"]).exits(1);
    assert!(!told.text().contains("Review it"), "{told}");
    assert_eq!(told.stderr.matches("gone.db").count(), 1, "{told}");
}

#[test]
fn an_unreadable_database_is_a_failure() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let shop = "{ name: shop, type: sqlite, connection: { file: shop.db } }";
    let bad = "{ name: bad, type: sqlite, connection: { file: bad.db } }";
    let wrong = "{ name: wrong, type: sqlite, connection: { file: shop.db }, exclude_tables: 7 }";
    let config = |entries: &str| format!("databases: [{entries}]\n");
    world.put(".jaato/databases.yaml", config(&format!("{shop}, {bad}, {wrong}")).as_bytes());
    let told = world.run(&["db", "diff"]).exits(1);
    assert_eq!(told.text(), "1 database matches its pages, 2 could not be compared.\n");
    let told = world.run(&["db", "status", "--json"]).exits(1).json();
    assert_eq!(
        (&told["databases"][2]["name"], &told["databases"][2]["status"]),
        (&"wrong".into(), &"misconfigured".into())
    );
    let told = world.run(&["db", "document"]).exits(1);
    assert!(told.text().starts_with("Up to date: 27 pages; 2 databases could not be documented.\n"), "{told}");
    let told = world.run(&["db", "pipeline", "--yes"]).exits(1);
    assert!(told.text().contains("Up to date: 27 pages; 2 databases could not be documented.\n"), "{told}");
    assert!(!world.path.join("docs/databases/wrong").exists());
    world.put(".jaato/databases.yaml", config(bad).as_bytes());
    let told = world.run(&["db", "document", "bad"]).exits(1);
    assert!(told.text().starts_with("No database could be documented.\n"), "{told}");
    world.run(&["db", "diff", "bad"]).exits(1);
    // Nothing could be written, so the command does not ask for confirmation.
    let told = world.run(&["db", "pipeline"]).exits(1);
    assert_eq!(told.stderr.matches("error: ").count(), 1, "{told}");
    assert!(told.stderr.contains("'bad'") && !told.stderr.contains("--yes"), "{told}");
    // An invalid configuration or a damaged plan prevents any writing.
    world.put(".jaato/databases.yaml", config(wrong).as_bytes());
    for command in [["db", "plan"], ["db", "document"], ["db", "pipeline"]] {
        let told = world.run(&command).exits(2);
        assert!(told.stderr.contains(".jaato/databases.yaml:1:"), "{told}");
    }
    world.put(".jaato/databases.yaml", config(shop).as_bytes());
    let plan = ".jaato/databases/documentation-plan.json";
    world.put(plan, b"{");
    for command in [["db", "plan"], ["db", "document"], ["db", "pipeline"], ["db", "diff"]] {
        let told = world.run(&command).exits(1);
        assert!(told.stderr.contains(plan) && told.stderr.contains("at line 1 column 1"), "{told}");
        assert!(told.stderr.contains("restore it, or remove it"), "{told}");
    }
    assert_eq!(world.read(plan), "{");
}

#[test]
fn every_database_that_failed_is_named() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let entry = |name: &str, file: &str| format!("{{ name: {name}, type: sqlite, connection: {{ file: {file} }} }}");
    let entries = [entry("one", "one.db"), entry("shop", "shop.db"), entry("two", "two.db")].join(", ");
    world.put(".jaato/databases.yaml", format!("databases: [{entries}]\n").as_bytes());
    for (command, member) in [
        (&["db", "check"][..], "failed"),
        (&["db", "diff"], "failed"),
        (&["db", "status"], "failed"),
        (&["db", "document"], "unread"),
    ] {
        let told = world.run(&[command, &["--json"]].concat()).exits(1).json();
        let failed = told[member].as_array().unwrap_or_else(|| panic!("{told}"));
        let names: Vec<&str> = failed.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, ["one", "two"], "{command:?}");
        assert!(failed.iter().all(|it| it["error"]["message"].is_string()), "{told}");
    }
}

#[test]
fn a_plan_of_databases_that_all_wait_for_trust_is_not_written() {
    let world = world();
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("far.db");
    rusqlite::Connection::open(&file).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
    let far = format!("{{ name: far, type: sqlite, connection: {{ file: {} }} }}", file.display());
    world.put(".jaato/databases.yaml", format!("databases: [{far}]\n").as_bytes());
    for command in ["plan", "document"] {
        let told = world.run(&["db", command]).exits(1);
        assert!(told.stderr.contains("'far' waits for trust"), "{told}");
        assert!(!world.path.join(".jaato/databases").exists(), "{told}");
    }
}

#[test]
fn a_pattern_that_matches_no_table_is_reported() {
    let world = world();
    for (only, near) in [("Albun", "did you mean 'Album'?"), ("*.zzz", "as in main.")] {
        let told = world.run(&["db", "document", "--only", only, "--yes"]).exits(2);
        assert!(told.stderr.contains(&format!("'{only}' matches no table")) && told.stderr.contains(near), "{told}");
        assert!(!world.path.join("docs").exists(), "{told}");
    }
}

#[test]
fn a_run_about_some_tables_leaves_no_broken_links() {
    let world = world();
    let told = world.run(&["db", "document", "--only", "*Album"]).exits(2);
    assert!(told.stderr.contains("this would write 2 pages below docs/databases\n"), "{told}");
    let told = world.run(&["db", "document", "--only", "*Album", "--yes"]).exits(0);
    assert!(told.text().starts_with("Wrote 2 pages below docs/databases.\n25 other pages are missing"), "{told}");
    assert!(world.read("docs/databases/documentation-manifest.json").contains("\"partial\""), "{told}");
    assert!(world.run(&["db", "status"]).exits(0).text().contains("25 missing"));
    // Its domain has no other table.
    let told = world.run(&["db", "document", "--only", "*Artist", "--yes"]).exits(0);
    assert!(told.text().contains("Wrote 3 pages below docs/databases, 2 unchanged.\n22 other pages"), "{told}");
    assert!(told.text().contains("1 source in the catalog: db-shop-artist\n"), "{told}");
    world.run(&["check"]).exits(0);
    let told = world.run(&["db", "document", "--yes"]).exits(0);
    assert!(told.text().starts_with("Wrote 22 pages below docs/databases, 5 unchanged.\n3 sources"), "{told}");
    assert!(world.read("docs/databases/documentation-manifest.json").contains("\"complete\""), "{told}");
    let told = world.run(&["db", "document", "--only", "*Album", "--yes"]).exits(0);
    assert!(told.text().starts_with("Up to date: 27 pages.\n"), "{told}");
}

#[test]
fn a_database_that_is_no_longer_configured_is_named_and_its_pages_are_removed() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let renamed = "databases: [{ name: store, type: sqlite, connection: { file: shop.db } }]\n";
    world.put(".jaato/databases.yaml", renamed.as_bytes());
    world.put("docs/databases/shop/README.md", b"mine");
    let told = world.run(&["db", "status"]).exits(0);
    assert!(told.text().contains("shop   not configured  27 pages  26 to remove, 1 edited"), "{told}");
    let told = world.run(&["db", "check"]);
    assert!(told.stderr.contains("there are pages of 'shop', which is no longer configured"), "{told}");
    assert!(told.stderr.contains("removes them; edited ones only with `--overwrite-edited`"), "{told}");
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().contains("docs/databases/shop/README.md: the file is obsolete, and was edited"), "{told}");
    let stays = "1 obsolete file that you edited stays; --overwrite-edited removes it:\n  \
                 docs/databases/shop/README.md\n";
    let told = world.run(&["db", "document"]).exits(2);
    let expected = "'shop' is no longer configured.\n30 obsolete files would be removed";
    assert!(told.text().contains(expected) && told.text().contains("  and 10 more\n1 obsolete"), "{told}");
    assert!(told.text().contains("4 sources to write to the catalog:\n  db-store-artist: "), "{told}");
    assert!(
        told.stderr.contains(
            "this would write 27 pages below docs/databases, add them to the catalog, and remove 30 obsolete files"
        ),
        "{told}"
    );
    assert!(told.text().contains(stays), "{told}");
    let told = world.run(&["db", "document", "--yes"]).exits(0);
    assert!(told.text().contains("30 obsolete files removed:\n  docs/databases/shop/artist/"), "{told}");
    assert!(told.text().contains(stays), "{told}");
    let told = world.run(&["db", "document", "--json"]).exits(0).json();
    assert_eq!(strings(&told["left_over"]), ["docs/databases/shop/README.md"]);
    let told = world.run(&["db", "document", "--overwrite-edited"]).exits(2);
    assert!(told.text().contains("removed:\n  docs/databases/shop/README.md\nYou edited 1 of them.\n"), "{told}");
    assert_eq!(world.read("docs/databases/shop/README.md"), "mine");
    world.run(&["db", "document", "--overwrite-edited", "--yes"]).exits(0);
    assert!(!world.path.join("docs/databases/shop").exists());
}

#[test]
fn pages_of_the_last_database_are_removed_when_it_is_no_longer_configured() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let before = world.read(".jaato/databases.yaml");
    // A missing configuration does not mean that no database is configured.
    std::fs::remove_file(world.path.join(".jaato/databases.yaml")).unwrap();
    let told = world.run(&["db", "document", "--yes"]).exits(2);
    assert!(told.stderr.contains("no databases are configured, but there are pages of 'shop'"), "{told}");
    let off = before.replace("name: shop", "name: store\n    enabled: false");
    // Neither does one without the list.
    for config in ["", "databases:\n", before.replace("databases:", "database:").as_str()] {
        world.put(".jaato/databases.yaml", config.as_bytes());
        for command in ["document", "pipeline"] {
            let told = world.run(&["db", command, "--yes"]).exits(2);
            assert!(told.stderr.contains("the file has no list 'databases'"), "{config}: {told}");
            assert!(world.path.join("docs/databases/shop").exists(), "{config}");
        }
    }
    for (config, command) in
        [(off.as_str(), "document"), ("databases: []\n", "document"), ("databases: []\n", "pipeline")]
    {
        world.put(".jaato/databases.yaml", before.as_bytes());
        world.run(&["db", "document", "--yes"]).exits(0);
        world.put(".jaato/databases.yaml", config.as_bytes());
        let told = world.run(&["db", "status"]).exits(0);
        assert!(told.text().contains("shop  not configured  27 pages  27 to remove"), "{told}");
        let told = world.run(&["db", "check"]).exits(0);
        assert!(told.stderr.contains("there are pages of 'shop', which is no longer configured"), "{told}");
        world.run(&["db", "diff"]).exits(1);
        let told = world.run(&["db", command]).exits(2);
        assert!(told.text().contains("'shop' is no longer configured.\n31 obsolete files would be removed"), "{told}");
        let told = world.run(&["db", command, "--yes"]).exits(0);
        assert!(
            told.text().contains("Removed 27 pages below docs/databases.\nNo longer in the catalog: db-"),
            "{told}"
        );
        assert!(!world.path.join("docs/databases/shop").exists());
        world.run(&["db", "document"]).exits(2);
    }
}

#[test]
fn problems_of_the_configuration_are_reported() {
    let nothing = Workspace::with(&[(".jaato/x", "")]);
    let told = nothing.run(&["db", "plan"]).exits(2);
    assert!(told.stderr.contains("no databases are configured"), "{told}");
    let told = nothing.run(&["db", "show", "Album"]).exits(1);
    assert!(told.stderr.contains("fix: name the databases in .jaato/databases.yaml"), "{told}");
    let world = world();
    world.run(&["db", "plan", "shopp"]).exits(2);
    world.put(
        ".jaato/databases.yaml",
        b"databases:\n  - { name: shop, type: sqlite, connection: { file: shop.db } }\n  \
          - { name: pg, type: postgres, connection: { host: db, password: hunter2 } }\n",
    );
    let told = world.run(&["db", "plan"]).exits(1);
    assert!(told.stderr.contains(".jaato/databases.yaml:3:67: the password is in the file"), "{told}");
    assert!(!told.stderr.contains("hunter2") && told.text().contains("shop (sqlite"), "{told}");
    let refused = world.run(&["db", "show", "Album"]).exits(1);
    assert!(refused.stderr.contains("there are no database pages"), "{refused}");
    assert!(refused.stderr.contains("fix: `refdesk db document` writes the pages of the configured"), "{refused}");
}

#[test]
fn the_pipeline_runs_all_three_steps() {
    let world = world();
    world.run(&["db", "pipeline"]).exits(2);
    let told = world.run(&["db", "pipeline", "--yes", "--json"]).exits(0).json();
    assert_eq!(told["document"]["status"], "success", "{told}");
    let found = world.run(&["search", "invoice line", "--json"]).exits(0).json();
    assert!(found["hits"].as_array().is_some_and(|hits| !hits.is_empty()), "{found}");
}

#[test]
fn the_index_of_databases_is_the_index_of_all() {
    let world = world();
    world.run(&["db", "document", "--yes"]).exits(0);
    let told = world.run(&["db", "index", "--json"]).exits(0).json();
    assert!(told["added"].as_u64().is_some_and(|added| added > 11), "{told}");
    let again = world.run(&["index", "--json"]).exits(0).json();
    assert_eq!((&again["added"], &again["sections"]), (&Value::from(0), &told["sections"]), "{again}");
    let fresh = world.run(&["db", "index", "--fresh", "--json"]).exits(0).json();
    assert_eq!((&fresh["added"], &fresh["sections"]), (&told["added"], &told["sections"]), "{fresh}");
}

#[test]
fn the_doctor_says_what_a_database_needs() {
    let world = world();
    let line = |expected: &str| {
        let told = world.run(&["doctor"]);
        let text = told.text();
        let from = text
            .find("databases: ")
            .map_or(String::new(), |at| text[at..].lines().take(2).collect::<Vec<_>>().join(""));
        assert!(from.starts_with(expected), "{expected}: {told}");
        told
    };
    line("databases: 1 database, 0 tables documented       fix: `refdesk db document` writes the pages").exits(0);
    world.run(&["db", "document", "--yes"]).exits(0);
    line("databases: 1 database, 11 tables documented").exits(0);
    let config = world.read(".jaato/databases.yaml");
    let server = "  - { name: far, type: postgres, connection: { host: db.example, user: a, password_env: P } }\n";
    world.put(".jaato/databases.yaml", format!("{config}{server}").as_bytes());
    line("databases: 2 databases, not all of them trusted       fix: `refdesk trust` shows what waits").exits(0);
    world.put(".jaato/databases.yaml", config.replace("sqlite", "sqlit").as_bytes());
    let told = line("databases: .jaato/databases.yaml:3: ").exits(1);
    assert!(told.text().contains("sqlite"), "{told}");
    world.put(".jaato/databases.yaml", config.as_bytes());
    let database = rusqlite::Connection::open(world.path.join("shop.db")).unwrap();
    database.execute_batch("ALTER TABLE Artist ADD Country TEXT; CREATE TABLE Label (Id INTEGER PRIMARY KEY)").unwrap();
    world.run(&["db", "plan"]).exits(0);
    line("databases: 1 database, 11 tables documented, 1 not documented, 1 changed since       fix: ").exits(0);
    world.run(&["db", "document", "--yes"]).exits(0);
    let manifest = "docs/databases/documentation-manifest.json";
    let sound = world.read(manifest);
    world.put(manifest, sound.replacen('\n', "\n<<<<<<< ours\n", 1).as_bytes());
    line(&format!("databases: {manifest}: the manifest is damaged, so no database page is used: ")).exits(0);
    let told = world.run(&["index", "--words-only"]).exits(0);
    assert!(told.stderr.contains("it has a merge conflict at line 2"), "{told}");
    world.put(manifest, sound.as_bytes());
    world.put("docs/databases/shop/artist/tables/main.Artist.json", b"{");
    let told = line("databases: docs/databases/shop/").exits(0);
    assert!(
        told.text().contains("fix: `refdesk db document shop` writes it again where 'shop' is configured; if it is there, delete it first"),
        "{told}"
    );
}

#[test]
fn hidden_characters_of_a_schema_are_reported_with_their_location() {
    let world = world();
    let database = rusqlite::Connection::open(world.path.join("shop.db")).unwrap();
    database.execute_batch("create table \"a\u{202e}b\" (id integer primary key, \"c\u{200b}d\" text);").unwrap();
    let told = world.run(&["db", "plan"]).exits(0);
    let warning = "warning: 'shop': main.a\\u{202e}b: its name has an invisible character";
    assert!(told.stderr.contains(warning) && told.stderr.contains(" and 1 more"), "{told}");
    let file = ".jaato/databases.yaml";
    world.put(file, format!("{}    checks: {{ hidden_characters: off }}\n", world.read(file)).as_bytes());
    assert!(!world.run(&["db", "plan"]).exits(0).stderr.contains("invisible"));
}
