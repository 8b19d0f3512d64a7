//! Parsing of configurations.

use super::patterns::PATTERNS;
use super::*;
use crate::names::globs::PATTERN_CHARACTERS;

fn problems(text: &str) -> Vec<String> {
    let line = |it: &Diagnostic| {
        let at = it.line.map_or_else(String::new, |line| format!("{line}:{}", it.column.unwrap_or(0)));
        format!("{} {at} {}", it.code, it.message)
    };
    read(text, "f").1.iter().map(line).collect()
}

#[test]
fn everything_is_read() {
    let text = "\
databases:
  - name: shop
    type: postgres
    connection: { service: shop, password_env: SHOP }
    schemas: [sales, stock]
    exclude_tables: ['*_backup']
    include_views: false
    sampling: none
    sensitive: ['*.customer.*']
    granularity: table
    domains: { sales: ['sales.*'], money: [payment] }
  - name: app
    type: sqlite
    connection: { file: app.db }
docs_path: doc/db/
";
    let (config, problems) = read(text, "f");
    assert_eq!(problems, []);
    assert_eq!(config.docs_path, "doc/db");
    let [shop, app] = config.databases.as_slice() else { panic!("{config:?}") };
    assert!(matches!(&shop.connection, Connection::Postgres(it) if it.secret == Some(Secret::Env("SHOP".into()))));
    assert_eq!((shop.sampling, shop.granularity, shop.include_views), (Sampling::None, Granularity::Table, false));
    assert!(shop.wants_table("sales", "order") && !shop.wants_table("sales", "order_backup"));
    assert!(!shop.wants_table("other", "order"));
    assert_eq!(shop.domains.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["sales", "money"]);
    assert_eq!(app.connection, Connection::Sqlite { file: "app.db".into() });
    assert_eq!((app.sampling, app.include_views, app.enabled), (Sampling::Statistics, true, true));
}

#[test]
fn an_invalid_database_does_not_affect_the_others() {
    let good = "\n  - {name: good, type: sqlite, connection: {file: x}}";
    for (entry, expected) in [
        ("{name: Shop, type: sqlite, connection: {file: x}}", "unknown-value 2:12 'Shop' is not a valid name"),
        (
            "{name: con, type: sqlite, connection: {file: x}}",
            "unknown-value 2:12 'con' is not a valid name: Windows reserves it for a device",
        ),
        ("{type: sqlite, connection: {file: x}}", "missing-field 2:5 a database has no 'name'"),
        ("{name: a, connection: {file: x}}", "missing-field 2:5 a database has no 'type'"),
        ("{name: a, type: mysql, connection: {file: x}}", "unknown-value 2:21 'mysql' is not a value of 'type'"),
        ("{name: a, type: sqlite}", "missing-field 2:5 a database has no 'connection'"),
        ("{name: a, type: sqlite, connection: {}}", "missing-field 2:41 the connection has no 'file'"),
        (
            "{name: a, type: postgres, connection: {host: h, password: x}}",
            "plain-password 2:63 the password is in the file",
        ),
        (
            "{name: a, type: postgres, connection_config: {host: h, passwd: hunter2}}",
            "plain-password 2:68 the password is in the file",
        ),
        (
            "{name: a, type: postgres, connection: {host: h, Api-Key: hunter2}}",
            "plain-password 2:62 the secret is in the file",
        ),
        (
            "{name: a, type: snowflake, connection: {account: h, private_key: MII}}",
            "plain-password 2:70 the private key is in the file",
        ),
        (
            "{name: a, type: snowflake, connection: {account: h, oauth_token: 5}}",
            "plain-password 2:70 the token is in the file",
        ),
        ("{name: a, type: postgres, connection: {port: 5}}", "missing-field 2:43 the connection has no service"),
        (
            "{name: a, type: postgres, connection_string: 'p://u:x@h/d'}",
            "plain-password 2:50 the password is in the file",
        ),
        (
            "{name: a, type: postgres, connection: {host: h, password_env: A, token_env: B}}",
            "contradiction 2:81 'password_env' and 'token_env' each name a secret",
        ),
        (
            "{name: a, type: snowflake, connection: {account: h, token_env: A, private_key_env: B, password_env: C}}",
            "contradiction 2:68 'password_env', 'private_key_env' and 'token_env' each name a secret",
        ),
        ("[1]", "not-an-object 2:5 a database must be an object, not a list"),
    ] {
        let text = format!("databases:\n  - {entry}{good}\n");
        let (config, reported) = read(&text, "f");
        let names: Vec<&str> = config.databases.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["good"], "{entry}");
        assert!(reported.iter().all(|problem| !problem.fix.is_none()), "{entry}: {reported:?}");
        let found = problems(&text);
        assert!(found.iter().any(|it| it.starts_with(expected)), "{entry}: {found:?}");
    }
}

#[test]
fn a_wrong_name_or_a_wrong_indentation_has_a_fix() {
    for (text, fix) in [
        ("databases:\n  - {name: A_B, type: sqlite, connection: {file: x}}\n", "write 'a-b'"),
        ("databases:\n  - {name: ___, type: sqlite, connection: {file: x}}\n", "give it another name"),
        (
            "databases:\n  - {name: a, type: sqlite, connection: {file: x}, sampling: false}\n",
            "use one of none, statistics, values",
        ),
        ("a:\n  - b\n c: 1\n", "start it in the same column as its neighbours, and indent with spaces"),
    ] {
        assert_eq!(read(text, "f").1[0].fix.to_string(), fix, "{text}");
    }
}

#[test]
fn an_invalid_value_excludes_its_database() {
    let with = |line: &str| format!("databases:\n  - {{name: a, type: sqlite, connection: {{file: x}}, {line}}}\n");
    for (line, expected) in [
        ("sampling: all", "unknown-value"),
        ("sampling: false", "wrong-type 2:62 'sampling' must be a string, not true or false"),
        ("include_views: 7", "wrong-type"),
        ("sensitive: {a: b}", "wrong-type"),
        ("exclude_tables: ['[']", "bad-glob"),
        ("exclude_tables: 7", "wrong-type"),
        ("sensitive: [3]", "wrong-type"),
        ("sensitive: ['']", "missing-field"),
        ("domains: {Big Sales: [x]}", "unknown-value"),
        ("include_tabels: [x]", "unknown-key"),
        ("Sensitiv: [x]", "unknown-key"),
        ("exclude: [x]", "unknown-key"),
        ("sampling_mode: none", "unknown-key"),
        ("enable: false", "unknown-key"),
    ] {
        let text = with(line);
        let (config, _) = read(&text, "f");
        assert_eq!((config.databases.len(), config.wrong), (0, vec!["a".to_owned()]), "{line}");
        let found = problems(&text);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{line}: {found:?}");
        let is_guard = expected == "unknown-key";
        assert_eq!(found[0].contains("may be meant to keep something from being read"), is_guard, "{line}: {found:?}");
    }
    // Unknown keys that restrict nothing only get a warning.
    for line in ["granularty: table", "not_sensitve: [x]", "owner: ann"] {
        assert_eq!(read(&with(line), "f").0.databases.len(), 1, "{line}");
        assert!(problems(&with(line))[0].starts_with("unknown-key"), "{line}");
    }
}

#[test]
fn patterns_are_limited() {
    let long = "*a".repeat(PATTERN_CHARACTERS / 2 + 1);
    let full = format!("'{}'", "a".repeat(PATTERN_CHARACTERS));
    let list = |pattern: &str, count: usize| vec![pattern; count].join(", ");
    for (lines, expected) in [
        (
            format!("exclude_tables: [x,\n  '{long}', y]"),
            "bad-glob 3:3 a pattern of 'exclude_tables' has more than 256",
        ),
        (format!("domains: {{sales: ['{long}']}}"), "bad-glob 2:70 a pattern of 'sales' has more than 256"),
        (format!("sensitive: [{}]", list("a", PATTERNS)), ""),
        (
            format!("sensitive: [{},\n  b, c]", list("a", PATTERNS)),
            "too-many 3:3 the database has more than 4000 patterns",
        ),
        (format!("sensitive: [{}],\n  domains: {{a: [b], c: [d, e]}}", list("a", PATTERNS)), "too-many 3:17"),
        (format!("include_tables: [{}]", list(&full, 256)), ""),
        (format!("include_tables: [{},\n  a]", list(&full, 256)), "too-many 3:3"),
    ] {
        let text = format!("databases:\n  - {{name: a, type: sqlite, connection: {{file: x}}, {lines}}}\n");
        let found = problems(&text);
        assert_eq!(found.len(), usize::from(!expected.is_empty()), "{found:?}");
        assert!(found.first().is_none_or(|it| it.starts_with(expected)), "{found:?}");
        assert_eq!(read(&text, "f").0.databases.is_empty(), !expected.is_empty(), "{expected}");
    }
}

#[test]
fn pages_have_their_own_folder() {
    let with =
        |path: &str| format!("databases: [{{name: a, type: sqlite, connection: {{file: x}}}}]\ndocs_path: {path}\n");
    for (path, expected) in
        [("doc/db/", "doc/db"), ("./doc//db", "doc/db"), ("doc/../db", "db"), ("7", "7"), ("~", DOCS_PATH)]
    {
        let (config, problems) = read(&with(path), "f");
        assert_eq!((config.docs_path.as_str(), config.databases.len(), problems), (expected, 1, vec![]), "{path}");
    }
    for (path, code) in [
        ("''", "missing-field"),
        ("[1]", "wrong-type"),
        (".", "guarded"),
        ("doc/..", "guarded"),
        (".git", "guarded"),
        ("sub/.GIT/x", "guarded"),
        (".jaato", "guarded"),
        (".Jaato/pages", "guarded"),
        ("..", "outside"),
        ("doc/../../out", "outside"),
        ("/tmp/x", "outside"),
        ("'~/x'", "outside"),
        ("'~'", "outside"),
        ("'C:/x'", "outside"),
        ("'a\\b'", "bad-path"),
        ("'${HOME}/x'", "bad-path"),
        ("'$HOME/x'", "bad-path"),
        ("'a}'", "bad-path"),
        ("\"a\\nb\"", "bad-path"),
    ] {
        let (config, _) = read(&with(path), "f");
        assert_eq!((config.databases.len(), config.wrong), (0, vec!["a".to_owned()]), "{path}");
        let found = problems(&with(path));
        assert!(found.len() == 1 && found[0].starts_with(&format!("{code} 2:12")), "{path}: {found:?}");
    }
}

#[test]
fn files_that_are_not_read_at_all() {
    let many: String =
        (0..70).map(|at| format!("  - {{name: d{at}, type: sqlite, connection: {{file: x}}}}\n")).collect();
    for (text, count, expected) in [
        ("a: [", 0, "unparsable 1:"),
        ("databases: !x []", 0, "unparsable 1:12 tags"),
        ("databases: []\ndatabases: []", 0, "unparsable 2:1"),
        ("databases: 7", 0, "wrong-type 1:12"),
        ("", 0, "missing-field 1:1"),
        (
            "databases:\n  - {name: a, type: sqlite, connection: {file: x}}\n  - {name: a, type: sqlite, connection: {file: y}}\n",
            0,
            "duplicate-name 2:0",
        ),
        (&format!("databases:\n{many}"), DATABASES, "too-many 66:5"),
    ] {
        assert_eq!(read(text, "f").0.databases.len(), count, "{text}");
        let found = problems(text);
        assert!(found.first().is_some_and(|it| it.starts_with(expected)), "{text}: {found:?}");
    }
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n\
                d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\n";
    assert!(problems(bomb)[0].starts_with("unparsable"), "{:?}", problems(bomb));
}

#[test]
fn a_default_is_named_only_where_one_is_used() {
    let text = "databases: [{name: a, type: postgres, connection: {host: db, port: 99999}}]";
    let found = read(text, "f").1;
    assert!(found.iter().any(|it| it.message == "'port' is not between 1 and 65535"), "{found:?}");
}

#[test]
fn a_secret_under_another_key_is_refused_wherever_it_is() {
    let of_sqlite = "remove it";
    for (entry, place, fix) in [
        ("sqlite, password: hunter2, connection: {file: x}", "1:47", "'password_env: NAME'"),
        ("sqlite, connection: {file: x, pwd: hunter2}", "1:64", of_sqlite),
        ("sqlite, connection: {file: x, options: {pwd: hunter2}}", "1:74", of_sqlite),
        ("sqlite, passwords: [hunter2], connection: {file: x}", "1:49", "'password_env: NAME'"),
        ("postgres, connection: {host: h, options: {token: 5}}", "1:78", "'token_env: NAME'"),
    ] {
        let (_, problems) = read(&format!("databases: [{{name: a, type: {entry}}}]"), "f");
        let secrets: Vec<_> = problems.iter().filter(|it| it.code == Code::PlainPassword).collect();
        let [problem] = secrets.as_slice() else { panic!("{entry}: {problems:?}") };
        assert_eq!(format!("{}:{}", problem.line.unwrap(), problem.column.unwrap()), place, "{entry}");
        assert!(problem.fix.to_string().contains(fix), "{problem:?}");
    }
    let (_, problems) = read("databases: []\npass: [{word: hunter2}, {password: hunter2}]\n", "f");
    let places: Vec<_> = problems.iter().map(|it| (it.code, it.line)).collect();
    assert_eq!(places, [(Code::PlainPassword, Some(2))], "{problems:?}");
    let limits = "{host: h, token_limit: 5, max_tokens: 6}";
    let (found, problems) = read(&format!("databases: [{{name: a, type: postgres, connection: {limits}}}]"), "f");
    assert_eq!(found.databases.len(), 1, "{problems:?}");
    // These name the location of a secret.
    let elsewhere = "{host: h, passfile: ~/.pgpass, secret_name: x, password: '${P}'}";
    let (_, problems) = read(&format!("databases: [{{name: a, type: postgres, connection: {elsewhere}}}]"), "f");
    assert!(problems.iter().all(|it| it.code == Code::UnknownKey), "{problems:?}");
}
