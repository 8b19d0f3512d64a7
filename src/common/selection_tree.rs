//! The selection as rows: picks as trees of what they pull in, then auto sources, dormant picks and exclusions.
//! Computed once per snapshot, so that drawing only formats the visible rows.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::filter::Order;
use super::source_words::is_auto;

use refdesk_core::catalog::{Mode, Source};
use refdesk_core::selection::{MAX_TRANSITIVE_DEPTH, Role, SelectedSource};
use refdesk_desk::engine::Snapshot;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    pub kind: TreeRowKind,
    /// Its depth below its root.
    pub level: usize,
    /// Bit `n` is set if the branch at level `n` continues below this row.
    pub open: u32,
    /// What unpicking it would release, counted as in the preview; only set for roots.
    pub brings: PickConsequence,
    /// Whether it matches the filter, or is only shown because a row below it does.
    pub matches: bool,
}

/// What unpicking would release: the pick itself, and sources that no other pick pulls in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PickConsequence {
    /// The number of other sources, without auto sources, which an agent gets anyway.
    pub others: usize,
    /// How many of those are untrusted, so that their price is unknown.
    pub waiting: usize,
    /// Estimated tokens of everything released, including the pick itself.
    pub tokens: u64,
    /// Whether other picks pull in this source too, so that unpicking releases nothing.
    pub is_kept: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeRowKind {
    /// A selected source, as an index into the members.
    Member(usize),
    /// An unselected auto source, as an index into the catalog.
    Auto(usize),
    /// A dormant pick, by index.
    Dormant(usize),
    /// An exclusion, by index.
    Excluded(usize),
}

/// The rows in this order, each below the row that pulls it in. When sorting by tokens, the pick that would release the
/// most comes first.
pub fn rows(snapshot: &Snapshot, order: Order) -> Vec<TreeRow> {
    let members = snapshot.selection.members();
    let ranks = order.sequence(snapshot).map(|sequence| {
        let mut ranks = vec![usize::MAX; sequence.len()];
        for (rank, at) in sequence.into_iter().enumerate() {
            if let Some(place) = ranks.get_mut(at) {
                *place = rank;
            }
        }
        ranks
    });
    let rank = |id: &str| {
        let ranks = ranks.as_ref()?;
        snapshot.catalog.position(id).and_then(|at| ranks.get(at)).copied().or(Some(usize::MAX))
    };
    let rank_of = |at: &usize| members.get(*at).and_then(|member| rank(member.id.as_str()));
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (at, member) in members.iter().enumerate() {
        match &member.reason {
            Some(reason) => below.entry(reason.as_str()).or_default().push(at),
            None => roots.push(at),
        }
    }
    let mut rows = Vec::with_capacity(members.len());
    let brought = brought(snapshot);
    let saved = |root: &usize| match order {
        Order::Tokens => Reverse(brought.get(root).map_or(0, |brought| brought.tokens)),
        _ => Reverse(0),
    };
    roots.sort_by_key(|root| (saved(root), rank_of(root)));
    below.values_mut().for_each(|below| below.sort_by_key(rank_of));
    for root in roots {
        let place = rows.len();
        branch(members, &below, root, 0, 0, &mut rows);
        if let (Some(row), Some(brought)) = (rows.get_mut(place), brought.get(&root)) {
            row.brings = *brought;
        }
    }
    let first_other = rows.len();
    let flat = |kind| TreeRow { kind, level: 0, open: 0, brings: PickConsequence::default(), matches: true };
    let autos = snapshot.catalog.sources().iter().enumerate();
    let autos =
        autos.filter(|(_, source)| source.mode == Mode::Auto && !snapshot.selection.contains(source.id.as_str()));
    rows.extend(autos.map(|(at, _)| flat(TreeRowKind::Auto(at))));
    rows.extend((0..snapshot.selection.dormant().len()).map(|at| flat(TreeRowKind::Dormant(at))));
    let excluded = snapshot.selection.excluded().iter().enumerate().filter(|(_, id)| !is_auto(snapshot, id));
    rows.extend(excluded.map(|(at, _)| flat(TreeRowKind::Excluded(at))));
    if let Some(others) = rows.get_mut(first_other..) {
        others.sort_by_key(|row| (group(row), row.id(snapshot).and_then(rank)));
    }
    rows
}

/// The group of a row: members first, then the others by kind.
fn group(row: &TreeRow) -> u8 {
    match row.kind {
        TreeRowKind::Member(_) => 0,
        TreeRowKind::Auto(_) => 1,
        TreeRowKind::Dormant(_) => 2,
        TreeRowKind::Excluded(_) => 3,
    }
}

/// Appends the member at `at` and everything below it. `MAX_TRANSITIVE_DEPTH` bounds the recursion.
fn branch(
    members: &[SelectedSource],
    below: &HashMap<&str, Vec<usize>>,
    at: usize,
    level: usize,
    open: u32,
    rows: &mut Vec<TreeRow>,
) {
    let Some(member) = members.get(at) else { return };
    let brings = PickConsequence::default();
    rows.push(TreeRow { kind: TreeRowKind::Member(at), level, open, brings, matches: true });
    let children = below.get(member.id.as_str()).map_or(&[][..], Vec::as_slice);
    for (nth, child) in children.iter().enumerate() {
        let is_clipped = u32::from(nth + 1 < children.len()) << level.min(31);
        branch(members, below, *child, level + 1, open | is_clipped, rows);
    }
}

/// The matching rows and their ancestors. Tree lines connect only the remaining rows.
pub fn matching(rows: &[TreeRow], mut matches: impl FnMut(&TreeRow) -> bool) -> Vec<TreeRow> {
    let mut kept: Vec<TreeRow> = Vec::new();
    // Goes from the last row to the first: `level` is the level of the row kept last, `open` the levels with a row
    // below this one.
    let (mut level, mut open) = (0, 0_u32);
    for row in rows.iter().rev() {
        let matches = matches(row);
        if !matches && row.level >= level {
            continue;
        }
        level = row.level;
        open &= (1 << level.min(31)) - 1;
        kept.push(TreeRow { open, matches, ..row.clone() });
        open |= level.checked_sub(1).map_or(0, |above| 1 << above.min(31));
    }
    kept.reverse();
    kept
}

/// The roots that reach a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReachedFrom {
    None,
    One(usize),
    Several,
}

impl ReachedFrom {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, one) | (one, Self::None) => one,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }
}

/// What each root would release, by member index. A source that several roots reach is released by none of them.
fn brought(snapshot: &Snapshot) -> HashMap<usize, PickConsequence> {
    let members = snapshot.selection.members();
    let place_of: HashMap<&str, usize> = members.iter().enumerate().map(|(at, it)| (it.id.as_str(), at)).collect();
    let is_root = |at: usize| members.get(at).is_some_and(|member| member.role != Role::Transitive);
    let mut reached: Vec<ReachedFrom> =
        (0..members.len()).map(|at| if is_root(at) { ReachedFrom::One(at) } else { ReachedFrom::None }).collect();
    // If nothing is pulled in, mentions can be skipped. Each member is visited at most twice, because its state is
    // final after a second root.
    let pulls = members.iter().any(|member| member.role == Role::Transitive);
    let mut changed: Vec<usize> =
        if pulls { (0..members.len()).filter(|at| is_root(*at)).collect() } else { Vec::new() };
    while let Some(from) = changed.pop() {
        let (Some(member), Some(of)) = (members.get(from), reached.get(from).copied()) else { continue };
        if member.depth >= MAX_TRANSITIVE_DEPTH {
            continue;
        }
        for to in snapshot.graph.targets(member.id.as_str()).filter_map(|id| place_of.get(id.as_str())) {
            if let Some(known) = reached.get_mut(*to).filter(|known| known.and(of) != **known) {
                *known = known.and(of);
                changed.push(*to);
            }
        }
    }
    let mut brought: HashMap<usize, PickConsequence> = HashMap::new();
    for (at, (member, from)) in members.iter().zip(&reached).enumerate() {
        let source = snapshot.catalog.get(member.id.as_str());
        match from {
            ReachedFrom::Several if is_root(at) => brought.entry(at).or_default().is_kept = true,
            ReachedFrom::One(root) => {
                let brought = brought.entry(*root).or_default();
                // An auto source stays in the instructions.
                let leaves = source.is_none_or(|source| source.mode != Mode::Auto);
                let is_other = *root != at && leaves;
                let price = snapshot.tokens.get(member.id.as_str()).copied().filter(|_| leaves);
                brought.tokens += price.unwrap_or(0);
                brought.others += usize::from(is_other);
                brought.waiting += usize::from(is_other && source.is_some_and(Source::is_untrusted));
            }
            _ => {}
        }
    }
    brought
}

impl TreeRow {
    /// The member shown in this row, if any.
    pub fn member<'a>(&self, members: &'a [SelectedSource]) -> Option<&'a SelectedSource> {
        match self.kind {
            TreeRowKind::Member(at) => members.get(at),
            _ => None,
        }
    }

    pub fn id<'a>(&self, snapshot: &'a Snapshot) -> Option<&'a str> {
        match self.kind {
            TreeRowKind::Member(at) => snapshot.selection.members().get(at).map(|member| member.id.as_str()),
            TreeRowKind::Auto(at) => snapshot.catalog.sources().get(at).map(|source| source.id.as_str()),
            TreeRowKind::Dormant(at) => snapshot.selection.dormant().get(at).map(String::as_str),
            TreeRowKind::Excluded(at) => snapshot.selection.excluded().get(at).map(String::as_str),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture;

    use super::*;

    #[test]
    fn an_auto_source_that_is_excluded_is_listed_once() {
        let mut snapshot = fixture::snapshot();
        let excluded = ["team-conventions", "release-notes"];
        snapshot.selection = fixture::selection(Vec::new(), &[], &excluded).into();
        let rows = rows(&snapshot, Order::Catalog);
        let shown: Vec<_> = rows.iter().map(|row| (row.kind.clone(), row.id(&snapshot).unwrap())).collect();
        assert_eq!(shown, [(TreeRowKind::Auto(0), "team-conventions"), (TreeRowKind::Excluded(1), "release-notes")]);
    }

    #[test]
    fn a_pick_brings_what_no_other_pick_keeps() {
        use refdesk_core::mention::{Mention, MentionKind};
        let mut snapshot = fixture::snapshot();
        let mut graph = fixture::graph();
        let file: std::sync::Arc<std::path::Path> = std::path::Path::new("/a.md").into();
        let mention = |from: &str, to: &str| {
            let file = file.clone();
            Mention { from: from.into(), to: to.into(), via: MentionKind::Id, file, line: 1 }
        };
        graph.insert("java-service".into(), vec![mention("java-service", "timeouts")].into());
        graph.insert("timeouts".into(), vec![mention("timeouts", "team-conventions")].into());
        snapshot.graph = graph.into();
        let pulled = |id: &str, depth, parents: &[&str]| fixture::member(id, depth, parents);
        for (picks, expected) in [
            // One of the released sources is an auto source.
            (&["circuit-breaker"][..], &[("circuit-breaker", 4, false)][..]),
            // Both reach the timeouts, so neither pick would release them.
            (&["circuit-breaker", "java-service"], &[("circuit-breaker", 3, false), ("java-service", 0, false)]),
            // The circuit breaker also pulls in the pattern.
            (&["circuit-breaker", "retry-pattern"], &[("circuit-breaker", 0, false), ("retry-pattern", 0, true)]),
        ] {
            let mut members: Vec<_> = picks.iter().map(|id| pulled(id, 0, &[])).collect();
            for (id, depth, parent) in [
                ("retry-pattern", 1, "circuit-breaker"),
                ("timeouts", 1, "circuit-breaker"),
                ("error-handling", 2, "retry-pattern"),
                ("team-conventions", 2, "timeouts"),
                ("legacy-errors", 3, "error-handling"),
            ] {
                if !picks.contains(&id) {
                    members.push(pulled(id, depth, &[parent]));
                }
            }
            snapshot.selection = fixture::selection(members, &[], &[]).into();
            let all = rows(&snapshot, Order::Catalog);
            let roots = all.iter().filter(|row| matches!(row.kind, TreeRowKind::Member(_)) && row.level == 0);
            let brought: Vec<_> =
                roots.map(|row| (row.id(&snapshot).unwrap(), row.brings.others, row.brings.is_kept)).collect();
            assert_eq!(brought, expected, "{picks:?}");
        }
    }

    #[test]
    fn sorted_rows_stay_below_their_reasons_and_by_tokens_the_dearest_pick_is_first() {
        let mut snapshot = fixture::snapshot();
        let below = |id: &str, depth, parent| fixture::member(id, depth, &[parent]);
        let members = vec![
            fixture::member("timeouts", 0, &[]),
            fixture::member("circuit-breaker", 0, &[]),
            below("retry-pattern", 1, "circuit-breaker"),
            below("error-handling", 1, "circuit-breaker"),
        ];
        snapshot.selection = fixture::selection(members, &[], &["release-notes", "java-service"]).into();
        let order = |order| {
            let rows = rows(&snapshot, order);
            rows.iter().map(|row| row.id(&snapshot).unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        let rest = ["release-notes", "java-service"];
        for (by, picks, others) in [
            (Order::Catalog, ["timeouts", "circuit-breaker", "retry-pattern", "error-handling"], rest),
            (
                Order::Id,
                ["circuit-breaker", "error-handling", "retry-pattern", "timeouts"],
                ["java-service", "release-notes"],
            ),
            (
                Order::Tokens,
                ["circuit-breaker", "retry-pattern", "error-handling", "timeouts"],
                ["java-service", "release-notes"],
            ),
        ] {
            let expected = [&picks[..], &["team-conventions"], &others[..]].concat();
            assert_eq!(order(by), expected, "{by:?}");
        }
    }

    #[test]
    fn each_member_is_below_its_reason() {
        let snapshot = fixture::snapshot();
        let shown: Vec<_> = rows(&snapshot, Order::Catalog)
            .iter()
            .map(|row| (row.level, row.id(&snapshot).unwrap().to_owned(), row.brings.others, row.open))
            .collect();
        let row = |level, id: &str, brings, open| (level, id.to_owned(), brings, open);
        assert_eq!(
            shown,
            [
                row(0, "circuit-breaker", 4, 0),
                row(1, "retry-pattern", 0, 1),
                row(2, "error-handling", 0, 1),
                row(3, "legacy-errors", 0, 1),
                row(1, "timeouts", 0, 0),
                row(0, "team-conventions", 0, 0),
                row(0, "old-runbook", 0, 0),
                row(0, "release-notes", 0, 0),
            ]
        );
    }

    #[test]
    fn rows_that_match_are_kept_with_those_above_them() {
        let mut snapshot = fixture::snapshot();
        let below = |id: &str, depth, parent| fixture::member(id, depth, &[parent]);
        let members = vec![
            fixture::member("circuit-breaker", 0, &[]),
            below("retry-pattern", 1, "circuit-breaker"),
            below("timeouts", 1, "circuit-breaker"),
            below("error-handling", 2, "retry-pattern"),
            below("java-service", 2, "retry-pattern"),
            below("legacy-errors", 3, "error-handling"),
            fixture::member("payments-api", 0, &[]),
            below("ticket-search", 1, "payments-api"),
        ];
        snapshot.selection = fixture::selection(members, &["old-runbook"], &["release-notes"]).into();
        let all = rows(&snapshot, Order::Catalog);
        let shown = |kept: &[&str]| {
            let rows = matching(&all, |row| row.id(&snapshot).is_some_and(|id| kept.contains(&id)));
            let word = |row: &TreeRow| if row.matches { "" } else { " above" };
            let row =
                |row: &TreeRow| format!("{} {:b} {}{}", row.level, row.open, row.id(&snapshot).unwrap(), word(row));
            rows.iter().map(row).collect::<Vec<_>>()
        };
        // The level, the levels whose line continues below the row, and the id.
        for (kept, expected) in [
            (&[][..], &[][..]),
            (&["circuit-breaker"], &["0 0 circuit-breaker"]),
            (&["timeouts"], &["0 0 circuit-breaker above", "1 0 timeouts"]),
            (
                &["timeouts", "legacy-errors"],
                &[
                    "0 0 circuit-breaker above",
                    "1 1 retry-pattern above",
                    "2 1 error-handling above",
                    "3 1 legacy-errors",
                    "1 0 timeouts",
                ],
            ),
            (&["java-service"], &["0 0 circuit-breaker above", "1 0 retry-pattern above", "2 0 java-service"]),
            (
                &["error-handling", "java-service", "ticket-search"],
                &[
                    "0 0 circuit-breaker above",
                    "1 0 retry-pattern above",
                    "2 10 error-handling",
                    "2 0 java-service",
                    "0 0 payments-api above",
                    "1 0 ticket-search",
                ],
            ),
            (&["payments-api", "old-runbook"], &["0 0 payments-api", "0 0 old-runbook"]),
            (&["team-conventions", "release-notes"], &["0 0 team-conventions", "0 0 release-notes"]),
        ] {
            assert_eq!(shown(kept), expected, "{kept:?}");
        }
        assert_eq!(matching(&all, |_| true), all, "its lines are those of the whole tree");
    }
}
