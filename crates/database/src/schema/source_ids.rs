//! The ids of sources for domains and tables. Names are joined with hyphens, so different names may give the same id;
//! all but one of these then get a short hash.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use refdesk_files::name::sha256_hex;

use super::plan::{Plan, WorkUnit};
use crate::names::words::slug;
use crate::snapshot::TableName;

/// The hash lengths to try until an id is free.
const HASH_LENGTHS: [usize; 3] = [6, 16, 64];

/// The ids of the domains and tables of a plan.
#[derive(Debug, Clone, Default)]
pub struct SourceIds {
    /// Ids of domains that differ from the usual ones, by database and domain.
    domains: HashMap<(String, String), String>,
    /// Ids of tables that differ from the usual ones, by database and table.
    tables: HashMap<(String, TableName), String>,
}

impl SourceIds {
    /// The ids for a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut ids = Self::default();
        let mut taken = BTreeSet::new();
        for unit in &plan.work_units {
            let id = format!("db-{}", unit.id);
            if id != domain_id(&unit.database, &unit.domain) {
                ids.domains.insert((unit.database.clone(), unit.domain.clone()), id.clone());
            }
            taken.insert(id);
        }
        let is_mixed = |table: &TableName| table.full() != table.full().to_lowercase();
        let units = plan.work_units.iter().map(|unit| (unit.database.as_str(), &unit.tables));
        let tables = units.flat_map(|(database, tables)| tables.iter().map(move |table| (database, table.name())));
        let mut tables: Vec<(bool, &str, TableName)> =
            tables.map(|(database, table)| (is_mixed(&table), database, table)).collect();
        // Lower-case names keep the usual id, as they keep the usual file name.
        tables.sort_unstable_by(|a, b| (a.0, b.1.len(), &a.1, &a.2).cmp(&(b.0, a.1.len(), &b.1, &b.2)));
        for (_, database, table) in tables {
            let usual = table_id(database, &table);
            let id = free(&usual, &table.full(), &taken);
            taken.insert(id.clone());
            if id != usual {
                ids.tables.insert((database.to_owned(), table), id);
            }
        }
        ids
    }

    /// The id of a domain's source.
    pub fn domain(&self, database: &str, domain: &str) -> String {
        let known = self.domains.get(&(database.to_owned(), domain.to_owned()));
        known.cloned().unwrap_or_else(|| domain_id(database, domain))
    }

    /// The id of a table's source.
    pub fn table(&self, database: &str, table: &TableName) -> String {
        let known = self.tables.get(&(database.to_owned(), table.clone()));
        known.cloned().unwrap_or_else(|| table_id(database, table))
    }
}

/// The ids of work units, in order: `DATABASE-DOMAIN`, with a hash if another unit has that id. The unit that has it in
/// the stored plan keeps it, otherwise the one of the database with the longest name.
pub(super) fn unit_ids(units: &[WorkUnit], stored: Option<&Plan>) -> Vec<String> {
    let usual = |unit: &WorkUnit| format!("{}-{}", unit.database, unit.domain);
    let stored: BTreeSet<(&str, &str)> = stored
        .iter()
        .flat_map(|plan| &plan.work_units)
        .filter(|unit| unit.id == usual(unit))
        .map(|unit| (unit.database.as_str(), unit.domain.as_str()))
        .collect();
    let rank = |unit: &WorkUnit| {
        let is_new = !stored.contains(&(unit.database.as_str(), unit.domain.as_str()));
        (is_new, std::cmp::Reverse(unit.database.len()))
    };
    let mut order: Vec<(usize, &WorkUnit)> = units.iter().enumerate().collect();
    order.sort_by_key(|(_, unit)| (rank(unit), &unit.database, &unit.domain));
    let mut taken = BTreeSet::new();
    let mut ids: BTreeMap<usize, String> = BTreeMap::new();
    for (at, unit) in order {
        let id = free(&usual(unit), &format!("{}\n{}", unit.database, unit.domain), &taken);
        taken.insert(id.clone());
        ids.insert(at, id);
    }
    ids.into_values().collect()
}

/// The id, with a hash of the name if it is taken.
fn free(usual: &str, name: &str, taken: &BTreeSet<String>) -> String {
    let hash = sha256_hex(name.as_bytes());
    let hashed = HASH_LENGTHS.iter().filter_map(|length| Some(format!("{usual}-{}", hash.get(..*length)?)));
    let mut ids = std::iter::once(usual.to_owned()).chain(hashed);
    ids.find(|id| !taken.contains(id)).unwrap_or_else(|| format!("{usual}-{hash}"))
}

fn domain_id(database: &str, domain: &str) -> String {
    format!("db-{database}-{domain}")
}

fn table_id(database: &str, table: &TableName) -> String {
    let plain = slug(&table.full());
    let is_same = plain == table.full().to_lowercase().replace(['.', '_'], "-");
    if is_same && !plain.is_empty() {
        return format!("db-{database}-{plain}");
    }
    // Names that differ only in characters that an id cannot contain must not share one.
    let hash = sha256_hex(table.full().as_bytes());
    let hash = hash.get(..6).unwrap_or_default();
    if plain.is_empty() { format!("db-{database}-{hash}") } else { format!("db-{database}-{plain}-{hash}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_distinct() {
        let id = |name: &str| table_id("shop", &TableName { schema: "main".into(), name: name.into() });
        assert_eq!(
            (id("order_line").as_str(), id("Order").as_str()),
            ("db-shop-main-order-line", "db-shop-main-order")
        );
        assert_ne!(id("a|b"), id("a/b"));
        assert!(id("日本").starts_with("db-shop-main-"));
    }
}
