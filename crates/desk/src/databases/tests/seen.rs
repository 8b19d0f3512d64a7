//! What the overview and a table's page show, whatever files came with the repository.

use refdesk_database::schema::plan::FILE;
use serde_json::Value;

use super::{World, options};
use crate::{DatabaseSummary, TableSummary};

const MANIFEST: &str = "docs/databases/documentation-manifest.json";
const CUSTOMER: &str = "docs/databases/shop/customer/tables/main.customer";

fn seen(world: &World) -> DatabaseSummary {
    world.desk().overview_reader().read().databases.remove(0)
}

fn tables(database: &DatabaseSummary) -> Vec<&TableSummary> {
    database.domains.iter().flat_map(|domain| &domain.tables).collect()
}

#[test]
fn a_page_for_programs_is_shown_only_if_it_describes_its_table() {
    let world = World::new();
    world.document(&options());
    let (page, data) = (format!("{CUSTOMER}.md"), format!("{CUSTOMER}.json"));
    let doc = |world: &World| world.desk().database_page("shop", &page).doc.map(|doc| doc.columns.len());
    assert_eq!(doc(&world), Some(2));
    assert!(world.desk().database_page("shop", &page).text.is_some_and(|text| text.contains("customer")));
    let own: Value = serde_json::from_str(&world.read(&data)).unwrap();
    let column = own["columns"][0].clone();
    let changed: [fn(&mut Value, &Value); 3] = [
        |doc, _| doc["fully_qualified_name"] = "main.orders".into(),
        |doc, column| doc["columns"] = vec![column.clone(); 2_001].into(),
        |doc, _| doc["description"] = "x".repeat(512 * 1024).into(),
    ];
    for (nth, change) in changed.iter().enumerate() {
        let mut doc_now = own.clone();
        change(&mut doc_now, &column);
        world.put(&data, &doc_now.to_string());
        assert_eq!(doc(&world), None, "{nth}");
    }
}

#[test]
fn repeated_pages_in_a_manifest_add_no_tables() {
    let world = World::new();
    world.document(&options());
    let before = seen(&world);
    assert_eq!(tables(&before).len(), 4);
    assert!(before.page.is_some() && before.domains.iter().all(|domain| domain.page.is_some()));
    let mut manifest: Value = serde_json::from_str(&world.read(MANIFEST)).unwrap();
    let files = manifest["indexable_files"].as_array_mut().unwrap();
    for mut file in files.clone() {
        files.push(file.clone());
        if file["table"].is_string() {
            file["table"] = "other".into();
            files.push(file);
        }
    }
    world.put(MANIFEST, &manifest.to_string());
    assert_eq!(seen(&world), before);
}

#[test]
fn the_page_not_the_plan_says_which_columns_are_sensitive() {
    let world = World::new();
    world.document(&options());
    let sensitive = |world: &World| {
        let database = seen(world);
        let customer = tables(&database).into_iter().find(|table| table.name.name == "customer").cloned().unwrap();
        (
            customer.marks.sensitive,
            customer.planned_values.iter().filter(|(_, told)| told.contains("sensitive")).count(),
        )
    };
    assert_eq!(sensitive(&world), (1, 1));
    world.put(FILE, &world.read(FILE).replace("sensitive (", "kept ("));
    assert_eq!(sensitive(&world), (1, 0));
}
