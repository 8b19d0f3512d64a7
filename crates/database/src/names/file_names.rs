//! The files of pages: safe on every system, and the same for the same table whatever else there is, except where two names differ
//! in case alone.

use std::collections::{BTreeMap, HashMap};

use refdesk_files::name::sha256_hex;

use crate::snapshot::TableName;

/// Longest name of a file without its ending.
const LONGEST: usize = 100;

/// Names that are devices on Windows.
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "com", "lpt"];

/// The name of the file of each table, without an ending.
pub fn file_names<'t>(tables: impl IntoIterator<Item = &'t TableName>) -> BTreeMap<TableName, String> {
    let tables: Vec<&TableName> = tables.into_iter().collect();
    let mut spelled: HashMap<String, usize> = HashMap::new();
    for table in &tables {
        *spelled.entry(table.full().to_lowercase()).or_default() += 1;
    }
    let name = |table: &&TableName| {
        let full = table.full();
        let lower = full.to_lowercase();
        // Of names that differ in case alone, the one in lower case keeps its own.
        let is_shared = spelled.get(&lower).is_some_and(|count| *count > 1) && lower != full;
        let name = if is_plain(&full) && !is_shared { full.clone() } else { hashed(&full) };
        ((*table).clone(), name)
    };
    tables.iter().map(name).collect()
}

/// Whether this can be the name of the file of a table, without an ending.
pub fn is_file_name(name: &str, table: &str) -> bool {
    (name == table && is_plain(table)) || name == hashed(table)
}

fn is_plain(name: &str) -> bool {
    let first = name.split('.').next().unwrap_or_default().to_lowercase();
    let is_device = DEVICES.contains(&first.trim_end_matches(|c: char| c.is_ascii_digit()));
    name.len() <= LONGEST
        && !is_device
        && !name.starts_with('.')
        && !name.ends_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// What of the name is plain, and a hash of all of it.
fn hashed(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '-' };
    let mut start: String = name.chars().map(plain).take(40).collect();
    start = start.trim_matches('-').to_owned();
    if start.is_empty() {
        start.push_str("table");
    }
    let hash = sha256_hex(name.as_bytes());
    format!("t-{start}-{}", hash.get(..10).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn named(names: &[&str]) -> Vec<String> {
        let tables: Vec<TableName> =
            names.iter().map(|name| TableName { schema: "main".into(), name: (*name).into() }).collect();
        let found = file_names(&tables);
        tables.iter().map(|table| found[table].clone()).collect()
    }

    #[test]
    fn odd_names_get_safe_files() {
        assert_eq!(named(&["Album", "order_line"]), ["main.Album", "main.order_line"]);
        for odd in ["../../x", "a|b", "-->", "a\nb", "a\"b", "日本", "x".repeat(200).as_str(), "a ", "a."] {
            let name = named(&[odd]).remove(0);
            assert!(is_plain(&name) && name.starts_with("t-main"), "{odd:?}: {name}");
        }
        let device = TableName { schema: "CON".into(), name: "x".into() };
        assert!(file_names([&device])[&device].starts_with("t-CON-x-"));
        let [lower, upper] = named(&["orders", "Orders"]).try_into().unwrap();
        assert_eq!(lower, "main.orders");
        assert!(upper.starts_with("t-main-Orders-"));
    }

    proptest! {
        #[test]
        fn no_two_tables_share_a_file(names in prop::collection::btree_set("[a-bA-B./|é]{0,4}", 1..8)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let files = named(&names);
            let distinct: BTreeSet<String> = files.iter().map(|file| file.to_lowercase()).collect();
            prop_assert_eq!(distinct.len(), names.len());
            prop_assert!(files.iter().all(|file| is_plain(file)));
        }
    }
}
