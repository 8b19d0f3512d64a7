//! Everything that a page contains about a table, as a value: its JSON is the page for programs, its Markdown the one
//! for people. Joins are read from this value, never from prose.

use std::collections::BTreeMap;

use rayon::prelude::*;
use refdesk_text::shorten::shortened;
use serde::{Deserialize, Serialize};

use super::describe;
use super::joins::{Confidence, InferredJoins};
use super::notes::Notes;
use crate::config::DatabaseConfig;
use crate::sensitive::{SensitiveRule, by_name_and_type};
use crate::sensitive::{comments, literals};
use crate::snapshot::{Column, ForeignKey, Snapshot, Table, TableKind, TableName};
use crate::statistics::{ColumnProfile, ColumnStatistics, TableProfile, to_two_digits};

/// Most characters of a description in a page.
const DESCRIPTION: usize = 2_000;

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
    /// Indexes.
    pub indexes: Vec<IndexDoc>,
    /// Its keys to other tables.
    pub foreign_keys: Vec<ForeignKeyDoc>,
    /// Keys of other tables that refer to it.
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
    /// Whether it is unique.
    pub unique: bool,
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
    /// Whether the other table does not exist.
    #[serde(rename = "missing", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_missing: bool,
}

/// A key of another table that refers to this one.
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
}

/// An inferred join as described by a page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InferredJoinDoc {
    /// The columns here.
    pub columns: Vec<String>,
    /// `schema.table`.
    pub referenced_table: String,
    /// The columns there.
    pub referenced_columns: Vec<String>,
    /// Why.
    pub because: String,
    /// How certain it is.
    pub confidence: Confidence,
    /// `many_to_one`, `one_to_one`, `one_to_many` or `many_to_many`, if a note says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cardinality: Option<String>,
}

/// The input of a table's documentation.
#[derive(Debug, Clone, Copy)]
pub struct DocInput<'a> {
    /// The configuration of the database.
    pub config: &'a DatabaseConfig,
    /// Its schema.
    pub snapshot: &'a Snapshot,
    /// A person's notes.
    pub notes: &'a Notes,
    /// Joins without a key.
    pub joins: &'a InferredJoins,
    /// What was read about values.
    pub profiles: &'a BTreeMap<TableName, TableProfile>,
}

impl DocInput<'_> {
    /// Every table, in the order of the snapshot.
    pub fn docs(&self) -> Vec<TableDoc> {
        let mut references: BTreeMap<TableName, Vec<ReferenceDoc>> = BTreeMap::new();
        for table in &self.snapshot.tables {
            for key in &table.foreign_keys {
                references.entry(key.target.clone()).or_default().push(ReferenceDoc {
                    table: table.full_name(),
                    columns: key.columns.clone(),
                    referenced_columns: key.target_columns.clone(),
                    constraint_name: key.name.clone(),
                });
            }
        }
        references.values_mut().for_each(|references| references.sort());
        let none = Vec::new();
        let doc = |table: &Table| self.doc(table, references.get(&table.table_name()).unwrap_or(&none));
        self.snapshot.tables.par_iter().map(doc).collect()
    }

    fn doc(&self, table: &Table, referenced_by: &[ReferenceDoc]) -> TableDoc {
        let note = self.notes.table(table);
        let mut others: Vec<String> = Vec::new();
        for reference in referenced_by {
            let name = TableName::of_full(&reference.table).map_or(reference.table.clone(), |table| table.name);
            if !others.contains(&name) && reference.table != table.full_name() {
                others.push(name);
            }
        }
        let (description, source) =
            description(note.and_then(|note| note.description.as_deref()), table.comment.as_deref(), || {
                describe::table(table, &others, &|name| self.is_missing(name))
            });
        let profile = self.profiles.get(&table.table_name());
        let profile_of = |column: &Column| profile.and_then(|profile| profile.columns.get(&column.name));
        let rules: Vec<Option<SensitiveRule>> = table
            .columns
            .iter()
            .map(|column| match profile_of(column) {
                Some(profile) => profile.sensitive.clone(),
                None => by_name_and_type(self.config, table, column),
            })
            .collect();
        let with_rules = || table.columns.iter().zip(&rules);
        let sensitive: Vec<&str> =
            with_rules().filter(|(_, rule)| rule.is_some()).map(|(column, _)| column.name.as_str()).collect();
        let column = |(column, rule): (&Column, &Option<SensitiveRule>)| {
            let noted = note.and_then(|note| note.columns.get(&column.name)).map(String::as_str);
            self.column(table, &literals::without_values(column, &sensitive), noted, profile_of(column), rule.as_ref())
        };
        let columns: Vec<ColumnDoc> = with_rules().map(column).collect();
        let inferred = self.joins.of.get(&table.table_name()).map_or(&[][..], Vec::as_slice);
        TableDoc {
            fully_qualified_name: table.full_name(),
            kind: table.kind,
            description,
            source,
            confidence: None,
            row_count_approx: table.row_estimate.map(to_two_digits),
            primary_key: table.primary_key.as_ref().map(|key| key.columns.clone()).unwrap_or_default(),
            unique: table.unique.iter().map(|key| key.columns.clone()).collect(),
            checks: table.checks.iter().map(|check| literals::check(&check.expression, &sensitive)).collect(),
            columns,
            indexes: table
                .indexes
                .iter()
                .map(|it| IndexDoc { name: it.name.clone(), columns: it.columns.clone(), unique: it.is_unique })
                .collect(),
            foreign_keys: table.foreign_keys.iter().map(|key| self.foreign_key(table, key)).collect(),
            constraint_comments: table
                .constraint_comments
                .iter()
                .map(|(name, comment)| {
                    (name.clone(), shortened(comments::without_values(comment).trim().to_owned(), DESCRIPTION))
                })
                .filter(|(_, comment)| !comment.is_empty())
                .collect(),
            referenced_by: referenced_by.to_vec(),
            inferred_joins: inferred
                .iter()
                .map(|join| InferredJoinDoc {
                    columns: join.columns.clone(),
                    referenced_table: join.target.full(),
                    referenced_columns: join.target_columns.clone(),
                    because: join.because.clone(),
                    confidence: join.confidence,
                    cardinality: join.cardinality.map(str::to_owned),
                })
                .collect(),
        }
    }

    fn column(
        &self,
        table: &Table,
        column: &Column,
        note: Option<&str>,
        profile: Option<&ColumnProfile>,
        sensitive: Option<&SensitiveRule>,
    ) -> ColumnDoc {
        let (rule_text, says_all) = describe::column(table, column, &|name| self.is_missing(name));
        let comment = column.comment.as_deref().or(column.type_comment.as_deref());
        let (description, source) = description(note, comment, || rule_text);
        let mut labels = column.labels.clone();
        if labels.is_empty() && self.config.publish_values && sensitive.is_none() {
            labels = profile.and_then(|profile| profile.values.clone()).unwrap_or_default();
        }
        ColumnDoc {
            name: column.name.clone(),
            data_type: column.data_type.clone(),
            nullable: column.nullable,
            default: column.default.clone(),
            description,
            source,
            asked: says_all.then_some(false),
            sensitive: sensitive.map(SensitiveRule::words),
            statistics: profile.map(|profile| profile.statistics.clone()),
            labels,
        }
    }

    /// Whether a table does not exist; one that the configuration excludes does.
    fn is_missing(&self, name: &TableName) -> bool {
        !self.snapshot.has_table(name) && self.config.wants_table(&name.schema, &name.name)
    }

    fn foreign_key(&self, table: &Table, key: &ForeignKey) -> ForeignKeyDoc {
        let is_unique = table.is_unique_by(&key.columns);
        ForeignKeyDoc {
            constraint_name: key.name.clone(),
            columns: key.columns.clone(),
            referenced_table: key.target.full(),
            referenced_columns: key.target_columns.clone(),
            cardinality: if is_unique { "one_to_one" } else { "many_to_one" }.to_owned(),
            on_delete: key.on_delete.clone(),
            is_missing: self.is_missing(&key.target),
        }
    }
}

fn description(
    note: Option<&str>,
    comment: Option<&str>,
    rule: impl FnOnce() -> String,
) -> (String, DescriptionSource) {
    let usable = |text: &str| !text.trim().is_empty();
    let comment = comment.map(comments::without_values);
    let comment = comment.as_deref().filter(|it| usable(it));
    let (text, source) = match (note.filter(|it| usable(it)), comment) {
        (Some(note), _) => (note.to_owned(), DescriptionSource::Note),
        (None, Some(comment)) => (comment.to_owned(), DescriptionSource::Comment),
        (None, None) => (rule(), DescriptionSource::Fallback),
    };
    (shortened(text.trim().to_owned(), DESCRIPTION), source)
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

    /// The description's first sentence.
    pub fn first_sentence(&self) -> &str {
        first_sentence(&self.description)
    }
}

/// A text up to the end of its first sentence, or its first line.
pub(crate) fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let end = line.match_indices(". ").map(|(at, _)| at + 1).next();
    line.get(..end.unwrap_or(line.len())).unwrap_or(line)
}
