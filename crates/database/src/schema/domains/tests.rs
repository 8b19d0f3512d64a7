//! Examples and laws: domains are a partition, and a new table renames no group but its own.

use proptest::prelude::*;

use super::*;
use crate::snapshot::{ForeignKey, TableKind};

/// `name > other other`: a table with keys to others; `name < other`: a view that reads them.
fn snapshot(lines: &[&str]) -> Snapshot {
    let name = |name: &str| TableName { schema: "s".into(), name: name.trim().into() };
    let table = |line: &&str| {
        let (own, to) = line.split_once(['>', '<']).unwrap_or((line, ""));
        let to: Vec<TableName> = to.split_whitespace().map(name).collect();
        let mut table = Table { schema: "s".into(), name: own.trim().into(), ..Table::default() };
        if line.contains('<') {
            table.kind = TableKind::View;
            table.reads_from = to;
        } else {
            table.foreign_keys = to.into_iter().map(|target| ForeignKey { target, ..ForeignKey::default() }).collect();
        }
        table
    };
    let mut snapshot = Snapshot { tables: lines.iter().map(table).collect(), ..Snapshot::default() };
    snapshot.sort();
    snapshot
}

fn shown(found: &BTreeMap<TableName, String>) -> Vec<String> {
    let mut domains: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    found.iter().for_each(|(table, domain)| domains.entry(domain).or_default().push(&table.name));
    domains.iter().map(|(domain, tables)| format!("{domain}: {}", tables.join(" "))).collect()
}

#[test]
fn a_small_shop() {
    let chinook = snapshot(&[
        "Album > Artist",
        "Artist",
        "Customer > Employee",
        "Employee > Employee",
        "Genre",
        "Invoice > Customer",
        "InvoiceLine > Invoice Track",
        "MediaType",
        "Playlist",
        "PlaylistTrack > Playlist Track",
        "Track > Album Genre MediaType",
        "log_a",
        "log_b",
        "log_c",
        "alone",
        "top_tracks < Track",
        "top_top < top_tracks",
    ]);
    let expected = [
        "artist: Album Artist",
        "invoice: Customer Employee Invoice InvoiceLine",
        "log: log_a log_b log_c",
        "playlist: Playlist PlaylistTrack",
        "system: alone",
        "track: Genre MediaType Track top_top top_tracks",
    ];
    assert_eq!(shown(&domains(&chinook, &[])), expected);
    let named = [
        ("sales".to_owned(), vec![NamePattern::new("invoice*").unwrap()]),
        ("all".to_owned(), vec![NamePattern::new("s.log_*").unwrap(), NamePattern::new("Invoice").unwrap()]),
    ];
    let found = shown(&domains(&chinook, &named));
    assert!(found.contains(&"sales: Invoice InvoiceLine".to_owned()), "{found:?}");
    assert!(found.contains(&"all: log_a log_b log_c".to_owned()), "{found:?}");
}

#[test]
fn names_are_safe_in_paths() {
    let odd = snapshot(&["../../x > a|b", "a|b", "日本 > 中国", "中国"]);
    for domain in domains(&odd, &[]).values() {
        assert!(domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{domain}");
    }
}

/// Up to twenty tables with any keys between them.
fn any_schema() -> impl Strategy<Value = Snapshot> {
    let words = prop::sample::select(vec!["order", "item", "customer", "stock", "user", "log"]);
    let table = (prop::collection::vec(words, 1..3), prop::collection::vec(0usize..20, 0..3));
    prop::collection::vec(table, 1..20).prop_map(|tables| {
        let names: Vec<String> =
            tables.iter().enumerate().map(|(at, (words, _))| format!("{}_{at}", words.join("_"))).collect();
        let lines: Vec<String> = tables
            .iter()
            .zip(&names)
            .map(|((_, to), name)| {
                let to: Vec<&str> = to.iter().filter_map(|at| names.get(*at)).map(String::as_str).collect();
                format!("{name} > {}", to.join(" "))
            })
            .collect();
        snapshot(&lines.iter().map(String::as_str).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn domains_are_a_partition(schema in any_schema()) {
        let found = domains(&schema, &[]);
        let tables: Vec<TableName> = schema.tables.iter().map(Table::table_name).collect();
        prop_assert_eq!(found.keys().cloned().collect::<Vec<_>>(), tables);
        prop_assert_eq!(&domains(&schema, &[]), &found);
        prop_assert!(found.values().all(|domain| !domain.is_empty()));
    }

    /// A table in another component does not affect the others, whatever its name.
    #[test]
    fn a_new_table_elsewhere_moves_no_table_with_keys(schema in any_schema(), name in "[a-z]{1,8}(_[a-z]{1,8})?") {
        let before = domains(&schema, &[]);
        let mut grown = schema.clone();
        grown.tables.push(Table { schema: "t".into(), name: name.clone(), ..Table::default() });
        grown.tables.push(Table {
            schema: "t".into(),
            name: format!("{name}_2"),
            foreign_keys: vec![ForeignKey {
                target: TableName { schema: "t".into(), name },
                ..ForeignKey::default()
            }],
            ..Table::default()
        });
        grown.sort();
        let after = domains(&grown, &[]);
        for (table, domain) in &before {
            prop_assert_eq!(after.get(table), Some(domain));
        }
    }
}
