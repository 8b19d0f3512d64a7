//! What picking the source of a domain brings if pages link to the tables of other domains, also before any page is
//! written.

use std::collections::{BTreeMap, BTreeSet};

use refdesk_database::config::{Granularity, Sampling};
use refdesk_database::schema::page::{PAGE_BYTES, Page, PagesInput, metadata_hash, pages};
use refdesk_database::schema::source_ids::SourceIds;
use refdesk_text::tokens;

use super::documentation::{Described, Values};
use super::plans::Planned;
use super::schema_reading::ReadDatabase;
use crate::Desk;

/// What a pick of a domain brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PickPrice {
    /// The number of domains, including its own.
    pub domains: usize,
    /// The estimated tokens of their pages.
    pub tokens: u64,
    /// Whether it may be more: what pages say about values is unknown before they are written.
    pub is_least: bool,
}

impl Desk {
    /// What a pick of each domain of a database brings; empty if its pages link only within a domain, or if each table
    /// is a source.
    pub fn pick_prices(&self, database: &ReadDatabase, planned: &Planned) -> BTreeMap<String, PickPrice> {
        let config = &database.config;
        if !config.cross_links || config.granularity == Granularity::Table {
            return BTreeMap::new();
        }
        let Some(described) = self.describe(database, planned, Values::Unread) else { return BTreeMap::new() };
        let Described { tables, domains, .. } = &described;
        let ids = SourceIds::of(&planned.plan);
        let docs_path = &self.databases().0.docs_path;
        let mut sizes: BTreeMap<String, (u64, bool)> = BTreeMap::new();
        for page in pages(&PagesInput { config, docs_path, tables, domains, ids: &ids }) {
            if let Some(domain) = page.domain.as_ref().filter(|_| page.path.ends_with(".md")) {
                let written = self.up_to_date(&page);
                let (size, is_least) = sizes.entry(domain.clone()).or_default();
                *is_least |= page.table.is_some() && written.is_none() && config.sampling != Sampling::None;
                *size += tokens::of_prose(written.unwrap_or(page.text).len() as u64);
            }
        }
        let links = links(&described);
        let price = |domain: &String| {
            let brought = reached(&links, domain);
            let sizes = || brought.iter().filter_map(|domain| sizes.get(*domain));
            let (tokens, is_least) = (sizes().map(|(size, _)| size).sum(), sizes().any(|(_, is_least)| *is_least));
            (domain.clone(), PickPrice { domains: brought.len(), tokens, is_least })
        };
        sizes.keys().map(price).collect()
    }

    /// The page of a table as it is written, if the table has not changed since.
    fn up_to_date(&self, page: &Page) -> Option<String> {
        let hash = metadata_hash(page.text.as_bytes())?;
        let written = self.text_below(&page.path, PAGE_BYTES as u64).ok()??;
        (metadata_hash(written.as_bytes())? == hash).then_some(written)
    }
}

/// The domains to whose tables the pages of each domain link.
fn links<'d>(described: &'d Described<'_>) -> BTreeMap<&'d str, BTreeSet<&'d str>> {
    let by_name: BTreeMap<String, &str> =
        described.domains.iter().map(|(table, domain)| (table.full(), domain.as_str())).collect();
    let mut links: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (table, doc) in &described.tables {
        let Some(domain) = described.domains.get(&table.table_name()) else { continue };
        let keys = doc.foreign_keys.iter().map(|key| &key.referenced_table);
        let inferred = doc.inferred_joins.iter().map(|join| &join.referenced_table);
        let others = keys.chain(inferred).chain(doc.referenced_by.iter().map(|reference| &reference.table));
        links.entry(domain).or_default().extend(others.filter_map(|other| by_name.get(other)));
    }
    links
}

/// A domain and all that its pages lead to.
fn reached<'d>(links: &BTreeMap<&'d str, BTreeSet<&'d str>>, domain: &'d str) -> BTreeSet<&'d str> {
    let (mut found, mut open) = (BTreeSet::from([domain]), vec![domain]);
    while let Some(domain) = open.pop() {
        open.extend(links.get(domain).into_iter().flatten().copied().filter(|other| found.insert(*other)));
    }
    found
}
