//! How two tables can be joined: by the fewest keys between them, and by inferred joins where there is no key. Two tables
//! that only refer to the same third one, such as the user who created the row, have little to do with each other, so such
//! a turn costs more the more tables refer to that one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use refdesk_text::escape::one_line;
use refdesk_text::names::either;
use refdesk_text::shorten::shortened;
use serde::Serialize;

use super::joins::is_array;
use super::table_doc::{JoinDoc, JoinSource, TableDoc};
use crate::names::quoted;

mod bridges;
#[cfg(test)]
mod tests;

use self::bridges::bridges;

/// Most joins of a path.
pub const HOPS: usize = 6;

/// Paths in an answer.
const PATHS: usize = 3;

/// The cost of a key, and of a join that a person noted; an inferred join costs as much as three and a bit more, so that
/// keys win between equal paths.
fn cost(source: JoinSource) -> usize {
    if source == JoinSource::Inferred { 31 } else { 10 }
}

/// The most that a turn costs in addition: as much as three keys.
const TURN: usize = 30;

/// The search ends after this many partial paths.
const TRIED: usize = 20_000;

/// Most joins of a table with itself in an answer.
const OWN_JOINS: usize = 10;

/// Most other joins of the same two tables that a hop names.
const OTHERS: usize = 3;

/// Most characters of the reason of a join in an answer.
const REASON: usize = 200;

/// Nearby tables that are named if there is no path.
const NEAR: usize = 5;

/// A path from one table to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinPath {
    /// One join each.
    pub hops: Vec<JoinHop>,
    /// The joins as SQL with quoted names.
    pub sql_snippet: String,
}

/// A join.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JoinHop {
    /// `schema.table`.
    pub from_table: String,
    /// `schema.table`.
    pub to_table: String,
    /// Every pair of columns, with quoted names.
    pub on_clause: String,
    /// What it is based on.
    pub source: JoinSource,
    /// Why, or under which condition; empty for a key.
    pub because: String,
    /// `many_to_one`, `one_to_many` or `one_to_one`; empty if unknown.
    pub cardinality: String,
    /// Whether the table before and this one refer to the one between them, so that their rows are combined with each other.
    pub multiplies_rows: bool,
    /// The columns by which else the same table refers to the other, by joins of the same source; some of them.
    pub or_by: Vec<Vec<String>>,
    /// The number of others.
    pub or_by_left_out: usize,
}

/// The answer to how two tables can be joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoinPaths {
    /// The best first.
    pub paths: Vec<JoinPath>,
    /// Whether the search ended before all paths were tried.
    pub is_cut_short: bool,
    /// If there is no path: the tables joined with the first one that the reader may know about.
    pub near_source: Vec<String>,
    /// The tables joined with the second one.
    pub near_target: Vec<String>,
    /// The tables on the best path, if it is longer than requested.
    pub longer: Vec<String>,
    /// Columns of the same name and type near both tables, on readable pages, if no path was found.
    pub bridges: Vec<PossibleJoin>,
    /// If the only way was refused: where.
    pub refused: Option<RefusedTurn>,
}

/// Columns that refer to either of two tables, so that no way leads from one to the other over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedTurn {
    /// `schema.table` of the columns.
    pub table: String,
    /// The columns.
    pub columns: Vec<String>,
    /// `schema.table` of the two others.
    pub targets: [String; 2],
}

impl JoinPaths {
    /// The number of joins between the two tables, if it is more than requested.
    pub fn apart(&self) -> Option<usize> {
        self.longer.len().checked_sub(1).filter(|joins| *joins > 0)
    }
}

/// Two columns that may have the same meaning, although no join connects them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PossibleJoin {
    /// `schema.table.column`, near the first table.
    pub from: String,
    /// Its table.
    pub from_table: String,
    /// The same near the second.
    pub to: String,
    /// Its table.
    pub to_table: String,
}

/// A table that can be joined.
#[derive(Debug, Clone, Copy)]
pub struct JoinTable<'a> {
    /// Its schema.
    pub schema: &'a str,
    /// Its name.
    pub table: &'a str,
    /// What its page says.
    pub doc: &'a TableDoc,
    /// Whether the reader may see the page.
    pub is_readable: bool,
}

impl JoinTable<'_> {
    fn full_name(&self) -> &str {
        &self.doc.fully_qualified_name
    }

    /// `"schema"."table"`.
    fn quoted(&self) -> String {
        format!("{}.{}", column(self.schema), column(self.table))
    }
}

struct Edge<'a> {
    to: usize,
    source: JoinSource,
    because: &'a str,
    /// From the table that refers to the other.
    cardinality: &'a str,
    /// Whether the table here is the one that refers to the other.
    refers: bool,
    /// Columns here and there.
    pairs: Vec<(String, String)>,
}

impl Edge<'_> {
    /// Whether the same columns refer to the table before and to this one, by a note: an owner is a customer or a supplier,
    /// never both. A value with two keys is in both tables.
    fn refers_otherwise(&self, before: &Self) -> bool {
        let there = before.pairs.iter().map(|(_, here)| here);
        (self.source == JoinSource::Note || before.source == JoinSource::Note)
            && self.refers
            && !before.refers
            && there.eq(self.pairs.iter().map(|(here, _)| here))
    }

    /// Whether many rows of the table before and many of the next one refer to the same row here.
    fn multiplies_after(&self, before: &Self) -> bool {
        before.arrives_from_many() && self.leads_to_many()
    }

    /// The cardinality in this direction.
    fn cardinality(&self) -> &str {
        match self.cardinality {
            "many_to_one" if !self.refers => "one_to_many",
            "one_to_many" if !self.refers => "many_to_one",
            known => known,
        }
    }

    /// The columns that refer.
    fn referring(&self) -> Vec<String> {
        self.pairs.iter().map(|(here, there)| if self.refers { here } else { there }).cloned().collect()
    }

    /// What distinguishes a path: joins of the same two tables in the same direction are named beside the first.
    fn way(&self) -> Way {
        (self.to, self.refers, self.source)
    }

    /// Whether many rows of the table here refer to the same row there.
    fn arrives_from_many(&self) -> bool {
        self.refers && self.is_many()
    }

    /// Whether many rows there refer to the same row here.
    fn leads_to_many(&self) -> bool {
        !self.refers && self.is_many()
    }

    fn is_many(&self) -> bool {
        self.cardinality != "one_to_one"
    }
}

/// The table that a join leads to, whether the one before refers to it, and what the join is based on.
type Way = (usize, bool, JoinSource);

/// The paths between two of these tables, with at most `most` joins.
pub fn join_paths(tables: &[JoinTable<'_>], source: &str, target: &str, most: usize) -> JoinPaths {
    let positions: HashMap<&str, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.full_name(), at)).collect();
    let edges = edges(tables, &positions);
    let (Some(from), Some(to)) = (positions.get(source).copied(), positions.get(target).copied()) else {
        return JoinPaths::default();
    };
    let turns: Vec<usize> = edges.iter().map(|edges| turn_cost(edges)).collect();
    let left = costs_with_turns(&edges, &turns, to);
    let mut ways: HashSet<Vec<Way>> = HashSet::new();
    let mut open = BinaryHeap::new();
    // By the cost so far plus the minimum remaining cost, then by order of discovery.
    let mut found_so_far = 0usize;
    let mut paths: Vec<Vec<(usize, usize)>> = Vec::new();
    let mut is_cut_short = false;
    let cost_of = |at: usize, from_many: bool| left.get(at)?.get(usize::from(from_many)).copied().flatten();
    let edge_of = |(table, number): &(usize, usize)| edges.get(*table)?.get(*number);
    if let Some(rest) = cost_of(from, false) {
        open.push(Reverse((rest, 0usize, found_so_far, from, Vec::<(usize, usize)>::new())));
    }
    while let Some(Reverse((_, spent, _, at, steps))) = open.pop() {
        if at == to && !steps.is_empty() {
            if ways.insert(steps.iter().filter_map(edge_of).map(Edge::way).collect()) {
                paths.push(steps);
            }
            if paths.len() == PATHS {
                break;
            }
            continue;
        }
        if steps.len() >= most.min(HOPS) {
            continue;
        }
        if found_so_far > TRIED {
            is_cut_short = true;
            continue;
        }
        let before = steps.last().and_then(edge_of);
        let mut continued: HashSet<Way> = HashSet::new();
        for (number, edge) in edges.get(at).into_iter().flatten().enumerate() {
            let is_visited = edge.to == from || steps.iter().filter_map(edge_of).any(|step| step.to == edge.to);
            let is_pointless = is_visited || before.is_some_and(|before| edge.refers_otherwise(before));
            let Some(rest) = cost_of(edge.to, edge.arrives_from_many()).filter(|_| !is_pointless) else { continue };
            // Which columns a note compares decides whether the path leads on.
            if !continued.insert(edge.way()) && edge.source != JoinSource::Note {
                continue;
            }
            found_so_far += 1;
            let mut further = steps.clone();
            further.push((at, number));
            let is_turn = before.is_some_and(|before| edge.multiplies_after(before));
            let turn = turns.get(at).copied().filter(|_| is_turn).unwrap_or(0);
            let spent = spent + cost(edge.source) + turn;
            open.push(Reverse((spent + rest, spent, found_so_far, edge.to, further)));
        }
    }
    if paths.is_empty() {
        let near = |at: usize| -> Vec<String> {
            let is_known = tables.get(at).is_some_and(|table| table.is_readable);
            let others = edges.get(at).into_iter().flatten().filter_map(|edge| tables.get(edge.to));
            let told = others.filter(|other| is_known || other.is_readable);
            let mut names: Vec<String> = told.map(|other| other.full_name().to_owned()).collect();
            names.sort();
            names.dedup();
            names.truncate(NEAR);
            names
        };
        let mut longer = cheapest(&edges, &costs_to(&edges, to), from, to);
        let mut refused = None;
        if longer.len() <= most.min(HOPS) + 1 {
            refused = refused_turn(tables, &edges, &longer);
            longer.clear();
        }
        let names = longer.iter().filter_map(|at| Some(tables.get(*at)?.full_name().to_owned()));
        let bridges = if longer.is_empty() { bridges(tables, &edges, from, to) } else { Vec::new() };
        return JoinPaths {
            paths: Vec::new(),
            is_cut_short,
            near_source: near(from),
            near_target: near(to),
            longer: names.collect(),
            bridges,
            refused,
        };
    }
    let paths = paths.iter().filter_map(|steps| path(tables, &edges, from, steps)).collect();
    JoinPaths { paths, is_cut_short, ..JoinPaths::default() }
}

/// The joins of a table with itself, declared ones first, under two names: a row of `a` refers to one of `b`.
pub fn own_joins(table: &JoinTable<'_>) -> Vec<JoinPath> {
    let own = table.doc.joins().filter(|join| join.referenced_table == table.full_name());
    // A page that refdesk did not write may pair different numbers of columns, which is not a join.
    let own = own.filter(|join| !join.columns.is_empty() && join.columns.len() == join.referenced_columns.len());
    let path = |join: JoinDoc<'_>| {
        let pairs = join.columns.iter().zip(join.referenced_columns);
        let ends = [(table, "\"a\""), (table, "\"b\"")];
        let pairs: Vec<String> = pairs.map(|(one, other)| condition(ends, [one, other])).collect();
        let name = table.quoted();
        let hop = JoinHop {
            from_table: table.full_name().to_owned(),
            to_table: table.full_name().to_owned(),
            on_clause: pairs.join(" AND "),
            source: join.source,
            because: reason(join.because),
            cardinality: join.cardinality.to_owned(),
            ..JoinHop::default()
        };
        let sql_snippet = format!("FROM {name} AS \"a\"{}", hop.line(&format!("{name} AS \"b\"")));
        JoinPath { hops: vec![hop], sql_snippet }
    };
    own.take(OWN_JOINS).map(path).collect()
}

/// The reason of a join in an answer.
pub fn reason(because: &str) -> String {
    shortened(one_line(because).into_owned(), REASON)
}

impl JoinHop {
    /// The join with this table as a line of SQL. That rows multiply, and what a join without a key is based on, are part of
    /// it: a noted one may hold only for some rows.
    fn line(&self, table: &str) -> String {
        let mut comments = Vec::new();
        if self.multiplies_rows {
            let from = one_line(&self.from_table);
            comments.push(format!("rows multiply: all that refer to the same row of {from} are combined"));
        }
        if !self.or_by.is_empty() {
            let names: Vec<String> = self.or_by.iter().map(|columns| column_list(columns)).collect();
            let names = match self.or_by_left_out {
                0 => either(&names),
                more => format!("{} and {more} more", names.join(", ")),
            };
            comments.push(format!("or by {}", one_line(&names)));
        }
        comments.extend((self.source != JoinSource::Key).then(|| self.source.reason(&self.because)));
        let comment = if comments.is_empty() { String::new() } else { format!(" -- {}", comments.join("; ")) };
        format!("\nJOIN {table} ON {}{comment}", self.on_clause)
    }
}

/// Several columns as one.
fn column_list(columns: &[String]) -> String {
    match columns {
        [one] => one.clone(),
        several => format!("({})", several.join(", ")),
    }
}

/// The first turn of this way that is refused whichever of the joins between its tables are taken.
fn refused_turn(tables: &[JoinTable<'_>], edges: &[Vec<Edge<'_>>], way: &[usize]) -> Option<RefusedTurn> {
    let between = |from: usize, to: usize| edges.get(from).into_iter().flatten().filter(move |edge| edge.to == to);
    let name = |at: usize| tables.get(at).map(|table| table.full_name().to_owned());
    way.windows(3).find_map(|turn| {
        let [before, table, after] = *turn else { return None };
        let pairs = || between(before, table).flat_map(|one| between(table, after).map(move |other| (one, other)));
        if !pairs().all(|(one, other)| other.refers_otherwise(one)) {
            return None;
        }
        let (_, edge) = pairs().next()?;
        let columns = edge.pairs.iter().map(|(here, _)| here.clone()).collect();
        Some(RefusedTurn { table: name(table)?, columns, targets: [name(before)?, name(after)?] })
    })
}

/// The joins of every table, in both directions.
fn edges<'a>(tables: &[JoinTable<'a>], positions: &HashMap<&str, usize>) -> Vec<Vec<Edge<'a>>> {
    let mut edges: Vec<Vec<Edge<'a>>> = tables.iter().map(|_| Vec::new()).collect();
    for (from, JoinTable { doc, .. }) in tables.iter().enumerate() {
        for join in doc.joins() {
            let (columns, target_columns) = (join.columns, join.referenced_columns);
            let Some(to) = positions.get(join.referenced_table).copied().filter(|to| *to != from) else { continue };
            // A page that refdesk did not write may pair different numbers of columns, which is not a join.
            if columns.is_empty() || columns.len() != target_columns.len() {
                continue;
            }
            let pairs: Vec<(String, String)> = columns.iter().cloned().zip(target_columns.iter().cloned()).collect();
            let back = pairs.iter().map(|(one, other)| (other.clone(), one.clone())).collect();
            let Some(own) = edges.get_mut(from) else { continue };
            // A page that this refdesk did not write may have a join twice, also with its columns in another order.
            let is_same = |known: &[(String, String)]| {
                known.len() == pairs.len() && pairs.iter().all(|pair| known.contains(pair))
            };
            if own.iter().any(|known| known.to == to && is_same(&known.pairs)) {
                continue;
            }
            let (source, because, cardinality) = (join.source, join.because, join.cardinality);
            own.push(Edge { to, source, because, cardinality, refers: true, pairs });
            if let Some(other) = edges.get_mut(to) {
                other.push(Edge { to: from, source, because, cardinality, refers: false, pairs: back });
            }
        }
    }
    edges
}

/// What a turn at a table with these joins costs in addition: the number of the tables that refer to it.
fn turn_cost(edges: &[Edge<'_>]) -> usize {
    let referring: HashSet<usize> = edges.iter().filter(|edge| !edge.refers).map(|edge| edge.to).collect();
    referring.len().min(TURN)
}

/// The least cost from each table to this one: if the table before it is not one of many that refer to it, and if it is.
fn costs_with_turns(edges: &[Vec<Edge<'_>>], turns: &[usize], target: usize) -> Vec<[Option<usize>; 2]> {
    let mut costs: Vec<[Option<usize>; 2]> = vec![[None; 2]; edges.len()];
    let mut open = BinaryHeap::from([false, true].map(|from_many| Reverse((0usize, target, from_many))));
    while let Some(Reverse((spent, at, from_many))) = open.pop() {
        match costs.get_mut(at).and_then(|of_table| of_table.get_mut(usize::from(from_many))) {
            Some(known @ None) => *known = Some(spent),
            _ => continue,
        }
        // Each join is seen from its end.
        for edge in edges.get(at).into_iter().flatten().filter(|edge| edge.leads_to_many() == from_many) {
            let spent = spent + cost(edge.source);
            let is_turn = edge.arrives_from_many();
            let turn = turns.get(edge.to).copied().filter(|_| is_turn).unwrap_or(0);
            open.push(Reverse((spent, edge.to, false)));
            open.push(Reverse((spent + turn, edge.to, true)));
        }
    }
    costs
}

/// The least cost from each table to this one, without turns.
fn costs_to(edges: &[Vec<Edge<'_>>], target: usize) -> Vec<Option<usize>> {
    let mut costs: Vec<Option<usize>> = vec![None; edges.len()];
    let mut open = BinaryHeap::from([Reverse((0usize, target))]);
    while let Some(Reverse((spent, at))) = open.pop() {
        match costs.get_mut(at) {
            Some(known @ None) => *known = Some(spent),
            _ => continue,
        }
        for edge in edges.get(at).into_iter().flatten() {
            if costs.get(edge.to) == Some(&None) {
                open.push(Reverse((spent + cost(edge.source), edge.to)));
            }
        }
    }
    costs
}

/// The tables of the cheapest path; empty if there is no path.
fn cheapest(edges: &[Vec<Edge<'_>>], left: &[Option<usize>], from: usize, to: usize) -> Vec<usize> {
    let mut path = vec![from];
    let mut at = from;
    while let Some(rest) = left.get(at).copied().flatten().filter(|_| at != to && path.len() <= left.len()) {
        let leads = |edge: &&Edge| {
            left.get(edge.to).copied().flatten().is_some_and(|further| further + cost(edge.source) == rest)
        };
        let Some(edge) = edges.get(at).into_iter().flatten().find(leads) else { break };
        at = edge.to;
        path.push(at);
    }
    if at == to { path } else { Vec::new() }
}

fn path(tables: &[JoinTable<'_>], edges: &[Vec<Edge<'_>>], from: usize, steps: &[(usize, usize)]) -> Option<JoinPath> {
    let mut hops = Vec::new();
    let mut sql = format!("FROM {}", tables.get(from)?.quoted());
    let mut before: Option<&Edge<'_>> = None;
    for (at, number) in steps {
        let edge = edges.get(*at).and_then(|all| all.get(*number));
        let (Some(edge), Some(from)) = (edge, tables.get(*at)) else { continue };
        let Some(to) = tables.get(edge.to) else { continue };
        let names = [from.quoted(), to.quoted()];
        let ends = [(from, names[0].as_str()), (to, names[1].as_str())];
        let pairs: Vec<String> = edge.pairs.iter().map(|(one, other)| condition(ends, [one, other])).collect();
        let is_other = |other: &&Edge<'_>| other.way() == edge.way() && other.pairs != edge.pairs;
        let mut others: Vec<Vec<String>> =
            edges.get(*at).into_iter().flatten().filter(is_other).map(Edge::referring).collect();
        let or_by_left_out = others.len().saturating_sub(OTHERS);
        others.truncate(OTHERS);
        let hop = JoinHop {
            from_table: from.full_name().to_owned(),
            to_table: to.full_name().to_owned(),
            on_clause: pairs.join(" AND "),
            source: edge.source,
            because: reason(edge.because),
            cardinality: edge.cardinality().to_owned(),
            multiplies_rows: before.is_some_and(|before| edge.multiplies_after(before)),
            or_by: others,
            or_by_left_out,
        };
        sql.push_str(&hop.line(&to.quoted()));
        hops.push(hop);
        before = Some(edge);
    }
    Some(JoinPath { hops, sql_snippet: sql })
}

/// The condition on a pair of columns of two tables, each with its name in the statement. One of the columns may be an array
/// of the other's values.
fn condition(tables: [(&JoinTable<'_>, &str); 2], columns: [&str; 2]) -> String {
    let mut ends = tables.iter().zip(columns).map(|((table, shown), name)| {
        let known = table.doc.columns.iter().find(|column| column.name == name);
        (format!("{shown}.{}", column(name)), known.is_some_and(|column| is_array(&column.data_type)))
    });
    match (ends.next(), ends.next()) {
        (Some((one, true)), Some((other, false))) => format!("{other} = ANY ({one})"),
        (Some((one, false)), Some((other, true))) => format!("{one} = ANY ({other})"),
        (one, other) => {
            let text = |end: Option<(String, bool)>| end.map(|(text, _)| text).unwrap_or_default();
            format!("{} = {}", text(one), text(other))
        }
    }
}

/// A name that no statement can contain is left unquoted, because the snippet is for reading.
fn column(name: &str) -> String {
    quoted(name).unwrap_or_else(|| one_line(name).into_owned())
}
