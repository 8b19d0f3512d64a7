//! Join paths in small schemas, and what an answer may disclose about them.

use super::*;
use crate::schema::joins::Confidence;
use crate::schema::table_doc::ColumnDoc;
use crate::schema::table_doc::{ForeignKeyDoc, InferredJoinDoc};

fn doc(name: &str, keys: &[&str], inferred: &[&str]) -> TableDoc {
    let texts = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    TableDoc {
        fully_qualified_name: format!("s.{name}"),
        foreign_keys: keys
            .iter()
            .map(|to| ForeignKeyDoc {
                columns: texts(["a", "b\"c"]),
                referenced_table: format!("s.{to}"),
                referenced_columns: texts(["x", "y"]),
                ..ForeignKeyDoc::default()
            })
            .collect(),
        inferred_joins: inferred
            .iter()
            .map(|to| InferredJoinDoc {
                columns: vec!["i".into()],
                referenced_table: format!("s.{to}"),
                referenced_columns: vec!["id".into()],
                because: String::new(),
                confidence: Confidence::High,
                source: JoinSource::Inferred,
                cardinality: None,
            })
            .collect(),
        ..TableDoc::default()
    }
}

fn found(tables: &[TableDoc], from: &str, to: &str, most: usize) -> JoinPaths {
    found_by(tables, from, to, most, &|_| true)
}

fn found_by(tables: &[TableDoc], from: &str, to: &str, most: usize, is_readable: &dyn Fn(&str) -> bool) -> JoinPaths {
    let name = |doc: &'_ TableDoc| doc.fully_qualified_name.trim_start_matches("s.").to_owned();
    let names: Vec<String> = tables.iter().map(name).collect();
    let tables: Vec<JoinTable<'_>> = tables
        .iter()
        .zip(&names)
        .map(|(doc, table)| JoinTable { schema: "s", table, doc, is_readable: is_readable(table) })
        .collect();
    join_paths(&tables, &format!("s.{from}"), &format!("s.{to}"), most)
}

fn shown(tables: &[TableDoc], from: &str, to: &str, most: usize) -> Vec<String> {
    let found = found(tables, from, to, most);
    let line = |path: &JoinPath| {
        let names: Vec<&str> = path.hops.iter().map(|hop| hop.to_table.trim_start_matches("s.")).collect();
        names.join(" ")
    };
    found.paths.iter().map(line).collect()
}

#[test]
fn a_key_to_what_does_not_exist_is_not_a_join() {
    let mut tables = [doc("a", &["b"], &[]), doc("b", &[], &[])];
    assert_eq!(shown(&tables, "a", "b", 6), ["b"]);
    tables[0].foreign_keys[0].is_missing = true;
    assert!(shown(&tables, "a", "b", 6).is_empty());
}

#[test]
fn a_column_that_refers_to_several_tables_joins_none_of_them() {
    let mut tables =
        [doc("address", &[], &["customer", "supplier"]), doc("customer", &[], &[]), doc("supplier", &[], &[])];
    for join in &mut tables[0].inferred_joins {
        join.source = JoinSource::Note;
    }
    assert_eq!(shown(&tables, "customer", "address", 6), ["address"]);
    assert_eq!(shown(&tables, "address", "supplier", 6), ["supplier"]);
    let refused = RefusedTurn {
        table: "s.address".into(),
        columns: vec!["i".into()],
        targets: ["s.customer".into(), "s.supplier".into()],
    };
    // What is near both is joined with both, so it bridges nothing.
    let text = |name: &str| ColumnDoc { name: name.into(), data_type: "text".into(), ..ColumnDoc::default() };
    tables[0].columns = vec![text("kind"), text("i"), text("place")];
    tables[1].columns = vec![text("kind"), text("email")];
    tables[2].columns = vec![text("email"), text("place")];
    let between = found(&tables, "customer", "supplier", 6);
    assert!(between.paths.is_empty() && between.longer.is_empty(), "{between:?}");
    let bridges: Vec<[&str; 2]> = between.bridges.iter().map(|it| [it.from.as_str(), it.to.as_str()]).collect();
    assert_eq!((between.refused, bridges), (Some(refused), vec![["s.customer.email", "s.supplier.email"]]));
    tables[0].inferred_joins[1].columns = vec!["other".into()];
    assert_eq!(shown(&tables, "customer", "supplier", 6), ["address supplier"]);
}

#[test]
fn the_reason_of_a_join_without_a_key_follows_its_line() {
    let mut tables = [doc("event", &[], &["customer"]), doc("customer", &[], &[])];
    let on = "\nJOIN \"s\".\"customer\" ON \"s\".\"event\".\"i\" = \"s\".\"customer\".\"id\" --";
    for (source, because, expected) in [
        (JoinSource::Note, "type is 'customer'", "noted: type is 'customer'"),
        (JoinSource::Note, "", "noted"),
        (JoinSource::Note, "a\nDROP TABLE b", "noted: a\\nDROP TABLE b"),
        (JoinSource::Inferred, "the names match", "inferred: the names match"),
    ] {
        let join = &mut tables[0].inferred_joins[0];
        (join.source, join.because) = (source, because.to_owned());
        for (from, to) in [("event", "customer"), ("customer", "event")] {
            let path = &found(&tables, from, to, 6).paths[0];
            assert!(path.sql_snippet.ends_with(&format!(" -- {expected}")), "{}", path.sql_snippet);
            assert_eq!(path.hops[0].because, because.replace('\n', "\\n"));
        }
        let sql = &found(&tables, "event", "customer", 6).paths[0].sql_snippet;
        assert!(sql.contains(on), "{sql}");
    }
}

#[test]
fn a_table_is_joined_with_itself_under_two_names() {
    let doc = doc("a", &["b", "a"], &["a"]);
    let table = JoinTable { schema: "s", table: "a", doc: &doc, is_readable: true };
    let sql: Vec<String> = own_joins(&table).into_iter().map(|path| path.sql_snippet).collect();
    let expected = [
        "FROM \"s\".\"a\" AS \"a\"\nJOIN \"s\".\"a\" AS \"b\" ON \"a\".\"a\" = \"b\".\"x\" AND \"a\".\"b\"\"c\" = \"b\".\"y\"",
        "FROM \"s\".\"a\" AS \"a\"\nJOIN \"s\".\"a\" AS \"b\" ON \"a\".\"i\" = \"b\".\"id\" -- inferred",
    ];
    assert_eq!(sql, expected);
}

#[test]
fn a_join_that_is_there_twice_gives_one_path() {
    let tables = [doc("a", &["b", "b"], &[]), doc("b", &[], &["c", "c"]), doc("c", &[], &[])];
    assert_eq!(shown(&tables, "a", "c", 6), ["b c"]);
    assert_eq!(shown(&tables, "c", "a", 6), ["b a"]);
    // The same join from the other table, with its columns in another order.
    let [mut a, b, c] = tables;
    let mut back = doc("b", &["a"], &[]);
    let key = &mut back.foreign_keys[0];
    std::mem::swap(&mut key.columns, &mut key.referenced_columns);
    key.columns.reverse();
    key.referenced_columns.reverse();
    back.inferred_joins = b.inferred_joins;
    a.foreign_keys.truncate(1);
    assert_eq!(shown(&[a, back, c], "a", "c", 6), ["b c"]);
}

#[test]
fn the_shortest_path_comes_first() {
    let tables = [
        doc("line", &["order", "product"], &["zone"]),
        doc("order", &["customer"], &[]),
        doc("product", &["supplier"], &[]),
        doc("supplier", &["zone"], &[]),
        doc("customer", &[], &["zone"]),
        doc("zone", &[], &[]),
        doc("alone", &[], &[]),
    ];
    assert_eq!(
        shown(&tables, "customer", "product", 6),
        ["order line product", "zone supplier product", "order line zone supplier product"]
    );
    assert_eq!(shown(&tables, "line", "zone", 6), ["product supplier zone", "zone", "order customer zone"]);
    assert_eq!(shown(&tables, "line", "zone", 1), ["zone"]);
    let mut noted = tables.clone();
    noted[0].inferred_joins[0].source = JoinSource::Note;
    assert_eq!(shown(&noted, "line", "zone", 6)[0], "zone", "what a person noted counts as a key");
    assert_eq!(found(&noted, "line", "zone", 1).paths[0].hops[0].source, JoinSource::Note);
    assert_eq!(found(&tables, "line", "zone", 1).paths[0].hops[0].source, JoinSource::Inferred);
    assert_eq!(shown(&tables, "line", "alone", 6), [""; 0]);
    let none = found(&tables, "zone", "alone", 6);
    assert_eq!(none.near_source, ["s.customer", "s.line", "s.supplier"]);
    let path = &found(&tables, "order", "line", 6).paths[0];
    let on = "\"s\".\"order\".\"x\" = \"s\".\"line\".\"a\" AND \"s\".\"order\".\"y\" = \"s\".\"line\".\"b\"\"c\"";
    assert_eq!(path.hops[0].on_clause, on);
    assert_eq!(path.sql_snippet, format!("FROM \"s\".\"order\"\nJOIN \"s\".\"line\" ON {on}"));
}

/// Orders and invoices were created by the same user, but only their lines belong together.
#[test]
fn a_turn_at_a_table_that_many_refer_to_comes_last() {
    let key = |column: &str, to: &str| ForeignKeyDoc {
        columns: vec![column.into()],
        referenced_table: format!("s.{to}"),
        referenced_columns: vec!["id".into()],
        cardinality: "many_to_one".into(),
        ..ForeignKeyDoc::default()
    };
    let table = |name: &str, keys: &[(&str, &str)]| TableDoc {
        foreign_keys: keys
            .iter()
            .copied()
            .chain([("create_uid", "user"), ("write_uid", "user")])
            .map(|(column, to)| key(column, to))
            .collect(),
        ..doc(name, &[], &[])
    };
    let mut tables = vec![
        doc("user", &[], &[]),
        table("order", &[]),
        table("order_line", &[("order_id", "order")]),
        table("bill", &[]),
        table("bill_line", &[("bill_id", "bill"), ("order_line_id", "order_line")]),
    ];
    tables.extend((0..20).map(|at| table(&format!("other{at}"), &[])));
    let found = found(&tables, "order", "bill", 6);
    let paths: Vec<Vec<&str>> = found
        .paths
        .iter()
        .map(|path| path.hops.iter().map(|hop| hop.to_table.trim_start_matches("s.")).collect())
        .collect();
    assert_eq!(paths[..2], [vec!["order_line", "bill_line", "bill"], vec!["user", "bill"]]);
    let [lines, users] = [0, 1].map(|at| &found.paths[at]);
    let cardinalities: Vec<&str> = lines.hops.iter().map(|hop| hop.cardinality.as_str()).collect();
    assert_eq!(cardinalities, ["one_to_many", "one_to_many", "many_to_one"]);
    assert!(lines.hops.iter().all(|hop| !hop.multiplies_rows && hop.or_by.is_empty()));
    let sql = "FROM \"s\".\"order\"\n\
        JOIN \"s\".\"user\" ON \"s\".\"order\".\"create_uid\" = \"s\".\"user\".\"id\" -- or by write_uid\n\
        JOIN \"s\".\"bill\" ON \"s\".\"user\".\"id\" = \"s\".\"bill\".\"create_uid\" -- rows multiply: \
        all that refer to the same row of s.user are combined; or by write_uid";
    assert_eq!(users.sql_snippet, sql);
}

/// The head of a department is not one of its members, and a note may say which rows belong together.
#[test]
fn joins_in_the_other_direction_or_of_another_source_are_paths_of_their_own() {
    let key = |column: &str, to: &str| ForeignKeyDoc {
        columns: vec![column.into()],
        referenced_table: format!("s.{to}"),
        referenced_columns: vec!["id".into()],
        ..ForeignKeyDoc::default()
    };
    let mut tables = [doc("unit", &[], &["member"]), doc("member", &[], &[])];
    tables[0].foreign_keys = ["head", "deputy", "a", "b", "c", "d"].map(|column| key(column, "member")).to_vec();
    tables[0].foreign_keys[1].columns = vec!["t".into(), "deputy".into()];
    tables[0].foreign_keys[1].referenced_columns = vec!["t".into(), "id".into()];
    tables[0].inferred_joins[0].source = JoinSource::Note;
    tables[0].inferred_joins[0].because = "only old ones".into();
    tables[1].foreign_keys = vec![key("unit_id", "unit")];
    let found = found(&tables, "unit", "member", 6);
    let lines: Vec<&str> = found.paths.iter().filter_map(|path| path.sql_snippet.lines().nth(1)).collect();
    let expected = [
        "JOIN \"s\".\"member\" ON \"s\".\"unit\".\"head\" = \"s\".\"member\".\"id\" -- or by (t, deputy), a, b and 2 more",
        "JOIN \"s\".\"member\" ON \"s\".\"unit\".\"i\" = \"s\".\"member\".\"id\" -- noted: only old ones",
        "JOIN \"s\".\"member\" ON \"s\".\"unit\".\"id\" = \"s\".\"member\".\"unit_id\"",
    ];
    assert_eq!(lines, expected);
    let hop = &found.paths[0].hops[0];
    assert_eq!((hop.or_by.len(), hop.or_by[0].len(), hop.or_by_left_out), (3, 2, 2));
}

/// Every table refers to the user twice and to the company; a search that tried all of that would end early.
#[test]
fn shared_joins_do_not_use_up_the_search() {
    let key = |column: String, to: &str| ForeignKeyDoc {
        columns: vec![column],
        referenced_table: format!("s.{to}"),
        referenced_columns: vec!["id".into()],
        cardinality: "many_to_one".into(),
        ..ForeignKeyDoc::default()
    };
    let hubs = [("create_uid", "user"), ("write_uid", "user"), ("company_id", "company"), ("currency_id", "currency")];
    let names: Vec<String> = (0..200).map(|at| format!("t{at}")).collect();
    let mut tables: Vec<TableDoc> = names.iter().map(|name| doc(name, &[], &[])).collect();
    for (at, table) in tables.iter_mut().enumerate() {
        table.foreign_keys = hubs.map(|(column, to)| key(column.to_owned(), to)).to_vec();
        let next = [at + 1, at + 5].into_iter().filter_map(|to| names.get(to));
        table.foreign_keys.extend(next.map(|to| key(format!("{to}_id"), to)));
    }
    tables.extend(["user", "company", "currency"].map(|name| doc(name, &[], &[])));
    let between = found(&tables, "t20", "t40", 6);
    assert!(!between.is_cut_short && between.paths.len() == 3, "{between:?}");
    assert_eq!(shown(&tables, "t20", "t40", 6)[0], "t25 t30 t35 t40");
}

#[test]
fn a_table_may_refer_to_itself_by_an_array() {
    let mut table = doc("member", &[], &["member"]);
    table.columns = [("i", "bigint[]"), ("id", "bigint")]
        .map(|(name, data_type)| ColumnDoc { name: name.into(), data_type: data_type.into(), ..ColumnDoc::default() })
        .to_vec();
    let own = own_joins(&JoinTable { schema: "s", table: "member", doc: &table, is_readable: true });
    assert_eq!(own[0].hops[0].on_clause, "\"b\".\"id\" = ANY (\"a\".\"i\")");
}

#[test]
fn a_column_may_be_an_array_of_keys() {
    let mut tables = [doc("seat", &[], &["ticket"]), doc("ticket", &[], &[])];
    let column = |name: &str, data_type: &str| ColumnDoc {
        name: name.into(),
        data_type: data_type.into(),
        ..ColumnDoc::default()
    };
    tables[0].columns = vec![column("i", "bigint[]")];
    tables[1].columns = vec![column("id", "bigint")];
    for (from, to) in [("seat", "ticket"), ("ticket", "seat")] {
        let on = &found(&tables, from, to, 6).paths[0].hops[0].on_clause;
        assert_eq!(on, "\"s\".\"ticket\".\"id\" = ANY (\"s\".\"seat\".\"i\")", "{from}");
    }
}

#[test]
fn a_large_schema_is_searched_in_bounded_steps() {
    let names: Vec<String> = (0..1_000).map(|at| format!("t{at}")).collect();
    // Every table refers to ten others: more paths than can be counted.
    let tables: Vec<TableDoc> = (0..1_000usize)
        .map(|at| {
            let to: Vec<&str> = (1..=10).map(|step| names[(at * 7 + step * 13) % 1_000].as_str()).collect();
            doc(&names[at], &to, &[])
        })
        .collect();
    assert_eq!(found(&tables, "t1", "t777", 6).paths.len(), 3);
    assert_eq!(found(&tables, "t1", "gone", 6), JoinPaths::default());
}

/// Forty tables, each joined with twenty of the others, and one table far away.
#[test]
fn a_search_that_ends_early_says_so() {
    let names: Vec<String> = (0..40).map(|at| format!("t{at}")).collect();
    let mut tables: Vec<TableDoc> = (0..40usize)
        .map(|at| {
            let to: Vec<&str> = (1..=10).map(|step| names[(at + step) % 40].as_str()).collect();
            doc(&names[at], &to, &[])
        })
        .collect();
    tables.push(doc("end", &[], &["t0"]));
    tables.push(doc("last", &[], &["end"]));
    for (at, name) in ["u1", "u2", "u3", "u4", "u5", "u6", "u7"].iter().enumerate() {
        let before = if at == 0 { "last".to_owned() } else { format!("u{at}") };
        tables.push(doc(name, &[before.as_str()], &[]));
    }
    let far = found(&tables, "t20", "u7", 6);
    assert!(far.paths.is_empty() && far.is_cut_short, "{far:?}");
    let near = found(&tables, "u1", "u7", 2);
    assert!(near.paths.is_empty() && !near.is_cut_short, "{near:?}");
}

/// Content of unreadable pages is never disclosed, whatever lies between two tables.
#[test]
fn nearby_tables_come_from_readable_pages() {
    let with = |doc: TableDoc| TableDoc {
        columns: vec![ColumnDoc { name: "Region".into(), data_type: "text".into(), ..ColumnDoc::default() }],
        ..doc
    };
    let tables = [
        with(doc("left", &["other"], &[])),
        with(doc("right", &[], &[])),
        with(doc("other", &[], &[])),
        with(doc("further", &[], &[])),
    ];
    let told = |readable: &[&str]| {
        let found = found_by(&tables, "left", "right", 6, &|name| readable.contains(&name));
        (found.near_source, found.bridges.iter().map(|it| it.from.clone()).collect::<Vec<_>>())
    };
    let (other, none) = (vec!["s.other".to_owned()], Vec::<String>::new());
    assert_eq!(told(&[]), (none.clone(), none.clone()));
    assert_eq!(told(&["right", "further"]), (none.clone(), none.clone()));
    assert_eq!(told(&["left"]), (other.clone(), none.clone()));
    assert_eq!(told(&["other"]), (other.clone(), none));
    assert_eq!(told(&["other", "right"]), (other.clone(), vec!["s.other.Region".to_owned()]));
    assert_eq!(told(&["left", "right"]), (other, vec!["s.left.Region".to_owned()]));
}

#[test]
fn without_a_path_the_nearest_tables_are_listed() {
    let names: Vec<String> = (0..9).map(|at| format!("t{at}")).collect();
    let mut tables: Vec<TableDoc> =
        (0..8usize).map(|at| doc(&names[at], &[names[at + 1].as_str()], &[])).chain([doc("t8", &[], &[])]).collect();
    let far = found(&tables, "t0", "t8", 6);
    assert_eq!((far.paths.len(), far.longer.len(), far.bridges.len()), (0, 9, 0));
    let with = |name: &str, columns: &[(&str, &str)]| TableDoc {
        columns: columns
            .iter()
            .map(|(name, data_type)| ColumnDoc {
                name: (*name).into(),
                data_type: (*data_type).into(),
                ..ColumnDoc::default()
            })
            .collect(),
        ..doc(name, &[], &[])
    };
    // Amounts, times and flags identify nothing.
    let measured = [("amount", "REAL"), ("price", "numeric(10,2)"), ("lineQuantity", "int"), ("paid_on", "date")];
    tables.push(with("left", &[&measured[..], &[("id", "int"), ("Region", "text"), ("size", "int")]].concat()));
    tables.push(with("right", &[&measured[..], &[("id", "int"), ("region", "text"), ("size", "text")]].concat()));
    let none = found(&tables, "left", "right", 6);
    let bridge = PossibleJoin {
        from: "s.left.Region".into(),
        from_table: "s.left".into(),
        to: "s.right.region".into(),
        to_table: "s.right".into(),
    };
    assert_eq!(none.bridges, [bridge]);
    assert!(none.longer.is_empty());
    // A column of a key is named before those that merely have the same names.
    let names = ["a", "b", "c", "d", "e", "ship_to", "product_ref"].map(|name| (name, "text"));
    tables.push(with("view", &names));
    tables.push(TableDoc { primary_key: vec!["product_ref".into()], ..with("products", &names) });
    let bridges = found(&tables, "view", "products", 6).bridges;
    assert_eq!((bridges.len(), bridges[0].to.as_str()), (5, "s.products.product_ref"), "{bridges:?}");
    // A column that all tables near the first one have is named once.
    let of_tenant = |name: &str, to: &str| TableDoc {
        foreign_keys: vec![ForeignKeyDoc {
            columns: vec!["tenant_id".into()],
            referenced_table: format!("s.{to}"),
            referenced_columns: vec!["id".into()],
            ..ForeignKeyDoc::default()
        }],
        ..with(name, &[("sku_code", "text"), ("tenant_id", "int")])
    };
    tables.extend(["bills", "items", "orders", "stock"].map(|name| of_tenant(name, "tenants")));
    tables.extend([of_tenant("shipments", "others"), with("tenants", &[]), with("others", &[])]);
    let bridges = found(&tables, "orders", "shipments", 6).bridges;
    let bridges: Vec<&str> = bridges.iter().map(|bridge| bridge.from.as_str()).collect();
    assert_eq!(bridges, ["s.orders.tenant_id", "s.orders.sku_code"]);
}
