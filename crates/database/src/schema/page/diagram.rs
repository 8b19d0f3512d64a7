//! A diagram of a small domain in Mermaid.

use std::collections::{BTreeMap, BTreeSet};

use super::PageSet;

/// Most tables of a diagram.
const TABLES: usize = 30;

/// The tables of a domain and the keys between them; `None` with too many tables, or without a key between any.
pub(super) fn diagram(page_set: &PageSet<'_>, domain: &str) -> Option<String> {
    let tables: Vec<_> = page_set.of_domain(domain).collect();
    if tables.len() > TABLES {
        return None;
    }
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for subject in &tables {
        let plain: String =
            subject.table.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        // Two names may become equal once the characters that Mermaid does not allow are removed.
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let first = format!("{}{plain}", if plain.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "t" });
        let name = std::iter::once(first).chain(numbered).find(|name| !taken.contains(name))?;
        taken.insert(name.clone());
        names.insert(&subject.doc.fully_qualified_name, name);
    }
    // The labels of tables whose names are in several schemas.
    let mut labels: BTreeSet<String> = BTreeSet::new();
    let mut lines: BTreeSet<String> = BTreeSet::new();
    for subject in &tables {
        let doc = subject.doc;
        let Some(from) = names.get(doc.fully_qualified_name.as_str()) else { continue };
        for key in doc.joinable_keys() {
            let Some(to) = names.get(key.referenced_table.as_str()) else { continue };
            let many = if key.cardinality == "one_to_one" { "|o" } else { "}o" };
            let is_optional = doc.columns.iter().any(|column| column.nullable && key.columns.contains(&column.name));
            let one = if is_optional { "o|" } else { "||" };
            let columns: Vec<String> = key.columns.iter().map(|it| label(it)).collect();
            lines.insert(format!("  {from} {many}--{one} {to} : \"{}\"\n", columns.join(", ")));
            for (name, full) in [(from, &doc.fully_qualified_name), (to, &key.referenced_table)] {
                let table = page_set.subject(full).map(|it| &it.table.name);
                if tables.iter().filter(|it| Some(&it.table.name) == table).count() > 1 {
                    labels.insert(format!("  {name}[\"{}\"]\n", label(full)));
                }
            }
        }
    }
    if lines.is_empty() {
        None
    } else {
        Some(format!("erDiagram\n{}", labels.into_iter().chain(lines).collect::<String>()))
    }
}

/// A name that cannot end its label.
fn label(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '_' | ' ' | '-' | '.') { c } else { '_' }).collect()
}
