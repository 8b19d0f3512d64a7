//! A plan, a person's changes to it, and how they carry over.

use super::*;
use crate::config;
use crate::schema::notes::Notes;
use crate::snapshot::{Column, ForeignKey, Snapshot, Table, TableName};

fn table(name: &str, to: &[&str]) -> Table {
    let key = |to: &&str| ForeignKey {
        target: TableName { schema: "main".into(), name: (*to).into() },
        ..ForeignKey::default()
    };
    let column = |name: &str| Column { name: name.into(), ..Column::default() };
    Table {
        schema: "main".into(),
        name: name.into(),
        columns: vec![column("id"), column("email")],
        foreign_keys: to.iter().map(key).collect(),
        ..Table::default()
    }
}

fn snapshot(tables: &[(&str, &[&str])]) -> Snapshot {
    let mut snapshot =
        Snapshot { tables: tables.iter().map(|(name, to)| table(name, to)).collect(), ..Snapshot::default() };
    snapshot.sort();
    snapshot
}

fn plan_of(snapshot: &Snapshot, edits: &PlanEdits) -> (Plan, Vec<String>) {
    let text = "databases: [{name: shop, type: sqlite, connection: {file: x}}]";
    let (config, _) = config::read(text, "f");
    let notes = Notes::default();
    let input = PlanInput { config: &config.databases[0], state: ReadOutcome::Read(snapshot), notes: &notes };
    let (plan, problems) = make(&config, &[input], edits, "2026-01-02T03:04:05Z");
    (plan, problems.into_iter().map(|it| it.message).collect())
}

const SHOP: &[(&str, &[&str])] = &[
    ("customer", &[]),
    ("order", &["customer"]),
    ("order_line", &["order", "product"]),
    ("order_note", &["order"]),
    ("order_log", &["order"]),
    ("product", &["product"]),
    ("alone", &[]),
];

fn find<'p>(plan: &'p mut Plan, name: &str) -> &'p mut PlannedTable {
    let mut tables = plan.work_units.iter_mut().flat_map(|unit| &mut unit.tables);
    tables.find(|table| table.table_name == name).unwrap()
}

#[test]
fn a_plan_says_what_would_be_done() {
    let (plan, problems) = plan_of(&snapshot(SHOP), &PlanEdits::default());
    assert_eq!(problems, [""; 0]);
    let units: Vec<(&str, Vec<(&str, u8)>)> = plan
        .work_units
        .iter()
        .map(|unit| (unit.id.as_str(), unit.tables.iter().map(|it| (it.table_name.as_str(), it.priority)).collect()))
        .collect();
    assert_eq!(
        units,
        [
            (
                "shop-order",
                vec![
                    ("customer", 2),
                    ("order", 1),
                    ("order_line", 2),
                    ("order_log", 3),
                    ("order_note", 2),
                    ("product", 2)
                ]
            ),
            ("shop-system", vec![("alone", 3)]),
        ]
    );
    let unit = &plan.work_units[0];
    assert_eq!(unit.priority_order[..2], ["main.order", "main.customer"]);
    assert_eq!(unit.output_directory, "docs/databases/shop/order");
    let reads = &unit.tables[0].reads;
    assert_eq!(reads.rows, 1_000);
    assert_eq!(reads.columns["id"], "statistics");
    assert_eq!(reads.columns["email"], "only the share of nulls, sensitive (name: email)");
    assert_eq!(
        (plan.complexity, plan.summary.total_tables, plan.summary.estimate.cost),
        (Complexity::Simple, 7, Some(0.0))
    );
    let read: Plan = serde_json::from_str(&plan.text()).unwrap();
    assert_eq!(read, plan);
}

#[test]
fn manual_changes_are_carried_over() {
    let (mut plan, _) = plan_of(&snapshot(SHOP), &PlanEdits::default());
    find(&mut plan, "customer").domain = "people".into();
    find(&mut plan, "order_log").skip = true;
    find(&mut plan, "order_note").priority = 1;
    find(&mut plan, "alone").note = Some("why is this here?".into());
    plan.work_units[0].priority_order.reverse();
    let (edits, problems) = PlanEdits::of(&plan, "f");
    assert_eq!(problems, []);
    let mut grown = SHOP.to_vec();
    grown.retain(|(name, _)| *name != "order_log");
    grown.push(("order_tax", &["order"]));
    let (mut next, told) = plan_of(&snapshot(&grown), &edits);
    assert_eq!(told, ["main.order_log of 'shop' no longer exists, so your changes to its plan were dropped"]);
    assert_eq!(find(&mut next, "customer").domain, "people");
    assert_eq!(find(&mut next, "order_note").priority, 1);
    assert!(find(&mut next, "alone").note.is_some());
    let unit = next.work_units.iter().find(|unit| unit.id == "shop-order").unwrap();
    assert_eq!(
        unit.priority_order,
        ["main.order_note", "main.order_line", "main.product", "main.order", "main.order_tax"]
    );
    // Applying them again changes nothing.
    let (again, _) = plan_of(&snapshot(&grown), &PlanEdits::of(&next, "f").0);
    assert_eq!(again, next);
}

#[test]
fn each_change_of_computed_values_is_reported() {
    let (plan, _) = plan_of(&snapshot(SHOP), &PlanEdits::default());
    type Change = fn(&mut Plan);
    let computed: [Change; 13] = [
        |plan| find(plan, "order").row_count_approx = Some(7),
        |plan| find(plan, "order").existing_comment = Some("mine".into()),
        |plan| find(plan, "order").reads.rows = 7,
        |plan| drop(find(plan, "order").reads.columns.insert("id".into(), "everything".into())),
        |plan| find(plan, "order").metadata_hash = "x".into(),
        |plan| plan.work_units[0].output_directory = "elsewhere".into(),
        |plan| plan.work_units[0].depends_on.push("x".into()),
        |plan| plan.work_units[0].estimate.calls = 7,
        |plan| plan.summary.total_tables = 70,
        |plan| plan.summary.estimate.cost = Some(7.0),
        |plan| plan.complexity = Complexity::Complex,
        |plan| plan.databases[0].domains.clear(),
        |plan| plan.databases[0].domains.get_mut("order").unwrap().truncate(1),
    ];
    let own: [Change; 6] = [
        |_| (),
        |plan| find(plan, "order").domain = "sales".into(),
        |plan| find(plan, "order").priority = 3,
        |plan| find(plan, "order").skip = true,
        |plan| plan.work_units[0].priority_order.reverse(),
        |plan| plan.work_units[0].tables.reverse(),
    ];
    let told = |change: &Change| {
        let mut changed = plan.clone();
        change(&mut changed);
        // The plan as it is read back from its file.
        PlanEdits::of(&serde_json::from_str(&changed.text()).unwrap(), "f").1.len()
    };
    assert_eq!(computed.iter().map(told).collect::<Vec<_>>(), [1; 13]);
    assert_eq!(own.iter().map(told).collect::<Vec<_>>(), [0; 6]);
}

#[test]
fn computed_values_cannot_be_changed() {
    let (mut plan, _) = plan_of(&snapshot(SHOP), &PlanEdits::default());
    find(&mut plan, "order").column_count = 99;
    find(&mut plan, "product").priority = 9;
    find(&mut plan, "alone").domain = "../..".into();
    let (edits, problems) = PlanEdits::of(&plan, "f");
    let mut told: Vec<String> = problems.iter().map(|it| format!("{} {}", it.is_error(), it.message)).collect();
    told.sort();
    assert_eq!(told.len(), 3, "{told:?}");
    assert!(told[0].starts_with("false your change to a computed value of"), "{told:?}");
    let database = &plan.databases[0].name;
    assert!(told.contains(&format!("true 9 is not a 'priority' for main.product of '{database}'")), "{told:?}");
    let (again, _) = plan_of(&snapshot(SHOP), &edits);
    assert_eq!(again, plan_of(&snapshot(SHOP), &PlanEdits::default()).0);
}

#[test]
fn a_stale_plan_is_detected_by_its_changes() {
    let (then, _) = plan_of(&snapshot(SHOP), &PlanEdits::default());
    let mut changed = snapshot(SHOP);
    changed.tables.retain(|table| table.name != "alone");
    changed.tables[0].comment = Some("x".into());
    changed.tables.push(table("zone", &[]));
    let (now, _) = plan_of(&changed, &PlanEdits::default());
    let expected = [
        "main.zone of 'shop' is new since the plan",
        "main.alone of 'shop' is gone since the plan",
        "main.customer of 'shop' has changed since the plan",
    ];
    assert_eq!(stale(&then, &now, &|_, _| false), expected);
    assert_eq!(stale(&then, &then, &|_, _| false), [""; 0]);
    let mut before = then.clone();
    before.databases.clear();
    assert_eq!(stale(&before, &then, &|_, _| false), ["'shop' is new"]);
    let mut unread = then.clone();
    unread.databases[0].schema_hash = None;
    assert_eq!(stale(&before, &unread, &|_, _| false), [""; 0], "it is not new to what was never read");
}

#[test]
fn no_row_of_snowflake_is_read() {
    let text = "databases: [{name: a, type: snowflake, connection: {account: a, database: A, token_env: T}}]";
    let (config, problems) = config::read(text, "f");
    assert_eq!(problems, []);
    let column = Column { name: "state".into(), data_type: "VARCHAR".into(), ..Column::default() };
    let table = Table { columns: vec![column], ..Table::default() };
    let reads = super::make::reads(&config.databases[0], &table, &[None]);
    assert_eq!((reads.rows, &reads.columns["state"]), (0, &serde_json::json!("nothing")));
}
