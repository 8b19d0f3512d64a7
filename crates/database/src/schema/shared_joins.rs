//! Joins that many tables of a database have beside others, such as the one with the user who created a row. They say
//! nothing about what a table is for, so they decide no domain, and lists have them last.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

/// The number of tables that must have a join by the same columns.
const TABLES: usize = 10;

/// More than one in this many tables must have it.
const ONE_IN: usize = 4;

/// The target and the columns of the shared ones of these joins, each of which is the table that refers, the one that it
/// refers to and the columns; `tables` is the number of all tables. If most tables with a join have no other, such as the
/// visits and the bills of a patient, it is what they are about.
pub fn shared<T: Copy + Eq + Hash, C: Copy + Eq + Hash>(joins: &[(T, T, C)], tables: usize) -> HashSet<(T, C)> {
    let mut having: HashMap<(T, C), HashSet<T>> = HashMap::new();
    for (from, to, columns) in joins {
        having.entry((*to, *columns)).or_default().insert(*from);
    }
    having.retain(|_, from| from.len() >= TABLES && from.len() * ONE_IN > tables);
    let others = joins.iter().filter(|(from, to, columns)| from != to && !having.contains_key(&(*to, *columns)));
    let with_others: HashSet<T> = others.flat_map(|(from, to, _)| [*from, *to]).collect();
    let is_beside = |from: &HashSet<T>| from.iter().filter(|it| with_others.contains(it)).count() * 2 > from.len();
    having.into_iter().filter(|(_, from)| is_beside(from)).map(|(join, _)| join).collect()
}
