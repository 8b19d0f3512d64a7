//! Columns by which two tables could be joined if no path leads from one to the other.

use std::collections::{HashMap, HashSet};

use super::{Edge, JoinTable, NEAR, PossibleJoin};
use crate::names::words::split;
use crate::schema::joins::family;
use crate::schema::table_doc::ColumnDoc;

/// Tables near another that are searched for bridges.
const AROUND: usize = 200;

/// Columns that occur in many tables with different meanings.
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

/// The last words of the names of numbers that measure and do not identify.
const MEASURES: &[&str] = &[
    "age", "amount", "balance", "cost", "count", "discount", "duration", "height", "length", "percent", "position",
    "price", "qty", "quantity", "rank", "rate", "size", "sum", "tax", "total", "weight", "width", "year",
];

/// Columns of the same name and type on the readable pages of tables near one and near the other.
pub(super) fn bridges(tables: &[JoinTable<'_>], edges: &[Vec<Edge<'_>>], from: usize, to: usize) -> Vec<PossibleJoin> {
    let mut there: HashMap<(String, &str), (&str, &str)> = HashMap::new();
    let columns = |at: usize| {
        let table = tables.get(at).filter(|table| table.is_readable);
        table.into_iter().flat_map(|table| table.doc.columns.iter().map(move |column| (table.full_name(), column)))
    };
    let is_key = |table: &str, column: &str| {
        let docs = tables.iter().filter(|it| it.full_name() == table).map(|it| it.doc);
        docs.flat_map(|doc| {
            let keys = doc.foreign_keys.iter().map(|key| &key.columns);
            std::iter::once(&doc.primary_key).chain(&doc.unique).chain(keys)
        })
        .any(|columns| columns.iter().any(|it| it == column))
    };
    let name = |at: usize| tables.get(at).map_or("", JoinTable::full_name);
    let (source, target) = (name(from), name(to));
    // If the only way between the two was refused, tables are near both, and joined with both already.
    let (near_source, near_target) = (within_two_joins(edges, from), within_two_joins(edges, to));
    let only_near = |own: &[usize], end: usize, others: &[usize]| -> Vec<usize> {
        own.iter().copied().filter(|at| *at == end || !others.contains(at)).collect()
    };
    for (table, column) in only_near(&near_target, to, &near_source).into_iter().flat_map(columns) {
        let key = (column.name.to_lowercase(), column.data_type.as_str());
        there.entry(key).or_insert((table, column.name.as_str()));
    }
    let mut found: Vec<(usize, PossibleJoin)> = Vec::new();
    let mut joined: HashSet<(&str, &str)> = HashSet::new();
    for (table, column) in only_near(&near_source, from, &near_target).into_iter().flat_map(columns) {
        let name = column.name.to_lowercase();
        if COMMON_COLUMNS.contains(&name.as_str()) || !is_key_like(column) {
            continue;
        }
        // The nearest table with the column suffices: in many schemas, every table has a column such as `tenant_id`.
        let same = there.get(&(name, column.data_type.as_str()));
        if let Some((other, other_column)) = same.filter(|end| joined.insert(**end)) {
            let bridge = PossibleJoin {
                from: format!("{table}.{}", column.name),
                from_table: table.to_owned(),
                to: format!("{other}.{other_column}"),
                to_table: (*other).to_owned(),
            };
            // Keys first, then columns of the two tables themselves; but those of both come before a key of neither.
            let away = usize::from(table != source) + usize::from(*other != target);
            found.push((2 * usize::from(!is_key(other, other_column)) + away, bridge));
        }
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, bridge)| bridge).take(NEAR).collect()
}

/// Whether a column's type and name allow its values to identify rows, unlike an amount, a time or a flag.
fn is_key_like(column: &ColumnDoc) -> bool {
    let scale = column.data_type.rsplit_once(',').map(|(_, scale)| scale.trim_matches([' ', ')']));
    match family(&column.data_type) {
        Some("other") => false,
        Some("number") => {
            let is_measure = split(&column.name).last().is_some_and(|word| MEASURES.contains(&word.as_str()));
            scale.is_none_or(|scale| scale == "0") && !is_measure
        }
        _ => true,
    }
}

/// A table and those within two joins of it, the nearest first.
fn within_two_joins(edges: &[Vec<Edge<'_>>], table: usize) -> Vec<usize> {
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
