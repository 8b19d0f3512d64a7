//! How two tables can be joined: the fewest keys between them, and inferred joins where there is no key.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

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
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct JoinPaths {
    /// The best first.
    pub paths: Vec<JoinPath>,
    /// If there is none: what can be joined with the first table, and with the second.
    pub near_source: Vec<String>,
    /// The same for the second.
    pub near_target: Vec<String>,
}

struct Edge {
    to: usize,
    cost: usize,
    /// Columns here and there.
    pairs: Vec<(String, String)>,
}

/// The paths between two tables of these, at most so many joins long.
pub fn join_paths(tables: &[TableDoc], source: &str, target: &str, most: usize) -> JoinPaths {
    let positions: HashMap<&str, usize> =
        tables.iter().enumerate().map(|(at, doc)| (doc.fully_qualified_name.as_str(), at)).collect();
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
                .filter_map(|edge| Some(tables.get(edge.to)?.fully_qualified_name.clone()))
                .collect();
            names.sort();
            names.dedup();
            names.truncate(NEAR);
            names
        };
        return JoinPaths { paths: Vec::new(), near_source: near(from), near_target: near(to) };
    }
    let paths = paths.iter().map(|steps| path(tables, &edges, source, steps)).collect();
    JoinPaths { paths, ..JoinPaths::default() }
}

/// Keys and inferred joins of every table, in both directions.
fn edges(tables: &[TableDoc], positions: &HashMap<&str, usize>) -> Vec<Vec<Edge>> {
    let mut edges: Vec<Vec<Edge>> = tables.iter().map(|_| Vec::new()).collect();
    for (from, doc) in tables.iter().enumerate() {
        let real =
            doc.foreign_keys.iter().map(|key| (&key.referenced_table, &key.columns, &key.referenced_columns, KEY));
        let inferred =
            doc.inferred_joins.iter().map(|it| (&it.referenced_table, &it.columns, &it.referenced_columns, INFERRED));
        for (target, columns, target_columns, cost) in real.chain(inferred) {
            let Some(to) = positions.get(target.as_str()).copied().filter(|to| *to != from) else { continue };
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

fn path(tables: &[TableDoc], edges: &[Vec<Edge>], source: &str, steps: &[(usize, usize)]) -> JoinPath {
    let mut hops = Vec::new();
    let mut sql = format!("FROM {}", name(source));
    for (at, number) in steps {
        let edge = edges.get(*at).and_then(|all| all.get(*number));
        let (Some(edge), Some(from)) = (edge, tables.get(*at)) else { continue };
        let Some(to) = tables.get(edge.to) else { continue };
        let (from, to) = (&from.fully_qualified_name, &to.fully_qualified_name);
        let pairs: Vec<String> = edge
            .pairs
            .iter()
            .map(|(one, other)| format!("{}.{} = {}.{}", name(from), column(one), name(to), column(other)))
            .collect();
        let on_clause = pairs.join(" AND ");
        sql.push_str(&format!("\nJOIN {} ON {on_clause}", name(to)));
        hops.push(JoinHop {
            from_table: from.clone(),
            to_table: to.clone(),
            on_clause,
            inferred: edge.cost == INFERRED,
        });
    }
    JoinPath { hops, sql_snippet: sql }
}

/// `"schema"."table"`.
fn name(full: &str) -> String {
    match full.split_once('.') {
        Some((schema, table)) => format!("{}.{}", column(schema), column(table)),
        None => column(full),
    }
}

/// A name that no statement can hold is left as it is seen: the snippet is for reading.
fn column(name: &str) -> String {
    quoted(name).unwrap_or_else(|_| refdesk_text::escape::one_line(name).into_owned())
}

/// The tables that a name means: `table`, `schema.table`, or `database.schema.table`; case counts only if needed.
pub fn named<'d>(tables: &'d BTreeMap<String, Vec<TableDoc>>, name: &str) -> Vec<(&'d str, &'d TableDoc)> {
    let matches = |same: &dyn Fn(&str, &str) -> bool| -> Vec<(&'d str, &'d TableDoc)> {
        let all = tables.iter().flat_map(|(database, docs)| docs.iter().map(move |doc| (database.as_str(), doc)));
        all.filter(|(database, doc)| {
            let full = &doc.fully_qualified_name;
            let table = full.split_once('.').map_or(full.as_str(), |(_, table)| table);
            same(full, name) || same(table, name) || same(&format!("{database}.{full}"), name)
        })
        .collect()
    };
    let exact = matches(&|one, other| one == other);
    if exact.is_empty() { matches(&|one, other| one.to_lowercase() == other.to_lowercase()) } else { exact }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::joins::Confidence;
    use crate::schema::table_doc::{ForeignKeyDoc, InferredJoinDoc};

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

    fn shown(tables: &[TableDoc], from: &str, to: &str, most: usize) -> Vec<String> {
        let found = join_paths(tables, &format!("s.{from}"), &format!("s.{to}"), most);
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
        let none = join_paths(&tables, "s.zone", "s.alone", 6);
        assert_eq!(none.near_source, ["s.customer", "s.line", "s.supplier"]);
        let path = &join_paths(&tables, "s.order", "s.line", 6).paths[0];
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
        let found = join_paths(&tables, "s.t1", "s.t777", 6);
        assert_eq!(found.paths.len(), 3);
        assert_eq!(join_paths(&tables, "s.t1", "s.gone", 6), JoinPaths::default());
    }

    #[test]
    fn a_table_is_found_by_any_of_its_names() {
        let tables = BTreeMap::from([
            ("one".to_owned(), vec![doc("Order", &[], &[]), doc("item", &[], &[])]),
            ("two".to_owned(), vec![doc("item", &[], &[])]),
        ]);
        for (name, expected) in
            [("Order", 1), ("order", 1), ("s.ORDER", 1), ("item", 2), ("two.s.item", 1), ("none", 0)]
        {
            assert_eq!(named(&tables, name).len(), expected, "{name}");
        }
    }
}
