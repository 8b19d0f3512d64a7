//! What is removed because its table, domain or database no longer exists, and what is only reported.

use std::fs;

use refdesk_text::Code;

use super::super::DocumentOptions;
use super::{CONFIG, World, options};
use crate::Session;

#[test]
fn a_manifest_that_came_with_the_repository_removes_nothing_else() {
    let world = World::new();
    world.document(&options());
    world.put("src/main.rs", "code");
    world.put(".jaato/x.json", "{}");
    let path = "docs/databases/documentation-manifest.json";
    let mut manifest: serde_json::Value = serde_json::from_str(&world.read(path)).unwrap();
    let hash = |text: &str| refdesk_files::name::sha256_hex(text.as_bytes());
    let mut page = manifest["indexable_files"][0].clone();
    for (file, text) in [("src/main.rs", "code"), ("docs/databases/../../src/main.rs", "code")] {
        page["path"] = file.into();
        page["content_hash"] = hash(text).into();
        manifest["indexable_files"].as_array_mut().unwrap().push(page.clone());
    }
    let entry = serde_json::json!({"id": "db-shop-x", "path": ".jaato/x.json", "content_hash": hash("{}")});
    manifest["catalog"].as_array_mut().unwrap().push(entry);
    world.put(path, &manifest.to_string());
    let report = world.document(&options());
    assert_eq!((report.removed.len(), report.sources_removed.len()), (0, 0));
    assert_eq!((world.read("src/main.rs").as_str(), world.read(".jaato/x.json").as_str()), ("code", "{}"));
    let page = world.path.join("docs/databases/shop/zone/tables/main.zone.md");
    fs::remove_file(&page).unwrap();
    std::os::unix::fs::symlink(world.path.join("src/main.rs"), &page).unwrap();
    assert!(world.desk().page_text("shop", "docs/databases/shop/zone/tables/main.zone.md").is_err());
}

#[test]
fn a_manifest_removes_only_pages_that_say_they_are_generated() {
    let world = World::new();
    world.document(&options());
    let path = "docs/databases/documentation-manifest.json";
    let mut manifest: serde_json::Value = serde_json::from_str(&world.read(path)).unwrap();
    let hash = |bytes: &[u8]| refdesk_files::name::sha256_hex(bytes);
    let template = manifest["indexable_files"][0].clone();
    let docs = "docs/databases";
    let zone = world.read(&format!("{docs}/shop/zone/tables/main.zone.json"));
    let page = "---\nid: x\ngenerated: refdesk\n---\n\nx";
    let files = [
        ("src/main.rs", "code", false),
        (&format!("{docs}/mine/notes.md"), page, false),
        (&format!("{docs}/shop/notes.md"), page, false),
        (&format!("{docs}/shop/zone/notes.md"), page, false),
        (&format!("{docs}/shop/zone/tables/deep/x.md"), page, false),
        (&format!("{docs}/shop/zone/tables/x.rs"), page, false),
        (&format!("{docs}/shop/mine/README.md"), "mine\n---\ngenerated: refdesk\n---\n", false),
        (&format!("{docs}/shop/mine/tables/main.x.md"), "mine", false),
        (&format!("{docs}/shop/mine/tables/main.x.json"), "{}", false),
        (&format!("{docs}/shop/mine/tables/package.json"), zone.as_str(), false),
        (&format!("{docs}/shop/old/README.md"), page, true),
        (&format!("{docs}/shop/old/tables/main.zone.md"), page, true),
        (&format!("{docs}/shop/old/tables/main.zone.json"), zone.as_str(), true),
    ];
    for (file, text, _) in &files {
        world.put(file, text);
    }
    let own = [".jaato/databases.yaml", "shop.db"];
    for file in files.iter().map(|it| it.0).chain(own) {
        let mut entry = template.clone();
        entry["path"] = file.into();
        entry["content_hash"] = hash(&fs::read(world.path.join(file)).unwrap()).into();
        manifest["indexable_files"].as_array_mut().unwrap().push(entry);
    }
    // A person's catalog entry, and an entry of another database with the same name prefix.
    for (id, place) in [("db-shop-mine", "../../src"), ("db-shop-eu-a", "../../docs/databases/shop-eu/a")] {
        let file = format!(".jaato/references/{id}.json");
        let text = format!("{{\"id\": \"{id}\", \"name\": \"x\", \"path\": \"{place}\"}}");
        world.put(&file, &text);
        let entry = serde_json::json!({"id": id, "path": file, "content_hash": hash(text.as_bytes())});
        manifest["catalog"].as_array_mut().unwrap().push(entry);
    }
    world.put(path, &manifest.to_string());
    world.sql("eu.db", "CREATE TABLE a (b)");
    let eu = "{name: shop-eu, type: sqlite, connection: {file: eu.db}}]";
    world.put(".jaato/databases.yaml", &CONFIG.replace(']', &format!(", {eu}")));
    let options = DocumentOptions { names: vec!["shop".into()], ..options() };
    let expected: Vec<&str> = files.iter().filter(|it| it.2).map(|it| it.0).collect();
    let prepared = world.desk().documentation(&options).unwrap();
    let mut told: Vec<&str> = prepared.files_removed().collect();
    let mut wanted = expected.clone();
    told.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(told, wanted);
    world.document(&options);
    for (file, _, is_removed) in &files {
        assert_eq!(world.path.join(file).exists(), !is_removed, "{file}");
    }
    for file in
        own.iter().copied().chain([".jaato/references/db-shop-mine.json", ".jaato/references/db-shop-eu-a.json"])
    {
        assert!(world.path.join(file).exists(), "{file}");
    }
}

#[test]
fn pages_of_a_database_that_is_no_longer_configured_are_removed() {
    let world = World::new();
    world.sql("app.db", "CREATE TABLE a (b INTEGER PRIMARY KEY)");
    let app = "{name: app, type: sqlite, connection: {file: app.db}}";
    let both = CONFIG.replace(']', &format!(", {app}]"));
    world.put(".jaato/databases.yaml", &both);
    world.document(&options());
    // Configuration errors and runs for other databases do not affect its pages.
    world.put(".jaato/databases.yaml", &format!("databases: [{app}, {{name: x, type: sqlite}}]"));
    assert!(world.desk().documentation(&options()).unwrap().databases_gone.is_empty());
    world.put(".jaato/databases.yaml", &format!("databases: [{app}]"));
    let named = DocumentOptions { names: vec!["app".into()], ..options() };
    assert!(world.desk().documentation(&named).unwrap().is_up_to_date());
    // An edited page stays, and is reported until the user removes it.
    let edited = "docs/databases/shop/zone/tables/main.zone.md";
    world.put(edited, "mine");
    assert_eq!(world.desk().databases_not_configured().into_iter().collect::<Vec<_>>(), ["shop"]);
    let prepared = world.desk().documentation(&options()).unwrap();
    assert_eq!((prepared.removed.len(), prepared.entries_removed.len()), (10, 2));
    assert_eq!(prepared.left_over, [edited]);
    let report = world.document(&options());
    assert_eq!((report.removed.len(), report.sources_removed.len()), (10, 2));
    let left = |name: &&String| name.contains("shop");
    assert_eq!(world.pages().keys().filter(left).collect::<Vec<_>>(), [edited]);
    for _ in 0..2 {
        let prepared = world.desk().documentation(&options()).unwrap();
        assert!(prepared.is_up_to_date());
        assert_eq!(prepared.left_over, [edited]);
        world.document(&options());
    }
    fs::remove_file(world.path.join(edited)).unwrap();
    world.document(&options());
    assert!(world.desk().databases_not_configured().is_empty());
    // Once it is configured again, it is documented again.
    world.put(".jaato/databases.yaml", &both);
    assert_eq!(world.document(&options()).sources.len(), 2);
}

#[test]
fn an_edited_page_of_a_dropped_table_is_reported_until_it_is_removed() {
    let world = World::new();
    world.document(&options());
    let (page, entry) = ("docs/databases/shop/zone/tables/main.bin.md", ".jaato/references/db-shop-zone.json");
    world.put(page, "mine");
    world.put(entry, "{\"id\": \"db-shop-zone\", \"name\": \"mine\", \"path\": \"x\"}");
    world.sql("shop.db", "DROP TABLE bin; DROP TABLE zone");
    for _ in 0..3 {
        let prepared = world.desk().documentation(&options()).unwrap();
        assert_eq!(prepared.left_over, [page, entry]);
        assert!(prepared.edited.is_empty());
        world.document(&options());
    }
    assert_eq!((world.read(page).as_str(), world.path.join(entry).exists()), ("mine", true));
    fs::remove_file(world.path.join(page)).unwrap();
    fs::remove_file(world.path.join(entry)).unwrap();
    world.document(&options());
    let desk = world.desk();
    assert!(desk.documentation(&options()).unwrap().left_over.is_empty());
    let manifest = desk.manifest("docs/databases").unwrap().unwrap();
    assert_eq!((manifest.edited.len(), manifest.catalog.len()), (0, 1));
}

#[test]
fn pages_with_a_new_file_name_leave_none_behind_but_the_edited_ones() {
    let world = World::new();
    world.put(".jaato/databases.yaml", &CONFIG.replace("type", "domains: {sales: ['*']}, type"));
    world.sql(
        "shop.db",
        "CREATE TABLE 'Order Details' (id INTEGER PRIMARY KEY); CREATE TABLE 'Order-Details' (n INTEGER)",
    );
    world.document(&options());
    let pages = |about: &str| world.pages().into_keys().filter(|path| path.contains(about)).collect::<Vec<_>>();
    let hashed: Vec<String> = pages("t-main-Order-Details-");
    assert_eq!(hashed.len(), 4, "names that would share a file: {hashed:?}");
    let is_of_table = |path: &&String| path.ends_with(".md") && world.read(path).contains("main.Order Details");
    let edited = hashed.iter().find(is_of_table).unwrap();
    world.put(edited, "mine");
    world.sql("shop.db", "DROP TABLE 'Order-Details'");
    let prepared = world.desk().documentation(&options()).unwrap();
    assert_eq!(prepared.left_over, [edited.as_str()]);
    let report = world.document(&options());
    assert_eq!(report.removed.len(), 3);
    let folder = "docs/databases/shop/sales/tables";
    let readable = [format!("{folder}/main.Order-Details.json"), format!("{folder}/main.Order-Details.md")];
    assert_eq!(pages("main.Order-Details"), readable);
    assert_eq!(pages("t-main-Order-Details-"), [edited.as_str()]);
    assert_eq!(world.read(edited), "mine");
    assert_eq!(world.desk().documentation(&options()).unwrap().left_over, [edited.as_str()], "it is still reported");
}

#[test]
fn a_page_that_was_edited_since_it_was_compared_is_not_removed() {
    let world = World::new();
    world.document(&options());
    world.put(".jaato/databases.yaml", &CONFIG.replace("type", "exclude_tables: ['*.zone'], type"));
    let page = "docs/databases/shop/zone/tables/main.zone.md";
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&options()).unwrap();
    assert!(prepared.files_removed().any(|path| path == page));
    world.put(page, "mine");
    let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
    assert_eq!(report.failed.iter().map(|error| error.code).collect::<Vec<_>>(), [Code::Changed]);
    assert_eq!(world.read(page), "mine");
    drop((prepared, desk));
    let told = world.desk().documentation(&options()).unwrap();
    assert_eq!(told.left_over, [page], "the next run reports it");
}

#[test]
fn sources_that_are_only_left_out_of_a_run_stay() {
    let world = World::new();
    world.document(&options());
    let entry = ".jaato/references/db-shop-zone.json";
    let before = world.read(entry);
    world.put("references.json", "{\"sources\": [], \"auto_discover_references\": false}");
    for _ in 0..2 {
        assert!(world.desk().documentation(&options()).unwrap().entries_removed.is_empty());
        assert_eq!(world.document(&options()).sources_removed, [] as [String; 0]);
        assert_eq!(world.read(entry), before);
    }
}

#[test]
fn edited_obsolete_files_are_removed_on_request() {
    let world = World::new();
    world.document(&options());
    let tables = "docs/databases/shop/zone/tables";
    let (page, entry) = (format!("{tables}/main.bin.md"), ".jaato/references/db-shop-zone.json");
    world.put(&page, "mine");
    world.put(entry, "{\"id\": \"db-shop-zone\", \"name\": \"mine\", \"path\": \"x\"}");
    world.sql("shop.db", "DROP TABLE bin; DROP TABLE zone");
    let report = world.document(&options());
    assert!(!report.removed.contains(&page));
    assert_eq!(world.read(&page), "mine");
    let overwrite = DocumentOptions { overwrite_edited: true, ..options() };
    // A file that changed after the comparison stays.
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&overwrite).unwrap();
    assert_eq!(prepared.removed_edited.len(), 2);
    world.put(&page, "mine, and newer");
    let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
    assert_eq!(report.failed.iter().map(|error| error.code).collect::<Vec<_>>(), [Code::Changed]);
    assert_eq!((world.read(&page).as_str(), report.sources_removed.len()), ("mine, and newer", 1));
    drop((prepared, desk));
    assert_eq!(world.document(&overwrite).removed, [page]);
    assert!(!world.path.join(tables).exists() && !world.path.join(entry).exists());
}

#[test]
fn a_source_belongs_to_the_database_whose_pages_it_points_to() {
    let world = World::new();
    world.sql("eu.db", "CREATE TABLE orders (id INTEGER PRIMARY KEY)");
    let both = "databases:
  - {name: shop, type: sqlite, connection: {file: shop.db}, domains: {eu-orders: ['*']}}
  - {name: shop-eu, type: sqlite, connection: {file: eu.db}, domains: {orders: ['*']}}
";
    world.put(".jaato/databases.yaml", both.lines().take(2).collect::<Vec<_>>().join("\n").as_str());
    assert_eq!(world.document(&options()).sources, ["db-shop-eu-orders"]);
    let source = ".jaato/references/db-shop-eu-orders.json";
    let written = world.read(source);
    // A run for the other database only, and runs while this database cannot be read.
    world.put(".jaato/databases.yaml", both);
    let other = DocumentOptions { names: vec!["shop-eu".into()], ..options() };
    assert_eq!(world.document(&other).sources_removed.len(), 0);
    assert_eq!(world.read(source), written);
    fs::rename(world.path.join("shop.db"), world.path.join("away.db")).unwrap();
    for options in [options(), other] {
        let report = world.document(&options);
        assert_eq!((report.sources_removed.len(), report.edited.len()), (0, 0));
        assert_eq!(world.read(source), written);
    }
    // An edited entry without a valid path could belong to either database.
    world.put(source, "{}");
    let all = DocumentOptions { overwrite_edited: true, ..options() };
    assert_eq!(world.document(&all).sources_removed.len(), 0);
    assert_eq!(world.read(source), "{}");
    // Once its domain no longer exists, the other database can use the id.
    world.put(source, &written);
    fs::rename(world.path.join("away.db"), world.path.join("shop.db")).unwrap();
    world.put(".jaato/databases.yaml", &both.replace("eu-orders", "sales"));
    let report = world.document(&options());
    assert_eq!(report.sources, ["db-shop-sales", "db-shop-eu-orders"]);
    assert!(world.read(source).contains("/databases/shop-eu/orders\""));
}
