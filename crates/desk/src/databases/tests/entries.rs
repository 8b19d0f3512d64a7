//! Catalog entries that a person removed or edited are noticed without a run.

use refdesk_text::Code;

use super::super::DocumentOptions;
use super::{World, options};

const ENTRY: &str = ".jaato/references/db-shop-zone.json";

#[test]
fn missing_and_edited_entries_are_seen_before_a_run() {
    let world = World::new();
    world.document(&options());
    let original = world.read(ENTRY);
    // An edited entry stays as it is, and the pages are up to date.
    world.put(ENTRY, &original.replace("\"zone\"", "\"mine\""));
    let run = world.desk().documentation(&options()).unwrap();
    assert!(run.is_up_to_date() && run.is_entry(ENTRY));
    assert_eq!((run.edited.as_slice(), run.edited_of("shop").count()), (&[ENTRY.to_owned()][..], 1));
    assert_eq!(world.document(&options()).edited, [ENTRY]);
    let overwrite = DocumentOptions { overwrite_edited: true, ..options() };
    let run = world.desk().documentation(&overwrite).unwrap();
    assert_eq!((run.edited.len(), run.sources_to_write(), run.is_up_to_date()), (0, 1, false));
    // A missing entry is written again, after confirmation.
    std::fs::remove_file(world.path.join(ENTRY)).unwrap();
    let run = world.desk().documentation(&options()).unwrap();
    assert_eq!((run.missing_entries(), run.source_counts("shop")), (vec![ENTRY], (1, 0)));
    assert!(!run.is_up_to_date());
    assert_eq!(world.document(&options()).sources, ["db-shop-zone"]);
    assert_eq!(world.read(ENTRY), original);
    assert!(world.desk().documentation(&options()).unwrap().is_up_to_date());
}

#[test]
fn an_outdated_entry_is_reported_for_update() {
    let world = World::new();
    world.document(&options());
    // Another table becomes the most referenced one, which changes the description of the source.
    world.sql("shop.db", "CREATE TABLE box (id INTEGER PRIMARY KEY, zone_id INTEGER REFERENCES zone)");
    let run = world.desk().documentation(&options()).unwrap();
    assert_eq!((run.source_counts("shop"), run.edited.len()), ((0, 1), 0));
}

#[test]
fn pages_whose_id_is_taken_are_reported_as_in_no_source() {
    let world = World::new();
    world.put(
        ".jaato/references/mine.json",
        r#"{"id": "db-shop-zone", "name": "mine", "type": "inline", "content": "mine"}"#,
    );
    world.document(&options());
    let run = world.desk().documentation(&options()).unwrap();
    let taken = run.problems.iter().find(|problem| problem.code == Code::IdTaken).unwrap();
    assert!(taken.fix.to_string().starts_with("give that source another id"), "{taken:?}");
    let problem = world.desk().pages_without_source().unwrap();
    assert!(
        problem.message.starts_with("the pages of shop.main.bin and 1 other table are in no source"),
        "{problem:?}"
    );
    std::fs::remove_file(world.path.join(".jaato/references/mine.json")).unwrap();
    world.document(&options());
    assert_eq!(world.desk().pages_without_source(), None);
}
