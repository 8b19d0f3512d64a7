//! Finding and querying tables in two documented databases, so that names can be ambiguous.

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

const CHINOOK: &str = include_str!("../data/databases/chinook.sql");
const NORTHWIND: &str = include_str!("../data/databases/northwind.sql");

/// A workspace with two documented databases.
pub fn documented() -> Workspace {
    let world = Workspace::with(&[(
        ".jaato/databases.yaml",
        "databases:\n  - { name: shop, type: sqlite, connection: { file: shop.db } }\n  \
         - { name: north, type: sqlite, connection: { file: north.db } }\n",
    )]);
    for (file, sql) in [("shop.db", CHINOOK), ("north.db", NORTHWIND)] {
        rusqlite::Connection::open(world.path.join(file)).unwrap().execute_batch(sql).unwrap();
    }
    world.run(&["db", "document", "--yes"]).exits(0);
    world
}

fn hits(world: &Workspace, words: &[&str]) -> Vec<Value> {
    let found = world.run(&[&["search", "--json"], words].concat()).exits(0).json();
    found["hits"].as_array().unwrap().clone()
}

#[test]
fn tables_are_found_as_tables() {
    let world = documented();
    world.run(&["index", "--words-only"]).exits(0);
    let first = &hits(&world, &["invoice", "line"])[0];
    let of = |name: &str| first[name].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        ["kind", "database", "schema", "table", "domain", "source_id", "path"].map(of),
        [
            "table",
            "shop",
            "main",
            "InvoiceLine",
            "invoice",
            "db-shop-invoice",
            "docs/databases/shop/invoice/tables/main.InvoiceLine.md"
        ],
        "{first}"
    );
    // Tables named in the query come before those that mention them.
    let named = hits(&world, &["which customers bought the most tracks", "--kind", "table", "--database", "shop"]);
    let tables: Vec<&str> = named.iter().take(2).map(|hit| hit["table"].as_str().unwrap()).collect();
    assert_eq!(tables, ["Track", "Customer"], "{named:?}");
    // A table is one hit, and its pages are not text hits as well.
    let all = hits(&world, &["customer", "invoice", "address", "--limit", "50"]);
    let mut paths: Vec<&str> =
        all.iter().filter(|hit| hit["table"].is_string()).map(|hit| hit["path"].as_str().unwrap()).collect();
    let found = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), found, "{all:?}");
    assert!(all.iter().all(|hit| hit["kind"] != "text"), "{all:?}");
    // The description names InvoiceLine.
    let found = hits(&world, &["invoice", "--source", "db-shop-track"]);
    assert_eq!(found[0]["heading"], "main.Track", "{found:?}");
    for (words, expected) in [
        (&["composer", "--kind", "column"][..], "main.Track.Composer"),
        (&["support", "--kind", "relationship"], "main.Customer (SupportRepId) -> main.Employee (EmployeeId)"),
        (&["playlists", "--kind", "domain"], "playlist"),
        (&["shippers", "--kind", "table", "--database", "north", "--limit", "1"], "main.Shippers"),
        (&["territories", "--domain", "region", "--kind", "table", "--limit", "1"], "main.Territories"),
    ] {
        let found = hits(&world, words);
        assert_eq!(found[0]["heading"], expected, "{words:?}: {found:?}");
    }
    // A source's name leads to its text, unless a filter excludes it.
    let named = hits(&world, &["db-shop-invoice", "--database", "north"]);
    assert!(named.iter().all(|hit| hit["database"] == "north"), "{named:?}");
    let join = &hits(&world, &["support", "--kind", "relationship"])[0]["join"];
    assert_eq!((&join["from_columns"], &join["inferred"]), (&json!(["SupportRepId"]), &json!(false)));
    for (words, said) in [
        (["--database", "shopp"], "no documented database is named 'shopp'\n  fix: did you mean 'shop'?"),
        (["--domain", "invoices"], "no domain is named 'invoices'\n  fix: did you mean 'invoice'?"),
    ] {
        let reported = world.run(&[&["search", "x"], &words[..]].concat()).exits(1);
        assert!(reported.stderr.contains(said), "{reported}");
    }
}

#[test]
fn text_added_to_a_page_by_hand_is_found() {
    let world = documented();
    let path = "docs/databases/shop/track/tables/main.Track.md";
    let page = world.read(path);
    world.put(path, format!("{page}\nWombats sing the oldest of them.\n").as_bytes());
    world.run(&["index", "--words-only"]).exits(0);
    let found = hits(&world, &["wombats"]);
    assert_eq!((&found[0]["kind"], &found[0]["table"]), (&json!("text"), &json!("Track")), "{found:?}");
    world.put(path, page.as_bytes());
    assert!(hits(&world, &["wombats"]).is_empty(), "what is gone is not quoted");
    world.run(&["index", "--words-only"]).exits(0);
    assert!(hits(&world, &["wombats"]).is_empty());
}

/// The manifest comes with the repository.
#[test]
fn a_manifest_names_only_pages() {
    let world = documented();
    world.put("secret/tables/main.Track.json", b"{}");
    let manifest = "docs/databases/documentation-manifest.json";
    let mut value: Value = serde_json::from_str(&world.read(manifest)).unwrap();
    let files = value["indexable_files"].as_array_mut().unwrap();
    let of_track =
        files.iter().find(|file| file["path"].as_str().unwrap().ends_with("main.Track.json")).unwrap().clone();
    for (path, database, domain) in [
        ("secret/tables/main.Track.json", "shop", "secret"),
        ("docs/databases/../../secret/tables/main.Track.json", "..", ".."),
        ("/etc/passwd.json", "shop", "track"),
        ("docs/databases/shop/invoice/tables/main.Track.json", "shop", "track"),
        ("docs/databases/shop/track/tables/main.Gone.json", "shop", "track"),
    ] {
        let mut planted = of_track.clone();
        planted["path"] = json!(path);
        planted["database"] = json!(database);
        planted["domain"] = json!(domain);
        planted["table"] = json!(format!("Planted{}", files.len()));
        files.push(planted);
    }
    world.put(manifest, value.to_string().as_bytes());
    world.run(&["index", "--words-only"]).exits(0);
    let found = hits(&world, &["track", "--kind", "table", "--limit", "50"]);
    assert!(!found.is_empty() && !json!(found).to_string().contains("Planted"), "{found:?}");
    let reported = world.run(&["search", "x", "--domain", "secret"]).exits(1);
    assert!(reported.stderr.contains("no domain is named 'secret'"), "{reported}");
    world.put(manifest, b"{");
    world.run(&["index", "--words-only"]).exits(0);
    assert!(hits(&world, &["track", "--kind", "table"]).is_empty());
}

/// Two databases with equal table names, and names with dots, quotes and control characters.
pub fn twins() -> Workspace {
    let world = Workspace::with(&[(
        ".jaato/databases.yaml",
        "databases:\n  - { name: one, type: sqlite, connection: { file: one.db } }\n  \
         - { name: two, type: sqlite, connection: { file: two.db } }\n",
    )]);
    let one = "CREATE TABLE item (id INTEGER PRIMARY KEY, region TEXT);
        CREATE TABLE orders (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item);
        CREATE TABLE \"view.g\" (id INTEGER PRIMARY KEY, a INTEGER);
        CREATE TABLE alone (key TEXT, region TEXT)";
    let two = "CREATE TABLE item (id INTEGER PRIMARY KEY);
        CREATE TABLE buyer (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES item);
        CREATE TABLE g (id INTEGER PRIMARY KEY);
        CREATE TABLE step (id INTEGER PRIMARY KEY, after_id INTEGER REFERENCES step);
        CREATE TABLE \"a\u{1b}[2J\" (id INTEGER PRIMARY KEY)";
    for (file, sql) in [("one.db", one), ("two.db", two)] {
        rusqlite::Connection::open(world.path.join(file)).unwrap().execute_batch(sql).unwrap();
    }
    world.run(&["db", "document", "--yes"]).exits(0);
    world
}

#[test]
fn a_name_means_one_table_or_lists_the_candidates() {
    let world = twins();
    for (name, expected) in [
        ("orders", "main.orders"),
        ("ORDERS", "main.orders"),
        ("main.orders", "main.orders"),
        ("one.orders", "main.orders"),
        ("one.main.item", "main.item"),
        ("two.item", "main.item"),
        ("view.g", "main.view.g"),
        ("main.view.g", "main.view.g"),
        ("one.main.\"view.g\"", "main.view.g"),
        ("\"view.g\"", "main.view.g"),
        ("g", "main.g"),
    ] {
        let reported = world.run(&["db", "show", name, "--json"]).exits(0).json();
        assert_eq!(reported["fully_qualified_name"], expected, "{name}: {reported}");
    }
    let reported = world.run(&["db", "show", "two.item", "--json"]).exits(0).json();
    assert_eq!((&reported["database"], &reported["readable"]), (&json!("two"), &json!(true)), "{reported}");
    let reported = world.run(&["db", "show", "item"]).exits(1);
    let expected = "'item' means 2 tables: one.main.item, two.main.item\n  fix: name one with its database and schema, such as 'one.main.item'";
    assert!(reported.stderr.contains(expected), "{reported}");
    let reported = world.run(&["db", "show", "itme"]).exits(1);
    assert!(reported.stderr.contains("no table is named 'itme'\n  fix: did you mean 'item'?"), "{reported}");
    let reported = world.run(&["db", "show", "x\u{1b}[2J"]).exits(1);
    assert!(!reported.stderr.contains('\u{1b}'), "{reported}");
}

#[test]
fn two_names_are_joined_in_the_database_that_has_both() {
    let world = twins();
    let reported = world.run(&["db", "path", "item", "orders", "--json"]).exits(0).json();
    assert_eq!(
        (&reported["database"], &reported["paths"][0]["hops"][0]["inferred"]),
        (&json!("one"), &json!(false)),
        "{reported}"
    );
    assert!(reported["tokens_used"].as_u64().is_some_and(|used| used > 0), "{reported}");
    let reported = world.run(&["db", "path", "buyer", "item"]).exits(0);
    let expected = "two: 1 join\n  FROM \"main\".\"buyer\"\n  JOIN \"main\".\"item\" ON \"main\".\"buyer\".\"item_id\" = \"main\".\"item\".\"id\"\n";
    assert_eq!(reported.text(), expected);
    let reported = world.run(&["db", "path", "step", "Step"]).exits(0);
    let expected = "two: 1 join\n  FROM \"main\".\"step\" AS \"a\"\n  JOIN \"main\".\"step\" AS \"b\" ON \"a\".\"after_id\" = \"b\".\"id\"\n";
    assert_eq!(reported.text(), expected);
    for (from, to, said) in [
        ("orders", "buyer", "main.orders is in the database 'one' and main.buyer in 'two'"),
        ("orders", "orders", "both tables are main.orders, which is not joined with itself"),
        ("orders", "alone", "no join path leads from main.orders to main.alone"),
        ("orders", "alone", "columns with the same name and type: main.item.region and main.alone.region"),
        ("orders", "alone", "main.alone has no joins"),
        ("buyer", "step", "main.step is joined only with itself"),
        ("orders", "buyers", "did you mean 'buyer'?"),
    ] {
        let reported = world.run(&["db", "path", from, to]).exits(1);
        assert!(reported.stderr.contains(said), "{reported}");
    }
    let reported = world.run(&["db", "path", "orders", "alone", "--json"]).exits(1).json();
    assert_eq!((&reported["paths"], &reported["error"]["code"]), (&json!([]), &json!("no-path")), "{reported}");
    let reported = world.run(&["db", "usage", "ITEM_ID", "--json"]).exits(0).json();
    let tables: Vec<&str> =
        reported["usage"].as_array().unwrap().iter().map(|it| it["table"].as_str().unwrap()).collect();
    assert_eq!(tables, ["main.orders", "main.buyer"], "{reported}");
    let reported = world.run(&["db", "usage", "item_id", "--database", "two", "--json"]).exits(0).json();
    assert_eq!(reported["usage"].as_array().map(Vec::len), Some(1), "{reported}");
    let reported = world.run(&["db", "usage", "item_id", "--database", "tow"]).exits(2);
    assert!(reported.stderr.contains("did you mean 'two'?"), "{reported}");
    let reported = world.run(&["db", "usage", "region", "--database", "two"]).exits(1);
    let expected =
        "no table of the database 'two' has a column 'region'\n  fix: it is a column of one.main.item, one.main.alone";
    assert!(reported.stderr.contains(expected), "{reported}");
    let reported = world.run(&["db", "usage", "itemid"]).exits(1);
    assert!(reported.stderr.contains("no table has a column 'itemid'\n  fix: did you mean 'item_id'?"), "{reported}");
    let reported = world.run(&["db", "usage", "nope"]).exits(1);
    assert!(reported.stderr.contains("fix: `refdesk search --kind column nope` looks"), "{reported}");
}
