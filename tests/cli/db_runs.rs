//! `db document` runs that are killed, concurrent, or on a full disk; and names that are hard to write.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use refdesk_postgres::testing::TestServer;
use rustix::process::Signal;
use serde_json::Value;

use crate::support::databases::{Dialect, MARK, many_tables, odd_tables, sql};
use crate::support::program::{LIMIT, ProgramRun, finish, kill, run, signal};
use crate::support::workspace::Workspace;
use refdesk_files::scale::scaled;

const CONFIG: &str = "databases:\n  - name: shop\n    type: sqlite\n    connection: { file: shop.db }\n";
const MANIFEST: &str = "docs/databases/documentation-manifest.json";
const PLAN: &str = ".jaato/databases/documentation-plan.json";
const DOCUMENT: [&str; 3] = ["db", "document", "--yes"];

/// Counts refdesk's statements that wait for a lock.
const ACTIVE: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'refdesk' AND wait_event_type = 'Lock'";

fn world(statements: &str) -> Workspace {
    let world = Workspace::with(&[(".jaato/databases.yaml", CONFIG)]);
    rusqlite::Connection::open(world.path.join("shop.db")).unwrap().execute_batch(statements).unwrap();
    world
}

/// The files below these folders, by path relative to `root`.
fn files(root: &Path, folders: &[&str]) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root.join(folder)).collect();
    let mut found = BTreeMap::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if let Ok(bytes) = fs::read(&path) {
                // Another process may have renamed it meanwhile.
                found.insert(path.strip_prefix(root).unwrap().to_path_buf(), bytes);
            }
        }
    }
    found
}

/// The number of files below a folder. Reading them would miss the moment that a test waits for.
fn count(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| if entry.file_type().is_ok_and(|it| it.is_dir()) { count(&entry.path()) } else { 1 }).sum()
}

/// Everything that a run wrote outside its state folder, without times.
fn outcome(world: &Workspace) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(&world.path, &["docs", ".jaato/references", ".jaato/databases"]);
    for name in [MANIFEST, PLAN] {
        let mut json: Value = serde_json::from_str(&world.read(name)).unwrap();
        for key in ["completed_at", "generated_at"] {
            json.as_object_mut().unwrap().remove(key);
        }
        for file in json["indexable_files"].as_array_mut().into_iter().flatten() {
            file.as_object_mut().unwrap().remove("modified_at");
        }
        found.insert(name.into(), json.to_string().into_bytes());
    }
    found
}

fn spawn(world: &Workspace) -> std::process::Child {
    let mut command = world.command(&DOCUMENT);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_run_killed_at_any_moment_is_finished_by_the_next() {
    let rounds = scaled(25, 200);
    let statements = sql(&many_tables(scaled(15, 30)), Dialect::Sqlite);
    let whole = world(&statements);
    whole.run(&DOCUMENT).exits(0);
    let expected = outcome(&whole);
    let pages = files(&whole.path, &["docs"]).len();
    let (mut died, mut midway) = (0, 0);
    for round in 0..rounds {
        let world = world(&statements);
        let mut child = spawn(&world);
        let begin = Instant::now();
        // A different moment in each round, from before the first file to after the last.
        let moment = round * 37 % (pages + 4);
        let has_come = || match moment {
            0 => true,
            1 => world.path.join(PLAN).exists(),
            2 => world.path.join(".jaato/refdesk/db/documenter-progress.json").exists(),
            3 => world.path.join(".jaato/references").exists(),
            written => count(&world.path.join("docs")) >= written - 3,
        };
        while child.try_wait().unwrap().is_none() && !has_come() {
            assert!(begin.elapsed() < LIMIT, "the moment never comes");
            std::thread::yield_now();
        }
        kill(child.id());
        died += usize::from(!child.wait().unwrap().success());
        let left = files(&world.path, &["docs"]);
        midway += usize::from(!left.is_empty() && left.len() < pages);
        for (path, bytes) in left.iter().filter(|(path, _)| !path.to_string_lossy().contains(".refdesk-")) {
            if !path.ends_with("documentation-manifest.json") {
                assert_eq!(Some(bytes), expected.get(path), "round {round}: {} is not whole", path.display());
            }
        }
        world.run(&DOCUMENT).exits(0);
        assert_eq!(outcome(&world).keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "round {round}");
        assert_eq!(outcome(&world), expected, "round {round}");
        let told = world.run(&["db", "document", "--json"]).exits(0).json();
        assert_eq!(
            (&told["written"], &told["edited"]),
            (&Value::Array(Vec::new()), &Value::Array(Vec::new())),
            "{told}"
        );
    }
    assert!(died >= rounds / 2 && midway >= rounds / 8, "only {died} died, {midway} midway");
}

#[test]
fn a_second_run_leaves_the_first_alone() {
    let world = world(&sql(&many_tables(200), Dialect::Sqlite));
    let mut first = spawn(&world);
    let id = i32::try_from(first.id()).ok().and_then(rustix::process::Pid::from_raw).unwrap();
    let begin = Instant::now();
    let is_begun = || !files(&world.path, &["docs"]).is_empty();
    // Not while it holds the lock, because the second run would wait for it.
    let is_storing = || {
        let lock = fs::File::open(world.path.join(".jaato/refdesk/lock"));
        lock.is_ok_and(|lock| lock.try_lock().is_err())
    };
    loop {
        assert!(begin.elapsed() < LIMIT && first.try_wait().unwrap().is_none());
        if is_begun() {
            rustix::process::kill_process(id, rustix::process::Signal::STOP).unwrap();
            if !is_storing() {
                break;
            }
            rustix::process::kill_process(id, rustix::process::Signal::CONT).unwrap();
        }
        std::thread::yield_now();
    }
    let told = world.run(&DOCUMENT).exits(1);
    assert!(told.stderr.contains(&format!("another run is documenting databases here: process {id}")), "{told}");
    world.run(&["db", "status"]).exits(0);
    rustix::process::kill_process(id, rustix::process::Signal::CONT).unwrap();
    assert!(first.wait().unwrap().success());
    world.run(&["db", "diff"]).exits(0);
}

#[test]
fn without_room_no_file_is_torn() {
    let statements = sql(&many_tables(60), Dialect::Sqlite);
    let whole = world(&statements);
    whole.run(&DOCUMENT).exits(0);
    let expected = outcome(&whole);
    // Files have a size limit: with the first, even the record of the planned writes does not fit; with the second, the
    // manifest does not.
    for (kib, is_begun) in [(8, false), (32, true)] {
        let world = world(&statements);
        world.run(&["db", "plan"]).exits(0);
        let told = run(&mut world.without_room(kib, &DOCUMENT), None).exits(1);
        assert!(told.stderr.contains("raise the limit on the size of files"), "{told}");
        assert_eq!(world.path.join("docs").exists(), is_begun, "{told}");
        assert!(!world.path.join(MANIFEST).exists());
        world.run(&DOCUMENT).exits(0);
        assert_eq!(outcome(&world), expected);
    }
}

/// A disk that is really full. The kernel must let this user mount a file system in memory.
#[cfg(target_os = "linux")]
#[test]
#[allow(clippy::print_stderr, reason = "a test that is left out says so")]
fn on_a_full_disk_no_file_is_torn() {
    if !Command::new("unshare").args(["-rm", "true"]).output().is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: this user may not mount a file system");
        return;
    }
    let statements = sql(&many_tables(60), Dialect::Sqlite);
    let whole = world(&statements);
    whole.run(&DOCUMENT).exits(0);
    let expected = outcome(&whole);
    let world = world(&statements);
    fs::create_dir_all(world.path.join("docs")).unwrap();
    // The files are copied before the file system disappears.
    let script = "mount -t tmpfs -o size=160k none docs || exit 3; \"$0\" \"$@\"; code=$?; cp -r docs kept; exit $code";
    let told = run(&mut world.started_by(&["unshare", "-rm", "sh", "-c", script], &DOCUMENT), None).exits(1);
    assert!(told.stderr.contains("free some disk space"), "{told}");
    let kept = files(&world.path.join("kept"), &["."]);
    assert!(kept.len() > 8 && kept.len() < expected.len() - 8, "{}", kept.len());
    for (path, bytes) in &kept {
        assert_eq!(Some(bytes), expected.get(&Path::new("docs").join(path)), "{}", path.display());
    }
    // With room again, the pages are as the first run left them.
    fs::remove_dir(world.path.join("docs")).unwrap();
    fs::rename(world.path.join("kept"), world.path.join("docs")).unwrap();
    world.run(&DOCUMENT).exits(0);
    let mut found = outcome(&world);
    found.retain(|path, _| !path.starts_with("kept"));
    assert_eq!(found, expected);
}

/// Runs twice: nothing is written outside the folders, no marked value is in any page, and the second run changes
/// nothing.
fn documents_odd_names(world: &Workspace, tables: usize) {
    let told = world.run(&["db", "document", "--yes", "--json"]).exits(0).json();
    assert_eq!(told["failed"], Value::Array(Vec::new()), "{told}");
    let pages = files(&world.path, &["docs"]);
    assert_eq!(pages.keys().filter(|path| path.parent().is_some_and(|it| it.ends_with("tables"))).count(), 2 * tables);
    for (path, bytes) in files(&world.path, &["."]) {
        let is_ours =
            ["./docs", "./.jaato", "./shop.db", "docs", ".jaato", "shop.db"].iter().any(|it| path.starts_with(it));
        assert!(is_ours, "{}", path.display());
        let name = path.file_name().unwrap().to_string_lossy().to_lowercase();
        assert!(!name.starts_with("con.") && !name.contains(['\n', '|', '"', '<', '\u{202e}']), "{name}");
        if !path.ends_with("shop.db") {
            assert!(!String::from_utf8_lossy(&bytes).contains(MARK), "{}", path.display());
        }
    }
    let lower: std::collections::BTreeSet<String> =
        pages.keys().map(|path| path.to_string_lossy().to_lowercase()).collect();
    assert_eq!(lower.len(), pages.len(), "no two differ in case alone");
    let told = world.run(&["db", "document"]).exits(0);
    assert!(told.text().starts_with("Up to date"), "{told}");
    world.run(&["db", "check"]);
    world.run(&["list"]).exits(0);
}

#[test]
fn odd_names_become_pages() {
    documents_odd_names(&world(&odd_tables(Dialect::Sqlite)), 15);
}

/// Presses Ctrl-C as soon as the condition holds.
fn interrupt(world: &Workspace, holds: impl Fn() -> bool) -> ProgramRun {
    let mut command = world.command(&DOCUMENT);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LIMIT, "the moment never comes");
        std::thread::yield_now();
    }
    signal(child.id(), Signal::INT);
    finish("db document".to_owned(), child, None)
}

#[test]
fn ctrl_c_ends_a_run_after_the_current_table_and_the_next_run_resumes_there() {
    let statements = sql(&many_tables(scaled(100, 300)), Dialect::Sqlite);
    let (whole, broken) = (world(&statements), world(&statements));
    whole.run(&DOCUMENT).exits(0);
    let progress = broken.path.join(".jaato/refdesk/db/documenter-progress.json");
    let told = interrupt(&broken, || progress.exists()).exits(130);
    assert!(told.stderr.contains("stopped after "), "{told}");
    assert!(told.stderr.contains("written pages stay"), "{told}");
    assert!(!told.text().contains("Descriptions: "), "it would count tables without a page: {told}");
    assert!(told.stderr.contains("`refdesk db document` continues from there"), "{told}");
    let written = files(&broken.path, &["docs"]).len();
    broken.run(&DOCUMENT).exits(0);
    assert!(written < files(&broken.path, &["docs"]).len(), "{written}");
    assert_eq!(outcome(&broken), outcome(&whole));
}

#[test]
fn ctrl_c_cancels_running_queries() {
    let Some(server) = TestServer::start() else { return };
    server.database("slow");
    server.run("slow", &sql(&many_tables(60), Dialect::Postgres));
    let (folder, port) = (server.folder(), server.port());
    let connection = format!("{{host: {folder:?}, port: {port}, database: slow, user: refdesk}}");
    let config = format!("databases: [{{name: slow, type: postgres, connection: {connection}}}]\n");
    let world = Workspace::with(&[(".jaato/databases.yaml", &config)]);
    world.run(&DOCUMENT).exits(1);
    world.trust("home/.local/state/refdesk");
    // Each sample waits a second for its locked table.
    let locked = server.locked("slow");
    let active = || server.count("slow", ACTIVE) > 0;
    let told = interrupt(&world, active).exits(130);
    assert_eq!(server.count("slow", ACTIVE), 0, "it is cancelled at the server");
    assert!(told.stderr.contains("reading the databases was stopped, and nothing was written"), "{told}");
    assert!(files(&world.path, &["docs/databases"]).keys().all(|path| path.extension().is_none_or(|it| it != "md")));
    drop(locked);
    world.run(&DOCUMENT).exits(0);
}

/// The pages without the manifest, which records whether a run was complete.
fn pages(world: &Workspace) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(&world.path, &["docs"]);
    found.remove(Path::new(MANIFEST));
    found
}

#[test]
fn a_connection_that_is_lost_while_values_are_read_leaves_the_pages_alone() {
    let Some(server) = TestServer::start() else { return };
    server.database("shaky");
    server.run("shaky", &sql(&many_tables(20), Dialect::Postgres));
    let (folder, port) = (server.folder(), server.port());
    let connection = format!("{{host: {folder:?}, port: {port}, database: shaky, user: refdesk}}");
    let config = format!("databases: [{{name: shaky, type: postgres, connection: {connection}}}]\n");
    let world = Workspace::with(&[(".jaato/databases.yaml", &config)]);
    world.run(&DOCUMENT).exits(1);
    world.trust("home/.local/state/refdesk");
    world.run(&DOCUMENT).exits(0);
    let (before, pages) = (outcome(&world), pages(&world));
    // Each sample waits for its locked table, and the connection is ended during each attempt.
    let locked = server.locked("shaky");
    let mut command = world.command(&DOCUMENT);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let begin = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < LIMIT, "it never ends");
        server.count("shaky", &ACTIVE.replace("count(*)", "count(pg_terminate_backend(pid))"));
    }
    let told = finish("db document".to_owned(), child, None).exits(1);
    assert!(told.stderr.contains("'shaky': the database cannot be reached"), "{told}");
    assert!(self::pages(&world) == pages, "{told}");
    drop(locked);
    let told = world.run(&DOCUMENT).exits(0);
    assert!(outcome(&world) == before, "{told}");
}

/// The script may change after it was checked, and a person may have to confirm each run.
#[test]
fn the_program_of_a_password_runs_once() {
    let Some(server) = TestServer::start() else { return };
    server.database("once");
    server.run("once", "CREATE TABLE t (n int); INSERT INTO t VALUES (7)");
    let connection = format!(
        "{{host: {:?}, port: {}, database: once, user: refdesk, password_command: sh ./pw.sh}}",
        server.folder(),
        server.port()
    );
    let config = format!("databases: [{{name: once, type: postgres, connection: {connection}}}]\n");
    let world = Workspace::with(&[(".jaato/databases.yaml", &config)]);
    let script = world.path.join("pw.sh");
    let again = world.path.join("again");
    world.put("pw.sh", format!("echo x; echo 'touch {again:?}; exit 1' >{script:?}\n").as_bytes());
    world.trust("home/.local/state/refdesk");
    let told = world.run(&DOCUMENT).exits(0);
    assert!(!world.path.join("again").exists(), "{told}");
    let has_statistics = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).contains("1 distinct value");
    assert!(pages(&world).values().any(has_statistics), "{told}");
}

#[test]
fn a_table_that_another_transaction_has_locked_keeps_its_pages() {
    let Some(server) = TestServer::start() else { return };
    server.database("busy");
    let table = "(id int PRIMARY KEY, n int DEFAULT 7 CHECK (n > 0))";
    server.run("busy", &format!("CREATE TABLE held {table}; CREATE SCHEMA free; CREATE TABLE free.open {table}"));
    let (folder, port) = (server.folder(), server.port());
    let connection = format!("{{host: {folder:?}, port: {port}, database: busy, user: refdesk}}");
    let config = format!("databases: [{{name: busy, type: postgres, connection: {connection}}}]\n");
    let world = Workspace::with(&[(".jaato/databases.yaml", &config)]);
    world.run(&DOCUMENT).exits(1);
    world.trust("home/.local/state/refdesk");
    world.run(&DOCUMENT).exits(0);
    let before = pages(&world);
    let locked = server.locked("busy");
    let warning = "public.held is locked by another transaction, so its pages stay as they are";
    for command in [&DOCUMENT[..], &["db", "diff"], &["db", "status"]] {
        let told = world.run(command).exits(0);
        assert!(told.stderr.contains(warning) && told.stderr.contains("when that transaction has ended"), "{told}");
        assert!(pages(&world) == before && !told.text().contains("out of date"), "{told}");
    }
    server.run("busy", "ALTER TABLE free.open ADD COLUMN more text");
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().starts_with("busy: free.open.more  new column"), "{told}");
    drop(locked);
    server.run("busy", "ALTER TABLE held ALTER COLUMN n SET DEFAULT 8");
    let told = world.run(&["db", "diff"]).exits(1);
    assert!(told.text().contains("busy: public.held.n   default changed"), "{told}");
}

#[test]
fn odd_names_of_a_server_become_pages() {
    let Some(server) = TestServer::start() else { return };
    server.database("odd");
    server.run("odd", &odd_tables(Dialect::Postgres));
    let (folder, port) = (server.folder(), server.port());
    let connection = format!("{{host: {folder:?}, port: {port}, database: odd, user: refdesk}}");
    for analyse in ["", "ANALYZE"] {
        server.run("odd", analyse);
        let world = Workspace::with(&[(
            ".jaato/databases.yaml",
            &format!("databases: [{{name: shop, type: postgres, connection: {connection}}}]\n"),
        )]);
        let told = world.run(&DOCUMENT).exits(1);
        assert!(told.stderr.contains("waits for trust"), "{told}");
        world.trust("home/.local/state/refdesk");
        documents_odd_names(&world, 16);
    }
}
