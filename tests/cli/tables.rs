//! What people find and ask of documented databases: two of them, so that names are not always clear.

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
    // A table is one hit, and its pages are not found as text as well.
    let all = hits(&world, &["customer", "invoice", "address", "--limit", "50"]);
    let mut paths: Vec<&str> =
        all.iter().filter(|hit| hit["table"].is_string()).map(|hit| hit["path"].as_str().unwrap()).collect();
    let found = paths.len();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), found, "{all:?}");
    assert!(all.iter().all(|hit| hit["kind"] != "text"), "{all:?}");
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
    let join = &hits(&world, &["support", "--kind", "relationship"])[0]["join"];
    assert_eq!((&join["from_columns"], &join["inferred"]), (&json!(["SupportRepId"]), &json!(false)));
    for (words, said) in [
        (["--database", "shopp"], "no documented database is named 'shopp'\n  hint: did you mean 'shop'?"),
        (["--domain", "invoices"], "no domain is named 'invoices'\n  hint: did you mean 'invoice'?"),
    ] {
        let told = world.run(&[&["search", "x"], &words[..]].concat()).exits(1);
        assert!(told.stderr.contains(said), "{told}");
    }
}

#[test]
fn what_a_person_wrote_into_a_page_is_found() {
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
    let told = world.run(&["search", "x", "--domain", "secret"]).exits(1);
    assert!(told.stderr.contains("no domain is named 'secret'"), "{told}");
    world.put(manifest, b"{");
    world.run(&["index", "--words-only"]).exits(0);
    assert!(hits(&world, &["track", "--kind", "table"]).is_empty());
}
