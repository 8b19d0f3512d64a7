//! Databases and pages outside the workspace.

use std::fs;

use refdesk_core::config::{Environment, WorkspaceContext};
use refdesk_database::schema::plan::FILE;
use refdesk_text::{Code, Fix};

use super::{CONFIG, World, options};
use crate::databases::DatabaseAccess;
use crate::{Desk, Options, Session};

#[test]
fn paths_outside_need_trust() {
    let world = World::new();
    world.sql("../outside.db", "CREATE TABLE secret (a)");
    let config = |more: &str| {
        format!(
            "databases:\n  - {{name: shop, type: sqlite, connection: {{file: shop.db}}{more}}}\n  \
             - {{name: out, type: sqlite, connection: {{file: ../outside.db}}}}\n  \
             - {{name: pg, type: postgres, connection: {{host: db, user: ann, password_env: PW}}}}\n"
        )
    };
    world.put(".jaato/databases.yaml", &config(""));
    let desk = world.desk();
    let waiting: Vec<String> =
        desk.untrusted().iter().map(|it| format!("{}:{} {}", it.file, it.line.unwrap(), it.what)).collect();
    let outside = world.path.with_file_name("outside.db");
    assert_eq!(
        waiting,
        [
            format!(".jaato/databases.yaml:3 read the SQLite database `{}` as `out`", outside.display()),
            ".jaato/databases.yaml:4 read the postgres database `pg`: host `db`, user `ann`, with the secret in `$PW`"
                .to_owned(),
        ]
    );
    let run = desk.documentation(&options()).unwrap();
    let failed: Vec<(&str, Code)> = run.failed.iter().map(|(name, error)| (name.as_str(), error.code)).collect();
    assert_eq!(failed, [("out", Code::Untrusted), ("pg", Code::Untrusted)]);
    assert!(!run.pages.iter().any(|it| it.page.text.contains("secret")));
    desk.trust(&desk.untrusted()).unwrap();
    let run = world.desk().documentation(&options()).unwrap();
    assert!(run.pages.iter().any(|it| it.page.text.contains("secret")));
    // Revealing more about values needs a new approval, and has no effect before it.
    world.put(".jaato/databases.yaml", &config(", not_sensitive: ['*.email'], publish_values: true"));
    let desk = world.desk();
    assert_eq!(desk.untrusted().len(), 1);
    let page = |desk: &Desk| {
        let run = desk.documentation(&options()).unwrap();
        run.pages.iter().find(|it| it.page.path.ends_with("main.customer.md")).unwrap().page.text.clone()
    };
    assert!(page(&desk).contains("sensitive (name: email)"));
    desk.trust(&desk.untrusted()).unwrap();
    assert!(!page(&world.desk()).contains("sensitive (name: email)"));
}

/// A repository could otherwise push a command out of sight with what it shows after it.
#[test]
fn what_runs_a_command_is_shown_last() {
    let world = World::new();
    let host = format!("db.example.org{}x", " ".repeat(900_000));
    world.put(
        ".jaato/databases.yaml",
        &format!(
            "databases:\n  - {{name: a, type: postgres, connection: {{host: h, user: u, password_command: touch x}}}}\n  \
             - {{name: b, type: postgres, connection: {{host: '{host}', user: u}}}}\n"
        ),
    );
    let waiting = world.desk().untrusted();
    let shown: Vec<(&str, bool)> = waiting.iter().map(|it| (it.what.as_str(), it.runs_command)).collect();
    assert_eq!(
        shown,
        [
            ("read the postgres database `b`: host `db.example.org[900,000 blanks]x`, user `u`", false),
            (
                "read the postgres database `a`: host `h`, user `u`, with the password that the command `touch x` prints",
                true
            ),
        ]
    );
}

#[test]
fn a_variable_in_the_path_of_a_file_waits_for_trust() {
    let world = World::new();
    let desk = |environment| {
        let workspace = world.path.clone();
        let context = WorkspaceContext { current: workspace.clone(), workspace, ..WorkspaceContext::default() };
        let state = Some(world.root.path().join("state"));
        Desk::open(Options { state, environment: Environment(environment), ..Options::new(context) })
    };
    let set = |name: &str| (name == "DBF").then(|| "shop.db".to_owned());
    let config = "databases:\n  - {name: shop, type: sqlite, connection: {file: '${DBF}'}}\n  \
                  - {name: other, type: sqlite, connection_string: 'sqlite:///${workspaceRoot}/${DBF}'}\n";
    world.put(".jaato/databases.yaml", config);
    let waiting: Vec<String> = desk(set).untrusted().into_iter().map(|it| it.what).collect();
    assert_eq!(
        waiting,
        [
            "read the SQLite database `${DBF}` as `shop`, using `$DBF` from the environment",
            "read the SQLite database `${workspaceRoot}/${DBF}` as `other`, using `$DBF` from the environment",
        ]
    );
    // Nothing reveals whether the variable is set.
    let codes = |desk: &Desk| {
        let run = desk.documentation(&options()).unwrap();
        run.failed.iter().map(|(_, error)| error.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&desk(set)), [Code::Untrusted, Code::Untrusted]);
    assert_eq!(codes(&desk(|_| None)), [Code::Untrusted, Code::Untrusted]);
    desk(set).trust(&desk(set).untrusted()).unwrap();
    assert_eq!(codes(&desk(set)), []);
    assert_eq!(codes(&desk(|_| None)), [Code::NoVariable, Code::NoVariable]);
}

/// A database trusted with a restriction is not trusted without it, nor with another file or program.
#[test]
fn a_database_is_trusted_as_it_was_shown() {
    let world = World::new();
    fs::create_dir_all(world.path.join("scripts")).unwrap();
    world.put("scripts/pw.sh", "echo one");
    let out = "type: sqlite, connection: {file: ../outside.db}";
    let server = "type: postgres, connection: {host: db, user: u, password_command: './scripts/pw.sh x'}";
    let values = "type: sqlite, connection: {file: shop.db}, publish_values: true";
    let config = |entry: &str| format!("databases:\n  - {{name: shop, {entry}}}\n");
    for (trusted, changed) in [
        (format!("{out}, exclude_tables: ['hr_*']"), out.to_owned()),
        (format!("{out}, sampling: none"), out.to_owned()),
        (format!("{out}, sensitive: ['*.pay']"), out.to_owned()),
        (format!("{values}, sensitive: ['*.pay']"), values.to_owned()),
        (values.to_owned(), values.replace("shop.db", "prod.db")),
        // A table that is read can make columns of others sensitive.
        (values.to_owned(), format!("{values}, exclude_tables: ['*.supplier']")),
        (values.to_owned(), format!("{values}, include_tables: ['visit']")),
        (server.to_owned(), format!("{server}, include_tables: ['a']")),
    ] {
        world.put(".jaato/databases.yaml", &config(&trusted));
        let desk = world.desk();
        desk.trust(&desk.untrusted()).unwrap();
        assert_eq!(world.desk().untrusted(), [], "{trusted}");
        world.put(".jaato/databases.yaml", &config(&changed));
        assert_eq!(world.desk().untrusted().len(), 1, "{trusted} -> {changed}");
    }
    world.put(".jaato/databases.yaml", &config(server));
    let desk = world.desk();
    let what = "read the postgres database `shop`: host `db`, user `u`, with the password that the command \
                `./scripts/pw.sh x` prints, which uses `scripts/pw.sh` of this repository and whatever that runs";
    assert_eq!(desk.actions()[0].what, what);
    desk.trust(&desk.untrusted()).unwrap();
    assert_eq!(world.desk().untrusted(), []);
    world.put("scripts/pw.sh", "echo two");
    assert_eq!(world.desk().untrusted().len(), 1, "another program under the same name");

    // What was hashed is what is used.
    let desk = world.desk();
    desk.trust(&desk.untrusted()).unwrap();
    let desk = world.desk();
    let database = &desk.databases().0.databases[0];
    let DatabaseAccess::Allowed(allowed) = desk.database_access(database) else { panic!("not trusted") };
    world.put("scripts/pw.sh", "echo three");
    assert_eq!(allowed.address.files.programs, [("scripts/pw.sh".into(), b"echo two".to_vec())].into());
    world.put("scripts/pw.sh", "echo one");

    // Two files change places under the names by which the command finds them.
    world.put("scripts/two.sh", "echo two");
    for (link, target) in [("scripts/a", "pw.sh"), ("scripts/b", "two.sh")] {
        std::os::unix::fs::symlink(target, world.path.join(link)).unwrap();
    }
    let both = "type: postgres, connection: {host: db, user: u, password_command: './scripts/a && ./scripts/b'}";
    world.put(".jaato/databases.yaml", &config(both));
    let desk = world.desk();
    desk.trust(&desk.untrusted()).unwrap();
    assert_eq!(world.desk().untrusted(), []);
    for (link, target) in [("scripts/a", "two.sh"), ("scripts/b", "pw.sh")] {
        fs::remove_file(world.path.join(link)).unwrap();
        std::os::unix::fs::symlink(target, world.path.join(link)).unwrap();
    }
    assert_eq!(world.desk().untrusted().len(), 1, "each under the name of the other");

    let link = world.path.join("scripts/link.pem");
    let lead_to = |target: &str| {
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(target, &link).unwrap();
    };
    lead_to("../../ca.pem");
    let linked = "type: postgres, connection: {host: db, user: u, sslrootcert: scripts/link.pem}";
    world.put(".jaato/databases.yaml", &config(linked));
    let desk = world.desk();
    let outside = world.path.with_file_name("ca.pem");
    let what = format!("certificates in `scripts/link.pem`, which leads to `{}`", outside.display());
    assert!(desk.untrusted()[0].what.ends_with(&what), "{:?}", desk.untrusted());
    desk.trust(&desk.untrusted()).unwrap();
    assert_eq!(world.desk().untrusted(), []);
    lead_to("../../other.pem");
    assert_eq!(world.desk().untrusted().len(), 1, "a link to other authorities");
    for (server, file) in [
        ("connection: {host: db, user: u, sslmode: verify-full, sslrootcert: scripts/ca.pem}", "scripts/ca.pem"),
        ("connection_string: 'postgres://u@db/x?sslmode=verify-full&sslrootcert=scripts%2Fca.pem'", "scripts/ca.pem"),
        ("connection_string: 'postgres://u@db:${PORT}/x?sslrootcert=./scripts/ca.pem'", "scripts/ca.pem"),
        ("connection_string: 'host=db user=u sslrootcert=scripts/ca.pem'", "scripts/ca.pem"),
    ] {
        world.put(".jaato/databases.yaml", &config(&format!("type: postgres, {server}")));
        world.put(file, "one");
        let desk = world.desk();
        desk.trust(&desk.untrusted()).unwrap();
        assert_eq!(world.desk().untrusted(), [], "{server}");
        world.put(file, "two");
        assert_eq!(world.desk().untrusted().len(), 1, "other authorities under the same name: {server}");
    }
}

/// A person has to know that a secret goes to a server, as with a webhook.
#[test]
fn what_sends_a_secret_to_a_server_is_counted() {
    let world = World::new();
    world.put("pw", "echo one");
    for (server, sends, words) in [
        ("connection: {host: db, user: u}", false, "host `db`, user `u`"),
        ("connection: {host: db, user: u, password_env: PW}", true, "host `db`, user `u`, with the secret in `$PW`"),
        (
            "connection: {host: db, database: 'x_${TOKEN}', user: u, sslmode: disable}",
            true,
            "host `db`, database `x_${TOKEN}`, user `u`, sslmode `disable`, using `$TOKEN` from the environment; there is no \
             proof that the connection is encrypted",
        ),
        (
            "connection: {host: localhost, user: u, sslmode: disable}",
            false,
            "host `localhost`, user `u`, sslmode `disable`",
        ),
        (
            "connection_string: 'postgres://u:${PW}@db/${PW}?sslmode=require'",
            true,
            "URL `postgres://u:${PW}@db/${PW}?sslmode=require`, using `$PW` from the environment; the connection is \
             encrypted, but without proof of whose server it is",
        ),
        (
            "connection: {host: '${H}', user: u, password_command: ./pw}",
            true,
            "host `${H}`, user `u`, using `$H` from the environment, with the password that the command `./pw` prints, \
             which uses `pw` of this repository and whatever that runs",
        ),
        // Nothing leaves the machine.
        (
            "connection: {host: localhost, user: u, password_env: PW}",
            false,
            "host `localhost`, user `u`, with the secret in `$PW`",
        ),
        (
            "connection_string: 'postgres://u:${PW}@127.0.0.1/x'",
            false,
            "URL `postgres://u:${PW}@127.0.0.1/x`, using `$PW` from the environment",
        ),
        ("connection: {url_env: URL}", true, "the URL in `$URL`"),
    ] {
        let entry = format!("databases:\n  - {{name: shop, type: postgres, {server}}}\n");
        world.put(".jaato/databases.yaml", &entry);
        let waiting = world.desk().untrusted();
        let [action] = waiting.as_slice() else { panic!("{server}: {waiting:?}") };
        assert_eq!(
            (action.what.as_str(), action.sends_data()),
            (&*format!("read the postgres database `shop`: {words}"), sends)
        );
    }
}

/// A file of the repository that is named by its whole path can be named by its relative one.
#[test]
fn a_password_command_with_a_whole_path_is_told_the_relative_one() {
    let world = World::new();
    world.put("bin/pw", "echo one");
    world.put("two/pw", "echo one");
    world.put("two/pw x", "echo two");
    for (command, name) in [
        (world.path.join("bin/pw").display().to_string(), Some("bin/pw")),
        ("bin/../bin/pw".to_owned(), Some("bin/pw")),
        (world.path.join("two/pw").display().to_string(), None),
        (world.path.join("bin").display().to_string(), None),
    ] {
        let server = format!("type: postgres, connection: {{host: db, user: u, password_command: {command}}}");
        world.put(".jaato/databases.yaml", &format!("databases:\n  - {{name: shop, {server}}}\n"));
        let desk = world.desk();
        let DatabaseAccess::Refused(error) = desk.database_access(&desk.databases().0.databases[0]) else {
            panic!("{command}")
        };
        let relative = name.map(|name| format!("name it by its path in the repository: {name}"));
        let Fix::Text(fix) = &error.fix else { panic!("{command}: {error:?}") };
        let is_expected = relative.as_ref().map_or_else(|| fix.starts_with("name each"), |expected| fix == expected);
        assert!(is_expected, "{command}: {fix}");
    }
}

/// Such a database cannot be trusted, so nothing says that it waits.
#[test]
fn a_database_that_takes_too_long_to_describe_cannot_be_trusted() {
    let world = World::new();
    let host = "h".repeat(9_000);
    let server = format!("type: postgres, connection: {{host: {host}, user: u}}");
    world.put(".jaato/databases.yaml", &format!("databases:\n  - {{name: shop, {server}}}\n"));
    let run = world.desk().documentation(&options()).unwrap();
    let failed: Vec<(Code, bool)> =
        run.failed.iter().map(|(_, it)| (it.code, it.message.contains("the database cannot be trusted"))).collect();
    assert_eq!(failed, [(Code::TooLong, true)]);
}

#[test]
fn no_value_of_a_database_continues_the_sentence_about_it() {
    let world = World::new();
    world.put(
        ".jaato/databases.yaml",
        "databases:\n  - name: shop\n    type: postgres\n    exclude_tables: ['a); x']\n    connection:\n      \
         host: db\n      database: 'a, user safe'\n      user: u\n      password_command: 'echo `id`'\n",
    );
    let waiting: Vec<String> = world.desk().untrusted().into_iter().map(|it| it.what).collect();
    assert_eq!(
        waiting,
        [
            "read the postgres database `shop`: host `db`, database `a, user safe`, user `u`, with the password that the \
          command `` echo `id` `` prints (with exclude_tables: `a); x`)"
        ]
    );
}

/// The user trusts exactly these files, so a file that cannot be hashed is refused.
#[test]
fn files_that_cannot_be_verified_are_refused() {
    let world = World::new();
    world.put("scripts/pw.sh", "echo one");
    let large = fs::File::create(world.path.join("scripts/large.sh")).unwrap();
    large.set_len(16 * 1024 * 1024 + 1).unwrap();
    for (setting, expected) in [
        ("password_command: 'cd \"$workspaceRoot/scripts\" && ./pw.sh'", Code::NoRegularFile),
        ("password_command: './scripts/large.sh'", Code::TooLarge),
        ("password_command: 'sh ./scripts/pw.sh; sh \"$workspaceRoot\"/../pw.sh'", Code::NoRegularFile),
        ("sslmode: verify-full, sslrootcert: scripts/large.sh", Code::TooLarge),
    ] {
        let server = format!("type: postgres, connection: {{host: 127.0.0.1, port: 1, user: u, {setting}}}");
        world.put(".jaato/databases.yaml", &format!("databases:\n  - {{name: shop, {server}}}\n"));
        let desk = world.desk();
        assert_eq!(desk.untrusted(), [], "{setting}");
        let run = desk.documentation(&options()).unwrap();
        let codes: Vec<Code> = run.failed.iter().map(|(_, error)| error.code).collect();
        assert_eq!(codes, [expected], "{setting}");
        let listed: Vec<(Code, Option<usize>)> = desk.waiting().iter().map(|it| (it.code, it.line)).collect();
        assert_eq!(listed, [(expected, Some(2))], "{setting}");
    }
}

#[test]
fn a_variable_that_leads_outside_is_shown_before_it_is_read() {
    let world = World::new();
    world.sql("../outside.db", "CREATE TABLE secret (a)");
    let desk = || {
        let workspace = world.path.clone();
        let context = WorkspaceContext { current: workspace.clone(), workspace, ..WorkspaceContext::default() };
        let state = Some(world.root.path().join("state"));
        let environment = Environment(|name| (name == "STAGE").then(|| "..".to_owned()));
        Desk::open(Options { state, environment, ..Options::new(context) })
    };
    world.put(
        ".jaato/databases.yaml",
        "databases:\n  - {name: shop, type: sqlite, connection: {file: '${STAGE}/outside.db'}}\n",
    );
    let waiting = || desk().untrusted().into_iter().map(|it| it.what).collect::<Vec<_>>();
    assert_eq!(
        waiting(),
        ["read the SQLite database `${STAGE}/outside.db` as `shop`, using `$STAGE` from the environment"]
    );
    desk().trust(&desk().untrusted()).unwrap();
    let outside = world.path.with_file_name("outside.db");
    assert_eq!(waiting(), [format!("read the SQLite database `{}` as `shop`", outside.display())]);
    let run = desk().documentation(&options()).unwrap();
    assert_eq!(run.failed[0].1.code, Code::Untrusted);
    desk().trust(&desk().untrusted()).unwrap();
    assert_eq!(waiting(), [""; 0]);
}

#[test]
fn refdesks_own_files_are_not_databases() {
    let world = World::new();
    fs::create_dir_all(world.path.join(".git")).unwrap();
    world.sql(".git/x.db", "CREATE TABLE a (b)");
    world.put(".jaato/databases.yaml", "databases: [{name: shop, type: sqlite, connection: {file: .git/x.db}}]");
    let run = world.desk().documentation(&options()).unwrap();
    assert_eq!(run.failed[0].1.code, Code::ReservedPath);
}

/// While databases are read, a folder of the workspace is swapped for a link and back.
#[cfg(target_os = "linux")]
#[test]
fn no_race_reads_an_untrusted_file() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use std::sync::atomic::{AtomicBool, Ordering};

    let world = World::new();
    for folder in ["data", "../elsewhere"] {
        fs::create_dir_all(world.path.join(folder)).unwrap();
    }
    world.sql("data/shop.db", "CREATE TABLE customer (id INTEGER PRIMARY KEY); INSERT INTO customer VALUES (1)");
    world.sql("../elsewhere/shop.db", "CREATE TABLE secret (a); INSERT INTO secret VALUES (1)");
    world.put(".jaato/databases.yaml", "databases: [{name: shop, type: sqlite, connection: {file: data/shop.db}}]");
    let (data, link) = (world.path.join("data"), world.path.join("link"));
    std::os::unix::fs::symlink("../elsewhere", &link).unwrap();
    let desk = world.desk();
    let is_over = AtomicBool::new(false);
    let mut read = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                renameat_with(CWD, &data, CWD, &link, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let texts = (0..300).map(|_| desk.documentation(&options()).unwrap().pages);
        let texts: Vec<_> = texts.flatten().map(|page| page.page.text).collect();
        is_over.store(true, Ordering::Relaxed);
        read += texts.iter().filter(|text| text.contains("secret")).count();
    });
    assert_eq!(read, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_differs_per_process_is_not_a_database() {
    let world = World::new();
    for file in ["/proc/self/cwd/shop.db", "/dev/fd/0"] {
        let config = format!("databases: [{{name: shop, type: sqlite, connection: {{file: {file}}}}}]");
        world.put(".jaato/databases.yaml", &config);
        let desk = world.desk();
        assert_eq!(desk.untrusted(), [], "{file}");
        let run = desk.documentation(&options()).unwrap();
        assert_eq!(run.failed[0].1.code, Code::NoRegularFile, "{file}");
    }
}

#[test]
fn pages_are_not_written_through_links_or_outside() {
    let world = World::new();
    fs::create_dir_all(world.path.join("../elsewhere")).unwrap();
    fs::create_dir_all(world.path.join(".git")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", world.path.join("out")).unwrap();
    std::os::unix::fs::symlink(".git", world.path.join("own")).unwrap();
    fs::create_dir_all(world.path.join("inside")).unwrap();
    std::os::unix::fs::symlink("inside", world.path.join("in")).unwrap();
    for (path, code) in [
        ("../out", Code::Outside),
        (".git/x", Code::Guarded),
        (".jaato", Code::Guarded),
        ("/tmp/x", Code::Outside),
        ("out/pages", Code::LinkedOut),
        ("own/pages", Code::LinkedOut),
        ("in/pages", Code::LinkedOut),
    ] {
        world.put(".jaato/databases.yaml", &format!("{CONFIG}\ndocs_path: {path}\n"));
        let mut desk = world.desk();
        let report = desk
            .prepare_documentation(&options())
            .and_then(|prepared| desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true));
        let error = report.unwrap_err();
        assert_eq!(error.code, Code::DatabaseMisconfigured, "{path}");
        let is_link = error.message.starts_with(".jaato/databases.yaml:2: the pages are neither read nor written: ");
        assert_eq!(is_link, code == Code::LinkedOut, "{error}");
        let view = desk.whole_database_view().unwrap_err();
        assert_eq!(view == error, is_link, "{view}");
        let told: Vec<_> = desk.databases().1.iter().map(|it| (it.code, it.file.as_deref(), it.line)).collect();
        assert_eq!(told, [(code, Some(".jaato/databases.yaml"), Some(2))], "{path}");
        assert!(!world.path.join(FILE).exists());
        assert!(!world.path.join("../out").exists() && !world.path.join(".git/x").exists());
    }
}

#[test]
fn a_linked_folder_of_pages_stops_only_its_database() {
    use std::os::unix::fs::symlink;
    for (link, target, is_there) in [
        ("docs/databases/shop", "../../../elsewhere", true),
        ("docs/databases/shop", "../../inside", true),
        ("docs/databases/shop", "../../gone", false),
        ("docs/databases/shop/customer", "../../../../elsewhere", true),
        ("docs/databases/shop/customer/tables", "../../../../inside", true),
        ("docs/databases/shop/zone", "zone", false),
        ("docs/databases/shop/zone", "../../../shop.db", true),
    ] {
        let world = World::new();
        let app = "{name: app, type: sqlite, connection: {file: app.db}}]";
        world.sql("app.db", "CREATE TABLE a (b)");
        world.put(".jaato/databases.yaml", &CONFIG.replace(']', &format!(", {app}")));
        for folder in ["../elsewhere", "inside"] {
            fs::create_dir_all(world.path.join(folder)).unwrap();
        }
        let at = world.path.join(link);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(target, &at).unwrap();
        let mut desk = world.desk();
        let prepared = desk.prepare_documentation(&options()).unwrap();
        let told: Vec<String> = crate::databases::database_failures(&prepared.failed)
            .iter()
            .map(|it| format!("{} ({})", it.message, it.code))
            .collect();
        assert_eq!(told.len(), 1, "{link} -> {target}: {told:?}");
        assert!(told[0].starts_with(&format!("'shop': {link} is a link to {target}")), "{told:?}");
        assert!(told[0].ends_with("(linked-out)"), "{told:?}");
        assert_eq!(prepared.failed[0].1.fix, format!("replace the link {link} with a folder").into());
        let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert_eq!(report.failed, []);
        assert!(report.written.iter().all(|path| path.starts_with("docs/databases/app/")), "{:?}", report.written);
        assert_eq!(report.sources, ["db-app-system"]);
        for folder in ["../elsewhere", "inside"] {
            assert_eq!(fs::read_dir(world.path.join(folder)).unwrap().count(), 0, "{link} -> {target}");
        }
        assert_eq!(at.exists(), is_there, "{link} -> {target}");
    }
}

#[test]
fn a_linked_page_stops_only_that_page() {
    for target in ["../../../../../../elsewhere", "main.bin.md", "gone", "main.zone.md"] {
        let world = World::new();
        let page = "docs/databases/shop/zone/tables/main.zone.md";
        world.put("../elsewhere", "theirs");
        world.document(&options());
        fs::remove_file(world.path.join(page)).unwrap();
        std::os::unix::fs::symlink(target, world.path.join(page)).unwrap();
        for _ in 0..2 {
            let mut desk = world.desk();
            let prepared = desk.prepare_documentation(&options()).unwrap();
            let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
            let told: Vec<(&str, Code)> = report.failed.iter().map(|it| (it.message.as_str(), it.code)).collect();
            assert!(
                matches!(told.as_slice(), [(message, Code::LinkedOut)]
                    if message.starts_with(&format!("{page} is a link to {target}"))),
                "{told:?}"
            );
            assert_eq!(report.failed[0].fix, format!("replace the link {page} with a file").into());
            assert_eq!(report.written, [] as [&str; 0]);
        }
        assert_eq!(fs::read_to_string(world.path.join("../elsewhere")).unwrap(), "theirs");
        assert!(!world.path.join("docs/databases/shop/zone/tables/gone").exists());
    }
}

/// Pages that the file system refuses are missing, and a source without pages would be reported forever.
#[test]
fn pages_that_cannot_be_written_become_no_source() {
    for granularity in ["domain", "table"] {
        let world = World::new();
        world.sql("one.db", "CREATE TABLE zone (id INTEGER PRIMARY KEY)");
        let config = CONFIG.replace("shop.db}", &format!("one.db}}, granularity: {granularity}"));
        world.put(".jaato/databases.yaml", &config);
        let mut desk = world.desk();
        let prepared = desk.prepare_documentation(&options()).unwrap();
        assert_eq!(prepared.catalog.len(), 1, "{:?}", prepared.problems);
        world.put("docs/databases/shop", "a file where the pages should be\n");
        let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert!(!report.failed.is_empty() && !report.is_ended, "{report:?}");
        assert_eq!((report.written, report.sources, desk.catalog().len()), (vec![], vec![], 0), "{granularity}");
    }
}

#[test]
fn catalog_entries_are_not_written_through_links_or_outside_either() {
    for (path, references, code) in [
        (".jaato/references", None, Code::LinkedOut),
        ("refs", Some("refs"), Code::LinkedOut),
        ("none", Some("../elsewhere"), Code::Outside),
    ] {
        let world = World::new();
        fs::create_dir_all(world.path.join("../elsewhere")).unwrap();
        fs::create_dir_all(world.path.join("inside")).unwrap();
        if let Some(references) = references {
            world.put("references.json", &format!("{{\"references_dir\": \"{references}\", \"sources\": []}}"));
        }
        std::os::unix::fs::symlink(world.path.join("inside"), world.path.join(path)).unwrap();
        let mut desk = world.desk();
        let prepared = desk.prepare_documentation(&options()).unwrap();
        let told: Vec<Code> = prepared.problems.iter().map(|it| it.code).collect();
        assert_eq!(told, [code], "{path}: {:?}", prepared.problems);
        let report = desk.write_documentation(&Session::of_client("test"), &prepared, &mut |_| true).unwrap();
        assert_eq!((report.failed, report.sources, report.written.len()), (vec![], vec![], 11), "{path}");
        for folder in ["../elsewhere", "inside"] {
            assert_eq!(fs::read_dir(world.path.join(folder)).unwrap().count(), 0, "{path}");
        }
    }
}
