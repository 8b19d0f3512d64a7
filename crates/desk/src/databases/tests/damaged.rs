//! JSON pages that are truncated, contain merge conflicts, have another structure or are hostile: each reader reports
//! which file is damaged, and none uses it.

use refdesk_index::DatabasePages;
use refdesk_text::Code;

use super::{World, options};
use crate::{DatabaseAnswer, DocumentOptions};

const PAGE: &str = "docs/databases/shop/customer/tables/main.orders.json";

#[test]
fn knowledge_about_a_table_stays_while_its_rows_cannot_be_read() {
    let world = World::new();
    let rows =
        (0..20).map(|at| format!("INSERT INTO mixed VALUES ({at}, 'a{at}@example.org', {at});")).collect::<String>();
    world.sql("shop.db", &format!("CREATE TABLE mixed (id INTEGER PRIMARY KEY, memo TEXT, n INTEGER); {rows}"));
    world.document(&options());
    let before = world.pages();
    let page = before.iter().find(|(path, _)| path.ends_with("main.mixed.json")).unwrap();
    assert!(page.1.contains("values: e-mail"), "{}", page.1);
    let connection = rusqlite::Connection::open(world.path.join("shop.db")).unwrap();
    let read = |sql: &str| connection.query_row(sql, (), |row| row.get::<_, usize>(0)).unwrap();
    let size = read("PRAGMA page_size");
    let at = (read("SELECT rootpage FROM sqlite_schema WHERE name = 'mixed'") - 1) * size;
    drop(connection);
    let mut bytes = std::fs::read(world.path.join("shop.db")).unwrap();
    bytes[at..at + size].fill(0xff);
    refdesk_files::write_atomic(&world.path.join("shop.db"), &bytes).unwrap();
    let problems = world.desk().documentation(&options()).unwrap().problems;
    assert!(
        problems.iter().any(|it| it.message == "main.mixed cannot be sampled: database disk image is malformed"),
        "{problems:?}"
    );
    world.document(&options());
    assert_eq!(world.pages(), before);
}

#[test]
fn a_column_is_looked_up_with_what_it_refers_to_by_itself() {
    let world = World::new();
    world.sql(
        "shop.db",
        "CREATE TABLE visit (id INTEGER PRIMARY KEY, customer_id INTEGER);
         CREATE TABLE tenant (id INTEGER PRIMARY KEY);
         CREATE TABLE area (tenant_id INTEGER REFERENCES tenant, nr INTEGER, PRIMARY KEY (tenant_id, nr));
         CREATE TABLE room (tenant_id INTEGER REFERENCES tenant REFERENCES customer, area_nr INTEGER,
                            FOREIGN KEY (tenant_id, area_nr) REFERENCES area);",
    );
    world.document(&options());
    let view = world.desk().whole_database_view().unwrap();
    for (column, expected) in [
        ("customer_id", &[("main.orders", "main.customer", false), ("main.visit", "main.customer", true)][..]),
        ("tenant_id", &[("main.area", "main.tenant", false), ("main.room", "main.customer main.tenant", false)]),
        ("area_nr", &[("main.room", "main.area", false)]),
        ("nr", &[("main.area", "", false)]),
    ] {
        let usage = view.usage(column, None, None, 9).unwrap().answer.usage;
        let told = usage.iter().map(|it| {
            let mut targets = it.refers_to.clone();
            targets.sort();
            (it.table.table.clone(), targets.join(" "), it.inferred)
        });
        let expected = expected.iter().map(|(table, targets, it)| ((*table).to_owned(), (*targets).to_owned(), *it));
        assert_eq!(told.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{column}");
    }
}

#[test]
fn each_reader_says_which_page_is_damaged() {
    let world = World::new();
    world.document(&options());
    let whole = world.read(PAGE);
    let deep = format!("{{\"x\": {}", "[".repeat(200_000));
    let huge = format!("{{\"fully_qualified_name\": \"main.orders\", \"description\": \"{}\"}}", "x".repeat(600_000));
    let columns: String = (0..2_001).map(|at| format!("{{\"name\": \"c{at}\"}},")).collect();
    let wide = format!("{{\"fully_qualified_name\": \"main.orders\", \"columns\": [{columns}{{}}]}}");
    let conflict = whole.replacen("{\n", "{\n<<<<<<< ours\n", 1);
    let named = whole.replace("main.orders\",", "main.\\u001b[31morders\",");
    for (text, problem) in [
        (&whole[..whole.len() / 2], "it ends too early, at line"),
        (conflict.as_str(), "it has a merge conflict at line 2"),
        ("{\"secret\": \"hunter2\"}", "it describes another table"),
        ("[\"hunter2\"]", "it describes another table"),
        ("7", "it does not describe a table at line 1"),
        ("{\"fully_qualified_name\": \"main.orders\", \"columns\": \"hunter2\"}", "it does not describe a table"),
        ("{\"fully_qualified_name\": \"main.orders\", \"columns\": [{\"name\": 7}]}", "it does not describe a table"),
        ("hunter2", "it is not JSON at line 1"),
        ("", "it ends too early"),
        (deep.as_str(), "it ends too early, at line 1"),
        (huge.as_str(), "it is larger than 512 KiB"),
        (wide.as_str(), "it has more than 2000 columns"),
        (named.as_str(), "it describes another table"),
    ] {
        world.put(PAGE, text);
        let what = &text[..text.len().min(60)];
        let desk = world.desk();
        let view = desk.whole_database_view().unwrap();
        let path = view.paths("main.orders", "zone", None).unwrap();
        let refused = path.answer.problem.clone().unwrap();
        assert_eq!(refused.code, Code::Damaged, "{what}");
        assert!(refused.message.contains(PAGE) && refused.message.contains(problem), "{what}: {}", refused.message);
        assert!(!format!("{refused:?}").contains("hunter2") && !refused.message.contains('\u{1b}'), "{refused:?}");
        assert_eq!(view.schema("main.orders", true).unwrap_err().code, Code::Damaged, "{what}");
        assert_eq!(view.usage("total", None, None, 9).unwrap_err().code, Code::Damaged, "{what}");
        // The answer contains what is known, and reports that it may be incomplete.
        let usage = view.usage("id", None, None, 9).unwrap();
        assert_eq!(usage.sources.damaged().len(), 1, "{what}");
        let json = DatabaseAnswer::from(usage).json;
        assert_eq!(
            (&json["damaged"][0]["path"], json["usage"].as_array().map(Vec::len)),
            (&PAGE.into(), Some(3)),
            "{what}"
        );
        let domain = DatabaseAnswer::from(view.domain("customer", None).unwrap()).json;
        assert_eq!(domain["damaged"][0]["table"], "main.orders", "{what}");
        let seen = desk.overview_reader().read();
        let said = |problem: &refdesk_text::report::Diagnostic| {
            problem.code == Code::Damaged && problem.file.as_deref() == Some(PAGE)
        };
        assert_eq!(seen.problems.iter().filter(|it| said(it)).count(), 1, "{what}: {:?}", seen.problems);
        assert_eq!(desk.page_problems().iter().filter(|it| said(it)).count(), 1, "{what}");
        // A search still finds the table by its name.
        let content = desk.documented_pages().content(&world.path.join(PAGE.replace(".json", ".md"))).unwrap();
        let indexed: Vec<_> = content.documents.iter().map(|it| (it.kind, it.heading.as_str())).collect();
        assert_eq!((indexed.as_slice(), content.prose.is_some()), (&[("table", "main.orders")][..], true), "{what}");
        // An empty page is rewritten, since a crash can leave one. The others count as edited.
        let run = desk.documentation(&options()).unwrap();
        assert_eq!(run.problems.iter().any(said), !text.is_empty(), "{what}: {:?}", run.problems);
        let (differences, _) = desk.database_differences(&[]).unwrap();
        assert_eq!(differences[0].differences, [], "{what}: the database is as it was");
    }
    let report = world.document(&DocumentOptions { overwrite_edited: true, ..options() });
    assert_eq!((report.written.as_slice(), world.read(PAGE)), (&[PAGE.to_owned()][..], whole));
}

/// Without the manifest no page is known, which is not the same as a database without pages.
#[test]
fn each_reader_says_that_the_manifest_is_damaged() {
    const MANIFEST: &str = "docs/databases/documentation-manifest.json";
    let world = World::new();
    world.document(&options());
    let (whole, pages) = (world.read(MANIFEST), world.pages());
    let conflict = whole.replacen("{\n", "{\n<<<<<<< ours\n", 1);
    for (text, problem) in [
        (conflict.as_str(), "it has a merge conflict at line 2"),
        (&whole[..whole.len() / 2], "it ends too early, at line"),
        ("", "it ends too early, at line"),
        ("{\"indexable_files\": \"hunter2\"}", "it does not list pages at line 1"),
    ] {
        world.put(MANIFEST, text);
        let desk = world.desk();
        let problems = desk.page_problems();
        let found: Vec<_> = problems.iter().map(|it| (it.code, it.file.as_deref())).collect();
        assert_eq!(found, [(Code::Damaged, Some(MANIFEST))], "{problem}");
        assert!(problems[0].message.contains(problem) && !problems[0].message.contains("hunter2"), "{problems:?}");
        // Agents keep their tools, which say the same.
        assert!(desk.has_documented_tables(), "{problem}");
        let error = desk.whole_database_view().unwrap_err();
        assert_eq!(error.message, format!("{MANIFEST}: {}", problems[0].message));
        assert!(desk.overview_reader().read().manifest_problem().is_some(), "{problem}");
        let run = desk.documentation(&options()).unwrap();
        assert_eq!((run.missing_pages(&[]), run.edited.as_slice()), (vec![], &[][..]), "{problem}");
        drop((run, desk));
        world.document(&options());
        assert_eq!((world.desk().page_problems(), world.pages()), (vec![], pages.clone()), "{problem}");
    }
}

#[test]
fn missing_pages_are_reported_too() {
    let world = World::new();
    world.document(&options());
    std::fs::remove_file(world.path.join(PAGE)).unwrap();
    let desk = world.desk();
    let error = desk.whole_database_view().unwrap().schema("main.orders", true).unwrap_err();
    assert!(error.message.ends_with(&format!("{PAGE} is damaged: it is missing")), "{error}");
}
