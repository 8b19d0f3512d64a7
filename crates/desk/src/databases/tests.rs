//! Complete runs on real SQLite files: planned, documented, edited, interrupted, and untrusted.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use refdesk_core::config::WorkspaceContext;
use refdesk_database::schema::plan::FILE;
use refdesk_database::schema::table_doc::{DescriptionSource, TableDoc};
use refdesk_files::write_atomic;
use refdesk_text::Code;

use super::{DocumentOptions, DocumentReport};
use crate::{Desk, Options, Session};

mod damaged;
mod entries;
mod foreign;
mod gone;
mod interrupted;
mod moved;
mod names;
mod only;
mod outside;
mod seen;
mod standing;

struct World {
    root: tempfile::TempDir,
    path: PathBuf,
}

const CONFIG: &str = "databases: [{name: shop, type: sqlite, connection: {file: shop.db}}]";

const SHOP: &str = "
    CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer, total NUMERIC -- In cents
    );
    CREATE TABLE zone (id INTEGER PRIMARY KEY, label TEXT);
    CREATE TABLE bin (id INTEGER PRIMARY KEY, zone_id INTEGER REFERENCES zone);
";

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(root.path()).unwrap().join("w");
        fs::create_dir_all(path.join(".jaato")).unwrap();
        let world = Self { root, path };
        world.put(".jaato/databases.yaml", CONFIG);
        world.sql("shop.db", SHOP);
        world
    }

    fn put(&self, path: &str, text: &str) {
        write_atomic(&self.path.join(path), text.as_bytes()).unwrap();
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn sql(&self, path: &str, sql: &str) {
        rusqlite::Connection::open(self.path.join(path)).unwrap().execute_batch(sql).unwrap();
    }

    fn desk(&self) -> Desk {
        let workspace = self.path.clone();
        let context = WorkspaceContext { current: workspace.clone(), workspace, ..WorkspaceContext::default() };
        Desk::open(Options { state: Some(self.root.path().join("state")), ..Options::new(context) })
    }

    fn document(&self, options: &DocumentOptions) -> DocumentReport {
        let mut desk = self.desk();
        let prepared = desk.prepare_documentation(options).unwrap();
        let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert_eq!(report.failed, []);
        report
    }

    /// Every file below `docs` and of the catalog with its content, without times.
    fn pages(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.path.join("docs"), self.path.join(".jaato/references")];
        while let Some(folder) = open.pop() {
            let Ok(entries) = fs::read_dir(&folder) else { continue };
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else if !path.ends_with("documentation-manifest.json") {
                    let name = path.strip_prefix(&self.path).unwrap().display().to_string();
                    found.insert(name, fs::read_to_string(path).unwrap());
                }
            }
        }
        found
    }
}

/// The modification times of everything outside the state folder.
fn times(folder: &Path) -> BTreeMap<PathBuf, std::time::SystemTime> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.insert(path.clone(), fs::metadata(&path).unwrap().modified().unwrap());
            }
        }
    }
    // The record of the last lock holder may differ.
    found.retain(|path, _| !path.ends_with("holder"));
    found
}

fn options() -> DocumentOptions {
    DocumentOptions::default()
}

#[test]
fn a_database_becomes_pages_and_sources() {
    let world = World::new();
    let report = world.document(&options());
    assert_eq!(report.sources, ["db-shop-customer", "db-shop-zone"]);
    let pages = world.pages();
    let names: Vec<&str> = pages.keys().map(|name| name.trim_start_matches("docs/databases/shop/")).collect();
    let expected = [
        ".jaato/references/db-shop-customer.json",
        ".jaato/references/db-shop-zone.json",
        "README.md",
        "customer/README.md",
        "customer/tables/main.customer.json",
        "customer/tables/main.customer.md",
        "customer/tables/main.orders.json",
        "customer/tables/main.orders.md",
        "zone/README.md",
        "zone/tables/main.bin.json",
        "zone/tables/main.bin.md",
        "zone/tables/main.zone.json",
        "zone/tables/main.zone.md",
    ];
    assert_eq!(names, expected);
    assert!(pages["docs/databases/shop/customer/tables/main.orders.md"].contains("In cents"));
    let desk = world.desk();
    assert_eq!(desk.catalog().len(), 2);
    assert!(
        desk.catalog().sources().iter().all(refdesk_core::catalog::Source::is_directory),
        "{:?}",
        desk.diagnostics()
    );
    let manifest = desk.manifest("docs/databases").unwrap().unwrap();
    assert_eq!((manifest.total_files, manifest.sources.comment, manifest.edited.len()), (11, 1, 0));
    for file in &manifest.indexable_files {
        assert!(world.path.join(&file.path).is_file(), "{}", file.path);
    }
}

#[test]
fn nothing_is_written_without_a_change() {
    let world = World::new();
    world.document(&options());
    let before = times(&world.path);
    let report = world.document(&options());
    assert_eq!((report.written.len(), report.unchanged), (0, 11));
    assert_eq!(times(&world.path), before);
}

#[test]
fn edited_pages_stay_until_they_are_overwritten() {
    let world = World::new();
    world.document(&options());
    let page = "docs/databases/shop/zone/tables/main.zone.md";
    let entry = ".jaato/references/db-shop-zone.json";
    let original = (world.read(page), world.read(entry));
    world.put(page, "mine");
    world.put(entry, "{\"id\": \"db-shop-zone\", \"name\": \"mine\", \"path\": \"x\"}");
    for _ in 0..2 {
        let report = world.document(&options());
        assert_eq!(report.edited, [page, entry]);
        assert_eq!(world.read(page), "mine");
    }
    let overwrite = DocumentOptions { overwrite_edited: true, ..options() };
    let report = world.document(&overwrite);
    assert_eq!(
        (report.written.as_slice(), report.sources.as_slice()),
        (&[page.into()][..], &["db-shop-zone".into()][..])
    );
    assert_eq!((world.read(page), world.read(entry)), original);
    // The user is asked about an edited catalog entry, too. The entry stays if it was edited again since.
    world.put(entry, &original.1.replace("\"zone\"", "\"mine\""));
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&overwrite).unwrap();
    assert_eq!(
        (prepared.is_up_to_date(), prepared.entries_replaced.keys().collect::<Vec<_>>()),
        (false, vec![&entry.to_owned()])
    );
    let newer = original.1.replace("\"zone\"", "\"newer\"");
    world.put(entry, &newer);
    let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
    assert_eq!((report.edited, world.read(entry)), (vec![entry.to_owned()], newer));
}

#[test]
fn a_changed_schema_changes_only_its_pages() {
    let world = World::new();
    world.document(&options());
    world.sql("shop.db", "ALTER TABLE zone ADD COLUMN floor INTEGER");
    let desk = world.desk();
    let planned = desk.documentation(&options()).unwrap().planned;
    assert_eq!(planned.changes, ["main.zone of 'shop' has changed since the plan"]);
    let report = world.document(&options());
    let tables = "docs/databases/shop/zone/tables/main.zone";
    assert_eq!(report.written, [format!("{tables}.md"), format!("{tables}.json")]);
    // A domain disappears, together with its pages and its source.
    world.sql("shop.db", "DROP TABLE bin; DROP TABLE zone");
    let report = world.document(&options());
    assert_eq!((report.removed.len(), report.sources_removed.as_slice()), (5, &["db-shop-zone".to_owned()][..]));
    assert!(!world.path.join("docs/databases/shop/zone").exists());
    assert_eq!(world.desk().catalog().len(), 1);
}

#[test]
fn a_plan_that_a_person_edited_is_followed() {
    let world = World::new();
    world.document(&options());
    let mut plan: serde_json::Value = serde_json::from_str(&world.read(FILE)).unwrap();
    for unit in plan["work_units"].as_array_mut().unwrap() {
        for table in unit["tables"].as_array_mut().unwrap() {
            match table["table_name"].as_str() {
                Some("orders") => table["domain"] = "sales".into(),
                Some("bin") => table["skip"] = true.into(),
                Some("zone") => table["note"] = "An area of the stock.".into(),
                Some("customer") => table["note"] = "Of the plan.".into(),
                _ => {}
            }
        }
    }
    world.put(FILE, &plan.to_string());
    world.put(
        ".jaato/databases/shop.notes.yaml",
        "tables: {customer: {description: Who buys.}, zone: {columns: {label: L}}}",
    );
    world.document(&options());
    let pages = world.pages();
    // A note of the plan describes the table, unless the file of notes does.
    for (table, description) in [("main.zone", "An area of the stock."), ("main.customer", "Who buys.")] {
        let page = pages.iter().find(|(name, _)| name.ends_with(&format!("{table}.json"))).unwrap().1;
        let doc: TableDoc = serde_json::from_str(page).unwrap();
        assert_eq!((doc.description.as_str(), doc.source), (description, DescriptionSource::Note), "{table}");
        let noted = doc.columns.iter().filter(|column| column.source == DescriptionSource::Note).count();
        assert_eq!(noted, usize::from(table == "main.zone"), "{table}");
    }
    assert!(pages.contains_key("docs/databases/shop/sales/tables/main.orders.md"));
    assert!(!pages.contains_key("docs/databases/shop/customer/tables/main.orders.md"));
    assert!(!pages.keys().any(|name| name.contains("main.bin")));
    let before = world.read(FILE);
    world.document(&options());
    assert_eq!(world.read(FILE), before);
}

#[test]
fn notes_take_precedence_and_unmatched_ones_are_reported() {
    let world = World::new();
    world.put(
        ".jaato/databases/shop.notes.yaml",
        "tables: {main.orders: {description: What was bought., domain: sales, columns: {total: Before tax.}}, gone: x}\n\
         joins: [{from: main.orders.total, to: main.zone.id, because: they match, cardinality: one to one}]",
    );
    let desk = world.desk();
    let problems = desk.documentation(&options()).unwrap().problems;
    assert_eq!(problems.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::UnknownTable]);
    world.document(&options());
    let page = world.read("docs/databases/shop/sales/tables/main.orders.md");
    assert!(page.contains("What was bought.") && page.contains("Before tax.") && !page.contains("In cents"), "{page}");
    assert!(page.contains("(one to one, noted: they match)"), "{page}");
    let pages = world.pages();
    let page = pages.iter().find(|(name, _)| name.ends_with("main.zone.md")).unwrap().1;
    assert!(page.contains("- `id` ← `main.orders` (domain sales) `total` (noted: they match)"), "{page}");
    let joins = world.desk().whole_database_view().unwrap().relationships(None, None, 9).unwrap().answer.relationships;
    let noted = joins.iter().filter(|join| join.noted);
    let noted: Vec<_> = noted.map(|join| (join.from_table.as_str(), join.inferred, join.because.as_str())).collect();
    assert_eq!(noted, [("main.orders", false, "they match")]);
    let view = world.desk().whole_database_view().unwrap();
    let hops = &view.paths("customer", "zone", None).unwrap().answer.paths[0].hops;
    assert_eq!(
        hops.iter().map(|hop| (hop.inferred, hop.noted, hop.because.as_str())).collect::<Vec<_>>(),
        [(Some(false), false, ""), (Some(false), true, "they match")]
    );
    let data = world.read("docs/databases/shop/sales/tables/main.orders.json");
    assert!(data.contains("\"cardinality\": \"one_to_one\""), "{data}");
}

#[test]
fn an_unreadable_database_keeps_its_pages() {
    let world = World::new();
    let notes = ".jaato/databases/shop.notes.yaml";
    world.sql("app.db", "CREATE TABLE a (b)");
    let app = "{name: app, type: sqlite, connection: {file: app.db}}]";
    world.put(".jaato/databases.yaml", &CONFIG.replace(']', &format!(", {app}")));
    world.put(notes, "tables: {main.orders: {description: What was bought., domain: sales}}");
    world.document(&options());
    let (pages, plan) = (world.pages(), world.read(FILE));
    assert!(plan.contains("\"sales\""));
    let check = |what: &str| {
        let mut desk = world.desk();
        let prepared = desk.prepare_documentation(&options()).unwrap();
        let failed: Vec<&str> = prepared.failed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(failed, ["shop"], "{what}");
        desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert_eq!(world.pages(), pages, "{what}");
        let sales = |text: &str| text.matches("\"shop-sales\"").count();
        assert_eq!(sales(&world.read(FILE)), sales(&plan), "{what}");
    };
    for text in ["tables: {", "- 1", "tables: {main.orders: {description: [1]}}"] {
        world.put(notes, text);
        check(text);
    }
    fs::remove_file(world.path.join(notes)).unwrap();
    let made = std::process::Command::new("mkfifo").arg(world.path.join(notes)).status().unwrap();
    assert!(made.success());
    check("a pipe");
    fs::remove_file(world.path.join(notes)).unwrap();
    world.put(notes, "tables: {main.orders: {description: What was bought., domain: sales}}");
    let shop = "{name: shop, exclude_tables: 7, type: sqlite, connection: {file: shop.db}}";
    world.put(".jaato/databases.yaml", &format!("databases: [{shop}, {app}"));
    check("a wrong entry");
}

#[test]
fn personal_data_in_comments_is_never_written() {
    let world = World::new();
    world.sql(
        "shop.db",
        "CREATE TABLE visit ( -- Asked by carol@zq.example\n id INTEGER PRIMARY KEY, kind TEXT -- like 4111 1111 1111 1111 or other\n)",
    );
    world.document(&options());
    let page = world.read("docs/databases/shop/system/tables/main.visit.md");
    assert!(page.contains("like (card left out) or other"), "{page}");
    for (path, text) in world.pages().into_iter().chain([(FILE.to_owned(), world.read(FILE))]) {
        assert!(!text.contains("4111") && !text.contains("carol"), "{path}");
    }
    let (checked, _) = world.desk().check_databases(&[]).unwrap();
    let found = checked[0].findings.iter().filter(|it| it.rule.word() == "value_in_comment");
    let found: Vec<&str> = found.map(|it| it.message.as_str()).collect();
    assert!(found.contains(&"its comment quotes a value (card), which is left out"), "{found:?}");
    assert!(!found.concat().contains("4111"));
}

#[test]
fn a_damaged_plan_is_not_replaced() {
    let world = World::new();
    world.document(&options());
    let (plan, pages) = (world.read(FILE), world.pages());
    let priority = plan.find("\"priority\": ").unwrap();
    let with = |value: &str| {
        format!("{}\"priority\": {value}{}", &plan[..priority], &plan[priority + "\"priority\": 2".len()..])
    };
    for (text, expected) in [
        (plan[..plan.len() / 2].to_owned(), "at line"),
        (with("\"high\""), "expected u8 at line"),
        (with("300"), "at line"),
        ("[]".to_owned(), "cannot be read: it has a list instead of an object"),
        ("null".to_owned(), "invalid type: null, expected an object at line 1"),
        (plan.replace("\"schema_version\": \"1.0\"", "\"schema_version\": \"9.9\""), "was written by a newer refdesk"),
        (with("9"), "9 is not a 'priority' for main."),
    ] {
        world.put(FILE, &text);
        let error = world.desk().prepare_documentation(&options()).unwrap_err();
        assert!(error.message.contains(FILE) && error.message.contains(expected), "{error}");
        let desk = world.desk();
        let read = desk.read_databases(&desk.databases_named(&[]).unwrap()).unwrap();
        assert_eq!(desk.plan_databases(&read).unwrap_err().message, error.message);
        assert_eq!((world.read(FILE), world.pages()), (text, pages.clone()));
    }
}
