//! The joins of tables, and the most important ones. The pages of both tables contain a join, so an agent that may read
//! one of them may see it.

use std::collections::{HashMap, HashSet};

use refdesk_database::schema::join_path::reason;
use refdesk_database::schema::shared_joins::shared;
use refdesk_database::schema::table_doc::{JoinSource, TableDoc};
use refdesk_text::Error;
use serde::Serialize;

use super::usage::is_zero;
use super::view::DatabaseView;
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::TablePage;

/// A join between two tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedJoin {
    /// The database.
    pub database: String,
    /// `schema.table`.
    pub from_table: String,
    /// Its columns.
    pub from_columns: Vec<String>,
    /// `schema.table`.
    pub to_table: String,
    /// Its columns.
    pub to_columns: Vec<String>,
    /// `many_to_one` or `one_to_one`; for a join without a key as its note states, or empty.
    pub cardinality: String,
    /// Whether it is inferred rather than declared by a key or noted by a person.
    pub inferred: bool,
    /// Whether a person noted it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noted: bool,
    /// Why, or under which condition; empty for a key.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// How many joins the reader may know about lead to `to_table`, without those that many tables have.
    pub joins_to_table: usize,
}

/// A join that many tables of a database have, such as the one with the user who created a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedJoin {
    /// The database.
    pub database: String,
    /// `schema.table`.
    pub to_table: String,
    /// The columns of the tables that refer to it.
    pub from_columns: Vec<String>,
    /// Its columns.
    pub to_columns: Vec<String>,
    /// How many joins of the database this stands for, as far as the reader may know.
    pub joins: usize,
    /// How many of these are inferred.
    #[serde(skip_serializing_if = "is_zero")]
    pub inferred: usize,
}

/// The most important joins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonJoins {
    /// The joins, those to the most joined tables first.
    pub relationships: Vec<DescribedJoin>,
    /// The joins that many tables have, once for all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedJoin>,
    /// The number of all joins, including those left out.
    pub total: usize,
    /// The number of joins left out because of the limit, or because the reader may read neither table's page.
    #[serde(skip_serializing_if = "is_zero")]
    pub relationships_left_out: usize,
}

impl DatabaseView {
    /// The joins of the tables that are joined most. If the reader may read neither table of a join, it is only
    /// counted, and the sources to select are returned.
    ///
    /// # Errors
    /// The database or the domain is unknown.
    pub fn relationships(
        &self,
        database: Option<&str>,
        domain: Option<&str>,
        limit: usize,
    ) -> Result<Answered<CommonJoins>, Error> {
        let (database, domain) = self.resolve(database, domain)?;
        let positions = self.tables(database, None);
        let read = self.pages.docs(&positions, self.now);
        let by_name: HashMap<(&str, String), (usize, &TablePage)> = positions
            .iter()
            .filter_map(|at| {
                let page = self.page(*at)?;
                Some(((page.database.as_str(), page.full_name()), (*at, page)))
            })
            .collect();
        let mut sources = AnswerSources { damaged: read.damaged, ..AnswerSources::default() };
        let mut joins: Vec<(DescribedJoin, [Option<usize>; 2])> = Vec::new();
        let mut unread = 0;
        let mut known = KnownJoins::default();
        for (_, page, doc) in &read.docs {
            for mut join in joins_of(doc) {
                let find = |name: &str| by_name.get(&(page.database.as_str(), name.to_owned()));
                // Skip a table without a page, or one the reader may not know about.
                let [Some(from), Some(to)] = [find(&join.from_table), find(&join.to_table)] else { continue };
                let is_wanted = domain.is_none_or(|domain| [from, to].iter().any(|(_, page)| page.domain == domain));
                let ends = [Some(from.0), Some(to.0)];
                if !self.is_readable(from.0) && !self.is_readable(to.0) {
                    if is_wanted {
                        if unread < limit {
                            self.quote_join(&ends, &mut sources);
                        }
                        unread += 1;
                    }
                    continue;
                }
                join.database.clone_from(&page.database);
                known.add(&join);
                if is_wanted {
                    joins.push((join, ends));
                }
            }
        }
        let total = joins.len() + unread;
        let is_of = |at: &usize, database: &str| self.page(*at).is_some_and(|page| page.database == database);
        let tables = |database: &str| positions.iter().filter(|at| is_of(at, database)).count();
        let shared = known.take_shared(&mut joins, tables);
        let shared_count = total - unread - joins.len();
        let shared = shared.into_iter().map(|(shared, ends)| {
            self.quote_join(&ends, &mut sources);
            shared
        });
        let shared: Vec<SharedJoin> = shared.collect();
        joins.sort_by(|(one, _), (other, _)| {
            let key = |join: &DescribedJoin| (join.inferred, std::cmp::Reverse(join.joins_to_table));
            key(one).cmp(&key(other)).then_with(|| {
                let name =
                    |join: &DescribedJoin| (join.to_table.clone(), join.from_table.clone(), join.from_columns.clone());
                name(one).cmp(&name(other))
            })
        });
        let relationships = joins.into_iter().take(limit).map(|(join, ends)| {
            self.quote_join(&ends, &mut sources);
            join
        });
        let relationships: Vec<DescribedJoin> = relationships.collect();
        let relationships_left_out = total - shared_count - relationships.len();
        Ok(Answered { answer: CommonJoins { relationships, shared, total, relationships_left_out }, sources })
    }

    /// Records that a join is quoted from a table's page; returns whether the reader may read either page.
    pub(super) fn quote_join(&self, ends: &[Option<usize>], sources: &mut AnswerSources) -> bool {
        let readable = ends.iter().flatten().find(|at| self.is_readable(**at));
        if let Some(at) = readable {
            return self.quote(*at, sources);
        }
        for at in ends.iter().flatten() {
            self.quote(*at, sources);
        }
        false
    }
}

/// The positions of the two tables of a join.
type JoinEnds = [Option<usize>; 2];

/// The joins that the reader may know about.
#[derive(Default)]
pub(super) struct KnownJoins(Vec<DescribedJoin>);

/// The table of a join that refers, the one that it leads to, and the columns that refer.
type JoinInDatabase<'j> = (&'j str, &'j str, &'j [String]);

/// The database of a join, the table that it leads to, and the columns that refer.
type JoinKey<'j> = (&'j str, &'j str, &'j [String]);

impl KnownJoins {
    pub(super) fn add(&mut self, join: &DescribedJoin) {
        self.0.push(join.clone());
    }

    fn key(join: &DescribedJoin) -> JoinKey<'_> {
        (&join.database, &join.to_table, &join.from_columns)
    }

    /// The joins that many tables have, each with how often it occurs, and how often as an inferred one.
    fn shared(&self, tables: impl Fn(&str) -> usize) -> HashMap<JoinKey<'_>, (usize, usize)> {
        let mut of_databases: HashMap<&str, Vec<JoinInDatabase>> = HashMap::new();
        for join in &self.0 {
            let of_database = of_databases.entry(&join.database).or_default();
            of_database.push((&join.from_table, &join.to_table, &join.from_columns));
        }
        let of_databases = of_databases.into_iter().flat_map(|(database, joins)| {
            let shared = shared(&joins, tables(database));
            shared.into_iter().map(move |(table, columns)| (database, table, columns))
        });
        let keys: HashSet<JoinKey<'_>> = of_databases.collect();
        let mut counts: HashMap<JoinKey<'_>, (usize, usize)> = HashMap::new();
        for join in self.0.iter().filter(|join| keys.contains(&Self::key(join))) {
            let (all, inferred) = counts.entry(Self::key(join)).or_default();
            (*all, *inferred) = (*all + 1, *inferred + usize::from(join.inferred));
        }
        counts
    }

    /// Takes the joins that many tables have out of these, and returns each of them once, with its tables: first the one that
    /// the others refer to. Tells the others how many joins lead to the same table. `tables` counts those of a database.
    pub(super) fn take_shared(
        &self,
        joins: &mut Vec<(DescribedJoin, JoinEnds)>,
        tables: impl Fn(&str) -> usize,
    ) -> Vec<(SharedJoin, JoinEnds)> {
        let counts = self.shared(tables);
        let mut to_table: HashMap<(&str, &str), usize> = HashMap::new();
        for join in self.0.iter().filter(|join| !counts.contains_key(&Self::key(join))) {
            *to_table.entry((&join.database, &join.to_table)).or_default() += 1;
        }
        let mut shared: Vec<(SharedJoin, JoinEnds)> = Vec::new();
        joins.retain_mut(|(join, [from, to])| {
            join.joins_to_table =
                to_table.get(&(join.database.as_str(), join.to_table.as_str())).copied().unwrap_or_default();
            let Some((count, inferred)) = counts.get(&Self::key(join)) else { return true };
            let is_known = |(known, _): &(SharedJoin, JoinEnds)| {
                (&known.database, &known.to_table, &known.from_columns)
                    == (&join.database, &join.to_table, &join.from_columns)
            };
            if !shared.iter().any(is_known) {
                let shared_join = SharedJoin {
                    database: join.database.clone(),
                    to_table: join.to_table.clone(),
                    from_columns: join.from_columns.clone(),
                    to_columns: join.to_columns.clone(),
                    joins: *count,
                    inferred: *inferred,
                };
                shared.push((shared_join, [*to, *from]));
            }
            false
        });
        let order = |(join, _): &(SharedJoin, JoinEnds)| {
            (std::cmp::Reverse(join.joins), join.database.clone(), join.to_table.clone(), join.from_columns.clone())
        };
        shared.sort_by_key(order);
        shared
    }
}

/// The joins of a table with those that it refers to, declared ones first.
pub(super) fn joins_of(doc: &TableDoc) -> impl Iterator<Item = DescribedJoin> + '_ {
    doc.joins().map(|join| DescribedJoin {
        database: String::new(),
        from_table: doc.fully_qualified_name.clone(),
        from_columns: join.columns.to_vec(),
        to_table: join.referenced_table.to_owned(),
        to_columns: join.referenced_columns.to_vec(),
        cardinality: join.cardinality.to_owned(),
        inferred: join.source == JoinSource::Inferred,
        noted: join.source == JoinSource::Note,
        because: reason(join.because),
        joins_to_table: 0,
    })
}
