//! Table names shared by two databases, and names that exist in none.

use super::*;

/// `shop` has `customer` and `orders`; `store` has both, capitalized.
fn two_databases() -> World {
    let world = World::new();
    world.sql(
        "store.db",
        "CREATE TABLE Customer (id INTEGER PRIMARY KEY);
         CREATE TABLE Orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES Customer);",
    );
    world.put(
        ".jaato/databases.yaml",
        "databases: [{name: shop, type: sqlite, connection: {file: shop.db}, domains: {sales: ['*']}}, \
         {name: store, type: sqlite, connection: {file: store.db}, domains: {sales: ['*']}}]",
    );
    world.document(&DocumentOptions::default());
    world
}

#[test]
fn case_never_chooses_between_two_databases() {
    let world = two_databases();
    let desk = world.desk();
    let view = desk.whole_database_view().unwrap();
    assert!(view.has_several_databases());
    for name in ["customer", "Customer", "CUSTOMER", "main.Customer"] {
        for error in [view.schema(name, true).unwrap_err(), view.paths(name, "orders", None).unwrap_err()] {
            assert_eq!(error.code, Code::UnknownTable);
            let both = format!("'{name}' means 2 tables: shop.main.customer, store.main.Customer");
            assert_eq!(error.message, both);
            assert!(error.fix.to_string().contains("shop.main.customer"), "{name}: {}", error.fix);
        }
    }
    let error = view.domain("sales", None).unwrap_err();
    assert_eq!(error.message, "the databases shop and store have a domain 'sales'");
    assert_eq!(error.fix.to_string(), "name one with its database, such as 'shop.sales'");
    for (name, database) in [("store.sales", None), ("STORE.Sales", None), ("SALES", Some("Store"))] {
        assert_eq!(view.domain(name, database).unwrap().answer.database, "store", "{name} {database:?}");
    }
    for (database, domain) in [("store", "sales"), ("STORE", "SALES")] {
        let found = view.usage("id", Some(database), Some(domain), 10).unwrap().answer;
        assert!(
            found.usage.iter().any(|it| it.table.table.ends_with("main.Customer")),
            "{database} {domain}: {found:?}"
        );
    }
    assert_eq!(view.domain("nowhere.sales", None).unwrap_err().code, Code::UnknownDomain);
    assert_eq!(view.usage("nowhere", None, None, 10).unwrap_err().code, Code::UnknownColumn);
    for (name, database) in
        [("shop.main.customer", "shop"), ("store.main.customer", "store"), ("store.Customer", "store")]
    {
        assert_eq!(view.paths(name, "Orders", None).unwrap().answer.database, database, "{name}");
    }
}

#[test]
fn a_name_matches_exactly_or_ignoring_case_and_an_unknown_one_lists_the_known_ones() {
    let world = World::new();
    world.document(&DocumentOptions::default());
    let desk = world.desk();
    let view = desk.whole_database_view().unwrap();
    assert!(!view.has_several_databases());
    assert_eq!(view.schema("ORDERS", true).unwrap().answer.brief.table, "main.orders");
    for (name, fix) in [
        ("ordesr", "did you mean 'orders'?"),
        ("old.orders", "did you mean 'main.orders'?"),
        ("nosuch", "the tables are bin, customer, orders, zone"),
    ] {
        assert_eq!(view.schema(name, true).unwrap_err().fix.to_string(), fix, "{name}");
        assert_eq!(view.paths("zone", name, None).unwrap_err().fix.to_string(), fix, "{name}");
    }
}

/// The ids of the sources with their folder or file, and the work units of the plan.
fn ids(world: &World) -> (BTreeMap<String, String>, Vec<String>) {
    let entries = world.pages().into_iter().filter(|(path, _)| path.starts_with(".jaato/references/"));
    let entry = |(path, text): (String, String)| {
        let entry: serde_json::Value = serde_json::from_str(&text).unwrap();
        let id = entry["id"].as_str().unwrap().to_owned();
        assert_eq!(path, format!(".jaato/references/{id}.json"));
        (id, entry["path"].as_str().unwrap().to_owned())
    };
    let plan: serde_json::Value = serde_json::from_str(&world.read(FILE)).unwrap();
    let units = plan["work_units"].as_array().unwrap().iter().map(|unit| unit["id"].as_str().unwrap().to_owned());
    (entries.map(entry).collect(), units.collect())
}

#[test]
fn domains_of_two_databases_never_share_an_id() {
    let world = World::new();
    let tables = "CREATE TABLE item (id INTEGER PRIMARY KEY); CREATE TABLE item_note (id INTEGER REFERENCES item);";
    world.sql("a.db", tables);
    world.sql("b.db", tables);
    let shop = "{name: shop, type: sqlite, connection: {file: a.db}, domains: {eu-orders: ['*item*']}}";
    let eu = "{name: shop-eu, type: sqlite, connection: {file: b.db}, domains: {orders: ['*item*']}}";
    world.put(".jaato/databases.yaml", &format!("databases: [{shop}]"));
    world.document(&options());
    let (alone, _) = ids(&world);
    assert_eq!(alone.keys().collect::<Vec<_>>(), ["db-shop-eu-orders"]);
    world.put(".jaato/databases.yaml", &format!("databases: [{eu}, {shop}]"));
    let report = world.document(&options());
    assert_eq!(report.edited, [""; 0]);
    let (both, units) = ids(&world);
    assert_eq!(both.len(), 2);
    assert_eq!(both["db-shop-eu-orders"], alone["db-shop-eu-orders"], "a source keeps its id");
    assert_eq!(units.iter().collect::<std::collections::BTreeSet<_>>().len(), 2, "{units:?}");
    let progress = world.read(".jaato/refdesk/db/documenter-progress.json");
    let progress: serde_json::Value = serde_json::from_str(&progress).unwrap();
    assert_eq!((&progress["stats"]["total_tables"], &progress["stats"]["completed_tables"]), (&4.into(), &4.into()));
    for (id, path) in &both {
        let page = world.read(&format!("docs/databases{}/README.md", path.split("docs/databases").nth(1).unwrap()));
        assert!(page.contains(&format!("id: \"{id}\"")) || page.contains(&format!("id: {id}")), "{page}");
    }
    let view = world.desk();
    let view = view.whole_database_view().unwrap();
    assert_eq!(view.domain("orders", Some("shop-eu")).unwrap().answer.database, "shop-eu");
    let again = world.document(&options());
    assert_eq!((again.written, again.sources, ids(&world)), (Vec::new(), Vec::new(), (both, units)));
}

#[test]
fn tables_never_share_an_id() {
    let world = World::new();
    world.sql(
        "a.db",
        "CREATE TABLE item_x (id); CREATE TABLE \"item-x\" (id); CREATE TABLE Item (id); CREATE TABLE plain (id);",
    );
    world.sql("b.db", "CREATE TABLE y (id);");
    world.put(
        ".jaato/databases.yaml",
        "databases: [{name: shop, type: sqlite, connection: {file: a.db}, granularity: table}, \
         {name: shop-main, type: sqlite, connection: {file: b.db}, domains: {plain: ['*']}}]",
    );
    let report = world.document(&options());
    assert_eq!(report.edited, [""; 0]);
    let (found, _) = ids(&world);
    let of = |name: &str| found.iter().find(|(_, path)| path.contains(name)).unwrap().0.clone();
    assert_eq!(found.len(), 5, "{found:?}");
    assert_eq!(of("main.Item.md"), "db-shop-main-item");
    assert_eq!(of("main.item-x.md"), "db-shop-main-item-x");
    assert!(of("main.item_x.md").starts_with("db-shop-main-item-x-"), "{found:?}");
    assert_eq!(of("shop-main/plain"), "db-shop-main-plain");
    assert!(of("main.plain.md").starts_with("db-shop-main-plain-"), "{found:?}");
    let page = world.read("docs/databases/shop/system/tables/main.item_x.md");
    assert!(page.contains(&of("main.item_x.md")), "{page}");
}

#[test]
fn two_tables_that_are_too_far_apart_say_how_far() {
    let world = World::new();
    world.sql("shop.db", "CREATE TABLE shelf (id INTEGER PRIMARY KEY, bin_id INTEGER REFERENCES bin);");
    world.document(&options());
    let desk = world.desk();
    let selection = refdesk_core::selection::Selection::default();
    let nothing = refdesk_core::selection::Access::new(desk.catalog(), &selection, &[], |_| false);
    for access in [None, Some(&nothing)] {
        let view = desk.database_view_with(access).unwrap();
        let found = view.paths("shelf", "zone", Some(1)).unwrap().answer;
        let problem = found.problem.unwrap();
        assert_eq!(
            (problem.message.as_str(), problem.fix.to_string().as_str()),
            ("main.shelf and main.zone are 2 joins apart, but the search is limited to 1", "allow paths of 2 joins")
        );
    }
}

#[test]
fn a_run_without_pages_writes_no_manifest() {
    let world = World::new();
    world.put(".jaato/databases.yaml", "databases: [{name: shop, type: sqlite, connection: {file: nowhere.db}}]");
    world.document(&options());
    assert!(!world.path.join("docs").exists());
}

#[test]
fn a_database_that_cannot_be_read_keeps_its_part_of_plan_and_manifest() {
    let world = World::new();
    world.document(&options());
    let files = [FILE, "docs/databases/documentation-manifest.json"];
    let before = files.map(|file| world.read(file));
    fs::remove_file(world.path.join("shop.db")).unwrap();
    world.document(&options());
    assert_eq!(files.map(|file| world.read(file)), before, "no database could be read");
    world.sql("app.db", "CREATE TABLE a (b)");
    world
        .put(".jaato/databases.yaml", &CONFIG.replace(']', ", {name: app, type: sqlite, connection: {file: app.db}}]"));
    world.document(&options());
    let [before, plan] = [before[0].as_str(), world.read(FILE).as_str()]
        .map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
    let (then, now) = (&before["databases"][0], &plan["databases"][0]);
    assert_eq!((now["name"].as_str(), now["status"].as_str()), (Some("shop"), Some("unreachable")));
    for member in ["table_count", "schema_count", "domains", "schema_hash"] {
        assert_eq!(now[member], then[member], "{member}");
    }
    assert_eq!(plan["summary"]["total_tables"], 5);
}

#[test]
fn the_plan_and_the_manifest_hide_no_characters_of_names() {
    let world = World::new();
    world.sql("shop.db", "CREATE TABLE \"x\u{202e}\u{e0041}y\" (id INTEGER PRIMARY KEY)");
    world.document(&DocumentOptions::default());
    for file in [FILE, "docs/databases/documentation-manifest.json"] {
        let text = world.read(file);
        assert!(text.contains("x\\u202e\\udb40\\udc41y"), "{text}");
        assert!(!text.contains(refdesk_text::escape::is_hidden), "{text}");
    }
}
