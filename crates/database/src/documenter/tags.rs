//! Tags of a database's sources: what people call a domain and its tables. The domain's name comes first, then the
//! words of its tables' names, then the whole table names. A word that could occur in any prompt about a program is not
//! a tag on its own.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use refdesk_text::common_words::is_common;
use refdesk_text::words::is_unspaced;

use crate::names::words::{singular, slug, split};
use crate::schema::domains::{EMPTY_WORDS, is_wordless};
use crate::snapshot::TableKind;

/// Most tags of a source.
const TAGS: usize = 12;

/// The maximum number of words of a table name that people would write in full.
const WHOLE_WORDS: usize = 3;

/// The maximum number of characters of a tag.
const CHARACTERS: usize = 40;

/// The names of a database from which tags are made.
pub(super) struct TagNames<'d> {
    /// The tables of each domain. A view is named after what it computes, so views count only if a domain has no
    /// tables.
    domains: BTreeMap<&'d str, Vec<&'d str>>,
    /// What people call each domain: its name, or the name of its table, such as `Orders`, if the domain's name is as
    /// common a word as `order`.
    own: BTreeMap<&'d str, String>,
    /// The number of domains that would have each tag.
    spread: HashMap<String, usize>,
}

impl<'d> TagNames<'d> {
    /// The names of these tables; each comes with its domain and its kind.
    pub(super) fn of(tables: impl Iterator<Item = (&'d str, &'d str, TableKind)>) -> Self {
        let (mut domains, mut views) = (BTreeMap::new(), BTreeMap::new());
        for (domain, table, kind) in tables {
            let of_kind: &mut BTreeMap<&str, Vec<&str>> = if kind.is_view() { &mut views } else { &mut domains };
            of_kind.entry(domain).or_default().push(table);
        }
        for (domain, views) in views {
            domains.entry(domain).or_insert(views);
        }
        let own = domains.iter().filter_map(|(domain, tables)| Some((*domain, own_name(domain, tables)?))).collect();
        let names = Self { domains, own, spread: HashMap::new() };
        let mut spread: HashMap<String, usize> = HashMap::new();
        for (domain, tables) in &names.domains {
            let distinct: BTreeSet<String> = names.candidates(domain, tables).into_iter().collect();
            distinct.into_iter().for_each(|tag| *spread.entry(tag).or_default() += 1);
        }
        Self { spread, ..names }
    }

    /// The tags of a domain.
    pub(super) fn of_domain(&self, domain: &str) -> Vec<String> {
        let tables = self.domains.get(domain).map_or(&[][..], Vec::as_slice);
        let names = self.own.get(domain).cloned().into_iter().chain(self.distinctive(self.candidates(domain, tables)));
        at_least_one(names, tables, domain)
    }

    /// The tags of a table of a domain.
    pub(super) fn of_table(&self, domain: &str, table: &str) -> Vec<String> {
        let names = self.distinctive(self.candidates(domain, &[table])).chain(self.own.get(domain).cloned());
        at_least_one(names, &[table], domain)
    }

    /// The tags that occur in at most a third of the domains.
    fn distinctive(&self, tags: Vec<String>) -> impl Iterator<Item = String> {
        let most = (self.domains.len() / 3).max(1);
        tags.into_iter().filter(move |tag| self.spread.get(tag).is_none_or(|count| *count <= most))
    }

    /// The words of a domain and its tables, most frequent first, then the table names. Another domain's name is
    /// reserved for that domain.
    fn candidates(&self, domain: &str, tables: &[&str]) -> Vec<String> {
        let is_free = |tag: &String| tag == domain || !self.domains.contains_key(tag.as_str());
        let says_something = |tag: &String| !is_common(tag) && (tag == domain || !EMPTY_WORDS.contains(&tag.as_str()));
        let is_tag = |tag: &String| is_word(tag) && says_something(tag) && is_free(tag);
        let of_domain = if is_wordless(domain) { Vec::new() } else { split(domain) };
        let words = of_domain.into_iter().chain(tables.iter().flat_map(|table| split(table)));
        let mut counts: Vec<(String, usize)> = Vec::new();
        for word in words.map(|word| singular(&word)).filter(is_tag) {
            match counts.iter_mut().find(|(known, _)| *known == word) {
                Some((_, count)) => *count += 1,
                None => counts.push((word, 1)),
            }
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let is_short = |name: &&&str| split(name).len() <= WHOLE_WORDS;
        let names = tables.iter().filter(is_short).map(|table| whole(table)).filter(is_tag);
        counts.into_iter().map(|(word, _)| word).chain(names).collect()
    }
}

fn own_name(domain: &str, tables: &[&str]) -> Option<String> {
    if is_wordless(domain) {
        return None;
    }
    if !is_common(domain) {
        return Some(domain.to_owned());
    }
    tables.iter().map(|table| whole(table)).find(|name| slug(&singular(name)) == domain)
}

/// The distinct tags, up to the limit; if there are none, the unchanged name of the first table or else of the domain.
fn at_least_one(tags: impl Iterator<Item = String>, tables: &[&str], domain: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for tag in tags {
        if found.len() < TAGS && !found.contains(&tag) {
            found.push(tag);
        }
    }
    if found.is_empty() {
        let of_table =
            tables.iter().map(|table| whole(table)).find(|name| (2..=CHARACTERS).contains(&name.chars().count()));
        found.push(of_table.unwrap_or_else(|| domain.to_owned()));
    }
    found
}

/// A name in lower case with spaces instead of punctuation: `InvoiceLine` and `invoice_line` as people would type them.
fn whole(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { ' ' }).collect();
    plain.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether it is more than an abbreviation or a number, and short enough to be written in a prompt. A Chinese, Japanese or
/// Korean word can be one character.
fn is_word(text: &str) -> bool {
    let characters = text.chars().count();
    let is_long_enough = text.chars().any(is_unspaced) || (characters > 2 && text.chars().any(char::is_alphabetic));
    is_long_enough && characters <= CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags of each domain of these tables, as `domain: tag, tag; domain: …`. A table in parentheses is a view.
    fn tags(text: &'static str) -> String {
        let tables = text.split("; ").flat_map(|of| {
            let (domain, tables) = of.split_once(": ").unwrap();
            tables.split(", ").map(move |table| match table.strip_prefix('(') {
                Some(view) => (domain, view.trim_end_matches(')'), TableKind::View),
                None => (domain, table, TableKind::Table),
            })
        });
        let names = TagNames::of(tables);
        let shown = names.domains.keys().map(|domain| format!("{domain}: {}", names.of_domain(domain).join(", ")));
        shown.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_domain_is_tagged_with_its_name_and_those_of_its_tables() {
        for (tables, expected) in [
            // A table of another domain has the word, and `type` occurs in any prompt.
            (
                "track: Track, Genre, MediaType; playlist: Playlist, PlaylistTrack",
                "playlist: playlist, playlisttrack; track: track, genre, media, mediatype",
            ),
            ("order: Orders, Order Details, shipper", "order: orders, shipper, order details"),
            ("order: order_line, order_note", "order: order line, order note"),
            ("customer: customers", "customer: customer, customers"),
            ("crm: crm_campaign_crm_customer_rel", "crm: crm, campaign, customer"),
            // A view is named after what it computes.
            ("price: prices, (Products Above Average Price)", "price: price, prices"),
            ("price: (average_price)", "price: price, average, average price"),
            // More than a third of the domains have the word.
            ("a1: shop_bin; b1: shop_zone", "a1: a1, bin, shop bin; b1: b1, zone, shop zone"),
            ("system: ledger_a_b_c_d; person: person", "person: person; system: ledger"),
            // Every domain has at least one tag.
            ("system: type", "system: type"),
            ("system: 日本", "system: 日本"),
            ("group-4876fc: 顧客, 注文_明細", "group-4876fc: 顧客, 注文, 明細, 注文 明細"),
            ("system: -->", "system: system"),
            // A word that is too long for a prompt.
            (
                "sales: orders, donaudampfschifffahrtsgesellschaftskapitaensmuetze; zone: bin",
                "sales: sales, orders; zone: zone, bin",
            ),
            ("system: donaudampfschifffahrtsgesellschaftskapitaensmuetze", "system: system"),
            ("sales: a|b\u{202e}`c, order_of_the_last_ten_years", "sales: sales, a b c"),
        ] {
            assert_eq!(tags(tables), expected, "{tables}");
        }
    }

    #[test]
    fn a_table_is_tagged_with_its_name_and_its_domain() {
        let names =
            TagNames::of([("track", "Track", TableKind::Table), ("track", "MediaType", TableKind::Table)].into_iter());
        assert_eq!(names.of_table("track", "MediaType"), ["media", "mediatype", "track"]);
        assert_eq!(names.of_table("track", "Track"), ["track"]);
    }
}
