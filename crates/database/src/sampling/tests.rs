//! The canary law: no output contains a marked value of a sensitive column, in any encoding in use. Also, joins that
//! the values contradict are dropped.

use std::collections::BTreeMap;
use std::fs;

use proptest::prelude::*;
use rusqlite::Connection;

use super::*;
use crate::config::{self, DatabasesConfig};
use crate::connector::{ConnectionEnvironment, SchemaReading, sqlite};
use crate::schema::domains::domains;
use crate::schema::joins::infer;
use crate::schema::notes::Notes;
use crate::schema::page::{PagesInput, pages};
use crate::schema::plan::{PlanEdits, PlanInput, ReadOutcome, make};
use crate::schema::source_ids::SourceIds;
use crate::schema::table_doc::{DocInput, TableDoc};
use crate::snapshot::Table;

/// Everything that would be written about a database, and every error that would be shown.
fn all_output(sql: &str, more: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap().join("a.db");
    Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    let text = format!("databases: [{{name: shop, type: sqlite, connection: {{file: a.db}}{more}}}]");
    let (config, problems) = config::read(&text, "f");
    assert_eq!(problems, []);
    let database = &config.databases[0];
    let (address, around) = Default::default();
    let reachable = AccessibleDatabase { config: database, file: path, address, around };
    let reading = sqlite::snapshot(&reachable, "a.db").unwrap();
    written(&config, &reachable, reading)
}

/// Like [`all_output`], for a schema that was already read.
pub fn written(config: &DatabasesConfig, reachable: &AccessibleDatabase<'_>, reading: SchemaReading) -> String {
    let database = reachable.config;
    let (snapshot, notes) = (reading.snapshot, Notes::default());
    let mut joins = infer(&snapshot, &notes);
    let sampled = sample(reachable, &snapshot, &mut joins);
    let input =
        DocInput { config: database, snapshot: &snapshot, notes: &notes, joins: &joins, profiles: &sampled.profiles };
    let docs: Vec<(&Table, TableDoc)> = snapshot.tables.iter().zip(input.docs()).collect();
    let domains = domains(&snapshot, &[], &BTreeMap::new());
    let ids = SourceIds::default();
    let input = PagesInput { config: database, docs_path: "docs", tables: &docs, domains: &domains, ids: &ids };
    let mut all: String = pages(&input).into_iter().map(|page| page.text).collect();
    let planned = PlanInput { config: database, state: ReadOutcome::Read(&snapshot), notes: &notes };
    all.push_str(&make(config, &[planned], &PlanEdits::default(), "now").0.text());
    all.push_str(&format!("{:?} {:?} {:?}", reading.problems, sampled.problems, joins));
    all
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |sum, byte| (sum << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            out.push(char::from(SIGNS[(group >> (18 - 6 * at)) as usize & 63]));
        }
    }
    out
}

/// The value in every encoding in which it could be written.
pub(super) fn forms(value: &str) -> Vec<String> {
    let hex: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    let percent: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let json = serde_json::to_string(value).unwrap();
    vec![
        value.to_owned(),
        json.trim_matches('"').to_owned(),
        base64(value.as_bytes()),
        hex.to_uppercase(),
        hex,
        percent,
    ]
}

/// A column's name, its type, and its value in a row.
type MarkedColumn = (&'static str, &'static str, fn(usize) -> String);

/// Sensitive columns, each for a different reason.
pub(super) fn marked_columns() -> [MarkedColumn; 19] {
    [
        ("email", "TEXT", |_| "canary-mail".into()),
        ("FirstName", "TEXT", |_| "canary-name".into()),
        ("payload", "JSON", |_| "canary-json".into()),
        ("picked", "TEXT", |_| "canary-configured".into()),
        ("c1", "TEXT", |at| format!("canary{at}@example.org")),
        ("c2", "TEXT", |_| "DE89 3704 0044 0532 0130 00".into()),
        ("c3", "TEXT", |_| "4111 1111 1111 1111".into()),
        ("c4", "TEXT", |_| "+49 30 7654321".into()),
        ("c5", "TEXT", |_| "198.51.100.77".into()),
        ("c6", "TEXT", |_| "Xk29fLq81ZpVw03TbnR7".into()),
        ("c7", "TEXT", |_| {
            "canary words that go on and on, as people write them when they are asked for a remark".into()
        }),
        ("c8", "BLOB", |_| "canary-blob".into()),
        ("c9", "TEXT", |_| "{\"to\": [\"canary@example.org\"]}".into()),
        ("d1", "TEXT", |_| "{canary@example.org,other@example.org}".into()),
        ("d2", "TEXT", |_| "canary (at) example.com".into()),
        ("d3", "BIGINT", |_| "4111111111111111".into()),
        ("d6", "TEXT[]", |_| "{canary@example.org,other@example.org}".into()),
        ("d4", "BIGINT", |_| "4915112345678".into()),
        ("d5", "DOUBLE PRECISION", |at| if at % 2 == 0 { "52.520008" } else { "13.404954" }.into()),
    ]
}

#[test]
fn no_marked_value_of_a_sensitive_column_is_written() {
    let columns = marked_columns();
    let names: Vec<String> = columns.iter().map(|(name, kind, _)| format!("\"{name}\" {kind}")).collect();
    let mut sql = format!("CREATE TABLE t (id INTEGER PRIMARY KEY, {});\n", names.join(", "));
    for at in 0..120 {
        let values: Vec<String> = columns.iter().map(|(_, _, value)| format!("'{}'", value(at))).collect();
        sql.push_str(&format!("INSERT INTO t VALUES ({at}, {});\n", values.join(", ")));
    }
    for sampling in ["none", "statistics", "values"] {
        for published in ["", ", publish_values: true, not_sensitive: ['*.c*']"] {
            let out = all_output(&sql, &format!(", sampling: {sampling}, sensitive: ['*.picked']{published}"));
            for (name, _, value) in &columns {
                // `not_sensitive` overrides what is sensitive by type or width.
                if ["c7", "c8"].contains(name) && !published.is_empty() {
                    continue;
                }
                for form in [0, 7].iter().flat_map(|at| forms(&value(*at))) {
                    assert!(!out.contains(&form), "{name} as {form} with {sampling}{published}");
                }
            }
        }
    }
}

#[test]
fn sets_are_published_only_on_request() {
    let mut sql = "CREATE TABLE t (id INTEGER PRIMARY KEY, state TEXT);\n".to_owned();
    for at in 0..100 {
        sql.push_str(&format!("INSERT INTO t VALUES ({at}, '{}');\n", if at % 2 == 0 { "opened" } else { "closed" }));
    }
    assert!(!all_output(&sql, "").contains("opened"));
    assert!(all_output(&sql, "").contains("2 distinct"));
    assert!(all_output(&sql, ", publish_values: true").contains("One of `closed` or `opened`."));
}

#[test]
fn no_value_set_is_reported_for_a_partly_read_table() {
    // The later rows have other values.
    let rows =
        "WITH RECURSIVE n(at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n LIMIT 1200) SELECT at, at / 400 FROM n";
    let sql = format!("CREATE TABLE t (id INTEGER PRIMARY KEY, grade INTEGER); INSERT INTO t {rows};");
    let out = all_output(&sql, ", publish_values: true");
    assert!(out.contains("a sample of 1,000 rows") && !out.contains("One of"), "{out}");
}

#[test]
fn a_join_that_the_values_contradict_is_dropped() {
    let tables = "CREATE TABLE customer (id INTEGER PRIMARY KEY); CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER);
        INSERT INTO customer SELECT value FROM (WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 50) SELECT value FROM n);";
    let sales = |offset: usize| -> String {
        (1..=40).map(|at| format!("INSERT INTO sale (customer_id) VALUES ({});", at + offset)).collect()
    };
    assert!(all_output(&format!("{tables}{}", sales(0)), "").contains("(inferred:"));
    assert!(!all_output(&format!("{tables}{}", sales(1_000)), "").contains("(inferred:"));
    assert!(
        all_output(&format!("{tables}{}", sales(1_000)), ", sampling: none").contains("(inferred:"),
        "nothing is read"
    );
    assert!(all_output(tables, "").contains("(inferred:"), "there are no rows");
}

#[test]
fn odd_tables_are_sampled_or_reported() {
    let sql = "CREATE TABLE \"a\"\"b\" (\"x'y\" TEXT, \"\" INT, g AS (\"x'y\" || 'z'), big BLOB);
        INSERT INTO \"a\"\"b\" (\"x'y\", big) VALUES ('v', zeroblob(100000));
        CREATE TABLE empty (a);
        CREATE VIEW w AS SELECT 1 AS one;";
    let out = all_output(sql, "");
    assert!(out.contains("x'y"), "{out}");
    // A statement that reads the last column would take about 10¹² steps.
    let doubled: String = (1..=40).map(|at| format!(", c{at} INT AS (c{} + c{})", at - 1, at - 1)).collect();
    let made = "CREATE TABLE t (c0 INT); PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql =";
    let out = all_output(&format!("{made} 'CREATE TABLE t (c0 INT{doubled})'"), "");
    assert!(out.contains("c40") && !out.contains("cannot be sampled"), "{out}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Values of a column named `email` never leave the database.
    #[test]
    fn no_value_of_an_email_column_is_written(value in "[A-Za-z0-9@. é-]{8,30}", count in 1usize..40) {
        prop_assume!(value.trim().len() > 7);
        let rows: String = (0..count).map(|at| format!("INSERT INTO t VALUES ({at}, '{value}');")).collect();
        let out = all_output(&format!("CREATE TABLE t (id INTEGER PRIMARY KEY, email TEXT);{rows}"), ", publish_values: true");
        for form in forms(&value) {
            prop_assert!(!out.contains(&form));
        }
    }
}

/// The marked values of this test do not occur in the fixed text of a page.
#[test]
fn an_empty_database_has_no_profiles() {
    let text = "databases: [{name: shop, type: sqlite, connection: {file: a.db}}]";
    let (config, _) = config::read(text, "f");
    let folder = tempfile::tempdir().unwrap();
    let reachable = AccessibleDatabase {
        config: &config.databases[0],
        file: folder.path().join("none.db"),
        address: Default::default(),
        around: ConnectionEnvironment::default(),
    };
    let sampled = sample(&reachable, &Snapshot::default(), &mut InferredJoins::default());
    assert_eq!((sampled.profiles, sampled.problems), (BTreeMap::new(), Vec::new()));
}

/// An expression from a file can take any time and memory per row, and no limit of SQLite stops it.
#[test]
fn generated_columns_are_not_computed() {
    let columns = "id INTEGER PRIMARY KEY, c TEXT AS (hex(zeroblob(1000))) VIRTUAL, s TEXT";
    let all = all_output(&format!("CREATE TABLE t ({columns}); INSERT INTO t (s) VALUES ('x'), ('x')"), "");
    let row = |name: &str| all.lines().find(|line| line.starts_with(&format!("| `{name}` | `TEXT`"))).unwrap();
    assert!(row("c").ends_with("|  |") && row("s").contains("distinct value"), "{all}");
}
