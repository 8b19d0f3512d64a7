//! How two tables can be joined: the paths between them, or what is near them.

use std::collections::HashMap;

use refdesk_database::schema::join_path::{HOPS, JoinPath, JoinPaths, JoinTable, join_paths, own_joins};
use refdesk_database::schema::table_doc::JoinSource;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};
use serde::Serialize;

use super::joins::joins_of;
use super::usage::is_zero;
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
    /// Whether the join is inferred rather than declared by a key or noted by a person; `None` if the reader may read
    /// neither page.
    pub inferred: Option<bool>,
    /// Whether a person noted it; false if the reader may read neither page.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noted: bool,
    /// Why, or under which condition; empty for a key, or if the reader may read neither page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// `many_to_one`, `one_to_many` or `one_to_one`; empty if unknown, or if the reader may read neither page.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub cardinality: String,
    /// Whether the table before and the next one both refer to the one between them, so that their rows are combined.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub multiplies_rows: bool,
    /// The columns by which else the one table refers to the other; some of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub or_by: Vec<Vec<String>>,
    /// The number of others.
    #[serde(skip_serializing_if = "is_zero")]
    pub or_by_left_out: usize,
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
        let mut sources = AnswerSources::default();
        let most = hops.unwrap_or(HOPS).clamp(1, HOPS);
        let (paths, problem) = match self.paths_between([(from, from_page), (to, to_page)], most, &mut sources) {
            Ok(paths) => (paths, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let answer = FoundPaths {
            source_table: from_page.full_name(),
            target_table: to_page.full_name(),
            database: from_page.database.clone(),
            paths,
            problem,
        };
        Ok(Answered { answer, sources })
    }

    /// The paths of at most `most` joins between two tables, or why there is none.
    fn paths_between(
        &self,
        [(from, from_page), (to, to_page)]: [(usize, &TablePage); 2],
        most: usize,
        sources: &mut AnswerSources,
    ) -> Result<Vec<DescribedPath>, Error> {
        let (source, target) = (from_page.full_name(), to_page.full_name());
        let (one, other) = (one_line(&source), one_line(&target));
        if from_page.database != to_page.database {
            let (from, to) = (&from_page.database, &to_page.database);
            let message = format!("{one} is in the database '{from}' and {other} in '{to}'");
            return Err(Error::new(Code::NoPath, message, "tables of different databases cannot be joined"));
        }
        if from == to {
            let own = self.own_joins(from, from_page, sources)?;
            if !own.is_empty() {
                return Ok(own);
            }
            let why = if self.quote(from, sources) { ", which is not joined with itself" } else { "" };
            return Err(Error::new(Code::NoPath, format!("both tables are {one}{why}"), "name two different tables"));
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
        let found = join_paths(&tables, &source, &target, most);
        let by_name: HashMap<String, usize> =
            positions.iter().filter_map(|at| Some((self.page(*at)?.full_name(), *at))).collect();
        if !found.paths.is_empty() {
            return Ok(found.paths.into_iter().map(|path| self.described_path(path, &by_name, sources)).collect());
        }
        let unknown = format!("cannot tell how {one} and {other} are joined");
        if let Some(problem) = DamagedPage::error(&read.damaged, &unknown) {
            return Err(problem);
        }
        let found = self.without_unread(found, [from, to], &by_name, sources);
        let is_partly_read = !sources.select.is_empty();
        let alone = [from, to].map(|end| {
            let doc = read.docs.iter().find(|(at, ..)| *at == end).map(|(.., doc)| doc)?;
            let joins_itself = joins_of(doc).any(|join| join.to_table == doc.fully_qualified_name);
            let words = if joins_itself { "is joined only with itself" } else { "has no joins" };
            self.is_readable(end).then_some(words)
        });
        let message = no_path(&one, &other, &found, most, is_partly_read);
        Err(Error::new(Code::NoPath, message, nearest(&one, &other, &found, alone)))
    }

    /// The joins of a table with itself. If the reader may not read its page, they are only counted.
    fn own_joins(&self, at: usize, page: &TablePage, sources: &mut AnswerSources) -> Result<Vec<DescribedPath>, Error> {
        let read = self.pages.docs(&[at], self.now);
        let name = page.full_name();
        let unknown = format!("cannot tell how {} is joined", one_line(&name));
        if let Some(problem) = DamagedPage::error(&read.damaged, &unknown) {
            return Err(problem);
        }
        let is_readable = self.is_readable(at);
        let of = |doc| own_joins(&JoinTable { schema: &page.schema, table: &page.table, doc, is_readable });
        let own: Vec<JoinPath> = read.docs.iter().flat_map(|(.., doc)| of(doc)).collect();
        let by_name = HashMap::from([(name, at)]);
        Ok(own.into_iter().map(|path| self.described_path(path, &by_name, sources)).collect())
    }

    /// A path as far as the reader may know it; records what is quoted.
    fn described_path(
        &self,
        path: JoinPath,
        by_name: &HashMap<String, usize>,
        sources: &mut AnswerSources,
    ) -> DescribedPath {
        let mut is_told = true;
        let hops = path.hops.into_iter().map(|hop| {
            let ends = [&hop.from_table, &hop.to_table].map(|name| by_name.get(name).copied());
            let is_readable = self.quote_join(&ends, sources);
            is_told &= is_readable;
            DescribedHop {
                from_table: hop.from_table,
                to_table: hop.to_table,
                on_clause: is_readable.then_some(hop.on_clause),
                inferred: is_readable.then_some(hop.source == JoinSource::Inferred),
                noted: is_readable && hop.source == JoinSource::Note,
                because: if is_readable { hop.because } else { String::new() },
                cardinality: if is_readable { hop.cardinality } else { String::new() },
                multiplies_rows: is_readable && hop.multiplies_rows,
                or_by: if is_readable { hop.or_by } else { Vec::new() },
                or_by_left_out: if is_readable { hop.or_by_left_out } else { 0 },
            }
        });
        let hops = hops.collect();
        DescribedPath { hops, sql_snippet: is_told.then_some(path.sql_snippet) }
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
        found.refused = found.refused.filter(|turn| {
            let [one, other] = &turn.targets;
            let joins = [one, other].map(|target| self.quote_join(&[at(&turn.table), at(target)], sources));
            joins == [true; 2]
        });
        for table in found.bridges.iter().flat_map(|bridge| [&bridge.from_table, &bridge.to_table]) {
            if let Some(at) = at(table) {
                self.quote(at, sources);
            }
        }
        found
    }
}

fn no_path(source: &str, target: &str, found: &JoinPaths, most: usize, is_partly_read: bool) -> String {
    match found.longer.len() {
        _ if found.is_cut_short => format!(
            "there are too many paths from {source} to try them all; none of those tried reaches {target} within {}",
            counted(most, "join")
        ),
        0 if is_partly_read => format!("no path of at most {} leads from {source} to {target}", counted(most, "join")),
        0 => {
            let why = found.refused.as_ref().map(|turn| {
                let (columns, [one, other]) = (turn.columns.join(", "), &turn.targets);
                let refer = if turn.columns.len() == 1 { "refers" } else { "refer" };
                let why = format!("{columns} of {} {refer} to either {one} or {other}, never to both", turn.table);
                format!(": {}", one_line(&why))
            });
            format!("no join path leads from {source} to {target}{}", why.unwrap_or_default())
        }
        tables => format!("{source} and {target} are {} joins apart, but the search is limited to {most}", tables - 1),
    }
}

/// Hints for connecting two tables that have no path; `alone` says what is known of each if no table is near it.
fn nearest(source: &str, target: &str, found: &JoinPaths, alone: [Option<&str>; 2]) -> Fix {
    if let Some(joins) = found.apart().filter(|joins| *joins <= HOPS) {
        return Fix::MoreJoins(joins);
    }
    if found.longer.len() > 2 {
        let middle = found.longer.get(found.longer.len() / 2).map(|name| one_line(name)).unwrap_or_default();
        return format!("ask for the paths to and from {middle}, which is halfway").into();
    }
    let near = |table: &str, others: &[String], alone: Option<&str>| match others {
        [] => alone.map(|words| format!("{table} {words}")),
        others => Some(format!("{table} is joined with {}", one_line(&others.join(", ")))),
    };
    let [source_alone, target_alone] = alone;
    let near = [near(source, &found.near_source, source_alone), near(target, &found.near_target, target_alone)];
    let mut all: Vec<String> = near.into_iter().flatten().collect();
    if !found.bridges.is_empty() {
        let pairs: Vec<String> =
            found.bridges.iter().map(|bridge| format!("{} and {}", bridge.from, bridge.to)).collect();
        all.push(format!("columns with the same name and type: {}", one_line(&pairs.join(", "))));
    }
    all.join("; ").into()
}
