//! The schema of a database. Everything in it comes from the database and is foreign text.

use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Most tables of a database.
pub(crate) const TABLES: usize = 20_000;

/// Most columns of a table.
pub(crate) const COLUMNS: usize = 2_000;

/// Most columns of all tables of a database.
pub(crate) const ALL_COLUMNS: usize = 1_000_000;

/// Most characters of a name; also of the type of a column.
pub(crate) const NAME: usize = 1_000;

/// Most bytes of a comment.
pub(crate) const COMMENT_BYTES: usize = 64 * 1024;

/// What was read from the schemas of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The version of the server or the library that read it.
    pub server_version: Option<String>,
    /// In the order of their names.
    pub schemas: Vec<SchemaInfo>,
    /// In the order of their schemas and names.
    pub tables: Vec<Table>,
    /// Tables that exist, but are beyond the limit on their number.
    pub beyond: Vec<TableName>,
}

/// A schema of a database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SchemaInfo {
    /// Its name.
    pub name: String,
    pub(crate) comment: Option<String>,
}

/// What a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// A table.
    #[default]
    Table,
    /// A table whose rows are in partitions, which are counted but not listed.
    PartitionedTable,
    /// A view.
    View,
    /// A view with stored rows.
    MaterializedView,
    /// A table of another server.
    ForeignTable,
    /// A table computed by a program; it is listed but not read.
    VirtualTable,
}

impl TableKind {
    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::PartitionedTable => "partitioned table",
            Self::View => "view",
            Self::MaterializedView => "materialized view",
            Self::ForeignTable => "foreign table",
            Self::VirtualTable => "virtual table",
        }
    }

    /// Whether it is a view of either kind.
    pub(crate) fn is_view(self) -> bool {
        matches!(self, Self::View | Self::MaterializedView)
    }
}

/// A table, a view, or anything else with columns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: TableKind,
    /// In the order of the table.
    pub columns: Vec<Column>,
    pub(crate) primary_key: Option<Key>,
    pub(crate) unique: Vec<Key>,
    pub(crate) checks: Vec<Constraint>,
    pub(crate) exclusions: Vec<Constraint>,
    /// Foreign keys.
    pub foreign_keys: Vec<ForeignKey>,
    /// Indexes, without those of keys.
    pub(crate) indexes: Vec<IndexInfo>,
    /// The database's comments on constraints, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) constraint_comments: BTreeMap<String, String>,
    /// The database's comment.
    pub comment: Option<String>,
    /// The tables that a view reads.
    pub(crate) reads_from: Vec<TableName>,
    /// Whether the reading role sees only some rows; such a table is never sampled.
    pub(crate) row_security: bool,
    /// Whether the role may not read its rows.
    pub is_unreadable: bool,
    /// Whether another session holds a lock on it, so that its defaults and checks could not be read.
    #[serde(skip)]
    pub is_locked: bool,
    /// How many partitions it has.
    pub(crate) partitions: u64,
    /// How its rows are divided into them, as the database prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) partitioned_by: Option<String>,
    /// Estimated rows; `None` if the database does not know.
    pub row_estimate: Option<u64>,
}

/// Whether a default takes the next number of a sequence, as that of a PostgreSQL `serial` does.
pub(crate) fn is_sequence(default: &str) -> bool {
    default.starts_with("nextval('") && default.ends_with("'::regclass)")
}

/// A schema and a name in it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TableName {
    /// The schema.
    pub schema: String,
    /// The name.
    pub name: String,
}

impl TableName {
    /// `schema.name`, as [`full_name`] has it.
    pub fn full(&self) -> String {
        full_name(&self.schema, &self.name)
    }

    /// The schema and the name in a full name; `None` if it has no schema.
    pub fn of_full(full: &str) -> Option<Self> {
        let (schema, name) = match full.strip_prefix('"') {
            Some(rest) => {
                let is_end = |at: usize| {
                    let before = rest.get(..at).unwrap_or_default();
                    let quotes = before.len() - before.trim_end_matches('"').len();
                    // A doubled quote is part of the name.
                    quotes.is_multiple_of(2) && rest.get(at..).is_some_and(|rest| rest.starts_with("\"."))
                };
                let end = rest.match_indices('"').map(|(at, _)| at).find(|at| is_end(*at))?;
                (rest.get(..end)?.replace("\"\"", "\""), rest.get(end + 2..)?)
            }
            None => full.split_once('.').map(|(schema, name)| (schema.to_owned(), name))?,
        };
        Some(Self { schema, name: name.to_owned() })
    }
}

/// `schema.name`. A schema with a dot in its name is quoted as in SQL; otherwise table `c` of schema `a.b` and table
/// `b.c` of schema `a` would have the same full name.
pub fn full_name(schema: &str, name: &str) -> String {
    if schema.contains('.') || schema.starts_with('"') {
        return format!("\"{}\".{name}", schema.replace('"', "\"\""));
    }
    format!("{schema}.{name}")
}

/// A column.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type, as the database prints it; may be empty.
    pub data_type: String,
    /// Whether it may be null.
    pub(crate) nullable: bool,
    /// Its default, as the database prints it.
    pub(crate) default: Option<String>,
    /// `always` or `by default` for an identity column.
    pub(crate) identity: Option<String>,
    /// The expression that computes it.
    pub(crate) generated: Option<String>,
    /// A collation other than the default.
    pub(crate) collation: Option<String>,
    /// The database's comment.
    pub comment: Option<String>,
    /// The labels of its type, if it is an enumeration.
    pub(crate) labels: Vec<String>,
    /// The base type, if its type is a domain.
    pub(crate) base_type: Option<String>,
    /// Whether its type has fields, or is an array, a range or a domain of a type that has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_composite: bool,
    /// The database's comment on its type, if that is an enumeration or a domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) type_comment: Option<String>,
}

impl Column {
    /// Whether the database assigns its values if a statement names none.
    pub(crate) fn is_assigned(&self) -> bool {
        self.identity.is_some() || self.default.as_deref().is_some_and(is_sequence)
    }
}

/// A primary key or a unique constraint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Key {
    pub(crate) name: Option<String>,
    /// Its columns in order.
    pub(crate) columns: Vec<String>,
}

/// A check or exclusion constraint.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Constraint {
    pub(crate) name: Option<String>,
    /// Its condition, as the database prints it.
    pub(crate) expression: String,
}

/// A foreign key: pairs of columns in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ForeignKey {
    pub(crate) name: Option<String>,
    /// The columns of this table.
    pub(crate) columns: Vec<String>,
    /// The table that it refers to.
    pub(crate) target: TableName,
    /// The columns there, in the same order as `columns`.
    pub(crate) target_columns: Vec<String>,
    /// `no action`, `restrict`, `cascade`, `set null` or `set default`.
    pub(crate) on_delete: String,
    /// The same for a change of the key.
    pub(crate) on_update: String,
    /// `simple`, `full` or `partial`.
    pub(crate) match_type: String,
    /// Whether it may be checked at the end of a transaction.
    pub(crate) is_deferrable: bool,
}

/// What a join compares: pairs of columns, each with its schema and table. It is the same from either table, and in
/// whichever order the columns are listed.
pub(crate) type ComparedColumns<'j> = Vec<[(&'j str, &'j str, &'j str); 2]>;

/// What a join of a table, given by schema and name, compares.
pub(crate) fn compared<'j>(
    (schema, name): (&'j str, &'j str),
    columns: &'j [String],
    target: &'j TableName,
    target_columns: &'j [String],
) -> ComparedColumns<'j> {
    let pair = |(at, column): (usize, &'j String)| {
        // SQLite accepts a key to a table that does not exist, and does not know its columns.
        let other = target_columns.get(at).map_or("", String::as_str);
        let mut ends = [(schema, name, column.as_str()), (target.schema.as_str(), target.name.as_str(), other)];
        ends.sort_unstable();
        ends
    };
    let mut pairs: ComparedColumns<'j> = columns.iter().enumerate().map(pair).collect();
    pairs.sort_unstable();
    pairs
}

impl ForeignKey {
    /// What it compares, as a key of this table.
    pub(crate) fn compared<'k>(&'k self, table: &'k Table) -> ComparedColumns<'k> {
        compared((&table.schema, &table.name), &self.columns, &self.target, &self.target_columns)
    }
}

/// An index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexInfo {
    pub(crate) name: String,
    /// Its columns in order; an expression is `(expression)`.
    pub(crate) columns: Vec<String>,
    pub(crate) is_unique: bool,
    /// Whether it holds only some of the rows.
    pub(crate) is_partial: bool,
    pub(crate) comment: Option<String>,
}

impl Table {
    /// Schema and name.
    pub fn table_name(&self) -> TableName {
        TableName { schema: self.schema.clone(), name: self.name.clone() }
    }

    /// `schema.name`, as [`full_name`] has it.
    pub fn full_name(&self) -> String {
        full_name(&self.schema, &self.name)
    }

    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Its foreign keys; of several with the same columns, as a database can have them, only one, if possible one that acts
    /// when the row there is deleted.
    pub(crate) fn distinct_keys(&self) -> Vec<&ForeignKey> {
        let mut places: HashMap<ComparedColumns<'_>, usize> = HashMap::new();
        let mut found: Vec<&ForeignKey> = Vec::new();
        for key in &self.foreign_keys {
            let place = *places.entry(key.compared(self)).or_insert(found.len());
            match found.get_mut(place) {
                None => found.push(key),
                Some(known) if matches!(known.on_delete.as_str(), "" | "no action") => *known = key,
                Some(_) => {}
            }
        }
        found
    }

    /// Whether these columns, in any order, are unique by the primary key, a constraint or an index over all rows.
    pub(crate) fn is_unique_by(&self, columns: &[String]) -> bool {
        let same = |key: &[String]| key.len() == columns.len() && key.iter().all(|column| columns.contains(column));
        let indexes = self.indexes.iter().filter(|index| index.is_unique && !index.is_partial);
        self.primary_key.iter().chain(&self.unique).any(|key| same(&key.columns))
            || indexes.into_iter().any(|index| same(&index.columns))
    }

    /// A hash of everything except row counts and what the role may read, to detect that a page is stale.
    pub fn metadata_hash(&self) -> String {
        let without = Self { row_estimate: None, partitions: 0, is_unreadable: false, ..self.clone() };
        // Texts, numbers and lists always serialize.
        refdesk_files::name::sha256_hex(&serde_json::to_vec(&without).unwrap_or_default())
    }
}

impl Snapshot {
    /// The table of this name.
    pub fn table(&self, name: &TableName) -> Option<&Table> {
        let found = self.tables.binary_search_by(|table| {
            (table.schema.as_str(), table.name.as_str()).cmp(&(name.schema.as_str(), name.name.as_str()))
        });
        found.ok().and_then(|at| self.tables.get(at))
    }

    /// Whether there is a table of this name, read or beyond the limit.
    pub(crate) fn has_table(&self, name: &TableName) -> bool {
        self.table(name).is_some() || self.beyond.binary_search(name).is_ok()
    }

    /// Sorts schemas and tables.
    pub fn sort(&mut self) {
        self.schemas.sort_by(|a, b| a.name.cmp(&b.name));
        self.tables.sort_by(|a, b| (&a.schema, &a.name).cmp(&(&b.schema, &b.name)));
        self.beyond.sort();
    }

    /// A hash of the schema, by the hashes of its tables.
    pub fn schema_hash(&self) -> String {
        let mut all = String::new();
        for schema in &self.schemas {
            all.push_str(&format!("{}\0{}\n", schema.name, schema.comment.as_deref().unwrap_or_default()));
        }
        let hashes: Vec<String> = self.tables.par_iter().map(Table::metadata_hash).collect();
        all.push_str(&hashes.concat());
        refdesk_files::name::sha256_hex(all.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_with_dots_are_distinguished() {
        for (schema, name, full) in [
            ("main", "orders", "main.orders"),
            ("main", "a.b", "main.a.b"),
            ("main", "\"a\"", "main.\"a\""),
            ("sch.ema", "t", "\"sch.ema\".t"),
            ("sch", "ema.t", "sch.ema.t"),
            ("\"a", "b", "\"\"\"a\".b"),
        ] {
            assert_eq!(full_name(schema, name), full);
        }
        assert_eq!(TableName::of_full("orders"), None);
    }

    proptest! {
        #[test]
        fn a_full_name_means_one_table(schema in "[ab.\"]{1,5}", name in "[ab.\"]{1,5}") {
            let table = TableName { schema, name };
            prop_assert_eq!(TableName::of_full(&table.full()), Some(table));
        }
    }

    #[test]
    fn a_table_is_found_and_hashed_without_its_rows() {
        let table = |name: &str| Table { schema: "s".into(), name: name.into(), ..Table::default() };
        let mut snapshot = Snapshot { tables: vec![table("b"), table("a")], ..Snapshot::default() };
        snapshot.sort();
        let name = TableName { schema: "s".into(), name: "b".into() };
        assert_eq!(snapshot.table(&name).map(Table::full_name).as_deref(), Some("s.b"));
        let before = snapshot.schema_hash();
        snapshot.tables[1].row_estimate = Some(7);
        assert_eq!(snapshot.schema_hash(), before);
        snapshot.tables[1].comment = Some("x".into());
        assert_ne!(snapshot.schema_hash(), before);
    }
}
