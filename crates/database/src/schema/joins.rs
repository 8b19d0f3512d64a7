//! Joins without a key, inferred from names and types: a column matches the key of exactly one other table. If that key has
//! further columns, the referring table must have them too, by the same names. A person's notes can add joins and remove
//! inferred ones.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::notes::{NotedJoin, Notes};
use crate::names::words::stem;
use crate::snapshot::{Column, Snapshot, Table, TableName, compared};

/// The certainty of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// A guess.
    Low,
    /// Likely.
    Medium,
    /// Almost certain.
    High,
}

/// A join without a key in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InferredJoin {
    /// The columns that refer.
    pub(crate) columns: Vec<String>,
    /// The table that they refer to.
    pub(crate) target: TableName,
    pub(crate) target_columns: Vec<String>,
    pub(crate) because: String,
    pub(crate) confidence: Confidence,
    /// `many_to_one` or the like, if a person noted it.
    pub(crate) cardinality: Option<&'static str>,
    pub(crate) is_noted: bool,
}

/// The inferred joins of a schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InferredJoins {
    /// By the table that refers, in the order of its columns.
    pub of: BTreeMap<TableName, Vec<InferredJoin>>,
    /// Columns that match the keys of several tables equally well: table, column, and those tables. With a single table, the
    /// column matches only a part of its key.
    pub ambiguous: Vec<(TableName, String, Vec<TableName>)>,
    /// What notes have removed or replaced, by the table that refers. The values may be the same all the same.
    pub set_aside: BTreeMap<TableName, Vec<InferredJoin>>,
}

/// A column that identifies rows by itself, or with the other columns of its key.
struct TargetKey<'s> {
    table: &'s Table,
    column: &'s Column,
    /// All columns of the key, in its order.
    columns: &'s [String],
    table_words: Vec<String>,
    column_words: Vec<String>,
}

/// The last word of a name and, if it is certain, the one before it.
type NameEnd<'w> = (&'w str, Option<&'w str>);

impl TargetKey<'_> {
    /// The last words of a referring column's name.
    fn end(&self) -> NameEnd<'_> {
        let is_generic = is_generic(&self.column_words);
        let words = self.table_words.iter().filter(|_| is_generic).chain(&self.column_words);
        let mut words = words.rev().map(String::as_str);
        (words.next().unwrap_or_default(), words.next().filter(|_| is_generic))
    }

    /// Whether the other columns of its key are only there because PostgreSQL requires those that decide the partition.
    fn is_partitioned(&self) -> bool {
        let text = self.table.partitioned_by.as_deref().unwrap_or_default();
        let is_name = |char: char| char.is_alphanumeric() || char == '_';
        let names: Vec<&str> = text.split(|char| !is_name(char)).collect();
        self.columns.iter().all(|name| *name == self.column.name || names.contains(&name.as_str()))
    }

    /// Whether it is the primary key, of a type whose values identify rows, unlike a time.
    fn identifies_rows(&self) -> bool {
        let is_primary = self.table.primary_key.as_ref().is_some_and(|key| key.columns == [self.column.name.as_str()]);
        is_primary && family(&self.column.data_type) != Some("other")
    }
}

fn is_generic(words: &[String]) -> bool {
    words.iter().all(|word| GENERIC.contains(&word.as_str()))
}

/// How a name matches, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameMatch {
    /// `customer_id` for `customer.id` or `customer.customer_id`.
    Whole,
    /// `item_sku` for the primary key `item.sku`.
    Qualified,
    /// `billing_customer_id`.
    Role,
    /// `order_id` for `shop_order.id`.
    Suffix,
    /// `customer_type_id` for `demographics.customer_type_id`.
    SameKey,
}

/// Names of keys that do not identify their table.
const GENERIC: &[&str] = &["id", "key", "code", "no", "nr", "number", "uuid", "guid", "pk", "oid"];

/// Finds the joins of a schema.
pub fn infer(snapshot: &Snapshot, notes: &Notes) -> InferredJoins {
    let keys = target_keys(snapshot);
    // Only keys that end in the same words as the column can match.
    let mut by_end: HashMap<NameEnd<'_>, Vec<&TargetKey<'_>>> = HashMap::new();
    for key in &keys {
        by_end.entry(key.end()).or_default().push(key);
    }
    let mut found = InferredJoins::default();
    for table in snapshot.tables.iter().filter(|table| !table.kind.is_view()) {
        let joined: HashSet<&String> = table.foreign_keys.iter().flat_map(|key| &key.columns).collect();
        for column in table.columns.iter().filter(|column| !joined.contains(&column.name)) {
            let words = stem(&column.name);
            let [.., before, last] = words.as_slice() else { continue };
            let ends = [(last.as_str(), Some(before.as_str())), (last.as_str(), None)];
            let near: Vec<&TargetKey<'_>> = ends.iter().filter_map(|end| by_end.get(end)).flatten().copied().collect();
            infer_column(&mut found, table, column, &words, &near);
        }
    }
    apply_notes(&mut found, snapshot, notes);
    found
}

fn target_keys(snapshot: &Snapshot) -> Vec<TargetKey<'_>> {
    let mut keys = Vec::new();
    for table in snapshot.tables.iter().filter(|table| !table.kind.is_view()) {
        let table_words = stem(&table.name);
        let all = || table.primary_key.iter().chain(&table.unique).map(|key| key.columns.as_slice());
        let (single, composite): (Vec<_>, Vec<_>) = all().partition(|columns| columns.len() == 1);
        let mut seen = HashSet::new();
        for columns in single.into_iter().chain(composite) {
            for column in columns.iter().filter_map(|column| table.column(column)) {
                let column_words = stem(&column.name);
                // Of several columns, only one with the table's name can stand for its rows: `id` or `account_id`, but not
                // the `tenant_id` beside it.
                let is_its_own = is_generic(&column_words) || column_words.starts_with(&table_words);
                if (columns.len() == 1 || is_its_own) && seen.insert(&column.name) {
                    keys.push(TargetKey { table, column, columns, table_words: table_words.clone(), column_words });
                }
            }
        }
    }
    keys
}

impl TargetKey<'_> {
    /// The columns of a table that refer to this key, if `column` refers to its own: the others have the same names and kinds
    /// of values.
    fn referring_columns(&self, table: &Table, column: &Column) -> Option<Vec<String>> {
        let own = self.columns.iter().map(|name| {
            if *name == self.column.name {
                return Some(column.name.clone());
            }
            let (here, there) = (table.column(name)?, self.table.column(name)?);
            (*name != column.name && same_family(here, there)).then(|| name.clone())
        });
        own.collect()
    }
}

fn infer_column(found: &mut InferredJoins, table: &Table, column: &Column, words: &[String], keys: &[&TargetKey<'_>]) {
    let is_own_key = table.primary_key.as_ref().is_some_and(|key| key.columns == [column.name.as_str()]);
    // A table's own key is not a reference, and a bare `id` does not name a table.
    if words.len() < 2 || is_own_key {
        return;
    }
    let fits = keys.iter().filter(|key| same_family(column, key.column));
    let fits = fits.filter_map(|key| Some((fit(words, key)?, key)));
    // A column refers to its own table only in another role, like `parent_category_id`.
    let may_refer = |(fit, key): &(NameMatch, &&TargetKey<'_>)| {
        *fit == NameMatch::Role || key.table.table_name() != table.table_name()
    };
    let fits: Vec<(NameMatch, &&TargetKey<'_>)> = fits.filter(may_refer).collect();
    let Some(best) = fits.iter().map(|(fit, _)| *fit).min() else { return };
    let mut best_keys: Vec<&&TargetKey<'_>> =
        fits.iter().filter(|(fit, _)| *fit == best).map(|(_, key)| *key).collect();
    // Among tables with the same name, the one in the same schema is meant.
    if best_keys.iter().any(|key| key.table.schema == table.schema) {
        best_keys.retain(|key| key.table.schema == table.schema);
    }
    let only = match best_keys.as_slice() {
        [key] => key.referring_columns(table, column).map(|columns| (key, columns)),
        _ => None,
    };
    match only {
        Some((key, columns)) => {
            let because = match best {
                NameMatch::Whole | NameMatch::Qualified => format!("it is named after {} and its key", key.table.name),
                NameMatch::Role => format!("its name ends with {} and its key", key.table.name),
                NameMatch::Suffix => format!("it is named after the end of {} and its key", key.table.name),
                NameMatch::SameKey => format!("only {} has a key with this name", key.table.name),
            };
            let confidence = if best == NameMatch::Whole { Confidence::High } else { Confidence::Medium };
            found.of.entry(table.table_name()).or_default().push(InferredJoin {
                columns,
                target: key.table.table_name(),
                target_columns: key.columns.to_vec(),
                because,
                confidence,
                cardinality: None,
                is_noted: false,
            });
        }
        None if matches!(best_keys.as_slice(), [key] if key.is_partitioned()) => {}
        None => {
            let tables = best_keys.iter().map(|key| key.table.table_name()).collect();
            found.ambiguous.push((table.table_name(), column.name.clone(), tables));
        }
    }
}

fn fit(words: &[String], key: &TargetKey<'_>) -> Option<NameMatch> {
    let has_generic_name = is_generic(&key.column_words);
    let own: Vec<&String> = if has_generic_name {
        key.table_words.iter().chain(&key.column_words).collect()
    } else if key.column_words.starts_with(&key.table_words) {
        key.column_words.iter().collect()
    } else if words == key.column_words.as_slice() {
        return Some(NameMatch::SameKey);
    } else {
        let is_qualified = words.strip_prefix(key.table_words.as_slice()) == Some(key.column_words.as_slice());
        return (is_qualified && key.identifies_rows()).then_some(NameMatch::Qualified);
    };
    let words: Vec<&String> = words.iter().collect();
    if words == own {
        return Some(NameMatch::Whole);
    }
    if words.ends_with(&own) {
        return Some(NameMatch::Role);
    }
    // The table's name has a prefix that the column omits.
    let is_suffix = has_generic_name && words.len() > key.column_words.len() && own.ends_with(&words);
    is_suffix.then_some(NameMatch::Suffix)
}

/// Whether values of two columns can be equal, by their types.
fn same_family(one: &Column, other: &Column) -> bool {
    match (family(&one.data_type), family(&other.data_type)) {
        (None, _) | (_, None) => true,
        (one, other) => one == other,
    }
}

/// Whether values of a type are lists, as PostgreSQL prints it.
pub(super) fn is_array(data_type: &str) -> bool {
    data_type.ends_with("[]")
}

/// What values of a type are; `other` for those that do not identify rows, such as times, flags and fractions.
pub(super) fn family(data_type: &str) -> Option<&'static str> {
    let lower = data_type.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if lower.is_empty() {
        None
    } else if is_array(data_type) || has(&["interval", "point"]) {
        Some("other")
    } else if has(&["uuid", "uniqueidentifier"]) {
        Some("uuid")
    } else if has(&["int", "serial", "numeric", "decimal", "number"]) {
        Some("number")
    } else if has(&["char", "text", "clob", "string"]) {
        Some("text")
    } else {
        Some("other")
    }
}

fn apply_notes(found: &mut InferredJoins, snapshot: &Snapshot, notes: &Notes) {
    if notes.joins.is_empty() && notes.not_joins.is_empty() {
        return;
    }
    let before = found.of.clone();
    notes.not_joins.iter().for_each(|not| remove(found, not));
    let keys = notes.keys(snapshot);
    for noted in notes.joins.iter().filter(|noted| !keys.contains_key(&noted.compared())) {
        let known = |(table, columns): &(TableName, Vec<String>)| {
            snapshot.table(table).is_some_and(|table| columns.iter().all(|column| table.column(column).is_some()))
        };
        if !known(&noted.from) || !known(&noted.to) || noted.from.1.len() != noted.to.1.len() {
            continue;
        }
        remove(found, noted);
        let joins = found.of.entry(noted.from.0.clone()).or_default();
        // A column may refer to several tables, each noted by itself, such as the owner of an address.
        joins.retain(|join| join.is_noted || join.columns != noted.from.1);
        joins.push(InferredJoin {
            columns: noted.from.1.clone(),
            target: noted.to.0.clone(),
            target_columns: noted.to.1.clone(),
            because: noted.because.clone(),
            confidence: Confidence::High,
            cardinality: noted.cardinality,
            is_noted: true,
        });
    }
    found.of.retain(|_, joins| !joins.is_empty());
    for (table, mut joins) in before {
        let left = found.of.get(&table).map_or(&[][..], Vec::as_slice);
        joins.retain(|join| !left.contains(join));
        if !joins.is_empty() {
            found.set_aside.insert(table, joins);
        }
    }
}

/// Removes the join that a note is on, from whichever of the two tables it was inferred.
fn remove(found: &mut InferredJoins, noted: &NotedJoin) {
    let noted_columns = noted.compared();
    for table in [&noted.from.0, &noted.to.0] {
        if let Some(joins) = found.of.get_mut(table) {
            let from = (table.schema.as_str(), table.name.as_str());
            joins.retain(|join| compared(from, &join.columns, &join.target, &join.target_columns) != noted_columns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{ForeignKey, Key};

    fn table(name: &str, key: &str, columns: &[&str]) -> Table {
        let column = |name: &str| {
            let data_type = match name.rsplit_once('_') {
                Some((_, "uuid")) => "UUID",
                Some((_, "at")) => "TIMESTAMP",
                _ => "INTEGER",
            };
            Column { name: name.into(), data_type: data_type.into(), ..Column::default() }
        };
        let mut all = vec![column(key)];
        all.extend(columns.iter().map(|name| column(name)));
        Table {
            schema: "main".into(),
            name: name.into(),
            columns: all,
            primary_key: Some(Key { name: None, columns: vec![key.into()] }),
            ..Table::default()
        }
    }

    #[test]
    fn names_find_their_tables() {
        let mut snapshot = Snapshot {
            tables: vec![
                table("customers", "id", &[]),
                table("Artist", "ArtistId", &[]),
                table(
                    "shop_order",
                    "id",
                    &["customer_id", "billing_customer_id", "ArtistID", "quantity", "id_of_nothing"],
                ),
                table(
                    "line",
                    "id",
                    &["order_id", "kind_id", "customer_uuid", "line_id", "parent_line_id", "DemoTypeId"],
                ),
                table("a_kind", "id", &[]),
                table("b_kind", "id", &[]),
                table("Demographics", "DemoTypeId", &[]),
                table("items", "sku", &[]),
                Table {
                    unique: vec![Key { name: None, columns: vec!["title".into()] }],
                    ..table("film", "shelf_mark", &["title"])
                },
                table("event", "seen_at", &[]),
                table("stock", "id", &["item_sku", "old_item_sku", "film_shelf_mark", "film_title", "event_seen_at"]),
            ],
            ..Snapshot::default()
        };
        snapshot.sort();
        let found = infer(&snapshot, &Notes::default());
        let shown: Vec<String> = found
            .of
            .iter()
            .flat_map(|(table, joins)| {
                let line = |join: &InferredJoin| {
                    format!("{}.{} {}.{}", table.name, join.columns[0], join.target.name, join.target_columns[0])
                };
                joins.iter().map(line).collect::<Vec<_>>()
            })
            .collect();
        let expected = [
            "line.order_id shop_order.id",
            "line.parent_line_id line.id",
            "line.DemoTypeId Demographics.DemoTypeId",
            "shop_order.customer_id customers.id",
            "shop_order.billing_customer_id customers.id",
            "shop_order.ArtistID Artist.ArtistId",
            "stock.item_sku items.sku",
            "stock.film_shelf_mark film.shelf_mark",
        ];
        assert_eq!(shown, expected);
        let ambiguous: Vec<&str> = found.ambiguous.iter().map(|(_, column, _)| column.as_str()).collect();
        assert_eq!(ambiguous, ["kind_id"]);
    }

    #[test]
    fn a_key_of_several_columns_is_a_target_too() {
        let of_tenant = |name: &str, key: &str, columns: &[&str]| {
            let keys = vec!["tenant_id".to_owned(), key.to_owned()];
            Table {
                primary_key: Some(Key { name: None, columns: keys }),
                ..table(name, "tenant_id", &[&[key], columns].concat())
            }
        };
        let mut account = of_tenant("account", "id", &[]);
        account.unique.push(Key { name: None, columns: vec!["tenant_id".into(), "no".into()] });
        account.columns.push(Column { name: "no".into(), data_type: "INTEGER".into(), ..Column::default() });
        let mut snapshot = Snapshot {
            tables: vec![
                account,
                of_tenant("ticket", "ticket_id", &["parent_ticket_id", "account_no"]),
                // A better match than the table with a single key.
                table("bank_account", "id", &[]),
                Table { schema: "billing".into(), ..table("account", "id", &[]) },
                table("note", "id", &["account_id"]),
                table("comment", "id", &["tenant_id", "account_id", "ticket_id"]),
                Table { schema: "audit".into(), ..table("log", "id", &["account_id"]) },
            ],
            ..Snapshot::default()
        };
        snapshot.sort();
        let found = infer(&snapshot, &Notes::default());
        let joins = found.of.iter().flat_map(|(table, joins)| joins.iter().map(move |join| (table, join)));
        let shown: Vec<String> = joins
            .map(|(table, join)| {
                let (columns, there) = (join.columns.join("+"), join.target_columns.join("+"));
                format!("{}.{columns} {}.{there}", table.name, join.target.full())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "comment.tenant_id+account_id main.account.tenant_id+id",
                "comment.tenant_id+ticket_id main.ticket.tenant_id+ticket_id",
                "ticket.tenant_id+parent_ticket_id main.ticket.tenant_id+ticket_id",
                "ticket.tenant_id+account_no main.account.tenant_id+no",
            ]
        );
        let ambiguous: Vec<(&str, usize)> =
            found.ambiguous.iter().map(|(table, _, targets)| (table.name.as_str(), targets.len())).collect();
        assert_eq!(ambiguous, [("log", 2), ("note", 1)]);
        // PostgreSQL requires the columns that decide the partition in every key.
        let account = |table: &&mut Table| table.full_name() == "main.account";
        snapshot.tables.iter_mut().find(account).unwrap().partitioned_by = Some("RANGE (tenant_id)".into());
        assert_eq!(infer(&snapshot, &Notes::default()).ambiguous.len(), 1);
    }

    #[test]
    fn a_column_finds_its_table_whichever_of_them_is_plural() {
        let nouns = "category/categories address/addresses status/statuses box/boxes bus/buses match/matches dish/dishes \
                     person/people child/children movie/movies alias/aliases cache/caches lens/lenses analysis/analyses \
                     index/indices house/houses process/processes bonus/bonuses hero/heroes order/orders news/news \
                     sale/sales menu/menus taxi/taxis";
        let nouns = || nouns.split(' ').filter_map(|pair| pair.split_once('/'));
        let shown = |tables: Vec<(&str, String)>| -> Vec<String> {
            let columns: Vec<&str> = tables.iter().map(|(_, column)| column.as_str()).collect();
            let mut all: Vec<Table> = tables.iter().map(|(name, _)| table(name, "id", &[])).collect();
            all.push(table("all_of_them", "id", &columns));
            let mut snapshot = Snapshot { tables: all, ..Snapshot::default() };
            snapshot.sort();
            let found = infer(&snapshot, &Notes::default());
            assert_eq!(found.ambiguous, []);
            let joins = found.of.values().flatten();
            joins.map(|join| format!("{} {}", join.columns[0], join.target.name)).collect()
        };
        let expected: Vec<String> = nouns().map(|(one, many)| format!("{one}_id {many}")).collect();
        assert_eq!(shown(nouns().map(|(one, many)| (many, format!("{one}_id"))).collect()), expected);
        let expected: Vec<String> = nouns().map(|(one, many)| format!("{many}_id {one}")).collect();
        assert_eq!(shown(nouns().map(|(one, many)| (one, format!("{many}_id"))).collect()), expected);
    }

    /// Words that look like plural and singular but are not.
    #[test]
    fn other_words_are_not_joined() {
        for (name, column) in
            [("bas", "basis_id"), ("cas", "case_id"), ("new", "news_id"), ("gps", "gp_id"), ("len", "lens_id")]
        {
            let mut snapshot =
                Snapshot { tables: vec![table(name, "id", &[]), table("x", "id", &[column])], ..Snapshot::default() };
            snapshot.sort();
            assert_eq!(infer(&snapshot, &Notes::default()).of, BTreeMap::new(), "{name} {column}");
        }
    }

    #[test]
    fn notes_add_and_remove_joins() {
        let mut snapshot = Snapshot {
            tables: vec![
                table("customers", "id", &[]),
                table("orders", "id", &["customer_id", "buyer", "payer", "first_customer_id", "last_customer_id"]),
                table("address", "id", &["customer_id"]),
                table("supplier", "id", &[]),
            ],
            ..Snapshot::default()
        };
        snapshot.sort();
        let key = ForeignKey {
            columns: vec!["payer".to_owned()],
            target: TableName { schema: "main".into(), name: "customers".into() },
            target_columns: vec!["id".to_owned()],
            ..ForeignKey::default()
        };
        snapshot.tables.iter_mut().find(|table| table.name == "orders").unwrap().foreign_keys.push(key);
        let text = "joins: [{from: main.orders.buyer, to: main.customers.id, because: seen in the code}, \
                    {from: main.orders.payer, to: main.customers.id, because: it is a key}, \
                    {from: main.customers.id, to: main.orders.payer, because: it is a key from there}, \
                    {from: main.customers.id, to: main.orders.first_customer_id, because: seen from there}, \
                    {from: main.address.customer_id, to: main.supplier.id, because: owner_kind is s}, \
                    {from: main.address.customer_id, to: main.customers.id, because: said twice}, \
                    {from: main.address.customer_id, to: main.customers.id, because: owner_kind is c}]\n\
                    not_joins: [{from: main.orders.customer_id, to: main.customers.id}, \
                    {from: main.customers.id, to: main.orders.last_customer_id}]";
        let (notes, problems) = super::super::notes::read(text, "f");
        assert_eq!(problems, []);
        let found = infer(&snapshot, &notes);
        let joins: Vec<_> =
            found.of.values().flatten().map(|it| (it.columns[0].as_str(), it.because.as_str())).collect();
        let of_two = [("customer_id", "owner_kind is s"), ("customer_id", "owner_kind is c")];
        assert_eq!(joins, [&of_two[..], &[("id", "seen from there"), ("buyer", "seen in the code")]].concat());
    }
}
