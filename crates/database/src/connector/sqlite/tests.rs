//! Tests with real files: intact, hostile and damaged ones.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::config;
use crate::connector::ConnectionEnvironment;

fn config(more: &str) -> DatabaseConfig {
    let text = format!("databases: [{{name: a, type: sqlite, connection: {{file: a.db}}{more}}}]");
    let (config, problems) = config::read(&text, "f");
    assert_eq!(problems, []);
    config.databases.into_iter().next().unwrap()
}

struct World {
    _folder: tempfile::TempDir,
    path: std::path::PathBuf,
}

fn world(sql: &str) -> World {
    let folder = tempfile::tempdir().unwrap();
    let path = fs::canonicalize(folder.path()).unwrap().join("a %b?.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(sql).unwrap();
    World { _folder: folder, path }
}

fn read_at(path: &Path, more: &str, shown: &str) -> Result<SchemaReading, Error> {
    let config = config(more);
    let around = ConnectionEnvironment::default();
    snapshot(
        &AccessibleDatabase { config: &config, file: path.to_path_buf(), address: Default::default(), around },
        shown,
    )
}

fn reading(world: &World, more: &str) -> SchemaReading {
    read_at(&world.path, more, "a.db").unwrap()
}

/// Otherwise each pattern would be compared with up to 1,000,000 names.
#[test]
fn patterns_are_not_compared_with_names_without_end() {
    let view = |at: usize| format!("CREATE VIEW \"{}{at}\" AS SELECT 1 AS {};", "a".repeat(200), "c".repeat(100));
    let world = world(&(0..400).map(view).collect::<String>());
    let patterns = |key: &str, count: usize| {
        let all: String = (0..count).map(|at| format!("'*{}b{at}', ", "a".repeat(60))).collect();
        format!(", {key}: [{all}]")
    };
    let read = |more: &str| {
        let (config, around) = (config(more), ConnectionEnvironment::default());
        crate::connector::snapshot(&AccessibleDatabase {
            config: &config,
            file: world.path.clone(),
            address: Default::default(),
            around,
        })
    };
    for (key, what) in [("exclude_tables", "tables"), ("sensitive", "columns"), ("not_sensitive", "columns")] {
        let refused = read(&patterns(key, 960)).unwrap_err();
        assert_eq!(refused.code, Code::TooMany, "{refused}");
        assert!(refused.message.contains(&format!("names of its {what}")), "{refused}");
        assert_eq!(read(&patterns(key, 20)).unwrap().snapshot.tables.len(), 400, "{key}");
    }
}

#[test]
fn names_that_no_database_has_are_left_out() {
    let (fits, long) = ("é".repeat(1_000), "x".repeat(500_000));
    let world = world(&format!(
        "CREATE TABLE \"{fits}\" (id INTEGER PRIMARY KEY); CREATE TABLE \"{long}\" (id INTEGER PRIMARY KEY);
         CREATE VIEW \"v{long}\" AS SELECT 1 AS a;
         CREATE TABLE a (id INTEGER PRIMARY KEY, t \"{long}\", \"c{long}\" INT UNIQUE,
             o INT CONSTRAINT \"n{long}\" REFERENCES \"{long}\", f INT REFERENCES \"{fits}\");
         CREATE INDEX i ON a (t); CREATE INDEX \"j{long}\" ON a (t); CREATE INDEX k ON a (t, \"c{long}\");
         CREATE TABLE b (\"p{long}\" TEXT PRIMARY KEY);"
    ));
    let (config, around) = (config(""), ConnectionEnvironment::default());
    let reachable =
        AccessibleDatabase { config: &config, file: world.path.clone(), address: Default::default(), around };
    let reading = crate::connector::snapshot(&reachable).unwrap();
    let tables: Vec<&str> = reading.snapshot.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(tables, ["a", "b", fits.as_str()]);
    let table = &reading.snapshot.tables[0];
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!((columns, table.unique.len(), table.foreign_keys.len()), (vec!["id", "t", "o", "f"], 0, 1));
    assert_eq!(table.indexes.iter().map(|index| index.name.as_str()).collect::<Vec<_>>(), ["i"]);
    assert_eq!(reading.snapshot.tables[1].primary_key, None);
    assert!(format!("{reading:?}").len() < 20_000);
    let problems: Vec<&str> = reading.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(problems, ["2 tables and 2 columns of 'a' have names of more than 1,000 characters and are left out"]);
}

#[test]
fn a_key_may_be_null_unless_sqlite_excludes_it() {
    let world = world(
        "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (id TEXT PRIMARY KEY);
         CREATE TABLE c (id TEXT, n INT, PRIMARY KEY (id, n)); CREATE TABLE d (id TEXT NOT NULL PRIMARY KEY);
         CREATE TABLE e (id TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE f (id TEXT PRIMARY KEY) STRICT;
         CREATE TABLE g (id TEXT, PRIMARY KEY (id)); INSERT INTO g VALUES (NULL);
         CREATE TABLE h (id INTEGER PRIMARY KEY DESC); INSERT INTO h VALUES (NULL);
         CREATE TABLE i (id INTEGER, PRIMARY KEY (id DESC)); CREATE TABLE j (id INTEGER PRIMARY KEY) WITHOUT ROWID;",
    );
    let read = reading(&world, "");
    let nullable = read.snapshot.tables.iter().map(|table| (table.name.as_str(), table.columns[0].nullable));
    let expected = [("a", false), ("b", true), ("c", true), ("d", false), ("e", false), ("f", false), ("g", true)];
    let counted = [("h", true), ("i", false), ("j", false)];
    assert_eq!(nullable.collect::<Vec<_>>(), [&expected[..], &counted].concat());
    let identity = |name: &str| {
        let table = read.snapshot.tables.iter().find(|table| table.name == name).unwrap();
        table.columns[0].identity.is_some()
    };
    assert_eq!(["a", "g", "h", "i", "j"].map(identity), [true, false, false, true, false]);
}

const SHOP: &str = "
    CREATE TABLE Customer (Id INTEGER PRIMARY KEY, Mail TEXT NOT NULL UNIQUE COLLATE NOCASE, -- Where bills go
        Total NUMERIC DEFAULT 0 CHECK (Total >= 0));
    CREATE TABLE \"order line\" (order_id INT, pos INT, customer INT REFERENCES customer ON DELETE CASCADE,
        PRIMARY KEY (order_id, pos)) WITHOUT ROWID;
    CREATE TABLE refund (a INT, b INT, CONSTRAINT fk FOREIGN KEY (a, b) REFERENCES \"Order Line\" (ORDER_ID, pos));
    CREATE INDEX by_total ON Customer (Total, lower(Mail));
    CREATE UNIQUE INDEX once ON Customer (Total) WHERE Total > 0;
    CREATE VIEW rich AS SELECT c.Mail, r.a FROM Customer c JOIN refund r ON r.a = c.Id;
    CREATE VIRTUAL TABLE words USING fts5(text);
    CREATE VIEW found AS SELECT text FROM words;
    INSERT INTO Customer (Mail) VALUES ('x@example.org'), ('y@example.org');
    ANALYZE;
";

#[test]
fn a_schema_is_read_whole() {
    let reading = reading(&world(SHOP), "");
    assert_eq!(reading.problems, []);
    let snapshot = reading.snapshot;
    let names: Vec<(&str, TableKind)> = snapshot.tables.iter().map(|it| (it.name.as_str(), it.kind)).collect();
    let expected = [
        ("Customer", TableKind::Table),
        ("found", TableKind::View),
        ("order line", TableKind::Table),
        ("refund", TableKind::Table),
        ("rich", TableKind::View),
        ("words", TableKind::VirtualTable),
    ];
    assert_eq!(names, expected);
    let [customer, found, line, refund, rich, words] = snapshot.tables.as_slice() else { panic!() };
    assert_eq!(customer.row_estimate, Some(2));
    assert_eq!(customer.columns[0].identity.as_deref(), Some("by default"));
    let mail = &customer.columns[1];
    assert_eq!((mail.nullable, mail.collation.as_deref()), (false, Some("NOCASE")));
    assert_eq!(mail.comment.as_deref(), Some("Where bills go"));
    assert_eq!(customer.columns[2].default.as_deref(), Some("0"));
    assert_eq!(customer.checks[0].expression, "Total >= 0");
    assert_eq!(customer.unique[0].columns, ["Mail"]);
    let indexes: Vec<_> =
        customer.indexes.iter().map(|it| (it.name.as_str(), it.columns.join(), it.is_partial)).collect();
    assert_eq!(indexes, [("by_total", "Total,(expression)".to_owned(), false), ("once", "Total".to_owned(), true)]);
    assert!(!customer.is_unique_by(&["Total".into()]), "only some rows");
    assert_eq!(line.primary_key.as_ref().unwrap().columns, ["order_id", "pos"]);
    let key = &line.foreign_keys[0];
    assert_eq!((key.target.name.as_str(), key.target_columns.join()), ("Customer", "Id".to_owned()));
    assert_eq!(key.on_delete, "cascade");
    let key = &refund.foreign_keys[0];
    assert_eq!((key.name.as_deref(), key.columns.join()), (Some("fk"), "a,b".to_owned()));
    assert_eq!((key.target.name.as_str(), key.target_columns.join()), ("order line", "order_id,pos".to_owned()));
    assert_eq!(rich.columns.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["Mail", "a"]);
    assert_eq!(rich.reads_from.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["Customer", "refund"]);
    assert!(words.columns.is_empty() && words.is_unreadable && found.columns.is_empty(), "named, not read");
}

trait Join {
    fn join(&self) -> String;
}

impl Join for Vec<String> {
    fn join(&self) -> String {
        self.as_slice().join(",")
    }
}

#[test]
fn the_configuration_selects_tables() {
    let world = world(SHOP);
    for (more, count) in [
        ("", 6),
        (", include_views: false", 4),
        (", include_tables: ['*order*']", 1),
        (", exclude_tables: ['main.*r*']", 1),
        (", schemas: [other]", 0),
        (", include_system_tables: true", 13),
    ] {
        assert_eq!(reading(&world, more).snapshot.tables.len(), count, "{more}");
    }
}

#[test]
fn nothing_is_written_beside_a_file() {
    for mode in ["delete", "wal"] {
        let world = world("CREATE TABLE a (b)");
        Connection::open(&world.path).unwrap().pragma_update(None, "journal_mode", mode).unwrap();
        let folder = world.path.parent().unwrap();
        let listing = || {
            let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().file_name()).collect();
            names.sort();
            names
        };
        let before = (listing(), fs::read(&world.path).unwrap());
        assert_eq!(reading(&world, "").snapshot.tables.len(), 1);
        assert_eq!((listing(), fs::read(&world.path).unwrap()), before, "{mode}");
        if mode == "wal" {
            // Another program has the file open, and its newest table is only in the log.
            let writer = Connection::open(&world.path).unwrap();
            writer.execute_batch("CREATE TABLE c (d)").unwrap();
            let before = listing();
            assert_eq!(reading(&world, "").snapshot.tables.len(), 2);
            assert_eq!(listing(), before);
        }
    }
}

/// SQLite decides by one header byte whether to read a log and by another whether to write one, and reads any log that
/// exists.
#[test]
fn nothing_is_written_beside_a_file_whose_header_mentions_a_log() {
    for (marks, log) in [([1, 2], 0), ([2, 1], 0), ([2, 2], 0), ([1, 1], 4_096), ([1, 2], 4_096)] {
        let world = world("CREATE TABLE a (b)");
        let mut bytes = fs::read(&world.path).unwrap();
        bytes[18..20].copy_from_slice(&marks);
        refdesk_files::write_atomic(&world.path, &bytes).unwrap();
        let folder = world.path.parent().unwrap();
        if log > 0 {
            refdesk_files::write_atomic(&folder.join("a %b?.db-wal"), &vec![0; log]).unwrap();
        }
        let listing = || fs::read_dir(folder).unwrap().count();
        let before = listing();
        match read_at(&world.path, "", "a.db") {
            Ok(reading) => assert_eq!((reading.snapshot.tables.len(), log), (1, 0), "{marks:?}"),
            // What the log contains cannot be known without its shared memory.
            Err(error) => {
                let expected = "a.db cannot be read completely: the newest changes may be only in a.db-wal";
                assert_eq!((error.message.as_str(), log), (expected, 4_096), "{marks:?}");
            }
        }
        assert_eq!(listing(), before, "{marks:?} {log}");
    }
}

/// SQLite would wait for a pipe forever.
#[test]
fn files_beside_a_database_must_be_regular() {
    for mode in ["delete", "wal"] {
        for ending in ["-journal", "-wal", "-shm"] {
            for kind in ["pipe", "link", "folder"] {
                let world = world("CREATE TABLE a (b)");
                Connection::open(&world.path).unwrap().pragma_update(None, "journal_mode", mode).unwrap();
                let beside = world.path.with_file_name(format!("a %b?.db{ending}"));
                match kind {
                    "pipe" => assert!(Command::new("mkfifo").arg(&beside).status().unwrap().success()),
                    "link" => std::os::unix::fs::symlink(&world.path, &beside).unwrap(),
                    _ => fs::create_dir(&beside).unwrap(),
                }
                let error = read_at(&world.path, "", "a.db").unwrap_err();
                let expected = format!("a.db{ending} is not a regular file that can be read");
                assert_eq!(
                    (error.message.as_str(), error.code),
                    (expected.as_str(), Code::DatabaseUnreadable),
                    "{kind}"
                );
            }
        }
    }
}

#[test]
fn views_that_grow_are_not_read() {
    let doubled = "CREATE VIEW w{} AS SELECT p.x FROM w{-} p, w{-} q;";
    let long = "CREATE VIEW w{} AS SELECT x + x AS x FROM w{-};";
    for (body, problems) in [(doubled, 28), (long, 0)] {
        let views: String = (1..=40)
            .map(|at: usize| body.replace("{}", &at.to_string()).replace("{-}", &(at - 1).to_string()))
            .collect();
        let reading = reading(&world(&format!("CREATE TABLE a (x); CREATE VIEW w0 AS SELECT x FROM a; {views}")), "");
        let table = |name: &str| reading.snapshot.tables.iter().find(|it| it.name == name).unwrap();
        assert_eq!(table("w5").columns.len(), 1);
        assert_eq!(table("w5").reads_from.len(), 6);
        assert_eq!((reading.problems.len(), table("w40").is_unreadable), (problems, problems > 0), "{body}");
        assert!(reading.problems.iter().all(|it| it.code == Code::TooMany), "{:?}", reading.problems);
    }
}

#[test]
fn the_columns_of_keys_are_limited() {
    let columns: Vec<String> = (0..500).map(|at| format!("c{at}")).collect();
    let columns = columns.as_slice().join(", ");
    let keys = format!(", FOREIGN KEY ({columns}) REFERENCES a").repeat(20);
    let table = |name: &str| format!("CREATE TABLE {name} ({columns}, PRIMARY KEY ({columns}){keys});");
    // SQLite reports only the referencing columns; those of the target are filled in while there is room.
    let tables: String = ["a", "b", "c", "d", "e", "f", "g"].map(table).concat();
    let reading = reading(&world(&tables), "");
    let keys = |filled: bool| {
        let keys = reading.snapshot.tables.iter().flat_map(|table| &table.foreign_keys);
        keys.filter(|key| key.target_columns.is_empty() != filled).count()
    };
    assert_eq!((keys(true), keys(false), &*reading.problems), (140, 0, &[][..]), "140,000 columns");

    let many: String = (0..25).map(|at| table(&format!("t{at}"))).collect();
    let reading = self::reading(&world(&format!("{} {many}", table("a"))), "");
    let named: usize = reading.snapshot.tables.iter().map(key_columns).sum();
    assert!((150_000..=KEY_COLUMNS).contains(&named), "{named}");
    let codes: Vec<Code> = reading.problems.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::TooMany], "once, although it is true of six tables");
}

#[test]
fn a_view_reads_the_tables_that_it_counts() {
    let world = world(
        "CREATE TABLE a (x); CREATE TABLE b (y); CREATE VIEW v AS SELECT count(*) AS n FROM a, b;
         CREATE VIEW w AS SELECT n FROM v WHERE EXISTS (SELECT 1 FROM b);",
    );
    let reading = reading(&world, "");
    assert_eq!(reading.problems, []);
    let names = |view: &str| {
        let table = reading.snapshot.tables.iter().find(|it| it.name == view).unwrap();
        table.reads_from.iter().map(|it| it.name.clone()).collect::<Vec<_>>().join()
    };
    assert_eq!((names("v"), names("w")), ("a,b".to_owned(), "a,b,v".to_owned()));
}

#[test]
fn reading_ends_at_the_time_limit_and_when_stopped() {
    let world = world(SHOP);
    let (config, is_stopped) = (config(""), Arc::<AtomicBool>::default());
    let late = |file: &SqliteFile| {
        let objects = objects(file).unwrap();
        file.allow(Duration::ZERO);
        (reading_of(&config, file, "a.db", &objects), read(&config, file, "a.db"))
    };
    let (reading, error) = SqliteFile::with(&world.path, "a.db", &is_stopped, late).unwrap().unwrap();
    assert_eq!(error.unwrap_err().message, "a.db cannot be read within 30 s");
    assert!(reading.snapshot.tables.iter().all(|table| table.is_unreadable));
    let messages: Vec<&str> = reading.problems.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(messages, ["5 tables and views were not completely read within 30 s"], "the virtual one never is");
    is_stopped.store(true, Ordering::Relaxed);
    let around = ConnectionEnvironment { is_stopped, ..ConnectionEnvironment::default() };
    let stopped = snapshot(
        &AccessibleDatabase { config: &config, file: world.path.clone(), address: Default::default(), around },
        "a.db",
    );
    assert_eq!(stopped.unwrap_err().code, Code::Stopped);
}

#[test]
fn files_that_are_not_databases_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    refdesk_files::write_atomic(&root.join("text"), b"hello".repeat(100).as_slice()).unwrap();
    refdesk_files::write_atomic(&root.join("empty"), b"").unwrap();
    let good = world("CREATE TABLE a (b)");
    std::os::unix::fs::symlink(&good.path, root.join("link")).unwrap();
    let of = |name: &str| read_at(&root.join(name), "", name).map(|it| it.snapshot.tables.len());
    for (name, expected) in [
        ("text", "text is not an SQLite database"),
        ("none", "none does not exist"),
        ("link", "link cannot be opened"),
        (".", ""),
    ] {
        let error = of(name).unwrap_err();
        assert!(error.message.starts_with(expected), "{error}");
        assert_eq!(error.code, Code::DatabaseUnreadable);
    }
    assert_eq!(of("empty"), Ok(0));
}

#[test]
fn damage_is_an_error_or_costs_some_tables() {
    let original = world(SHOP);
    let bytes = fs::read(&original.path).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        let mut damaged = bytes.clone();
        for byte in damaged.iter_mut().skip(at).take(40) {
            *byte ^= 0x5a;
        }
        refdesk_files::write_atomic(&original.path, &damaged).unwrap();
        // Success and failure are both fine, but it must not crash or hang.
        let _ = read_at(&original.path, "", "a.db");
    }
    for length in [16, 100, 1024, 4096, 5000] {
        refdesk_files::write_atomic(&original.path, &bytes[..length]).unwrap();
        let _ = read_at(&original.path, "", "a.db");
    }
}

#[test]
fn a_hostile_schema_runs_nothing() {
    let world = world("CREATE TABLE a (b)");
    let connection = Connection::open(&world.path).unwrap();
    let target = world.path.with_file_name("stolen");
    connection
        .execute_batch(&format!(
            "CREATE VIEW v AS SELECT load_extension('{0}') AS x;
             CREATE VIEW w AS SELECT writefile('{0}', 'x') AS x;
             CREATE VIEW forever AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t;
             CREATE TRIGGER g AFTER INSERT ON a BEGIN DELETE FROM a; END;",
            target.display()
        ))
        .unwrap();
    drop(connection);
    let reading = reading(&world, "");
    assert!(!target.exists());
    let table = |name: &str| reading.snapshot.tables.iter().find(|it| it.name == name).unwrap();
    assert_eq!(table("forever").columns.len(), 1, "prepared, never run");
    assert!(table("v").is_unreadable && table("w").is_unreadable);
    assert_eq!(reading.problems.len(), 2, "{:?}", reading.problems);
    SqliteFile::with(&world.path, "a.db", &Arc::default(), nothing_is_run).unwrap().unwrap();
}

fn nothing_is_run(file: &SqliteFile) {
    for statement in [
        "INSERT INTO a VALUES (1)",
        "CREATE TABLE x (y)",
        "ATTACH ':memory:' AS m",
        "PRAGMA query_only = 0",
        "PRAGMA writable_schema = 1",
        "COMMIT",
        "SELECT load_extension('x')",
        "VACUUM INTO 'x'",
        "CREATE TEMP TABLE t (a)",
    ] {
        assert!(file.connection().execute_batch(statement).is_err(), "{statement}");
    }
    file.allow(std::time::Duration::from_millis(1));
    let endless = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT sum(n) FROM t";
    let ended = file.connection().query_row(endless, (), |_| Ok(()));
    assert_eq!(ended.unwrap_err().sqlite_error_code(), Some(rusqlite::ErrorCode::OperationInterrupted));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Any table and column name is read back unchanged.
    #[test]
    fn names_survive_quoting(table in "[^\0]{1,20}", column in "[^\0]{1,20}") {
        prop_assume!(!table.to_lowercase().starts_with("sqlite_"));
        let sql = format!("CREATE TABLE {} ({})", quoted(&table).unwrap(), quoted(&column).unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap().join("a.db");
        Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let reading = read_at(&path, "", "a.db").unwrap();
        prop_assert_eq!(&reading.snapshot.tables[0].name, &table);
        prop_assert_eq!(&reading.snapshot.tables[0].columns[0].name, &column);
    }

    #[test]
    fn a_nul_is_refused(before in ".{0,5}", after in ".{0,5}") {
        prop_assert_eq!(quoted(&format!("{before}\0{after}")), None);
    }
}
