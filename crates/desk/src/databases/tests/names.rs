//! Table names that two databases share, and names that none has.

use super::*;

/// `shop` has `customer` and `orders`; `store` has both, capitalized.
fn two_databases() -> World {
    let world = World::new();
    world.sql(
        "store.db",
        "CREATE TABLE Customer (id INTEGER PRIMARY KEY);
         CREATE TABLE Orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES Customer);",
    );
    world.put(
        ".jaato/databases.yaml",
        "databases: [{name: shop, type: sqlite, connection: {file: shop.db}, domains: {sales: ['*']}}, \
         {name: store, type: sqlite, connection: {file: store.db}, domains: {sales: ['*']}}]",
    );
    world.document(&DocumentOptions::default());
    world
}

#[test]
fn case_never_chooses_between_two_databases() {
    let world = two_databases();
    let desk = world.desk();
    let view = desk.whole_database_view().unwrap();
    assert!(view.has_several_databases());
    for name in ["customer", "Customer", "CUSTOMER", "main.Customer"] {
        for error in [view.schema(name, true).unwrap_err(), view.paths(name, "orders", None).unwrap_err()] {
            assert_eq!(error.code, Code::UnknownTable);
            let both = format!("'{name}' means 2 tables: shop.main.customer, store.main.Customer");
            assert_eq!(error.message, both);
            assert!(error.fix.to_string().contains("shop.main.customer"), "{name}: {}", error.fix);
        }
    }
    let error = view.domain("sales", None).unwrap_err();
    assert_eq!(error.message, "the databases shop and store have a domain 'sales'");
    assert_eq!(error.fix.to_string(), "name one with its database, such as 'shop.sales'");
    assert_eq!(view.domain("store.sales", None).unwrap().answer.database, "store");
    assert_eq!(view.domain("nowhere.sales", None).unwrap_err().code, Code::UnknownDomain);
    for (name, database) in
        [("shop.main.customer", "shop"), ("store.main.customer", "store"), ("store.Customer", "store")]
    {
        assert_eq!(view.paths(name, "Orders", None).unwrap().answer.database, database, "{name}");
    }
}

#[test]
fn in_one_database_a_name_is_met_as_written_or_by_any_case_and_an_unknown_one_lists_those_there_are() {
    let world = World::new();
    world.document(&DocumentOptions::default());
    let desk = world.desk();
    let view = desk.whole_database_view().unwrap();
    assert!(!view.has_several_databases());
    assert_eq!(view.schema("ORDERS", true).unwrap().answer.brief.table, "main.orders");
    for (name, fix) in [("ordesr", "did you mean 'orders'?"), ("nosuch", "the tables are bin, customer, orders, zone")]
    {
        assert_eq!(view.schema(name, true).unwrap_err().fix.to_string(), fix, "{name}");
        assert_eq!(view.paths("zone", name, None).unwrap_err().fix.to_string(), fix, "{name}");
    }
}
