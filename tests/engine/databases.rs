//! Databases through the engine: the overview queries none. A run continues while other requests are handled, holds its
//! lock until it ends, and can be paused.

use std::io::Read;
use std::net::TcpListener;

use refdesk_desk::engine::{self, ClientKind, Event, PreparedRun, Request, Response, Snapshot};
use refdesk_desk::{DatabaseOverview, DatabaseState, Desk, DocumentOptions};
use refdesk_text::Code;
use rusqlite::Connection;

use super::world::{World, options, session};

const CONFIG: &str = "databases:\n  - {name: app, type: sqlite, connection: {file: app.db}}\n  \
                      - {name: crm, type: postgres, connection: {host: 127.0.0.1, port: 1, database: crm}}\n";

fn world() -> World {
    let world = World::of(&[(".jaato/databases.yaml", CONFIG), ("a.md", "a")]);
    let sql = "CREATE TABLE customer (id INTEGER PRIMARY KEY, email TEXT);
               CREATE TABLE purchase (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id));";
    Connection::open(world.at("app.db")).unwrap().execute_batch(sql).unwrap();
    world
}

fn overview(world: &World) -> DatabaseOverview {
    let Response::Databases(overview) = world.ask(Request::Databases) else { panic!("another answer") };
    overview.as_ref().clone()
}

fn prepared(world: &World) -> PreparedRun {
    let response = world.ask(Request::PrepareDatabases(vec!["app".to_owned()]));
    let Response::DatabasesPrepared(Ok(run)) = response else { panic!("{response:?}") };
    *run
}

/// The error that another process gets when it tries to document databases now.
fn busy(world: &World) -> Option<Code> {
    Desk::open(options(&world.workspace))
        .prepare_documentation(&DocumentOptions::default())
        .err()
        .map(|error| error.code)
}

#[test]
fn a_run_is_previewed_before_it_writes() {
    let mut world = world();
    let seen = overview(&world);
    let standing: Vec<&DatabaseState> = seen.databases.iter().map(|it| &it.state).collect();
    assert_eq!(standing, [&DatabaseState::Ready, &DatabaseState::Untrusted]);
    let PreparedRun { number, preview } = prepared(&world);
    assert_eq!((preview.new.len(), preview.changed_count, preview.is_up_to_date), (6, 0, false), "{preview:?}");
    assert!(!world.at("docs/databases").exists(), "nothing is written yet");
    assert_eq!(busy(&world), Some(Code::DatabaseBusy));
    // Pausing before anything was written releases the lock.
    assert_eq!(world.refused(Request::PauseDatabases), "");
    assert_eq!(busy(&world), None);
    assert_eq!(world.refused(Request::WriteDatabases(number)), "no documentation run is prepared");
    // What was looked at is written, not what was prepared since.
    let before = prepared(&world).number;
    let run = prepared(&world).number;
    assert_eq!(world.refused(Request::WriteDatabases(before)), "no documentation run is prepared");
    let Response::DatabasesWritten(Ok(report)) = world.ask(Request::WriteDatabases(run)) else { panic!() };
    assert_eq!((report.written.len(), report.is_ended), (6, false));
    world.event(|event| matches!(event, Event::DatabaseRun(progress) if progress.pages.of == 6));
    world.until("the catalog has the domain", |now| {
        now.catalog.sources().iter().any(|it| it.id.as_str().starts_with("db-app-"))
    });
    let seen = overview(&world);
    let domain = &seen.databases[0].domains[0];
    assert!(domain.tables.iter().all(|table| table.page.is_some() && !table.marks.is_stale && !table.marks.is_edited));
    assert_eq!(domain.tables.iter().map(|table| table.marks.sensitive).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(busy(&world), None);
}

/// Every problem that `check` finds in the pages is counted while the workspace is open, too.
#[test]
fn damaged_pages_and_pages_without_a_source_are_problems() {
    let World { folder, workspace, .. } = world();
    let mut desk = Desk::open(options(&workspace));
    let names = vec!["app".to_owned()];
    let run = desk.prepare_documentation(&DocumentOptions { names, ..DocumentOptions::default() }).unwrap();
    desk.write_documentation(&session(), &run, &mut |_| true).unwrap();
    drop(run);
    let started = engine::start_for(ClientKind::Script, options(&workspace), session()).unwrap();
    let mut world = World::with(folder, workspace, started);
    let problems = |now: &Snapshot, code: Code| now.diagnostics.iter().filter(|problem| problem.code == code).count();
    let page = "docs/databases/app/customer/tables/main.customer.json";
    let sound = std::fs::read_to_string(world.at(page)).unwrap();
    world.write(page, "{");
    world.until("the page is damaged", |now| problems(now, Code::Damaged) == 1);
    world.write(page, &sound);
    world.until("the page is sound again", |now| problems(now, Code::Damaged) == 0);
    let manifest = "docs/databases/documentation-manifest.json";
    let sound = std::fs::read_to_string(world.at(manifest)).unwrap();
    world.write(manifest, "<<<<<<< ours");
    world.until("the manifest is damaged", |now| problems(now, Code::Damaged) == 1 && now.has_databases);
    world.write(manifest, &sound);
    world.until("the manifest is sound again", |now| problems(now, Code::Damaged) == 0);
    std::fs::remove_file(world.at(".jaato/references/db-app-customer.json")).unwrap();
    world.until("the pages have no source", |now| problems(now, Code::NotDocumented) == 1);
}

#[test]
fn an_unresponsive_server_blocks_no_other_request() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let World { folder, workspace, .. } = world();
    let config = CONFIG.replace("port: 1,", &format!("port: {port}, user: a, sslmode: disable,"));
    refdesk_files::write_atomic(&workspace.join(".jaato/databases.yaml"), config.as_bytes()).unwrap();
    let world = World::trusting(folder, workspace);
    let crm = || Request::PrepareDatabases(vec!["crm".to_owned()]);
    let preparing = world.engine.ask(world.engine.session(), crm());
    let (mut stream, _) = listener.accept().unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    // The engine answers other requests meanwhile. Once this run is paused, the next one begins.
    assert_eq!(overview(&world).databases.len(), 2);
    assert_eq!(world.refused(Request::PauseDatabases), "");
    let Some(Response::DatabasesPrepared(Err(error))) = world.runtime.block_on(preparing) else { panic!() };
    assert_eq!(error.code, Code::Stopped, "{error}");
    assert_eq!(prepared(&world).preview.new.len(), 6);
    stream.read_to_end(&mut Vec::new()).unwrap();
    // Preparing the next run also stops a read that is still in progress.
    let preparing = world.engine.ask(world.engine.session(), crm());
    let (mut stream, _) = listener.accept().unwrap();
    stream.read_exact(&mut [0; 8]).unwrap();
    assert_eq!(prepared(&world).preview.new.len(), 6);
    let Some(Response::DatabasesPrepared(Err(error))) = world.runtime.block_on(preparing) else { panic!() };
    assert_eq!(error.code, Code::Stopped, "{error}");
}

#[test]
fn configuration_notes_and_plan_are_watched() {
    let mut world = world();
    for (file, text) in [
        (".jaato/databases.yaml", "databases: [{name: Not a name}]\n"),
        (".jaato/db-agent.yaml", "documenter: {concurrency: 0}\n"),
        (".jaato/databases/app.notes.yaml", "tables: {}\n"),
        (".jaato/databases/documentation-plan.json", "{"),
        ("docs/databases/documentation-manifest.json", "{"),
    ] {
        let before = world.snapshots.borrow().reads;
        world.write(file, text);
        world.until(file, |now| now.reads > before);
    }
    let problems = world.snapshots.borrow().diagnostics.clone();
    let of_config = problems.iter().find(|problem| problem.file.as_deref() == Some(".jaato/databases.yaml"));
    assert!(of_config.is_some_and(refdesk_text::report::Diagnostic::is_error), "{problems:?}");
    let seen = overview(&world);
    assert!(seen.databases.is_empty());
    assert!(seen.problems.len() >= 3, "{:?}", seen.problems);
}

#[test]
fn changes_to_a_page_are_marked() {
    let world = world();
    let run = prepared(&world).number;
    world.ask(Request::WriteDatabases(run));
    let page = overview(&world).databases[0].domains[0].tables[0].page.clone().unwrap();
    let text = std::fs::read_to_string(world.at(&page)).unwrap();
    world.overwrite(&page, &format!("{text}\nMine.\n"));
    Connection::open(world.at("app.db")).unwrap().execute_batch("ALTER TABLE purchase ADD COLUMN note TEXT").unwrap();
    let preview = prepared(&world).preview;
    assert_eq!(preview.edited.iter().map(|it| it.path.as_str()).collect::<Vec<_>>(), [page.as_str()]);
    let diff = preview.edited[0].diff.as_ref().unwrap();
    assert!(diff.lines.iter().any(|line| line.text == "Mine."));
    assert_eq!((preview.changed.len(), preview.new.len()), (1, 0), "{preview:?}");
    world.ask(Request::PauseDatabases);
    // The plan stored by another process records that the table changed.
    let mut desk = Desk::open(options(&world.workspace));
    let read = desk.read_databases(&desk.databases_named(&["app".to_owned()]).unwrap()).unwrap();
    let planned = desk.plan_databases(&read).unwrap();
    desk.store_plan(&super::world::session(), &planned).unwrap();
    let marks: Vec<_> = overview(&world).databases[0].domains[0].tables.iter().map(|table| table.marks).collect();
    assert_eq!(marks.iter().map(|it| (it.is_edited, it.is_stale)).collect::<Vec<_>>(), [(true, false), (false, true)]);
    // A manifest entry that is not a page is not read.
    let Response::DatabasePage(read) =
        world.ask(Request::DatabasePage { database: "app".to_owned(), path: "../a.md".to_owned() })
    else {
        panic!()
    };
    assert_eq!((read.text, read.doc), (None, None));
}

#[test]
fn a_paused_run_resumes() {
    let world = world();
    let run = prepared(&world).number;
    // The run waits to record its plan in the journal, before it writes pages.
    let held = std::fs::File::open(world.at(".jaato/refdesk/lock")).unwrap();
    held.lock().unwrap();
    let written = world.engine.ask(world.engine.session(), Request::WriteDatabases(run));
    world.ask(Request::PauseDatabases);
    drop(held);
    let Some(Response::DatabasesWritten(Ok(report))) = world.runtime.block_on(written) else { panic!() };
    assert_eq!((report.written.len(), report.is_ended), (0, true), "{report:?}");
    let run = prepared(&world);
    assert_eq!(run.preview.new.len(), 6);
    let Response::DatabasesWritten(Ok(report)) = world.ask(Request::WriteDatabases(run.number)) else { panic!() };
    assert_eq!((report.written.len(), report.is_ended), (6, false));
}
