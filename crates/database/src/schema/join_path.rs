//! How two tables can be joined: the fewest keys between them, and inferred joins where there is no key.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use serde::Serialize;

use super::table_doc::TableDoc;
use crate::connector::quoted;

/// Most joins of a path.
pub const HOPS: usize = 6;

/// Paths that are told.
pub const PATHS: usize = 3;

/// What a key costs, and an inferred join: as much as three keys, and of equally long ways that over keys is the better one.
const KEY: usize = 10;
const INFERRED: usize = 31;

/// Partial paths after which the search ends.
const TRIED: usize = 20_000;

/// Tables that are named if there is no path.
const NEAR: usize = 5;

/// Tables near another that are searched for bridges.
const AROUND: usize = 200;

/// Columns that many tables have without meaning the same.
const COMMON_COLUMNS: &[&str] = &[
    "id",
    "name",
    "title",
    "description",
    "comment",
    "note",
    "type",
    "status",
    "code",
    "created_at",
    "updated_at",
    "created",
    "updated",
    "deleted",
    "version",
];

/// A way from one table to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinPath {
    /// One join each.
    pub hops: Vec<JoinHop>,
    /// The joins as SQL with quoted names.
    pub sql_snippet: String,
}

/// A join.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JoinHop {
    /// `schema.table`.
    pub from_table: String,
    /// `schema.table`.
    pub to_table: String,
    /// Every pair of columns, with quoted names.
    pub on_clause: String,
    /// Whether no key says so.
    pub inferred: bool,
}

/// The answer to how two tables can be joined.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JoinPaths {
    /// The best first.
    pub paths: Vec<JoinPath>,
    /// If there is none: what can be joined with the first table, and with the second.
    pub near_source: Vec<String>,
    /// The same for the second.
    pub near_target: Vec<String>,
    /// The tables on the best path if it has more joins than were asked for.
    pub longer: Vec<String>,
    /// Columns of the same name and type near both, if nothing joins them.
    pub bridges: Vec<Bridge>,
}

/// Two columns that may mean the same, though no join says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bridge {
    /// `schema.table.column`, near the first table.
    pub from: String,
    /// The same near the second.
    pub to: String,
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

struct Edge {
    to: usize,
    cost: usize,
    /// Columns here and there.
    pairs: Vec<(String, String)>,
}

/// The paths between two tables of these, at most so many joins long.
pub fn join_paths(tables: &[JoinTable<'_>], source: &str, target: &str, most: usize) -> JoinPaths {
    let positions: HashMap<&str, usize> =
        tables.iter().enumerate().map(|(at, table)| (table.full_name(), at)).collect();
    let edges = edges(tables, &positions);
    let (Some(from), Some(to)) = (positions.get(source).copied(), positions.get(target).copied()) else {
        return JoinPaths::default();
    };
    let left = costs_to(&edges, to);
    let mut open = BinaryHeap::new();
    // By what is spent and at least still needed, then by the order in which it was found.
    let mut found_so_far = 0usize;
    let mut paths: Vec<Vec<(usize, usize)>> = Vec::new();
    let cost_of = |at: usize| left.get(at).copied().flatten();
    if let Some(rest) = cost_of(from) {
        open.push(Reverse((rest, 0usize, found_so_far, from, Vec::<(usize, usize)>::new())));
    }
    while let Some(Reverse((_, spent, _, at, steps))) = open.pop() {
        if at == to && !steps.is_empty() {
            paths.push(steps);
            if paths.len() == PATHS {
                break;
            }
            continue;
        }
        if steps.len() >= most.min(HOPS) || found_so_far > TRIED {
            continue;
        }
        for (number, edge) in edges.get(at).into_iter().flatten().enumerate() {
            let is_visited = edge.to == from
                || steps.iter().any(|(table, number)| {
                    edges.get(*table).and_then(|all| all.get(*number)).is_some_and(|step| step.to == edge.to)
                });
            let Some(rest) = cost_of(edge.to).filter(|_| !is_visited) else { continue };
            found_so_far += 1;
            let mut further = steps.clone();
            further.push((at, number));
            let spent = spent + edge.cost;
            open.push(Reverse((spent + rest, spent, found_so_far, edge.to, further)));
        }
    }
    if paths.is_empty() {
        let near = |at: usize| -> Vec<String> {
            let mut names: Vec<String> = edges
                .get(at)
                .into_iter()
                .flatten()
                .filter_map(|edge| Some(tables.get(edge.to)?.full_name().to_owned()))
                .collect();
            names.sort();
            names.dedup();
            names.truncate(NEAR);
            names
        };
        let longer = cheapest(&edges, &left, from, to);
        let names = longer.iter().filter_map(|at| Some(tables.get(*at)?.full_name().to_owned()));
        let bridges = if longer.is_empty() { bridges(tables, &edges, from, to) } else { Vec::new() };
        return JoinPaths {
            paths: Vec::new(),
            near_source: near(from),
            near_target: near(to),
            longer: names.collect(),
            bridges,
        };
    }
    let paths = paths.iter().filter_map(|steps| path(tables, &edges, from, steps)).collect();
    JoinPaths { paths, ..JoinPaths::default() }
}

/// Keys and inferred joins of every table, in both directions.
fn edges(tables: &[JoinTable<'_>], positions: &HashMap<&str, usize>) -> Vec<Vec<Edge>> {
    let mut edges: Vec<Vec<Edge>> = tables.iter().map(|_| Vec::new()).collect();
    for (from, JoinTable { doc, .. }) in tables.iter().enumerate() {
        let real =
            doc.foreign_keys.iter().map(|key| (&key.referenced_table, &key.columns, &key.referenced_columns, KEY));
        let inferred =
            doc.inferred_joins.iter().map(|it| (&it.referenced_table, &it.columns, &it.referenced_columns, INFERRED));
        for (target, columns, target_columns, cost) in real.chain(inferred) {
            let Some(to) = positions.get(target.as_str()).copied().filter(|to| *to != from) else { continue };
            // A page that somebody else wrote may have other numbers of columns, of which there is no join.
            if columns.is_empty() || columns.len() != target_columns.len() {
                continue;
            }
            let pairs: Vec<(String, String)> = columns.iter().cloned().zip(target_columns.iter().cloned()).collect();
            let back = pairs.iter().map(|(one, other)| (other.clone(), one.clone())).collect();
            if let Some(own) = edges.get_mut(from) {
                own.push(Edge { to, cost, pairs });
            }
            if let Some(other) = edges.get_mut(to) {
                other.push(Edge { to: from, cost, pairs: back });
            }
        }
    }
    edges
}

/// What each table is from this one at least.
fn costs_to(edges: &[Vec<Edge>], target: usize) -> Vec<Option<usize>> {
    let mut costs: Vec<Option<usize>> = vec![None; edges.len()];
    let mut open = BinaryHeap::from([Reverse((0usize, target))]);
    while let Some(Reverse((cost, at))) = open.pop() {
        match costs.get_mut(at) {
            Some(known @ None) => *known = Some(cost),
            _ => continue,
        }
        for edge in edges.get(at).into_iter().flatten() {
            if costs.get(edge.to) == Some(&None) {
                open.push(Reverse((cost + edge.cost, edge.to)));
            }
        }
    }
    costs
}

/// The tables of the cheapest path; none if there is none.
fn cheapest(edges: &[Vec<Edge>], left: &[Option<usize>], from: usize, to: usize) -> Vec<usize> {
    let mut path = vec![from];
    let mut at = from;
    while let Some(rest) = left.get(at).copied().flatten().filter(|_| at != to && path.len() <= left.len()) {
        let leads =
            |edge: &&Edge| left.get(edge.to).copied().flatten().is_some_and(|further| further + edge.cost == rest);
        let Some(edge) = edges.get(at).into_iter().flatten().find(leads) else { break };
        at = edge.to;
        path.push(at);
    }
    if at == to { path } else { Vec::new() }
}

/// Columns of the same name and type of tables near one and near the other.
fn bridges(tables: &[JoinTable<'_>], edges: &[Vec<Edge>], from: usize, to: usize) -> Vec<Bridge> {
    let mut there: HashMap<(String, &str), String> = HashMap::new();
    let columns = |at: usize| {
        let table = tables.get(at);
        table.into_iter().flat_map(|table| table.doc.columns.iter().map(move |column| (table.full_name(), column)))
    };
    for (table, column) in around(edges, to).into_iter().flat_map(columns) {
        let key = (column.name.to_lowercase(), column.data_type.as_str());
        there.entry(key).or_insert_with(|| format!("{table}.{}", column.name));
    }
    let mut found = Vec::new();
    for (table, column) in around(edges, from).into_iter().flat_map(columns) {
        let name = column.name.to_lowercase();
        if COMMON_COLUMNS.contains(&name.as_str()) {
            continue;
        }
        if let Some(other) = there.get(&(name, column.data_type.as_str())) {
            found.push(Bridge { from: format!("{table}.{}", column.name), to: other.clone() });
            if found.len() == NEAR {
                break;
            }
        }
    }
    found
}

/// A table and those within two joins of it, the nearest first.
fn around(edges: &[Vec<Edge>], table: usize) -> Vec<usize> {
    let mut found = vec![table];
    let mut first = 0;
    for _ in 0..2 {
        let (last, mut next) = (found.len(), Vec::new());
        for at in found.get(first..).unwrap_or_default() {
            next.extend(edges.get(*at).into_iter().flatten().map(|edge| edge.to));
        }
        for at in next {
            if !found.contains(&at) && found.len() < AROUND {
                found.push(at);
            }
        }
        first = last;
    }
    found
}

fn path(tables: &[JoinTable<'_>], edges: &[Vec<Edge>], from: usize, steps: &[(usize, usize)]) -> Option<JoinPath> {
    let mut hops = Vec::new();
    let mut sql = format!("FROM {}", tables.get(from)?.quoted());
    for (at, number) in steps {
        let edge = edges.get(*at).and_then(|all| all.get(*number));
        let (Some(edge), Some(from)) = (edge, tables.get(*at)) else { continue };
        let Some(to) = tables.get(edge.to) else { continue };
        let (from_name, to_name) = (from.quoted(), to.quoted());
        let pairs: Vec<String> = edge
            .pairs
            .iter()
            .map(|(one, other)| format!("{from_name}.{} = {to_name}.{}", column(one), column(other)))
            .collect();
        let on_clause = pairs.join(" AND ");
        sql.push_str(&format!("\nJOIN {to_name} ON {on_clause}"));
        hops.push(JoinHop {
            from_table: from.full_name().to_owned(),
            to_table: to.full_name().to_owned(),
            on_clause,
            inferred: edge.cost == INFERRED,
        });
    }
    Some(JoinPath { hops, sql_snippet: sql })
}

/// A name that no statement can hold is left as it is seen: the snippet is for reading.
fn column(name: &str) -> String {
    quoted(name).unwrap_or_else(|_| refdesk_text::escape::one_line(name).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::joins::Confidence;
    use crate::schema::table_doc::{ColumnDoc, ForeignKeyDoc, InferredJoinDoc};

    fn doc(name: &str, keys: &[&str], inferred: &[&str]) -> TableDoc {
        let texts = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        TableDoc {
            fully_qualified_name: format!("s.{name}"),
            foreign_keys: keys
                .iter()
                .map(|to| ForeignKeyDoc {
                    columns: texts(["a", "b\"c"]),
                    referenced_table: format!("s.{to}"),
                    referenced_columns: texts(["x", "y"]),
                    ..ForeignKeyDoc::default()
                })
                .collect(),
            inferred_joins: inferred
                .iter()
                .map(|to| InferredJoinDoc {
                    columns: vec!["i".into()],
                    referenced_table: format!("s.{to}"),
                    referenced_columns: vec!["id".into()],
                    because: String::new(),
                    confidence: Confidence::High,
                })
                .collect(),
            ..TableDoc::default()
        }
    }

    fn found(tables: &[TableDoc], from: &str, to: &str, most: usize) -> JoinPaths {
        let name = |doc: &'_ TableDoc| doc.fully_qualified_name.trim_start_matches("s.").to_owned();
        let names: Vec<String> = tables.iter().map(name).collect();
        let tables: Vec<JoinTable<'_>> =
            tables.iter().zip(&names).map(|(doc, table)| JoinTable { schema: "s", table, doc }).collect();
        join_paths(&tables, &format!("s.{from}"), &format!("s.{to}"), most)
    }

    fn shown(tables: &[TableDoc], from: &str, to: &str, most: usize) -> Vec<String> {
        let found = found(tables, from, to, most);
        let line = |path: &JoinPath| {
            let names: Vec<&str> = path.hops.iter().map(|hop| hop.to_table.trim_start_matches("s.")).collect();
            names.join(" ")
        };
        found.paths.iter().map(line).collect()
    }

    #[test]
    fn the_shortest_path_comes_first() {
        let tables = [
            doc("line", &["order", "product"], &["zone"]),
            doc("order", &["customer"], &[]),
            doc("product", &["supplier"], &[]),
            doc("supplier", &["zone"], &[]),
            doc("customer", &[], &["zone"]),
            doc("zone", &[], &[]),
            doc("alone", &[], &[]),
        ];
        assert_eq!(
            shown(&tables, "customer", "product", 6),
            ["order line product", "zone supplier product", "order line zone supplier product"]
        );
        assert_eq!(shown(&tables, "line", "zone", 6), ["product supplier zone", "zone", "order customer zone"]);
        assert_eq!(shown(&tables, "line", "zone", 1), ["zone"]);
        assert_eq!(shown(&tables, "line", "alone", 6), [""; 0]);
        let none = found(&tables, "zone", "alone", 6);
        assert_eq!(none.near_source, ["s.customer", "s.line", "s.supplier"]);
        let path = &found(&tables, "order", "line", 6).paths[0];
        let on = "\"s\".\"order\".\"x\" = \"s\".\"line\".\"a\" AND \"s\".\"order\".\"y\" = \"s\".\"line\".\"b\"\"c\"";
        assert_eq!(path.hops[0].on_clause, on);
        assert_eq!(path.sql_snippet, format!("FROM \"s\".\"order\"\nJOIN \"s\".\"line\" ON {on}"));
    }

    #[test]
    fn a_large_schema_is_searched_in_bounded_steps() {
        let names: Vec<String> = (0..1_000).map(|at| format!("t{at}")).collect();
        // Every table refers to ten others: more paths than can be counted.
        let tables: Vec<TableDoc> = (0..1_000usize)
            .map(|at| {
                let to: Vec<&str> = (1..=10).map(|step| names[(at * 7 + step * 13) % 1_000].as_str()).collect();
                doc(&names[at], &to, &[])
            })
            .collect();
        assert_eq!(found(&tables, "t1", "t777", 6).paths.len(), 3);
        assert_eq!(found(&tables, "t1", "gone", 6), JoinPaths::default());
    }

    #[test]
    fn without_a_path_it_says_what_is_nearest() {
        let names: Vec<String> = (0..9).map(|at| format!("t{at}")).collect();
        let mut tables: Vec<TableDoc> = (0..8usize)
            .map(|at| doc(&names[at], &[names[at + 1].as_str()], &[]))
            .chain([doc("t8", &[], &[])])
            .collect();
        let far = found(&tables, "t0", "t8", 6);
        assert_eq!((far.paths.len(), far.longer.len(), far.bridges.len()), (0, 9, 0));
        let with = |name: &str, columns: &[(&str, &str)]| TableDoc {
            columns: columns
                .iter()
                .map(|(name, data_type)| ColumnDoc {
                    name: (*name).into(),
                    data_type: (*data_type).into(),
                    ..ColumnDoc::default()
                })
                .collect(),
            ..doc(name, &[], &[])
        };
        tables.push(with("left", &[("id", "int"), ("Region", "text"), ("size", "int")]));
        tables.push(with("right", &[("id", "int"), ("region", "text"), ("size", "text")]));
        let none = found(&tables, "left", "right", 6);
        assert_eq!(none.bridges, [Bridge { from: "s.left.Region".into(), to: "s.right.region".into() }]);
        assert!(none.longer.is_empty());
    }
}
