//! Pages of small and hostile schemas. Golden files cover whole databases.

use std::collections::BTreeMap;

use super::*;
use crate::config;
use crate::schema::joins::infer;
use crate::schema::notes::Notes;
use crate::schema::table_doc::DocInput;
use crate::snapshot::{Column, ForeignKey, Key, Snapshot};
use refdesk_files::scale::scaled;

fn table(name: &str, columns: &[&str], to: &[(&str, &str)]) -> Table {
    let column = |name: &&str| Column { name: (*name).into(), data_type: "INT".into(), ..Column::default() };
    let key = |(column, to): &(&str, &str)| ForeignKey {
        columns: vec![(*column).into()],
        target: TableName { schema: "main".into(), name: (*to).into() },
        target_columns: vec!["id".into()],
        ..ForeignKey::default()
    };
    Table {
        schema: "main".into(),
        name: name.into(),
        columns: columns.iter().map(column).collect(),
        primary_key: Some(Key { name: None, columns: vec![columns[0].into()] }),
        foreign_keys: to.iter().map(key).collect(),
        ..Table::default()
    }
}

fn pages_of(tables: Vec<Table>, domains: &[(&str, &str)], more: &str) -> Vec<Page> {
    noted_pages_of(tables, domains, more, &Notes::default())
}

fn noted_pages_of(tables: Vec<Table>, domains: &[(&str, &str)], more: &str, notes: &Notes) -> Vec<Page> {
    let text = format!("databases: [{{name: shop, type: sqlite, connection: {{file: x}}{more}}}]");
    let (config, _) = config::read(&text, "f");
    let mut snapshot = Snapshot { tables, ..Snapshot::default() };
    snapshot.sort();
    let joins = infer(&snapshot, notes);
    let config = &config.databases[0];
    let profiles = BTreeMap::new();
    let input = DocInput { config, snapshot: &snapshot, notes, joins: &joins, profiles: &profiles };
    let docs: Vec<(&Table, TableDoc)> = snapshot.tables.iter().zip(input.docs()).collect();
    let domain = |table: &Table| {
        let found = domains.iter().find(|(name, _)| *name == table.name);
        (table.table_name(), found.map_or("all", |(_, domain)| domain).to_owned())
    };
    let domains = snapshot.tables.iter().map(domain).collect();
    let ids = SourceIds::default();
    pages(&PagesInput { config, docs_path: "docs/databases", tables: &docs, domains: &domains, ids: &ids })
}

fn text<'p>(pages: &'p [Page], path: &str) -> &'p str {
    let found = pages.iter().find(|page| page.path.ends_with(path));
    &found.unwrap_or_else(|| panic!("{path}: {:?}", pages.iter().map(|it| &it.path).collect::<Vec<_>>())).text
}

#[test]
fn links_stay_within_a_domain() {
    let tables = || {
        vec![
            table("item", &["id", "order_id"], &[("order_id", "order")]),
            table("order", &["id", "customer"], &[("customer", "person")]),
            table("person", &["id"], &[]),
        ]
    };
    let pages = pages_of(tables(), &[("person", "people")], "");
    let paths: Vec<&str> = pages.iter().map(|page| page.path.trim_start_matches("docs/databases/shop/")).collect();
    let expected = [
        "README.md",
        "all/README.md",
        "people/README.md",
        "all/tables/main.item.md",
        "all/tables/main.item.json",
        "all/tables/main.order.md",
        "all/tables/main.order.json",
        "people/tables/main.person.md",
        "people/tables/main.person.json",
    ];
    assert_eq!(paths, expected);
    assert!(text(&pages, "main.item.md").contains("[`main.order`](main.order.md) `id` (many to one)"));
    let order = text(&pages, "main.order.md");
    assert!(order.contains("- `customer` → `main.person` (domain people) `id`"), "{order}");
    assert!(!order.contains("db-shop-people") && !order.contains("person.md"), "no id and no link: {order}");
    for (domain, expected) in [
        ("all", "## Joins to other domains\n\n- `main.order` `customer` → `main.person` (domain people)\n"),
        ("people", "## Joins from other domains\n\n- `main.order` `customer` → `main.person` (domain all)\n"),
    ] {
        let page = text(&pages, &format!("{domain}/README.md"));
        assert!(page.ends_with(expected) && page.matches("other domains").count() == 1, "{page}");
    }
    let linked = pages_of(tables(), &[("person", "people")], ", cross_links: true");
    assert!(text(&linked, "main.order.md").contains("(../../people/tables/main.person.md)"));
    let overview = text(&pages, "shop/README.md");
    // No table refers to `item`.
    for line in ["| all | people | 1 |", "| 2 | `order` |", "| 1 | `person` |"] {
        assert!(overview.contains(line), "{line}: {overview}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let odd = ["../../x", "a|b", "-->", "CON", "line\nbreak", "quo\"te", "`tick`", "# head", "---"];
    let tables = odd.iter().map(|name| table(name, &["id", name], &[(name, odd[0])])).collect();
    let pages = pages_of(tables, &[], "");
    for page in &pages {
        assert!(page.path.starts_with("docs/databases/shop/") && !page.path.contains(".."), "{}", page.path);
        if page.path.ends_with(".md") {
            let body = page.text.splitn(3, "---\n").nth(2).unwrap();
            for line in body.lines() {
                assert!(!line.contains("<!--") && !line.starts_with("---"), "{line}");
            }
            let headings = body.lines().filter(|line| line.starts_with("# ")).count();
            assert_eq!(headings, 1, "{body}");
        } else {
            serde_json::from_str::<TableDoc>(&page.text).unwrap();
        }
    }
}

#[test]
fn tables_whose_dotted_names_read_the_same_have_their_own_pages() {
    let with_schema = |schema: &str, name: &str, column: &str| Table {
        schema: schema.into(),
        foreign_keys: vec![ForeignKey {
            columns: vec![column.into()],
            target: TableName { schema: "sch.ema".into(), name: "t".into() },
            target_columns: vec!["one".into()],
            ..ForeignKey::default()
        }],
        ..table(name, &[column], &[])
    };
    let pages = pages_of(vec![with_schema("sch.ema", "t", "one"), with_schema("sch", "ema.t", "other")], &[], "");
    let paths: std::collections::BTreeSet<String> = pages.iter().map(|page| page.path.to_lowercase()).collect();
    assert_eq!((paths.len(), pages.len()), (6, 6), "{paths:?}");
    let doc = |column: &str| {
        let own = pages.iter().filter(|page| page.path.ends_with(".json"));
        let mut docs = own.map(|page| serde_json::from_str::<TableDoc>(&page.text).unwrap());
        docs.find(|doc| doc.columns[0].name == column).unwrap()
    };
    assert_eq!(doc("one").fully_qualified_name, "\"sch.ema\".t");
    assert_eq!(doc("other").fully_qualified_name, "sch.ema.t");
    assert_eq!(doc("other").foreign_keys[0].referenced_table, "\"sch.ema\".t");
    let page = text(&pages, "sch.ema.t.md");
    assert!(page.contains("(t-sch-ema--t-"), "it links to the other: {page}");
}

#[test]
fn a_diagram_shows_the_schema_of_a_name_that_is_in_several_and_what_is_optional() {
    let of = |schema: &str, table: Table| Table { schema: schema.into(), ..table };
    let mut orders = of("x", table("orders", &["id", "twin", "person"], &[("twin", "orders"), ("person", "person")]));
    orders.columns[2].nullable = true;
    let all = vec![orders, table("orders", &["id"], &[]), table("person", &["id"], &[])];
    let pages = pages_of(all, &[], "");
    let expected = "erDiagram\n  orders[\"main.orders\"]\n  orders_2[\"x.orders\"]\n  \
                    orders_2 }o--o| person : \"person\"\n  orders_2 }o--|| orders : \"twin\"\n";
    assert!(text(&pages, "all/README.md").contains(expected), "{}", text(&pages, "all/README.md"));
}

#[test]
fn a_diagram_says_which_table_has_another_name_in_it() {
    let names = [
        ("user order", None),
        ("user_order", Some("user order")),
        ("größe", None),
        ("grüße", Some("größe")),
        ("_t", None),
        ("t_t", Some("_t")),
    ];
    let tables = names.map(|(name, to)| match to {
        Some(to) => table(name, &["id", "o"], &[("o", to)]),
        None => table(name, &["id"], &[]),
    });
    let pages = pages_of(tables.to_vec(), &[], "");
    let expected = "erDiagram\n  gr__e[\"größe\"]\n  gr__e_2[\"grüße\"]\n  t_t_2[\"_t\"]\n  \
                    user_order_2[\"user order\"]\n  gr__e_2 }o--|| gr__e : \"o\"\n  t_t }o--|| t_t_2 : \"o\"\n  \
                    user_order }o--|| user_order_2 : \"o\"\n";
    let all: String =
        pages.iter().filter(|page| page.path.ends_with("README.md")).map(|page| page.text.as_str()).collect();
    assert!(all.contains(expected), "{all}");
}

#[test]
fn joins_without_a_key_are_on_the_pages_of_both_tables_and_of_their_domains() {
    let tables = vec![
        table("item", &["id", "order_id", "first"], &[]),
        table("orders", &["id", "customer_id", "buyer", "person_id"], &[("person_id", "person")]),
        table("customers", &["id"], &[]),
        table("person", &["id"], &[]),
    ];
    let notes = "joins:\n- {from: main.orders.buyer, to: main.customers.id, because: seen in the code, \
                 cardinality: one to one}\n\
                 - {from: main.item.first, to: main.orders.id, cardinality: many to many}";
    let (notes, problems) = crate::schema::notes::read(notes, "f");
    assert_eq!(problems, []);
    let pages = noted_pages_of(tables, &[("customers", "people"), ("person", "people")], "", &notes);
    for (page, lines) in [
        (
            "main.orders.md",
            &[
                "- `customer_id` → `main.customers` (domain people) `id` \
                 (inferred: it is named after customers and its key)\n",
                "- `buyer` → `main.customers` (domain people) `id` (one to one, noted: seen in the code)\n",
                "- `id` ← [`main.item`](main.item.md) `first` (noted)\n\
                 - `id` ← [`main.item`](main.item.md) `order_id` (inferred)\n",
            ][..],
        ),
        ("main.item.md", &["- `first` → [`main.orders`](main.orders.md) `id` (many to many, noted)\n"]),
        (
            "main.customers.md",
            &["- `id` ← `main.orders` (domain all) `buyer` (noted: seen in the code)\n\
                 - `id` ← `main.orders` (domain all) `customer_id` (inferred)\n"],
        ),
        (
            "all/README.md",
            &[
                "erDiagram\n  item }o..o{ orders : \"first (noted)\"\n  \
                 item }o..|| orders : \"order_id (inferred)\"\n```",
                "- `main.orders` `person_id` → `main.person` (domain people)\n\
                 - `main.orders` `buyer` → `main.customers` (domain people, noted)\n\
                 - `main.orders` `customer_id` → `main.customers` (domain people, inferred)\n",
            ],
        ),
        (
            "shop/README.md",
            &[
                "| from | to | joins |\n| --- | --- | --- |\n| all | people | 1 key, 1 noted, 1 inferred |\n",
                "| `customers`, `person` |",
            ],
        ),
    ] {
        let text = text(&pages, page);
        lines.iter().for_each(|line| assert!(text.contains(line), "{page}: {line}: {text}"));
    }
    assert!(!text(&pages, "main.customers.md").contains("Referred to by"), "a rule says what is certain");
    // Pages that an older refdesk wrote do not record what a join is based on.
    let mut older: serde_json::Value = serde_json::from_str(text(&pages, "main.orders.json")).unwrap();
    for list in ["inferred_joins", "referenced_by"] {
        for join in older[list].as_array_mut().unwrap() {
            join.as_object_mut().unwrap().remove("source");
        }
    }
    let read = |doc: serde_json::Value| {
        let doc = serde_json::from_value::<TableDoc>(doc).unwrap();
        let sources = doc.joins().map(|join| join.source).chain(doc.referenced_by.iter().map(|it| it.source));
        sources.map(|source| format!("{source:?}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(read(older), "Key Inferred Inferred Key Key");
    let current = serde_json::from_str(text(&pages, "main.orders.json")).unwrap();
    assert_eq!(read(current), "Key Inferred Note Note Inferred");
}

#[test]
fn a_page_stays_within_its_limit() {
    let mut wide = table("wide", &["id"], &[]);
    for at in 0..scaled(400, 2_000) {
        let comment = Some("<words> ".repeat(400));
        wide.columns.push(Column { name: format!("c{at}"), comment, ..Column::default() });
    }
    for page in pages_of(vec![wide], &[], "") {
        assert!(page.text.len() <= PAGE_BYTES, "{}: {}", page.path, page.text.len());
        assert_eq!(page.is_shortened, page.path.contains("main.wide"), "{}", page.path);
    }
}

#[test]
fn joins_from_other_domains_are_cut_before_descriptions() {
    let users = Table { comment: Some("Who can log in.".into()), ..table("users", &["id"], &[]) };
    let column = "c".repeat(900);
    let others = (0..600).map(|at| table(&format!("t{at}"), &["id", &column], &[(&column, "users")]));
    let pages = pages_of(others.chain([users]).collect(), &[("users", "core")], "");
    let page = pages.iter().find(|page| page.path.ends_with("core/README.md")).unwrap();
    let text = &page.text;
    assert!(text.contains("| Who can log in. |") && text.ends_with("\n- and 100 more\n"), "{text}");
    assert!(page.is_shortened && text.len() <= PAGE_BYTES, "{}", text.len());
}

#[test]
fn a_join_is_listed_once_however_often_the_database_and_the_notes_have_it() {
    let key = |columns: [&str; 2], others: [&str; 2], on_delete: &str| ForeignKey {
        columns: columns.map(str::to_owned).to_vec(),
        target: TableName { schema: "main".into(), name: "boxes".into() },
        target_columns: others.map(str::to_owned).to_vec(),
        on_delete: on_delete.into(),
        ..ForeignKey::default()
    };
    let mut items = table("items", &["id", "x", "y"], &[]);
    items.foreign_keys = vec![key(["x", "y"], ["a", "b"], ""), key(["y", "x"], ["b", "a"], "cascade")];
    let tables = vec![items, table("boxes", &["a", "b"], &[])];
    let notes = "joins:\n\
                 - {from: [main.items.y, main.items.x], to: [main.boxes.b, main.boxes.a]}\n\
                 - {from: [main.boxes.a, main.boxes.b], to: [main.items.x, main.items.y]}";
    let (notes, problems) = crate::schema::notes::read(notes, "f");
    assert_eq!(problems, []);
    let pages = noted_pages_of(tables, &[("boxes", "store")], "", &notes);
    for (page, heading, line) in [
        (
            "main.items.md",
            "Joins",
            "- `y`, `x` → `main.boxes` (domain store) `b`, `a` (many to one, on delete cascade)",
        ),
        ("main.boxes.md", "Joins", "- `b`, `a` ← `main.items` (domain all) `y`, `x`"),
        ("all/README.md", "Joins to other domains", "- `main.items` `y`, `x` → `main.boxes` (domain store)"),
        ("store/README.md", "Joins from other domains", "- `main.items` `y`, `x` → `main.boxes` (domain all)"),
    ] {
        let text = text(&pages, page);
        assert!(text.ends_with(&format!("\n## {heading}\n\n{line}\n")), "{page}: {text}");
    }
}

#[test]
fn a_page_records_its_definition_for_any_table_name() {
    for length in [1, 3_700, 3_900, 5_000] {
        let name = "t".repeat(length);
        let table = table(&name, &["id"], &[]);
        let pages = pages_of(vec![table.clone()], &[], "");
        let page = pages.iter().find(|page| page.kind == PageKind::Table && page.path.ends_with(".md")).unwrap();
        assert_eq!(metadata_hash(page.text.as_bytes()), Some(table.metadata_hash()), "{length}");
    }
}
