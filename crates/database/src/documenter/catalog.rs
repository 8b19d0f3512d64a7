//! The catalog entries for a documented database: a source for each domain, or for each table.

use std::collections::BTreeMap;

use serde_json::json;

use super::tags::TagNames;
use crate::config::{DatabaseConfig, Granularity};
use crate::names::short_names::ShortNames;
use crate::schema::describe::list;
use crate::schema::page::domain_folder;
use crate::schema::source_ids::SourceIds;
use crate::schema::table_doc::TableDoc;
use crate::snapshot::TableName;

/// A source of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it is, in one line.
    pub description: String,
    /// What it is about.
    pub tags: Vec<String>,
    /// Its folder or file, relative to the workspace.
    pub path: String,
}

impl CatalogEntry {
    /// The entry as JSON for its file; `path` is the folder relative to that file.
    pub fn text(&self, path: &str) -> String {
        let entry = json!({
            "id": self.id, "name": self.name, "description": self.description, "type": "local", "path": path,
            "mode": "selectable", "tags": self.tags,
        });
        format!("{entry:#}\n")
    }
}

/// The sources of a database; `tables` contains those with pages, with their domains and page paths.
pub fn catalog_entries(
    config: &DatabaseConfig,
    docs_path: &str,
    tables: &[(TableName, &TableDoc, &str, &str)],
    ids: &SourceIds,
) -> Vec<CatalogEntry> {
    let names = TagNames::of(tables.iter().map(|(name, doc, domain, _)| (*domain, name.name.as_str(), doc.kind)));
    if config.granularity == Granularity::Table {
        return tables.iter().map(|table| of_table(config, table, &names, ids)).collect();
    }
    let mut domains: BTreeMap<&str, Vec<&(TableName, &TableDoc, &str, &str)>> = BTreeMap::new();
    tables.iter().for_each(|it| domains.entry(it.2).or_default().push(it));
    let short = ShortNames::of(tables.iter().map(|(name, ..)| name.name.as_str()));
    let mut entries = Vec::new();
    for (domain, of_domain) in &domains {
        let mut ranked: Vec<(usize, String)> = of_domain
            .iter()
            .map(|(name, doc, ..)| (doc.referenced_by.len(), short.name(&name.schema, &name.name)))
            .collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let listed: Vec<String> = ranked.into_iter().map(|(_, name)| name).collect();
        let number = match listed.len() {
            1 => "1 table".to_owned(),
            count => format!("{count} tables"),
        };
        entries.push(CatalogEntry {
            id: ids.domain(&config.name, domain),
            name: format!("Database {}: {domain}", config.name),
            description: one_line(&format!("{number} of the database {}: {}", config.name, list(&listed))),
            tags: names.of_domain(domain),
            path: domain_folder(docs_path, &config.name, domain),
        });
    }
    entries
}

fn of_table(
    config: &DatabaseConfig,
    (name, doc, domain, path): &(TableName, &TableDoc, &str, &str),
    names: &TagNames<'_>,
    ids: &SourceIds,
) -> CatalogEntry {
    CatalogEntry {
        id: ids.table(&config.name, name),
        name: one_line(&format!("Database {}: {}", config.name, name.full())),
        description: one_line(doc.first_sentence()),
        tags: names.of_table(domain, &name.name),
        path: (*path).to_owned(),
    }
}

fn one_line(text: &str) -> String {
    let shown = refdesk_text::escape::one_line(text).into_owned();
    refdesk_text::shorten::shortened_at_word(&shown, 200)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn each_domain_becomes_a_source() {
        let text = "databases: [{name: shop, type: sqlite, connection: {file: x}}]";
        let (config, _) = config::read(text, "f");
        let name = |name: &str| TableName { schema: "main".into(), name: name.into() };
        let doc = TableDoc { description: "What was sold. And when.".into(), ..TableDoc::default() };
        let rows = [
            ("shop_order", "sales"),
            ("shop_order_lines", "sales"),
            ("shop_person", "people"),
            ("shop_zone", "zone"),
            ("shop_bin", "zone"),
        ];
        let tables: Vec<_> = rows.iter().map(|(table, domain)| (name(table), &doc, *domain, "p.md")).collect();
        let mut config = config.databases[0].clone();
        let entries = catalog_entries(&config, "docs/databases", &tables, &SourceIds::default());
        let shown: Vec<String> =
            entries.iter().map(|it| format!("{} {} {}", it.id, it.tags.join(","), it.description)).collect();
        assert_eq!(
            shown,
            [
                "db-shop-people shop person 1 table of the database shop: shop_person",
                "db-shop-sales sales,shop order,shop order lines 2 tables of the database shop: shop_order and shop_order_lines",
                "db-shop-zone zone,bin,shop zone,shop bin 2 tables of the database shop: shop_bin and shop_zone",
            ]
        );
        assert_eq!(entries[0].path, "docs/databases/shop/people");
        let mut several = tables.clone();
        several[1].0 = TableName { schema: "old".into(), name: "shop_order".into() };
        let sales = &catalog_entries(&config, "docs/databases", &several, &SourceIds::default())[1];
        assert_eq!(sales.description, "2 tables of the database shop: main.shop_order and old.shop_order");
        config.granularity = Granularity::Table;
        let entries = catalog_entries(&config, "docs/databases", &tables, &SourceIds::default());
        assert_eq!((entries.len(), entries[0].id.as_str()), (5, "db-shop-main-shop-order"));
        assert_eq!(entries[0].description, "What was sold.");
    }
}
