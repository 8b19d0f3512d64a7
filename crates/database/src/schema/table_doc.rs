//! Everything that a page contains about a table, as a value: its JSON is the page for programs, its Markdown the one
//! for people. Joins are read from this value, never from prose.

mod compose;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use self::compose::DocInput;
use super::joins::Confidence;
use crate::snapshot::TableKind;
use crate::statistics::ColumnStatistics;

/// A table as described by its page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TableDoc {
    /// `schema.table`.
    pub fully_qualified_name: String,
    /// What it is.
    pub kind: TableKind,
    /// What it means.
    pub description: String,
    /// The origin of the description.
    pub source: DescriptionSource,
    /// How certain the description is; `None` for rules and people, which are certain.
    pub confidence: Option<Confidence>,
    /// Estimated rows, to two digits.
    pub row_count_approx: Option<u64>,
    /// In the order of the table.
    pub columns: Vec<ColumnDoc>,
    /// The columns of the primary key.
    pub primary_key: Vec<String>,
    /// Columns that are unique together.
    pub unique: Vec<Vec<String>>,
    /// Conditions that every row satisfies.
    pub checks: Vec<String>,
    /// Conditions that any two rows satisfy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exclusions: Vec<String>,
    /// Whether policies decide which rows a role sees.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub row_security: bool,
    /// How its rows are divided into partitions, such as `RANGE (occurred_at)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitioned_by: Option<String>,
    /// Indexes.
    pub indexes: Vec<IndexDoc>,
    /// Its keys to other tables.
    pub foreign_keys: Vec<ForeignKeyDoc>,
    /// Keys of other tables that refer to it, then joins without a key.
    pub referenced_by: Vec<ReferenceDoc>,
    /// Joins without a key.
    pub inferred_joins: Vec<InferredJoinDoc>,
    /// The database's comments on constraints, by their names.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub constraint_comments: BTreeMap<String, String>,
}

/// The origin of a description.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DescriptionSource {
    /// A person's note.
    Note,
    /// A comment of the database.
    Comment,
    /// A language model.
    Model,
    /// A rule over names, keys and types.
    #[default]
    Fallback,
}

/// A column as described by its page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnDoc {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub data_type: String,
    /// The base type, if its type is a domain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_type: Option<String>,
    /// Whether it may be null.
    pub nullable: bool,
    /// Its default.
    pub default: Option<String>,
    /// What it means.
    pub description: String,
    /// The origin of the description.
    pub source: DescriptionSource,
    /// `false` for a self-explanatory name: no model is asked about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<bool>,
    /// The rule that withholds the column's values.
    pub sensitive: Option<String>,
    /// What is known about its values.
    pub statistics: Option<ColumnStatistics>,
    /// Its possible values: the labels of its type, or a small set if the configuration publishes it.
    pub labels: Vec<String>,
}

/// The names of the sensitive columns.
pub(super) fn sensitive_names(columns: &[ColumnDoc]) -> Vec<&str> {
    columns.iter().filter(|column| column.sensitive.is_some()).map(|column| column.name.as_str()).collect()
}

/// An index as described by a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexDoc {
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<String>,
    /// Whether it is unique: among all rows, or only among those that it holds.
    pub unique: bool,
    /// Whether it holds only some of the rows.
    #[serde(default, rename = "partial", skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

impl IndexDoc {
    /// `unique`, and over which rows, in words; empty for a plain index over all rows.
    pub(super) fn kind(&self) -> &'static str {
        match (self.unique, self.is_partial) {
            (true, false) => "unique",
            (true, true) => "unique among some rows",
            (false, true) => "some rows",
            (false, false) => "",
        }
    }
}

/// A foreign key as described by a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForeignKeyDoc {
    /// Its name, if it has one.
    pub constraint_name: Option<String>,
    /// The columns here.
    pub columns: Vec<String>,
    /// `schema.table`.
    pub referenced_table: String,
    /// The columns there.
    pub referenced_columns: Vec<String>,
    /// `many_to_one` or `one_to_one`.
    pub cardinality: String,
    /// What happens here when the row there is deleted.
    pub on_delete: String,
    /// Whether the other table, or one of the columns there, does not exist.
    #[serde(rename = "missing", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_missing: bool,
}

/// What a join of two tables is based on, most certain first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JoinSource {
    /// A foreign key.
    #[default]
    Key,
    /// A person's note.
    Note,
    /// Names and types.
    Inferred,
}

impl JoinSource {
    /// The word after a join without a key; empty for a key.
    pub fn word(self) -> &'static str {
        match self {
            Self::Key => "",
            Self::Note => "noted",
            Self::Inferred => "inferred",
        }
    }

    /// The same with the reason, if there is one.
    pub fn reason(self, because: &str) -> String {
        if because.is_empty() { self.word().to_owned() } else { format!("{}: {because}", self.word()) }
    }

    /// For a page that does not say it.
    fn of_join_without_key() -> Self {
        Self::Inferred
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde passes it")]
    fn is_key(&self) -> bool {
        *self == Self::Key
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "as serde passes it")]
    fn is_inferred(&self) -> bool {
        *self == Self::Inferred
    }
}

/// A key of another table that refers to this one, or a join without a key.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ReferenceDoc {
    /// `schema.table` of the other one.
    pub table: String,
    /// The columns there.
    pub columns: Vec<String>,
    /// The columns here.
    pub referenced_columns: Vec<String>,
    /// The name of the key, if it has one.
    pub constraint_name: Option<String>,
    /// What it is based on.
    #[serde(default, skip_serializing_if = "JoinSource::is_key")]
    pub source: JoinSource,
    /// Why, or under which condition, if a person noted it; the other page has the reason of an inferred join.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
}

/// An inferred or noted join as described by a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferredJoinDoc {
    /// The columns here.
    pub columns: Vec<String>,
    /// `schema.table`.
    pub referenced_table: String,
    /// The columns there.
    pub referenced_columns: Vec<String>,
    /// Why; may be empty if a person noted it.
    pub because: String,
    /// How certain it is.
    pub confidence: Confidence,
    /// What it is based on.
    #[serde(default = "JoinSource::of_join_without_key", skip_serializing_if = "JoinSource::is_inferred")]
    pub source: JoinSource,
    /// `many_to_one`, `one_to_one`, `one_to_many` or `many_to_many`, if a note says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<String>,
}

/// A join with a table that this one refers to, by a key or without one.
#[derive(Debug, Clone, Copy)]
pub struct JoinDoc<'d> {
    /// What it is based on.
    pub source: JoinSource,
    /// The columns here.
    pub columns: &'d [String],
    /// `schema.table`.
    pub referenced_table: &'d str,
    /// The columns there.
    pub referenced_columns: &'d [String],
    /// `many_to_one` or the like; without a key as its note states, or empty.
    pub cardinality: &'d str,
    /// Why; empty for a key.
    pub because: &'d str,
}

impl TableDoc {
    /// The page for programs.
    pub fn json(&self) -> String {
        // Texts, numbers and lists always serialize.
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{}\n", refdesk_text::escape::json(&text))
    }

    /// The page for programs without line breaks, if it would be too large.
    pub(super) fn compact_json(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        format!("{}\n", refdesk_text::escape::json(&text))
    }

    /// Its joins with the tables that it refers to: keys to tables and columns that exist, then joins without a key.
    pub fn joins(&self) -> impl Iterator<Item = JoinDoc<'_>> {
        let keys = self.foreign_keys.iter().filter(|key| !key.is_missing).map(|key| JoinDoc {
            source: JoinSource::Key,
            columns: &key.columns,
            referenced_table: &key.referenced_table,
            referenced_columns: &key.referenced_columns,
            cardinality: &key.cardinality,
            because: "",
        });
        let others = self.inferred_joins.iter().map(|join| JoinDoc {
            source: join.source,
            columns: &join.columns,
            referenced_table: &join.referenced_table,
            referenced_columns: &join.referenced_columns,
            cardinality: join.cardinality.as_deref().unwrap_or_default(),
            because: &join.because,
        });
        keys.chain(others)
    }

    /// The description's first sentence.
    pub fn first_sentence(&self) -> &str {
        first_sentence(&self.description)
    }
}

/// A text up to the end of its first sentence, or its first line.
pub(crate) fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |at| at + 1);
    line.get(..end).unwrap_or(line)
}
