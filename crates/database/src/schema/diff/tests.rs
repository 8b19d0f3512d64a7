//! Every kind of difference, and the law that a table differs if and only if its hash does.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::config::{self, DatabaseConfig};
use crate::schema::joins::InferredJoins;
use crate::schema::notes::Notes;
use crate::schema::table_doc::DocInput;
use crate::snapshot::{Column, Constraint, ForeignKey, IndexInfo, Key, Snapshot, Table, TableKind, TableName};

fn config() -> DatabaseConfig {
    let text = "databases: [{name: a, type: sqlite, connection: {file: a.db}}]";
    config::read(text, "f").0.databases.remove(0)
}

/// Both sides of the comparison, as a run creates them.
fn sides(tables: &[Table]) -> Vec<TableSide> {
    let mut snapshot = Snapshot { tables: tables.to_vec(), ..Snapshot::default() };
    snapshot.sort();
    let input = DocInput {
        config: &config(),
        snapshot: &snapshot,
        notes: &Notes::default(),
        joins: &InferredJoins::default(),
        profiles: &BTreeMap::new(),
    };
    let side = |(table, doc): (&Table, TableDoc)| TableSide {
        name: table.full_name(),
        metadata_hash: Some(table.metadata_hash()),
        doc: Some(doc),
        ..TableSide::default()
    };
    snapshot.tables.iter().zip(input.docs()).map(side).collect()
}

fn column(name: &str) -> Column {
    Column { name: name.into(), data_type: "INT".into(), ..Column::default() }
}

fn orders() -> Table {
    Table {
        schema: "s".into(),
        name: "orders".into(),
        columns: vec![
            Column { comment: Some("In cents".into()), ..column("total") },
            Column { default: Some("'new'".into()), labels: vec!["new".into(), "paid".into()], ..column("state") },
            Column { default: Some("'a@example.com'".into()), ..column("email") },
        ],
        checks: vec![Constraint { name: None, expression: "total > 0".into() }],
        indexes: vec![IndexInfo { name: "by_total".into(), columns: vec!["total".into()], ..IndexInfo::default() }],
        ..Table::default()
    }
}

/// The reported differences of the table after a change.
fn differences_after(change: impl FnOnce(&mut Table)) -> Vec<String> {
    let mut changed = orders();
    change(&mut changed);
    let words = |it: &Difference| {
        let about = it.about.as_ref().map_or_else(String::new, |about| format!(" {about}"));
        format!("{}{about}: {}", it.kind.words(), it.detail)
    };
    diff(&sides(&[orders()]), &sides(&[changed])).iter().map(words).collect()
}

const NOT_ON_PAGES: &str = "definition changed: in something that pages do not show, such as a collation, the name of a key or a check on a \
                      sensitive column";

#[test]
fn each_kind_of_difference_is_reported() {
    let check = |expression: &str| Constraint { name: None, expression: expression.into() };
    let index = |name: &str, unique: bool| IndexInfo {
        name: name.into(),
        columns: vec!["state".into(), "total".into()],
        is_unique: unique,
        ..IndexInfo::default()
    };
    type Change = Box<dyn FnOnce(&mut Table)>;
    let key = |on_delete: &str| ForeignKey {
        columns: vec!["total".into()],
        target: TableName { schema: "s".into(), name: "c".into() },
        target_columns: vec!["id".into()],
        on_delete: on_delete.into(),
        ..ForeignKey::default()
    };
    let (cascade, plain) = (key("cascade"), key("no action"));
    let cases: Vec<(Change, &[&str])> = vec![
        (Box::new(|_| ()), &[]),
        (Box::new(|it| it.row_estimate = Some(7)), &[]),
        // That is about the role, not about the table.
        (Box::new(|it| it.is_unreadable = true), &[]),
        (Box::new(|it| it.kind = TableKind::View), &["kind changed: table is now view"]),
        (Box::new(|it| it.columns.push(column("z"))), &["new column z: INT not null"]),
        (Box::new(|it| drop(it.columns.remove(0))), &["column is gone total: INT not null"]),
        (Box::new(|it| it.columns.swap(0, 1)), &["order of columns changed: state, total, email"]),
        (
            Box::new(|it| it.columns[0].data_type = "TEXT".into()),
            &["type changed total: INT not null is now TEXT not null"],
        ),
        (Box::new(|it| it.columns[0].nullable = true), &["type changed total: INT not null is now INT"]),
        (Box::new(|it| it.columns[1].default = None), &["default changed state: 'new' is now none"]),
        (Box::new(|it| it.columns[0].default = Some("0".into())), &["default changed total: none is now 0"]),
        (Box::new(|it| it.columns[1].labels.truncate(1)), &["values changed state: new, paid is now new"]),
        (
            Box::new(|it| it.primary_key = Some(Key { name: None, columns: vec!["total".into()] })),
            &["new key: primary key (total)"],
        ),
        (Box::new(move |it| it.foreign_keys.push(plain)), &["new key: (total) refers to s.c (id)"]),
        (
            Box::new(move |it| it.foreign_keys.push(cascade)),
            &["new key: (total) refers to s.c (id), on delete cascade"],
        ),
        (Box::new(move |it| it.checks.push(check("total < 9"))), &["new check: total < 9"]),
        (Box::new(|it| it.checks.clear()), &["check is gone: total > 0"]),
        (Box::new(move |it| it.indexes.push(index("both", true))), &["new index both: unique (state, total)"]),
        (Box::new(|it| it.indexes.clear()), &["index is gone by_total: (total)"]),
        (Box::new(|it| it.comment = Some("What was sold".into())), &["new comment: What was sold"]),
        (Box::new(|it| it.columns[0].comment = None), &["comment is gone total: "]),
        (Box::new(|it| it.columns[0].comment = Some("In euros".into())), &["comment changed total: In euros"]),
        (Box::new(|it| drop(it.constraint_comments.insert("k".into(), "Why".into()))), &["new comment k: Why"]),
        (Box::new(|it| it.columns[0].collation = Some("C".into())), &[NOT_ON_PAGES]),
        (
            Box::new(|it| it.indexes[0].is_partial = true),
            &["new index by_total: some rows (total)", "index is gone by_total: (total)"],
        ),
        // No value of a sensitive column is shown.
        (Box::new(|it| it.columns[2].default = Some("'b@example.com'".into())), &[NOT_ON_PAGES]),
        (
            Box::new(move |it| it.checks.push(check("email <> 'b@example.com'"))),
            &["new check: not shown: it is about email, which is sensitive"],
        ),
        (
            Box::new(|it| it.columns[1].default = Some("'b@example.com'".into())),
            &["default changed state: 'new' is now none"],
        ),
    ];
    for (at, (change, expected)) in cases.into_iter().enumerate() {
        assert_eq!(differences_after(change), expected, "case {at}");
    }
}

#[test]
fn a_page_from_before_a_column_was_sensitive_is_not_quoted() {
    let mut pages = sides(&[orders()]);
    let doc = pages[0].doc.as_mut().unwrap();
    doc.columns[2].sensitive = None;
    doc.columns[2].default = Some("'a@example.com'".into());
    doc.columns[1].default = Some("'a@example.com'".into());
    doc.checks.push("email <> 'a@example.com'".into());
    pages[0].metadata_hash = Some("old".into());
    let found = diff(&pages, &sides(&[orders()]));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found.iter().all(|it| !it.detail.contains("example")), "{found:?}");
}

/// Pages say that only in the description.
#[test]
fn a_view_that_reads_another_table_says_which() {
    let view = |reads: &str| Table {
        kind: TableKind::View,
        reads_from: vec![TableName { schema: "s".into(), name: reads.into() }],
        name: "staff_v".into(),
        ..orders()
    };
    let found = diff(&sides(&[view("staff")]), &sides(&[view("workers")]));
    let words: Vec<(&str, &str)> = found.iter().map(|it| (it.kind.words(), it.detail.as_str())).collect();
    let expected = "\"View \u{201c}staff v\u{201d} over staff.\" is now \"View \u{201c}staff v\u{201d} over workers.\"";
    assert_eq!(words, [("definition changed", expected)]);
}

#[test]
fn tables_come_and_go() {
    let other = Table { schema: "s".into(), name: "b".into(), ..Table::default() };
    let found = diff(&sides(&[orders()]), &sides(&[other]));
    let words: Vec<String> =
        found.iter().map(|it| format!("{} {}: {}", it.table, it.kind.words(), it.detail)).collect();
    assert_eq!(
        words,
        ["s.b new table: table with 0 columns", "s.orders table is gone or left out: table with 3 columns"]
    );
    // A table with an unreadable JSON page still counts as the same table.
    let damaged = TableSide { doc: None, ..sides(&[orders()]).remove(0) };
    assert_eq!(diff(std::slice::from_ref(&damaged), &sides(&[orders()])), []);
}

/// An altered page cannot show what changed; the reason explains that.
#[test]
fn the_reason_explains_the_state_of_the_pages() {
    let written = sides(&[orders()]).remove(0);
    let mut doc = written.doc.clone().unwrap();
    doc.columns.remove(0);
    let other = Some(doc);
    let told = |side: TableSide| -> Vec<String> {
        let found = diff(&[side], &sides(&[orders()]));
        found.iter().map(|it| format!("{}: {}", it.kind.words(), it.detail)).collect()
    };
    for (metadata_hash, page, expected) in [
        (None, PageFileState::Missing, Some("no page: the page for people is missing")),
        (
            None,
            PageFileState::Edited,
            Some("may have changed: the page was edited, and no longer says which definition it was written from"),
        ),
        (
            None,
            PageFileState::Written,
            Some("may have changed: the page does not say which definition it was written from"),
        ),
        (written.metadata_hash.clone(), PageFileState::Edited, None),
    ] {
        let side = TableSide { metadata_hash, page, ..written.clone() };
        assert_eq!(told(side), expected.into_iter().collect::<Vec<_>>(), "{page:?}");
    }
    let edited =
        TableSide { metadata_hash: Some("old".into()), page: PageFileState::Edited, ..sides(&[orders()]).remove(0) };
    assert_eq!(told(edited), ["edited page is stale: the edited page is from before the definition changed"]);
    let changed = "definition changed: what changed is unknown, because the JSON page";
    for (doc, data, expected) in [
        (&other, PageFileState::Written, "new column: INT not null".to_owned()),
        (&other, PageFileState::Edited, format!("{changed} was edited")),
        (&None, PageFileState::Edited, format!("{changed} was edited")),
        (&None, PageFileState::Missing, format!("{changed} is missing")),
        (&None, PageFileState::Written, format!("{changed} cannot be read")),
    ] {
        let stale = TableSide { metadata_hash: Some("old".into()), doc: doc.clone(), data, ..written.clone() };
        assert_eq!(told(stale), [expected], "{data:?}");
    }
}

prop_compose! {
    fn any_column()(name in "[a-c]|email", text in "INT|TEXT", nullable: bool, default in proptest::option::of("[01]"),
        comment in proptest::option::of("[xy]"), generated in proptest::option::of("[xy]"), collation in proptest::option::of("C"),
        labels in proptest::collection::vec("[pq]", 0..2)) -> Column {
        Column { name, data_type: text, nullable, default, comment, generated, collation, labels, ..Column::default() }
    }
}

prop_compose! {
    fn any_table()(columns in proptest::collection::vec(any_column(), 0..3), checks in proptest::collection::vec("[a-c] > 0", 0..2),
        excluded in proptest::option::of("x"), comment in proptest::option::of("[xy]"), view: bool, row_security: bool,
        rows in proptest::option::of(0..9_u64), index in proptest::option::of(("[ij]", any::<bool>(), any::<bool>())),
        key in proptest::option::of(("[kl]", "cascade|no action", any::<bool>()))) -> Table {
        let constraint = |expression: String| Constraint { name: None, expression };
        Table {
            schema: "s".into(),
            name: "t".into(),
            kind: if view { TableKind::View } else { TableKind::Table },
            columns,
            checks: checks.into_iter().map(constraint).collect(),
            exclusions: excluded.into_iter().map(constraint).collect(),
            indexes: index.into_iter().map(|(name, is_unique, is_partial)| IndexInfo { name, is_unique, is_partial, ..IndexInfo::default() }).collect(),
            foreign_keys: key
                .into_iter()
                .map(|(name, on_delete, is_deferrable)| ForeignKey { name: Some(name), on_delete, is_deferrable, ..ForeignKey::default() })
                .collect(),
            comment,
            row_security,
            row_estimate: rows,
            ..Table::default()
        }
    }
}

proptest! {
    #[test]
    fn a_table_differs_exactly_if_its_hash_does(before in any_table(), after in any_table(), is_same: bool) {
        let after = if is_same { Table { row_estimate: after.row_estimate, ..before.clone() } } else { after };
        let found = diff(&sides(std::slice::from_ref(&before)), &sides(std::slice::from_ref(&after)));
        prop_assert_eq!(found.is_empty(), before.metadata_hash() == after.metadata_hash(), "{:?}", found);
    }
}
