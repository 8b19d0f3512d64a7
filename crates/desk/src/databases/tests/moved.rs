//! Pages whose folder was changed in the configuration.

use super::super::DocumentOptions;
use super::{CONFIG, World, options};

const APP: &str = "{name: app, type: sqlite, connection: {file: app.db}}";

fn with_docs_path(config: &str, folder: &str) -> String {
    format!("docs_path: {folder}\n{config}")
}

fn in_folder<'p>(pages: impl IntoIterator<Item = &'p String>, folder: &str) -> usize {
    pages.into_iter().filter(|path| path.starts_with(folder)).count()
}

#[test]
fn pages_and_sources_go_where_the_configuration_says() {
    let world = World::new();
    world.document(&options());
    world.put(".jaato/databases.yaml", &with_docs_path(CONFIG, "documentation/db"));
    let prepared = world.desk().documentation(&options()).unwrap();
    let removed: Vec<&str> = prepared.files_removed().collect();
    assert_eq!((removed.len(), removed.last().copied()), (12, Some("docs/databases/documentation-manifest.json")));
    drop(prepared);
    let report = world.document(&options());
    assert_eq!((report.edited.len(), report.written.len(), report.removed.len()), (0, 11, 12));
    assert_eq!(report.sources, ["db-shop-customer", "db-shop-zone"]);
    assert!(!world.path.join("docs/databases").exists());
    assert!(world.desk().catalog().sources().iter().all(refdesk_core::catalog::Source::is_directory));
    assert!(world.read(".jaato/references/db-shop-zone.json").contains("../../documentation/db/shop/zone"));
    let desk = world.desk();
    assert!(desk.documentation(&options()).unwrap().is_up_to_date());
    assert_eq!(desk.manifest("documentation/db").unwrap().unwrap().total_files, 11);
    // The parent folder, and back again.
    for folder in ["documentation", "documentation/db"] {
        world.put(".jaato/databases.yaml", &with_docs_path(CONFIG, folder));
        let report = world.document(&options());
        assert_eq!((report.edited.len(), report.removed.len(), report.sources.len()), (0, 12, 2), "{folder}");
    }
}

#[test]
fn edited_files_in_the_earlier_folder_are_reported_until_removed() {
    let world = World::new();
    world.document(&options());
    let page = "docs/databases/shop/zone/tables/main.zone.md";
    let edited = world.read(page) + "mine";
    world.put(page, &edited);
    world.put(".jaato/databases.yaml", &with_docs_path(CONFIG, "documentation/db"));
    for _ in 0..3 {
        assert_eq!(world.desk().documentation(&options()).unwrap().left_over, [page]);
        world.document(&options());
        assert_eq!(world.read(page), edited);
    }
    let report = world.document(&DocumentOptions { overwrite_edited: true, ..options() });
    assert_eq!(report.removed, [page]);
    assert!(world.desk().documentation(&options()).unwrap().left_over.is_empty());
}

#[test]
fn a_run_about_one_database_leaves_the_others_where_they_were() {
    let world = World::new();
    world.sql("app.db", "CREATE TABLE a (b INTEGER PRIMARY KEY)");
    let both = CONFIG.replace(']', &format!(", {APP}]"));
    world.put(".jaato/databases.yaml", &both);
    world.document(&options());
    world.put(".jaato/databases.yaml", &with_docs_path(&both, "documentation/db"));
    let named = DocumentOptions { names: vec!["shop".into()], ..options() };
    assert_eq!(world.document(&named).edited, [] as [&str; 0]);
    let pages = world.pages();
    assert_eq!((in_folder(pages.keys(), "docs/databases/shop"), in_folder(pages.keys(), "docs/databases/app")), (0, 4));
    assert!(world.desk().documentation(&named).unwrap().is_up_to_date());
    let report = world.document(&options());
    assert_eq!((report.edited.len(), report.sources.as_slice()), (0, &["db-app-system".to_owned()][..]));
    assert_eq!(in_folder(world.pages().keys(), "docs/databases"), 0);
}

#[test]
fn pages_of_the_last_database_are_removed_from_where_they_were() {
    let world = World::new();
    world.put(".jaato/databases.yaml", &with_docs_path(CONFIG, "documentation/db"));
    world.document(&options());
    world.put(".jaato/databases.yaml", "databases: []");
    assert_eq!(world.desk().databases_of_run(&[]).map(|databases| databases.len()), Ok(0));
    world.document(&options());
    assert_eq!(in_folder(world.pages().keys(), "documentation/db"), 0);
    assert!(world.desk().catalog().is_empty());
    assert!(world.desk().databases_of_run(&[]).is_err());
}

#[test]
fn runs_about_other_databases_still_report_edited_pages_of_dropped_tables() {
    let world = World::new();
    world.sql("app.db", "CREATE TABLE a (b INTEGER PRIMARY KEY)");
    world.put(".jaato/databases.yaml", &CONFIG.replace(']', &format!(", {APP}]")));
    world.document(&options());
    let page = "docs/databases/shop/zone/tables/main.bin.md";
    world.put(page, "mine");
    world.sql("shop.db", "DROP TABLE bin");
    world.document(&options());
    world.put(".jaato/databases/app.notes.yaml", "tables: {main.a: {description: Noted.}}");
    let named = DocumentOptions { names: vec!["app".into()], ..options() };
    assert!(!world.document(&named).written.is_empty());
    assert_eq!(world.desk().documentation(&options()).unwrap().left_over, [page]);
    assert_eq!(world.document(&DocumentOptions { overwrite_edited: true, ..options() }).removed, [page]);
}
