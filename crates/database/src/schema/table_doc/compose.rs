//! Composes what the pages contain about tables from the schema, a person's notes, the inferred joins and what was read.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rayon::prelude::*;
use refdesk_text::shorten::shortened;

use super::{
    ColumnDoc, DescriptionSource, ForeignKeyDoc, IndexDoc, InferredJoinDoc, JoinSource, ReferenceDoc, TableDoc,
};
use crate::config::DatabaseConfig;
use crate::names::short_names::ShortNames;
use crate::schema::describe;
use crate::schema::joins::{InferredJoin, InferredJoins};
use crate::schema::missing_target::MissingTarget;
use crate::schema::notes::Notes;
use crate::schema::sensitive_columns::SensitiveColumns;
use crate::sensitive::SensitiveRule;
use crate::sensitive::{comments, literals};
use crate::snapshot::{Column, ForeignKey, IndexInfo, Snapshot, Table, TableName};
use crate::statistics::{ColumnProfile, TableProfile, to_two_digits};

/// Most characters of a description in a page.
const DESCRIPTION: usize = 2_000;

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
            let keys = table.distinct_keys().into_iter();
            for key in keys.filter(|key| self.missing_target(key).is_none()) {
                references.entry(key.target.clone()).or_default().push(ReferenceDoc {
                    table: table.full_name(),
                    columns: key.columns.clone(),
                    referenced_columns: key.target_columns.clone(),
                    constraint_name: key.name.clone(),
                    source: JoinSource::Key,
                    because: String::new(),
                });
            }
        }
        for (table, joins) in &self.joins.of {
            for join in joins {
                references.entry(join.target.clone()).or_default().push(ReferenceDoc {
                    table: table.full(),
                    columns: join.columns.clone(),
                    referenced_columns: join.target_columns.clone(),
                    constraint_name: None,
                    source: source(join),
                    because: if join.is_noted { join.because.clone() } else { String::new() },
                });
            }
        }
        let order = |one: &ReferenceDoc, other: &ReferenceDoc| (one.source, one).cmp(&(other.source, other));
        references.values_mut().for_each(|references| references.sort_by(order));
        let none = Vec::new();
        let names = ShortNames::of(self.snapshot.tables.iter().map(|table| table.name.as_str()));
        let name = |table: &TableName| names.name(&table.schema, &table.name);
        let sensitive = SensitiveColumns::new(self.config, self.snapshot, self.joins, self.profiles);
        let doc = |table: &Table| {
            self.doc(table, sensitive.of(table), references.get(&table.table_name()).unwrap_or(&none), &name)
        };
        self.snapshot.tables.par_iter().map(doc).collect()
    }

    /// `rules` are why columns are sensitive. `name` names a table: with its schema if several tables have the name.
    fn doc(
        &self,
        table: &Table,
        rules: &[Option<SensitiveRule>],
        referenced_by: &[ReferenceDoc],
        name: &dyn Fn(&TableName) -> String,
    ) -> TableDoc {
        let note = self.notes.table(table);
        let noted = note.and_then(|note| note.description.as_deref());
        let (description, source) = description(noted, table.comment.as_deref(), || {
            describe::table(table, &referring(table, referenced_by, name), &|key| self.missing_target(key), name)
        });
        let profile = self.profiles.get(&table.table_name());
        let profile_of = |column: &Column| profile.and_then(|profile| profile.get(&column.name));
        let with_rules = || table.columns.iter().zip(rules);
        let sensitive: Vec<&str> =
            with_rules().filter(|(_, rule)| rule.is_some()).map(|(column, _)| column.name.as_str()).collect();
        let column = |(column, rule): (&Column, &Option<SensitiveRule>)| {
            let noted = note.and_then(|note| note.columns.get(&column.name)).map(String::as_str);
            let column = literals::without_values(column, &sensitive);
            let is_missing = |key: &ForeignKey| self.missing_target(key).is_some();
            let rule_based = describe::column(&self.config.connection, table, &column, &is_missing, name);
            // Another table may have shown that the column is sensitive.
            let profile = profile_of(&column).map(|profile| match rule {
                Some(_) => Cow::Owned(profile.of_sensitive()),
                None => Cow::Borrowed(profile),
            });
            self.column(&column, rule_based, noted, profile.as_deref(), rule.as_ref())
        };
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
            columns: with_rules().map(column).collect(),
            exclusions: table.exclusions.iter().map(|it| literals::check(&it.expression, &sensitive)).collect(),
            row_security: table.row_security,
            partitioned_by: table.partitioned_by.clone(),
            indexes: table.indexes.iter().map(index).collect(),
            foreign_keys: table.distinct_keys().iter().map(|key| self.foreign_key(table, key)).collect(),
            constraint_comments: constraint_comments(table),
            referenced_by: referenced_by.to_vec(),
            inferred_joins: inferred.iter().map(inferred_join).collect(),
        }
    }

    fn column(
        &self,
        column: &Column,
        (rule_text, says_all): (String, bool),
        note: Option<&str>,
        profile: Option<&ColumnProfile>,
        sensitive: Option<&SensitiveRule>,
    ) -> ColumnDoc {
        let comment = column.comment.as_deref().or(column.type_comment.as_deref());
        let (description, source) = description(note, comment, || rule_text);
        let mut labels = column.labels.clone();
        if labels.is_empty() && self.config.publish_values && sensitive.is_none() {
            labels = profile.and_then(|profile| profile.values.clone()).unwrap_or_default();
        }
        ColumnDoc {
            name: column.name.clone(),
            data_type: column.data_type.clone(),
            base_type: column.base_type.clone(),
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

    fn missing_target<'k>(&self, key: &'k ForeignKey) -> Option<MissingTarget<'k>> {
        MissingTarget::of(key, self.config, self.snapshot)
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
            is_missing: self.missing_target(key).is_some(),
        }
    }
}

/// The names of the other tables whose keys refer to this one.
fn referring(table: &Table, referenced_by: &[ReferenceDoc], name: &dyn Fn(&TableName) -> String) -> Vec<String> {
    let mut others: Vec<String> = Vec::new();
    for reference in referenced_by.iter().filter(|reference| reference.source == JoinSource::Key) {
        let name = TableName::of_full(&reference.table).map_or(reference.table.clone(), |table| name(&table));
        if !others.contains(&name) && reference.table != table.full_name() {
            others.push(name);
        }
    }
    others
}

fn index(index: &IndexInfo) -> IndexDoc {
    IndexDoc {
        name: index.name.clone(),
        columns: index.columns.clone(),
        unique: index.is_unique,
        is_partial: index.is_partial,
    }
}

fn source(join: &InferredJoin) -> JoinSource {
    if join.is_noted { JoinSource::Note } else { JoinSource::Inferred }
}

fn inferred_join(join: &InferredJoin) -> InferredJoinDoc {
    InferredJoinDoc {
        columns: join.columns.clone(),
        referenced_table: join.target.full(),
        referenced_columns: join.target_columns.clone(),
        because: join.because.clone(),
        confidence: join.confidence,
        source: source(join),
        cardinality: join.cardinality.map(str::to_owned),
    }
}

fn constraint_comments(table: &Table) -> BTreeMap<String, String> {
    let comments = table.constraint_comments.iter().map(|(name, comment)| {
        (name.clone(), shortened(comments::without_values(comment).trim().to_owned(), DESCRIPTION))
    });
    comments.filter(|(_, comment)| !comment.is_empty()).collect()
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
