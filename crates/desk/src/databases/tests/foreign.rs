//! Text from a database is untrusted: it must not pull in any source, while refdesk's own links still do.

use super::{CONFIG, World, options};
use crate::Session;

/// Mentions every source of the catalog, by id and by path, in every part of a database that pages quote.
const FOREIGN: &str = "
    CREATE TABLE guide (id INTEGER PRIMARY KEY, \"db-shop-zone\" TEXT DEFAULT 'guide', note TEXT CHECK (note <> '@guide'));
    CREATE TABLE step ( -- See guide, @guide, @ref:db-shop-zone, ./../../../../guide.md and [it](../../zone/README.md)
        id INTEGER PRIMARY KEY,
        guide_id INTEGER REFERENCES guide, -- ../../zone/README.md
        \"[x](../../zone/README.md)\" TEXT
    );
    CREATE TABLE \"[x](../../zone/README.md)\" (id INTEGER PRIMARY KEY, guide_id INTEGER REFERENCES guide);
";

#[test]
fn text_from_a_database_pulls_nothing_in() {
    let mut problems = Vec::new();
    for (settings, edit, expected) in [
        ("", "", &["db-shop-guide"][..]),
        ("", "\nMine: see guide, and ./../../../../guide.md\n", &["db-shop-guide"]),
        ("", "\nMine: see [the guide](../../../../../guide.md)\n", &["db-shop-guide", "guide"]),
        (
            ", granularity: table",
            "",
            &["db-shop-main-guide", "db-shop-main-step", "db-shop-main-x-zone-readme-md-69a45c"],
        ),
    ] {
        let world = World::new();
        world.put(".jaato/databases.yaml", &CONFIG.replace("}]", &format!("{settings}}}]")));
        world.put(
            ".jaato/references/guide.json",
            "{\"id\": \"guide\", \"name\": \"Guide\", \"path\": \"../../guide.md\"}",
        );
        world.put("guide.md", "How to do it.");
        world.sql("shop.db", FOREIGN);
        world.document(&options());
        let page = "docs/databases/shop/guide/tables/main.step.md";
        world.put(page, &(world.read(page) + edit));
        let mut desk = world.desk();
        let step = desk.catalog().sources().iter().map(|it| it.id.to_string()).find(|id| id.contains("guide"));
        desk.pick(&Session::of_client("test"), &[step.filter(|id| id != "guide").unwrap()], &[]).unwrap();
        let found: Vec<String> = desk.selection().members().iter().map(|it| it.id.to_string()).collect();
        if found != expected {
            problems.push(format!("{settings}{edit}: {found:?}"));
        }
    }
    assert_eq!(problems, Vec::<String>::new());
}

#[test]
fn links_between_pages_still_bring_their_tables() {
    let world = World::new();
    world.put(".jaato/databases.yaml", &CONFIG.replace("}]", ", granularity: table}]"));
    world.document(&options());
    let mut desk = world.desk();
    desk.pick(&Session::of_client("test"), &["db-shop-main-orders".to_owned()], &[]).unwrap();
    let found: Vec<String> = desk.selection().members().iter().map(|it| it.id.to_string()).collect();
    assert_eq!(found, ["db-shop-main-orders", "db-shop-main-customer"]);
}
