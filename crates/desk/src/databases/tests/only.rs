//! Runs limited to some tables.

use refdesk_database::documenter::Progress;
use refdesk_database::names::globs::NamePattern;
use refdesk_text::Code;

use super::super::documentation::PROGRESS;
use super::{CONFIG, World, options};
use crate::DocumentOptions;

const MANIFEST: &str = "docs/databases/documentation-manifest.json";

#[test]
fn tables_beyond_the_limit_are_not_gone() {
    let world = World::new();
    let domains = "domains: {a: [bin, customer], z: [orders, zone]}";
    world.put(".jaato/databases.yaml", &CONFIG.replace("}]", "}").replace("}}", &format!("}}, {domains}}}]")));
    world.document(&options());
    let pages = world.pages();
    world.put(".jaato/db-agent.yaml", "planner: {max_tables_per_database: 2}");
    let prepared = world.desk().documentation(&options()).unwrap();
    assert_eq!((prepared.removed.len(), prepared.entries_removed.len()), (0, 0));
    // An unread table's key is unknown, so a table that refers to it counts as changed.
    let changes = ["2 tables of 'shop' are beyond the limit on tables", "main.bin of 'shop' has changed"];
    assert_eq!(prepared.planned.changes, changes.map(|change| format!("{change} since the plan")));
    for _ in 0..2 {
        let report = world.document(&options());
        assert_eq!((report.removed.len(), report.sources_removed.len(), report.edited.len()), (0, 0, 0));
        let now = world.pages();
        assert_eq!(now.keys().collect::<Vec<_>>(), pages.keys().collect::<Vec<_>>());
        let (differences, _) = world.desk().database_differences(&[]).unwrap();
        assert_eq!(differences[0].differences, []);
    }
    // These pages still count as refdesk's own: the next run updates them, and removes those whose table no longer
    // exists.
    world.put(".jaato/db-agent.yaml", "");
    world.sql("shop.db", "DROP TABLE zone");
    let report = world.document(&options());
    assert_eq!((report.edited.len(), report.removed.len()), (0, 2), "{report:?}");
}

#[test]
fn a_run_about_some_tables_makes_sources_of_whole_domains() {
    let world = World::new();
    let only = |pattern: &str| DocumentOptions { only: Some(NamePattern::new(pattern).unwrap()), ..options() };
    let error = world.desk().documentation(&only("nope*")).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (Code::BadGlob, "'nope*' matches no table"));
    let status = || serde_json::from_str::<serde_json::Value>(&world.read(MANIFEST)).unwrap()["status"].clone();
    let report = world.document(&only("*.zone"));
    assert_eq!((report.written.len(), report.unchanged, report.sources.len()), (2, 0, 0));
    assert_eq!(world.pages().len(), 2, "no page lists a missing one");
    assert_eq!(status(), "partial");
    let progress: Progress = world.desk().database_state(PROGRESS).unwrap();
    assert_eq!(
        (progress.stats.completed_tables, progress.stats.failed_tables, progress.stats.skipped_tables),
        (1, 0, 3)
    );
    let report = world.document(&only("*.bin"));
    assert_eq!((report.written.len(), report.unchanged), (3, 2));
    assert_eq!(report.sources, ["db-shop-zone"]);
    let report = world.document(&options());
    assert_eq!((report.unchanged, report.sources.as_slice()), (5, &["db-shop-customer".to_owned()][..]));
    assert_eq!(status(), "complete");
    assert_eq!(world.document(&only("*.bin")).written, Vec::<String>::new());
    assert_eq!(status(), "complete");
}

#[test]
fn a_run_about_other_tables_takes_no_edited_page_for_its_own() {
    let world = World::new();
    world.document(&options());
    let path = "docs/databases/shop/zone/tables/main.bin.md";
    let edited = format!("{}mine\n", world.read(path));
    world.put(path, &edited);
    let only = Some(NamePattern::new("*.zone").unwrap());
    world.document(&DocumentOptions { only, overwrite_edited: true, ..options() });
    assert_eq!(world.document(&options()).edited, [path]);
    assert_eq!(world.read(path), edited);
}
