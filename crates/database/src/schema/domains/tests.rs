//! Examples and laws: domains are a partition, and a new table renames no domain but its own.

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
    assert_eq!(shown(&domains(&chinook, &[], &BTreeMap::new())), expected);
    let named = [
        ("sales".to_owned(), vec![NamePattern::new("invoice*").unwrap()]),
        ("all".to_owned(), vec![NamePattern::new("s.log_*").unwrap(), NamePattern::new("Invoice").unwrap()]),
    ];
    let found = shown(&domains(&chinook, &named, &BTreeMap::new()));
    assert!(found.contains(&"sales: Invoice InvoiceLine".to_owned()), "{found:?}");
    assert!(found.contains(&"all: log_a log_b log_c".to_owned()), "{found:?}");
}

/// Every table of many firms' systems refers to the users who created and changed a row, and to the company.
#[test]
fn keys_that_many_tables_have_decide_nothing() {
    let lines = [
        "user > partner",
        "company > partner",
        "partner",
        "order > partner",
        "order_line > order product",
        "product > product_group",
        "product_group",
        "payslip > employee",
        "payslip_line > payslip",
        "employee > user",
        "log_a",
        "log_b",
        "log_c",
        "alone",
    ];
    let plain = snapshot(&lines);
    let mut audited = plain.clone();
    for table in &mut audited.tables {
        for (column, target) in [("create_uid", "user"), ("write_uid", "user"), ("company_id", "company")] {
            table.foreign_keys.push(ForeignKey {
                columns: vec![column.into()],
                target: TableName { schema: "s".into(), name: target.into() },
                ..ForeignKey::default()
            });
        }
    }
    let found = domains(&plain, &[], &BTreeMap::new());
    assert_eq!(shown(&domains(&audited, &[], &BTreeMap::new())), shown(&found));
    assert!(shown(&found).contains(&"log: log_a log_b log_c".to_owned()), "{:?}", shown(&found));
}

/// A table's keys, each by a column of its own name: `name > hub hub`.
fn with_columns(lines: &[String]) -> Snapshot {
    let mut snapshot = snapshot(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    for key in snapshot.tables.iter_mut().flat_map(|table| &mut table.foreign_keys) {
        key.columns = vec![format!("{}_id", key.target.name)];
    }
    snapshot
}

/// The facts of a star, and the visits and bills of a patient, have no other keys than those that all of them have.
#[test]
fn tables_that_have_only_shared_keys_are_grouped_by_them() {
    let facts = |count: usize, to: &str| {
        (b'a'..).take(count).map(|at| format!("{0}{0}{0} > {to}", char::from(at))).collect::<Vec<_>>()
    };
    let tables = |names: &str| names.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let star = |count: usize| with_columns(&[facts(count, "day store"), tables("day store")].concat());
    let domain_of = |schema: &Snapshot, before: &BTreeMap<TableName, String>| {
        let found = domains(schema, &[], before);
        let all: BTreeSet<String> = found.values().cloned().collect();
        (found, all.into_iter().collect::<Vec<_>>())
    };
    let (before, names) = domain_of(&star(9), &BTreeMap::new());
    assert_eq!(names, ["day"]);
    // One more table, and all keys are shared.
    for count in [10, 12, 26] {
        assert_eq!(domain_of(&star(count), &before).1, ["day"], "{count}");
        assert_eq!(domain_of(&star(count), &BTreeMap::new()).1, ["day"], "{count}");
    }
    let others = tables("a b c d e f g");
    for hub in ["patient", "patient > address"] {
        let clinic =
            with_columns(&[facts(11, "patient"), vec![hub.to_owned(), "address".to_owned()], others.clone()].concat());
        let (found, _) = domain_of(&clinic, &BTreeMap::new());
        let name = |name: &str| TableName { schema: "s".into(), name: name.into() };
        assert!(found[&name("ddd")] == "patient" && found[&name("patient")] == "patient", "{hub}: {found:?}");
    }
}

/// A table that has only shared keys follows its name if there is such a domain, or the hub if that is left, too.
#[test]
fn what_is_left_beside_groups_joins_the_domain_of_its_name() {
    let mut lines: Vec<String> = (1..11).map(|at| format!("order_{at} > user order_{}", at - 1)).collect();
    lines.extend(["order_0 > user", "order_report > user", "audit > user", "user", "order_no_key"].map(str::to_owned));
    let found = domains(&with_columns(&lines), &[], &BTreeMap::new());
    for (table, expected) in [
        ("order_1", "order"),
        ("order_report", "order"),
        ("audit", "user"),
        ("user", "user"),
        ("order_no_key", "system"),
    ] {
        assert_eq!(found[&TableName { schema: "s".into(), name: table.into() }], expected, "{table}");
    }
}

/// The tenth invoice, each with lines of its own, makes the key to the customer a shared one.
#[test]
fn a_domain_of_the_last_plan_stays_together() {
    let schema = |count: usize| {
        let names = (b'a'..).take(count).map(char::from);
        let lines = names.flat_map(|at| [format!("x{at}x > customer"), format!("y{at}y > x{at}x")]);
        with_columns(&lines.chain(["customer".to_owned()]).collect::<Vec<_>>())
    };
    let before = domains(&schema(9), &[], &BTreeMap::new());
    let customer = TableName { schema: "s".into(), name: "customer".into() };
    let grown = domains(&schema(10), &[], &before);
    for (table, domain) in &before {
        assert_eq!(grown.get(table), Some(domain), "{}", table.name);
    }
    assert_ne!(domains(&schema(10), &[], &BTreeMap::new()).get(&customer), before.get(&customer));
    assert_eq!(domains(&schema(10), &[], &grown), grown, "the next plan changes nothing");
}

#[test]
fn a_table_among_configured_domains_follows_their_tables() {
    let work = snapshot(&["tenant", "ticket > tenant account", "project > tenant", "account > tenant", "alone"]);
    let named = [("work".to_owned(), vec![NamePattern::new("t*").unwrap(), NamePattern::new("project").unwrap()])];
    let found = shown(&domains(&work, &named, &BTreeMap::new()));
    assert_eq!(found, ["system: alone", "work: account project tenant ticket"]);
}

#[test]
fn a_new_table_renames_no_domain() {
    for (before, added, expected) in [
        // Another word is now the most common one.
        (
            &["customer", "orders > customer"][..],
            &["order_note > orders", "order_line > orders"][..],
            "customer orders",
        ),
        // Another table becomes the centre.
        (&["album > artist", "artist"], &["track > album", "cover > album", "review > album"], "album artist"),
        // No table name can be split into words.
        (&["日本 > 中国", "中国"], &["東京 > 日本"], "中国 日本"),
        // One of the tables that share a prefix is now referenced.
        (&["log_a", "log_b", "log_c"], &["visit > log_c"], "log_a log_b"),
    ] {
        let first = domains(&snapshot(before), &[], &BTreeMap::new());
        let grown = snapshot(&[before, added].concat());
        let then = domains(&grown, &[], &first);
        for name in expected.split(' ') {
            let table = TableName { schema: "s".into(), name: name.into() };
            assert_eq!(then.get(&table), first.get(&table), "{name} with {added:?}");
        }
        assert_eq!(domains(&grown, &[], &then), then, "the next plan changes nothing");
    }
}

/// A name that no longer belongs to any table, because it was configured or its tables are gone, is not kept.
#[test]
fn a_name_without_a_table_goes() {
    let shop = snapshot(&["customer", "orders > customer"]);
    let table = |name: &str| TableName { schema: "s".into(), name: name.into() };
    for (name, expected) in [("sales", "customer"), ("system", "customer"), ("order", "order"), ("orders", "orders")] {
        let before = BTreeMap::from([(table("customer"), name.to_owned()), (table("orders"), name.to_owned())]);
        assert_eq!(domains(&shop, &[], &before)[&table("orders")], expected, "{name}");
    }
}

#[test]
fn names_are_safe_in_paths() {
    let odd = snapshot(&["../../x > a|b", "a|b", "日本 > 中国", "中国"]);
    for domain in domains(&odd, &[], &BTreeMap::new()).values() {
        assert!(domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{domain}");
    }
}

/// Up to twenty tables with arbitrary keys between them.
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
        let found = domains(&schema, &[], &BTreeMap::new());
        let tables: Vec<TableName> = schema.tables.iter().map(Table::table_name).collect();
        prop_assert_eq!(found.keys().cloned().collect::<Vec<_>>(), tables);
        prop_assert_eq!(&domains(&schema, &[], &BTreeMap::new()), &found);
        prop_assert!(found.values().all(|domain| !domain.is_empty()));
    }

    /// A table in another component does not affect the others, regardless of its name.
    #[test]
    fn a_new_table_elsewhere_moves_no_table_with_keys(schema in any_schema(), name in "[a-z]{1,8}(_[a-z]{1,8})?") {
        let before = domains(&schema, &[], &BTreeMap::new());
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
        let after = domains(&grown, &[], &BTreeMap::new());
        for (table, domain) in &before {
            prop_assert_eq!(after.get(table), Some(domain));
        }
    }

    /// While the same tables stay together, their domain keeps its name, whichever tables join it.
    #[test]
    fn tables_that_stay_together_keep_their_name(
        schema in any_schema(), more in prop::collection::vec(("[a-z]{2,8}(_order)?", 0usize..20), 1..4),
    ) {
        let before = domains(&schema, &[], &BTreeMap::new());
        let mut grown = schema.clone();
        for (at, (name, to)) in more.into_iter().enumerate() {
            let target = schema.tables[to % schema.tables.len()].table_name();
            let key = ForeignKey { target, ..ForeignKey::default() };
            grown.tables.push(Table { schema: "t".into(), name: format!("{name}_{at}"), foreign_keys: vec![key], ..Table::default() });
        }
        grown.sort();
        let after = domains(&grown, &[], &before);
        for (table, domain) in before.iter().filter(|(_, domain)| *domain != SYSTEM) {
            let together = |domains: &BTreeMap<TableName, String>| -> Vec<TableName> {
                let own = domains.get(table);
                before.keys().filter(|other| domains.get(*other) == own).cloned().collect()
            };
            if together(&before) == together(&after) {
                prop_assert_eq!(after.get(table), Some(domain));
            }
        }
        prop_assert_eq!(&domains(&grown, &[], &after), &after);
    }
}
