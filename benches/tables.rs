//! Finding and joining the tables of a documented database of 1,000 tables and 14,000 columns: building the index by
//! words; `search` as a whole process, compared with the `sqlite3` command line over the same words; the same in a
//! server; and join paths, in this process and as a whole process.

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
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use databases::{Dialect, many_tables, sql};
use refdesk_core::config::WorkspaceContext;
use refdesk_desk::{Desk, Options};
use serde_json::{Value, json};
use support::mcp::Session;
use support::{Workspace, refdesk, report, time, time_alternately};

const RUNS: usize = 11;

/// A workspace with the pages of 1,000 tables.
fn documented() -> Workspace {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let root = folder.path();
    fs::create_dir_all(root.join(".jaato")).unwrap();
    let text = "databases: [{name: shop, type: sqlite, connection: {file: shop.db}, sampling: none}]\n";
    fs::write(root.join(".jaato/databases.yaml"), text).unwrap();
    // Otherwise, a server would compute vectors during the measurement.
    let settings = json!({"version": "1.0", "index": {"background": false}, "sources": []});
    fs::write(root.join("references.json"), settings.to_string()).unwrap();
    let connection = rusqlite::Connection::open(root.join("shop.db")).unwrap();
    connection.execute_batch(&sql(&many_tables(1_000), Dialect::Sqlite)).unwrap();
    let made = Workspace { folder, documents: Vec::new(), entries: Vec::new() };
    time(&mut refdesk(&made, &["db", "document", "--yes"]));
    made
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn sqlite(file: &Path, sql: &str) -> Duration {
    time(Command::new("sqlite3").arg(file).arg(sql))
}

fn search(workspace: &Workspace) {
    let file = workspace.folder.path().join(".jaato/refdesk/index.db");
    let index = || time(&mut refdesk(workspace, &["index", "--words-only", "--fresh"]));
    index();
    let documents: f64 = rusqlite::Connection::open(&file)
        .unwrap()
        .query_row("SELECT count(*) FROM documents", (), |row| row.get(0))
        .unwrap();
    let again = format!(
        "ATTACH '{}' AS i; CREATE TABLE d AS SELECT * FROM i.documents WHERE 0;
         CREATE VIRTUAL TABLE f USING fts5(title, words, content, tokenize = 'porter unicode61 remove_diacritics 2');
         BEGIN; INSERT INTO d SELECT * FROM i.documents; INSERT INTO f SELECT heading, keywords, content FROM i.documents;
         COMMIT;",
        file.display()
    );
    let beside = workspace.folder.path().join("copy.db");
    let copied = || {
        let _ = fs::remove_file(&beside);
        sqlite(&beside, &again)
    };
    let [ours, floor] = time_alternately(5, index, copied);
    println!("{documents} documents indexed by words: {ours:?}; copied by sqlite3 in one transaction: {floor:?}");
    report("1,000 documents indexed by words", milliseconds(ours) / documents * 1e3, 1_000.0 / 12.0, " ms");
    let nothing = || time(&mut refdesk(workspace, &["index", "--words-only"]));
    println!("nothing changed: {:?}", time_alternately(RUNS, nothing, || Duration::ZERO)[0]);

    let sql =
        "SELECT rowid FROM documents_fts WHERE documents_fts MATCH 'order OR price OR customer' ORDER BY rank LIMIT 50";
    let ours = || time(&mut refdesk(workspace, &["search", "order price customer"]));
    let [ours, floor] = time_alternately(RUNS * 2, ours, || sqlite(&file, sql));
    println!("search, three frequent words: {ours:?}; sqlite3: {floor:?}");
    report("search, above sqlite3", milliseconds(ours) - milliseconds(floor), 15.0, " ms");
}

/// The same searches in a warm server, for an agent that may read every page.
fn served(workspace: &Workspace) {
    let listed = refdesk(workspace, &["list", "--format", "json"]).output().unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mut session = Session::start(workspace);
    let ids: Vec<&str> = listed["sources"].as_array().unwrap().iter().filter_map(|it| it["id"].as_str()).collect();
    session.call("selectReferences", &json!({"ids": ids}));
    let queries = ["order price customer", "which parcels does a driver deliver", "stock of an item in a bin"];
    let mut ask = |query: &str| session.call("search_documents", &json!({"query": query}));
    for query in queries {
        ask(query);
    }
    let mut times: Vec<Duration> = (0..RUNS * 10).map(|at| ask(queries[at % queries.len()])).collect();
    session.end();
    times.sort_unstable();
    report("search over MCP, warm", milliseconds(times[times.len() / 2]), 8.0, " ms");
    report("search over MCP, warm, 95 of 100", milliseconds(times[times.len() * 95 / 100]), 25.0, " ms");
}

fn paths(workspace: &Workspace) {
    let root = workspace.folder.path();
    let context = WorkspaceContext { workspace: root.into(), current: root.into(), ..WorkspaceContext::default() };
    let state = Some(Path::new(support::STATE).join("refdesk"));
    let desk = Desk::open(Options { state, ..Options::new(context) });
    let ask = || {
        let began = Instant::now();
        let found = desk.whole_database_view().unwrap().paths("customer_00001", "bin_00400", None).unwrap();
        assert!(!found.answer.paths.is_empty());
        began.elapsed()
    };
    println!("join path, the first time: {:?}", ask());
    let mut times: Vec<Duration> = (0..RUNS * 5).map(|_| ask()).collect();
    times.sort_unstable();
    report("join path over 1,000 tables, within the process", milliseconds(times[times.len() / 2]), 5.0, " ms");
    let process = || time(&mut refdesk(workspace, &["db", "path", "customer_00001", "bin_00400"]));
    println!("join path, whole process: {:?}", time_alternately(RUNS, process, || Duration::ZERO)[0]);
}

fn tables(_: &mut Criterion) {
    let workspace = documented();
    search(&workspace);
    served(&workspace);
    paths(&workspace);
}

criterion_group!(benches, tables);
criterion_main!(benches);
