//! Status, diff, rules and the screen agree about a table, whatever happened to it and its page.

use std::fs;

use super::{World, options};
use crate::{DatabaseSummary, Session};

const PAGE: &str = "docs/databases/shop/customer/tables/main.orders";

/// What happened to the page of `orders`.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Page {
    Documented,
    Edited,
    Gone,
    New,
    Failed,
}

impl Page {
    fn make(self, world: &World) {
        if self == Self::New {
            world.sql("shop.db", "ALTER TABLE orders RENAME TO later");
        }
        if self == Self::Failed {
            // A folder at the page's path makes the write fail.
            fs::create_dir_all(world.path.join(format!("{PAGE}.md/x"))).unwrap();
        }
        let mut desk = world.desk();
        let prepared = desk.prepare_documentation(&options()).unwrap();
        let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert_eq!(report.failed.is_empty(), self != Self::Failed, "{report:?}");
        match self {
            Self::Edited => {
                world.put(&format!("{PAGE}.md"), &format!("{}\nMine.\n", world.read(&format!("{PAGE}.md"))));
            }
            Self::Gone => world.sql("shop.db", "ALTER TABLE orders RENAME TO later"),
            Self::New => world.sql("shop.db", "ALTER TABLE later RENAME TO orders"),
            Self::Documented | Self::Failed => {}
        }
    }
}

/// The state of `orders`: whether it is stale (in status, diff, rules and on the screen), edited (in status and on the
/// screen), and failed (in status and on the screen).
fn said(world: &World) -> ([bool; 4], [bool; 2], [bool; 2]) {
    let mut desk = world.desk();
    let run = desk.documentation(&options()).unwrap();
    let is_orders = |name: &String| name == "main.orders";
    let status = desk.stale_tables(&run.planned, "shop").iter().any(is_orders);
    let (differences, _) = desk.database_differences(&[]).unwrap();
    let kinds: Vec<&str> = differences
        .iter()
        .flat_map(|it| &it.differences)
        .filter(|it| it.table == "main.orders")
        .map(|it| it.kind.words())
        .collect();
    let is_different = kinds.iter().any(|kind| !["new table", "table is gone or left out", "no page"].contains(kind));
    let (checks, _) = desk.check_databases(&[]).unwrap();
    let check = checks[0].stale.iter().any(is_orders);
    let edited = run.edited_of("shop").any(|path| path.starts_with(PAGE));
    let failed = run.failed_tables("shop") > 0;
    // The screen reads only the stored plan.
    desk.store_plan(&Session::of_client("test"), &run.planned).unwrap();
    let overview = desk.overview_reader().read();
    let tables = |database: &DatabaseSummary| {
        database.domains.iter().flat_map(|domain| domain.tables.clone()).find(|table| table.name.name == "orders")
    };
    let marks = tables(&overview.databases[0]).map(|table| table.marks).unwrap_or_default();
    ([status, is_different, check, marks.is_stale], [edited, marks.is_edited], [failed, marks.is_failed])
}

#[test]
fn all_views_agree_about_a_table() {
    for (page, is_changed, is_stale, is_edited, is_failed) in [
        (Page::Documented, false, false, false, false),
        (Page::Documented, true, true, false, false),
        (Page::Edited, false, false, true, false),
        (Page::Edited, true, true, true, false),
        (Page::Gone, false, false, false, false),
        (Page::Gone, true, false, false, false),
        (Page::New, false, false, false, false),
        (Page::New, true, false, false, false),
        (Page::Failed, false, false, false, true),
        (Page::Failed, true, false, false, true),
    ] {
        for change in ["ADD COLUMN note TEXT", "ADD COLUMN state TEXT DEFAULT 'new'"] {
            let world = World::new();
            page.make(&world);
            if is_changed {
                let table = if page == Page::Gone { "later" } else { "orders" };
                world.sql("shop.db", &format!("ALTER TABLE {table} {change}"));
            }
            let expected = ([is_stale; 4], [is_edited; 2], [is_failed; 2]);
            assert_eq!(said(&world), expected, "{page:?}, changed: {is_changed}, {change}");
        }
    }
}

#[test]
fn differences_beyond_columns_count_too() {
    let world = World::new();
    world.document(&options());
    world.sql("shop.db", "CREATE INDEX by_total ON orders (total)");
    let (differences, _) = world.desk().database_differences(&[]).unwrap();
    let words: Vec<String> =
        differences[0].differences.iter().map(|it| format!("{} {}", it.table, it.kind.words())).collect();
    assert_eq!(words, ["main.orders new index"]);
}
