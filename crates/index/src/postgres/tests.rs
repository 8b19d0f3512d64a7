//! An index on a real server: every case of the file's index, and several checkouts that share one database. They form
//! a single test, so that all cases share one server.

#![allow(clippy::print_stderr, reason = "says which case failed")]

use std::fs;
use std::sync::Arc;

use crate::TopicQuery;
use crate::stem::stem;
use crate::tests::{CASES, World, long};
use refdesk_core::catalog::testing::inline;
use refdesk_files::scale::scaled;
use refdesk_postgres::testing::TestServer;
use refdesk_text::{Code, Fix};

#[test]
fn a_server_that_does_not_answer_is_given_up() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let world = World::on(format!("postgres://ann@{}/team", silent.local_addr().unwrap()));
    assert_eq!(world.run(vec![], false, &mut |_| true).unwrap_err().code, Code::IndexUnreachable);
}

#[test]
fn an_index_on_a_server() {
    let Some(server) = TestServer::start() else { return };
    // One database like a team's, in which each workspace is its own repository.
    let shared = server.database("cases");
    for (name, case) in CASES.iter().chain(crate::search::tests::CASES).chain(crate::pages::tests::CASES) {
        eprintln!("{name}");
        case(&World::on(shared.clone()));
    }
    type Case = fn(&TestServer, &str);
    let cases: &[(&str, Case)] = &[
        ("checkouts of one repository share its index", share),
        ("tables of other versions", versions),
        ("texts that PostgreSQL does not take as they are", odd_texts),
        ("several repositories at once", at_once),
        ("servers that refuse", refusals),
        ("inside an async runtime", in_runtime),
        ("fresh", fresh),
        ("stems", stems),
    ];
    for (nth, (name, case)) in cases.iter().enumerate() {
        eprintln!("{name}");
        let database = format!("own_{nth}");
        server.database(&database);
        case(&server, &database);
    }
}

/// A checkout of a repository with this `origin`.
fn checkout(url: &str, origin: &str) -> World {
    let world = World::on(url.to_owned());
    world.write(".git/config", &format!("[remote \"origin\"]\n\turl = {origin}\n"));
    world
}

fn share(server: &TestServer, database: &str) {
    let url = server.url("refdesk", database);
    let one = checkout(&url, "git@git.example:team/app.git");
    let other = checkout(&url, "https://ann@git.example/team/app");
    let foreign = checkout(&url, "https://git.example/team/other");
    for world in [&one, &other, &foreign] {
        world.write("a.md", &long("retry"));
        world.write("b.md", &long("timeout"));
    }
    let sources = |world: &World| vec![world.file("a", "a.md"), world.file("b", "b.md")];
    assert_eq!(one.update(sources(&one)).added, 4);
    assert_eq!(other.best("retry").first().map(String::as_str), Some("a"), "one built it, the other has it");
    let (index, model) = other.index();
    let section = index.about(&TopicQuery { text: "retry", ..TopicQuery::default() }, Some(model)).unwrap().scored[0]
        .section
        .clone()
        .unwrap();
    assert_eq!(section.path, other.path().join("a.md").to_string_lossy(), "the path is that of the reader's checkout");
    let asked = other.embedded();
    let report = other.update(sources(&other));
    assert_eq!((report.documents, report.added, report.removed, report.vectors), (4, 0, 0, 0));
    assert_eq!(other.embedded(), asked, "nothing is computed twice");
    // Each checkout has its own stamps, so a change in one does not count as a change in the other.
    other.write("b.md", &long("circuit"));
    assert_eq!(other.update(sources(&other)).added, 1);
    let back = one.update(sources(&one));
    assert_eq!((back.added, back.removed, back.vectors), (1, 1, 0), "the vector of the other branch was kept");
    assert_eq!(one.update(sources(&one)).added, 0);
    assert!(crate::Index::open(&foreign.location(), Arc::default()).unwrap().is_none());
    assert_eq!(foreign.update(sources(&foreign)).vectors, 4);
    assert_eq!(one.update(vec![]).documents, 0);
    assert_eq!(foreign.update(sources(&foreign)).documents, 4);
}

fn versions(server: &TestServer, database: &str) {
    let world = World::on(server.url("refdesk", database));
    let sources = || vec![inline("a", &long("retry"))];
    let code = || {
        crate::Index::open(&world.location(), Arc::default()).map(|index| index.is_some()).map_err(|error| error.code)
    };
    assert_eq!(code(), Ok(false));
    assert_eq!(world.update(sources()).added, 2);
    let other = checkout(&server.url("refdesk", database), "https://git.example/team/other");
    other.update(sources());
    server.run(database, "UPDATE refdesk.version SET version = 99");
    assert_eq!(code(), Err(Code::IndexNewer));
    assert_eq!(world.run(sources(), true, &mut |_| true).unwrap_err().code, Code::IndexNewer);
    server.run(database, "UPDATE refdesk.version SET version = 0");
    assert_eq!(code(), Ok(false));
    assert!(world.location().is_present().unwrap(), "it is there, although it cannot be used");
    let refused = world.location().write(false, false).map(drop).unwrap_err();
    assert_eq!((refused.code, refused.fix), (Code::NoIndex, Fix::BuildIndex));
    let kept = crate::forget(&world.location(), &|_, _| false).map(drop).unwrap_err();
    assert!(kept.fix.to_string().starts_with("remove the schema 'refdesk' there"), "{kept:?}");
    assert_eq!(server.count(database, "SELECT count(*) FROM refdesk.documents"), 4, "those of others stay");
    let built = world.update(sources());
    assert_eq!((built.added, built.is_replaced, built.is_set_aside), (2, true, false));
    assert_eq!(code(), Ok(true));
    assert!(!world.update(sources()).is_replaced);
    assert!(!other.location().is_present().unwrap());
}

fn odd_texts(server: &TestServer, database: &str) {
    let world = World::on(server.url("refdesk", database));
    let texts = [
        "\0",
        "a\0b retry",
        "# \0 heading\n\nretry",
        "日本語のテキスト",
        "🦀",
        "O'Brien \\x00 \\ $1 :: %s",
        "tag\u{E0001} \u{200B} \u{FFFF}",
    ];
    for (nth, text) in texts.iter().enumerate() {
        world.write(&format!("{nth}.md"), text);
    }
    world.write("long.md", &"word".repeat(scaled(10_000, 100_000)));
    world.write("words.md", &(0..scaled(2_000, 20_000)).map(|nth| format!("w{nth} ")).collect::<String>());
    let mut sources: Vec<_> =
        (0..texts.len()).map(|nth| world.file(&format!("t{nth}"), &format!("{nth}.md"))).collect();
    sources.extend([world.file("long", "long.md"), world.file("words", "words.md")]);
    sources.extend([inline("\0 O'Brien", "retry"), inline(&"id".repeat(5_000), "retry")]);
    let deep = format!("{}deep.md", format!("{}/", "folder".repeat(40)).repeat(13));
    world.write(&deep, "retry");
    sources.push(world.file("deep", &deep));
    world.run(sources.clone(), false, &mut |_| true).unwrap().unwrap();
    assert!(world.best("retry").contains(&"t1".to_owned()));
    let again = world.run(sources, false, &mut |_| true).unwrap().unwrap();
    assert_eq!(again.vectors, 0);
}

fn at_once(server: &TestServer, database: &str) {
    let worlds: Vec<World> = (0..4).map(|_| World::on(server.url("refdesk", database))).collect();
    std::thread::scope(|scope| {
        for world in &worlds {
            scope.spawn(|| assert_eq!(world.update(vec![inline("a", &long("retry"))]).documents, 2));
        }
    });
}

fn refusals(server: &TestServer, database: &str) {
    server.run(database, "CREATE ROLE locked LOGIN; CREATE ROLE encrypted LOGIN; CREATE ROLE reader LOGIN");
    let refused = |user: &str, database: &str| {
        let world = World::on(server.url(user, database));
        let error = world.run(vec![], false, &mut |_| true).unwrap_err();
        assert!(!error.to_string().contains("s3cret"), "{error}");
        error
    };
    let error = refused("locked:s3cret", database);
    assert_eq!(error.code, Code::IndexUnreachable, "{error}");
    assert!(error.to_string().contains("password"), "{error}");
    let error = refused("encrypted:s3cret", database);
    assert_eq!(error.code, Code::IndexUnreachable, "{error}");
    assert!(error.to_string().contains("TLS"), "{error}");
    assert_eq!(refused("reader", database).code, Code::IndexUnwritable);
    assert_eq!(refused("nobody", database).code, Code::IndexUnreachable);
    if let Some(certificate) = server.certificate() {
        let port = server.port();
        let on = |query: &str| {
            World::on(format!("postgres://refdesk@localhost:{port}/{database}?hostaddr=127.0.0.1&{query}"))
        };
        let proved = format!("sslmode=verify-full&sslrootcert={}", certificate.display());
        assert_eq!(on(&proved).update(vec![inline("a", &long("retry"))]).documents, 2);
        for (query, words) in
            [("sslmode=verify-full", "certificate is not accepted"), ("sslmode=disable", "not without TLS")]
        {
            let error = on(query).run(vec![], false, &mut |_| true).unwrap_err();
            assert_eq!(error.code, Code::IndexUnreachable, "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let closed = server.database(&format!("{database}_closed"));
    server.run(database, &format!("ALTER DATABASE {database}_closed ALLOW_CONNECTIONS false"));
    let error = World::on(closed).run(vec![], false, &mut |_| true).unwrap_err();
    assert_eq!((error.code, error.fix == Fix::BuildIndex), (Code::IndexUnreachable, false), "{error}");
    server.database(&format!("{database}_read"));
    server.run(database, &format!("ALTER DATABASE {database}_read SET default_transaction_read_only = on"));
    assert_eq!(refused("refdesk", &format!("{database}_read")).code, Code::IndexUnwritable);
    assert_eq!(refused("refdesk", "none").code, Code::IndexUnreachable);
    let gone = World::on("postgres://ann:s3cret@127.0.0.1:1/team".to_owned());
    let error = crate::Index::open(&gone.location(), Arc::default()).map(drop).unwrap_err();
    assert_eq!(error.code, Code::IndexUnreachable);
    assert!(!error.to_string().contains("s3cret"), "{error}");
}

fn in_runtime(server: &TestServer, database: &str) {
    let world = World::on(server.url("refdesk", database));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        assert_eq!(world.update(vec![inline("a", &long("retry"))]).documents, 2);
        assert_eq!(world.best("retry"), ["a"]);
    });
}

fn fresh(server: &TestServer, database: &str) {
    let world = World::on(server.url("refdesk", database));
    let sources = || vec![inline("a", &long("retry"))];
    world.update(sources());
    let again = world.run(sources(), true, &mut |_| true).unwrap().unwrap();
    assert_eq!((again.documents, again.added, again.vectors), (2, 2, 2));
    assert!(!fs::exists(world.path().join(".jaato")).unwrap(), "nothing is kept in the workspace");
}

/// The server's stems equal those used to compare matches, except for a few that are not words and those with two
/// letters, from which PostgreSQL removes an `s`.
fn stems(server: &TestServer, database: &str) {
    World::on(server.url("refdesk", database)).update(vec![]);
    let mut words = crate::stem::tests::many_words();
    words.retain(|word| word.len() > 2);
    let different = |words: &[String]| {
        let pairs: Vec<String> = words.iter().map(|word| format!("('{word}', '{}')", stem(word))).collect();
        let pairs = pairs.join(", ");
        let is_other = "ts_lexize('refdesk.english_stem', word) <> ARRAY[stem]";
        server.count(database, &format!("SELECT count(*) FROM (VALUES {pairs}) AS w (word, stem) WHERE {is_other}"))
    };
    let different: i64 = words.chunks(5_000).map(different).sum();
    assert!(different * 500 < i64::try_from(words.len()).unwrap(), "{different}");
}
