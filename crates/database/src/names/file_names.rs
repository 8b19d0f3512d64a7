//! The file names of pages. They are safe on every system, and a table's file name does not depend on the other tables,
//! unless two names differ only in case, or by a space and a hyphen.

use std::collections::{BTreeMap, HashMap};

use refdesk_files::name::sha256_hex;

use crate::snapshot::TableName;

/// Most bytes of a file name without its extension.
const LONGEST: usize = 100;

/// Whether this is the name of a device on Windows, where no file or folder may have it.
pub(crate) fn is_device(name: &str) -> bool {
    let lower = name.to_lowercase();
    let port = lower.strip_prefix("com").or_else(|| lower.strip_prefix("lpt")).unwrap_or_default();
    ["con", "prn", "aux", "nul"].contains(&lower.as_str())
        || matches!(port.as_bytes(), [number] if number.is_ascii_digit())
}

/// The file name of each table, without an extension.
pub fn file_names<'t>(tables: impl IntoIterator<Item = &'t TableName>) -> BTreeMap<TableName, String> {
    let tables: Vec<&TableName> = tables.into_iter().collect();
    let mut spelled: HashMap<String, usize> = HashMap::new();
    for table in &tables {
        *spelled.entry(readable(&table.full()).to_lowercase()).or_default() += 1;
    }
    let name = |table: &&TableName| {
        let full = table.full();
        let readable = readable(&full);
        let lower = readable.to_lowercase();
        // If several names would share a file, the one that equals the lower-case file name gets it.
        let is_shared = spelled.get(&lower).is_some_and(|count| *count > 1) && lower != full;
        let name = if is_plain(&readable) && !is_shared { readable } else { hashed(&full) };
        ((*table).clone(), name)
    };
    tables.iter().map(name).collect()
}

/// Whether this can be the file name of a table, without an extension.
pub fn is_file_name(name: &str, table: &str) -> bool {
    (name == readable(table) && is_plain(name)) || name == hashed(table)
}

/// A name with hyphens instead of the spaces between its words.
fn readable(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let is_in_word = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_alphanumeric);
    let readable = |(at, char): (usize, &char)| match char {
        ' ' if is_in_word(at.checked_sub(1)) && is_in_word(at.checked_add(1)) => '-',
        char => *char,
    };
    chars.iter().enumerate().map(readable).collect()
}

fn is_plain(name: &str) -> bool {
    name.len() <= LONGEST
        && !is_device(name.split('.').next().unwrap_or_default())
        && !name.starts_with('.')
        && !name.ends_with('.')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// The plain characters of the name, and a hash of the whole name.
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
        for (schema, expected) in
            [("CON", "t-CON-x-"), ("com1", "t-com1-x-"), ("com", "com.x"), ("com10", "com10.x"), ("comx", "comx.x")]
        {
            let table = TableName { schema: schema.into(), name: "x".into() };
            assert!(file_names([&table])[&table].starts_with(expected), "{schema}");
        }
        let [lower, upper] = named(&["orders", "Orders"]).try_into().unwrap();
        assert_eq!(lower, "main.orders");
        assert!(upper.starts_with("t-main-Orders-"));
    }

    #[test]
    fn words_with_blanks_between_them_stay_readable() {
        assert_eq!(named(&["Order Details", "a b c", "CON 1"]), ["main.Order-Details", "main.a-b-c", "main.CON-1"]);
        for odd in [" a", "a ", "a  b", "a\tb", "a .b", "a\u{a0}b", "é b"] {
            assert!(named(&[odd])[0].starts_with("t-main-"), "{odd:?}");
        }
        // If a table's name equals the file name, that table gets it, in either order.
        let [blank, hyphen] = named(&["order details", "order-details"]).try_into().unwrap();
        assert!(blank.starts_with("t-main-order-details-"), "{blank}");
        assert_eq!(hyphen, "main.order-details");
        // Here no table does.
        for name in named(&["Order Details", "Order-Details", "ORDER DETAILS"]) {
            assert!(name.starts_with("t-main-"), "{name}");
        }
        for (name, table, expected) in [
            ("main.Order-Details", "main.Order Details", true),
            ("main.Order-Details", "main.Order-Details", true),
            ("main.Order Details", "main.Order Details", false),
            ("main.a--b", "main.a  b", false),
            ("../x", "../x", false),
        ] {
            assert_eq!(is_file_name(name, table), expected, "{name} {table}");
        }
    }

    proptest! {
        #[test]
        fn no_two_tables_share_a_file(names in prop::collection::btree_set("[a-bA-B. /|é-]{0,4}", 1..8)) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let files = named(&names);
            let distinct: BTreeSet<String> = files.iter().map(|file| file.to_lowercase()).collect();
            prop_assert_eq!(distinct.len(), names.len());
            for (name, file) in names.iter().zip(&files) {
                prop_assert!(is_plain(file) && is_file_name(file, &format!("main.{name}")), "{}", file);
            }
        }
    }
}
