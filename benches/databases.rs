//! Databases of 1,000 and 10,000 tables as whole processes: planned, documented, and documented again. Next to each
//! figure is a floor from the same run: writing or reading the same bytes, and `pg_dump -s` if PostgreSQL is installed.
//! Medians, warm cache. The output of a run is moved away, not removed, because creating files is slow after many were
//! removed.

#![allow(
    missing_docs,
    clippy::restriction,
    clippy::disallowed_methods,
    reason = "a benchmark prints, and stops where it cannot measure"
)]

#[path = "../tests/support/databases.rs"]
#[allow(dead_code, reason = "tests use the rest")]
mod databases;
mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use databases::{Dialect, many_tables, sql};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use support::{Workspace, refdesk, report, time, time_alternately};

const RUNS: usize = 5;

/// A workspace with one database that has this connection.
fn workspace(kind: &str, connection: &str) -> Workspace {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = format!("databases: [{{name: shop, type: {kind}, connection: {{{connection}}}}}]\n");
    fs::create_dir_all(folder.path().join(".jaato")).unwrap();
    fs::write(folder.path().join(".jaato/databases.yaml"), text).unwrap();
    Workspace { folder, documents: Vec::new(), entries: Vec::new() }
}

fn sqlite(tables: usize) -> Workspace {
    let made = workspace("sqlite", "file: shop.db");
    let connection = rusqlite::Connection::open(made.folder.path().join("shop.db")).unwrap();
    connection.execute_batch(&sql(&many_tables(tables), Dialect::Sqlite)).unwrap();
    made
}

/// Creates a folder with an unused name in `folder`.
fn new_in(folder: &Path) -> PathBuf {
    let made = folder.join(fs::read_dir(folder).unwrap().count().to_string());
    fs::create_dir(&made).unwrap();
    made
}

/// Moves everything that runs wrote into a new folder in `gone`.
fn forget(workspace: &Workspace, gone: &Path) {
    let gone = new_in(gone);
    for name in ["docs", ".jaato/refdesk", ".jaato/references", ".jaato/databases"] {
        let to = gone.join(name.trim_start_matches(".jaato/"));
        let _ = fs::rename(workspace.folder.path().join(name), to);
    }
}

/// The pages and catalog entries, with their bytes.
fn pages(workspace: &Workspace) -> Vec<(PathBuf, Vec<u8>)> {
    let root = workspace.folder.path();
    let mut open = vec![root.join("docs"), root.join(".jaato/references")];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push((path.strip_prefix(root).unwrap().to_path_buf(), fs::read(&path).unwrap())),
            }
        }
    }
    found
}

/// Writes the pages. Returns how long that took, and how long until they were on the disk, because a run waits for that
/// too.
fn write(root: &Path, pages: &[(PathBuf, Vec<u8>)]) -> [Duration; 2] {
    let began = Instant::now();
    for (path, bytes) in pages {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), bytes).unwrap();
    }
    let written = began.elapsed();
    if cfg!(target_os = "linux") {
        time(Command::new("sync").arg("-f").arg(root));
    }
    [written, began.elapsed()]
}

fn read(root: &Path, pages: &[(PathBuf, Vec<u8>)]) -> Duration {
    let began = Instant::now();
    let bytes: usize = pages.iter().map(|(path, _)| fs::read(root.join(path)).unwrap().len()).sum();
    assert!(bytes > 0);
    began.elapsed()
}

/// The latest modification time of everything that runs write.
fn newest(workspace: &Workspace) -> std::time::SystemTime {
    let root = workspace.folder.path();
    let changed = |(path, _): &(PathBuf, Vec<u8>)| fs::metadata(root.join(path)).unwrap().modified().unwrap();
    pages(workspace).iter().map(changed).max().unwrap()
}

fn planned(what: &str, workspace: &Workspace, most: f64, floor: impl FnMut() -> Duration) -> [Duration; 2] {
    let gone = tempfile::tempdir().unwrap();
    let ours = || {
        forget(workspace, gone.path());
        time(&mut refdesk(workspace, &["db", "plan"]))
    };
    let times = time_alternately(RUNS, ours, floor);
    report(&format!("{what} planned"), times[0].as_secs_f64(), most, " s");
    times
}

fn documented(what: &str, workspace: &Workspace) {
    let document = || time(&mut refdesk(workspace, &["db", "document", "--yes"]));
    let (gone, copies) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    forget(workspace, gone.path());
    document();
    let pages = pages(workspace);
    let bytes: usize = pages.iter().map(|(_, bytes)| bytes.len()).sum();
    let first = || {
        forget(workspace, gone.path());
        document()
    };
    let mut unsynced = Vec::new();
    let copied = || {
        let [written, synced] = write(&new_in(copies.path()), &pages);
        unsynced.push(written);
        synced
    };
    let [ours, floor] = time_alternately(RUNS, first, copied);
    unsynced.sort_unstable();
    let copy = copies.path().join("0");
    println!(
        "{what} documented: {ours:?}; writing its {} files of {} KiB to the disk: {floor:?}, of which without the disk {:?}",
        pages.len(),
        bytes / 1024,
        unsynced[unsynced.len() / 2]
    );
    report(&format!("{what} documented"), ours.as_secs_f64(), 2.0, " s");
    report(&format!("{what} documented ÷ writing the same"), ours.as_secs_f64() / floor.as_secs_f64(), 4.0, "×");
    let before = newest(workspace);
    let [again, floor] = time_alternately(RUNS, document, || read(&copy, &pages));
    assert_eq!(newest(workspace), before, "nothing changed, so nothing is written");
    println!("{what} documented again: {again:?}; reading the same bytes: {floor:?}");
    report(&format!("{what} documented again"), again.as_secs_f64(), 0.6, " s");
}

/// The peak memory of a run, in MiB.
fn memory(command: &mut Command) -> f64 {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0_u32;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(now.unwrap_or(0));
        std::thread::yield_now();
    }
    f64::from(most) / 1024.0
}

fn on_sqlite(_: &mut Criterion) {
    let small = sqlite(1_000);
    planned("1,000 tables of SQLite", &small, 0.15, || Duration::ZERO);
    documented("1,000 tables of SQLite", &small);
    let large = sqlite(10_000);
    planned("10,000 tables of SQLite", &large, 3.0, || Duration::ZERO);
    report("10,000 tables of SQLite planned", memory(&mut refdesk(&large, &["db", "plan"])), 250.0, " MiB");
}

fn on_postgres(_: &mut Criterion) {
    let Some(server) = refdesk_postgres::testing::TestServer::start() else { return };
    let folder = server.folder().display().to_string();
    let made = |name: &str, tables: usize| {
        server.database(name);
        server.run(name, &sql(&many_tables(tables), Dialect::Postgres));
        let connection = format!("host: \"{folder}\", port: {}, database: {name}, user: refdesk", server.port());
        let made = workspace("postgres", &connection);
        let root = made.folder.path();
        let context = WorkspaceContext { workspace: root.into(), current: root.into(), ..WorkspaceContext::default() };
        let state = Some(Path::new(support::STATE).join("refdesk"));
        let desk = Desk::open(Options { state, ..Options::new(context) });
        desk.trust(&desk.untrusted()).unwrap();
        made
    };
    let dump = |name: &str| {
        let mut command = Command::new("pg_dump");
        command.args(["-s", "-h", &folder, "-p", &server.port().to_string(), "-U", "refdesk", name]);
        time(&mut command)
    };
    let small = made("small", 1_000);
    let [ours, theirs] = planned("1,000 tables of PostgreSQL", &small, 0.5, || dump("small"));
    println!("1,000 tables of PostgreSQL planned: {ours:?}; pg_dump -s: {theirs:?}");
    documented("1,000 tables of PostgreSQL, never analysed", &small);
    server.run("small", "ANALYZE");
    documented("1,000 tables of PostgreSQL, analysed", &small);
    let large = made("large", 10_000);
    let [ours, theirs] = planned("10,000 tables of PostgreSQL", &large, 3.0, || dump("large"));
    println!("10,000 tables of PostgreSQL planned: {ours:?}; pg_dump -s: {theirs:?}");
    report("10,000 tables of PostgreSQL planned ÷ pg_dump -s", ours.as_secs_f64() / theirs.as_secs_f64(), 1.0, "×");
    report("10,000 tables of PostgreSQL planned", memory(&mut refdesk(&large, &["db", "plan"])), 250.0, " MiB");
}

criterion_group!(benches, on_sqlite, on_postgres);
criterion_main!(benches);
