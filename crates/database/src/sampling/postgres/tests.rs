//! The canary law against a real server: values of a sensitive column never leave it, neither from rows nor from
//! statistics.

#![allow(clippy::print_stderr, reason = "says which case failed")]

use std::time::Duration;

use refdesk_postgres::testing::TestServer;

use super::super::tests::{forms, marked_columns, written};
use super::*;
use crate::config::agent::DocumentationSettings;
use crate::config::{self, DatabasesConfig};
use crate::connector::{ConnectionEnvironment, ServerAddress, snapshot};
use crate::schema::joins::infer;
use crate::schema::notes::Notes;
use crate::statistics::ColumnProfile;

fn config_of(server: &TestServer, database: &str, user: &str, more: &str) -> DatabasesConfig {
    let place = format!("host: {:?}, port: {}, database: {database}, user: {user}", server.folder(), server.port());
    let text = format!("databases: [{{name: shop, type: postgres, connection: {{{place}}}{more}}}]");
    let (config, problems) = config::read(&text, "f");
    assert_eq!(problems, [], "{text}");
    config
}

fn reachable(config: &DatabasesConfig) -> AccessibleDatabase<'_> {
    let around = ConnectionEnvironment::default();
    AccessibleDatabase { config: &config.databases[0], file: "".into(), address: ServerAddress::default(), around }
}

fn all_output(server: &TestServer, database: &str, more: &str) -> String {
    let config = config_of(server, database, "refdesk", more);
    let database = reachable(&config);
    let reading = snapshot(&database).unwrap();
    written(&config, &database, reading)
}

fn sampled(config: &DatabasesConfig) -> Sampled {
    let database = reachable(config);
    let snapshot = snapshot(&database).unwrap().snapshot;
    super::super::sample(&database, &snapshot, &mut infer(&snapshot, &Notes::default()))
}

fn column<'s>(sampled: &'s Sampled, table: &str, column: &str) -> Option<&'s ColumnProfile> {
    let name = TableName { schema: "public".into(), name: table.into() };
    sampled.profiles.get(&name).and_then(|table| table.get(column))
}

#[test]
fn the_values_of_a_server() {
    let Some(server) = TestServer::start() else { return };
    type Case = fn(&TestServer, &str);
    let cases: &[(&str, Case)] = &[
        ("canaries", canaries),
        ("canaries in views and fields", canaries_elsewhere),
        ("canaries in columns with the same values", canaries_shared),
        ("rows of whole tables", whole_tables),
        ("what is told", told),
        ("long texts", long_texts),
        ("values of several kinds", several_kinds),
        ("tables that are never sampled", never),
        ("joins", joins),
        ("time", time),
        ("locks", locks),
        ("a connection that is lost", lost),
        ("odd names and types", odd),
    ];
    for (nth, (name, case)) in cases.iter().enumerate() {
        eprintln!("{name}");
        let database = format!("case_{nth}");
        server.database(&database);
        case(&server, &database);
    }
}

fn canaries(server: &TestServer, database: &str) {
    let columns = marked_columns();
    let kind = |kind: &str| match kind {
        "BLOB" => "bytea".to_owned(),
        other => other.to_owned(),
    };
    let names: Vec<String> = columns.iter().map(|(name, it, _)| format!("\"{name}\" {}", kind(it))).collect();
    let mut sql = format!("CREATE TABLE t (id INTEGER PRIMARY KEY, {});\n", names.join(", "));
    for at in 0..120 {
        let values = columns.iter().map(|(_, kind, value)| match *kind {
            "JSON" => format!("'\"{}\"'", value(at)),
            _ => format!("'{}'", value(at)),
        });
        sql.push_str(&format!("INSERT INTO t VALUES ({at}, {});\n", values.collect::<Vec<_>>().join(", ")));
    }
    server.run(database, &sql);
    for is_analysed in [false, true] {
        if is_analysed {
            server.run(database, "ANALYZE");
        }
        for sampling in ["none", "statistics", "values"] {
            for published in ["", ", publish_values: true, not_sensitive: ['*.c*']"] {
                let more = format!(", sampling: {sampling}, sensitive: ['*.picked']{published}");
                let out = all_output(server, database, &more);
                for (name, _, value) in &columns {
                    // `not_sensitive` overrides what is sensitive by type or width.
                    if ["c7", "c8"].contains(name) && !published.is_empty() {
                        continue;
                    }
                    for form in [0, 7].iter().flat_map(|at| forms(&value(*at))) {
                        assert!(!out.contains(&form), "{name} as {form} with {more}, analysed {is_analysed}");
                    }
                }
            }
        }
    }
}

/// A value that is sensitive in a table is also sensitive in a materialized view and as a field of a composite column.
fn canaries_elsewhere(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TYPE person AS (email text, n int); CREATE DOMAIN contact_of AS person; CREATE DOMAIN team AS contact_of[];
         CREATE TABLE t (id int PRIMARY KEY, name text, a person, b person[], c contact_of, d team);
         INSERT INTO t SELECT n, 'canary-' || n % 3, ROW('canary-0', 1)::person, ARRAY[ROW('canary-1', 1)::person],
             ROW('canary-2', 1)::contact_of, ARRAY[ROW('canary-0', 1)::contact_of] FROM generate_series(1, 300) n;
         CREATE MATERIALIZED VIEW kept AS SELECT id, name AS z FROM t;",
    );
    for is_analysed in [false, true] {
        if is_analysed {
            server.run(database, "ANALYZE");
        }
        for more in ["", ", publish_values: true", ", sampling: values, publish_values: true"] {
            let out = all_output(server, database, more);
            assert!(!out.contains("canary") && !out.contains("aaaaaa-9"), "{more}, analysed {is_analysed}: {out}");
            assert!(out.contains("type: composite") && !out.contains("3 distinct"), "{more}: {out}");
        }
    }
}

/// Columns that refer to a sensitive one or are computed from it hold its values.
fn canaries_shared(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TABLE patient (badge text PRIMARY KEY, full_name text UNIQUE, salary numeric,
             fn text GENERATED ALWAYS AS (lower(full_name)) STORED, yearly numeric GENERATED ALWAYS AS (salary * 12) STORED);
         INSERT INTO patient SELECT 'canary-' || n, 'Canary ' || n, 1000 + n FROM generate_series(0, 9) n;
         CREATE TABLE visit (id int PRIMARY KEY, p text REFERENCES patient, who text REFERENCES patient (full_name));
         INSERT INTO visit SELECT n, 'canary-' || n % 10, 'Canary ' || n % 10 FROM generate_series(1, 400) n;",
    );
    for is_analysed in [false, true] {
        if is_analysed {
            server.run(database, "ANALYZE");
        }
        for published in ["", ", publish_values: true", ", sampling: values, publish_values: true"] {
            let out = all_output(server, database, &format!(", sensitive: ['*.patient.badge']{published}"));
            for text in ["canary", "Canary", "aaaaaa-9", "aaaaaa 9", "12000", "10,000", "10 distinct"] {
                assert!(!out.contains(text), "{text}{published}, analysed {is_analysed}: {out}");
            }
            assert!(out.contains("sensitive (computed: salary)"), "{out}");
        }
    }
}

/// The first rows of a table are the oldest.
fn whole_tables(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TABLE region (id int PRIMARY KEY); INSERT INTO region SELECT generate_series(1, 1000);
         CREATE TABLE sale (id int PRIMARY KEY, region_id int, late text) WITH (autovacuum_enabled = off);
         CREATE TABLE part (id int, region_id int, late text) PARTITION BY RANGE (id);
         CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (5001) WITH (autovacuum_enabled = off);
         CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (5001) TO (1000000) WITH (autovacuum_enabled = off);",
    );
    for rows in [20_000, 100_000] {
        let late = rows / 4;
        server.run(
            database,
            &format!(
                "TRUNCATE sale; TRUNCATE part;
                 INSERT INTO sale SELECT n, n, CASE WHEN n > {late} THEN 'a' || n % 2 END FROM generate_series(1, {rows}) n;
                 INSERT INTO part SELECT * FROM sale"
            ),
        );
        let found = sampled(&config_of(server, database, "refdesk", ""));
        assert_eq!(found.problems, []);
        for table in ["sale", "part"] {
            let late = &column(&found, table, "late").unwrap().statistics;
            let nulls = late.null_percent.unwrap();
            assert!((15..=35).contains(&nulls) && late.distinct == Some(2), "{table} of {rows}: {late:?}");
            assert_eq!(late.sampled_rows, Some(1_000), "{table} of {rows}");
        }
        let again = sampled(&config_of(server, database, "refdesk", ""));
        assert_eq!(again.profiles, found.profiles, "the same rows");
        assert!(!all_output(server, database, "").contains("(inferred:"), "{rows}");
        server.run(
            database,
            "UPDATE sale SET region_id = region_id % 1000 + 1; UPDATE part SET region_id = region_id % 1000 + 1",
        );
        assert_eq!(all_output(server, database, "").matches("(inferred:").count(), 2, "{rows}");
    }
}

fn told(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TYPE mood AS ENUM ('sad', 'happy'); COMMENT ON TYPE mood IS 'How it went';
         CREATE DOMAIN amount AS numeric(10, 2);
         CREATE TABLE t (id int PRIMARY KEY, state text, code text, at date, total amount, gone int, mood mood, tags text[],
             CONSTRAINT positive CHECK (total > 0));
         COMMENT ON CONSTRAINT positive ON t IS 'Nothing is free';
         INSERT INTO t SELECT n, CASE WHEN n % 2 = 0 THEN 'opened' ELSE 'closed' END, 'AB-' || (10000 + n),
             '2021-03-01'::date + n, n, CASE WHEN n % 4 = 0 THEN n END, 'sad', ARRAY['a', 'b'] FROM generate_series(1, 400) n;",
    );
    for is_analysed in [false, true] {
        if is_analysed {
            server.run(database, "ANALYZE");
        }
        let out = all_output(server, database, "");
        assert!(!out.contains("opened") && out.contains("2 distinct"), "{out}");
        let out = all_output(server, database, ", publish_values: true");
        assert!(out.contains("One of `closed` or `opened`."), "{out}");
        assert!(out.contains("How it went") && out.contains("- `positive`: Nothing is free"), "{out}");
        let found = sampled(&config_of(server, database, "refdesk", ""));
        assert_eq!(found.problems, []);
        let statistics = |name: &str| column(&found, "t", name).unwrap().statistics.clone();
        assert_eq!((statistics("gone").null_percent, statistics("gone").distinct), (Some(75), Some(100)));
        assert_eq!((statistics("state").distinct, statistics("state").few_values), (Some(2), true));
        assert_eq!((statistics("id").distinct, statistics("id").magnitude), (Some(400), Some((0, 2))));
        assert_eq!(statistics("total").magnitude, Some((0, 2)), "a domain over a number");
        assert_eq!(statistics("at").years, Some((2021, 2022)));
        assert_eq!(statistics("state").average_width.map(|width| width.abs_diff(6) <= 1), Some(true));
        if !is_analysed {
            assert_eq!(statistics("code").shapes, ["AA-99999"]);
        }
    }
}

/// For texts stored out of line, the server has no statistics and reports the width of a pointer. It does not count
/// different ranges either.
fn long_texts(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE DOMAIN span AS int4range;
         CREATE TABLE t (id int, story text, mail text, word text, term daterange, span span);
         INSERT INTO t SELECT n, (SELECT string_agg('the story of ' || (n + m * 0) || ' goes on', '. ') FROM generate_series(1, 300) m),
             (SELECT 'a' || n || '@example.org ' || string_agg('wrote on day ' || m, '. ') FROM generate_series(1, 300) m), 'w',
             '[2024-01-01,2025-01-01)', '[1,9)'
         FROM generate_series(1, 400) n; ANALYZE",
    );
    for more in ["", ", not_sensitive: ['*.story']"] {
        let found = sampled(&config_of(server, database, "refdesk", more));
        assert_eq!(found.problems, []);
        let of = |name: &str| column(&found, "t", name).unwrap();
        assert!(of("mail").sensitive.is_some() && of("mail").statistics.distinct.is_none(), "{:?}", of("mail"));
        assert!(!more.is_empty() || of("story").sensitive == Some(SensitiveRule::FreeText), "{:?}", of("story"));
        assert_eq!((&of("word").sensitive, of("word").statistics.distinct), (&None, Some(1)), "{more}");
        assert_eq!([of("term"), of("span")].map(|of| of.statistics.distinct), [None, None], "{more}");
    }
}

fn several_kinds(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TABLE t (low text, middle text, high text, none text);
         INSERT INTO t SELECT mail, CASE WHEN n % 3 = 1 THEN mail ELSE code END, CASE WHEN n % 3 = 2 THEN mail ELSE code END, code
         FROM (SELECT n, c || n AS code, c || n || '@example.org' AS mail
               FROM generate_series(1, 600) n, LATERAL (SELECT (ARRAY['a', 'm', 'z'])[1 + n % 3] AS c) it) values;
         UPDATE t SET low = none WHERE none !~ '^a';",
    );
    for is_analysed in [false, true] {
        if is_analysed {
            server.run(database, "ANALYZE");
        }
        let found = sampled(&config_of(server, database, "refdesk", ""));
        let mail = Some(SensitiveRule::Detected("e-mail".into()));
        for (name, expected) in [("low", mail.clone()), ("middle", mail.clone()), ("high", mail), ("none", None)] {
            assert_eq!(column(&found, "t", name).unwrap().sensitive, expected, "{name}, analysed {is_analysed}");
        }
    }
}

fn never(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TABLE secured (id int, state text); ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
         CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER far FOREIGN DATA WRAPPER nothing;
         CREATE FOREIGN TABLE far (id int) SERVER far;
         CREATE TABLE parted (id int) PARTITION BY RANGE (id);
         CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (10);
         CREATE FOREIGN TABLE parted_2 PARTITION OF parted FOR VALUES FROM (10) TO (20) SERVER far;
         CREATE TABLE whole (id int) PARTITION BY RANGE (id);
         CREATE TABLE whole_1 PARTITION OF whole FOR VALUES FROM (0) TO (10);
         CREATE TABLE parent (id int); CREATE FOREIGN TABLE child () INHERITS (parent) SERVER far;
         CREATE TABLE hidden (id int); CREATE VIEW seen AS SELECT * FROM hidden;
         INSERT INTO secured VALUES (1, 'x'); INSERT INTO parted VALUES (1); INSERT INTO whole VALUES (1);
         INSERT INTO parent VALUES (1); INSERT INTO hidden VALUES (1);
         CREATE ROLE half LOGIN; GRANT SELECT ON whole TO half;",
    );
    let tables = |user: &str| {
        let found = sampled(&config_of(server, database, user, ""));
        assert_eq!(found.problems, [], "{user}");
        found.profiles.keys().map(|table| table.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(tables("refdesk"), ["hidden", "parent", "whole"]);
    assert_eq!(tables("half"), ["whole"]);
    let none = sampled(&config_of(server, database, "refdesk", ", sampling: none"));
    assert!(none.profiles.is_empty());
    server.run(database, "ANALYZE hidden; ANALYZE whole; ANALYZE secured");
    assert_eq!(tables("refdesk"), ["hidden", "parent", "whole"]);
    server.run(database, "DROP OWNED BY half; DROP ROLE half");
}

fn joins(server: &TestServer, database: &str) {
    server.run(
        database,
        "CREATE TABLE customer (id int PRIMARY KEY); INSERT INTO customer SELECT generate_series(1, 50);
         CREATE TABLE sale (id int PRIMARY KEY, customer_id int);
         INSERT INTO sale SELECT n, n FROM generate_series(1, 40) n;",
    );
    assert!(all_output(server, database, "").contains("(inferred:"));
    server.run(database, "UPDATE sale SET customer_id = customer_id + 1000");
    assert!(!all_output(server, database, "").contains("(inferred:"));
    assert!(all_output(server, database, ", sampling: none").contains("(inferred:"), "nothing is read");
    server.run(database, "ALTER TABLE customer ENABLE ROW LEVEL SECURITY");
    assert!(all_output(server, database, "").contains("(inferred:"), "what this role sees of it proves nothing");
}

fn time(server: &TestServer, database: &str) {
    // The type's output function is slow: each value is a megabyte of text.
    server.run(
        database,
        "CREATE TABLE slow (id int, a text, b text, c text);
         INSERT INTO slow VALUES (1, repeat('x ', 500000), repeat('y ', 500000), repeat('z ', 500000));
         INSERT INTO slow SELECT n, a, b, c FROM slow, generate_series(2, 150) n;
         CREATE TABLE still AS SELECT * FROM slow;",
    );
    // Run more statements than can be in flight before, between and after the refused ones.
    let quick = |name: &str| (0..10).map(|at| format!("{name}_{at}")).collect::<Vec<_>>();
    let quick: Vec<String> = [quick("quick"), quick("small"), quick("tail")].concat();
    let made = quick.iter().map(|name| format!("CREATE TABLE {name} (id int); INSERT INTO {name} VALUES (1);"));
    server.run(database, &made.collect::<String>());
    let mut config = config_of(server, database, "refdesk", "");
    config.databases[0].settings =
        DocumentationSettings { sample_time: Duration::from_millis(250), ..DocumentationSettings::default() };
    let found = sampled(&config);
    let told: Vec<&str> = found.problems.iter().map(|it| it.message.as_str()).collect();
    let refused = |name: &str| format!("public.{name} cannot be sampled: a statement timed out");
    assert_eq!(told, [refused("slow"), refused("still")]);
    for name in &quick {
        let read = column(&found, name, "id").map(|column| column.statistics.null_percent);
        assert_eq!(read, Some(Some(0)), "{name}");
    }
}

fn locks(server: &TestServer, database: &str) {
    server.run(database, "CREATE TABLE t (id int)");
    let config = config_of(server, database, "refdesk", "");
    let crate::config::Connection::Postgres(place) = &config.databases[0].connection else { panic!("another server") };
    let reachable = reachable(&config);
    let address = reachable.address.of(place, &reachable.around).unwrap();
    let session = ReadingSession::open(address, &Default::default()).unwrap();
    session.limit_statements(Duration::from_secs(5)).unwrap();
    let held = || {
        let sql =
            "SELECT count(*) FROM pg_catalog.pg_locks WHERE pid = pg_backend_pid() AND relation = 'public.t'::regclass";
        value::<i64>(&session.rows(sql, &[]).unwrap()[0], 0).unwrap()
    };
    let mut answers = Vec::new();
    let statements = ["SELECT count(*) FROM public.t", "SELECT 1/0", "SELECT 2"];
    session.rows_of_each(statements, |rows| answers.push(rows.is_ok()));
    assert_eq!(answers, [true, false], "up to the first that is refused");
    session.rollback_to_savepoint().unwrap();
    assert_eq!(held(), 0, "nothing stays locked");
    session.rows_of_each(["SELECT FROM public.t"], |rows| drop(rows.unwrap()));
    assert_eq!(held(), 1);
    session.rollback_to_savepoint().unwrap();
    assert_eq!(held(), 0, "a savepoint is gone back to more than once");
}

/// Ends the connection of a waiting statement, and waits until it is closed, so that none is counted twice.
const END_WAITING: &str = "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity \
                           WHERE application_name = 'refdesk' AND wait_event_type = 'Lock' AND datname = current_database()";

fn lost(server: &TestServer, database: &str) {
    let tables = (0..20).map(|at| format!("CREATE TABLE t{at} (id int); INSERT INTO t{at} VALUES (1);"));
    server.run(database, &tables.collect::<String>());
    let config = config_of(server, database, "refdesk", "");
    let reachable = reachable(&config);
    let crate::config::Connection::Postgres(place) = &config.databases[0].connection else { panic!("another server") };
    let snapshot = snapshot(&reachable).unwrap().snapshot;
    for (endings, is_lost) in [(1, false), (4, true)] {
        let mut locked = Some(server.locked(database));
        let sampled = std::thread::scope(|scope| {
            let reading = scope.spawn(|| {
                let mut joins = infer(&snapshot, &Notes::default());
                read(&reachable, place, &snapshot, &mut joins, &[Duration::ZERO; 3])
            });
            let mut ended = 0;
            while ended < endings && !reading.is_finished() {
                ended += server.count(database, END_WAITING);
            }
            drop(locked.take());
            reading.join().unwrap()
        });
        assert_eq!(sampled.lost.as_ref().map(|error| error.code), is_lost.then_some(Code::DatabaseUnreachable));
        assert_eq!(sampled.problems, []);
        if !is_lost {
            assert_eq!(sampled.profiles.len(), 20, "it is read from the start again");
        }
    }
}

fn odd(server: &TestServer, database: &str) {
    server.run(database, r#"CREATE TABLE "a""b" ("x'y" text, "$1" int, "a.b" box, p point, i inet)"#);
    server.run(
        database,
        r#"INSERT INTO "a""b" VALUES ('v', 1, '((1,2),(3,4))', '(1,2)', '198.51.100.77');
           CREATE TABLE empty (); CREATE TABLE "A""B" (id int); CREATE TABLE "SELECT" ("from" text);
           CREATE FUNCTION shown(box) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'run'; END $$;
           CREATE CAST (box AS text) WITH FUNCTION shown(box);"#,
    );
    for analyse in ["", "ANALYZE"] {
        server.run(database, analyse);
        let found = sampled(&config_of(server, database, "refdesk", ""));
        assert_eq!(found.problems, []);
        let table = found.profiles.get(&TableName { schema: "public".into(), name: "a\"b".into() }).unwrap();
        assert_eq!(table.len(), 5);
        assert_eq!(table["$1"].statistics.null_percent, Some(0));
        assert_eq!(found.profiles.len(), 3);
    }
}
