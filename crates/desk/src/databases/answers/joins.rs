//! How tables are joined: the paths between two of them, and the most important joins. The pages of both tables contain
//! a join, so an agent that may read one of them may see it.

use std::collections::HashMap;
use std::sync::Arc;

use refdesk_database::schema::join_path::{HOPS, JoinPaths, JoinTable, join_paths};
use refdesk_database::schema::table_doc::TableDoc;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};
use serde::Serialize;

use super::view::DatabaseView;
use super::{AnswerSources, Answered};
use crate::databases::documented_pages::{DamagedPage, TablePage};

/// The paths between two tables.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundPaths {
    /// `schema.table`.
    pub source_table: String,
    /// `schema.table`.
    pub target_table: String,
    /// Their database.
    pub database: String,
    /// The paths, best first.
    pub paths: Vec<DescribedPath>,
    /// Why there is no path, and which tables are nearest.
    #[serde(skip)]
    pub problem: Option<Error>,
}

/// A path between two tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedPath {
    /// Its joins, in order.
    pub hops: Vec<DescribedHop>,
    /// The joins as SQL with quoted names; `None` if the reader may not read one of them.
    pub sql_snippet: Option<String>,
}

/// A join of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedHop {
    /// `schema.table`.
    pub from_table: String,
    /// `schema.table`.
    pub to_table: String,
    /// Every pair of columns, with quoted names; `None` if the reader may read neither page.
    pub on_clause: Option<String>,
    /// Whether the join is inferred rather than declared by a key; `None` if the reader may read neither page.
    pub inferred: Option<bool>,
}

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
    /// `many_to_one` or `one_to_one`; for an inferred join as its note states, or empty.
    pub cardinality: String,
    /// Whether it is inferred rather than declared by a key.
    pub inferred: bool,
    /// How many joins the reader may know about lead to `to_table`.
    pub joins_to_table: usize,
}

/// The most important joins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CommonJoins {
    /// The joins, those to the most joined tables first.
    pub relationships: Vec<DescribedJoin>,
    /// The number of all joins the reader may know about.
    pub total: usize,
}

impl DatabaseView {
    /// How two tables can be joined.
    ///
    /// # Errors
    /// A name is unknown or ambiguous.
    pub fn paths(&self, source: &str, target: &str, hops: Option<usize>) -> Result<Answered<FoundPaths>, Error> {
        let (from, to) = self.resolve_pair(source, target)?;
        let (Some(from_page), Some(to_page)) = (self.page(from), self.page(to)) else {
            return Err(Error::new(Code::UnknownTable, format!("no table is named '{source}'"), ""));
        };
        let (source, target) = (from_page.full_name(), to_page.full_name());
        let mut sources = AnswerSources::default();
        let answered = |paths, problem, sources| Answered {
            answer: FoundPaths {
                source_table: source.clone(),
                target_table: target.clone(),
                database: from_page.database.clone(),
                paths,
                problem,
            },
            sources,
        };
        let refused = |message: String, fix: String, sources| {
            answered(Vec::new(), Some(Error::new(Code::NoPath, message, fix)), sources)
        };
        let (one, other) = (one_line(&source), one_line(&target));
        if from_page.database != to_page.database {
            let (from, to) = (&from_page.database, &to_page.database);
            let message = format!("{one} is in the database '{from}' and {other} in '{to}'");
            return Ok(refused(message, "tables of different databases cannot be joined".to_owned(), sources));
        }
        if from == to {
            let message = format!("both tables are {one}");
            return Ok(refused(message, "name two different tables".to_owned(), sources));
        }
        let positions = self.tables(Some(&from_page.database), None);
        let read = self.pages.docs(&positions, self.now);
        sources.damaged.clone_from(&read.damaged);
        let tables = read.docs.iter().map(|(at, page, doc)| JoinTable {
            schema: &page.schema,
            table: &page.table,
            doc,
            is_readable: self.is_readable(*at),
        });
        let tables: Vec<JoinTable<'_>> = tables.collect();
        let most = hops.unwrap_or(HOPS).clamp(1, HOPS);
        let found = join_paths(&tables, &source, &target, most);
        let by_name: HashMap<String, usize> =
            positions.iter().filter_map(|at| Some((self.page(*at)?.full_name(), *at))).collect();
        let unknown = format!("cannot tell how {one} and {other} are joined");
        if let Some(problem) = DamagedPage::error(&read.damaged, &unknown).filter(|_| found.paths.is_empty()) {
            return Ok(answered(Vec::new(), Some(problem), sources));
        }
        if found.paths.is_empty() {
            let found = self.without_unread(found, [from, to], &by_name, &mut sources);
            let is_partly_read = !sources.select.is_empty();
            let are_read = [from, to].map(|end| self.is_readable(end));
            let message = no_path(&one, &other, &found, most, is_partly_read);
            return Ok(refused(message, nearest(&one, &other, &found, are_read), sources));
        }
        let paths = found.paths.into_iter().map(|path| {
            let mut is_told = true;
            let hops = path.hops.into_iter().map(|hop| {
                let ends = [&hop.from_table, &hop.to_table].map(|name| by_name.get(name).copied());
                let is_readable = self.quote_join(&ends, &mut sources);
                is_told &= is_readable;
                DescribedHop {
                    from_table: hop.from_table,
                    to_table: hop.to_table,
                    on_clause: is_readable.then_some(hop.on_clause),
                    inferred: is_readable.then_some(hop.inferred),
                }
            });
            let hops = hops.collect();
            DescribedPath { hops, sql_snippet: is_told.then_some(path.sql_snippet) }
        });
        let paths = paths.collect();
        Ok(answered(paths, None, sources))
    }

    /// Restricts what is near two unconnected tables to what the reader may know; records what is quoted, and what to
    /// select to see more.
    fn without_unread(
        &self,
        mut found: JoinPaths,
        ends: [usize; 2],
        by_name: &HashMap<String, usize>,
        sources: &mut AnswerSources,
    ) -> JoinPaths {
        let at = |name: &String| by_name.get(name).copied();
        // If that many joins are allowed, the path itself names its tables.
        if found.apart().is_some_and(|joins| joins <= HOPS) {
            return found;
        }
        if !found.longer.is_empty() {
            let mut is_told = true;
            for (one, other) in found.longer.iter().zip(found.longer.iter().skip(1)) {
                is_told &= self.quote_join(&[at(one), at(other)], sources);
            }
            if is_told {
                return found;
            }
            // Part of the path is on pages the reader may not read, so none of it is shown.
            found.longer.clear();
            sources.quoted.clear();
        }
        for (end, near) in ends.into_iter().zip([&found.near_source, &found.near_target]) {
            self.quote(end, sources);
            for name in near {
                self.quote_join(&[Some(end), at(name)], sources);
            }
        }
        for table in found.bridges.iter().flat_map(|bridge| [&bridge.from_table, &bridge.to_table]) {
            if let Some(at) = at(table) {
                self.quote(at, sources);
            }
        }
        found
    }

    /// The joins of the tables that are joined most. If the reader may read neither table of a join, only the sources
    /// to select are returned.
    ///
    /// # Errors
    /// The database or the domain is unknown.
    pub fn relationships(
        &self,
        database: Option<&str>,
        domain: Option<&str>,
        limit: usize,
    ) -> Result<Answered<CommonJoins>, Error> {
        self.check(database, domain)?;
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
        let mut counts: HashMap<(String, String), usize> = HashMap::new();
        for (_, page, doc) in &read.docs {
            for mut join in joins_of(doc) {
                let find = |name: &str| by_name.get(&(page.database.as_str(), name.to_owned()));
                // Skip a table without a page, or one the reader may not know about.
                let [Some(from), Some(to)] = [find(&join.from_table), find(&join.to_table)] else { continue };
                let is_wanted = domain.is_none_or(|domain| [from, to].iter().any(|(_, page)| page.domain == domain));
                let ends = [Some(from.0), Some(to.0)];
                if !self.is_readable(from.0) && !self.is_readable(to.0) {
                    if is_wanted && unread < limit {
                        unread += 1;
                        self.quote_join(&ends, &mut sources);
                    }
                    continue;
                }
                join.database.clone_from(&page.database);
                *counts.entry((join.database.clone(), join.to_table.clone())).or_default() += 1;
                if is_wanted {
                    joins.push((join, ends));
                }
            }
        }
        for (join, _) in &mut joins {
            let key = (join.database.clone(), join.to_table.clone());
            join.joins_to_table = counts.get(&key).copied().unwrap_or_default();
        }
        joins.sort_by(|(one, _), (other, _)| {
            let key = |join: &DescribedJoin| (join.inferred, std::cmp::Reverse(join.joins_to_table));
            key(one).cmp(&key(other)).then_with(|| {
                let name =
                    |join: &DescribedJoin| (join.to_table.clone(), join.from_table.clone(), join.from_columns.clone());
                name(one).cmp(&name(other))
            })
        });
        let total = joins.len();
        let relationships = joins.into_iter().take(limit).map(|(join, ends)| {
            self.quote_join(&ends, &mut sources);
            join
        });
        let relationships = relationships.collect();
        Ok(Answered { answer: CommonJoins { relationships, total }, sources })
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

/// The joins on a table's page, declared ones first.
pub(super) fn joins_of(doc: &Arc<TableDoc>) -> impl Iterator<Item = DescribedJoin> + '_ {
    let join = |to: &str, from_columns: &[String], to_columns: &[String], cardinality: &str, inferred| DescribedJoin {
        database: String::new(),
        from_table: doc.fully_qualified_name.clone(),
        from_columns: from_columns.to_vec(),
        to_table: to.to_owned(),
        to_columns: to_columns.to_vec(),
        cardinality: cardinality.to_owned(),
        inferred,
        joins_to_table: 0,
    };
    let keys = doc
        .foreign_keys
        .iter()
        .map(move |key| join(&key.referenced_table, &key.columns, &key.referenced_columns, &key.cardinality, false));
    let inferred = doc.inferred_joins.iter().map(move |it| {
        let cardinality = it.cardinality.as_deref().unwrap_or_default();
        join(&it.referenced_table, &it.columns, &it.referenced_columns, cardinality, true)
    });
    keys.chain(inferred)
}

fn no_path(source: &str, target: &str, found: &JoinPaths, most: usize, is_partly_read: bool) -> String {
    match found.longer.len() {
        _ if found.is_cut_short => format!(
            "there are too many paths from {source} to try them all; none of those tried reaches {target} within {}",
            counted(most, "join")
        ),
        0 if is_partly_read => format!("no path of at most {} leads from {source} to {target}", counted(most, "join")),
        0 => format!("no join path leads from {source} to {target}"),
        tables => format!("{source} and {target} are {} joins apart, but the search is limited to {most}", tables - 1),
    }
}

/// Hints for connecting two tables that have no path.
fn nearest(source: &str, target: &str, found: &JoinPaths, are_read: [bool; 2]) -> String {
    if let Some(joins) = found.apart().filter(|joins| *joins <= HOPS) {
        return format!("set max hops to {joins}");
    }
    if found.longer.len() > 2 {
        let middle = found.longer.get(found.longer.len() / 2).map(|name| one_line(name)).unwrap_or_default();
        return format!("ask for the paths to and from {middle}, which is halfway");
    }
    let near = |table: &str, others: &[String], is_read: bool| match others {
        [] => is_read.then(|| format!("{table} has no joins")),
        others => Some(format!("{table} is joined with {}", one_line(&others.join(", ")))),
    };
    let [is_source_read, is_target_read] = are_read;
    let near = [near(source, &found.near_source, is_source_read), near(target, &found.near_target, is_target_read)];
    let mut all: Vec<String> = near.into_iter().flatten().collect();
    if !found.bridges.is_empty() {
        let pairs: Vec<String> =
            found.bridges.iter().map(|bridge| format!("{} and {}", bridge.from, bridge.to)).collect();
        all.push(format!("columns with the same name and type: {}", one_line(&pairs.join(", "))));
    }
    all.join("; ")
}
