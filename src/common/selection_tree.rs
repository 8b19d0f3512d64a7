//! The selection as rows: picks as trees of what they pull in, then sources of mode auto, dormant picks and
//! exclusions. Computed once a snapshot, so that drawing formats only what is visible.

use std::collections::HashMap;

use refdesk_core::catalog::Mode;
use refdesk_core::selection::SelectedSource;
use refdesk_desk::engine::Snapshot;

/// One row of the selection pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeRow {
    pub kind: TreeRowKind,
    /// Its level below its root.
    pub level: usize,
    /// Bit `n` is set if the branch of level `n` continues below this row.
    pub open: u32,
    /// Members below it in the tree of reasons.
    pub brings: usize,
    pub brings_tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeRowKind {
    /// A selected source, by its place among the members.
    Member(usize),
    /// A source of mode auto that is not selected, by its place in the catalog.
    Auto(usize),
    /// A dormant pick, by its place among them.
    Dormant(usize),
    /// An exclusion, by its place among them.
    Excluded(usize),
}

/// The rows of this snapshot.
pub fn rows(snapshot: &Snapshot) -> Vec<TreeRow> {
    let members = snapshot.selection.members();
    let mut below: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut roots = Vec::new();
    for (at, member) in members.iter().enumerate() {
        match &member.reason {
            Some(reason) => below.entry(reason.as_str()).or_default().push(at),
            None => roots.push(at),
        }
    }
    let mut rows = Vec::with_capacity(members.len());
    for root in roots {
        branch(snapshot, members, &below, root, 0, 0, &mut rows);
    }
    let flat = |kind| TreeRow { kind, level: 0, open: 0, brings: 0, brings_tokens: 0 };
    let autos = snapshot.catalog.sources().iter().enumerate();
    let autos =
        autos.filter(|(_, source)| source.mode == Mode::Auto && !snapshot.selection.contains(source.id.as_str()));
    rows.extend(autos.map(|(at, _)| flat(TreeRowKind::Auto(at))));
    rows.extend((0..snapshot.selection.dormant().len()).map(|at| flat(TreeRowKind::Dormant(at))));
    let is_auto = |id: &str| snapshot.catalog.get(id).is_some_and(|source| source.mode == Mode::Auto);
    let excluded = snapshot.selection.excluded().iter().enumerate().filter(|(_, id)| !is_auto(id));
    rows.extend(excluded.map(|(at, _)| flat(TreeRowKind::Excluded(at))));
    rows
}

/// Appends the member at `at` and everything under it. Depth is bounded by `MAX_TRANSITIVE_DEPTH`, so recursion is too.
fn branch(
    snapshot: &Snapshot,
    members: &[SelectedSource],
    below: &HashMap<&str, Vec<usize>>,
    at: usize,
    level: usize,
    open: u32,
    rows: &mut Vec<TreeRow>,
) {
    let Some(member) = members.get(at) else { return };
    let place = rows.len();
    rows.push(TreeRow { kind: TreeRowKind::Member(at), level, open, brings: 0, brings_tokens: 0 });
    let children = below.get(member.id.as_str()).map_or(&[][..], Vec::as_slice);
    for (nth, child) in children.iter().enumerate() {
        let is_clipped = u32::from(nth + 1 < children.len()) << level.min(31);
        branch(snapshot, members, below, *child, level + 1, open | is_clipped, rows);
    }
    let (brings, brings_tokens) = rows.get(place + 1..).map_or((0, 0), |under| {
        let ids = under.iter().filter_map(|row| row.member(members));
        let tokens = ids.map(|member| snapshot.tokens.get(member.id.as_str()).copied().unwrap_or(0)).sum();
        (under.len(), tokens)
    });
    if let Some(row) = rows.get_mut(place) {
        row.brings = brings;
        row.brings_tokens = brings_tokens;
    }
}

impl TreeRow {
    /// The member it shows, if it shows one.
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
        let rows = rows(&snapshot);
        let shown: Vec<_> = rows.iter().map(|row| (row.kind.clone(), row.id(&snapshot).unwrap())).collect();
        assert_eq!(shown, [(TreeRowKind::Auto(0), "team-conventions"), (TreeRowKind::Excluded(1), "release-notes")]);
    }

    #[test]
    fn each_member_is_below_its_reason() {
        let snapshot = fixture::snapshot();
        let shown: Vec<_> = rows(&snapshot)
            .iter()
            .map(|row| (row.level, row.id(&snapshot).unwrap().to_owned(), row.brings, row.open))
            .collect();
        let row = |level, id: &str, brings, open| (level, id.to_owned(), brings, open);
        assert_eq!(
            shown,
            [
                row(0, "circuit-breaker", 4, 0),
                row(1, "retry-pattern", 2, 1),
                row(2, "error-handling", 1, 1),
                row(3, "legacy-errors", 0, 1),
                row(1, "timeouts", 0, 0),
                row(0, "team-conventions", 0, 0),
                row(0, "old-runbook", 0, 0),
                row(0, "release-notes", 0, 0),
            ]
        );
    }
}
