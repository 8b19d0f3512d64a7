//! A diagram of a small domain in Mermaid.

use std::collections::{BTreeMap, BTreeSet};

use super::PageSet;
use crate::schema::table_doc::JoinSource;

/// Most tables of a diagram.
const TABLES: usize = 30;

/// The tables of a domain and the joins between them, with a dotted line for those without a key; `None` with too many
/// tables, or without a join between any.
pub(super) fn diagram(page_set: &PageSet<'_>, domain: &str) -> Option<String> {
    let tables: Vec<_> = page_set.of_domain(domain).collect();
    if tables.len() > TABLES {
        return None;
    }
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let allowed = |name: &str| -> String {
        let first = if name.starts_with(|c: char| c.is_ascii_alphabetic()) { "" } else { "t" };
        first.chars().chain(name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })).collect()
    };
    // A table that Mermaid can name keeps its name, whichever others would get it.
    let mut in_turn: Vec<_> = tables.iter().collect();
    in_turn.sort_by_key(|subject| allowed(&subject.table.name) != subject.table.name);
    for subject in in_turn {
        let first = allowed(&subject.table.name);
        // Two names may become equal once the characters that Mermaid does not allow are removed.
        let numbered = (2..).map(|number| format!("{first}_{number}"));
        let name = std::iter::once(first.clone()).chain(numbered).find(|name| !taken.contains(name))?;
        taken.insert(name.clone());
        names.insert(&subject.doc.fully_qualified_name, name);
    }
    // The labels of tables whose names are in several schemas, or that have another name here.
    let mut labels: BTreeSet<String> = BTreeSet::new();
    let mut lines: BTreeSet<(JoinSource, String)> = BTreeSet::new();
    for subject in &tables {
        let doc = subject.doc;
        let Some(from) = names.get(doc.fully_qualified_name.as_str()) else { continue };
        for join in doc.joins() {
            let Some(to) = names.get(join.referenced_table) else { continue };
            let here = if join.cardinality.starts_with("one_") { "|o" } else { "}o" };
            let is_optional = doc.columns.iter().any(|column| column.nullable && join.columns.contains(&column.name));
            let there = match (join.cardinality.ends_with("_many"), is_optional) {
                (true, _) => "o{",
                (false, true) => "o|",
                (false, false) => "||",
            };
            let (line, word) = match join.source {
                JoinSource::Key => ("--", String::new()),
                source => ("..", format!(" ({})", source.word())),
            };
            let columns: Vec<String> = join.columns.iter().map(|it| label(it)).collect();
            let columns = columns.join(", ");
            lines.insert((join.source, format!("  {from} {here}{line}{there} {to} : \"{columns}{word}\"\n")));
            for (name, full) in [(from, doc.fully_qualified_name.as_str()), (to, join.referenced_table)] {
                let Some(table) = page_set.subject(full).map(|it| &it.table.name) else { continue };
                if tables.iter().filter(|it| it.table.name == *table).count() > 1 {
                    labels.insert(format!("  {name}[\"{}\"]\n", label(full)));
                } else if name != table {
                    labels.insert(format!("  {name}[\"{}\"]\n", label(table)));
                }
            }
        }
    }
    if lines.is_empty() {
        None
    } else {
        Some(format!(
            "erDiagram\n{}",
            labels.into_iter().chain(lines.into_iter().map(|(_, line)| line)).collect::<String>()
        ))
    }
}

/// A name that cannot end its label.
fn label(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '_' | ' ' | '-' | '.') { c } else { '_' }).collect()
}
