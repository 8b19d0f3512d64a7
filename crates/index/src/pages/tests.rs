//! Pages of a small database: which documents they have, and that these stay current.

#![allow(clippy::disallowed_methods, reason = "tests plant files of any kind")]

use std::fs;
use std::sync::Arc;

use super::*;
use crate::search::tests::everything;
use crate::tests::{World, cases};
use crate::{FoundDocument, Index, SearchQuery, SourcePreference};
use refdesk_core::catalog::Source;
use refdesk_core::catalog::testing::{inline, local};

cases! {
    tables_columns_and_joins_are_found,
    a_table_gives_one_hit,
    a_table_in_two_sources_gives_one_hit,
    what_pages_no_longer_say_leaves,
    only_files_that_may_have_changed_are_asked_about,
}

/// Every `x.md` with an `x.json` next to it is a page. A line of the JSON is a column with its description, or a join
/// if it contains an arrow.
struct Lines {
    folder: PathBuf,
    version: String,
}

impl DatabasePages for Lines {
    fn version(&self) -> &str {
        &self.version
    }

    fn covers(&self, path: &Path) -> bool {
        path.starts_with(&self.folder)
    }

    fn role(&self, path: &Path) -> PageRole {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let data = path.with_extension("json");
        match ending {
            _ if !self.covers(path) || self.version == "none" => PageRole::Other,
            "json" => PageRole::Data,
            "md" if data.exists() => PageRole::Page(vec![path.to_path_buf(), data]),
            _ => PageRole::Other,
        }
    }

    fn content(&self, path: &Path) -> io::Result<PageContent> {
        let data = fs::read_to_string(path.with_extension("json"))?;
        let prose = fs::read_to_string(path)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let table = DatabaseSubject {
            database: "shop".to_owned(),
            schema: Some("main".to_owned()),
            table: Some(name.clone().into_owned()),
            column: None,
            domain: Some("sales".to_owned()),
        };
        let document = |kind, heading: String, content: &str, subject: &DatabaseSubject| PageDocument {
            kind,
            heading,
            content: content.to_owned(),
            subject: subject.clone(),
            ..PageDocument::default()
        };
        let mut documents = vec![document(TABLE, format!("main.{name}"), &data, &table)];
        for line in data.lines() {
            let (column, about) = line.split_once(": ").unwrap_or((line, ""));
            let heading = format!("main.{name}.{column}");
            documents.push(match about.split_once("-> ") {
                Some((_, target)) => PageDocument {
                    join: Some(IndexedJoin {
                        from_table: format!("main.{name}"),
                        from_columns: vec![column.to_owned(), "b\"c\\u0000\0".to_owned()],
                        to_table: target.to_owned(),
                        to_columns: vec!["id".to_owned(), "c".to_owned()],
                        inferred: false,
                    }),
                    ..document(RELATIONSHIP, heading, about, &table)
                },
                None => {
                    let subject = DatabaseSubject { column: Some(column.to_owned()), ..table.clone() };
                    document(COLUMN, heading, about, &subject)
                }
            });
        }
        let is_edited = prose.contains("edited");
        Ok(PageContent { documents, prose: is_edited.then_some(prose), subject: Some(table) })
    }
}

fn fill(world: &World) {
    world.write("db/orders.md", "# Orders\n\nSee the data.\n");
    world.write("db/orders.json", "id: Its number.\nplaced: When it was placed.\nbuyer: refers -> main.people");
    world.write("db/people.md", "# People\n\nThis was edited: ask Zoe about duplicates.\n");
    world.write("db/people.json", "id: Its number.\nmail: Where to write to.");
    world.write("guide.md", "# Guide\n\nOrders are placed by people, and mail is sent to them.\n");
    with_version(world, "1");
}

fn with_version(world: &World, version: &str) {
    *world.pages.write().unwrap() =
        Some(Box::new(Lines { folder: world.path().join("db"), version: version.to_owned() }));
}

fn sources(world: &World) -> Vec<Source> {
    let folder = local("db-shop-sales", &world.path().join("db"), refdesk_core::catalog::PathState::Directory);
    vec![folder, world.file("guide", "guide.md"), inline("note", "orders")]
}

fn found(world: &World, query: &SearchQuery) -> Vec<String> {
    let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
    let hits = index.search(query, None).unwrap().hits;
    hits.iter().map(|hit| format!("{} {} {}", hit.kind, hit.source, hit.heading)).collect()
}

fn tables_columns_and_joins_are_found(world: &World) {
    fill(world);
    let report = world.update(sources(world));
    // Catalog entries and texts, the documents of the pages, and a section of the edited page.
    assert_eq!((report.documents, report.missing, report.cut), (3 + 2 + 7 + 1, 0, 0), "{report:?}");
    let kinds = |kinds: &[&str]| kinds.iter().map(ToString::to_string).collect::<Vec<_>>();
    let (table, column, joins) = (kinds(&["table"]), kinds(&["column"]), kinds(&["relationship"]));
    for (kinds, text, expected) in [
        (&table, "orders", &["table db-shop-sales main.orders"][..]),
        (&column, "mail", &["column db-shop-sales main.people.mail"]),
        (&joins, "people", &["relationship db-shop-sales main.orders.buyer"]),
        (&table, "duplicates", &[]),
    ] {
        assert_eq!(found(world, &SearchQuery { kinds, ..everything(text) }), expected, "{text}");
    }
    assert_eq!(found(world, &everything("duplicates")), ["text db-shop-sales People"], "what a person wrote");
    assert_eq!(found(world, &SearchQuery { by_table: true, database: Some("shop"), ..everything("mail") }).len(), 1);
    assert_eq!(found(world, &SearchQuery { by_table: true, domain: Some("sales"), ..everything("mail") }).len(), 1);
    for (database, domain) in [(Some("other"), None), (None, Some("other")), (Some("shop"), Some("other"))] {
        assert_eq!(found(world, &SearchQuery { database, domain, ..everything("mail") }), [""; 0]);
    }
    let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
    // The search determines the weight of each kind.
    for (of_columns, best) in [(9.0, "column"), (0.01, "table")] {
        let weight = move |kind: &str, _: &str| if kind == "column" { of_columns } else { 1.0 };
        let query = SearchQuery { weight: &weight, ..everything("mail") };
        assert_eq!(index.search(&query, None).unwrap().hits[0].kind, best);
    }
    let hits = index.search(&SearchQuery { kinds: &joins, ..everything("people") }, None).unwrap();
    assert_eq!(hits.partial, None);
    let hit = &hits.hits[0];
    let subject = hit.subject.as_ref().unwrap();
    assert_eq!((subject.database.as_str(), subject.table.as_deref()), ("shop", Some("orders")));
    let join = hit.join.as_ref().unwrap();
    assert_eq!((join.from_columns[0].as_str(), join.to_table.as_str(), join.inferred), ("buyer", "main.people", false));
    assert!(join.from_columns[1].starts_with("b\"c\\u0000"), "{join:?}");
    assert!(hit.path.ends_with("orders.md"), "{}", hit.path);
}

fn a_table_gives_one_hit(world: &World) {
    fill(world);
    world.update(sources(world));
    let query = SearchQuery { by_table: true, ..everything("order placed") };
    let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
    let best = &index.search(&query, None).unwrap().hits[0];
    assert_eq!((best.kind.as_str(), best.heading.as_str()), ("table", "main.orders"));
    assert_eq!(
        (best.columns.as_slice(), &best.because[0].words),
        (&["placed".to_owned()][..], &vec!["order".into(), "placed".into()])
    );
    for text in ["orders placed", "number", "people mail edited"] {
        let mut paths: Vec<String> = Vec::new();
        let (index, model) = world.index();
        for hit in index.search(&SearchQuery { by_table: true, ..everything(text) }, Some(model)).unwrap().hits {
            if hit.subject.is_some() {
                assert!(!paths.contains(&hit.path), "{text}: {paths:?}");
                paths.push(hit.path);
            }
        }
        assert!(!paths.is_empty(), "{text}");
    }
}

fn a_table_in_two_sources_gives_one_hit(world: &World) {
    fill(world);
    let outer = local("outer", &world.path(), refdesk_core::catalog::PathState::Directory);
    world.update([sources(world), vec![outer]].concat());
    for preferred in ["outer", "db-shop-sales"] {
        let preference = |found: &FoundDocument| SourcePreference { is_readable: found.source == preferred, depth: 0 };
        let kinds = [TABLE, COLUMN, RELATIONSHIP].map(str::to_owned);
        let query = SearchQuery { by_table: true, kinds: &kinds, preference: &preference, ..everything("placed") };
        assert_eq!(found(world, &query), [format!("table {preferred} main.orders")]);
        let index = Index::open(&world.location(), Arc::default()).unwrap().unwrap();
        assert_eq!(index.search(&query, None).unwrap().hits[0].columns, ["placed"], "{preferred}");
    }
}

fn what_pages_no_longer_say_leaves(world: &World) {
    fill(world);
    let first = world.update(sources(world));
    assert_eq!(world.update(sources(world)).added, 0);
    world.write("db/orders.json", "id: Its number.\nshipped: When it left.");
    let changed = world.update(sources(world));
    assert_eq!((changed.added, changed.removed), (3, 4), "{changed:?}");
    assert_eq!(found(world, &SearchQuery { kinds: &["relationship".to_owned()], ..everything("people") }), [""; 0]);
    // With this version, the same files do not count as pages.
    with_version(world, "none");
    let as_text = world.update(sources(world));
    assert_eq!(found(world, &SearchQuery { kinds: &["table".to_owned()], ..everything("orders") }), [""; 0]);
    assert!(found(world, &everything("shipped")).iter().any(|hit| hit.starts_with("text")), "{as_text:?}");
    with_version(world, "2");
    world.update(sources(world));
    assert_eq!(found(world, &SearchQuery { kinds: &["table".to_owned()], ..everything("orders") }).len(), 1);
    fs::remove_file(world.path().join("db/people.json")).unwrap();
    fs::remove_file(world.path().join("db/people.md")).unwrap();
    world.update(sources(world));
    assert_eq!(found(world, &SearchQuery { database: Some("shop"), ..everything("mail") }), [""; 0]);
    assert!(first.documents > 0);
}

fn only_files_that_may_have_changed_are_asked_about(world: &World) {
    fill(world);
    world.update(sources(world));
    // The sources of the hits that the search could not verify as current.
    let asked = || {
        let asked = std::cell::RefCell::new(Vec::new());
        let sections_now = |found: &FoundDocument| {
            let name = Path::new(found.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
            asked.borrow_mut().push(format!("{} {}", found.source, name));
            Some((found.sections.to_vec(), found.line))
        };
        let pages = world.pages.read().unwrap();
        let pages = pages.as_deref().map(|pages| pages as &dyn DatabasePages);
        let query =
            SearchQuery { pages, sections_now: &sections_now, by_table: true, ..everything("orders placed mail") };
        assert!(found(world, &query).len() >= 4, "both tables, the guide and the note");
        let mut asked = asked.into_inner();
        asked.sort();
        asked.dedup();
        asked
    };
    // Text outside files is always checked.
    let always = || vec!["note inline".to_owned()];
    let among = |more: &[&str]| {
        let mut all: Vec<String> = more.iter().map(ToString::to_string).chain(always()).collect();
        all.sort();
        all
    };
    let without_catalog = || asked().into_iter().filter(|asked| !asked.ends_with(' ')).collect::<Vec<_>>();
    assert_eq!(without_catalog(), among(&[]));
    world.write("guide.md", "# Guide\n\nOrders are placed by people, and mail is sent to them twice.\n");
    assert_eq!(without_catalog(), among(&["guide guide.md"]));
    world.write("db/orders.json", "id: Its number.\nplaced: When it was sent.");
    assert_eq!(without_catalog(), among(&["guide guide.md", "db-shop-sales orders.md"]));
    fs::remove_file(world.path().join("db/people.json")).unwrap();
    assert_eq!(without_catalog(), among(&["guide guide.md", "db-shop-sales orders.md", "db-shop-sales people.md"]));
    fill(world);
    world.update(sources(world));
    assert_eq!(without_catalog(), among(&[]));
    // With another version, different files may be pages.
    with_version(world, "2");
    assert_eq!(without_catalog(), among(&["db-shop-sales orders.md", "db-shop-sales people.md"]));
}
