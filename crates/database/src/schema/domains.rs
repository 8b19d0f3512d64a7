//! Which tables belong together, without a model: groups in the graph of foreign keys, named after the commonest word
//! of their tables; tables without keys by a prefix that at least three share; the rest is `system`. Keys that many
//! tables have, such as those to the user who created a row, count only for tables without a group: these join the domain
//! that is the first word of their names, or are grouped by such keys. The same schema
//! gives the same domains, and a domain of the last plan stays together. A group keeps the name that it has in the plan as long as one of its tables has that word, so
//! a new table renames nothing; without a plan its name depends only on its tables. Groups with the same name are one
//! domain.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::names::globs::NamePattern;
use crate::names::words::{singular, slug, split};
use crate::schema::shared_joins::shared;
use crate::snapshot::{ForeignKey, Snapshot, Table, TableName};

/// The domain of tables that belong to no other.
pub(super) const SYSTEM: &str = "system";

/// The number of tables without keys that must share a prefix.
const SHARING: usize = 3;

/// The maximum number of rounds; the groups are then used as they are.
const ROUNDS: usize = 24;

/// The prefix of a group's name if none of its tables has a word that can be part of a path.
const WORDLESS: &str = "group-";

/// Words that do not name a business area.
pub(crate) const EMPTY_WORDS: &[&str] = &[
    "tbl", "table", "id", "link", "map", "mapping", "rel", "relation", "xref", "view", "vw", "tab", "t", "has", "to",
    "of", "and", "by", "the", "for", "data", "info",
];

/// The domain of each table. `named` contains the configured domains, of which the first match wins; `before` the
/// domains of the last plan.
pub fn domains(
    snapshot: &Snapshot,
    named: &[(String, Vec<NamePattern>)],
    before: &BTreeMap<TableName, String>,
) -> BTreeMap<TableName, String> {
    let names: Vec<TableName> = snapshot.tables.iter().map(Table::table_name).collect();
    let mut shared = SharedKeys::of(snapshot, &names);
    let mut found = by_keys(snapshot, named, before, &shared);
    let all = shared.0.len();
    shared.release(snapshot, &dissolved(&found, named, before), before);
    if shared.0.len() < all {
        found = by_keys(snapshot, named, before, &shared);
    }
    found
}

fn by_keys(
    snapshot: &Snapshot,
    named: &[(String, Vec<NamePattern>)],
    before: &BTreeMap<TableName, String>,
    shared: &SharedKeys<'_>,
) -> BTreeMap<TableName, String> {
    let mut found: BTreeMap<TableName, String> = BTreeMap::new();
    let mut left: Vec<&Table> = Vec::new();
    for table in &snapshot.tables {
        let matches = |(_, patterns): &&(String, Vec<NamePattern>)| {
            patterns.iter().any(|pattern| pattern.matches_table(&table.schema, &table.name))
        };
        match named.iter().find(matches) {
            Some((domain, _)) => {
                found.insert(table.table_name(), domain.clone());
            }
            None => left.push(table),
        }
    }
    add_groups(&mut found, &mut left, shared, before);
    // Within the graph these tables have no neighbours, so their keys are with tables of configured domains.
    let near = if named.is_empty() { HashMap::new() } else { shared.others(snapshot) };
    add_followers(&mut found, &mut left, &near);
    if !shared.0.is_empty() {
        add_named(&mut found, &mut left);
        add_groups(&mut found, &mut left, &SharedKeys::default(), before);
        add_followers(&mut found, &mut left, &HashMap::new());
    }
    add_prefixes(&mut found, &left, before);
    found
}

/// Groups the tables that are left by their keys, without the shared ones.
fn add_groups(
    found: &mut BTreeMap<TableName, String>,
    left: &mut Vec<&Table>,
    shared: &SharedKeys<'_>,
    before: &BTreeMap<TableName, String>,
) {
    for group in groups(&neighbours(left, shared)) {
        let tables: Vec<&Table> = group.iter().filter_map(|at| left.get(*at).copied()).collect();
        let name = kept_name(&tables, before).unwrap_or_else(|| group_name(&tables, shared));
        found.extend(tables.iter().map(|table| (table.table_name(), name.clone())));
    }
    left.retain(|table| !found.contains_key(&table.table_name()));
}

/// A table that has only shared keys belongs to the domain that is the first word of its name.
fn add_named(found: &mut BTreeMap<TableName, String>, left: &mut Vec<&Table>) {
    let domains: BTreeSet<String> = found.values().cloned().collect();
    left.retain(|table| {
        let words = split(&table.name);
        let first = words.first().filter(|_| !table.foreign_keys.is_empty());
        let names = first.map(|word| [slug(word), slug(&singular(word))]);
        let domain = names.and_then(|names| names.into_iter().find(|name| domains.contains(name)));
        let is_left = domain.is_none();
        found.extend(domain.map(|domain| (table.table_name(), domain)));
        is_left
    });
}

/// The domains of the last plan of which no more than half of the tables are still together. Tables of configured domains
/// do not count.
fn dissolved<'b>(
    found: &BTreeMap<TableName, String>,
    named: &[(String, Vec<NamePattern>)],
    before: &'b BTreeMap<TableName, String>,
) -> BTreeSet<&'b String> {
    let mut now: BTreeMap<&String, BTreeMap<&String, usize>> = BTreeMap::new();
    for (table, domain) in before.iter().filter(|(_, domain)| *domain != SYSTEM) {
        let of_table = found.get(table).filter(|name| named.iter().all(|(configured, _)| configured != *name));
        if let Some(name) = of_table {
            *now.entry(domain).or_default().entry(name).or_default() += 1;
        }
    }
    let is_dissolved = |parts: &BTreeMap<&String, usize>| {
        let largest = parts.iter().filter(|(name, _)| *name != &SYSTEM).map(|(_, count)| *count).max();
        largest.unwrap_or_default() * 2 <= parts.values().sum()
    };
    now.into_iter().filter(|(_, parts)| is_dissolved(parts)).map(|(domain, _)| domain).collect()
}

/// The keys that many tables have.
#[derive(Default)]
struct SharedKeys<'s>(HashSet<(&'s TableName, &'s [String])>);

impl<'s> SharedKeys<'s> {
    /// `names` are those of the tables.
    fn of(snapshot: &'s Snapshot, names: &'s [TableName]) -> Self {
        let tables = snapshot.tables.iter().zip(names);
        let keys = tables.flat_map(|(table, name)| {
            table.foreign_keys.iter().map(move |key| (name, &key.target, key.columns.as_slice()))
        });
        Self(shared(&keys.collect::<Vec<_>>(), names.len()))
    }

    /// Releases the keys that hold these domains of the last plan together: those of which most are within one.
    fn release(&mut self, snapshot: &Snapshot, domains: &BTreeSet<&String>, before: &BTreeMap<TableName, String>) {
        self.0.retain(|(target, columns)| {
            let Some(domain) = before.get(*target).filter(|domain| domains.contains(domain)) else { return true };
            let is_it = |key: &ForeignKey| key.target == **target && key.columns == *columns;
            let having = snapshot.tables.iter().filter(|table| table.foreign_keys.iter().any(is_it));
            let within: Vec<bool> = having.map(|table| before.get(&table.table_name()) == Some(domain)).collect();
            within.iter().filter(|is_within| **is_within).count() * 2 <= within.len()
        });
    }

    /// The keys of a table that are its own: those with other tables that few others have.
    fn own_keys<'t>(&self, table: &'t Table) -> impl Iterator<Item = &'t ForeignKey> {
        let is_own = |key: &&ForeignKey| {
            let is_itself = key.target.name == table.name && key.target.schema == table.schema;
            !is_itself && !self.0.contains(&(&key.target, key.columns.as_slice()))
        };
        table.foreign_keys.iter().filter(is_own)
    }

    /// For each table, the others that it has keys with.
    fn others(&self, snapshot: &Snapshot) -> HashMap<TableName, Vec<TableName>> {
        let mut near: HashMap<TableName, Vec<TableName>> = HashMap::new();
        for table in &snapshot.tables {
            for key in self.own_keys(table) {
                near.entry(table.table_name()).or_default().push(key.target.clone());
                near.entry(key.target.clone()).or_default().push(table.table_name());
            }
        }
        near
    }
}

/// A view belongs to the domain of the majority of the tables that it reads, and a table to that of the tables `near` it.
fn add_followers(
    found: &mut BTreeMap<TableName, String>,
    left: &mut Vec<&Table>,
    near: &HashMap<TableName, Vec<TableName>>,
) {
    // A view may read another one, whose domain is found a round earlier.
    loop {
        let mut placed = Vec::new();
        for table in left.iter() {
            let name = table.table_name();
            let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
            for other in table.reads_from.iter().chain(near.get(&name).into_iter().flatten()) {
                if let Some(domain) = found.get(other) {
                    *counts.entry(domain).or_default() += 1;
                }
            }
            let most = counts.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)));
            placed.extend(most.map(|(domain, _)| (name, (*domain).to_owned())));
        }
        if placed.is_empty() {
            return;
        }
        found.extend(placed);
        left.retain(|table| !found.contains_key(&table.table_name()));
    }
}

fn add_prefixes(found: &mut BTreeMap<TableName, String>, left: &[&Table], before: &BTreeMap<TableName, String>) {
    let prefix = |table: &Table| {
        let words = split(&table.name);
        (words.len() > 1).then(|| words.first().map(|word| slug(word)).filter(|word| word.len() > 1)).flatten()
    };
    let mut counts: HashMap<String, usize> = HashMap::new();
    for shared in left.iter().filter_map(|table| prefix(table)) {
        *counts.entry(shared).or_default() += 1;
    }
    for table in left {
        // Tables that shared a prefix stay together even if one of them gets a key and leaves.
        let is_kept = |shared: &String| before.get(&table.table_name()) == Some(shared);
        let are_many = |shared: &String| counts.get(shared).is_some_and(|count| *count >= SHARING);
        let shared = prefix(table).filter(|shared| are_many(shared) || is_kept(shared));
        found.insert(table.table_name(), shared.unwrap_or_else(|| SYSTEM.to_owned()));
    }
}

/// The previous domain of most of these tables, if its name is still a word of one of them.
fn kept_name(tables: &[&Table], before: &BTreeMap<TableName, String>) -> Option<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for name in tables.iter().filter_map(|table| before.get(&table.table_name())) {
        *counts.entry(name).or_default() += 1;
    }
    let has_word = |name: &String| {
        let mut words = tables.iter().flat_map(|table| split(&table.name));
        words.any(|word| slug(&word) == *name || slug(&singular(&word)) == *name)
    };
    let fits = counts.iter().filter(|(name, _)| is_wordless(name) || has_word(name));
    fits.max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name))).map(|(name, _)| (*name).clone())
}

/// Whether this name was generated for tables without a word.
pub(crate) fn is_wordless(name: &str) -> bool {
    let hash = name.strip_prefix(WORDLESS).unwrap_or_default();
    hash.len() == 6 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The word that most of the tables contain. Ties go to the word of the table with the most keys from and to the
/// others, then of the most referenced one, then of the first.
fn group_name(tables: &[&Table], shared: &SharedKeys<'_>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let words_of = |table: &Table| -> Vec<String> {
        let words = split(&table.name).into_iter().map(|word| slug(&singular(&word)));
        words.filter(|word| word.len() > 1 && !EMPTY_WORDS.contains(&word.as_str()) && !is_number(word)).collect()
    };
    for table in tables {
        let words: BTreeSet<String> = words_of(table).into_iter().collect();
        words.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let most = counts.values().max().copied().unwrap_or(0);
    let mut ranked: Vec<&Table> = tables.to_vec();
    let key_counts = keys_within(tables, shared);
    let rank = |table: &Table| key_counts.get(&table.table_name()).copied().unwrap_or_default();
    ranked.sort_by_key(|table| (std::cmp::Reverse(rank(table)), table.table_name()));
    let best = ranked.iter().flat_map(|table| words_of(table)).find(|word| counts.get(word) == Some(&most));
    best.unwrap_or_else(|| {
        // No word has a character that is allowed in a path.
        let names: Vec<String> = tables.iter().map(|table| table.full_name()).collect();
        let hash = refdesk_files::name::sha256_hex(names.join("\n").as_bytes());
        format!("{WORDLESS}{}", hash.get(..6).unwrap_or_default())
    })
}

/// For each table, the number of keys from and to others of its group, and the number of incoming keys.
fn keys_within(tables: &[&Table], shared: &SharedKeys<'_>) -> HashMap<TableName, (usize, usize)> {
    let mut counts: HashMap<TableName, (usize, usize)> =
        tables.iter().map(|table| (table.table_name(), (0, 0))).collect();
    for table in tables {
        for key in shared.own_keys(table) {
            let Some((all, incoming)) = counts.get_mut(&key.target) else { continue };
            (*all, *incoming) = (*all + 1, *incoming + 1);
            if let Some((all, _)) = counts.get_mut(&table.table_name()) {
                *all += 1;
            }
        }
    }
    counts
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// For each of these tables, its neighbours with the number of keys between the two.
fn neighbours(tables: &[&Table], shared: &SharedKeys<'_>) -> Vec<BTreeMap<usize, usize>> {
    let positions: HashMap<TableName, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.table_name(), at)).collect();
    let mut neighbours: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); tables.len()];
    for (at, table) in tables.iter().enumerate() {
        for to in shared.own_keys(table).filter_map(|key| positions.get(&key.target).copied()) {
            for (one, other) in [(at, to), (to, at)] {
                if let Some(near) = neighbours.get_mut(one) {
                    *near.entry(other).or_default() += 1;
                }
            }
        }
    }
    neighbours
}

/// Groups of at least two tables, by label propagation: in name order, each table takes the label that most of its
/// keys lead to, until nothing changes.
fn groups(neighbours: &[BTreeMap<usize, usize>]) -> Vec<Vec<usize>> {
    let mut labels: Vec<usize> = (0..neighbours.len()).collect();
    for _ in 0..ROUNDS {
        let mut is_settled = true;
        for (at, near) in neighbours.iter().enumerate() {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for (other, keys) in near {
                if let Some(label) = labels.get(*other) {
                    *counts.entry(*label).or_default() += keys;
                }
            }
            let Some(most) = counts.values().max().copied() else { continue };
            let Some(own) = labels.get_mut(at) else { continue };
            // On a tie, the table keeps its own label if that is among the best; otherwise it takes the first.
            if counts.get(own) != Some(&most)
                && let Some((label, _)) = counts.iter().find(|(_, count)| **count == most)
            {
                *own = *label;
                is_settled = false;
            }
        }
        if is_settled {
            break;
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, label) in labels.into_iter().enumerate() {
        if neighbours.get(at).is_some_and(|near| !near.is_empty()) {
            groups.entry(label).or_default().push(at);
        }
    }
    groups.into_values().collect()
}
#[cfg(test)]
mod tests;
