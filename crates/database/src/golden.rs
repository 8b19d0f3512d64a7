//! Two real schemas: their reviewed pages, and how well joins are inferred when the keys are removed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rusqlite::Connection;

use crate::config::{self, DatabasesConfig};
use crate::connector::{AccessibleDatabase, ConnectionEnvironment, sqlite};
use crate::generated::{self, Dialect};
use crate::schema::domains::domains;
use crate::schema::joins::infer;
use crate::schema::notes::Notes;
use crate::schema::page::{PagesInput, pages};
use crate::schema::source_ids::SourceIds;
use crate::schema::table_doc::{DocInput, TableDoc};
use crate::snapshot::{Snapshot, Table};

const CHINOOK: &str = include_str!("../../../tests/data/databases/chinook.sql");
const NORTHWIND: &str = include_str!("../../../tests/data/databases/northwind.sql");

fn config(name: &str) -> DatabasesConfig {
    let text = format!("databases: [{{name: {name}, type: sqlite, connection: {{file: a.db}}}}]");
    config::read(&text, "f").0
}

fn snapshot(sql: &str) -> Snapshot {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap().join("a.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let (config, around) = (config("a"), ConnectionEnvironment::default());
    let reachable =
        AccessibleDatabase { config: &config.databases[0], file: path, address: Default::default(), around };
    let reading = sqlite::snapshot(&reachable, "a.db").unwrap();
    assert_eq!(reading.problems, []);
    reading.snapshot
}

/// All pages of a kind in one text.
fn all_pages(name: &str, sql: &str, ending: &str) -> String {
    let (config, snapshot, notes) = (config(name), snapshot(sql), Notes::default());
    let config = &config.databases[0];
    let (joins, profiles) = (infer(&snapshot, &notes), BTreeMap::new());
    let input = DocInput { config, snapshot: &snapshot, notes: &notes, joins: &joins, profiles: &profiles };
    let docs: Vec<(&Table, TableDoc)> = snapshot.tables.iter().zip(input.docs()).collect();
    let domains = domains(&snapshot, &[], &BTreeMap::new());
    let ids = SourceIds::default();
    let input = PagesInput { config, docs_path: "docs/databases", tables: &docs, domains: &domains, ids: &ids };
    let all = pages(&input);
    assert_eq!(all, pages(&input), "the same input, the same bytes");
    let wanted = all.iter().filter(|page| page.path.ends_with(ending));
    wanted.map(|page| format!("=== {}\n{}", page.path, page.text)).collect()
}

#[test]
fn pages_of_chinook() {
    insta::assert_snapshot!("chinook", all_pages("chinook", CHINOOK, ".md"));
    insta::assert_snapshot!("chinook_invoice", all_pages("chinook", CHINOOK, "main.Invoice.json"));
}

#[test]
fn pages_of_northwind() {
    insta::assert_snapshot!("northwind", all_pages("northwind", NORTHWIND, ".md"));
}

type Edge = (String, Vec<String>, String, Vec<String>);

fn keys(snapshot: &Snapshot) -> BTreeSet<Edge> {
    let of = |table: &Table| {
        let name = table.full_name();
        let edge = move |key: &crate::snapshot::ForeignKey| {
            (name.clone(), key.columns.clone(), key.target.full(), key.target_columns.clone())
        };
        table.foreign_keys.iter().map(edge).collect::<Vec<Edge>>()
    };
    snapshot.tables.iter().flat_map(of).collect()
}

/// Precision and recall of inferred joins, in percent, when the keys of a schema are removed.
fn score(sql: &str) -> (usize, usize) {
    let mut snapshot = snapshot(sql);
    let real = keys(&snapshot);
    snapshot.tables.iter_mut().for_each(|table| table.foreign_keys.clear());
    let inferred: BTreeSet<Edge> = infer(&snapshot, &Notes::default())
        .of
        .into_iter()
        .flat_map(|(table, joins)| {
            let edge = move |join: crate::schema::joins::InferredJoin| {
                (table.full(), join.columns, join.target.full(), join.target_columns)
            };
            joins.into_iter().map(edge).collect::<Vec<Edge>>()
        })
        .collect();
    let right = inferred.intersection(&real).count();
    (right * 100 / inferred.len().max(1), right * 100 / real.len().max(1))
}

#[test]
#[allow(clippy::print_stderr, reason = "the figures are of interest")]
fn joins_are_inferred_without_keys() {
    let company = generated::company();
    let count = |of: fn(&generated::TableSpec) -> usize| company.iter().map(of).sum::<usize>();
    assert_eq!((company.len(), count(|it| it.columns.len()), count(|it| it.foreign_keys.len())), (250, 2_659, 314));
    let company = generated::sql(&company, Dialect::Sqlite);
    for (name, sql) in [("chinook", CHINOOK), ("northwind", NORTHWIND), ("company", &company)] {
        let (precision, recall) = score(sql);
        eprintln!("{name}: precision {precision} %, recall {recall} %");
        assert!(precision >= 95 && recall >= 75, "{name}: precision {precision} %, recall {recall} %");
    }
}
