//! Tests against a real server, in a single test so that they share one server.

#![allow(clippy::disallowed_methods, reason = "tests write files of any kind")]
#![allow(clippy::print_stderr, reason = "says which case failed")]

use std::fs;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use refdesk_postgres::testing::TestServer;

use super::*;
use crate::config::{self, Connection};
use crate::connector::CheckedFiles;
use crate::snapshot::{Snapshot, Table, TableKind, TableName};

const CHINOOK: &str = include_str!("../../../../../tests/data/databases/chinook-postgres.sql");

const NO_WAIT: [Duration; 3] = [Duration::ZERO; 3];

fn config(connection: &str, more: &str) -> (DatabaseConfig, ServerConnection) {
    let text = format!("databases: [{{name: a, type: postgres, connection: {{{connection}}}{more}}}]");
    let (config, problems) = config::read(&text, "f");
    assert_eq!(problems, [], "{text}");
    let config = config.databases.into_iter().next().unwrap();
    let Connection::Postgres(server) = config.connection.clone() else { panic!() };
    (config, server)
}

/// The connection over the server's socket.
fn place(server: &TestServer, database: &str, user: &str) -> String {
    format!("host: {:?}, port: {}, database: {database}, user: {user}", server.folder(), server.port())
}

fn try_read(connection: &str, more: &str, around: &ConnectionEnvironment) -> Result<SchemaReading, Error> {
    let (config, server) = config(connection, more);
    read(&accessible(&config, around), &server, &NO_WAIT)
}

fn accessible<'c>(config: &'c DatabaseConfig, around: &ConnectionEnvironment) -> AccessibleDatabase<'c> {
    let script = fs::read(around.workspace.join("bin/pw")).map(|content| ("bin/pw".into(), content));
    let files = CheckedFiles { programs: script.into_iter().collect(), ..CheckedFiles::default() };
    let address = ServerAddress::from(files);
    AccessibleDatabase { config, file: "".into(), address, around: around.clone() }
}

fn reading(server: &TestServer, database: &str, user: &str) -> SchemaReading {
    try_read(&place(server, database, user), "", &ConnectionEnvironment::default()).unwrap()
}

fn table<'s>(snapshot: &'s Snapshot, name: &str) -> &'s Table {
    snapshot.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("{name}"))
}

#[test]
fn a_schema_on_a_server() {
    let Some(server) = TestServer::start() else { return };
    type Case = fn(&TestServer, &str);
    let cases: &[(&str, Case)] = &[
        ("Chinook", chinook),
        ("everything that a schema has", everything),
        ("what a role may", roles),
        ("locked tables", locked_tables),
        ("odd names", odd_names),
        ("any name", any_name),
        ("refusals", refusals),
        ("passwords", passwords),
        ("TLS", tls),
        ("a session only reads", only_reads),
        ("what is not wanted any more is cancelled", cancels),
    ];
    for (nth, (name, case)) in cases.iter().enumerate() {
        eprintln!("{name}");
        let database = format!("case_{nth}");
        server.database(&database);
        case(&server, &database);
    }
}

#[test]
fn a_server_that_closes_the_connection_is_retried_three_times() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let tries = thread::spawn(move || listener.incoming().take(4).filter(Result::is_ok).count());
    let connection = format!("host: 127.0.0.1, port: {port}, user: a, sslmode: disable");
    let error = try_read(&connection, "", &ConnectionEnvironment::default()).unwrap_err();
    assert_eq!(error.code, Code::DatabaseUnreachable, "{error}");
    assert_eq!(tries.join().unwrap(), 4);
}

#[test]
fn a_stopped_read_does_not_wait_for_an_unresponsive_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let around = ConnectionEnvironment::default();
    let is_stopped = around.is_stopped.clone();
    let silent = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        is_stopped.store(true, Ordering::Relaxed);
        // Wait until the client closes the connection.
        stream.read_to_end(&mut Vec::new()).unwrap();
    });
    let connection = format!("host: 127.0.0.1, port: {port}, user: a, sslmode: disable");
    assert_eq!(try_read(&connection, "", &around).unwrap_err().code, Code::Stopped);
    silent.join().unwrap();
    // Nor does it wait before a retry.
    let connection = "host: 127.0.0.1, port: 1, user: a, sslmode: disable";
    let (config, server) = config(connection, "");
    let error = read(&accessible(&config, &around), &server, &[Duration::from_secs(1_000)]).unwrap_err();
    assert_eq!(error.code, Code::Stopped);
}

#[test]
fn one_schema_takes_few_statements() {
    let text = include_str!("statements.rs");
    assert!(text.matches("pub const").count() <= 12);
    assert!(!text.contains("format!"));
}

fn chinook(server: &TestServer, database: &str) {
    server.run(database, CHINOOK);
    let reading = reading(server, database, "refdesk");
    assert_eq!(reading.problems, []);
    let snapshot = &reading.snapshot;
    let keys: usize = snapshot.tables.iter().map(|table| table.foreign_keys.len()).sum();
    let columns: usize = snapshot.tables.iter().map(|table| table.columns.len()).sum();
    assert_eq!((snapshot.tables.len(), columns, keys), (11, 64, 11));
    let line = table(snapshot, "playlist_track");
    assert_eq!(line.primary_key.as_ref().unwrap().columns, ["playlist_id", "track_id"]);
    assert_eq!(line.row_estimate, None, "never analysed is not 0");
    let total = table(snapshot, "invoice").column("total").unwrap();
    assert_eq!((total.data_type.as_str(), total.nullable), ("numeric(10,2)", false));
    server.run(database, "ANALYZE");
    let again = self::reading(server, database, "refdesk").snapshot;
    assert_eq!(table(&again, "invoice").row_estimate, Some(0));
    assert_eq!(again.schema_hash(), snapshot.schema_hash(), "rows do not make a page stale");
}

const EVERYTHING: &str = r#"
CREATE SCHEMA sales; COMMENT ON SCHEMA sales IS 'What is sold';
CREATE TYPE sales.mood AS ENUM ('sad', 'a ''quoted''', 'happy');
CREATE DOMAIN sales.short AS varchar(8) CHECK (VALUE <> '');
CREATE DOMAIN sales.shorter AS sales.short NOT NULL;
CREATE DOMAIN sales.mooded AS sales.mood;
CREATE TABLE sales.pair (c int, a int, b int, note text, gone int, PRIMARY KEY (b, a, c));
ALTER TABLE sales.pair DROP COLUMN gone;
CREATE TABLE sales.item (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, other int GENERATED BY DEFAULT AS IDENTITY,
    x int, y int, z int, price numeric(8,2) DEFAULT 1.50 CONSTRAINT positive CHECK (price > 0),
    twice numeric GENERATED ALWAYS AS (price * 2) STORED,
    mood sales.mood NOT NULL DEFAULT 'sad', mooded sales.mooded, code sales.shorter, name text COLLATE "C" UNIQUE,
    during tsrange, tags text[],
    CONSTRAINT to_pair FOREIGN KEY (x, z, y) REFERENCES sales.pair (b, c, a)
        MATCH FULL ON DELETE CASCADE ON UPDATE SET NULL DEFERRABLE,
    CONSTRAINT once EXCLUDE USING gist (during WITH &&));
COMMENT ON TABLE sales.item IS 'One item'; COMMENT ON COLUMN sales.item.x IS 'The first';
CREATE INDEX by_price ON sales.item (price DESC, lower(name)) INCLUDE (x) WHERE price > 2;
COMMENT ON INDEX sales.by_price IS 'For the list';
CREATE UNIQUE INDEX one ON sales.item (x);
CREATE TABLE sales.event (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
CREATE TABLE sales.event_1 PARTITION OF sales.event FOR VALUES FROM ('2020-01-01') TO ('2021-01-01');
CREATE TABLE sales.event_2 PARTITION OF sales.event FOR VALUES FROM ('2021-01-01') TO ('2022-01-01') PARTITION BY HASH (id);
CREATE TABLE sales.event_2_1 PARTITION OF sales.event_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE sales.event_2_2 PARTITION OF sales.event_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE sales.of_event (id int, at date, FOREIGN KEY (id, at) REFERENCES sales.event);
INSERT INTO sales.event SELECT n, '2020-05-01' FROM generate_series(1, 30) n;
INSERT INTO sales.event SELECT n, '2021-05-01' FROM generate_series(1, 12) n;
CREATE VIEW sales.cheap AS SELECT i.name, p.note FROM sales.item i JOIN sales.pair p ON p.b = i.x;
CREATE MATERIALIZED VIEW sales.kept AS SELECT name FROM sales.cheap;
CREATE TABLE sales.secret (id int); ALTER TABLE sales.secret ENABLE ROW LEVEL SECURITY;
CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER far FOREIGN DATA WRAPPER nothing;
CREATE FOREIGN TABLE sales.far (id int) SERVER far;
CREATE TEMPORARY TABLE passing (id int);
"#;

fn everything(server: &TestServer, database: &str) {
    server.run(database, EVERYTHING);
    server
        .run(database, "ALTER ROLE refdesk SET quote_all_identifiers = on; ALTER ROLE refdesk SET search_path = sales");
    let reading = reading(server, database, "refdesk");
    server.run(database, "ALTER ROLE refdesk RESET ALL");
    let snapshot = &reading.snapshot;
    let kinds: Vec<(&str, TableKind)> = snapshot.tables.iter().map(|it| (it.name.as_str(), it.kind)).collect();
    let expected = [
        ("cheap", TableKind::View),
        ("event", TableKind::PartitionedTable),
        ("far", TableKind::ForeignTable),
        ("item", TableKind::Table),
        ("kept", TableKind::MaterializedView),
        ("of_event", TableKind::Table),
        ("pair", TableKind::Table),
        ("secret", TableKind::Table),
    ];
    assert_eq!(kinds, expected);
    insta::assert_snapshot!("item", serde_json::to_string_pretty(table(snapshot, "item")).unwrap());
    assert_eq!(table(snapshot, "pair").primary_key.as_ref().unwrap().columns, ["b", "a", "c"]);
    assert_eq!(table(snapshot, "pair").columns.len(), 4);
    let schema = snapshot.schemas.iter().find(|schema| schema.name == "sales").unwrap();
    assert_eq!(schema.comment.as_deref(), Some("What is sold"));
    let of_event = &table(snapshot, "of_event").foreign_keys;
    assert_eq!(of_event.len(), 1, "not one for each partition");
    assert_eq!(of_event[0].target_columns, ["id", "at"]);
    let names = |name: &str| table(snapshot, name).reads_from.iter().map(TableName::full).collect::<Vec<_>>();
    assert_eq!(names("cheap"), ["sales.item", "sales.pair"]);
    assert_eq!(names("kept"), ["sales.cheap"]);
    assert!(table(snapshot, "secret").row_security);
    assert_eq!((table(snapshot, "event").partitions, table(snapshot, "event").row_estimate), (3, None));
    server.run(database, "ANALYZE sales.event_1; ANALYZE sales.event_2_1");
    let some = self::reading(server, database, "refdesk").snapshot;
    assert_eq!(table(&some, "event").row_estimate, None, "one part is unknown");
    server.run(database, "ANALYZE");
    let all = self::reading(server, database, "refdesk").snapshot;
    assert_eq!(table(&all, "event").row_estimate, Some(42));
    let only = ", include_views: false, schemas: [sales], exclude_tables: ['*.secret']";
    let fewer = try_read(&place(server, database, "refdesk"), only, &ConnectionEnvironment::default()).unwrap();
    assert_eq!(fewer.snapshot.tables.len(), 5);
    assert_eq!(fewer.snapshot.schemas.len(), 1);
}

fn roles(server: &TestServer, database: &str) {
    let tables = "CREATE TABLE public.open (id int); CREATE TABLE public.closed (id int); CREATE SCHEMA hidden;
        CREATE TABLE hidden.t (id int); CREATE ROLE reader LOGIN; CREATE ROLE writer LOGIN;
        GRANT SELECT ON public.open TO reader; GRANT SELECT ON hidden.t TO reader; GRANT INSERT ON public.open TO writer";
    server.run(database, tables);
    let reader = reading(server, database, "reader");
    let unreadable: Vec<String> =
        reader.snapshot.tables.iter().filter(|it| it.is_unreadable).map(Table::full_name).collect();
    assert_eq!(unreadable, ["hidden.t", "public.closed"]);
    assert!(reader.snapshot.tables.iter().all(|it| it.columns.len() == 1), "they are read from the catalog");
    assert_eq!(reader.about_connection, []);
    let system =
        try_read(&place(server, database, "reader"), ", include_system_tables: true", &Default::default()).unwrap();
    assert_eq!(system.about_connection, [], "every role may update pg_settings");
    for (user, what) in [("refdesk", "is a superuser"), ("writer", "may write 1 table")] {
        let warning = reading(server, database, user).about_connection.pop().unwrap();
        assert!(warning.message.contains(what), "{warning:?}");
        let fix = format!("{:?}", warning.fix);
        assert!(fix.contains("GRANT USAGE ON SCHEMA") && fix.contains("hidden"), "{fix}");
    }
}

/// Names that could end a statement, a path, a cell or a line.
const ODD: [&str; 9] =
    ["../../x", "a|b", "\"; DROP TABLE t; --", "line\nbreak", "-->", "CON", "con", "ünï \u{202e}cödé", "$1 ' \\"];

/// Other tables can be read while a transaction changes one.
fn locked_tables(server: &TestServer, database: &str) {
    let of = "(id int PRIMARY KEY, n int DEFAULT 7 CHECK (n > 0), twice int GENERATED ALWAYS AS (n * 2) STORED, \
              t int REFERENCES free.plain, EXCLUDE (n WITH =))";
    let sql = format!(
        "CREATE SCHEMA free; CREATE TABLE free.plain (id int PRIMARY KEY); CREATE TABLE free.t {of}; CREATE TABLE t {of};
         CREATE TABLE plain (id int PRIMARY KEY); CREATE VIEW v AS SELECT * FROM t; COMMENT ON TABLE t IS 'Mine'"
    );
    server.run(database, &sql);
    let locked = server.locked(database);
    let read = reading(server, database, "refdesk");
    let told: Vec<&str> = read.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(told, ["public.t is locked by another transaction, so its pages stay as they are"]);
    let shown = |schema: &str| {
        let table = read.snapshot.tables.iter().find(|table| table.schema == schema && table.name == "t").unwrap();
        let default = table.columns[1].default.as_deref();
        (
            table.is_locked,
            default,
            table.checks.len(),
            table.columns.len(),
            table.foreign_keys.len(),
            table.primary_key.is_some(),
        )
    };
    assert_eq!(shown("free"), (false, Some("7"), 1, 4, 1, true));
    assert_eq!(shown("public"), (true, None, 1, 4, 1, true));
    drop(locked);
}

fn odd_names(server: &TestServer, database: &str) {
    for name in ODD {
        let id = quoted(name).unwrap();
        server.run(database, &format!("CREATE SCHEMA {id}; CREATE TABLE {id}.{id} ({id} int PRIMARY KEY)"));
    }
    let snapshot = reading(server, database, "refdesk").snapshot;
    let mut expected = ODD.to_vec();
    expected.sort_unstable();
    let read: Vec<&str> = snapshot.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(read, expected);
    for table in &snapshot.tables {
        assert_eq!((&table.schema, &table.columns[0].name), (&table.name, &table.name));
        assert_eq!(table.primary_key.as_ref().unwrap().columns, std::slice::from_ref(&table.name));
    }
}

fn any_name(server: &TestServer, database: &str) {
    // The server truncates longer names.
    let name = "[^\\x00]{1,63}".prop_filter("63 bytes", |name: &String| name.len() <= 63);
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() });
    let names = proptest::collection::btree_set(name, 1..30);
    let outcome = runner.run(&names, |names| {
        let columns: Vec<String> = names.iter().map(|name| format!("{} int", quoted(name).unwrap())).collect();
        server.run(database, &format!("CREATE TABLE public.t ({})", columns.join(", ")));
        let snapshot = reading(server, database, "refdesk").snapshot;
        server.run(database, "DROP TABLE public.t");
        let read: Vec<&String> = snapshot.tables[0].columns.iter().map(|column| &column.name).collect();
        prop_assert_eq!(read, names.iter().collect::<Vec<_>>());
        Ok(())
    });
    outcome.unwrap();
    assert!(quoted("a\0b").is_none());
}

fn refusals(server: &TestServer, database: &str) {
    // The port of a client is taken, but nothing listens on it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let port = client.local_addr().unwrap().port();
    let around = ConnectionEnvironment { variable: |_| Some("s3cret".to_owned()), ..ConnectionEnvironment::default() };
    server.run(database, "CREATE ROLE locked LOGIN PASSWORD 'right'; CREATE ROLE encrypted LOGIN");
    for (connection, why) in [
        (format!("{}, password_env: X", place(server, database, "locked")), "the user or the password is wrong"),
        (place(server, database, "locked"), "none is set"),
        (place(server, database, "encrypted"), "does not let this user in"),
        (place(server, "nowhere", "refdesk"), "the database does not exist"),
        (format!("host: 127.0.0.1, port: {port}, user: a, password_env: X"), "the connection was refused"),
        (format!("host: /nonexistent, port: {port}, user: a"), "there is no socket /nonexistent/.s.PGSQL."),
        ("url_env: URL".to_owned(), "not a PostgreSQL URL"),
        ("service: none".to_owned(), "no service file has the service 'none'"),
        ("host: x, user: a, password_command: 'echo s3cret >&2; exit 7'".to_owned(), "it ended with 7"),
    ] {
        let error = try_read(&connection, "", &around).unwrap_err();
        assert_eq!(error.code, Code::DatabaseUnreachable, "{connection}");
        assert!(error.message.contains(why), "{connection}: {error}");
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
    }
    // The limit does not apply to superusers.
    server.run("postgres", &format!("ALTER DATABASE {database} CONNECTION LIMIT 0"));
    server.run("postgres", "CREATE ROLE plain LOGIN");
    let error = try_read(&place(server, database, "plain"), "", &around).unwrap_err();
    assert!(error.message.contains("too many connections"), "{error}");
}

fn passwords(server: &TestServer, database: &str) {
    server.run(database, "CREATE ROLE hashed LOGIN; SET password_encryption = md5; ALTER ROLE hashed PASSWORD 'right'");
    let home = tempfile::tempdir().unwrap();
    let (folder, port) = (server.folder().display(), server.port());
    let services = format!("[shop]\nhost={folder}\nport={port}\ndbname={database}\nuser=locked\n");
    fs::write(home.path().join(".pg_service.conf"), services).unwrap();
    let file = home.path().join(".pgpass");
    fs::write(&file, format!("{folder}:{port}:*:locked:right\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let variable = |name: &str| (name == "RIGHT").then(|| "right".to_owned());
    let workspace = home.path().join("a workspace");
    fs::create_dir_all(workspace.join("bin")).unwrap();
    fs::write(workspace.join("bin/pw"), "echo right").unwrap();
    let state = home.path().join("state");
    fs::create_dir(&state).unwrap();
    let around = ConnectionEnvironment {
        home: Some(home.path().to_owned()),
        state: Some(state.clone()),
        workspace,
        variable,
        ..Default::default()
    };
    let as_user = |user: &str| place(server, database, user);
    for connection in [
        "service: shop".to_owned(),
        format!("{}, password_env: RIGHT", as_user("locked")),
        format!("{}, password_env: RIGHT", as_user("hashed")),
        format!("{}, password_command: printf right", as_user("locked")),
        format!("{}, password_command: sh ./bin/pw", as_user("locked")),
        format!("{}, password_command: 'sh \"$workspaceRoot\"/bin/pw'", as_user("locked")),
        // The command must not run in the workspace, where it could load untrusted files.
        format!("{}, password_command: '[ -e bin/../bin ] || echo right'", as_user("locked")),
        // Nor in the home folder, where it could name the workspace by a relative path.
        format!("{}, password_command: '[ -z \"$(ls -A)\" ] && touch x && echo right'", as_user("locked")),
    ] {
        try_read(&connection, "", &around).unwrap_or_else(|error| panic!("{connection}: {error}"));
    }
    assert_eq!(fs::read_dir(&state).unwrap().count(), 0, "each command's folder is removed");
    let url = format!(
        "databases: [{{name: a, type: postgres, connection_string: 'postgres://locked:${{RIGHT}}@/{database}?host={folder}&port={port}'}}]"
    );
    let (config, problems) = config::read(&url, "f");
    assert_eq!(problems, []);
    assert!(super::super::snapshot(&accessible(&config.databases[0], &around)).is_ok());
    // Like PostgreSQL, ignore a file that others may read.
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(try_read("service: shop", "", &around).is_err());
}

fn tls(server: &TestServer, database: &str) {
    let Some(certificate) = server.certificate() else { return };
    let read = |host: &str, more: &str| {
        let connection = format!("host: {host}, port: {}, database: {database}, user: refdesk{more}", server.port());
        try_read(&connection, "", &ConnectionEnvironment::default())
    };
    let known = format!(", sslrootcert: {certificate:?}");
    for (host, more) in [
        ("localhost", String::new()),
        ("localhost", ", sslmode: require".to_owned()),
        ("localhost", format!(", sslmode: verify-full{known}")),
        ("127.0.0.1", format!(", sslmode: verify-ca{known}")),
    ] {
        read(host, &more).unwrap_or_else(|error| panic!("{host}{more}: {error}"));
    }
    for (host, more, why) in [
        ("localhost", ", sslmode: disable".to_owned(), "not without TLS"),
        ("localhost", ", sslmode: verify-full".to_owned(), "certificate is not accepted"),
        ("127.0.0.1", format!(", sslmode: verify-full{known}"), "issued for another host"),
        ("localhost", ", sslmode: verify-ca, sslrootcert: /nonexistent".to_owned(), "cannot be read"),
    ] {
        let error = read(host, &more).unwrap_err();
        assert!(error.message.contains(why), "{host}{more}: {error}");
    }
    // Certificates that are replaced later are not used.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    fs::copy(&certificate, &file).unwrap();
    let connection = format!("host: localhost, port: {}, user: refdesk, sslrootcert: {file:?}", server.port());
    let (config, server) = config(&format!("{connection}, database: {database}, sslmode: verify-full"), "");
    let database = accessible(&config, &ConnectionEnvironment::default());
    super::read(&database, &server, &NO_WAIT).unwrap();
    fs::write(&file, "others").unwrap();
    super::read(&database, &server, &NO_WAIT).unwrap();
}

fn only_reads(server: &TestServer, database: &str) {
    server.run(database, "CREATE TABLE public.t (id int)");
    let url = server.url("refdesk", database);
    let session = ReadingSession::open(&Address::parse(&url).unwrap(), &Arc::default()).unwrap();
    let setting = |name: &str| {
        let rows = session.rows("SELECT current_setting($1)", &[&name]).unwrap();
        rows[0].get::<_, String>(0)
    };
    for (name, expected) in [
        ("transaction_isolation", "repeatable read"),
        ("transaction_read_only", "on"),
        ("statement_timeout", "30s"),
        ("lock_timeout", "1s"),
        ("idle_in_transaction_session_timeout", "1min"),
        ("search_path", "\"\""),
        ("application_name", "refdesk"),
    ] {
        assert_eq!(setting(name), expected, "{name}");
    }
    assert!(session.rows("INSERT INTO public.t VALUES (1)", &[]).is_err());
    session.end();
}

fn cancels(server: &TestServer, database: &str) {
    let socket = server.url("refdesk", database);
    let tls = format!("postgres://refdesk@127.0.0.1:{}/{database}?sslmode=require", server.port());
    let active = || {
        let other = ReadingSession::open(&Address::parse(&socket).unwrap(), &Arc::default()).unwrap();
        let count = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND pid <> pg_backend_pid() \
                     AND application_name = 'refdesk' AND datname = current_database()";
        other.rows(count, &[]).unwrap()[0].get::<_, i64>(0)
    };
    for url in [Some(&socket), server.certificate().map(|_| &tls)].into_iter().flatten() {
        let is_stopped = Arc::<AtomicBool>::default();
        let session = ReadingSession::open(&Address::parse(url).unwrap(), &is_stopped).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                while active() == 0 {}
                is_stopped.store(true, Ordering::Relaxed);
            });
            let refusal = session.rows("SELECT pg_sleep(25)", &[]).unwrap_err();
            assert_eq!(refusal.kind, RefusalKind::Stopped, "{url}");
        });
        assert_eq!(active(), 0, "{url}");
        assert_eq!(session.rows("SELECT 1", &[]).unwrap_err().kind, RefusalKind::Stopped);
        session.end();
    }
}

#[test]
fn weaker_tls_is_a_warning() {
    for (connection, words) in [
        ("host: db.example", None),
        ("host: localhost, sslmode: disable", None),
        ("host: db.example, sslmode: prefer", Some("others on the network can read")),
        ("host: db.example, sslmode: require", Some("impersonate")),
    ] {
        let (config, server) = config(connection, "");
        let address = place::address(&server, &ConnectionEnvironment::default(), &CheckedFiles::default()).unwrap();
        let warning = weak_tls(&config, &address).map(|it| it.message);
        assert_eq!(warning.is_some(), words.is_some(), "{connection}");
        assert!(warning.unwrap_or_default().contains(words.unwrap_or_default()), "{connection}");
    }
}
