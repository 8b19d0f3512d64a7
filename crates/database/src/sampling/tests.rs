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

/// Numbers from 1, for a statement that inserts rows.
fn numbers(count: usize) -> String {
    format!("(WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT {count}) SELECT n FROM n)")
}

/// The values of a sensitive column are also those of columns that refer to it, or that it refers to.
#[test]
fn no_value_of_a_sensitive_column_is_written_as_one_of_another_column() {
    let sql = format!(
        "CREATE TABLE patient (badge TEXT PRIMARY KEY, full_name TEXT UNIQUE, ward TEXT UNIQUE, code TEXT UNIQUE);
         INSERT INTO patient VALUES ('canary-b1', 'Canary Smith', 'canary-w1', 'canary-c1'),
             ('canary-b2', 'Canary Jones', 'canary-w2', 'canary-c2'), ('canary-b3', NULL, NULL, 'ann@example.org'),
             ('canary-b4', NULL, NULL, 'ben@example.org');
         CREATE TABLE visit (id INTEGER PRIMARY KEY, p TEXT REFERENCES patient (badge), who TEXT REFERENCES patient (full_name),
             secret TEXT REFERENCES patient (ward), c TEXT REFERENCES patient (code), patient_badge TEXT);
         INSERT INTO visit SELECT n, 'canary-b' || (1 + n % 2), iif(n % 2, 'Canary Smith', 'Canary Jones'),
             'canary-w' || (1 + n % 2), 'canary-c' || (1 + n % 2), 'canary-b' || (1 + n % 2) FROM {0};
         CREATE TABLE bed (id INTEGER PRIMARY KEY, w TEXT REFERENCES patient (ward));
         INSERT INTO bed SELECT n, 'canary-w' || (1 + n % 2) FROM {0};",
        numbers(400)
    );
    for published in ["", ", publish_values: true"] {
        let out = all_output(&sql, &format!(", sensitive: ['*.patient.badge']{published}"));
        for text in ["canary", "Canary", "aaaaaa-a9", "2 distinct"] {
            assert!(!out.contains(text), "{text}{published}: {out}");
        }
        assert!(out.contains("sensitive (same values: main.patient.code)"), "{out}");
        assert!(out.contains("only the share of nulls, sensitive (same values: main.patient.badge)"), "{out}");
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

/// The first rows of a table are the oldest, and sequential ids there match those of any other table.
#[test]
fn a_join_is_checked_with_rows_from_the_whole_table() {
    let sql = |select: &str| {
        format!(
            "CREATE TABLE region (id INTEGER PRIMARY KEY); INSERT INTO region SELECT n FROM {};
             CREATE TABLE sale (id INTEGER PRIMARY KEY, region_id INTEGER);
             INSERT INTO sale SELECT {select} FROM {};",
            numbers(1_000),
            numbers(20_000)
        )
    };
    for (select, is_kept) in [
        ("n, n", false),
        ("n, 20001 - n", false),
        ("n * 1000, n", false),
        ("CASE n WHEN 20000 THEN 9223372036854775807 ELSE n END, n % 1000 + 1", true),
        ("n, iif(n < 19000, NULL, n % 1000 + 1)", true),
        ("n, iif(n = 19999, 5, NULL)", true),
    ] {
        let is_joined = all_output(&sql(select), "").contains("(inferred:");
        assert_eq!(is_joined, is_kept, "{select}");
    }
    let small = sql("n, n").replace("20000", "900").replace("LIMIT 1000)", "LIMIT 200)");
    assert!(!all_output(&small, "").contains("(inferred:"), "{small}");
}

#[test]
fn a_sample_has_rows_from_the_whole_table() {
    let row = |columns: &str, select: &str| -> String {
        let sql = format!("CREATE TABLE t {columns}; INSERT INTO t SELECT {select} FROM {};", numbers(20_000));
        let all = all_output(&sql, "");
        assert!(all.contains("a sample of 1,000 rows"), "{all}");
        all.lines().find(|line| line.starts_with("| `late`")).unwrap().to_owned()
    };
    for (columns, id) in [
        ("(id INTEGER PRIMARY KEY, late TEXT)", "n"),
        ("(id TEXT, late TEXT)", "n"),
        ("(rowid TEXT, late TEXT)", "n"),
        ("(id INTEGER PRIMARY KEY, late TEXT)", "n * 461168601842738 - 4611686018427387904"),
        ("(id INTEGER PRIMARY KEY, late TEXT)", "n - 10000"),
    ] {
        let row = row(columns, &format!("{id}, iif(n > 5000, 'a' || (n % 2), NULL)"));
        let has = |percent: i32| row.contains(&format!("| {percent}% null; 2 distinct values"));
        assert!((24..=26).any(has), "{columns}, {id}: {row}");
    }
    // These have no row ids, or no name for them that can be used; nearly all places may also lie in a gap.
    for (columns, select) in [
        ("(id INTEGER PRIMARY KEY, late TEXT) WITHOUT ROWID", "n, NULL"),
        ("(rowid TEXT, _rowid_ TEXT, oid TEXT, late TEXT)", "n, n, n, NULL"),
        ("(id INTEGER PRIMARY KEY, late TEXT)", "iif(n < 20000, n, 9223372036854775807), NULL"),
    ] {
        let row = row(columns, select);
        assert!(row.contains("always null in the sample"), "{columns}: {row}");
    }
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
