//! Builds selections for tests from plain values.

use super::{Role, SelectedSource, Selection};
use crate::catalog::SourceId;

/// A selection of picks, of transitive sources with their parents (listed after them), and of exclusions.
pub fn selection(picks: &[&str], transitive: &[(&str, &[&str])], excluded: &[&str]) -> Selection {
    let mut members: Vec<SelectedSource> = picks.iter().map(|id| member(id, 0, Role::Picked, &[])).collect();
    for (id, parents) in transitive {
        let depths = parents.iter().filter_map(|parent| members.iter().find(|it| it.id.as_str() == *parent));
        let depth = 1 + depths.map(|parent| parent.depth).min().unwrap_or_default();
        members.push(member(id, depth, Role::Transitive, parents));
    }
    Selection::new(members, Vec::new(), excluded.iter().map(|id| (*id).to_owned()).collect())
}

fn member(id: &str, depth: usize, role: Role, parents: &[&str]) -> SelectedSource {
    let reason = parents.first().map(|parent| SourceId::from(*parent));
    let parents = parents.iter().map(|parent| SourceId::from(*parent)).collect();
    SelectedSource { id: id.into(), depth, role, parents, reason }
}
