//! The entries of the catalog that a documented database becomes: a source for each domain, or for each table.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::json;

use refdesk_text::stop_words::is_stop_word;

use crate::config::{DatabaseConfig, Granularity};
use crate::names::words::{singular, split};
use crate::schema::describe::list;
use crate::schema::page::{domain_folder, domain_id, table_id};
use crate::schema::table_doc::TableDoc;
use crate::snapshot::TableName;

/// Most tags of a source.
const TAGS: usize = 12;

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
    /// The entry as its file has it; `path` is how the file names the folder.
    pub fn text(&self, path: &str) -> String {
        let entry = json!({
            "id": self.id, "name": self.name, "description": self.description, "type": "local", "path": path,
            "mode": "selectable", "tags": self.tags,
        });
        format!("{entry:#}\n")
    }
}

/// The sources of a database; `tables` has those with pages, with their domains and the paths of their pages.
pub fn catalog_entries(
    config: &DatabaseConfig,
    docs_path: &str,
    tables: &[(TableName, &TableDoc, &str, &str)],
) -> Vec<CatalogEntry> {
    let mut domains: BTreeMap<&str, Vec<&(TableName, &TableDoc, &str, &str)>> = BTreeMap::new();
    tables.iter().for_each(|it| domains.entry(it.2).or_default().push(it));
    let words = |domain: &str| -> Vec<String> {
        let of_tables = domains.get(domain).into_iter().flatten().flat_map(|(name, ..)| words_of(&name.name));
        words_of(domain).into_iter().chain(of_tables).collect()
    };
    // In how many domains each word is: one that most have tells nothing.
    let mut spread: HashMap<String, usize> = HashMap::new();
    for domain in domains.keys() {
        let distinct: BTreeSet<String> = words(domain).into_iter().collect();
        distinct.into_iter().for_each(|word| *spread.entry(word).or_default() += 1);
    }
    let most = (domains.len() / 3).max(1);
    let is_common = |word: &String| spread.get(word).is_some_and(|count| *count > most);
    if config.granularity == Granularity::Table {
        return tables.iter().map(|table| of_table(config, table, &is_common)).collect();
    }
    let mut entries = Vec::new();
    for (domain, of_domain) in &domains {
        let mut ranked: Vec<(usize, &str)> =
            of_domain.iter().map(|(name, doc, ..)| (doc.referenced_by.len(), name.name.as_str())).collect();
        ranked.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        let names: Vec<&str> = ranked.iter().map(|(_, name)| *name).collect();
        let number = match names.len() {
            1 => "1 table".to_owned(),
            count => format!("{count} tables"),
        };
        entries.push(CatalogEntry {
            id: domain_id(&config.name, domain),
            name: format!("Database {}: {domain}", config.name),
            description: one_line(&format!("{number} of the database {}: {}", config.name, list(&names))),
            tags: tags(words(domain), &is_common),
            path: domain_folder(docs_path, &config.name, domain),
        });
    }
    entries
}

fn of_table(
    config: &DatabaseConfig,
    (name, doc, domain, path): &(TableName, &TableDoc, &str, &str),
    is_common: &dyn Fn(&String) -> bool,
) -> CatalogEntry {
    let words = words_of(&name.name).into_iter().chain(words_of(domain)).collect();
    CatalogEntry {
        id: table_id(&config.name, name),
        name: one_line(&format!("Database {}: {}", config.name, name.full())),
        description: one_line(doc.first_sentence()),
        tags: tags(words, is_common),
        path: (*path).to_owned(),
    }
}

fn words_of(name: &str) -> Vec<String> {
    let words = split(name).into_iter().map(|word| singular(&word));
    let says_something =
        |word: &String| word.chars().count() > 2 && word.chars().any(char::is_alphabetic) && !is_stop_word(word);
    words.filter(says_something).collect()
}

/// Each once, in order, the most frequent first; if all are common, the first ones.
fn tags(words: Vec<String>, is_common: &dyn Fn(&String) -> bool) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for word in words {
        match counts.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    counts.retain(|(word, _)| !is_common(word));
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    counts.into_iter().map(|(word, _)| word).take(TAGS).collect()
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
        let entries = catalog_entries(&config, "docs/databases", &tables);
        let shown: Vec<String> =
            entries.iter().map(|it| format!("{} {} {}", it.id, it.tags.join(","), it.description)).collect();
        assert_eq!(
            shown,
            [
                "db-shop-people people,person 1 table of the database shop: shop_person",
                "db-shop-sales order,sales,line 2 tables of the database shop: shop_order and shop_order_lines",
                "db-shop-zone zone,bin 2 tables of the database shop: shop_bin and shop_zone",
            ]
        );
        assert_eq!(entries[0].path, "docs/databases/shop/people");
        config.granularity = Granularity::Table;
        let entries = catalog_entries(&config, "docs/databases", &tables);
        assert_eq!((entries.len(), entries[0].id.as_str()), (5, "db-shop-main-shop-order"));
        assert_eq!(entries[0].description, "What was sold.");
    }
}
