//! The pages of a database and of a domain.

use std::collections::BTreeMap;

use super::diagram::diagram;
use super::table::{names, section};
use super::{GENERATOR, PAGE_BYTES, Page, PageKind, PageSet, front_matter};
use crate::names::short_names::ShortNames;
use crate::schema::markup::{code, prose, target};
use crate::schema::table_doc::{JoinSource, first_sentence};
use refdesk_text::shorten::shortened_at_word;
use refdesk_text::tokens::{counted, grouped};

/// Characters of a table's description in a list.
const LISTED: usize = 200;

/// Most joins from other domains in a page that would be too large.
const INCOMING: usize = 500;

/// The overview of a database.
pub(crate) fn overview(page_set: &PageSet<'_>) -> Page {
    let name = &page_set.config.name;
    let mut text = front_matter(&[
        ("id", &format!("db-{name}")),
        ("database", name),
        ("kind", "database"),
        ("generated", GENERATOR),
    ]);
    let mut tables: BTreeMap<&str, usize> = BTreeMap::new();
    page_set.subjects.iter().for_each(|it| *tables.entry(it.domain).or_default() += 1);
    let kind = page_set.config.connection.with_article();
    text.push_str(&format!(
        "# Database {name}\n\n{kind} database: {} in {}.\n",
        counted(page_set.subjects.len(), "table"),
        counted(tables.len(), "domain")
    ));
    if !tables.is_empty() {
        text.push_str("\n## Domains\n\n| domain | tables | most referenced tables |\n| --- | --- | --- |\n");
    }
    let short = ShortNames::of(page_set.subjects.iter().map(|it| it.table.name.as_str()));
    for (domain, number) in &tables {
        let tables = page_set.of_domain(domain).map(|it| {
            let name = short.name(&it.table.schema, &it.table.name);
            (it.doc.referenced_by.len(), name)
        });
        let mut known: Vec<(usize, String)> = tables.filter(|(references, _)| *references > 0).collect();
        known.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let known: Vec<String> = known.iter().take(3).map(|(_, name)| code(name)).collect();
        text.push_str(&format!("| [{domain}]({}/README.md) | {number} | {} |\n", target(domain), known.join(", ")));
    }
    let between = between_domains(page_set);
    if !between.is_empty() {
        let are_keys = between.values().flat_map(BTreeMap::keys).all(|source| *source == JoinSource::Key);
        let what = if are_keys { "keys" } else { "joins" };
        text.push_str(&format!("\n## Joins between domains\n\n| from | to | {what} |\n| --- | --- | --- |\n"));
        for ((from, to), joins) in &between {
            let counts = joins.iter().map(|(source, count)| match source {
                JoinSource::Key if are_keys => count.to_string(),
                JoinSource::Key => counted(*count, "key"),
                source => format!("{count} {}", source.word()),
            });
            text.push_str(&format!("| {from} | {to} | {} |\n", counts.collect::<Vec<_>>().join(", ")));
        }
    }
    Page {
        path: format!("{}/{name}/README.md", page_set.docs_path),
        text,
        kind: PageKind::Overview,
        database: name.clone(),
        table: None,
        domain: None,
        is_shortened: false,
    }
}

/// The numbers of joins from one domain to another, by what they are based on.
type JoinCounts<'b> = BTreeMap<(&'b str, &'b str), BTreeMap<JoinSource, usize>>;

fn between_domains<'b>(page_set: &'b PageSet<'_>) -> JoinCounts<'b> {
    let mut found: JoinCounts<'_> = BTreeMap::new();
    for subject in &page_set.subjects {
        for join in subject.doc.joins() {
            if let Some(to) = page_set.subject(join.referenced_table).filter(|to| to.domain != subject.domain) {
                let counts = found.entry((subject.domain, to.domain)).or_default();
                *counts.entry(join.source).or_default() += 1;
            }
        }
    }
    found
}

pub(crate) fn domain(page_set: &PageSet<'_>, domain: &str) -> Page {
    let mut text = domain_text(page_set, domain, LISTED, usize::MAX);
    let is_shortened = text.len() > PAGE_BYTES;
    // Other domains may have any number of joins with these tables, which should not cost the tables their descriptions.
    for listed in [LISTED, 0] {
        if text.len() > PAGE_BYTES {
            text = domain_text(page_set, domain, listed, INCOMING);
        }
    }
    Page {
        path: format!("{}/README.md", page_set.folder(domain)),
        text,
        kind: PageKind::Domain,
        database: page_set.config.name.clone(),
        table: None,
        domain: Some(domain.to_owned()),
        is_shortened,
    }
}

/// The page with at most `listed` characters of each description and `most` joins from other domains.
fn domain_text(page_set: &PageSet<'_>, domain: &str, listed: usize, most: usize) -> String {
    let name = &page_set.config.name;
    let mut text = front_matter(&[
        ("id", &page_set.ids.domain(name, domain)),
        ("database", name),
        ("domain", domain),
        ("kind", "domain"),
        ("generated", GENERATOR),
    ]);
    let number = page_set.of_domain(domain).count();
    text.push_str(&format!("# {name}: {domain}\n\n{} of the database {name}.\n", counted(number, "table")));
    text.push_str("\n## Tables\n\n| table | what it is |\n| --- | --- |\n");
    for subject in page_set.of_domain(domain) {
        let what = match listed {
            0 => String::new(),
            listed => prose(&shortened_at_word(first_sentence(&subject.doc.description), listed)),
        };
        let link = format!("[{}](tables/{}.md)", code(&subject.doc.fully_qualified_name), target(subject.file));
        text.push_str(&format!("| {link} | {what} |\n"));
    }
    if let Some(diagram) = diagram(page_set, domain) {
        text.push_str(&format!("\n## Diagram\n\n```mermaid\n{diagram}```\n"));
    }
    let outgoing = page_set.of_domain(domain).flat_map(|subject| {
        subject.doc.joins().filter_map(move |join| {
            let to = page_set.subject(join.referenced_table).filter(|to| to.domain != domain)?;
            let (columns, from) = (names(join.columns), code(&subject.doc.fully_qualified_name));
            let (other, place) = (code(join.referenced_table), outside_place(to.domain, join.source));
            Some((join.source, format!("- {from} {columns} → {other} {place}")))
        })
    });
    let incoming = page_set.of_domain(domain).flat_map(|subject| {
        subject.doc.referenced_by.iter().filter_map(move |reference| {
            let from = page_set.subject(&reference.table).filter(|from| from.domain != domain)?;
            let columns = names(&reference.columns);
            let here = code(&subject.doc.fully_qualified_name);
            let place = outside_place(from.domain, reference.source);
            Some((reference.source, format!("- {} {columns} → {here} {place}", code(&reference.table))))
        })
    });
    text + &joins("Joins to other domains", outgoing.collect(), usize::MAX)
        + &joins("Joins from other domains", incoming.collect(), most)
}

/// The domain of the other table of a join, and what the join is based on if it has no key.
fn outside_place(domain: &str, source: JoinSource) -> String {
    let word = if source == JoinSource::Key { "" } else { ", " };
    format!("(domain {domain}{word}{})", source.word())
}

/// The joins of a domain with others, the most certain first, and the number of those beyond `most`.
fn joins(title: &str, mut joins: Vec<(JoinSource, String)>, most: usize) -> String {
    joins.sort_by_key(|(source, _)| *source);
    let more = joins.len().saturating_sub(most);
    let mut lines: Vec<String> = joins.into_iter().take(most).map(|(_, line)| line).collect();
    lines.extend((more > 0).then(|| format!("- and {} more", grouped(more))));
    section(title, &lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_beyond_the_limit_are_counted_after_the_most_certain() {
        let all = [(JoinSource::Inferred, "- i"), (JoinSource::Key, "- k"), (JoinSource::Note, "- n")];
        let all = Vec::from(all.map(|(source, line)| (source, line.to_owned())));
        let text = joins("Joins", all.clone(), 1);
        assert_eq!(text, "\n## Joins\n\n- k\n- and 2 more\n");
        assert!(!joins("Joins", all, 3).contains("more"));
    }
}
