//! Interrupted and concurrent runs.

use refdesk_text::Code;

use super::super::DocumentReport;
use super::{World, options};
use crate::Session;

#[test]
fn an_ended_run_resumes_where_it_stopped() {
    let (whole, broken) = (World::new(), World::new());
    for world in [&whole, &broken] {
        let table = |at: usize| format!("CREATE TABLE t{at:03} (id INTEGER PRIMARY KEY, a TEXT);\n");
        world.sql("shop.db", &(0..80).map(table).collect::<String>());
    }
    whole.document(&options());
    let mut desk = broken.desk();
    let prepared = desk.prepare_documentation(&options()).unwrap();
    let mut seen = Vec::new();
    let report = desk
        .write_documentation(&Session::of_client("test"), &prepared, &mut |progress| {
            seen.push((progress.done, progress.failed, progress.of));
            seen.len() <= 40
        })
        .unwrap();
    // `progress` is called before each table, which has two pages.
    assert_eq!((seen[0], seen[1], seen[40]), ((0, 0, 172), (2, 0, 172), (80, 0, 172)));
    assert!(report.is_ended && report.written.len() == 80, "{}", report.written.len());
    drop((prepared, desk));
    // The schema changes before the run resumes: the pages it wrote do not count as edited.
    broken.sql("shop.db", "ALTER TABLE t000 ADD COLUMN b TEXT");
    whole.sql("shop.db", "ALTER TABLE t000 ADD COLUMN b TEXT");
    let report = broken.document(&options());
    assert_eq!(report.edited, [""; 0]);
    assert!(report.written.len() < 172 - 80 + 8, "{}", report.written.len());
    whole.document(&options());
    assert_eq!(broken.pages(), whole.pages());
}

#[test]
fn leftovers_of_a_killed_run_are_swept() {
    let world = World::new();
    let left = |folder: &str| {
        let path = world.path.join(folder).join(".refdesk-0000000000000000.tmp");
        refdesk_files::write_atomic(&path, b"half a page").unwrap();
        path
    };
    // These pages are complete, so the next run writes nothing there.
    ended_before(&world, 3);
    let done = [left("docs/databases/shop/customer/tables"), left("docs/databases/shop/zone/tables")];
    world.document(&options());
    assert_eq!(done.map(|path| path.exists()), [false; 2]);
    // The pages of the interrupted run are no longer needed, so there is nothing to write.
    world.sql("shop.db", "ALTER TABLE zone ADD COLUMN floor INTEGER");
    ended_before(&world, 0);
    world.sql("shop.db", "ALTER TABLE zone DROP COLUMN floor");
    let (page, mut desk) = (left("docs/databases/shop/zone/tables"), world.desk());
    assert!(desk.overview_reader().read().is_unfinished);
    let prepared = desk.prepare_documentation(&options()).unwrap();
    desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
    assert_eq!((page.exists(), desk.overview_reader().read().is_unfinished), (false, false));
    drop((prepared, desk));
    // A run that follows a complete one does not search for leftovers.
    let page = left("docs/databases/shop/zone/tables");
    world.document(&options());
    assert!(page.exists());
}

#[test]
fn two_runs_at_once_are_refused() {
    let world = World::new();
    let first = world.desk().prepare_documentation(&options()).unwrap();
    let error = world.desk().prepare_documentation(&options()).unwrap_err();
    assert_eq!(error.code, Code::DatabaseBusy);
    assert!(error.message.contains(&format!("process {}", std::process::id())), "{error}");
    drop(first);
    world.desk().prepare_documentation(&options()).unwrap();
}

/// Stops a run before this table, counted from 0.
fn ended_before(world: &World, table: usize) -> DocumentReport {
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&options()).unwrap();
    let mut seen = 0;
    let mut goes_on = |_| {
        seen += 1;
        seen <= table
    };
    desk.write_documentation(&Session::of_client("test"), &prepared, &mut goes_on).unwrap()
}

#[test]
fn an_interrupted_run_is_a_problem_of_the_workspace() {
    let world = World::new();
    let problems = || -> Vec<Code> { world.desk().page_problems().iter().map(|problem| problem.code).collect() };
    // A folder of that name says nothing.
    world.put("docs/databases/shop/mine.md", "mine");
    assert_eq!(problems(), []);
    ended_before(&world, 2);
    assert_eq!(problems(), [Code::NotDocumented]);
    world.document(&options());
    assert_eq!(problems(), []);
    // In a copy of the repository, nothing but the missing manifest tells.
    std::fs::remove_dir_all(world.path.join(".jaato/refdesk")).unwrap();
    assert_eq!(problems(), []);
    std::fs::remove_file(world.path.join("docs/databases/documentation-manifest.json")).unwrap();
    assert_eq!(problems(), [Code::NotDocumented]);
}

#[test]
fn pages_of_interrupted_runs_are_known_while_the_schema_keeps_changing() {
    let (whole, broken) = (World::new(), World::new());
    broken.document(&options());
    let changes = [
        "ALTER TABLE customer ADD COLUMN a TEXT; ALTER TABLE zone ADD COLUMN a TEXT; CREATE TABLE visit (id INTEGER)",
        "ALTER TABLE customer ADD COLUMN b TEXT; ALTER TABLE zone ADD COLUMN b TEXT",
        "ALTER TABLE orders ADD COLUMN c TEXT; DROP TABLE visit",
    ];
    for (at, change) in changes.iter().enumerate() {
        broken.sql("shop.db", change);
        whole.sql("shop.db", change);
        for table in [2, 0, 1] {
            let report = ended_before(&broken, table + at);
            assert!(report.edited.is_empty(), "{report:?}");
        }
    }
    let report = broken.document(&options());
    assert!(report.edited.is_empty(), "{report:?}");
    whole.document(&options());
    assert_eq!(broken.pages(), whole.pages());
}

#[test]
fn pages_are_visible_while_the_run_continues() {
    let world = World::new();
    let documented = |world: &World| {
        let overview = world.desk().overview_reader().read();
        let tables = overview.databases.iter().flat_map(|it| &it.domains).flat_map(|it| &it.tables);
        let (done, rest): (Vec<_>, Vec<_>) = tables.partition(|table| table.page.is_some());
        assert!(done.iter().chain(&rest).all(|table| !table.marks.is_edited && !table.marks.is_stale));
        (done.len(), rest.len())
    };
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&options()).unwrap();
    let mut seen = Vec::new();
    let mut goes_on = |_| {
        seen.push(documented(&world));
        seen.len() < 4
    };
    desk.write_documentation(&Session::of_client("test"), &prepared, &mut goes_on).unwrap();
    assert_eq!(seen, [(0, 4), (1, 3), (2, 2), (3, 1)]);
    drop((prepared, desk));
    // The same holds after a pause, until a person edits a page or the next run lists the pages.
    assert_eq!(documented(&world), (3, 1));
    let overview = world.desk().overview_reader().read();
    let pages = overview.databases[0].domains.iter().flat_map(|it| &it.tables).filter_map(|it| it.page.clone());
    let pages: Vec<String> = pages.collect();
    assert_eq!(world.desk().database_page("shop", &pages[0]).doc.map(|doc| doc.columns.len()), Some(2));
    world.put(&pages[0], "mine");
    let overview = world.desk().overview_reader().read();
    let edited = |it: &&crate::TableSummary| it.marks.is_edited;
    assert_eq!(overview.databases[0].domains.iter().flat_map(|it| &it.tables).filter(edited).count(), 1);
    world.document(&options());
    assert_eq!(world.desk().overview_reader().read().databases[0].domains.len(), 2);
}

#[test]
fn a_page_that_changed_since_it_was_compared_stays() {
    let world = World::new();
    let mut desk = world.desk();
    let prepared = desk.prepare_documentation(&options()).unwrap();
    let page = "docs/databases/shop/zone/tables/main.zone.md";
    world.put(page, "mine");
    let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
    assert_eq!(report.failed.iter().map(|error| error.code).collect::<Vec<_>>(), [Code::Changed]);
    assert_eq!((world.read(page).as_str(), report.written.len()), ("mine", 10));
    drop((prepared, desk));
    assert_eq!(world.document(&options()).edited, [page]);
}

#[test]
fn leftovers_of_a_killed_run_beside_its_state_are_removed() {
    let world = World::new();
    world.document(&options());
    let left = ".jaato/refdesk/db/.refdesk-0123456789abcdef.tmp";
    world.put(left, "x");
    world.document(&options());
    assert!(!world.path.join(left).exists());
}
