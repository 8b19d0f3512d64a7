//! Tests against a fake server that behaves as Snowflake's documentation describes.

#![allow(clippy::disallowed_methods, reason = "tests write files of any kind")]

use std::collections::BTreeMap;

use refdesk_snowflake::testing::{Fault, StandIn, Tables};

use super::*;
use crate::config::{self, Connection};
use crate::snapshot::{Table, TableKind, TableName};

const KEY: &str = include_str!("../../../../../tests/data/databases/key-of-tests.pem");

fn variable(name: &str) -> Option<String> {
    match name {
        "KEY" => Some(KEY.to_owned()),
        "TOKEN" => Some("a-token\n".to_owned()),
        "STALE" => Some("another-token".to_owned()),
        _ => None,
    }
}

fn around() -> ConnectionEnvironment {
    ConnectionEnvironment { variable, ..ConnectionEnvironment::default() }
}

fn try_read(port: u16, connection: &str, more: &str) -> Result<SchemaReading, Error> {
    let text = format!(
        "databases: [{{name: a, type: snowflake, connection: {{host: 127.0.0.1, port: {port}, {connection}}}{more}}}]"
    );
    let (config, problems) = config::read(&text, "f");
    assert_eq!(problems, [], "{text}");
    let config = config.databases.into_iter().next().unwrap();
    let Connection::Snowflake(server) = config.connection.clone() else { panic!() };
    read(&config, &server, &around(), &|_| true)
}

const BY_TOKEN: &str = "database: SHOP, token_env: TOKEN";

fn key_row(columns: &[(&'static str, &str)]) -> BTreeMap<&'static str, String> {
    columns.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

fn owned_key(table: &str, column: &str, sequence: &str, name: &str) -> BTreeMap<&'static str, String> {
    key_row(&[
        ("schema_name", "SALES"),
        ("table_name", table),
        ("column_name", column),
        ("key_sequence", sequence),
        ("constraint_name", name),
    ])
}

fn imported_key(column: &str, target: &str, sequence: &str) -> BTreeMap<&'static str, String> {
    key_row(&[
        ("pk_database_name", "SHOP"),
        ("pk_schema_name", "SALES"),
        ("pk_table_name", "ORDER"),
        ("pk_column_name", target),
        ("fk_schema_name", "SALES"),
        ("fk_table_name", "LINE"),
        ("fk_column_name", column),
        ("key_sequence", sequence),
        ("fk_name", "LINE_ORDER"),
        ("delete_rule", "CASCADE"),
        ("update_rule", "NO ACTION"),
        ("deferrability", "NOT DEFERRABLE"),
    ])
}

fn account() -> Tables {
    let column = |table, name, kind, rest: [Option<&'static str>; 9]| {
        let [length, precision, scale, time, nullable, default, identity, collation, comment] = rest;
        [
            Some("SALES"),
            Some(table),
            Some(name),
            Some(kind),
            length,
            precision,
            scale,
            time,
            nullable,
            default,
            identity,
            collation,
            comment,
        ]
    };
    let none = [None; 9];
    let number = [None, Some("38"), Some("0"), None, Some("NO"), None, Some("NO"), None, None];
    let counted = [None, Some("38"), Some("0"), None, Some("NO"), Some("IDENTITY START 1"), Some("YES"), None, None];
    let text =
        |length, comment| [Some(length), None, None, None, Some("YES"), Some("'new'"), Some("NO"), None, comment];
    Tables {
        role: "READER",
        schemas: vec![
            [Some("SALES"), Some("What we sell")],
            [Some("Odd \"one\""), None],
            [Some("INFORMATION_SCHEMA"), None],
        ],
        tables: vec![
            [Some("SALES"), Some("ORDER"), Some("BASE TABLE"), Some("1200"), Some("Paid carts")],
            [Some("SALES"), Some("LINE"), Some("BASE TABLE"), Some("0"), None],
            [Some("SALES"), Some("BIG"), Some("VIEW"), None, Some("")],
            [Some("SALES"), Some("FILES"), Some("EXTERNAL TABLE"), None, None],
            [Some("Odd \"one\""), Some("a|b\n../x"), Some("BASE TABLE"), None, None],
            [Some("INFORMATION_SCHEMA"), Some("TABLES"), Some("VIEW"), None, None],
        ],
        columns: vec![
            column("ORDER", "DAY", "DATE", none),
            column("ORDER", "NUMBER", "NUMBER", counted),
            column("ORDER", "STATE", "TEXT", text("20", Some("new, paid or sent"))),
            column("ORDER", "NOTE", "TEXT", text("16777216", None)),
            column("ORDER", "AT", "TIMESTAMP_NTZ", [None, None, None, Some("9"), Some("YES"), None, None, None, None]),
            column("LINE", "ORDER_DAY", "DATE", none),
            column("LINE", "ORDER_NUMBER", "NUMBER", number),
        ],
        keys: BTreeMap::from([
            (
                "PRIMARY",
                vec![
                    owned_key("ORDER", "NUMBER", "2", "SYS_CONSTRAINT_0ac1"),
                    owned_key("ORDER", "DAY", "1", "SYS_CONSTRAINT_0ac1"),
                ],
            ),
            ("UNIQUE", vec![owned_key("LINE", "ORDER_NUMBER", "1", "ONE_LINE")]),
            ("IMPORTED", vec![imported_key("ORDER_NUMBER", "NUMBER", "2"), imported_key("ORDER_DAY", "DAY", "1")]),
        ]),
        part: 1_000,
    }
}

fn table<'r>(reading: &'r SchemaReading, schema: &str, name: &str) -> &'r Table {
    let name = TableName { schema: schema.to_owned(), name: name.to_owned() };
    reading.snapshot.table(&name).unwrap_or_else(|| panic!("{name:?}"))
}

#[test]
fn a_schema_of_an_account() {
    let server = StandIn::start(account(), Vec::new(), Some(KEY));
    let by_key =
        "account: acme-main, user: refdesk, database: SHOP, warehouse: SMALL, role: READER, private_key_env: KEY";
    let reading = try_read(server.port, by_key, "").unwrap();
    assert_eq!(reading.problems, []);
    assert_eq!(reading.about_connection.len(), 1, "that it was tried against a stand-in only");
    assert_eq!(reading.snapshot.server_version.as_deref(), Some("9.30.1"));
    let names: Vec<String> = reading.snapshot.tables.iter().map(Table::full_name).collect();
    assert_eq!(names, ["Odd \"one\".a|b\n../x", "SALES.BIG", "SALES.FILES", "SALES.LINE", "SALES.ORDER"]);
    let order = table(&reading, "SALES", "ORDER");
    assert_eq!((order.row_estimate, order.comment.as_deref()), (Some(1200), Some("Paid carts")));
    assert_eq!(table(&reading, "SALES", "BIG").kind, TableKind::View);
    assert_eq!(table(&reading, "SALES", "BIG").comment, None);
    assert_eq!(table(&reading, "SALES", "FILES").kind, TableKind::ForeignTable);
    let types: Vec<&str> = order.columns.iter().map(|column| column.data_type.as_str()).collect();
    assert_eq!(types, ["DATE", "NUMBER(38,0)", "VARCHAR(20)", "VARCHAR", "TIMESTAMP_NTZ(9)"]);
    let counted = order.column("NUMBER").unwrap();
    assert_eq!((counted.identity.as_deref(), &counted.default, counted.nullable), (Some("by default"), &None, false));
    let state = order.column("STATE").unwrap();
    assert_eq!((state.default.as_deref(), state.comment.as_deref()), (Some("'new'"), Some("new, paid or sent")));
    let key = order.primary_key.as_ref().unwrap();
    assert_eq!((key.name.as_deref(), key.columns.join(" ")), (None, "DAY NUMBER".to_owned()));
    let line = table(&reading, "SALES", "LINE");
    assert_eq!(line.unique[0].name.as_deref(), Some("ONE_LINE"));
    let [join] = &line.foreign_keys[..] else { panic!("{:?}", line.foreign_keys) };
    assert_eq!(
        (join.columns.join(" "), join.target_columns.join(" ")),
        ("ORDER_DAY ORDER_NUMBER".into(), "DAY NUMBER".into())
    );
    assert_eq!(
        (join.target.full(), join.on_delete.as_str(), join.is_deferrable),
        ("SALES.ORDER".into(), "cascade", false)
    );
    let seen = server.seen();
    assert_eq!(seen.len(), 7);
    assert!(seen.iter().all(|it| it.body["warehouse"] == "SMALL" && it.body["role"] == "READER"), "{seen:?}");
}

#[test]
fn only_the_wanted_schemas_and_tables() {
    let server = StandIn::start(account(), Vec::new(), None);
    let reading =
        try_read(server.port, BY_TOKEN, ", schemas: [SALES], include_views: false, exclude_tables: ['*.FILES']");
    let names: Vec<String> = reading.unwrap().snapshot.tables.iter().map(Table::full_name).collect();
    assert_eq!(names, ["SALES.LINE", "SALES.ORDER"]);
    let server = StandIn::start(account(), Vec::new(), None);
    let reading = try_read(server.port, BY_TOKEN, ", include_system_tables: true").unwrap();
    assert_eq!(table(&reading, "INFORMATION_SCHEMA", "TABLES").kind, TableKind::View);
}

#[test]
fn results_in_parts_and_statements_that_take_long() {
    let whole = try_read(StandIn::start(account(), Vec::new(), None).port, BY_TOKEN, "").unwrap();
    let server = StandIn::start(Tables { part: 1, ..account() }, vec![Fault::Later(3), Fault::Later(0)], None);
    let reading = try_read(server.port, BY_TOKEN, "").unwrap();
    assert_eq!(reading.snapshot, whole.snapshot);
    let parts = server.seen().iter().filter(|it| it.target.contains("partition=")).count();
    assert!(parts > 10, "{parts}");
    let server = StandIn::start(account(), vec![Fault::Later(1_000)], None);
    let error = try_read(server.port, BY_TOKEN, "").unwrap_err();
    assert!(error.message.contains("takes too long"), "{error}");
    let last = server.seen().pop().unwrap();
    assert_eq!((last.method.as_str(), last.target.ends_with("/cancel")), ("POST", true), "{last:?}");
}

#[test]
fn more_keys_than_one_statement_returns() {
    let many = |schema: &'static str| {
        (0..6_000).map(move |nth| {
            let name = format!("T{nth}");
            let mut row = owned_key(&name, "ID", "1", "K");
            row.insert("schema_name", schema.to_owned());
            row
        })
    };
    let mut keys: Vec<_> = many("Odd \"one\"").chain(many("SALES")).collect();
    keys.push(owned_key("ORDER", "DAY", "1", "K"));
    let server = StandIn::start(Tables { keys: BTreeMap::from([("PRIMARY", keys)]), ..account() }, Vec::new(), None);
    let reading = try_read(server.port, BY_TOKEN, "").unwrap();
    assert_eq!(table(&reading, "SALES", "ORDER").primary_key.as_ref().unwrap().columns, ["DAY"]);
    let seen = server.seen();
    let asked = |statement: &str| seen.iter().any(|it| it.body["statement"] == statement);
    assert!(asked("SHOW PRIMARY KEYS IN SCHEMA \"Odd \"\"one\"\"\""), "{seen:?}");
}

#[test]
fn temporary_errors_are_retried_with_the_same_id() {
    let busy = |status| Fault::Status(status, None, String::new());
    let waits = Fault::Status(429, Some(("retry-after", "1".to_owned())), String::new());
    let server = StandIn::start(account(), vec![Fault::Cut, busy(503), waits, busy(408)], None);
    try_read(server.port, BY_TOKEN, "").unwrap();
    let seen = server.seen();
    let id = |at: usize| seen[at].target.split(['=', '&']).nth(1).unwrap().to_owned();
    assert_eq!(id(0), id(4));
    assert!(!seen[0].target.contains("retry=true") && seen[4].target.contains("retry=true"), "{seen:?}");
    assert_ne!(id(0), id(5));
}

#[test]
fn refusals_say_what_to_do_and_quote_nothing() {
    let status = |status, code: &str| {
        let body = format!("{{\"code\": \"{code}\", \"message\": \"a-secret-word\"}}");
        vec![Fault::Status(status, None, body)]
    };
    let long = vec![Fault::Status(429, Some(("retry-after", "600".to_owned())), String::new())];
    let elsewhere = vec![Fault::Status(302, Some(("location", "https://evil.example/".to_owned())), String::new())];
    let html = vec![Fault::Status(200, None, "<html>a-secret-word</html>".to_owned())];
    let bare = vec![Fault::Status(200, None, "{\"statementHandle\": \"../../x\"}".to_owned())];
    let cases = [
        (BY_TOKEN, vec![Fault::Status(503, None, String::new()); 5], "answered 503"),
        (BY_TOKEN, vec![Fault::Cut; 4], "the connection was closed without an answer"),
        (BY_TOKEN, vec![Fault::CutInside], "ended early"),
        (BY_TOKEN, status(422, "000606"), "no warehouse"),
        (BY_TOKEN, status(422, "002003"), "does not exist"),
        (BY_TOKEN, status(422, "999999"), "refused a statement (422 Unprocessable Entity, 999999)"),
        (BY_TOKEN, status(403, "390432"), "denies access to this account"),
        (BY_TOKEN, long, "more than two minutes"),
        (BY_TOKEN, elsewhere, "redirects"),
        (BY_TOKEN, html, "not a Snowflake response"),
        (BY_TOKEN, bare, "no handle"),
        ("database: SHOP, token_env: STALE", Vec::new(), "does not accept the key or the token"),
        ("database: OTHER, token_env: TOKEN", Vec::new(), "does not exist"),
        ("database: SHOP, token_env: MISSING", Vec::new(), "MISSING is not set"),
        ("database: SHOP, private_key_env: KEY", Vec::new(), "needs the account and the user"),
        ("database: SHOP, private_key_file: no-such-file", Vec::new(), "'no-such-file' cannot be read"),
        ("database: SHOP", Vec::new(), "has no key or token"),
        ("token_env: TOKEN", Vec::new(), "names no database"),
    ];
    for (connection, faults, words) in cases {
        let server = StandIn::start(account(), faults, None);
        let error = try_read(server.port, connection, "").unwrap_err();
        let text = format!("{error} {:?}", error.fix);
        assert!(text.contains(words), "{connection}: {text}");
        assert!(
            !text.contains("a-secret-word") && !text.contains("-token\n") && !text.contains("another-token"),
            "{text}"
        );
    }
}

#[test]
fn an_overprivileged_role_is_reported() {
    let server = StandIn::start(Tables { role: "ACCOUNTADMIN", ..account() }, Vec::new(), None);
    let reading = try_read(server.port, BY_TOKEN, "").unwrap();
    let [_, problem] = &reading.about_connection[..] else { panic!("{:?}", reading.about_connection) };
    assert!(problem.message.contains("ACCOUNTADMIN"), "{problem:?}");
    let fix = format!("{:?}", problem.fix);
    assert!(fix.contains("GRANT USAGE ON SCHEMA \\\"SHOP\\\".\\\"SALES\\\" TO ROLE REFDESK_READER"), "{fix}");
}

#[test]
fn keys_to_another_database_are_left_out_and_counted() {
    let mut account = account();
    let keys = account.keys.get_mut("IMPORTED").unwrap();
    keys.iter_mut().for_each(|row| drop(row.insert("pk_database_name", "ARCHIVE".to_owned())));
    let reading = try_read(StandIn::start(account, Vec::new(), None).port, BY_TOKEN, "").unwrap();
    assert_eq!(table(&reading, "SALES", "LINE").foreign_keys, []);
    assert!(
        reading.problems[0].message.starts_with("1 foreign key refers to another database"),
        "{:?}",
        reading.problems
    );
}
